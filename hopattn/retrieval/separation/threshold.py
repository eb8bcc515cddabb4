"""The threshold separation: the same weight for every pattern whose score reaches the threshold."""

from dataclasses import dataclass
from typing import ClassVar

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.checks import real
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.block_form import BlockForm, PlainSum
from hopattn.retrieval.separation.scores import masked


@dataclass(frozen=True)
class Threshold(Separation):
    """Ψ₁(s) = Σ [s − t]₊, p_μ = 1 where βs_μ ≥ t, else 0, for a real t.

    At βs = t exactly, the weight is one of several subgradients. Raises `InvalidInput` where t is not
    a finite number.
    Source: Kanerva (1988), Sparse Distributed Memory (the addresses within a radius).
    """

    t: float = 0.0
    jumps: ClassVar[bool] = True
    tempered: ClassVar[bool] = True
    source: ClassVar[str] = "Kanerva 1988"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "t", real(self.t, "t"))

    @property
    def convex(self) -> bool:
        return True

    def block_form(self) -> BlockForm:
        return PlainSum()

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        xp = namespace(scores)
        above = self.beta * masked(scores, where) - self.t
        reached = xp.where(above < 0, xp.zeros_like(above), above)  # at the threshold, with the derivative 1
        return xp.sum(masked(reached, where), axis=-1) / self.beta

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, float]:
        xp = namespace(scores)
        scaled = self.beta * masked(scores, where)
        reached = xp.astype(scaled >= self.t, scores.dtype)
        return masked(xp.where(xp.isnan(scaled), scaled, reached), where), 1.0
