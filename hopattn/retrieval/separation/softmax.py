"""The softmax separation: attention as transformers have it."""

import math
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from hopattn.foundation.arrays import Array
from hopattn.retrieval.separation.base import Merging, Separation, below_the_largest, log_sum_exp, soft_shares


@dataclass(frozen=True)
class Softmax(Separation):
    """Ψ₁(s) = log Σ exp(s), p_μ = exp(βs_μ) / Σ_ν exp(βs_ν).

    The largest score is subtracted before the rest is multiplied by β, so that nothing overflows:
    Ψ(s) = max s + β⁻¹ log Σ exp β(s − max s). A β outside the numbers of the dtype counts as the nearest one inside.
    Source: Ramsauer et al. (2021), ICLR, eq. 1 and 3 (their X is our keys, their ξ our state).
    """

    merging: ClassVar[Merging] = Merging.SHARES
    exponential: ClassVar[bool] = True
    source: ClassVar[str] = "Ramsauer et al. 2021"

    @property
    def convex(self) -> bool:
        return True

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        largest, below = below_the_largest(scores, where, self.beta)
        return largest + log_sum_exp(below, where) / self.beta

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, float]:
        _, below = below_the_largest(scores, where, self.beta)
        return soft_shares(below, where), 1.0

    @property
    def fold(self) -> float:
        return self.beta * _power()[1]

    def shares(self, scaled: np.ndarray) -> np.ndarray:
        return np.asarray(_power()[0](scaled, out=scaled))

    def potential_of_shares(self, largest: np.ndarray, total: np.ndarray) -> np.ndarray:
        return np.asarray(largest + np.log(total) / self.beta)


@cache
def _power() -> tuple[np.ufunc, float]:
    """The power that NumPy takes fastest, and what its exponent is multiplied with: eˣ = 2^(x log₂e).

    Two thirds of the time where NumPy has 2ˣ for this processor's vectors, and many times that where it has not.
    """
    from numpy.lib.introspect import opt_func_info

    targets = opt_func_info(func_name="^exp2$", signature="float").get("exp2", {})
    fast = targets and not any(target["current"].startswith("baseline") for target in targets.values())
    return (np.exp2, math.log2(math.e)) if fast else (np.exp, 1.0)
