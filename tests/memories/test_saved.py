"""Memories in files: what is read is what was saved, and nothing else is read."""

import json
import os
import zipfile

import numpy as np
import pytest

import hopattn as ha
from hopattn.experiments.random_memories import random_memory
from hopattn.foundation.errors import CannotDo
from hopattn.memories import named_memories
from hopattn.networks import Function, Layer, Network
from hopattn.results.files import npz
from tests.networks.random_networks import LAGRANGIANS, random_network, random_states
from tests.refusal import refused


def cues_of(memory, rng):
    dim = getattr(memory, "keys", getattr(memory, "couplings", memory.patterns)).shape[-1]
    return np.asarray(memory.activation(rng.normal(size=(3, dim))))


def assert_same(found, memory, cues):
    assert type(found) is type(memory)
    assert repr(found) == repr(memory)
    assert found.step(cues).tobytes() == memory.step(cues).tobytes()
    assert found.why_not("energy") == memory.why_not("energy")
    if not memory.why_not("energy"):
        assert found.energy(cues).tobytes() == memory.energy(cues).tobytes()
    assert np.array_equal(found.patterns, memory.patterns)


@pytest.mark.parametrize("name", named_memories)
def test_every_named_memory_is_read_as_it_was_saved(name, tmp_path):
    rng = np.random.default_rng(1)
    for _ in range(4):
        memory = random_memory(named_memories[name], rng)
        memory.save(tmp_path / "m.npz")
        assert_same(ha.load(tmp_path / "m.npz"), memory, cues_of(memory, rng))


@pytest.mark.parametrize("registry", [ha.similarities, ha.separations, ha.activations])
def test_every_part_keeps_its_parameters(registry, tmp_path):
    needed = {"power": {"n": 4}, "rectified_power": {"n": 5}, "k_subsets": {"k": 2}, "threshold": {"t": 0.1}}
    for name in registry:
        part = registry.make(name, **needed.get(name, {}))
        memory = ha.Memory(np.eye(3), **{registry.what: part})
        memory.save(tmp_path / "m.npz")
        assert getattr(ha.load(tmp_path / "m.npz"), registry.what) == part


@pytest.mark.parametrize(
    "memory",
    [
        ha.Memory(np.eye(3, dtype=np.float32), np.ones((3, 2), np.float32), beta=0.1 + 0.2),
        ha.Memory(np.eye(3), patterns=2 * np.eye(3)),
        ha.Hopfield(np.asfortranarray([[0.0, 0.3], [0.3, 0.0]]), bias=0.1, activation="tanh"),
        ha.Hopfield([[0.0, 0.3], [0.3, 0.0]], bias=[0.1, 0.2]),
        ha.Associator([[0.5, 0.5, 1.0], [0.5, -0.5, 0.1]]),
    ],
)
def test_arrays_keep_their_dtype_and_their_sharing(memory, tmp_path):
    memory.save(tmp_path / "m.npz")
    found = ha.load(os.fspath(tmp_path / "m.npz"))
    assert_same(found, memory, cues_of(memory, np.random.default_rng(2)))
    if isinstance(memory, ha.Memory):
        assert found.keys.dtype == memory.keys.dtype
        assert found.autoassociative == memory.autoassociative
        assert (found.patterns is found.values) == (memory.patterns is memory.values)


