"""Streaming: one step of recall over blocks of cues and keys, so that no matrix of all scores is ever held (NumPy).

The definition is `Retrieval` in `retrieval/step.py`: all scores, all weights, their product with the values. Streaming
gives the same numbers up to rounding; its memory does not grow with the number of keys. A block of cues meets one block
of keys after the other and keeps running sums. Threads share blocks of cues, and spans of keys where the cues are few.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopattn.foundation.threads import Share, blocks, ranges, workers
from hopattn.foundation.vectors import longest_row
from hopattn.retrieval.blockwise.online_sums import (
    BlockPass,
    OnlineSoftmax,
    OnlineSum,
    RunningSums,
    concatenated,
    loops_of,
)
from hopattn.retrieval.blockwise.parts import is_by_scores, part_of, rows_with_any, runs, shaped, side_by_side, write
from hopattn.retrieval.blockwise.sizes import HELD, TASKS, Blocks
from hopattn.retrieval.joint_mask import masks_of
from hopattn.retrieval.masks import MaskRule, NoMask, as_mask, block, spread
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.block_form import AllScores, BlockForm, Normalised
from hopattn.retrieval.separation.scores import too_flat
from hopattn.retrieval.similarity import Dot, Similarity

AT_ONCE = 4096
"""The number of keys from which compiled loops get no more of them at once: they may have to be converted first."""


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
) -> BlockPass:
    """The result of one pass of cues `(…, n, dim)` over keys `(…, m, dim)`.

    values: `(…, m, dim_out)`, or None where only the potential is asked for. mask: a name, a rule, an array or None,
    for scores `(…, n, m)`. potential: whether to compute Ψ too. The leading axes hold several texts, which are
    computed one by one.
    """
    texts = [text for text in (cues, keys, values) if text is not None]
    leading, dtype = np.broadcast_shapes(*(text.shape[:-2] for text in texts)), np.result_type(*texts)
    scored = (*np.broadcast_shapes(cues.shape[:-2], keys.shape[:-2]), cues.shape[-2], keys.shape[-2])
    masks = tuple(
        each if isinstance(each, MaskRule) else np.broadcast_to(spread(each, scored), (*leading, *scored[-2:]))
        for each in masks_of(as_mask(mask))
    )
    broadcast = [np.broadcast_to(text, (*leading, *text.shape[-2:])) for text in texts]
    loops = loops_of(separation, dtype, scored[-2], math.prod((*leading, *scored[-2:])))
    block_sizes = sizes or Blocks.fitting(cues.shape[-1], dtype, loops)

    def of_text(*i: int) -> BlockPass:
        own, stored, *others = (text[i] for text in broadcast)
        part = tuple(each if isinstance(each, MaskRule) else each[i] for each in masks)
        read = stored if values is keys else others[0] if others else None
        work = _Stream(
            similarity, separation, np.ascontiguousarray(own, dtype), stored, read, part, potential, own.dtype, loops
        )
        return work.with_scaled_cues().run(block_sizes)

    results = _of_texts(of_text, leading, block_sizes)
    if not results:  # the leading axes hold no text
        shape, width = (*leading, scored[-2]), 0 if values is None else values.shape[-1]
        return BlockPass(np.zeros((*shape, width), dtype), 1.0, np.zeros(shape, dtype), np.zeros(shape, bool))
    return side_by_side(results, leading) if leading else results[0]


def _of_texts(of_text: Callable[..., BlockPass], leading: tuple[int, ...], sizes: Blocks) -> list[BlockPass]:
    """The result of each text. Many texts are shared among the threads; few of them are shared block by block."""
    places = list(np.ndindex(*leading))
    if len(places) < TASKS:
        return [of_text(*i) for i in places]
    with workers(sizes.threads) as share:
        return share(of_text, places)


def running_sums(
    similarity: Similarity,
    separation: Separation,
    cues: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray | None,
    mask: Any = None,
    *,
    potential: bool = False,
    sizes: Blocks | None = None,
) -> RunningSums:
    """The running sums of cues `(n, dim)` over these keys `(m, dim)`, to be merged with those of other keys.

    The arguments are those of `stream`; the separation must have a block form.
    """
    dtype = np.result_type(*(text for text in (cues, keys, values) if text is not None))
    shape = len(cues), len(keys)
    masks = (each if isinstance(each, MaskRule) else spread(each, shape) for each in masks_of(as_mask(mask)))
    given = np.ascontiguousarray(cues, dtype)
    loops = loops_of(separation, dtype, len(cues), math.prod(shape))
    work = _Stream(similarity, separation, given, keys, values, tuple(masks), potential, cues.dtype, loops)
    return work.with_scaled_cues().sums(sizes or Blocks.fitting(cues.shape[-1], dtype, loops))


@dataclass(frozen=True, eq=False)
class _Stream:
    """One pass over blocks; its fields stay the same from block to block."""

    similarity: Similarity
    separation: Separation
    cues: np.ndarray
    keys: np.ndarray
    values: np.ndarray | None
    masks: tuple[Any, ...]
    """Rules, and arrays `(n, m)`; a cue may attend to a key where all of them allow it."""
    potential: bool
    own_dtype: np.dtype
    """The dtype of the cues as they were given."""
    loops: Any = None
    """The compiled loops of the online softmax, or None."""
    unshifted: bool = False
    """Whether all scores are so small that they need no shift by the largest of their row."""

    def with_scaled_cues(self) -> "_Stream":
        """The same pass, without the shift by the largest score where no score is large: β|s| ≤ β|x||k|.

        The sums of exp(βs) and of exp(βs) v then stay within the range of the dtype, with all their digits, and the
        cues carry the online scale.
        """
        form = self._form
        if not isinstance(form, Normalised) or form.doublings is None or self._mask_by_scores:
            return self
        one_key = len(self.keys) == 1 or not all(isinstance(mask, NoMask) for mask in self.masks)
        numbers = np.finfo(self.cues.dtype)
        if not self.similarity.linear or numbers.dtype not in (np.float32, np.float64) or (self.potential and one_key):
            return self  # of one visible key Ψ is its score; log(2^s) would lose the digits of a small s
        longest = longest_row(self.keys)
        values = longest if self.values is None or self.values is self.keys else longest_row(self.values)
        size = abs(math.log(values)) if 0 < values < math.inf else 0.0 if values == 0 else math.inf
        room = min(math.log(numbers.max), -math.log(numbers.smallest_normal) + math.log(numbers.eps))
        most = self.separation.beta * longest_row(self.cues) * longest
        return replace(self, unshifted=True) if most + math.log(len(self.keys)) + size < room else self

    def run(self, sizes: Blocks) -> BlockPass:
        """The result for all cues: by running sums, and from all scores for each row that they cannot give."""
        n, dtype = len(self.cues), self.cues.dtype
        result = BlockPass(
            np.empty((n, self._width), dtype), np.ones((n, 1), dtype), np.empty(n, dtype), np.zeros(n, bool)
        )
        with workers(sizes.threads) as share:
            if isinstance(self._form, AllScores) or too_flat(self.separation.beta, self.cues):
                result.overflowed[:] = True
            else:
                self._sum_up(sizes, share, lambda sums, rows: write(sums.result(), rows, result))
            parts = runs(result.overflowed, min(max(HELD // len(self.keys), 1), sizes.cues))
            for rows, part in zip(parts, share(self._from_all_scores, [(rows,) for rows in parts]), strict=True):
                write(part, rows, result)
        return replace(result, factor=1.0) if isinstance(self._form, Normalised) else result

    def sums(self, sizes: Blocks) -> RunningSums:
        """The running sums of all cues, to which those of other keys may be added."""
        parts: dict[int, RunningSums] = {}
        with workers(sizes.threads) as share:
            self._sum_up(sizes, share, lambda sums, rows: parts.__setitem__(rows.start, sums))
        return concatenated([parts[start] for start in sorted(parts)])

    def _sum_up(self, sizes: Blocks, share: Share, keep: Callable[[RunningSums, range], None]) -> None:
        """Compute the running sums of all cues; `keep` takes the sums of one block of cues and its rows."""
        m = len(self.keys)
        rows = ranges(range(len(self.cues)), sizes.cues)[::-1]  # under a causal mask the last cues have most keys
        spans = ranges(range(m), max(-(-m // max(TASKS // len(rows), 1)), sizes.keys))
        if len(spans) == 1:
            share(lambda some: keep(self._sums_of(some, spans[0], sizes.keys), some), [(i,) for i in rows])
            return
        parts = iter(share(self._sums_of, [(some, span, sizes.keys) for some in rows for span in spans]))
        for some in rows:
            sums = next(parts)
            for _ in spans[1:]:
                sums.merge(next(parts))
            keep(sums, some)

    def _sums_of(self, rows: range, span: range, width: int) -> RunningSums:
        """The running sums of these cues over a span of keys, in blocks of `width` keys."""
        cues, form = self.cues[rows.start : rows.stop], self._form
        start = (self.separation, len(rows), self._width, cues.dtype)
        if not isinstance(form, Normalised):
            sums: RunningSums = OnlineSum(*start, self.potential)
        else:
            sums = softmax = OnlineSoftmax(*start, self.unshifted, self.loops)
            cues = cues * softmax.scale if self.unshifted else cues
        buffer = np.empty(len(rows) * width, cues.dtype)
        for columns, visible in self._seen(rows, span, width):
            part = rows_with_any(visible)
            keys = part_of(self.keys, columns, cues.dtype)
            values = None if self.values is None else part_of(self.values, columns, cues.dtype)
            if self._by_products:
                softmax.add_keys(part, cues[part], keys, self._where(visible, keys[:0], cues, keys, part), values)
            else:
                scores = self._scores(cues[part], keys, buffer)
                sums.add(part, scores, self._where(visible, scores, cues, keys, part), values)
        return sums

    def _seen(self, rows: range, span: range, width: int) -> Iterator[tuple[range, np.ndarray | bool]]:
        """The blocks of keys that some of these cues may attend to, with their masks.

        Blocks in a row that all cues may attend to are one where compiled loops divide them again.
        """
        whole = span[:0]
        for columns in ranges(span, width):
            visible = self._visible(rows, columns)
            if visible is True and self._by_products and len(whole) < AT_ONCE:
                whole = range(whole.start if whole else columns.start, columns.stop)
                continue
            if whole:
                yield whole, True
            whole = columns if visible is True else span[:0]
            if visible is not True and visible is not False:
                yield columns, visible
        if whole:
            yield whole, True

    @property
    def _by_products(self) -> bool:
        """Whether compiled loops take the products of cues and keys."""
        return self.loops is not None and type(self.similarity) is Dot and not self._mask_by_scores

    def _from_all_scores(self, rows: range) -> BlockPass:
        """The result of these cues from all their scores at once."""
        cues, columns = self.cues[rows.start : rows.stop], range(len(self.keys))
        scores, by_scores = np.empty((len(rows), len(columns)), cues.dtype), []
        parts = ranges(columns, 4096)
        for part in parts:
            keys = part_of(self.keys, part, cues.dtype)
            part_scores = scores[:, part.start : part.stop] = self._scores(cues, keys)
            if self._mask_by_scores:
                own = self._visible(rows, part)
                where = self._where(own, part_scores, cues, keys, slice(None)) if own is not False else False
                by_scores.append(np.broadcast_to(np.asarray(where), part_scores.shape))
        visible = np.hstack(by_scores) if by_scores else self._visible(rows, columns)
        where = None if visible is True else np.broadcast_to(visible, scores.shape)
        field, factor = np.zeros((len(rows), self._width), cues.dtype), 1.0
        if self.values is not None:
            weights, factor = self.separation.factored_weights(scores, where)
            for part in parts:
                field += weights[:, part.start : part.stop] @ part_of(self.values, part, cues.dtype)
        potential = self.separation.potential(scores, where) if self.potential else np.zeros(len(rows), cues.dtype)
        return BlockPass(field, factor, np.asarray(potential), np.zeros(len(rows), bool))

    @property
    def _form(self) -> BlockForm:
        return self.separation.block_form()

    @property
    def _mask_by_scores(self) -> bool:
        """Whether a mask is a rule that depends on the scores."""
        return any(map(is_by_scores, self.masks))

    @property
    def _width(self) -> int:
        """The dim of the values; 0 where only the potential is asked for."""
        return 0 if self.values is None else int(self.values.shape[1])

    def _visible(self, rows: range, columns: range) -> np.ndarray | bool:
        """The mask of this block, as far as it does not depend on the scores; True for all, False for none."""
        visible: np.ndarray | bool = True
        for mask in self.masks:
            part = True if is_by_scores(mask) else block(mask, rows, columns, (len(self.cues), len(self.keys)))
            if part is False:
                return False
            visible = part if visible is True else visible if part is True else visible & part
        return visible if visible is True or np.any(visible) else False

    def _where(
        self, visible: Any, scores: np.ndarray, cues: np.ndarray, keys: np.ndarray, part: slice
    ) -> np.ndarray | None:
        """The mask of these scores, for a part of the cues; None where all may be attended to."""
        where = None if visible is True else np.broadcast_to(visible, (len(cues), len(keys)))[part]
        given = cues[part].astype(self.own_dtype, copy=False)  # the rounding is that of the dtype as given
        for mask in filter(is_by_scores, self.masks):
            allowed = np.asarray(mask.allowed(scores, lambda: self.similarity.rounding(given, keys)))
            where = allowed if where is None else where & allowed
        return where

    def _scores(self, cues: np.ndarray, keys: np.ndarray, buffer: np.ndarray | None = None) -> np.ndarray:
        """The scores of these cues and keys, in an array that may be overwritten."""
        if type(self.similarity) is Dot:
            return np.matmul(cues, keys.T, out=None if buffer is None else shaped(buffer, len(cues), len(keys)))
        width = max(HELD // cues.size, 1) if self.similarity.by_entries else len(keys)
        return np.concatenate([self.similarity(cues, keys[some]) for some in blocks(len(keys), width)], axis=1)
