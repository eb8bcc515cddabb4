"""Separations in which the weight of a pattern depends on its own score alone: Ψ = Σ_μ φ(s_μ)."""

import math
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any, ClassVar

from hopattn.foundation.arrays import Array, as_float, in_numbers_of, namespace
from hopattn.foundation.boundary import Real
from hopattn.foundation.checks import whole
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.traces import detached, is_jax
from hopattn.foundation.vectors import at_least, nonzero, positive_power, rectified, sign
from hopattn.retrieval.separation.base import Elementwise, Weights, attended, masked, masked_max, shifted, split
from hopattn.retrieval.separation.softmax import Softmax

BY_PRODUCTS = 4
"""The largest power that is taken by multiplication."""
UNSCALED = 32
"""The largest power of numbers from 1 to 2 that is left as it is."""


@dataclass(frozen=True)
class Identity(Elementwise):
    """Ψ₁(s) = ½ Σ s², p = βs: the lecture's attention, linear attention, and (β = 1/N) couplings with their diagonal.

    Source: Hopfield (1982), PNAS 79, 2554, T_ij = Σ_s (2V_i^s − 1)(2V_j^s − 1): their 2V − 1 is our ±1 pattern,
    their T is our KᵀK. The paper sets T_ii = 0; here the self-couplings stay, so that all neurons may change at once
    and the energy never rises.
    """

    tempered: ClassVar[bool] = False
    source: ClassVar[str] = "Hopfield 1982"

    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights:
        s = masked(scores, where)
        return Weights(s, self.beta, 0.5 * self.beta * namespace(s).sum(s * s, axis=-1) if potential else None)

    def conjugate(self, weights: Array) -> Array:
        """½|p|²/β."""
        return 0.5 * namespace(weights).sum(weights * weights, axis=-1) / self.beta

    def inverse(self, weights: Array) -> Array:
        return weights / self.beta


@dataclass(frozen=True)
class Power(Elementwise):
    """Ψ₁(s) = Σ sⁿ/n, p = (βs)ⁿ⁻¹, for a whole n from 2 to 1000.

    Convex for even n only; for odd n the energy may rise. Scores are divided by powers of two before the power is
    taken, which rounds nothing: only a result that is itself out of the range of the dtype overflows, and a tie between
    whole numbers stays a tie. Raises `InvalidInput` for another n.
    Source: Krotov & Hopfield (2016), NeurIPS 29, with F(x) = xⁿ (our potential is theirs divided by n).
    """

    n: Annotated[int, partial(whole, least=2, most=1000)] = 2
    tempered: ClassVar[bool] = False
    source: ClassVar[str] = "Krotov & Hopfield 2016"

    @property
    def convex(self) -> bool:  # type: ignore[override]
        return self.n % 2 == 0

    @property
    def cure(self) -> str:
        return f"a power below n = {self.n}"

    def base(self, scores: Array, where: Array | None) -> Array:
        """The base of the powers: the scores, 0 where masked."""
        return masked(scores, where)

    def conjugate(self, weights: Array) -> Array:
        """(1 − 1/n) Σ |p|^(n/(n−1)) / β, of those p that the power gives."""
        if not self.convex:
            raise InvalidInput(f"conjugate: the potential of {quoted(self)} is not convex")
        xp, size = namespace(weights), self.base(weights, None)
        value = (1 - 1 / self.n) * xp.sum(positive_power(xp.abs(size), self.n / (self.n - 1)), axis=-1) / self.beta
        return _within(value, size == weights)

    def inverse(self, weights: Array) -> Array:
        self.conjugate(weights)
        return sign(weights) * positive_power(namespace(weights).abs(weights), 1 / (self.n - 1)) / self.beta

    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights:
        xp, base = namespace(scores), self.base(scores, where)
        base_exponent = _floor_log(xp.max(xp.abs(base), axis=-1, keepdims=True))
        unit = base / _two_to(base_exponent)  # the largest of a row is from 1 to 2
        rest, exponent = self._power_of_beta(scores)

        def powers(n: int) -> tuple[Array, Array]:
            """The powers of a row as (array, e) = array · 2^e, with e `(…, 1)`: the largest is about 1."""
            array, e = _power_in_parts(unit, n)
            if e is not None:
                top = xp.max(e, axis=-1, keepdims=True)
                array, e = _times_two_to(array, e - top), top
            if n > UNSCALED or is_jax(array):  # which takes 2^−1030 as 0
                top = _floor_log(xp.max(xp.abs(array), axis=-1, keepdims=True))
                array, e = array * _two_to(-top), top if e is None else e + top
            return array, n * base_exponent if e is None else n * base_exponent + e

        value = None
        if potential:
            array, e = powers(self.n)
            value = _times_two_to(xp.sum(array, axis=-1) * (rest / self.n), e[..., 0] + exponent)
        array, e = powers(self.n - 1)
        factor = rest * _two_to(xp.clip(e + exponent, None, _reach(scores) - 1))  # no 0 · inf
        return Weights(array, factor, value)

    def weights(self, scores: Array, where: Array | None = None) -> Array:
        """Each from its own score alone, so that none is lost beside a larger one."""
        scores = as_float(scores, "scores")
        base, (unit, rest) = self.base(scores, attended(scores, where)), split(self.beta, scores)
        if self.n <= BY_PRODUCTS + 1:
            return _whole_power(rest * (base if unit == 1.0 else unit * base), self.n - 1)
        base_exponent = _floor_log(namespace(scores).abs(base))  # a large power would enlarge the rounding of βs
        (array, e), (rest, exponent) = (
            _power_in_parts(base / _two_to(base_exponent), self.n - 1),
            self._power_of_beta(scores),
        )
        return _times_two_to(rest * array, (self.n - 1) * base_exponent + exponent + (0.0 if e is None else e))

    def _power_of_beta(self, scores: Array) -> tuple[Any, Any]:
        """βⁿ⁻¹ as (r, e) = r · 2^e, with r below 2; of an array, r has the derivative."""
        if isinstance(self.beta, float):
            unit, beta_exponent = math.frexp(self.beta)
            rest, e = math.frexp(unit ** (self.n - 1))
            return rest, float((self.n - 1) * beta_exponent + e)
        beta = in_numbers_of(scores, self.beta)
        beta_exponent = _floor_log(beta)
        rest, e = _power_in_parts(beta / _two_to(beta_exponent), self.n - 1)
        top = _floor_log(rest)
        return rest / _two_to(top), (self.n - 1) * beta_exponent + top + (0.0 if e is None else e)


