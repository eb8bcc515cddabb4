"""Ranking of patterns: for each state, the patterns that it is most like, by the cosine (NumPy).

States and patterns are taken in blocks, so that the cosines of all pairs are never in memory at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial

import numpy as np

from hopattn.foundation.chunks import blocks
from hopattn.foundation.threads import workers
from hopattn.foundation.vectors import nonzero, normalised, row_length
from hopattn.retrieval.blockwise.sizes import ENOUGH, Blocks

N_LEADING = 3
"""The number of patterns that are ranked by the magnitude of their cosines."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """The ranking of patterns for n states.

    nearest: the pattern with the largest cosine, `(n,)`. largest, lowest: the largest and the lowest cosine, `(n,)`.
    leading: the three patterns with the largest |cosine|, largest first, `(n, 3)`, or all patterns if there are fewer.
    leading_cosines: their cosines, of the same shape. Of equal cosines (up to rounding) the first pattern comes first.
    The cosine with a zero state or a zero pattern is 0.
    """

    nearest: np.ndarray
    largest: np.ndarray
    lowest: np.ndarray
    leading: np.ndarray
    leading_cosines: np.ndarray


def ranked(states: np.ndarray, patterns: np.ndarray) -> Ranked:
    """Rank patterns `(n_patterns, dim)`, at least one, by their cosines with states `(n, dim)`."""
    sizes = Blocks.fitting(states.shape[1], states.dtype)
    work = partial(_rank, normalised(states), patterns, 2 * sizes.keys)  # fewer blocks: threads wait less for Python
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


def _rank(states: np.ndarray, patterns: np.ndarray, width: int, rows: slice) -> Ranked:
    """The ranking for the states in these rows; patterns are taken `width` at a time."""
    batch = states[rows]
    n = len(batch)
    nearest, leading, leading_cosines = np.zeros(n, int), np.zeros((n, 0), int), np.zeros((n, 0))
    largest, lowest = np.full(n, -np.inf, batch.dtype), np.full(n, np.inf, batch.dtype)
    for part in blocks(len(patterns), width):
        block = patterns[part]
        cosines = batch @ (block / nonzero(row_length(block))[:, None]).T
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
