"""Thresholds at which sparse weights have their sum, row by row: entmax, normmax, k-subsets.

Only scores that can carry weight are looked at, in float64: for entmax those within 1/(α−1) of the largest, which are
few. Newton's steps t ← t + f/(−∂f/∂t) start below the root of a convex f and never pass it.
"""

from typing import Any

import numpy as np
from numba import types

from hopattn.foundation.compiled.jit import inner, larger, loop, power_up_to_one, read_matrix

ENTMAX, NORMMAX, SUBSETS = 0, 1, 2
_NEAR = 4 * 2.0**-52
_STEPS = 100
_LOWEST = -1e150


@inner
def _raised(numbers: Any, least: Any, exponent: Any, powers: Any) -> None:
    """The powers of x − least for the numbers x above `least`, which are at most 1 above it; 0 for the others.

    The kind of power is chosen outside of the loops, so that each runs in vectors.
    """
    if exponent == 0:
        for i in range(numbers.size):
            powers[i] = 1.0 if numbers[i] > least else 0.0
    elif exponent == 1:
        for i in range(numbers.size):
            powers[i] = max(numbers[i] - least, 0.0)
    elif exponent == 2:
        for i in range(numbers.size):
            powers[i] = max(numbers[i] - least, 0.0) ** 2
    else:
        for i in range(numbers.size):
            above = numbers[i] - least
            powers[i] = power_up_to_one(above, exponent) if above > 0 else 0.0


@inner
def _root(reach: Any, count: Any, order: Any, powers: Any) -> Any:
    """The t of Σ [y − t]₊^order = 1, for the first `count` numbers y of `reach`, from −1 to 0 with 0 among them.

    The steps are of the norm, the sum to the power 1/order, which is convex too and nearly straight. Numbers that no
    later t leaves above 0 are dropped; `reach` is changed.
    """
    t = -1.0
    for _ in range(_STEPS):
        place = 0
        for i in range(count):
            y = reach[i]
            reach[place] = y
            place += y > t
        count = place
        _raised(reach[:count], t, order - 1, powers)
        total, slope = 0.0, 0.0
        for i in range(count):
            slope += powers[i]
            total += powers[i] * (reach[i] - t)
        norm = total if order == 1 else total ** (1 / order)
        step = (norm - 1) * total / (norm * slope)
        t += step
        if not step > _NEAR * max(abs(t), 1 / 64):
            break
    return t


@inner
def _mass(shifted: Any, t: Any) -> Any:
    """The sum of the numbers x − t, each kept between 0 and 1."""
    total = 0.0
    for i in range(shifted.size):
        total += min(max(shifted[i] - t, 0.0), 1.0)
    return total


@inner
def _write_shares(out: Any, row: Any, shifted: Any, places: Any, how: Any) -> Any:
    """Write the numbers β · row − t, each kept between 0 and 1, with t such that they sum to k, at their places.

    shifted: β(row − largest) at more than k places. Steps down, each twice the last, leave a bracket and the numbers
    that may be neither 0 nor 1 in all of it. Those are counted from the k-th largest of all, so that they keep their
    digits, and Newton's steps do the rest.
    """
    beta, k = how
    low, high = -1.0, 0.0
    while _mass(shifted, low) <= k:
        low, high = 2 * low, low
    slack = _NEAR * abs(low)
    full, partial = 0, 0
    for i in range(places.size):
        if shifted[i] > high + slack + 1:
            out[places[i]] = 1
            full += 1
        elif shifted[i] > low - slack:
            places[partial] = places[i]
            partial += 1
    if full == k:
        return
    near, rank = shifted[:partial], partial - int(k - full)
    for i in range(partial):
        near[i] = row[places[i]]
    origin = np.partition(near, rank)[rank]
    for i in range(partial):
        near[i] = min(max((near[i] - origin) * beta, -2.0), 2.0)
    t = _newton_of_level(near, full - k, -1.0, 0.0)
    for i in range(partial):
        out[places[i]] = min(max(near[i] - t, 0.0), 1.0)


