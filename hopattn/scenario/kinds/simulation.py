"""kind = "simulation": the simulation of a published number, by its name, beside the formula that predicts it."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn import theory
from hopattn.foundation.writing import number
from hopattn.results.labelled import Labelled
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArraySpec
from hopattn.scenario.language.common_problems import refusals
from hopattn.scenario.language.fields import EntryIn, NameIn, Problem, Table, Text
from hopattn.scenario.simulations import FORMULAS, arguments_of, simulations

BESIDE = ("standard error", "theory")
"""The arrays beside the measure."""


class SimulationTable(Table):
    """A simulation with its arguments, the name of what it measures, and its theory."""

    of: Annotated[Table, EntryIn(simulations, parameters=arguments_of, suffix="Simulation")]
    """The simulation by its name, and its arguments: { name = "learnable", points = 36, dim = 20 }."""
    measure: Text
    """The name of the number that it gives, in a few words; figures write it at the axis."""
    times: Annotated[int, Field(ge=2, le=1000)] = 10
    """The number of draws, of which a run gives the mean and its standard error."""
    theory: Annotated[Text, NameIn(dict.fromkeys(FORMULAS.values()))] | None = None
    """The function of `ha.theory` that predicts the number: of learnable separable_share, of largest_margin
    gardner_margin, of diluted_overlap shared_overlap, of sdm_reading sdm_error, of sums_kept kept_sums; of denoised
    linear_denoising_error, for the predictor "linear"."""

    @property
    def name(self) -> str:
        """The name of the simulation."""
        return str(getattr(self.of, "name", ""))

    @property
    def given(self) -> dict[str, Any]:
        """The arguments of the simulation."""
        return self.of.model_dump(exclude={"name"})

    @property
    def foreseen(self) -> set[str]:
        """The arguments of the simulation that the theory takes."""
        return {*self.given} & {*inspect.signature(getattr(theory, str(self.theory))).parameters}

    def predicted(self, **changed: Any) -> float:
        """The number that the theory gives, with some arguments changed."""
        arguments = {**self.given, **changed}
        return float(getattr(theory, str(self.theory))(**{name: arguments[name] for name in self.foreseen}))

    def problems(self) -> Iterator[Problem]:
        """A measure with the name of another array, and a theory of another simulation or of other numbers."""
        if self.measure in BESIDE:
            yield Problem(("simulation", "measure"), f"'{self.measure}' stands beside the measure; choose another name")
        place, own = ("simulation", "theory"), FORMULAS[self.name]
        if self.theory is None:
            return
        if self.theory != own:
            yield Problem(place, f"'{self.theory}' is not the formula of '{self.name}'; expected '{own}'")
        elif (predictor := self.given.get("predictor", "linear")) != "linear":
            yield Problem(place, f"'{own}' is for predictor = 'linear', not '{predictor}'; leave it out")
        else:
            yield from refusals(place, self.predicted)


class Simulation(Spec):
    """The simulation of a published number, and its theory."""

    main_table: ClassVar[str] = "simulation"
    kind: Literal["simulation"]
    simulation: SimulationTable
    """What is simulated, and how often."""

    def size(self) -> int:
        return 0  # the arguments have bounds of their own

    def declared_arrays(self) -> Iterator[ArraySpec]:
        yield ArraySpec(self.simulation.measure)
        yield ArraySpec("standard error", measured=False)
        if self.simulation.theory:
            yield ArraySpec("theory", measured=False)

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        table = self.simulation
        drawn = [simulations[table.name](one, **table.given) for one in rng.spawn(table.times)]
        own = {table.measure: np.mean(drawn), "standard error": np.std(drawn, ddof=1) / np.sqrt(table.times)}
        return {**own, "theory": table.predicted()} if table.theory else own

    def shown(self, arrays: Mapping[str, Labelled]) -> tuple[str, ...]:
        return tuple(arrays)

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        table, numbers = self.simulation, {name: number(float(array.values)) for name, array in arrays.items()}
        yield f"{table.name}: {(inspect.getdoc(simulations[table.name]) or '').partition(chr(10))[0]}"
        yield ", ".join(f"{key} = {value}" for key, value in table.given.items())
        mean = f"{numbers[table.measure]}, the mean of {table.times} draws"
        yield f"{table.measure} = {mean}; its standard error is {numbers['standard error']}"
        if table.theory:
            yield f"ha.theory.{table.theory}: {numbers['theory']}"
