"""Neurons that are updated one at a time: a batch of states, the field that a single neuron feels in each, and a sweep.

The *local field* of a spin is half the energy that it saves by standing up rather than down,

    h_i = ½ [E(x_i = −1) − E(x_i = +1)]

so that turning each spin to the side of its local field never raises the energy, whatever the potential; a neuron that
is still unknown (0) decides only where that raises nothing either. The *field* of a graded neuron is the gradient of
the potential there. A running state begins with a copy of the states, and `turn` and the sweeps change it.

The sweeps here are the definition: one neuron after another, each seeing what those before it have become. A subclass
may do many neurons at once where the result is the same.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Called:
    """Spins whose turn it is, one neuron's `(n,)` or several neurons' `(k, n)`: what they are, and their local fields.

    at: where they lie in an array `(N, n)` of all neurons of all cues. gain: what an unknown spin saves by taking the
    side of its local field, E(0) − E(±1).
    """

    at: Any
    spins: np.ndarray
    local: np.ndarray
    gain: Callable[[], np.ndarray]


Decision = Callable[[Called], np.ndarray]
"""What spins that are called become; each depends on what is told of it alone."""

Response = Callable[[np.ndarray], np.ndarray]
"""What graded neurons become in their field, entry by entry."""


class Running(ABC):
    """A batch of states `(n, N)` in which one neuron at a time is changed; `spins` is the same turned, `(N, n)`."""

    def __init__(self, states: np.ndarray) -> None:
        self.spins = np.array(states.T, order="C")

    @property
    def states(self) -> np.ndarray:
        """The states, `(n, N)`."""
        return self.spins.T

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
        self.spins[neuron] = to

    def sweep(self, order: np.ndarray, decide: Decision) -> None:
        """Each spin in the order becomes what is decided in the local field that those before it have left."""
        for i in order:
            called = Called(i, self.spins[i], self.local_field(i), partial(self.gain, i))
            self.turn(i, decide(called))

    def sweep_graded(self, order: np.ndarray, respond: Response) -> None:
        """Each graded neuron in the order responds to the field that those before it have left."""
        for i in order:
            self.turn(i, respond(self.field(i)))


def are_spins(states: np.ndarray) -> bool:
    """Whether all of them are −1, 0 or 1."""
    return bool(np.all((states * states == np.abs(states)) & (np.abs(states) <= 1)))
