"""Counting: how many patterns any rule at all can store, for one neuron that reads N others.

A neuron has the N couplings w of its inputs. P random patterns ask it for an answer each.

    Cover: of the 2^P ways to answer P points in general position, C(P, N) = 2 Σ_{k<N} (P − 1 choose k) have a w
    Gardner: with the margin κ, |w| = √N and P = αN → ∞, a w exists up to 1/α_c = ∫_{−κ}^∞ Dt (t + κ)²

Dz is the normal density. For κ = 0 both give 2 patterns a coupling. The integral is (1 + κ²) F(κ) + κ f(κ), with the
normal distribution F and its density f.

Sources: Cover (1965), IEEE Trans. Electron. Comput. 14, 326, theorem 1 (his N is our P, his d our N); Gardner (1988),
J. Phys. A 21, 257; Krauth & Mézard (1987), J. Phys. A 20, L745, who find the w.
"""

import math
from functools import partial
from typing import Annotated

import numpy as np

from hopattn.foundation.checks import whole
from hopattn.foundation.declared import Positive, checked
from hopattn.foundation.errors import InvalidInput
from hopattn.theory.mean_field import Numbers

Counted = Annotated[int, partial(whole, most=10**6)]


@checked
def dichotomies(points: Annotated[int, partial(whole, most=10**4)], dim: Counted) -> int:
    """C(P, N), exactly: the ways to part P points of general position by a plane through the origin of N dimensions.

    >>> dichotomies(4, 2), dichotomies(4, 3), dichotomies(4, 4)
    (8, 14, 16)
    """
    return 2 * sum(math.comb(points - 1, k) for k in range(min(dim, points)))


@checked
def separable_share(points: Counted, dim: Counted) -> float:
    """The share C(P, N)/2^P of the ways to answer P points that N couplings can learn; ½ at P = 2N.

    >>> separable_share(10, 10), round(separable_share(20, 10), 9), round(separable_share(30, 10), 4)
    (1.0, 0.5, 0.0307)
    """
    from scipy.special import bdtr

    return float(bdtr(min(dim, points) - 1, points - 1, 0.5)) if points > 1 else 1.0


@checked
def gardner_load(margin: Numbers = 0.0) -> np.ndarray:
    """The largest load α_c(κ) at which couplings exist that keep every pattern with a margin, `(...)` as the margin.

    margin: κ, the least field of a neuron times its state, with couplings of length √N; 0 or more.

    >>> gardner_load([0, 0.5, 1]).round(4)
    array([2.    , 0.9612, 0.5196])
    """
    from scipy.special import ndtr

    density = np.exp(-(margin**2) / 2) / math.sqrt(2 * math.pi)
    return np.asarray(1 / ((1 + margin**2) * ndtr(margin) + margin * density))


@checked
def gardner_margin(load: Positive) -> float:
    """The largest margin κ with which couplings can keep so many patterns: the κ of which `load` is `gardner_load`.

    load: α, above 0. Raises `InvalidInput` above 2, where no couplings keep all patterns.

    >>> round(gardner_margin(0.5196), 3), gardner_margin(2)
    (1.0, 0.0)
    """
    from scipy.optimize import brentq

    if load > 2:
        raise InvalidInput(f"load: got {load:g}; above 2 no couplings keep all patterns")
    if load < 1e-12:  # the rest is below the last digit
        return 1 / math.sqrt(load)
    # 1/α_c(κ) is above κ² + ½, so that κ is below 1/√α
    return float(brentq(lambda k: float(gardner_load(k)) - load, 0.0, load**-0.5, xtol=1e-12)) if load < 2 else 0.0
