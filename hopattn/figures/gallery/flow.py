"""Attention as arcs over a text, from word to word; one row for each head."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot, tables
from hopattn.figures.headings import headline, run_title
from hopattn.figures.shapes import boxed
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number, short
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result

HEADS, ARCS = 4, 600
"""The largest number of heads, and of arcs in a row: the strongest."""
NUMBERED, NAMED = 12, 30
"""The number of words up to which arcs show their numbers, and words their names."""


class Flow(Plot):
    """The heads of the first run, layers from top to bottom. The arrowhead is at the word that is attended to."""

    name: ClassVar[str] = "flow"
    shows: ClassVar[str] = "attention as arcs over the text, from each word to those that it attends to"
    scenario: ClassVar[str] = "induction"

    def lacks(self, result: Result) -> str:
        heads = list(tables(result.runs[0], "weights"))
        if not any(weights.dims == ("query", "key") for _, weights in heads):
            return "it has no words that attend to words"
        return "" if _self_attending(heads) else "its words attend to another text; arcs go over one"

    def draw(self, figure: Figure, result: Result) -> None:
        heads = _self_attending(list(tables(result.runs[0], "weights")))[:HEADS]
        headline(figure, result)
        axes = figure.subplots(len(heads), 1, squeeze=False)[:, 0]
        for ax, (place, weights) in zip(axes, heads, strict=True):
            _row(ax, weights.values, weights.labels[0], len(heads))
            ax.set_title(place if len(heads) > 1 else run_title(result.runs[0]) * (len(result.runs) > 1), loc="left")
        lines = [
            axes[0].plot([], [], colour, lw=scaled(4), ls=ls)[0]
            for colour, ls in ((theme().plus, "-"), (theme().minus, "--"))
        ]
        mark = axes[0].plot([], [], marker=(3, 0, 180), ms=scaled(13), color=theme().ink, ls="none")
        signed = any((weights.values < 0).any() for _, weights in heads)
        keys = [*mark, *lines[: 1 + signed]]
        texts = ["the end at the word attended to", "weight above 0", "below 0"][: len(keys)]
        figure.legend(keys, texts, loc="outside lower right", ncols=3, frameon=False)


def _self_attending(heads: list[tuple[str, Labelled]]) -> list[tuple[str, Labelled]]:
    """The heads in which a text attends to itself."""
    return [(place, weights) for place, weights in heads if len(weights.labels) == 2 and len({*weights.labels}) == 1]


def _row(ax: Any, weights: np.ndarray, tokens: tuple[str, ...], rows: int) -> None:
    """Draw one text with its arcs, the strongest on top. rows: the number of texts in the figure."""
    from matplotlib.collections import LineCollection

    n = len(tokens)
    most = float(np.abs(weights).max(initial=0.0)) or 1.0
    pairs = [(i, j) for i, j in np.argwhere(np.abs(weights) > 0.02 * most)]
    pairs = sorted(pairs, key=lambda pair: abs(weights[*pair]))[-ARCS:]
    shares = np.array([abs(weights[i, j]) / most for i, j in pairs])
    lines = LineCollection(
        [_arc(i, j, n) for i, j in pairs],
        colors=[(theme().plus if weights[i, j] >= 0 else theme().minus) for i, j in pairs],
        alpha=0.2 + 0.8 * shares if pairs else None,
        linewidths=(0.6 + 6 * shares) * min(1.0, 16 / n),
        linestyles=["-" if weights[i, j] >= 0 else (0, (2, 1)) for i, j in pairs],
    )
    ax.add_collection(lines)
    for i, j in pairs:
        path = _arc(i, j, n)
        if n <= NAMED:
            ax.plot(*path[-1], marker=(3, 0, 180), ms=scaled(13) if n <= NUMBERED else 8, color=theme().ink, zorder=5)
        if n <= NUMBERED and abs(weights[i, j]) >= 0.25 * most:
            boxed(ax, path[len(path) // 2], number(float(weights[i, j])), fontsize=scaled(16))
    ax.set(xlim=(-0.7, n - 0.3), ylim=(0, 1.2), yticks=[], xticks=[])
    ax.spines[:].set_visible(False)
    ax.axhline(0, color=theme().faint, lw=scaled(1.5), clip_on=False)
    ax.set_xlabel(f"{n} words, the first on the left" if n > NAMED else "")
    if n <= NAMED:
        horizontal = n <= 10 // min(rows, 2) + 5
        ax.set_xticks(range(n), [short(token, 75 // n) if horizontal else label(token) for token in tokens])
        ax.tick_params(length=0, labelsize=scaled(19) if n <= 8 else 13, rotation=0 if horizontal else 40)


def _arc(start: int, end: int, n: int) -> np.ndarray:
    """An arc from the word that attends to the word that is attended to, `(41, 2)`; to itself, a narrow loop."""
    turn = np.linspace(0, np.pi, 41)
    side = 0.06 * np.sign(start - end) * (n <= NAMED)  # outgoing and incoming arcs of a word do not touch
    middle, half = (start + end) / 2, (start - end) / 2 - side or 0.16
    high = 0.28 + 0.78 * abs(start - end) / max(n - 1, 1)
    return np.stack([middle + half * np.cos(turn), high * np.sin(turn) + 0.05], axis=1)
