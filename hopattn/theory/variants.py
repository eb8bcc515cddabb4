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
from collections.abc import Callable
from functools import partial
from itertools import accumulate, islice
from typing import Annotated

import numpy as np

from hopattn.foundation.boundary import Count, Positive, formula, public
from hopattn.foundation.checks import real
from hopattn.theory.normal_means import means
from hopattn.theory.replica_symmetric import WARM, Numbers, each_number, peak, root

LEAST, MOST = 0.8, 5.0
"""The y between which the largest load lies, for a small noise and a small rate."""
NOISY = 10.0
"""Δ² from which on the largest load lies at a y that falls as Δ^(−1/3): y = (27/4Δ²)^(1/6) for Δ → ∞."""
LARGEST_Y = 26.5
"""The y beyond which exp(−y²) has too few digits."""
LEAST_RATE = 2.0
"""An ε at which no pattern is kept."""


@formula
def noisy_load(noise: Numbers = 0.0) -> np.ndarray:
    """The largest load α_c of a Hopfield network whose synapses have static noise, at T = 0, `(...)` as the noise.

    Parameters
    ----------
    noise
        Δ², the variance of the noise of a synapse, relative to that of Hebb's part; 0 or more. Without noise it is
        `critical_load`; for Δ → ∞ it is 2/(πΔ²).

    Examples
    --------
    >>> noisy_load([0, math.pi / 2 - 1]).round(4)
    array([0.1379, 0.1018])
    """

    def load(y: float, noise: float) -> float:
        sigma = math.erf(y) / (math.sqrt(2) * y)
        more = _more(y)  # 1/C − 1, so that 1/(1 − C) is 1 + 1/more
        return sigma**2 / ((1 + 1 / more) ** 2 + noise)

    def largest(noise: float) -> float:
        scale = min(1.0, (NOISY / noise) ** (1 / 6)) if noise else 1.0
        return _largest(partial(load, noise=noise), LEAST * scale, MOST * scale)

    return each_number(largest, noise)


def _more(y: float) -> float:
    """1/C − 1 where σ y is erf(y)/√2: the sum of (2y²)^k/(2k + 1)!! from k = 1 on."""
    if y > 1:
        return math.sqrt(math.pi) / 2 * math.erf(y) * math.exp(y**2) / y - 1
    terms = accumulate(range(1, 30), lambda term, k: term * 2 * y**2 / (2 * k + 1), initial=1.0)
    return sum(islice(terms, 1, None))


@public
def diluted_load(temperature: Annotated[float, real] = 0.0) -> float:
    """The load α_c (patterns a synapse of a neuron) of a strongly diluted asymmetric network; 0 from T = 1 on.

    m = ∫Dz tanh((m + √α z)/T) has a root above 0 where its slope at 0 is above 1, so that ∫Dz / cosh²(√α z/T) = T. At T
    = 0 that is α = 2/π.

    Parameters
    ----------
    temperature : T of the synchronous heat bath, 0 or more.

    Examples
    --------
    >>> round(diluted_load(), 4), diluted_load(1)
    (0.6366, 0.0)
    """
    t = real(temperature, "temperature", least=0.0)
    if t >= 1:
        return 0.0
    if t < 1e-9:  # the rest is of the order of T²
        return 2 / math.pi

    def excess(s: float) -> float:
        """∫Dz / cosh²(s z) less T; in the warm from ∫Dz tanh²(s z), which keeps the digits of a small s."""
        _, q, slope = means(0.0, s)
        return (1 - t) - q if t > WARM else slope - t

    warm = math.sqrt(1 - t)  # less than s, since tanh² v ≤ v²
    return (t * root(excess, warm * (1 - 1e-9), 1 / t, 1e-15 * warm)) ** 2


@formula
def shared_overlap(empty: Annotated[float, partial(real, least=0.0, most=1.0)], which: Count = 1) -> float:
    """δ^(k−1)(1 − δ), the overlap with pattern k of a state that retrieves few diluted patterns one after another.

    Each neuron has the state of the first pattern in which it is not 0. Of P patterns the state is at rest while δ + …
    + δ^(P−1) < 1: always of two, up to δ = .618 of three.

    Parameters
    ----------
    empty : δ, the share of the neurons of a pattern that are 0.
    which : k, from 1 on.

    Examples
    --------
    >>> shared_overlap(0.5), shared_overlap(0.5, which=3)
    (0.5, 0.125)
    """
    return (1 - empty) * empty ** (which - 1)


@formula
def forgetting_load(rate: Positive) -> float:
    """The patterns a neuron that are remembered where each new one is stored with a larger weight, at T = 0.

    The pattern that was stored uN patterns ago has the weight Λ(u) = ε exp(−ε² u/2), whose squares have the integral 1,
    and σ² = ∫ Λ²/(1 − C Λ)² du = (2/x²) (log(1 − x) + x/(1 − x)), x = Cε. The number is the largest u whose pattern is
    retrieved.

    Parameters
    ----------
    rate : ε; 0 patterns are kept below about 2.465, and the most at 4.108.

    Notes
    -----
    For ε → ∞ it falls as ln(ln ε)/ε².

    Examples
    --------
    >>> round(forgetting_load(4.108), 4), forgetting_load(2.0)
    (0.049, 0.0)
    """
    if rate < LEAST_RATE:
        return 0.0

    def log_share(y: float) -> float:
        """log(ε/Λ) of the oldest pattern, with Λ = √2 σ y/erf(y), and Cσ = √(2/π) exp(−y²)."""
        product = math.sqrt(2 / math.pi) * math.exp(-(y**2))
        half = min(rate * product, 1e150) ** 2 / 2  # (εCσ)²/2 = exp(L) − 1 − L, with x = 1 − exp(−L)
        most = min(math.sqrt(2 * half), math.log(2 * half + 4))
        x = -math.expm1(-root(lambda log: _grown(log) - half, 0.0, most * (1 + 1e-9), 1e-300))
        return math.log(x * math.erf(y) / (math.sqrt(2) * y * product))

    most = min(MOST + math.sqrt(math.log(rate)), LARGEST_Y)  # beyond, C is of the order of exp(−y²), less than 1/ε
    return 2 / rate / rate * max(0.0, _largest(log_share, LEAST, most))


def _grown(log: float) -> float:
    """exp(L) − 1 − L: the sum of L^k/k! from k = 2 on."""
    if log > 1:
        return math.expm1(log) - log
    return sum(accumulate(range(3, 20), lambda term, k: term * log / k, initial=log**2 / 2))


def _largest(value: Callable[[float], float], least: float, most: float) -> float:
    """The largest value between two y; the grid finds its peak, near which the search begins."""
    grid = np.linspace(least, most, 200)
    i = int(np.argmax([value(y) for y in grid]))
    return value(peak(value, grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)], 1e-9 * least))
