"""Random patterns and damaged cues: how many, how large, how alike, how much of a cue is wrong or hidden."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from hopattn.experiments.comparison.problem import Question, asked
from hopattn.foundation.arrays import as_float, require_room, stored_rows
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.scalars import real, whole
from hopattn.memories.random_patterns import SORTS, damaged, random_patterns

MOST_CUES = 100
"""So many patterns of a draw are cues; they are drawn alike, so that the first stand for all."""


@dataclass(frozen=True)
class Draw:
    """How patterns and cues are drawn; a cue is a pattern that is damaged.

    dim: N, the number of neurons. load: patterns a neuron, n_patterns = round(load · N), at least 1; n_patterns: the
    number itself, in place of a load. correlation: ρ, from 0 to below 1, the expected cosine of two patterns, as for
    `random_patterns`. noise: of spins, the fraction that is reversed, 0 to 1; to a unit vector it is added as normal
    numbers of that length, 0 or more. hidden: the fraction of entries that become 0, unknown, from 0 to below 1.
    kind: "spins" or "unit". Raises `InvalidInput` for numbers outside.
    """

    dim: int = 64
    load: float = 0.1
    noise: float = 0.1
    hidden: float = 0.0
    correlation: float = 0.0
    kind: str = "spins"
    n_patterns: int | None = None

    def __post_init__(self) -> None:
        reject_unknown("patterns", [self.kind], SORTS)
        if not real(self.dim, "dim").is_integer():
            raise InvalidInput(f"dim: {self.dim:g} is no whole number of neurons")
        object.__setattr__(self, "dim", whole(int(self.dim), "dim"))
        real(self.load, "load", above=0.0)
        if self.n_patterns is not None:
            whole(self.n_patterns, "n_patterns")
        _require_damage(self.noise, self.hidden, self.kind)
        _require_below_one(self.correlation, "correlation")
        require_room(self.count * self.dim, f"{self.count:,} patterns of {self.dim:,} neurons")

    @property
    def count(self) -> int:
        """How many patterns are stored."""
        return self.n_patterns or max(1, round(self.load * self.dim))

    def at(self, point: Mapping[str, float]) -> "Draw":
        """The same at a point of a grid: its `dim`, `load`, `noise`, `hidden` and `correlation` take the place."""
        own = {field.name for field in fields(self)}
        return replace(self, **{name: value for name, value in point.items() if name in own})  # type: ignore[arg-type]

    def trials(self, count: int, seed: int) -> Iterator[Question]:
        """So many draws; each depends on the seed, its own number and the dim alone.

        So a grid may be run in any order, and what changes along it changes nothing else: more patterns are the same
        ones and further ones, and what a smaller noise reverses or hides, a larger one does too.
        """
        for trial in range(count):
            patterns = self.patterns(_stream(seed, trial, self.dim, 0))
            n = min(len(patterns), MOST_CUES)
            cues = cued(patterns[:n], self.noise, self.hidden, self.kind, _stream(seed, trial, self.dim, 1))
            yield asked(patterns, cues, targets=np.arange(n))

    def patterns(self, rng: np.random.Generator) -> np.ndarray:
        """The patterns, `(n_patterns, dim)`."""
        return random_patterns(rng, self.count, self.dim, self.kind, self.correlation)


@dataclass(frozen=True, eq=False)
class Stored:
    """Patterns that are given, `(n_patterns, dim)`; only the damage of the cues is drawn, as for `Draw`."""

    patterns: Any
    noise: float = 0.1
    hidden: float = 0.0

    def __post_init__(self) -> None:
        rows = np.asarray(stored_rows(np.asarray(as_float(self.patterns, "patterns")), "patterns"), dtype=np.float64)
        object.__setattr__(self, "patterns", rows)
        _require_damage(self.noise, self.hidden, self.kind)

    @property
    def kind(self) -> str:
        """Whether all entries are −1 or 1, which says what noise is."""
        return "spins" if np.all(np.abs(self.patterns) == 1) else "unit"

    def at(self, point: Mapping[str, float]) -> "Stored":
        """The same with the `noise` and `hidden` of a point."""
        return Stored(self.patterns, point.get("noise", self.noise), point.get("hidden", self.hidden))

    def trials(self, count: int, seed: int) -> Iterator[Question]:
        """So many draws of the damage."""
        n, dim = min(len(self.patterns), MOST_CUES), self.patterns.shape[1]
        for trial in range(count):
            cues = cued(self.patterns[:n], self.noise, self.hidden, self.kind, _stream(seed, trial, dim, 1))
            yield asked(self.patterns, cues, targets=np.arange(n))


def _require_damage(noise: Any, hidden: Any, kind: str) -> None:
    real(noise, "noise", least=0.0)
    if kind == "spins" and noise > 1:
        raise InvalidInput(f"noise: expected the fraction of spins that is reversed, 0 to 1, not {noise:g}")
    _require_below_one(hidden, "hidden")


def _require_below_one(value: Any, name: str) -> None:
    if real(value, name, least=0.0) >= 1:
        raise InvalidInput(f"{name}: expected a number from 0 to below 1, not {value:g}")


def cued(patterns: np.ndarray, noise: float, hidden: float, kind: str, rng: np.random.Generator) -> np.ndarray:
    """Cues made of patterns `(n, dim)`: entries reversed (spins) or made noisy, then some hidden.

    Noise is relative to the length of each pattern.
    """
    if kind == "spins":
        return damaged(patterns, rng, flip=noise, hide=hidden)
    size = np.linalg.norm(patterns, axis=1, keepdims=True) / patterns.shape[1] ** 0.5
    return np.asarray(damaged(patterns / size, rng, noise=noise, hide=hidden) * size)


def _stream(seed: int, trial: int, dim: int, part: int) -> np.random.Generator:
    entropy: Any = (seed, trial, dim, part)
    return np.random.default_rng(np.random.SeedSequence(entropy))
