"""Networks in files: they are those that Python builds, and their random numbers follow the seed."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.networks import Attention, Convolution, Dense, EnergyTransformer, Layer, Network, Patches, Stored
from hopattn.scenario.kinds import kinds
from tests.texts import parsed

TEMPLATE = kinds["network"].template()
HEAD = (
    'schema = 1\ntitle = "layers"\nsource = "ours"\nkind = "network"\n[vocabulary]\naxes = ["1", "2", "3"]\n'
    'magnitude = "free"\nwords = { a = [1, -1, 1], b = [1, 1, -1] }\n'
)
ROWS = [[1.0, -1, 1], [1, 1, -1]]


def arrays_of(text):
    return {name: array.values for name, array in ha.run(parsed(text)).arrays.items()}


def test_both_forms_of_the_two_layer_memory_are_the_memory(results):
    """The energy of a network has the same zero as that of `Memory`."""
    patterns = [[1, -1, -1, 1], [1, -1, 1, -1], [1.0, 1, 1, -1]]
    memory = ha.Memory(patterns, separation="softmax", beta=2)
    found = memory.recall([[0.9, 0.2, 0.4, -0.1]], keep="trajectory")
    for run in results["two-layers"].runs:
        visible = run.arrays["activities"].values[0, :, :4]
        np.testing.assert_allclose(visible[: len(found.trajectory)], found.trajectory[:, 0], rtol=1e-10)
        np.testing.assert_allclose(run.arrays["energy"].values[0, 0], memory.energy(visible[0]), rtol=1e-12)
        np.testing.assert_allclose(run.arrays["energy"].values[0, -1], memory.energy(visible[-1]), rtol=1e-12)


def test_the_parts_of_every_shipped_network_sum_to_its_energy(results):
    for name in ("two-layers", "three-layers", "three-body", "time-constants", "patches", "attends-itself"):
        for run in results[name].runs:
            energies, energy = run.arrays["energies"].values, run.arrays["energy"].values
            np.testing.assert_allclose(energies.sum(axis=1), energy, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    ("shapes", "on", "synapse", "of_python"),
    [
        ({"x": (3,), "y": (2,)}, "yx", "dense', weights = ['a', 'b']", Dense(ROWS)),
        ({"x": (3,)}, "x", "stored', keys = ['a', 'b'], separation = 'entmax', beta = 2",
         Stored(ROWS, "entmax", beta=2)),
        ({"x": (2, 3)}, "xx", "attention', beta = 0.3, mask = 'causal'", Attention(beta=0.3, mask="causal")),
        ({"x": (2, 3)}, "xx", "attention', query = [[1, 0, 2]], key = ['b']", Attention([[1.0, 0, 2]], [[1.0, 1, -1]])),
        ({"x": (5, 1), "y": (2, 2)}, "yx", "convolution', kernel = [[[1, 2]], [[0, 3]]], stride = 2",
         Convolution([[[1.0, 2]], [[0, 3]]], stride=2)),
        ({"x": (3,), "y": (3,)}, "xy", "dense', weights = [['a', 'b'], ['b', 'a']]",
         Dense(np.outer(ROWS[0], ROWS[1]) + np.outer(ROWS[1], ROWS[0]))),
    ],
)  # fmt: skip
def test_a_synapse_of_a_file_is_that_of_python(shapes, on, synapse, of_python):
    states = {name: np.arange(1.0, 1 + np.prod(shape)).reshape(shape) / 7 for name, shape in shapes.items()}
    text = f"{HEAD}[network]\nsynapses = [{{ name = '{synapse}, on = {[*on]} }}]\nmax_steps = 1\n[network.layers]\n"
    text += "".join(f"{name} = {{ shape = {[*shape]} }}\n" for name, shape in shapes.items()) + "[cue.one]\n"
    text += "".join(f"{name} = {state.tolist()}\n" for name, state in states.items())
    network = Network([Layer(name, shape) for name, shape in shapes.items()], [of_python.on(*on)])
    state, arrays = network.join(states), arrays_of(text)
    moved = network.step_of_layers(state)
    np.testing.assert_allclose(arrays["input"], [state], rtol=1e-15)
    np.testing.assert_allclose(arrays["parts"], [[*map(float, network.energies(moved).values())]])
    np.testing.assert_allclose(arrays["state"], [moved], rtol=1e-12)


def test_drawn_weights_follow_the_seed_and_a_cue_keeps_its_numbers_beside_others():
    text = TEMPLATE.replace('"tanh", beta = 2', '"identity"').replace(
        '"softmax" }', '{ name = "rectified_power", n = 3 }, tau = 2 }'
    )
    text = text.replace("visible = [0.5, 0.9, -0.9, -0.9, -0.9, -0.9]", 'visible = { of = "halves", noise = 0.1 }')
    text = text.replace('weights = ["stripes", "halves"]', "weights = { normal = 0.5, shape = [2, 6] }").replace(
        "clamp = []", "max_steps = 1"
    )
    more = text.replace("[cue.damaged]", '[cue.first]\nvisible = { of = "stripes", noise = 0.2 }\n[cue.damaged]')
    one, again, beside = arrays_of(text), arrays_of(text), arrays_of(more)
    other = arrays_of(text.replace("schema = 1", "schema = 1\nseed = 6"))
    assert np.array_equal(one["state"], again["state"]) and not np.array_equal(one["state"], other["state"])
    assert not np.array_equal(one["input"][0], beside["input"][0])
    neurons = (*(f"visible {i}" for i in range(1, 7)), "hidden 1", "hidden 2")
    assert ha.run(parsed(more)).arrays["state"].labels == (("first", "damaged"), neurons)
    np.testing.assert_array_equal(one["input"][0], beside["input"][1])


def test_a_block_of_pictures_is_that_of_python(results):
    every = 'pictures = { letters = "AJTX2" }\nmemory = { patterns = [ALL] }\ninput = { tokens = [ALL] }\n'
    head = HEAD[: HEAD.index("[vocabulary]")].replace("network", "memory")
    pictures = arrays_of(head + every.replace("ALL", '"A", "J", "T", "X", "2"'))["input"]
    patches = Patches(35, 7)
    block = EnergyTransformer.of_pictures(pictures, patches)
    damaged = np.where(np.arange(35) >= 20, 0.0, pictures[0])
    found = block.recall(patches.tokens(damaged), clamped=np.arange(7) < 4, max_steps=300)
    arrays = results["patches"].arrays
    np.testing.assert_allclose(arrays["state"].values[0], found.state.ravel(), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(arrays["energy"].values[0, : len(found.energies)], found.energies, rtol=1e-12)
