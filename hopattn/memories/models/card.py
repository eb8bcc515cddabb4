"""The card of a named memory: its constructor, source and energy, and how to draw one at random.

A named memory is a function in a file of this folder, marked by the decorator `named`. The mark is enough: the memory
is then listed, certified and available to scenarios.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from inspect import Parameter, signature
from typing import Any, TypeVar

import numpy as np

from hopattn.dynamics.protocol import Recallable
from hopattn.foundation.arrays import Array, first_true, namespace
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.options import require_options
from hopattn.foundation.traces import surely
from hopattn.memories.memory import rows_of

Build = TypeVar("Build", bound=Callable[..., Any])
OF_0_AND_1 = '; for 0 and 1, write 2*x − 1, or take `ha.hopfield` with activation="step"'
Draw = Callable[[np.random.Generator], Mapping[str, Any]]


@dataclass(frozen=True)
class Card:
    """A named memory of the literature.

    name: the constructor's name. build: the constructor. source: the paper. energy: the formula of the energy, or
    "none: " and the reason. draw: gives arguments for `build` with random size, load and parameters; it leaves no
    parameter out, so that what all draws guarantee is guaranteed. update: the name of its usual update. answers: True
    if, with values, one step gives the answer, which cannot be a cue again.
    """

    name: str
    build: Callable[..., Any] = field(repr=False)
    source: str
    energy: str
    draw: Draw = field(repr=False)
    update: str
    answers: bool

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters of the constructor, by name."""
        return signature(self.build).parameters

    @property
    def stored(self) -> str:
        """The name of the first parameter, which takes the stored patterns or keys."""
        return next(iter(self.parameters))

    @property
    def read_out(self) -> str:
        """The name of the parameter for the patterns that recall gives in place of the stored ones, or ""."""
        return next((name for name in ("values", "right") if name in self.parameters), "")

    def drawn(self, rng: np.random.Generator, given: Collection[str] | None = None) -> Recallable:
        """A memory with random size, load and parameters; given: the parameters that are drawn, by default all.

        Arguments that the constructor refuses, such as patterns that a rule cannot learn, are drawn again; after 100
        refusals it raises `InvalidInput`.
        """
        for _ in range(100):
            arguments = self.draw(rng)
            chosen = {name: value for name, value in arguments.items() if given is None or name in given}
            try:
                memory: Recallable = self.build(**chosen)
            except InvalidInput as error:
                reason = error
            else:
                return memory
        raise InvalidInput(f"{self.name}: the arguments of 100 draws are refused: {reason}")


def named(
    source: str, energy: str, draw: Draw, update: str = "sync", answers: bool = False
) -> Callable[[Build], Build]:
    """Mark a constructor as a named memory; the parameters are the fields of `Card`.

    A mistyped option of the constructor raises `InvalidInput` with the nearest one.
    """

    def mark(build: Build) -> Build:
        known = signature(build).parameters

        @wraps(build)
        def checked(*args: Any, **options: Any) -> Any:
            require_options(build.__name__, options, known)
            return build(*args, **options)

        checked.card = Card(build.__name__, checked, source, energy, draw, update, answers)  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return mark


def spin_patterns(patterns: Any, what: str = "patterns") -> Array:
    """Patterns as a checked array `(n_patterns, N)`; raises `InvalidInput` with the first row that is not ±1."""
    rows = real_patterns(patterns, what)
    xp = namespace(rows)
    others = xp.abs(rows) != 1
    if surely(xp.any(others)):
        cure = OF_0_AND_1 if surely(xp.all((rows == 0) | (rows == 1))) else ""
        told = f"row {first_true(xp.any(others, axis=-1))} holds {rows[others][0].item():.6g}"
        raise InvalidInput(f"{what}: {told}; the neurons are spins, −1 or 1{cure}")
    return rows


def real_patterns(patterns: Any, what: str = "patterns") -> Array:
    """Patterns as a checked array `(n_patterns, dim)`, of the library that they are given in, or from a file.

    Raises `InvalidInput` for a set that is empty, for entries that are not finite or too large to be multiplied, and
    for a zero row (with its number): a zero pattern is similar to no cue, so no cue recalls it.
    """
    rows = rows_of(patterns, what)
    xp = namespace(rows)
    zero = xp.all(rows == 0, axis=-1)
    if surely(xp.any(zero)):
        raise InvalidInput(f"{what}: row {first_true(zero)} is zero; nothing recalls it")
    return rows


def of_numpy(rows: Array, what: str = "patterns") -> np.ndarray:
    """Patterns for couplings, which NumPy computes; raises `InvalidInput` for an array of another library."""
    if isinstance(rows, np.ndarray):
        return rows
    kind = type(rows).__module__.partition(".")[0]
    cure = "give np.asarray(x), or keep the library with `ha.Memory(K, separation=…)`"
    raise InvalidInput(f"{what}: couplings are computed with NumPy, and this is an array of {kind}; {cure}")
