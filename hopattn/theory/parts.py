"""A hidden layer with a threshold stores parts, and every sum of its parts is a memory while there are few.

Of P random parts of ±1 and unit length, each is in a sum with the probability ½. A part that is in a sum of n parts has
a score of 1 with a noise of variance (n − 1)/N from the other parts; one that is not has a noise of variance n/N. With
the normal distribution F and the scores taken as independent, which is right to .01 at θ = ½ from four neurons on (to
.12 for fewer) and too low far from it,

    P(kept | n) = F((1 − θ)√(N/(n − 1)))^n F(θ√(N/n))^(P − n)        P(kept) = Σ_n (P choose n) 2^−P P(kept | n)

Source: Shafiei Kafraj, Krotov & Latham (2026), arXiv:2601.00984, for the layer; the formula is ours.
"""

from functools import partial
from typing import Annotated

import numpy as np

from hopattn.foundation.boundary import Count, Real, formula
from hopattn.foundation.checks import whole


@formula
def kept_sums(neurons: Count, parts: Annotated[int, partial(whole, most=10**5)], *, threshold: Real = 0.5) -> float:
    """The share of all sums of random parts that one step of a threshold layer keeps.

    Parameters
    ----------
    neurons : N, for 4 or more of which it is right to .01 at θ = ½.
    parts : P.
    threshold : θ, for parts of unit length.

    Examples
    --------
    >>> round(kept_sums(1000, 10), 3), round(kept_sums(100, 10), 3)
    (1.0, 0.897)
    """
    from scipy.special import ndtr
    from scipy.stats import binom

    n = np.arange(parts + 1)
    within, without = (np.sqrt(neurons / np.maximum(many, 1)) for many in (n - 1, n))
    with np.errstate(over="ignore"):  # of a threshold beyond all scores
        present = np.where(n > 1, ndtr((1 - threshold) * within), threshold <= 1)
        absent = np.where(n > 0, ndtr(threshold * without), threshold > 0)
    return float(binom.pmf(n, parts, 0.5) @ (present**n * absent ** (parts - n)))
