"""The k-subsets separation: k patterns share a weight of k."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.roots import level
from hopattn.foundation.scalars import whole
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.row_thresholds import compiled_rows
from hopattn.retrieval.separation.scores import count_allowed, masked, shifted_by_largest


@dataclass(frozen=True)
class KSubsets(Separation):
    """Ψ₁(s) = max_p p·s − ½|p|² over all p between 0 and 1 that sum to k: a sum of k patterns, for a whole k ≥ 1.

    p_μ = βs_μ − t, kept between 0 and 1, with t such that they sum to k; all weights are 1 where there are no more than
    k patterns. Raises `InvalidInput` for another k.
    Source: Santos et al. (2024), ICML, section 4 (SparseMAP with the k-subsets as structures).
    """

    k: int = 1
    tempered: ClassVar[bool] = True
    source: ClassVar[str] = "Santos et al. 2024"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "k", whole(self.k, "k"))

    @property
    def convex(self) -> bool:
        return True

    @property
    def margin(self) -> float:
        return 1.0 if self.k == 1 else float("inf")

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        xp = namespace(scores)
        largest, shifted = shifted_by_largest(scores, where, self.beta)
        t, size = self._t(shifted, where)
        share = _ramp(shifted - t)
        dual = size * t + xp.sum(masked(share * (shifted - t) - 0.5 * share * share, where), axis=-1, keepdims=True)
        return (size[..., 0] * largest) + dual[..., 0] / self.beta

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, float]:
        if rows := compiled_rows("SUBSETS", self.k, scores, where, self.beta):
            return rows[0], 1.0
        _, shifted = shifted_by_largest(scores, where, self.beta)
        t, _ = self._t(shifted, where)
        return masked(_ramp(shifted - t), where), 1.0

    def _t(self, shifted: Array, where: Array | None) -> tuple[Array, Array]:
        """The t at which the weights sum to k, and that sum, `(…, 1)` each.

        t lies at most 1 below the k-th largest entry. With k entries or fewer, t = smallest − 2 gives
        each weight 1, whatever the rounding.
        """
        xp = namespace(shifted)
        available = count_allowed(shifted, where)
        size = xp.clip(available, None, float(self.k))
        if rows := compiled_rows("SUBSETS", self.k, shifted, where, 1, wants_weights=False):
            return rows[1], size
        smallest = xp.min(shifted, axis=-1, keepdims=True)
        last = xp.where(available <= self.k, smallest, _ranked(shifted, self.k, where))

        def mass(t: Array, shifted: Array, where: Array | None) -> Array:
            return xp.sum(masked(_ramp(shifted - t), where), axis=-1, keepdims=True)

        def slope(t: Array, shifted: Array, where: Array | None) -> Array:
            between = (shifted - t > 0) & (shifted - t < 1)
            return xp.sum(masked(xp.astype(between, shifted.dtype), where), axis=-1, keepdims=True)

        t = level(mass, slope, shifted, size, (last - 1, last), where)
        return xp.where(available <= self.k, smallest - 2, t), size


def _ranked(x: Array, k: int, where: Array | None) -> Array:
    """The k-th largest entry of each row, `(…, 1)`; the smallest where there are no more than k entries."""
    xp, rank = namespace(x), max(x.shape[-1] - k, 0)
    allowed = masked(x, where, float(xp.finfo(x.dtype).min))
    ranked = np.partition(allowed, rank, axis=-1) if isinstance(x, np.ndarray) else xp.sort(allowed, axis=-1)
    return ranked[..., rank : rank + 1]


def _ramp(x: Array) -> Array:
    """x, kept between 0 and 1; its derivative is 1 strictly between them and 0 elsewhere, at the ends too."""
    xp = namespace(x)
    if isinstance(x, np.ndarray):
        return np.minimum(ramp := np.maximum(x, 0.0), 1.0, out=ramp)
    between = xp.where((x > 0) & (x < 1), x, xp.zeros_like(x))
    return between + xp.astype(x >= 1, x.dtype)
