"""Expectations of a program: the sequence that a step gives."""

from collections.abc import Iterator
from typing import Annotated, ClassVar

from pydantic import Field, Tag

from hopattn.foundation.errors import unknown
from hopattn.scenario.expectations.base import ALL_DIGITS, DIGITS, EXACT, Arrays, Expectation, Verdict, shape_of, shown
from hopattn.scenario.language.array_layout import ArrayLayout
from hopattn.scenario.language.array_name import ArrayName
from hopattn.scenario.language.fields import ByTomlType, Number, Problem, Text, Tolerance, Vector
from hopattn.scenario.language.lines import Path

Element = Annotated[
    Annotated[Text, Tag("text")] | Annotated[Number, Tag("number")] | Annotated[Vector, Tag("array")], ByTomlType
]
FORMS = ("values", "selection")
"""The last words of the names of a step's arrays."""


class StepIs(Expectation):
    """The result of one step of a program."""

    leading: ClassVar[tuple[str, ...]] = ("step",)

    step: Text
    """The name of the step."""
    is_: Annotated[list[Element], Field(alias="is", min_length=1)]
    """The right result: a word or a number for each token; for a selection a row of 0 and 1 for each query."""
    within: Tolerance = EXACT
    """The largest difference that is allowed for each number."""

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        name = self._array(layout)
        if name is None:
            steps = [one.place for one in map(ArrayName.parse, layout.arrays) if one.quantity in FORMS]
            yield Problem((*path, "step"), unknown(self.step, dict.fromkeys(steps)))
        elif shape_of(self.is_) != layout.arrays[name]:
            yield Problem((*path, "is"), f"has shape {shape_of(self.is_)}; the step has shape {layout.arrays[name]}")

    def judge(self, arrays: Arrays, layout: ArrayLayout) -> Verdict:
        computed = arrays[self._array(layout) or ""].values.tolist()
        met = all(self._equal(*pair) for pair in zip(_flat(self.is_), _flat(computed), strict=True))
        digits = DIGITS if met else ALL_DIGITS
        return Verdict(met, _shown(self.is_, digits), _shown(computed, digits))

    def sentence(self) -> str:
        return f"step {self.step}"

    def _array(self, layout: ArrayLayout) -> str | None:
        return next((name for form in FORMS if (name := f"{self.step} {form}") in layout.arrays), None)

    def _equal(self, expected: str | float, computed: str | float) -> bool:
        if isinstance(expected, str) or isinstance(computed, str):
            return expected == computed
        return abs(expected - computed) <= self.within * (1 + 1e-12)


def _flat(values: list[Element]) -> list[str | float]:
    return [one for value in values for one in (value if isinstance(value, list) else [value])]


def _shown(values: list[Element], digits: int) -> str:
    parts = [value if isinstance(value, str) else shown(value, digits) for value in values]
    return "(" + ", ".join(parts) + ")"
