"""Ranking of patterns: for each state, the patterns that it is most like (NumPy).

The likeness of a state x and a pattern ξ is their cosine, x·ξ / |x||ξ|, or, for a memory that compares by distance,

    1 − |x − ξ|² / (|x|² + |ξ|²) = 2 x·ξ / (|x|² + |ξ|²) = cosine · 2 / (r + 1/r)        r = |x| / |ξ|

which is 1 only where the two are equal, and the cosine where they are equally long. A state shorter than a millionth of
a pattern has the cosine 0 with it: the rest of a state that faded has no direction. States and patterns are taken in
blocks, so that the likenesses of all pairs are never in memory at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial

import numpy as np

from hopattn.foundation.threads import blocks, workers
from hopattn.foundation.vectors import nonzero, normalised, row_length
from hopattn.retrieval.blockwise.sizes import ENOUGH, HELD, Blocks

N_LEADING = 3
"""The number of patterns that are ranked by the magnitude of their likeness."""

FADED = 1e-6
"""The part of the length of a pattern below which a state is unlike it."""

ALIKE = 0.5
"""The likeness from which on the distance decides between patterns that are equally like a state."""


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
    sizes = Blocks.fitting(states.shape[1], states.dtype)
    work = partial(_rank, states, patterns, by_distance, 2 * sizes.keys)  # fewer blocks: threads wait less for Python
    tasks = [(rows,) for rows in blocks(len(states), sizes.cues)]
    if len(states) * len(patterns) < ENOUGH:
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
        nearest, apart, largest = _nearer((nearest, apart, largest), (part.nearest, part.apart, part.largest))
    cosines, leading = np.hstack([part.leading_cosines for part in parts]), np.hstack([part.leading for part in parts])
    columns = _columns_of_largest(np.abs(cosines))
    return Ranked(
        nearest=nearest,
        apart=apart,
        largest=largest,
        lowest=np.minimum.reduce([part.lowest for part in parts]),
        leading=_taken(leading, columns),
        leading_cosines=_taken(cosines, columns),
    )


def _likenesses(units: np.ndarray, own: np.ndarray, patterns: np.ndarray, by_distance: bool) -> np.ndarray:
    """The likenesses of states and patterns `(b, dim)`, `(n, b)`.

    units: the states at unit length, `(n, dim)`. own: their lengths, `(n, 1)`.
    """
    lengths = row_length(patterns)
    cosines: np.ndarray = units @ (patterns / nonzero(lengths)[:, None]).T
    if by_distance:
        with np.errstate(over="ignore", divide="ignore"):
            ratio = nonzero(own) / nonzero(lengths)
            return np.where((own == 0) & (lengths == 0), 1.0, cosines * (2 / (ratio + 1 / ratio)))
    if own.min() < FADED * lengths.max():
        cosines[own < FADED * lengths] = 0
    return cosines


def _rank(states: np.ndarray, patterns: np.ndarray, by_distance: bool, width: int, rows: slice) -> Ranked:
    """The ranking for the states in these rows; patterns are taken `width` at a time."""
    batch = states[rows]
    n, units, own = len(batch), normalised(batch), row_length(batch)[:, None]
    best = np.zeros(n, int), np.full(n, np.inf), np.full(n, -np.inf, batch.dtype)
    leading, leading_cosines = np.zeros((n, 0), int), np.zeros((n, 0), batch.dtype)
    lowest = np.full(n, np.inf, batch.dtype)
    for part in blocks(len(patterns), width):
        block = patterns[part]
        cosines = _likenesses(units, own, block, by_distance)
        top, apart = _nearest_of_equal(cosines, batch, block)
        best = _nearer(best, (part.start + top, apart, _taken(cosines, top[:, None])[:, 0]))
        bottom = cosines.argmin(axis=1)  # several times as fast as min
        lowest = np.minimum(lowest, _taken(cosines, bottom[:, None])[:, 0])
        columns = _columns_of_largest(np.abs(cosines))
        leading = np.hstack([leading, part.start + columns])
        leading_cosines = np.hstack([leading_cosines, _taken(cosines, columns)])
        columns = _columns_of_largest(np.abs(leading_cosines))
        leading, leading_cosines = _taken(leading, columns), _taken(leading_cosines, columns)
    nearest, apart, largest = best
    largest, lowest = np.minimum(largest, 1.0), np.maximum(lowest, -1.0)  # rounding reaches 1 + 7e-16
    return Ranked(nearest, apart, largest, lowest, leading, leading_cosines)


Best = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The pattern that each state is most like, its distance, and the likeness, `(n,)` each."""


def _nearer(one: Best, other: Best) -> Best:
    """The better of two for each state: the more alike, of equal ones the nearer, then the first."""
    apart, above = other[1] < one[1], other[2] - _rounding(other[2])
    with np.errstate(invalid="ignore"):  # −∞ where there was none before
        better = np.where(apart, other[2] + _rounding(other[2]) >= one[2], above > one[2])
    return tuple(np.where(better, new, old) for old, new in zip(one, other, strict=True))  # type: ignore[return-value]


def _nearest_of_equal(cosines: np.ndarray, states: np.ndarray, patterns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pattern of the largest likeness, of equal ones the nearest, and its distance, `(n,)` each."""
    top = cosines.argmax(axis=1)  # several times as fast as max
    above = _taken(cosines, top[:, None])
    equal = cosines >= np.where(above >= ALIKE, above - _rounding(above), 2)
    tied = np.flatnonzero(np.count_nonzero(equal, axis=1) > 1)
    rows, columns = np.nonzero(equal[tied])
    apart = np.full((len(tied), len(patterns)), np.inf)
    for some in blocks(len(rows), max(HELD // states.shape[1], 1)):
        apart[rows[some], columns[some]] = row_length(states[tied[rows[some]]] - patterns[columns[some]])
    top[tied] = apart.argmin(axis=1)
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
        above = _taken(magnitudes, magnitudes.argmax(axis=1)[:, None])  # several times as fast as max
        columns.append((magnitudes >= above - _rounding(magnitudes)).argmax(axis=1)[:, None])
        np.put_along_axis(magnitudes, columns[-1], -1.0, axis=1)
    return np.hstack(columns)


def _taken(array: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The entries of each row in these columns, `(n, k)`."""
    return np.take_along_axis(array, columns, axis=1)