def test_the_header_is_json_that_a_person_can_read(tmp_path):
    ha.memories.sparse(np.eye(2), alpha=1.5, beta=4.0).save(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz", allow_pickle=False) as archive:
        header = json.loads(str(archive["header"]))
    assert header["kind"] == "Memory"
    assert header["separation"] == {"part": "entmax", "beta": 4.0, "alpha": 1.5}
    assert header["values"] == {"array": "keys"}


class OwnMemory(ha.Memory):
    """A kind of memory that no file can name."""


class OwnSoftmax(ha.separations.softmax):
    """A separation that is not in a registry."""


def test_a_file_that_cannot_be_replaced_stays_whole(tmp_path, monkeypatch):
    file = tmp_path / "m.npz"
    ha.Memory(np.eye(2)).save(file)

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(CannotDo, match="No space left"):
        ha.Memory(np.eye(3)).save(file)
    assert [one.name for one in tmp_path.iterdir()] == ["m.npz"]
    assert len(ha.load(file).keys) == 2


GOOD = {"hopattn memory": 1, "kind": "Hopfield", "couplings": {"array": "couplings"}}
ARRAYS = {"couplings": np.zeros((2, 2))}
NO_MEMORY, NO_ARCHIVE = "not a memory that `save` wrote", "not a .npz archive"


def archive(header, **arrays):
    return npz({"header": np.array(json.dumps(header)), **arrays})


WRONG = [
    (b"", NO_ARCHIVE),
    (b"keys, values", NO_ARCHIVE),
    (archive(GOOD, **ARRAYS)[:-40], NO_ARCHIVE),
    (archive(GOOD), NO_MEMORY),
    (archive([1]), NO_MEMORY),
    (archive({**GOOD, "couplings": 3}, **ARRAYS), NO_MEMORY),
    (archive({**GOOD, "hopattn memory": 2}, **ARRAYS), "version 2", "version 1"),
    (archive({**GOOD, "kind": "Hopfeld"}, **ARRAYS), "kind: 'Hopfeld'", "did you mean 'Hopfield'"),
    (archive({**GOOD, "biass": {"array": "couplings"}}, **ARRAYS), "Hopfield: 'biass' is unknown"),
    (archive({**GOOD, "activation": {"part": "sgn"}}, **ARRAYS), "activation: 'sgn' is unknown"),
    (archive({**GOOD, "activation": {"part": "tanh", "beta": -1}}, **ARRAYS), "beta: ", "positive"),
    (archive(GOOD, couplings=np.zeros((2, 3))), "couplings: ", "square matrix"),
]
CANNOT = [
    (ha.Memory(np.eye(2)), "m.npy", "'m.npy'", ".npz"),
    (OwnMemory(np.eye(2)), "m.npz", "OwnMemory has no file"),
    (ha.Memory(np.eye(2), separation=OwnSoftmax()), "m.npz", "OwnSoftmax", "registry"),
    (Network([Layer("a", 2)], [Function(lambda g: g.sum(-1), lambda g: (g,)).on("a")]), "m.npz", "'a synapse'"),
]


@pytest.mark.parametrize(("data", "words"), [(row[0], row[1:]) for row in WRONG])
def test_a_file_that_is_not_a_memory_is_refused(data, words, tmp_path):
    (tmp_path / "m.npz").write_bytes(data)
    refused(lambda: ha.load(tmp_path / "m.npz"), "", *words)
    refused(lambda: ha.load(tmp_path / "n.npz"), "", "'n.npz'", "did you mean 'm.npz'")


@pytest.mark.parametrize(("memory", "name", "words"), [(*row[:2], row[2:]) for row in CANNOT])
def test_a_memory_that_no_file_can_hold_is_refused(memory, name, words, tmp_path):
    refused(lambda: memory.save(tmp_path / name), "save: ", *words)
    assert list(tmp_path.iterdir()) == []


def test_nothing_in_a_file_is_executed(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (os.fspath(tmp_path / "sprung"),)

    with zipfile.ZipFile(tmp_path / "m.npz", "w") as zipped, zipped.open("header.npy", "w") as stream:
        np.lib.format.write_array(stream, np.array([Trap()], dtype=object), allow_pickle=True)
    refused(lambda: ha.load(tmp_path / "m.npz"), "'m.npz': 'header' holds Python objects")
    assert not (tmp_path / "sprung").exists()


def test_a_network_is_read_as_it_was_saved(tmp_path):
    rng, file = np.random.default_rng(0), tmp_path / "n.npz"
    for last in LAGRANGIANS:
        network = random_network(rng, last=last)
        name = network.layers[0].name
        known = rng.normal(size=(2, *network[name].shape))
        network = Network(network.layers, network.synapses, patterns={name: known}).clamped([name])
        network.save(file)
        found, states = ha.load(file), random_states(network, rng)
        assert repr(found) == repr(network) and found.layers == network.layers
        assert found.patterns_of == name and np.array_equal(found.patterns, network.patterns)
        assert np.array_equal(found.held, network.held)
        assert found.step_of_layers(states).tobytes() == network.step_of_layers(states).tobytes()
        np.testing.assert_equal(found.energies(states), network.energies(states))
