"""Words in a plane: an arrow from each word to every word that it attends to, thicker for a larger weight."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot, arrays_of, tables
from hopattn.figures.headings import headline, run_titles
from hopattn.figures.labelled_points import draw_origin, grouped, in_plane, keep_apart, largest_axes
from hopattn.figures.shapes import arrow, boxed, colour_of, line_of
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result, Run

RUNS = 4
"""The largest number of runs, all on the same axes."""
ARROWS, NUMBERED = 60, 10
"""The largest number of arrows in a panel, and of arrows with their numbers: the strongest."""
BEND = 0.22
"""How far an arrow's control point is from its straight line, as a fraction of its length."""


class Plane(Plot):
    """The first head of each run, on the two axes along which the weighted distances between its words are largest."""

    name: ClassVar[str] = "plane"
    shows: ClassVar[str] = "words in a plane and how strongly each is pulled towards the others"
    scenario: ClassVar[str] = "apple"

    def lacks(self, result: Result) -> str:
        runs = [run for run in result.runs if _has_attention(run)]
        if not runs:
            return "it has no words that attend to words"
        if arrays_of(runs[0])["input"].values.shape[1] < 2:
            return "its words have one axis; a plane has two"
        own = all(_weights(run).labels[0] == _weights(run).labels[1] for run in runs)
        return "" if own else "its words attend to another text; here the words of one pull each other"

    def draw(self, figure: Figure, result: Result) -> None:
        runs = [run for run in result.runs if _has_attention(run)]
        same = arrays_of(runs[0])["input"].labels[1]
        runs = [run for run in runs if arrays_of(run)["input"].labels[1] == same][:RUNS]
        first, second = _axes(runs)
        headline(figure, result)
        panels = figure.subplots(1, len(runs), squeeze=False, sharex=True, sharey=True)[0]
        places = [in_plane(arrays_of(run)["input"], first, second) for run in runs]
        points = np.concatenate([np.zeros((1, 2)), *places])
        low, high = points.min(axis=0), points.max(axis=0)
        edge = 0.2 * max(*(high - low), 1e-9)
        heads = run_titles(runs, [_weights(run).labels[0] for run in runs], 70 // len(runs))
        for ax, head in zip(panels, heads, strict=True):
            ax.set_title(head)
            ax.set(xlim=(low[0] - edge, high[0] + edge), ylim=(low[1] - edge, high[1] + edge), aspect="equal")
            ax.set(xlabel=label(first), ylabel=label(second))
            ax.label_outer()
        figure.supxlabel(
            "each arrow runs from a word to one that it attends to, with the weight on it", fontsize=scaled(16)
        )
        for ax, run, at in zip(panels, runs, places, strict=True):
            _pulls(ax, _weights(run), at)


def _has_attention(run: Run) -> bool:
    """Whether a run has words that attend to words."""
    return "input" in arrays_of(run) and any(tables(run, "weights")) and _weights(run).dims == ("query", "key")


def _weights(run: Run) -> Labelled:
    """The weights of the first head."""
    return next(array for _, array in tables(run, "weights"))


def _axes(runs: list[Run]) -> tuple[str, str]:
    """The two axes along which the weighted distances between words are largest, over all runs together."""
    totals: dict[str, float] = {}
    for run in runs:
        words, weights = arrays_of(run)["input"], np.abs(_weights(run).values)
        for axis, column in zip(words.labels[1], words.values.T, strict=True):
            pull = float(np.sum(weights**2 * (column[:, None] - column) ** 2))
            totals[axis] = totals.get(axis, 0.0) + round(pull, 9)
    return largest_axes(totals)


def _pulls(ax: Any, weights: Labelled, at: np.ndarray) -> None:
    """Draw the words and the arrows between them; words at the same point have no arrow. at: `(n_words, 2)`."""
    values = weights.values
    origin = draw_origin(ax)
    most = float(np.abs(values).max(initial=0.0)) or 1.0
    apart = np.linalg.norm(at[:, None] - at, axis=2) > 1e-6
    attended = np.argwhere(apart & (np.abs(values) > 0.1 * most))
    pairs = sorted(attended.tolist(), key=lambda pair: -abs(values[*pair]))[:ARROWS]
    for i, j in pairs:
        share, value = abs(values[i, j]) / most, float(values[i, j])
        look = {"shrinkA": scaled(10), "shrinkB": scaled(10), "linestyle": line_of(value)}
        arrow(ax, at[i], at[j], colour_of(value), 1 + 5 * share, BEND, mutation_scale=scaled(14) + 8 * share, **look)
    paths = [_path(at[i], at[j]) for i, j in pairs]
    near = 0.055 * float(np.ptp(ax.get_xlim()))
    numbered: list[np.ndarray] = []
    for (i, j), path in list(zip(pairs, paths, strict=True))[:NUMBERED]:
        if any(np.linalg.norm(path[4] - other) < near for other in numbered):
            continue
        numbered.append(path[4])
        boxed(ax, path[4], number(float(values[i, j])), fontsize=scaled(15))
    ax.plot(*at.T, "o", color=theme().ink, ms=scaled(12), ls="none", zorder=5)
    lines = (
        [(path[k], path[k + 1]) for path in paths for k in range(len(path) - 1)] if len(pairs) <= NUMBERED * 2 else []
    )
    keep_apart(ax, grouped(weights.labels[0], at)[: NUMBERED * 2], lines + origin)


def _path(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Nine points of a bent arrow, `(9, 2)`: a quadratic Bézier curve."""
    along = end - start
    middle = (start + end) / 2 + BEND * np.array([along[1], -along[0]])
    t = np.linspace(0, 1, 9)[:, None]
    return np.asarray((1 - t) ** 2 * start + 2 * t * (1 - t) * middle + t**2 * end)
