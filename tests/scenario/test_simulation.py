"""Simulations agree with their theory and a referee; random patterns and their damage are what is asked for."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import hopattn as ha
from hopattn.memories.random_patterns import damaged, random_patterns
from hopattn.scenario.kinds import kinds
from hopattn.scenario.kinds.simulation import simulations
from tests.draws import count
from tests.texts import parsed

T = ha.theory
NOISY = {"context": 40, "predictor": "linear", "dim": 5, "signal": 3, "noise": 2}
SPARSE = {"distance": 30, "bits": 127, "radius": 48, "locations": 4000, "words": 60}
PREDICTED = {  # the arguments, the draws, the number by the theory, and what the theory may be off by
    "learnable": ({"points": 12, "dim": 7}, 400, T.separable_share(12, 7), 0),
    "largest_margin": ({"load": 0.5196, "dim": 100}, 60, 1.0, 0.05),  # N = 100
    "diluted_overlap": ({"neurons": 1500, "patterns": 3, "empty": 0.5, "which": 2}, 20, 0.25, 0),
    "denoised": (NOISY, 30, 5 * 3 * (2 + 3 * 6 / 40) / 5, 0),
    "sdm_reading": (
        SPARSE,
        200,
        T.sdm_error(127, 48, locations=4000, words=60, distance=30),
        0.01,
    ),  # the sum of few copies is not normal
    "sums_kept": ({"neurons": 100, "parts": 12, "threshold": 0.5}, 300, T.kept_sums(100, 12), 0.01),
}


def drawn(name, seed, **given):
    return simulations[name](np.random.default_rng(seed), **given)


def draws(name, n, **given):
    return np.array([drawn(name, seed, **given) for seed in range(n)])


@pytest.mark.parametrize("name", [*simulations])
def test_each_simulation_gives_the_number_of_its_theory(name):
    """Within four standard errors."""
    given, n, theory, off = PREDICTED[name]
    found = draws(name, count(4 * n, n), **given)
    assert abs(found.mean() - theory) < off + 4 * found.std(ddof=1) / np.sqrt(len(found))


@pytest.mark.parametrize("seed", range(6))
def test_the_largest_margin_is_that_of_a_general_solver(seed):
    """The shortest w with s (w·x) ≥ 1, by sequential quadratic programming."""
    rows = np.random.default_rng(seed).choice([-1.0, 1.0], (8, 10))
    beyond = {"type": "ineq", "fun": lambda w: rows @ w - 1, "jac": lambda w: rows}
    options = {"jac": lambda w: 2 * w, "constraints": beyond, "options": {"ftol": 1e-14, "maxiter": 500}}
    found = minimize(lambda w: w @ w, np.zeros(10), method="SLSQP", **options)
    assert found.success
    margin = drawn("largest_margin", seed, load=0.8, dim=10)
    assert drawn("largest_margin", seed, load=4.0, dim=20) == 0  # no couplings keep so many
    assert margin == pytest.approx(1 / np.linalg.norm(found.x), rel=1e-5)


@pytest.mark.parametrize(("seed", "locations"), [(0, 300), (1, 300), (2, 50_200)])
def test_a_reading_is_that_of_a_plain_loop_over_all_locations(seed, locations):
    """Of 13 bits, a number that fills no byte; the same random numbers, location by location."""
    given = {"distance": 3, "bits": 13, "radius": 4, "locations": locations, "words": 5}
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 2, (5, 13), dtype=np.uint8)
    places = np.unpackbits(np.frombuffer(rng.bytes(locations * 2), np.uint8).reshape(-1, 2), axis=1)[:, :13]
    cue, total = words[0].copy(), np.zeros(13)
    cue[:3] = 1 - cue[:3]
    for place in places[np.sum(places != cue, axis=1) <= 4]:
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


def test_a_run_has_the_mean_of_its_draws_their_error_and_the_theory_and_writes_all():
    text = kinds["simulation"].template().replace("36, dim = 20", "9, dim = 5").replace("times = 50", "times = 40")
    result = ha.run(parsed(text.replace("share of the answers that are learned", "learned")), explain=True)
    arrays = {name: float(array.values) for name, array in result.runs[0].arrays.items()}
    assert [*arrays] == ["learned", "standard error", "theory"]
    share = arrays["learned"]
    assert arrays["standard error"] == pytest.approx(np.sqrt(share * (1 - share) / 39))
    assert arrays["theory"] == T.separable_share(9, 5)
    text = "\n".join(result.runs[0].working)
    assert "points = 9, dim = 5" in text and "the mean of 40 draws" in text and "ha.theory.separable_share" in text


def test_without_noise_a_reading_is_right():
    assert T.sdm_error(100, 100, locations=1000, words=1) == 0
    assert drawn("sdm_reading", 0, distance=5, bits=64, radius=64, locations=10, words=1) == 0


@pytest.mark.parametrize("sort", ["spins", "unit"])
@pytest.mark.parametrize("correlation", [0.0, 0.1, 0.5, 0.9])
def test_the_mean_cosine_of_two_patterns_is_the_correlation(sort, correlation):
    """200 random pairs with 400 neurons; the tolerance is four standard errors of their mean."""
    cosines = []
    for seed in range(200):
        one, other = random_patterns(np.random.default_rng(seed), 2, 400, sort, correlation)
        cosines.append(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
    error = np.std(cosines) / np.sqrt(len(cosines))
    assert abs(np.mean(cosines) - correlation) < 4 * error + 1e-3


@given(st.integers(1, 20), st.integers(1, 50), st.floats(0, 0.99), st.integers(0, 99))
def test_patterns_are_of_their_sort(n, dim, correlation, seed):
    spins = random_patterns(np.random.default_rng(seed), n, dim, "spins", correlation)
    assert spins.shape == (n, dim) and set(np.unique(spins)) <= {-1.0, 1.0}
    directions = random_patterns(np.random.default_rng(seed), n, dim, "unit", correlation)
    assert np.linalg.norm(directions, axis=1) == pytest.approx(np.ones(n))


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 60), st.integers(0, 99))
def test_exactly_the_given_fraction_of_neurons_is_damaged(flip, hide, dim, seed):
    rng = np.random.default_rng(seed)
    patterns = random_patterns(rng, 3, dim)
    before = patterns.copy()
    flipped = damaged(patterns, np.random.default_rng(seed), flip=flip)
    assert np.all(np.sum(flipped != patterns, axis=1) == round(flip * dim))
    hidden = damaged(patterns, np.random.default_rng(seed), flip=flip, hide=hide)
    assert np.all(np.sum(hidden == 0, axis=1) == round(hide * dim))
    visible = hidden != 0
    assert np.array_equal(hidden[visible], flipped[visible]) and np.array_equal(patterns, before)


def test_noise_has_the_given_standard_deviation_and_rows_are_damaged_independently():
    """10,000 numbers: the standard error of a standard deviation σ is σ/√(2n)."""
    noise = damaged(np.zeros((100, 100)), np.random.default_rng(0), noise=0.3)
    assert abs(np.std(noise) - 0.3) < 4 * 0.3 / np.sqrt(2e4)
    flipped = damaged(np.ones((50, 40)), np.random.default_rng(0), flip=0.5)
    assert len(np.unique(flipped, axis=0)) == 50
