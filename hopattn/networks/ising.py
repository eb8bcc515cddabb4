"""Boltzmann averages of a few spins: a memory's energy as that of an Ising magnet, summed over all states.

    p(x) = exp(−E(x)/T) / Z          F = −T log Z          x in {−1, 1}^N

Hopfield's energy is the Ising one, with a matrix W instead of one coupling. In the magnet of Curie and Weiss each spin
is coupled to all others by 1/N. It is Hopfield's network with one pattern and self-couplings; for a pattern ξ, m is the
overlap with it:

    E(x) = −½ N m²,   m = Σ x_i / N          N → ∞:  m = tanh(m/T)
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import as_numpy
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import whole
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.roots import bisected
from hopattn.landscapes.enumerated import checked_spins, energies_of, spins

MOST_SPINS_SUMMED = 16
"""The largest number of spins whose states are all summed: 65,536 states."""
HIGHEST = 1e300
"""The largest temperature, and the largest ratio of an energy and a temperature."""
MOST_ALIKE = 1_000_000
"""The largest number of spins that are all coupled alike."""
NEAR_CRITICAL = 1e-5
"""Closer below T = 1 than this, rounding hides the root of m = tanh(m/T), and a series gives it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Thermal(PublicObject):
    """The averages that `Boltzmann` and `CurieWeiss` have in common; `Boltzmann` describes them."""

    temperature: np.ndarray
    log_partition: np.ndarray
    free_energy: np.ndarray
    energy: np.ndarray
    heat_capacity: np.ndarray
    entropy: np.ndarray


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Boltzmann(Thermal):
    """Averages over all states of N spins at each temperature; n_t is the number of temperatures.

    For a single temperature the first axis is missing. temperature, log_partition log Z, free_energy F = −T log Z,
    energy ⟨E⟩, heat_capacity (⟨E²⟩ − ⟨E⟩²) / T², entropy (⟨E⟩ − F) / T: `(n_t,)` each.

    Attributes
    ----------
    magnetisation : ⟨x_i⟩, `(n_t, N)`.
    correlations : ⟨x_i x_j⟩, `(n_t, N, N)`.
    overlaps
        ⟨|m_μ|⟩ with m_μ = ξ_μ·x / N for each stored pattern, `(n_t, n_patterns)`; the mean of m_μ itself is 0 wherever
        a state and its reverse have the same energy.
    """

    magnetisation: np.ndarray
    correlations: np.ndarray
    overlaps: np.ndarray

    def __repr__(self) -> str:
        return f"Boltzmann({self.magnetisation.shape[-1]} spins, T = {self.temperature.tolist()})"


@public
def boltzmann(memory: AssociativeMemory, temperature: ArrayLike) -> Boltzmann:
    """The exact averages of a memory of at most 16 spins, by summing over its 2^N states.

    Parameters
    ----------
    memory
        any with an energy and the activation "sign" or "step": `ha.memories.hopfield`, `ha.memories.dense`,
        `ha.Hopfield(couplings)` and others.
    temperature : one, or `(n_t,)`, above 0, in the unit of the energy.

    Raises
    ------
    InvalidInput : for other memories and temperatures.

    Notes
    -----
    `ha.Glauber` draws states from the same distribution. Source: Hopfield (1982), PNAS 79, 2554 (his energy is the
    Ising one); the sums are the definition.

    Examples
    --------
    >>> import hopattn as ha, numpy as np
    >>> pair = ha.networks.boltzmann(ha.Hopfield([[0, 1], [1, 0]]), temperature=1.0)
    >>> float(pair.correlations[0, 1].round(6)), round(float(np.tanh(1)), 6)
    (0.761594, 0.761594)
    """
    dim = checked_spins(memory, MOST_SPINS_SUMMED, "use ha.Glauber, which draws states")
    t, states = checked_temperatures(temperature), spins(dim, memory.activation.silent)
    energies = energies_of(memory, states)
    sizes = np.abs(states @ np.asarray(memory.patterns).T) / dim

    def averages(p: np.ndarray) -> dict[str, np.ndarray]:
        return {"magnetisation": p @ states, "correlations": (states * p[:, None]).T @ states, "overlaps": p @ sizes}

    return Boltzmann(temperature=t, **_at_each(t, energies, np.zeros(len(states)), averages))


