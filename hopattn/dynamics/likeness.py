"""The likeness of a state: a stored pattern, the reverse of one, a mixture of three, or none of these."""

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
"""The cosine from which on a state counts as a stored pattern. The retrieval states of the classical network keep an
overlap of 0.967 with their pattern up to the critical load (Amit, Gutfreund & Sompolinsky 1985); spurious mixtures of
three patterns have 0.5."""


class Spurious(StrEnum):
    """The kind of a state that is no stored pattern; `meaning` explains it in a sentence."""

    NONE = ""
    REVERSED = "reversed"
    MIXTURE = "mixture"
    OTHER = "other"

    @property
    def meaning(self) -> str:
        """The explanation that a reader sees."""
        return {
            Spurious.NONE: "it is a stored pattern",
            Spurious.REVERSED: "every neuron of a stored pattern is turned round",
            Spurious.MIXTURE: "three stored patterns, or their reverses, are mixed",
            Spurious.OTHER: "neither a stored pattern, nor a reversed one, nor a mixture of three",
        }[self]


@dataclass(frozen=True, eq=False)
class ReferencePatterns:
    """The patterns that the states of a recall are compared with.

    patterns: `(n_patterns, dim)`; a subclass may keep them elsewhere. activation: the activation of the memory, for
    mixtures. by_distance: whether the memory compares by distance, so that states of another length are unlike. Raises
    `InvalidInput` for patterns that are not a NumPy array.
    """

    patterns: Any
    activation: Activation
    by_distance: bool = False

    def __post_init__(self) -> None:
        if namespace(self.patterns) is not np:
            raise InvalidInput("patterns: recall runs on NumPy arrays; `step` runs on those of any library")

    @property
    def shape(self) -> tuple[int, int]:
        """`(n_patterns, dim)`."""
        count, dim = self.patterns.shape
        return count, dim

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the patterns."""
        dtype: np.dtype = self.patterns.dtype
        return dtype

    @property
    def largest(self) -> float:
        """The largest |entry| of all patterns."""
        return largest_entry(self.patterns)

    def ranked(self, states: np.ndarray) -> Ranked:
        """The ranking of the patterns for states `(n, dim)`."""
        return ranked(states, self.patterns, self.by_distance)

    def take(self, numbers: np.ndarray) -> np.ndarray:
        """The patterns with these numbers, `(…, dim)` for numbers `(…,)`."""
        return np.asarray(self.patterns[numbers])

    def overlaps(self, states: np.ndarray) -> np.ndarray:
        """m_μ = ξ_μ·x / |ξ_μ|², `(…, n_patterns)`."""
        return overlaps(states, self.patterns)

    def likeness(self, states: np.ndarray) -> "Likeness":
        """The likeness of states `(n, dim)`; see the function `likeness`."""
        n = len(states)
        nothing, no_mixture = np.full(n, -1), np.full((n, 3), -1)
        if not self.shape[0]:
            return Likeness(nothing, np.zeros(n), np.full(n, Spurious.NONE, dtype="<U8"), no_mixture)
        rank = self.ranked(states)
        matched = np.where(rank.largest >= MATCH, rank.nearest, nothing)
        spurious = np.where(rank.lowest <= -MATCH, Spurious.REVERSED, Spurious.OTHER).astype("<U8")
        spurious = np.where(matched >= 0, Spurious.NONE, spurious)
        mixture = no_mixture
        if self.shape[0] >= 3:
            mixture = np.where((spurious == Spurious.OTHER)[:, None], self._mixtures(states, rank), no_mixture)
            spurious = np.where(mixture[:, 0] >= 0, Spurious.MIXTURE, spurious)
        return Likeness(matched, rank.largest, spurious, mixture)

    def _mixtures(self, states: np.ndarray, rank: Ranked) -> np.ndarray:
        """The three patterns that each state mixes, `(n, 3)`, in ascending order; −1 if it is no mixture of three."""
        order = np.argsort(rank.leading, axis=-1)
        three, cosines = (np.take_along_axis(array, order, axis=-1) for array in (rank.leading, rank.leading_cosines))
        mixed = np.asarray(self.activation((np.sign(cosines)[..., None] * self.take(three)).sum(axis=1)))
        all_three = np.all(np.abs(cosines) > 1e-9, axis=-1)
        close = np.sum(normalised(states) * normalised(mixed), axis=-1) >= MATCH
        return np.where((close & all_three)[:, None], three, -1)


@dataclass(frozen=True, eq=False)
class Likeness:
    """The likeness of states `(n, dim)`: the fields `matched`, `similarity`, `spurious` and `mixture` of a `Recall`."""

    matched: np.ndarray
    similarity: np.ndarray
    spurious: np.ndarray
    mixture: np.ndarray


def likeness(states: np.ndarray, patterns: np.ndarray, activation: Activation) -> Likeness:
    """Compare states `(n, dim)` with the stored patterns, their reverses, and the mixtures of three patterns.

    A mixture is the activation of ±ξ_a ± ξ_b ± ξ_c, for the three patterns that have the largest |cosine| with the
    state (Amit, Gutfreund & Sompolinsky 1985, Phys. Rev. A 32, 1007, section III). A state shorter than a millionth
    of a pattern is unlike it. Without patterns, no state is matched and none is called spurious.
    """
    return ReferencePatterns(patterns, activation).likeness(states)


def overlaps(states: np.ndarray, patterns: np.ndarray) -> np.ndarray:
    """m_μ = ξ_μ·x / |ξ_μ|², `(…, n_patterns)`: 1 where the state is the pattern; for spins, (1/N) Σ ξ_μi x_i."""
    return np.asarray(states @ patterns.T / nonzero(np.sum(patterns * patterns, axis=-1)))
