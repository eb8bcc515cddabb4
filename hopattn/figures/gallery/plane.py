"""Words that pull one another: arrows in the plane from each word to those that it attends to, thick by weight."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot, tables
from hopattn.figures.shapes import (
    arrow,
    boxed,
    colour_of,
    crossed,
    foremost,
    grouped,
    headline,
    in_plane,
    keep_apart,
    line_of,
    titles,
    worked,
)
from hopattn.figures.style import INK, label, number
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result, Run

RUNS, ARROWS, NUMBERED = 4, 60, 10
"""So many runs on the same axes stand side by side; so many arrows, the strongest, are drawn; so many have numbers."""


class Plane(Plot):
    """The first head of each run, in the plane of the two axes along which its words pull each other farthest."""

    name: ClassVar[str] = "plane"
    shows: ClassVar[str] = "words in a plane and how strongly each is pulled towards the others"
    scenario: ClassVar[str] = "apple"

    def lacks(self, result: Result) -> str:
        runs = [run for run in result.runs if _has(run)]
        if not runs:
            return "it has no words that attend to words"
        if worked(runs[0])["input"].values.shape[1] < 2:
            return "its words have one axis; a plane has two"
        own = all(_weights(run).labels[0] == _weights(run).labels[1] for run in runs)
        return "" if own else "its words attend to another text; here the words of one pull each other"

    def draw(self, figure: Figure, result: Result) -> None:
        runs = [run for run in result.runs if _has(run)]
        same = worked(runs[0])["input"].labels[1]
        runs = [run for run in runs if worked(run)["input"].labels[1] == same][:RUNS]
        first, second = _axes(runs)
        headline(figure, result)
        panels = figure.subplots(1, len(runs), squeeze=False, sharex=True, sharey=True)[0]
        places = [in_plane(worked(run)["input"], first, second) for run in runs]
        points = np.concatenate([np.zeros((1, 2)), *places])
        low, high = points.min(axis=0), points.max(axis=0)
        edge = 0.2 * max(*(high - low), 1e-9)
        heads = titles(runs, [_weights(run).labels[0] for run in runs], 70 // len(runs))
        for ax, head in zip(panels, heads, strict=True):
            ax.set_title(head)
            ax.set(xlim=(low[0] - edge, high[0] + edge), ylim=(low[1] - edge, high[1] + edge), aspect="equal")
            ax.set(xlabel=label(first), ylabel=label(second))
            ax.label_outer()
        figure.supxlabel("each arrow runs from a word to one that it attends to, with the weight on it", fontsize=16)
        for ax, run, at in zip(panels, runs, places, strict=True):
            _pulls(ax, _weights(run), at)


def _has(run: Run) -> bool:
    return "input" in worked(run) and any(tables(run, "weights")) and _weights(run).dims == ("query", "key")


def _weights(run: Run) -> Labelled:
    return next(array for _, array in tables(run, "weights"))


def _axes(runs: list[Run]) -> tuple[str, str]:
    """The two axes, in their order, along which the weighted distances between words are greatest."""
    ways: dict[str, float] = {}
    for run in runs:
        words, weights = worked(run)["input"], np.abs(_weights(run).values)
        for axis, column in zip(words.labels[1], words.values.T, strict=True):
            pull = float(np.sum(weights**2 * (column[:, None] - column) ** 2))
            ways[axis] = ways.get(axis, 0.0) + round(pull, 9)
    return foremost(ways)


def _pulls(ax: Any, weights: Labelled, at: np.ndarray) -> None:
    """The words, and an arrow from each to those that it attends to, but not to itself or to one on its own point."""
    values = weights.values
    cross = crossed(ax)
    most = float(np.abs(values).max(initial=0.0)) or 1.0
    apart = np.linalg.norm(at[:, None] - at, axis=2) > 1e-6
    found = np.argwhere(apart & (np.abs(values) > 0.1 * most))
    pairs = sorted(found.tolist(), key=lambda pair: -abs(values[*pair]))[:ARROWS]
    for i, j in pairs:
        share, value = abs(values[i, j]) / most, float(values[i, j])
        look = {"shrinkA": 10, "shrinkB": 10, "linestyle": line_of(value)}
        arrow(ax, at[i], at[j], colour_of(value), 1 + 5 * share, 0.22, mutation_scale=14 + 8 * share, **look)
    bowed = [_bow(at[i], at[j]) for i, j in pairs]
    near = 0.055 * float(np.ptp(ax.get_xlim()))
    told: list[np.ndarray] = []
    for (i, j), way in list(zip(pairs, bowed, strict=True))[:NUMBERED]:
        if any(np.linalg.norm(way[4] - other) < near for other in told):
            continue
        told.append(way[4])
        boxed(ax, way[4], number(float(values[i, j])), fontsize=15)
    ax.plot(*at.T, "o", color=INK, ms=12, ls="none", zorder=5)
    lines = [(way[k], way[k + 1]) for way in bowed for k in range(len(way) - 1)] if len(pairs) <= NUMBERED * 2 else []
    keep_apart(ax, grouped(weights.labels[0], at)[: NUMBERED * 2], lines + cross)


def _bow(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The way of a bent arrow, a quadratic Bézier curve whose middle control point stands off by .22 of its length."""
    along = end - start
    middle = (start + end) / 2 + 0.22 * np.array([along[1], -along[0]])
    t = np.linspace(0, 1, 9)[:, None]
    return np.asarray((1 - t) ** 2 * start + 2 * t * (1 - t) * middle + t**2 * end)
