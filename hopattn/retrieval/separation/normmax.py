"""The separation from the norm entropies: normmax."""

from dataclasses import dataclass
from typing import ClassVar

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.checks import real
from hopattn.foundation.vectors import nonzero, positive_power
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.row_thresholds import compiled_rows
from hopattn.retrieval.separation.scores import (
    count_allowed,
    level_of_powers,
    masked,
    proportions,
    shifted_by_largest,
)


@dataclass(frozen=True)
class Normmax(Separation):
    """Ψ₁(s) = max_p p·s − |p|_α + 1 over all shares p, with the norm |p|_α = (Σ p^α)^(1/α), for an α > 1.

    p ∝ [βs − τ]₊^(1/(α−1)), with τ such that |[βs − τ]₊| = 1 in the dual norm α/(α−1). The potential is τ + 1, plus a
    term in the dual norm minus 1: it is 0 at that τ and carries the derivative. Raises `InvalidInput` for an α of 1 or
    less. Source: Blondel, Martins & Niculae (2020), JMLR 21 (norm entropies); as a memory: Santos et al. (2024), ICML.
    """

    alpha: float = 2.0
    tempered: ClassVar[bool] = True
    shares: ClassVar[bool] = True
    source: ClassVar[str] = "Santos et al. 2024"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "alpha", real(self.alpha, "alpha", above=1.0))

    @property
    def convex(self) -> bool:
        return True

    @property
    def margin(self) -> float:
        return 1.0

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        xp = namespace(scores)
        largest, shifted = shifted_by_largest(scores, where, self.beta)
        tau = self._tau(shifted, where)
        dual = self.alpha / (self.alpha - 1)
        power = xp.sum(masked(positive_power(shifted - tau, dual), where), axis=-1)
        norm = nonzero(power) ** (1 / dual)
        slope = nonzero(xp.sum(masked(positive_power(shifted - tau, dual - 1), where), axis=-1))
        some = count_allowed(scores, where)[..., 0] > 0
        value = tau[..., 0] + 1 + (norm - 1) / slope
        return largest + xp.where(some, value, xp.zeros_like(value)) / self.beta

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, float]:
        if rows := compiled_rows("NORMMAX", self.alpha, scores, where, self.beta):
            return rows[0], 1.0
        _, shifted = shifted_by_largest(scores, where, self.beta)
        powers = positive_power(shifted - self._tau(shifted, where), 1 / (self.alpha - 1))
        return proportions(masked(powers, where)), 1.0

    def _tau(self, shifted: Array, where: Array | None) -> Array:
        """The τ at which the dual norm is 1, `(…, 1)`."""
        if rows := compiled_rows("NORMMAX", self.alpha, shifted, where, 1, wants_weights=False):
            return rows[1]
        return level_of_powers(shifted, self.alpha / (self.alpha - 1), where)
