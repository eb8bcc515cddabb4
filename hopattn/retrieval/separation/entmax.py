"""Sparse separations: entmax and sparsemax from the Tsallis entropies, normmax from the norm entropies, k-subsets.

Their weights depend on what a score lies above a threshold, which `level` of `foundation/roots.py` finds, or of many
scores `foundation/compiled/thresholds.py`.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar

import numpy as np

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.boundary import Count
from hopattn.foundation.checks import real
from hopattn.foundation.kernels import compiled_loops
from hopattn.foundation.roots import level
from hopattn.foundation.threads import blocks, workers
from hopattn.foundation.traces import detached
from hopattn.foundation.vectors import nonzero, positive_power
from hopattn.retrieval.separation.base import (
    Competing,
    Formulas,
    Simplex,
    Weights,
    masked,
    masked_max,
    proportions,
    shifted,
    split,
)
from hopattn.retrieval.separation.softmax import Softmax

PARTS_OF_ROWS = 8
"""The number of parts into which the rows are divided for threads; a row does not depend on the others."""


@dataclass(frozen=True)
class Entmax(Simplex):
    """Ψ₁(s) = max_p p·s − (Σ p^α − 1) / α(α−1) over all shares p, for an α ≥ 1: 1 is softmax, 2 is sparsemax.

    p_μ = [(α−1)βs_μ − t]₊^(1/(α−1)), with t such that they sum to 1. The potential is τ + Σ p^α/α with τ = (t +
    1/α)/(α−1), which has its minimum at that t, so that its derivative is p, whatever the error of t. Weights near α =
    1 are right to about .2 ε/(α − 1). Above α = 2 those near 0 lose digits; above α = 8 they are lost in rounding, up
    to about 1e-4, and no descent is claimed.

    Parameters
    ----------
    alpha : α.

    Raises
    ------
    InvalidInput : for an α below 1.

    Notes
    -----
    Source: Peters, Niculae & Martins (2019), ACL; as a memory: Santos et al. (2024), ICML.
    """

    alpha: Annotated[float, partial(real, least=1.0)] = 1.5
    source: ClassVar[str] = "Peters et al. 2019"

    @property
    def why_imprecise(self) -> str:
        reason = f"weights near 0 are lost in rounding for an alpha above 8, and it is {self.alpha:g}"
        return reason if self.alpha > 8 else ""

    def slopes(self, weights: Array) -> Array:
        """p^(2 − α) where p is above 0."""
        xp = namespace(weights)
        return xp.where(weights > 0, nonzero(weights) ** (2 - self.alpha), 0.0)

    def cost(self, shares: Array) -> Formulas:
        """Ω(p) = (Σ p^α − 1) / α(α−1)."""
        if self.alpha == 1:
            return Softmax().cost(shares)
        xp, alpha = namespace(shares), self.alpha
        return (
            lambda: (xp.sum(shares**alpha, axis=-1) - 1) / (alpha * (alpha - 1)),
            lambda: shares ** (alpha - 1) / (alpha - 1),
        )

    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights:
        if self.alpha == 1:
            return Softmax(beta=self.beta).answer(scores, where, potential)
        rows = by_compiled_rows("ENTMAX" if self.alpha <= 2 else "", self.alpha, scores, where, self.beta, potential)
        if rows is not None:
            return rows
        xp, order = namespace(scores), 1 / (self.alpha - 1)
        x, largest = self.from_largest(xp, scores, where)
        y = np.multiply(x, self.alpha - 1, out=x) if isinstance(x, np.ndarray) else (self.alpha - 1) * x
        t, value = level_of_powers(y, order, where), None
        if potential:
            sum_of_powers = xp.sum(masked(positive_power(y - t, order + 1), where), axis=-1)
            unit_value = (t[..., 0] + 1 / self.alpha) / (self.alpha - 1) + sum_of_powers / self.alpha
            value = self.beyond(largest, unit_value, where)
        powers = masked(positive_power(y - t, order), where)
        return Weights(proportions(powers if self.alpha <= 2 else _with_hidden(powers, y, t, where)), 1.0, value)


@dataclass(frozen=True)
class Sparsemax(Simplex):
    """Ψ₁(s) = max_p p·s − ½|p|² + ½ over all shares p: the point of the simplex nearest to the scores.

    p_μ = [βs_μ − t]₊: entmax for α = 2. Source: Martins & Astudillo (2016), ICML; Hu et al. (2023), NeurIPS.
    """

    source: ClassVar[str] = "Martins & Astudillo 2016; Hu et al. 2023"

    def slopes(self, weights: Array) -> Array:
        """1 where p is above 0."""
        return namespace(weights).astype(weights > 0, weights.dtype)

    def cost(self, shares: Array) -> Formulas:
        return Entmax(alpha=2.0).cost(shares)

    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights:
        return Entmax(beta=self.beta, alpha=2.0).answer(scores, where, potential)


@dataclass(frozen=True)
class Normmax(Simplex):
    """Ψ₁(s) = max_p p·s − |p|_α + 1 over all shares p, with the norm |p|_α = (Σ p^α)^(1/α), for an α > 1.

    p ∝ [βs − τ]₊^(1/(α−1)), with τ such that |[βs − τ]₊| = 1 in the dual norm α/(α−1). The potential is τ + 1, plus a
    term in the dual norm minus 1: it is 0 at that τ and carries the derivative.

    Parameters
    ----------
    alpha : α.

    Raises
    ------
    InvalidInput : for an α of 1 or less.

    Notes
    -----
    Source: Blondel, Martins & Niculae (2020), JMLR 21 (norm entropies); as a memory: Santos et al. (2024), ICML.
    """

    alpha: Annotated[float, partial(real, above=1.0)] = 2.0
    source: ClassVar[str] = "Santos et al. 2024"

    def cost(self, shares: Array) -> Formulas:
        """Ω(p) = |p|_α − 1."""
        xp, alpha = namespace(shares), self.alpha
        norm = xp.sum(shares**alpha, axis=-1, keepdims=True) ** (1 / alpha)
        return lambda: norm[..., 0] - 1, lambda: (shares / norm) ** (alpha - 1)

    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights:
        rows = by_compiled_rows("NORMMAX", self.alpha, scores, where, self.beta, potential)
        if rows is not None:
            return rows
        xp, dual = namespace(scores), self.alpha / (self.alpha - 1)
        x, largest = self.from_largest(xp, scores, where)
        tau = level_of_powers(x, dual, where)
        powers, value = masked(positive_power(x - tau, dual - 1), where), None
        if potential:
            power = nonzero(xp.sum(masked(positive_power(x - tau, dual), where), axis=-1))
            slope = nonzero(xp.sum(powers, axis=-1))
            value = self.beyond(largest, tau[..., 0] + 1 + (power ** (1 / dual) - 1) / slope, where)
        return Weights(proportions(powers), 1.0, value)


@dataclass(frozen=True)
class KSubsets(Competing):
    """Ψ₁(s) = max_p p·s − ½|p|² over all p between 0 and 1 that sum to k: a sum of k patterns, for a whole k ≥ 1.

    p_μ = βs_μ − t, kept between 0 and 1, with t such that they sum to k; all weights are 1 where there are no more than
    k patterns, a null pattern among them. βs and t are counted from the k-th largest score, so that no other score
    takes digits from them. Raises `InvalidInput` for another k.
    Source: Santos et al. (2024), ICML, section 4 (SparseMAP with the k-subsets as structures).
    """

    k: Count = 1
    convex: ClassVar[bool] = True
    why_no_entropy: ClassVar[str] = "its weights sum to k: they are shares of sets of patterns, not of patterns"
    source: ClassVar[str] = "Santos et al. 2024"

    def slopes(self, weights: Array) -> Array:
        """1 for a weight between 0 and 1, which neither end holds."""
        return namespace(weights).astype((weights > 0) & (weights < 1), weights.dtype)

    def cost(self, shares: Array) -> Formulas:
        """Ω(p) = ½|p|² over p of at most 1."""
        xp = namespace(shares)
        half, inside = 0.5 * xp.sum(shares * shares, axis=-1), xp.all(shares <= 1, axis=-1)
        return lambda: masked(half, inside, float("inf")), lambda: shares

    def total(self, n: int) -> float:
        return float(min(self.k, n))

    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights:
        rows = by_compiled_rows("SUBSETS", self.k, scores, where, self.beta, False)
        origin = self._origin(scores, where) if rows is None or potential else None
        shares = self._shares(scores, origin, where) if rows is None else rows.array
        return Weights(shares, 1.0, self._value(scores, origin, where, shares) if potential else None)

    def _value(self, scores: Array, origin: Array, where: Array | None, shares: Array) -> Array:
        """Σ p s − |p|²/2β, in a unit that rounds nothing, and in which no sum of scores overflows."""
        xp = namespace(scores)
        size = xp.clip(_count_allowed(scores, where), None, float(self.k))
        large = xp.max(xp.abs(masked(detached(scores), where)), axis=-1, keepdims=True) > 1
        ones = xp.ones_like(origin)
        unit = xp.where(large, 2.0 ** -(scores.shape[-1].bit_length() + 1) * ones, ones)
        above = masked(unit * scores - unit * origin, where) - (0.5 * unit / self.beta) * shares
        return ((unit * origin * size)[..., 0] + xp.sum(shares * above, axis=-1)) / unit[..., 0]

    def _shares(self, scores: Array, origin: Array, where: Array | None) -> Array:
        """The weights. Of scores counted from the k-th largest, −1 ≤ t ≤ 0, and an entry from 1 on has the weight 1."""
        xp = namespace(scores)
        above = xp.clip(shifted(xp, scores, origin, where, self.beta), -2.0, 2.0)
        full = above >= 1
        target = self.k - xp.sum(masked(xp.astype(full, above.dtype), where), axis=-1, keepdims=True)

        def mass(t: Array, x: Array, where: Array | None) -> Array:
            return xp.sum(masked(_ramp(x - t), where), axis=-1, keepdims=True)

        def slope(t: Array, x: Array, where: Array | None) -> Array:
            between = (x - t > 0) & (x - t < 1)
            return xp.sum(masked(xp.astype(between, x.dtype), where), axis=-1, keepdims=True)

        zero = xp.zeros_like(target)
        t = level(mass, slope, masked(above, ~full, -2.0), target, (zero - 1, zero), where)
        t = xp.where(_count_allowed(above, where) <= self.k, t - 1, t)
        return masked(_ramp(above - t), where)

    def _origin(self, scores: Array, where: Array | None) -> Array:
        """The k-th largest score, `(…, 1)`, as a constant; the smallest where there are no more than k."""
        xp, rank = namespace(scores), max(scores.shape[-1] - self.k, 0)
        largest = float(xp.finfo(scores.dtype).max)
        allowed = masked(detached(scores), where, -largest)
        in_order = np.partition(allowed, rank, axis=-1) if isinstance(scores, np.ndarray) else xp.sort(allowed, axis=-1)
        kth_largest = in_order[..., rank : rank + 1]
        if where is None:
            return kth_largest
        smallest = xp.min(masked(detached(scores), where, largest), axis=-1, keepdims=True)
        return xp.where(_count_allowed(scores, where) <= self.k, smallest, kth_largest)


def level_of_powers(x: Array, degree: float, where: Array | None) -> Array:
    """The t at which Σ_μ [x_μ − t]₊^degree = 1, `(…, 1)`, for a degree above 0 and rows whose largest entry is 0.

    t lies in [−1, 0], where the largest entry alone gives 1 and 0.
    """
    xp = namespace(x)
    zero = xp.zeros_like(x[..., :1])

    def mass(t: Array, x: Array, where: Array | None) -> Array:
        return xp.sum(masked(positive_power(x - t, degree), where), axis=-1, keepdims=True)

    def slope(t: Array, x: Array, where: Array | None) -> Array:
        return degree * xp.sum(masked(positive_power(x - t, degree - 1), where), axis=-1, keepdims=True)

    return level(mass, slope, x, zero + 1, (zero - 1, zero), where, degree=degree)


def _with_hidden(powers: Array, y: Array, t: Array, where: Array | None) -> Array:
    """The weights with those that are lost in the rounding of t: for a large α, p = ½ needs only y − t = ½^(α−1).

    The part that is missing from the sum 1 goes to the largest score that equals t up to rounding.
    """
    xp, eps = namespace(y), float(namespace(y).finfo(y.dtype).eps)
    near = xp.abs(y - t) <= 4 * eps * (xp.abs(t) + xp.abs(y))
    near = near if where is None else near & where
    first = xp.astype(near & (y == masked_max(xp, y, near)), y.dtype)
    clear = powers * xp.astype(~near, y.dtype)
    deficit = xp.clip(1 - 4 * eps * y.shape[-1] - xp.sum(clear, axis=-1, keepdims=True), 0.0, None)
    return clear + deficit * first / nonzero(xp.sum(first, axis=-1, keepdims=True))


def by_compiled_rows(
    kind: str, parameter: float, scores: Array, where: Array | None, beta: float, potential: bool
) -> Weights | None:
    """The weights of each row by compiled loops, and Ψ; None where NumPy computes them.

    kind: "ENTMAX" with α above 1 and at most 2, "NORMMAX" with α above 1, "SUBSETS" with k, of which Ψ is not computed;
    "" for none of them.
    """
    plain = isinstance(scores, np.ndarray) and scores.ndim and scores.dtype in (np.float32, np.float64)
    if not kind or not plain or not isinstance(beta, float) or not scores.size:
        return None
    loops = compiled_loops("thresholds", scores.size)
    if loops is None:
        return None
    unit, rest = split(beta, scores)
    rows = np.ascontiguousarray(scores if unit == 1.0 else unit * scores).reshape(-1, scores.shape[-1])
    mask = np.zeros((0, 0), bool) if where is None else np.broadcast_to(where, scores.shape).reshape(rows.shape)
    weights, values = np.zeros(rows.shape, rows.dtype), np.empty(len(rows))
    how = getattr(loops, kind), rest, float(parameter)

    def work(part: slice) -> None:
        loops.thresholds(rows[part], mask[part], how, weights[part], values[part])

    with workers() as share:
        share(work, [(part,) for part in blocks(len(rows), -(-len(rows) // PARTS_OF_ROWS))])
    value = None
    if potential:
        value = masked_max(np, scores, where)[..., 0] + (values.reshape(scores.shape[:-1]) / beta).astype(scores.dtype)
    return Weights(weights.reshape(scores.shape), 1.0, value)


def _count_allowed(scores: Array, where: Array | None) -> Array:
    """The number of entries of each row that may be attended to, `(…, 1)`, in the dtype of the scores."""
    if where is None:
        return namespace(scores).full_like(scores[..., :1], float(scores.shape[-1]))
    return namespace(scores).sum(masked(namespace(scores).ones_like(scores), where), axis=-1, keepdims=True)


def _ramp(x: Array) -> Array:
    """x, kept between 0 and 1; its derivative is 1 strictly between them and 0 elsewhere, at the ends too."""
    xp = namespace(x)
    if isinstance(x, np.ndarray):
        return np.minimum(ramp := np.maximum(x, 0.0), 1.0, out=ramp)
    between = xp.where((x > 0) & (x < 1), x, 0.0)
    return between + xp.astype(x >= 1, x.dtype)
