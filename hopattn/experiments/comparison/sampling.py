"""Random problems: random patterns or given patterns, and cues that are damaged patterns."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from hopattn.experiments.comparison.cost import Size
from hopattn.experiments.comparison.problem import RecallProblem, checked_problem
from hopattn.foundation.arrays import as_float64, stored_rows
from hopattn.foundation.checks import real, require_room, whole
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.vectors import row_length
from hopattn.foundation.writing import counted
from hopattn.memories.random_patterns import SORTS, damaged, random_patterns

MOST_CUES = 100
"""The largest number of cues of one problem. Random patterns have one distribution, so that the first represent all."""


@dataclass(frozen=True, eq=False)
class Draw:
    """Patterns, random or given, and cues that are damaged patterns.

    dim: N, the number of neurons. load: patterns per neuron, n_patterns = round(load · N), at least 1. noise: of spins,
    the fraction that is reversed, 0 to 1; of other vectors, the length of the normal noise that is added, relative to
    the length of each pattern, 0 or more. hidden: the fraction of entries that become 0 (unknown), from 0 to below 1.
    correlation: ρ, from 0 to below 1, the expected cosine of two patterns, as for `random_patterns`. kind: "spins" or
    "unit". n_patterns: the number of patterns, instead of a load. given: patterns `(n_patterns, dim)` instead of random
    ones; their kind is "spins" if all entries are −1 or 1. Raises `InvalidInput` for numbers outside these ranges, and
    for given patterns that are empty, not finite, zero, or so small or large that their squares are 0 or infinite.
    """

    dim: int = 64
    load: float = 0.1
    noise: float = 0.1
    hidden: float = 0.0
    correlation: float = 0.0
    kind: str = "spins"
    n_patterns: int | None = None
    given: Any = None

    def __post_init__(self) -> None:
        if self.given is not None:
            rows = _directed(self.given)
            kind = "spins" if np.all(np.abs(rows) == 1) else "unit"
            self._set(given=rows, n_patterns=len(rows), dim=rows.shape[1], kind=kind)
        reject_unknown("patterns", [self.kind], SORTS)
        if not (dim := real(self.dim, "dim")).is_integer():
            raise InvalidInput(f"dim: {dim:g} is not a whole number of neurons")
        self._set(dim=whole(int(dim), "dim"), load=real(self.load, "load", above=0.0))
        if self.n_patterns is not None:
            whole(self.n_patterns, "n_patterns")
        noise = real(self.noise, "noise", least=0.0)
        if self.kind == "spins" and noise > 1:
            cure = f"; for {noise:g} %, give {noise / 100:g}" if noise <= 100 else ""
            raise InvalidInput(f"noise: expected the fraction of spins that is reversed, 0 to 1, not {noise:g}{cure}")
        self._set(noise=noise, hidden=real(self.hidden, "hidden", least=0.0, below=1.0))
        self._set(correlation=real(self.correlation, "correlation", least=0.0, below=1.0))
        require_room(self.count * self.dim, f"{self.count:,} patterns of {self.dim:,} neurons")

    def _set(self, **checked: Any) -> None:
        for name, value in checked.items():
            object.__setattr__(self, name, value)

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
        the same ones, and an entry that a small noise reverses is also reversed by a larger noise. Of more than
        `MOST_CUES` patterns, the cues are the first random ones, or as many given ones drawn at random.
        """
        for trial in range(count):
            patterns, rng = self.given, _generator(seed, trial, self.dim, 1)
            cued = np.arange(self.size.n_cues)
            if patterns is None:
                of_patterns = _generator(seed, trial, self.dim, 0)
                patterns = random_patterns(of_patterns, self.count, self.dim, self.kind, self.correlation)
            elif len(cued) < len(patterns):
                cued = rng.choice(len(patterns), len(cued), replace=False)
            if self.kind == "spins":
                cues = damaged(patterns[cued], rng, flip=self.noise, hide=self.hidden)
            else:
                size = np.linalg.norm(patterns[cued], axis=1, keepdims=True) / self.dim**0.5
                cues = damaged(patterns[cued] / size, rng, noise=self.noise, hide=self.hidden) * size
            yield checked_problem(patterns, cues, targets=cued)

    def about(self, axes: Collection[str]) -> str:
        """The patterns and the damage in words, without the quantities that are axes."""
        if self.given is not None:
            entries, parts = "entries", [f"{counted(self.count, 'pattern')} of dim {self.dim}"]
            if self.count > MOST_CUES:
                parts.append(f"{MOST_CUES} of them drawn as cues")
        else:
            varies = bool({"load", "dim"} & {*axes}) and not self.n_patterns
            patterns = "random patterns" if varies else counted(self.count, "random pattern")
            unit = "of ±1" if self.kind == "spins" else "of unit magnitude"
            size = "" if "dim" in axes else f" of {counted(self.dim, 'neuron')}"
            entries, parts = "neurons", [f"{patterns} {unit}{size}"]

        def share(fraction: float) -> str:
            if "dim" in axes:
                return f"{fraction:.3g} of the {entries}, rounded to whole ones,"
            return f"{round(fraction * self.dim)} of the {entries}"

        if self.noise and "noise" not in axes:
            parts.append(f"{share(self.noise)} reversed" if self.kind == "spins" else f"noise of {self.noise:.3g}")
        if self.hidden and "hidden" not in axes:
            parts.append(f"{share(self.hidden)} hidden")
        if self.correlation and "correlation" not in axes:
            parts.append(f"correlation {self.correlation:.3g}")
        return ", ".join(parts)


def _directed(patterns: Any) -> np.ndarray:
    """Given patterns in float64, each with a direction, by which a recalled state is compared with it."""
    rows = np.asarray(stored_rows(as_float64(patterns, "patterns"), "patterns", multiplied=True))
    short = row_length(rows) < np.finfo(float).smallest_normal ** 0.5
    if short.any():
        i = int(short.argmax())
        reason = f"has the magnitude {row_length(rows[i]):.3g}, whose square is 0; use larger vectors"
        raise InvalidInput(f"patterns: row {i} {reason if rows[i].any() else 'is zero and has no direction'}")
    return rows


def _generator(seed: int, trial: int, dim: int, part: int) -> np.random.Generator:
    """The random generator of one trial; part: 0 for the patterns, 1 for the damage."""
    return np.random.default_rng(np.random.SeedSequence((seed, trial, dim, part)))
