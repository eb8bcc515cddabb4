"""Random problems: random patterns or given patterns, and cues that are damaged patterns."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from hopattn.experiments.comparison.cost import Size
from hopattn.experiments.comparison.problem import RecallProblem, checked_problem
from hopattn.foundation.arrays import as_numpy, stored_rows
from hopattn.foundation.checks import real, require_room, whole
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.vectors import row_length
from hopattn.scenario.random_patterns import SORTS, damaged, random_patterns

MOST_CUES = 100
"""The largest number of cues of one problem. Random patterns have one distribution, so that the first represent all."""


@dataclass(frozen=True)
class Draw:
    """Random patterns, and cues that are damaged patterns.

    dim: N, the number of neurons. load: patterns per neuron, n_patterns = round(load · N), at least 1. noise: of spins,
    the fraction that is reversed, 0 to 1; of unit vectors, the length of the normal noise that is added, 0 or more.
    hidden: the fraction of entries that become 0 (unknown), from 0 to below 1. correlation: ρ, from 0 to below 1, the
    expected cosine of two patterns, as for `random_patterns`. kind: "spins" or "unit". n_patterns: the number of
    patterns, instead of a load. Raises `InvalidInput` for numbers outside these ranges.
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
        if not (dim := real(self.dim, "dim")).is_integer():
            raise InvalidInput(f"dim: {dim:g} is not a whole number of neurons")
        object.__setattr__(self, "dim", whole(int(dim), "dim"))
        object.__setattr__(self, "load", real(self.load, "load", above=0.0))
        if self.n_patterns is not None:
            whole(self.n_patterns, "n_patterns")
        _check_damage(self)
        object.__setattr__(self, "correlation", _below_one(self.correlation, "correlation"))
        require_room(self.count * self.dim, f"{self.count:,} patterns of {self.dim:,} neurons")

    @property
    def count(self) -> int:
        """The number of patterns."""
        return self.n_patterns or max(1, round(self.load * self.dim))

    @property
    def size(self) -> Size:
        """The size of each of its problems."""
        return Size(self.count, min(self.count, MOST_CUES), self.dim)

    def at(self, point: Mapping[str, float]) -> "Draw":
        """The same with the `dim`, `load`, `noise`, `hidden` and `correlation` of a point of a grid."""
        own = {field.name for field in fields(self)}
        return replace(self, **{name: value for name, value in point.items() if name in own})  # type: ignore[arg-type]

    def trials(self, count: int, seed: int) -> Iterator[RecallProblem]:
        """`count` independent problems; each depends only on the seed, its own number and this object.

        So a grid may be computed in any order. The random numbers depend on `dim` alone: a larger load adds patterns to
        the same ones, and an entry that a small noise reverses is also reversed by a larger noise.
        """
        for trial in range(count):
            patterns = self.patterns(_generator(seed, trial, self.dim, 0))
            n = min(len(patterns), MOST_CUES)
            rng = _generator(seed, trial, self.dim, 1)
            cues = damaged_cues(patterns[:n], self.noise, self.hidden, self.kind, rng)
            yield checked_problem(patterns, cues, targets=np.arange(n))

    def patterns(self, rng: np.random.Generator) -> np.ndarray:
        """The patterns, `(n_patterns, dim)`."""
        return random_patterns(rng, self.count, self.dim, self.kind, self.correlation)


@dataclass(frozen=True, eq=False)
class GivenPatterns:
    """Given patterns `(n_patterns, dim)`, and cues that are damaged patterns; the damage is random, as for `Draw`.

    Of more than `MOST_CUES` patterns, each trial draws so many as cues.

    Raises `InvalidInput` for patterns that are empty, not finite, zero, or so small or large that their squares are not
    numbers above 0, and for numbers outside the ranges of `Draw`.
    """

    patterns: Any
    noise: float = 0.1
    hidden: float = 0.0

    def __post_init__(self) -> None:
        given = as_numpy(self.patterns, "patterns").astype(np.float64, copy=False)
        rows = np.asarray(stored_rows(given, "patterns", multiplied=True))
        _require_directions(rows)
        object.__setattr__(self, "patterns", rows)
        _check_damage(self)

    @property
    def kind(self) -> str:
        """The kind of the noise: that of "spins" if all entries are −1 or 1, else that of "unit"."""
        return "spins" if np.all(np.abs(self.patterns) == 1) else "unit"

    @property
    def size(self) -> Size:
        """The size of each of its problems."""
        n, dim = self.patterns.shape
        return Size(n, min(n, MOST_CUES), dim)

    def at(self, point: Mapping[str, float]) -> "GivenPatterns":
        """The same with the `noise` and `hidden` of a point of a grid."""
        return GivenPatterns(self.patterns, point.get("noise", self.noise), point.get("hidden", self.hidden))

    def trials(self, count: int, seed: int) -> Iterator[RecallProblem]:
        """`count` problems with independent cues and damage."""
        n, dim = self.patterns.shape
        for trial in range(count):
            rng = _generator(seed, trial, dim, 1)
            cued = np.arange(n) if n <= MOST_CUES else rng.choice(n, MOST_CUES, replace=False)
            cues = damaged_cues(self.patterns[cued], self.noise, self.hidden, self.kind, rng)
            yield checked_problem(self.patterns, cues, targets=cued)


def _require_directions(rows: np.ndarray) -> None:
    """Raise `InvalidInput` for a pattern without a direction, by which a recalled state is compared with it."""
    short = row_length(rows) < np.finfo(float).smallest_normal ** 0.5
    if short.any():
        i = int(short.argmax())
        reason = f"has the magnitude {row_length(rows[i]):.3g}, whose square is 0; use larger vectors"
        raise InvalidInput(f"patterns: row {i} {reason if rows[i].any() else 'is zero and has no direction'}")


def _check_damage(source: "Draw | GivenPatterns") -> None:
    """Make noise and hidden floats; raises `InvalidInput` for numbers outside their ranges."""
    noise = real(source.noise, "noise", least=0.0)
    if source.kind == "spins" and noise > 1:
        cure = f"; for {noise:g} %, give {noise / 100:g}" if noise <= 100 else ""
        raise InvalidInput(f"noise: expected the fraction of spins that is reversed, 0 to 1, not {noise:g}{cure}")
    object.__setattr__(source, "noise", noise)
    object.__setattr__(source, "hidden", _below_one(source.hidden, "hidden"))


def _below_one(value: Any, name: str) -> float:
    number = real(value, name, least=0.0)
    if number >= 1:
        raise InvalidInput(f"{name}: expected a number from 0 to below 1, not {number:g}")
    return number


def damaged_cues(patterns: np.ndarray, noise: float, hidden: float, kind: str, rng: np.random.Generator) -> np.ndarray:
    """Cues from patterns `(n, dim)`: entries are reversed (spins) or get normal noise, then some become 0.

    The length of the noise is relative to the length of each pattern.
    """
    if kind == "spins":
        return damaged(patterns, rng, flip=noise, hide=hidden)
    size = np.linalg.norm(patterns, axis=1, keepdims=True) / patterns.shape[1] ** 0.5
    return np.asarray(damaged(patterns / size, rng, noise=noise, hide=hidden) * size)


def _generator(seed: int, trial: int, dim: int, part: int) -> np.random.Generator:
    """The random generator of one trial; part: 0 for the patterns, 1 for the damage."""
    entropy: Any = (seed, trial, dim, part)
    return np.random.default_rng(np.random.SeedSequence(entropy))
