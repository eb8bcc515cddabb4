"""Ranking of patterns: for each state, the patterns that it is most like (NumPy).

The likeness of a state x and a pattern ξ is their cosine, x·ξ / |x||ξ|, or, for a memory that compares by distance,

    1 − |x − ξ|² / (|x|² + |ξ|²) = 2 x·ξ / (|x|² + |ξ|²)

which is 1 only where the two are equal, and the cosine where they are equally long. States and patterns are taken in
blocks, so that the likenesses of all pairs are never in memory at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial

import numpy as np

from hopattn.foundation.chunks import blocks
from hopattn.foundation.threads import workers
from hopattn.foundation.vectors import largest_entry, nonzero, normalised, row_length
from hopattn.retrieval.blockwise.sizes import ENOUGH, Blocks

N_LEADING = 3
"""The number of patterns that are ranked by the magnitude of their likeness."""

Likeness = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From states `(n, dim)` and patterns `(b, dim)` to their likenesses, `(n, b)`."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """The ranking of patterns for n states.

    nearest: the pattern of the largest likeness, `(n,)`. largest, lowest: the largest and the lowest likeness, `(n,)`.
    leading: the three patterns of the largest |likeness|, largest first, `(n, 3)`, or all patterns if there are fewer.
    leading_cosines: their likenesses, of the same shape. Of equal ones (up to rounding) the first pattern comes first.
    The likeness with a zero state or a zero pattern is 0; by distance, that of two zero vectors is 1.
    """

    nearest: np.ndarray
    largest: np.ndarray
    lowest: np.ndarray
    leading: np.ndarray
    leading_cosines: np.ndarray


def ranked(states: np.ndarray, patterns: np.ndarray, by_distance: bool = False) -> Ranked:
    """Rank patterns `(n_patterns, dim)`, at least one, by their likeness to states `(n, dim)`.

    by_distance: whether equally directed vectors of another length are unlike.
    """
    sizes = Blocks.fitting(states.shape[1], states.dtype)
    likeness = _by_distance(max(largest_entry(states), largest_entry(patterns))) if by_distance else _by_cosine
    own = states if by_distance else normalised(states)
    work = partial(_rank, own, patterns, likeness, 2 * sizes.keys)  # fewer blocks: threads wait less for Python
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
    largest, lowest, nearest = (
        np.stack([getattr(part, name) for part in parts], axis=1) for name in ("largest", "lowest", "nearest")
    )
    best = largest.argmax(axis=1)[:, None]  # of equal cosines the first
    cosines, leading = np.hstack([part.leading_cosines for part in parts]), np.hstack([part.leading for part in parts])
    columns = _columns_of_largest(np.abs(cosines))
    return Ranked(
        nearest=_taken(nearest, best)[:, 0],
        largest=_taken(largest, best)[:, 0],
        lowest=lowest.min(axis=1),
        leading=_taken(leading, columns),
        leading_cosines=_taken(cosines, columns),
    )


def _by_cosine(states: np.ndarray, patterns: np.ndarray) -> np.ndarray:
    """The cosines of states of unit length with patterns, `(n, b)`."""
    return np.asarray(states @ (patterns / nonzero(row_length(patterns))[:, None]).T)


def _by_distance(largest: float) -> Likeness:
    """The likeness by distance, for states and patterns whose entries are at most `largest`."""

    def likeness(states: np.ndarray, patterns: np.ndarray) -> np.ndarray:
        x, xi = states / (largest or 1.0), patterns / (largest or 1.0)
        squares = np.sum(x * x, axis=1)[:, None] + np.sum(xi * xi, axis=1)
        return np.where(squares == 0, 1.0, 2 * (x @ xi.T) / nonzero(squares))

    return likeness


def _rank(states: np.ndarray, patterns: np.ndarray, likeness: Likeness, width: int, rows: slice) -> Ranked:
    """The ranking for the states in these rows; patterns are taken `width` at a time."""
    batch = states[rows]
    n = len(batch)
    nearest, leading, leading_cosines = np.zeros(n, int), np.zeros((n, 0), int), np.zeros((n, 0))
    largest, lowest = np.full(n, -np.inf, batch.dtype), np.full(n, np.inf, batch.dtype)
    for part in blocks(len(patterns), width):
        block = patterns[part]
        cosines = likeness(batch, block)
        top, bottom = cosines.argmax(axis=1), cosines.argmin(axis=1)  # several times as fast as max and min
        above, below = _taken(cosines, top[:, None])[:, 0], _taken(cosines, bottom[:, None])[:, 0]
        nearest, largest = np.where(above > largest, part.start + top, nearest), np.maximum(largest, above)
        lowest = np.minimum(lowest, below)
        columns = _columns_of_largest(np.abs(cosines))
        leading = np.hstack([leading, part.start + columns])
        leading_cosines = np.hstack([leading_cosines, _taken(cosines, columns)])
        columns = _columns_of_largest(np.abs(leading_cosines))
        leading, leading_cosines = _taken(leading, columns), _taken(leading_cosines, columns)
    largest, lowest = np.minimum(largest, 1.0), np.maximum(lowest, -1.0)  # rounding reaches 1 + 7e-16
    return Ranked(nearest, largest, lowest, leading, leading_cosines)


def _columns_of_largest(magnitudes: np.ndarray) -> np.ndarray:
    """The columns of the three largest entries of each row, `(n, 3)`, of equal entries the first.

    The array `magnitudes` is overwritten.
    """
    columns = []
    for _ in range(min(N_LEADING, magnitudes.shape[1])):
        columns.append(magnitudes.argmax(axis=1)[:, None])
        np.put_along_axis(magnitudes, columns[-1], -1.0, axis=1)
    return np.hstack(columns)


def _taken(array: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The entries of each row in these columns, `(n, k)`."""
    return np.take_along_axis(array, columns, axis=1)
