"""Expectations of the scores of attention heads: how much they attend to the word before, to copies, to the first."""

from collections.abc import Iterator
from typing import ClassVar

from hopattn.circuits.head_scores import OF_REPEATS, SCORES
from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.scenario.expectations.base import DIGITS, Arrays, Value, Verdict, shown
from hopattn.scenario.language.array_layout import ArrayLayout
from hopattn.scenario.language.fields import Count, Problem
from hopattn.scenario.language.lines import Path


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
            yield Problem(where, "is that of a text whose words attend to one another; here they attend to others")
        elif self.score in OF_REPEATS and len(set(_words(layout))) == len(layout.rows):
            yield Problem(where, "needs a word that occurs twice; every word of this text occurs once")
        elif len(layout.rows) < 2:
            yield Problem(where, "needs a text of at least two words")

    def judge(self, arrays: Arrays, layout: ArrayLayout) -> Verdict:
        weights = arrays[layout.find("weights", self.layer, self.head)[0]].values
        try:
            computed = SCORES[self.score](weights, _words(layout))
        except InvalidInput as error:  # weights that are no shares, such as raw similarities
            return Verdict(False, shown(self.is_, DIGITS), "no score", str(error))
        return self.compare(computed, self.is_, self.stated)

    def sentence(self) -> str:
        layer = f" in layer {self.layer}" if self.layer else ""
        head = f" of head {self.head}" if self.head else ""
        return f"{self.score}{head}{layer}"


def _words(layout: ArrayLayout) -> list[str]:
    """The word of each row: its label without the number of the occurrence."""
    return [row if row in layout.words else row.rpartition("#")[0] or row for row in layout.rows]
