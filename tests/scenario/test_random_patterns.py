"""Random patterns have the given correlation, and cues exactly the given damage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.random_patterns import damaged, random_patterns
from tests.each import each

FRACTION = st.floats(0, 1)


@each("sort", ["spins", "unit"])
@each("correlation", [0.0, 0.1, 0.5, 0.9])
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


@given(FRACTION, FRACTION, st.integers(1, 60), st.integers(0, 99))
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


def test_noise_has_the_given_standard_deviation():
    """10,000 numbers: the standard error of a standard deviation σ is σ/√(2n)."""
    noise = damaged(np.zeros((100, 100)), np.random.default_rng(0), noise=0.3)
    assert abs(np.std(noise) - 0.3) < 4 * 0.3 / np.sqrt(2e4)


def test_rows_are_damaged_independently():
    flipped = damaged(np.ones((50, 40)), np.random.default_rng(0), flip=0.5)
    assert len(np.unique(flipped, axis=0)) == 50


@each(
    ("arguments", "message"),
    [
        ({"n_patterns": 0}, "n_patterns: expected a whole number"),
        ({"dim": 1.5}, "dim: expected a whole number"),
        ({"sort": "spin"}, "'spin' is unknown; did you mean 'spins'"),
        ({"correlation": 1.0}, "at 1 all patterns are one"),
        ({"correlation": -0.1}, "expected a number from 0 to 1"),
        ({"correlation": float("nan")}, "expected a finite number"),
    ],
)
def test_impossible_patterns_are_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        random_patterns(np.random.default_rng(0), **{"n_patterns": 2, "dim": 3, **arguments})


@each("arguments", [{"flip": 1.1}, {"hide": -1}, {"noise": -0.1}, {"noise": float("inf")}])
def test_impossible_damage_is_refused(arguments):
    with pytest.raises(InvalidInput, match=f"{next(iter(arguments))}: expected"):
        damaged(np.ones((1, 4)), np.random.default_rng(0), **arguments)
