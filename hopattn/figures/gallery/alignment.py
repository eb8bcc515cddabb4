"""The alignment of two texts: lines from the words written to the words read, and the table of the same weights."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure
from hopattn.figures.headings import wrapped
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.shapes import bare, cells, colours_of
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import subscripted, width
from hopattn.figures.two_texts import LACK, Crossed, crossed, draw_lines, names_of
from hopattn.scenario.result import Result

PANELS, FEW = 3, 5
"""The largest number of columns, and of words in each of their texts; of longer texts, one column only."""
NAMED = 30
"""The number of words up to which words show their names."""
NUMBERED = 8
"""The number of words up to which cells show their numbers."""


class Alignment(Panels[Crossed]):
    """Up to three columns, one for each run and head: above, lines as wide as the weights; below, their table.

    A line has the colour of the word that is read.
    """

    name: ClassVar[str] = "alignment"
    shows: ClassVar[str] = "two texts, with a line from each word of one to the words of the other that it looks at"
    scenario: ClassVar[str] = "alignment"
    what: ClassVar[tuple[str, str]] = "runs and heads", "run or head"

    def lacks(self, result: Result) -> str:
        drawn = [part.weights.values for part in self.shown(result).parts]
        if not drawn:
            return LACK
        if any((weights < 0).any() for weights in drawn):
            return "it has weights below 0, and a line cannot be of negative width"
        return "" if any((weights > 0).any() for weights in drawn) else "all its weights are 0"

    def parts(self, result: Result) -> list[Crossed]:
        return crossed(result)

    def shown(self, result: Result) -> Shown[Crossed]:
        every = self.parts(result)
        return Shown(result, every[: PANELS if all(part.longest <= FEW for part in every) else 1], every)

    def fill(self, figure: Figure, shown: Shown[Crossed]) -> Sequence[Axes]:
        axes = figure.subplots(2, len(shown.parts), squeeze=False)
        for above, below, part in zip(*axes, shown.parts, strict=True):
            self.panel_of(above, part, shown)
            _table(below, part, len(shown.parts))
            if part is not shown.parts[0] and part.weights.labels[0] == shown.parts[0].weights.labels[0]:
                below.set_yticks([])
        return list(axes[0])

    def panel_of(self, ax: Axes, part: Crossed, shown: Shown[Crossed]) -> None:
        """Draw the words read above, the words written below, and a line for each weight."""
        (written, read), longest, columns = part.weights.labels, part.longest, len(shown.parts)
        above, below = (
            np.stack([(np.arange(n) + 0.5) * longest / n, np.full(n, y)], axis=1)
            for n, y in ((len(read), 1.0), (len(written), 0.0))
        )
        draw_lines(ax, part.weights.values, above, below, part.most)
        ends = ((read, above, 1.06, "bottom", theme().key), (written, below, -0.06, "top", theme().query))
        for (texts, places, y, align, colour), name in zip(ends, names_of(shown.result), strict=True):
            head: dict[str, Any] = {"ha": "right", "va": "center", "fontsize": scaled(16), "weight": "bold"}
            ax.text(-0.02, round(y), name, transform=ax.get_yaxis_transform(), color=colour, **head)
            labels, upright = _labels(texts, columns, len(texts) > 4)
            size = scaled(15 if upright else 18 if columns < PANELS else 16)
            for label, (x, _) in zip(labels, places, strict=False):
                ax.text(x, y, label, ha="center", va=align, rotation=90 * upright, fontsize=size)
        bare(ax, xlim=(0, longest), ylim=(-0.3, 1.3))

    def about(self, shown: Shown[Crossed], axes: Sequence[Axes]) -> About:
        titles = [wrapped(part.title, 30) for part in shown.parts] if shown.of > 1 else []
        return About([self.left_out(shown)], titles=titles)


def _labels(texts: Sequence[str], columns: int, turn: bool = True) -> tuple[Sequence[str], bool]:
    """The words of a text next to each other in one of the columns, none of many; and whether they are upright.

    turn: whether words that have no room stand upright; else they are cut.
    """
    room = max(3.0, 92 / columns / len(texts) - 1)
    upright = turn and max(map(width, texts)) > room
    return subscripted(texts, 9 if upright else room) if len(texts) <= NAMED else (), upright


def _table(ax: Axes, part: Crossed, columns: int) -> None:
    """Draw the table: a row for each word written, a column for each word read; 0 is white."""
    few = part.longest <= NUMBERED
    cells(ax, part.weights.values, colours_of(0.0, part.most), few, scaled(18))
    ax.spines[:].set(visible=True, color=theme().faint)
    rows, tokens = part.weights.labels
    size = scaled(18 if few else 13)
    labels, upright = _labels(tokens, columns)
    ax.set_xticks(range(len(labels)), labels, rotation=90 * upright, fontsize=size)
    ax.xaxis.tick_top()
    if len(rows) <= NAMED:
        ax.set_yticks(range(len(rows)), subscripted(rows, 12), fontsize=size)
    ax.tick_params(length=0)
