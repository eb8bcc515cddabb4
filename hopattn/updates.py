"""Updates: the ways to apply a memory's update once, and what each of them guarantees.

What is updated is a protocol, not a class: anything with a step, an energy (or the reason why it has none), patterns
and an activation. Add an update by adding a frozen dataclass here that says how it steps and what it guarantees.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from hopattn.activation import Activation
from hopattn.registry import Registry


@dataclass(frozen=True)
class Descent:
    """Whether an update never raises the energy, and why; true in a condition where it does not."""

    holds: bool
    reason: str

    def __bool__(self) -> bool:
        return self.holds


class Recallable(Protocol):
    """What `recall` works over."""

    @property
    def patterns(self) -> np.ndarray: ...
    @property
    def activation(self) -> Activation: ...
    @property
    def lacks_recall(self) -> str: ...
    @property
    def lacks_energy(self) -> str: ...
    @property
    def lacks_convexity(self) -> str: ...
    def step(self, cues: Any, mask: Any = None) -> Any: ...
    def energy(self, states: Any, mask: Any = None) -> Any: ...


@dataclass(frozen=True)
class Update(ABC):
    """One way to apply a memory's update."""

    @abstractmethod
    def step(
        self, memory: Recallable, states: np.ndarray, mask: np.ndarray | None, rng: np.random.Generator
    ) -> np.ndarray:
        """The states after one step, `(n, dim)`; a step of an asynchronous update is one sweep."""

    @abstractmethod
    def descends(self, memory: Recallable) -> Descent:
        """Whether this update never raises the memory's energy."""


@dataclass(frozen=True)
class Synchronous(Update):
    """All neurons at once: x⁺ = ∇Φ(Kᵀ ∇Ψ(K x)).

    Descends where Ψ is convex: with g = ∇(Ψ∘K)(x), convexity gives Ψ(Kx⁺) ≥ Ψ(Kx) + g·(x⁺ − x), and x⁺ = ∇Φ(g)
    minimises Φ*(x) − g·x, so E(x⁺) = Φ*(x⁺) − Ψ(Kx⁺) ≤ Φ*(x) − Ψ(Kx). Source: Yuille & Rangarajan (2003), Neural
    Computation 15, 915.
    """

    name: ClassVar[str] = "sync"

    def step(
        self, memory: Recallable, states: np.ndarray, mask: np.ndarray | None, rng: np.random.Generator
    ) -> np.ndarray:
        return np.asarray(memory.step(states, mask))

    def descends(self, memory: Recallable) -> Descent:
        if obstacle := memory.lacks_energy or memory.lacks_convexity:
            return Descent(False, obstacle)
        return Descent(True, "concave-convex procedure: the potential of the scores is convex")


updates: Registry[Update] = Registry("update", Update, [__name__])
