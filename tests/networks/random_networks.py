"""Random networks of layers and Energy Transformer blocks, random states, and the rises of their energy."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.networks.energy_transformer import EnergyTransformer, TokenMemory
from hopattn.networks.layers import Layer
from hopattn.networks.network import Network
from hopattn.networks.synapses import Attention, Connection, Convolution, Dense, Stored
from hopattn.retrieval.activation import Activation, activations
from hopattn.retrieval.separation import separations


def _admitted(choices: Iterable[Any]) -> Iterator[Activation]:
    """The activations and separations that a layer takes."""
    for choice in choices:
        try:
            yield Layer("one", 3, choice).activation
        except InvalidInput:
            continue


P = np.array([[1.0, 1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1]])
_PARAMETERS: list[tuple[str, dict[str, Any]]] = [
    ("power", {"n": 4}),
    ("rectified_power", {"n": 3}),
    ("entmax", {"alpha": 1.3}),
    ("k_subsets", {"k": 2}),
]
LAGRANGIANS: list[Any] = [
    *_admitted(entry() for registry in (activations, separations) for entry in registry.values()),
    *_admitted(separations.make(name, beta=0.5, **own) for name, own in _PARAMETERS),
    *_admitted([separations.make("softmax", beta=3.0, sink=0.2), activations.make("layer_norm", gamma=0.5, delta=0.3)]),
]
"""The Lagrangians that layers are drawn from: every activation and separation that a layer takes."""


def random_network(
    rng: np.random.Generator, lagrangians: Sequence[Any] = LAGRANGIANS, dtype: str = "float64", last: Any = None
) -> Network:
    """A connected network of two to five layers: a dense synapse for each layer, and at random others of two and three
    layers.

    last: the Lagrangian of its last layer, or None for any.
    """

    def weights(*shape: int) -> np.ndarray:
        drawn: np.ndarray = rng.normal(size=shape) * rng.choice([0.1, 0.5, 1.0]) / np.sqrt(shape[-1])
        return drawn.astype(dtype)

    count = int(rng.integers(2, 6))
    kinds = [lagrangians[i] for i in rng.integers(len(lagrangians), size=count)]
    kinds[-1] = kinds[-1] if last is None else last
    shapes = [(int(rng.integers(1, 4)), int(rng.integers(1, 5)))[rng.integers(2) :] for _ in kinds]
    layers = [Layer(f"l{i}", shape, kind) for i, (shape, kind) in enumerate(zip(shapes, kinds, strict=True))]
    size = [layer.size for layer in layers]
    synapses: list[Connection] = [
        Dense(weights(size[i], size[j := int(rng.integers(i))])).on(f"l{i}", f"l{j}") for i in range(1, count)
    ]
    for i in range(count):
        if rng.random() < 0.3:
            synapses.append(Dense(weights(size[i])).on(f"l{i}"))
        if rng.random() < 0.3:
            separation = separations[rng.choice(["softmax", "entmax", "identity", "rectified_power"])](beta=0.7)
            synapses.append(Stored(weights(3, shapes[i][-1]), separation).on(f"l{i}"))
        if rng.random() < 0.2 and (kinds[i].elementwise or kinds[i].directional):
            synapses.append(Dense(weights(size[i], size[i])).on(f"l{i}", f"l{i}"))
    if count > 2:
        three = rng.choice(count, size=3, replace=False)
        synapses.append(Dense(weights(*(size[i] for i in three))).on(*(f"l{i}" for i in three)))
    tokens = [i for i in range(count) if len(shapes[i]) == 2]
    for a, b in pairwise(tokens):
        synapse = Attention(weights(2, 3, shapes[a][1]), weights(2, 3, shapes[b][1]))
        synapses += [synapse.on(f"l{a}", f"l{b}")] * int(rng.integers(1, 3))
        if shapes[b][0] >= shapes[a][0]:
            extent = shapes[b][0] - shapes[a][0] + 1
            synapses.append(Convolution(weights(shapes[a][1], shapes[b][1], extent)).on(f"l{a}", f"l{b}"))
    return Network(layers, synapses)


def random_block(rng: np.random.Generator) -> TokenMemory:
    """A block of 1 to 3 heads for 2 to 6 tokens of dim 4 to 8; in half of the draws W_Q is nearly −W_K.

    In a quarter of the draws a token attends to itself, and in a quarter the potential of the memories is not convex.
    """
    heads, dim_head, dim, many = (int(rng.integers(*ends)) for ends in ((1, 4), (1, 5), (4, 9), (1, 6)))
    query, key = rng.normal(size=(2, heads, dim_head, dim)) * 3 ** rng.uniform(-2, 1)
    query = 0.3 * query - key if rng.random() < 0.5 else query
    memories = rng.normal(size=(many, dim)) * rng.uniform(0, 1) ** 3
    separation = separations.make("power", n=3) if rng.random() < 0.25 else separations.make("rectified_power", n=2)
    block = EnergyTransformer(query, key, memories, separation=separation, attends_itself=bool(rng.random() < 0.25))
    return block.memory(int(rng.integers(2, 7)))


RANDOM: Mapping[str, Callable[[np.random.Generator], Any]] = {
    "network": random_network,
    "energy_transformer": random_block,
}
"""What the certificate of the pages draws beside the named memories, by name."""


def two_layers(visible: Any = "identity", hidden: Any = "softmax", beta: Any = 4.0, **options: Any) -> Network:
    layers = Layer("visible", 6, visible), Layer("hidden", 2, hidden, beta=beta)
    return Network(layers, [Dense(P).on("hidden", "visible")], **options)


def random_states(network: Any, rng: Any, n: int = 4, dtype: str = "float64") -> np.ndarray:
    """States that the activations give."""
    field = rng.normal(size=(n, network.total)) * rng.choice([0.1, 1.0, 3.0])
    return np.asarray(network.activation(field.astype(dtype)))


def moved(network: Any, update: Any, states: Any) -> Any:
    """The states after one step; NaN for a state whose energy then is beyond the numbers."""
    try:
        return network.recall(states, update=update, max_steps=1, rng=0).state
    except ha.InvalidInput as error:
        assert str(error).startswith("energy: beyond the numbers")
        return states * np.nan if len(states) == 1 else np.vstack([moved(network, update, x[None]) for x in states])


def rises(network: Any, update: Any, states: Any, steps: int) -> np.ndarray:
    """The rise of the energy by each step, as a part of Σ |parts of the energy|, `(steps, n)`; NaN where one grew."""
    found = []
    for _ in range(steps):
        with np.errstate(all="ignore"):
            after = moved(network, update, states)
            parts, before = (np.array(list(network.energies(x).values())) for x in (after, states))
            scale = np.maximum(np.abs(parts).sum(axis=0), np.abs(before).sum(axis=0))
            rise = (parts.sum(axis=0) - before.sum(axis=0)) / np.where(scale == 0, 1, scale)
        grown = ~(np.abs(after).max(axis=-1) < 1e6)
        found.append(np.where(grown, np.nan, rise))
        states = np.where(grown[:, None], states, after)
    return np.array(found)
