"""Spins that settle one after the other: `CoupledSpins` and `StoredSpins` without Python's lock."""

from typing import Any

import numpy as np
from numba import types

from hopattn.foundation.compiled.jit import exact, loop, matrix, read_matrix, read_vector, vector

_READ, _WRITTEN = read_matrix(types.float64), matrix(types.float64)
_KIND = types.Tuple((types.int64, types.boolean))


@loop(
    types.void(
        _READ, _READ, _READ, types.Tuple((types.float64, read_vector(types.float64))), _READ, matrix(types.float64)
    ),
    exact=True,
)
def settle(initial: Any, before: Any, among: Any, field: Any, limits: Any, now: Any) -> None:
    """Update the k neurons of a block one after the other, for each cue by itself.

    initial: their fields as the block begins, without their own couplings, `(k, n)`. before: their spins, `(k, n)`.
    among: the couplings among them, `(k, k)`. field: (scale, bias `(k,)`), of which a local field is scale · sum +
    bias. limits: the local field above which a spin is 1, else −1, `(k, n)`; or `(0, 0)`: a spin takes the sign of its
    local field, stays where that is 0, and stays 0 where a side would cost energy. now: the new spins, `(k, n)`.

    A cue that turns a spin adds its change to the sums of the later neurons, so that few turns are little work.
    """
    scale, bias = field
    k = initial.shape[0]
    columns, sums = np.ascontiguousarray(among.T), np.empty(k)
    for cue in range(initial.shape[1]):
        for i in range(k):
            sums[i] = initial[i, cue]
        for i in range(k):
            local, spin = scale * sums[i] + bias[i], before[i, cue]
            if limits.size > 0:
                after = 1.0 if local > limits[i, cue] else -1.0
            elif local == 0 or (spin == 0 and abs(local) + 0.5 * scale * among[i, i] < 0):
                after = spin
            else:
                after = np.sign(local)
            now[i, cue] = after
            if after != spin:
                change, column = after - spin, columns[i]
                for j in range(i + 1, k):
                    sums[j] += column[j] * change


@exact
def _sum_of_few(x: Any, start: Any, stop: Any) -> Any:
    """The sum of up to 128 numbers, in eight parts side by side, in NumPy's order."""
    if stop - start < 8:
        total = -0.0
        for i in range(start, stop):
            total += x[i]
        return total
    a, b, c, d = x[start], x[start + 1], x[start + 2], x[start + 3]
    e, f, g, h = x[start + 4], x[start + 5], x[start + 6], x[start + 7]
    end = stop - (stop - start) % 8
    for i in range(start + 8, end, 8):
        a, b, c, d = a + x[i], b + x[i + 1], c + x[i + 2], d + x[i + 3]
        e, f, g, h = e + x[i + 4], f + x[i + 5], g + x[i + 6], h + x[i + 7]
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(end, stop):
        total += x[i]
    return total


@exact
def _sum(x: Any, starts: Any, totals: Any) -> Any:
    """The sum of numbers by halves, as NumPy sums a row: halves of a multiple of 8 numbers, down to 128 and fewer.

    starts, totals: room for a few dozen numbers: the ends of the parts still to be summed, and the sums of parts.
    """
    depth, held, start = 1, 0, 0
    starts[0, 0], starts[0, 1] = x.size, 0
    while depth > 0:
        stop, joined = starts[depth - 1]
        if joined == 0 and stop - start > 128:  # first the left half, then the right one, then both together
            half = (stop - start) // 2
            half -= half % 8
            starts[depth - 1, 1] = 2
            starts[depth, 0], starts[depth, 1] = stop, 0
            starts[depth + 1, 0], starts[depth + 1, 1] = start + half, 0
            depth += 2
            continue
        depth -= 1
        if joined == 2:
            held -= 1
            totals[held - 1] += totals[held]
            continue
        totals[held] = _sum_of_few(x, start, stop)
        held, start = held + 1, stop
    return totals[0]


@exact
def _flip(scores: Any, column: Any, spin: Any, kind: Any, flipped: Any, powers: Any) -> Any:
    """Write the scores with one spin turned, and the powers of their bases; gives the largest base, in size."""
    power, rectified = kind
    largest = 0.0
    for j in range(scores.size):
        x = scores[j] - (2 * spin) * column[j]
        flipped[j] = x
        base = max(x, 0.0) if rectified else x
        square = base * base
        powers[j] = square if power == 2 else square * (base if power == 3 else square)
        largest = max(largest, abs(base))
    return largest


@loop(
    types.int64(_WRITTEN, _READ, _WRITTEN, vector(types.float64), _KIND, types.float64, _READ),
    exact=True,
)
def turn(scores: Any, columns: Any, spins: Any, present: Any, kind: Any, factor: Any, limits: Any) -> Any:
    """Update k known spins one after the other, for each cue by itself, where Ψ is factor · Σ of powers of scores.

    scores: `(n, n_patterns)`; spins: `(k, n)`; present: Ψ of the scores, `(n,)`; all are changed in place. columns:
    the entries of the spins in the keys, `(k, n_patterns)`. kind: (the power from 2 to 4, whether scores below 0 count
    as 0). limits: as for `settle`. Gives 0; or 1 where a power could leave the numbers: then NumPy must begin anew.
    """
    m = scores.shape[1]
    flipped, powers = np.empty(m), np.empty(m)
    starts, totals = np.empty((128, 2), np.int64), np.empty(64)
    for cue in range(scores.shape[0]):
        for i in range(columns.shape[0]):
            spin = spins[i, cue]
            largest = _flip(scores[cue], columns[i], spin, kind, flipped, powers)
            if not (largest == 0 or 2.0**-60 < largest < 2.0**200):
                return 1
            other = _sum(powers, starts, totals) * factor
            up, down = (present[cue], other) if spin > 0 else (other, present[cue])
            near = abs(up - down) <= 4 * 2.0**-52 * (abs(up) + abs(down))
            local = 0.0 if near else 0.5 * (up - down)
            if limits.size > 0:
                after = 1.0 if local > limits[i, cue] else -1.0
            else:
                after = spin if local == 0 else np.sign(local)
            if after != spin:
                scores[cue] = flipped
                present[cue] = other
                spins[i, cue] = after
    return 0
