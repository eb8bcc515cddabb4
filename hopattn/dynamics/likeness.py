"""What a state is like."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from hopattn.dynamics.ranking import Ranked, ranked
from hopattn.foundation.arrays import namespace
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.vectors import largest_entry, nonzero, normalised
from hopattn.retrieval.activation import Activation

MATCH = 0.95
"""A state counts as a stored pattern from this cosine on. The retrieval states of the classical network keep an
overlap of 0.967 with their pattern up to the critical load (Amit, Gutfreund & Sompolinsky 1985), spurious mixtures of
three have 0.5."""


class Spurious(StrEnum):
    """What a state is that is no stored pattern; `meaning` says it in a sentence."""

    NONE = ""
    REVERSED = "reversed"
    MIXTURE = "mixture"
    OTHER = "other"

    @property
    def meaning(self) -> str:
        return {
            Spurious.NONE: "it is a stored pattern",
            Spurious.REVERSED: "every neuron of a stored pattern is turned round",
            Spurious.MIXTURE: "three stored patterns, or their reverses, are mixed",
            Spurious.OTHER: "neither a stored pattern, nor a reversed one, nor a mixture of three",
        }[self]


@dataclass(frozen=True, eq=False)
class Known:
    """What the states of a recall are compared with: patterns `(n_patterns, dim)`, here or elsewhere.

    Raises `InvalidInput` for patterns that are no NumPy array.
    """

    patterns: Any
    activation: Activation

    def __post_init__(self) -> None:
        if namespace(self.patterns) is not np:
            raise InvalidInput("patterns: recall runs on NumPy arrays; `step` runs on those of any library")

    @property
    def shape(self) -> tuple[int, int]:
        count, dim = self.patterns.shape
        return count, dim

    @property
    def dtype(self) -> np.dtype:
        found: np.dtype = self.patterns.dtype
        return found

    @property
    def largest(self) -> float:
        """The largest |entry| of all patterns."""
        return largest_entry(self.patterns)

    def ranked(self, states: np.ndarray) -> Ranked:
        """Which patterns each state is most like."""
        return ranked(states, self.patterns)

    def some(self, numbers: np.ndarray) -> np.ndarray:
        """The patterns with these numbers `(…,)`, `(…, dim)`."""
        return np.asarray(self.patterns[numbers])

    def overlaps(self, states: np.ndarray) -> np.ndarray:
        """m_μ = ξ_μ·x / |ξ_μ|², `(…, n_patterns)`."""
        return overlaps(states, self.patterns)

    def likeness(self, states: np.ndarray) -> "Likeness":
        """What each state is like; see `likeness`."""
        n = len(states)
        nothing, no_mixture = np.full(n, -1), np.full((n, 3), -1)
        if not self.shape[0]:
            return Likeness(nothing, np.zeros(n), np.full(n, Spurious.NONE, dtype="<U8"), no_mixture)
        seen = np.where(np.abs(states).max(axis=-1, keepdims=True) < 1e-6 * self.largest, 0.0, states)
        rank = self.ranked(seen)
        similarity = rank.largest
        matched = np.where(similarity >= MATCH, rank.nearest, nothing)
        spurious = np.where(rank.lowest <= -MATCH, Spurious.REVERSED, Spurious.OTHER).astype("<U8")
        spurious = np.where(matched >= 0, Spurious.NONE, spurious)
        mixture = no_mixture
        if self.shape[0] >= 3:
            mixture = np.where((spurious == Spurious.OTHER)[:, None], self._mixtures(seen, rank), no_mixture)
            spurious = np.where(mixture[:, 0] >= 0, Spurious.MIXTURE, spurious)
        return Likeness(matched, similarity, spurious, mixture)

    def _mixtures(self, states: np.ndarray, rank: Ranked) -> np.ndarray:
        """The three patterns that each state mixes, `(n, 3)`; −1 where it is no mixture of three."""
        order = np.argsort(rank.ahead, axis=-1)
        three, cosines = (np.take_along_axis(array, order, axis=-1) for array in (rank.ahead, rank.cosines))
        mixed = np.asarray(self.activation((np.sign(cosines)[..., None] * self.some(three)).sum(axis=1)))
        mixes = np.all(np.abs(cosines) > 1e-9, axis=-1)
        close = np.sum(normalised(states) * normalised(mixed), axis=-1) >= MATCH
        return np.where((close & mixes)[:, None], three, -1)


@dataclass(frozen=True, eq=False)
class Likeness:
    """What each state `(n, dim)` is like: the fields `matched`, `similarity`, `spurious` and `mixture` of a record."""

    matched: np.ndarray
    similarity: np.ndarray
    spurious: np.ndarray
    mixture: np.ndarray


def likeness(states: np.ndarray, patterns: np.ndarray, activation: Activation) -> Likeness:
    """Compare states with the stored patterns, their reverses, and the mixtures of three.

    A mixture is what the activation makes of ±ξ_a ± ξ_b ± ξ_c, for the three patterns that the state is most like or
    most unlike (Amit, Gutfreund & Sompolinsky 1985, Phys. Rev. A 32, 1007, section III). A state smaller than a
    millionth of the patterns is like none. Where no patterns are known, nothing is matched or called spurious.
    """
    return Known(patterns, activation).likeness(states)


def overlaps(states: np.ndarray, patterns: np.ndarray) -> np.ndarray:
    """m_μ = ξ_μ·x / |ξ_μ|², `(…, n_patterns)`: 1 where the state is the pattern; for spins, (1/N) Σ ξ_μi x_i."""
    return np.asarray(states @ patterns.T / nonzero(np.sum(patterns * patterns, axis=-1)))
