"""Networks in files: they are those that Python builds, and what is wrong in a file is named with its line."""

import numpy as np

import hopattn as ha
from hopattn.networks import Attention, Convolution, Dense, EnergyTransformer, Layer, Network, Patches, Stored
from hopattn.scenario.kinds import kinds
from hopattn.scenario.loading import parse
from hopattn.scenario.words.character_pictures import letters
from tests.each import each
from tests.refusal import problems

TEMPLATE = kinds["network"].template()
HEAD = """schema = 1
title = "layers"
source = "ours"
kind = "network"
[vocabulary]
axes = ["1", "2", "3"]
magnitude = "free"
[vocabulary.words]
a = [1, -1, 1]
b = [1, 1, -1]
twin = [1, 1, -1]
"""
ROWS = [[1.0, -1, 1], [1, 1, -1]]


def arrays_of(text):
    return {name: array.values for name, array in ha.run(parse(text, "n.toml", "n")).arrays.items()}


def test_the_template_runs():
    assert ha.run(parse(TEMPLATE, "t.toml", "t")).ok


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


@each(
    ("layers", "synapse", "own", "cue"),
    [
        ("x = { shape = 3 }\ny = { shape = 2 }", "dense', on = ['y', 'x'], weights = ['a', 'b'] }", Dense(ROWS), "xy"),
        ("x = { shape = 3 }", "stored', on = ['x'], keys = ['a', 'b'], separation = 'entmax', beta = 2 }",
         Stored(ROWS, "entmax", beta=2), "x"),
        ("x = { shape = [2, 3] }", "attention', on = ['x', 'x'], beta = 0.3, mask = 'causal' }",
         Attention(beta=0.3, mask="causal"), "x"),
        ("x = { shape = [2, 3] }", "attention', on = ['x', 'x'], query = [[1, 0, 2]], key = ['b'] }",
         Attention([[1.0, 0, 2]], [[1.0, 1, -1]]), "x"),
        ("x = { shape = [5, 1] }\ny = { shape = [2, 2] }",
         "convolution', on = ['y', 'x'], kernel = [[[1, 2]], [[0, 3]]], stride = 2 }",
         Convolution([[[1.0, 2]], [[0, 3]]], stride=2), "xy"),
        ("x = { shape = 3 }\ny = { shape = 3 }", "dense', on = ['x', 'y'], weights = [['a', 'b'], ['b', 'a']] }",
         Dense(np.outer(ROWS[0], ROWS[1]) + np.outer(ROWS[1], ROWS[0])), "xy"),
    ],
)  # fmt: skip
def test_a_synapse_of_a_file_is_that_of_python(layers, synapse, own, cue):
    text = f"{HEAD}[network]\nsynapses = [{{ name = '{synapse}]\nmax_steps = 1\n[network.layers]\n{layers}\n"
    shapes = {"x": (2, 3) if "[2, 3]" in layers else (5, 1) if "[5, 1]" in layers else (3,)}
    shapes |= {"y": (2, 2) if "[2, 2]" in layers else (3,) if layers.count("= 3") == 2 else (2,)} if "y" in cue else {}
    states = {name: np.arange(1.0, 1 + np.prod(shape)).reshape(shape) / 7 for name, shape in shapes.items()}
    text += "[cue.one]\n" + "\n".join(f"{name} = {state.tolist()}" for name, state in states.items())
    places = ["x", "x"] if "['x', 'x']" in synapse else ["x", "y"] if "['x', 'y']" in synapse else [*reversed(cue)]
    network = Network([Layer(name, shape) for name, shape in shapes.items()], [own.on(*places)])
    state = network.join(states)
    arrays = arrays_of(text)
    np.testing.assert_allclose(arrays["input"], [state], rtol=1e-15)
    np.testing.assert_allclose(
        arrays["parts"], [[*map(float, network.energies(network.step_of_layers(state)).values())]]
    )
    np.testing.assert_allclose(arrays["state"], [network.step_of_layers(state)], rtol=1e-12)


def test_a_layer_of_a_separation_with_parameters_and_drawn_weights_follow_the_seed():
    text = (
        HEAD.replace('kind = "network"', 'kind = "network"\nseed = 5')
        + """
[network]
max_steps = 1
[network.layers]
x = { shape = 3, activation = "tanh" }
y = { shape = 4, activation = { name = "rectified_power", n = 3 }, beta = 0.5, tau = 2 }
[[network.synapses]]
name = "dense"
on = ["y", "x"]
weights = { normal = 0.5, shape = [4, 3] }
[cue.one]
x = "a"
"""
    )
    one, again, other = arrays_of(text), arrays_of(text), arrays_of(text.replace("seed = 5", "seed = 6"))
    assert np.array_equal(one["state"], again["state"])
    assert not np.array_equal(one["state"], other["state"])