@dataclass(frozen=True)
class RectifiedPower(Power):
    """Ψ₁(s) = Σ [s]₊ⁿ/n, p = [βs]₊ⁿ⁻¹, for a whole n from 2 to 1000: only patterns on the side of the cue count.

    Convex for every n. Raises `InvalidInput` for another n.
    Source: Krotov & Hopfield (2016), NeurIPS 29, eq. 3 (rectified polynomials; our potential is theirs over n).
    """

    convex: ClassVar[bool] = True

    def base(self, scores: Array, where: Array | None) -> Array:
        return rectified(super().base(scores, where))


@dataclass(frozen=True)
class Exponential(Elementwise):
    """Ψ₁(s) = Σ exp(s), p_μ = exp(βs_μ).

    An activation that uses only the direction of the field gets the softmax, ∇Ψ/Ψ, and the energy is then
    −β⁻¹ log Σ exp(βs), which falls where −Ψ falls. For other activations, weights and potential beyond the largest
    number count as the largest number, and the factor of a field is at most its fourth root (βs = 177 in float64): such
    a state diverges or saturates, as the exact one would.
    Source: Demircigil et al. (2017), J. Stat. Phys. 168, 288, with F(x) = exp(x).
    """

    source: ClassVar[str] = "Demircigil et al. 2017"

    def direction(self) -> Softmax:
        return Softmax(beta=self.beta)

    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights:
        xp, most = namespace(scores), _log_of_the_largest(scores)
        largest = masked_max(xp, scores, where)
        parts, value = masked(xp.exp(shifted(xp, scores, largest, where, self.beta)), where), None
        if potential:
            log_beta = math.log(self.beta) if isinstance(self.beta, float) else namespace(self.beta).log(self.beta)
            logarithm = self.beta * largest[..., 0] + xp.log(nonzero(xp.sum(parts, axis=-1))) - log_beta
            has_keys = None if where is None else xp.any(where, axis=-1)
            value = masked(xp.exp(xp.clip(logarithm, None, most)), has_keys)
        return Weights(parts, xp.exp(xp.clip(self.beta * largest, None, most / 4)), value)

    def weights(self, scores: Array, where: Array | None = None) -> Array:
        scores = as_float(scores, "scores")
        where = attended(scores, where)
        exponents = namespace(scores).clip(self.beta * masked(scores, where), None, _log_of_the_largest(scores))
        return masked(namespace(scores).exp(exponents), where)

    def conjugate(self, weights: Array) -> Array:
        """Σ (p log p − p) / β over p of 0 or more."""
        size = rectified(weights)
        value = namespace(weights).sum(size * self.inverse(size) - size / self.beta, axis=-1)
        return _within(value, size == weights)

    def inverse(self, weights: Array) -> Array:
        xp = namespace(weights)
        return xp.log(at_least(weights, float(xp.finfo(weights.dtype).smallest_normal))) / self.beta


