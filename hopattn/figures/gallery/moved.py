"""The movement of words by attention: each word before and after, as an arrow in the plane of two axes."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot, arrays_of
from hopattn.figures.headings import headline, run_titles
from hopattn.figures.labelled_points import draw_origin, grouped, in_plane, keep_apart, largest_axes
from hopattn.figures.shapes import arrow
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result, Run

RUNS, NAMED = 4, 14
"""The largest number of runs, all on the same axes, and of words with their names: those that move most."""


class Moved(Plot):
    """The words of each run on the two axes along which they move most: hollow before, filled after."""

    name: ClassVar[str] = "moved"
    shows: ClassVar[str] = "where the words were before attention and where they are after it"
    scenario: ClassVar[str] = "bank"

    def lacks(self, result: Result) -> str:
        runs = [run for run in result.runs if before_after(run)]
        if not runs:
            return "it has no text whose words go through layers of attention"
        axes = before_after(runs[0])[0].values.shape[1]
        return "" if axes > 1 else "its words have one axis; a plane has two"

    def draw(self, figure: Figure, result: Result) -> None:
        runs = [run for run in result.runs if before_after(run)]
        same = before_after(runs[0])[0].labels[1]
        runs = [run for run in runs if before_after(run)[0].labels[1] == same][:RUNS]
        first, second = _axes(runs)
        pairs = [[in_plane(words, first, second) for words in before_after(run)] for run in runs]
        headline(figure, result)
        axes = figure.subplots(1, len(runs), squeeze=False, sharex=True, sharey=True)[0]
        points = np.concatenate([np.zeros((1, 2)), *(words for pair in pairs for words in pair)])
        low, high = points.min(axis=0), points.max(axis=0)
        edge = 0.18 * max(*(high - low), 1e-9)
        heads = run_titles(runs, [before_after(run)[0].labels[0] for run in runs], 70 // len(runs))
        for ax, head in zip(axes, heads, strict=True):
            ax.set_title(head)
            ax.set(xlim=(low[0] - edge, high[0] + edge), ylim=(low[1] - edge, high[1] + edge))
            ax.set(xlabel=label(first), ylabel=label(second), aspect="equal")
            ax.label_outer()
        hollow, filled = {"mfc": theme().paper, "mec": theme().ink, "mew": scaled(2)}, {"color": theme().plus}
        keys = [axes[0].plot([], [], "o", **look, ms=scaled(11))[0] for look in (hollow, filled)]
        figure.legend(keys, ["before", "after"], loc="outside lower center", ncols=2, frameon=False)
        for ax, run, (start, end) in zip(axes, runs, pairs, strict=True):
            _panel(ax, before_after(run)[0].labels[0], start, end)


def before_after(run: Run) -> list[Labelled]:
    """The words before the first layer and after the last; an empty list for a run without words or layers."""
    arrays = arrays_of(run)
    states = [array for name, array in arrays.items() if name.startswith("layer ") and name.split()[2:] == ["state"]]
    return [arrays["input"], states[-1]] if states and "input" in arrays else []


def _axes(runs: list[Run]) -> tuple[str, str]:
    """The two axes along which the words of all runs together move most."""
    totals: dict[str, float] = {}
    for run in runs:
        before, after = before_after(run)
        far = np.sum((after.values - before.values) ** 2, axis=0)
        for axis, squared in zip(before.labels[1], far, strict=True):
            totals[axis] = totals.get(axis, 0.0) + round(float(squared), 9)
    return largest_axes(totals)


def _panel(ax: Any, tokens: tuple[str, ...], start: np.ndarray, end: np.ndarray) -> None:
    """Draw the words of one run. start, end: their points before and after, `(n_words, 2)`."""
    origin = draw_origin(ax)
    far = np.linalg.norm(end - start, axis=1)
    moving = np.flatnonzero(far > 1e-6)
    for i in moving:
        arrow(ax, start[i], end[i], theme().ink, 2, shrinkA=scaled(6), shrinkB=scaled(6))
    ax.plot(
        *start[moving].T, "o", mfc=theme().paper, mec=theme().ink, mew=scaled(2), ms=scaled(11), ls="none", zorder=4
    )
    ax.plot(*end.T, "o", color=theme().plus, ms=scaled(11), ls="none", zorder=5)
    named = np.argsort(-far, kind="stable")[:NAMED]
    texts = grouped([tokens[i] for i in named], end[named])
    keep_apart(ax, texts, [*((start[i], end[i]) for i in moving), *origin])
