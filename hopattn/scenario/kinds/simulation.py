"""kind = "simulation": the simulation of a published number, by its name, beside the formula that predicts it."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn import theory
from hopattn.foundation.errors import listed
from hopattn.foundation.writing import number
from hopattn.results.labelled import Labelled
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArraySpec
from hopattn.scenario.language.common_problems import refusals
from hopattn.scenario.language.fields import EntryIn, NameIn, Problem, Table, Text
from hopattn.scenario.simulations import arguments_of, simulations

FORMULAS = dict.fromkeys(dir(theory))
"""The names of the functions of `ha.theory`."""


class SimulationTable(Table):
    """A simulation with its arguments, the name of what it measures, and its theory."""

    of: Annotated[Table, EntryIn(simulations, parameters=arguments_of, suffix="Simulation")]
    """The simulation by its name, and its arguments: { name = "learnable", points = 36, dim = 20 }."""
    measure: Text
    """The name of the number that it gives, in a few words; figures write it at the axis."""
    times: Annotated[int, Field(ge=2, le=1000)] = 10
    """The number of draws, of which a run gives the mean and its standard error."""
    theory: Annotated[Text, NameIn(FORMULAS, lambda _: {})] | None = None
    """The function of `ha.theory` that predicts the number; it takes the arguments of the same names."""

    @property
    def given(self) -> dict[str, Any]:
        """The arguments of the simulation."""
        return self.of.model_dump(exclude={"name"})

    @property
    def foreseen(self) -> set[str]:
        """The arguments of the simulation that the theory takes."""
        return {*self.given} & {*_arguments(getattr(theory, str(self.theory)))}

    def predicted(self, **changed: Any) -> float:
        """The number that the theory gives, with some arguments changed."""
        arguments = {**self.given, **changed}
        return float(getattr(theory, str(self.theory))(**{name: arguments[name] for name in self.foreseen}))

    def problems(self) -> Iterator[Problem]:
        """A theory that needs arguments which the simulation does not have, or that does not take its numbers."""
        if self.theory is None:
            return
        needed = [name for name, needs in _arguments(getattr(theory, self.theory)).items() if needs]
        place = ("simulation", "theory")
        if missing := [name for name in needed if name not in self.given]:
            has = listed(self.given)
            yield Problem(place, f"'{self.theory}' needs {listed(missing)}; the simulation has {has}")
        else:
            yield from refusals(place, self.predicted)


def _arguments(function: Any) -> dict[str, bool]:
    """The arguments of a function of `ha.theory`, and whether each is needed."""
    return {name: one.default is one.empty for name, one in inspect.signature(function).parameters.items()}


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
        simulation = simulations[str(getattr(table.of, "name", ""))]
        drawn = [simulation(one, **table.given) for one in rng.spawn(table.times)]
        own = {table.measure: np.mean(drawn), "standard error": np.std(drawn, ddof=1) / np.sqrt(table.times)}
        return {**own, "theory": table.predicted()} if table.theory else own

    def shown(self, arrays: Mapping[str, Labelled]) -> tuple[str, ...]:
        return tuple(arrays)

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        table, numbers = self.simulation, {name: number(float(array.values)) for name, array in arrays.items()}
        name = str(getattr(table.of, "name", ""))
        yield f"{name}: {(inspect.getdoc(simulations[name]) or '').partition(chr(10))[0]}"
        yield ", ".join(f"{key} = {value}" for key, value in table.given.items())
        mean = f"{numbers[table.measure]} ± {numbers['standard error']}"
        yield f"{table.measure} = {mean}, the mean of {table.times} draws"
        if table.theory:
            yield f"ha.theory.{table.theory}: {numbers['theory']}"
