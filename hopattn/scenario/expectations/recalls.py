"""Expectations of words: the end of a recall, a step of a program, a text that is written."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, Tag

from hopattn.foundation.errors import listed, unknown
from hopattn.foundation.writing import shown
from hopattn.scenario.expectations.base import EXACT, Arrays, Expectation, Verdict, shape_of, told_apart
from hopattn.scenario.language.array_layout import ArrayLayout
from hopattn.scenario.language.array_name import ArrayName
from hopattn.scenario.language.fields import ByTomlType, Number, Problem, Text, Tolerance, Vector
from hopattn.scenario.language.lines import Path

_WORDS = ("recalls", "answers", "status", "spurious")
"""The keys that expect one word for each cue; an array has the same name."""
WRITTEN = "written"
"""The array that holds the words of the text."""
Element = Annotated[
    Annotated[Text, Tag("text")] | Annotated[Number, Tag("number")] | Annotated[Vector, Tag("array")], ByTomlType
]
FORMS = ("values", "selection")
"""The last words of the names of a step's arrays."""


class Ended(Expectation):
    """The end of the recall of a cue."""

    leading: ClassVar[tuple[str, ...]] = ("recalls", "answers", "status", "spurious", "visits", "energy")

    at: str
    """The cue."""
    recalls: Text | None = None
    """The stored pattern that it reached (a cosine of at least .95), or "nothing"."""
    answers: Text | None = None
    """The pattern that the other side of a bidirectional memory reached, or "nothing"."""
    status: Literal["converged", "cycle", "limit", "diverged", "nothing near"] | None = None
    """The end of the recall: a fixed point, a cycle, max_steps, growth without bound, or no pattern that takes part."""
    spurious: Literal["none", "reversed", "between", "mixture", "other"] | None = None
    """The sort of a state that is not a stored pattern: a pattern reversed, a mixture of three, or another."""
    visits: Annotated[list[Text], Field(min_length=1)] | None = None
    """The patterns that it visited, from the cue on, one for each step; "nothing" for a state that is not a pattern."""
    energy: Literal["falls", "rises"] | None = None
    """"falls": the energy does not rise on the way, and stays level where the cue is a fixed point already; "rises":
    some step raises it."""

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        yield from layout.row_problem(self.at, (*path, "at"))
        for key in self._given:
            if not layout.find(key):
                needed = "; it needs patterns on a second side, or of a second layer" if key == "answers" else ""
                yield Problem((*path, key), f"there is no array '{key}' here{needed} (arrays: {listed(layout.arrays)})")
        known = ["nothing", *layout.recallable]
        if self.recalls not in (None, *known):
            yield Problem((*path, "recalls"), unknown(self.recalls, known))
        for i, word in enumerate(self.visits or []):
            if word not in known:
                yield Problem((*path, "visits", i), unknown(word, known))

    def judge(self, arrays: Arrays, layout: ArrayLayout) -> Verdict:
        row = layout.index(self.at)
        verdicts = [(getattr(self, key), str(arrays[key].values[row])) for key in _WORDS if getattr(self, key)]
        met = all(word == computed for word, computed in verdicts)
        if self.visits is not None:
            visited = [str(word) for word in arrays["visits"].values[row][: len(self.visits)]]
            met = met and visited == self.visits
            verdicts.append((" → ".join(self.visits), " → ".join(visited)))
        if self.energy is not None:
            energies = arrays["energy"].values[row]
            falls = bool(np.all(np.diff(energies) <= EXACT))
            met = met and falls == (self.energy == "falls")
            verdicts.append((self.energy, f"{energies[0]:.4g} → {energies[-1]:.4g}"))
        expected, computed = ([str(verdict[side]) for verdict in verdicts] for side in (0, 1))
        return Verdict(met, ", ".join(expected), ", ".join(computed))

    def sentence(self) -> str:
        return f"{', '.join(self._given)} of {self.at}"

    @property
    def _given(self) -> list[str]:
        """The leading keys that the file gives."""
        return [key for key in self.leading if getattr(self, key) is not None]


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
        texts = told_apart(met, lambda digits: [_shown(of, digits) for of in (self.is_, computed)])
        return Verdict(met, texts[0], texts[1])

    def sentence(self) -> str:
        return f"step {self.step}"

    def _array(self, layout: ArrayLayout) -> str | None:
        return next((name for form in FORMS if (name := f"{self.step} {form}") in layout.arrays), None)

    def _equal(self, expected: str | float, computed: str | float) -> bool:
        if isinstance(expected, str) or isinstance(computed, str):
            return expected == computed
        return abs(expected - computed) <= self.within * (1 + 1e-12)


class Writes(Expectation):
    """The text that is written."""

    leading: ClassVar[tuple[str, ...]] = ("writes",)

    writes: Annotated[list[Text], Field(min_length=1)]
    """The words in their order, with the word that ends the text if it is reached."""

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        if not layout.find(WRITTEN):
            yield Problem((*path, "writes"), f"nothing is written here (arrays: {listed(layout.arrays)})")
            return
        for i, word in enumerate(self.writes):
            if word not in layout.words:
                yield Problem((*path, "writes", i), unknown(word, layout.words))

    def judge(self, arrays: Arrays, layout: ArrayLayout) -> Verdict:
        words = [str(word) for word in arrays[WRITTEN].values]
        return Verdict(words == self.writes, " ".join(self.writes), " ".join(words))

    def sentence(self) -> str:
        return "the text that is written"


def _flat(values: list[Element]) -> list[str | float]:
    return [one for value in values for one in (value if isinstance(value, list) else [value])]


def _shown(values: list[Element], digits: int) -> str:
    parts = [value if isinstance(value, str) else shown(value, digits) for value in values]
    return "(" + ", ".join(parts) + ")"
