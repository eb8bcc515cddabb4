"""The mean-field equations of the Hopfield network with P = αN random patterns and N → ∞ neurons.

    m = ∫Dz tanh((m + √(αr) z)/T)     q = ∫Dz tanh²((m + √(αr) z)/T)     r = q/(1 − C)²     C = (1 − q)/T

m: overlap with the retrieved pattern. q: order of the states. r: noise of the other patterns. Dz: the normal density.
With x = m/T and s = √(αr)/T, both integrals depend on x and s alone, so that T and α follow from x and s.

Source: Amit, Gutfreund & Sompolinsky (1987), Ann. Phys. 173, 30, equations of the replica-symmetric theory.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

REACH, STEP = 9.0, 0.05
"""The largest |z| of the integrals, and the largest step."""
STEEPEST = 0.28
"""The largest step times s: the error of a sum in place of the integral of tanh(sz) is exp(−π²/(s·step))."""


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
        z, density = _nodes(self.s)
        field = self.m / t + self.s * z
        entropy = float(density @ np.logaddexp(field, -field))
        r = self.q / rest**2
        noise = self.load * t / 2 * (math.log(rest) - self.q / t / rest)
        return self.load / 2 + self.m**2 / 2 + noise + self.load / t / 2 * r * (1 - self.q) - t * entropy


def means(x: float, s: float) -> tuple[float, float]:
    """The means of tanh(x + sz) and of its square over a normal z."""
    z, density = _nodes(s)
    thermal = np.tanh(x + s * z)
    return float(density @ thermal), float(density @ thermal**2)


def susceptible(s: float) -> float:
    """The slope of the mean of tanh(x + sz) at x = 0: the temperature at which the overlap vanishes for this s."""
    return 1 - means(0.0, s)[1]


def solution(temperature: float, x: float, s: float) -> Solution:
    """The solution at this temperature with these x and s; α follows."""
    m, q = means(x, s)
    c = (1 - q) / temperature
    return Solution(temperature, (s * temperature * (1 - c)) ** 2 / q if q else 0.0, m, q, c, s)


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
