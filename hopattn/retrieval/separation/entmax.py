"""Sparse separations from the Tsallis entropies: sparsemax and entmax."""

from dataclasses import dataclass
from typing import ClassVar

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.checks import real
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.vectors import nonzero, positive_power
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.row_thresholds import compiled_rows
from hopattn.retrieval.separation.scores import (
    count_allowed,
    level_of_powers,
    log_sum_exp,
    masked,
    masked_max,
    proportions,
    scaled,
    shifted_by_largest,
    shifted_softmax,
)


@dataclass(frozen=True)
class Entmax(Separation):
    """Ψ₁(s) = max_p p·s − (Σ p^α − 1) / α(α−1) over all shares p, for an α ≥ 1: 1 is softmax, 2 is sparsemax.

    p_μ = [(α−1)βs_μ − t]₊^(1/(α−1)), with t such that they sum to 1. The potential is written in its dual form, τ + Σ
    p^α/α with τ = (t + 1/α)/(α−1), which has its minimum at that t, so that its derivative is p, whatever the error of
    t. Weights near α = 1 are right to about .2 ε/(α − 1). Above α = 2 those near 0 are steep, and lose digits; above
    α = 8 they are lost in rounding, up to about 1e-4, and no descent is claimed. Raises `InvalidInput` for an α below
    1. Source: Peters, Niculae & Martins (2019), ACL; as a memory: Santos et al. (2024), ICML.
    """

    alpha: float = 1.5
    tempered: ClassVar[bool] = True
    shares: ClassVar[bool] = True
    source: ClassVar[str] = "Peters et al. 2019"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "alpha", real(self.alpha, "alpha"))
        if self.alpha < 1:
            raise InvalidInput(f"alpha: expected a number of at least 1, not {self.alpha:g}")

    @property
    def convex(self) -> bool:
        return True

    @property
    def why_imprecise(self) -> str:
        return (
            f"weights near 0 are lost in rounding for an alpha above 8, and it is {self.alpha:g}"
            if self.alpha > 8
            else ""
        )

    @property
    def margin(self) -> float:
        return 1 / (self.alpha - 1) if self.alpha > 1 else float("inf")

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        xp = namespace(scores)
        largest, shifted = shifted_by_largest(scores, where, self.beta)
        if self.alpha == 1:
            return largest + log_sum_exp(shifted, where) / self.beta
        t = self._t(shifted, where)
        reach = (self.alpha - 1) * shifted - t
        powers = xp.sum(masked(positive_power(reach, self.alpha / (self.alpha - 1)), where), axis=-1)
        dual = (t[..., 0] + 1 / self.alpha) / (self.alpha - 1) + powers / self.alpha
        some = count_allowed(scores, where)[..., 0] > 0
        return largest + xp.where(some, dual, xp.zeros_like(dual)) / self.beta

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, float]:
        if 1 < self.alpha <= 2 and (rows := compiled_rows("ENTMAX", self.alpha, scores, where, self.beta)):
            return rows[0], 1.0
        if self.alpha == 1:
            return shifted_softmax(shifted_by_largest(scores, where, self.beta)[1], where), 1.0
        _, x = shifted_by_largest(scores, where, self.beta * (self.alpha - 1))
        t = level_of_powers(x, 1 / (self.alpha - 1), where)
        powers = self._powers(x, t, where)
        return proportions(powers if self.alpha <= 2 else powers + self._hidden(x, t, where)), 1.0

    def _powers(self, x: Array, t: Array, where: Array | None) -> Array:
        return masked(positive_power(x - t, 1 / (self.alpha - 1)), where)

    def _hidden(self, x: Array, t: Array, where: Array | None) -> Array:
        """The weight that is lost in the rounding of t: for a large α, even p = ½ needs only s − t = ½^(α−1).

        The part that is missing from the sum 1 goes to the largest score that equals t up to rounding; any smaller
        score is too far below it. For α ≤ 2 nothing is lost.
        """
        xp = namespace(x)
        eps = float(xp.finfo(x.dtype).eps)
        near = xp.abs(x - t) <= 4 * eps * (xp.abs(t) + xp.abs(x))
        near = near if where is None else near & where
        first = xp.astype(near & (x == masked_max(x, near)), x.dtype)
        powers = self._powers(x, t, where) * xp.astype(~near, x.dtype)
        missing = xp.clip(1 - 4 * eps * x.shape[-1] - xp.sum(powers, axis=-1, keepdims=True), 0.0, None)
        least = self._powers(x, t, where) * xp.astype(near, x.dtype)
        return missing * first / nonzero(xp.sum(first, axis=-1, keepdims=True)) - least

    def _t(self, shifted: Array, where: Array | None) -> Array:
        """The t at which the powers sum to 1, `(…, 1)`."""
        if self.alpha <= 2 and (rows := compiled_rows("ENTMAX", self.alpha, shifted, where, 1, wants_weights=False)):
            return rows[1]
        return level_of_powers(scaled(shifted, self.alpha - 1), 1 / (self.alpha - 1), where)


@dataclass(frozen=True)
class Sparsemax(Separation):
    """Ψ₁(s) = max_p p·s − ½|p|² + ½ over all shares p: the point of the simplex nearest to the scores.

    p_μ = [βs_μ − t]₊: entmax for α = 2. Source: Martins & Astudillo (2016), ICML; Hu et al. (2023), NeurIPS.
    """

    tempered: ClassVar[bool] = True
    source: ClassVar[str] = "Martins & Astudillo 2016; Hu et al. 2023"

    @property
    def convex(self) -> bool:
        return True

    @property
    def margin(self) -> float:
        return 1.0

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        return Entmax(beta=self.beta, alpha=2.0).potential(scores, where)

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, float]:
        return Entmax(beta=self.beta, alpha=2.0).factored_weights(scores, where)
