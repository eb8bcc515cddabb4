"""Softmax, attention as transformers have it; argmax, its limit for a large β; weights in proportion to the scores."""

import math
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.vectors import at_least, nonzero, rectified
from hopattn.retrieval.separation.base import (
    Competing,
    Formulas,
    Online,
    Removal,
    Separation,
    Simplex,
    Weights,
    divided,
    masked,
    masked_max,
    proportions,
    remainder,
)


@dataclass(frozen=True)
class Softmax(Simplex):
    """Ψ₁(s) = log Σ exp(s), p_μ = exp(βs_μ) / Σ_ν exp(βs_ν); with a sink, exp(sink) is one more term of both sums.

    A β beyond the range of the dtype counts as the largest number.
    Source: Ramsauer et al. (2021), ICLR (their X is our keys, their ξ our state).
    """

    source: ClassVar[str] = "Ramsauer et al. 2021"

    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights:
        xp = namespace(scores)
        x, largest = self.from_largest(xp, scores, where)
        parts = xp.exp(x) if where is None else xp.where(where, xp.exp(x), 0.0)
        total = xp.sum(parts, axis=-1, keepdims=True)  # at least 1, but for a row with nothing to attend to
        total = total if where is None else nonzero(total)
        value = self.beyond(largest, xp.log(total[..., 0]), where) if potential else None
        return Weights(divided(parts, total), 1.0, value)

    def without(self, scores: Array, weights: Array, where: Array | None = None) -> Removal:
        """The other weights grow by 1/(1 − p), and Ψ changes by β⁻¹ log(1 − p), where p is the sum of those lost."""
        one_minus_p = remainder(weights)
        p = namespace(weights).sum(masked(weights, (one_minus_p > 0)[..., None]), axis=-1)
        return one_minus_p, namespace(weights).log1p(-p) / self.beta

    def cost(self, shares: Array) -> Formulas:
        """Ω(p) = Σ p log p."""
        xp = namespace(shares)
        logs = xp.log(at_least(shares, float(xp.finfo(shares.dtype).smallest_normal)))
        return lambda: xp.sum(shares * logs, axis=-1), lambda: logs

    def online(self) -> Online:
        power, log_base = fast_exp()
        return lambda x: np.asarray(power(x, out=x)), self.beta * log_base


@dataclass(frozen=True)
class Argmax(Competing):
    """Ψ₁(s) = max s; p is 1 at the largest score, and exact ties share it.

    The limit of softmax for β → ∞. β has no effect, since max βs = β max s, but for the score sink/β of a sink. At a
    tie, the weights are one of several subgradients. Source: Millidge et al. (2022), ICML, section 3 (max as a
    separation function).
    """

    convex: ClassVar[bool] = True
    jumps: ClassVar[bool] = True
    tempered: ClassVar[bool] = False
    source: ClassVar[str] = "Millidge et al. 2022"

    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights:
        xp = namespace(scores)
        largest = masked_max(xp, scores, where)
        winners = masked(xp.astype(scores == largest, scores.dtype), where)
        count = xp.sum(winners, axis=-1, keepdims=True)
        has_keys = None if where is None else xp.any(where, axis=-1, keepdims=True)
        return Weights(divided(winners, masked(count, has_keys, 1.0)), 1.0, largest[..., 0] if potential else None)

    def cost(self, shares: Array) -> Formulas:
        """Ω(p) = 0."""
        return lambda: namespace(shares).zeros_like(shares[..., 0]), lambda: Separation.inverse(self, shares)

    def online(self) -> Online:
        return lambda x: np.asarray(np.equal(x, 0.0, out=x)), 1.0


@dataclass(frozen=True)
class Proportional(Separation):
    """p_μ = [s_μ]₊ / Σ_ν [s_ν]₊: a score below 0 counts as 0; β cancels, and weights are 0 where no score is above 0.

    ∂p_μ/∂s_ν = δ_μν/Σ − s_μ/Σ² is not symmetric, so p is not the gradient of a potential, and there is no energy.
    Source: Katharopoulos et al. (2020), ICML (normalised linear attention, with s_μ = φ(k_μ)·φ(x)).
    """

    convex: ClassVar[bool] = False
    tempered: ClassVar[bool] = False
    why_no_potential: ClassVar[str] = "weights in proportion to the scores are the gradient of no potential"
    source: ClassVar[str] = "Katharopoulos et al. 2020"

    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights:
        """Raises `InvalidInput` where a potential is asked for."""
        if potential:
            raise InvalidInput(f"potential: {self.why_no_potential}")
        return Weights(proportions(rectified(masked(scores, where))))

    def without(self, scores: Array, weights: Array, where: Array | None = None) -> Removal:
        return remainder(weights), None


@cache
def fast_exp() -> tuple[np.ufunc, float]:
    """The fastest exponential of NumPy on this processor: a ufunc and a factor with eˣ = ufunc(factor · x).

    The pair is `(numpy.exp2, log₂e)` where NumPy computes `exp2` with the vector instructions of this processor: that
    takes two thirds of the time of `numpy.exp`. Elsewhere it takes many times as long.
    """
    from numpy.lib.introspect import opt_func_info

    targets = opt_func_info(func_name="^exp2$", signature="float").get("exp2", {})
    fast = targets and not any(target["current"].startswith("baseline") for target in targets.values())
    return (np.exp2, math.log2(math.e)) if fast else (np.exp, 1.0)
