"""Running sums over blocks of keys, so that no row of all scores is ever held.

The online softmax (Milakov & Gimelshein 2018, arXiv:1805.02867; with values, Dao et al. 2022, NeurIPS,
"FlashAttention") keeps three numbers for each cue: the largest score m so far, Z = Σ f(s − m), and h = Σ f(s − m) v.
A block of keys with m_b, Z_b and h_b changes them to

    m' = max(m, m_b)
    Z' = f(m − m') Z + f(m_b − m') Z_b
    h' = f(m − m') h + f(m_b − m') h_b

where f(s) = e^(βs) for the softmax. In the end p·V = h/Z and Ψ = m + β⁻¹ log Z. A sink is one more block: m_b = sink/β,
Z_b = 1 and h_b = 0. It is merged at the end, once, however many sums were merged before. The sums may be pickled, so
that the sums of keys on another machine are merged here.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from hopattn.foundation.kernels import compiled_loops
from hopattn.retrieval.rounding import Ties, of_products, of_weights
from hopattn.retrieval.separation.base import Elementwise, Online, Separation, Weights
from hopattn.retrieval.separation.softmax import Softmax


@dataclass(frozen=True, eq=False)
class BlockPass:
    """The result of one pass of cues over blocks of keys, before the activation.

    field, factor: h = factor · field, `(…, n, dim_out)`; the factor is a number, or one number for each cue.
    potential: Ψ(s), `(…, n)`; any number where it was not asked for. overflowed: `(…, n)`, True for each row whose sums
    overflowed; such a row must be computed from all its scores.
    """

    field: np.ndarray
    factor: Any
    potential: np.ndarray
    overflowed: np.ndarray


class KeyBlock(NamedTuple):
    """A block of b keys, for some of the cues.

    rows: these cues. scores: `(n_rows, b)`, overwritten. where: the mask of the scores, or None. values:
    `(b, dim_out)`, or None where only the potential is asked for. slack: the rounding of the scores, as of
    `rounding.of_scores`. ties: for the sum of the errors of the products too, or None.
    """

    rows: slice
    scores: np.ndarray
    where: np.ndarray | None
    values: np.ndarray | None
    slack: Any = 0.0
    ties: Ties | None = None

    def read(self, separation: Separation, scores: np.ndarray, weights: Weights) -> np.ndarray:
        """Σ p v of these keys, `(n_rows, dim_out)`, before the factor; with ties, the sum of the errors of p beside it.

        scores: before they were overwritten.
        """
        field = weights.array @ self.values
        if self.ties is None:
            return np.asarray(field)
        spread = of_weights(separation, scores, self.where, self.slack, weights, whole=False)
        return np.hstack([field, of_products(spread, self.ties).sum(axis=1, keepdims=True)])


class RunningSums(ABC):
    """The sums of n cues over the keys so far; they begin empty. `merge` adds the sums of other keys.

    width: the columns of the field, one more than the values have with the error; 0 where only the potential is asked
    for.
    """

    def __init__(self, separation: Separation, n: int, width: int, dtype: Any) -> None:
        self.separation, self.dtype = separation, dtype
        self.field = np.zeros((n, width), dtype)

    @abstractmethod
    def add(self, block: KeyBlock) -> None:
        """Add a block of keys."""

    @abstractmethod
    def merge(self, other: Any) -> None: ...

    @abstractmethod
    def result(self) -> BlockPass: ...

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the sums; arrays that arrive read-only are copied."""
        arrays = {
            name: np.require(value, requirements="W") for name, value in state.items() if isinstance(value, np.ndarray)
        }
        vars(self).update({**state, **arrays})


