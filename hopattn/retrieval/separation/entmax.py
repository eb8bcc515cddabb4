"""Sparse separations: entmax and sparsemax from the Tsallis entropies, normmax from the norm entropies, k-subsets.

Their weights depend on what a score lies above a threshold, which `level` of `foundation/roots.py` finds, or of many
scores `foundation/compiled/thresholds.py`.
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.boundary import Count
from hopattn.foundation.kernels import compiled_loops
from hopattn.foundation.roots import bisected, level, with_derivatives
from hopattn.foundation.threads import blocks, workers
from hopattn.foundation.traces import detached
from hopattn.foundation.vectors import at_least, nonzero, positive_power
from hopattn.retrieval.separation.base import (
    Competing,
    Formulas,
    Simplex,
    Weights,
    masked,
    masked_max,
    number_or_rows,
    proportions,
    row_numbers,
    shifted,
    split,
)
from hopattn.retrieval.separation.softmax import Softmax

PARTS_OF_ROWS = 8
"""The number of parts into which the rows are divided for threads; a row does not depend on the others."""
MOST_ALPHA = 4.0
"""The largest α of an array."""
LEAST = 1e-30
"""The q = α − 1 that stands for 0 where no derivative is taken: log(1 + qz)/q is then z."""
FLAT = 2**-10
"""The α − 1 below which a number takes the formula of an array, since its own one loses digits near 1."""
NEAR = 1 / 64
"""The distance from 0 below which a series gives a quotient by a small number."""
LOG1P = [(-1) ** k / (k + 1) for k in range(9)]
"""The coefficients of log(1 + y) / y."""
EXPM1 = [1 / math.factorial(k + 1) for k in range(7)]
"""The coefficients of (eʸ − 1) / y."""


class OfAlpha(Simplex):
    """Weights with a parameter α: a number, or an array with a number for each row of scores.

    NumPy computes the rows of each α by themselves, with the formula of a number.
    """

    alpha: float
    variables: ClassVar[tuple[str, ...]] = (*Simplex.variables, "alpha")

    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights:
        alpha = row_numbers(self.alpha, scores, "alpha")
        if isinstance(alpha, float) or not isinstance(scores, np.ndarray):
            return self.answer_of(alpha, scores, where, potential)
        every, weights = np.broadcast_to(self.alpha, scores.shape[:-1]), np.zeros_like(scores)
        values = np.zeros(every.shape, scores.dtype) if potential else None
        for one in np.unique(every):
            rows = every == one
            mask = None if where is None else np.broadcast_to(where, scores.shape)[rows]
            part = replace(self, alpha=float(one)).answer(scores[rows], mask, potential)  # type: ignore[call-arg]
            weights[rows] = part.array
            if values is not None:
                values[rows] = part.potential
        return Weights(weights, 1.0, values)

    @abstractmethod
    def answer_of(self, alpha: Any, scores: Array, where: Array | None, potential: bool) -> Weights:
        """The formula for an α that is a number, or `(…, 1)` beside scores of PyTorch or JAX."""


@dataclass(frozen=True)
class Entmax(OfAlpha):
    """Ψ₁(s) = max_p p·s − (Σ p^α − 1) / α(α−1) over all shares p, for an α ≥ 1: 1 is softmax, 2 is sparsemax.

    p_μ = [(α−1)βs_μ − t]₊^(1/(α−1)), with t such that they sum to 1. The potential is τ + Σ p^α/α with τ = (t +
    1/α)/(α−1), which has its minimum at that t, so that its derivative is p, whatever the error of t. Weights near α =
    1 are right to about 200 ε. Above α = 2 those near 0 lose digits; above α = 8 they are lost in rounding, up to about
    1e-4, and no descent is claimed.

    Parameters
    ----------
    alpha
        α, a number; or an array `()` of PyTorch or JAX that requires a gradient, or `(…,)` that broadcasts to the rows
        of the scores, of numbers from 1 to 4. Scores `(…, n_heads, n_cues, n_patterns)` take an α for each head as
        `(n_heads, 1)`.

    Raises
    ------
    InvalidInput : for an α below 1, an array with a number above 4, and one that does not fit the scores.

    Notes
    -----
    An α that is an array can be learned, at 1 and at 2 too. Its formula has u with t = (α−1)u − 1: p_μ =
    [1 + (α−1)(βs_μ − u)]₊^(1/(α−1)), which is exp(βs_μ − u) at α = 1, and Ψ₁(s) = u + (Σ p^α − 1)/α. It loses no digits
    near 1.
    Source: Peters, Niculae & Martins (2019), ACL; as a memory: Santos et al. (2024), ICML; with a learned α: Correia,
    Niculae & Martins (2019), EMNLP, proposition 1.

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.separations.entmax(alpha=np.array([1.0, 2.0])).weights(np.array([[1.0, 0.0], [1.0, 0.0]])).round(3)
    array([[0.731, 0.269],
           [1.   , 0.   ]])
    """

    alpha: Annotated[
        float,
        partial(
            number_or_rows,
            expected="numbers from 1, the softmax, to 4",
            least=1.0,
            most=MOST_ALPHA,
            cure="1 is the softmax, and an alpha below 1 gives no weight of 0",
        ),
    ] = 1.5
    source: ClassVar[str] = "Peters et al. 2019"

    @property
    def why_imprecise(self) -> str:
        reason = f"weights near 0 are lost in rounding for an alpha above 8, and it is {self.alpha:g}"
        return reason if isinstance(self.alpha, float) and self.alpha > 8 else ""

    def slopes(self, weights: Array) -> Array:
        """p^(2 − α) where p is above 0."""
        xp, alpha = namespace(weights), row_numbers(self.alpha, weights, "alpha")
        return xp.where(weights > 0, nonzero(weights) ** (2 - alpha), 0.0)

    def cost(self, shares: Array) -> Formulas:
        """Ω(p) = (Σ p^α − 1) / α(α−1); of an array Σ p l(p)/α with the deformed logarithm l = (p^(α−1) − 1)/(α−1)."""
        if isinstance(self.alpha, float) and self.alpha == 1:
            return Softmax().cost(shares)
        xp, alpha = namespace(shares), row_numbers(self.alpha, shares, "alpha")
        if not isinstance(alpha, float):
            logs = Softmax().cost(shares)[1]()
            deformed = logs * quotient(xp.expm1, (alpha - 1) * logs, EXPM1)
            return lambda: xp.sum(shares * deformed / alpha, axis=-1), lambda: deformed
        return (
            lambda: (xp.sum(shares**alpha, axis=-1) - 1) / (alpha * (alpha - 1)),
            lambda: shares ** (alpha - 1) / (alpha - 1),
        )

    def answer_of(self, alpha: Any, scores: Array, where: Array | None, potential: bool) -> Weights:
        if not isinstance(alpha, float):
            return self._of_array(alpha - 1, scores, where, potential)
        if alpha == 1:
            return Softmax(beta=self.beta).answer(scores, where, potential)
        if alpha - 1 < FLAT:
            q = namespace(scores).full_like(scores[..., :1], alpha - 1)
            return self._of_array(q, scores, where, potential)
        rows = by_compiled_rows("ENTMAX" if alpha <= 2 else "", alpha, scores, where, self.beta, potential)
        if rows is not None:
            return rows
        xp, order = namespace(scores), 1 / (alpha - 1)
        x, largest = self.from_largest(xp, scores, where)
        y = np.multiply(x, alpha - 1, out=x) if isinstance(x, np.ndarray) else (alpha - 1) * x
        t, value = level_of_powers(y, order, where), None
        if potential:
            sum_of_powers = xp.sum(masked(positive_power(y - t, order + 1), where), axis=-1)
            unit_value = (t[..., 0] + 1 / alpha) / (alpha - 1) + sum_of_powers / alpha
            value = self.beyond(largest, unit_value, where)
        powers = masked(positive_power(y - t, order), where)
        return Weights(proportions(powers if alpha <= 2 else _with_hidden(powers, y, t, where)), 1.0, value)

    def _of_array(self, q: Array, scores: Array, where: Array | None, potential: bool) -> Weights:
        """The same by the deformed exponential, for q = α − 1 `(…, 1)`; 0 ≤ u ≤ log n."""
        xp = namespace(scores)
        x, largest = self.from_largest(xp, scores, where)

        def mass(parts: Array) -> Array:
            return xp.sum(masked(parts, where), axis=-1, keepdims=True)

        def newton(u: Array) -> Array:
            parts, reach = deformed_exponential(x - u, q)
            return (mass(parts) - 1) / nonzero(mass(parts / reach))

        fixed, constant, zero = detached(x), at_least(detached(q), LEAST), xp.zeros_like(largest)

        def excess(u: Array) -> Array:  # of values alone, so that it needs no series
            y = constant * (fixed - u)
            return mass(xp.where(y > -1, xp.exp(xp.log1p(xp.where(y > -1, y, 0.0)) / constant), 0.0)) - 1

        u, value = with_derivatives(bisected(excess, zero, zero + math.log(scores.shape[-1])), newton), None
        parts, reach = deformed_exponential(x - u, q)
        if potential:
            value = self.beyond(largest, (u + (mass(parts * reach) - 1) / (1 + q))[..., 0], where)
        parts = masked(parts, where)
        return Weights(proportions(xp.where(q > 1, _with_hidden(parts, q * x, q * u - 1, where), parts)), 1.0, value)


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
class Normmax(OfAlpha):
    """Ψ₁(s) = max_p p·s − |p|_α + 1 over all shares p, with the norm |p|_α = (Σ p^α)^(1/α), for an α > 1.

    p ∝ [βs − τ]₊^(1/(α−1)), with τ such that |[βs − τ]₊| = 1 in the dual norm α/(α−1). The potential is τ + 1, plus a
    term in the dual norm minus 1: it is 0 at that τ and carries the derivative.

    Parameters
    ----------
    alpha
        α, a number above 1; or an array as of `Entmax`, of numbers above 1 and up to 4. For α → 1 the largest score
        takes all the weight.

    Raises
    ------
    InvalidInput : for an α of 1 or less, an array with a number above 4, and one that does not fit the scores.

    Notes
    -----
    Source: Blondel, Martins & Niculae (2020), JMLR 21 (norm entropies); as a memory: Santos et al. (2024), ICML.
    """

    alpha: Annotated[
        float,
        partial(number_or_rows, expected="numbers above 1 and up to 4", above=1.0, most=MOST_ALPHA),
    ] = 2.0
    source: ClassVar[str] = "Santos et al. 2024"

    def cost(self, shares: Array) -> Formulas:
        """Ω(p) = |p|_α − 1."""
        xp, alpha = namespace(shares), row_numbers(self.alpha, shares, "alpha")
        norm = xp.sum(shares**alpha, axis=-1, keepdims=True) ** (1 / alpha)
        return lambda: norm[..., 0] - 1, lambda: (shares / norm) ** (alpha - 1)

    def answer_of(self, alpha: Any, scores: Array, where: Array | None, potential: bool) -> Weights:
        rows = by_compiled_rows("NORMMAX", alpha, scores, where, self.beta, potential)
        if rows is not None:
            return rows
        xp, dual = namespace(scores), alpha / (alpha - 1)
        x, largest = self.from_largest(xp, scores, where)
        tau = level_of_powers(x, dual, where)
        powers, value = masked(positive_power(x - tau, dual - 1), where), None
        if potential:
            power = nonzero(xp.sum(masked(positive_power(x - tau, dual), where), axis=-1, keepdims=True))
            slope = nonzero(xp.sum(powers, axis=-1, keepdims=True))
            value = self.beyond(largest, tau[..., 0] + 1 + ((power ** (1 / dual) - 1) / slope)[..., 0], where)
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


def quotient(function: Callable[[Array], Array], y: Array, series: list[float]) -> Array:
    """f(y)/y of a function with f(0) = 0; near 0 by its series, so that no derivative loses its digits."""
    xp = namespace(y)
    near = xp.abs(y) < NEAR
    small, total = xp.where(near, y, 0.0), xp.zeros_like(y)
    for coefficient in reversed(series):
        total = coefficient + small * total
    return xp.where(near, total, function(y) / xp.where(near, 1.0, y))


def deformed_exponential(z: Array, q: Array) -> tuple[Array, Array]:
    """exp_q(z) = [1 + qz]₊^(1/q), eᶻ at q = 0, with its derivatives by z and q; and 1 + qz, or 1 where it is below 0.

    For z ≤ 0 and q ≥ 0. Source: Tsallis (1994), Química Nova 17, 468 (their q is our 1 − q).
    """
    xp = namespace(z)
    lowest = 2 * math.log(float(xp.finfo(z.dtype).smallest_normal))  # of a larger power of z, a derivative would be NaN
    lost = (q * z <= -1) | (z <= lowest)  # exp_q(z) ≤ eᶻ
    z = xp.where(lost, 0.0, z)
    y = q * z
    return xp.where(lost, 0.0, xp.exp(z * quotient(xp.log1p, y, LOG1P))), 1 + y


def level_of_powers(x: Array, degree: Any, where: Array | None) -> Array:
    """The t at which Σ_μ [x_μ − t]₊^degree = 1, `(…, 1)`, for a degree above 0 and rows whose largest entry is 0.

    degree: a number; or `(…, 1)`, for arrays of PyTorch and JAX. t lies in [−1, 0], where the largest entry alone gives
    1 and 0.
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
    kind: str, parameter: Any, scores: Array, where: Array | None, beta: float, potential: bool
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
