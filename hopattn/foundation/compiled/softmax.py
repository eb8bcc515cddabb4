"""Blocks of keys of the online softmax: `OnlineSoftmax` without Python's lock."""

from typing import Any

import numpy as np
from numba import types

from hopattn.foundation.compiled.jit import inner, larger, loop, matrix, read_matrix
from hopattn.foundation.compiled.powers import power_of_negative, power_of_small
from hopattn.foundation.compiled.products import add_product, product_with_rows

KEYS = 256
"""The number of keys in a block: its scores with 512 cues stay in the cache."""


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
