"""The level above which scores carry weight, of many scores: its condition, and halving as a referee."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopattn.retrieval.separation import separations

LEVELLED = [
    ("entmax", {"alpha": 1.1}),
    ("entmax", {"alpha": 1.3}),
    ("entmax", {"alpha": 1.5}),
    ("sparsemax", {}),
    ("normmax", {"alpha": 1.5}),
    ("normmax", {"alpha": 2.0}),
    ("normmax", {"alpha": 4.0}),
    ("k_subsets", {"k": 1}),
    ("k_subsets", {"k": 4}),
    ("k_subsets", {"k": 50}),
]
levelled = pytest.mark.parametrize(("name", "parameters"), LEVELLED)


def shape_of(name, parameters):
    """The factor of the scores, and φ: the level t has Σ φ(factor · s − t) = total, and the weights are φ̃ of it."""
    if name == "k_subsets":
        return 1.0, lambda d: np.clip(d, 0, 1), lambda d: np.clip(d, 0, 1), parameters["k"]
    alpha = parameters.get("alpha", 2.0)
    if name == "normmax":
        return 1.0, lambda d: positive(d) ** (alpha / (alpha - 1)), lambda d: positive(d) ** (1 / (alpha - 1)), 1
    return alpha - 1, *2 * (lambda d: positive(d) ** (1 / (alpha - 1)),), 1


def positive(d):
    return np.maximum(d, 0.0)


def by_halving(name, parameters, scores, where=None):
    """The weights of one row by 64 halvings over all its allowed scores."""
    if where is not None:
        weights = np.zeros_like(scores)
        weights[where] = by_halving(name, parameters, scores[where]) if where.any() else 0
        return weights
    factor, phi, weight, total = shape_of(name, parameters)
    if len(scores) <= total and name == "k_subsets":
        return np.ones_like(scores)
    x = factor * (scores - scores.max())
    low = np.sort(x)[-total] - 1 if name == "k_subsets" else -1.0
    high = max(low + 1, -0.0)
    for _ in range(64):
        t = 0.5 * (low + high)
        low, high = (t, high) if np.sum(phi(x - t)) > total else (low, t)
    weights = weight(x - 0.5 * (low + high))
    return weights if name == "k_subsets" else weights / weights.sum()


def drawn_scores(kind, n, rng):
    return {
        "gaussian": lambda: rng.normal(size=n),
        "whole": lambda: rng.integers(-3, 4, size=n).astype(float),
        "alike": lambda: np.full(n, -2.5),
        "two heights": lambda: rng.choice([0.0, 0.25], size=n),
        "one far ahead": lambda: np.where(np.arange(n) == n // 2, 1e4, rng.normal(size=n)),
        "nearly alike": lambda: 1e-9 * rng.normal(size=n),
        "a slope": lambda: np.linspace(-3, 0, n),
        "geometric": lambda: -(0.7 ** np.arange(n)),
    }[kind]()


KINDS = ["gaussian", "whole", "alike", "two heights", "one far ahead", "nearly alike", "a slope", "geometric"]


@pytest.mark.usefixtures("both_kernels")
@given(
    kind=st.sampled_from(KINDS),
    n=st.sampled_from([1, 2, 31, 32, 33, 129, 700]),
    beta=st.sampled_from([1e-3, 0.3, 1.0, 10.0]),
    share=st.sampled_from([None, 0.9, 0.05]),
    seed=st.integers(0, 99),
)
@levelled
def test_the_weights_are_those_of_halving_over_all_scores(name, parameters, kind, n, beta, share, seed):
    rng = np.random.default_rng(seed)
    scores = drawn_scores(kind, n, rng)
    where = None if share is None else rng.random(n) < share
    given_scores = scores.copy()
    weights = separations[name](beta=beta, **parameters).weights(scores, where)
    assert np.array_equal(scores, given_scores)
    expected = by_halving(name, parameters, beta * scores, where)
    steep = name == "normmax" and parameters["alpha"] > 2  # weights are then a root of a reach that was rounded
    # The differences of scores and the level are rounded on both sides, each by the last digit of the largest score.
    rounded = 4 * np.finfo(float).eps * np.abs(beta * scores).max()
    np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-5 if steep else max(4e-13, rounded))


@pytest.mark.usefixtures("both_kernels")
@levelled
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", [(600,), (40, 600), (3, 5, 200), (2, 1), (0, 40)])
def test_the_weights_sum_to_what_they_share(name, parameters, dtype, shape):
    scores = np.random.default_rng(1).normal(size=shape).astype(dtype)
    weights, eps = separations[name](**parameters).weights(scores), np.finfo(dtype).eps
    assert weights.shape == shape and weights.dtype == dtype
    total = min(parameters.get("k", 1), shape[-1])
    np.testing.assert_allclose(weights.sum(axis=-1), np.full(shape[:-1], total), rtol=8 * eps * max(1, total))
    assert np.all((weights >= 0) & (weights <= 1 + 2 * eps))


@levelled
def test_a_row_does_not_depend_on_its_neighbours(name, parameters):
    """Many rows at once, which compiled loops share where numba is installed, are those of few."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(360, 400)) * np.tile([1e-3, 0.1, 1, 10, 1e3, 1e6, 0, 1, 1], 40)[:, None]
    where = rng.random((360, 400)) < 0.7
    separation = separations[name](**parameters)
    rows = [0, 1, 2, 3, 4, 5, 6, 200, 359]
    tolerance = {"rtol": 0, "atol": 1e-7 if parameters.get("alpha", 2) > 2 else 1e-12}
    for mask in (None, where):
        weights, potential = separation.weights(scores, mask), separation.potential(scores, mask)
        for row in rows:
            of_row = scores[row], None if mask is None else mask[row]
            np.testing.assert_allclose(separation.weights(*of_row), weights[row], **tolerance)
            np.testing.assert_allclose(separation.potential(*of_row), potential[row], rtol=1e-13, atol=1e-13)


@pytest.mark.usefixtures("both_kernels")
@levelled
def test_a_nan_makes_its_own_row_nan_and_no_other(name, parameters):
    scores = np.random.default_rng(4).normal(size=(3, 100))
    expected = separations[name](**parameters).weights(scores)
    scores[1, 50] = np.nan
    weights = separations[name](**parameters).weights(scores)
    np.testing.assert_allclose(weights[[0, 2]], expected[[0, 2]], rtol=0, atol=1e-12)
    assert np.all(np.isnan(weights[1]))
