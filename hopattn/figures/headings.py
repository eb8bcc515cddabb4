"""Titles above figures and panels: cut to the room there is."""

import textwrap
from collections.abc import Sequence

from hopattn.figures.base import Figure
from hopattn.figures.style import label
from hopattn.scenario.result import Result, Run

HEADLINE, LINES = 78, 2
"""The letters in a line of a headline, and the lines of any title. A longer title is cut."""
SHORT_TEXT = 8
"""The number of words up to which a text can be the title of its panel."""


def headline(figure: Figure, result: Result) -> None:
    """Write the result's title above the figure; a long title is cut."""
    figure.suptitle(wrapped(result.title, HEADLINE))


def wrapped(text: str, letters: int) -> str:
    """A text on at most two lines of `letters` letters."""
    plain = "".join(c if c.isprintable() else " " for c in text)
    return "\n".join(textwrap.wrap(plain, letters, max_lines=LINES, placeholder=" …"))


def run_title(run: Run, letters: int = 30) -> str:
    """The title of the panel of one run."""
    return wrapped(run.name or "as written", letters)


def run_titles(runs: Sequence[Run], texts: Sequence[Sequence[str]], letters: int) -> list[str]:
    """The titles of the panels of several runs: their names, and also their texts if these are short and all differ."""
    if len(runs) < 2:
        return [""]
    with_texts = len({*map(tuple, texts)}) == len(runs) and all(len(text) <= SHORT_TEXT for text in texts)
    names = [run.name or ("" if with_texts else "as written") for run in runs]
    sentences = [" ".join(map(label, text)) if with_texts else "" for text in texts]
    return [wrapped(": ".join(filter(None, both)), letters) for both in zip(names, sentences, strict=True)]
