"""Two texts as two columns of words, joined by lines: which word of the one attends to which of the other."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot, between_texts
from hopattn.figures.headings import headline, wrapped
from hopattn.figures.shapes import boxed, colour_of, line_of
from hopattn.figures.style import SIZE, scaled, theme
from hopattn.figures.text import number, short, width
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result

PANELS, WORDS = 3, 18
"""The largest number of panels, one for each run and head, and of words in a column."""
NUMBERED = 6
"""The number of words up to which the strongest line of each word shows its weight."""
NUMBER_AT = 0.82
"""The place of a number on its line, from 0 on the left to 1 on the right: lines of different words are apart there."""
LETTER = 0.6
"""The width of a letter of common width, in font sizes."""
WIDEST = 14.0
"""The width of the line of the largest weight, in printer's points."""


class Translation(Plot):
    """The weights between two texts, for each run and head; the wider a line, the larger its weight."""

    name: ClassVar[str] = "translation"
    shows: ClassVar[str] = "attention between two texts: a line from each word to those that it attends to"
    scenario: ClassVar[str] = "translation"

    def lacks(self, result: Result) -> str:
        crossed = _crossed(result)
        if not crossed:
            return "it has no words that attend to another text"
        longest = max(max(weights.values.shape) for _, weights in crossed[:PANELS])
        return f"a column shows up to {WORDS} words, not {longest}" if longest > WORDS else ""

    def draw(self, figure: Figure, result: Result) -> None:
        crossed = _crossed(result)
        panels = crossed[:PANELS]
        headline(figure, result)
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        most = max(1.0, *(float(np.abs(weights.values).max(initial=0.0)) for _, weights in panels))
        headings = ("read", "written") if result.kind == "translation" else ("attended to", "attends")
        for ax, (title, weights) in zip(axes, panels, strict=True):
            _columns(ax, weights, most, headings, len(panels))
            ax.set_title(wrapped(title, 64 // len(panels)) if len(crossed) > 1 else "")
        keys = [axes[0].plot([], [], color=colour_of(1), lw=WIDEST * share, label="")[0] for share in (0.25, 0.5, 1)]
        texts = [f"weight {number(most * share)}" for share in (0.25, 0.5, 1)]
        if any((weights.values < 0).any() for _, weights in panels):
            keys += axes[0].plot([], [], line_of(-1), color=colour_of(-1), lw=scaled(4))
            texts.append("below 0")
        left_out = f"the first {PANELS} of {len(crossed)}" if len(crossed) > PANELS else None
        figure.legend(keys, texts, loc="outside lower center", ncols=4, frameon=False, title=left_out)


def _crossed(result: Result) -> list[tuple[str, Labelled]]:
    """The weights between two texts, of all runs and heads, each with the title of its panel."""
    found = []
    for run in result.runs:
        heads = [(place, weights) for place, weights in between_texts(run) if place.startswith("layer")]
        name = run.name or ("as written" if len(result.runs) > 1 else "")
        for place, weights in heads:
            found.append((": ".join(filter(None, (name, place if len(heads) > 1 else ""))), weights))
    return found


def _columns(ax: Any, weights: Labelled, most: float, headings: tuple[str, str], panels: int) -> None:
    """Draw one panel: the words that are read on the left, those that attend to them on the right."""
    rows, columns = weights.labels
    longest = max(len(rows), len(columns))
    right, left = (_heights(len(texts), longest) for texts in (rows, columns))
    strong = np.argwhere(np.abs(weights.values) > 0.02 * most)
    for i, j in sorted(strong, key=lambda pair: abs(float(weights.values[*pair]))):
        weight = float(weights.values[i, j])
        share = abs(weight) / most
        style = {"color": colour_of(weight), "lw": max(0.6, WIDEST * share), "alpha": 0.3 + 0.6 * share}
        ax.plot([0, 1], [left[j], right[i]], line_of(weight), solid_capstyle="butt", **style)
    for i, j in _strongest(weights.values) if longest <= NUMBERED else []:
        at = (NUMBER_AT, left[j] + (right[i] - left[j]) * NUMBER_AT)
        boxed(ax, at, number(float(weights.values[i, j])), fontsize=scaled(16) - 2 * (panels == PANELS))
    size = 13 if longest > 12 else 16 if longest > 8 or panels == PANELS else 20
    above = longest - 1 + max(0.7, 0.04 * longest + 0.3)
    room = []
    for x, side, texts, heights, heading in (
        (-0.03, "right", columns, left, headings[0]),
        (1.03, "left", rows, right, headings[1]),
    ):
        names = [short(word, 20 // panels + 4) for word in _words(texts)]
        ax.text(x, above, heading, ha=side, va="center", fontsize=scaled(16), color=theme().faint, style="italic")
        for y, name in zip(heights, names, strict=True):
            ax.text(x, y, name, ha=side, va="center", fontsize=size, color=theme().ink)
        points = LETTER * max(max(map(width, names)) * size, width(heading) * 16)
        room.append(min(0.36, 0.03 + points / (72 * SIZE[0] / panels)))
    lines = 1 - sum(room)  # the part of the panel that is left to the lines, which go from 0 to 1
    ax.set(xlim=(-room[0] / lines, 1 + room[1] / lines), ylim=(-0.6, above + 0.4), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def _strongest(weights: np.ndarray) -> list[tuple[int, int]]:
    """For each row the place of its largest weight, if that stands out from the others."""
    sizes = np.abs(weights)
    places = [(i, int(row.argmax())) for i, row in enumerate(sizes)]
    return [(i, j) for i, j in places if sizes[i, j] > 1.5 * max(np.delete(sizes[i], j), default=0.0)]


def _heights(count: int, longest: int) -> np.ndarray:
    """The heights of words from top to bottom, `(count,)`; a shorter text stands in the middle of the longer one."""
    return longest - 1 - (longest - count) / 2 - np.arange(count)


def _words(texts: Sequence[str]) -> list[str]:
    """Labels without the numbers that tell equal words apart: in a column, the place does."""
    counts = Counter(text.rpartition("#")[0] for text in texts if text.rpartition("#")[2].isdigit())
    return [text.rpartition("#")[0] if counts[text.rpartition("#")[0]] > 1 else text for text in texts]
