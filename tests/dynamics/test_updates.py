"""Updates: the step of each, its guarantee, and the memories that it cannot be applied to."""

import itertools

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import hopattn as ha
from hopattn.dynamics.single_neuron import CoupledSpins, StoredSpins, Sums
from hopattn.dynamics.updates import updates
from hopattn.dynamics.updates.asynchronous import Asynchronous, Glauber
from hopattn.dynamics.updates.continuous_time import Graded
from hopattn.dynamics.updates.synchronous import ConcaveConvex
from hopattn.foundation.errors import InvalidInput
from hopattn.retrieval.activation import Tanh, activations
from hopattn.retrieval.separation import separations
from tests.counts import count
from tests.draws import arrays, domain, in_dtypes, near, spins
from tests.each import each

TRIED = [updates[name].drawn(np.random.default_rng(0)) for name in updates] + [Glauber(0.0), Graded(0.1)]


def symmetric(data, n):
    root = np.round(data.draw(arrays((n, n))))
    return root + root.T


def all_spins(n):
    return np.array(list(itertools.product([-1.0, 1.0], repeat=n)))


def with_spin(states, i, spin):
    changed = states.copy()
    changed[:, i] = spin
    return changed


@given(data=st.data(), n=st.integers(2, 6))
def test_the_local_field_of_couplings_is_half_the_exact_energy_difference(data, n):
    network = ha.Hopfield(symmetric(data, n), bias=data.draw(arrays((n,))))
    states = data.draw(spins((3, n)))
    neurons = network.single_neuron_states(states)
    for i in range(n):
        down, up = (network.energy(with_spin(states, i, spin)) for spin in (-1.0, 1.0))
        np.testing.assert_allclose(neurons.local_field(i), (down - up) / 2, rtol=1e-12, atol=1e-9)


@given(data=st.data(), n=st.integers(2, 5), m=st.integers(1, 5))
@each("separation", separations)
def test_the_local_field_of_a_memory_is_half_the_exact_energy_difference(separation, data, n, m):
    memory = ha.Memory(data.draw(spins((m, n))), separation=separation, activation="sign", beta=0.5)
    if "energy" in memory.lacks:
        return
    states = data.draw(spins((3, n)))
    neurons = memory.single_neuron_states(states)
    for i in data.draw(st.permutations(range(n))):
        down, up = (memory.energy(with_spin(neurons.states, i, spin)) for spin in (-1.0, 1.0))
        np.testing.assert_allclose(neurons.local_field(i), (down - up) / 2, rtol=1e-9, atol=1e-9)
        neurons.set_neuron(i, np.where(neurons.local_field(i) >= 0, 1.0, -1.0))


@given(data=st.data(), n=st.integers(2, 6))
def test_a_sweep_turns_each_spin_as_the_energies_say(data, n):
    patterns, states = data.draw(spins((3, n))), data.draw(spins((2, n)))
    memory = ha.Memory(patterns, separation=separations["rectified_power"](n=3), activation="sign")
    order = data.draw(st.permutations(range(n)))
    expected = states.copy()
    for i in order:
        down, up = (memory.energy(with_spin(expected, i, spin)) for spin in (-1.0, 1.0))
        expected[:, i] = np.where(down == up, expected[:, i], np.where(up < down, 1.0, -1.0))
    found = memory.recall(states, update=Asynchronous(order), max_steps=1)
    assert np.array_equal(found.state, expected)


@st.composite
def couplings_and_states(draw):
    root = np.round(draw(st.integers(2, 4).flatmap(lambda n: arrays((n, n)))))
    root, n = (root + root.T) / 8, len(root)
    return draw(st.sampled_from([root, root @ root, root * (1 - np.eye(n))])), draw(arrays((2, n)))


@settings(max_examples=count(60, 3))
@given(drawn=couplings_and_states())
@each(("update", "activation", "dtype"), in_dtypes(itertools.product(TRIED, activations)))
def test_no_update_of_a_network_raises_the_energy_where_that_is_claimed(update, activation, dtype, drawn):
    couplings, states = drawn
    network = ha.Hopfield(couplings.astype(dtype), activation=activation)
    if not network.descends(update):
        assert network.descends(update).reason
        return
    states = domain(activation, states)
    states = ha.unit(np.where(np.any(states, axis=-1, keepdims=True), states, 1)) if activation == "unit" else states
    energies = network.recall(states.astype(dtype), update=update, max_steps=3).energies
    assert np.all(np.diff(energies) <= near(dtype) * np.maximum(1, np.abs(energies[:, :-1])))


