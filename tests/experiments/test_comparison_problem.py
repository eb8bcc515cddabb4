"""Problems and random patterns: laws of the random patterns, and refusals of wrong input."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.experiments.comparison.problem import checked_problem
from hopattn.experiments.comparison.sampling import Draw
from hopattn.foundation.errors import InvalidInput
from tests.each import each


def drawn(seed=0, trials=1, **more):
    return list(Draw(**more).trials(trials, seed))


@given(
    dim=st.integers(1, 40),
    load=st.floats(0.01, 2),
    noise=st.floats(0, 1),
    hidden=st.floats(0, 0.99),
    correlation=st.floats(0, 0.99),
    kind=st.sampled_from(["spins", "unit"]),
)
def test_random_patterns_are_as_described(dim, load, noise, hidden, correlation, kind):
    (found,) = drawn(dim=dim, load=load, noise=noise, hidden=hidden, correlation=correlation, kind=kind)
    assert found.keys.shape == (max(1, round(load * dim)), dim)
    assert found.targets.tolist() == list(range(len(found.cues)))
    covered = found.cues == 0
    assert (covered.sum(axis=1) >= round(hidden * dim)).all()
    if kind == "spins":
        assert (np.abs(found.keys) == 1).all()
        assert (covered.sum(axis=1) == round(hidden * dim)).all()
        wrong = (found.cues == -found.keys[: len(found.cues)]).sum(axis=1)
        assert (wrong <= round(noise * dim)).all()
        assert hidden >= 0.5 / dim or (wrong == round(noise * dim)).all()
    else:
        np.testing.assert_allclose(np.linalg.norm(found.keys, axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("correlation", [0.0, 0.25, 0.64])
def test_the_mean_cosine_of_spins_is_the_correlation(correlation):
    # Given the parent, the cosine of a pair is the mean of dim independent products; the means of disjoint pairs of 400
    # draws are independent, so that their standard error is that of 400 numbers.
    draws = drawn(seed=3, trials=400, dim=50, n_patterns=2, correlation=correlation)
    cosines = [found.keys[0] @ found.keys[1] / 50 for found in draws]
    error = np.std(cosines, ddof=1) / 20
    assert abs(np.mean(cosines) - correlation) < 4 * error
    assert error < 0.01


def test_the_mean_cosine_of_unit_vectors_tends_to_the_correlation():
    cosines = [
        found.keys[0] @ found.keys[1]
        for found in drawn(seed=4, trials=200, dim=400, n_patterns=2, correlation=0.5, kind="unit")
    ]
    assert abs(np.mean(cosines) - 0.5) < 4 * np.std(cosines, ddof=1) / 200**0.5 + 2 / 400


@given(seed=st.integers(0, 99), more=st.floats(0, 0.5))
def test_a_point_of_a_grid_changes_only_what_runs_along_it(seed, more):
    (few,), (many,) = drawn(seed, dim=20, load=0.2), drawn(seed, dim=20, load=0.2 + more)
    assert np.array_equal(few.keys, many.keys[: len(few.keys)])
    (less,), (worse,) = drawn(seed, dim=20, noise=0.1), drawn(seed, dim=20, noise=0.1 + more)
    assert np.array_equal(less.keys, worse.keys)
    assert (
        worse.cues[less.cues != less.keys[: len(less.cues)]] == less.cues[less.cues != less.keys[: len(less.cues)]]
    ).all()
    (other,) = drawn(seed + 1, dim=20, load=0.2)
    assert not np.array_equal(few.keys, other.keys)


def test_every_parameter_changes_what_is_drawn():
    base = {"dim": 12, "load": 0.5, "noise": 0.25, "hidden": 0.25, "correlation": 0.25, "kind": "spins"}
    (first,) = drawn(**base)
    for name, value in {
        "dim": 13,
        "load": 0.8,
        "noise": 0.5,
        "hidden": 0.5,
        "correlation": 0.8,
        "kind": "unit",
    }.items():
        (other,) = drawn(**{**base, name: value})
        same = first.cues.shape == other.cues.shape and np.array_equal(first.cues, other.cues)
        assert not same, name


def test_noise_of_given_patterns_is_relative_to_their_length():
    patterns = np.random.default_rng(0).normal(size=(60, 200)) * 7
    (found,) = Draw(given=patterns, noise=0.5).trials(1, 0)
    relative = np.linalg.norm(found.cues - patterns, axis=1) / np.linalg.norm(patterns, axis=1)
    assert abs(relative.mean() - 0.5) < 4 * relative.std(ddof=1) / 60**0.5 + 0.5 / 800  # E|g| = √dim (1 − 1/(4 dim))


@each(
    ("more", "message"),
    [
        ({"load": 0}, "load: expected a positive finite number, not 0"),
        ({"load": float("nan")}, "load: expected a positive finite number"),
        ({"dim": 0}, "dim: expected a whole number of at least 1, not 0"),
        ({"dim": 2.5}, "dim: 2.5 is not a whole number of neurons"),
        ({"dim": "ten"}, "dim: expected"),
        ({"noise": 1.1}, "noise: expected the fraction of spins that is reversed, 0 to 1, not 1.1"),
        ({"noise": -0.1}, "noise: expected a finite number of at least 0"),
        ({"hidden": 1}, "hidden: expected a number from 0 to below 1, not 1"),
        ({"correlation": 1.0}, "correlation: expected a number from 0 to below 1"),
        ({"kind": "spin"}, "patterns: 'spin' is unknown; did you mean 'spins'"),
        ({"n_patterns": 0}, "n_patterns: expected a whole number of at least 1"),
        ({"load": 1e9, "dim": 10**6}, "would take"),
    ],
)
def test_what_cannot_be_drawn_is_refused(more, message):
    with pytest.raises(InvalidInput, match=message):
        Draw(**more)


KEYS = np.eye(3)


@each(
    ("given", "message"),
    [
        (([], [[1.0]]), "keys: got shape"),
        ((KEYS, [[1.0, 2.0]]), "cues: dim 2 does not fit keys of dim 3"),
        ((KEYS, [[1.0, np.nan, 0.0]]), "cues: row 0 holds a NaN"),
        ((KEYS, KEYS, [[1.0]]), "values: 1 rows do not fit 3 keys"),
        ((KEYS, KEYS, None, [0, 1]), "targets: expected the number of a key for each of 3 cues"),
        ((KEYS, KEYS, None, [0, 1, 3]), "targets: there is no key 3; they are numbered from 0 to 2"),
        ((KEYS, KEYS, None, [0.0, 1.0, 2.0]), "targets: expected the number"),
        ((KEYS, KEYS, None, None, np.zeros((3, 3), bool)), "mask: no cue may see any key"),
        ((KEYS, KEYS, None, None, np.ones((2, 3), bool)), "mask: shape"),
        ((KEYS, KEYS, None, None, "casual"), "did you mean 'causal'"),
    ],
)
def test_what_does_not_fit_is_refused(given, message):
    with pytest.raises(InvalidInput, match=message):
        checked_problem(*given)


def test_a_cue_that_may_see_nothing_is_left_out_and_equal_values_are_the_keys():
    found = checked_problem(KEYS, KEYS, KEYS.copy(), [0, 1, 2], ha.strict(3))
    assert (found.left_out, found.targets.tolist(), found.visible.tolist()) == (1, [1, 2], [1, 2])
    assert found.autoassociative
    assert not checked_problem(KEYS, KEYS, 2 * KEYS).autoassociative
    assert checked_problem(np.array([[1.0, -1.0] * 8]), np.ones(16)).default_beta == pytest.approx(0.25)  # 1/√16


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ([0.0, 0.0], "patterns: row 1 is zero and has no direction"),
        ([5e-324, 5e-324], "patterns: row 1 has the magnitude 4.94e-324, whose square is 0; use larger vectors"),
        ([1e308, 1e308], "patterns: row 1 holds a number of size 1e+308; expected at most 9.48e+153"),
    ],
)
def test_a_pattern_that_no_damage_fits_is_named(pattern, message):
    with pytest.raises(InvalidInput, match=re.escape(message)):
        ha.experiments.compare_patterns([[0.5, 2.0], pattern], trials=1)


def test_a_default_beta_that_does_not_exist_names_the_largest_key():
    for keys, reported in (([[0, 0]], "0, is in key 0"), ([[1, 1], [1e200, 0]], "1e+200, is in key 1")):
        with pytest.raises(
            InvalidInput,
            match=re.escape(f"beta: there is none that fits keys of this size (the largest number, {reported}"),
        ):
            ha.compare(keys, [[1.0, 0.0]])
