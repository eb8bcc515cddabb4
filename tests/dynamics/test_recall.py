"""Recall: the rules that stop a cue, the record, and refused arguments."""

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopattn as ha
from hopattn.dynamics.record import Status
from hopattn.dynamics.updates import updates
from hopattn.dynamics.updates.synchronous import Synchronous
from hopattn.foundation.errors import InvalidInput
from hopattn.retrieval.activation import activations
from hopattn.retrieval.separation import separations
from tests.counts import count
from tests.draws import domain, spins, stores
from tests.each import each

CONVEX = [name for name in separations if separations[name]().convex]


@settings(max_examples=count(60, 4))
@given(store=stores())
@each("separation", CONVEX)
@each("activation", activations)
def test_the_arrays_of_a_record_agree(separation, activation, store):
    keys, cues, mask = store
    keys, cues = keys / 8, domain(activation, cues)
    memory = ha.Memory(keys, separation=separation, activation=activation)
    found = memory.recall(cues, update="sync", max_steps=30, mask=mask, keep=("trajectory",))
    n, dim = cues.shape
    last = found.steps.max()
    assert found.trajectory.shape == (last + 1, n, dim)
    assert found.energies.shape == (n, last + 1)
    assert np.array_equal(found.trajectory[0], cues)
    assert np.array_equal(found.trajectory[-1], found.state)
    assert np.array_equal(found.converged, found.status == "converged")
    energies = np.stack([memory.energy(x, mask) for x in found.trajectory], 1)
    scale = np.square(
        np.abs(cues).max(axis=1, keepdims=True) + np.abs(keys).max()
    )  # at a fixed point the energy is level
    assert np.all(np.abs(found.energies - energies) <= 1e-12 * (np.abs(energies) + scale))
    for i in range(n):
        own = found.trajectory[:, i]
        assert np.all(own[found.steps[i] :] == found.state[i])
        for t in range(found.steps[i] if found.status[i] != "diverged" else 0):
            np.testing.assert_allclose(memory.step(own[t], mask[i]), own[t + 1], rtol=1e-9, atol=1e-12)
        if found.converged[i]:
            np.testing.assert_allclose(memory.step(own[-1], mask[i]), own[-1], rtol=1e-9, atol=1e-11)
    rises = np.diff(found.energies, axis=1)
    assert np.all(rises <= 1e-12 * np.maximum(1, np.abs(found.energies[:, :-1])))


@given(store=stores())
def test_a_batch_is_recalled_as_its_cues_one_by_one(store):
    keys, cues, _ = store
    memory = ha.Memory(keys / 8, beta=4)
    together = memory.recall(cues / 8)
    for i, cue in enumerate(cues / 8):
        alone = memory.recall(cue)
        np.testing.assert_allclose(alone.state, together.state[i], rtol=1e-9, atol=1e-9)
        assert alone.status == together.status[i]
        assert alone.matched == together.matched[i]


@given(data=st.data(), n=st.integers(2, 8), m=st.integers(1, 4))
def test_spins_are_recalled_in_a_batch_exactly_as_alone(data, n, m):
    memory = ha.Memory(data.draw(spins((m, n))), separation="identity", activation="sign", beta=1 / n)
    cues = data.draw(spins((3, n)))
    together = memory.recall(cues)
    for i, cue in enumerate(cues):
        alone = memory.recall(cue)
        assert np.array_equal(alone.state, together.state[i])
        assert alone.steps == together.steps[i]


def test_one_step_of_recall_is_attention():
    rng = np.random.default_rng(1)
    keys, cues = rng.normal(size=(5, 4)), rng.normal(size=(3, 4))
    found = ha.Memory(keys, beta=0.5).recall(cues, max_steps=1)
    np.testing.assert_allclose(found.state, ha.attention(cues, keys, keys), rtol=1e-12)
    assert found.steps.tolist() == [1, 1, 1]


