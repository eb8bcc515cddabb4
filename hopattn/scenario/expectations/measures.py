"""Expectations of numbers: weights and scores of heads, a whole matrix, a measure of the run, a probe."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.circuits.scores import OF_REPEATS, SCORES
from hopattn.foundation.errors import InvalidInput, listed, shortened, unknown
from hopattn.foundation.writing import shown
from hopattn.results.labelled import Labelled
from hopattn.scenario.expectations.base import DIGITS, Arrays, Expectation, Numeric, Value, Verdict, shape_of
from hopattn.scenario.language.array_layout import ArrayLayout
from hopattn.scenario.language.decimal_commas import comma_hint
from hopattn.scenario.language.fields import Count, Matrix, PositiveNumber, Problem, Table
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.occurrence import occurrences


class ScoreIs(Value):
    """A score of an attention head, from 0 to 1."""

    leading: ClassVar[tuple[str, ...]] = ("score",)

    score: str
    """The score: "previous token", "duplicate token" (earlier copies of the word), "prefix matching" (the words after
    these), each on average over the rows that have such words; or "attention sink" (the first word, over all rows)."""
    layer: Count | None = None
    """The layer, if there are several."""
    head: Count | None = None
    """The head, if there are several."""

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        where = (*path, "score")
        yield from layout.array_problem("weights", self.layer, self.head, where, several=False)
        yield from self.stated_problems(self.is_, self.stated, path)
        if self.score not in SCORES:
            yield Problem(where, unknown(self.score, SCORES))
        elif layout.rows != layout.columns:
            yield Problem(where, "is that of a text whose words attend to each other; here they attend to others")
        elif self.score in OF_REPEATS and len({*self._words_of(layout)}) == len(layout.rows):
            yield Problem(where, "needs a word that occurs twice; every word of this text occurs once")
        elif len(layout.rows) < 2:
            yield Problem(where, "needs a text of at least two words")

    def answer(self, arrays: Arrays, layout: ArrayLayout) -> Labelled:
        weights = arrays[layout.find("weights", self.layer, self.head)[0]].values
        return Labelled(np.array(SCORES[self.score](weights, self._words_of(layout))))

    def judge(self, arrays: Arrays, layout: ArrayLayout) -> Verdict:
        try:
            return super().judge(arrays, layout)
        except InvalidInput as error:  # weights that are not shares, such as raw similarities
            return Verdict(False, shown(self.is_, DIGITS), "no score", str(error))

    @staticmethod
    def _words_of(layout: ArrayLayout) -> list[str]:
        return [token.word for token in occurrences(layout.rows, layout.words)]

    def sentence(self) -> str:
        return f"{self.score}{_place(self.layer, self.head)}"


class Entry(Table):
    """One entry of the attention matrix."""

    row: Annotated[str, Field(alias="from")]
    """The token that attends."""
    column: Annotated[str, Field(alias="to")]
    """The token that is attended to, or "rest" for what a sink takes."""
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
        if self._rest(layout) is None:
            yield from layout.row_problem(self.weight.column, (*path_to, "to"), layout.columns)
        yield from self.stated_problems(self.is_, self.stated, path)

    @property
    def words(self) -> tuple[str, ...]:
        return (self.weight.row,)

    def answer(self, arrays: Arrays, layout: ArrayLayout) -> Labelled:
        name = layout.find("weights", self.weight.layer, self.weight.head)[0]
        row, rest = layout.index(self.weight.row), self._rest(layout)
        if rest is not None:
            return Labelled(arrays[rest].values[row])
        return Labelled(arrays[name].values[row, layout.index(self.weight.column, layout.columns)])

    def _rest(self, layout: ArrayLayout) -> str | None:
        """The array of what the sink takes, where "rest" is that and not a word of the text."""
        names = layout.find("rest", self.weight.layer, self.weight.head)
        return names[0] if names and self.weight.column == "rest" and "rest" not in layout.columns else None

    def sentence(self) -> str:
        entry = self.weight
        return f"weight from {entry.row} to {entry.column}{_place(entry.layer, entry.head)}"


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

    def answer(self, arrays: Arrays, layout: ArrayLayout) -> Labelled:
        return arrays[layout.find(self.matrix, self.layer, self.head)[0]]

    def sentence(self) -> str:
        return f"matrix of {self.matrix}{_place(self.layer, self.head)}"


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

    def answer(self, arrays: Arrays, layout: ArrayLayout) -> Labelled:
        return arrays[self.measure]

    def sentence(self) -> str:
        return self.measure


class ProbeIs(Expectation):
    """The accuracy of a probe compared with chance."""

    leading: ClassVar[tuple[str, ...]] = ("probe",)

    probe: Literal["masked", "unmasked", "line", "rest"]
    """The probe: of the model with its mask, of the one without, of one number of the masked model (the component along
    the line of the positions' mean vectors), or of what is left without that number."""
    layer: Annotated[int, Field(ge=0)] | None = None
    """The layer; 0 are the words before the first one. By default the last."""
    is_: Annotated[Literal["above chance", "at chance"], Field(alias="is")]
    """Whether the accuracy is above chance, or no farther from it than `errors` standard errors."""
    errors: PositiveNumber = 4.0
    """The number of standard errors: of the accuracy at chance, for as many texts as the probe was tested on."""

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        name = self._array
        if name not in layout.arrays:
            yield Problem((*path, "probe"), f"there is no array '{name}' here (arrays: {listed(layout.arrays)})")
        elif (self.layer or 0) >= layout.arrays[name][0]:
            yield Problem((*path, "layer"), f"got {self.layer}; the last layer is {layout.arrays[name][0] - 1}")

    def judge(self, arrays: Arrays, layout: ArrayLayout) -> Verdict:
        accuracy = float(arrays[self._array].values[-1 if self.layer is None else self.layer])
        chance, error = (float(arrays[name].values) for name in ("chance", "standard error"))
        room = self.errors * error
        above = self.is_ == "above chance"
        met = accuracy > chance + room if above else abs(accuracy - chance) <= room * (1 + 1e-12)
        expected = f"> {shown(chance + room, DIGITS)}" if above else f"{shown(chance, DIGITS)} ± {shown(room, DIGITS)}"
        return Verdict(met, expected, shown(accuracy, DIGITS))

    def sentence(self) -> str:
        place = "" if self.layer is None else f" after layer {self.layer}" if self.layer else " of the words"
        return f"{self.probe} probe{place} is {self.is_}"

    @property
    def _array(self) -> str:
        return f"{self.probe} accuracy"


def _place(layer: int | None, head: int | None) -> str:
    """The head and the layer in words, as far as they are given."""
    return (f" of head {head}" if head else "") + (f" in layer {layer}" if layer else "")
