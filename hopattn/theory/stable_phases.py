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
from hopattn.theory.retrieval import NEAR_ZERO, WARMEST, along, critical

COLD = 0.005
"""The lowest temperature at which the depths of states are compared; down to 0, the load changes by 10⁻⁴."""


def stable_load(temperature: ArrayLike = 0.0) -> np.ndarray:
    """The largest load at which the stored patterns are the deepest states, `(...)` as the temperature.

    Up to `critical_load` a pattern still stays, but states of the spin glass lie deeper. 0 from T = 1 on.

    >>> import hopattn as ha
    >>> ha.theory.stable_load([0.0, 0.5, 1.0]).round(3)
    array([0.052, 0.028, 0.   ])
    """
    given = given_numbers(temperature, "temperature")
    return np.reshape([_stable(max(float(t), COLD)) if t <= WARMEST else 0.0 for t in given.ravel()], given.shape)


def stable_temperature(load: ArrayLike) -> np.ndarray:
    """The temperature T_c(α) up to which the stored patterns are the deepest states, `(...)` as the load.

    NaN for loads at which patterns are never the deepest, above .053. At low temperatures `stable_load` grows a little
    with T; the highest T is meant.

    >>> import hopattn as ha
    >>> ha.theory.stable_temperature([0.01, 0.04, 0.06]).round(2)
    array([0.72, 0.37,  nan])
    """
    given = given_numbers(load, "load")
    return np.reshape([_highest(float(a)) for a in given.ravel()], given.shape)


def glass_temperature(load: ArrayLike) -> np.ndarray:
    """The temperature T_g = 1 + √α above which no order is left, `(...)` as the load."""
    return np.asarray(1 + np.sqrt(given_numbers(load, "load")))


def _highest(load: float) -> float:
    """T_c at one load."""
    from scipy.optimize import brentq

    if load <= _stable(WARMEST):
        return 1.0
    low = next((t for t in (0.08, COLD) if _stable(t) >= load), None)
    return math.nan if low is None else float(brentq(lambda t: _stable(t) - load, low, WARMEST, xtol=1e-7))


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
        q = means(0.0, s)[1]
        return float(s * (temperature - (1 - q)) / math.sqrt(q) - math.sqrt(load))

    s = brentq(noise, 1e-4, (1 + 2 * math.sqrt(load)) / temperature + 1, xtol=1e-12)
    return solution(temperature, 0.0, float(s))
