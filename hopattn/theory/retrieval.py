"""Retrieval in the Hopfield network with infinitely many neurons: the overlap that stays, and where it is lost.

Source: Amit, Gutfreund & Sompolinsky (1985), Phys. Rev. Lett. 55, 1530, and (1987), Ann. Phys. 173, 30. α_c(0) = .138.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from hopattn.foundation.errors import InvalidInput
from hopattn.theory.given import given_numbers
from hopattn.theory.order_parameters import Solution, means, solution, susceptible

COLDEST = 1e-30
"""The temperature that stands for all lower ones: no number differs from that at 0 by more than rounding."""
WARMEST = 1 - 1e-6
"""The highest temperature below 1 that is told from 1."""
LIGHTEST = 1e-18
"""Loads below this one are taken as 0: the overlap of a network with few patterns differs by less than that."""
NEAR_ZERO = 1e-9
ROUNDING = 1e-12
"""The error of the largest load that a line reaches."""


def overlap(load: ArrayLike, temperature: ArrayLike = 0.0) -> np.ndarray:
    """The overlap m of the state with the pattern that is retrieved, in a Hopfield network of infinitely many neurons.

    load: α = P/N, 0 or more, `(...)`. temperature: T of Glauber's update, 0 or more; an array fits the loads. Gives the
    larger root of the mean-field equations, and 0 where there is none. Raises `InvalidInput` for other numbers.

    >>> import hopattn as ha
    >>> ha.theory.overlap([0.05, 0.13, 0.14]).round(3)
    array([1.   , 0.987, 0.   ])
    """
    loads, temperatures = given_numbers(load, "load"), given_numbers(temperature, "temperature")
    try:
        loads, temperatures = np.broadcast_arrays(loads, temperatures)
    except ValueError:
        raise InvalidInput(f"temperature: shape {temperatures.shape} does not fit loads of {loads.shape}") from None
    temperatures = np.maximum(temperatures, COLDEST)
    flat = [_overlap(float(a), float(t)) for a, t in zip(loads.ravel(), temperatures.ravel(), strict=True)]
    return np.reshape(flat, loads.shape)


def critical_load(temperature: ArrayLike = 0.0) -> np.ndarray:
    """The largest load α_c at which a pattern is retrieved, `(...)` as the temperature; 0 from T = 1 on.

    >>> import hopattn as ha
    >>> float(ha.theory.critical_load().round(4))
    0.1379
    """
    given = np.maximum(given_numbers(temperature, "temperature"), COLDEST)
    return np.reshape([critical(float(t)).load if t < 1 else 0.0 for t in given.ravel()], given.shape)


def retrieval_temperature(load: ArrayLike) -> np.ndarray:
    """The temperature T_M(α) up to which a stored pattern stays, `(...)` as the load; NaN above .1382.

    At higher temperatures, the network leaves the pattern that it starts from. At low temperatures `critical_load`
    grows a little with T; the highest T is meant.

    >>> import hopattn as ha
    >>> ha.theory.retrieval_temperature([0.05, 0.1]).round(2)
    array([0.54, 0.32])
    """
    given = given_numbers(load, "load")
    return np.reshape([highest(_critical_load, float(a)) for a in given.ravel()], given.shape)


@lru_cache(maxsize=4096)
def highest(load_at: Callable[[float], float], load: float) -> float:
    """The highest temperature with this load on a line that rises a little from T = 0 before it falls; NaN above it."""
    from scipy.optimize import brentq

    if load <= load_at(WARMEST):
        return 1.0
    top = _top(load_at)
    if load >= load_at(top):
        return top if load <= load_at(top) + ROUNDING else math.nan
    return float(brentq(lambda t: load_at(t) - load, top, WARMEST, xtol=1e-9))


@lru_cache
def _top(load_at: Callable[[float], float]) -> float:
    """The temperature of the largest load."""
    from scipy.optimize import minimize_scalar

    return float(minimize_scalar(lambda t: -load_at(t), bounds=(0.0, 0.2), options={"xatol": 1e-7}).x)


def _critical_load(temperature: float) -> float:
    return critical(temperature).load


def retrieved(load: float, temperature: float) -> Solution | None:
    """The solution in which a pattern is retrieved, None if there is none; T above 0 and below 1."""
    from scipy.optimize import brentq

    last = critical(temperature)
    if not 0 < load <= last.load:
        return None
    s = brentq(lambda s: along(temperature, s).load - load, NEAR_ZERO, last.s, xtol=1e-12)
    return along(temperature, float(s))


def along(temperature: float, s: float) -> Solution:
    """The solution with an overlap above 0 at this temperature, for s below `_largest`."""
    from scipy.optimize import brentq

    def excess(x: float) -> float:
        return means(x, s)[0] - temperature * x

    least = 1e-6
    x = float(brentq(excess, least, 1.001 / temperature, xtol=1e-12)) if excess(least) > 0 else 0.0
    return solution(temperature, x, s)


def _overlap(load: float, temperature: float) -> float:
    """The overlap at one load and one temperature; a network with few patterns has m = tanh(m/T)."""
    if temperature >= 1:
        return 0.0
    if load < LIGHTEST:
        return along(temperature, 0.0).m
    found = retrieved(load, temperature)
    return found.m if found else 0.0


@lru_cache(maxsize=1024)
def critical(temperature: float) -> Solution:
    """The solution with the largest load at one temperature below 1."""
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(
        lambda s: -along(temperature, s).load, bounds=(NEAR_ZERO, _largest(temperature)), options={"xatol": 1e-9}
    )
    return along(temperature, float(found.x))


def _largest(temperature: float) -> float:
    """The s at which the overlap vanishes at this temperature."""
    from scipy.optimize import brentq

    return (1 - 1e-6) * float(brentq(lambda s: susceptible(s) - temperature, NEAR_ZERO, 1 / temperature, xtol=1e-12))
