"""Neurons that are updated one at a time: a batch of states, and the field that a single neuron feels in each.

The *local field* of a spin is half the energy that it saves by standing up rather than down,

    h_i = ½ [E(x_i = −1) − E(x_i = +1)]

so that turning each spin to the side of its local field never raises the energy, whatever the potential; a neuron that
is still unknown (0) decides only where that raises nothing either. The *field* of a graded neuron is the gradient of
the potential there. Both objects below are the running state of a sweep: they begin with a copy of the states, and
`turn` changes it.
"""

from abc import ABC, abstractmethod

import numpy as np

from hopattn.arrays import require_within
from hopattn.separation.base import Separation, scaled


class Running(ABC):
    """A batch of states `(n, N)` in which one neuron at a time is changed."""

    def __init__(self, states: np.ndarray) -> None:
        self.states = states.copy()

    @abstractmethod
    def local_field(self, neuron: int) -> np.ndarray:
        """½ [E(x_i = −1) − E(x_i = +1)], `(n,)`."""

    @abstractmethod
    def gain(self, neuron: int) -> np.ndarray:
        """What a neuron that is unknown saves by taking the side of its local field, E(0) − E(±1), `(n,)`."""

    @abstractmethod
    def field(self, neuron: int) -> np.ndarray:
        """The gradient of the potential by this neuron, `(n,)`."""

    def turn(self, neuron: int, to: np.ndarray) -> None:
        """Give this neuron its new states `(n,)`."""
        self.states[:, neuron] = to


class CoupledSpins(Running):
    """Neurons with couplings: h_i = Σ_{j≠i} W_ij x_j + b_i, in which a spin's own coupling makes no difference."""

    def __init__(self, states: np.ndarray, couplings: np.ndarray, scale: float, bias: np.ndarray) -> None:
        super().__init__(states)
        self.couplings, self.scale, self.bias = couplings, scale, bias

    def local_field(self, neuron: int) -> np.ndarray:
        others = self._sum(neuron) - self.couplings[neuron, neuron] * self.states[:, neuron]
        return np.asarray(self.scale * others + self.bias[neuron])

    def gain(self, neuron: int) -> np.ndarray:
        return np.asarray(np.abs(self.local_field(neuron)) + 0.5 * self.scale * self.couplings[neuron, neuron])

    def field(self, neuron: int) -> np.ndarray:
        return np.asarray(self.scale * self._sum(neuron) + self.bias[neuron])

    def _sum(self, neuron: int) -> np.ndarray:
        return np.asarray(self.states @ self.couplings[neuron])


class StoredSpins(Running):
    """Neurons with stored patterns: the scores K x are kept, and a turned neuron changes each by its part."""

    def __init__(
        self, states: np.ndarray, keys: np.ndarray, separation: Separation, mask: np.ndarray | None = None
    ) -> None:
        super().__init__(states)
        self.keys, self.separation, self.mask = keys, separation, mask
        self.scores = states @ keys.T

    def local_field(self, neuron: int) -> np.ndarray:
        up, down = self._either(neuron)
        rounding = 4 * np.finfo(up.dtype).eps * (np.abs(up) + np.abs(down))
        return np.where(np.abs(up - down) <= rounding, 0.0, 0.5 * (up - down))  # a tie is a tie

    def gain(self, neuron: int) -> np.ndarray:
        return np.asarray(np.maximum(*self._either(neuron)) - self._potential(self.scores))

    def _either(self, neuron: int) -> tuple[np.ndarray, np.ndarray]:
        """The potential with the neuron up, and with it down."""
        own, stored = self.states[:, neuron, None], self.keys[:, neuron]
        return self._potential(self.scores + (1 - own) * stored), self._potential(self.scores - (1 + own) * stored)

    def field(self, neuron: int) -> np.ndarray:
        weights, factor = self.separation.factored_weights(self.scores, self.mask)
        return np.asarray(scaled((weights @ self.keys[:, neuron])[:, None], factor)[:, 0])

    def turn(self, neuron: int, to: np.ndarray) -> None:
        change = to - self.states[:, neuron]
        if np.any(change):
            self.scores = self.scores + change[:, None] * self.keys[:, neuron]
        super().turn(neuron, to)

    def _potential(self, scores: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            value = np.asarray(self.separation.potential(scores, self.mask))
        require_within(value)
        return value