def test_a_block_of_pictures_is_that_of_python(results):
    pictures = np.array([letters()[name] for name in "AJTX2"])
    patches = Patches(35, 7)
    block = EnergyTransformer.of_pictures(pictures, patches)
    damaged = np.where(np.arange(35) >= 20, 0.0, pictures[0])
    found = block.recall(patches.tokens(damaged), clamped=np.arange(7) < 4, max_steps=300)
    arrays = results["patches"].arrays
    np.testing.assert_allclose(arrays["state"].values[0], found.state, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(arrays["energy"].values[0, : len(found.energies)], found.energies, rtol=1e-12)


NETWORK = (
    HEAD
    + """[network]
clamp = []
[network.layers]
seen = { shape = 3, activation = "sign", patterns = ["a", "b"] }
free = { shape = 2 }
[[network.synapses]]
name = "dense"
on = ["free", "seen"]
weights = ["a", "b"]
[cue.one]
seen = "a"
"""
)


@each(
    ("old", "new", "line", "message"),
    [
        ('on = ["free", "seen"]', 'on = ["free", "free"]', 17,
         "weights of shape (2, 3); expected (2, 2), the sizes of the layers"),
        ('on = ["free", "seen"]', 'on = ["seen", "free"]', 17, "; name the layers in the other order"),
        ("clamp = []", 'update = { name = "langevin", temperature = 1, dt = 0.1 }', 13,
         "and 'sign, identity' gives others; leave `update` out"),
        ('seen = "a"\n', 'seen = "a"\n[[expect]]\nat = "one"\nanswers = "a"\n', 25,
         "there is no array 'answers' here; it needs patterns on a second side, or of a second layer"),
        ("shape = 2", "shape = 0", 16, "0"),
        ('on = ["free", "seen"]', 'on = ["free", "sen"]', 19, "'sen' is unknown; did you mean 'seen'?"),
        ("clamp = []", 'clamp = ["seen", "free"]', 13,
         "all neurons are clamped, so that nothing can move; leave a layer free"),
        ("clamp = []", 'clamp = ["sen"]', 13, "'sen' is unknown; did you mean 'seen'?"),
        ('patterns = ["a", "b"]', 'patterns = ["b", "twin"]', 15,
         "'b' and 'twin' are the same pattern; a recall cannot tell them apart"),
        ('"sign", patterns', '"sgn", patterns', 15, "did you mean 'sign'?"),
        ("shape = 2", 'shape = 2, patterns = ["a"]', 16, "'a' has 3 elements, the layer 2 neurons"),
        ("shape = 2", 'shape = 2, activation = "linear_attention"', 16, "'linear_attention' is unknown"),
        ('name = "dense"', 'name = "function"', 17,
         "'function' is unknown (choices: attention, convolution, dense, stored)"),
        ('weights = ["a", "b"]', 'weights = ["a", "c"]', 20, "'c' is unknown"),
        ('weights = ["a", "b"]', "weights = [[1, 2], [3]]", 20, "expected numbers in rows of equal length"),
        ('weights = ["a", "b"]', 'weights = [["a"], ["a", "b"]]', 20, "expected as many words in each group"),
        ("clamp = []", 'update = "time"', 13, "the neurons of the layer 'seen' jump"),
        ('seen = "a"', "seen = [1, 2]", 22, "2 numbers do not fit the 3 neurons of the layer 'seen'"),
        ('seen = "a"', "seen = [1, 2, 3]", 21, "seen"),
        ('seen = "a"', 'sen = "a"', 22, "'sen' is unknown; did you mean 'seen'?"),
        ("[network]\n", "[energy_transformer]\nquery = [[[1]]]\n[network]\n", 1, "`network` and `energy_transformer`"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_network_is_named_with_its_line(old, new, line, message):
    found = problems(NETWORK.replace(old, new, 1))
    assert len(found) == 1 and found[0].startswith(f"file.toml:{line}: ") and message in found[0], found


BLOCK = """schema = 1
title = "block"
source = "ours"
kind = "network"
[pictures]
letters = "AJ"
[energy_transformer]
pictures = ["A", "J"]
patches = 7
[cue.one]
picture = { of = "A", hide = "top" }
"""


@each(
    ("old", "new", "line", "message"),
    [
        ("patches = 7", "patches = 6", 7, "got 6; expected a number that divides 35 pixels"),
        ('"A", "J"]', '"A", "K"]', 8, "'K' is unknown"),
        (', hide = "top"', "", 11, "every token is clamped"),
        ("picture = ", "pictur = ", 10, "'pictur' is unknown; did you mean 'picture'?"),
        ("patches = 7", "memories = [[1]]", 9, "belongs to `query`, and `pictures` is given"),
        ('pictures = ["A", "J"]\npatches = 7', "query = [[[1, 2]]]", 7, "needs `key` and `memories` beside `query`"),
        ('pictures = ["A", "J"]\npatches = 7', "query = [[[1, 2]]]\nkey = [[[1]]]\nmemories = [[1, 2]]", 7,
         "w_key: got shape"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_block_is_named_with_its_line(old, new, line, message):
    found = problems(BLOCK.replace(old, new, 1))
    assert len(found) == 1 and found[0].startswith(f"file.toml:{line}: ") and message in found[0], found


def test_a_network_that_is_too_large_is_refused_before_it_is_built():
    text = NETWORK.replace("shape = 2", "shape = 1000000000000")
    assert "a scenario may take 1 GiB" in problems(text)[0]
    text = NETWORK.replace('weights = ["a", "b"]', f"weights = [{['a'] * 60}]")
    assert "a scenario may take 1 GiB" in problems(text)[0]


def test_a_cue_keeps_its_random_numbers_beside_others():
    text = TEMPLATE.replace('"tanh", beta = 2', '"identity"')
    text = text.replace("visible = [0.5, 0.9, -0.9, -0.9, -0.9, -0.9]", 'visible = { of = "halves", noise = 0.1 }')
    more = text.replace("[cue.damaged]", '[cue.first]\nvisible = { of = "stripes", noise = 0.2 }\n[cue.damaged]')
    assert not np.array_equal(arrays_of(text)["input"][0], arrays_of(more)["input"][0])
    np.testing.assert_array_equal(arrays_of(text)["input"][0], arrays_of(more)["input"][1])
