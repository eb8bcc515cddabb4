"""The phases of the Hopfield network: where a stored pattern is the deepest state, and where the spin glass melts.

Source: Amit, Gutfreund & Sompolinsky (1985), Phys. Rev. Lett. 55, 1530, figure 1: T_c(α) ends near α = .05,
and T_g(α) = 1 + √α.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from hopattn.theory.given import given_numbers
from hopattn.theory.order_parameters import Solution, means, solution
from hopattn.theory.retrieval import COLDEST, NEAR_ZERO, WARMEST, along, critical, highest


def stable_load(temperature: ArrayLike = 0.0) -> np.ndarray:
    """The largest load at which the stored patterns are the deepest states, `(...)` as the temperature.

    Up to `critical_load` a pattern still stays, but states of the spin glass lie deeper. 0 from T = 1 on.

    >>> import hopattn as ha
    >>> ha.theory.stable_load([0.0, 0.5, 1.0]).round(3)
    array([0.052, 0.028, 0.   ])
    """
    given = np.maximum(given_numbers(temperature, "temperature"), COLDEST)
    return np.reshape([_stable(float(t)) if t <= WARMEST else 0.0 for t in given.ravel()], given.shape)


def stable_temperature(load: ArrayLike) -> np.ndarray:
    """The temperature T_c(α) up to which the stored patterns are the deepest states, `(...)` as the load.

    NaN for loads at which patterns are never the deepest, above .053. At low temperatures `stable_load` grows a little
    with T; the highest T is meant.

    >>> import hopattn as ha
    >>> ha.theory.stable_temperature([0.01, 0.04, 0.06]).round(2)
    array([0.72, 0.37,  nan])
    """
    given = given_numbers(load, "load")
    return np.reshape([highest(_stable, float(a)) for a in given.ravel()], given.shape)


def glass_temperature(load: ArrayLike) -> np.ndarray:
    """The temperature T_g = 1 + √α above which no order is left, `(...)` as the load."""
    return np.asarray(1 + np.sqrt(given_numbers(load, "load")))


@lru_cache(maxsize=1024)
def _stable(temperature: float) -> float:
    """The largest load at one temperature below 1 at which a pattern is the deepest state."""
    from scipy.optimize import brentq

    last = critical(temperature).s
    s = brentq(lambda s: _depth(along(temperature, s)), last * 1e-3, last, xtol=NEAR_ZERO)
    return along(temperature, float(s)).load


def _depth(found: Solution) -> float:
    """The free energy of the spin glass less that of a retrieved pattern: above 0 where the pattern is deeper."""
    return _glass(found.load, found.temperature).free_energy - found.free_energy


def _glass(load: float, temperature: float) -> Solution:
    """The solution without an overlap with any pattern, at a temperature below T_g."""
    from scipy.optimize import brentq

    def noise(s: float) -> float:
        """√α of this s, less that of the load; it changes its sign once where C < 1."""
        _, q, rest = means(0.0, s)
        return s * (temperature - rest) / math.sqrt(q) - math.sqrt(load)

    s = brentq(noise, 1e-4, (1 + 2 * math.sqrt(load)) / temperature + 1, xtol=1e-12)
    return solution(temperature, 0.0, float(s))
