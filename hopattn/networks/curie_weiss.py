"""The Curie–Weiss magnet: each spin is coupled to all others by 1/N.

    E(x) = −½ N m²,   m = Σ x_i / N          N → ∞:  m = tanh(m/T)

It is Hopfield's network with one pattern and self-couplings; for a pattern ξ, m is the overlap with it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hopattn.foundation.checks import whole
from hopattn.foundation.roots import bisected
from hopattn.networks.ising import TINY, checked_temperatures, heat_capacity, require_weights

MOST_SPINS = 1_000_000
SMALL = 1e-5
"""Closer below T = 1 than this, rounding hides the root of m = tanh(m/T), and a series gives it."""


@dataclass(frozen=True, eq=False)
class CurieWeiss:
    """Averages of N spins at each temperature; the fields of a single temperature have no axis.

    temperature: `(n_t,)`. size_of_m: ⟨|m|⟩, `(n_t,)`. square_of_m: ⟨m²⟩, `(n_t,)`. energy: ⟨E⟩, `(n_t,)`.
    log_partition: log Z, `(n_t,)`. free_energy: −T log Z, `(n_t,)`. heat_capacity: (⟨E²⟩ − ⟨E⟩²) / T², `(n_t,)`.
    entropy: (⟨E⟩ − F) / T, `(n_t,)`.
    """

    temperature: np.ndarray
    size_of_m: np.ndarray
    square_of_m: np.ndarray
    energy: np.ndarray
    log_partition: np.ndarray
    free_energy: np.ndarray
    heat_capacity: np.ndarray
    entropy: np.ndarray


def curie_weiss(n: int, temperature: ArrayLike) -> CurieWeiss:
    """The exact averages of n spins, by the sum over the number of spins that are up.

    C(n, k) states have k spins up, all with m = 2k/n − 1. n: 1 or more. temperature: one, or `(n_t,)`, above 0.
    Raises `InvalidInput` for other numbers.

    >>> import hopattn as ha
    >>> magnet = ha.networks.curie_weiss(1000, temperature=0.5)
    >>> float(magnet.size_of_m.round(3)), float(ha.networks.mean_field(0.5).round(3))
    (0.957, 0.958)
    """
    count, given = whole(n, "n", most=MOST_SPINS), checked_temperatures(temperature)
    up = np.arange(count + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, count + 1)))])  # log k!
    states = logs[-1] - logs - logs[::-1]
    m = 2 * up / count - 1
    energies = -0.5 * count * m * m
    each = []
    require_weights(energies, given)
    for t in np.atleast_1d(given):
        exponents = states - energies / t
        largest = exponents.max()
        weights = np.exp(exponents - largest)
        total = weights.sum()
        p, log_partition = weights / total, float(largest + np.log(total))
        energy = float(p @ energies)
        entropy = float(p @ (states - np.log(np.maximum(p, TINY))))
        averages = (p @ np.abs(m), p @ (m * m), energy, log_partition, energy - t * entropy)
        each.append((*averages, heat_capacity(p, energies, t), entropy))
    fields = [np.array(quantity) for quantity in zip(*each, strict=True)]
    return CurieWeiss(given, *(quantity if given.ndim else quantity[0] for quantity in fields))


def mean_field(temperature: ArrayLike) -> np.ndarray:
    """The magnetisation of infinitely many spins: the largest root of m = tanh(m/T), 0 from T = 1 on.

    temperature: one, or `(n_t,)`, above 0. Raises `InvalidInput` for other numbers.

    >>> mean_field([0.5, 1.0]).round(4)
    array([0.9575, 0.    ])
    """
    given = checked_temperatures(temperature)
    t, below = np.minimum(given, 1 - SMALL), np.clip(1 - given, 0.0, SMALL)
    low = np.sqrt(np.maximum(0.0, 1 - t)) * 0.5 * t  # below the root: m ≥ √(3(1 − T)) T for T near 1
    with np.errstate(over="ignore"):  # m / T may be infinite: then tanh is 1
        m = bisected(lambda m: np.tanh(m / t) - m, low, np.ones_like(t))
    series = given * np.sqrt(3 * below * (1 + 1.2 * below))  # of u = m/T: T = tanh(u)/u = 1 − u²/3 + 2u⁴/15 − …
    return np.asarray(np.where(given < 1 - SMALL, m, series))
