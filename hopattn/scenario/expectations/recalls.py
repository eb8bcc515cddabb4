"""Expectations of words: the end of a recall, a step of a program, a text that is written."""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, Tag
from pydantic_core import PydanticCustomError

from hopattn.foundation.errors import listed, shortened
from hopattn.foundation.sentences import say
from hopattn.foundation.writing import shown
from hopattn.scenario.arrays import Arrays, Name
from hopattn.scenario.expectations.base import EXACT, Expectation, Verdict, equal, shape_of, told_apart
from hopattn.scenario.language.table import ByTomlType, Number, Text, Tolerance, Vector, need, need_known

Element = Annotated[
    Annotated[Text, Tag("text")] | Annotated[Number, Tag("number")] | Annotated[Vector, Tag("array")], ByTomlType
]


def _course(value: Any) -> Any:
    """The word of an expected course; raises `PydanticCustomError` for a number, which another form expects."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        form = f'matrix = "energy", at = "…", columns = ["0"], is = [{shortened(value)}]'
        message = f'got {shortened(value)}; expected "falls" or "rises"; the energy of a cue is {form}'
        raise PydanticCustomError("course", "{message}", {"message": message})
    return value


class Ended(Expectation):
    """The end of the recall of a cue."""

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
    energy: Annotated[Literal["falls", "rises"] | None, BeforeValidator(_course)] = None
    """"falls": the energy does not rise on the way, and stays level where the cue is a fixed point already; "rises":
    some step raises it."""

    @classmethod
    def leading(cls) -> tuple[str, ...]:
        """The keys that expect something; an array has the same name."""
        return ("recalls", "answers", "status", "spurious", "visits", "energy")

    @property
    def _expected(self) -> dict[str, Any]:
        """What the file expects, by its key."""
        return {key: value for key in self.leading() if (value := getattr(self, key)) is not None}

    def judge(self, arrays: Arrays) -> Verdict:
        for key in self._expected:
            needed = "; it needs patterns on a second side, or of a second layer" if key == "answers" else ""
            lack = f"there is no array '{key}' here{needed} (arrays: {listed(arrays.asked)})"
            need(key in arrays.asked, key, lack)
        row = arrays.row(self.at, ("at",), arrays[next(iter(self._expected))].labels[0])
        for key, word in (("recalls", self.recalls), ("answers", self.answers)):
            if word is not None:
                need_known(word, arrays.recallable[key], key)
        for i, word in enumerate(self.visits or []):
            need_known(word, arrays.recallable["visits"], "visits", i)
        verdicts = (_ended(key, value, arrays[key].values[row]) for key, value in self._expected.items())
        met, expected, computed = zip(*verdicts, strict=True)
        return Verdict(all(met), ", ".join(expected), ", ".join(computed))

    def sentence(self) -> str:
        return say("{} of {}", ", ".join(self._expected), self.at)


class StepIs(Expectation):
    """The result of one step of a program."""

    step: Text
    """The name of the step."""
    is_: Annotated[list[Element], Field(alias="is", min_length=1)]
    """The right result: a word or a number for each token; for a selection a row of 0 and 1 for each query."""
    within: Tolerance = EXACT
    """The largest difference that is allowed for each number."""

    def judge(self, arrays: Arrays) -> Verdict:
        steps = {one.place: str(one) for one in map(Name.parse, arrays) if one.quantity in ("values", "selection")}
        need_known(self.step, steps, "step")
        values, shape = arrays[steps[self.step]].values, shape_of(self.is_)
        need(shape == values.shape, "is", f"has shape {shape}; the step has shape {values.shape}")
        met = self._equal(self.is_, values.tolist())
        expected, computed = told_apart(met, (self.is_, values.tolist()), _shown)
        return Verdict(met, expected, computed)

    def sentence(self) -> str:
        return say("step {}", self.step)

    def _equal(self, expected: Any, computed: Any) -> bool:
        if isinstance(expected, list):
            return all(map(self._equal, expected, computed))
        texts = isinstance(expected, str) or isinstance(computed, str)
        return expected == computed if texts else equal(expected, computed, self.within)


class Writes(Expectation):
    """The text that is written."""

    writes: Annotated[list[Text], Field(min_length=1)]
    """The words in their order, with the word that ends the text if it is reached."""

    def judge(self, arrays: Arrays) -> Verdict:
        need("written" in arrays, "writes", lambda: f"nothing is written here (arrays: {listed(arrays.asked)})")
        for i, word in enumerate(self.writes):
            need_known(word, arrays.words, "writes", i)
        words = [str(word) for word in arrays["written"].values]
        return Verdict(words == self.writes, " ".join(self.writes), " ".join(words))

    def sentence(self) -> str:
        return say("the text that is written")


def _ended(key: str, expected: Any, value: Any) -> tuple[bool, str, str]:
    """Whether the entry of an array is what a key expects, and both as texts."""
    if key == "energy":
        falls = "falls" if np.all(np.diff(value) <= EXACT) else "rises"
        return falls == expected, expected, f"{shown(value[0], 4, 0)} → {shown(value[-1], 4, 0)}"
    if key == "visits":
        expected, value = (" → ".join(map(str, words)) for words in (expected, value[: len(expected)]))
    return expected == str(value), expected, str(value)


def _shown(values: list[Element], digits: int) -> str:
    parts = [value if isinstance(value, str) else shown(value, digits) for value in values]
    return "(" + ", ".join(parts) + ")"
