"""The form of every separation: a potential over the scores whose gradient is the weights."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from hopattn.arrays import Array, namespace, positive


@dataclass(frozen=True)
class Separation(ABC):
    """A potential over scores, Ψ(s) = β⁻¹ Ψ₁(βs), and its gradient, the weights p = ∇Ψ(s) = ∇Ψ₁(βs).

    beta: the inverse temperature, a positive number; raises `InvalidInput` otherwise.

    Scores are `(…, n_patterns)`. `where` is boolean and broadcasts to them, True = may attend: an entry that is
    masked has weight exactly 0 and adds nothing to the potential, and a row with nothing to attend to has weights 0
    and potential 0.
    """

    beta: float = 1.0
    source: ClassVar[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "beta", positive(self.beta, "beta"))

    @property
    @abstractmethod
    def convex(self) -> bool:
        """Whether Ψ₁ is convex, which is what makes the energy fall."""

    @abstractmethod
    def potential(self, scores: Array, where: Array | None = None) -> Array:
        """Ψ(s) = β⁻¹ Ψ₁(βs), `(…,)`."""

    def weights(self, scores: Array, where: Array | None = None) -> Array:
        """p = ∇Ψ₁(βs), `(…, n_patterns)`."""
        weights, factor = self.factored_weights(scores, where)
        return weights if factor == 1.0 else factor * weights

    @abstractmethod
    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, float]:
        """The weights as (array, number) with p = number · array.

        A potential that is homogeneous in β puts β into the number, so that it is applied after the sum over the
        patterns: on ±1 patterns the sum is then of whole numbers, and a tie between neurons stays a tie.
        """


def masked(values: Array, where: Array | None, fill: float = 0.0) -> Array:
    """The values where `where` is True, `fill` elsewhere; the values themselves where there is no mask."""
    if where is None:
        return values
    xp = namespace(values)
    return xp.where(where, values, xp.full_like(values, fill))


def masked_max(scores: Array, where: Array | None) -> Array:
    """The largest score that may be attended to, `(…, 1)`; 0 in a row with nothing to attend to."""
    xp = namespace(scores)
    lowest = float(xp.finfo(scores.dtype).min)
    largest = xp.max(masked(scores, where, lowest), axis=-1, keepdims=True)
    if where is None:
        return largest
    return xp.where(xp.any(where, axis=-1, keepdims=True), largest, xp.zeros_like(largest))
