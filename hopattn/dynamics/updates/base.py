"""The form of every update: one way to apply a memory's update once, and what it guarantees.

What is updated is a protocol, not a class: anything with a step, a field, an energy (or the reason why it has none),
patterns and an activation.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from hopattn.dynamics.likeness import Known
from hopattn.dynamics.single_neuron import Running
from hopattn.retrieval.activation import Activation


@dataclass(frozen=True)
class Descent:
    """Whether an update never raises the energy, and why; true in a condition where it does not."""

    holds: bool
    reason: str

    def __bool__(self) -> bool:
        return self.holds


class Recallable(Protocol):
    """What `recall` works over. Each `lacks_…` says why something is not there, and is empty where it is."""

    @property
    def patterns(self) -> np.ndarray: ...
    @property
    def activation(self) -> Activation: ...
    @property
    def known(self) -> Known: ...
    @property
    def n_keys(self) -> int: ...
    @property
    def lacks_recall(self) -> str: ...
    @property
    def lacks_energy(self) -> str: ...
    @property
    def lacks_convexity(self) -> str: ...
    @property
    def lacks_single_updates(self) -> str: ...
    @property
    def lacks_single_convexity(self) -> str: ...
    @property
    def lacks_flow(self) -> str: ...
    @property
    def curvature(self) -> float: ...
    def step(self, cues: Any, mask: Any = None) -> Any: ...
    def field(self, cues: Any, mask: Any = None) -> Any: ...
    def energy(self, states: Any, mask: Any = None) -> Any: ...
    def step_with_energy(self, states: Any, mask: Any = None) -> tuple[Any, Any]: ...
    def one_by_one(self, states: np.ndarray, mask: np.ndarray | None = None) -> Running: ...


@dataclass(frozen=True)
class Turn:
    """One step of a recall, as an update sees it.

    number: how many steps were done before. rng: what is drawn for all cues together. own: what is drawn for each cue
    by itself, so that no cue's course depends on its neighbours: `n` generators where the update is `by_chance`.
    """

    number: int
    rng: np.random.Generator
    own: tuple[np.random.Generator, ...]


@dataclass(frozen=True)
class Update(ABC):
    """One way to apply a memory's update."""

    source: ClassVar[str]
    way: ClassVar[str]
    """How it goes, in a few words: "all neurons at once"."""

    @property
    def rests(self) -> bool:
        """Whether a state that one step has not changed will never change."""
        return True

    @property
    def pace(self) -> float:
        """Which part of a time unit a step is: a state that changes by so much less is still on its way."""
        return 1.0

    @property
    def by_chance(self) -> bool:
        """Whether each cue needs chances of its own."""
        return False

    @property
    def repeats(self) -> bool:
        """Whether the same state always leads to the same next one, so that a state met again is a cycle."""
        return True

    @abstractmethod
    def step(self, memory: Recallable, states: np.ndarray, mask: np.ndarray | None, turn: Turn) -> np.ndarray:
        """The states after one step, `(n, dim)`; a step of an asynchronous update is one sweep."""

    def step_with_energy(
        self, memory: Recallable, states: np.ndarray, mask: np.ndarray | None, turn: Turn
    ) -> tuple[np.ndarray, np.ndarray]:
        """One step, and the energy of the states before it, `(n,)`."""
        return self.step(memory, states, mask, turn), np.asarray(memory.energy(states, mask))

    def descends(self, memory: Recallable) -> Descent:
        """Whether this update never raises the memory's energy."""
        if obstacle := memory.lacks_energy or self.obstacle(memory):
            return Descent(False, obstacle)
        return self.guarantee(memory)

    @abstractmethod
    def guarantee(self, memory: Recallable) -> Descent:
        """What it guarantees for a memory that has an energy and that it can be applied to."""

    def obstacle(self, memory: Recallable) -> str:
        """Why this update cannot be applied to the memory, or an empty string where it can."""
        return ""
