"""Two texts as two columns of words, joined by lines: which word of the one attends to which of the other."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, between_texts
from hopattn.figures.choice import AS_WRITTEN
from hopattn.figures.headings import wrapped
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.shapes import bare, boxed, line_of
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number, short, unnumbered, width
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result

PANELS, WORDS = 3, 18
"""The largest number of panels, one for each run and head, and of words in a column."""
NUMBERED, COLOURED = 6, 6
"""The number of words up to which the strongest line of each word shows its weight, and each key has a colour."""
NUMBER_AT = 0.82
"""The place of a number on its line, from 0 on the left to 1 on the right: lines of different words are apart there."""
LETTER = 0.62
"""The width of a letter of common width, in font sizes."""
AWAY = 14
"""The space between a word and its lines, in points on a slide."""
WIDEST = 14.0
"""The width of the line of the largest weight, in points on a slide."""
FAINTEST = 0.02
"""The smallest weight that has a line, as a part of 1 or of the largest."""

Crossed = tuple[str, Labelled]
"""The weights between two texts, with the title of their panel."""


class Translation(Panels[Crossed]):
    """The weights between two texts, for each run and head: on the left the keys, on the right the queries.

    The wider a line, the larger its weight. It has the colour of its key; one of a weight below 0 is grey and dashed.
    """

    name: ClassVar[str] = "translation"
    shows: ClassVar[str] = "attention between two texts: a line from each word to those that it attends to"
    scenario: ClassVar[str] = "cross-attention"
    most: ClassVar[int] = PANELS
    what: ClassVar[tuple[str, str]] = "runs and heads", "run or head"

    def lacks(self, result: Result) -> str:
        crossed = self.parts(result)
        if not crossed:
            return "it has no words that attend to another text"
        longest = max(max(weights.values.shape) for _, weights in crossed[:PANELS])
        return f"a column shows up to {WORDS} words, not {longest}" if longest > WORDS else ""

    def parts(self, result: Result) -> list[Crossed]:
        """The weights between two texts, of all runs and heads, each with the title of its panel."""
        found = []
        for run in result.runs:
            heads = [(place, weights) for place, weights in between_texts(run) if place.startswith("layer")]
            name = run.name or (AS_WRITTEN if len(result.runs) > 1 else "")
            for place, weights in heads:
                found.append((": ".join(filter(None, (name, place if len(heads) > 1 else ""))), weights))
        return found

    def panel_of(self, ax: Axes, part: Crossed, shown: Shown[Crossed]) -> None:
        _columns(ax, part[1], _most(shown.parts), shown.result.kind, shown.width_of(ax), len(shown.parts))

    def about(self, shown: Shown[Crossed], axes: Sequence[Axes]) -> About:
        most, shares, panels = _most(shown.parts), (0.25, 0.5, 1), [weights for _, weights in shown.parts]
        keys = [axes[0].plot([], [], color=theme().plus, lw=scaled(WIDEST * share))[0] for share in shares]
        names = [f"weight {number(most * share)}" for share in shares]
        if any((weights.values < 0).any() for weights in panels):
            keys += axes[0].plot([], [], line_of(-1), color=theme().faint, lw=scaled(4))
            names.append("below 0")
        if all(weights.values.shape[1] <= COLOURED for weights in panels):
            keys.append(axes[0].plot([], [], ls="none")[0])
            names.append("colour: the key")
        titles = [wrapped(title, 64 // len(panels)) for title, _ in shown.parts] if shown.of > 1 else []
        return About([self.left_out(shown)], keys, names, titles)


def _most(panels: Sequence[Crossed]) -> float:
    """The weight of the widest line: 1, or the largest."""
    return max(1.0, *(float(np.abs(weights.values).max(initial=0.0)) for _, weights in panels))


def _columns(ax: Axes, weights: Labelled, most: float, kind: str, wide: float, panels: int = 1) -> None:
    """Draw one panel: the keys on the left, the queries on the right.

    kind: of scenario. wide: the width of the panel, in pixels. panels: of the figure.
    """
    rows, columns = weights.labels
    longest = max(len(rows), len(columns))
    right, left = (_heights(len(texts), longest) for texts in (rows, columns))
    _lines(ax, weights.values, (left, right), most)
    for i, j in _strongest(weights.values) if longest <= NUMBERED else []:
        at = (NUMBER_AT, left[j] + (right[i] - left[j]) * NUMBER_AT)
        boxed(ax, at, number(float(weights.values[i, j])), fontsize=scaled(16 if panels < PANELS else 14))
    size = 13 if longest > 12 else 16 if longest > 8 or panels == PANELS else 22
    above = longest - 1 + max(0.7, 0.04 * longest + 0.3)
    read, written = ("read", "written") if kind in ("translation", "recurrent") else ("key", "query")
    room = []
    for x, texts, heights, heading in ((0, columns, left, read), (1, rows, right, written)):
        look: dict[str, Any] = {"textcoords": "offset points", "ha": "left" if x else "right", "va": "center"}
        away, names = scaled(AWAY if x else -AWAY), [short(word, 20 // panels + 4) for word in unnumbered(texts)]
        colour = theme().query if x else theme().key
        ax.annotate(heading, (x, above), (away, 0), fontsize=scaled(17), color=colour, weight="bold", **look)
        for k, (y, name) in enumerate(zip(heights, names, strict=True)):
            ax.annotate(name, (x, y), (away, 0), fontsize=scaled(size), **look)
            if not x and len(texts) <= COLOURED:
                ax.plot(0, y, "o", color=theme().series[k], ms=scaled(16), zorder=5)
        points = AWAY + LETTER * max(max(map(width, names)) * size, 1.1 * width(heading) * 17)
        room.append(min(0.4, scaled(points) * float(ax.get_figure(root=True).dpi) / 72 / wide))
    lines = 1 - sum(room)  # the part of the panel that is left to the lines, which go from 0 to 1
    bare(ax, xlim=(-room[0] / lines, 1 + room[1] / lines), ylim=(-0.6, above + 0.4))


def _lines(ax: Axes, weights: np.ndarray, heights: tuple[np.ndarray, np.ndarray], most: float) -> None:
    """Draw a line for each weight, the strongest on top. heights: of the keys, and of the queries."""
    left, right = heights
    strong = np.argwhere(np.abs(weights) > FAINTEST * most)
    for i, j in sorted(strong, key=lambda pair: abs(float(weights[*pair]))):
        weight = float(weights[i, j])
        share = abs(weight) / most
        colour = theme().series[j] if weights.shape[1] <= COLOURED else theme().plus
        style = {"color": colour if weight > 0 else theme().faint, "lw": scaled(max(1.0, WIDEST * share))}
        ax.plot([0, 1], [left[j], right[i]], line_of(weight), alpha=0.45 + 0.5 * share, **style)


def _strongest(weights: np.ndarray) -> list[tuple[int, int]]:
    """For each row the place of its largest weight, if that stands out from the others."""
    sizes = np.abs(weights)
    places = [(i, int(row.argmax())) for i, row in enumerate(sizes)]
    return [(i, j) for i, j in places if sizes[i, j] > 1.5 * max(np.delete(sizes[i], j), default=0.0)]


def _heights(count: int, longest: int) -> np.ndarray:
    """The heights of words from top to bottom, `(count,)`; a shorter text is in the middle of the longer one."""
    return longest - 1 - (longest - count) / 2 - np.arange(count)
