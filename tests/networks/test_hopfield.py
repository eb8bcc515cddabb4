"""The classical network: one law with the memory, its energy, its cycles, and what it refuses."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn import activations
from tests.draws import arrays, count, domain, spins


@given(data=st.data(), n=st.integers(2, 8), m=st.integers(1, 5))
def test_the_two_forms_of_the_network_are_one(data, n, m):
    patterns, states = data.draw(spins((m, n))), data.draw(spins((4, n)))
    network = ha.Hopfield(ha.learning.hebb(patterns, self_coupling=True), patterns=patterns)
    memory = ha.Memory(patterns, separation="identity", beta=1 / n, activation="sign")
    assert np.array_equal(network.step(states), memory.step(states))
    np.testing.assert_allclose(network.energy(states), memory.energy(states), rtol=1e-12, atol=1e-12)
    ours, theirs = network.recall(states), memory.recall(states)
    for what in ("state", "steps", "status", "matched"):
        assert np.array_equal(getattr(ours, what), getattr(theirs, what)), what
    np.testing.assert_allclose(ours.energies, theirs.energies, rtol=1e-12, atol=1e-12)


@given(data=st.data(), n=st.integers(2, 9), m=st.integers(1, 6))
def test_a_tie_is_a_tie(data, n, m):
    patterns, state = data.draw(spins((m, n))), data.draw(spins((n,)))
    whole = patterns.astype(int)
    exact = (whole.T @ whole - m * np.eye(n, dtype=int)) @ state.astype(int)
    step = ha.Hopfield(ha.learning.hebb(patterns)).step(state)
    assert np.array_equal(step, np.where(exact == 0, state, np.sign(exact)))


@pytest.mark.parametrize("activation", activations)
@given(data=st.data(), n=st.integers(2, 6))
def test_the_energy_never_rises_where_that_is_claimed(activation, data, n):
    root, bias = data.draw(arrays((n, n))) / 8, data.draw(arrays((n,)))
    network = ha.Hopfield(root @ root.T, bias=bias, activation=activation)
    states = domain(activation, data.draw(arrays((3, n))))
    assert network.descends(), network.descends().reason
    before, after = network.energy(states), network.energy(network.step(states))
    assert np.all(after - before <= 1e-9 * np.maximum(1, np.abs(before) + np.abs(after)))


@given(data=st.data(), n=st.integers(2, 6))
def test_the_classical_energy_by_its_sums(data, n):
    root, bias, state = data.draw(arrays((n, n))), data.draw(arrays((n,))), data.draw(spins((n,)))
    couplings = root + root.T
    pairs = sum(couplings[i, j] * state[i] * state[j] for i in range(n) for j in range(n))
    expected = -0.5 * pairs - sum(b * x for b, x in zip(bias, state, strict=True))
    np.testing.assert_allclose(ha.Hopfield(couplings, bias=bias).energy(state), expected, rtol=1e-12, atol=1e-9)


def test_the_energy_of_many_neurons_is_exact():
    rng = np.random.default_rng(1)
    root, states = rng.integers(-5, 6, size=(1024, 1024)), rng.integers(-1, 2, size=(4, 1024))
    found = ha.Hopfield(root + root.T).energy(states)
    assert np.array_equal(found, [-(x @ root @ x) for x in states])


@pytest.mark.parametrize("change", [1e-6, -1e-6])
@pytest.mark.parametrize("place", [(0, 1), (599, 0), (3, 550), (513, 512), (540, 590)])
def test_one_uneven_coupling_among_many_is_seen(place, change):
    root = np.random.default_rng(2).normal(size=(600, 600))
    couplings = root + root.T
    assert not ha.Hopfield(couplings).why_not("energy")
    couplings[place] += change
    assert ha.Hopfield(couplings).why_not("energy") == "the couplings are not symmetric"


def test_without_self_couplings_all_neurons_at_once_may_cycle():
    network = ha.Hopfield([[0, -1], [-1, 0]])
    assert not network.descends("sync")
    assert "cycle of two" in network.descends("sync").reason
    found = network.recall([1, 1], update="sync", keep=("trajectory",))
    assert (found.status, found.steps, found.matched) == ("cycle", 2, -1)
    assert found.trajectory.tolist() == [[1, 1], [-1, -1], [1, 1]]
    three = ha.Hopfield(1 - 2 * np.eye(3), bias=[0.5, 0.25, -1.0])
    states = [np.array(state) for state in itertools.product([-1.0, 1.0], repeat=3)]
    rises = [state for state in states if three.energy(three.step(state)) > three.energy(state)]
    assert rises


def test_float32_couplings_are_judged_by_their_own_rounding():
    rows = np.random.default_rng(1).normal(size=(5, 40)).astype(np.float32)
    assert ha.Hopfield(rows.T @ rows).descends()
    assert not ha.Hopfield(np.linalg.pinv(rows) @ rows).why_not("energy")


def test_float32_couplings_answer_float32_states_in_float32():
    """Also with the default bias, and for both sides of a bidirectional memory, which had answered in float64."""
    couplings, state = np.ones((3, 3), dtype=np.float32), np.ones(3, dtype=np.float32)
    network = ha.Hopfield(couplings, bias=0.5, activation="tanh")
    for update in ("sync", "async", "concave_convex", "graded"):
        assert network.recall(0.5 * state, update=update, max_steps=2).state.dtype == np.float32, update
    assert network.recall(0.5 * state, max_steps=2).state.dtype == np.float32
    both = type(ha.memories.bam([[1, 1]], [[1, 1]]))(*(ha.Associator(couplings, activation="sign") for _ in range(2)))
    assert both.step(state).dtype == both.energy(state).dtype == np.float32


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("activation", ["sign", "tanh", "identity"])
def test_large_couplings_elsewhere_hide_no_rise_of_the_energy(activation, dtype):
    """Two groups of neurons that are not coupled: what holds of the network holds of both, and the reverse."""
    rng = np.random.default_rng(0)
    for _ in range(count(200, 12)):
        root = rng.integers(-3, 4, (3, 3))
        small = [root, root + root.T, root @ root.T][rng.integers(3)]
        both = np.zeros((5, 5), dtype)
        both[:2, :2] = 10.0 ** rng.integers(3, 30) * np.array([[2, 1], [1, 2]])
        both[2:, 2:] = small
        order = rng.permutation(5)
        alone = ha.Hopfield(small.astype(dtype), activation=activation)
        network = ha.Hopfield(both[np.ix_(order, order)], activation=activation)
        for update in ("sync", "async", "concave_convex"):
            assert network.descends(update).holds == alone.descends(update).holds
        assert (network._curvature >= alone._curvature) and (alone._curvature > 0 or network._curvature == 0)


def test_a_rise_beside_a_large_coupling_is_not_promised_away():
    couplings = np.zeros((4, 4))
    couplings[0, 1] = couplings[1, 0] = 1e13
    couplings[2, 3], couplings[3, 2] = 3, -1
    assert not ha.Hopfield(couplings).descends("async")
    couplings = np.zeros((3, 3))
    couplings[0, 0], couplings[1, 2], couplings[2, 1] = 1e13, -1, -1
    network = ha.Hopfield(couplings, bias=[0, 0.5, 0.5])
    assert not network.descends("sync")
    assert np.all(np.diff(network.recall([1, 1, 1.0], update="concave_convex").energies, axis=0) <= 0)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_couplings_of_a_pseudo_inverse_are_symmetric_up_to_rounding(dtype):
    rows = np.random.default_rng(3).normal(size=(40, 300)).astype(dtype)
    couplings = np.linalg.pinv(rows) @ rows
    assert not ha.Hopfield(couplings).why_not("energy")
    np.fill_diagonal(couplings, 0)
    assert not ha.Hopfield(couplings).why_not("energy")


@given(data=st.data(), n=st.integers(2, 7), m=st.integers(2, 7), pairs=st.integers(1, 4))
def test_an_answer_is_the_sum_by_its_definition(data, n, m, pairs):
    left, right, cue = data.draw(spins((pairs, n))), data.draw(spins((pairs, m))), data.draw(spins((n,)))
    exact = sum(int(x @ cue) * y.astype(int) for x, y in zip(left, right, strict=True))
    memory = ha.Associator(ha.learning.associate(left, right), activation="sign", patterns=right)
    np.testing.assert_allclose(memory.field(cue), exact / n, rtol=1e-12, atol=1e-15)
    expected = np.where(exact == 0, cue, np.sign(exact)) if n == m else np.sign(exact)
    assert np.array_equal(memory.step(cue), expected)  # a tie is a tie


@given(data=st.data(), n=st.integers(2, 7))
def test_patterns_associated_with_themselves_are_hebbs(data, n):
    patterns = data.draw(spins((3, n)))
    assert np.array_equal(ha.learning.associate(patterns, patterns), ha.learning.hebb(patterns, self_coupling=True))


def test_a_chain_of_patterns_is_followed():
    patterns = np.random.default_rng(1).choice([-1.0, 1.0], size=(4, 200))
    couplings = ha.learning.associate(patterns, np.roll(patterns, -1, axis=0))
    chain = ha.Associator(couplings, activation="sign", patterns=patterns)
    found = chain.recall(patterns[0], max_steps=6, keep=("overlaps",))
    assert found.overlaps.argmax(axis=-1).tolist() == [0, 1, 2, 3, 0, 1, 2]
    assert (found.status, found.energies) == ("limit", None)
    assert not chain.descends()
    single = chain.recall(patterns[0], update="async", max_steps=1, rng=1)
    assert single.state.shape == (200,)


def test_an_answer_of_another_dim_is_given_once_and_matched():
    memory = ha.Associator([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], patterns=[[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    found = memory.recall([[1.0, 0.0], [0.0, 2.0]])
    assert found.state.tolist() == [[1, 0, 1], [0, 2, 2]]
    assert found.matched.tolist() == [0, 1]
    assert found.status.tolist() == ["answered", "answered"]


def test_it_shows_what_it_is():
    assert repr(ha.Associator([[1.0, 2.0]])) == "Associator(2 neurons to 1, Identity(), 0 patterns)"
