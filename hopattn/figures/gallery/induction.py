"""The induction head as a flow through two layers: words are columns of cells, and arcs show where cells come from."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot, arrays_of
from hopattn.figures.headings import headline
from hopattn.figures.shapes import boxed, colour_of, line_of
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number, readable_on, short, width
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result, Run

WORDS, ELEMENTS = 8, 40
"""The largest number of words, and of elements of a vector."""
NUMBERED, NAMED = 16, 24
"""The number of elements up to which cells show their numbers, and elements their names."""
GAP = 1.2
"""The space between two stages, in columns."""


class Induction(Plot):
    """The first run: the vectors before, between and after two layers, and the attention that leads to the last word.

    The arcs of layer 2 lead to the last word, those of layer 1 to it and to the word that it attends to most.
    """

    name: ClassVar[str] = "induction"
    shows: ClassVar[str] = "two layers work together: one notes the word before, one finds what came after"
    scenario: ClassVar[str] = "induction"

    def lacks(self, result: Result) -> str:
        arrays = arrays_of(result.runs[0])
        if "input" not in arrays or "layer 2 head 1 weights" not in arrays:
            return "it has no text that goes through two layers of attention"
        words, elements = arrays["input"].values.shape
        if not _parts(arrays["input"].labels[1]):
            return "its vectors have no named parts for the layers to fill"
        if arrays["layer 1 head 1 weights"].labels[1] != arrays["input"].labels[0]:
            return "its words attend to another text"
        if words > WORDS or elements > ELEMENTS:
            return f"it has {words} words of {elements} elements; there is room for {WORDS} of {ELEMENTS}"
        return ""

    def draw(self, figure: Figure, result: Result) -> None:
        run = result.runs[0]
        stages = [arrays_of(run)[name] for name in ("input", "layer 1 state", "layer 2 state")]
        n, high = stages[0].values.shape
        headline(figure, result)
        ax = figure.subplots()
        most = max(float(np.abs(stage.values).max(initial=0.0)) for stage in stages) or 1.0
        top = 0.42 * high
        longest = max(width(short(token, 10)) for token in stages[0].labels[0])
        below = high + (6 * longest + 50) * (high + top + 3) / 600  # tilted names need about 6 pixels a letter
        for k, (stage, title) in enumerate(zip(stages, ("input", "after layer 1", "after layer 2"), strict=True)):
            _columns(ax, stage, k * (n + GAP), most)
            ax.text(
                k * (n + GAP) + (n - 1) / 2, below, title, ha="center", va="bottom", fontsize=scaled(19), weight="bold"
            )
        for k in (1, 2):
            ax.text(
                k * (n + GAP) - 0.5 - GAP / 2, high / 2, f"layer {k}\n→", ha="center", va="center", fontsize=scaled(15)
            )
        for k, (query, key, weight) in _arcs(run):
            _arc(ax, k * (n + GAP) + key, (k + 1) * (n + GAP) + query, weight, top / (2 * n + GAP))
        _name_parts(ax, stages[0].labels[1])
        ax.set(xlim=(-0.6, 3 * n + 2 * GAP - 0.4), ylim=(below, -top - 1.1), xticks=[])
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)


def _parts(axes: tuple[str, ...]) -> dict[str, list[int]]:
    """The named parts of a vector, each with the indices of its elements; empty if the axes name no parts."""
    parts: dict[str, list[int]] = {}
    for i, axis in enumerate(axes):
        part, colon, _ = axis.partition(": ")
        if not colon:
            return {}
        parts.setdefault(part, []).append(i)
    return parts if len(parts) > 1 else {}


def _columns(ax: Any, stage: Labelled, left: float, most: float) -> None:
    """Draw the words of one stage as columns of cells, with their names below. left: the x of the first column."""

    values, (tokens, axes) = stage.values, stage.labels
    high, colours = len(axes), theme().diverging
    shades = colours(0.5 + 0.5 * values.T / (1.25 * most))
    ax.imshow(shades, extent=(left - 0.5, left + len(tokens) - 0.5, high - 0.5, -0.5), aspect="auto")
    for (i, j), value in np.ndenumerate(values.T):
        if high <= NUMBERED and round(float(value), 2):
            ink = readable_on(shades[i, j])
            ax.text(left + j, i, number(float(value)), ha="center", va="center", fontsize=scaled(14), color=ink)
    for j, token in enumerate(tokens):
        tilted: Any = {"ha": "right", "va": "top", "rotation": 40, "rotation_mode": "anchor"}
        ax.text(left + j, high - 0.3, short(token, 10), **tilted, fontsize=scaled(13))
        ax.plot([left + j - 0.5] * 2, [-0.5, high - 0.5], color=theme().paper, lw=scaled(2))
    for elements in _parts(axes).values():
        ends = left - 0.5, left + len(tokens) - 0.5
        for edge in (elements[0] - 0.5, elements[-1] + 0.5):
            ax.plot(ends, [edge, edge], color=theme().ink, lw=scaled(1.5))


def _arcs(run: Run) -> list[tuple[int, tuple[int, int, float]]]:
    """The arcs of both layers as (layer, (query, key, weight)), all counted from 0."""
    first, second = (_first_head(run, k) for k in (1, 2))
    last = len(first) - 1
    attended = int(np.argmax(np.abs(second[last]))) if second[last].any() else last
    rows = [(0, row, first) for row in dict.fromkeys((attended, last))] + [(1, last, second)]
    least = 0.15 * max(float(np.abs(weights[row]).max()) for _, row, weights in rows)
    return [
        (k, (row, key, float(weight)))
        for k, row, weights in rows
        for key, weight in enumerate(weights[row])
        if abs(weight) > least
    ]


def _first_head(run: Run, k: int) -> np.ndarray:
    """The weights of the first head of layer `k`, `(n_words, n_words)`."""
    return np.asarray(arrays_of(run)[f"layer {k} head 1 weights"].values)


def _arc(ax: Any, start: float, end: float, weight: float, rise: float) -> None:
    """Draw an arc above the columns, from the key to the query, with the weight at its top."""
    turn = np.linspace(0, np.pi, 61)
    x = (start + end) / 2 - (end - start) / 2 * np.cos(turn)
    y = -1.0 - rise * (end - start) * np.sin(turn)
    ax.plot(x, y, line_of(weight), color=colour_of(weight), lw=scaled(1.5) + 3 * min(abs(weight), 1.0), zorder=2)
    ax.plot(end, -1.0, marker=(3, 0, 180), ms=scaled(13), color=theme().ink, zorder=5)
    boxed(ax, (x[30], y[30]), number(weight), fontsize=scaled(15))


def _name_parts(ax: Any, axes: tuple[str, ...]) -> None:
    """Write the names of the parts on the far left, and those of few elements beside the cells."""
    if len(axes) <= NAMED:
        ax.set_yticks(range(len(axes)), [label(axis.partition(": ")[2]) for axis in axes], fontsize=scaled(14))
    else:
        ax.set_yticks([])
    longest = max(width(label(axis.partition(": ")[2])) for axis in axes)
    across = -0.03 - 0.0095 * longest if len(axes) <= NAMED else -0.02
    for part, elements in _parts(axes).items():
        middle = (elements[0] + elements[-1]) / 2
        look = {"ha": "right", "va": "center", "fontsize": scaled(15), "weight": "bold", "color": theme().plus}
        ax.text(across, middle, label(part), transform=ax.get_yaxis_transform(), **look)
