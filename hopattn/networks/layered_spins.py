"""Spins of a network of layers, updated one at a time: each by the alignments on its two sides."""

from typing import Any

import numpy as np

from hopattn.dynamics.single_neuron import SingleNeuronStates
from hopattn.foundation.ties import without_rounding
from hopattn.networks.synapses import Multilinear


class LayeredSpins(SingleNeuronStates):
    """Spins by the potential Σ F(x) on both sides of each: the definition, for few neurons.

    Neurons of 0 and 1 are kept as the spins s = 2x − 1; clamped neurons stay. network: a `Network`.
    """

    def __init__(self, network: Any, states: np.ndarray) -> None:
        self.network = network
        self.of_0_and_1 = (np.broadcast_to(network.activation.silent, network.held.shape) == 0) & ~network.held
        super().__init__(np.where(self.of_0_and_1, 2 * states - 1, states))
        self.dtype = states.dtype

    @property
    def states(self) -> np.ndarray:
        return self._states_of(self.spins).astype(self.dtype, copy=False)

    def local_field(self, neuron: int) -> np.ndarray:
        """½ (F(up) − F(down)); of a form that is at most quadratic in the neuron, its slope half-way."""
        name, part = next((name, part) for name, part in self.network.parts.items() if neuron < part.stop)
        up, down = self._sides(neuron)
        step, value, error = 0.5 * (up - down)[:, neuron], np.zeros(len(up)), np.zeros(len(up))
        above, below, middle = map(self.network._parts, (up, down, 0.5 * (up + down)))
        for connection, places in self.network._on[name]:
            synapse, entry = connection.synapse, (slice(None), neuron - part.start)
            if isinstance(synapse, Multilinear) and len(places) <= 2:
                activities = connection.of(middle)
                value = value + step * synapse.pull(places, *activities).reshape(len(up), -1)[entry]
                error = error + step * synapse.rounding(places, *activities).reshape(len(up), -1)[entry]
            else:
                sides = connection.of(above), connection.of(below)
                value = value + 0.5 * synapse.alignment(*sides[0]) - 0.5 * synapse.alignment(*sides[1])
                error = error + 0.5 * (synapse.error(*sides[0]) + synapse.error(*sides[1]))
        return np.asarray(without_rounding(value, error))

    def gain(self, neuron: int) -> np.ndarray:
        (up, error_up), (down, error_down) = map(self._potential, self._sides(neuron))
        now, error = self._potential(self._states_of(self.spins))
        return np.asarray(without_rounding(np.maximum(up, down) - now, np.maximum(error_up, error_down) + error))

    def field(self, neuron: int) -> np.ndarray:
        """The slope between the two sides of the neuron."""
        return self.local_field(neuron) * (2 if self.of_0_and_1[neuron] else 1)

    def set_neuron(self, neuron: int, values: np.ndarray) -> None:
        if not self.network.held[neuron]:
            super().set_neuron(neuron, values)

    def _states_of(self, spins: np.ndarray) -> np.ndarray:
        s = spins.T
        return np.ascontiguousarray(np.where(self.of_0_and_1, 0.5 * (s + 1), s))

    def _sides(self, neuron: int) -> tuple[np.ndarray, np.ndarray]:
        """The states with the neuron up, and with it down, `(n, N)` each."""
        up, down = self.spins.copy(), self.spins.copy()
        up[neuron], down[neuron] = 1.0, -1.0
        return self._states_of(up), self._states_of(down)

    def _potential(self, states: np.ndarray) -> tuple[Any, Any]:
        """F and its error, `(n,)` each."""
        parts, zero = self.network._parts(states), np.zeros(len(states))
        pairs = [(connection.synapse, connection.of(parts)) for connection in self.network.synapses]
        value = sum((synapse.alignment(*activities) for synapse, activities in pairs), start=zero)
        return value, sum((synapse.error(*activities) for synapse, activities in pairs), start=zero)
