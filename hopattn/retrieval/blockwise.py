"""One step of recall over blocks of cues and keys, so that no matrix of all scores is ever held (NumPy).

The definition is `Step` in `step.py`; blocks give the same numbers up to rounding. A block of cues meets one block
of keys after the other and keeps running sums, those of `online_softmax.py`. Threads share blocks of cues, and spans of
keys where the cues are few.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from hopattn.foundation.arrays import Mask
from hopattn.foundation.threads import Share, blocks, ranges, workers
from hopattn.foundation.ties import without_rounding
from hopattn.foundation.vectors import largest_entry, longest_row
from hopattn.retrieval.free_energies import FreeEnergy, free_energy
from hopattn.retrieval.masks import MaskRule, NoMask, PositionRule, as_mask, block, split_bias, spread, terms_of
from hopattn.retrieval.online_softmax import (
    BlockPass,
    KeyBlock,
    OnlineFreeEnergy,
    OnlineSoftmax,
    OnlineSum,
    RunningSums,
    adds_up,
    concatenated,
    loops_of,
)
from hopattn.retrieval.rounding import Ties, of_field, of_scores, of_weights, undecided
from hopattn.retrieval.separation.base import Separation, biased, too_flat
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.similarity import Dot, Similarity

PARTS_OF_WORK = 8
"""The least number of parts that the work is divided into, so that every thread has some. It does not depend on the
number of threads, so that the threads change no result."""
SCORES_HELD = 2**20
"""The number of scores, or of differences of entries, held at once where more than one block of them is needed."""
READ_AT_ONCE = 4096
"""The number of keys, or of values, that are read at once where all scores of a cue are held."""


@dataclass(frozen=True)
class Blocks:
    """The size of a block, in cues and keys, and the number of threads (None: as many as BLAS has).

    A product of 512 by 512 runs at full speed, and its scores are still in the cache when they become weights.
    """

    cues: int = 512
    keys: int = 512
    threads: int | None = None


BLOCKS_OF_SCORES = Blocks()


def stream(
    similarity: Similarity,
    separation: Separation,
    cues: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray | None,
    mask: Mask = None,
    *,
    potential: bool = False,
    ties: Ties | None = None,
    sizes: Blocks = BLOCKS_OF_SCORES,
) -> BlockPass:
    """The result of one pass of cues `(…, n, dim)` over keys `(…, m, dim)`.

    values: `(…, m, dim_out)`, or None where only the potential is asked for. mask: a name, a rule, an array or None,
    for scores `(…, n, m)`. potential: whether to compute Ψ too. ties: as of a `KeyBlock`; the field is then 0 where it
    is only rounding. The leading axes hold several texts.
    """
    return _of_texts(_Stream, similarity, separation, (cues, keys, values), mask, (potential, ties), sizes)


def stream_free_energy(
    similarity: Similarity,
    separation: Separation,
    cues: np.ndarray,
    keys: np.ndarray,
    mask: Mask = None,
    sizes: Blocks = BLOCKS_OF_SCORES,
) -> FreeEnergy:
    """The free energy of cues `(…, n, dim)` or `(dim,)` with keys `(…, m, dim)`; the arguments are those of `stream`.

    The weights of the separation must have an entropy.
    """
    rows = cues if cues.ndim > 1 else cues[None]
    field = _of_texts(_FreeEnergies, similarity, separation, (rows, keys, None), mask, (False, None), sizes).field
    energy, entropy, free, effective_keys = np.moveaxis(field if cues.ndim > 1 else field[0], -1, 0)
    return FreeEnergy(energy=energy, entropy=entropy, free=free, effective_keys=effective_keys)


def _of_texts(
    kind: "type[_Stream]",
    similarity: Similarity,
    separation: Separation,
    arrays: tuple[np.ndarray, np.ndarray, np.ndarray | None],
    mask: Any,
    options: tuple[bool, Ties | None],
    sizes: Blocks,
) -> BlockPass:
    """The result of one pass of each text; arrays: the cues, keys and values of all; options: (potential, ties)."""
    cues, keys, values = arrays
    texts = [text for text in arrays if text is not None]
    leading, dtype = np.broadcast_shapes(*(text.shape[:-2] for text in texts)), np.result_type(*texts)
    of_rows = {name: getattr(separation, name) for name in separation.variables}
    numbers = {
        name: np.broadcast_to(array[..., 0], leading)
        for name, array in of_rows.items()
        if isinstance(array, np.ndarray)
    }
    s_shape = (*np.broadcast_shapes(cues.shape[:-2], keys.shape[:-2]), cues.shape[-2], keys.shape[-2])
    parts = [(part,) if isinstance(part, MaskRule) else split_bias(part) for part in terms_of(as_mask(mask))]
    masks = [
        part if isinstance(part, MaskRule) else np.broadcast_to(spread(part, s_shape), (*leading, *s_shape[-2:]))
        for part in chain(*parts)
        if part is not None
    ]
    broadcast = [np.broadcast_to(text, (*leading, *text.shape[-2:])) for text in texts]
    loops = loops_of(separation, dtype, math.prod((*leading, *s_shape[-2:]))) if kind is _Stream else None

    def of_text(*i: int) -> BlockPass:
        text_cues, text_keys, *value_list = (text[i] for text in broadcast)
        text_masks = tuple(part if isinstance(part, MaskRule) else part[i] for part in masks)
        text_values = text_keys if values is keys else value_list[0] if value_list else None
        of_row = {name: float(array[i]) for name, array in numbers.items()}
        text_separation = replace(separation, **of_row) if of_row else separation
        return kind(
            similarity, text_separation, text_cues, text_keys, text_values, text_masks, *options, dtype, loops
        ).run(sizes)

    places = list(np.ndindex(*leading))
    if not places:  # the leading axes hold no text
        shape, width = (*leading, s_shape[-2]), kind.width_of(values)
        return BlockPass(np.zeros((*shape, width), dtype), 1.0, np.zeros(shape, dtype), np.zeros(shape, bool))
    if len(places) < PARTS_OF_WORK:
        results = [of_text(*i) for i in places]
    else:
        with workers(sizes.threads) as share:
            results = share(of_text, places)
    return _side_by_side(results, leading) if leading else results[0]


def running_sums(
    similarity: Similarity,
    separation: Separation,
    cues: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray | None,
    mask: Mask = None,
    *,
    potential: bool = False,
    ties: Ties | None = None,
) -> RunningSums:
    """The running sums of cues `(n, dim)` over these keys `(m, dim)`, to be merged with those of other keys.

    The arguments are those of `stream`; the separation must be one that adds up.
    """
    dtype = np.result_type(*(text for text in (cues, keys, values) if text is not None))
    shape = len(cues), len(keys)
    masks = tuple(part if isinstance(part, MaskRule) else spread(part, shape) for part in terms_of(as_mask(mask)))
    loops = loops_of(separation, dtype, math.prod(shape))
    work = _Stream(similarity, separation, cues, keys, values, masks, potential, ties, dtype, loops)
    return work.sums(BLOCKS_OF_SCORES)


@dataclass(eq=False)
class _Stream:
    """One pass of cues `(n, dim)` over blocks of keys `(m, dim)`; its attributes stay the same from block to block.

    masks: rules, and arrays `(n, m)`: booleans, or finite numbers that are added to βs. potential: whether Ψ is
    asked for. ties: as of `stream`. loops: the compiled loops of the online softmax, or None.
    """

    similarity: Similarity
    separation: Separation
    cues: np.ndarray
    keys: np.ndarray
    values: np.ndarray | None
    masks: tuple[Any, ...]
    potential: bool
    ties: Ties | None
    dtype: Any
    loops: Any
    online: ClassVar[type[OnlineSoftmax]] = OnlineSoftmax

    @staticmethod
    def width_of(values: np.ndarray | None) -> int:
        """The number of columns of the result's field."""
        return 0 if values is None else int(values.shape[-1])

    def __post_init__(self) -> None:
        self.cue_dtype, self.cues = self.cues.dtype, np.ascontiguousarray(self.cues, self.dtype)
        self.ties = self.ties if self.width_of(self.values) else None
        self.width = self.width_of(self.values) + (self.ties is not None)
        by_place = NoMask, PositionRule, np.ndarray
        masks = [part for part in self.masks if not _are_numbers(part)]
        numbers = [part for part in self.masks if _are_numbers(part)]
        self.by_place = [mask for mask in masks if isinstance(mask, by_place)]
        self.by_scores = [mask for mask in masks if not isinstance(mask, by_place)]
        self.bias = reduce(np.add, numbers) if numbers else None
        self.unbiased, self.unit = self.separation, 1.0
        if self.bias is not None:
            self.separation = biased(self.bias[:1, :1], self.bias[:1, :1], self.unbiased)[1]
            self.unit = self.separation.beta / self.unbiased.beta
        self.unshifted = isinstance(self.separation, Softmax) and not self.by_scores and self._small()

    def run(self, sizes: Blocks) -> BlockPass:
        """The result for all cues: by running sums, and from all scores for each row that the sums cannot give.

        A row whose field may be only rounding, by the error beside it, is computed from all scores too.
        """
        n, dtype, dim = len(self.cues), self.cues.dtype, self.width_of(self.values)
        result = BlockPass(np.empty((n, dim), dtype), np.ones((n, 1), dtype), np.empty(n, dtype), np.zeros(n, bool))
        largest = 0.0 if self.ties is None else largest_entry(self.values)

        def write(part: BlockPass, rows: range) -> None:
            span = slice(rows.start, rows.stop)
            result.field[span], result.factor[span] = part.field[:, :dim], part.factor
            result.potential[span], result.overflowed[span] = part.potential, part.overflowed
            if part.field.shape[1] > dim:
                result.overflowed[span] |= undecided(part.field[:, :dim], part.field[:, dim:], largest)

        with workers(sizes.threads) as share:
            if not adds_up(self.separation) or too_flat(self.separation.beta, self.cues):
                result.overflowed[:] = True
            else:
                self._sum_up(sizes, share, lambda sums, rows: write(sums.result(), rows))
            parts = _runs(result.overflowed, min(max(SCORES_HELD // len(self.keys), 1), sizes.cues))
            for rows, part in zip(parts, share(self._from_all_scores, [(rows,) for rows in parts]), strict=True):
                write(part, rows)
        if self.unit != 1.0:
            np.multiply(result.potential, self.unit, out=result.potential)
        return result if self.separation.online() is None else replace(result, factor=1.0)

    def sums(self, sizes: Blocks) -> RunningSums:
        """The running sums of all cues, to which those of other keys may be added."""
        parts: dict[int, RunningSums] = {}
        with workers(sizes.threads) as share:
            self._sum_up(sizes, share, lambda sums, rows: parts.__setitem__(rows.start, sums))
        return concatenated([parts[start] for start in sorted(parts)])

    def _small(self) -> bool:
        """Whether no score needs the shift by the largest of its row: β|s| ≤ β|x||k| is small.

        The sums of exp(βs) and of exp(βs) v then stay within the range of the dtype, with all their digits, and the
        cues carry the scale. Of one visible key Ψ is its score; log(2^s) would lose the digits of a small s.
        """
        one_key = len(self.keys) == 1 or not all(isinstance(mask, NoMask) for mask in self.by_place)
        numbers = np.finfo(self.cues.dtype)
        has_bound = type(self.similarity) is Dot and self.bias is None and numbers.dtype in (np.float32, np.float64)
        if not has_bound or (self.potential and one_key):
            return False
        longest = longest_row(self.keys)
        values = longest if self.values is None or self.values is self.keys else longest_row(self.values)
        size = abs(math.log(values)) if 0 < values < math.inf else 0.0 if values == 0 else math.inf
        room = min(math.log(numbers.max), -math.log(numbers.smallest_normal) + math.log(numbers.eps))
        return self.separation.beta * longest_row(self.cues) * longest + math.log(len(self.keys)) + size < room

    def _sum_up(self, sizes: Blocks, share: Share, keep: Callable[[RunningSums, range], None]) -> None:
        """Compute the running sums of all cues; `keep` takes the sums of one block of cues and its rows."""
        m = len(self.keys)
        batches = ranges(range(len(self.cues)), sizes.cues)[::-1]  # under a causal mask the last cues have most keys
        spans = ranges(range(m), max(-(-m // max(PARTS_OF_WORK // len(batches), 1)), sizes.keys))
        if len(spans) == 1:
            share(lambda rows: keep(self._sums_of(rows, spans[0], sizes.keys), rows), [(rows,) for rows in batches])
            return
        parts = iter(share(self._sums_of, [(rows, span, sizes.keys) for rows in batches for span in spans]))
        for rows in batches:
            sums = next(parts)
            for _ in spans[1:]:
                sums.merge(next(parts))
            keep(sums, rows)

    def _sums_of(self, rows: range, span: range, width: int) -> RunningSums:
        """The running sums of these cues over a span of keys, in blocks of `width` keys."""
        cues = self.cues[rows.start : rows.stop]
        arguments = self.separation, len(rows), self.width, cues.dtype
        if self.separation.online() is None:
            sums: RunningSums = OnlineSum(*arguments, self.potential)
        else:
            sums = softmax = self.online(*arguments, self.unshifted, self.loops)
            cues = cues * softmax.scale if self.unshifted else cues
        buffer = np.empty(len(rows) * width, cues.dtype)
        for columns in ranges(span, width):
            visible = self._visible(rows, columns)
            if visible is False:
                continue
            cue_slice = slice(None)
            if visible is not True:  # at the edge of a causal mask, fewer cues see anything of a block
                indices = np.flatnonzero(visible.any(axis=1))
                cue_slice = slice(int(indices[0]), int(indices[-1]) + 1)
            values = None if self.values is None else _part_of(self.values, columns, cues.dtype)
            scores_and_mask = self._scored(cues, rows, columns, visible, cue_slice, buffer)
            slack = self._slack(self.cues[rows.start : rows.stop][cue_slice], columns)
            sums.add(KeyBlock(cue_slice, *scores_and_mask, values, slack, self.ties))
        return sums

    def _from_all_scores(self, rows: range) -> BlockPass:
        """The result of these cues from all their scores at once."""
        cues, columns = self.cues[rows.start : rows.stop], range(len(self.keys))
        scores: np.ndarray = np.empty((len(rows), len(columns)), cues.dtype)
        allowed: np.ndarray | None = None
        for part in ranges(columns, READ_AT_ONCE):
            span = slice(part.start, part.stop)
            visible = self._visible(rows, part)
            scores[:, span], where = self._scored(cues, rows, part, visible)
            if where is not None:
                allowed = np.ones(scores.shape, bool) if allowed is None else allowed
                allowed[:, span] = where
        return self._of_scores(scores, allowed, self._slack(cues, columns))

    def _slack(self, cues: np.ndarray, columns: range) -> Any:
        """The rounding of the scores of these cues and keys, where it is asked for."""
        if self.ties is None:
            return 0.0
        return of_scores(self.similarity, cues, _part_of(self.keys, columns, cues.dtype), self.ties.eps) / self.unit

    def _of_scores(self, scores: np.ndarray, allowed: np.ndarray | None, slack: Any) -> BlockPass:
        """The result from all scores of some of the cues, `(n_rows, m)`; slack: the rounding of the scores."""
        original_scores = scores if isinstance(slack, float) else scores.copy()
        weights = self.separation(scores, allowed, potential=self.potential)
        potential = np.asarray(weights.potential) if self.potential else np.zeros(len(scores), scores.dtype)
        field = np.zeros((len(scores), self.width_of(self.values)), scores.dtype)
        if self.values is not None:
            for part in ranges(range(len(self.keys)), READ_AT_ONCE):
                field += weights.array[:, part.start : part.stop] @ _part_of(self.values, part, scores.dtype)
            if self.ties is not None:
                spread = of_weights(self.separation, original_scores, allowed, slack, weights)
                field = without_rounding(field, of_field(spread, self.values, self.ties))
        return BlockPass(field, weights.factor, potential, np.zeros(len(scores), bool))

    def _visible(self, rows: range, columns: range) -> np.ndarray | bool:
        """The mask of this block, as far as it does not depend on the scores; True for all, False for none."""
        visible: np.ndarray | bool = True
        for mask in self.by_place:
            part = block(mask, rows, columns, (len(self.cues), len(self.keys)))
            if part is False:
                return False
            visible = part if visible is True else visible if part is True else visible & part
        return visible if visible is True or np.any(visible) else False

    def _scored(
        self,
        cues: np.ndarray,
        rows: range,
        columns: range,
        visible: np.ndarray | bool,
        cue_slice: slice = slice(None),
        buffer: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """The scores of some of the cues with these keys, with what is added to them, and their mask.

        rows: the places of the cues. visible: the mask as far as it does not depend on the scores. The scores may be
        overwritten. The mask is None where all may be attended to.
        """
        keys, queries = _part_of(self.keys, columns, cues.dtype), cues[cue_slice]
        if type(self.similarity) is Dot:
            room = None if buffer is None else buffer[: len(queries) * len(keys)].reshape(len(queries), len(keys))
            scores = np.matmul(queries, keys.T, out=room)
        else:
            width = max(SCORES_HELD // queries.size, 1) if self.similarity.by_entries else len(keys)
            scores = np.concatenate([self.similarity(queries, keys[part]) for part in blocks(len(keys), width)], axis=1)
        where = None if visible is True else np.broadcast_to(visible, (len(cues), len(keys)))[cue_slice]
        x = queries.astype(self.cue_dtype, copy=False)  # the rounding is that of the dtype as given
        for mask in self.by_scores:
            allowed = np.asarray(mask.allowed(scores, lambda: self.similarity.rounding(x, keys)))
            where = allowed if where is None else where & allowed
        if self.bias is not None:
            addend = self.bias[rows.start : rows.stop, columns.start : columns.stop][cue_slice]
            scores = biased(scores, addend, self.unbiased)[0]
        return scores, where


class _FreeEnergies(_Stream):
    """One pass whose field is a `FreeEnergy`, `(n, 4)`.

    Its scores are counted from their largest, and NumPy computes the weights, so that the entropy keeps its digits.
    """

    online = OnlineFreeEnergy

    @staticmethod
    def width_of(values: np.ndarray | None) -> int:
        return 4

    def __post_init__(self) -> None:
        super().__post_init__()
        self.unshifted = False

    def _of_scores(self, scores: np.ndarray, allowed: np.ndarray | None, slack: Any) -> BlockPass:
        quantities = np.stack([*vars(free_energy(self.separation, scores, allowed)).values()], axis=-1)
        return BlockPass(quantities, 1.0, np.zeros(len(scores), scores.dtype), np.zeros(len(scores), bool))


def _side_by_side(results: list[BlockPass], leading: tuple[int, ...]) -> BlockPass:
    """The results of several texts as one, with their leading axes."""

    def stacked(parts: tuple[Any, ...]) -> Any:
        first = parts[0]
        return first if isinstance(first, float) else np.stack(parts).reshape(*leading, *first.shape)

    return BlockPass(*map(stacked, zip(*(vars(result).values() for result in results), strict=True)))


def _runs(flags: np.ndarray, longest: int) -> list[range]:
    """The runs of neighbouring True flags, none longer than `longest`."""
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False))
    return [part for start, stop in edges.reshape(-1, 2).tolist() for part in ranges(range(start, stop), longest)]


def _are_numbers(part: Any) -> bool:
    """Whether a part of a bias is an array of numbers, and no mask."""
    return isinstance(part, np.ndarray) and part.dtype != bool


def _part_of(rows: np.ndarray, span: range, dtype: np.dtype) -> np.ndarray:
    """Some of the rows, in a dtype."""
    return rows[span.start : span.stop].astype(dtype, copy=False)
