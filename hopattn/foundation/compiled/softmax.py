"""Powers of two with their sums, and blocks of keys of the online softmax: `OnlineSoftmax` without Python's lock.

A power is 2ˣ = 2ⁿ · 2ᶠ with n the whole number nearest to x, and 2ᶠ a polynomial that interpolates it at Chebyshev's
points between −½ and ½: of degree 6 in float32 and 11 in float64, each within 1 unit of the last digit. It is written
as 1 + f·q(f), so that 2⁰ is 1. Results below the smallest normal number are gradual, and NaN stays NaN.
"""

from typing import Any

import numpy as np
from numba import types

from hopattn.foundation.compiled.jit import (
    by_dtype,
    inner,
    larger,
    loop,
    matrix,
    nearest,
    read_as_float,
    read_as_int,
    read_matrix,
)
from hopattn.foundation.compiled.products import add_product, product_with_rows

KEYS = 256
"""The number of keys in a block: its scores with 512 cues stay in the cache."""
_NARROW = (
    *(np.float32(0.6931471880262288), np.float32(0.24022650760568126), np.float32(0.05550357114219078)),
    *(np.float32(0.009618082557277852), np.float32(0.0013390863364671234), np.float32(0.0001545316294512069)),
)
_WIDE = (
    *(0.6931471805599453, 0.24022650695910097, 0.0555041086648216, 0.009618129107606888, 0.0013333558146416936),
    *(0.0001540353044173605, 1.525273382983612e-05, 1.321544258792169e-06, 1.0178062445845774e-07),
    *(7.072585949269223e-09, 4.4549605981865186e-10),
)
"""The coefficients of q, from f⁰ on."""


@inner
def _narrow_part(f: Any) -> Any:
    """2ᶠ in float32."""
    c = _NARROW
    return np.float32(1) + f * (c[0] + f * (c[1] + f * (c[2] + f * (c[3] + f * (c[4] + f * c[5])))))


@inner
def _wide_part(f: Any) -> Any:
    """2ᶠ in float64; two halves of the polynomial run side by side."""
    c = _WIDE
    low = c[0] + f * (c[1] + f * (c[2] + f * (c[3] + f * (c[4] + f * c[5]))))
    high = c[6] + f * (c[7] + f * (c[8] + f * (c[9] + f * c[10])))
    cube = f * f * f
    return 1.0 + f * (low + cube * cube * high)


def _narrow_small(x: Any) -> Any:
    whole = nearest(x)
    n = np.int32(np.int32(whole) << np.int32(23))
    return read_as_float(np.int32(read_as_int(_narrow_part(x - whole)) + n))


def _wide_small(x: Any) -> Any:
    whole = nearest(x)
    n = np.int64(np.int32(whole)) << 52
    return read_as_float(read_as_int(_wide_part(x - whole)) + n)


def _narrow_negative(x: Any) -> Any:
    x = np.float32(-252) if x < np.float32(-252) else x  # NaN passes the comparison
    whole = nearest(x)
    n = np.int32(whole)
    half = np.int32(n >> np.int32(1))
    scaled = read_as_float(np.int32(read_as_int(_narrow_part(x - whole)) + np.int32(half << np.int32(23))))
    return scaled * read_as_float(np.int32((n - half + np.int32(127)) << np.int32(23)))


def _wide_negative(x: Any) -> Any:
    x = -2044.0 if x < -2044.0 else x
    whole = nearest(x)
    n = np.int32(whole)
    half = np.int32(n >> np.int32(1))
    scaled = read_as_float(read_as_int(_wide_part(x - whole)) + (np.int64(half) << 52))
    return scaled * read_as_float(np.int64(np.int32(n - half + np.int32(1023))) << 52)


power_of_small = by_dtype(_narrow_small, _wide_small)
"""2ˣ for an x at which it is a normal number."""
power_of_negative = by_dtype(_narrow_negative, _wide_negative)
"""2ˣ for an x of 0 or less, or NaN."""


