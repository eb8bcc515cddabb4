"""Wrong arguments of networks, learning rules, ensembles and blocks: each is refused by its name."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.networks import Attention, Convolution, Dense, Layer, Network, Stored
from tests.networks.random_networks import P, two_layers
from tests.refusal import refused

EYE, NAN, POWER = np.eye(2), np.nan, ha.separations["power"](n=3)
nets, learn, act = ha.networks, ha.learning, {"activation": "step"}
NETWORK, ONES, SIX = ha.memories.hopfield(np.ones((1, 4))), np.ones((1, 2, 4)), {"visible": np.ones(6)}
BLOCK = nets.EnergyTransformer(ONES, ONES, np.ones((1, 4)))
TOKENS, STATES = np.random.default_rng(0).normal(size=(2, 4)), "temperature: expected finite numbers above 0, "
EVERY = np.where(np.arange(8)[:, None] >> np.arange(3) & 1, 1.0, -1.0)
RULES = (*learn.rules, "storkey_by_definition", "perceptron_by_definition")


def block(w_query=ONES, w_key=ONES, memories=ONES[0, :1], **options):
    return lambda: nets.EnergyTransformer(w_query, w_key, memories, **options)


def tokens(**options):
    return lambda: BLOCK.recall(TOKENS, **options)


def one(*synapses, shape=2):
    return lambda: Network([Layer("a", shape)], synapses)


def pair(synapse):
    """A synapse from 2 tokens of dim 3 to 4 tokens."""
    return lambda: Network([Layer("a", (2, 3)), Layer("b", (4, 3))], [synapse.on("a", "b")])


def two(cues=SIX, hidden="softmax", **options):
    return lambda: two_layers(hidden=hidden).recall(cues, **options)


ROWS = [
    (lambda: ha.Associator([1.0]), "couplings: ", "expected (dim_out, dim)"),
    (lambda: ha.Associator(np.zeros((0, 2))), "couplings: ", "expected (dim_out, dim)"),
    (lambda: ha.Associator([[np.inf]]), "couplings: row 0", "infinity"),
    (
        lambda: ha.Associator([[1.0, 2.0]], patterns=[[1.0, 2.0]]),
        "patterns",
        "got shape (1, 2)",
        "dim_out = 1 of couplings",
    ),
    (lambda: ha.Associator([[1.0]], activation="sgn"), "activation: ", "did you mean 'sign'"),
    (lambda: ha.Associator([[1.0, 2.0]]).step([1.0]), "cues: got shape (1,)", "dim = 2 of couplings"),
    (lambda: ha.Associator([[1.0]]).step([1.0], mask=[True]), "mask: ", "no patterns"),
    (lambda: ha.Associator([[1.0, 2.0]]).recall([NAN, 1.0]), "cues: ", "NaN"),
    (lambda: ha.Associator([[1.0], [1.0]]).energy([1.0]), "energy: ", "not a state of its cue"),
    (lambda: ha.Hopfield([[1, 2]]), "couplings: ", "square matrix"),
    (lambda: ha.Hopfield([[NAN]]), "couplings: row 0", "NaN"),
    (lambda: ha.Hopfield([[1]], bias=[1, 2]), "bias: shape"),
    (lambda: ha.Hopfield([[1]], bias=np.inf), "bias: ", "infinity"),
    (lambda: ha.Hopfield([[1]], patterns=[[1, 2]]), "patterns: got shape (1, 2)", "dim_out = 1"),
    (lambda: ha.Hopfield(EYE, patterns=[1, 1]), "patterns: "),
    (lambda: ha.Hopfield(EYE, patterns=[[1, NAN]]), "patterns: row 0", "NaN"),
    (lambda: ha.Hopfield([[1]], activation="sgin"), "activation: ", "did you mean 'sign'"),
    (lambda: ha.Hopfield([[1]]).step([1, 2]), "cues", "got shape (2,)", "dim = 1 of couplings"),
    (lambda: ha.Hopfield([[1]]).step([1], [True]), "mask: ", "no patterns"),
    (lambda: ha.Hopfield([[1]]).recall([[1], [0.5]]), "cues: row 1 holds 0.5", "spins"),
    (lambda: ha.Hopfield([[0, 1], [-1, 0]]).energy([1, 1]), "energy: ", "not symmetric"),
    (lambda: ha.memories.hopfield([[1, -1]], **act), "patterns: row 0 holds -1", "0 or 1"),
    (lambda: ha.memories.hopfield([[1, 0]]), "patterns: row 0 holds 0"),
    (lambda: ha.memories.hopfield([[1, 0], [0, 0]], **act), "patterns: row 1 is zero"),
    (lambda: ha.memories.hopfield([[1, 0]], rule="storkey", **act), "rule: ", "'storkey'", "±1"),
    (lambda: ha.memories.hopfield([[1, 1]], activation="stp"), "activation: ", "did you mean 'step'"),
    (lambda: ha.memories.hopfield([[1, 1]], bias="x"), "bias: "),
    (lambda: ha.memories.hopfield([[1, 0]], **act).recall([1, -1]), "cues: ", "holds -1", "0 or 1"),
    (lambda: ha.Memory(EYE, **act).recall([1, 0], update="async"), "update: ", "0 and 1", "a network of couplings"),
    (lambda: learn.pseudo_inverse([[1, 1, 1], [1, -1, 1], [-1, -1, -1]]), "patterns: row 2 depends on those before it"),
    (lambda: learn.pseudo_inverse([[1, 1, 1], [0, 0, 0], [1, 1, -1]]), "patterns: row 1 depends on those before it"),
    (lambda: learn.delta([[1, 0], [0, 0], [0, 0]], [[1], [1], [1]]), "keys: row 1 is zero"),
    (lambda: learn.delta([[1, 1], [1.7e308] * 2], [[1], [1]]), "keys: row 1", "longer than the largest number"),
    (lambda: learn.perceptron([[1, -1]], stability=-1), "stability: ", "-1"),
    (lambda: learn.perceptron(EVERY, max_sweeps=50), "patterns: ", "8 patterns of 3 neurons", "after 50 sweeps"),
    (lambda: learn.perceptron([[1, -1]], stability=NAN), "stability: ", "nan"),
    (lambda: learn.perceptron([[1, -1]], stability="a"), "stability: ", "'a'"),
    (lambda: nets.boltzmann(ha.memories.hopfield(np.ones((1, 17))), 1.0), "memory: 17 spins", "2^17", "at most 16"),
    (lambda: nets.boltzmann(NETWORK, 0), STATES + "not 0", "use a recall"),
    (lambda: nets.boltzmann(NETWORK, [1, -2]), STATES + "not [1, -2]"),
    (lambda: nets.boltzmann(NETWORK, "hot"), STATES + "not 'hot'"),
    (lambda: nets.boltzmann(NETWORK, []), STATES + "not []"),
    (lambda: nets.boltzmann(NETWORK, 1e301), "temperature: 1e+301", "at most 1e+300"),
    (lambda: nets.boltzmann(np.ones((4, 4)), 1.0), "memory: ", "ha.memories.hopfield"),
    (lambda: nets.boltzmann(ha.memories.modern(np.eye(3)), 1.0), "memory: ", "'identity' gives no spins"),
    (lambda: nets.boltzmann(ha.memories.graded(np.ones((1, 4))), 1.0), "memory: ", "'tanh' gives no spins"),
    (lambda: nets.boltzmann(ha.Hopfield([[0, 1], [2, 0]]), 1.0), "memory: ", "no energy", "not symmetric"),
    (
        lambda: nets.boltzmann(ha.memories.sdm(np.ones((2, 4)), np.ones((2, 4)), radius=1), 1.0),
        "memory: it has no energy",
    ),
    (lambda: nets.curie_weiss(0, 1.0), "n: ", "from 1 to 1000000", "not 0"),
    (lambda: nets.curie_weiss(10, 1e-300), "temperature: 1e-300", "energy of 5"),
    (lambda: nets.mean_field(-1), STATES + "not -1"),
    (block(w_key=np.ones((1, 3, 4))), "w_key: got shape"),
    (block(memories=np.ones((1, 3))), "memories: got shape (1, 3)", "dim = 4 of w_query"),
    (block(beta=0), "beta: ", "positive"),
    (block(separation="sofmax"), "separation: ", "softmax"),
    (block(w_query=ONES * NAN), "w_query: "),
    (block(w_key=ONES * NAN), "w_key: "),
    (block(memories=ONES[0] * NAN), "memories: "),
    (lambda: BLOCK.recall(np.ones(3)), "tokens: got shape"),
    (tokens(clamped=[True, True]), "clamped: ", "every token"),
    (tokens(clamped=[1, 0, 0]), "clamped: got", "2 booleans"),
    (tokens(update="graded"), "update: "),
    (tokens(mask=[True]), "mask: "),
    (
        lambda: ha.memories.modern(EYE).recall(EYE, update=BLOCK.memory(2).default_update),
        "update: ",
        "Energy Transformer",
    ),
    (lambda: nets.Patches(35, 6), "n_tokens: got 6", "divides 35 pixels"),
    (lambda: nets.Patches(35, 7).tokens(np.ones(5)), "pictures: got shape"),
    (lambda: Layer("a", 0), "shape: ", "at least 1", "not 0"),
    (lambda: Layer("a", ()), "shape: got no axis"),
    (lambda: Layer("a", 2, "sofmax"), "layer 'a': activation: ", "did you mean 'softmax'"),
    (lambda: Layer("a", 2, "proportional"), "layer 'a': conjugate: ", "in proportion"),
    (lambda: Layer("a", 2, POWER), "layer 'a': conjugate: ", "Power", "not convex"),
    (lambda: Layer("", 2), "layer: expected a name"),
    (lambda: Layer("a", 2, tau=0), "tau: ", "positive"),
    (lambda: Network([], []), "layers: got none"),
    (lambda: Network([Layer("a", 2)] * 2, []), "layers: ", "two layers have the name 'a'"),
    (one(Dense(EYE).on("a", "aa")), "synapses: entry 0", "'aa' is unknown", "did you mean 'a'"),
    (one(Dense(np.ones((2, 3))).on("a", "a")), "synapse 'a–a': ", "shape (2, 3)", "(2, 2)"),
    (one(Dense(EYE)), "synapses: entry 0", "a synapse on layers"),
    (one(Dense(EYE).on()), "synapses: entry 0 is on no layer"),
    (lambda: Dense([[1, NAN], [0, 1]]), "weights: row 0", "NaN"),
    (one(Stored(np.eye(3)).on("a")), "synapse 'a synapse': keys of dim 3"),
    (one(Convolution(np.ones((1, 1, 2))).on("a", "a")), "synapse 'a–a': ", "two layers of shape"),
    (pair(Attention(mask=np.ones((4, 2), bool))), "synapse 'a–b': mask: ", "(4, 2)", "scores of shape (2, 4)"),
    (two({"visible": np.ones(5)}), "cues of the layer 'visible': got shape (5,)", "(n, 6)"),
    (two({"visible": [NAN] * 6}), "cues of the layer 'visible': ", "NaN"),
    (two({"visble": np.ones(6)}), "cues: ", "did you mean 'visible'"),
    (two(np.ones(7)), "cues", "got shape (7,)", "dim = 8 of patterns"),
    (two(np.ones(8)), "cues: ", "Softmax", "as weights", "'hidden'"),
    (two(clamp=["visible", "hidden"]), "clamp: all neurons"),
    (two(clamp={"hidden": [True, False]}), "clamp: ", "layer 'hidden'", "softmax"),
    (two(clamp=[1, 0]), "clamp: ", "booleans of shape"),
    (two(update="async"), "update: ", "updated as a whole"),
    (two(update=ha.Glauber(1)), "update: ", "updated as a whole"),
    (two(update="time", hidden="argmax"), "update: ", "layer 'hidden' jump"),
    (two({"visible": np.ones((2, 6)), "hidden": np.full((3, 2), 0.5)}), "cues", "leading axes"),
    (lambda: two_layers(patterns=np.ones((1, 6))), "patterns", "got shape (1, 6)", "total = 8"),
    (lambda: ha.Memory(P).recall(P, update=ha.updates["time"](dt=-1)), "dt: ", "positive"),
    (lambda: ha.Memory(P).recall(P, update="layers"), "update: ", "not in layers", "'sync'"),
    (lambda: ha.certify(two_layers(), search=-1), "search: ", "at least 0", "-1"),
]
NO_MEMORY = [
    (Network([Layer("a", 2), Layer("b", 2), Layer("c", 2)], [Dense(EYE).on("a", "b")]), "it has 3 layers"),
    (two_layers(hidden="tanh"), "its layer 'hidden'", "Tanh", "no separation"),
    (Network([Layer("a", (2, 3))], [Stored(np.ones((1, 3))).on("a")]), "has 2 axes"),
    (Network([Layer("a", 2)], []), "neither one Stored nor Dense"),
    (two_layers().clamped("visible"), "are clamped"),
]
LAYER = Layer("a", 3, "softmax")
MAY_RISE = [
    (Attention(), {"a": Layer("a", (3, 2), "layer_norm")}, "aa", "where queries and keys are one layer"),
    (Dense(-np.ones((2, 2, 3))), {"a": Layer("a", 2), "b": Layer("b", 3)}, "aab", "changes its sign with the other"),
    (Stored(np.eye(3), POWER), {"a": Layer("a", 3)}, "a", "is not convex"),
    (Dense(-np.eye(3)), {"a": LAYER}, "aa", "its couplings have a negative eigenvalue"),
]


@pytest.mark.parametrize("row", ROWS)
def test_a_wrong_argument_is_refused_by_its_name(row):
    refused(*row)


@pytest.mark.parametrize("rule", RULES)
def test_what_are_not_patterns_is_refused_by_each_rule(rule):
    for patterns in ([], [1, -1], [[1, NAN]], [["a"]], np.zeros((0, 3))):
        refused(lambda given=patterns: getattr(learn, rule)(given), "patterns: ")


@pytest.mark.parametrize(("network", "words"), [(row[0], row[1:]) for row in NO_MEMORY])
def test_a_network_that_is_no_memory_says_why(network, words):
    refused(lambda: ha.memories.of_network(network), "network: it is the network of no memory: ", *words)


@pytest.mark.parametrize(("synapse", "layers", "places", "reason"), MAY_RISE)
def test_a_layer_whose_step_may_raise_the_energy_says_why(synapse, layers, places, reason):
    network = Network(layers.values(), [synapse.on(*places)])
    claim = network.descends()
    assert not claim and reason in claim.reason and "on the layer 'a'" in claim.reason
    assert network.descends("time")


def test_arrays_of_two_libraries_are_refused(torch):
    refused(lambda: ha.Hopfield(torch.eye(2), bias=np.ones(2)), "bias and couplings: ", "not of numpy and torch")
    refused(lambda: ha.Hopfield(torch.eye(2)).step(np.ones(2)), "cues and couplings: ", "one library")