class OnlineSoftmax(RunningSums):
    """The largest score m, Z = Σ f(s − m) and h = Σ f(s − m) v of each cue.

    unshifted: True where all scores are small and were multiplied by `scale` already; then m = 0. loops: the compiled
    loops for large work, or None. scale: the factor c of scores; compiled loops take powers of two.
    """

    def __init__(
        self, separation: Separation, n: int, width: int, dtype: Any, unshifted: bool, loops: Any = None
    ) -> None:
        super().__init__(separation, n, width, dtype)
        self.unshifted, self.loops = unshifted, loops
        self.lowest = np.finfo(dtype).min
        self.largest = np.full((n, 1), 0 if unshifted else self.lowest, dtype)
        self.total = np.zeros((n, 1), dtype)
        self.scale = self._in_numbers(self.form[1] if loops is None else separation.beta * math.log2(math.e))

    @property
    def form(self) -> Online:
        """f and c of the separation on this machine; never pickled, since f differs between processors."""
        return cast(Online, self.separation.online())

    def add(self, block: KeyBlock) -> None:
        rows, scores, where = block[:3]
        if self.loops is not None:
            mask = np.zeros((0, 0), bool) if where is None else where
            how = self.dtype.type(self.scale), self.unshifted
            weights = np.ascontiguousarray(scores)
            self.loops.weigh(weights, mask, how, (self.largest[rows], self.total[rows], self.field[rows]))
        else:
            weights = self._weights(self._exponents(rows, scores, where), where)
            self.total[rows] += weights @ np.ones((weights.shape[1], 1), self.dtype)
        if block.values is not None:
            self.field[rows] += block.read(self.separation, scores, Weights(weights))

    def merge(self, other: "OnlineSoftmax") -> None:
        if not (self.unshifted and other.unshifted):  # unshifted scores have 0 as their largest
            largest = np.maximum(self.largest, other.largest)
            for sums in (self, other):
                sums.unshifted = False
                sums._raise_largest(slice(None), largest)
        self.total += other.total
        self.field += other.field

    def result(self) -> BlockPass:
        sums = self if self.separation.sink is None else self._with_null_pattern()
        empty = sums.total == 0
        total = np.where(empty, 1, sums.total)
        excess = np.log(total) / self.separation.beta if self.separation.tempered else 0  # of argmax, Ψ = m
        potential = np.where(empty, 0, sums.largest + excess)
        return BlockPass(sums.field / total, 1.0, potential[:, 0], np.zeros(len(total), bool))

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "loops": None}

    def _with_null_pattern(self) -> "OnlineSoftmax":
        """These sums merged with those of a null pattern; these stay as they are, perhaps with a larger m."""
        (n, width), most = self.field.shape, float(np.finfo(self.dtype).max)
        sums = type(self)(self.separation, n, width, self.dtype, False)
        score = min(max(self.separation.sink, -(most**0.5)), most**0.5) / self.separation.beta
        sums.largest[:] = min(max(score, -most), most)
        sums.total[:] = 1
        sums.merge(self)
        return sums

    def _exponents(self, rows: slice, scores: np.ndarray, where: np.ndarray | None) -> np.ndarray:
        """c(s − m) with the new m, written over the scores."""
        if self.unshifted:
            return scores
        if where is not None:
            np.copyto(scores, self.lowest, where=~where)
        self._raise_largest(rows, np.maximum(self.largest[rows], scores.max(axis=1, keepdims=True)))
        return self._shift(rows, scores)

    def _weights(self, exponents: np.ndarray, where: np.ndarray | None) -> np.ndarray:
        """f(c(s − m)), written over the exponents; 0 where masked."""
        with np.errstate(under="ignore"):  # a weight below the smallest number counts as 0
            weights = self.form[0](exponents)
        return weights if where is None else np.multiply(weights, where, out=weights)

    def _raise_largest(self, rows: slice, largest: np.ndarray) -> None:
        """Replace m by m', which is not below it."""
        m = self.largest[rows].copy()
        self.largest[rows] = largest
        self._shrink(rows, self._shift(rows, m))

    def _shrink(self, rows: slice, exponents: np.ndarray) -> None:
        """Multiply Z and h by f(m − m'), from c(m − m')."""
        with np.errstate(under="ignore"):
            ratio = self.form[0](exponents)
            self.total[rows] *= ratio
            self.field[rows] *= ratio

    def _shift(self, rows: slice, scores: np.ndarray) -> np.ndarray:
        """c(s − m), written over the scores."""
        with np.errstate(over="ignore"):  # −inf serves as well as the lowest number
            np.subtract(scores, self.largest[rows], out=scores)
            scale = self._in_numbers(self.form[1])
            return scores if scale == 1.0 else np.asarray(np.multiply(scores, scale, out=scores))

    def _in_numbers(self, scale: float) -> float:
        """The scale, or the nearest number in the range of the dtype."""
        numbers = np.finfo(self.dtype)
        return min(max(scale, float(numbers.smallest_normal)), float(numbers.max))


