"""The margins of patterns: what they promise is never refuted, and is no less than a memory keeps."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.experiments.separation import SeparationReport
from hopattn.theory.separation import margins
from tests.draws import count

RNG = np.random.default_rng(0)
SETS = {
    "Gaussian": RNG.normal(size=(12, 8)),
    "of unit length": ha.unit(RNG.normal(size=(10, 6))),
    "spins": RNG.choice([-1.0, 1.0], size=(6, 12)),
    "of unlike lengths": np.diag([1.0, 2.0, 3.0, 4.0]),
    "near each other": 3.0 + 0.3 * ha.unit(RNG.normal(size=(4, 3))),
}


def boundary_cues(memory, patterns, radius, n, rng):
    """Cues on the boundary of the radius: towards every other pattern, at random, and climbing to where a step errs.

    A third of the cues each; a climb turns the direction of a cue towards the error of its step, 30 times.
    """
    meant = rng.integers(len(patterns), size=n)
    other = (meant + rng.integers(1, len(patterns), size=n)) % len(patterns)
    way = rng.normal(size=(n, patterns.shape[1]))
    way[: n // 3] = (patterns[other] - patterns[meant])[: n // 3]
    for _ in range(30):
        x = patterns[meant] + (radius[meant] * (1 - 1e-9))[:, None] * ha.unit(way)
        climbing = slice(2 * n // 3, None)
        error = memory.step(x[climbing]) - patterns[meant][climbing]
        size = np.linalg.norm(error, axis=1, keepdims=True)
        way[climbing] = ha.unit(way[climbing]) + error / np.where(size > 0, size, 1)
    return meant, x


@pytest.mark.parametrize("name", SETS)
def test_a_softmax_memory_surely_returns_from_within_the_radius(name):
    """20,000 cues of each of 5 sets at two β; every one ends within r₀ of its pattern, and all in one state."""
    patterns = SETS[name]
    apart, rng = ha.theory.margins(patterns), np.random.default_rng(1)
    good = ~apart.lost
    for beta in np.array([1.3, 6.0]) * apart.softmax_beta(0.05)[good].max():
        memory = ha.memories.modern(patterns, beta=beta)
        radius, error = apart.softmax_radius(beta)
        assert np.all(radius[good] > 0)
        meant, x = boundary_cues(memory, patterns, radius, count(10_000, 600), rng)
        meant, x = meant[good[meant]], x[good[meant]]
        ended = memory.recall(x, max_steps=2000).state
        far = np.linalg.norm(ended - patterns[meant], axis=1)
        assert np.all(far <= error[meant] * (1 + 1e-9) + 1e-9)
        for i in np.unique(meant):
            np.testing.assert_allclose(
                ended[meant == i], np.broadcast_to(ended[meant == i][0], ended[meant == i].shape), atol=1e-7
            )


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("alpha", [1.5, 2.0])
def test_a_sparse_memory_returns_in_one_step_from_the_radius_and_not_from_beyond_it(name, alpha):
    patterns = SETS[name]
    apart, rng = ha.theory.margins(patterns), np.random.default_rng(2)
    good = np.flatnonzero(~apart.lost)
    beta = 4 * apart.exact_beta(alpha)[good].max()
    memory = ha.memories.sparse(patterns, alpha=alpha, beta=beta)
    radius = apart.sparse_radius(beta, alpha)
    meant, x = boundary_cues(memory, patterns, radius, count(10_000, 600), rng)
    keep = np.isin(meant, good)
    np.testing.assert_allclose(memory.step(x[keep]), patterns[meant[keep]], atol=1e-12)
    margin = 1 / (beta * (alpha - 1))
    for i in good:  # the bound is tight: a little beyond it, towards the pattern that binds, a second weight is not 0
        away = np.delete(patterns, i, axis=0) - patterns[i]
        size = np.linalg.norm(away, axis=1)
        binding = np.argmin((-away @ patterns[i] - margin) / size)
        beyond = patterns[i] + radius[i] * (1 + 1e-6) * away[binding] / size[binding]
        assert np.max(memory.weights(beyond)) < 1


@pytest.mark.parametrize("name", SETS)
def test_a_memory_with_a_range_returns_in_one_step_from_within_half_of_the_distance(name):
    """100,000 cues of 5 sets: from β = 8/D² on, a log-sum-ReLU leads every cue within √(2/β) to exactly its pattern."""
    patterns, rng = SETS[name], np.random.default_rng(3)
    beta = ha.theory.margins(patterns).relu_beta().max()
    memory = ha.memories.log_sum_relu(patterns, beta=beta)
    radius = np.full(len(patterns), np.sqrt(2 / beta))
    meant, x = boundary_cues(memory, patterns, radius, count(20_000, 600), rng)
    np.testing.assert_allclose(memory.step(x), patterns[meant], atol=1e-12)


@given(st.integers(0, 10**6))
def test_the_least_beta_of_exact_recall_is_the_least(seed):
    patterns = np.random.default_rng(seed).normal(size=(5, 4))
    apart = ha.theory.margins(patterns)
    for i in np.flatnonzero(~apart.lost):
        beta = apart.exact_beta()[i]
        assert ha.memories.sparse(patterns, beta=beta * (1 + 1e-9)).weights(patterns[i])[i] == 1
        assert ha.memories.sparse(patterns, beta=beta * (1 - 1e-6)).weights(patterns[i])[i] < 1


@given(st.integers(0, 10**6))
def test_margins_are_those_of_their_definition(seed):
    rng = np.random.default_rng(seed)
    patterns = rng.normal(size=rng.integers(2, 7, size=2)) * 10 ** rng.uniform(-3, 3)
    apart = ha.theory.margins(patterns)
    for i, own in enumerate(patterns):
        others = np.delete(np.arange(len(patterns)), i)
        products, gaps = patterns[others] @ own, np.linalg.norm(patterns[others] - own, axis=1)
        assert apart.delta[i] == pytest.approx(own @ own - products.max(), rel=1e-9, abs=1e-12 * (own @ own))
        assert apart.rival[i] == others[products.argmax()]
        assert apart.distance[i] == pytest.approx(gaps.min())
        assert apart.neighbour[i] == others[gaps.argmin()]


@given(st.integers(0, 10**6))
def test_a_well_separated_pattern_fulfils_ramsauers_condition_and_error(seed):
    """Δ = 2/(βn) + β⁻¹ log(2(n−1)nβM²), and |f(ξ) − ξ| ≤ 2(n−1)M exp(−βΔ) at the pattern itself."""
    patterns = np.random.default_rng(seed).normal(size=(6, 8))
    apart, n, longest = ha.theory.margins(patterns), 6, np.linalg.norm(patterns, axis=1).max()
    for i in np.flatnonzero(~apart.lost):
        beta = apart.well_separated_beta()[i]
        right = 2 / (beta * n) + np.log(2 * (n - 1) * n * beta * longest**2) / beta
        assert right <= apart.delta[i] * (1 + 1e-9)
        error = np.linalg.norm(ha.memories.modern(patterns, beta=beta).step(patterns[i]) - patterns[i])
        assert error <= 2 * (n - 1) * longest * np.exp(-beta * apart.delta[i]) * (1 + 1e-9)


@pytest.mark.parametrize(("factor", "minima"), [(1.9, 1), (2.1, 3), (7.9, 3), (8.1, 2)])
def test_two_patterns_of_a_log_sum_relu_have_three_minima_between_its_two_beta(factor, minima):
    """E(x) = −log Σ [1 − ½β|x − ξ|²]₊ at distance r, on a fine grid: Hoover et al. (2025); 8/r² is `relu_beta`."""
    r = 1.7
    beta = factor / r**2
    assert ha.theory.margins([[0.0], [r]]).relu_beta() == pytest.approx(8 / r**2)
    x = np.linspace(-0.5, r + 0.5, 20_001)
    total = np.maximum(1 - beta / 2 * x**2, 0) + np.maximum(1 - beta / 2 * (x - r) ** 2, 0)
    peak = (total[1:-1] > total[:-2]) & (total[1:-1] >= total[2:])
    assert peak.sum() == minima


def test_equal_patterns_and_a_single_one_have_their_margins():
    twice = ha.theory.margins([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    assert twice.twins.tolist() == twice.lost.tolist() == [True, False, True]
    assert twice.softmax_beta().tolist()[0] == np.inf
    assert twice.softmax_radius(50.0)[0].tolist()[0] == 0
    alone = ha.theory.margins([[1.0, 2.0]])
    assert (alone.reach[0], alone.rival[0], alone.exact_beta()[0], alone.softmax_beta()[0]) == (np.inf, -1, 0, 0)
    assert (alone.sparse_radius(1.0)[0], alone.softmax_radius(1.0)[0][0]) == (np.inf, np.inf)


@pytest.mark.parametrize(
    "patterns", [[[1e74, 0.0], [0.0, 1e74]], [[1e-160, 0.0], [0.0, 1e-160]], [[1.0, 0.0], [1.0, 1e-12]], [[0.0], [0.0]]]
)
@pytest.mark.parametrize("beta", [1e-300, 1.0, 1e300])
def test_numbers_of_any_size_give_radii_without_a_fault(patterns, beta):
    apart = ha.theory.margins(patterns)
    radius, error = apart.softmax_radius(beta)
    assert np.all((radius == 0) | (error < 0.5 * apart.distance))
    assert np.all(apart.sparse_radius(beta) <= apart.reach)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ha.theory.margins([1.0, 2.0]), "patterns: got shape \\(2,\\); expected \\(n_patterns, dim\\)"),
        (lambda: ha.theory.margins([[np.nan]]), "patterns: row 0 holds a NaN"),
        (lambda: ha.theory.margins([[1.0]]).sparse_radius(0), "beta: expected a positive finite number"),
        (lambda: ha.theory.margins([[1.0]]).exact_beta(1.0), "alpha: expected a finite number above 1"),
    ],
)
def test_a_wrong_argument_is_refused_with_the_reason(call, message):
    with pytest.raises(ha.InvalidInput, match=message):
        call()


def test_the_radius_of_the_sentence_holds_with_the_beta_of_the_sentence():
    """Both are rounded as they are printed; a radius rounded up was false in half of such files."""
    rng = np.random.default_rng(0)
    for patterns in rng.normal(size=(100, 2, 2)):
        advice = " ".join(SeparationReport("", margins(patterns), 0.01).advice)
        if found := re.search(r"^Take .*beta=([\d.e+-]+)\): one step .* within ([\d.e+-]+), and", advice):
            beta, radius = map(float, found.groups())
            way = ha.unit(patterns[::-1] - patterns)
            answer = ha.memories.sparse(patterns, beta=beta).step(patterns + radius * way)
            np.testing.assert_allclose(answer, patterns, atol=1e-12 * np.abs(patterns).max())


@pytest.mark.parametrize(("rows", "named"), [([0, 0, 0], "1 = 2 = 3"), ([0, 1, 0, 1, 1, 2], "1 = 3, 2 = 4 = 5")])
def test_equal_patterns_are_named_together_and_no_advice_is_infinite(rows, named):
    patterns = np.array([[1.0, 0.2], [0.1, 1.0], [-0.5, 0.4]])[rows]
    advice = " ".join(SeparationReport("", margins(patterns), 0.01).advice)
    assert f"Equal patterns: {named}." in advice
    assert "inf" not in advice and "∞" not in advice
