"""Two texts as two columns of words, joined by lines: which word of the one attends to which of the other."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.headings import wrapped
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.shapes import bare, boxed, line_of
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import cut, ems, number, unnumbered
from hopattn.figures.two_texts import COLOURED, LACK, WIDEST, Crossed, crossed, draw_lines, names_of
from hopattn.scenario.result import Result

PANELS, WORDS = 3, 18
"""The largest number of panels, one for each run and head, and of words in a column."""
NUMBERED = 6
"""The number of words up to which the strongest line of each word shows its weight."""
NUMBER_AT = 0.82
"""The place of a number on its line, from 0 on the left to 1 on the right: lines of different words are apart there."""
SIDE = 0.4
"""The largest part of a panel that the words of one side have."""
AWAY = 14
"""The space between a word and its lines, and beyond the word, in points on a slide."""


class Translation(Panels[Crossed]):
    """The weights between two texts, for each run and head: on the left the keys, on the right the queries.

    The wider a line, the larger its weight. It has the colour of its key; one of a weight below 0 is grey and dashed.
    """

    shows: ClassVar[str] = "attention between two texts: a line from each word to those that it attends to"
    scenario: ClassVar[str] = "cross-attention"
    most: ClassVar[int] = PANELS
    what: ClassVar[tuple[str, str]] = "runs and heads", "run or head"

    def lacks(self, result: Result) -> str:
        longest = max((part.longest for part in self.parts(result)[:PANELS]), default=0)
        if not longest:
            return LACK
        return f"a column shows up to {WORDS} words, not {longest}" if longest > WORDS else ""

    def parts(self, result: Result) -> list[Crossed]:
        return crossed(result)

    def panel_of(self, ax: Axes, part: Crossed, shown: Shown[Crossed]) -> None:
        """Draw one panel: the keys on the left, the queries on the right."""
        weights, (rows, columns), panels = part.weights.values, part.weights.labels, len(shown.parts)
        # A shorter text is in the middle of the longer one.
        left, right = (part.longest - 1 - (part.longest - n) / 2 - np.arange(n) for n in (len(columns), len(rows)))
        keys, queries = (np.stack([np.full(len(y), x), y], axis=1) for x, y in ((0.0, left), (1.0, right)))
        draw_lines(ax, weights, keys, queries, max(one.most for one in shown.parts))
        for i, j in _strongest(weights) if part.longest <= NUMBERED else []:
            at = (NUMBER_AT, left[j] + (right[i] - left[j]) * NUMBER_AT)
            boxed(ax, at, number(float(weights[i, j])), fontsize=scaled(16 if panels < PANELS else 14))
        size = 13 if part.longest > 12 else 16 if part.longest > 8 or panels == PANELS else 22
        above = part.longest - 1 + max(0.7, 0.04 * part.longest + 0.3)
        read, written = names_of(shown.result)
        room = []
        panel = shown.width_of(ax) * 72 / float(ax.get_figure(root=True).dpi)
        for x, texts, heights, heading in ((0, columns, left, read), (1, rows, right, written)):
            look: dict[str, Any] = {"textcoords": "offset points", "ha": "left" if x else "right", "va": "center"}
            away = scaled(AWAY if x else -AWAY)
            names = [cut(word, (SIDE * panel - 1.3 * scaled(AWAY)) / scaled(size)) for word in unnumbered(texts)]
            colour = theme().query if x else theme().key
            ax.annotate(heading, (x, above), (away, 0), fontsize=scaled(17), color=colour, weight="bold", **look)
            for k, (y, name) in enumerate(zip(heights, names, strict=True)):
                ax.annotate(name, (x, y), (away, 0), fontsize=scaled(size), **look)
                if not x and len(texts) <= COLOURED:
                    ax.plot(0, y, "o", color=theme().series[k], ms=scaled(16), zorder=5)
            widest = scaled(max(size * max(map(ems, names)), 17 * ems(heading, "bold")))
            room.append(min(SIDE + 0.04, (1.7 * scaled(AWAY) + widest) / panel))
        lines = 1 - sum(room)  # the part of the panel that is left to the lines, which go from 0 to 1
        bare(ax, xlim=(-room[0] / lines, 1 + room[1] / lines), ylim=(-0.6, above + 0.4))

    def about(self, shown: Shown[Crossed], axes: Sequence[Axes]) -> About:
        most, shares, panels = max(one.most for one in shown.parts), (0.25, 0.5, 1), len(shown.parts)
        keys = [axes[0].plot([], [], color=theme().plus, lw=scaled(WIDEST * share))[0] for share in shares]
        names = [f"weight {number(most * share)}" for share in shares]
        if any((part.weights.values < 0).any() for part in shown.parts):
            keys += axes[0].plot([], [], line_of(-1), color=theme().faint, lw=scaled(4))
            names.append("below 0")
        if all(part.weights.values.shape[1] <= COLOURED for part in shown.parts):
            keys.append(axes[0].plot([], [], ls="none")[0])
            names.append("colour: the key")
        titles = [wrapped(part.title, 64 // panels) for part in shown.parts] if shown.of > 1 else []
        return About([self.left_out(shown)], keys, names, titles)


def _strongest(weights: np.ndarray) -> list[tuple[int, int]]:
    """For each row the place of its largest weight, if that stands out from the others."""
    sizes = np.abs(weights)
    places = [(i, int(row.argmax())) for i, row in enumerate(sizes)]
    return [(i, j) for i, j in places if sizes[i, j] > 1.5 * max(np.delete(sizes[i], j), default=0.0)]
