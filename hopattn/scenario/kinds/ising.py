"""kind = "ising": spins at a temperature: exact averages over all states, and states drawn by Glauber's update."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.dynamics.updates.asynchronous import Glauber
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.writing import number
from hopattn.landscapes.enumerated import spins
from hopattn.networks.ising import MOST_ALIKE, MOST_SPINS_SUMMED, mean_field
from hopattn.results.labelled import Labelled
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArraySpec
from hopattn.scenario.language.fields import PositiveNumber, Problem
from hopattn.scenario.parts.magnets import MagnetTable

THERMAL = ("energy", "free energy", "entropy", "heat capacity")
"""The columns of `thermal`; all are divided by the number of spins."""
CURVES = ("infinitely many", "exact")
"""The columns of `curve`."""
FINE = 101
"""The number of temperatures of `curve`, beside those of `CRITICAL`."""
CRITICAL = (0.98, 0.99, 0.995, 0.998, 0.9995, 1.0)
"""Temperatures up to T = 1, where m = √(3(1 − T)) falls to 0 ever more steeply."""
MAX_TERMS = 10_000_000
"""The largest number of states, times temperatures, that a run sums."""
MAX_UPDATES = 3_000_000
"""The largest number of spins, times sweeps, chains and temperatures, that a run updates: about a second."""
MOST_SAMPLED = 128
"""The largest number of spins that are drawn by Glauber's update."""
WRITTEN = 3
"""The number of spins up to which `explain` writes every state."""


class IsingTable(MagnetTable):
    """The spins, the temperatures, and how many states are drawn."""

    temperatures: Annotated[list[PositiveNumber], Field(min_length=1, max_length=200)]
    """The temperatures, in the unit of the energy."""
    sweeps: Annotated[int, Field(ge=0)] = 0
    """The number of sweeps of Glauber's update over which each chain is averaged; 0 draws no states."""
    burn_in: Annotated[int, Field(ge=0)] = 20
    """The number of sweeps before them, which are left out."""
    chains: Annotated[int, Field(ge=2, le=10**12)] = 50
    """The number of chains. They start from states at random and are independent, so that the spread of their averages
    gives the standard error, however slowly a chain changes."""

    @property
    def fine_temperatures(self) -> np.ndarray:
        """Temperatures between the lowest and the highest, for curves: `FINE` and those near 1, where m falls to 0."""
        low, high = min(self.temperatures), max(self.temperatures)
        return np.unique([*np.linspace(low, high, FINE), *(t for t in CRITICAL if low < t < high)])

    def problems(self) -> Iterator[Problem]:
        """Problems of the magnet, and sums and samples that are too large."""
        found = [*self.magnet_problems()]
        yield from found
        if not found:
            yield from self._size_problems()
            yield from self._energy_problems()

    def _size_problems(self) -> Iterator[Problem]:
        n, count = self.neurons, len(self.temperatures)
        if self.curie_weiss is None and n > MOST_SPINS_SUMMED:
            message = f"{n} spins have 2^{n} states; at most {MOST_SPINS_SUMMED} spins are summed"
            yield Problem(("ising", self.given), f"{message}, or more with `curie_weiss`")
            return
        if self.curie_weiss is not None:
            count += FINE + len(CRITICAL)
        states = 2**n if self.curie_weiss is None else n + 1
        if states * count > MAX_TERMS:
            excess = f"{states:,} sums at {count} temperatures are {states * count:,}; expected at most {MAX_TERMS:,}"
            yield Problem(("ising", "temperatures"), excess)
        if not self.sweeps:
            return
        if n > MOST_SAMPLED:
            yield Problem(("ising", "sweeps"), f"{n} spins; at most {MOST_SAMPLED} are drawn, so expected sweeps = 0")
        count = len(self.temperatures)
        updates = n * (self.sweeps + self.burn_in) * max(self.chains, 50) * count
        if updates > MAX_UPDATES:
            excess = f"{self.sweeps + self.burn_in} sweeps of {n} spins in {self.chains} chains at {count} temperatures"
            yield Problem(("ising", "sweeps"), f"{excess} are about {updates:,} updates; at most {MAX_UPDATES:,}")

    def _energy_problems(self) -> Iterator[Problem]:
        """A memory without an energy over spins, and temperatures out of range; found on sums at two temperatures."""
        if self.neurons > (MOST_SPINS_SUMMED if self.curie_weiss is None else MOST_ALIKE):
            return
        try:
            self.averages(np.array([min(self.temperatures), max(self.temperatures)]))
        except InvalidInput as error:
            what, _, message = str(error).partition(": ")
            key = "temperatures" if what == "temperature" else self.given
            yield Problem(("ising", key), message if what in ("memory", "temperature", "n") else str(error))