def test_by_default_neurons_of_a_network_change_one_after_another():
    """All at once, 867 of these 2,000 cues end in a cycle of two; neuron by neuron none does."""
    rng = np.random.default_rng(0)
    network = ha.memories.hopfield(rng.choice([-1.0, 1.0], size=(3, 10)))
    cues = rng.choice([-1.0, 1.0], size=(2000, 10))
    assert np.mean(network.recall(cues, update="sync").status == "cycle") > 0.2
    found = network.recall(cues)
    assert set(found.status) == {"converged"}
    assert np.array_equal(found.state, network.recall(cues, update=ha.Asynchronous("sequence")).state)
    assert network.descends()


@each(
    ("memory", "update"),
    [
        (ha.memories.hopfield([[1, -1]], activation="sign"), ha.Asynchronous("sequence")),
        (ha.memories.hopfield([[1, 0, 1]], activation="step"), ha.Asynchronous("sequence")),
        (ha.Hopfield([[0, 1], [-1, 0]]), ha.Asynchronous("sequence")),
        (ha.memories.dense([[1, -1]]), ha.Asynchronous("sequence")),
        (ha.Memory([[1.0, -1]], activation="sign"), ha.Asynchronous("sequence")),
        (ha.memories.graded([[1, -1]]), ha.Graded()),
        (ha.Hopfield([[0.5]], activation="identity"), Synchronous()),
        (ha.memories.modern([[1.0, -1]]), Synchronous()),
        (ha.memories.sequence([[1, -1], [1, 1]]), Synchronous()),
        (ha.memories.bam([[1, -1]], [[1, 1]]), Synchronous()),
        (ha.Associator(np.eye(2), activation="sign"), Synchronous()),
    ],
)
def test_each_memory_has_an_update_of_its_own(memory, update):
    assert memory.own_update == update
    assert memory.descends() == memory.descends(update)


def test_a_damaged_pattern_is_recalled_and_named():
    patterns = np.sign(np.random.default_rng(5).normal(size=(3, 100)))
    cue = patterns[1].copy()
    cue[:20] *= -1
    found = ha.Memory(patterns, separation="identity", activation="sign", beta=1 / 100).recall(cue)
    assert (found.status, found.matched, found.similarity) == ("converged", 1, pytest.approx(1, abs=1e-12))


def test_converged_is_not_remembered():
    patterns = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    found = ha.Memory(patterns, beta=0.1).recall([0.5, 0.3, 0.2])  # so soft that all patterns mix
    assert found.converged
    assert found.matched == -1
    assert found.similarity == pytest.approx(1 / np.sqrt(3), abs=1e-6)


def test_a_cycle_of_two_is_seen():
    m = ha.Memory([[1.0, 1.0], [1.0, -1.0]], [[-1.0, -1.0], [-1.0, 1.0]], separation="identity", activation="sign")
    found = m.recall([1.0, 1.0], keep=("trajectory",))
    assert (found.status, found.steps, found.converged) == ("cycle", 2, False)
    assert found.energies is None
    assert found.trajectory.tolist() == [[1, 1], [-1, -1], [1, 1]]


def test_growth_without_bound_is_seen():
    found = ha.Memory([[2.0, 0.0]], separation="identity").recall([[1.0, 0.0], [0.0, 1.0]])
    assert found.status.tolist() == ["diverged", "converged"]
    assert np.all(np.isfinite(found.state))
    assert np.all(np.isfinite(found.energies))


def test_the_step_limit_is_seen():
    assert ha.Memory(np.eye(2), beta=2.01).recall([0.6, 0.4], max_steps=2).status == "limit"


def test_every_status_has_its_sentence():
    assert all(status.meaning for status in Status)


def test_a_single_cue_drops_the_axis_everywhere():
    found = ha.Memory(np.eye(3), beta=4).recall([1.0, 0.0, 0.0], keep=("trajectory",))
    assert found.state.shape == (3,)
    assert np.ndim(found.steps) == np.ndim(found.matched) == np.ndim(found.similarity) == 0
    assert found.energies.ndim == 1
    assert found.trajectory.ndim == 2
    assert (found.status, found.status.meaning) == ("converged", found.meaning)


