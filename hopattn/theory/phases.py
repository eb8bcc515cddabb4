"""The phases of the Hopfield network: the lines in the plane of load and temperature, from the mean-field equations.

The load at a temperature, or the temperatures at a load, up to which

    critical_load, retrieval_temperatures     a pattern stays (α_c, T_M)
    stable_load, stable_temperatures          the patterns are the deepest states (T_c)
    replica_load, replica_temperature         replicas of a retrieved state are alike (de Almeida and Thouless)
    glass_temperature                         spins freeze (T_g), and replicas of the spin glass differ

α_c and the load of T_c first grow with T and then fall: between its values at T = 0 and at its highest, a load has two
temperatures, and the network retrieves between them. The equations suppose that replicas are alike, and this causes the
lower temperature, at which they are not.

Source: Amit, Gutfreund & Sompolinsky (1985), Phys. Rev. Lett. 55, 1530, and (1987), Ann. Phys. 173, 30; the return at
low temperatures: Naef & Canning (1992), J. Phys. I France 2, 247.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from hopattn.foundation.boundary import formula
from hopattn.foundation.errors import InvalidInput
from hopattn.theory.replica_symmetric import (
    COLDEST,
    NEAR_ZERO,
    ROOT_ERROR,
    Numbers,
    along,
    critical,
    each_number,
    peak,
    root,
    without_overlap,
)

WARMEST = 1 - 1e-6  # from here to 1, a temperature is searched for by its difference to 1
COLDEST_LINE = 1e-150  # the lowest temperature of the line of de Almeida and Thouless; lower ones are given as 0
NEARLY_ONE = 0.0101
STABLE = (
    *(0.14839939368481157, -0.08305818276506, 0.1230773749695, -0.55092459174747),
    *(2.59594750715, -16.26184406, 121.88883, -1051.3955, 9667.39),
)
"""From T = 1 − `NEARLY_ONE` on, the load of T_c is (1 − T)² times this series in 1 − T.

