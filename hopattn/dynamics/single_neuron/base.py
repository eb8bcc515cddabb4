"""Neurons that are updated one at a time: a batch of states, the field of a single neuron in each, and a sweep.

The *local field* of a spin is half the energy difference between its two sides,

    h_i = ½ [E(x_i = −1) − E(x_i = +1)]

A spin that takes the sign of its local field never raises the energy, whatever the potential. A neuron that is still
unknown (0) takes a side only if that does not raise the energy. The *field* of a graded neuron is the gradient of the
potential by that neuron.

A sweep updates one neuron after another; each neuron uses the new values of the neurons before it. The sweeps of the
base class are this definition. A subclass may update many neurons at once where the result is the same.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hopattn.foundation.threads import blocks

CACHED = 32_768
"""The number of entries that are looked at together; they stay in the cache of the processor."""


@dataclass(frozen=True)
class SpinView:
    """The spins that are updated now, `(n,)` for one neuron or `(k, n)` for several, with their local fields.

    at: their index in an array `(N, n)` of all neurons and cues. spins: their present values. local: their local
    fields. gain: gives the energy E(0) − E(±1) that an unknown spin saves by taking the side of its local field.
    """

    at: Any
    spins: np.ndarray
    local: np.ndarray
    gain: Callable[[], np.ndarray]


Decision = Callable[[SpinView], np.ndarray]
"""The rule that gives the new values of the spins in a view; each value depends on the entries of its own spin only."""


class KnownDecision(ABC):
    """A decision that compiled loops know: by the sign of the local field, or by limits that it may pass."""

    @abstractmethod
    def __call__(self, view: SpinView) -> np.ndarray:
        """The new values of the spins in a view."""

    @abstractmethod
    def limits(self) -> np.ndarray | None:
        """The local field above which each spin is 1, and −1 elsewhere, `(N, n)`.

        None where a spin takes the sign of its local field, stays where that is 0, and an unknown one where a side
        would cost energy.
        """


Response = Callable[[np.ndarray], np.ndarray]
"""The rule that gives the new values of graded neurons from their fields, entry by entry."""


class SingleNeuronStates(ABC):
    """A batch of states in which one neuron is updated at a time.

    states: `(n, N)`, one state a cue; they are copied. `spins` is the copy with one neuron a row, `(N, n)`, which
    `set_neuron` and the sweeps change.
    """

    def __init__(self, states: np.ndarray) -> None:
        self.spins = np.array(states.T, order="C")

    @property
    def states(self) -> np.ndarray:
        """The present states, `(n, N)`."""
        return np.ascontiguousarray(self.spins.T)

    @abstractmethod
    def local_field(self, neuron: int) -> np.ndarray:
        """h_i = ½ [E(x_i = −1) − E(x_i = +1)], `(n,)`."""

    @abstractmethod
    def gain(self, neuron: int) -> np.ndarray:
        """The energy E(0) − E(±1) that an unknown neuron saves by taking the side of its local field, `(n,)`."""

    @abstractmethod
    def field(self, neuron: int) -> np.ndarray:
        """The gradient of the potential by this neuron, `(n,)`."""

    def set_neuron(self, neuron: int, values: np.ndarray) -> None:
        """Set this neuron to its new values `(n,)`."""
        self.spins[neuron] = values

    def sweep(self, order: np.ndarray, decide: Decision) -> None:
        """Update each spin in the order by the rule; its local field depends on the spins that were updated before."""
        for i in order:
            view = SpinView(i, self.spins[i], self.local_field(i), partial(self.gain, i))
            self.set_neuron(i, decide(view))

    def sweep_graded(self, order: np.ndarray, respond: Response) -> None:
        """Update each graded neuron in the order by the rule; its field depends on the neurons updated before."""
        for i in order:
            self.set_neuron(i, respond(self.field(i)))


def are_spins(states: np.ndarray) -> bool:
    """Whether all entries of an array are −1, 0 or 1; row by row of its first axis, in the cache of the processor."""
    size = np.abs(states[:1]).size
    rows = (np.abs(states[some]) for some in blocks(len(states), max(1, CACHED // max(1, size))))
    return all(bool(np.all((each == 1) | (each == 0))) for each in rows)
