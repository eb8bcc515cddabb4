"""Updates: the step of each, its guarantee, and the memories that it cannot be applied to."""

import itertools

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import hopattn as ha
from hopattn import Asynchronous, ConcaveConvex, Glauber, Graded, InvalidInput, activations, separations, updates
from tests.draws import arrays, count, domain, in_dtypes, near, spins

both_kernels = pytest.mark.usefixtures("both_kernels")
TRIED = [updates[name].drawn(np.random.default_rng(0)) for name in updates] + [Glauber(0.0), Graded(0.1)]


def symmetric(data, n):
    root = np.round(data.draw(arrays((n, n))))
    return root + root.T


def all_spins(n):
    return np.array(list(itertools.product([-1.0, 1.0], repeat=n)))


@st.composite
def couplings_and_states(draw):
    root = np.round(draw(st.integers(2, 4).flatmap(lambda n: arrays((n, n)))))
    root, n = (root + root.T) / 8, len(root)
    return draw(st.sampled_from([root, root @ root, root * (1 - np.eye(n))])), draw(arrays((2, n)))


@settings(max_examples=count(60, 3))
@given(drawn=couplings_and_states())
@pytest.mark.parametrize(("update", "activation", "dtype"), in_dtypes(itertools.product(TRIED, activations)))
def test_no_update_of_a_network_raises_the_energy_where_that_is_claimed(update, activation, dtype, drawn):
    couplings, states = drawn
    network = ha.Hopfield(couplings.astype(dtype), activation=activation)
    if not network.descends(update):
        assert network.descends(update).reason
        return
    states = domain(activation, states)
    states = ha.unit(np.where(np.any(states, axis=-1, keepdims=True), states, 1)) if activation == "unit" else states
    energies = network.recall(states.astype(dtype), update=update, max_steps=3).energies
    assert np.all(np.diff(energies, axis=0) <= near(dtype) * np.maximum(1, np.abs(energies[:-1])))


@st.composite
def patterns_and_states(draw):
    n, m = draw(st.integers(2, 4)), draw(st.integers(1, 4))
    return draw(spins((m, n))), draw(spins((2, n)))


@settings(max_examples=count(20, 3))
@given(drawn=patterns_and_states())
@pytest.mark.parametrize(
    ("update", "separation", "dtype"), in_dtypes(itertools.product(TRIED, [*separations, separations["power"](n=3)]))
)
def test_no_update_of_a_memory_raises_the_energy_where_that_is_claimed(update, separation, dtype, drawn):
    (patterns, states), n = (part.astype(dtype) for part in drawn), drawn[0].shape[1]
    for activation in ("sign", "tanh"):
        memory = ha.Memory(patterns / n, separation=separation, activation=activation)
        if memory.descends(update):
            energies = memory.recall(states, update=update, max_steps=2).energies
            assert np.all(np.diff(energies, axis=0) <= near(dtype) * np.maximum(1, np.abs(energies[:-1])))


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
    found = ha.Hopfield(couplings, activation=activations["tanh"](2.0)).recall(
        [0.5, 0.4], update=ConcaveConvex(), max_steps=10_000
    )
    assert found.converged
    np.testing.assert_allclose(np.tanh(2 * couplings @ found.state), found.state, atol=1e-10)


@both_kernels
@pytest.mark.parametrize("kind", ["couplings", "memory"])
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


def test_glauber_without_temperature_is_the_asynchronous_update_in_random_order():
    patterns = np.sign(np.random.default_rng(1).normal(size=(10, 24)))
    cues = np.sign(np.random.default_rng(2).normal(size=(5, 24)))
    network = ha.Hopfield(ha.learning.hebb(patterns))
    cold, single = (network.recall(cues, update=update, rng=4) for update in (Glauber(0), Asynchronous("random")))
    assert np.array_equal(cold.state, single.state)
    assert cold.status.tolist() == single.status.tolist() == ["converged"] * 5


