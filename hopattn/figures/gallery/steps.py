"""Attention in three steps for one query: scores, weights, and the weighted sum of the values."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot, arrays_of
from hopattn.figures.headings import headline, run_title
from hopattn.figures.shapes import cells, colour_of
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number, short
from hopattn.scenario.result import Result, Run

HEAD = "layer 1 head 1 "
WORDS, AXES = 8, 6
"""The largest number of words, those of most weight, and of axes of the values, those with the largest entries."""


class Steps(Plot):
    """The last query of the first head, of the first run and below it of the run `averaging`, if there is one."""

    name: ClassVar[str] = "steps"
    shows: ClassVar[str] = "attention in three steps: score, weights, weighted sum"
    scenario: ClassVar[str] = "aaba"

    def lacks(self, result: Result) -> str:
        arrays = arrays_of(result.runs[0])
        has_all = all(HEAD + kind in arrays for kind in ("scores", "mask", "weights", "values"))
        return "" if has_all else "it has no text that attention goes over"

    def draw(self, figure: Figure, result: Result) -> None:
        runs = [run for run in result.runs if run.name in ("", "averaging") and HEAD + "scores" in arrays_of(run)]
        headline(figure, result)
        axes = figure.subplots(len(runs), 3, squeeze=False, width_ratios=[1, 1, 1.25])
        for row, run in zip(axes, runs, strict=True):
            _row(row, run, len(runs) > 1)
        query = arrays_of(runs[0])[HEAD + "scores"].labels[0][-1]
        for ax, title in zip(axes[0], ("1  scores", "2  weights", "3  weighted sum"), strict=True):
            ax.set_title(title, fontsize=scaled(21))
        figure.supxlabel(f"the query: {label(query)}", fontsize=scaled(17))


def _row(axes: Any, run: Run, with_name: bool) -> None:
    """Draw the three steps of one run side by side. with_name: whether to write the name of the run beside them."""
    scores, mask, weights, values = (arrays_of(run)[HEAD + kind] for kind in ("scores", "mask", "weights", "values"))
    order = np.argsort(-np.abs(weights.values[-1]), kind="stable")[:WORDS]
    shown = np.sort(order)
    words = [label(scores.labels[1][k]) for k in shown]
    allowed = np.asarray(mask.values[-1], bool)[shown]
    for ax, row in zip(axes, (scores.values[-1], weights.values[-1]), strict=False):
        _bars(ax, row[shown], words, allowed)
    name = f"{run_title(run, 20)}\n" if with_name else ""
    count = f"{len(words)} of {len(scores.labels[1])} words" if len(words) < len(scores.labels[1]) else "words"
    axes[0].set_ylabel(f"{name}{count}")
    total = weights.values[-1] @ values.values
    _sum(axes[2], weights.values[-1][shown, None] * values.values[shown], total, words, values.labels[1])


def _bars(ax: Any, row: np.ndarray, words: list[str], allowed: np.ndarray) -> None:
    """Draw a bar with its number for each word, and a dot for a masked word. row, allowed: `(n_words,)`."""
    at = np.arange(len(words))
    most = float(np.abs(row[allowed]).max(initial=0.0)) or 1.0
    shown = np.where(allowed, row, 0.0)
    hatches = ["//" if value < 0 else "" for value in shown]
    ax.barh(at, shown, color=[colour_of(value) for value in shown], height=0.6, hatch=hatches, edgecolor=theme().ink)
    for y, value, attends in zip(at, shown, allowed, strict=True):
        text = number(float(value)) if attends else "·  masked"
        ax.text(
            max(value, 0.0) + 0.04 * most,
            y,
            text,
            va="center",
            ha="left",
            color=theme().ink if attends else theme().faint,
        )
    low = min(float(shown.min(initial=0.0)), 0.0)
    ax.set(xlim=(1.1 * low, 1.4 * most), ylim=(len(words) + 0.5, -0.5), xticks=[])
    ax.set_yticks(at, words)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.axvline(0, color=theme().ink, lw=scaled(1))


def _sum(ax: Any, parts: np.ndarray, total: np.ndarray, words: list[str], names: tuple[str, ...]) -> None:
    """Draw weight times value for each word, and their sum below a line.

    parts: `(n_words, dim)`. total: the sum over all words, `(dim,)`. names: the names of the axes.
    """
    size = np.abs(parts).sum(axis=0) + np.abs(total)
    nonzero = max(2, int(np.sum(size > 1e-9)))
    axes = np.sort(np.argsort(-np.round(size, 9), kind="stable")[: min(AXES, nonzero)])
    table = np.vstack([parts[:, axes], total[None, axes]])
    most = float(np.abs(table).max(initial=0.0)) or 1.0
    cells(ax, table, {"cmap": theme().diverging, "vmin": -1.3 * most, "vmax": 1.3 * most})
    ax.set_facecolor(theme().empty)
    ax.set_xticks(range(len(axes)), [_on_lines(names[k], max(3, 24 // len(axes))) for k in axes])
    ax.set_yticks(range(len(table)), [*(f"weight × {short(word, 8)}" for word in words), "sum"])
    ax.get_yticklabels()[-1].set_fontweight("bold")
    ax.axhline(len(words) - 0.5, color=theme().ink, lw=scaled(3))


def _on_lines(name: str, letters: int) -> str:
    """The name of an axis, with its part on a line of its own. letters: the width of each line."""
    return "\n".join(short(piece, letters) for piece in name.split(": ", 1))
