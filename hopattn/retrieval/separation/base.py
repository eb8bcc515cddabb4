"""The form of every separation, and the two families; functions of rows of scores that they share.

| family | a weight depends on | of blocks of keys |
|---|---|---|
| `Simplex` | all scores: a shift of all of them changes no weight | the online softmax, or all scores |
| `Elementwise` | its own score: Ψ = Σ_μ φ(s_μ) | fields and potentials add up |

Scores are `(…, n_patterns)`, masks broadcast to them.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np

from hopattn.foundation.arrays import Array, in_numbers_of, namespace
from hopattn.foundation.checks import positive_or_followed
from hopattn.foundation.declared import Declared
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.vectors import at_least, nonzero

Deferred = tuple[Callable[[], Array], Callable[[], tuple[Array, Any]]]
"""Two functions without arguments: the first gives Ψ, `(…,)`, the second the weights as (array, factor). The second may
write over what the first reads, so that Ψ is asked for first."""
Formulas = tuple[Callable[[], Array], Callable[[], Array]]
"""Ψ₁ and the weights, as functions."""
Online = tuple[Callable[[np.ndarray], np.ndarray], float]
"""(f, c) of weights p = f(c(s − max s)) / Σ f(c(s − max s)); f may write over its argument."""


@dataclass(frozen=True)
class Separation(Declared, ABC):
    """A potential over scores, Ψ(s) = β⁻¹ Ψ₁(βs), and its gradient, the weights p = ∇Ψ(s) = ∇Ψ₁(βs).

    beta: the inverse temperature, a positive number; raises `InvalidInput` otherwise. An array `()` of PyTorch or JAX
    by which a derivative is taken stays an array, so that β can be learned; scores are then arrays of that library.

    Scores are `(…, n_patterns)`. `where` is boolean and broadcasts to them, True = may attend. A masked entry has
    weight 0 and adds nothing to the potential. A row with nothing to attend to has weights 0 and potential 0.

    A separation of your own is a frozen dataclass that says whether it is `convex`, and writes `potential` and
    `weights`, or `value_and_weights`. It works wherever ours do. A subclass of `Simplex` writes `unit` alone.
    """

    beta: Annotated[float, positive_or_followed] = field(default=1.0, kw_only=True)
    jumps: ClassVar[bool] = False
    """True where the weights are not continuous in the scores."""
    tempered: ClassVar[bool] = True
    """Whether β does more than scale all weights by one factor; False if they are homogeneous in the scores."""
    shares: ClassVar[bool] = False
    """True where the weights of a row sum to 1: then Ψ(s + c) = Ψ(s) + c for a number c."""
    why_no_potential: ClassVar[str] = ""
    """Why the weights are not the gradient of a potential, or an empty string where they are."""
    source: ClassVar[str]

    @property
    @abstractmethod
    def convex(self) -> bool:
        """Whether Ψ₁ is convex: then the synchronous step never raises the energy. A class attribute will do."""

    @property
    def why_imprecise(self) -> str:
        """Why the weights are not the gradient up to rounding, or an empty string where they are."""
        return ""

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        """Ψ(s) = β⁻¹ Ψ₁(βs), `(…,)`."""
        return self.deferred(scores, where)[0]()

    def weights(self, scores: Array, where: Array | None = None) -> Array:
        """p = ∇Ψ₁(βs), `(…, n_patterns)`."""
        return scaled(*self.factored_weights(scores, where))

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, Any]:
        """The weights as (array, factor) with p = factor · array; the factor is a number, or one number for each row.

        A potential that is homogeneous in β puts β into the factor, so that β is applied after the sum over the
        patterns. On ±1 patterns that sum is then a sum of whole numbers, and a tie between neurons stays a tie.
        """
        return self.deferred(scores, where)[1]()

    def value_and_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, Array, Any]:
        """Ψ(s), and the weights as (array, factor): what both need is computed once."""
        value, weights = self.deferred(scores, where)
        return value(), *weights()

    def deferred(self, scores: Array, where: Array | None = None) -> Deferred:
        """Ψ and the weights as functions, so that neither is computed where it is not asked for.

        The families override it. Here it calls the methods that a separation of one's own overrides.
        """
        kind = type(self)
        has_potential = kind.potential is not Separation.potential or bool(self.why_no_potential)
        if kind.weights is not Separation.weights and has_potential:
            return lambda: self.potential(scores, where), lambda: (self.weights(scores, where), 1.0)
        if kind.value_and_weights is Separation.value_and_weights:
            raise InvalidInput(f"{kind.__name__}: expected the methods potential and weights")
        value, *factored = self.value_and_weights(scores, where)
        return lambda: value, lambda: (factored[0], factored[1])

    def direction(self) -> "Separation":
        """A separation that cannot overflow, whose weights have the same direction and whose potential rises with Ψ.

        It is for activations that use only the direction of the field.
        """
        return self

    def online(self) -> Online | None:
        """The form of the weights that the online softmax needs; None where it cannot compute them."""
        return None


@dataclass(frozen=True)
class Simplex(Separation):
    """Ψ₁(s) = max_p p·s − Ω(p) over shares p that sum to a fixed number: a shift of all scores shifts Ψ alone.

    The largest score is subtracted before the product with β, so that nothing overflows: Ψ(s) = max s + β⁻¹ Ψ₁(x) with
    x = β(s − max s). A subclass writes `unit`, the formulas for x.
    """

    convex: ClassVar[bool] = True
    shares: ClassVar[bool] = True

    @abstractmethod
    def unit(self, x: Array, where: Array | None) -> Formulas:
        """Ψ₁(x), `(…,)`, and the weights, as functions, for x of 0 or less whose largest is 0; x is 0 where masked.

        A NumPy array x may be written over.
        """

    def deferred(self, scores: Array, where: Array | None = None) -> Deferred:
        xp, largest = namespace(scores), masked_max(scores, where)
        unit_value, weights = self.unit(shifted(scores, largest, where, self.beta), where)

        def value() -> Array:
            own = unit_value() if where is None else masked(unit_value(), xp.any(where, axis=-1))
            return largest[..., 0] + own / self.beta

        return value, lambda: (weights(), 1.0)


@dataclass(frozen=True)
class Elementwise(Separation):
    """Ψ(s) = Σ_μ φ(s_μ), p_μ = φ′(s_μ): the potentials and the fields of blocks of keys add up."""

    convex: ClassVar[bool] = True

    @abstractmethod
    def deferred(self, scores: Array, where: Array | None = None) -> Deferred: ...


def scaled(array: Array, factor: Any) -> Array:
    """factor · array; the array itself where the factor is the number 1."""
    return array if isinstance(factor, float) and factor == 1.0 else factor * array


def masked(values: Array, where: Array | None, fill: float = 0.0) -> Array:
    """The values where `where` is True, `fill` elsewhere; the values themselves where there is no mask."""
    if where is None:
        return values
    xp = namespace(values)
    return xp.where(where, values, xp.full_like(values, fill))


def masked_max(scores: Array, where: Array | None) -> Array:
    """The largest score that may be attended to, `(…, 1)`; 0 in a row with nothing to attend to."""
    xp = namespace(scores)
    if where is None:
        return xp.max(scores, axis=-1, keepdims=True)
    lowest = float(xp.finfo(scores.dtype).min)
    largest = xp.max(masked(scores, where, lowest), axis=-1, keepdims=True)
    return masked(largest, xp.any(where, axis=-1, keepdims=True))


def shifted(scores: Array, origin: Array, where: Array | None, beta: float) -> Array:
    """β(s − origin), `(…, n_patterns)`, 0 where masked, and never below −√(largest number), so that it is finite.

    origin: `(…, 1)`, a score of each row; above it, a difference that overflows is infinite. A β beyond the range of
    the dtype counts as the largest number.
    """
    lowest = -(float(namespace(scores).finfo(scores.dtype).max) ** 0.5)
    unit, rest = split(beta, scores)
    if unit != 1.0:
        scores, origin = unit * scores, unit * origin
    if not isinstance(scores, np.ndarray):
        return at_least(rest * masked(scores - origin, where), lowest)
    with np.errstate(over="ignore"):  # in the room of one array: fresh memory takes longer than the numbers
        apart = masked(scores - origin, where)
        return np.maximum(np.multiply(apart, rest, out=apart), lowest, out=apart)


def split(beta: float, scores: Array) -> tuple[float, float]:
    """β as unit · rest; the unit is 1, or a power of two, which rounds nothing, where β is too flat.

    A β that is an array is the rest, in the numbers of the scores.
    """
    if not isinstance(beta, float):
        return 1.0, in_numbers_of(scores, beta)
    finfo = namespace(scores).finfo(scores.dtype)
    flat = too_flat(beta, scores)
    unit = max(2.0 ** math.floor(math.log2(beta)), float(finfo.smallest_normal)) if flat else 1.0
    return unit, min(beta / unit, float(finfo.max))


def too_flat(beta: float, scores: Array) -> bool:
    """Whether a difference of scores beyond the largest number may be of order 1 when it is multiplied by β."""
    return beta < 0.01 and beta * float(namespace(scores).finfo(scores.dtype).max) ** 0.5 < 1


def divided(parts: Array, sums: Array) -> Array:
    """parts / sums, `(…, n)` and `(…, 1)`; a NumPy array is overwritten."""
    return np.divide(parts, sums, out=parts) if isinstance(parts, np.ndarray) else parts / sums


def proportions(parts: Array) -> Array:
    """Each entry divided by the sum of its row; zeros where the sum is 0. A NumPy array is overwritten."""
    return divided(parts, nonzero(namespace(parts).sum(parts, axis=-1, keepdims=True)))
