"""Memories of a sum of kernels: the one with a range, and the one whose patterns are added up."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import hopattn as ha
from hopattn.retrieval import RandomFeatures
from tests.draws import DTYPES, arrays, count, near

RNG = np.random.default_rng(3)
SQUARE = np.array([[0.0, 0.0], [1.0, 0.2], [0.1, 1.1], [1.2, 1.0]])


def minima(patterns, beta):
    """Every minimum of the log-sum-ReLU, by exact search: the means of sets of patterns that are just those near it."""
    found = []
    for chosen in itertools.product([False, True], repeat=len(patterns)):
        if any(chosen):
            mean = patterns[np.array(chosen)].mean(axis=0)
            if np.array_equal(0.5 * beta * np.sum((patterns - mean) ** 2, axis=1) < 1, chosen):
                found.append(mean)
    return np.array(found)


@given(data=st.data(), beta=st.floats(0.05, 20), dtype=st.sampled_from(DTYPES))
def test_the_energy_with_a_range_is_its_formula_and_never_rises(data, beta, dtype):
    patterns, cues = data.draw(arrays((4, 3))) + 0.1, data.draw(arrays((5, 3)))
    memory = ha.memories.log_sum_relu(patterns.astype(dtype), beta=beta, epsilon=1e-3)
    depths = np.clip(1 - 0.5 * beta * np.sum((cues[:, None] - patterns) ** 2, axis=-1), 0, None)
    exact = -np.log(1e-3 + depths.sum(axis=1)) / beta
    np.testing.assert_allclose(memory.energy(cues.astype(dtype)), exact, rtol=near(dtype, 1e-9), atol=near(dtype, 1e-9))
    found = memory.recall(cues.astype(dtype))
    assert np.isfinite(found.state).all() and memory.descends()
    assert np.all(np.diff(found.energies, axis=0) <= near(dtype, 1e-12) * (1 + np.abs(found.energies[:1])))


@given(data=st.data(), beta=st.floats(0.05, 20))
def test_a_recall_ends_at_the_mean_of_what_is_near_or_says_nothing_near(data, beta):
    patterns, cues = data.draw(arrays((4, 2))) + 0.1, data.draw(arrays((5, 2)))
    memory = ha.memories.log_sum_relu(patterns, beta=beta)
    found = memory.recall(cues)
    for cue, state, status, ended in zip(cues, found.state, found.status, found.converged, strict=True):
        near_state = -memory.similarity(state, patterns) / memory.radius
        own = near_state < 1
        if np.abs(near_state - 1).min() < 1e-9:
            continue  # at the edge of the range, rounding decides
        assert status == ("converged" if own.any() else "nothing near") and ended == own.any()
        np.testing.assert_allclose(state, patterns[own].mean(axis=0) if own.any() else cue, atol=1e-12)


@pytest.mark.parametrize("r", [0.3, 1.0, 7.0])
def test_two_patterns_have_three_minima_between_2_and_8_over_their_squared_distance(r):
    patterns = np.array([[1.0, 2.0], [1.0, 2.0 + r]])
    line = patterns[0] + np.linspace(-0.6, 1.6, 4402)[:, None] * [0.0, r]  # holds patterns and midpoint up to rounding
    for beta, n in ((1.95, 1), (2.05, 3), (7.9, 3), (8.1, 2), (100.0, 2)):
        memory = ha.memories.log_sum_relu(patterns, beta=beta / r**2, epsilon=1e-3)
        exact = minima(patterns, beta / r**2)
        assert len(exact) == n
        ends = memory.recall(line)
        met = np.unique(ends.state[ends.converged].round(9), axis=0)
        np.testing.assert_allclose(met, exact[np.argsort(exact[:, 1])], atol=1e-8)
        energy = memory.energy(line)  # of the 4,402 places, those below both neighbours
        inner = energy[1:-1]
        assert np.sum((inner <= energy[:-2]) & (inner < energy[2:])) == n


def test_every_minimum_of_random_patterns_is_met_and_no_other():
    for beta in (0.5, 1.5, 3.0, 6.0, 20.0):
        memory = ha.memories.log_sum_relu(SQUARE + 0.5, beta=beta)
        ends = memory.recall(RNG.uniform(-0.5, 2.5, size=(3000, 2)))
        met = np.unique(ends.state[ends.converged].round(9), axis=0)
        exact = minima(SQUARE + 0.5, beta)
        assert len(met) == len(exact)
        np.testing.assert_allclose(met, exact[np.lexsort(exact.T[::-1])], atol=1e-8)


def test_beyond_8_over_the_least_squared_distance_one_step_recalls_exactly():
    patterns = RNG.normal(size=(50, 6))
    apart = min(np.sum((a - b) ** 2) for a, b in itertools.combinations(patterns, 2))
    memory = ha.memories.log_sum_relu(patterns, beta=8.001 / apart)
    directions = ha.unit(RNG.normal(size=(50, 6)))
    cues = patterns + 0.999 * memory.radius * directions
    assert np.array_equal(memory.step(cues), patterns)
    assert set(memory.recall(patterns + 1.001 * memory.radius * directions).status) <= {"nothing near", "converged"}


def test_the_gradients_are_those_of_pytorch(torch):
    patterns, states = torch.asarray(RNG.normal(size=(6, 4))), torch.asarray(RNG.normal(size=(20, 4)))
    x = states.requires_grad_()
    ranged = ha.memories.log_sum_relu(patterns, beta=0.4, epsilon=1e-3)
    (slope,) = torch.autograd.grad(ranged.energy(x).sum(), x)
    n, own = (ranged.weights(x) > 0).sum(-1, keepdim=True), torch.exp(-0.4 * ranged.energy(x))[:, None]
    torch.testing.assert_close(slope, n * (x - ranged.step(x)) / own, rtol=1e-8, atol=1e-8)
    assert n.unique().numel() > 2
    added = ha.memories.random_features(patterns, beta=0.4, n=300, rng=0)
    (slope,) = torch.autograd.grad(added.energy(x).sum(), x)
    torch.testing.assert_close(slope, 2 * (x - added.step(x)), rtol=1e-8, atol=1e-8)


def test_a_masked_pattern_is_not_near():
    memory = ha.memories.log_sum_relu([[0.0, 1.0], [0.5, 1.0]])
    mask = np.array([[True, False], [False, False]])
    found = memory.recall([[0.2, 1.0], [0.2, 1.0]], mask=mask)
    assert found.status.tolist() == ["converged", "nothing near"]
    assert found.state.tolist() == [[0.0, 1.0], [0.2, 1.0]]


def test_a_record_and_a_table_say_that_nothing_is_near():
    found = ha.memories.log_sum_relu(np.eye(2)).recall([9.0, 9.0])
    assert "nothing near (no stored pattern takes part" in repr(found)
    assert found.meaning.startswith("no stored pattern takes part") and not found.converged
    table = ha.memories.log_sum_relu(np.eye(2)).recall([[9.0, 9.0], [1.0, 0.1]]).to_pandas()
    assert table["status"].tolist() == ["nothing near", "converged"]


@pytest.mark.parametrize("size", [1e16, 1e40, 1e70])
def test_the_state_of_a_long_cue_is_the_direction_of_the_largest_feature(size):
    memory = ha.memories.random_features(np.eye(3), beta=0.7, n=50, rng=1)
    cue = np.array([0.6, 0.3, -0.2])
    directions = memory.phi.directions(3)
    factor = 0.5 * ((1 + 4 * memory.phi.damping) / 0.7) ** 0.5
    np.testing.assert_allclose(memory.step(size * cue), factor * directions[np.argmax(directions @ cue)], rtol=1e-12)


def test_the_patterns_of_random_features_add_up():
    patterns, cue = RNG.normal(size=(5, 3)), RNG.normal(size=3)
    memory = ha.memories.random_features(patterns, beta=0.7, n=50, rng=1)
    total = memory.phi(patterns).sum(axis=0)
    np.testing.assert_allclose(memory.sums, np.log(total), rtol=1e-12)
    assert memory.energy(cue) == pytest.approx(0.5 * cue @ cue - np.log(total @ memory.phi(cue)) / 0.7, rel=1e-12)
    built = ha.memories.random_features(patterns[:1], beta=0.7, n=50, rng=1)
    later = type(built)(patterns[:3], memory.phi).with_patterns(patterns[3]).with_patterns(patterns[4:])
    np.testing.assert_allclose(later.energy(cue), memory.energy(cue), rtol=1e-12)
    assert later.patterns.shape == (5, 3) and later.sums.shape == (50,)


def test_the_errors_of_energy_and_gradient_fall_like_one_over_the_root_of_the_number_of_features():
    """Of 200 seeds at each number of features, the root of the mean square; the slope has a standard error of .02."""
    patterns, cues = ha.unit(RNG.normal(size=(8, 5))), ha.unit(RNG.normal(size=(10, 5)))
    exact, numbers, errors = ha.memories.modern(patterns, beta=4.0), [256, 512, 1024, 2048], []
    for n in numbers:
        drawn = [
            ha.memories.random_features(patterns, beta=4.0, n=n, orthogonal=False, rng=seed)
            for seed in range(count(200, 60))
        ]
        of_energy = [memory.energy(cues) - exact.energy(cues) for memory in drawn]
        of_slope = [2 * (cues - memory.step(cues)) - (cues - exact.step(cues)) for memory in drawn]
        errors.append([np.sqrt(np.mean(np.square(one))) for one in (of_energy, of_slope)])
    slopes = np.polyfit(np.log(numbers), np.log(errors), 1)[0]
    assert slopes == pytest.approx([-0.5, -0.5], abs=0.1)


@pytest.mark.parametrize("square, dim", [(12.0, 2), (11.2, 35), (0.1, 3), (100.0, 1)])
def test_the_best_damping_has_the_least_error(square, dim):
    def spread(a):
        return dim * np.log1p(4 * a) - dim / 2 * np.log1p(8 * a) + square / (1 + 8 * a)

    least = minimize_scalar(spread, bounds=(0, 50), method="bounded", options={"xatol": 1e-9})
    pattern = np.full((1, dim), (square / (4 * dim)) ** 0.5)  # for states near the pattern |x + ξ|² is 4 |ξ|²
    assert ha.memories.random_features(pattern, n=1, rng=0).phi.damping == pytest.approx(least.x, rel=1e-5)


@pytest.mark.parametrize("damping", [0.0, 0.3, 2.0])
def test_damped_features_estimate_the_same_product_with_the_spread_of_the_formula(damping):
    """1,000 seeds of 64 independent features: the mean is within 4 standard errors, the mean square within a tenth."""
    key, cue = np.array([[0.4, -0.2, 0.7]]), np.array([0.5, 0.6, 0.1])
    drawn = [
        RandomFeatures(64, rng=seed, orthogonal=False, beta=1.0, damping=damping).kernel(cue, key)[0]
        for seed in range(1000)
    ]
    ratio = np.array(drawn) / np.exp(key[0] @ cue)
    assert abs(ratio.mean() - 1) < 4 * ratio.std() / len(ratio) ** 0.5
    square = np.sum((key[0] + cue) ** 2)
    formula = (1 + 4 * damping) ** 3 * (1 + 8 * damping) ** -1.5 * np.exp(square / (1 + 8 * damping))
    assert 64 * ratio.var() + 1 == pytest.approx(formula, rel=0.1)
