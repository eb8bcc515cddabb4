"""Ties: a sum that is no larger than its rounding counts as 0, so that a spin with the field 0 keeps its value.

A field is a sum, h_i = Σ_j W_ij x_j + b_i. Exact arithmetic may give 0 where rounding gives 1e-17. With ε the distance
from 1 to the next number, h_i counts as 0 where

    |h_i| ≤ c ε (Σ_j |W_ij x_j| + |b_i|) + Σ_j δW_ij |x_j|          c = ½ min(n, 8√n) + 2

for n terms. A sum of n terms, in any order, is off by at most ½(n − 1) ε Σ|terms| (Higham 2002, Accuracy and Stability
of Numerical Algorithms, 4.2). Of more than 64 terms it is off by more than 4√n ε Σ|terms| only with a probability of
1e-13 (Higham & Mary 2019, SIAM J. Sci. Comput. 41, A2815). The 2 is for terms, states and bias as they are written: a
decimal is rounded by ½ε, and so is a product. δW is the error of W beyond its last digit, from the rule that made it.
A sum of whole numbers is exact, and needs none of this.

So a field of decimals has the sign that it has by hand. Of spins and decimals with k digits a field is 0 or at least
10⁻ᵏ; up to k = 10 that is above the bound for 1,000 terms of at most 1, which is 3·10⁻¹¹.

Where the numbers are of single precision and the sum is not, each part has its own ε: ½ min(n, 8√n) that of the sum,
and 2 that of the numbers.
"""

import math
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.traces import detached

DOUBLE = float(np.finfo(float).eps)
"""ε of double precision."""


def eps_of(*arrays: Array) -> float:
    """The largest ε of the arrays; 0 for none."""
    return max((float(namespace(array).finfo(array.dtype).eps) for array in arrays), default=0.0)


def error_of_sum(n: int, eps: float, sum_eps: float | None = None) -> float:
    """c ε: the rounding error of a sum of n terms, as a share of the sum of their magnitudes.

    eps: that of the numbers. sum_eps: that of the sum, if it is another one.
    """
    return 0.5 * min(n, 8 * math.sqrt(n)) * (eps if sum_eps is None else sum_eps) + 2 * eps


def are_whole(x: Array, **of: Any) -> Any:
    """Whether all entries are whole numbers, as flags of the library; of: the axis, as `all` takes it."""
    xp = namespace(x)
    return xp.all(x == xp.round(x), **of)


def without_rounding(sums: Array, error: Any) -> Array:
    """The sums, 0 where they are no larger than their error, which broadcasts to them; the derivative stays."""
    if isinstance(sums, np.ndarray):
        return np.where(np.abs(sums) <= error, 0.0, sums).astype(sums.dtype, copy=False)
    xp, constant = namespace(sums), detached(sums)
    return xp.where(xp.abs(constant) <= error, sums - constant, sums)
