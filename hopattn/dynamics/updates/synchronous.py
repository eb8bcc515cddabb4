"""Updates of all neurons at once: the step of the memory, and the step with the inertia that makes it descend."""

from dataclasses import dataclass
from typing import ClassVar

from hopattn.dynamics.updates.base import (
    AssociativeMemory,
    Descent,
    Moved,
    StepContext,
    Ties,
    Update,
    energy_of,
    why_no_ties,
)
from hopattn.foundation.arrays import Array, as_array, namespace
from hopattn.foundation.boundary import Declared
from hopattn.foundation.registry import name_of

NEGATIVE = "the couplings have a negative eigenvalue, so that all neurons at once may run into a cycle of two"


@dataclass(frozen=True)
class Synchronous(Declared, Update):
    """All neurons at once: x⁺ = ∇Φ(Kᵀ ∇Ψ(K x)).

    Parameters
    ----------
    ties
        "keep": a spin stays where its field is 0; "up": it becomes 1 there, as courses have it that define sgn(0) = 1.

    Raises
    ------
    InvalidInput : for other ties.

    Notes
    -----
    Descends where Ψ is convex: with g = ∇(Ψ∘K)(x), convexity gives Ψ(Kx⁺) ≥ Ψ(Kx) + g·(x⁺ − x), and x⁺ = ∇Φ(g)
    minimises Φ*(x) − g·x, so E(x⁺) = Φ*(x⁺) − Ψ(Kx⁺) ≤ Φ*(x) − Ψ(Kx). Source: Yuille & Rangarajan (2003), Neural
    Computation 15, 915; for spins Little (1974), Math. Biosci. 19, 101.
    """

    name: ClassVar[str] = "sync"
    source: ClassVar[str] = "Little 1974; Yuille & Rangarajan 2003"
    way: ClassVar[str] = "all neurons at once"
    on_devices: ClassVar[bool] = True
    ties: Ties = "keep"

    def step(self, memory: AssociativeMemory, states: Array, *, mask: Array | None, context: StepContext) -> Moved:
        after, energy = memory._step_with_energy(states, mask)
        return (after if self.ties == "keep" else raised(after, memory, states, mask)), energy

    def obstacle(self, memory: AssociativeMemory) -> str:
        clamped = self.ties == "up" and hasattr(memory, "held")
        return "ties go up in a network of one layer alone" if clamped else why_no_ties(memory, self.ties)

    def guarantee(self, memory: AssociativeMemory) -> Descent:
        if memory._curvature > 0:
            return Descent(False, memory.why_not("convexity") or NEGATIVE)
        return Descent(True, "concave-convex procedure: the potential of the scores is convex")


def raised(after: Array, memory: AssociativeMemory, states: Array, mask: Array | None) -> Array:
    """The states after a step of all neurons, with 1 for each spin whose field was 0."""
    return as_array(namespace(after).where(as_array(memory.field(states, mask)) == 0, 1.0, after))


@dataclass(frozen=True)
class ConcaveConvex(Update):
    """All neurons at once, with inertia: x⁺ = argmin Φ*(x) + ½λ|x|² − (h + λx_before)·x.

    λ is the least number for which Ψ(Kx) + ½λ|x|² is convex. So the concave–convex procedure applies to couplings
    without a diagonal too: there λ is minus their lowest eigenvalue, and no cycle of two is possible. Where the
    potential is convex, λ is 0 and this is the synchronous step.
    Source: Yuille & Rangarajan (2003), Neural Computation 15, 915, section 2.
    """

    source: ClassVar[str] = "Yuille & Rangarajan 2003"
    way: ClassVar[str] = "all neurons at once, with inertia"
    on_devices: ClassVar[bool] = True

    def step(self, memory: AssociativeMemory, states: Array, *, mask: Array | None, context: StepContext) -> Moved:
        inertia = memory._curvature
        if inertia == 0:
            return Synchronous().step(memory, states, mask=mask, context=context)
        field = as_array(memory.field(states, mask))
        field = field + inertia * namespace(field).astype(states, field.dtype, copy=False)
        return memory.activation.proximal(field, states, inertia), energy_of(memory, states, mask)

    def guarantee(self, memory: AssociativeMemory) -> Descent:
        return Descent(True, "concave-convex procedure, with the inertia that makes the potential convex")

    def obstacle(self, memory: AssociativeMemory) -> str:
        if reason := memory.why_not("energy"):
            return reason
        if reason := memory.why_not("convexity"):
            return f"{reason}, and inertia cannot fix this"
        heavy = memory._curvature > 0 and not (memory.activation.elementwise or memory.activation.directional)
        return f"'{name_of(memory.activation)}' has no form with inertia" if heavy else ""