def test_updates_are_found_by_name_and_by_object():
    m = ha.Memory(np.eye(2))
    assert m.descends("sync").holds
    assert m.descends(Synchronous()).holds
    assert {"sync", "async", "glauber", "graded", "concave_convex"} <= set(updates)
    with pytest.raises(InvalidInput, match="update: 'snyc' is unknown; did you mean 'sync'"):
        m.recall([1.0, 0.0], update="snyc")


@each(
    ("cue", "options", "message"),
    [
        ([[1.0, 0.0], [np.nan, 0.0]], {}, "cues: row 1 holds a NaN"),
        ([1.0, 0.0, 0.0], {}, "cues: dim 3 does not fit patterns of dim 2"),
        (np.zeros((0, 2)), {}, "cues: expected"),
        (np.zeros((1, 1, 2)), {}, "cues: expected"),
        ([1.0, 0.0], {"max_steps": 0}, "max_steps: expected a whole number"),
        ([1.0, 0.0], {"max_steps": 10**30}, "max_steps: expected a whole number from 1 to 100000000, not 1000"),
        ([1.0, 0.0], {"tol": -1.0}, "tol: expected"),
        ([1.0, 0.0], {"tol": np.nan}, "tol: expected"),
        ([1.0, 0.0], {"keep": ("trajctory",)}, "did you mean 'trajectory'"),
    ],
)
def test_a_recall_that_cannot_be_done_is_refused(cue, options, message):
    with pytest.raises(InvalidInput, match=message):
        ha.Memory(np.eye(2)).recall(cue, **options)


def test_a_cue_outside_the_domain_is_refused_by_its_row():
    patterns = np.array([[1.0, -1.0]])
    with pytest.raises(InvalidInput, match=r"row 1 holds 0\.5; spins are"):
        ha.Memory(patterns, activation="sign").recall([[1.0, 0.0], [0.5, 1.0]])
    with pytest.raises(InvalidInput, match=r"the cue has magnitude 1\.41421; expected at most 1"):
        ha.Memory(patterns, activation="unit").recall([1.0, 1.0])


def test_a_memory_of_numpy_arrays_refuses_cues_of_another_library():
    with pytest.raises(InvalidInput, match="cues: the memory holds NumPy arrays"):
        ha.Memory(np.eye(2)).recall(array_api_strict.asarray([0.6, 0.4]))


def test_convergence_is_relative_to_the_size_of_the_patterns():
    memory = ha.Memory(np.eye(2) * 1e-12, beta=4e24)
    found = memory.recall([6e-13, 4e-13])
    assert found.converged
    np.testing.assert_allclose(memory.step(found.state), found.state, rtol=1e-9)


def test_the_recall_of_a_cue_does_not_depend_on_the_others():
    memory = ha.Memory([[1.2, 0.0], [0.0, 1.0]], separation="identity")
    alone = memory.recall([[1.0, 0.1]], max_steps=60)
    beside = memory.recall([[1.0, 0.1], [1e8, 0.0]], max_steps=60)
    assert alone.status[0] == beside.status[0]
    assert np.array_equal(alone.state[0], beside.state[0])


@each(
    ("options", "message"),
    [
        ({"mask": [True, False, True]}, "mask: shape"),
        ({"mask": "causal"}, "mask: recall takes booleans"),
        ({"mask": [[1, 0]]}, "mask: expected booleans"),
        ({"mask": [[True], [True, False]]}, "mask: rows of unequal length"),
        ({"tol": "a"}, "tol: expected a finite number of at least 0, not 'a'"),
        ({"rng": "a"}, "rng: expected a seed"),
        ({"rng": -1}, "rng: expected a seed"),
        ({"rng": np.random.RandomState(1)}, "rng: expected a seed"),
    ],
)
def test_invalid_options_are_refused(options, message):
    with pytest.raises(InvalidInput, match=message):
        ha.Memory(np.eye(2)).recall([1.0, 0.0], **options)
