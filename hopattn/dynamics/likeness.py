"""The likeness of a state: a stored pattern, the reverse of one, between some, a mixture of three, or none (NumPy).

The likeness of a state x and a pattern ξ is their cosine, x·ξ / |x||ξ|, or, for a memory that compares by distance,

    1 − |x − ξ|² / (|x|² + |ξ|²) = 2 x·ξ / (|x|² + |ξ|²) = cosine · 2 / (r + 1/r)        r = |x| / |ξ|

which is 1 only where the two are equal. A state shorter than a millionth of a pattern has the cosine 0 with it: what is
left of a state that faded has no direction. The likenesses of all pairs are never in memory at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from hopattn.foundation.arrays import Array, namespace, on_host
from hopattn.foundation.threads import blocks, workers
from hopattn.foundation.vectors import largest_entry, nonzero, normalised, row_length
from hopattn.foundation.writing import Word
from hopattn.retrieval.activation import Activation
from hopattn.retrieval.blockwise import BLOCKS_OF_SCORES, SCORES_HELD
from hopattn.retrieval.ways import BLOCKS

MATCH = 0.95
"""The cosine from which on a state counts as a stored pattern. Up to the critical load retrieval states keep an overlap
of 0.967 with their pattern (Amit, Gutfreund & Sompolinsky 1985); mixtures of three patterns have 0.5."""
N_LEADING = 3
"""The number of patterns that are ranked by the magnitude of their likeness."""
FADED = 1e-6
"""The part of the length of a pattern below which a state is unlike it."""
EQUALLY_LIKE = 0.5
"""The likeness from which on the distance decides between patterns that are equally like a state."""
NEARER = 1e-9
"""The part of a distance by which a state is nearer, and not as near up to rounding."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """The ranking of patterns for n states.

    nearest: the pattern of the largest likeness, `(n,)`, of equal ones (up to rounding) the one at the least distance;
    apart: that distance, `(n,)`. largest, lowest: the largest and the lowest likeness, `(n,)`.
    leading: the three patterns of the largest |likeness|, largest first, `(n, 3)`, or all patterns if there are fewer.
    leading_cosines: their likenesses, of the same shape. Of equal ones (up to rounding) the first pattern comes first.
    The likeness with a zero state or a zero pattern is 0; by distance, that of two zero vectors is 1.
    """

    nearest: np.ndarray
    apart: np.ndarray
    largest: np.ndarray
    lowest: np.ndarray
    leading: np.ndarray
    leading_cosines: np.ndarray


def ranked(states: np.ndarray, patterns: np.ndarray, by_distance: bool = False) -> Ranked:
    """Rank patterns `(n_patterns, dim)`, at least one, by their likeness to states `(n, dim)`.

    by_distance: whether equally directed vectors of another length are unlike.
    """
    sizes = BLOCKS_OF_SCORES
    work = partial(_rank, states, patterns, by_distance, 2 * sizes.keys)  # fewer blocks: threads wait less for Python
    tasks = [(rows,) for rows in blocks(len(states), sizes.cues)]
    if len(states) * len(patterns) < BLOCKS:
        parts = [work(*task) for task in tasks]
    else:
        with workers() as share:
            parts = share(work, tasks)
    return Ranked(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Ranked)))


def merged(parts: Sequence[Ranked]) -> Ranked:
    """One ranking from the rankings of several sets of patterns, for the same states.

    parts: in the order of their patterns; each numbers its patterns as the whole does.
    """
    nearest, apart, largest = parts[0].nearest, parts[0].apart, parts[0].largest
    for part in parts[1:]:
        rounding = _rounding(part.largest)
        tied, above = part.largest + rounding >= largest, part.largest - rounding > largest
        better = np.where(part.apart < apart, tied, above)
        nearest, apart = np.where(better, part.nearest, nearest), np.where(better, part.apart, apart)
        largest = np.where(better, part.largest, largest)
    cosines, leading = np.hstack([part.leading_cosines for part in parts]), np.hstack([part.leading for part in parts])
    columns = _columns_of_largest(np.abs(cosines))
    lowest = np.minimum.reduce([part.lowest for part in parts])
    return Ranked(nearest, apart, largest, lowest, _taken(leading, columns), _taken(cosines, columns))


def _rank(states: np.ndarray, patterns: np.ndarray, by_distance: bool, width: int, rows: slice) -> Ranked:
    """The ranking for the states in these rows; patterns are taken `width` at a time."""
    batch, parts = states[rows], []
    units, norms = normalised(batch), row_length(batch)[:, None]
    for part in blocks(len(patterns), width):
        block = patterns[part]
        cosines = _likenesses(units, norms, block, by_distance)
        top, apart = _nearest_of_equal(cosines, batch, block)
        ends = (_taken(cosines, column[:, None])[:, 0] for column in (top, cosines.argmin(axis=1)))
        largest, lowest = (np.clip(cosine, -1.0, 1.0) for cosine in ends)  # rounding reaches 1 + 7e-16
        columns = _columns_of_largest(np.abs(cosines))
        leading = part.start + columns, _taken(cosines, columns)
        parts.append(Ranked(part.start + top, apart, largest, lowest, *leading))
    return merged(parts)


def _likenesses(units: np.ndarray, norms: np.ndarray, patterns: np.ndarray, by_distance: bool) -> np.ndarray:
    """The likenesses of states and patterns `(b, dim)`, `(n, b)`.

    units: the states at unit length, `(n, dim)`. norms: their lengths, `(n, 1)`.
    """
    lengths = row_length(patterns)
    cosines: np.ndarray = units @ (patterns / nonzero(lengths)[:, None]).T
    if by_distance:
        with np.errstate(over="ignore", divide="ignore"):
            ratio = nonzero(norms) / nonzero(lengths)
            return np.where((norms == 0) & (lengths == 0), 1.0, cosines * (2 / (ratio + 1 / ratio)))
    if norms.min() < FADED * lengths.max():
        cosines[norms < FADED * lengths] = 0
    return cosines


def _nearest_of_equal(cosines: np.ndarray, states: np.ndarray, patterns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pattern of the largest likeness, of equal ones the nearest, and its distance, `(n,)` each."""
    top = cosines.argmax(axis=1)  # several times as fast as max
    above = _taken(cosines, top[:, None])
    equal = cosines >= np.where(above >= EQUALLY_LIKE, above - _rounding(above), 2)
    ties = np.flatnonzero(np.count_nonzero(equal, axis=1) > 1)
    rows, columns = np.nonzero(equal[ties])
    apart = np.full((len(ties), len(patterns)), np.inf)
    for part in blocks(len(rows), max(SCORES_HELD // states.shape[1], 1)):
        apart[rows[part], columns[part]] = row_length(states[ties[rows[part]]] - patterns[columns[part]])
    top[ties] = apart.argmin(axis=1)
    return top, row_length(states - patterns[top])


def _rounding(cosines: np.ndarray) -> float:
    """The largest difference of two cosines that counts as none."""
    return 16 * float(np.finfo(cosines.dtype).eps)


def _columns_of_largest(magnitudes: np.ndarray) -> np.ndarray:
    """The columns of the three largest entries of each row, `(n, 3)`, of equal entries (up to rounding) the first.

    The array `magnitudes` is overwritten.
    """
    columns = []
    for _ in range(min(N_LEADING, magnitudes.shape[1])):
        above = _taken(magnitudes, magnitudes.argmax(axis=1)[:, None])
        columns.append((magnitudes >= above - _rounding(magnitudes)).argmax(axis=1)[:, None])
        np.put_along_axis(magnitudes, columns[-1], -1.0, axis=1)
    return np.hstack(columns)


def _taken(array: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The entries of each row in these columns, `(n, k)`."""
    return np.take_along_axis(array, columns, axis=1)


def errors(states: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """The distance of each state from its pattern, |x − ξ| / |ξ|, `(n,)`; from a pattern of zeros, |x|."""
    return np.asarray(row_length(states - targets) / nonzero(row_length(targets)))


def nearer(errors: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether each error is below the other one by more than rounding, `(n,)`."""
    return np.asarray(errors < others * (1 - NEARER))


class Spurious(Word):
    """The kind of a state that is not a stored pattern; `meaning` explains it in a sentence."""

    NONE = "", "it is a stored pattern"
    REVERSED = "reversed", "every neuron of a stored pattern is reversed"
    BETWEEN = "between", "two or more stored patterns are equally near"
    MIXTURE = "mixture", "three stored patterns, or their reverses, are mixed"
    OTHER = "other", "neither a stored pattern, nor a reversed one, nor a mixture of three"


class Likeness(NamedTuple):
    """The likeness of states `(n, dim)`: the fields `matched`, `similarity`, `spurious` and `mixture` of a `Recall`."""

    matched: np.ndarray
    similarity: np.ndarray
    spurious: np.ndarray
    mixture: np.ndarray


@dataclass(frozen=True, eq=False)
class ReferencePatterns:
    """The patterns that the states of a recall are compared with.

    patterns: `(n_patterns, dim)`; a subclass may keep them elsewhere. activation: that of the memory, for mixtures.
    by_distance: whether the memory compares by distance. Patterns on a device are copied where states are ranked.
    """

    patterns: Array
    activation: Activation
    by_distance: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """`(n_patterns, dim)`."""
        count, dim = self.patterns.shape
        return count, dim

    @property
    def dtype(self) -> Any:
        """The dtype of the patterns."""
        return self.patterns.dtype

    @cached_property
    def _on_host(self) -> np.ndarray:
        """The patterns as a NumPy array."""
        return on_host(self.patterns)

    @property
    def largest(self) -> float:
        """The largest |entry| of all patterns."""
        return largest_entry(self.patterns)

    def ranked(self, states: np.ndarray) -> Ranked:
        """The ranking of the patterns for states `(n, dim)`."""
        return ranked(states, self._on_host, self.by_distance)

    def take(self, numbers: np.ndarray) -> np.ndarray:
        """The patterns with these numbers, `(…, dim)` for numbers `(…,)`."""
        return np.asarray(self._on_host[numbers])

    def overlaps(self, states: Array) -> Array:
        """m_μ = ξ_μ·x / |ξ_μ|², `(…, n_patterns)`."""
        return overlaps(states, self.patterns)

    def likeness(self, states: np.ndarray) -> Likeness:
        """Compare states `(n, dim)` with the stored patterns, their reverses, and the mixtures of three patterns.

        A state that is as near to another pattern is between the two, and matches none. A mixture is the activation of
        ±ξ_a ± ξ_b ± ξ_c, for the three patterns that have the largest |cosine| with the state (Amit, Gutfreund &
        Sompolinsky 1985, Phys. Rev. A 32, 1007, section III). Without patterns, no state is matched and none is called
        spurious.
        """
        n, mixture = len(states), np.full((len(states), 3), -1)
        if not self.shape[0]:
            return Likeness(np.full(n, -1), np.zeros(n), np.full(n, Spurious.NONE, dtype="<U8"), mixture)
        rank = self.ranked(states)
        like, between = rank.largest >= MATCH, self._between(states, rank)
        matched = np.where(like & ~between, rank.nearest, -1)
        spurious = np.where(rank.lowest <= -MATCH, Spurious.REVERSED, Spurious.OTHER).astype("<U8")
        spurious = np.where(like, np.where(between, Spurious.BETWEEN, Spurious.NONE), spurious)
        if self.shape[0] >= 3:
            mixture = np.where((spurious == Spurious.OTHER)[:, None], self._mixtures(states, rank), mixture)
            spurious = np.where(mixture[:, 0] >= 0, Spurious.MIXTURE, spurious)
        return Likeness(matched, rank.largest, spurious, mixture)

    def _between(self, states: np.ndarray, rank: Ranked) -> np.ndarray:
        """Whether another pattern is as like and as near to a state as the nearest one, up to rounding, `(n,)`."""
        alike = rank.leading_cosines >= (rank.largest - _rounding(rank.largest))[:, None]
        rows = np.flatnonzero(np.count_nonzero(alike, axis=1) > 1)
        patterns, nearest = self.take(rank.leading[rows]), self.take(rank.nearest[rows])[:, None]
        near = row_length(states[rows, None] - patterns) <= rank.apart[rows, None] * (1 + NEARER)
        between = np.zeros(len(states), bool)
        between[rows] = np.any(alike[rows] & near & np.any(patterns != nearest, axis=-1), axis=1)
        return between

    def _mixtures(self, states: np.ndarray, rank: Ranked) -> np.ndarray:
        """The three patterns that each state mixes, `(n, 3)`, in ascending order; −1 if it is not a mixture."""
        order = np.argsort(rank.leading, axis=-1)
        three, cosines = (_taken(array, order) for array in (rank.leading, rank.leading_cosines))
        mixtures = np.asarray(self.activation((np.sign(cosines)[..., None] * self.take(three)).sum(axis=1)))
        all_three = np.all(np.abs(cosines) > 1e-9, axis=-1)
        close = np.sum(normalised(states) * normalised(mixtures), axis=-1) >= MATCH
        return np.where((close & all_three)[:, None], three, -1)


def overlaps(states: Array, patterns: Array) -> Array:
    """m_μ = ξ_μ·x / |ξ_μ|², `(…, n_patterns)`: 1 where the state is the pattern; for spins, (1/N) Σ ξ_μi x_i."""
    return states @ patterns.mT / nonzero(namespace(patterns).sum(patterns * patterns, axis=-1))
