"""Merging: what blocks of keys have come to so far for some cues, put together as their separation says.

These are running sums: they begin empty; `add` takes the scores of one more block, `merge` the sums of other keys.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.separation.base import Separation, within_numbers


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
    def add(self, scores: np.ndarray, where: np.ndarray | None, values: np.ndarray | None) -> None:
        """One more block: its scores `(n, b)`, written over; where they may be attended to; its values `(b, dim)`."""

    @abstractmethod
    def merge(self, other: Any) -> None:
        """The sums of other keys."""

    @abstractmethod
    def merged(self) -> Merged:
        """What the sums say."""


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

    def add(self, scores: np.ndarray, where: np.ndarray | None, values: np.ndarray | None) -> None:
        if not self.unshifted:
            if where is not None:
                np.copyto(scores, self.lowest, where=~where)
            self._rise(np.maximum(self.largest, scores.max(axis=1, keepdims=True)))
            self._below(scores)
        parts = self.separation.shares(scores)
        if where is not None:
            np.multiply(parts, where, out=parts)
        self.total += parts @ np.ones((parts.shape[1], 1), self.dtype)
        if values is not None:
            self.field += np.matmul(parts, values, out=self.room)

    def merge(self, other: "Shares") -> None:
        if not self.unshifted:
            largest = np.maximum(self.largest, other.largest)
            self._rise(largest)
            other._rise(largest)
        self.total += other.total
        self.field += other.field

    def merged(self) -> Merged:
        nothing = self.total == 0
        total = np.where(nothing, 1, self.total)
        potential = np.where(nothing, 0, self.separation.potential_of_shares(self.largest, total))
        return Merged(self.field / total, 1.0, potential[:, 0], np.zeros(len(total), bool))

    def _rise(self, largest: np.ndarray) -> None:
        """Take off another largest score than so far."""
        self.largest, before = largest, self.largest
        shrink = self.separation.shares(self._below(before))
        self.total *= shrink
        self.field *= shrink

    def _below(self, scores: np.ndarray) -> np.ndarray:
        """How far the scores lie below the largest, times `fold`; written over them."""
        fold = within_numbers(self.separation.fold, scores)
        with np.errstate(over="ignore"):  # −inf is as good as the lowest number
            np.subtract(scores, self.largest, out=scores)
            return scores if fold == 1.0 else np.asarray(np.multiply(scores, fold, out=scores))


class Sums(Running):
    """Σ p v, as field and factor, and Σ Ψ where it is wanted."""

    def __init__(self, separation: Separation, n: int, width: int, dtype: Any, potential: bool) -> None:
        super().__init__(separation, n, width, dtype)
        self.wanted = potential
        self.potential = np.zeros(n, dtype)
        self.factor: Any = np.zeros((n, 1), dtype)
        self.lost = np.zeros(n, bool)

    def add(self, scores: np.ndarray, where: np.ndarray | None, values: np.ndarray | None) -> None:
        if self.wanted:
            with np.errstate(over="ignore"):  # such a row is lost
                self.potential += self.separation.potential(scores, where)
        if values is not None:
            weights, factor = self.separation.factored_weights(scores, where)
            self._join(weights @ values, factor)

    def merge(self, other: "Sums") -> None:
        with np.errstate(over="ignore"):
            self.potential += other.potential
        self.lost |= other.lost
        self._join(other.field, other.factor)

    def merged(self) -> Merged:
        return Merged(self.field, self.factor, self.potential, self.lost | ~np.isfinite(self.potential))

    def _join(self, field: np.ndarray, factor: Any) -> None:
        """Add factor · field in units of the larger factor; one at the end of the numbers does not tell its size."""
        if isinstance(factor, float):
            self.field += field
            self.factor = factor
            return
        numbers = np.finfo(self.dtype)
        self.lost |= ((factor < numbers.smallest_normal) | (factor >= 0.99 * numbers.max**0.25))[:, 0]
        largest = np.maximum(self.factor, factor)
        unit = np.where(largest > 0, largest, 1)
        self.field = self.field * (self.factor / unit) + field * (factor / unit)
        self.factor = largest
