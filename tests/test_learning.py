"""Learning rules against their formulas in exact fractions, and what they promise."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from draws import spins
from hypothesis import assume, given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.errors import InvalidInput

RULES = ("hebb", "covariance", "pseudo_inverse", "storkey", "perceptron")


def exact(patterns):
    return [[Fraction(int(x)) for x in row] for row in patterns]


def as_array(matrix):
    return np.array([[float(x) for x in row] for row in matrix])


@st.composite
def pattern_sets(draw, most=4):
    return draw(spins((draw(st.integers(1, most)), draw(st.integers(2, 6)))))


@given(patterns=pattern_sets())
def test_hebb_in_fractions(patterns):
    rows, n = exact(patterns), patterns.shape[1]
    expected = [[sum(p[i] * p[j] for p in rows) / n * (i != j) for j in range(n)] for i in range(n)]
    np.testing.assert_allclose(ha.learning.hebb(patterns), as_array(expected), rtol=1e-15)
    full = ha.learning.hebb(patterns, self_coupling=True)
    np.testing.assert_allclose(np.diag(full), len(patterns) / n, rtol=1e-15)


@given(patterns=pattern_sets())
def test_covariance_in_fractions(patterns):
    rows, n = exact(patterns), patterns.shape[1]
    a = sum(map(sum, rows)) / (len(rows) * n)
    expected = [[sum((p[i] - a) * (p[j] - a) for p in rows) / n * (i != j) for j in range(n)] for i in range(n)]
    np.testing.assert_allclose(ha.learning.covariance(patterns), as_array(expected), atol=1e-14)


@given(patterns=pattern_sets())
def test_storkey_in_fractions(patterns):
    rows, n = exact(patterns), patterns.shape[1]
    w = [[Fraction(0)] * n for _ in range(n)]

    def field(i, j, pattern):
        return sum(w[i][k] * pattern[k] for k in range(n) if k not in (i, j))

    for p in rows:
        change = [
            [(p[i] * p[j] - p[i] * field(j, i, p) - field(i, j, p) * p[j]) / n * (i != j) for j in range(n)]
            for i in range(n)
        ]
        w = [[w[i][j] + change[i][j] for j in range(n)] for i in range(n)]
    np.testing.assert_allclose(ha.learning.storkey(patterns), as_array(w), atol=1e-13)


def solved(matrix, right):
    """Gauss and Jordan in fractions; None for a singular matrix."""
    n = len(matrix)
    rows = [[*row, *more] for row, more in zip(matrix, right, strict=True)]
    for i in range(n):
        pivot = next((k for k in range(i, n) if rows[k][i] != 0), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(n):
            if k != i:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i], strict=True)]
    return [row[n:] for row in rows]


@given(patterns=pattern_sets())
def test_pseudo_inverse_in_fractions(patterns):
    rows, n = exact(patterns), patterns.shape[1]
    gram = [[sum(a * b for a, b in zip(p, q, strict=True)) for q in rows] for p in rows]
    weights = solved(gram, rows)
    if weights is None:
        with pytest.raises(InvalidInput, match=r"row \d depends on those before it"):
            ha.learning.pseudo_inverse(patterns)
        return
    expected = [[sum(p[i] * v[j] for p, v in zip(rows, weights, strict=True)) for j in range(n)] for i in range(n)]
    np.testing.assert_allclose(ha.learning.pseudo_inverse(patterns), as_array(expected), atol=1e-12)


def test_pseudo_inverse_names_the_dependent_pattern():
    patterns = [[1, 1, 1, 1], [1, -1, 1, -1], [-1, -1, -1, -1]]
    with pytest.raises(InvalidInput, match="row 2 depends on those before it"):
        ha.learning.pseudo_inverse(patterns)


def test_pseudo_inverse_keeps_correlated_patterns_that_hebb_loses():
    rng = np.random.default_rng(0)
    common = np.sign(rng.normal(size=50))
    patterns = np.where(rng.random((8, 50)) < 0.2, -common, common)
    couplings = ha.learning.pseudo_inverse(patterns)
    np.testing.assert_allclose(patterns @ couplings.T, patterns, atol=1e-12)
    assert np.array_equal(np.sign(patterns @ ha.learning.pseudo_inverse(patterns, self_coupling=False).T), patterns)
    assert not np.array_equal(np.sign(patterns @ ha.learning.hebb(patterns).T), patterns)


@given(patterns=pattern_sets(most=3), stability=st.sampled_from([0.0, 0.1]))
def test_perceptron_makes_every_pattern_stable(patterns, stability):
    # Patterns that agree in all other neurons and differ in one ask that one for two answers.
    assume(
        all(
            np.any(np.delete(a, i) != np.delete(b, i))
            for a, b in itertools.combinations(patterns, 2)
            for i in range(patterns.shape[1])
            if a[i] != b[i]
        )
    )
    try:
        couplings = ha.learning.perceptron(patterns, stability)
    except InvalidInput:
        assume(False)
    fields = patterns @ couplings.T
    assert np.all(patterns * fields > stability * np.linalg.norm(couplings, axis=1))


def test_perceptron_stores_more_random_patterns_than_hebb():
    patterns = np.sign(np.random.default_rng(1).normal(size=(60, 60)))  # a load of 1; Hebb holds .138
    couplings = ha.learning.perceptron(patterns)
    assert np.array_equal(np.sign(patterns @ couplings.T), patterns)
    assert not np.array_equal(np.sign(patterns @ ha.learning.hebb(patterns).T), patterns)


def test_perceptron_says_when_patterns_cannot_all_be_stored():
    patterns = np.sign(np.random.default_rng(1).normal(size=(60, 20)))  # three times the number of neurons
    with pytest.raises(InvalidInput, match="60 patterns of 20 neurons are not all stable after 50 sweeps"):
        ha.learning.perceptron(patterns, max_sweeps=50)


@pytest.mark.parametrize("rule", RULES)
def test_couplings_have_no_diagonal_and_inputs_are_not_changed(rule):
    patterns = np.sign(np.random.default_rng(2).normal(size=(3, 12)))
    kept = patterns.copy()
    couplings = getattr(ha.learning, rule)(patterns)
    assert couplings.shape == (12, 12)
    assert np.array_equal(patterns, kept)
    if rule != "pseudo_inverse":
        assert np.all(np.diag(couplings) == 0)
    if rule != "perceptron":
        np.testing.assert_allclose(couplings, couplings.T, atol=1e-15)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("patterns", [[], [1, -1], [[1, np.nan]], [["a"]], np.zeros((0, 3))])
def test_what_are_no_patterns_is_refused(rule, patterns):
    with pytest.raises(InvalidInput, match="patterns: "):
        getattr(ha.learning, rule)(patterns)


@pytest.mark.parametrize("stability", [-1, np.nan, "a"])
def test_a_stability_that_cannot_be_is_refused(stability):
    with pytest.raises(InvalidInput, match="stability: expected"):
        ha.learning.perceptron([[1, -1]], stability)
