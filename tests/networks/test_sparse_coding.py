"""Neurons of 0 and 1 with a threshold, against a network that is written here and against all of its states."""

import itertools

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from tests.each import each

STATES = np.array(list(itertools.product([0.0, 1.0], repeat=7)))


def network(seed=0, **options):
    patterns = (np.random.default_rng(seed).random((3, 7)) < 0.4) * 1.0
    patterns[:, 0] = 1
    return ha.memories.hopfield(patterns, "covariance", activation="step", **{"bias": -0.3, **options})


@each("options", [{}, {"self_coupling": True}, {"rule": "hebb", "bias": -1.5}])
def test_the_local_field_is_half_of_the_energy_difference_in_every_state(options):
    if "rule" in options:
        rows = network().patterns
        memory = ha.memories.hopfield(rows, activation="step", bias=options["bias"])
    else:
        memory = network(**options)
    w, b = memory.couplings, memory.bias
    energy = np.array([-x @ w @ x / 2 - b @ x for x in STATES])
    np.testing.assert_allclose(memory.energy(STATES), energy, atol=1e-12)
    neurons = memory.single_neuron_states(STATES)
    for i in range(7):
        up, down = STATES.copy(), STATES.copy()
        up[:, i], down[:, i] = 1, 0
        difference = (memory.energy(down) - memory.energy(up)) / 2
        np.testing.assert_allclose(neurons.local_field(i), difference, atol=1e-12)
    assert np.array_equal(neurons.states, STATES)


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


@each(
    ("make", "message"),
    [
        (lambda: ha.memories.hopfield([[1, -1]], activation="step"), "patterns: row 0 holds -1; neurons are 0 or 1"),
        (lambda: ha.memories.hopfield([[1, 0]]), "row 0 holds 0"),
        (lambda: ha.memories.hopfield([[1, 0], [0, 0]], activation="step"), "row 1 is zero"),
        (
            lambda: ha.memories.hopfield([[1, 0]], "storkey", activation="step"),
            "'storkey' learns patterns of ±1; for 0 and 1",
        ),
        (lambda: ha.memories.hopfield([[1, 1]], activation="stp"), "did you mean 'step'"),
        (lambda: ha.memories.hopfield([[1, 1]], bias="x"), "bias: expected"),
        (lambda: ha.memories.hopfield([[1, 0]], activation="step").recall([1, -1]), "holds -1; neurons are 0 or 1"),
        (
            lambda: ha.Memory(np.eye(2), activation="step").recall([1, 0], update="async"),
            "0 and 1 are updated one at a time only in a network of couplings",
        ),
    ],
)
def test_what_is_not_a_neuron_of_0_and_1_is_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()
