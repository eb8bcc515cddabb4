"""Neurons of 0 and 1 with a threshold, against a network that is written here and against all of its states."""

import itertools

import numpy as np
import pytest

import hopattn as ha

STATES = np.array(list(itertools.product([0.0, 1.0], repeat=7)))


def network(seed=0, **options):
    patterns = (np.random.default_rng(seed).random((3, 7)) < 0.4) * 1.0
    patterns[:, 0] = 1
    return ha.memories.hopfield(patterns, activation="step", **{"rule": "covariance", "bias": -0.3, **options})


@pytest.mark.parametrize("options", [{}, {"self_coupling": True}, {"rule": "hebb", "bias": -1.5}])
def test_each_neuron_takes_the_side_of_the_lower_energy(options):
    memory, order = network(**{"rule": "covariance", **options}), [3, 0, 6, 2, 5, 1, 4]

    def energy(x):
        return -np.einsum("ni,ij,nj->n", x, memory.couplings, x) / 2 - x @ memory.bias

    np.testing.assert_allclose(memory.energy(STATES), energy(STATES), atol=1e-12)
    expected = STATES.copy()
    for i in order:
        off, on = (np.where(np.arange(7) == i, side, expected) for side in (0.0, 1.0))
        assert np.abs(energy(on) - energy(off)).min() > 1e-9
        expected[:, i] = energy(on) < energy(off)
    assert np.array_equal(memory.recall(STATES, update=ha.Asynchronous(order), max_steps=1).state, expected)


def test_a_recall_of_one_neuron_after_another_ends_where_no_flip_lowers_the_energy():
    memory = network(2)
    found = memory.recall(STATES, update="async", rng=0)
    assert np.all(found.converged) and set(np.unique(found.state)) <= {0.0, 1.0}
    energies = {tuple(x): float(memory.energy(x)) for x in STATES}
    for state in found.state:
        flipped = [np.where(np.arange(7) == i, 1 - state, state) for i in range(7)]
        assert all(energies[tuple(other)] >= energies[tuple(state)] - 1e-12 for other in flipped)


def test_glauber_has_boltzmanns_distribution_over_0_and_1():
    memory, temperature = network(3), 0.4
    weights = np.exp(-memory.energy(STATES) / temperature)
    mean = weights @ STATES / weights.sum()
    np.testing.assert_allclose(ha.networks.boltzmann(memory, temperature).magnetisation, mean, rtol=1e-12)
    update = ha.Glauber(temperature=temperature)
    cues = np.repeat(STATES[:1], 4000, axis=0)
    drawn = memory.recall(cues, update=update, max_steps=12, rng=1).state
    assert np.all(np.abs(drawn.mean(axis=0) - mean) < 4 * np.sqrt(mean * (1 - mean) / 4000) + 1e-3)


def test_sparse_patterns_are_recalled_by_the_covariance_rule_with_a_threshold_alone():
    """20 patterns of 400 neurons, a tenth of them active: three in five of the active ones are enough as a cue."""
    rng = np.random.default_rng(5)
    patterns = (rng.random((20, 400)) < 0.1) * 1.0
    cues = patterns * (rng.random(patterns.shape) < 0.6)
    share = {}
    for bias in (0.0, -0.3):
        memory = ha.memories.hopfield(patterns, "covariance", activation="step", bias=bias)
        share[bias] = np.mean(memory.recall(cues, update="async", rng=0).matched == np.arange(20))
    assert share[0.0] < 0.2 and share[-0.3] == 1