In units of (1 − T)², with ρ = αr/(1 − T) in the pattern and ρ = 1 + √a in the glass, a = 4ρ(1 − ρ)²/(3 − 2ρ) is the
load at which the two free energies are alike, expanded to the second order in 1 − T. The other terms fit the solutions
of the equations in 40 digits at eleven temperatures from .98 to .999; the next one is −8e4 (1 − T)⁹."""


@formula
def critical_load(temperature: Numbers = 0.0) -> np.ndarray:
    """The largest load α_c at which a pattern is retrieved, `(...)` as the temperature; 0 from T = 1 on.

    >>> float(critical_load().round(4))
    0.1379
    """
    return each_number(_critical_load, np.maximum(temperature, COLDEST))


@formula
def retrieval_temperatures(load: Numbers) -> np.ndarray:
    """The lowest and the highest temperature at which a stored pattern stays, `(..., 2)`; NaN above a load of .138189.

    The lowest one is 0 up to `critical_load()`, .137906; from there to .138189 the pattern is lost in the cold too.

    >>> retrieval_temperatures([0.1, 0.138, 0.139]).round(3)
    array([[0.   , 0.315],
           [0.004, 0.042],
           [  nan,   nan]])
    """
    return _both(_critical_load, load)


@formula
def retrieval_temperature(load: Numbers) -> np.ndarray:
    """The temperature T_M(α) up to which a stored pattern stays, `(...)` as the load; NaN above .138189.

    At higher temperatures, the network leaves the pattern that it starts from. It is the highest one of
    `retrieval_temperatures`.

    >>> retrieval_temperature([0.05, 0.1]).round(2)
    array([0.54, 0.32])
    """
    return np.asarray(_both(_critical_load, load)[..., 1])


@formula
def stable_load(temperature: Numbers = 0.0) -> np.ndarray:
    """The largest load at which the stored patterns are the deepest states, `(...)` as the temperature.

    Up to `critical_load` a pattern still stays, but states of the spin glass lie deeper. 0 from T = 1 on.

    >>> stable_load([0.0, 0.5, 1.0]).round(3)
    array([0.052, 0.028, 0.   ])
    """
    return each_number(_stable_load, np.maximum(temperature, COLDEST))


@formula
def stable_temperatures(load: Numbers) -> np.ndarray:
    """The lowest and the highest temperature at which the stored patterns are the deepest states, `(..., 2)`.

    Parameters
    ----------
    load : α.

    Notes
    -----
    NaN for loads at which patterns are never the deepest, above .053132; the lowest one is 0 up to .051854.

    Examples
    --------
    >>> stable_temperatures([0.05, 0.053]).round(3)
    array([[0.   , 0.216],
           [0.058, 0.112]])
    """
    return _both(_stable_load, load)


@formula
def stable_temperature(load: Numbers) -> np.ndarray:
    """The temperature T_c(α) up to which the stored patterns are the deepest states, `(...)` as the load.

    NaN for loads at which patterns are never the deepest, above .053. The highest one of `stable_temperatures`.

    >>> stable_temperature([0.01, 0.04, 0.06]).round(2)
    array([0.72, 0.37,  nan])
    """
    return np.asarray(_both(_stable_load, load)[..., 1])


@formula
def replica_load(temperature: Numbers) -> np.ndarray:
    """The largest load at which replicas of a retrieved state are alike, `(...)` as the temperature; 0 at T = 0.

    Parameters
    ----------
    temperature : T, 0 or at least 1e-150: the load falls as 1/(2 |ln T|).

    Raises
    ------
    InvalidInput : for other numbers.

    Notes
    -----
    Up to T = .025068 the load is below `critical_load`; at higher temperatures it is the same. Above it, the numbers of
    this theory are those of an approximation; near T = 0 it is a very good one.

    Examples
    --------
    >>> replica_load([0.001, 0.01, 0.1]).round(4), critical_load([0.001, 0.01, 0.1]).round(4)
    (array([0.0945, 0.1308, 0.135 ]), array([0.1379, 0.1381, 0.135 ]))
    """
    if np.any((temperature > 0) & (temperature < COLDEST_LINE)):
        raise InvalidInput(f"temperature: expected 0, or numbers of at least {COLDEST_LINE:g}")
    return each_number(_replica_load, temperature)


@formula
def replica_temperature(load: Numbers) -> np.ndarray:
    """The temperature T_R(α) below which replicas of a retrieved state differ, `(...)` as the load; NaN above .138186.

    For small loads it is √(8α/9π) exp(−1/(2α)); below 1e-150 it is given as 0.

    >>> replica_temperature([0.05, 0.1, 0.138]).round(6)
    array([5.0000e-06, 1.4500e-03, 2.2028e-02])
    """
    return each_number(_replica_temperature, load)


@formula
def glass_temperature(load: Numbers) -> np.ndarray:
    """The temperature T_g = 1 + √α above which no order is left, `(...)` as the load.

    Below it, replicas of the spin glass are never alike.
    """
    return np.asarray(1 + np.sqrt(load))


def _critical_load(temperature: float) -> float:
    """The largest load at which a pattern is retrieved."""
    return critical(temperature).load if temperature < 1 else 0.0


@lru_cache(maxsize=1024)
def _stable_load(temperature: float) -> float:
    """The largest load at which a pattern is the deepest state."""
    if temperature >= 1:
        return 0.0
    cold = 1 - temperature
    if cold < NEARLY_ONE:  # the free energies have no digits enough for their difference
        return float(np.polyval(STABLE[::-1], cold)) * cold**2

    def depth(s: float) -> float:
        """The free energy of the spin glass less that of the retrieved pattern."""
        state = along(temperature, s)
        return without_overlap(state.load, temperature).free_energy - state.free_energy

    last = critical(temperature).s
    return along(temperature, root(depth, last * 1e-3, last, NEAR_ZERO)).load


@lru_cache(maxsize=1024)
def _replica_load(temperature: float) -> float:
    """The largest load at which replicas are alike: that at which λ vanishes, or the largest one of all."""
    if temperature >= 1 or temperature < COLDEST_LINE:
        return 0.0
    last = critical(temperature)
    if last.symmetry >= 0:
        return last.load
    return along(temperature, root(lambda s: along(temperature, s).symmetry, NEAR_ZERO, last.s)).load


def _replica_temperature(load: float) -> float:
    """The lowest temperature at which replicas are alike."""
    top = _top(_replica_load)
    if load <= _replica_load(COLDEST_LINE):
        return 0.0
    if load >= _replica_load(top):
        return top if load <= _replica_load(top) + ROOT_ERROR else math.nan
    return math.exp(root(lambda log_t: _replica_load(math.exp(log_t)) - load, math.log(COLDEST_LINE), math.log(top)))


def _both(load_at: Callable[[float], float], load: np.ndarray) -> np.ndarray:
    """The two temperatures of each load on a line, `(..., 2)`."""
    return np.stack([each_number(lambda a, i=i: _between(load_at, a)[i], load) for i in (0, 1)], axis=-1)


@lru_cache(maxsize=4096)
def _between(load_at: Callable[[float], float], load: float) -> tuple[float, float]:
    """The temperatures with this load on a line that rises a little from T = 0 before it falls; NaN above it."""
    if load <= load_at(WARMEST):
        return 0.0, 1 - root(lambda cold: load_at(1 - cold) - load, 0.0, 1 - WARMEST, 1e-17)
    top = _top(load_at)
    if load >= load_at(top):
        return (top, top) if load <= load_at(top) + ROOT_ERROR else (math.nan, math.nan)
    high = root(lambda t: load_at(t) - load, top, WARMEST)
    return (0.0 if load <= load_at(COLDEST) else root(lambda t: load_at(t) - load, COLDEST, top)), high


@lru_cache
def _top(load_at: Callable[[float], float]) -> float:
    """The temperature of the largest load."""
    return peak(load_at, COLDEST, 0.2, 1e-7)
