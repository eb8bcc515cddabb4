"""The exponential separation: a memory that holds exponentially many patterns."""

import math
from dataclasses import dataclass
from typing import ClassVar

from hopattn.foundation.arrays import Array, namespace
from hopattn.retrieval.separation.base import Merging, Separation, below_the_largest, log_sum_exp, masked
from hopattn.retrieval.separation.softmax import Softmax


@dataclass(frozen=True)
class Exponential(Separation):
    """Ψ₁(s) = Σ exp(s), p_μ = exp(βs_μ).

    exp(s) outgrows every number from s = 710 on, so it is worked with in logarithms: log Ψ has a gradient of the same
    direction, ∇Ψ/Ψ, which is the softmax. An activation that feels only the direction of its field gets that, and the
    energy is then −β⁻¹ log Σ exp(βs), which falls where −Ψ falls. Elsewhere, weights and potential beyond the largest
    number count as the largest number, and a field has at most its fourth root as factor (βs = 177 in float64): such a
    state diverges, or saturates, as the true one would.
    Source: Demircigil et al. (2017), J. Stat. Phys. 168, 288, eq. 4 with F(x) = exp(x).
    """

    merging: ClassVar[Merging] = Merging.SUM
    source: ClassVar[str] = "Demircigil et al. 2017"

    @property
    def convex(self) -> bool:
        return True

    def direction(self) -> Softmax:
        return Softmax(self.beta)

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        xp = namespace(scores)
        largest, below = below_the_largest(scores, where, self.beta)
        logarithm = self.beta * largest + log_sum_exp(below, where) - math.log(self.beta)
        value = xp.exp(xp.clip(logarithm, None, self._log_of_the_largest(scores)))
        return value if where is None else xp.where(xp.any(where, axis=-1), value, xp.zeros_like(value))

    def weights(self, scores: Array, where: Array | None = None) -> Array:
        xp = namespace(scores)
        scaled = xp.clip(self.beta * masked(scores, where), None, self._log_of_the_largest(scores))
        return masked(xp.exp(scaled), where)

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, Array]:
        """The weights as (array, a number for each row); at most the fourth root of the largest number."""
        xp = namespace(scores)
        largest, below = below_the_largest(scores, where, self.beta)
        factor = xp.exp(xp.clip(self.beta * largest, None, self._log_of_the_largest(scores) / 4))
        return masked(xp.exp(below), where), factor[..., None]

    @staticmethod
    def _log_of_the_largest(scores: Array) -> float:
        """A little below the logarithm of the largest number of the dtype, so that rounding stays inside."""
        return math.log(float(namespace(scores).finfo(scores.dtype).max)) - 1e-3
