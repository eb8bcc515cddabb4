"""Sweeps of single neurons: the result is that of one neuron after another, written out, whatever is done together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import hopattn as ha
from tests.draws import arrays, count, spins

UPDATES = [ha.Asynchronous("random"), ha.Asynchronous("sequence"), ha.Glauber(0.0), ha.Glauber(0.8)]
SEPARATIONS = [separation() for separation in ha.separations.values() if not separation().why_no_potential]
POWERS = [ha.separations[kind](n=n) for kind in ("power", "rectified_power") for n in (2, 3, 4)]
both_kernels = pytest.mark.usefixtures("both_kernels")


def swept(memory, update, states, mask=None, seed=3):
    return memory.recall(states, update=update, max_steps=1, rng=seed, mask=mask).state


def cues_of(data, n_cues, n, unknown):
    cues = data.draw(spins((n_cues, n)))
    known = hnp.arrays(np.float64, cues.shape, elements=st.sampled_from([0.0, 1.0]))
    return cues * data.draw(known) if unknown else cues


def by_hand(couplings, bias, states, order):
    """Hopfield's sweep written out: h_i = Σ_{j≠i} W_ij x_j + b_i, and x_i takes its sign unless it is 0."""
    states, free = states.copy(), couplings - np.diag(np.diag(couplings))
    for i in order:
        h, x, own = states @ free[i] + bias[i], states[:, i], couplings[i, i]
        states[:, i] = np.where((h != 0) & ((x != 0) | (np.abs(h) + own / 2 >= 0)), np.sign(h), x)
    return states


@both_kernels
@given(data=st.data(), n=st.integers(1, 12), n_cues=st.integers(1, 4), unknown=st.booleans())
def test_a_sweep_is_hopfields_written_out(data, n, n_cues, unknown):
    couplings = np.round(data.draw(arrays((n, n))))  # not symmetric, with self-couplings
    bias, order = np.round(data.draw(arrays((n,)))), data.draw(st.permutations(range(n)))
    states = cues_of(data, n_cues, n, unknown)
    found = swept(ha.Hopfield(couplings, bias=bias), ha.Asynchronous(order), states)
    assert np.array_equal(found, by_hand(couplings, bias, states, order))


@both_kernels
@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize(("n", "n_cues"), [(257, 1), (300, 5), (520, 40), (90, 600)])
def test_a_sweep_of_many_neurons_is_hopfields_written_out(n, n_cues, real):
    rng = np.random.default_rng(n)
    couplings = rng.normal(size=(n, n)) if real else rng.integers(-3, 4, size=(n, n)).astype(float)
    bias, order = rng.integers(-2, 3, size=n).astype(float), rng.permutation(n)
    states = rng.choice([-1.0, 0.0, 1.0], size=(n_cues, n), p=[0.4, 0.2, 0.4])
    found = swept(ha.Hopfield(couplings, bias=bias), ha.Asynchronous(order), states)
    assert np.array_equal(found, by_hand(couplings, bias, states, order))


@both_kernels
@pytest.mark.parametrize("size", [2**12, 2**21, 2**40])
def test_large_whole_couplings_are_summed_exactly(size):
    """Fields of 1 beside couplings of 2²¹, whose sums single precision cannot hold; also the energies."""
    rng = np.random.default_rng(2)
    couplings = rng.choice([-size, size], size=(40, 40)).astype(float)
    couplings = np.triu(couplings, 1) + np.triu(couplings, 1).T
    couplings[::2] += 1
    couplings[:, ::2] += 1
    states = rng.choice([-1.0, 0.0, 1.0], size=(6, 40))
    network, order = ha.Hopfield(couplings), rng.permutation(40)
    found, kept = swept(network, ha.Asynchronous(order), states), states.copy()
    assert np.array_equal(found, by_hand(couplings, np.zeros(40), states, order)) and np.array_equal(states, kept)
    whole, rows = couplings.astype(int).astype(object), states.astype(int).astype(object)
    assert np.array_equal(network.energy(states), [-(x @ whole @ x) / 2 for x in rows])


