"""kind = "ising": spins at a temperature: exact averages over all states, and states drawn by Glauber's update."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from hopattn.dynamics.updates.asynchronous import Glauber
from hopattn.foundation.intervals import student
from hopattn.foundation.sentences import say
from hopattn.foundation.writing import number, with_interval
from hopattn.landscapes.enumerated import spins
from hopattn.memories.models import named_memories
from hopattn.networks.classical import Hopfield
from hopattn.networks.ising import MOST_SPINS_SUMMED, boltzmann, curie_weiss, mean_field
from hopattn.scenario.arrays import Arrays, numbers
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.kinds.couplings import add_couplings, is_matrix
from hopattn.scenario.kinds.models import ModelChoice, ModelTable
from hopattn.scenario.language.table import (
    Count,
    Matrix,
    PositiveNumber,
    Table,
    Vector,
    at,
    need,
    need_one_of,
    need_room,
    need_unused,
)

FORMS = ("couplings", "patterns", "curie_weiss")
"""The keys of which one says what the spins are."""
THERMAL = ("energy", "free energy", "entropy", "heat capacity")
"""The columns of `thermal`; all are divided by the number of spins."""
FINE, CRITICAL = 101, (0.98, 0.99, 0.995, 0.998, 0.9995, 1.0)
"""The number of temperatures of `curve`, and others up to T = 1, where m = √(3(1 − T)) falls to 0 ever more steeply."""
MAX_TERMS = 10_000_000
"""The largest number of states, times temperatures, that a run sums."""
MAX_UPDATES = 3_000_000
"""The largest number of spins, times sweeps, chains and temperatures, that a run updates: about a second."""
MOST_SAMPLED = 128
"""The largest number of spins that are drawn by Glauber's update."""