@inner
def _small_row(row: Any) -> Any:
    """2ˢ in place of each score s of a row, and their sum."""
    total = row.dtype.type(0)
    for j in range(row.size):
        row[j] = power_of_small(row[j])
        total += row[j]
    return total


@inner
def _shifted_row(row: Any, largest: Any, scale: Any) -> Any:
    """2^(scale (s − largest)) in place of each score s of a row, and their sum."""
    total = row.dtype.type(0)
    for j in range(row.size):
        row[j] = power_of_negative((row[j] - largest) * scale)
        total += row[j]
    return total


@inner
def _masked_sum(row: Any, where: Any) -> Any:
    """The sum of a row of weights, which are set to 0 where they are masked."""
    total = row.dtype.type(0)
    for j in range(row.size):
        row[j] = row[j] if where[j] else row.dtype.type(0)
        total += row[j]
    return total


@inner
def _largest(row: Any, start: Any) -> Any:
    """The largest score of a row and `start`; NaN where one of them is."""
    for j in range(row.size):
        start = larger(start, row[j])
    return start


@inner
def _masked_largest(row: Any, where: Any, start: Any) -> Any:
    """The largest score that may be attended to; the others are set to `start`."""
    for j in range(row.size):
        row[j] = row[j] if where[j] else start
    return _largest(row, start)


@inner
def _weigh(scores: Any, where: Any, how: Any, sums: Any) -> None:
    """Turn scores `(n, b)` into weights, in place, and add them to the sums; where m rises, Z and h shrink."""
    scale, unshifted = how
    largest, total, field = sums
    masked = where.size > 0
    for i in range(scores.shape[0]):
        row = scores[i]
        if unshifted:
            added = _small_row(row)
        else:
            before = largest[i, 0]
            now = _masked_largest(row, where[i], before) if masked else _largest(row, before)
            if now != before:  # NaN too
                largest[i, 0] = now
                shrink = power_of_negative((before - now) * scale)
                total[i, 0] *= shrink
                for j in range(field.shape[1]):
                    field[i, j] *= shrink
            added = _shifted_row(row, now, scale)
        total[i, 0] += _masked_sum(row, where[i]) if masked else added


@inner
def _add_block(scores: Any, values: Any, where: Any, how: Any, sums: Any) -> None:
    """Add a block of keys by its scores `(n, b)`, which become weights."""
    _weigh(scores, where, how, sums)
    if sums[2].shape[1] > 0:
        add_product(scores, values, sums[2])


def _types(t: Any) -> Any:
    """The types of the arguments of `add_keys` for numbers of a dtype."""
    read = read_matrix(t)
    given = matrix(t), read_matrix(t, "C"), read, read, read_matrix(types.boolean)
    return types.void(*given, types.Tuple((t, types.boolean)), types.UniTuple(matrix(t), 3))


@loop(_types(types.float32), _types(types.float64))
def add_keys(scores: Any, cues: Any, keys: Any, values: Any, where: Any, how: Any, sums: Any) -> None:
    """Add m keys to the sums of n cues.

    scores: `(n, m)`, which become weights; or `(0, 0)` where they are the products of `cues` `(n, dim)` and `keys`
    `(m, dim)`, which are taken block by block. values: `(m, dim_out)`. where: `(n, m)`, or `(0, 0)` for no mask.
    how: (the doublings of a weight for a score higher by 1, whether the scores carry them and need no shift). sums:
    the largest score `(n, 1)`, Z `(n, 1)` and h `(n, dim_out)`, changed in place.
    """
    if scores.size > 0:
        _add_block(scores, values, where, how, sums)
        return
    n, m = cues.shape[0], keys.shape[0]
    room = np.empty(n * min(KEYS, m), cues.dtype)
    for start in range(0, m, KEYS):
        stop = min(start + KEYS, m)
        block = room[: n * (stop - start)].reshape((n, stop - start))
        product_with_rows(cues, keys[start:stop], block)
        _add_block(block, values[start:stop], where[:, start:stop], how, sums)