def test_an_energy_beyond_single_precision_is_exact_though_its_fields_are_within():
    counts = np.full((300, 300), 55_923.0)  # 300 of them are just below 2²⁴
    counts[0, 0] -= 1
    found = ha.Hopfield(counts / 300).energy(np.ones(300))
    np.testing.assert_allclose(found, -(90_000 * 55_923 - 1) / 600, rtol=1e-15)


@both_kernels
@pytest.mark.parametrize("n", [50, 300])
@pytest.mark.parametrize("activation", [ha.activations["tanh"](0.5), "identity"])
def test_graded_neurons_respond_one_after_another(activation, n):
    """Also states a million times as large as spins, in their own precision."""
    for seed in range(count(20, 4)):
        rng = np.random.default_rng(seed)
        couplings = rng.normal(size=(n, n)) / n
        network = ha.Hopfield(couplings, bias=rng.normal(size=n), activation=activation)
        states, order = rng.uniform(-1, 1, (3, n)), rng.permutation(n)
        x = states = states * (1e6 if seed % 2 and activation == "identity" else 1)
        found, x = swept(network, ha.Asynchronous(order), states), x.copy()
        for i in order:
            x[:, i] = network.activation(x @ couplings[i] + network.bias[i])
        np.testing.assert_allclose(found, x, rtol=1e-10, atol=1e-11 * np.abs(x).max())


def by_energies(memory, states, order, mask):
    """A sweep as the energies decide it, spin by spin; and the rows in which no decision is within rounding."""
    states, clear = states.copy(), np.ones(len(states), bool)
    for i in order:
        sides = [np.where(np.arange(states.shape[1]) == i, side, states) for side in (-1.0, 1.0)]
        down, up = (memory.energy(side, mask) for side in sides)
        now, lower = memory.energy(states, mask), np.minimum(down, up)
        unknown, rounding = states[:, i] == 0, 1e-9 * np.maximum(1, np.abs(down) + np.abs(up))
        clear &= (np.abs(down - up) > rounding) & (~unknown | (np.abs(now - lower) > rounding))
        turns = (down != up) & (~unknown | (lower <= now))
        states[:, i] = np.where(turns, np.where(up < down, 1, -1), states[:, i])
    return states, clear


@both_kernels
@pytest.mark.parametrize("separation", [*SEPARATIONS, *POWERS], ids=repr)
@given(seed=st.integers(0, 2**32 - 1), unknown=st.booleans(), masked=st.booleans())
def test_a_sweep_turns_each_spin_as_the_energies_say(separation, seed, unknown, masked):
    """Of any separation, without the rows in which rounding decides; keys are spins or real numbers."""
    rng = np.random.default_rng(seed)
    n, m, n_cues = rng.integers(1, 10), rng.integers(1, 9), rng.integers(1, 40)
    for keys in (rng.choice([-1.0, 1.0], size=(m, n)), rng.normal(size=(m, n)) / 4):
        memory, order = ha.Memory(keys, separation=separation, activation="sign"), rng.permutation(n)
        states = rng.choice([-1.0, 0.0, 1.0] if unknown else [-1.0, 1.0], size=(n_cues, n))
        mask = rng.random((n_cues, m)) < 0.7 if masked else None
        expected, clear = by_energies(memory, states, order, mask)
        found = swept(memory, ha.Asynchronous(order), states, mask)
        assert np.array_equal(found[clear], expected[clear])
        single = swept(memory, ha.Asynchronous(order), states[:1], None if mask is None else mask[:1])
        assert np.array_equal(single, found[:1]) or not clear[0]


def dense_by_hand(patterns, states, order, power):
    """Krotov & Hopfield (2016), equation 4: a spin takes the side of the lower energy −Σ [ξ·x]₊ⁿ, in whole numbers."""
    x, keys = states.astype(int), patterns.astype(int)
    for i in order:
        rest = np.where(np.arange(x.shape[1]) == i, 0, x) @ keys.T
        energies = [-np.sum(np.maximum(rest + side * keys[:, i], 0) ** power, axis=1) for side in (-1, 0, 1)]
        down, now, up = energies
        turns = (down != up) & ((x[:, i] != 0) | (np.minimum(down, up) <= now))
        x[:, i] = np.where(turns, np.where(up < down, 1, -1), x[:, i])
    return x


