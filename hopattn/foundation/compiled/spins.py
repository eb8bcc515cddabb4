"""Spins that turn one after the other: the sweeps of `CoupledSpins`, and of `StoredSpins` for powers of scores."""

from typing import Any

import numpy as np
from numba import types

from hopattn.foundation.compiled.jit import loop, read_matrix

_READ, _WRITTEN = read_matrix(types.float64), types.float64[:, ::1]
_KIND = types.Tuple((types.int64, types.boolean, types.float64, types.float64))
_ROW = types.Array(types.float64, 1, "A", readonly=True)
_FIELD = types.Tuple((types.float64, _ROW, _ROW))


@loop(types.void(_READ, _READ, _READ, _FIELD, _READ, _WRITTEN, types.boolean[::1]), fastmath=False)
def settle(initial: Any, before: Any, among: Any, field: Any, limits: Any, now: Any, unsure: Any) -> None:
    """Update the k spins of a block one after the other, for each cue by itself.

    initial: the sums of their local fields as the block begins, `(k, n)`. before: their spins, `(k, n)`. among: the
    couplings among them, `(k, k)`. field: (scale, bias `(k,)`, error `(k,)`): a local field is scale · sum + bias, and
    counts as 0 up to the error. limits: the local field above which a spin is 1, else −1, `(k, n)`; or `(0, 0)`: a spin
    takes the sign of its local field, stays where that is 0, and stays 0 where a side would cost energy. now: the new
    spins, `(k, n)`. unsure: `(n,)`, set to True for a cue with a local field within the error that is not 0. A spin
    that turns adds its change to the sums of the later ones, so that few turns are little work.
    """
    scale, bias, error = field
    k = initial.shape[0]
    columns, sums = np.ascontiguousarray(among.T), np.empty(k)
    for cue in range(initial.shape[1]):
        for i in range(k):
            sums[i] = initial[i, cue]
        for i in range(k):
            local, spin = scale * sums[i] + bias[i], before[i, cue]
            if local != 0 and abs(local) <= error[i]:
                unsure[cue] = True
            stays = abs(local) <= error[i] or (spin == 0 and abs(local) + 0.5 * scale * among[i, i] < -error[i])
            after = spin if stays else np.sign(local)
            if limits.size > 0:
                local = 0.0 if abs(local) <= error[i] else local
                after = 1.0 if local > limits[i, cue] else -1.0
            now[i, cue] = after
            if after != spin:
                change, column = after - spin, columns[i]
                for j in range(i + 1, k):
                    sums[j] += column[j] * change


@loop(types.int64(_WRITTEN, _READ, _WRITTEN, types.float64[::1], _KIND, _READ))
def turn(scores: Any, columns: Any, spins: Any, present: Any, kind: Any, limits: Any) -> Any:
    """Update k known spins one after the other, for each cue by itself, where Ψ is factor · Σ of powers of scores.

    scores: `(n, n_patterns)`; spins: `(k, n)`; present: Ψ of the scores, `(n,)`; all are changed in place. columns:
    the entries of the spins in the keys, `(k, n_patterns)`. kind: (the power from 2 to 4, whether scores below 0 count
    as 0, the factor, the share of the sum of |powers| up to which a local field counts as 0). limits: the local field
    above which a spin is 1, else −1, `(k, n)`; or `(0, 0)`: a spin takes the sign of its local field, and stays where
    that is 0. Gives 1; or 0 where a power could leave the numbers: then NumPy must begin anew. A sum of powers has
    another order than NumPy's, and is the same up to rounding.
    """
    power, rectified, factor, share = kind
    flipped = np.empty(scores.shape[1])
    for cue in range(scores.shape[0]):
        for i in range(columns.shape[0]):
            spin, largest, total = spins[i, cue], 0.0, 0.0
            for j in range(flipped.size):
                x = scores[cue, j] - (2 * spin) * columns[i, j]
                flipped[j] = x
                base = max(x, 0.0) if rectified else x
                largest = max(largest, abs(base))
                square = base * base
                total += square if power == 2 else square * (base if power == 3 else square)
            if not (largest == 0 or 2.0**-60 < largest < 2.0**200):
                return 0
            psi, size = total * factor, total
            if power == 3 and not rectified:  # the terms have both signs
                size = 0.0
                for j in range(flipped.size):
                    size += abs(flipped[j]) ** 3
            up, down = (present[cue], psi) if spin > 0 else (psi, present[cue])
            local = 0.5 * (up - down)
            if abs(local) <= share * max(size * factor, abs(present[cue])):
                local = 0.0
            after = spin if local == 0 else np.sign(local)
            if limits.size > 0:
                after = 1.0 if local > limits[i, cue] else -1.0
            if after != spin:
                scores[cue] = flipped
                present[cue] = psi
                spins[i, cue] = after
    return 1
