"""The mean-field theory of the Hopfield network with P = αN random patterns and N → ∞ neurons.

    m = ∫Dz tanh((m + √(αr) z)/T)     q = ∫Dz tanh²((m + √(αr) z)/T)     r = q/(1 − C)²     C = (1 − q)/T

m: overlap with the retrieved pattern. q: order of the states. r: noise of the other patterns. Dz: the normal density.
With x = m/T and s = √(αr)/T, both integrals depend on x and s alone, so that T and α follow from x and s. The equations
are those of a stationary free energy of replicas that are alike; the replicas stay alike where

    λ = 1 − s²/q ∫Dz (1 − tanh²(x + sz))²  >  0          (the line of de Almeida and Thouless is λ = 0)

Source: Amit, Gutfreund & Sompolinsky (1985), Phys. Rev. Lett. 55, 1530 (figure 1 has the lines), and (1987), Ann. Phys.
173, 30, equations of the replica-symmetric theory. α_c(0) = .138; T_c(α) ends near α = .05; T_g(α) = 1 + √α.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import numpy as np

from hopattn.foundation.arrays import NumberOrArray, as_float64
from hopattn.foundation.boundary import Flag, formula
from hopattn.foundation.errors import InvalidInput
from hopattn.theory.normal_means import fourth, mean_log, means, shortfall

COLDEST = 1e-30  # stands for all lower temperatures: no number differs from that at 0 by more than rounding
LEAST_LOAD = 1e-18  # lower loads, as shares of that at which the overlap vanishes, are taken as 0
WARM = 0.5  # the temperature from which on sums are taken of small numbers, which keep their digits near T = 1
NEAR_ZERO = 1e-9
ROOT_ERROR = 1e-12  # the error of a root, and of the largest load of a line


def given_numbers(values: NumberOrArray, what: str, zero: bool = True) -> np.ndarray:
    """Numbers of at least 0 as an array in float64; raises `InvalidInput` for others, and for 0 unless `zero`."""
    array = as_float64(values, what)
    if not np.all(np.isfinite(array) & ((array >= 0) if zero else (array > 0))):
        raise InvalidInput(f"{what}: expected finite numbers {'of at least 0' if zero else 'above 0'}")
    return array


Numbers = Annotated[NumberOrArray, given_numbers]


@formula
def overlap(load: Numbers, temperature: Numbers = 0.0) -> np.ndarray:
    """The overlap m of the state with the pattern that is retrieved, in a Hopfield network of infinitely many neurons.

    Parameters
    ----------
    load : α = P/N, 0 or more, `(...)`.
    temperature : T of Glauber's update, 0 or more; an array fits the loads.

    Raises
    ------
    InvalidInput : for other numbers.

    Notes
    -----
    Gives the larger root of the mean-field equations, and 0 where there is none.

    Examples
    --------
    >>> overlap([0.05, 0.13, 0.14]).round(3)
    array([1.   , 0.987, 0.   ])
    """
    return at_each_point(_overlap, load, temperature)


@formula
def free_energy(load: Numbers, temperature: Numbers = 0.0, *, glass: Flag = False) -> np.ndarray:
    """The free energy of a neuron in the state in which a pattern is retrieved, `(...)`; NaN where there is none.

    Parameters
    ----------
    load, temperature : as of `overlap`.
    glass
        of the state without an overlap with any pattern instead: the spin glass, and from `glass_temperature` on the
        state without any order.

    Notes
    -----
    Of the two states at one point, the lower one is stable, the other one metastable. At T = 0, it is the energy, with
    self-couplings α left out as in the network. Source: Amit, Gutfreund & Sompolinsky (1987), section 3; replicas are
    taken to be alike.

    Examples
    --------
    >>> free_energy(0.02, [0.0, 0.3]).round(4), free_energy(0.02, [0.0, 0.3], glass=True).round(4)
    (array([-0.5   , -0.5006]), array([-0.4311, -0.4506]))
    """
    return at_each_point(_glass_free_energy if glass else _free_energy, load, temperature)


@dataclass(frozen=True)
class Solution:
    """One solution of the equations: temperature T, load α, overlap m, order q, susceptibility C, and s = √(αr)/T."""

    temperature: float
    load: float
    m: float
    q: float
    c: float
    s: float

    @property
    def free_energy(self) -> float:
        """The free energy of a neuron at this solution; where two solutions exist, the lower one is stable."""
        # The terms of α/2 + αT ln(1 − C)/2 + αr (2C − 1)/2 are of the size of α. With q = 1 − CT and αr = αq/(1 − C)²,
        # they are αr C²/2 + αT (ln(1 − C) + C)/2, which are of the size of 1 and T; αr = (sT)².
        t, c = self.temperature, self.c
        entropy = self.load * _bend(c) * (c * t) if c < 1 else 0.0  # c is 1 for a load of 0, up to rounding
        return self.m**2 / 2 + ((self.s * t * c) ** 2 - entropy) / 2 - t * mean_log(self.m / t, self.s)

    @property
    def symmetry(self) -> float:
        """λ, the stability against a difference between replicas."""
        return 1 - self.s * (self.s * fourth(self.m / self.temperature, self.s)) / self.q


def solution(temperature: float, x: float, s: float) -> Solution:
    """The solution at this temperature with these x and s; α follows."""
    m, q, slope = means(x, s)
    free = _free(temperature, x, s)
    return Solution(temperature, (s * free) ** 2 / q if q else 0.0, m, q, slope / temperature, s)


def retrieved(load: float, temperature: float) -> Solution | None:
    """The solution in which a pattern is retrieved, None if there is none."""
    if temperature >= 1:
        return None
    scale = _scale(temperature)
    if load < LEAST_LOAD * scale**4:
        return along(temperature, 0.0)
    last = critical(temperature)
    if load > last.load:
        return None
    s = root(lambda s: along(temperature, s).load - load, NEAR_ZERO * scale, last.s, ROOT_ERROR * scale)
    return along(temperature, s)


def without_overlap(load: float, temperature: float) -> Solution:
    """The solution without an overlap with any pattern: that of the spin glass, and q = 0 from T_g on."""

    def noise(s: float) -> float:
        """√α of this s, less that of the load; it changes its sign once where C < 1."""
        return s * _free(temperature, 0.0, s) / math.sqrt(means(0.0, s)[1]) - math.sqrt(load)

    if noise(NEAR_ZERO) >= 0:
        return Solution(temperature, load, 0.0, 0.0, 1 / temperature, 0.0)
    return solution(temperature, 0.0, root(noise, NEAR_ZERO, (1 + 2 * math.sqrt(load)) / temperature + 1))


def along(temperature: float, s: float) -> Solution:
    """The solution with an overlap above 0 at this temperature, for an s up to that of `critical`."""

    def excess(x: float) -> float:
        """The mean of tanh(x + sz) less xT."""
        if temperature > WARM:
            return (1 - temperature) * x - shortfall(x, s)
        return means(x, s)[0] - temperature * x

    scale = _scale(temperature)
    least = 1e-6 * scale
    x = root(excess, least, 1.001 / temperature, ROOT_ERROR * scale) if excess(least) > 0 else 0.0
    return solution(temperature, x, s)


@lru_cache(maxsize=1024)
def critical(temperature: float) -> Solution:
    """The solution with an overlap that has the largest load, at a temperature below 1."""
    # At x = 0 the slope of the mean of tanh(x + sz) is the temperature at which the overlap vanishes for this s.
    scale = _scale(temperature)
    vanished = root(lambda s: _free(temperature, 0.0, s), NEAR_ZERO * scale, 1 / temperature, ROOT_ERROR * scale)
    most = (1 - 1e-6) * vanished
    share = peak(lambda share: along(temperature, share * most).load, NEAR_ZERO * scale / most, 1.0, 1e-9)
    return along(temperature, share * most)


def _free(temperature: float, x: float, s: float) -> float:
    """T(1 − C), which is T − 1 + q."""
    _, q, slope = means(x, s)
    return q - (1 - temperature) if temperature > WARM else temperature - slope


def _bend(c: float) -> float:
    """−ln(1 − C)/C − 1, which is C/2 + C²/3 + … for a small C."""
    if c > 0.1:
        return -math.log1p(-c) / c - 1
    return sum(c**k / (k + 1) for k in range(1, 16))


def _scale(temperature: float) -> float:
    """The size of x and s: 1 in the cold; near T = 1 both are of the order of √(1 − T), and the load of (1 − T)²."""
    return math.sqrt(min(1.0, 2 * (1 - temperature)))


def _overlap(load: float, temperature: float) -> float:
    """The overlap at one load and one temperature."""
    state = retrieved(load, temperature)
    return state.m if state else 0.0


def _free_energy(load: float, temperature: float) -> float:
    """The free energy of the state in which a pattern is retrieved."""
    state = retrieved(load, temperature)
    return state.free_energy if state else math.nan


def _glass_free_energy(load: float, temperature: float) -> float:
    """The free energy of the state without an overlap."""
    return without_overlap(load, temperature).free_energy


def each_number(formula: Callable[..., float], *values: np.ndarray) -> np.ndarray:
    """A formula of numbers for each number of arrays that fit each other."""
    return np.asarray(np.vectorize(formula, otypes=[float])(*values))


def at_each_point(formula: Callable[[float, float], float], load: np.ndarray, temperature: np.ndarray) -> np.ndarray:
    """A formula of a load and a temperature for arrays of them; raises `InvalidInput` where these do not fit."""
    try:
        np.broadcast_shapes(load.shape, np.shape(temperature))
    except ValueError:
        shape = np.shape(temperature)
        raise InvalidInput(f"temperature: shape {shape} does not fit loads of {load.shape}") from None
    return each_number(formula, load, np.maximum(temperature, COLDEST))


def root(f: Callable[[float], float], low: float, high: float, error: float = ROOT_ERROR) -> float:
    """The x between low and high at which f changes its sign."""
    from scipy.optimize import brentq  # imported here, because it is slow to import

    return float(brentq(f, low, high, xtol=error))


def peak(f: Callable[[float], float], low: float, high: float, error: float) -> float:
    """The x between low and high at which f is largest."""
    from scipy.optimize import minimize_scalar

    return float(minimize_scalar(lambda x: -f(x), bounds=(low, high), options={"xatol": error}).x)
