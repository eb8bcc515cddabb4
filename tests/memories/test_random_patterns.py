"""Random patterns have the correlation that is asked for, cues just the damage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopattn.foundation.errors import InvalidInput
from hopattn.memories.random_patterns import damaged, random_patterns

FRACTION = st.floats(0, 1)


@pytest.mark.parametrize("sort", ["spins", "unit"])
@pytest.mark.parametrize("correlation", [0.0, 0.1, 0.5, 0.9])
def test_the_mean_cosine_of_two_patterns_is_the_correlation(sort, correlation):
    """200 draws of a pair with 400 neurons: the standard error is that of the draws."""
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
def test_just_so_many_neurons_are_damaged(flip, hide, dim, seed):
    rng = np.random.default_rng(seed)
    whole = random_patterns(rng, 3, dim)
    before = whole.copy()
    flipped = damaged(whole, np.random.default_rng(seed), flip=flip)
    assert np.all(np.sum(flipped != whole, axis=1) == round(flip * dim))
    hidden = damaged(whole, np.random.default_rng(seed), flip=flip, hide=hide)
    assert np.all(np.sum(hidden == 0, axis=1) == round(hide * dim))
    seen = hidden != 0
    assert np.array_equal(hidden[seen], flipped[seen]) and np.array_equal(whole, before)


def test_noise_has_its_deviation():
    """10,000 numbers: the standard error of a standard deviation σ is σ/√(2n)."""
    grain = damaged(np.zeros((100, 100)), np.random.default_rng(0), noise=0.3)
    assert abs(np.std(grain) - 0.3) < 4 * 0.3 / np.sqrt(2e4)


def test_rows_are_damaged_each_by_itself():
    flipped = damaged(np.ones((50, 40)), np.random.default_rng(0), flip=0.5)
    assert len(np.unique(flipped, axis=0)) == 50


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"n_patterns": 0}, "n_patterns: expected a whole number"),
        ({"dim": 1.5}, "dim: expected a whole number"),
        ({"sort": "spin"}, "'spin' is unknown; did you mean 'spins'"),
        ({"correlation": 1.0}, "at 1 all patterns are one"),
        ({"correlation": -0.1}, "expected a number from 0 to 1"),
        ({"correlation": float("nan")}, "expected a finite number"),
    ],
)
def test_what_no_patterns_have_is_refused(arguments, told):
    with pytest.raises(InvalidInput, match=told):
        random_patterns(np.random.default_rng(0), **{"n_patterns": 2, "dim": 3, **arguments})


@pytest.mark.parametrize("arguments", [{"flip": 1.1}, {"hide": -1}, {"noise": -0.1}, {"noise": float("inf")}])
def test_damage_that_cannot_be_is_refused(arguments):
    with pytest.raises(InvalidInput, match=f"{next(iter(arguments))}: expected"):
        damaged(np.ones((1, 4)), np.random.default_rng(0), **arguments)
