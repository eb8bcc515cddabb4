"""Running sums over blocks of keys, so that no row of all scores is ever held.

The online softmax (Milakov & Gimelshein 2018, arXiv:1805.02867; with values, Dao et al. 2022, NeurIPS,
"FlashAttention") keeps three numbers for each cue: the largest score m so far, Z = Σ f(s − m), and h = Σ f(s − m) v.
A block of keys with m_b, Z_b and h_b changes them to

    m' = max(m, m_b)
    Z' = f(m − m') Z + f(m_b − m') Z_b
    h' = f(m − m') h + f(m_b − m') h_b

where f(s) = e^(βs) for the softmax. In the end p·V = h/Z and Ψ = m + β⁻¹ log Z. The sums may be pickled, so that the
sums of keys on another machine are merged here.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.foundation.kernels import compiled_loops
from hopattn.retrieval.one_pass import Pass
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.block_form import Normalised
from hopattn.retrieval.separation.scores import within_numbers

ENOUGH_CUES = 64
"""The number of cues from which compiled loops take less time than NumPy."""


@dataclass(frozen=True, eq=False)
class BlockPass(Pass):
    """The result of one pass over blocks of keys, for cues `(n, dim)`.

    field: `(n, dim_out)`. potential: `(n,)`. overflowed: `(n,)`, True for each row whose sums overflowed; such a row
    must be computed from all its scores.
    """

    field: np.ndarray
    potential: np.ndarray
    overflowed: np.ndarray


class RunningSums(ABC):
    """The sums of n cues over the keys so far; they begin empty.

    width: the dim of the values, or 0 where only the potential is asked for.
    """

    def __init__(self, separation: Separation, n: int, width: int, dtype: Any) -> None:
        self.separation, self.dtype = separation, dtype
        self.field = np.zeros((n, width), dtype)
        self.buffer = np.empty_like(self.field)

    @abstractmethod
    def add(self, rows: slice, scores: np.ndarray, where: np.ndarray | None, values: np.ndarray | None) -> None:
        """Add a block of b keys, for some of the cues.

        rows: these cues. scores: `(n_rows, b)`, overwritten. where: the mask of the scores, or None. values:
        `(b, dim_out)`, or None where only the potential is asked for.
        """

    @abstractmethod
    def merge(self, other: Any) -> None:
        """Add the sums of other keys."""

    @abstractmethod
    def result(self) -> BlockPass:
        """The field and the potential of all keys that were added."""

    def __getstate__(self) -> dict[str, Any]:
        """The state to pickle: the sums, without the buffer."""
        return {**vars(self), "buffer": self.buffer[:0]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the sums; arrays that arrive read-only are copied."""
        arrays = {name: np.require(one, requirements="W") for name, one in state.items() if isinstance(one, np.ndarray)}
        vars(self).update({**state, **arrays})


class OnlineSoftmax(RunningSums):
    """The largest score m, Z = Σ f(s − m) and h = Σ f(s − m) v of each cue.

    unshifted: True where all scores are small and were multiplied by `scale` already; then m = 0 throughout. loops:
    the compiled loops that add keys, or None.
    """

    def __init__(
        self, separation: Separation, n: int, width: int, dtype: Any, unshifted: bool, loops: Any = None
    ) -> None:
        super().__init__(separation, n, width, dtype)
        self.unshifted, self.loops = unshifted, loops
        self.lowest = np.finfo(dtype).min
        self.largest = np.full((n, 1), 0 if unshifted else self.lowest, dtype)
        self.total = np.zeros((n, 1), dtype)

    @property
    def form(self) -> Normalised:
        """The block form of the separation on this machine; never pickled, since f differs between processors."""
        found = self.separation.block_form()
        if not isinstance(found, Normalised):
            raise TypeError(f"{self.separation!r} has no online softmax")
        return found

    @property
    def scale(self) -> float:
        """The factor of scores whose f is taken without a shift: that of 2ˣ in compiled loops."""
        form = self.form
        return form.online_scale if self.loops is None or form.doublings is None else form.doublings

    def add(self, rows: slice, scores: np.ndarray, where: np.ndarray | None, values: np.ndarray | None) -> None:
        if self.loops is not None:
            nothing = scores[:0, :0]
            self._add_compiled(rows, np.ascontiguousarray(scores), nothing, nothing, where, values)
            return
        if not self.unshifted:
            if where is not None:
                np.copyto(scores, self.lowest, where=~where)
            self._raise_largest(rows, np.maximum(self.largest[rows], _row_max(scores)))
            self._shift(rows, scores)
        with np.errstate(under="ignore"):  # a weight below the smallest number counts as 0
            weights = self.form.unnormalised_weights(scores)
        if where is not None:
            np.multiply(weights, where, out=weights)
        self.total[rows] += weights @ np.ones((weights.shape[1], 1), self.dtype)
        if values is not None:
            self.field[rows] += np.matmul(weights, values, out=self.buffer[rows])

    def add_keys(
        self, rows: slice, cues: np.ndarray, keys: np.ndarray, where: np.ndarray | None, values: np.ndarray | None
    ) -> None:
        """Add keys `(b, dim)` for cues `(n_rows, dim)` whose scores are products, by compiled loops."""
        self._add_compiled(rows, np.empty((0, 0), self.dtype), cues, keys, where, values)

    def merge(self, other: "OnlineSoftmax") -> None:
        if not (self.unshifted and other.unshifted):  # unshifted scores have 0 as their largest
            self.unshifted = False
            largest = np.maximum(self.largest, other.largest)
            for sums in (self, other):
                sums._raise_largest(slice(None), largest)
        self.total += other.total
        self.field += other.field

    def result(self) -> BlockPass:
        empty = self.total == 0
        total = np.where(empty, 1, self.total)
        potential = np.where(empty, 0, self.form.potential(self.largest, total))
        return BlockPass(self.field / total, 1.0, potential[:, 0], np.zeros(len(total), bool))

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "loops": None}

    def _add_compiled(
        self,
        rows: slice,
        scores: np.ndarray,
        cues: np.ndarray,
        keys: np.ndarray,
        where: np.ndarray | None,
        values: np.ndarray | None,
    ) -> None:
        read = keys[:, :0] if values is None else values
        mask = np.zeros((0, 0), bool) if where is None else np.asarray(where)
        how = self.dtype.type(within_numbers(self.scale, self.total)), self.unshifted
        sums = self.largest[rows], self.total[rows], self.field[rows]
        self.loops.add_keys(
            np.ascontiguousarray(scores), np.ascontiguousarray(cues), *map(gapless, (keys, read)), mask, how, sums
        )

    def _raise_largest(self, rows: slice, largest: np.ndarray) -> None:
        """m → m': multiply Z and h by f(m − m')."""
        before = self.largest[rows].copy()
        self.largest[rows] = largest
        with np.errstate(under="ignore"):
            shrink = self.form.unnormalised_weights(self._shift(rows, before))
        self.total[rows] *= shrink
        self.field[rows] *= shrink

    def _shift(self, rows: slice, scores: np.ndarray) -> np.ndarray:
        """(s − m) times the online scale, written over the scores."""
        with np.errstate(over="ignore"):  # −inf serves as well as the lowest number
            np.subtract(scores, self.largest[rows], out=scores)
            scale = within_numbers(self.form.online_scale, scores)
            return scores if scale == 1.0 else np.asarray(np.multiply(scores, scale, out=scores))


