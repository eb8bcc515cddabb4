"""Variants of Hebb's rule at T = 0 and N → ∞: static noise, clipped synapses, diluted synapses or patterns, forgetting.

With the weight Λ of the retrieved pattern (1 for Hebb's rule), its overlap m, the noise σ and the susceptibility C,

    m = erf(y)
    y = Λ m/(√2 σ)
    C = √(2/π) exp(−y²)/σ

so that each y gives m, σ and C, and the load follows from σ. Fully connected: σ² = α (1/(1 − C)² + Δ²).

Sources: Sompolinsky (1986), Phys. Rev. A 34, 2571 (static noise Δ of the synapses, relative to Hebb's part; synapses
clipped to their signs have Δ² = π/2 − 1); Derrida, Gardner & Zippelius (1987), Europhys. Lett. 4, 167 (dilution);
Mézard, Nadal & Toulouse (1986), J. Physique 47, 1457 (forgetting); Agliari et al. (2012), Phys. Rev. Lett. 109, 268101
(diluted patterns, retrieved together). The equations by the signal-to-noise analysis of
Shiino & Fukai (1992), J. Phys. A 25, L375.
"""

import math
from typing import Annotated, Any

import numpy as np

from hopattn.foundation.checks import real
from hopattn.foundation.declared import Count, Positive, Real, checked
from hopattn.foundation.errors import InvalidInput
from hopattn.theory.mean_field import Numbers, each_number

LEAST, MOST = 0.8, 5.0
"""The y between which the largest load lies."""
LEAST_RATE, LARGEST_RATE = 2.0, 1e4
"""The ε beyond which fewer than 2e-7 patterns a neuron are kept, which counts as none."""


@checked
def noisy_load(noise: Numbers = 0.0) -> np.ndarray:
    """The largest load α_c of a Hopfield network whose synapses have static noise, at T = 0, `(...)` as the noise.

    noise: Δ², the variance of the noise of a synapse, relative to that of Hebb's part; 0 or more. Without noise it is
    `critical_load`.

    >>> noisy_load([0, math.pi / 2 - 1]).round(4)
    array([0.1379, 0.1018])
    """

    def load(y: float, noise: float) -> float:
        sigma = math.erf(y) / (math.sqrt(2) * y)
        c = math.sqrt(2 / math.pi) * math.exp(-(y**2)) / sigma
        return sigma**2 / (1 / (1 - c) ** 2 + noise) if c < 1 else 0.0

    return each_number(lambda noise: _largest(lambda y: load(y, noise)), noise)


def diluted_load(temperature: Annotated[float, real] = 0.0) -> float:
    """The load α_c (patterns a synapse of a neuron) of a strongly diluted asymmetric network; 0 from T = 1 on.

    m = ∫Dz tanh((m + √α z)/T) has a root above 0 where its slope at 0 is above 1, so that ∫Dz / cosh²(√α z/T) = T. At
    T = 0 that is α = 2/π. temperature: T of the synchronous heat bath, 0 or more.

    >>> round(diluted_load(), 4), diluted_load(1)
    (0.6366, 0.0)
    """
    t = real(temperature, "temperature", least=0.0)
    if t >= 1:
        return 0.0
    if t < 1e-9:  # the rest is of the order of T²
        return 2 / math.pi
    from scipy.integrate import quad
    from scipy.optimize import brentq

    def slope(s: float) -> float:
        """∫Dz / cosh²(s z), by v = s z."""
        found = quad(lambda v: math.exp(-((v / s) ** 2) / 2) / math.cosh(v) ** 2, 0, min(40, 12 * s), epsabs=1e-12)[0]
        return float(found * math.sqrt(2 / math.pi) / s)

    return float((t * brentq(lambda s: slope(s) - t, 1e-3, 1 / t, xtol=1e-12)) ** 2)


@checked
def shared_overlap(empty: Real, which: Count = 1) -> float:
    """δ^(k−1)(1 − δ), the overlap with pattern k of a state that retrieves few diluted patterns one after another.

    Each neuron has the state of the first pattern in which it is not 0. Of P patterns the state is at rest while
    δ + … + δ^(P−1) < 1: always of two, up to δ = .618 of three. empty: δ, the share of the neurons of a pattern
    that are 0. which: k, from 1 on.

    >>> shared_overlap(0.5), shared_overlap(0.5, which=3)
    (0.5, 0.125)
    """
    if not 0 <= empty <= 1:
        raise InvalidInput(f"empty: got {empty:g}; expected a share from 0 to 1")
    return (1 - empty) * empty ** (which - 1)


@checked
def forgetting_load(rate: Positive) -> float:
    """The patterns a neuron that are remembered where each new one is stored with a larger weight, at T = 0.

    The pattern that was stored uN patterns ago has the weight Λ(u) = ε exp(−ε² u/2), whose squares have the integral 1,
    and σ² = ∫ Λ²/(1 − C Λ)² du. The number is the largest u whose pattern is retrieved. rate: ε; 0 patterns are kept
    below about 2.47, and the most at 4.108.

    >>> round(forgetting_load(4.108), 4), forgetting_load(2.0)
    (0.049, 0.0)
    """
    if not LEAST_RATE < rate < LARGEST_RATE:
        return 0.0
    from scipy.optimize import brentq

    def spread(c: float) -> float:
        """σ² of this C: with Λ as the variable, (2/ε²) ∫₀^ε Λ/(1 − C Λ)² dΛ."""
        x = c * rate
        return 2 * (math.log1p(-x) + x / (1 - x)) / x**2 if x > 1e-4 else 1.0

    def age(y: float) -> float:
        product = math.sqrt(2 / math.pi) * math.exp(-(y**2))  # C σ
        c = brentq(lambda c: c * math.sqrt(spread(c)) - product, 0.0, (1 - 1e-9) / rate)
        weight = math.sqrt(2 * spread(c)) * y / math.erf(y)
        return max(0.0, -2 / rate**2 * math.log(weight / rate))

    return _largest(age)


def _largest(value: Any) -> float:
    """The largest value over y; the grid finds its peak, near which the search begins."""
    from scipy.optimize import minimize_scalar

    grid = np.linspace(LEAST, MOST, 200)
    i = int(np.argmax([value(y) for y in grid]))
    near = (grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)])
    return max(0.0, -float(minimize_scalar(lambda y: -value(y), bounds=near, options={"xatol": 1e-9}).fun))
