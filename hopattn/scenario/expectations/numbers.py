"""Expectations of numbers: one weight of the attention matrix, a whole matrix, a measure of the whole run."""

from collections.abc import Iterator
from typing import Annotated, ClassVar

from pydantic import Field

from hopattn.foundation.errors import shortened, unknown
from hopattn.scenario.expectations.base import Arrays, Numeric, Value, Verdict, shape_of
from hopattn.scenario.language.array_layout import ArrayLayout
from hopattn.scenario.language.decimal_commas import comma_hint
from hopattn.scenario.language.fields import Count, Matrix, Problem, Table
from hopattn.scenario.language.lines import Path


class Entry(Table):
    """One entry of the attention matrix."""

    row: Annotated[str, Field(alias="from")]
    """The token that attends."""
    column: Annotated[str, Field(alias="to")]
    """The token that is attended to."""
    layer: Count | None = None
    """The layer, if there are several."""
    head: Count | None = None
    """The head, if there are several."""


class WeightIs(Value):
    """The attention weight from one token to another."""

    leading: ClassVar[tuple[str, ...]] = ("weight",)

    weight: Entry
    """The entry of the attention matrix."""

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        path_to = (*path, "weight")
        yield from layout.array_problem("weights", self.weight.layer, self.weight.head, path_to, several=False)
        yield from layout.row_problem(self.weight.row, (*path_to, "from"))
        yield from layout.row_problem(self.weight.column, (*path_to, "to"), layout.columns)
        yield from self.stated_problems(self.is_, self.stated, path)

    @property
    def words(self) -> tuple[str, ...]:
        return (self.weight.row,)

    def judge(self, arrays: Arrays, layout: ArrayLayout) -> Verdict:
        name = layout.find("weights", self.weight.layer, self.weight.head)[0]
        row, column = layout.index(self.weight.row), layout.index(self.weight.column, layout.columns)
        return self.compare(arrays[name].values[row, column], self.is_, self.stated)

    def sentence(self) -> str:
        layer = f" in layer {self.weight.layer}" if self.weight.layer else ""
        head = f" of head {self.weight.head}" if self.weight.head else ""
        return f"weight from {self.weight.row} to {self.weight.column}{head}{layer}"


class MatrixIs(Numeric):
    """A whole matrix of numbers."""

    leading: ClassVar[tuple[str, ...]] = ("matrix",)

    matrix: str
    """The array: weights, scores, queries, keys, values, state, …"""
    layer: Count | None = None
    """The layer, if there are several."""
    head: Count | None = None
    """The head, if there are several."""
    is_: Annotated[Matrix, Field(alias="is")]
    """The right numbers, row by row."""
    stated: Matrix | None = None
    """The numbers that the source prints."""

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        problems = [*layout.array_problem(self.matrix, self.layer, self.head, (*path, "matrix"), several=False)]
        yield from problems
        if not problems:
            shape = layout.arrays[layout.find(self.matrix, self.layer, self.head)[0]]
            if shape_of(self.is_) != shape:
                hint = comma_hint(self.is_, shape[-1]) if shape else ""
                yield Problem((*path, "is"), f"has shape {shape_of(self.is_)}; the matrix has shape {shape}{hint}")
        yield from self.stated_problems(self.is_, self.stated, path)

    def judge(self, arrays: Arrays, layout: ArrayLayout) -> Verdict:
        name = layout.find(self.matrix, self.layer, self.head)[0]
        return self.compare(arrays[name].values, self.is_, self.stated)

    def sentence(self) -> str:
        layer = f" in layer {self.layer}" if self.layer else ""
        head = f" of head {self.head}" if self.head else ""
        return f"matrix of {self.matrix}{head}{layer}"


class MeasureIs(Value):
    """A scalar result of the whole run, such as the accuracy of a task."""

    leading: ClassVar[tuple[str, ...]] = ("measure",)

    measure: str
    """The scalar: accuracy, …"""

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        if not layout.measures:
            yield Problem((*path, "measure"), f"'{shortened(self.measure)}' is unknown: this kind has no measures")
        elif self.measure not in layout.measures:
            yield Problem((*path, "measure"), unknown(self.measure, layout.measures))
        yield from self.stated_problems(self.is_, self.stated, path)

    def judge(self, arrays: Arrays, layout: ArrayLayout) -> Verdict:
        return self.compare(arrays[self.measure].values, self.is_, self.stated)

    def sentence(self) -> str:
        return self.measure
