"""Learning rules against their formulas in exact fractions, and the properties that they claim."""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hopattn as ha
from hopattn import InvalidInput
from tests.draws import spins

RULES = (*ha.learning.rules, "storkey_by_definition", "perceptron_by_definition")


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


UCLA = [[0, -2, 0, 0, 0], [-2, 0, 0, 0, 0], [0, 0, 0, -2, 2], [0, 0, -2, 0, -2], [0, 0, 2, -2, 0]]
"""The rows of a printed solution, web.cs.ucla.edu/~rosen/161/notes/hopfield2.html."""


def test_hebb_of_0_and_1_is_hopfields_rule_and_the_matrix_of_a_course():
    network = ha.memories.hopfield([[0, 1, 1, 0, 1], [1, 0, 1, 0, 1]], activation="step")
    assert network.couplings.tolist() == UCLA
    rng = np.random.default_rng(0)
    patterns = rng.integers(0, 2, size=(49, 49))  # (k/49)·49 is no whole number for some k
    expected = sum(np.outer(2 * v - 1, 2 * v - 1) for v in patterns)
    for own in (True, False):
        network = ha.memories.hopfield(patterns, activation="step", self_coupling=own)
        assert np.array_equal(network.couplings, expected - (0 if own else 49 * np.eye(49)))


def test_few_patterns_of_0_and_1_are_fixed_points_of_hopfields_rule():
    """A field is N/2 = 150 on the side of the pattern, up to a noise of √(N(P − 1)/2) = 17 by the other patterns."""
    rng = np.random.default_rng(1)
    patterns = rng.integers(0, 2, size=(3, 300)).astype(float)
    network = ha.memories.hopfield(patterns, activation="step")
    assert np.array_equal(network.recall(patterns, rng=0).state, patterns)
    torn = np.where(rng.random(patterns.shape) < 0.1, 1 - patterns, patterns)
    assert network.recall(torn, rng=0).matched.tolist() == [0, 1, 2]


@given(patterns=pattern_sets(), data=st.data())
def test_a_threshold_is_the_bias_with_the_other_sign(patterns, data):
    theta = data.draw(st.lists(st.integers(-3, 3), min_size=patterns.shape[1], max_size=patterns.shape[1]))
    for activation, rows in (("sign", patterns), ("step", np.maximum(patterns, 0))):
        assume(rows.any(axis=1).all())
        network = ha.memories.hopfield(rows, activation=activation, threshold=theta)
        bias = ha.memories.hopfield(rows, activation=activation, bias=[-one for one in theta])
        assert np.array_equal(network.bias, np.negative(theta)) and np.array_equal(network.bias, bias.bias)
        np.testing.assert_allclose(network.field(rows[0]), network.couplings @ rows[0] - theta, atol=1e-12)


@given(patterns=pattern_sets())
def test_covariance_in_fractions(patterns):
    rows, n = exact(patterns), patterns.shape[1]
    a = sum(map(sum, rows)) / (len(rows) * n)
    v = sum((x - a) ** 2 for p in rows for x in p) / (len(rows) * n) or 1
    expected = [[sum((p[i] - a) * (p[j] - a) for p in rows) / n / v * (i != j) for j in range(n)] for i in range(n)]
    np.testing.assert_allclose(ha.learning.covariance(patterns), as_array(expected), atol=1e-14)
    np.testing.assert_allclose(ha.learning.covariance((patterns + 1) / 2), as_array(expected), atol=1e-14)


@given(patterns=pattern_sets())
@pytest.mark.parametrize("rule", ["storkey", "storkey_by_definition"])
def test_storkey_in_fractions(rule, patterns):
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
    np.testing.assert_allclose(getattr(ha.learning, rule)(patterns), as_array(w), atol=1e-13)


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


def test_pseudo_inverse_keeps_correlated_patterns_that_hebb_loses():
    rng = np.random.default_rng(0)
    common = np.sign(rng.normal(size=50))
    patterns = np.where(rng.random((8, 50)) < 0.2, -common, common)
    couplings = ha.learning.pseudo_inverse(patterns)
    np.testing.assert_allclose(patterns @ couplings.T, patterns, atol=1e-12)
    assert np.array_equal(np.sign(patterns @ ha.learning.pseudo_inverse(patterns, self_coupling=False).T), patterns)
    assert not np.array_equal(np.sign(patterns @ ha.learning.hebb(patterns).T), patterns)


def storkey_pattern_by_pattern(rows):
    n = rows.shape[1]
    w = np.zeros((n, n))
    for p in rows:
        h = (w @ p)[:, None] - np.diag(w)[:, None] * p[:, None] - w * p  # h_ij, the sum without i and j
        w = w + (np.outer(p, p) - p[:, None] * h.T - h * p) / n
        np.fill_diagonal(w, 0)
    return w


