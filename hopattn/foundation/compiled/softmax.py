"""The weights of a block of keys: `OnlineSoftmax.add` of `retrieval/online_softmax.py` in one pass over the scores."""

from typing import Any

from numba import types

from hopattn.foundation.compiled.jit import inner, larger, loop, power_of_negative, power_of_small, read_matrix


@inner
def _small_row(row: Any) -> Any:
    """Replace each score s of a row by 2ˢ, and return their sum."""
    total = row.dtype.type(0)
    for j in range(row.size):
        row[j] = power_of_small(row[j])
        total += row[j]
    return total


@inner
def _shifted_row(row: Any, largest: Any, scale: Any) -> Any:
    """Replace each score s of a row by 2^(scale (s − largest)), and return their sum."""
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


def _types(t: Any) -> Any:
    """The types of the arguments of `weigh` for numbers of a dtype."""
    how = types.Tuple((t, types.boolean))
    return types.void(t[:, ::1], read_matrix(types.boolean), how, types.UniTuple(t[:, ::1], 3))


@loop(_types(types.float32), _types(types.float64))
def weigh(scores: Any, where: Any, how: Any, sums: Any) -> None:
    """Turn scores `(n, b)` into weights f(s − m), in place, and add them to Z; where m rises, Z and h shrink.

    where: `(n, b)`, or `(0, 0)` for no mask. how: (c, whether the scores are multiplied by c already and need no
    shift), with weights 2^(c(s − m)). sums: the largest score m `(n, 1)`, Z `(n, 1)` and h `(n, dim_out)`.
    """
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
