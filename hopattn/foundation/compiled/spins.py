"""Spins that turn one after the other: the sweep of `StoredSpins` for powers of scores, without Python's lock."""

from typing import Any

import numpy as np
from numba import types

from hopattn.foundation.compiled.jit import loop, read_matrix

_READ, _WRITTEN = read_matrix(types.float64), types.float64[:, ::1]
_KIND = types.Tuple((types.int64, types.boolean, types.float64))
_TIE = 4 * 2.0**-52


@loop(types.int64(_WRITTEN, _READ, _WRITTEN, types.float64[::1], _KIND, _READ))
def turn(scores: Any, columns: Any, spins: Any, present: Any, kind: Any, limits: Any) -> Any:
    """Update k known spins one after the other, for each cue by itself, where Ψ is factor · Σ of powers of scores.

    scores: `(n, n_patterns)`; spins: `(k, n)`; present: Ψ of the scores, `(n,)`; all are changed in place. columns:
    the entries of the spins in the keys, `(k, n_patterns)`. kind: (the power from 2 to 4, whether scores below 0 count
    as 0, the factor). limits: the local field above which a spin is 1, else −1, `(k, n)`; or `(0, 0)`: a spin takes the
    sign of its local field, and stays where that is 0. Gives 1; or 0 where a power could leave the numbers: then NumPy
    must begin anew. A sum of powers has another order than NumPy's, and is the same up to rounding.
    """
    power, rectified, factor = kind
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
            other = total * factor
            up, down = (present[cue], other) if spin > 0 else (other, present[cue])
            local = 0.0 if abs(up - down) <= _TIE * (abs(up) + abs(down)) else 0.5 * (up - down)
            after = spin if local == 0 else np.sign(local)
            if limits.size > 0:
                after = 1.0 if local > limits[i, cue] else -1.0
            if after != spin:
                scores[cue] = flipped
                present[cue] = other
                spins[i, cue] = after
    return 1