@inner
def _newton_of_level(shifted: Any, offset: Any, low: Any, high: Any) -> Any:
    """The root of `offset` + Σ [x − t] kept between 0 and 1; by halves where a step would leave the bracket."""
    t = low
    for number in range(_STEPS):
        value, slope = offset, 0.0
        for i in range(shifted.size):
            y = shifted[i] - t
            value += min(max(y, 0.0), 1.0)
            slope += 1.0 if 0 < y < 1 else 0.0
        if value == 0:
            break
        if value > 0:
            low = t
        else:
            high = t
        after = t + value / slope if slope > 0 else high + 1
        if not low <= after <= high or number % 8 == 7:
            after = 0.5 * (low + high)
        near = abs(after - t) <= _NEAR * max(abs(after), 1 / 64)
        t = after
        if near:
            break
    return t


@inner
def _gather(row: Any, where: Any, how: Any, shifted: Any, places: Any) -> Any:
    """The scores of a row as β(s − largest) above `least`, with their places; gives their number and the largest."""
    beta, least = how
    masked = where.size > 0
    largest, empty = row.dtype.type(-np.inf), True
    for j in range(row.size):
        if not masked or where[j]:
            largest, empty = larger(largest, row[j]), False
    if not empty and not np.isfinite(largest):
        return -1
    count = 0
    for j in range(row.size):
        x = (np.float64(row[j]) - np.float64(largest)) * beta
        shifted[count], places[count] = max(x, _LOWEST), j
        count += x > least and (not masked or where[j])
    return count


@inner
def _write_powers(out: Any, shifted: Any, places: Any, how: Any, rooms: Any) -> Any:
    """Write the weights of entmax or normmax at their places of an empty row; gives Ψ₁.

    With y the scores times `scale` and t their threshold, the weights are r = [y − t]₊ to the power order (of normmax:
    order − 1), divided by their sum Z. Ψ₁ is (t + 1/α)/(α−1) + Σ r^(order + 1)/α, or t + 1 + ((Σ r^order)^(1/order) −
    1)/Z.
    """
    kind, alpha, scale, order = how
    for i in range(shifted.size):
        shifted[i] *= scale
        rooms[0, i] = shifted[i]
    t = _root(rooms[0], shifted.size, order, rooms[1])
    powers = rooms[0]
    _raised(shifted, t, order if kind == ENTMAX else order - 1, powers)
    total, reach = 0.0, 0.0
    for i in range(shifted.size):
        total += powers[i]
        reach += powers[i] * (shifted[i] - t)
    for i in range(places.size):
        out[places[i]] = powers[i] / total
    if kind == ENTMAX:
        return (t + 1 / alpha) / scale + reach / alpha
    return t + 1 + (reach ** (1 / order) - 1) / total


def _types(t: Any) -> Any:
    how = types.Tuple((types.int64, types.float64, types.float64))
    return types.void(read_matrix(t, "C"), read_matrix(types.boolean), how, t[:, ::1], types.float64[::1])


@loop(_types(types.float32), _types(types.float64))
def thresholds(scores: Any, where: Any, how: Any, weights: Any, values: Any) -> None:
    """The weights of each row of scores `(n, m)`, and Ψ₁ of the scores shifted by their largest.

    where: `(n, m)`, or `(0, 0)` for no mask. how: (the kind; β; α, or k). weights: `(n, m)`, zeros that are written
    over. values: Ψ₁, `(n,)`; NaN, as the weights, for a row whose largest score is not finite, 0 for one without scores
    and for k-subsets.
    """
    kind, beta, parameter = how
    m = scores.shape[1]
    shifted, rooms, places = np.empty(m), np.empty((2, m)), np.empty(m, np.int64)
    scale = parameter - 1 if kind == ENTMAX else 1.0
    order = 1 / (parameter - 1) if kind == ENTMAX else parameter / (parameter - 1)
    least = -np.inf if kind == SUBSETS else -1 / scale
    for i in range(scores.shape[0]):
        count = _gather(scores[i], where[i] if where.size > 0 else where[:0, 0], (beta, least), shifted, places)
        values[i] = 0.0
        if count < 0:
            values[i] = np.nan
            weights[i] = np.nan
        elif count > 0 and kind != SUBSETS:
            options = kind, parameter, scale, order
            values[i] = _write_powers(weights[i], shifted[:count], places[:count], options, rooms)
        elif count > parameter:
            _write_shares(weights[i], scores[i], shifted[:count], places[:count], (beta, parameter))
        else:
            for j in range(count):
                weights[i, places[j]] = 1
