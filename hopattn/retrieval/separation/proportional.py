"""The proportional separation: weights in proportion to the scores, which sum to 1."""

from dataclasses import dataclass
from typing import ClassVar

from hopattn.foundation.arrays import Array
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.vectors import rectified
from hopattn.retrieval.separation.base import Separation, masked, proportions


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

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        """Raises `InvalidInput`: there is no potential."""
        raise InvalidInput(f"potential: {self.why_no_potential}")

    def weights(self, scores: Array, where: Array | None = None) -> Array:
        return proportions(rectified(masked(scores, where)))
