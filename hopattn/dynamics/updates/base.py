"""The form of every update: one step of a memory, and whether that step never raises the energy."""

from abc import ABC, abstractmethod
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, get_args

import numpy as np

from hopattn.dynamics.record import Status
from hopattn.foundation.argument_names import PublicObject, in_loops
from hopattn.foundation.arrays import Array
from hopattn.foundation.errors import InvalidInput, quoted, reject_unknown
from hopattn.foundation.registry import name_of
from hopattn.foundation.vectors import largest_change

if TYPE_CHECKING:
    from hopattn.dynamics.recall import AssociativeMemory as AssociativeMemory
else:
    AssociativeMemory = Any  # the class itself is above: it recalls by an update

_TIES = Literal["keep", "up"]


def _ties_of(ties: Any, what: str) -> Any:
    reject_unknown(what, [ties], get_args(_TIES))
    return ties


Ties = Annotated[_TIES, _ties_of]
"""What a spin does where its field is 0: "keep" its value, or go "up" to 1."""
Moved = tuple[Array, Array | None]
"""The states `(n, dim)` after a step, and the energies `(n,)` before it; None for a memory without an energy."""


@dataclass(frozen=True)
class Descent:
    """Whether an update never raises the energy, with the reason; in a condition it is the value of `holds`."""

    holds: bool
    reason: str

    def __bool__(self) -> bool:
        return self.holds


@dataclass
class StepContext:
    """The place of a step in a recall, and its random generators.

    number: the number of steps before it. rng: the generator for draws that all cues share. cue_rngs: one generator for
    each of the n cues if the update is `stochastic`, else empty; so a cue does not depend on the others.
    internal: the internal states `(n, dim)` of an update that has them, which a step replaces by new ones.
    """

    number: int
    rng: np.random.Generator
    cue_rngs: tuple[np.random.Generator, ...]
    internal: Array | None = None


@dataclass(frozen=True)
class Update(PublicObject, ABC):
    """A rule for one step of a memory. A subclass is a frozen dataclass; its fields are the update's parameters."""

    source: ClassVar[str]
    """The paper, as "Hopfield 1982"."""
    way: ClassVar[str]
    """The update in a few words, as "all neurons at once"."""
    stochastic: ClassVar[bool] = False
    """Whether a step draws random numbers for each cue by itself."""
    on_devices: ClassVar[bool] = False
    """Whether a step takes arrays of PyTorch and JAX too, and leaves them on their device."""

    @property
    def ends(self) -> tuple[Status, ...]:
        """The ways in which a recall may end.

        CONVERGED: a state that one step leaves unchanged is a fixed point, which no later step changes. CYCLE: a state
        always has the same next state, so that a recall that meets a state again is in a cycle.
        """
        return Status.CONVERGED, Status.CYCLE

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Self:
        """An update with random parameters, for the certificate of descent; here, with the defaults of all parameters.

        An update with a parameter that has no default overrides this method; otherwise it raises `InvalidInput`.
        """
        defaults = {field.name: (field.default, field.default_factory) for field in fields(cls)}
        if missing := [name for name, default in defaults.items() if default == (MISSING, MISSING)]:
            raise InvalidInput(
                f"update: {cls.__name__} needs {' and '.join(missing)}; override `{cls.__name__}.drawn` to draw it"
            )
        return cls()

    @abstractmethod
    @in_loops
    def step(self, memory: AssociativeMemory, states: Array, *, mask: Array | None, context: StepContext) -> Moved:
        """One step of states `(n, dim)`, and their energies; a step of an asynchronous update is one sweep."""

    def internal(self, memory: AssociativeMemory, states: Array) -> Array | None:
        """The internal states `(n, dim)` that this update carries from step to step; None where it needs none."""
        return None

    def spread(self, dim: int) -> float:
        """The standard deviation of an entry of the noise in a step of states `(n, dim)`; 0 without noise."""
        return 0.0

    def residual(self, memory: AssociativeMemory, before: Array, after: Array, *, mask: Array | None) -> Array:
        """The distance from a fixed point, `(n,)`: the largest change of an entry in one step, |x⁺ − x|."""
        return largest_change(before, after)

    def descends(self, memory: AssociativeMemory) -> Descent:
        """Whether this update never raises the memory's energy; raises `InvalidInput` for what is not a memory."""
        if not hasattr(memory, "why_not"):
            raise InvalidInput(f"memory: expected a memory, not {quoted(memory)}")
        if obstacle := memory.why_not("energy") or self.obstacle(memory):
            return Descent(False, obstacle)
        return self.guarantee(memory)

    @abstractmethod
    def guarantee(self, memory: AssociativeMemory) -> Descent:
        """Whether this update never raises the energy, for a memory with an energy and without an `obstacle`."""

    def obstacle(self, memory: AssociativeMemory) -> str:
        """The reason why this update cannot be applied to the memory, or an empty string if it can."""
        return ""


def why_no_ties(memory: AssociativeMemory, ties: str) -> str:
    """Why a memory has no such ties, or an empty string."""
    spins = ties == "keep" or memory.activation.discrete
    return "" if spins else f"ties are of spins, and the activation '{name_of(memory.activation)}' gives none"


def energy_of(memory: AssociativeMemory, states: Array, mask: Array | None) -> Array | None:
    """The energies of the states of a recall, `(n, dim)`, `(n,)`; None for a memory without an energy."""
    return None if memory._why_not("energy") else memory._energy_at(states, mask)