class OnlineFreeEnergy(OnlineSoftmax):
    """The sums of a `FreeEnergy`: m, Z, and T = Σ f(s − m) c(s − m) instead of h; the result's field is `(n, 4)`.

    Where m moves to m', T' = f(m − m') (T + c(m − m') Z). In the end p·(s − m) = T/cZ.
    """

    def __init__(self, separation: Separation, n: int, width: int, dtype: Any, *form: Any) -> None:
        super().__init__(separation, n, 1, dtype, *form)
        self.least = -float(np.finfo(dtype).max ** 0.5)  # of an exponent: its product with a weight of 0 is then 0

    def add(self, block: KeyBlock) -> None:
        rows, scores, where = block[:3]
        exponents = np.maximum(self._exponents(rows, scores, where), self.least)
        weights = self._weights(exponents.copy(), where)
        self.total[rows] += np.sum(weights, axis=1, keepdims=True)
        self.field[rows] += np.vecdot(weights, exponents)[:, None]

    def result(self) -> BlockPass:
        sums = self if self.separation.sink is None else self._with_null_pattern()
        empty = sums.total == 0
        total, largest = np.where(empty, 1, sums.total), np.where(empty, 0, sums.largest)
        beta, logarithm = self.separation.beta, np.log(total)
        mean = sums.field / total / self._in_numbers(self.form[1])
        effective_keys = np.where(empty, 0, np.exp(logarithm - beta * mean))
        psi = logarithm if self.separation.tempered else np.zeros_like(mean)  # of argmax, Ψ = m
        quantities = np.hstack([-(largest + mean), psi - beta * mean, -(largest + psi / beta), effective_keys])
        return BlockPass(quantities, 1.0, np.zeros(len(total), self.dtype), np.zeros(len(total), bool))

    def _shrink(self, rows: slice, exponents: np.ndarray) -> None:
        self.field[rows] += np.maximum(exponents, self.least) * self.total[rows]
        super()._shrink(rows, exponents)


class OnlineSum(RunningSums):
    """Σ p v, as factor · field, and Σ Ψ where the potential is asked for."""

    def __init__(self, separation: Separation, n: int, width: int, dtype: Any, wants_potential: bool) -> None:
        super().__init__(separation, n, width, dtype)
        self.wants_potential = wants_potential
        self.potential = np.zeros(n, dtype)
        self.factor = np.zeros((n, 1), dtype)
        self.overflowed = np.zeros(n, bool)

    def add(self, block: KeyBlock) -> None:
        rows, scores, where = block[:3]
        original_scores = scores if isinstance(block.slack, float) else scores.copy()
        with np.errstate(over="ignore", invalid="ignore"):  # `result` marks such a row as overflowed
            weights = self.separation(scores, where, potential=self.wants_potential)
            if self.wants_potential:
                self.potential[rows] += weights.potential
        if block.values is not None:
            self._add_field(rows, block.read(self.separation, original_scores, weights), weights.factor)

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


def adds_up(separation: Separation) -> bool:
    """Whether running sums give the result of a separation; any other needs all scores of a cue at once."""
    return isinstance(separation, Elementwise) or separation.online() is not None


def concatenated(parts: Sequence[RunningSums]) -> RunningSums:
    """The sums of several batches of cues over the same keys, as the sums of one batch."""
    sums = copy(parts[0])
    for name, value in vars(sums).items():
        if isinstance(value, np.ndarray):
            setattr(sums, name, np.concatenate([getattr(part, name) for part in parts]))
    return sums


def loops_of(separation: Separation, dtype: Any, scores: int) -> Any | None:
    """The compiled loops for so many scores of a softmax; None where NumPy computes the weights."""
    has_loops = isinstance(separation, Softmax) and dtype in (np.float32, np.float64)
    return compiled_loops("softmax", scores) if has_loops else None
