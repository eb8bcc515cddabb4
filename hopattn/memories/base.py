"""What every named memory has: a constructor, its source, its energy, and how to draw one at random.

A named memory is a function that lies in a file of this folder and is marked by `named`; nothing else is to be
touched for it to be listed, certified and run from a scenario.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any, TypeVar

import numpy as np

from hopattn.foundation.arrays import stored_rows
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.vectors import unit
from hopattn.updates.base import Recallable

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


def drawn_shape(rng: np.random.Generator) -> tuple[int, int]:
    """A random number of patterns and of neurons: loads from a tenth to three patterns a neuron."""
    n = int(rng.integers(2, 17))
    return max(1, round(n * 10 ** rng.uniform(-1, 0.5))), n


def drawn_spins(rng: np.random.Generator) -> np.ndarray:
    """Random patterns of ±1, of a random bias."""
    return np.where(rng.random(drawn_shape(rng)) < rng.uniform(0.3, 0.7), 1.0, -1.0)


def drawn_reals(rng: np.random.Generator) -> np.ndarray:
    """Random patterns of normal numbers, of a random length; half of the time of unit magnitude."""
    rows = rng.normal(size=drawn_shape(rng)) * 10 ** rng.uniform(-1, 1)
    return np.asarray(unit(rows)) if rng.random() < 0.5 else rows


def drawn_beta(rng: np.random.Generator) -> float:
    """A random β from 10⁻² to 10²."""
    return float(10 ** rng.uniform(-2, 2))
