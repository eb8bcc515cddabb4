"""The form of every separation: a potential over the scores whose gradient is the weights."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.scalars import positive
from hopattn.foundation.vectors import at_least, nonzero


class Merging(StrEnum):
    """How what is recalled from all keys comes of blocks of them; the text says why.

    By the chain rule p = Σ_b (∂Ψ/∂Ψ_b) p_b, where Ψ_b is the potential of the scores of block b and p_b its gradient.
    """

    WHOLE = "all scores of a cue are needed at once"
    SUM = "each pattern weighs by itself: Ψ = Σ_b Ψ_b, and p_b stays as it is"
    SHARES = (
        "p = f(s − max s) / Σ f(s − max s): a block is known by its largest score, its sum of f, and its sum of f·v"
    )


@dataclass(frozen=True)
class Separation(ABC):
    """A potential over scores, Ψ(s) = β⁻¹ Ψ₁(βs), and its gradient, the weights p = ∇Ψ(s) = ∇Ψ₁(βs).

    beta: the inverse temperature, a positive number; raises `InvalidInput` otherwise.

    Scores are `(…, n_patterns)`. `where` is boolean and broadcasts to them, True = may attend: an entry that is
    masked has weight exactly 0 and adds nothing to the potential, and a row with nothing to attend to has weights 0
    and potential 0.
    """

    beta: float = 1.0
    jumps: ClassVar[bool] = False
    """True where the weights are not continuous in the scores."""
    merging: ClassVar[Merging] = Merging.WHOLE
    """How blocks of keys are put together."""
    exponential: ClassVar[bool] = False
    """Whether `shares` are the exponentials of the scores: where none is large, the largest need not be taken off."""
    source: ClassVar[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "beta", positive(self.beta, "beta"))

    @property
    @abstractmethod
    def convex(self) -> bool:
        """Whether Ψ₁ is convex, which is what makes the energy fall."""

    @property
    def lacks_potential(self) -> str:
        """Why the weights are the gradient of no potential, or an empty string where they are."""
        return ""

    @property
    def lacks_precision(self) -> str:
        """Why the weights are not the gradient up to rounding, or an empty string where they are."""
        return ""

    @property
    def margin(self) -> float:
        """The least lead of one of the scores βs over all others from which on it takes all the weight.

        Infinite where no lead is enough. Source: Blondel, Martins & Niculae (2020), JMLR 21, section 4.
        """
        return float("inf")

    @abstractmethod
    def potential(self, scores: Array, where: Array | None = None) -> Array:
        """Ψ(s) = β⁻¹ Ψ₁(βs), `(…,)`."""

    def weights(self, scores: Array, where: Array | None = None) -> Array:
        """p = ∇Ψ₁(βs), `(…, n_patterns)`."""
        return scaled(*self.factored_weights(scores, where))

    @abstractmethod
    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, Any]:
        """The weights as (array, factor) with p = factor · array; the factor is a number, or one for each row.

        A potential that is homogeneous in β puts β into the factor, so that it is applied after the sum over the
        patterns: on ±1 patterns the sum is then of whole numbers, and a tie between neurons stays a tie.
        """

    def direction(self) -> "Separation":
        """What an activation that feels only the direction of its field may be given instead: a separation with
        weights of the same direction, whose potential rises where this one's does, but within the numbers.
        """
        return self

    @property
    def fold(self) -> float:
        """What scores are multiplied with before `shares` is taken of them, where the `merging` is by shares."""
        return 1.0

    def shares(self, scaled: np.ndarray) -> np.ndarray:
        """f of scores that are multiplied with `fold` already; written over the argument, and above 0 for 0."""
        raise NotImplementedError

    def potential_of_shares(self, largest: np.ndarray, total: np.ndarray) -> np.ndarray:
        """Ψ(s), of the largest score and the sum of f, both `(…,)`, where the `merging` is by shares."""
        raise NotImplementedError


def scaled(array: Array, factor: Any) -> Array:
    """factor · array; the array itself where the factor is the number 1."""
    return array if isinstance(factor, float) and factor == 1.0 else factor * array


def whole_power(x: Array, n: int) -> Array:
    """xⁿ for a whole n: a small one by multiplication, which is many times faster and exact for whole numbers."""
    if n == 1 or n > 4:
        return x if n == 1 else x**n
    square = x * x
    return square if n == 2 else square * (x if n == 3 else square)


def masked(values: Array, where: Array | None, fill: float = 0.0) -> Array:
    """The values where `where` is True, `fill` elsewhere; the values themselves where there is no mask."""
    if where is None:
        return values
    xp = namespace(values)
    return xp.where(where, values, xp.full_like(values, fill))


def below_the_largest(scores: Array, where: Array | None, beta: float) -> tuple[Array, Array]:
    """The largest score, `(…,)`, and how far below it each one lies, times β: β(s − max s), 0 where masked.

    β outside the numbers of the dtype counts as the nearest one inside, and what lies further below than the root of
    the largest number as lying there, so that nothing overflows.
    """
    inside = within_numbers(beta, scores)
    largest = masked_max(scores, where)
    lowest = -(float(namespace(scores).finfo(scores.dtype).max) ** 0.5) / max(inside, 1.0)
    return largest[..., 0], inside * at_least(masked(scores - largest, where), lowest)


def within_numbers(beta: float, scores: Array) -> float:
    """β, or the nearest number that the dtype of the scores has."""
    if 1e-4 < beta < 1e4:  # which any dtype has
        return beta
    finfo = namespace(scores).finfo(scores.dtype)
    return min(max(beta, float(finfo.smallest_normal)), float(finfo.max))


def shares(parts: Array) -> Array:
    """Each entry's part of its row's sum; zeros where the sum is 0."""
    return parts / nonzero(namespace(parts).sum(parts, axis=-1, keepdims=True))


def soft_shares(below: Array, where: Array | None) -> Array:
    """exp(s_μ) / Σ_ν exp(s_ν), the softmax of scores of which the largest is 0."""
    parts = namespace(below).exp(below)
    if where is not None:
        return shares(masked(parts, where))
    return parts / namespace(parts).sum(parts, axis=-1, keepdims=True)  # at least 1


def log_sum_exp(below: Array, where: Array | None) -> Array:
    """log Σ exp(s), `(…,)`, for scores of which the largest is 0; 0 in a row with nothing to attend to."""
    xp = namespace(below)
    return xp.log(nonzero(xp.sum(masked(xp.exp(below), where), axis=-1)))


def count_allowed(scores: Array, where: Array | None) -> Array:
    """How many entries of each row may be attended to, `(…, 1)`, in the dtype of the scores."""
    return namespace(scores).sum(masked(namespace(scores).ones_like(scores), where), axis=-1, keepdims=True)


def masked_max(scores: Array, where: Array | None) -> Array:
    """The largest score that may be attended to, `(…, 1)`; 0 in a row with nothing to attend to."""
    xp = namespace(scores)
    lowest = float(xp.finfo(scores.dtype).min)
    largest = xp.max(masked(scores, where, lowest), axis=-1, keepdims=True)
    if where is None:
        return largest
    return xp.where(xp.any(where, axis=-1, keepdims=True), largest, xp.zeros_like(largest))
