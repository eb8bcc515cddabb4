"""The argmax separation: the best match takes all."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hopattn.foundation.arrays import Array, namespace
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.block_form import BlockForm, Normalised
from hopattn.retrieval.separation.scores import masked, masked_max


@dataclass(frozen=True)
class Argmax(Separation):
    """Ψ₁(s) = max s; p is 1 at the largest score, and exact ties share it.

    The limit of softmax for β → ∞. β has no effect, since max βs = β max s. At a tie, the weights are one of several
    subgradients. Source: Millidge et al. (2022), ICML, section 3 (max as a separation function).
    """

    jumps: ClassVar[bool] = True
    tempered: ClassVar[bool] = False
    shares: ClassVar[bool] = True
    source: ClassVar[str] = "Millidge et al. 2022"

    @property
    def convex(self) -> bool:
        return True

    @property
    def margin(self) -> float:
        return 0.0

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        return masked_max(scores, where)[..., 0]

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, float]:
        xp = namespace(scores)
        winners = masked(xp.astype(scores == masked_max(scores, where), scores.dtype), where)
        count = xp.sum(winners, axis=-1, keepdims=True)
        if where is not None:
            count = xp.where(xp.any(where, axis=-1, keepdims=True), count, xp.ones_like(count))
        return winners / count, 1.0

    def block_form(self) -> BlockForm:
        return Normalised(
            unnormalised_weights=lambda scores: np.asarray(np.equal(scores, 0.0, out=scores)),
            potential=lambda largest, total: largest,
        )