class IsingTable(Table):
    """The spins, the temperatures, and how many states are drawn."""

    arguments: ClassVar[Mapping[str, str]] = {"temperature": "temperatures"}
    couplings: Matrix | None = None
    """The couplings W of E = −½ xᵀW x − bᵀx, one row a spin; symmetric."""
    bias: Vector | None = None
    """With `couplings`: the field b at each spin; by default 0."""
    patterns: Matrix | None = None
    """The patterns that a memory stores, each of -1 and 1; the memory's energy is that of the spins."""
    model: ModelChoice = "hopfield"
    """With `patterns`: the memory, by its name, as in [memory]."""
    curie_weiss: Count | None = None
    """A number N of spins that are all coupled by 1/N: Hopfield's network with one pattern."""
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
    def form(self) -> str:
        """The form that the file gives."""
        return next(form for form in FORMS if getattr(self, form) is not None)

    @property
    def neurons(self) -> int:
        """The number of spins."""
        return self.curie_weiss or len(self.couplings or (self.patterns or [[]])[0])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the overlaps; without patterns it is m, the overlap with all spins up."""
        return tuple(f"pattern {i + 1}" for i in range(len(self.patterns))) if self.patterns else ("m",)

    def key_of(self, argument: str) -> str | None:  # type: ignore[override]
        """As of every table; what the core says of the memory is said of the form."""
        return self.form if argument == "memory" else super().key_of(argument)

    def need_bounds(self) -> None:
        """Refuse none or several of the three forms, keys of another form, and too many sums and samples."""
        need_one_of(self, *FORMS)
        n, count, form = self.neurons, len(self.temperatures), self.form
        for key, owner in (("bias", "couplings"), ("model", "patterns")):
            if form != owner:
                need_unused(self, (key,), f"belongs to `{owner}`, and `{form}` is given")
        for i, row in enumerate(self.couplings or self.patterns or ()):
            need(len(row) == n, (form, i), f"{len(row)} numbers do not fit {n} spins")
        most = f"{n} spins have 2^{n} states; at most {MOST_SPINS_SUMMED} spins are summed, or more with `curie_weiss`"
        need(self.curie_weiss or n <= MOST_SPINS_SUMMED, form, most)
        states, sums = (n + 1, count + FINE + len(CRITICAL)) if self.curie_weiss else (2**n, count)
        terms = f"{states:,} sums at {sums} temperatures are {states * sums:,}; expected at most {MAX_TERMS:,}"
        need(states * sums <= MAX_TERMS, "temperatures", terms)
        sweeps = (self.sweeps + self.burn_in) * (self.sweeps > 0)
        updates, excess = n * sweeps * max(self.chains, 50) * count, f"{n} spins; at most {MOST_SAMPLED} are drawn"
        need(not sweeps or n <= MOST_SAMPLED, "sweeps", f"{excess}, so expected sweeps = 0")
        excess = f"{sweeps} sweeps of {n} spins in {self.chains} chains at {count} temperatures"
        need(updates <= MAX_UPDATES, "sweeps", f"{excess} are about {updates:,} updates; at most {MAX_UPDATES:,}")
        need_room(4 * states * (n + len(self.names)) + sweeps * self.chains * (1 + len(self.names)))

    def memory(self) -> Any:
        """The memory whose energy is that of the spins."""
        if self.patterns is not None:
            rows = np.array(self.patterns, dtype=float)
            return ModelTable(model=self.model).build(rows, None, np.random.default_rng(0))
        if self.curie_weiss is not None:
            card: Any = named_memories["hopfield"]
            return card.build(np.ones((1, self.curie_weiss)), self_coupling=True)
        couplings = np.array(self.couplings, dtype=float)
        return Hopfield(couplings, bias=self.bias or 0.0, patterns=np.ones((1, len(couplings))))

    def averages(self, temperatures: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The overlaps' sizes `(n_t, n_patterns)`, and energy, free energy, entropy and heat capacity of a spin."""
        n = self.curie_weiss
        exact: Any = curie_weiss(n, temperatures) if n else boltzmann(self.memory(), temperatures)
        thermal = [getattr(exact, name.replace(" ", "_")) for name in THERMAL]
        overlaps = exact.size_of_m[:, None] if n else exact.overlaps
        return overlaps, np.stack(thermal, axis=-1) / self.neurons

    def sampled(self, temperature: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """The energy of a spin and the overlaps' sizes by Glauber's update, and their errors, `(1 + n_patterns,)`.

        A standard error is at least that of one event in all sweeps, which chains that never change cannot rule out.
        """
        start, first = rng.choice([-1.0, 1.0], size=(self.chains, self.neurons)), self.burn_in + 1
        options: Any = {"max_steps": self.burn_in + self.sweeps, "rng": rng, "keep": ("overlaps",)}
        recall = self.memory().recall(start, update=Glauber(temperature), **options)
        energies = recall.energies[first:].mean(axis=0) / self.neurons
        chains = np.column_stack([energies, np.abs(recall.overlaps[first:]).mean(axis=0)])
        errors = chains.std(axis=0, ddof=1) / np.sqrt(len(chains))
        return chains.mean(axis=0), np.maximum(errors, 1 / (self.chains * self.sweeps))


class Ising(Kind):
    """Spins at a temperature: the Ising model, and memories as magnets."""

    kind: Literal["ising"]
    ising: IsingTable
    """The spins and the temperatures."""

    def need_bounds(self) -> None:
        with at("ising"):
            self.ising.need_bounds()

    def least(self) -> Self:
        least = {"sweeps": min(self.ising.sweeps, 1), "burn_in": 0, "chains": 2}
        return self.changed(self._taken, ising=self.ising.model_copy(update=least))

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        table, temperatures = self.ising, np.array(self.ising.temperatures)
        axis, names = {"temperature": temperatures}, table.names
        with at("ising", table=table):
            overlaps, thermal = table.averages(temperatures)
            arrays.add("overlaps", overlaps, {**axis, "pattern": names})
            if table.curie_weiss:
                arrays.add("mean-field", mean_field(temperatures)[:, None], {**axis, "pattern": names})
                low, high = temperatures.min(), temperatures.max()
                fine = np.unique([*np.linspace(low, high, FINE), *(t for t in CRITICAL if low < t < high)])
                curves = np.column_stack([mean_field(fine), table.averages(fine)[0]])
                averages = "infinitely many", "exact"
                arrays.add("curve", curves, {"fine temperature": fine, "average": averages}, drawn=True)
            arrays.add("thermal", thermal, {**axis, "quantity": THERMAL})
            if table.curie_weiss or is_matrix(table.memory()):
                add_couplings(arrays, table.memory, numbers(table.neurons))
            if table.sweeps:
                sampled = [*map(table.sampled, temperatures.tolist(), rng.spawn(len(temperatures)))]
                means, errors = np.stack(sampled, axis=1)
                arrays.add("sampled", means, {**axis, "quantity": ("energy", *names)})
                arrays.add("errors", errors, {**axis, "quantity": ("energy", *names)})
                arrays.add("chains", table.chains, drawn=True)
                arrays.add("half", student(table.chains) * errors, {**axis, "quantity": ("energy", *names)}, drawn=True)
                exact = np.column_stack([thermal[:, 0], overlaps])
                arrays.add("deviation", np.max(np.abs(means - exact) / errors))

    def shown(self, arrays: Arrays) -> tuple[str, ...]:
        return tuple(arrays)

    def explain(self, arrays: Arrays) -> Iterator[str]:
        table, first = self.ising, number(self.ising.temperatures[0])
        for state in spins(table.neurons) if table.neurons <= 3 else ():
            energy = float(table.memory().energy(state[None])[0])
            signs = "".join("+" if spin > 0 else "−" for spin in state)
            weight = f"e^({number(-energy)}/{first}) = {number(np.exp(-energy / table.temperatures[0]))}"
            yield say("{}: E = {}, weight at T = {}: {}", signs, number(energy), first, weight)
        for i, temperature in enumerate(table.temperatures):
            energy, free, entropy, _ = arrays["thermal"].values[i]
            terms = f"{number(energy)} − {number(temperature)} × {number(entropy)} ≈ {number(free)}"
            yield say("T = {}, for each spin: F = E − T S = {}", number(temperature), terms)
            for j, name in enumerate(table.names):
                line = f"  ⟨|{name}|⟩ = {number(arrays['overlaps'].values[i, j])}"
                if "mean-field" in arrays:
                    line += say("; for infinitely many spins {}", number(arrays["mean-field"].values[i, j]))
                if "sampled" in arrays:
                    drawn, half = (float(arrays[name].values[i, j + 1]) for name in ("sampled", "half"))
                    line += say("; by Glauber's update {}", with_interval(drawn, drawn - half, drawn + half))
                yield line
        if "deviation" in arrays:
            yield say("[ ]: 95 % interval (Student's t) of {} chains", str(table.chains))
            yield say("the largest difference is {} standard errors", number(float(arrays["deviation"].values)))
