"""The softmax separation: attention as transformers have it."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hopattn.foundation.arrays import Array
from hopattn.foundation.fast_exp import fast_exp
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.block_form import BlockForm, Normalised
from hopattn.retrieval.separation.scores import log_sum_exp, shifted_by_largest, shifted_softmax


@dataclass(frozen=True)
class Softmax(Separation):
    """Ψ₁(s) = log Σ exp(s), p_μ = exp(βs_μ) / Σ_ν exp(βs_ν).

    The largest score is subtracted before the product with β, so that nothing overflows:
    Ψ(s) = max s + β⁻¹ log Σ exp β(s − max s). A β beyond the range of the dtype counts as the largest number.
    Source: Ramsauer et al. (2021), ICLR (their X is our keys, their ξ our state).
    """

    tempered: ClassVar[bool] = True
    shares: ClassVar[bool] = True
    source: ClassVar[str] = "Ramsauer et al. 2021"

    @property
    def convex(self) -> bool:
        return True

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        largest, shifted = shifted_by_largest(scores, where, self.beta)
        return largest + log_sum_exp(shifted, where) / self.beta

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, float]:
        _, shifted = shifted_by_largest(scores, where, self.beta)
        return shifted_softmax(shifted, where), 1.0

    def block_form(self) -> BlockForm:
        power, log_base = fast_exp()
        return Normalised(
            unnormalised_weights=lambda scores: np.asarray(power(scores, out=scores)),
            potential=lambda largest, total: np.asarray(largest + np.log(total) / self.beta),
            online_scale=self.beta * log_base,
            doublings=self.beta * math.log2(math.e),
        )
