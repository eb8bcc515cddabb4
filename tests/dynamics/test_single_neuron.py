"""Sweeps in blocks: the result is that of one neuron after another, for every size of the blocks."""

from functools import partial
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import hopattn as ha
from hopattn.dynamics import single_neuron
from hopattn.dynamics.single_neuron import CoupledSpins, SingleNeuronStates, Sums
from hopattn.dynamics.updates.asynchronous import Asynchronous, Glauber
from hopattn.dynamics.updates.base import StepContext
from hopattn.foundation import kernels
from hopattn.retrieval.activation import Tanh
from hopattn.retrieval.separation import separations
from tests.counts import count, spread
from tests.draws import arrays, spins
from tests.each import each

UPDATES = [Asynchronous("random"), Asynchronous("sequence"), Glauber(0.0), Glauber(0.8)]


def cues_of(data, n_cues, n, unknown):
    cues = data.draw(spins((n_cues, n)))
    return (
        cues * data.draw(hnp.arrays(np.float64, cues.shape, elements=st.sampled_from([0.0, 1.0]))) if unknown else cues
    )


def swept(memory, update, states, mask=None, seed=3):
    rng = np.random.default_rng(seed)
    return update.step(memory, states, mask, StepContext(0, rng, tuple(rng.spawn(len(states)))))[0]


def one_after_another(memory, update, states, mask=None, seed=3):
    """The definition: each neuron by itself, by the sweep of the base class."""
    with patch.multiple(
        type(memory.single_neuron_states(states, mask)),
        sweep=SingleNeuronStates.sweep,
        sweep_graded=SingleNeuronStates.sweep_graded,
    ):
        return swept(memory, update, states, mask, seed)


def by_hand(couplings, bias, states, order):
    """Hopfield's sweep written out: h_i = Σ_{j≠i} W_ij x_j + b_i, and x_i takes its sign unless it is 0."""
    states = states.copy()
    for x in states:
        for i in order:
            h = sum(couplings[i, j] * x[j] for j in range(len(x)) if j != i) + bias[i]
            if h != 0 and (x[i] != 0 or abs(h) + couplings[i, i] / 2 >= 0):
                x[i] = np.sign(h)
    return states


@each("sizes", [(1, 1), (4, 2), (5, 3), (256, 32)])
@given(data=st.data(), n=st.integers(1, 12), n_cues=st.integers(1, 4), unknown=st.booleans())
def test_a_sweep_in_blocks_is_hopfields_written_out(sizes, data, n, n_cues, unknown):
    couplings = np.round(data.draw(arrays((n, n))))  # not symmetric, with self-couplings
    bias, order = np.round(data.draw(arrays((n,)))), data.draw(st.permutations(range(n)))
    states = cues_of(data, n_cues, n, unknown)
    with patch.multiple(single_neuron, BLOCK=sizes[0], part_for=lambda cues: sizes[1]):
        found = swept(ha.Hopfield(couplings, bias=bias), Asynchronous(order), states)
    assert np.array_equal(found, by_hand(couplings, bias, states, order))


@each("size", [2**12, 2**21, 2**40])
def test_large_whole_couplings_are_summed_exactly(size):
    """Fields of 1 beside couplings of 2²¹, whose sums single precision cannot hold; also the energies."""
    rng = np.random.default_rng(2)
    couplings = rng.choice([-size, size], size=(40, 40)).astype(float)
    couplings = np.triu(couplings, 1) + np.triu(couplings, 1).T
    couplings[::2] += 1
    couplings[:, ::2] += 1
    states = rng.choice([-1.0, 0.0, 1.0], size=(6, 40))
    network, order = ha.Hopfield(couplings), rng.permutation(40)
    assert np.array_equal(swept(network, Asynchronous(order), states), by_hand(couplings, np.zeros(40), states, order))
    exact = [
        -sum(int(c) * int(a) * int(b) for c, a, b in zip(couplings.ravel(), *pair, strict=True)) / 2
        for pair in ((np.repeat(x, 40), np.tile(x, 40)) for x in states)
    ]
    assert np.array_equal(network.energy(states), exact)


