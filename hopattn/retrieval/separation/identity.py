"""The identity separation: the raw similarity is the weight."""

from dataclasses import dataclass
from typing import ClassVar

from hopattn.foundation.arrays import Array, namespace
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.block_form import BlockForm, PlainSum
from hopattn.retrieval.separation.scores import masked


@dataclass(frozen=True)
class Identity(Separation):
    """Ψ₁(s) = ½ Σ s², p = βs: the lecture's attention, linear attention, and (β = 1/N) couplings with their diagonal.

    Source: Hopfield (1982), PNAS 79, 2554, T_ij = Σ_s (2V_i^s − 1)(2V_j^s − 1): their 2V − 1 is our ±1 pattern,
    their T is our KᵀK. The paper sets T_ii = 0 and updates one neuron at a time. Here the self-couplings stay, so that
    all neurons may change at once and the energy never rises.
    """

    tempered: ClassVar[bool] = False
    source: ClassVar[str] = "Hopfield 1982"

    @property
    def convex(self) -> bool:
        return True

    def block_form(self) -> BlockForm:
        return PlainSum()

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        visible = masked(scores, where)
        return 0.5 * self.beta * namespace(visible).sum(visible * visible, axis=-1)

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, float]:
        return masked(scores, where), self.beta