@st.composite
def patterns_and_states(draw):
    n, m = draw(st.integers(2, 4)), draw(st.integers(1, 4))
    return draw(spins((m, n))), draw(spins((2, n)))


@settings(max_examples=count(20, 3))
@given(drawn=patterns_and_states())
@each(("update", "separation", "dtype"), in_dtypes(itertools.product(TRIED, [*separations, separations["power"](n=3)])))
def test_no_update_of_a_memory_raises_the_energy_where_that_is_claimed(update, separation, dtype, drawn):
    (patterns, states), n = (part.astype(dtype) for part in drawn), drawn[0].shape[1]
    for activation in ("sign", "tanh"):
        memory = ha.Memory(patterns / n, separation=separation, activation=activation)
        if memory.descends(update):
            energies = memory.recall(states, update=update, max_steps=2).energies
            assert np.all(np.diff(energies) <= near(dtype) * np.maximum(1, np.abs(energies[:, :-1])))


def test_a_network_without_self_couplings_has_a_cycle_under_sync_and_a_fixed_point_neuron_by_neuron():
    network = ha.Hopfield([[0, -1], [-1, 0]])
    assert network.recall([1, 1], update="sync").status == "cycle"
    for update in ("async", "concave_convex", Asynchronous("sequence"), Glauber(0)):
        found = network.recall([1.0, -1.0], update=update)
        assert (found.status, found.state.tolist()) == ("converged", [1, -1])
        assert network.descends(update)
    assert network.recall([1.0, 1.0], update="async", rng=0).status == "converged"


@given(data=st.data(), n=st.integers(2, 6))
def test_inertia_leaves_no_cycle_of_two(data, n):
    network = ha.Hopfield(symmetric(data, n))
    found = network.recall(data.draw(spins((3, n))), update="concave_convex", max_steps=200)
    assert set(found.status.tolist()) == {"converged"}


@given(data=st.data(), n=st.integers(2, 6))
def test_without_need_of_inertia_it_is_the_synchronous_step(data, n):
    patterns, states = data.draw(spins((2, n))), data.draw(spins((3, n)))
    memory = ha.Memory(patterns, separation="softmax", activation="sign")
    one, other = (memory.recall(states, update=update) for update in ("sync", "concave_convex"))
    assert np.array_equal(one.state, other.state)


def test_graded_neurons_with_inertia_rest_where_the_step_leaves_them():
    couplings = np.array([[0.0, -2.0], [-2.0, 0.0]])
    found = ha.Hopfield(couplings, activation=Tanh(2.0)).recall([0.5, 0.4], update=ConcaveConvex(), max_steps=10_000)
    assert found.converged
    np.testing.assert_allclose(np.tanh(2 * couplings @ found.state), found.state, atol=1e-10)