def test_an_energy_beyond_single_precision_is_exact_though_its_fields_are_within():
    counts = np.full((300, 300), 55_923.0)  # 300 of them are just below 2²⁴
    counts[0, 0] -= 1
    found = ha.Hopfield(counts / 300).energy(np.ones(300))
    np.testing.assert_allclose(found, -(90_000 * 55_923 - 1) / 600, rtol=1e-15)


def test_states_that_are_not_spins_are_swept_in_their_own_precision():
    rng = np.random.default_rng(2)
    network, states = ha.memories.hopfield(rng.choice([-1.0, 1.0], size=(3, 50))), rng.normal(size=(4, 50)) * 1e6
    neurons, plain = network.single_neuron_states(states), network.single_neuron_states(states)
    graded = network.single_neuron_states(states)
    for sweep in (neurons.sweep_graded, partial(SingleNeuronStates.sweep_graded, plain)):
        sweep(np.arange(50), np.tanh)
    np.testing.assert_allclose(neurons.states, plain.states, rtol=0, atol=1e-9)
    limits, fields = np.zeros((50, 4)), []
    plain.spins[:] = graded.spins
    for i in range(50):
        fields.append(plain.local_field(i))
        plain.set_neuron(i, np.where(fields[-1] > 0, 1.0, -1.0))
    assert np.abs(fields).min() > 1e-6
    graded.sweep(np.arange(50), limits)
    assert np.array_equal(graded.states, plain.states)
    expected = [-0.5 * x @ network.couplings @ x for x in states / 1e7]
    tanh = ha.Hopfield(network.couplings, activation="tanh")
    np.testing.assert_allclose(
        tanh.energy(states / 1e7) - tanh.activation.conjugate(states / 1e7), expected, rtol=1e-12
    )


@each("sizes", [(1, 1), (7, 3), (40, 16), (256, 32)])
@each("update", UPDATES)
@each("chain", [False, True])
def test_a_sweep_in_blocks_is_one_neuron_after_another(chain, update, sizes):
    """Also along a chain in which each spin turns only because the one before it has turned."""
    rng = np.random.default_rng(5)
    for n_cues in (1, 5):
        n = 90
        root = np.eye(n, k=-1) * 3 if chain else rng.integers(-3, 4, size=(n, n))
        network = ha.Hopfield(root, bias=np.eye(n)[0] * 4 if chain else 0)
        states = -np.ones((n_cues, n)) if chain else rng.choice([-1.0, 0.0, 1.0], size=(n_cues, n), p=[0.4, 0.2, 0.4])
        with patch.multiple(single_neuron, BLOCK=sizes[0], part_for=lambda cues: sizes[1]):
            found = swept(network, update, states)
        assert np.array_equal(found, one_after_another(network, update, states))
        if chain and update == Asynchronous("sequence"):
            assert np.all(found == 1)


@each("activation", [Tanh(0.5), "identity"])
@given(data=st.data(), n=st.integers(1, 9), symmetric=st.booleans())
def test_graded_neurons_respond_one_after_another(activation, data, n, symmetric):
    root = data.draw(arrays((n, n))) / 8
    network = ha.Hopfield(root + root.T if symmetric else root, bias=data.draw(arrays((n,))), activation=activation)
    states, order = data.draw(arrays((3, n))) / 8, data.draw(st.permutations(range(n)))
    found, x = swept(network, Asynchronous(order), states), states.copy()
    for i in order:
        x[:, i] = network.activation(network.field(x)[:, i])
    np.testing.assert_allclose(found, x, rtol=1e-10, atol=1e-12)


def test_real_couplings_are_swept_as_one_neuron_after_another():
    rng = np.random.default_rng(8)
    network = ha.Hopfield(rng.normal(size=(300, 300)), bias=rng.normal(size=300))
    states = rng.choice([-1.0, 1.0], size=(6, 300))
    for update in UPDATES:
        assert np.array_equal(swept(network, update, states), one_after_another(network, update, states))


