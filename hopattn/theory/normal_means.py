"""Means over a normal field v = x + sz, z of the normal density: of tanh v, of its powers, and of log 2 cosh v.

A small s is summed over points at equal distances, a large s is a series in 1/s; both are exact to rounding.
"""

import math
from functools import lru_cache

import numpy as np

LARGEST_Z, LARGEST_STEP = 9.0, 0.05  # the largest |z| of the integrals, and the largest step
STEEPEST = 0.28  # the largest step times s: the sum differs from the integral of tanh(sz) by exp(−π²/(s·step))
STEEP = 64.0  # the s from which on a series in 1/s replaces the integrals; its error there is below 1e-13
SECH_MOMENTS = (1.0, math.pi**2 / 24, 7 * math.pi**4 / 5760, 31 * math.pi**6 / 967680)
"""∫₀^∞ v^2k / cosh²v dv / (2k)!, for k from 0 to 3."""


def means(x: float, s: float) -> tuple[float, float, float]:
    """The means of tanh, tanh² and 1 − tanh² of x + sz over a normal z.

    For a large s, the field v = x + sz has nearly the density f(0) wherever tanh v differs from the sign of v. With the
    derivatives of f at 0 and the `SECH_MOMENTS` a_k, the first mean is erf(x/√2s) − 2 Σ_{k≥1} a_k f^(2k−1)(0). The last
    mean is its derivative by x, 2 Σ_{k≥0} a_k f^(2k)(0).
    """
    if s < STEEP:
        z, density = points(s)
        thermal = np.tanh(x + s * z)
        return float(density @ thermal), float(density @ thermal**2), float(density @ (1 - thermal**2))
    f = _density(x, s)
    slope = 2 * sum(moment * f[2 * k] for k, moment in enumerate(SECH_MOMENTS))
    odd = 2 * sum(moment * f[2 * k + 1] for k, moment in enumerate(SECH_MOMENTS[1:]))
    return math.erf(x / s / math.sqrt(2)) - odd, 1 - slope, slope


def shortfall(x: float, s: float) -> float:
    """The mean of v − tanh v, for s up to 2; to its last digit for small x and s too."""
    z, density = points(s)
    return float(density @ lag(x + s * z))


def lag(v: np.ndarray) -> np.ndarray:
    """v − tanh v: below 1 by Lambert's fraction v/tanh v = 1 + v²/(3 + v²/(5 + …)), elsewhere by the difference."""
    squared, below = np.minimum(v * v, 1.0), 17.0
    for odd in range(15, 2, -2):
        below = odd + squared / below
    tanh = np.tanh(v)
    return np.asarray(np.where(np.abs(v) < 1, tanh * squared / below, v - tanh))


def fourth(x: float, s: float) -> float:
    """The mean of (1 − tanh²)²; for a large s from (1 − tanh²)″ = 4 (1 − tanh²) − 6 (1 − tanh²)²."""
    if s < STEEP:
        z, density = points(s)
        return float(density @ (1 - np.tanh(x + s * z) ** 2) ** 2)
    f = _density(x, s)
    return (4 * means(x, s)[2] - 2 * sum(moment * f[2 * k + 2] for k, moment in enumerate(SECH_MOMENTS[:3]))) / 6


def mean_log(x: float, s: float) -> float:
    """The mean of log 2 cosh(x + sz); for a large s, that of |x + sz| and 2 Σ_{k≥1} a_k f^(2k−2)(0)."""
    if s < STEEP:
        z, density = points(s)
        return float(density @ np.logaddexp(x + s * z, -x - s * z))
    f = _density(x, s)
    even = 2 * sum(moment * f[2 * k] for k, moment in enumerate(SECH_MOMENTS[1:]))
    return x * math.erf(x / s / math.sqrt(2)) + 2 * s * (s * f[0]) + even


def _density(x: float, s: float) -> list[float]:
    """The density f of x + sz at 0, and its derivatives there up to the sixth, by Hermite's polynomials."""
    y = min(x / s, 1e3)  # from 40 on, the density is 0
    hermite = [1.0, y]
    for order in range(1, 6):
        hermite.append(y * hermite[order] - order * hermite[order - 1])
    density = math.exp(-(y**2) / 2) / math.sqrt(2 * math.pi)
    return [density * value * (1 / s) ** (order + 1) for order, value in enumerate(hermite)]


def points(s: float) -> tuple[np.ndarray, np.ndarray]:
    """The points z and their weights, which add up to 1; fine enough for tanh(x + sz)."""
    finer = max(0, math.ceil(math.log2(max(s, 1e-9) * LARGEST_STEP / STEEPEST)))
    return _spaced(LARGEST_STEP / 2**finer)


@lru_cache(maxsize=32)
def _spaced(step: float) -> tuple[np.ndarray, np.ndarray]:
    """Points at equal distances, and the normal density at each as a share."""
    z = np.linspace(-LARGEST_Z, LARGEST_Z, 2 * math.ceil(LARGEST_Z / step) + 1)
    density = np.exp(-(z**2) / 2)
    return z, density / density.sum()
