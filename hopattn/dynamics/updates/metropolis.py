"""Sampling of continuous states at a temperature: a random move, taken or refused by its energy."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from hopattn.dynamics.protocol import Recallable
from hopattn.dynamics.record import Status
from hopattn.dynamics.updates.base import Descent, Moved, StepContext, Update, energy_of
from hopattn.foundation.declared import Declared, Positive
from hopattn.foundation.registry import name_of
from hopattn.foundation.vectors import normalised
from hopattn.retrieval.activation import Identity, Tanh, Unit


@dataclass(frozen=True)
class Metropolis(Declared, Update):
    """A random move of the whole state, taken with probability min(1, exp(−ΔE/T)); a step is one move.

    After many steps the states have the density exp(−E/T): on the sphere |x| = 1 for the activation "unit", in the cube
    for "tanh", in all of space for "identity". temperature: T, above 0, in the unit of the energy. width: the length of
    a move, above 0; a move is x + width·z/√dim with Gaussian z, on the sphere scaled back to it, so that the way there
    and the way back are equally likely, and detailed balance holds. Raises `InvalidInput` for other numbers. Each cue
    has random numbers of its own. A recall ends after `max_steps`.
    Source: Metropolis et al. (1953), J. Chem. Phys. 21, 1087.
    """

    source: ClassVar[str] = "Metropolis et al. 1953"
    way: ClassVar[str] = "one random move of all neurons, by chance"
    stochastic: ClassVar[bool] = True
    temperature: Positive
    width: Positive = 0.5

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Self:
        """An update with a temperature between 0.01 and 10, uniform in log T."""
        return cls(float(10 ** rng.uniform(-2, 1)))

    @property
    def ends(self) -> tuple[Status, ...]:
        return ()

    def step(self, memory: Recallable, states: np.ndarray, mask: np.ndarray | None, context: StepContext) -> Moved:
        dim = states.shape[1]
        before = np.asarray(energy_of(memory, states, mask))
        draws = np.stack([own.standard_normal(dim) for own in context.own])
        tried = (states + self.width / dim**0.5 * draws).astype(states.dtype)
        tried = normalised(tried) if isinstance(memory.activation, Unit) else tried
        after = np.asarray(memory.energy(tried, mask))
        bar = -self.temperature * np.log1p(-np.array([own.random() for own in context.own]))  # −T log u, of u in (0, 1]
        return np.where((after - before < bar)[:, None], tried, states), before

    def guarantee(self, memory: Recallable) -> Descent:
        return Descent(False, "at a temperature above 0 a move may be taken that raises the energy")

    def obstacle(self, memory: Recallable) -> str:
        if not isinstance(memory.activation, Identity | Tanh | Unit):
            own = name_of(memory.activation)
            return f"Metropolis's update is for states on the sphere, in the cube or in space, and '{own}' gives others"
        return memory.lacks.get("energy", "")