@each(
    ("unknown", "masked", "separation", "update"),
    spread(product([False, True], [False, True], [*separations, separations["power"](n=3)], spread(UPDATES, 2)), 40),
)
def test_kept_potentials_turn_the_same_spins(unknown, masked, separation, update):
    rng, n = np.random.default_rng(4), count(20, 6)
    for keys in (rng.choice([-1.0, 1.0], size=(7, n)), rng.normal(size=(7, n)) / 4):
        memory = ha.Memory(keys, separation=separation, activation="sign", beta=None if "=" in str(separation) else 0.3)
        if "energy" in memory.lacks:
            return
        states = rng.choice([-1.0, 0.0, 1.0] if unknown else [-1.0, 1.0], size=(5, n))
        mask = rng.random((5, 7)) < 0.7 if masked else None
        with patch.multiple(single_neuron, COLUMNS=3, CACHED=14):
            found = swept(memory, update, states, mask)
        assert np.array_equal(found, one_after_another(memory, update, states, mask))
        if not masked:
            apart = swept(memory, update, states, mask)
            assert np.array_equal(apart, found)


@given(data=st.data(), n=st.integers(1, 6), m=st.integers(1, 5), power=st.integers(2, 5), unknown=st.booleans())
def test_a_sweep_of_a_dense_memory_is_krotov_and_hopfields_written_out(data, n, m, power, unknown):
    patterns, states = data.draw(spins((m, n))), cues_of(data, 3, n, unknown)
    order = data.draw(st.permutations(range(n)))

    def energy(x):
        return -sum(max(0, int(p @ x)) ** power for p in patterns)

    expected = states.copy()
    for x in expected:
        for i in order:
            up, down = (np.where(np.arange(n) == i, side, x) for side in (1.0, -1.0))
            if energy(up) != energy(down) and (x[i] != 0 or min(energy(up), energy(down)) <= energy(x)):
                x[i] = 1 if energy(up) < energy(down) else -1
    with patch.multiple(single_neuron, COLUMNS=2, CACHED=2 * m):
        found = swept(ha.memories.dense(patterns, n=power), Asynchronous(order), states)
    assert np.array_equal(found, expected)


def test_the_scores_that_are_kept_are_those_of_the_states():
    rng = np.random.default_rng(6)
    memory = ha.memories.dense(rng.choice([-1.0, 1.0], size=(9, 30)), n=3)
    neurons = memory.single_neuron_states(rng.choice([-1.0, 0.0, 1.0], size=(4, 30)))
    neurons.sweep(np.arange(30), np.zeros((30, 4)))
    assert np.array_equal(neurons.scores, neurons.states @ memory.keys.T)
    assert np.all(np.abs(neurons.states) == 1)


def test_a_sweep_changes_neither_the_states_nor_the_couplings_that_it_was_given():
    rng = np.random.default_rng(7)
    couplings, states = rng.normal(size=(50, 50)), rng.choice([-1.0, 1.0], size=(3, 50))
    kept = couplings.copy(), states.copy()
    neurons = CoupledSpins(states, Sums.over(couplings), np.zeros(50))
    neurons.sweep(np.arange(50), np.full((50, 3), np.inf))
    assert np.array_equal(couplings, kept[0])
    assert np.array_equal(states, kept[1])
    assert np.all(neurons.states == -1)


def test_an_energy_beyond_the_numbers_is_named_by_its_row():
    patterns = np.ones((3, 100))
    cues = np.concatenate([np.tile([1.0, -1.0], (3, 50)), np.ones((1, 100))])
    memory = ha.Memory(patterns, separation=separations["rectified_power"](n=200), activation="sign")
    with (
        patch.multiple(single_neuron, CACHED=3),
        pytest.raises(ha.InvalidInput, match=r"energy: beyond the numbers of float64 \(row 3\)"),
    ):
        swept(memory, Asynchronous("sequence"), cues)


