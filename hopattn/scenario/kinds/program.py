"""kind = "program": a text goes through named selections, aggregations and maps (RASP)."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.circuits.rasp import Selection, sequence
from hopattn.results.labelled import Labelled
from hopattn.scenario.explain.program import explain_step
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArrayLayout, ArraySpec, Axis
from hopattn.scenario.language.common_problems import duplicate_problems
from hopattn.scenario.language.fields import Problem, Table
from hopattn.scenario.language.occurrence import labels
from hopattn.scenario.parts.program import NUMBERS, WORDS, Constant, FaultyStep, StepTable, computed

MOST = 512
"""The largest number of tokens of a program."""


class ProgramInput(Table):
    """The text of a program."""

    tokens: Annotated[list[Constant], Field(min_length=1)]
    """The words or numbers, in their order; they are the sequence "tokens"."""

    @property
    def names(self) -> list[str]:
        """The tokens as texts."""
        return [token if isinstance(token, str) else f"{token:.12g}" for token in self.tokens]

    def problems(self) -> Iterator[Problem]:
        """Words among numbers, more tokens than a program takes, and tokens with the same label."""
        path = ("input", "tokens")
        if len({isinstance(token, str) for token in self.tokens}) > 1:
            yield Problem(path, "hold words and numbers; expected one sort")
        if len(self.tokens) > MOST:
            yield Problem(path, f"are {len(self.tokens):,}; a program takes at most {MOST}")
        yield from duplicate_problems(labels(self.names), path)


class Program(Spec):
    """A text, and a program of named selections, aggregations and maps that it goes through."""

    main_table: ClassVar[str] = "step"
    kind: Literal["program"]
    """Which kind of scenario it is."""
    input: ProgramInput
    """The text that goes in."""
    step: Annotated[list[StepTable], Field(min_length=1)]
    """The steps of the program, in their order."""

    def fit_problems(self) -> Iterator[Problem]:
        sorts = self._start_sorts()
        problems = [*self.input.problems()]
        yield from problems
        sound = not problems
        for i, step in enumerate(self.step):
            problems = [*step.problems(sorts, ("step", i))]
            yield from problems
            sound &= not problems
            sorts.setdefault(step.name, None if problems else step.sort(sorts))
        if sound:
            yield from self._faults()

    def _faults(self) -> Iterator[Problem]:
        """The step that cannot be computed for these tokens; the computation itself finds it."""
        try:
            computed(self.step, self._start())
        except FaultyStep as fault:
            yield Problem(("step", fault.step), fault.message)

    def _start(self) -> dict[str, Any]:
        return {"tokens": sequence(self.input.tokens, "tokens"), "indices": np.arange(len(self.input.tokens)) + 0.0}

    def _start_sorts(self) -> dict[str, str | None]:
        return {"tokens": WORDS if isinstance(self.input.tokens[0], str) else NUMBERS, "indices": NUMBERS}

    def size(self) -> int:
        n = len(self.input.tokens)
        return (30 + 2 * len(self.step)) * n * n

    def declared_arrays(self) -> Iterator[ArraySpec]:
        own = labels(self.input.names)
        token, square = (("token", own),), (("query", own), ("key", own))
        sorts = self._start_sorts()
        yield ArraySpec("tokens values", token, measured=sorts["tokens"] == NUMBERS)
        for step in self.step:
            sorts[step.name] = sort = step.sort(sorts)
            yield from self._arrays(step, sort, token, square)

    @staticmethod
    def _arrays(
        step: StepTable, sort: str | None, token: tuple[Axis, ...], square: tuple[Axis, ...]
    ) -> Iterator[ArraySpec]:
        """The declaration of the arrays of one step."""
        if step.select is not None:
            (_, rows), (_, columns) = square
            names = step.select.axis_names
            yield ArraySpec(f"{step.name} selection", ((names[0], rows), (names[1], columns)))
            return
        yield ArraySpec(f"{step.name} values", token, measured=sort == NUMBERS)
        if step.aggregate is not None:
            yield ArraySpec(f"{step.name} weights", square)

    def layout(self) -> ArrayLayout:
        own = labels(self.input.names)
        return replace(super().layout(), rows=own, columns=own)

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        values = computed(self.step, self._start())
        arrays = {"tokens values": values["tokens"]}
        for step in self.step:
            result = values[step.name]
            if isinstance(result, Selection):
                arrays[f"{step.name} selection"] = result.scores
            else:
                arrays[f"{step.name} values"] = result
            if step.aggregate is not None:
                arrays[f"{step.name} weights"] = values[step.aggregate.selection].weights
        return arrays

    def shown(self, arrays: Mapping[str, Labelled]) -> tuple[str, ...]:
        return (list(arrays)[-1 if self.step[-1].aggregate is None else -2],)

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        for step in self.step:
            yield from explain_step(step, arrays)
