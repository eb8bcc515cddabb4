"""Ranking: which patterns each state is most like, over blocks of both (NumPy).

The cosines of all states with all patterns are never held at once.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from hopattn.arrays import nonzero, normalised, row_length
from hopattn.blocking import blocks
from hopattn.machine import workers
from hopattn.streaming import ENOUGH, Blocks


@dataclass(frozen=True, eq=False)
class Ranked:
    """For each state: the patterns that come first `(n, count)`, of equal ones the first; their cosines; and the lowest
    cosine with any pattern `(n,)`.
    """

    patterns: np.ndarray
    cosines: np.ndarray
    lowest: np.ndarray


def ranked(states: np.ndarray, patterns: np.ndarray, count: int = 1, by_size: bool = False) -> Ranked:
    """The patterns `(m, dim)` that states `(n, dim)` are most like: by their cosine, or `by_size` by its magnitude.

    Where either is zero the cosine is 0.
    """
    sizes = Blocks.fitting(states.dtype)
    work = partial(_rank, normalised(states), patterns, sizes.keys, min(count, len(patterns)), by_size)
    rows = [(some,) for some in blocks(len(states), sizes.cues)]
    if len(states) * len(patterns) < ENOUGH:
        parts = [work(*some) for some in rows]
    else:
        with workers() as share:
            parts = share(work, rows)
    return Ranked(*(np.concatenate([vars(part)[name] for part in parts]) for name in ("patterns", "cosines", "lowest")))


def _rank(states: np.ndarray, patterns: np.ndarray, width: int, count: int, by_size: bool, rows: slice) -> Ranked:
    """The ranking for some of the states, patterns taken `width` at a time."""
    some = states[rows]
    found, cosines = np.zeros((len(some), 0), int), np.zeros((len(some), 0), states.dtype)
    lowest = np.full(len(some), np.inf, states.dtype)
    for part in blocks(len(patterns), width):
        block = patterns[part]
        every = some @ block.T / nonzero(row_length(block))
        np.clip(every, -1.0, 1.0, out=every)  # rounding reaches 1 + 7e-16
        lowest = np.minimum(lowest, every.min(axis=1))
        first = _largest(np.abs(every) if by_size else every, count)
        cosines = np.concatenate([cosines, np.take_along_axis(every, first, axis=1)], axis=1)
        found = np.concatenate([found, part.start + first], axis=1)
        first = _largest(np.abs(cosines) if by_size else cosines, count)
        found, cosines = (np.take_along_axis(array, first, axis=1) for array in (found, cosines))
    return Ranked(found, cosines, lowest)


def _largest(values: np.ndarray, count: int) -> np.ndarray:
    """Where the largest values of each row stand, `(n, count)` or as many as there are; of equal ones the first."""
    places = [values.argmax(axis=1)]
    left = values
    for _ in range(1, min(count, values.shape[1])):
        left = left.copy() if left is values else left
        np.put_along_axis(left, places[-1][:, None], -np.inf, axis=1)
        places.append(left.argmax(axis=1))
    return np.stack(places, axis=1)
