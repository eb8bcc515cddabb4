"""Functions of rows of scores that several separations share. Scores are `(…, n_patterns)`, masks broadcast to them."""

import math
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, in_numbers_of, namespace
from hopattn.foundation.roots import level
from hopattn.foundation.vectors import at_least, nonzero, positive_power


def scaled(array: Array, factor: Any) -> Array:
    """factor · array; the array itself where the factor is the number 1."""
    return array if isinstance(factor, float) and factor == 1.0 else factor * array


def whole_power(x: Array, n: int) -> Array:
    """xⁿ for a whole n ≥ 1; up to n = 4 by multiplication, many times faster, and exact for whole numbers."""
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


def shifted_by_largest(scores: Array, where: Array | None, beta: float) -> tuple[Array, Array]:
    """The largest score, `(…,)`, and the shifted scores β(s − max s), `(…, n_patterns)`, which are 0 where masked."""
    largest = masked_max(scores, where)
    return largest[..., 0], shifted(scores, largest, where, beta)


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


def within_numbers(beta: float, scores: Array) -> float:
    """β, or the nearest number in the range of the scores' dtype."""
    if 1e-4 < beta < 1e4:  # inside the range of any dtype
        return beta
    finfo = namespace(scores).finfo(scores.dtype)
    return min(max(beta, float(finfo.smallest_normal)), float(finfo.max))


def proportions(parts: Array) -> Array:
    """Each entry divided by the sum of its row; zeros where the sum is 0. A NumPy array is overwritten."""
    return _divided(parts, nonzero(namespace(parts).sum(parts, axis=-1, keepdims=True)))


def _divided(parts: Array, sums: Array) -> Array:
    """parts / sums, in the room of the parts where they are a NumPy array."""
    return np.divide(parts, sums, out=parts) if isinstance(parts, np.ndarray) else parts / sums


def shifted_softmax(shifted: Array, where: Array | None) -> Array:
    """exp(s_μ) / Σ_ν exp(s_ν): the softmax of shifted scores, whose largest is 0."""
    parts = namespace(shifted).exp(shifted)
    if where is not None:
        return proportions(masked(parts, where))
    return _divided(parts, namespace(parts).sum(parts, axis=-1, keepdims=True))  # at least 1


def log_sum_exp(shifted: Array, where: Array | None) -> Array:
    """log Σ exp(s), `(…,)`, of shifted scores, whose largest is 0; 0 in a row with nothing to attend to."""
    xp = namespace(shifted)
    return xp.log(nonzero(xp.sum(masked(xp.exp(shifted), where), axis=-1)))


def level_of_powers(x: Array, degree: float, where: Array | None) -> Array:
    """The t at which Σ_μ [x_μ − t]₊^degree = 1, `(…, 1)`, for a degree above 0 and rows whose largest entry is 0.

    t lies in [−1, 0], where the largest entry alone gives 1 and 0.
    """
    xp = namespace(x)
    zero = xp.zeros_like(x[..., :1])

    def mass(t: Array, x: Array, where: Array | None) -> Array:
        return xp.sum(masked(positive_power(x - t, degree), where), axis=-1, keepdims=True)

    def slope(t: Array, x: Array, where: Array | None) -> Array:
        return degree * xp.sum(masked(positive_power(x - t, degree - 1), where), axis=-1, keepdims=True)

    return level(mass, slope, x, zero + 1, (zero - 1, zero), where, degree=degree)


def count_allowed(scores: Array, where: Array | None) -> Array:
    """The number of entries of each row that may be attended to, `(…, 1)`, in the dtype of the scores."""
    if where is None:
        return namespace(scores).full_like(scores[..., :1], float(scores.shape[-1]))
    return namespace(scores).sum(masked(namespace(scores).ones_like(scores), where), axis=-1, keepdims=True)


def masked_max(scores: Array, where: Array | None) -> Array:
    """The largest score that may be attended to, `(…, 1)`; 0 in a row with nothing to attend to."""
    xp = namespace(scores)
    if where is None:
        return xp.max(scores, axis=-1, keepdims=True)
    lowest = float(xp.finfo(scores.dtype).min)
    largest = xp.max(masked(scores, where, lowest), axis=-1, keepdims=True)
    return xp.where(xp.any(where, axis=-1, keepdims=True), largest, xp.zeros_like(largest))
