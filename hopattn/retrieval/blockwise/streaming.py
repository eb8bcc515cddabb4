"""Streaming: retrieval over blocks of cues and keys, so that no matrix of scores is ever held (NumPy).

The readable definition is `Retrieval` in `retrieval/step.py`: all scores, all weights, their product with the values.
What is here gives the same numbers in memory that does not grow with the keys: a block of cues meets one block of keys after
the other and keeps what they come to. Blocks of cues, and spans of keys where the cues are few, are shared out to
threads.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopattn.foundation.chunks import blocks, ranges
from hopattn.foundation.threads import Share, second_cache, workers
from hopattn.foundation.vectors import longest_row
from hopattn.retrieval.blockwise.online_sums import Merged, Running, Shares, Sums, joined
from hopattn.retrieval.masks import MaskRule, NoMask, PositionRule, as_mask, block, spread
from hopattn.retrieval.separation.base import Merging, Separation
from hopattn.retrieval.similarity import Dot, Similarity

ENOUGH = 2**20
"""From so many scores on, blocks are faster than the whole."""

TASKS = 8
"""The work is divided into so many parts at least, so that all threads have some; the number of threads decides
nothing, so that it changes no result."""

HELD = 2**20
"""How many scores, or differences of entries, are held at once where more than those of one block are needed."""


@dataclass(frozen=True)
class Blocks:
    """How many cues and keys meet at once, and by how many threads (None: as many as BLAS has).

    512 by 512 lets the product of a block run at its full speed, while its scores are still near at hand when they are
    turned into shares; fewer keys, and to add up the fields once for each block of them would cost too much. Twice as
    many cues save a little where their block takes no more than half of the cache that a core has to itself.
    """

    cues: int = 512
    keys: int = 512
    threads: int | None = None

    @classmethod
    def fitting(cls, dim: int, dtype: Any) -> "Blocks":
        """The blocks that fit this machine, for vectors of that dim."""
        return cls(cues=min(max(second_cache() // 2 // (dim * np.dtype(dtype).itemsize), 512), 1024))


def worth_streaming(similarity: Similarity, cues: Any, keys: Any, mask: Any) -> bool:
    """Whether cues `(…, n, dim)` or `(dim,)` and keys `(…, m, dim)` are NumPy arrays of so many scores that blocks are
    faster, and their scores and mask can be had block by block.
    """
    if not (isinstance(cues, np.ndarray) and isinstance(keys, np.ndarray)):
        return False
    held = (cues.shape[-2] if cues.ndim > 1 else 1) * keys.shape[-2]
    if isinstance(mask, MaskRule) and not (mask.by_pairs and (cues.ndim > 1 or not isinstance(mask, PositionRule))):
        return False
    return similarity.by_pairs and held * (keys.shape[-1] if similarity.by_entries else 1) >= ENOUGH


def stream(
    similarity: Similarity,
    separation: Separation,
    cues: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray | None,
    mask: Any = None,
    *,
    potential: bool = False,
    sizes: Blocks | None = None,
) -> Merged:
    """The field of the values, and the potential where it is wanted, of cues `(…, n, dim)` over keys `(…, m, dim)`.

    values: `(…, m, dim_out)`, or None where only the potential is wanted. mask: a name, a rule, an array or None, for
    scores `(…, n, m)`. Leading axes, those of several texts, are gone through one by one.
    """
    texts = [text for text in (cues, keys, values) if text is not None]
    many, dtype = np.broadcast_shapes(*(text.shape[:-2] for text in texts)), np.result_type(*texts)
    scored = (*np.broadcast_shapes(cues.shape[:-2], keys.shape[:-2]), cues.shape[-2], keys.shape[-2])
    rule = as_mask(mask)
    seen = rule if isinstance(rule, MaskRule) else np.broadcast_to(spread(rule, scored), (*many, *scored[-2:]))
    spread_out = [np.broadcast_to(text, (*many, *text.shape[-2:])) for text in texts]
    found = []
    for i in np.ndindex(*many):
        own, stored, *read_out = (text[i] for text in spread_out)
        part = seen if isinstance(seen, MaskRule) else seen[i]
        given = np.ascontiguousarray(own, dtype)
        read = stored if values is keys else read_out[0] if read_out else None
        work = _Pass(similarity, separation, given, stored, read, part, potential, own.dtype)
        found.append(work.folded().run(sizes or Blocks.fitting(own.shape[-1], dtype)))
    if not found:  # no text at all
        shape, width = (*many, scored[-2]), 0 if values is None else values.shape[-1]
        return Merged(np.zeros((*shape, width), dtype), 1.0, np.zeros(shape, dtype), np.zeros(shape, bool))
    return _side_by_side(found, many) if many else found[0]


def summed(
    similarity: Similarity,
    separation: Separation,
    cues: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray | None,
    mask: Any = None,
    *,
    potential: bool = False,
    sizes: Blocks | None = None,
) -> Running:
    """What cues `(n, dim)` and these keys `(m, dim)` come to, of all the keys that there are: see `stream`.

    For a separation whose blocks merge; the sums of the other keys are merged with them.
    """
    dtype = np.result_type(*(text for text in (cues, keys, values) if text is not None))
    rule = as_mask(mask)
    seen = rule if isinstance(rule, MaskRule) else spread(rule, (len(cues), len(keys)))
    given = np.ascontiguousarray(cues, dtype)
    work = _Pass(similarity, separation, given, keys, values, seen, potential, cues.dtype)
    return work.folded().sums(sizes or Blocks.fitting(cues.shape[-1], dtype))


@dataclass(frozen=True, eq=False)
class _Pass:
    """What stays the same from block to block."""

    similarity: Similarity
    separation: Separation
    cues: np.ndarray
    keys: np.ndarray
    values: np.ndarray | None
    mask: Any
    potential: bool
    own: np.dtype
    """The type that the cues had by themselves."""
    unshifted: bool = False
    """Whether no score is so large that the largest of its row has to be taken off."""

    def folded(self) -> "_Pass":
        """The same with the scale of the scores put into the cues, where no score is large: β|s| ≤ β|x||k|.

        Then the sums of exp(βs) and of exp(βs) v stay within the numbers, with all their digits.
        """
        if not self.separation.exponential or not self.similarity.linear or self._asks_scores:
            return self
        numbers = np.finfo(self.cues.dtype)
        if numbers.dtype not in (np.float32, np.float64):
            return self
        longest = longest_row(self.keys)
        values = longest if self.values is None or self.values is self.keys else longest_row(self.values)
        size = abs(math.log(values)) if 0 < values < math.inf else 0.0 if values == 0 else math.inf
        room = min(math.log(numbers.max), -math.log(numbers.smallest_normal) + math.log(numbers.eps))
        most = self.separation.beta * longest_row(self.cues) * longest
        return replace(self, unshifted=True) if most + math.log(len(self.keys)) + size < room else self

    def run(self, sizes: Blocks) -> Merged:
        """Share the blocks out, and put together what they come to."""
        n, dtype = len(self.cues), self.cues.dtype
        found = Merged(np.empty((n, self._width), dtype), np.ones((n, 1), dtype), np.empty(n, dtype), np.zeros(n, bool))
        with workers(sizes.threads) as share:
            if self.separation.merging is Merging.WHOLE:
                found.lost[:] = True
            else:
                self._merge(sizes, share, lambda sums, some: _keep(sums.merged(), some, found))
            rows = _runs(found.lost, min(max(HELD // len(self.keys), 1), sizes.cues))
            for some, whole in zip(rows, share(self._whole, [(some,) for some in rows]), strict=True):
                _keep(whole, some, found)
        return replace(found, factor=1.0) if self.separation.merging is Merging.SHARES else found

    def sums(self, sizes: Blocks) -> Running:
        """Share the blocks out, and keep what they come to as sums, to which those of other keys may be added."""
        parts: dict[int, Running] = {}
        with workers(sizes.threads) as share:
            self._merge(sizes, share, lambda sums, some: parts.__setitem__(some.start, sums))
        return joined([parts[start] for start in sorted(parts)])

    def _merge(self, sizes: Blocks, share: Share, keep: Callable[[Running, range], None]) -> None:
        """All cues, by their sums over blocks of keys; keep: what is done with those of some cues."""
        m = len(self.keys)
        rows = ranges(range(len(self.cues)), sizes.cues)[::-1]  # under a causal mask the last cues see most
        spans = ranges(range(m), max(-(-m // max(TASKS // len(rows), 1)), sizes.keys))
        if len(spans) == 1:
            share(lambda some: keep(self._met(some, spans[0], sizes.keys), some), [(i,) for i in rows])
            return
        parts = iter(share(self._met, [(some, span, sizes.keys) for some in rows for span in spans]))
        for some in rows:
            sums = next(parts)
            for _ in spans[1:]:
                sums.merge(next(parts))
            keep(sums, some)

    def _met(self, rows: range, span: range, width: int) -> Running:
        """What these cues and this span of keys come to, in blocks of so many keys."""
        cues, kind = self.cues[rows.start : rows.stop], self.separation.merging
        cues = cues * self.separation.fold if self.unshifted else cues
        start = (self.separation, len(rows), self._width, cues.dtype)
        sums = Shares(*start, self.unshifted) if kind is Merging.SHARES else Sums(*start, self.potential)
        room = np.empty((len(rows), width), cues.dtype)
        for columns in ranges(span, width):
            seen = self._seen(rows, columns)
            if seen is False:
                continue
            part = _seeing(seen)
            keys = _part(self.keys, columns, cues.dtype)
            scores = self._scores(cues[part], keys, room)
            values = None if self.values is None else _part(self.values, columns, cues.dtype)
            sums.add(part, scores, self._where(seen, scores, cues, keys, part), values)
        return sums

    def _whole(self, rows: range) -> Merged:
        """What these cues come to when all their scores are looked at together."""
        cues, columns = self.cues[rows.start : rows.stop], range(len(self.keys))
        scores, asked = np.empty((len(rows), len(columns)), cues.dtype), []
        parts = ranges(columns, 4096)
        for part in parts:
            keys = _part(self.keys, part, cues.dtype)
            part_scores = scores[:, part.start : part.stop] = self._scores(cues, keys)
            if self._asks_scores:
                asked.append(np.asarray(self._where(True, part_scores, cues, keys, slice(None))))
        seen = np.hstack(asked) if asked else self._seen(rows, columns)
        where = None if seen is True else np.broadcast_to(seen, scores.shape)
        field, factor = np.zeros((len(rows), self._width), cues.dtype), 1.0
        if self.values is not None:
            weights, factor = self.separation.factored_weights(scores, where)
            for part in parts:
                field += weights[:, part.start : part.stop] @ _part(self.values, part, cues.dtype)
        potential = self.separation.potential(scores, where) if self.potential else np.zeros(len(rows), cues.dtype)
        return Merged(field, factor, np.asarray(potential), np.zeros(len(rows), bool))

    @property
    def _asks_scores(self) -> bool:
        """Whether the mask is a rule that looks at the scores."""
        return isinstance(self.mask, MaskRule) and not isinstance(self.mask, (NoMask, PositionRule))

    @property
    def _width(self) -> int:
        return 0 if self.values is None else int(self.values.shape[1])

    def _seen(self, rows: range, columns: range) -> np.ndarray | bool:
        """Which of these cues may attend to which of these keys, as far as the scores do not matter."""
        if self._asks_scores:
            return True
        return block(self.mask, rows, columns, (len(self.cues), len(self.keys)))

    def _where(
        self, seen: Any, scores: np.ndarray, cues: np.ndarray, keys: np.ndarray, part: slice
    ) -> np.ndarray | None:
        """The mask of these scores, those of a part of the cues; None where all may be attended to."""
        if self._asks_scores:
            told = cues[part].astype(self.own, copy=False)  # of which the rounding is
            return np.asarray(self.mask.allowed(scores, lambda: self.similarity.rounding(told, keys)))
        return None if seen is True else np.broadcast_to(seen, (len(cues), len(keys)))[part]

    def _scores(self, cues: np.ndarray, keys: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
        """The scores of these cues and keys, in an array that may be written over."""
        if type(self.similarity) is Dot:
            return np.matmul(cues, keys.T, out=None if room is None else room[: len(cues), : len(keys)])
        width = max(HELD // cues.size, 1) if self.similarity.by_entries else len(keys)
        parts = [self.similarity(cues, keys[some]) for some in blocks(len(keys), width)]
        return np.concatenate(parts, axis=1)


def _side_by_side(found: list[Merged], many: tuple[int, ...]) -> Merged:
    """What came of several texts, with their leading axes."""

    def stacked(parts: list[np.ndarray]) -> np.ndarray:
        return np.stack(parts).reshape(*many, *parts[0].shape)

    own = found[0].factor
    factor = own if isinstance(own, float) else stacked([one.factor for one in found])
    rest = [stacked([getattr(one, name) for one in found]) for name in ("field", "potential", "lost")]
    return Merged(rest[0], factor, *rest[1:])


def _keep(merged: Merged, rows: range, found: Merged) -> None:
    """Write what these cues came to into the arrays of all."""
    here = slice(rows.start, rows.stop)
    found.field[here], found.factor[here] = merged.field, merged.factor
    found.potential[here], found.lost[here] = merged.potential, merged.lost


def _runs(flags: np.ndarray, longest: int) -> list[range]:
    """The stretches of neighbours that are True, none longer than `longest`."""
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False))
    return [part for start, stop in edges.reshape(-1, 2).tolist() for part in ranges(range(start, stop), longest)]


def _seeing(seen: np.ndarray | bool) -> slice:
    """The stretch of cues that see anything of a block: all, but at the edge of a causal mask."""
    if isinstance(seen, bool):
        return slice(None)
    some = np.flatnonzero(seen.any(axis=1))
    return slice(int(some[0]), int(some[-1]) + 1)


def _part(rows: np.ndarray, some: range, dtype: np.dtype) -> np.ndarray:
    return rows[some.start : some.stop].astype(dtype, copy=False)
