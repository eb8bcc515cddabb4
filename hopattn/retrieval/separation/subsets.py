"""The k-subsets separation: k patterns share a weight of k."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.checks import whole
from hopattn.foundation.roots import level
from hopattn.foundation.traces import constant
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.row_thresholds import compiled_rows
from hopattn.retrieval.separation.scores import count_allowed, masked, shifted


@dataclass(frozen=True)
class KSubsets(Separation):
    """Ψ₁(s) = max_p p·s − ½|p|² over all p between 0 and 1 that sum to k: a sum of k patterns, for a whole k ≥ 1.

    p_μ = βs_μ − t, kept between 0 and 1, with t such that they sum to k; all weights are 1 where there are no more than
    k patterns. βs and t are counted from the k-th largest score, so that no other score takes digits from them. Raises
    `InvalidInput` for another k.
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
        origin, size = self._origin(scores, where), xp.clip(count_allowed(scores, where), None, float(self.k))
        large = xp.max(xp.abs(masked(constant(scores), where)), axis=-1, keepdims=True) > 1
        one = xp.ones_like(origin)
        unit = xp.where(large, 2.0 ** -(scores.shape[-1].bit_length() + 1) * one, one)
        origin = unit * origin  # the unit rounds nothing, and in it no sum of scores overflows
        shares = self.weights(scores, where)
        above = masked(unit * scores - origin, where) - (0.5 * unit / self.beta) * shares
        return ((origin * size)[..., 0] + xp.sum(shares * above, axis=-1)) / unit[..., 0]

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, float]:
        if rows := compiled_rows("SUBSETS", self.k, scores, where, self.beta):
            return rows[0], 1.0
        above = namespace(scores).clip(shifted(scores, self._origin(scores, where), where, self.beta), -2.0, 2.0)
        return masked(_ramp(above - self._t(above, where)), where), 1.0

    def _origin(self, scores: Array, where: Array | None) -> Array:
        """The k-th largest score, `(…, 1)`, as a constant; the smallest where there are no more than k."""
        xp, rank = namespace(scores), max(scores.shape[-1] - self.k, 0)
        largest = float(xp.finfo(scores.dtype).max)
        allowed = masked(constant(scores), where, -largest)
        in_order = np.partition(allowed, rank, axis=-1) if isinstance(scores, np.ndarray) else xp.sort(allowed, axis=-1)
        ranked = in_order[..., rank : rank + 1]
        if where is None:
            return ranked
        smallest = xp.min(masked(constant(scores), where, largest), axis=-1, keepdims=True)
        return xp.where(count_allowed(scores, where) <= self.k, smallest, ranked)

    def _t(self, above: Array, where: Array | None) -> Array:
        """The t at which the weights sum to k, `(…, 1)`; with k entries or fewer it gives each the weight 1.

        The k-th largest entry is 0, so that t lies between −1 and 0, and an entry from 1 on has the weight 1.
        """
        xp = namespace(above)
        full = above >= 1
        left = self.k - xp.sum(masked(xp.astype(full, above.dtype), where), axis=-1, keepdims=True)

        def mass(t: Array, x: Array, where: Array | None) -> Array:
            return xp.sum(masked(_ramp(x - t), where), axis=-1, keepdims=True)

        def slope(t: Array, x: Array, where: Array | None) -> Array:
            between = (x - t > 0) & (x - t < 1)
            return xp.sum(masked(xp.astype(between, x.dtype), where), axis=-1, keepdims=True)

        zero = xp.zeros_like(left)
        t = level(mass, slope, masked(above, ~full, -2.0), left, (zero - 1, zero), where)
        return xp.where(count_allowed(above, where) <= self.k, t - 1, t)


def _ramp(x: Array) -> Array:
    """x, kept between 0 and 1; its derivative is 1 strictly between them and 0 elsewhere, at the ends too."""
    xp = namespace(x)
    if isinstance(x, np.ndarray):
        return np.minimum(ramp := np.maximum(x, 0.0), 1.0, out=ramp)
    between = xp.where((x > 0) & (x < 1), x, xp.zeros_like(x))
    return between + xp.astype(x >= 1, x.dtype)
