"""The phases of the Hopfield network: where a stored pattern is the deepest state, and where the spin glass melts.

Source: Amit, Gutfreund & Sompolinsky (1985), Phys. Rev. Lett. 55, 1530, figure 1: T_c(α) ends near α = .05,
and T_g(α) = 1 + √α.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from hopattn.theory.order_parameters import Solution, means, solution
from hopattn.theory.retrieval import checked, melting, retrieved

COLD = 0.01
"""The lowest temperature at which the free energies of two phases are compared."""


def stable_temperature(load: ArrayLike) -> np.ndarray:
    """The temperature T_c(α) up to which the stored patterns are the deepest states, `(...)` as the load.

    Between T_c and `retrieval_temperature` a pattern still stays, but states of the spin glass lie deeper. NaN for
    loads at which patterns are never the deepest, above .053.

    >>> import hopattn as ha
    >>> ha.theory.stable_temperature([0.01, 0.04, 0.06]).round(2)
    array([0.72, 0.37,  nan])
    """
    given = checked(load, "load")
    return np.reshape([_stable(float(a)) for a in given.ravel()], given.shape)


def glass_temperature(load: ArrayLike) -> np.ndarray:
    """The temperature T_g = 1 + √α above which no order is left, `(...)` as the load."""
    return np.asarray(1 + np.sqrt(checked(load, "load")))


def _stable(load: float) -> float:
    """T_c at one load."""
    from scipy.optimize import brentq

    if load == 0:
        return 1.0
    highest = melting(load) - 1e-6
    if math.isnan(highest) or _depth(load, COLD) <= 0:
        return math.nan
    return float(brentq(lambda t: _depth(load, t), COLD, highest, xtol=1e-7))


def _depth(load: float, temperature: float) -> float:
    """The free energy of the spin glass less that of a retrieved pattern: above 0 where the pattern is deeper."""
    found = retrieved(load, temperature)
    return -math.inf if found is None else _glass(load, temperature).free_energy - found.free_energy


def _glass(load: float, temperature: float) -> Solution:
    """The solution without an overlap with any pattern, at a temperature below T_g."""
    from scipy.optimize import brentq

    def noise(s: float) -> float:
        """√α less the one that belongs to s; it changes its sign once where C < 1."""
        q = means(0.0, s)[1]
        return float(s * (temperature - (1 - q)) / math.sqrt(q) - math.sqrt(load))

    s = brentq(noise, 1e-4, (1 + 2 * math.sqrt(load)) / temperature + 1, xtol=1e-12)
    return solution(temperature, 0.0, float(s))
