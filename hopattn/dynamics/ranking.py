"""Ranking: which patterns each state is most like, over blocks of both (NumPy).

The cosines of all states with all patterns are never held at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial

import numpy as np

from hopattn.foundation.chunks import blocks
from hopattn.foundation.threads import workers
from hopattn.foundation.vectors import nonzero, normalised, row_length
from hopattn.retrieval.blockwise.streaming import ENOUGH, Blocks

AHEAD = 3
"""So many patterns are ranked by the size of their cosines."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """For n states: the pattern with the largest cosine, that cosine, and the lowest one, `(n,)` each; the three
    patterns whose cosines are largest in size, in that order, and these cosines, `(n, 3)`, or fewer where there are
    fewer. Of equal ones the first comes first, up to rounding. Where a state or a pattern is zero, their cosine is 0.
    """

    nearest: np.ndarray
    largest: np.ndarray
    lowest: np.ndarray
    ahead: np.ndarray
    cosines: np.ndarray


def ranked(states: np.ndarray, patterns: np.ndarray) -> Ranked:
    """Rank patterns `(m, dim)`, at least one, by their cosines with states `(n, dim)`."""
    sizes = Blocks.fitting(states.shape[1], states.dtype)
    work = partial(_rank, normalised(states), patterns, 2 * sizes.keys)  # fewer, so that threads wait less in Python
    rows = [(some,) for some in blocks(len(states), sizes.cues)]
    if len(states) * len(patterns) < ENOUGH:
        parts = [work(*some) for some in rows]
    else:
        with workers() as share:
            parts = share(work, rows)
    return Ranked(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Ranked)))


def merged(parts: Sequence[Ranked]) -> Ranked:
    """The ranking by all patterns, of those by parts of them in their order, which number them as they are in all."""
    largest, lowest, nearest = (
        np.stack([getattr(part, name) for part in parts], axis=1) for name in ("largest", "lowest", "nearest")
    )
    best = largest.argmax(axis=1)[:, None]  # of equal ones the first
    cosines, ahead = np.hstack([part.cosines for part in parts]), np.hstack([part.ahead for part in parts])
    first = _first(np.abs(cosines))
    top, above = _taken(nearest, best)[:, 0], _taken(largest, best)[:, 0]
    return Ranked(top, above, lowest.min(axis=1), _taken(ahead, first), _taken(cosines, first))


def _rank(states: np.ndarray, patterns: np.ndarray, width: int, rows: slice) -> Ranked:
    """The ranking for some of the states, patterns taken `width` at a time."""
    some = states[rows]
    nearest, ahead, cosines = np.zeros(len(some), int), np.zeros((len(some), 0), int), np.zeros((len(some), 0))
    largest, lowest = np.full(len(some), -np.inf, some.dtype), np.full(len(some), np.inf, some.dtype)
    for part in blocks(len(patterns), width):
        block = patterns[part]
        every = some @ (block / nonzero(row_length(block))[:, None]).T
        top, bottom = every.argmax(axis=1), every.argmin(axis=1)  # several times as fast as max and min
        above, below = _taken(every, top[:, None])[:, 0], _taken(every, bottom[:, None])[:, 0]
        nearest, largest = np.where(above > largest, part.start + top, nearest), np.maximum(largest, above)
        lowest = np.minimum(lowest, below)
        first = _first(np.abs(every))
        joined = np.hstack([cosines, _taken(every, first)]), np.hstack([ahead, part.start + first])
        first = _first(np.abs(joined[0]))
        cosines, ahead = (_taken(array, first) for array in joined)
    largest, lowest = np.minimum(largest, 1.0), np.maximum(lowest, -1.0)  # rounding reaches 1 + 7e-16
    return Ranked(nearest, largest, lowest, ahead, cosines)


def _first(sizes: np.ndarray) -> np.ndarray:
    """Where the largest of each row stand, `(n, 3)`, of equal ones the first; the sizes are written over."""
    places = []
    for _ in range(min(AHEAD, sizes.shape[1])):
        places.append(sizes.argmax(axis=1)[:, None])
        np.put_along_axis(sizes, places[-1], -1.0, axis=1)
    return np.hstack(places)


def _taken(array: np.ndarray, places: np.ndarray) -> np.ndarray:
    return np.take_along_axis(array, places, axis=1)