class Ising(Spec):
    """Spins at a temperature: the Ising model, and memories as magnets."""

    main_table: ClassVar[str] = "ising"
    kind: Literal["ising"]
    ising: IsingTable
    """The spins and the temperatures."""

    def size(self) -> int:
        table = self.ising
        n, patterns = min(table.neurons, 2 * MOST_SPINS_SUMMED), len(table.patterns or [0])
        states = table.neurons if table.curie_weiss else 2**n
        sampled = (table.sweeps + table.burn_in) * table.chains * (1 + patterns)
        drawn = sampled + table.neurons * (table.neurons + table.chains) if table.sweeps else 0
        return 4 * states * (1 if table.curie_weiss else n + patterns) + drawn

    def declared_arrays(self) -> Iterator[ArraySpec]:
        table = self.ising
        temperature = ("temperature", tuple(f"{value:g}" for value in table.temperatures))
        pattern = ("pattern", table.names)
        yield ArraySpec("overlaps", (temperature, pattern))
        if table.curie_weiss is not None:
            yield ArraySpec("mean-field", (temperature, pattern))
            fine = ("fine temperature", tuple(f"{value:.6g}" for value in table.fine_temperatures))
            yield ArraySpec("curve", (fine, ("average", CURVES)), referable=False, measured=False)
        yield ArraySpec("thermal", (temperature, ("quantity", THERMAL)))
        if table.sweeps:
            drawn = (temperature, ("quantity", ("energy", *table.names)))
            yield ArraySpec("sampled", drawn)
            yield ArraySpec("errors", drawn)
            yield ArraySpec("deviation")

    def shown(self, arrays: Mapping[str, Labelled]) -> tuple[str, ...]:
        return tuple(arrays)

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        table, temperatures = self.ising, np.array(self.ising.temperatures)
        overlaps, thermal = table.averages(temperatures)
        values: dict[str, Any] = {"overlaps": overlaps}
        if table.curie_weiss is not None:
            values["mean-field"] = mean_field(temperatures)[:, None]
            fine = table.fine_temperatures
            values["curve"] = np.column_stack([mean_field(fine), table.averages(fine)[0]])
        values["thermal"] = thermal
        if table.sweeps:
            drawn = [
                _sampled(table, float(t), own)
                for t, own in zip(temperatures, rng.spawn(len(temperatures)), strict=True)
            ]
            means, errors = (np.stack(part) for part in zip(*drawn, strict=True))
            exact = np.concatenate([thermal[:, :1], overlaps], axis=1)
            values |= {"sampled": means, "errors": errors}
            values["deviation"] = np.max(np.abs(means - exact) / errors)
        return values

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        table = self.ising
        yield from _states(table)
        for i, temperature in enumerate(table.temperatures):
            energy, free, entropy, _ = arrays["thermal"].values[i]
            terms = f"{number(energy)} − {number(temperature)} × {number(entropy)} ≈ {number(free)}"
            yield f"T = {number(temperature)}, for each spin: F = E − T S = {terms}"
            for j, name in enumerate(table.names):
                line = f"  ⟨|{name}|⟩ = {number(arrays['overlaps'].values[i, j])}"
                if "mean-field" in arrays:
                    line += f"; for infinitely many spins {number(arrays['mean-field'].values[i, j])}"
                if "sampled" in arrays:
                    drawn, error = (arrays[name].values[i, j + 1] for name in ("sampled", "errors"))
                    line += f"; by Glauber's update {number(drawn)} ± {number(error)}"
                yield line
        if "deviation" in arrays:
            yield f"the largest difference is {number(float(arrays['deviation'].values))} standard errors"


def _sampled(table: IsingTable, temperature: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The energy of a spin and the overlaps' sizes by Glauber's update, and their standard errors, `(1 + n_patterns,)`.

    An error is at least that of one event in all sweeps, which chains that never change cannot rule out.
    """
    memory, n = table.memory(), table.neurons
    start = rng.choice([-1.0, 1.0], size=(table.chains, n))
    steps = table.burn_in + table.sweeps
    recall = memory.recall(start, update=Glauber(temperature), max_steps=steps, rng=rng, keep=("overlaps",))
    first = table.burn_in + 1
    energies = recall.energies[first:].mean(axis=0) / n
    sizes = np.abs(recall.overlaps[first:]).mean(axis=0)
    chains = np.column_stack([energies, sizes])
    errors = chains.std(axis=0, ddof=1) / np.sqrt(len(chains))
    return chains.mean(axis=0), np.maximum(errors, 1 / (table.chains * table.sweeps))


def _states(table: IsingTable) -> Iterator[str]:
    """Every state of a few spins, with its energy and weight at the first temperature."""
    if table.neurons > WRITTEN:
        return
    temperature = table.temperatures[0]
    for state in spins(table.neurons):
        energy = float(table.memory().energy(state[None])[0])
        signs = "".join("+" if spin > 0 else "−" for spin in state)
        weight = f"e^({number(-energy)}/{number(temperature)}) = {number(np.exp(-energy / temperature))}"
        yield f"{signs}: E = {number(energy)}, weight at T = {number(temperature)}: {weight}"
