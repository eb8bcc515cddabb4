"""The alignment of two texts: lines from the words written to the words read, and the table of the same weights."""

from typing import ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot, between_texts, only
from hopattn.figures.headings import foot, headline, left_out, run_title
from hopattn.figures.shapes import bare, cells
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import subscripted, width
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result

RUNS, FEW = 3, 5
"""The largest number of runs side by side, and of words in each of their texts; of longer texts, the first run only."""
NAMED = 30
"""The number of words up to which words show their names."""
NUMBERED = 8
"""The number of words up to which cells show their numbers."""
WRITING = "recurrent", "translation"
"""The kinds of scenario that write the lower text."""
COLOURED = 6
"""The number of words read up to which each has a colour."""
FAINTEST = 0.02
"""The smallest weight that has a line, as a part of 1 or of the largest."""


class Alignment(Plot):
    """Up to three runs, one column each: above, lines as wide as the weights; below, the table of the weights.

    A line has the colour of the word that is read.
    """

    name: ClassVar[str] = "alignment"
    shows: ClassVar[str] = "two texts, with a line from each word of one to the words of the other that it looks at"
    scenario: ClassVar[str] = "alignment"

    def lacks(self, result: Result) -> str:
        drawn = _drawn(result)
        if not drawn:
            return "it has no words that attend to another text"
        if any((weights.values < 0).any() for _, weights in drawn):
            return "it has weights below 0, and a line cannot be of negative width"
        return "" if any((weights.values > 0).any() for _, weights in drawn) else "all its weights are 0"

    def draw(self, figure: Figure, result: Result) -> None:
        drawn, there = _drawn(result), _found(result)
        headline(figure, result)
        axes = figure.subplots(2, len(drawn), squeeze=False)
        for column, (title, weights) in enumerate(drawn):
            _lines(axes[0, column], weights, len(drawn), _names(result))
            axes[0, column].set_title(title)
            named = column == 0 or weights.labels[0] != drawn[0][1].labels[0]
            _table(axes[1, column], weights, len(drawn), named)
        foot(figure, left_out(len(drawn), len(there), "runs and heads", "run or head"))

    def panel(self, ax: Axes, result: Result) -> None:
        _, weights = only(_found(result), "runs and heads", "run or head")
        _lines(ax, weights, 1, _names(result))


def _names(result: Result) -> tuple[str, str]:
    """The names of the upper and the lower text."""
    return ("read", "written") if result.kind in WRITING else ("key", "query")


def _found(result: Result) -> list[tuple[str, Labelled]]:
    """The titles and the weights of all heads whose queries come from another text."""
    return [(run_title(run), weights) for run in result.runs for _, weights in between_texts(run)]


def _drawn(result: Result) -> list[tuple[str, Labelled]]:
    """The titles and the weights in the figure: the first head of some runs; of longer texts, of the first alone."""
    found = [(run_title(run), weights) for run in result.runs for _, weights in between_texts(run)[:1]]
    count = RUNS if all(max(weights.values.shape) <= FEW for _, weights in found) else 1
    shown = found[:count]
    return [("" if len(found) == 1 else title, weights) for title, weights in shown]


def _room(texts: tuple[str, ...], columns: int) -> float:
    """The letters that a word may have if all words of a text are next to each other in one of the columns."""
    return max(3.0, 92 / columns / len(texts) - 1)


def _lines(ax: Axes, weights: Labelled, columns: int, names: tuple[str, str]) -> None:
    """Draw the words read above, the words written below, and a line for each weight. columns: of the figure. names: of
    the upper and the lower text.
    """
    from matplotlib.collections import LineCollection

    values = np.asarray(weights.values, dtype=float)
    n_out, n_in = values.shape
    longest = max(n_out, n_in)
    below, above = ((np.arange(n) + 0.5) * longest / n for n in (n_out, n_in))
    most = max(1.0, float(values.max()))
    pairs = [(i, j) for i, j in np.argwhere(values > FAINTEST * most)]
    pairs.sort(key=lambda pair: values[*pair])
    shares = np.array([values[*pair] / most for pair in pairs])
    coloured = n_in <= COLOURED
    colours = [_blend(share, theme().series[j if coloured else 0]) for share, (_, j) in zip(shares, pairs, strict=True)]
    wide = min(1.0, 8 / longest)
    lines = [[(below[i], 0.0), (above[j], 1.0)] for i, j in pairs]
    ax.add_collection(
        LineCollection(lines, colors=colours, linewidths=scaled(1) * (0.8 + 13 * shares) * wide, capstyle="round")
    )
    for texts, places, y, align in (
        (weights.labels[1], above, 1.06, "bottom"),
        (weights.labels[0], below, -0.06, "top"),
    ):
        if len(texts) <= NAMED:
            _words(ax, texts, places, (y, align), columns)
    bare(ax, xlim=(0, longest), ylim=(-0.3, 1.3))
    for y, word in zip((1.0, 0.0), names, strict=True):
        look = {"ha": "right", "va": "center", "fontsize": scaled(16), "weight": "bold"}
        colour = theme().key if y else theme().query
        ax.text(-0.02, y, word, transform=ax.get_yaxis_transform(), color=colour, **look)


def _words(ax: Axes, texts: tuple[str, ...], places: np.ndarray, at: tuple[float, str], columns: int) -> None:
    """Write the words of a text next to each other, upright if they do not fit. at: the height, and its alignment."""
    room = _room(texts, columns)
    upright = max(map(width, texts)) > room and len(texts) > 4
    for shown, x in zip(subscripted(texts, 9 if upright else room), places, strict=True):
        ax.text(
            x,
            at[0],
            shown,
            ha="center",
            va=at[1],
            rotation=90 if upright else 0,
            color=theme().ink,
            fontsize=scaled(15 if upright else 18 if columns < 3 else 16),
        )


def _blend(share: float, colour: str) -> tuple[float, ...]:
    """The colour of a line: from a pale grey for a small share to a colour for the largest."""
    from matplotlib.colors import to_rgb

    pale, full = np.array(to_rgb(theme().dim)), np.array(to_rgb(colour))
    return tuple(float(part) for part in pale + share * (full - pale))


def _table(ax: Axes, weights: Labelled, columns: int, named: bool) -> None:
    """Draw the table: a row for each word written, a column for each word read; 0 is white. named: names the rows."""
    values = np.asarray(weights.values, dtype=float)
    most = max(1.0, float(values.max()))
    longest = max(values.shape)
    cells(
        ax,
        values,
        {"cmap": theme().sequential, "vmin": 0.0, "vmax": most},
        numbers=longest <= NUMBERED,
        size=scaled(18),
    )
    ax.spines[:].set_visible(True)
    ax.spines[:].set_color(theme().faint)
    rows, tokens = weights.labels
    size = scaled(18 if longest <= NUMBERED else 13)
    if len(tokens) <= NAMED:
        room = _room(tokens, columns)
        upright = max(map(width, tokens)) > room
        labels = subscripted(tokens, 9 if upright else room)
        ax.set_xticks(range(len(tokens)), labels, rotation=90 if upright else 0, fontsize=size)
        ax.xaxis.tick_top()
    if len(rows) <= NAMED and named:
        ax.set_yticks(range(len(rows)), subscripted(rows, 12), fontsize=size)
    ax.tick_params(length=0)
