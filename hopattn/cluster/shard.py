"""Shards: one part of many keys, on the machine where it lies; what cues and these keys come to (NumPy).

A shard of a file is read some megabytes at a time, each mapped into memory and let go before the next: pages of a file
that are mapped count as the process's own where its memory is watched.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from hopattn.dynamics.likeness import overlaps
from hopattn.dynamics.ranking import Ranked, merged, ranked
from hopattn.foundation.array_files import mapped
from hopattn.foundation.chunks import ranges
from hopattn.foundation.vectors import largest_entry
from hopattn.retrieval.blockwise.online_sums import Running
from hopattn.retrieval.blockwise.streaming import summed
from hopattn.retrieval.masks import MaskRule, resolve
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import Similarity

READ = 2**25
"""So many bytes of a file are mapped at a time."""


class Rows(Protocol):
    """Vectors that lie somewhere."""

    @property
    def at_once(self) -> int:
        """How many of them are taken at a time."""

    def taken(self, some: range) -> np.ndarray:
        """Some of them, `(n, dim)`."""


@dataclass(frozen=True, eq=False)
class InMemory:
    """Vectors in memory."""

    array: np.ndarray

    @property
    def at_once(self) -> int:
        return len(self.array)

    def taken(self, some: range) -> np.ndarray:
        return self.array[some.start : some.stop]

    def __sizeof__(self) -> int:
        return int(self.array.nbytes)


@dataclass(frozen=True)
class InFile:
    """The vectors of a `.npy` or `.safetensors` file from number `start` on; the file is opened where they are used."""

    path: str
    start: int = 0

    @property
    def at_once(self) -> int:
        return max(READ // mapped(self.path)[:1].nbytes, 1)

    def taken(self, some: range) -> np.ndarray:
        return mapped(self.path)[self.start + some.start : self.start + some.stop]


@dataclass(frozen=True)
class Facts:
    """What is to be known of a shard: the number of its first key and value that is not finite (−1: none), and the
    largest |entry| of its values.
    """

    bad_key: int
    bad_value: int
    largest: float


@dataclass(frozen=True, eq=False)
class Shard:
    """The `count` keys from number `first` on, and their values; None where they are the keys themselves."""

    first: int
    count: int
    keys: Rows
    values: Rows | None = None

    def __sizeof__(self) -> int:
        return sys.getsizeof(self.keys) + (0 if self.values is None else sys.getsizeof(self.values))

    def facts(self) -> Facts:
        """What has to be looked for in all of it, once."""
        bad = {"keys": -1, "values": -1}
        largest = 0.0
        for some, keys, values in self._parts():
            for what, rows in (("keys", keys), ("values", values)):
                found = np.flatnonzero(~np.isfinite(rows).all(axis=1))
                if found.size and bad[what] < 0:
                    bad[what] = self.first + some.start + int(found[0])
            largest = max(largest, largest_entry(values))
        return Facts(bad["keys"], bad["values"], largest)

    def sums(
        self, similarity: Similarity, separation: Separation, cues: np.ndarray, read: bool, potential: bool, mask: Any
    ) -> Running:
        """What cues `(n, dim)` and these keys come to; read: whether the values are read out.

        mask: an array for them, or a rule by pairs.
        """
        found: list[Running] = []
        for some, keys, values in self._parts():
            read_out = None if not read else keys if self.values is None else values
            part = _columns(mask, some)
            more = summed(similarity, separation, cues, keys, read_out, part, potential=potential)
            if found:
                found[0].merge(more)
            else:
                found.append(more)
        return found[0]

    def scores(self, similarity: Similarity, cues: np.ndarray, mask: Any) -> tuple[np.ndarray, np.ndarray | None]:
        """The scores of cues `(n, dim)`, `(n, count)`, and where they may be attended to; None for everywhere."""
        scores: list[np.ndarray] = []
        where: list[np.ndarray] = []
        for some, keys, _ in self._parts():
            scores.append(np.asarray(similarity(cues, keys)))
            seen = resolve(_columns(mask, some), scores[-1], partial(similarity.rounding, cues, keys))
            if seen is not None:
                where.append(np.broadcast_to(seen, scores[-1].shape))
        return np.hstack(scores), np.hstack(where) if where else None

    def read_out(self, weights: np.ndarray) -> np.ndarray:
        """Σ p v for weights `(n, count)` of these keys, `(n, dim_out)`."""
        parts = (weights[:, some.start : some.stop] @ values for some, _, values in self._parts())
        return np.asarray(sum(parts))

    def ranked(self, states: np.ndarray) -> Ranked:
        """The ranking of the values for states `(n, dim_out)`; numbered as they are among all."""
        parts = []
        for some, _, values in self._parts():
            found, before = ranked(states, values), self.first + some.start
            parts.append(replace(found, nearest=found.nearest + before, ahead=found.ahead + before))
        return merged(parts)

    def overlaps(self, states: np.ndarray) -> np.ndarray:
        """m_μ = ξ_μ·x / |ξ_μ|² with the values, `(…, count)`."""
        return np.concatenate([overlaps(states, values) for _, _, values in self._parts()], axis=-1)

    def some(self, numbers: np.ndarray) -> np.ndarray:
        """The values with these numbers among all, `(k, dim_out)`."""
        rows = self.keys if self.values is None else self.values
        picked = [rows.taken(range(i, i + 1)) for i in (numbers - self.first).tolist()]
        return np.concatenate([*picked, rows.taken(range(0))])

    def _parts(self) -> Iterator[tuple[range, np.ndarray, np.ndarray]]:
        """Some numbers at a time, with their keys and values."""
        every = [rows for rows in (self.keys, self.values) if rows is not None]
        for some in ranges(range(self.count), min(rows.at_once for rows in every)):
            keys = self.keys.taken(some)
            yield some, keys, keys if self.values is None else self.values.taken(some)


def shape_of(path: str) -> tuple[tuple[int, ...], str]:
    """The shape of the array in a file, and the type of its numbers."""
    found = mapped(path)
    return found.shape, found.dtype.str


def _columns(mask: Any, some: range) -> Any:
    """The part of a mask, a rule or an array `(…, count)`, that is for some of the keys."""
    if mask is None or isinstance(mask, MaskRule) or mask.shape[-1] == 1:
        return mask
    return mask[..., some.start : some.stop]
