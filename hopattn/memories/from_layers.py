"""A network of layers as a memory: a hidden layer that follows the visible one at once becomes the potential."""

from collections.abc import Sequence

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.foundation.arrays import Array
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import instance
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.ties import eps_of
from hopattn.memories.memory import Memory
from hopattn.networks.associator import Associator, Bidirectional
from hopattn.networks.classical import Hopfield
from hopattn.networks.layers import Layer, Separated
from hopattn.networks.network import Network
from hopattn.networks.synapses import Connection, Dense, Stored
from hopattn.retrieval.activation import Activation, Heaviside, Identity, Sign
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation


@public
def of_network(network: Network) -> AssociativeMemory:
    """The memory that a network of layers is: a `Memory`, a `Hopfield` network, or a bidirectional memory.

    | network | memory |
    |---|---|
    | one layer with a `Stored` synapse | `Memory` of its keys |
    | one layer with `Dense` synapses to itself, and biases | `Hopfield`, with the couplings W + Wᵀ |
    | two layers with a `Dense` synapse, the second a separation or linear | `Memory`: the second layer is hidden |
    | two layers of spins with a `Dense` synapse | the bidirectional memory of Kosko |

    The states of the memory are those of the first layer; its energy is the least over the hidden layer. Raises
    `InvalidInput` with the reason for any other network. Source: Krotov & Hopfield (2021), ICLR, section 3.

    >>> from hopattn.networks import Dense, Layer, Network
    >>> layers = Layer("visible", 2), Layer("hidden", 3, "softmax", beta=8)
    >>> of_network(Network(layers, [Dense([[1.0, 0], [0, 1], [1, 1]]).on("hidden", "visible")]))
    Memory(keys (3, 2), values (3, 2), Dot(), Softmax(beta=8.0), Identity())
    """
    instance(network, Network, "network", "a Network of layers")
    if network.held.any():
        raise _none("some of its neurons are clamped")
    for layer in network.layers:
        if len(layer.shape) > 1:
            raise _none(f"its layer '{layer.name}' has {len(layer.shape)} axes, and a memory has rows of neurons")
    patterns = network.patterns if network.patterns.shape[0] else None
    if len(network.layers) == 1:
        return _of_one(network.layers[0], network.synapses, patterns)
    if len(network.layers) > 2:
        raise _none(f"it has {len(network.layers)} layers, and only those of one or two layers have the form of one")
    return _of_two(network, patterns)


def _of_one(layer: Layer, connections: Sequence[Connection], patterns: Array | None) -> AssociativeMemory:
    synapses = [connection.synapse for connection in connections]
    if len(synapses) == 1 and isinstance(synapses[0], Stored):
        return Memory(
            synapses[0].keys, separation=synapses[0].separation, activation=layer.activation, patterns=patterns
        )
    matrices = [synapse.weights for synapse in synapses if isinstance(synapse, Dense) and synapse.weights.ndim == 2]
    biases = [synapse.weights for synapse in synapses if isinstance(synapse, Dense) and synapse.weights.ndim == 1]
    if not matrices or len(matrices) + len(biases) < len(synapses):
        raise _none("its synapses are neither one Stored nor Dense ones of one and two places")
    couplings = sum(w + w.mT for w in matrices)
    bias = sum(biases) if biases else 0.0
    # the rounding of their sum
    error = eps_of(*biases) * sum(map(abs, biases[1:]), start=abs(biases[0])) if len(biases) > 1 else 0.0
    return Hopfield(couplings, bias=bias, activation=layer.activation, patterns=patterns, rounding=error)


def _of_two(network: Network, patterns: Array | None) -> AssociativeMemory:
    visible, hidden = network.layers
    only = network.synapses[0] if len(network.synapses) == 1 else None
    if only is None or not isinstance(only.synapse, Dense) or set(only.layers) != {visible.name, hidden.name}:
        raise _none("a memory of two layers has one Dense synapse between them and no other")
    weights = only.synapse.weights
    keys = weights if only.layers == (hidden.name, visible.name) else weights.mT
    if patterns is not None and network.patterns_of != visible.name:
        raise _none(f"its patterns are not those of the layer '{visible.name}' alone")
    if isinstance(visible.activation, Sign) and isinstance(hidden.activation, Sign):
        backward = Associator(keys.mT, activation="sign", patterns=patterns)
        return Bidirectional(Associator(keys, activation="sign"), backward)
    separation = _separation(hidden.activation)
    if separation is None:
        reason = f"the potential of its layer '{hidden.name}' ({quoted(hidden.activation)}) is that of no separation"
        raise _none(f"{reason}; expected a separation, identity or step")
    return Memory(keys, separation=separation, activation=visible.activation, patterns=patterns)


def _separation(hidden: Activation) -> Separation | None:
    """The separation whose Ψ is the potential of the hidden neurons, or None."""
    if isinstance(hidden, Separated):
        return hidden.separation
    same = {Identity: "identity", Heaviside: "threshold"}.get(type(hidden))
    return separations[same]() if same else None


def _none(reason: str) -> InvalidInput:
    return InvalidInput(f"network: it is the network of no memory: {reason}")
