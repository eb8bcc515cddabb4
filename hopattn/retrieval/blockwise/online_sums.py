"""Merging: what blocks of keys have come to so far for some cues, put together as their separation says.

These are running sums: they begin empty; `add` takes the scores of one more block, `merge` the sums of other keys. They
may be pickled, so that sums of keys that lie elsewhere are merged here.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.retrieval.separation.base import Separation, within_numbers


@dataclass(frozen=True, eq=False)
class Merged:
    """What all keys came to: the field, factor · field, `(n, dim_out)`; the potential `(n,)`; and in which rows `(n,)`
    the sums do not tell it, because they lie beyond the numbers.
    """

    field: np.ndarray
    factor: Any
    potential: np.ndarray
    lost: np.ndarray


class Running(ABC):
    """The sums of n cues over the keys so far, with values of so many dims (0 where only the potential is wanted)."""

    def __init__(self, separation: Separation, n: int, width: int, dtype: Any) -> None:
        self.separation, self.dtype = separation, dtype
        self.field = np.zeros((n, width), dtype)
        self.room = np.empty_like(self.field)

    @abstractmethod
    def add(self, rows: slice, scores: np.ndarray, where: np.ndarray | None, values: np.ndarray | None) -> None:
        """One more block, for some of the cues: its scores, written over; where they may be attended to; its values
        `(b, dim_out)`.
        """

    @abstractmethod
    def merge(self, other: Any) -> None:
        """The sums of other keys."""

    @abstractmethod
    def merged(self) -> Merged:
        """What the sums say."""

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the sums, without the room to add in."""
        return {**vars(self), "room": self.room[:0]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """What came from elsewhere may not be written over, unless it is copied."""
        arrays = {name: np.require(one, requirements="W") for name, one in state.items() if isinstance(one, np.ndarray)}
        vars(self).update({**state, **arrays})


class Shares(Running):
    """The largest score, Σ f(s − largest) and Σ f(s − largest) v; `unshifted` where all scores are so small that
    nothing has to be taken off, and are multiplied with `fold` already.
    """

    def __init__(self, separation: Separation, n: int, width: int, dtype: Any, unshifted: bool) -> None:
        super().__init__(separation, n, width, dtype)
        self.unshifted = unshifted
        self.lowest = np.finfo(dtype).min
        self.largest = np.full((n, 1), 0 if unshifted else self.lowest, dtype)
        self.total = np.zeros((n, 1), dtype)

    def add(self, rows: slice, scores: np.ndarray, where: np.ndarray | None, values: np.ndarray | None) -> None:
        if not self.unshifted:
            if where is not None:
                np.copyto(scores, self.lowest, where=~where)
            self._rise(rows, np.maximum(self.largest[rows], _row_max(scores)))
            self._below(rows, scores)
        with np.errstate(under="ignore"):  # a share of nothing is nothing
            parts = self.separation.shares(scores)
        if where is not None:
            np.multiply(parts, where, out=parts)
        self.total[rows] += parts @ np.ones((parts.shape[1], 1), self.dtype)
        if values is not None:
            self.field[rows] += np.matmul(parts, values, out=self.room[rows])

    def merge(self, other: "Shares") -> None:
        if not (self.unshifted and other.unshifted):  # of unshifted scores, the 0 that was taken off counts as largest
            self.unshifted = False
            largest = np.maximum(self.largest, other.largest)
            for sums in (self, other):
                sums._rise(slice(None), largest)
        self.total += other.total
        self.field += other.field

    def merged(self) -> Merged:
        nothing = self.total == 0
        total = np.where(nothing, 1, self.total)
        potential = np.where(nothing, 0, self.separation.potential_of_shares(self.largest, total))
        return Merged(self.field / total, 1.0, potential[:, 0], np.zeros(len(total), bool))

    def _rise(self, rows: slice, largest: np.ndarray) -> None:
        """Take off another largest score than so far."""
        before = self.largest[rows].copy()
        self.largest[rows] = largest
        with np.errstate(under="ignore"):
            shrink = self.separation.shares(self._below(rows, before))
        self.total[rows] *= shrink
        self.field[rows] *= shrink

    def _below(self, rows: slice, scores: np.ndarray) -> np.ndarray:
        """How far the scores lie below the largest, times `fold`; written over them."""
        fold = within_numbers(self.separation.fold, scores)
        with np.errstate(over="ignore"):  # −inf is as good as the lowest number
            np.subtract(scores, self.largest[rows], out=scores)
            return scores if fold == 1.0 else np.asarray(np.multiply(scores, fold, out=scores))


class Sums(Running):
    """Σ p v, as field and factor, and Σ Ψ where it is wanted."""

    def __init__(self, separation: Separation, n: int, width: int, dtype: Any, potential: bool) -> None:
        super().__init__(separation, n, width, dtype)
        self.wanted = potential
        self.potential = np.zeros(n, dtype)
        self.factor = np.zeros((n, 1), dtype)
        self.lost = np.zeros(n, bool)

    def add(self, rows: slice, scores: np.ndarray, where: np.ndarray | None, values: np.ndarray | None) -> None:
        if self.wanted:
            with np.errstate(over="ignore", invalid="ignore"):  # such a row is lost
                self.potential[rows] += self.separation.potential(scores, where)
        if values is not None:
            weights, factor = self.separation.factored_weights(scores, where)
            self._join(rows, np.matmul(weights, values, out=self.room[rows]), factor)

    def merge(self, other: "Sums") -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            self.potential += other.potential
        self.lost |= other.lost
        self._join(slice(None), other.field, other.factor)

    def merged(self) -> Merged:
        return Merged(self.field, self.factor, self.potential, self.lost | ~np.isfinite(self.potential))

    def _join(self, rows: slice, field: np.ndarray, factor: Any) -> None:
        """Add factor · field in units of the larger factor; one at the end of the numbers does not tell its size."""
        if isinstance(factor, float):
            self.field[rows] += field
            self.factor[rows] = factor
            return
        numbers = np.finfo(self.dtype)
        self.lost[rows] |= ((factor < numbers.smallest_normal) | (factor >= 0.99 * numbers.max**0.25))[:, 0]
        largest = np.maximum(self.factor[rows], factor)
        unit = np.where(largest > 0, largest, 1)
        self.field[rows] = self.field[rows] * (self.factor[rows] / unit) + field * (factor / unit)
        self.factor[rows] = largest


def joined(parts: Sequence[Running]) -> Running:
    """The sums of several batches of cues over the same keys as those of one batch."""
    every = copy(parts[0])
    for name, value in vars(every).items():
        if isinstance(value, np.ndarray):
            setattr(every, name, np.concatenate([getattr(part, name) for part in parts]))
    return every


def _row_max(scores: np.ndarray) -> np.ndarray:
    """The largest score of each row, `(n, 1)`: by its place, which NumPy finds several times as fast."""
    return np.take_along_axis(scores, scores.argmax(axis=1)[:, None], axis=1)
