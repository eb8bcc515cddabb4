"""The states of a Sherrington–Kirkpatrick spin glass that no single turn improves: their mean number.

With couplings of variance 1/N, the fields h_i σ_i of N neurons have the variance (N − 1)/N and the covariance 1/N, as
z + √(N − 2) ε_i over √N has with independent normal z and ε_i. A state is metastable if all are above 0:

    mean number = 2^N ∫Dz F(z/√(N − 2))^N
    its rate for N → ∞ = max_u log 2F(u) − u²/2

with the normal distribution F. Source: Tanaka & Edwards (1980), J. Phys. F 10, 2769, who have the rate .1992; Bray &
Moore (1980), J. Phys. C 13, L469. The form for N neurons, exact for any N above 2, follows from the covariances.
"""

import math

import numpy as np

from hopattn.foundation.boundary import public
from hopattn.foundation.checks import whole
from hopattn.theory.replica_symmetric import peak

WIDE, INTEGRAL_STEPS = 12.0, 480  # of the integral over z, whose integrand falls faster than the normal density


@public
def metastable_rate(neurons: int | None = None) -> float:
    """The rate log(mean number of metastable states)/N of a Sherrington–Kirkpatrick spin glass.

    Parameters
    ----------
    neurons : N, 3 or more; None for N → ∞.

    Raises
    ------
    InvalidInput : for another number.

    Examples
    --------
    >>> round(metastable_rate(), 4), round(metastable_rate(12), 4)
    (0.1992, 0.2039)
    """
    from scipy.special import log_ndtr

    def rate(u: float) -> float:
        return float(math.log(2) + log_ndtr(u) - u**2 / 2)

    likeliest = peak(rate, 0.0, 2.0, 1e-12)
    highest = rate(likeliest)
    if neurons is None:
        return highest
    n = whole(neurons, "neurons", least=3)
    root = math.sqrt(n - 2)
    z = likeliest * root + np.linspace(-WIDE, WIDE, INTEGRAL_STEPS + 1)
    exponents = n * (math.log(2) + log_ndtr(z / root) - highest) - z**2 / 2
    largest = exponents.max()  # the rounding of n numbers counts 1/n in the rate
    mean = np.sum(np.exp(exponents - largest)) * 2 * WIDE / INTEGRAL_STEPS / math.sqrt(2 * math.pi)
    return highest + (float(largest) + math.log(mean)) / n
