"""Random networks of two to five layers, with every activation and separation that a layer takes."""

from itertools import pairwise

import numpy as np

from hopattn.dynamics.updates.base import StepContext
from hopattn.foundation.errors import InvalidInput
from hopattn.networks import Attention, Convolution, Dense, Layer, Network, Stored
from hopattn.retrieval.activation import activations
from hopattn.retrieval.separation import separations


def admitted(choices):
    """The entries that a layer takes."""
    for choice in choices:
        try:
            yield Layer("one", 3, choice).activation
        except InvalidInput:
            continue


PARAMETERS = [("power", {"n": 4}), ("rectified_power", {"n": 3}), ("entmax", {"alpha": 1.3}), ("k_subsets", {"k": 2})]
LAGRANGIANS = [
    *admitted(activation() for activation in activations.values()),
    *admitted(separation() for separation in separations.values()),
    *admitted(separations[name](beta=0.5, **own) for name, own in PARAMETERS),
    *admitted([separations["softmax"](beta=3.0, sink=0.2), activations["layer_norm"](gamma=0.5, delta=0.3)]),
]


def random_network(rng, lagrangians=LAGRANGIANS, dtype="float64", last=None):
    """A connected network: a dense synapse for each layer, and at random others of two and three layers.

    last: the Lagrangian of its last layer, or None for any.
    """

    def weights(*shape):
        return (rng.normal(size=shape) * rng.choice([0.1, 0.5, 1.0]) / np.sqrt(shape[-1])).astype(dtype)

    count = int(rng.integers(2, 6))
    kinds = [lagrangians[i] for i in rng.integers(len(lagrangians), size=count)]
    kinds[-1] = kinds[-1] if last is None else last
    shapes = [(int(rng.integers(1, 4)), int(rng.integers(1, 5)))[rng.integers(2) :] for _ in kinds]
    layers = [Layer(f"l{i}", shape, kind) for i, (shape, kind) in enumerate(zip(shapes, kinds, strict=True))]
    size = [layer.size for layer in layers]
    synapses = [Dense(weights(size[i], size[j := int(rng.integers(i))])).on(f"l{i}", f"l{j}") for i in range(1, count)]
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


def random_states(network, rng, n=4, dtype="float64"):
    """States that the activations give."""
    field = rng.normal(size=(n, network.total)) * rng.choice([0.1, 1.0, 3.0])
    return np.asarray(network.activation(field.astype(dtype)))


def rises(network, update, states, steps):
    """The rise of the energy by each step, as a part of Σ |parts of the energy|, `(steps, n)`; NaN where one grew."""
    found, internal, rng = [], update.internal(network, states), np.random.default_rng(0)
    for t in range(steps):
        context = StepContext(t, rng, (), internal)
        with np.errstate(all="ignore"):
            moved, before = update.step(network, states, None, context)
            parts = np.array(list(network.energies(moved).values()))
            scale = np.maximum(np.abs(parts).sum(axis=0), sum(map(np.abs, network.energies(states).values())))
            rise = (parts.sum(axis=0) - before) / np.where(scale == 0, 1, scale)
        internal = context.internal
        grown = ~(np.abs(moved).max(axis=-1) < 1e6)
        found.append(np.where(grown, np.nan, rise))
        states = np.where(grown[:, None], states, moved)
        internal = None if internal is None else np.where(grown[:, None], update.internal(network, states), internal)
    return np.array(found)