@both_kernels
@pytest.mark.parametrize("update", [Asynchronous("random"), Glauber(0.5)])
def test_draws_are_the_same_for_one_seed_others_for_another_and_those_of_a_cue_its_own(update):
    patterns = np.sign(np.random.default_rng(1).normal(size=(12, 30)))
    network, cues = ha.Hopfield(ha.learning.hebb(patterns)), np.sign(np.random.default_rng(2).normal(size=(4, 30)))
    first, again, other = (network.recall(cues, update=update, rng=seed, max_steps=1).state for seed in (1, 1, 2))
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    assert np.array_equal(network.recall(cues[0], update=update, rng=1, max_steps=1).state, first[0])
    alike = network.recall(cues[[0, 0]], update=update, rng=1, max_steps=1).state
    assert np.array_equal(alike[0], alike[1]) == (
        update == Asynchronous("random")
    )  # one order for all cues, but draws for each


def test_annealing_finds_the_ground_state_of_a_frustrated_network():
    root = np.random.default_rng(3).normal(size=(10, 10))
    network = ha.Hopfield(np.triu(root, 1) + np.triu(root, 1).T)
    ground = network.energy(all_spins(10)).min()
    cues = np.random.default_rng(4).choice([-1.0, 1.0], size=(20, 10))
    annealed = network.recall(cues, update=Glauber(4.0, cooling=0.9), max_steps=80, rng=5).energies[-1]
    quenched = network.recall(cues, update="async", rng=5).energies[-1]
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
    network = ha.Hopfield(ha.learning.hebb(patterns), activation=activations["tanh"](4.0), patterns=patterns)
    found = network.recall([0.2, 0.1, 0.3, 0.0, -0.1, -0.2], update="graded")
    assert (found.status, found.matched) == ("converged", 0)
    np.testing.assert_allclose(np.tanh(4 * network.field(found.state)), found.state, atol=1e-9)
    assert np.all(np.diff(found.energies, axis=0) <= 1e-12)
    corner = network.recall(patterns[1], update="graded")  # tanh gives ±1 only in the limit
    assert corner.matched == 1


def test_a_flow_that_runs_off_within_finite_time_is_called_diverged():
    memory = ha.Memory([[1.0]], separation=separations["power"](n=4), activation="identity")
    assert memory.recall([[2.0], [0.5]], update="graded").status.tolist() == ["diverged", "converged"]


@both_kernels
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


@both_kernels
@pytest.mark.parametrize("update", ["async", "concave_convex", Glauber(0), Asynchronous("random")])
@given(data=st.data(), n=st.integers(2, 5))
def test_an_unknown_neuron_decides_only_where_that_raises_nothing(update, data, n):
    network = ha.Hopfield(symmetric(data, n))
    cues = data.draw(spins((3, n))) * data.draw(hnp.arrays(np.float64, (3, n), elements=st.sampled_from([0.0, 1.0])))
    assert network.descends(update)
    energies = network.recall(cues, update=update).energies
    assert np.all(np.diff(energies, axis=0) <= 1e-9 * np.maximum(1, np.abs(energies[:-1])))


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
    assert np.all(np.diff(energies, axis=0) <= 1e-9 * np.maximum(1, np.abs(energies[:-1])))


def test_mirrored_real_patterns_converge_at_a_tie():
    keys = [[-0.7, 0, -1.3], [1.9, -1, -0.3], [0.7, 0, -1.3], [-1.9, -1, -0.3]]
    memory = ha.Memory(keys, separation="softmax", activation="sign")
    assert memory.recall([1.0, 1, 1], update=Asynchronous("sequence")).status == "converged"


def test_a_tiny_time_is_not_a_fixed_point():
    network = ha.memories.graded([[1, 1, 1, 1, -1, -1]])
    assert network.recall([0.2, 0.1, 0.3, 0.0, 0.0, 0.0], update=Graded(1e-9), max_steps=3).status == "limit"


@both_kernels
@pytest.mark.parametrize("update", ["async", Glauber(0.5), "graded", "concave_convex"])
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
    network = ha.Hopfield(root + root.T, bias=[1.0, 0, 0, 0, 0, 0], activation=activations["tanh"](2.0))
    found = network.recall(np.zeros(6), update=Graded(0.5), max_steps=100)
    assert np.all(np.diff(found.energies, axis=0) <= 1e-12)


def test_a_flow_near_0_is_as_exact_as_any_other():
    network = ha.memories.graded([[1, 1, 1, 1, -1, -1]], beta=0.5)
    energies = network.recall(1e-9 * np.arange(1.0, 7.0), update=Graded(0.3), max_steps=20).energies
    assert np.all(np.diff(energies, axis=0) < 0)
