"""The exponential separation: a memory that holds exponentially many patterns."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from hopattn.foundation.arrays import Array, namespace
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.block_form import BlockForm, PlainSum
from hopattn.retrieval.separation.scores import log_sum_exp, masked, shifted_by_largest
from hopattn.retrieval.separation.softmax import Softmax


@dataclass(frozen=True)
class Exponential(Separation):
    """Ψ₁(s) = Σ exp(s), p_μ = exp(βs_μ).

    exp(s) overflows float64 from s = 710 on, so the computation uses logarithms. log Ψ has a gradient of the same
    direction, ∇Ψ/Ψ, which is the softmax. An activation that uses only the direction of the field gets the softmax, and
    the energy is then −β⁻¹ log Σ exp(βs), which falls where −Ψ falls. For other activations, weights and potential
    beyond the largest number count as the largest number, and the factor of a field is at most its fourth root
    (βs = 177 in float64): such a state diverges or saturates, as the exact one would.
    Source: Demircigil et al. (2017), J. Stat. Phys. 168, 288, with F(x) = exp(x).
    """

    tempered: ClassVar[bool] = True
    source: ClassVar[str] = "Demircigil et al. 2017"

    @property
    def convex(self) -> bool:
        return True

    def block_form(self) -> BlockForm:
        return PlainSum()

    def direction(self) -> Softmax:
        return Softmax(beta=self.beta)

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        xp = namespace(scores)
        largest, shifted = shifted_by_largest(scores, where, self.beta)
        logarithm = self.beta * largest + log_sum_exp(shifted, where) - self._log_beta()
        value = xp.exp(xp.clip(logarithm, None, self._log_of_the_largest(scores)))
        return value if where is None else xp.where(xp.any(where, axis=-1), value, xp.zeros_like(value))

    def weights(self, scores: Array, where: Array | None = None) -> Array:
        xp = namespace(scores)
        scaled = xp.clip(self.beta * masked(scores, where), None, self._log_of_the_largest(scores))
        return masked(xp.exp(scaled), where)

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, Array]:
        """The weights as (array, one factor for each row); a factor is at most the largest number ^ ¼."""
        xp = namespace(scores)
        largest, shifted = shifted_by_largest(scores, where, self.beta)
        factor = xp.exp(xp.clip(self.beta * largest, None, self._log_of_the_largest(scores) / 4))
        return masked(xp.exp(shifted), where), factor[..., None]

    def _log_beta(self) -> Any:
        return math.log(self.beta) if isinstance(self.beta, float) else namespace(self.beta).log(self.beta)

    @staticmethod
    def _log_of_the_largest(scores: Array) -> float:
        """The logarithm of the largest number of the dtype, less a margin for rounding."""
        return math.log(float(namespace(scores).finfo(scores.dtype).max)) - 1e-3