@both_kernels
@pytest.mark.parametrize(("n", "m", "n_cues"), [(5, 1, 3), (6, 5, 3), (70, 130, 9), (40, 900, 30), (150, 20, 300)])
@pytest.mark.parametrize("power", [2, 3, 5])
def test_a_sweep_of_a_dense_memory_is_krotov_and_hopfields_written_out(power, n, m, n_cues):
    for seed, low in ((0, [-1, 1]), (1, [-1, 0, 1])):
        rng = np.random.default_rng(seed)
        patterns, states = rng.choice([-1.0, 1.0], size=(m, n)), rng.choice(low, size=(n_cues, n)).astype(float)
        found = swept(ha.memories.dense(patterns, n=power), ha.Asynchronous("sequence"), states)
        assert np.array_equal(found, dense_by_hand(patterns, states, range(n), power))


@pytest.mark.parametrize(("temperature", "cooling", "sweeps"), [(0.3, 1.0, 1), (2.0, 1.0, 3), (2.0, 0.5, 3)])
def test_a_spin_alone_is_up_with_glaubers_probability_at_the_temperature_of_its_sweep(temperature, cooling, sweeps):
    """P(up) = 1 / (1 + exp(−2h/T)) (Glauber 1963), T after cooling; 4.5 standard errors of 4,000 cues of 5 spins."""
    bias = np.array([-1.5, -0.3, 0.0, 0.2, 1.0])
    update = ha.Glauber(temperature, cooling=cooling)
    found = ha.Hopfield(np.zeros((5, 5)), bias=bias).recall(np.ones((4000, 5)), update=update, max_steps=sweeps, rng=1)
    p = 1 / (1 + np.exp(-2 * bias / (temperature * cooling ** (sweeps - 1))))
    assert np.all(np.abs((found.state == 1).mean(axis=0) - p) <= 4.5 * np.sqrt(p * (1 - p) / 4000))


def by_each_kernel(monkeypatch, call):
    """What a call gives by NumPy alone and by the compiled loops."""
    monkeypatch.setenv("HOPATTN_KERNELS", "numpy")
    plain = call()
    monkeypatch.setattr("hopattn.foundation.kernels.LEAST_WORK", {"spins": 0})
    monkeypatch.setenv("HOPATTN_KERNELS", "compiled")
    return plain, call()


@pytest.mark.parametrize("update", [ha.Asynchronous("random"), ha.Glauber(0.1)])
def test_compiled_loops_turn_the_same_spins_of_a_large_network(loops_of_spins, update, monkeypatch):
    rng = np.random.default_rng(10)
    patterns = rng.choice([-1.0, 1.0], size=(40, 600))
    states = patterns[:30] * rng.choice([-1.0, 0.0, 1.0], size=(30, 600), p=[0.2, 0.1, 0.7])
    network = ha.Hopfield(ha.learning.hebb(patterns), bias=rng.normal(size=600) / 20)
    plain, compiled = by_each_kernel(monkeypatch, lambda: swept(network, update, states))
    assert np.array_equal(plain, compiled) and not np.array_equal(plain, states)


@pytest.mark.parametrize("update", [ha.Asynchronous("random"), ha.Glauber(20.0)])
@pytest.mark.parametrize("separation", POWERS, ids=repr)
def test_compiled_loops_turn_the_same_spins_of_a_dense_memory(loops_of_spins, separation, update, monkeypatch):
    """Also for many patterns and real keys, whose sums NumPy adds in another order; and for keys of a great size."""
    rng = np.random.default_rng(11)
    for n_patterns, size in ((5, 1), (8, 1), (130, 1), (300, 1), (9, 1e70)):
        keys = rng.choice([-1.0, 1.0], size=(n_patterns, 70)), rng.normal(size=(n_patterns, 70)) * size
        states = rng.choice([-1.0, 1.0], size=(4, 70))
        for rows in keys:
            memory = ha.Memory(rows, separation=separation, activation="sign")
            with monkeypatch.context() as patched:
                plain, compiled = by_each_kernel(patched, lambda m=memory, x=states: swept(m, update, x))
            assert np.array_equal(plain, compiled) and not np.array_equal(plain, states)
