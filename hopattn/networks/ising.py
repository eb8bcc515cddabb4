"""Boltzmann averages of a few spins: a memory's energy as that of an Ising magnet, summed over all states.

    p(x) = exp(−E(x)/T) / Z          F = −T log Z          x in {−1, 1}^N

Hopfield's energy is the Ising one, with a matrix W in place of one coupling.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hopattn.dynamics.protocol import Recallable
from hopattn.dynamics.state_space import spins
from hopattn.foundation.arrays import as_numpy
from hopattn.foundation.errors import InvalidInput, quoted, shortened
from hopattn.foundation.registry import name_of
from hopattn.foundation.threads import blocks

MOST_SPINS = 16
"""The largest number of spins whose states are all summed: 65,536 states."""
BLOCK = 4096
"""The number of states whose energies are computed together."""
TINY = float(np.finfo(np.float64).tiny)
LARGEST = 1e300
"""The largest temperature, and the largest ratio of an energy and a temperature."""


@dataclass(frozen=True, eq=False)
class Boltzmann:
    """Averages over all states of N spins at each temperature; n_t is the number of temperatures.

    For a single temperature the first axis is missing. temperature: `(n_t,)`. log_partition: log Z, `(n_t,)`.
    free_energy: F = −T log Z, `(n_t,)`. energy: ⟨E⟩, `(n_t,)`. heat_capacity: (⟨E²⟩ − ⟨E⟩²) / T², `(n_t,)`. entropy:
    (⟨E⟩ − F) / T, `(n_t,)`. magnetisation: ⟨x_i⟩, `(n_t, N)`. correlations: ⟨x_i x_j⟩, `(n_t, N, N)`. overlaps:
    ⟨|m_μ|⟩ with m_μ = ξ_μ·x / N for each stored pattern, `(n_t, n_patterns)`; the mean of m_μ itself is 0 wherever a
    state and its reverse have the same energy.
    """

    temperature: np.ndarray
    log_partition: np.ndarray
    free_energy: np.ndarray
    energy: np.ndarray
    heat_capacity: np.ndarray
    entropy: np.ndarray
    magnetisation: np.ndarray
    correlations: np.ndarray
    overlaps: np.ndarray

    def __repr__(self) -> str:
        return f"Boltzmann({self.magnetisation.shape[-1]} spins, T = {self.temperature.tolist()})"


def boltzmann(memory: Recallable, temperature: ArrayLike) -> Boltzmann:
    """The exact averages of a memory of at most 16 spins, by summing over its 2^N states.

    memory: any with an energy and the activation "sign" or "step": `ha.memories.hopfield`, `ha.memories.dense`,
    `ha.Hopfield(couplings)` and others. temperature: one, or `(n_t,)`, above 0, in the unit of the energy. Raises
    `InvalidInput` for other memories and temperatures. `ha.Glauber` draws states from the same distribution. Source:
    Hopfield (1982), PNAS 79, 2554 (his energy is the Ising one); the sums are the definition.

    >>> import hopattn as ha, numpy as np
    >>> pair = ha.networks.boltzmann(ha.Hopfield([[0, 1], [1, 0]]), temperature=1.0)
    >>> float(pair.correlations[0, 1].round(6)), round(float(np.tanh(1)), 6)
    (0.761594, 0.761594)
    """
    dim = _checked_spins(memory)
    given = checked_temperatures(temperature)
    states = spins(dim, memory.activation.silent)
    energies = np.concatenate([np.asarray(memory.energy(states[rows])) for rows in blocks(len(states), BLOCK)])
    if not np.all(np.isfinite(energies)):
        raise InvalidInput("memory: the energy of some states is not finite; use fewer spins or a smaller beta")
    sizes = np.abs(states @ np.asarray(memory.patterns).T) / dim
    require_weights(energies, given)
    each = [_averages(energies, states, sizes, float(t)) for t in np.atleast_1d(given)]
    stacked = [np.stack(quantity) for quantity in zip(*each, strict=True)]
    return Boltzmann(given, *(quantity if given.ndim else quantity[0] for quantity in stacked))


def _averages(
    energies: np.ndarray, states: np.ndarray, sizes: np.ndarray, temperature: float
) -> tuple[np.ndarray | float, ...]:
    """The fields of `Boltzmann` after the temperature, at one temperature. Sums are taken from the lowest energy."""
    lowest = energies.min()
    weights = np.exp(-(energies - lowest) / temperature)
    total = weights.sum()
    p = weights / total
    log_partition = float(np.log(total) - lowest / temperature)
    free_energy, energy = float(lowest - temperature * np.log(total)), float(p @ energies)
    heat = heat_capacity(p, energies, temperature)
    entropy = float(np.log(total) + p @ (energies - lowest) / temperature)
    correlations = (states * p[:, None]).T @ states
    return log_partition, free_energy, energy, heat, entropy, p @ states, correlations, p @ sizes


def heat_capacity(p: np.ndarray, energies: np.ndarray, temperature: float) -> float:
    """(⟨E²⟩ − ⟨E⟩²) / T² for states of probability p; the spread is divided before it is squared."""
    above = energies - energies.min()
    return float((np.sqrt(p @ (above - p @ above) ** 2) / temperature) ** 2)


def require_weights(energies: np.ndarray, temperature: np.ndarray) -> None:
    """Raise `InvalidInput` for temperatures at which E/T or T log Z leave the range of numbers."""
    if (most := float(np.max(temperature))) > LARGEST:
        raise InvalidInput(f"temperature: {most:g} is too large; expected at most {LARGEST:g}")
    largest, least = float(np.abs(energies).max()), float(np.min(temperature))
    if largest > LARGEST * min(least, 1.0):
        told = f"{least:g} is too small for an energy of {largest:.4g}"
        raise InvalidInput(f"temperature: {told}; expected at least {largest / LARGEST:.1g}")


def _checked_spins(memory: Any) -> int:
    """The number of spins of a memory; raises `InvalidInput` for a memory whose states cannot be summed."""
    if not isinstance(memory, Recallable):
        raise InvalidInput(
            f"memory: expected a memory, such as ha.memories.hopfield(patterns), not {shortened(memory)}"
        )
    if not memory.activation.discrete:
        own = name_of(memory.activation)
        raise InvalidInput(f"memory: its activation '{own}' gives no spins; expected a memory with 'sign' or 'step'")
    if reason := memory.why_no_recall or memory.why_no_energy:
        raise InvalidInput(f"memory: it has no energy: {reason}")
    dim = int(memory.reference.shape[-1])
    if dim > MOST_SPINS:
        advice = "use ha.Glauber, which draws states"
        raise InvalidInput(f"memory: {dim} spins have 2^{dim} states; at most {MOST_SPINS} spins are summed; {advice}")
    return dim


def checked_temperatures(temperature: ArrayLike) -> np.ndarray:
    """One temperature or several, `(n_t,)`; raises `InvalidInput` unless all are above 0 and finite."""
    try:
        given = as_numpy(temperature, "temperature")
    except InvalidInput:
        given = np.array(np.nan)
    if given.ndim > 1 or not given.size or not np.all(np.isfinite(given) & (given > 0)):
        told = quoted(temperature)
        raise InvalidInput(f"temperature: expected finite numbers above 0, not {told}; at 0 use a recall, 'async'")
    return given
