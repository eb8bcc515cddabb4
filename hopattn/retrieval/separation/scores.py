"""Functions of rows of scores that several separations share. Scores are `(…, n_patterns)`, masks broadcast to them."""

from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, namespace
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
    """The largest score, `(…,)`, and the shifted scores β(s − max s), `(…, n_patterns)`, which are 0 where masked.

    Nothing overflows: a β outside the range of the dtype counts as the nearest number inside, and a shifted score
    below minus the square root of the largest number counts as that.
    """
    inside = within_numbers(beta, scores)
    largest = masked_max(scores, where)
    lowest = -(float(namespace(scores).finfo(scores.dtype).max) ** 0.5) / max(inside, 1.0)
    shifted = masked(scores - largest, where)
    if not isinstance(shifted, np.ndarray):
        return largest[..., 0], inside * at_least(shifted, lowest)
    np.maximum(shifted, lowest, out=shifted)  # in the room of one array: fresh memory takes longer than the numbers
    return largest[..., 0], np.multiply(shifted, inside, out=shifted)


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