def perceptron_pattern_by_pattern(rows, stability, max_sweeps=1000):
    n = rows.shape[1]
    w = rows.T @ rows
    np.fill_diagonal(w, 0)
    for _ in range(max_sweeps):
        before = w.copy()
        for p in rows:
            for i in np.flatnonzero(p * (w @ p) <= stability * np.linalg.norm(w, axis=1)):
                w[i] += p[i] * p
                w[i, i] = 0
        if np.array_equal(w, before):
            return w / n
    raise AssertionError


@pytest.mark.parametrize("rule", ["storkey", "storkey_by_definition"])
@pytest.mark.parametrize(("m", "n"), [(120, 2), (120, 3), (120, 8), (70, 75), (9, 75)])
@pytest.mark.parametrize("real", [False, True])
def test_storkey_learns_pattern_by_pattern(real, m, n, rule):
    """Also from more patterns than neurons; real patterns so many that the couplings stay numbers."""
    rng = np.random.default_rng(n)
    patterns = rng.normal(size=(min(m, 9), n)) if real else rng.choice([-1.0, 1.0], size=(m, n))
    expected = storkey_pattern_by_pattern(patterns)
    found = getattr(ha.learning, rule)(patterns)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("rule", ["perceptron", "perceptron_by_definition"])
@pytest.mark.parametrize("stability", [0.0, 0.3])
@pytest.mark.parametrize(("m", "n"), [(100, 90), (20, 30), (90, 110)])
def test_the_perceptron_learns_pattern_by_pattern(m, n, stability, rule):
    patterns = np.random.default_rng(4).choice([-1.0, 1.0], size=(m, n))
    if stability and m > 0.8 * n:
        patterns = patterns[:70]
    expected = perceptron_pattern_by_pattern(patterns, stability)
    np.testing.assert_allclose(getattr(ha.learning, rule)(patterns, stability=stability), expected, rtol=0, atol=1e-12)


def test_the_perceptron_takes_patterns_of_real_numbers():
    rng = np.random.default_rng(4)
    patterns = rng.choice([-1.0, 1.0], size=(70, 90)) * rng.uniform(0.5, 1.5, size=(70, 90))
    for stability in (0.0, 0.1):
        expected = perceptron_pattern_by_pattern(patterns, stability)
        np.testing.assert_allclose(
            ha.learning.perceptron(patterns, stability=stability), expected, rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("rate", [0.3, 1.0, 1.9])
def test_the_delta_rule_learns_pair_by_pair(rate):
    rng = np.random.default_rng(5)
    keys, values = rng.normal(size=(150, 40)) * 10.0 ** rng.integers(-4, 5, size=(150, 1)), rng.normal(size=(150, 3))
    keys[90] = keys[89]  # one key with two values
    w = np.zeros((3, 40))
    for _ in range(2):
        for k, v in zip(keys, values, strict=True):
            w = w + rate * np.outer(v - w @ k, k) / (k @ k)
    np.testing.assert_allclose(
        ha.learning.delta(keys, values, rate=rate, sweeps=2), w, rtol=1e-9, atol=1e-12 * abs(w).max()
    )


@pytest.mark.parametrize("nearness", [1.0, 1e-3, 1e-6, 1e-9])
def test_pseudo_inverse_of_patterns_that_are_nearly_dependent(nearness):
    rng = np.random.default_rng(6)
    patterns = rng.choice([-1.0, 1.0], size=(12, 60))
    patterns[7] = patterns[:7].sum(axis=0) + nearness * rng.normal(size=60)
    couplings = ha.learning.pseudo_inverse(patterns)
    np.testing.assert_allclose(patterns @ couplings.T, patterns, atol=1e-10)
    np.testing.assert_allclose(couplings @ couplings, couplings, atol=1e-10)
    u, _, _ = np.linalg.svd(patterns.T, full_matrices=False)
    np.testing.assert_allclose(couplings, u @ u.T, atol=1e-14 / nearness + 1e-13)
    assert np.array_equal(couplings, couplings.T)


@given(data=st.data(), n=st.integers(2, 20), size=st.sampled_from([1e-200, 1.0, 1e200]))
def test_the_first_dependent_pattern_is_named(data, n, size):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    at = data.draw(st.integers(1, n))
    patterns = rng.normal(size=(n + 2, n))
    if at < n:
        patterns[at] = rng.normal(size=at) @ patterns[:at]
    patterns *= size
    with pytest.raises(InvalidInput, match=f"row {at} depends on those before it"):
        ha.learning.pseudo_inverse(patterns)


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
        couplings = ha.learning.perceptron(patterns, stability=stability)
    except InvalidInput:
        assume(False)
    fields = patterns @ couplings.T
    assert np.all(patterns * fields > stability * np.linalg.norm(couplings, axis=1))


def test_perceptron_stores_more_random_patterns_than_hebb():
    patterns = np.sign(np.random.default_rng(1).normal(size=(60, 60)))  # a load of 1; Hebb holds .138
    couplings = ha.learning.perceptron(patterns)
    assert np.array_equal(np.sign(patterns @ couplings.T), patterns)
    assert not np.array_equal(np.sign(patterns @ ha.learning.hebb(patterns).T), patterns)


@pytest.mark.parametrize("rule", RULES)
def test_couplings_have_no_diagonal_and_inputs_are_not_changed(rule):
    patterns = np.sign(np.random.default_rng(2).normal(size=(3, 12)))
    kept = patterns.copy()
    couplings = getattr(ha.learning, rule)(patterns)
    assert couplings.shape == (12, 12)
    assert np.array_equal(patterns, kept)
    if rule != "pseudo_inverse":
        assert np.all(np.diag(couplings) == 0)
    if not rule.startswith("perceptron"):
        np.testing.assert_allclose(couplings, couplings.T, atol=1e-15)


def test_couplings_beyond_the_largest_number_are_infinite_or_no_numbers():
    with np.errstate(over="ignore", invalid="ignore"):
        assert not np.isfinite(ha.learning.storkey(np.full((1, 2), 1e308))[0, 1])


UPDATES = [ha.Asynchronous(), ha.Asynchronous("random"), ha.Glauber(0.0), ha.Glauber(0.4), ha.Glauber(2.0)]
both = pytest.mark.parametrize("self_coupling", [False, True])


@cache
def networks(self_coupling, dtype="float64", n=90, many=7):
    """The network of Hebb's rule, the network of its couplings alone, and states with unknown neurons among them."""
    rng = np.random.default_rng(3)
    patterns = rng.choice([-1.0, 1.0], size=(many, n)).astype(dtype)
    network = ha.memories.hopfield(patterns, self_coupling=self_coupling)
    cues = rng.choice([-1.0, 0.0, 1.0], size=(11, n), p=[0.4, 0.2, 0.4]).astype(dtype)
    return network, ha.Hopfield(ha.learning.hebb(patterns, self_coupling=self_coupling), patterns=patterns), cues


@both
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("n", "many"), [(2, 1), (30, 10), (30, 11), (90, 7), (600, 5)])
def test_steps_fields_and_energies_by_overlaps_are_those_of_the_couplings(n, many, dtype, self_coupling):
    network, plain, cues = networks(self_coupling, dtype, n, many)
    assert np.array_equal(network.couplings, plain.couplings)
    graded = np.random.default_rng(1).uniform(-1, 1, size=cues.shape).astype(dtype)
    for states in (cues, cues[0], cues[:0], graded):
        for what in ("field", "step", "energy"):
            found, expected = getattr(network, what)(states), getattr(plain, what)(states)
            assert np.array_equal(found, expected), what
            assert found.dtype == expected.dtype


