"""The mean-field theory of the Hopfield network with P = αN random patterns and N → ∞ neurons.

    m = ∫Dz tanh((m + √(αr) z)/T)     q = ∫Dz tanh²((m + √(αr) z)/T)     r = q/(1 − C)²     C = (1 − q)/T

m: overlap with the retrieved pattern. q: order of the states. r: noise of the other patterns. Dz: the normal density.
With x = m/T and s = √(αr)/T, both integrals depend on x and s alone, so that T and α follow from x and s.

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
from hopattn.foundation.declared import checked
from hopattn.foundation.errors import InvalidInput

REACH, STEP = 9.0, 0.05  # the largest |z| of the integrals, and the largest step
STEEPEST = 0.28  # the largest step times s: the sum differs from the integral of tanh(sz) by exp(−π²/(s·step))
STEEP = 200.0  # the s from which on a series in 1/s replaces the integrals; its error there is below 1e-13
MOMENTS = (1.0, math.pi**2 / 24, 7 * math.pi**4 / 5760)  # ∫₀^∞ v^2k / cosh²v dv / (2k)!, for k = 0, 1, 2
COLDEST = 1e-30  # stands for all lower temperatures: no number differs from that at 0 by more than rounding
WARMEST = 1 - 1e-6  # the highest temperature that counts as below 1
LIGHTEST = 1e-18  # lower loads are taken as 0: the overlap differs by less than that
NEAR_ZERO = 1e-9
ROUNDING = 1e-12  # the error of the largest load that a line reaches


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
    warm = np.maximum(temperature, COLDEST)
    try:
        np.broadcast_shapes(load.shape, warm.shape)
    except ValueError:
        raise InvalidInput(f"temperature: shape {warm.shape} does not fit loads of {load.shape}") from None
    return each_number(_overlap, load, warm)


@checked
def critical_load(temperature: Numbers = 0.0) -> np.ndarray:
    """The largest load α_c at which a pattern is retrieved, `(...)` as the temperature; 0 from T = 1 on.

    >>> float(critical_load().round(4))
    0.1379
    """
    return each_number(_critical_load, np.maximum(temperature, COLDEST))


@checked
def retrieval_temperature(load: Numbers) -> np.ndarray:
    """The temperature T_M(α) up to which a stored pattern stays, `(...)` as the load; NaN above .1382.

    At higher temperatures, the network leaves the pattern that it starts from. At low temperatures `critical_load`
    grows a little with T; the highest T is meant.

    >>> retrieval_temperature([0.05, 0.1]).round(2)
    array([0.54, 0.32])
    """
    return each_number(lambda a: _highest(_critical_load, a), load)


@checked
def stable_load(temperature: Numbers = 0.0) -> np.ndarray:
    """The largest load at which the stored patterns are the deepest states, `(...)` as the temperature.

    Up to `critical_load` a pattern still stays, but states of the spin glass lie deeper. 0 from T = 1 on.

    >>> stable_load([0.0, 0.5, 1.0]).round(3)
    array([0.052, 0.028, 0.   ])
    """
    return each_number(_stable_load, np.maximum(temperature, COLDEST))


@checked
def stable_temperature(load: Numbers) -> np.ndarray:
    """The temperature T_c(α) up to which the stored patterns are the deepest states, `(...)` as the load.

    NaN for loads at which patterns are never the deepest, above .053. The highest T, as of `retrieval_temperature`.

    >>> stable_temperature([0.01, 0.04, 0.06]).round(2)
    array([0.72, 0.37,  nan])
    """
    return each_number(lambda a: _highest(_stable_load, a), load)


@checked
def glass_temperature(load: Numbers) -> np.ndarray:
    """The temperature T_g = 1 + √α above which no order is left, `(...)` as the load."""
    return np.asarray(1 + np.sqrt(load))


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
        noise = self.load / 2 * (t * math.log(rest) - self.q / rest + r * self.c)
        return self.load / 2 + self.m**2 / 2 + noise - t * _mean_log(self.m / t, self.s)


def solution(temperature: float, x: float, s: float) -> Solution:
    """The solution at this temperature with these x and s; α follows."""
    m, q, rest = _means(x, s)
    c = rest / temperature
    return Solution(temperature, (s * temperature * (1 - c)) ** 2 / q if q else 0.0, m, q, c, s)


def retrieved(load: float, temperature: float) -> Solution | None:
    """The solution in which a pattern is retrieved, None if there is none; T above 0 and below 1."""
    last = _critical(temperature)
    if not 0 < load <= last.load:
        return None
    return _along(temperature, _root(lambda s: _along(temperature, s).load - load, NEAR_ZERO, last.s))


def _overlap(load: float, temperature: float) -> float:
    """The overlap at one load and one temperature; a network with few patterns has m = tanh(m/T)."""
    if temperature < 1 and load < LIGHTEST:
        return _along(temperature, 0.0).m
    found = retrieved(load, temperature) if temperature < 1 else None
    return found.m if found else 0.0


def _along(temperature: float, s: float) -> Solution:
    """The solution with an overlap above 0 at this temperature, for an s up to that of `_critical`."""

    def excess(x: float) -> float:
        return _means(x, s)[0] - temperature * x

    least = 1e-6
    return solution(temperature, _root(excess, least, 1.001 / temperature) if excess(least) > 0 else 0.0, s)


@lru_cache(maxsize=1024)
def _critical(temperature: float) -> Solution:
    """The solution with the largest load, at a temperature below 1."""
    # At x = 0 the slope of the mean of tanh(x + sz) is the temperature at which the overlap vanishes for this s.
    vanished = _root(lambda s: _means(0.0, s)[2] - temperature, NEAR_ZERO, 1 / temperature)
    s = _peak(lambda s: _along(temperature, s).load, NEAR_ZERO, (1 - 1e-6) * vanished, 1e-9)
    return _along(temperature, s)


def _critical_load(temperature: float) -> float:
    """The largest load at which a pattern is retrieved."""
    return _critical(temperature).load if temperature < 1 else 0.0


@lru_cache(maxsize=1024)
def _stable_load(temperature: float) -> float:
    """The largest load at which a pattern is the deepest state."""
    if temperature > WARMEST:
        return 0.0

    def depth(s: float) -> float:
        """The free energy of the spin glass less that of the retrieved pattern."""
        found = _along(temperature, s)
        return _glass(found.load, temperature).free_energy - found.free_energy

    last = _critical(temperature).s
    return _along(temperature, _root(depth, last * 1e-3, last, NEAR_ZERO)).load


def _glass(load: float, temperature: float) -> Solution:
    """The solution without an overlap with any pattern, at a temperature below T_g."""

    def noise(s: float) -> float:
        """√α of this s, less that of the load; it changes its sign once where C < 1."""
        _, q, rest = _means(0.0, s)
        return s * (temperature - rest) / math.sqrt(q) - math.sqrt(load)

    return solution(temperature, 0.0, _root(noise, 1e-4, (1 + 2 * math.sqrt(load)) / temperature + 1))


@lru_cache(maxsize=4096)
def _highest(load_at: Callable[[float], float], load: float) -> float:
    """The highest temperature with this load on a line that rises a little from T = 0 before it falls; NaN above it."""
    if load <= load_at(WARMEST):
        return 1.0
    top = _top(load_at)
    if load >= load_at(top):
        return top if load <= load_at(top) + ROUNDING else math.nan
    return _root(lambda t: load_at(t) - load, top, WARMEST, 1e-9)


@lru_cache
def _top(load_at: Callable[[float], float]) -> float:
    """The temperature of the largest load."""
    return _peak(load_at, 0.0, 0.2, 1e-7)


def each_number(formula: Callable[..., float], *values: np.ndarray) -> np.ndarray:
    """A formula of numbers for each number of arrays that fit each other."""
    return np.asarray(np.vectorize(formula, otypes=[float])(*values))


def _root(f: Callable[[float], float], low: float, high: float, error: float = 1e-12) -> float:
    """The x between low and high at which f changes its sign."""
    from scipy.optimize import brentq  # imported here, because it is slow to import

    return float(brentq(f, low, high, xtol=error))


def _peak(f: Callable[[float], float], low: float, high: float, error: float) -> float:
    """The x between low and high at which f is largest."""
    from scipy.optimize import minimize_scalar

    return float(minimize_scalar(lambda x: -f(x), bounds=(low, high), options={"xatol": error}).x)


def _means(x: float, s: float) -> tuple[float, float, float]:
    """The means of tanh, tanh² and 1 − tanh² of x + sz over a normal z.

    For a large s, the field v = x + sz has nearly the density f(0) wherever tanh v differs from the sign of v. With the
    derivatives of f at 0 and the `MOMENTS` a_k, the first mean is erf(x/√2s) − 2 Σ_{k≥1} a_k f^(2k−1)(0), and the last
    one, its derivative by x, 2 Σ_{k≥0} a_k f^(2k)(0).
    """
    if s < STEEP:
        z, density = _nodes(s)
        thermal = np.tanh(x + s * z)
        return float(density @ thermal), float(density @ thermal**2), float(density @ (1 - thermal**2))
    f = _density(x, s)
    rest = 2 * sum(moment * f[2 * k] for k, moment in enumerate(MOMENTS))
    odd = 2 * sum(moment * f[2 * k + 1] for k, moment in enumerate(MOMENTS[1:]))
    return math.erf(x / s / math.sqrt(2)) - odd, 1 - rest, rest


def _mean_log(x: float, s: float) -> float:
    """The mean of log 2 cosh(x + sz); for a large s, that of |x + sz| and 2 Σ_{k≥1} a_k f^(2k−2)(0)."""
    if s < STEEP:
        z, density = _nodes(s)
        return float(density @ np.logaddexp(x + s * z, -x - s * z))
    f = _density(x, s)
    even = 2 * sum(moment * f[2 * k] for k, moment in enumerate(MOMENTS[1:]))
    return x * math.erf(x / s / math.sqrt(2)) + 2 * s**2 * f[0] + even


def _density(x: float, s: float) -> list[float]:
    """The density f of x + sz at 0, and its derivatives there up to the fourth, by Hermite's polynomials."""
    y = x / s
    hermite = (1.0, y, y**2 - 1, y**3 - 3 * y, y**4 - 6 * y**2 + 3)
    density = math.exp(-(y**2) / 2) / math.sqrt(2 * math.pi)
    return [density * value / s ** (order + 1) for order, value in enumerate(hermite)]


def _nodes(s: float) -> tuple[np.ndarray, np.ndarray]:
    """The points z and their weights, which add up to 1; fine enough for tanh(x + sz)."""
    finer = max(0, math.ceil(math.log2(max(s, 1e-9) * STEP / STEEPEST)))
    return _spaced(STEP / 2**finer)


@lru_cache(maxsize=32)
def _spaced(step: float) -> tuple[np.ndarray, np.ndarray]:
    """Points at equal distances, and the normal density at each as a share."""
    z = np.linspace(-REACH, REACH, 2 * math.ceil(REACH / step) + 1)
    density = np.exp(-(z**2) / 2)
    return z, density / density.sum()
