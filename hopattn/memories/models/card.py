"""What every named memory has: a constructor, its source, its energy, and how to draw one at random.

A named memory is a function that lies in a file of this folder and is marked by `named`; nothing else is to be
touched for it to be listed, certified and run from a scenario.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any, TypeVar

import numpy as np

from hopattn.dynamics.updates.base import Recallable
from hopattn.foundation.arrays import stored_rows
from hopattn.foundation.errors import InvalidInput

Build = TypeVar("Build", bound=Callable[..., Any])
Draw = Callable[[np.random.Generator], Mapping[str, Any]]


@dataclass(frozen=True)
class Card:
    """A named memory as the literature has it.

    build: its constructor. source: the paper. energy: its formula, or why it has none. draw: arguments of random size,
    load and parameters. update: how it is recalled, the name of an update. answers: whether, given values, one step is
    the answer, which is no cue again.
    """

    name: str
    build: Callable[..., Any]
    source: str
    energy: str
    draw: Draw
    update: str
    answers: bool

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters of the constructor; the first takes what is stored, and `read_out` what that leads to."""
        return signature(self.build).parameters

    @property
    def stored(self) -> str:
        """The parameter that takes what is stored."""
        return next(iter(self.parameters))

    @property
    def read_out(self) -> str:
        """The parameter that takes what the stored patterns lead to, or an empty string where there is none."""
        return next((name for name in ("values", "right") if name in self.parameters), "")

    def drawn(self, rng: np.random.Generator) -> Recallable:
        """A memory of random size, load and parameters."""
        made: Recallable = self.build(**self.draw(rng))
        return made


def named(
    source: str, energy: str, draw: Draw, update: str = "sync", answers: bool = False
) -> Callable[[Build], Build]:
    """Mark a constructor as a named memory."""

    def mark(build: Build) -> Build:
        build.card = Card(build.__name__, build, source, energy, draw, update, answers)  # type: ignore[attr-defined]
        return build

    return mark


def spin_patterns(patterns: Any, what: str = "patterns") -> np.ndarray:
    """Patterns as a checked array `(n_patterns, N)`; raises `InvalidInput` naming the first row that is not ±1."""
    rows = real_patterns(patterns, what)
    for i, row in enumerate(rows):
        odd = row[np.abs(row) != 1]
        if odd.size:
            raise InvalidInput(f"{what}: row {i} holds {odd[0]:.6g}; the neurons are spins, −1 or 1")
    return rows


def real_patterns(patterns: Any, what: str = "patterns") -> np.ndarray:
    """Patterns as a checked array `(n_patterns, dim)`; raises `InvalidInput` for a set that is empty or not finite, and
    naming the first row that is zero: a zero pattern is like nothing, and nothing recalls it.
    """
    rows = stored_rows(patterns, what)
    for i, row in enumerate(rows):
        if not row.any():
            raise InvalidInput(f"{what}: row {i} is zero; nothing recalls it")
    return np.asarray(rows)