@both
@pytest.mark.parametrize(("n", "many"), [(90, 7), (600, 5)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_recall_by_overlaps_and_one_from_a_file_are_that_of_the_couplings(dtype, n, many, self_coupling, tmp_path):
    network, plain, cues = networks(self_coupling, dtype, n, many)
    network.save(tmp_path / "network.npz")
    networks_alike = network, plain, ha.load(tmp_path / "network.npz")
    known = np.where(cues == 0, 1, cues).astype(dtype)
    for update in (*UPDATES, "sync", "concave_convex"):
        for states in (cues, known, cues[:1]):
            ours, *others = (each.recall(states, update=update, max_steps=3, rng=2) for each in networks_alike)
            assert ours.state.dtype == others[0].state.dtype
            for what in ("state", "steps", "status", "energies", "residual", "matched"):
                assert all(np.array_equal(getattr(ours, what), getattr(one, what)) for one in others), (update, what)


@both
def test_patterns_that_are_not_spins_and_lists_are_learned_as_hebbs_rule_says(self_coupling):
    patterns = np.random.default_rng(0).choice([-1.0, 1.0], size=(2, 12))
    for rows in (2 * patterns, patterns.tolist(), (2 * patterns).tolist(), patterns.astype(int)):
        network = ha.Hopfield.by_hebb(rows, self_coupling=self_coupling)
        plain = ha.Hopfield(ha.learning.hebb(rows, self_coupling=self_coupling))
        assert np.array_equal(network.field(patterns), plain.field(patterns))
        assert np.array_equal(network.energy(patterns), plain.energy(patterns))


def test_patterns_that_change_later_change_no_field():
    """As the couplings were learned once, so were the patterns of the overlaps."""
    patterns = np.random.default_rng(0).choice([-1.0, 1.0], size=(3, 40))
    network, cue = ha.memories.hopfield(patterns), patterns[0].copy()
    field = network.field(cue)
    patterns[:] = 1
    assert np.array_equal(network.field(cue), field)
