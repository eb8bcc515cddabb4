"""The sums Σ_j W_ij x_j of a block of neurons while a sweep goes on: from the couplings, or from overlaps.

Couplings of Hebb's rule are a sum over patterns, W_ij = Σ_μ ξ_i ξ_j − d δ_ij. Then

    Σ_j W_ij x_j = Σ_μ ξ_i m_μ − d x_i          m = Ξ x: one overlap a pattern

and for P patterns of N neurons 2 N P products give what N² couplings give. For spins all of these are whole numbers.
"""

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

EXACT = 2**24
"""The whole number below which single precision holds every sum of spins exactly."""
FEW = 3
"""The number of neurons a pattern from which overlaps are the faster way."""


@dataclass(frozen=True, eq=False)
class Overlaps:
    """Couplings by Hebb's rule, before they are divided by N, as the patterns that they store.

    columns: Ξᵀ, `(N, n_patterns)`, entries ±1 in single precision. own: d, the number that the rule takes off the
    diagonal: that of the patterns, or 0 with self-couplings.
    """

    columns: np.ndarray
    own: float

    @classmethod
    def of(cls, patterns: np.ndarray, self_coupling: bool) -> Self | None:
        """The overlaps with patterns `(n_patterns, N)` of ±1; None where they are many, or their sums not exact."""
        many, n = patterns.shape
        if FEW * many > n or many * n >= EXACT or patterns.dtype.itemsize < 4:
            return None
        return cls(np.ascontiguousarray(patterns.T, np.float32), 0.0 if self_coupling else float(many))

    def sums(self, x: np.ndarray) -> np.ndarray:
        """Σ_j W_ij x_j of spins `(…, N)`, before the scale; in single precision, which holds them exactly."""
        return np.asarray(self._with(x) @ self.columns.T - np.float32(self.own) * x.astype(np.float32))

    def pairs(self, x: np.ndarray) -> np.ndarray:
        """xᵀW x = Σ_μ m_μ² − d |x|² of spins `(…, N)`, before the scale, `(…,)`."""
        m = self._with(x).astype(np.float64)
        return np.asarray(np.einsum("...m,...m->...", m, m) - self.own * np.einsum("...i,...i->...", x, x))

    def _with(self, x: np.ndarray) -> np.ndarray:
        """m = Ξ x, `(…, n_patterns)`."""
        return np.asarray(x.astype(np.float32) @ self.columns)


class BlockSums(Protocol):
    """The sums of a block of neurons for states `(N, n)` that change block by block."""

    def of(self, neurons: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Σ_j W_ij x_j of these k neurons, `(k, n)`, and the couplings among them, `(k, k)`."""

    def change(self, neurons: np.ndarray, before: np.ndarray, now: np.ndarray) -> None:
        """Give these neurons their new values, `(k, n)`."""


class SumsOfCouplings:
    """The sums by the rows of the couplings: one product of k rows with all states.

    couplings: `(N, N)`. states: `(N, n)` in the same dtype; they are changed. size: the largest number of neurons.
    """

    def __init__(self, couplings: np.ndarray, states: np.ndarray, size: int) -> None:
        self.couplings, self.states = couplings, states
        self.room = np.empty((size, couplings.shape[1]), couplings.dtype)

    def of(self, neurons: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = np.take(self.couplings, neurons, axis=0, out=self.room[: len(neurons)], mode="clip")
        return rows @ self.states, rows[:, neurons]

    def change(self, neurons: np.ndarray, before: np.ndarray, now: np.ndarray) -> None:
        self.states[neurons] = now


class SumsOfOverlaps:
    """The sums by overlaps, which follow the changes of each block: two products with the patterns at k neurons.

    spins: `(N, n)`; they stay as they are.
    """

    def __init__(self, overlaps: Overlaps, spins: np.ndarray) -> None:
        self.columns, self.own = overlaps.columns, np.float32(overlaps.own)
        self.spins = spins
        self.m = self.columns.T @ spins.astype(np.float32)

    def of(self, neurons: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = self.columns[neurons]
        among = rows @ rows.T
        among[np.diag_indices(len(neurons))] -= self.own
        return rows @ self.m - self.own * self.spins[neurons].astype(np.float32), among

    def change(self, neurons: np.ndarray, before: np.ndarray, now: np.ndarray) -> None:
        self.m += self.columns[neurons].T @ (now - before).astype(np.float32)
