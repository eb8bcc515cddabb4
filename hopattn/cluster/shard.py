"""Shards: one part of the keys of a memory, with the computations that run on the machine where it lies (NumPy).

A shard of a file is read in blocks of some megabytes. Each block is mapped into memory and released before the next,
because Dask counts the mapped pages of a file as memory of the worker.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from hopattn.dynamics.likeness import Ranked, merged, overlaps, ranked
from hopattn.foundation.array_files import stored_vectors
from hopattn.foundation.arrays import Mask, max_safe_entry
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.threads import ranges
from hopattn.foundation.vectors import largest_entries, largest_entry
from hopattn.memories.memory import have_none
from hopattn.retrieval.activation import Activation
from hopattn.retrieval.blockwise import SCORES_HELD, running_sums
from hopattn.retrieval.masks import MaskRule, resolve
from hopattn.retrieval.online_softmax import RunningSums
from hopattn.retrieval.rounding import of_scores
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import Similarity

READ = 2**25
"""The bytes of a file that are mapped at a time."""


class Rows(Protocol):
    """Vectors in memory or in a file, read in blocks."""

    @property
    def block_length(self) -> int:
        """The number of rows that are read at a time."""

    def block(self, span: range) -> np.ndarray:
        """The rows with the numbers in `span`, `(n, dim)`."""


@dataclass(frozen=True, eq=False)
class InMemory:
    """Vectors in memory."""

    array: np.ndarray

    @property
    def block_length(self) -> int:
        return len(self.array)

    def block(self, span: range) -> np.ndarray:
        return self.array[span.start : span.stop]

    def __sizeof__(self) -> int:
        return int(self.array.nbytes)


@dataclass(frozen=True)
class InFile:
    """The vectors of a `.npy` or `.safetensors` file from row `start` on; the worker that uses them opens the file.

    kind: the shape and the dtype of the array in the file, as `kind_of` gives them. Raises `InvalidInput` if the file
    holds another kind of array when it is read, or none.
    """

    path: str
    kind: tuple[tuple[int, ...], str]
    start: int = 0

    @property
    def block_length(self) -> int:
        (_, dim), dtype = self.kind
        return max(READ // (np.dtype(dtype).itemsize * dim), 1)

    def block(self, span: range) -> np.ndarray:
        stored = stored_vectors(self.path)
        if (now := (stored.shape, stored.dtype.str)) != self.kind:
            before, after = (f"{np.dtype(dtype)} of shape {shape}" for shape, dtype in (self.kind, now))
            raise InvalidInput(
                f"'{Path(self.path).name}' has changed since the memory was made: it held {before}, and now "
                f"{after}; make the memory again"
            )
        return stored.picked(slice(self.start + span.start, self.start + span.stop))


@dataclass(frozen=True)
class ShardSummary:
    """The properties of a shard that need a look at all its rows.

    bad_key, bad_value: the number, among all rows, of the first key or value that is not finite, or so large that sums
    of its products overflow; −1 if there is none.
    largest: the largest |entry| of its values.
    """

    bad_key: int
    bad_value: int
    largest: float


@dataclass(frozen=True, eq=False)
class Shard:
    """The `count` keys from number `first` on, and their values; None if the values are the keys."""

    first: int
    count: int
    keys: Rows
    values: Rows | None = None

    def __sizeof__(self) -> int:
        return sys.getsizeof(self.keys) + (0 if self.values is None else sys.getsizeof(self.values))

    def summary(self) -> ShardSummary:
        """The summary of all rows of the shard."""
        bad = {"keys": -1, "values": -1}
        largest = 0.0
        for span, keys, values in self._blocks():
            for what, rows in (("keys", keys), ("values", values)):
                most = max_safe_entry(rows)
                inside = (rows.max(axis=1) <= most) & (rows.min(axis=1) >= -most)  # a NaN is not inside
                beyond = np.flatnonzero(~inside)
                if beyond.size and bad[what] < 0:
                    bad[what] = self.first + span.start + int(beyond[0])
            largest = max(largest, largest_entry(values))
        return ShardSummary(bad["keys"], bad["values"], largest)

    def _value_sizes(self) -> np.ndarray:
        """The largest |entry| of each value, `(count,)`."""
        return np.concatenate([largest_entries(values) for _, _, values in self._blocks()])

    def sums(
        self,
        similarity: Similarity,
        separation: Separation,
        cues: np.ndarray,
        asked: Mapping[str, Any],
        read: bool,
        mask: Mask,
    ) -> RunningSums:
        """The running sums of cues `(n, dim)` over the keys of this shard, to be merged with those of other shards.

        asked: the options `potential` and `ties` of `running_sums`. read: whether to read out the values. mask: the
        part of the mask for these keys, an array or a rule by pairs.
        """
        sums: list[RunningSums] = []
        for span, keys, values in self._blocks():
            read_out = None if not read else keys if self.values is None else values
            part = _mask_part(mask, span)
            more = running_sums(similarity, separation, cues, keys, read_out, part, **asked)
            if sums:
                sums[0].merge(more)
            else:
                sums.append(more)
        return sums[0]

    def rounding(self, similarity: Similarity, eps: float, cues: np.ndarray) -> np.ndarray:
        """The rounding of the scores of cues `(n, dim)` with these keys, `(n, count)`; 0 where they are exact."""
        parts = ((len(keys), of_scores(similarity, cues, keys, eps)) for _, keys, _ in self._blocks())
        return np.hstack([np.broadcast_to(part, (len(cues), n)) for n, part in parts])

    def scores(self, similarity: Similarity, cues: np.ndarray, mask: Mask) -> tuple[np.ndarray, np.ndarray | None]:
        """The scores of cues `(n, dim)` with these keys, `(n, count)`, and their mask (None: nothing is masked)."""
        scores: list[np.ndarray] = []
        where: list[np.ndarray] = []
        for span, keys, _ in self._blocks():
            scores.append(np.asarray(similarity(cues, keys)))
            allowed = resolve(_mask_part(mask, span), scores[-1], partial(similarity.rounding, cues, keys))
            if allowed is not None:
                where.append(np.broadcast_to(allowed, scores[-1].shape))
        return np.hstack(scores), np.hstack(where) if where else None

    def have_none(
        self, similarity: Similarity, separation: Separation, activation: Activation, cues: np.ndarray, mask: Mask
    ) -> np.ndarray:
        """Whether every weight of these keys among themselves is 0 for each cue `(n, dim)`, `(n,)`."""
        none = np.ones(len(cues), dtype=bool)
        for span, keys, _ in self._blocks():
            for part in ranges(span, max(SCORES_HELD // len(cues), 1)):
                some = keys[part.start - span.start : part.stop - span.start]
                scores = np.asarray(similarity(cues, some))
                allowed = resolve(_mask_part(mask, part), scores, partial(similarity.rounding, cues, some))
                none &= have_none(separation(scores, allowed), activation)
        return none

    def read_out(self, sizes: bool, weights: np.ndarray) -> np.ndarray:
        """The part of the field that comes from these keys: Σ p v for weights `(n, count)`, `(n, dim_out)`.

        sizes: for Σ p |v| instead.
        """
        blocks = ((span, np.abs(values) if sizes else values) for span, _, values in self._blocks())
        parts = (weights[:, span.start : span.stop] @ values for span, values in blocks)
        return np.asarray(sum(parts))

    def ranked(self, states: np.ndarray, by_distance: bool) -> Ranked:
        """The ranking of these values for states `(n, dim_out)`, with the numbers that they have among all values."""
        parts = []
        for span, _, values in self._blocks():
            ranking, offset = ranked(states, values, by_distance), self.first + span.start
            parts.append(replace(ranking, nearest=ranking.nearest + offset, leading=ranking.leading + offset))
        return merged(parts)

    def overlaps(self, states: np.ndarray) -> np.ndarray:
        """The overlaps of states with these values, m_μ = ξ_μ·x / |ξ_μ|², `(…, count)`."""
        return np.concatenate([overlaps(states, values) for _, _, values in self._blocks()], axis=-1)

    def some(self, numbers: np.ndarray) -> np.ndarray:
        """The values of this shard with these numbers among all values, `(k, dim_out)`."""
        rows = self.keys if self.values is None else self.values
        picked = [rows.block(range(i, i + 1)) for i in (numbers - self.first).tolist()]
        return np.concatenate([*picked, rows.block(range(0))])

    def _blocks(self) -> Iterator[tuple[range, np.ndarray, np.ndarray]]:
        """The shard in blocks: the numbers of the rows within the shard, their keys and their values."""
        stored = [rows for rows in (self.keys, self.values) if rows is not None]
        for span in ranges(range(self.count), min(rows.block_length for rows in stored)):
            keys = self.keys.block(span)
            yield span, keys, keys if self.values is None else self.values.block(span)


def kind_of(path: str) -> tuple[tuple[int, ...], str]:
    """The shape and the dtype of the array in a file."""
    stored = stored_vectors(path)
    return stored.shape, stored.dtype.str


def _mask_part(mask: Any, span: range) -> Any:
    """The part of a mask for the keys in `span`; mask: a rule, or an array `(…, count)` or `(…, 1)`."""
    if mask is None or isinstance(mask, MaskRule) or mask.shape[-1] == 1:
        return mask
    return mask[..., span.start : span.stop]