@each("temperature", [0.3, 2.0])
def test_a_spin_is_up_by_chance_where_its_draw_lies_below_the_probability(temperature):
    """u < 1 / (1 + exp(−2h/T)), as Glauber (1963) has it, is h above the limit of the draw u."""
    rng, local = np.random.default_rng(9), temperature * np.random.default_rng(8).normal(size=(500, 4))
    limits = Glauber(temperature).limits(StepContext(0, rng, tuple(rng.spawn(4))), 500)
    draws = np.stack([own.random(500) for own in np.random.default_rng(9).spawn(4)], axis=1)
    assert np.array_equal(local > limits, draws < 1 / (1 + np.exp(-2 * local / temperature)))
    assert Glauber(temperature, cooling=0.5).limits(StepContext(2, rng, tuple(rng.spawn(4))), 5).shape == (5, 4)


@each("update", [Asynchronous("random"), Glauber(0.1)])
def test_compiled_loops_turn_the_same_spins_of_a_large_network(loops_of_spins, update, monkeypatch):
    rng = np.random.default_rng(10)
    patterns = rng.choice([-1.0, 1.0], size=(40, 600))
    states = patterns[:30] * rng.choice([-1.0, 0.0, 1.0], size=(30, 600), p=[0.2, 0.1, 0.7])
    network = ha.Hopfield(ha.learning.hebb(patterns), bias=rng.normal(size=600) / 20)
    plain = swept(network, update, states)
    called = []
    settle = loops_of_spins.settle
    monkeypatch.setattr(kernels, "LARGE", dict.fromkeys(kernels.LARGE, 0))
    monkeypatch.delenv(kernels.VARIABLE, raising=False)
    monkeypatch.setattr(loops_of_spins, "settle", lambda *given: called.append(1) or settle(*given))
    assert np.array_equal(swept(network, update, states), plain)
    assert len(called) == 3  # blocks of 256
    assert not np.array_equal(plain, states)


@each("update", [Asynchronous("random"), Glauber(20.0)])
@each("kind", ["power", "rectified_power"])
@each("n", [2, 3, 4])
def test_compiled_loops_turn_the_same_spins_of_a_dense_memory(loops_of_spins, n, kind, update, monkeypatch):
    """Also for many patterns and real keys, whose sums NumPy adds in another order."""
    rng = np.random.default_rng(11)
    monkeypatch.delenv(kernels.VARIABLE, raising=False)
    turned, turn = [], loops_of_spins.turn
    monkeypatch.setattr(loops_of_spins, "turn", lambda *given: turned.append(turn(*given)) or turned[-1])
    for n_patterns in (5, 8, 130, count(1000, 300)):
        for keys in (rng.choice([-1.0, 1.0], size=(n_patterns, 70)), rng.normal(size=(n_patterns, 70))):
            memory = ha.Memory(keys, separation=separations[kind](n=n, beta=0.3), activation="sign")
            states = rng.choice([-1.0, 1.0], size=(4, 70))
            monkeypatch.setattr(kernels, "LARGE", {"spins": 2**60})
            plain = swept(memory, update, states)
            monkeypatch.setattr(kernels, "LARGE", {"spins": 0})
            assert np.array_equal(swept(memory, update, states), plain)
    assert turned == [1] * 16  # two blocks of 64 each


def test_powers_beyond_the_range_of_the_loops_are_numpys(loops_of_spins, monkeypatch):
    keys = np.random.default_rng(0).normal(size=(9, 70)) * 1e70
    memory = ha.Memory(keys, separation=separations["rectified_power"](n=3), activation="sign")
    states = np.ones((2, 70))
    plain = swept(memory, Asynchronous("sequence"), states)
    monkeypatch.delenv(kernels.VARIABLE, raising=False)
    monkeypatch.setattr(kernels, "LARGE", {"spins": 0})
    assert np.array_equal(swept(memory, Asynchronous("sequence"), states), plain)
