"""The kind simulation: each simulation agrees with its theory and a referee, and a wrong file says what is wrong."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.loading import parse
from hopattn.scenario.simulations import simulations
from tests.counts import count
from tests.each import each

T = ha.theory
PREDICTED = {  # the arguments, the draws, the number by the theory, and what the theory may be off by
    "learnable": ({"points": 12, "dim": 7}, 400, T.separable_share(12, 7), 0),
    "largest_margin": ({"load": 0.5196, "dim": 100}, 60, 1.0, 0.05),  # N = 100
    "diluted_overlap": ({"neurons": 1500, "patterns": 3, "empty": 0.5, "which": 2}, 20, 0.25, 0),
    "denoised": (
        {"context": 40, "predictor": "linear", "dim": 5, "signal": 3, "noise": 2},
        30,
        5 * 3 * (2 + 3 * 6 / 40) / 5,
        0,
    ),
    "sdm_reading": (
        {"distance": 30, "bits": 127, "radius": 48, "locations": 4000, "words": 60},
        200,
        T.sdm_error(127, 48, 4000, 60, 30),
        0.01,  # the sum of few copies is not normal
    ),
    "sums_kept": ({"neurons": 100, "parts": 12, "threshold": 0.5}, 300, T.kept_sums(100, 12), 0.01),
}


def drawn(name, seed, **given):
    return simulations[name](np.random.default_rng(seed), **given)


def draws(name, n, **given):
    return np.array([drawn(name, seed, **given) for seed in range(n)])


@each("name", [*simulations])
def test_each_simulation_gives_the_number_of_its_theory(name):
    """Within four standard errors."""
    given, n, theory, off = PREDICTED[name]
    found = draws(name, count(4 * n, n), **given)
    assert abs(found.mean() - theory) < off + 4 * found.std(ddof=1) / np.sqrt(len(found))


@each("seed", range(6))
def test_the_largest_margin_is_that_of_a_general_solver(seed):
    """The shortest w with s (w·x) ≥ 1, by sequential quadratic programming."""
    rows = np.random.default_rng(seed).choice([-1.0, 1.0], (8, 10))
    found = minimize(
        lambda w: w @ w,
        np.zeros(10),
        jac=lambda w: 2 * w,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda w: rows @ w - 1, "jac": lambda w: rows},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert found.success
    margin = drawn("largest_margin", seed, load=0.8, dim=10)
    assert margin == pytest.approx(1 / np.linalg.norm(found.x), rel=1e-5)


def test_patterns_that_no_couplings_keep_have_the_margin_0():
    assert draws("largest_margin", 3, load=4.0, dim=20).tolist() == [0, 0, 0]


@each("seed", range(4))
def test_a_reading_is_that_of_a_plain_loop_over_all_locations(seed):
    """Of 13 bits, a number that fills no byte; the same random numbers, location by location."""
    given = {"distance": 3, "bits": 13, "radius": 4, "locations": 300, "words": 5}
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 2, (5, 13), dtype=np.uint8)
    places = np.unpackbits(np.frombuffer(rng.bytes(300 * 2), np.uint8).reshape(300, 2), axis=1)[:, :13]
    cue, total = words[0].copy(), np.zeros(13)
    cue[:3] = 1 - cue[:3]
    for place in places:
        if np.sum(place != cue) <= 4:
            total += sum((2.0 * word - 1 for word in words if np.sum(place != word) <= 4), np.zeros(13))
    assert drawn("sdm_reading", seed, **given) == np.mean((total > 0) != (words[0] == 1))


def test_without_noise_between_parts_every_sum_is_kept():
    """Parts of so many neurons are nearly orthogonal; at a threshold above 1 even a part alone is lost."""
    assert draws("sums_kept", 2, neurons=20_000, parts=4, threshold=0.5).tolist() == [1, 1]
    empty = draws("sums_kept", 40, neurons=1000, parts=3, threshold=1.5)  # the empty sum alone, of eight
    assert empty.mean() == pytest.approx(1 / 8, abs=4 * np.sqrt(7 / 64 / (40 * 200)))


def test_kept_sums_of_two_parts_are_those_of_all_their_products():
    """Two parts of ±1 with the product c: the sum of both has the scores 1 + c, a part alone gives the other one c."""
    exact = []
    for signs in product([-1, 1], repeat=12):
        c = sum(signs) / 12
        exact.append((1 + (1 + c >= 0.5) + 2 * (c < 0.5)) / 4)
    assert T.kept_sums(12, 2) == pytest.approx(np.mean(exact), abs=0.02)


TEXT = """schema = 1
title = "t"
source = "s"
kind = "simulation"
[simulation]
of = { name = "learnable", points = 9, dim = 5 }
measure = "learned"
times = 40
theory = "separable_share"
"""


def test_a_run_has_the_mean_of_its_draws_their_error_and_the_theory_and_writes_all():
    result = ha.run(parse(TEXT, "t.toml", "t"), explain=True)
    arrays = {name: float(array.values) for name, array in result.runs[0].arrays.items()}
    assert [*arrays] == ["learned", "standard error", "theory"]
    share = arrays["learned"]
    assert arrays["standard error"] == pytest.approx(np.sqrt(share * (1 - share) / 39))
    assert arrays["theory"] == T.separable_share(9, 5)
    text = "\n".join(result.runs[0].working)
    assert "points = 9, dim = 5" in text and "the mean of 40 draws" in text and "ha.theory.separable_share" in text


@each(
    ("old", "new", "message"),
    [
        (
            'theory = "separable_share"',
            'theory = "gardner_margin"',
            "not the formula of 'learnable'; expected 'separable_share'",
        ),
        ('theory = "separable_share"', 'theory = "separable_shape"', "did you mean 'separable_share'?"),
        ('"learnable"', '"learnabel"', "did you mean 'learnable'?"),
        ("points = 9, ", "", "points: is missing"),
        ("points = 9", "points = 900", "points: got 900; expected at most 200"),
        ('"learned"', '"theory"', "'theory' stands beside the measure; choose another name"),
        ("times = 40", "times = 1", "times: got 1; expected at least 2"),
    ],
)
def test_a_wrong_file_is_refused_with_what_to_write(old, new, message):
    with pytest.raises(InvalidInput) as refused:
        parse(TEXT.replace(old, new), "t.toml", "t")
    assert message in str(refused.value)


@each(
    ("name", "given", "message"),
    [
        (
            "diluted_overlap",
            {"neurons": 9, "patterns": 2, "empty": 0.4, "which": 3},
            "which: got 3; expected at most 2",
        ),
        ("largest_margin", {"load": 0.01, "dim": 20}, "load: got 0.01; expected at least 0.05"),
        (
            "sdm_reading",
            {"distance": 9, "bits": 8, "radius": 3, "locations": 9, "words": 2},
            "distance: got 9; expected at most 8",
        ),
    ],
)
def test_arguments_that_do_not_go_together_are_refused(name, given, message):
    with pytest.raises(InvalidInput, match=message):
        drawn(name, 0, **given)


def test_without_noise_a_reading_is_right():
    assert T.sdm_error(100, 100, 1000, 1) == 0
    assert drawn("sdm_reading", 0, distance=5, bits=64, radius=64, locations=10, words=1) == 0


def test_a_formula_of_another_predictor_is_refused():
    text = TEXT.replace("separable_share", "linear_denoising_error").replace(
        '"learnable", points = 9, dim = 5',
        '"denoised", context = 9, predictor = "softmax", dim = 5, signal = 1, noise = 1',
    )
    with pytest.raises(InvalidInput, match="is for predictor = 'linear', not 'softmax'"):
        parse(text, "t.toml", "t")


def test_a_number_that_the_theory_does_not_take_is_refused_with_the_reason():
    text = TEXT.replace('"learnable", points = 9', '"largest_margin", load = 2.5').replace(
        "separable_share", "gardner_margin"
    )
    with pytest.raises(InvalidInput, match="above 2 no couplings keep all patterns"):
        parse(text, "t.toml", "t")
