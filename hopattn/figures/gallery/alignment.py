"""The alignment of two texts: lines from the words written to the words read, and the table of the same weights."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure
from hopattn.figures.headings import left_out, note_of, wrapped
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.shapes import bare, cells, colours_of
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import cut_words, ems, number, subscripted
from hopattn.figures.two_texts import LACK, Crossed, crossed, draw_lines, names_of
from hopattn.scenario.result import Result

PANELS, FEW = 3, 5
"""The largest number of columns, and of words in each of their texts; of longer texts, one column only."""
ALIKE = 0.05
"""The difference of weights below which a run or head has no column of its own."""
NAMED = 30
"""The number of words up to which words show their names."""
NUMBERED = 8
"""The number of words up to which cells show their numbers."""
BESIDE = 0.5
"""The width of the lines, as a part of the figure's, where their table is beside them."""
UPRIGHT, ROWS = 0.17, 0.25
"""The largest height of upright words, as a part of the figure's, and the largest width of the words beside a table, as
a part of its column's."""


class Alignment(Panels[Crossed]):
    """Up to three columns, one for each run and head that differs from the first: above, lines as wide as the weights;
    below, their table. A single one of short texts has its table beside it.

    A line has the colour of the word that is read.
    """

    shows: ClassVar[str] = "two texts, with a line from each word of one to the words of the other that it looks at"
    scenario: ClassVar[str] = "alignment"
    space: ClassVar[Mapping[str, float]] = {"h_pad": 0.1}
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
        own = [part for i, part in enumerate(every) if i == 0 or _difference(part, every[0]) >= ALIKE]
        return Shown(result, own[: PANELS if all(part.longest <= FEW for part in every) else 1], every)

    def fill(self, figure: Figure, shown: Shown[Crossed]) -> Sequence[Axes]:
        wide = len(shown.parts) == 1 and shown.parts[0].longest <= FEW
        rows = figure.subplots(1, 2, width_ratios=[1.2, 1]) if wide else figure.subplots(2, len(shown.parts))
        for above, below, part in zip(*np.reshape(rows, (2, -1)), shown.parts, strict=True):
            self.panel_of(above, part, shown)
            _table(below, part, _points(below, shown), _names_rows(part, shown))
        return list(np.reshape(rows, (2, -1))[0])

    def panel_of(self, ax: Axes, part: Crossed, shown: Shown[Crossed]) -> None:
        """Draw the words read above, the words written below, and a line for each weight."""
        (written, read), longest = part.weights.labels, part.longest
        above, below = (
            np.stack([(np.arange(n) + 0.5) * longest / n, np.full(n, y)], axis=1)
            for n, y in ((len(read), 1.0), (len(written), 0.0))
        )
        draw_lines(ax, part.weights.values, above, below, part.most)
        across = _points(ax, shown) - max(
            scaled(16) * (1 + max(ems(name, "bold") for name in names_of(shown.result))),
            scaled(18) * max(map(ems, subscripted(written))) * (len(shown.parts) > 1 and _names_rows(part, shown)),
        )
        ends = ((read, above, 1.06, "bottom", theme().key), (written, below, -0.06, "top", theme().query))
        for (texts, places, y, align, colour), name in zip(ends, names_of(shown.result), strict=True):
            head: dict[str, Any] = {"ha": "right", "va": "center", "fontsize": scaled(16), "weight": "bold"}
            ax.text(-0.02, round(y), name, transform=ax.get_yaxis_transform(), color=colour, **head)
            size = scaled(18 if longest <= FEW else 15)
            room = 0.93 * across / len(texts) / size
            labels, upright = _labels(texts, room, _upright(ax) / size, len(texts) > 4)
            for label, (x, _) in zip(labels, places, strict=False):
                ax.text(x, y, label, ha="center", va=align, rotation=90 * upright, fontsize=size)
        bare(ax, xlim=(0, longest), ylim=(-0.3, 1.3))

    def about(self, shown: Shown[Crossed], axes: Sequence[Axes]) -> About:
        titles = [wrapped(part.title, 30) for part in shown.parts] if shown.of > 1 else []
        first, *others = shown.every
        alike = [(part.title, far) for part in others if (far := _difference(part, first)) < ALIKE]
        note = left_out(len(shown.parts), shown.of - len(alike), *self.what)
        if alike:
            names = f"{len(alike)} others" if len(alike) > 2 else " and ".join(name for name, _ in alike)
            most = np.ceil(100 * max(far for _, far in alike) - 1e-9) / 100
            verb = "differs" if len(alike) == 1 else "differ"
            note = note_of((note, f"{names} {verb} by {number(most)} at most" if most else f"{names}: the same"))
        return About([note], titles=titles)


def _difference(one: Crossed, other: Crossed) -> float:
    """The largest difference of two tables of weights; infinity if they are not of the same words."""
    if one.weights.labels != other.weights.labels:
        return np.inf
    return float(np.abs(one.weights.values - other.weights.values).max(initial=0.0))


def _names_rows(part: Crossed, shown: Shown[Crossed]) -> bool:
    """Whether the table of a part names its rows: the first table does, and one with other rows."""
    return part is shown.parts[0] or part.weights.labels[0] != shown.parts[0].weights.labels[0]


def _points(ax: Axes, shown: Shown[Crossed]) -> float:
    """The width that the lines or the table of a part have, in printer's points."""
    beside = BESIDE if len(shown.parts) == 1 and shown.parts[0].longest <= FEW and not shown.in_axes else 1.0
    return beside * shown.width_of(ax) * 72 / float(ax.get_figure(root=True).dpi)


def _upright(ax: Axes) -> float:
    """The largest height of upright words, in printer's points."""
    root = ax.get_figure(root=True)
    return UPRIGHT * float(root.bbox.height) * 72 / float(root.dpi)


def _labels(texts: Sequence[str], room: float, high: float, turn: bool = True) -> tuple[Sequence[str], bool]:
    """The words of a text next to each other, none of many; and whether they are upright.

    room: the width of each in font sizes. high: that of an upright one. turn: whether words that have no room are
    upright; else they are cut.
    """
    upright = turn and max(map(ems, subscripted(texts, np.inf))) > room
    return cut_words(texts, high if upright else room) if len(texts) <= NAMED else (), upright


def _table(ax: Axes, part: Crossed, points: float, named: bool) -> None:
    """Draw the table: a row for each word written, a column for each word read; 0 is white.

    points: the width of its column, in printer's points. named: whether it names its rows.
    """
    few = part.longest <= NUMBERED
    cells(ax, part.weights.values, colours_of(0.0, part.most), few, scaled(18))
    ax.spines[:].set(visible=True, color=theme().faint)
    rows, tokens = part.weights.labels
    size = scaled(18 if few else 13)
    names = cut_words(rows, ROWS * points / size) if len(rows) <= NAMED and named else ()
    beside = size * (1 + max(map(ems, names), default=0.0))
    labels, upright = _labels(tokens, 0.95 * (points - beside) / len(tokens) / size, _upright(ax) / size)
    ax.set_xticks(range(len(labels)), labels, rotation=90 * upright, fontsize=size)
    ax.xaxis.tick_top()
    ax.set_yticks(range(len(names)), names, fontsize=size)
    ax.tick_params(length=0)
