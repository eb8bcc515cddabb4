"""Neuron by neuron: the turns of a recall are those of a loop by hand, with the fields, ties and energies of each."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.dynamics.turns import turns
from tests.draws import arrays, spins
from tests.refusal import refused

UP = ha.updates.make("sync", ties="up")


def by_hand(couplings, bias, x, order, ties, low):
    """The turns (neuron, field, new value) of a sweep, and the state after it, for couplings without a diagonal."""
    x, told = x.copy(), []
    for i in order:
        h = sum(couplings[i][j] * x[j] for j in range(len(x)) if j != i) + bias[i]
        x[i] = 1 if h > 0 or (h == 0 and ties == "up") else low if h < 0 else x[i]
        told.append((i, h, x[i]))
    return told, x


@given(data=st.data(), n=st.integers(1, 8), low=st.sampled_from([-1, 0]), ties=st.sampled_from(["keep", "up"]))
def test_the_turns_are_those_of_a_loop_by_hand_and_no_turn_raises_the_energy(data, n, low, ties):
    half = np.triu(np.round(data.draw(arrays((n, n)))), 1)
    couplings, bias = half + half.T, np.round(data.draw(arrays((n,))))
    order = data.draw(st.permutations(range(n)))
    start = data.draw(spins((n,))) if low else (data.draw(spins((n,))) + 1) / 2
    network = ha.Hopfield(couplings, bias=bias, activation="sign" if low else "step")
    update = ha.Asynchronous(order, ties=ties)
    recall = network.recall(start, update=update, max_steps=50, keep="trajectory")
    x, last = start, -0.5 * start @ couplings @ start - bias @ start
    for t in range(int(recall.steps)):
        expected, after = by_hand(couplings, bias, x, order, ties, low)
        before, state = recall.trajectory[t], recall.trajectory[t + 1]
        assert np.array_equal(before, x) and np.array_equal(state, after)
        found = [*turns(network, before, state, np.array(order))]
        assert [(one.neuron, one.field, one.after) for one in found] == expected
        for one in found:
            energy = -0.5 * one.state @ couplings @ one.state - bias @ one.state
            assert energy <= last and (energy == last) == (one.field == 0 or one.before == one.after)
            last = energy
        x = after
    assert recall.converged and np.array_equal(recall.state, x) and network.descends(update)


@pytest.mark.usefixtures("both_kernels")
@pytest.mark.parametrize("rule", ["hebb", "storkey", "pseudo_inverse", "covariance"])
@pytest.mark.parametrize("ties", ["keep", "up"])
@pytest.mark.parametrize("activation", ["sign", "step"])
def test_a_sweep_of_each_rule_is_a_loop_by_hand(rule, ties, activation):
    """Also of 300 neurons, in blocks; a field up to 1e-9 counts as 0, as no field of these is so near by chance."""
    for n, seed in ((12, 0), (12, 1), (300, 2)):
        rng = np.random.default_rng(seed)
        patterns, order = rng.choice([-1.0, 1.0], size=(4, n)), rng.permutation(n)
        patterns[3] = -patterns[2] if rule == "hebb" else patterns[3]
        learned = ha.memories.hopfield(patterns, rule=rule)
        start = rng.choice([-1.0, 1.0], size=n)
        start, low = (start, -1) if activation == "sign" else ((start + 1) / 2, 0)
        network = ha.Hopfield(learned.couplings, activation=activation, rounding=learned.rounding)
        free = network.couplings - np.diag(np.diag(network.couplings))
        state = network.recall(start, update=ha.Asynchronous(order, ties=ties), max_steps=1).state
        x = start.copy()
        for i in order:
            h = free[i] @ x + (0 if low else network.couplings[i, i] / 2)
            x[i] = (1 if ties == "up" else x[i]) if abs(h) < 1e-9 else 1 if h > 0 else low
        assert np.array_equal(state, x)


@pytest.mark.usefixtures("both_kernels")
@pytest.mark.parametrize("power", [2, 3, 4])
def test_ties_of_a_dense_memory_go_up_where_both_sides_have_one_energy(power):
    patterns = np.array([[1.0, 1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1]])
    memory, start = ha.memories.dense(patterns, n=power), np.array([1.0, -1, -1, -1, 1, 1])
    x = start.copy()
    for i in range(6):
        up, down = (memory.energy(np.where(np.arange(6) == i, side, x)) for side in (1, -1))
        x[i] = 1 if up <= down else -1
    assert np.array_equal(memory.recall(start, update=ha.Asynchronous(ties="up"), max_steps=1).state, x)


def test_all_states_of_a_network_have_the_successors_of_its_ties():
    """At a field of 0 everywhere, each state stays or goes to all ones in one sweep."""
    states = ha.landscapes.spin_states(ha.Hopfield(np.zeros((3, 3))))
    assert states.successors(ha.Asynchronous()).tolist() == [*range(8)]
    assert states.successors(ha.Asynchronous(ties="up")).tolist() == [7] * 8


def test_an_unknown_neuron_that_goes_up_at_a_cost_has_no_guarantee():
    inhibited = ha.Hopfield([[-1.0, 0], [0, 0]])
    assert inhibited.descends(ha.Asynchronous()) and not inhibited.descends(ha.Asynchronous(ties="up"))
    recall = inhibited.recall([0.0, 0.0], update=ha.Asynchronous(ties="up"), max_steps=1)
    assert recall.energies[1] > recall.energies[0]


@given(data=st.data(), n=st.integers(1, 8), low=st.sampled_from([-1, 0]))
def test_all_neurons_at_once_go_up_where_their_field_is_0(data, n, low):
    """By hand, also with the diagonal that makes the potential convex: then no step raises the energy."""
    half = np.triu(np.round(data.draw(arrays((n, n)))), 1)
    couplings = half + half.T + np.diag(data.draw(st.booleans()) * np.abs(half + half.T).sum(axis=0))
    x, update = data.draw(spins((3, n))), ha.updates.make("sync", ties="up")
    x = x if low else (x + 1) / 2
    network = ha.Hopfield(couplings, activation="sign" if low else "step")
    recall = network.recall(x, update=update, max_steps=4, keep="trajectory")
    fields = recall.trajectory[0] @ couplings
    assert np.array_equal(recall.trajectory[1], np.where(fields >= 0, 1, low))
    assert not network.descends(update) or np.all(np.diff(recall.energies, axis=0) <= 1e-9)


def test_an_answer_on_another_side_goes_up_in_every_library(library):
    couplings = np.array([[1.0, 1, 0], [1, 0, -1]])
    answerer = ha.Associator(library.array(couplings), activation="sign")
    cue = library.array(np.array([1.0, -1, 1]))
    assert library.numpy(answerer.recall(cue, update="sync").state).tolist() == [0, 0]
    assert library.numpy(answerer.recall(cue, update=ha.updates.make("sync", ties="up")).state).tolist() == [1, 1]
    square = ha.Hopfield(library.array(np.zeros((3, 3))))
    assert library.numpy(square.recall(cue, update=ha.updates.make("sync", ties="up")).state).tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("call", "place", "words"),
    [
        (lambda: ha.Asynchronous(ties="upp"), "ties: 'upp' is unknown", "did you mean 'up'?"),
        (lambda: ha.updates.make("sync", ties="down"), "ties: 'down' is unknown", "keep, up"),
        (lambda: ha.Memory(np.eye(3)).recall([1, 1, 1], update=UP), "update: ties are of spins", "'identity'"),
        (
            lambda: ha.memories.graded([[1, 1, -1]]).recall([1, 1, 1], update=ha.Asynchronous(ties="up")),
            "update: ties are of spins",
            "'tanh'",
        ),
        (lambda: ha.Associator(np.ones((2, 3))).recall([1, 1, 1], update=UP), "update: ties are of spins", "identity"),
    ],
)
def test_ties_that_do_not_fit_are_refused(call, place, words):
    refused(call, place, words)