def test_random_order_is_the_same_for_one_seed_and_another_for_another():
    patterns = np.sign(np.random.default_rng(1).normal(size=(12, 30)))
    network = ha.Hopfield(ha.learning.hebb(patterns))
    cues = np.sign(np.random.default_rng(2).normal(size=(4, 30)))
    first, again, other = (network.recall(cues, update="async", rng=seed, max_steps=1).state for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    alone = network.recall(cues[2], update="async", rng=1, max_steps=1)
    assert np.array_equal(alone.state, first[2])


@each("kind", ["couplings", "memory"])
def test_glauber_comes_to_boltzmanns_distribution(kind):
    """20,000 chains of 40 sweeps (quick: 4,000 of 20); each frequency within 4.5 standard errors √(p(1−p)/chains)."""
    rng, temperature, chains = np.random.default_rng(7), 1.3, count(20_000, 4000)
    if kind == "couplings":
        memory = ha.Hopfield([[0, 1, -0.5], [1, 0, 0.3], [-0.5, 0.3, 0]], bias=[0.2, 0, -0.4])
    else:
        stored = [[1.0, 1, -1], [-1, 1, 1]]
        memory = ha.Memory(stored, separation=separations["rectified_power"](beta=0.5, n=3), activation="sign")
    states = all_spins(3)
    exact = np.exp(-memory.energy(states) / temperature)
    exact /= exact.sum()
    start = rng.choice([-1.0, 1.0], size=(chains, 3))
    found = memory.recall(start, update=Glauber(temperature), max_steps=count(40, 20), rng=3)
    assert set(found.status.tolist()) == {"limit"}
    counts = np.array([np.all(found.state == state, axis=1).sum() for state in states])
    assert np.all(np.abs(counts / chains - exact) <= 4.5 * np.sqrt(exact * (1 - exact) / chains))


def test_glauber_without_temperature_is_the_asynchronous_update():
    patterns = np.sign(np.random.default_rng(1).normal(size=(10, 24)))
    cues = np.sign(np.random.default_rng(2).normal(size=(5, 24)))
    network = ha.Hopfield(ha.learning.hebb(patterns))
    cold, single = (network.recall(cues, update=update, rng=4) for update in (Glauber(0), "async"))
    assert np.array_equal(cold.state, single.state)
    assert cold.status.tolist() == single.status.tolist() == ["converged"] * 5


def test_the_random_numbers_of_a_cue_do_not_depend_on_the_others():
    network = ha.Hopfield(ha.learning.hebb(np.sign(np.random.default_rng(1).normal(size=(3, 20)))))
    cue = np.ones(20)
    alone = network.recall([cue], update=Glauber(0.5), rng=9, max_steps=5)
    beside = network.recall([cue, -cue, cue], update=Glauber(0.5), rng=9, max_steps=5)
    assert np.array_equal(alone.state[0], beside.state[0])
    assert not np.array_equal(beside.state[0], beside.state[2])


def test_annealing_finds_the_ground_state_of_a_frustrated_network():
    root = np.random.default_rng(3).normal(size=(10, 10))
    network = ha.Hopfield(np.triu(root, 1) + np.triu(root, 1).T)
    ground = network.energy(all_spins(10)).min()
    cues = np.random.default_rng(4).choice([-1.0, 1.0], size=(20, 10))
    annealed = network.recall(cues, update=Glauber(4.0, cooling=0.9), max_steps=80, rng=5).energies[:, -1]
    quenched = network.recall(cues, update="async", rng=5).energies[:, -1]
    assert np.mean(np.isclose(annealed, ground)) > np.mean(np.isclose(quenched, ground))
    assert np.isclose(annealed.min(), ground)


@given(data=st.data(), n=st.integers(1, 4), dt=st.sampled_from([0.1, 1.0, 2.5]))
def test_linear_graded_neurons_follow_the_matrix_exponential(data, n, dt):
    couplings, state = data.draw(arrays((n, n))) / 8, data.draw(arrays((n,)))
    found = ha.Hopfield(couplings, activation="identity").recall(state, update=Graded(dt), max_steps=1)
    expected = scipy.linalg.expm(dt * (couplings - np.eye(n))) @ state
    np.testing.assert_allclose(found.state, expected, rtol=1e-7, atol=1e-8)


def test_graded_neurons_rest_in_hopfields_fixed_points():
    patterns = np.array([[1.0, 1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1]])
    network = ha.Hopfield(ha.learning.hebb(patterns), activation=Tanh(4.0), patterns=patterns)
    found = network.recall([0.2, 0.1, 0.3, 0.0, -0.1, -0.2], update="graded")
    assert (found.status, found.matched) == ("converged", 0)
    np.testing.assert_allclose(np.tanh(4 * network.field(found.state)), found.state, atol=1e-9)
    assert np.all(np.diff(found.energies) <= 1e-12)
    corner = network.recall(patterns[1], update="graded")  # tanh gives ±1 only in the limit
    assert corner.matched == 1


def test_a_flow_that_runs_off_within_finite_time_is_called_diverged():
    memory = ha.Memory([[1.0]], separation=separations["power"](n=4), activation="identity")
    assert memory.recall([[2.0], [0.5]], update="graded").status.tolist() == ["diverged", "converged"]


def test_beyond_the_ordinary_numbers_the_exponential_memory_works():
    n = count(10_000, 4000)  # the exponential of n/5, the score of the cue, is beyond the numbers too
    patterns = np.random.default_rng(1).choice([-1.0, 1.0], size=(20, n))
    memory = ha.Memory(patterns, separation="exponential", activation="sign")
    cue = patterns[3].copy()
    cue[: 2 * n // 5] *= -1
    for update in ("sync", Asynchronous(np.arange(n)[::-1])):
        found = memory.recall(cue, update=update)
        assert (found.status, found.matched) == ("converged", 3)
        assert np.all(np.isfinite(found.energies))
        assert found.energies[-1] == -n  # log of the sum is log of its largest
    assert np.all(np.isfinite(memory.weights(cue)))
    assert np.isfinite(memory.separation.potential(memory.scores(cue)))


def test_a_high_power_of_many_neurons_does_not_overflow_on_its_way():
    n = count(10_000, 4000)  # the score of the cue to the power of 100 is beyond the numbers too
    patterns = np.random.default_rng(1).choice([-1.0, 1.0], size=(20, n))
    memory = ha.Memory(patterns, separation=separations["rectified_power"](n=100), activation="sign")
    cue = patterns[3].copy()
    cue[: 3 * n // 10] *= -1
    assert np.array_equal(memory.step(cue), patterns[3])
    near = ha.Memory(patterns, separation=separations["rectified_power"](beta=1e-4, n=100), activation="sign")
    assert np.all(np.isfinite(near.recall(cue).energies))
    for update in ("sync", "async"):
        with pytest.raises(InvalidInput, match="energy: beyond the numbers of float64"):
            memory.recall(cue, update=update)
    with pytest.raises(InvalidInput, match="energy: beyond the numbers of float64"):
        memory.single_neuron_states(cue[None]).local_field(0)


@each(
    ("make", "message"),
    [
        (lambda: Asynchronous("rndom"), "did you mean 'random'"),
        (lambda: Asynchronous([0, 0, 1]), "the number of every neuron once"),
        (lambda: Asynchronous([0.5, 1]), "the number of every neuron once"),
        (lambda: Glauber(-0.1), "temperature: expected a finite number of at least 0, not -0.1"),
        (lambda: Glauber("hot"), "temperature: expected"),
        (lambda: Glauber(float("nan")), "temperature: expected"),
        (lambda: Glauber(1, cooling=0), "cooling: expected a positive"),
        (lambda: Glauber(1, cooling=1.5), "cooling: expected a number of at most 1"),
        (lambda: Graded(0), "dt: expected a positive"),
        (lambda: Graded(1e6), "dt: expected at most 1000 time constants"),
        (lambda: updates.make("glauber"), "needs temperature"),
    ],
)
def test_invalid_parameters_are_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


@each(
    ("memory", "update", "message"),
    [
        (ha.Memory(np.eye(2), activation="unit"), "async", "'unit' looks at all neurons together"),
        (ha.Memory(np.eye(2), np.ones((2, 2)), activation="sign"), "async", "values differ from keys"),
        (ha.Memory(np.eye(2), similarity="cosine", activation="sign"), "async", "is not the dot product"),
        (ha.Memory(np.eye(2), activation="sign"), Asynchronous([0, 1, 2]), "names 3 neurons, but there are 2"),
        (ha.Memory(np.eye(2)), Glauber(1), "is for spins, and the activation 'identity' gives none"),
        (ha.Memory(np.eye(2), activation="sign"), "graded", "need an activation with an inverse, and 'sign'"),
        (ha.Memory(np.eye(2), activation="layer_norm"), "graded", "need an activation with an inverse"),
        (ha.Memory(np.eye(2), separation="argmax"), "graded", "the weights of Argmax.* jump"),
        (ha.Hopfield([[0, 1], [-1, 0]]), "concave_convex", "not symmetric"),
        (ha.Hopfield([[0, -1], [-1, 0]], activation="layer_norm"), "concave_convex", "no form with inertia"),
        (ha.Memory(np.eye(2), separation=separations["power"](n=3)), "concave_convex", "inertia cannot fix this"),
    ],
)
def test_an_update_that_cannot_be_applied_is_refused(memory, update, message):
    with pytest.raises(InvalidInput, match=f"update: .*{message}"):
        memory.recall([1.0, 0.0], update=update)
    assert not memory.descends(update)


def test_a_sweep_leaves_the_states_that_it_was_given():
    states = np.ones((2, 3))
    for neurons in (
        CoupledSpins(states, Sums.over(np.eye(3)), np.zeros(3)),
        StoredSpins(states, np.eye(3), separations["softmax"]()),
    ):
        neurons.set_neuron(1, np.array([-1.0, 1.0]))
        assert np.all(states == 1)


@each("update", ["async", "concave_convex", Glauber(0), Asynchronous("sequence")])
@given(data=st.data(), n=st.integers(2, 5))
def test_an_unknown_neuron_decides_only_where_that_raises_nothing(update, data, n):
    network = ha.Hopfield(symmetric(data, n))
    cues = data.draw(spins((3, n))) * data.draw(hnp.arrays(np.float64, (3, n), elements=st.sampled_from([0.0, 1.0])))
    assert network.descends(update)
    energies = network.recall(cues, update=update).energies
    assert np.all(np.diff(energies) <= 1e-9 * np.maximum(1, np.abs(energies[:, :-1])))


def test_an_unknown_neuron_of_a_power_that_is_not_convex_stays_unknown():
    patterns = [[-0.9, 1.1, -0.9], [0.2, -0.4, -0.9]]
    memory = ha.Memory(patterns, separation=separations["power"](n=3), activation="sign")
    found = memory.recall([0.0, -1, -1], update=Asynchronous("sequence"))
    assert found.energies.tolist() == sorted(found.energies, reverse=True)


@given(data=st.data(), n=st.integers(2, 4))
def test_inertia_descends_from_inside_the_ball_too(data, n):
    network = ha.Hopfield(symmetric(data, n), activation="unit")
    states = data.draw(arrays((3, n))) / 32
    energies = network.recall(states, update="concave_convex", max_steps=4).energies
    assert np.all(np.diff(energies) <= 1e-9 * np.maximum(1, np.abs(energies[:, :-1])))


def test_mirrored_real_patterns_converge_at_a_tie():
    keys = [[-0.7, 0, -1.3], [1.9, -1, -0.3], [0.7, 0, -1.3], [-1.9, -1, -0.3]]
    memory = ha.Memory(keys, separation="softmax", activation="sign")
    assert memory.recall([1.0, 1, 1], update=Asynchronous("sequence")).status == "converged"


def test_a_tiny_time_is_not_a_fixed_point():
    network = ha.memories.graded([[1, 1, 1, 1, -1, -1]])
    assert network.recall([0.2, 0.1, 0.3, 0.0, 0.0, 0.0], update=Graded(1e-9), max_steps=3).status == "limit"


@each("update", ["async", Glauber(0.5), "graded", "concave_convex"])
def test_a_masked_pattern_is_as_if_it_were_not_there(update):
    patterns = np.random.default_rng(2).choice([-1.0, 1.0], size=(5, 12))
    mask = np.array([True, False, True, True, False])
    activation = "tanh" if update == "graded" else "sign"
    whole, fewer = (ha.Memory(p, beta=0.4, activation=activation) for p in (patterns, patterns[mask]))
    cues = np.random.default_rng(3).choice([-1.0, 1.0], size=(3, 12)) * (0.5 if update == "graded" else 1)
    found = whole.recall(cues, update=update, mask=mask, max_steps=3, rng=1)
    np.testing.assert_allclose(found.state, fewer.recall(cues, update=update, max_steps=3, rng=1).state, atol=1e-9)


def test_a_flow_begins_from_nothing_but_a_bias():
    root = np.random.default_rng(1).normal(size=(6, 6))
    network = ha.Hopfield(root + root.T, bias=[1.0, 0, 0, 0, 0, 0], activation=Tanh(2.0))
    found = network.recall(np.zeros(6), update=Graded(0.5), max_steps=100)
    assert np.all(np.diff(found.energies) <= 1e-12)


def test_a_flow_near_0_is_as_exact_as_any_other():
    network = ha.memories.graded([[1, 1, 1, 1, -1, -1]], beta=0.5)
    energies = network.recall(1e-9 * np.arange(1.0, 7.0), update=Graded(0.3), max_steps=20).energies
    assert np.all(np.diff(energies) < 0)