@dataclass(frozen=True)
class RectifiedExponential(Elementwise):
    """Ψ₁(s) = Σ exp([s]₊) − 1 − [s]₊, p_μ = exp([βs_μ]₊) − 1: only patterns on the side of the cue count.

    Convex, with a continuous gradient. Above a βs of 177 in float64, a fourth of the logarithm of the largest number,
    it goes on as a straight line, so that no weight overflows; there all patterns weigh alike.
    Source: Hoover et al. (2022), HAMUX, `lagr_rexp`.
    """

    source: ClassVar[str] = "Hoover et al. 2022"

    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights:
        xp, reach = namespace(scores), self.beta * rectified(masked(scores, where))
        x = xp.clip(reach, None, _log_of_the_largest(scores) / 4)
        weights, value = xp.expm1(x), None
        if potential:
            value = xp.sum(_beyond_linear(x) + weights * (reach - x), axis=-1) / self.beta
        return Weights(weights, 1.0, value)

    def conjugate(self, weights: Array) -> Array:
        """Σ [(1 + p) log(1 + p) − p] / β over p of 0 or more, by x = log(1 + p) as p x − (eˣ − 1 − x)."""
        xp, size = namespace(weights), rectified(weights)
        x = xp.log1p(size)
        value = xp.sum(size * x - _beyond_linear(x), axis=-1) / self.beta
        return _within(value, size == weights)

    def inverse(self, weights: Array) -> Array:
        return namespace(weights).log1p(rectified(weights)) / self.beta


@dataclass(frozen=True)
class Threshold(Elementwise):
    """Ψ₁(s) = Σ [s − t]₊, p_μ = 1 where βs_μ ≥ t, else 0, for a real t.

    At βs = t, the weight is one of several subgradients. Raises `InvalidInput` for a t that is not a finite number.
    Source: Kanerva (1988), Sparse Distributed Memory (the addresses within a radius).
    """

    t: Real = 0.0
    jumps: ClassVar[bool] = True
    source: ClassVar[str] = "Kanerva 1988"

    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights:
        xp, beta_s, value = namespace(scores), self.beta * masked(scores, where), None
        if potential:
            difference = beta_s - self.t
            excess = xp.where(difference < 0, 0.0, difference)  # at the threshold, with the derivative 1
            value = xp.sum(masked(excess, where), axis=-1) / self.beta
        indicator = xp.astype(beta_s >= self.t, scores.dtype)
        return Weights(masked(xp.where(xp.isnan(beta_s), beta_s, indicator), where), 1.0, value)

    def conjugate(self, weights: Array) -> Array:
        """t Σ p / β over p between 0 and 1."""
        value = self.t * namespace(weights).sum(weights, axis=-1) / self.beta
        return _within(value, (weights >= 0) & (weights <= 1))


def _beyond_linear(x: Array) -> Array:
    """eˣ − 1 − x, `(…,)`; near 0 by the series, where the difference would lose its digits."""
    xp = namespace(x)
    small = xp.clip(x, -0.1, 0.1)
    series = xp.ones_like(x)
    for k in range(9, 2, -1):
        series = 1 + small * series / k
    return xp.where(xp.abs(x) < 0.1, 0.5 * small * small * series, xp.expm1(x) - x)


def _within(value: Array, inside: Array) -> Array:
    """A conjugate `(…,)` where all entries of a row are inside, infinite elsewhere."""
    return masked(value, namespace(inside).all(inside, axis=-1), float("inf"))


def _whole_power(x: Array, n: int) -> Array:
    """xⁿ for a whole n ≥ 1; up to `BY_PRODUCTS` by multiplication, many times faster, and exact for whole numbers."""
    if n == 1 or n > BY_PRODUCTS:
        return x if n == 1 else x**n
    square = x * x
    return square if n == 2 else square * (x if n == 3 else square)


def _power_in_parts(x: Array, n: int) -> tuple[Array, Array | None]:
    """xⁿ as (array, e) = array · 2^e for |x| below 2, so that no array overflows; None for an e of 0."""
    if n < _reach(x) - 1:
        return _whole_power(x, n), None
    part = _reach(x) // 4
    power, power_exponent = x**part, _floor_log(namespace(x).abs(x) ** part)
    array, e = _power_in_parts(power / _two_to(power_exponent), n // part)
    remainder = n % part
    return (array * x**remainder if remainder else array), (n // part) * power_exponent + (0.0 if e is None else e)


def _floor_log(x: Array) -> Array:
    """⌊log₂ x⌋ as a constant, for x of 0 or more; 0 where x is 0, and no less than that of the normal numbers."""
    xp, size = namespace(x), nonzero(detached(x))
    return xp.clip(xp.floor(xp.log2(size)), 2 - _reach(x), None)


def _two_to(exponent: Array) -> Array:
    return namespace(exponent).pow(namespace(exponent).full_like(exponent, 2.0), exponent)


def _times_two_to(x: Array, exponent: Array) -> Array:
    """x · 2^e in two steps, as 2^e alone may be out of range where the product is not."""
    xp, most = namespace(x), 2 * (_reach(x) - 2)
    e = xp.clip(exponent, -most, most)
    half = xp.floor(0.5 * e)
    return x * _two_to(half) * _two_to(e - half)


def _reach(x: Array) -> int:
    """The exponent of two from which numbers of the dtype are infinite: 1024 in double precision, 128 in single."""
    return _reach_of(namespace(x), x.dtype)


@cache
def _reach_of(xp: Any, dtype: Any) -> int:
    return round(math.log2(float(xp.finfo(dtype).max)))


def _log_of_the_largest(scores: Array) -> float:
    """The logarithm of the largest number of the dtype, less a margin for rounding."""
    return math.log(float(namespace(scores).finfo(scores.dtype).max)) - 1e-3