def _at_each(
    temperature: np.ndarray,
    energies: np.ndarray,
    logs: np.ndarray,
    averages: Callable[[np.ndarray], dict[str, np.ndarray]],
) -> dict[str, np.ndarray]:
    """The fields of `Thermal` and other averages by name, `(n_t, …)` each, over levels of energy.

    logs: the logarithm of the number of states of each level. averages: gives the others from the probabilities p.
    Energies are taken from the lowest one, E₀, so that no term cancels another; a spread is divided before it is
    squared. Raises `InvalidInput` for temperatures at which E/T or T log Z leave the range of numbers.
    """
    largest, least = float(np.abs(energies).max()), float(np.min(temperature))
    if (most := float(np.max(temperature))) > HIGHEST:
        raise InvalidInput(f"temperature: {most:g} is too large; expected at most {HIGHEST:g}")
    if largest > HIGHEST * min(least, 1.0):
        reason = f"{least:g} is too small for an energy of {largest:.4g}"
        raise InvalidInput(f"temperature: {reason}; expected at least {largest / HIGHEST:.1g}")
    each, lowest = [], energies.min()
    above = energies - lowest
    for t in np.atleast_1d(temperature):
        exponents = logs - above / t
        weights = np.exp(exponents - exponents.max())
        log_sum = exponents.max() + np.log(weights.sum())  # log Z + E₀/T
        p = weights / weights.sum()
        mean = p @ above
        heat = (np.sqrt(p @ (above - mean) ** 2) / t) ** 2
        thermal = {
            "log_partition": log_sum - lowest / t,
            "free_energy": lowest - t * log_sum,
            "energy": p @ energies,
            "heat_capacity": heat,
            "entropy": log_sum + mean / t,
        }
        each.append({**thermal, **averages(p)})
    quantities = {name: np.stack([one[name] for one in each]) for name in each[0]}
    return quantities if temperature.ndim else {name: quantity[0] for name, quantity in quantities.items()}


@dataclass(frozen=True, eq=False, kw_only=True)
class CurieWeiss(Thermal):
    """Averages of N spins at each temperature; the fields of a single temperature have no axis.

    temperature to entropy: as of `Boltzmann`.

    Attributes
    ----------
    size_of_m : ⟨|m|⟩, `(n_t,)`.
    square_of_m : ⟨m²⟩, `(n_t,)`.
    """

    size_of_m: np.ndarray
    square_of_m: np.ndarray


@public
def curie_weiss(n: int, temperature: ArrayLike) -> CurieWeiss:
    """The exact averages of n spins, by the sum over the number of spins that are up.

    C(n, k) states have k spins up, all with m = 2k/n − 1.

    Parameters
    ----------
    n : 1 or more.
    temperature : one, or `(n_t,)`, above 0.

    Raises
    ------
    InvalidInput : for other numbers.

    Examples
    --------
    >>> import hopattn as ha
    >>> magnet = ha.networks.curie_weiss(1000, temperature=0.5)
    >>> float(magnet.size_of_m.round(3)), float(ha.networks.mean_field(0.5).round(3))
    (0.957, 0.958)
    """
    count, t = whole(n, "n", most=MOST_ALIKE), checked_temperatures(temperature)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, count + 1)))])  # log k!
    m = 2 * np.arange(count + 1) / count - 1
    binomials = factorials[-1] - factorials - factorials[::-1]

    def averages(p: np.ndarray) -> dict[str, np.ndarray]:
        return {"size_of_m": p @ np.abs(m), "square_of_m": p @ (m * m)}

    return CurieWeiss(temperature=t, **_at_each(t, -0.5 * count * m * m, binomials, averages))


@public
def mean_field(temperature: ArrayLike) -> np.ndarray:
    """The magnetisation of infinitely many spins: the largest root of m = tanh(m/T), 0 from T = 1 on.

    Parameters
    ----------
    temperature : one, or `(n_t,)`, above 0.

    Raises
    ------
    InvalidInput : for other numbers.

    Examples
    --------
    >>> mean_field([0.5, 1.0]).round(4)
    array([0.9575, 0.    ])
    """
    temperatures = checked_temperatures(temperature)
    t, below = np.minimum(temperatures, 1 - NEAR_CRITICAL), np.clip(1 - temperatures, 0.0, NEAR_CRITICAL)
    low = np.sqrt(np.maximum(0.0, 1 - t)) * 0.5 * t  # below the root: m ≥ √(3(1 − T)) T for T near 1
    with np.errstate(over="ignore"):  # m / T may be infinite: then tanh is 1
        m = bisected(lambda m: np.tanh(m / t) - m, low, np.ones_like(t))
    series = temperatures * np.sqrt(3 * below * (1 + 1.2 * below))  # of u = m/T: T = tanh(u)/u = 1 − u²/3 + 2u⁴/15 − …
    return np.asarray(np.where(temperatures < 1 - NEAR_CRITICAL, m, series))


def checked_temperatures(temperature: ArrayLike) -> np.ndarray:
    """One temperature or several, `(n_t,)`; raises `InvalidInput` unless all are above 0 and finite."""
    try:
        temperatures = as_numpy(temperature, "temperature")
    except InvalidInput:
        temperatures = np.array(np.nan)
    if temperatures.ndim > 1 or not temperatures.size or not np.all(np.isfinite(temperatures) & (temperatures > 0)):
        got = quoted(temperature)
        raise InvalidInput(f"temperature: expected finite numbers above 0, not {got}; at 0 use a recall, 'async'")
    return temperatures
