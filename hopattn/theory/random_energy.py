"""The weights of n independent Gaussian scores: what joins β to the number of keys that hold the weight.

With scores of the standard deviation σ and the spread v = βσ, for many keys n, the free energy F = U − S/β has

    U = −βσ²       S = ln n − v²/2    for v ≤ √(2 ln n)          U = −σ√(2 ln n)       S = 0    beyond

so that −βF = ln Σ exp(βs) is ln n + v²/2, then v√(2 ln n): beyond, few keys hold all of the weight. With their weight,
scores are Gaussian around βσ². So keys with βs ≥ v² − v z hold the share p = Φ(z) of the weight, and they are the share
Φ(z − v) of all keys. By that share, Ramsauer et al. (2021) class the heads: for p = .9, z = 1.28, class I up to v =
1.28, II up to 2.43, III up to 3.14, and IV from there on, long before v = √(2 ln n).

Source: the random energy model, Derrida (1981), Phys. Rev. B 24, 2613 (his levels are our −s).
"""

from functools import partial
from typing import Annotated

import numpy as np

from hopattn.foundation.arrays import NumberOrArray
from hopattn.foundation.boundary import Proportion, formula
from hopattn.theory.replica_symmetric import Numbers, given_numbers


@formula
def held_share(spread: Numbers, held: Proportion = 0.9) -> np.ndarray:
    """The share k/n of the keys that hold the share `held` of the softmax weight, Φ(Φ⁻¹(held) − v), `(...)`.

    Parameters
    ----------
    spread : v, the standard deviation of the scores times β, 0 or more; for many keys, with v below √(2 ln n).

    Examples
    --------
    >>> held_share([0, 1, 2, 3]).round(3)
    array([0.9  , 0.611, 0.236, 0.043])
    """
    from scipy.special import ndtr, ndtri

    return np.asarray(ndtr(ndtri(held) - spread))


@formula
def gaussian_load(beta: Annotated[NumberOrArray, partial(given_numbers, zero=False)]) -> np.ndarray:
    """The load α = ln P/N up to which the exponential memory recalls a typical one of P Gaussian patterns, `(...)`.

    At a pattern ξ, with |ξ|² = N, its own score is βN, and the others have the spread v = β√N. With ln n = αN, the sum
    ln Σ exp(βs) of the others is less than βN up to α = β(1 − β/2) for β ≤ 1, and up to ½ beyond.

    Parameters
    ----------
    beta : β, above 0.

    Notes
    -----
    Source: Lucibello & Mézard (2024), Phys. Rev. Lett. 132, 077301, their α₁ (their λ is our β).

    Examples
    --------
    >>> gaussian_load([0.25, 0.5, 1, 2]).round(4)
    array([0.2188, 0.375 , 0.5   , 0.5   ])
    """
    mild = np.minimum(beta, 1)
    return np.asarray(mild * (1 - mild / 2))
