"""A threshold layer, whose memories are the sums of its parts, and couplings that an input weighs."""

import numpy as np
import pytest
from scipy.stats import binom, norm

import hopattn as ha

WALSH = np.array([[1.0, -1, 1, -1, 1, -1, 1, -1], [1, 1, 1, 1, -1, -1, -1, -1], [1, 1, -1, -1, 1, 1, -1, -1]])


def share(n, seed):
    """The share of the 1,024 states of ten hidden neurons that are stable, with random parts of ±1."""
    parts = np.random.default_rng(seed).choice([-1.0, 1.0], size=(10, n))
    return len(ha.memories.stable_hidden_states(ha.memories.threshold_layer(parts))) / 1024


@pytest.mark.parametrize("n, mean, error", [(50, 0.610, 0.041), (100, 0.918, 0.016), (200, 1.0, 0.0), (400, 1.0, 0.0)])
def test_the_share_of_stable_hidden_states_grows_to_1_with_the_visible_layer(n, mean, error):
    """Seeds 0 to 9: mean and standard error. In theory, each of ten neurons is upset with Φ(−½ √(N/k)), k others."""
    shares = [share(n, seed) for seed in range(10)]
    assert np.mean(shares) == pytest.approx(mean, abs=1e-3)
    assert np.std(shares) / 10**0.5 == pytest.approx(error, abs=1e-3)
    active = np.arange(11)
    kept = [norm.cdf(0.5 * np.sqrt(n / np.maximum(active - own, 1e-9))) for own in (1, 0)]
    theory = np.sum(binom.pmf(active, 10, 0.5) * kept[0] ** active * kept[1] ** (10 - active))
    assert np.mean(shares) == pytest.approx(theory, abs=max(3 * error, 0.01))


@pytest.mark.parametrize("activation", ["identity", "sign"])
def test_stable_hidden_states_are_the_fixed_points_of_recall(activation):
    parts = np.random.default_rng(4).choice([-1.0, 1.0], size=(6, 30))
    threshold = 0.5 if activation == "identity" else 1.6
    memory = ha.memories.threshold_layer(parts, threshold=threshold, activation=activation)
    stable = ha.memories.stable_hidden_states(memory)
    states = np.asarray(memory.activation(stable @ memory.keys))
    found = memory.recall(states, update="sync")
    assert 5 < len(stable) < 64 and np.array_equal(memory.weights(states), stable)
    np.testing.assert_allclose(found.state, states, atol=1e-12)
    every = (np.arange(64)[:, None] >> np.arange(6) & 1).astype(float)
    again = memory.weights(np.asarray(memory.activation(every @ memory.keys)))
    assert np.sum(np.all(again == every, axis=1)) == len(stable)


def test_a_damaged_sum_of_parts_is_recalled_and_the_energy_falls():
    parts = np.random.default_rng(5).choice([-1.0, 1.0], size=(10, 400))
    memory, rng = ha.memories.threshold_layer(parts), np.random.default_rng(6)
    hidden = rng.integers(0, 2, size=(50, 10)).astype(float)
    states = hidden @ memory.keys
    found = memory.recall(states + 0.1 * rng.normal(size=states.shape))
    np.testing.assert_allclose(found.state, states, atol=1e-12)
    assert np.all(np.diff(found.energies, axis=0) <= 1e-12)


def test_the_input_weighs_the_couplings():
    patterns, rng = np.random.default_rng(1).choice([-1.0, 1.0], size=(4, 12)), np.random.default_rng(2)
    u, v = rng.normal(size=(2, 12))
    exact = sum(float(p @ u) / 12 * np.outer(p, p) / 12 for p in patterns)
    np.testing.assert_allclose(ha.memories.input_driven(patterns, u).couplings, exact, atol=1e-14)
    apart = [ha.memories.input_driven(patterns, one).couplings for one in (u, v, u + v)]
    np.testing.assert_allclose(apart[2], apart[0] + apart[1], atol=1e-14)
    alone = ha.memories.input_driven(patterns, u, self_coupling=False).couplings
    np.testing.assert_allclose(alone, exact - np.diag(np.diag(exact)), atol=1e-14)


def test_the_salience_is_an_eigenvalue_and_decides_which_patterns_exist_and_which_is_deepest():
    """Orthogonal patterns with saliences .2, .3, .7 and the gain 4: β α is .8, 1.2 and 2.8."""
    saliences = np.array([0.2, 0.3, 0.7])
    network = ha.memories.input_driven(WALSH, saliences @ WALSH, beta=4.0)
    np.testing.assert_allclose(np.linalg.eigvalsh(network.couplings)[-3:], saliences, atol=1e-14)
    depths = []
    for pattern, salience in zip(WALSH, saliences, strict=True):
        c = 1.0
        for _ in range(5000):
            c = np.tanh(4 * salience * c)
        np.testing.assert_allclose(network.step(c * pattern), c * pattern, atol=1e-12)
        assert (c > 1e-3) == (4 * salience > 1)
        depths.append(float(network.energy(c * pattern)))
    assert depths == sorted(depths, reverse=True) and depths[0] > depths[1] + 1e-3
    rest = network.recall(0.9 * WALSH[0] + [0.05, 0.02, -0.01, 0, 0.01, 0.02, 0, 0.01], max_steps=500)
    assert abs(rest.state @ WALSH[2]) / 8 > 0.9  # the pattern of the cue has vanished
