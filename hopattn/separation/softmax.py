"""The softmax separation: attention as transformers have it."""

from dataclasses import dataclass
from typing import ClassVar

from hopattn.arrays import Array, namespace, nonzero
from hopattn.separation.base import Separation, masked, masked_max


@dataclass(frozen=True)
class Softmax(Separation):
    """Ψ₁(s) = log Σ exp(s), p_μ = exp(βs_μ) / Σ_ν exp(βs_ν).

    The largest score is subtracted before the rest is multiplied by β, so that nothing overflows:
    Ψ(s) = max s + β⁻¹ log Σ exp β(s − max s). A β outside the numbers of the dtype counts as the nearest one inside.
    Source: Ramsauer et al. (2021), ICLR, eq. 1 and 3 (their X is our keys, their ξ our state).
    """

    source: ClassVar[str] = "Ramsauer et al. 2021"

    @property
    def convex(self) -> bool:
        return True

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        xp = namespace(scores)
        largest, exponentials = self._exponentials(scores, where)
        total = xp.sum(exponentials, axis=-1)
        return largest[..., 0] + xp.log(nonzero(total)) / self.beta

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, float]:
        xp = namespace(scores)
        _, exponentials = self._exponentials(scores, where)
        total = xp.sum(exponentials, axis=-1, keepdims=True)
        return exponentials / nonzero(total), 1.0

    def _exponentials(self, scores: Array, where: Array | None) -> tuple[Array, Array]:
        xp = namespace(scores)
        largest = masked_max(scores, where)
        finfo = xp.finfo(scores.dtype)
        beta = min(max(self.beta, float(finfo.smallest_normal)), float(finfo.max))
        below = xp.clip(masked(scores - largest, where), -float(finfo.max) / max(beta, 1.0), None)
        return largest, masked(xp.exp(beta * below), where)