class OnlineSum(RunningSums):
    """Σ p v, as factor · field, and Σ Ψ where the potential is asked for."""

    def __init__(self, separation: Separation, n: int, width: int, dtype: Any, wants_potential: bool) -> None:
        super().__init__(separation, n, width, dtype)
        self.wants_potential = wants_potential
        self.potential = np.zeros(n, dtype)
        self.factor = np.zeros((n, 1), dtype)
        self.overflowed = np.zeros(n, bool)

    def add(self, rows: slice, scores: np.ndarray, where: np.ndarray | None, values: np.ndarray | None) -> None:
        if self.wants_potential:
            with np.errstate(over="ignore", invalid="ignore"):  # `result` marks such a row as overflowed
                self.potential[rows] += self.separation.potential(scores, where)
        if values is not None:
            weights, factor = self.separation.factored_weights(scores, where)
            self._add_field(rows, np.matmul(weights, values, out=self.buffer[rows]), factor)

    def merge(self, other: "OnlineSum") -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            self.potential += other.potential
        self.overflowed |= other.overflowed
        self._add_field(slice(None), other.field, other.factor)

    def result(self) -> BlockPass:
        return BlockPass(self.field, self.factor, self.potential, self.overflowed | ~np.isfinite(self.potential))

    def _add_field(self, rows: slice, field: np.ndarray, factor: Any) -> None:
        """Add factor · field, in units of the larger factor.

        A factor at either end of the numbers was clipped and does not tell its size: such a row has overflowed.
        """
        if isinstance(factor, float):
            self.field[rows] += field
            self.factor[rows] = factor
            return
        numbers = np.finfo(self.dtype)
        clipped = (factor < numbers.smallest_normal) | (factor >= 0.99 * numbers.max**0.25)
        self.overflowed[rows] |= clipped[:, 0]
        largest = np.maximum(self.factor[rows], factor)
        unit = np.where(largest > 0, largest, 1)
        self.field[rows] = self.field[rows] * (self.factor[rows] / unit) + field * (factor / unit)
        self.factor[rows] = largest


def concatenated(parts: Sequence[RunningSums]) -> RunningSums:
    """The sums of several batches of cues over the same keys, as the sums of one batch."""
    joined = copy(parts[0])
    for name, value in vars(joined).items():
        if isinstance(value, np.ndarray):
            setattr(joined, name, np.concatenate([getattr(part, name) for part in parts]))
    return joined


def loops_of(separation: Separation, dtype: Any, cues: int, scores: int) -> Any | None:
    """The compiled loops for so many cues and scores of a separation; None where NumPy computes its sums.

    For few cues a step is reading the keys, and BLAS has faster products of its own.
    """
    form = separation.block_form()
    if not isinstance(form, Normalised) or form.doublings is None or dtype not in (np.float32, np.float64):
        return None
    return compiled_loops("softmax", scores if cues >= ENOUGH_CUES else 0)


def gapless(rows: np.ndarray) -> np.ndarray:
    """Rows that compiled loops and BLAS can read: the same, or a copy where a row has gaps."""
    wide = rows.itemsize
    fits = rows.flags.aligned and rows.strides[1] == wide and rows.strides[0] > 0 and rows.strides[0] % wide == 0
    return np.asarray(rows) if fits or rows.size == 0 else np.array(rows, order="C")


def _row_max(scores: np.ndarray) -> np.ndarray:
    """The largest score of each row, `(n, 1)`, through argmax: NumPy finds that several times as fast as max."""
    return np.take_along_axis(scores, scores.argmax(axis=1)[:, None], axis=1)
