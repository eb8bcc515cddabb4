"""Expectations of a text that is written word by word."""

from collections.abc import Iterator
from typing import Annotated, ClassVar

from pydantic import Field

from hopattn.foundation.errors import listed, unknown
from hopattn.scenario.expectations.base import Arrays, Expectation, Verdict
from hopattn.scenario.language.array_layout import ArrayLayout
from hopattn.scenario.language.fields import Problem, Text
from hopattn.scenario.language.lines import Path

WRITTEN = "written"
"""The array that holds the words of the text."""


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
