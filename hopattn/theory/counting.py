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
from itertools import accumulate
from typing import Annotated

import numpy as np

from hopattn.foundation.boundary import Positive, formula
from hopattn.foundation.checks import whole
from hopattn.foundation.errors import InvalidInput
from hopattn.theory.replica_symmetric import Numbers, root

Counted = Annotated[int, partial(whole, most=10**6)]
ALONE = 40.0  # the κ from which on all fields count: 1/α_c is 1 + κ²


@formula
def dichotomies(points: Annotated[int, partial(whole, most=10**4)], dim: Counted) -> int:
    """C(P, N), exactly: the ways to part P points of general position by a plane through the origin of N dimensions.

    Parameters
    ----------
    points : P, 1 or more.
    dim : N, 1 or more.

    Examples
    --------
    >>> dichotomies(4, 2), dichotomies(4, 3), dichotomies(4, 4)
    (8, 14, 16)
    """
    ways = accumulate(range(1, min(dim, points)), lambda ways, k: ways * (points - k) // k, initial=1)
    return 2 * sum(ways)  # of (P − 1 choose k) from that of k − 1


@formula
def separable_share(points: Counted, dim: Counted) -> float:
    """The share C(P, N)/2^P of the ways to answer P points that N couplings can learn; ½ at P = 2N.

    Parameters
    ----------
    points : P, 1 or more.
    dim : N, 1 or more.

    Examples
    --------
    >>> separable_share(10, 10), round(separable_share(20, 10), 9), round(separable_share(30, 10), 4)
    (1.0, 0.5, 0.0307)
    """
    from scipy.special import betainc

    return float(betainc(points - dim, dim, 0.5)) if dim < points else 1.0


@formula
def gardner_load(margin: Numbers = 0.0) -> np.ndarray:
    """The largest load α_c(κ) at which couplings exist that keep every pattern with a margin, `(...)` as the margin.

    Parameters
    ----------
    margin : κ, the least field of a neuron times its state, with couplings of length √N; 0 or more.

    Examples
    --------
    >>> gardner_load([0, 0.5, 1]).round(4)
    array([2.    , 0.9612, 0.5196])
    """
    from scipy.special import ndtr

    density = np.exp(-(np.minimum(margin, ALONE) ** 2) / 2) / math.sqrt(2 * math.pi)
    inverse = 1 / np.hypot(1, margin)  # no square of a large margin is taken
    return np.asarray(inverse * (inverse / (ndtr(margin) + margin * density * inverse * inverse)))


@formula
def gardner_margin(load: Positive) -> float:
    """The largest margin κ with which couplings can keep so many patterns: the κ of which `load` is `gardner_load`.

    Parameters
    ----------
    load : α, above 0.

    Raises
    ------
    InvalidInput : above 2, where no couplings keep all patterns.

    Examples
    --------
    >>> round(gardner_margin(0.5196), 3), gardner_margin(2)
    (1.0, 0.0)
    """
    if load > 2:
        raise InvalidInput(f"load: got {load:g}; above 2 no couplings keep all patterns")
    if load < 1 / (1 + ALONE**2):
        return math.sqrt(1 - load) / math.sqrt(load)

    def excess(margin: float) -> float:
        """1/α_c(κ) − 1/α, both less ½: a sum of numbers above 0, which keeps the digits of a small κ."""
        density = math.exp(-(margin**2) / 2) / math.sqrt(2 * math.pi)
        above = math.erf(margin / math.sqrt(2)) / 2
        return margin**2 * (0.5 + above) + above + margin * density - (2 - load) / (2 * load)

    # 1/α_c(κ) is above κ² + ½, so that κ is below 1/√α
    return root(excess, 0.0, load**-0.5, 1e-300)
