"""The model card of a named memory, and the checks of patterns.

A named memory is a function in a file of this folder, marked by `named`. It is then listed, and available to scenarios.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from inspect import Parameter, signature
from typing import Any, TypeVar

from hopattn.foundation.argument_names import ArgumentNames
from hopattn.foundation.arrays import Array, first_true, namespace, on_host
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.shown_types import declared, show_types
from hopattn.foundation.traces import known_true
from hopattn.memories.memory import Stored, place_of, rows_of
from hopattn.retrieval.activation import Heaviside

Build = TypeVar("Build", bound=Callable[..., Any])
CURE_OF_0_AND_1 = '; for 0 and 1, write 2*x − 1, or take activation="step" of `ha.memories.hopfield` or `bam`'


@dataclass(frozen=True)
class Card:
    """The model card of a named memory.

    name: the constructor's name. build: the constructor. source: the paper. energy: the formula of the energy, or
    "none: " and the reason. answers: whether, with values, one step gives the answer, which cannot be a cue again.
    """

    name: str
    build: Callable[..., Any] = field(repr=False)
    source: str
    energy: str
    answers: bool

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters of the constructor, by name."""
        return declared(self.build).parameters

    @property
    def stored(self) -> str:
        """The name of the first parameter, which takes the stored patterns or keys."""
        return next(iter(self.parameters))

    @property
    def read_out(self) -> str:
        """The name of the parameter for the patterns that recall gives instead of the stored ones, or ""."""
        return next((name for name in ("values", "right") if name in self.parameters), "")


def named(source: str, energy: str, answers: bool = False) -> Callable[[Build], Build]:
    """Mark a constructor as a named memory; the parameters are the fields of `Card`.

    The constructor then raises `InvalidInput` for a mistyped option, with the nearest one, and for further arguments.
    """

    def mark(build: Build) -> Build:
        names = ArgumentNames(build, signature(build))

        @wraps(build)
        def constructor(*args: Any, **options: Any) -> Any:
            names.require_taken(args, options)
            return build(*args, **options)

        show_types(constructor)
        constructor.card = Card(build.__name__, constructor, source, energy, answers)  # type: ignore[attr-defined]
        return constructor  # type: ignore[return-value]

    return mark


def spin_patterns(patterns: Stored, what: str = "patterns") -> Array:
    """Patterns as a checked array `(n_patterns, N)`; raises `InvalidInput` with the first row that is not ±1."""
    rows = real_patterns(patterns, what)
    xp = namespace(rows)
    not_spins = xp.abs(rows) != 1
    if known_true(xp.any(not_spins)):
        cure = CURE_OF_0_AND_1 if known_true(xp.all((rows == 0) | (rows == 1))) else ""
        message = f"row {first_true(xp.any(not_spins, axis=-1))} holds {rows[not_spins][0].item():.6g}"
        with place_of(patterns):
            raise InvalidInput(f"{what}: {message}; the neurons are spins, −1 or 1{cure}")
    return rows


def binary_patterns(patterns: Stored, what: str = "patterns") -> Array:
    """Patterns as a checked array `(n_patterns, N)`; raises `InvalidInput` with the first row not of 0 and 1."""
    rows = real_patterns(patterns, what)
    xp = namespace(rows)
    not_binary = xp.any((rows != 0) & (rows != 1), axis=-1)
    if known_true(xp.any(not_binary)):
        i = first_true(not_binary)
        with place_of(patterns):
            raise InvalidInput(f"{what}: row {i} {Heaviside().why_outside_domain(on_host(rows[int(i), :]))}")
    return rows


def real_patterns(patterns: Stored, what: str = "patterns") -> Array:
    """Patterns as a checked array `(n_patterns, dim)` of their own library, or from a file.

    Raises `InvalidInput` as `stored_rows` does, and for a row of zeros, which is similar to no cue.
    """
    rows = rows_of(patterns, what)
    xp = namespace(rows)
    zero = xp.all(rows == 0, axis=-1)
    if known_true(xp.any(zero)):
        with place_of(patterns):
            raise InvalidInput(f"{what}: row {first_true(zero)} is zero; nothing recalls it")
    return rows
