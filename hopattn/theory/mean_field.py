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
from typing import Annotated, Any

import numpy as np

from hopattn.foundation.arrays import as_numpy
from hopattn.foundation.declared import Flag, checked
from hopattn.foundation.errors import InvalidInput
from hopattn.theory.normal_means import fourth, mean_log, means

COLDEST = 1e-30  # stands for all lower temperatures: no number differs from that at 0 by more than rounding
LIGHTEST = 1e-18  # lower loads are taken as 0: the overlap differs by less than that
NEAR_ZERO = 1e-9


def given_numbers(values: Any, what: str, zero: bool = True) -> np.ndarray:
    """Numbers of at least 0 as an array in float64; raises `InvalidInput` for others, and for 0 unless `zero`."""
    array = as_numpy(values, what).astype(np.float64, copy=False)
    if not np.all(np.isfinite(array) & ((array >= 0) if zero else (array > 0))):
        raise InvalidInput(f"{what}: expected finite numbers {'of at least 0' if zero else 'above 0'}")
    return array


Numbers = Annotated[Any, given_numbers]


@checked
def overlap(load: Numbers, temperature: Numbers = 0.0) -> np.ndarray:
    """The overlap m of the state with the pattern that is retrieved, in a Hopfield network of infinitely many neurons.

    load: α = P/N, 0 or more, `(...)`. temperature: T of Glauber's update, 0 or more; an array fits the loads. Gives the
    larger root of the mean-field equations, and 0 where there is none. Raises `InvalidInput` for other numbers.

    >>> overlap([0.05, 0.13, 0.14]).round(3)
    array([1.   , 0.987, 0.   ])
    """
    return at_each_point(_overlap, load, temperature)


@checked
def free_energy(load: Numbers, temperature: Numbers = 0.0, glass: Flag = False) -> np.ndarray:
    """The free energy of a neuron in the state in which a pattern is retrieved, `(...)`; NaN where there is none.

    load and temperature: as of `overlap`. glass: of the state without an overlap with any pattern instead: the spin
    glass, and from `glass_temperature` on the state without any order. Of the two states at one point, the lower one is
    stable, the other one metastable. At T = 0, it is the energy, with self-couplings α left out as in the network.
    Source: Amit, Gutfreund & Sompolinsky (1987), section 3; replicas are taken to be alike.

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
        t, rest = self.temperature, 1 - self.c
        r = self.q / rest**2
        noise = self.load / 2 * (t * math.log1p(-self.c) - self.q / rest + r * self.c)
        return self.load / 2 + self.m**2 / 2 + noise - t * mean_log(self.m / t, self.s)

    @property
    def symmetry(self) -> float:
        """λ, the stability against a difference between replicas."""
        return 1 - self.s * (self.s * fourth(self.m / self.temperature, self.s)) / self.q


def solution(temperature: float, x: float, s: float) -> Solution:
    """The solution at this temperature with these x and s; α follows."""
    m, q, rest = means(x, s)
    c = rest / temperature
    return Solution(temperature, (s * temperature * (1 - c)) ** 2 / q if q else 0.0, m, q, c, s)


def retrieved(load: float, temperature: float) -> Solution | None:
    """The solution in which a pattern is retrieved, None if there is none."""
    if temperature >= 1:
        return None
    if load < LIGHTEST:
        return along(temperature, 0.0)
    last = critical(temperature)
    if load > last.load:
        return None
    return along(temperature, root(lambda s: along(temperature, s).load - load, NEAR_ZERO, last.s))


def without_overlap(load: float, temperature: float) -> Solution:
    """The solution without an overlap with any pattern: that of the spin glass, and q = 0 from T_g on."""
    load = max(load, LIGHTEST)

    def noise(s: float) -> float:
        """√α of this s, less that of the load; it changes its sign once where C < 1."""
        _, q, rest = means(0.0, s)
        return s * (temperature - rest) / math.sqrt(q) - math.sqrt(load)

    if noise(NEAR_ZERO) >= 0:
        return Solution(temperature, load, 0.0, 0.0, 1 / temperature, 0.0)
    return solution(temperature, 0.0, root(noise, NEAR_ZERO, (1 + 2 * math.sqrt(load)) / temperature + 1))


def along(temperature: float, s: float) -> Solution:
    """The solution with an overlap above 0 at this temperature, for an s up to that of `critical`."""

    def excess(x: float) -> float:
        return means(x, s)[0] - temperature * x

    least = 1e-6
    return solution(temperature, root(excess, least, 1.001 / temperature) if excess(least) > 0 else 0.0, s)


@lru_cache(maxsize=1024)
def critical(temperature: float) -> Solution:
    """The solution with an overlap that has the largest load, at a temperature below 1."""
    # At x = 0 the slope of the mean of tanh(x + sz) is the temperature at which the overlap vanishes for this s.
    vanished = root(lambda s: means(0.0, s)[2] - temperature, NEAR_ZERO, 1 / temperature)
    s = peak(lambda s: along(temperature, s).load, NEAR_ZERO, (1 - 1e-6) * vanished, 1e-9)
    return along(temperature, s)


def _overlap(load: float, temperature: float) -> float:
    """The overlap at one load and one temperature."""
    found = retrieved(load, temperature)
    return found.m if found else 0.0


def _free_energy(load: float, temperature: float) -> float:
    """The free energy of the state in which a pattern is retrieved."""
    found = retrieved(load, temperature)
    return found.free_energy if found else math.nan


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


def root(f: Callable[[float], float], low: float, high: float, error: float = 1e-12) -> float:
    """The x between low and high at which f changes its sign."""
    from scipy.optimize import brentq  # imported here, because it is slow to import

    return float(brentq(f, low, high, xtol=error))


def peak(f: Callable[[float], float], low: float, high: float, error: float) -> float:
    """The x between low and high at which f is largest."""
    from scipy.optimize import minimize_scalar

    return float(minimize_scalar(lambda x: -f(x), bounds=(low, high), options={"xatol": error}).x)
