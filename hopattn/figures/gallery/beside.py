"""Two memories side by side on one cue, such as a Hopfield network and attention: scores, weights and states."""

import re
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import headline, run_title
from hopattn.figures.shapes import cells, colour_of
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result, Run

PATTERNS = 10
"""The largest number of patterns with a bar: those with the largest weights."""
NUMBERED = 10
"""The number of elements up to which the cells of a state show their numbers."""
SHOWN = ("step 1 scores", "step 1 weights", "input", "state")


class Beside(Plot):
    """The first cue of the first two runs: scores and weights of the first step, and the cue above the final state."""

    name: ClassVar[str] = "beside"
    shows: ClassVar[str] = "two memories on one cue: how well each pattern fits, what it weighs, what is recalled"
    scenario: ClassVar[str] = "hopfield-beside-attention"

    def lacks(self, result: Result) -> str:
        if not any("step 1 field" in run.arrays for run in result.runs):
            return "it has no memory that recalls"
        if len(result.runs) < 2:
            return "it has one run, and nothing to set beside it"
        runs = result.runs[:2]
        if not all(name in run.arrays for run in runs for name in SHOWN):
            return "its memory has no weight for each pattern"
        return (
            "" if len({run.arrays["input"].labels[0][0] for run in runs}) == 1 else "its first two runs have other cues"
        )

    def draw(self, figure: Figure, result: Result) -> None:
        runs = result.runs[:2]
        headline(figure, result)
        axes = figure.subplots(2, 3, width_ratios=[1, 1, 1.9])
        for row, run in zip(axes, runs, strict=True):
            weights = run.arrays["step 1 weights"]
            order = np.sort(np.argsort(-np.abs(weights.values[0]), kind="stable")[:PATTERNS])
            for ax, name in zip(row, SHOWN[:2], strict=False):
                _bars(ax, run.arrays[name], order)
            row[0].set_ylabel(f"{run_title(run, 24)}\n(pattern)")
            row[1].set_ylabel("pattern")
            _recalled(row[2], run)
        for ax, title in zip(axes[0], ("scores", "weights", "what is recalled"), strict=True):
            ax.set_title(title, fontsize=scaled(21))
        figure.supxlabel(f"the cue: {label(runs[0].arrays['input'].labels[0][0])}", fontsize=scaled(17))


def _bars(ax: Any, array: Labelled, order: np.ndarray) -> None:
    """Draw a bar for each pattern, with its number; bars below 0 are hatched."""
    values = array.values[0][order]
    at = np.arange(len(order))
    most = float(np.abs(values).max(initial=0.0)) or 1.0
    hatches = ["//" if value < 0 else "" for value in values]
    ax.barh(at, values, color=[colour_of(value) for value in values], height=0.6, hatch=hatches, edgecolor=theme().ink)
    for y, value in zip(at, values, strict=True):
        text = number(float(value), 2 if abs(value) < 100 else 0) if abs(value) < 1e6 else f"{value:.1e}"
        ax.text(max(value, 0.0) + 0.05 * most, y, text, va="center", ha="left")
    ax.set(xlim=(min(1.1 * float(values.min(initial=0.0)), 0.0), 1.45 * most), ylim=(len(at) - 0.4, -0.6), xticks=[])
    ax.set_yticks(at, [label(array.labels[1][k]) for k in order])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.axvline(0, color=theme().ink, lw=scaled(1))


def _recalled(ax: Any, run: Run) -> None:
    """Draw the cue and its final state: two rows of cells, or two pictures side by side."""
    cue, state = run.arrays["input"].values[0], run.arrays["state"].values[0]
    most = float(np.abs([cue, state]).max(initial=0.0)) or 1.0
    colours = {"cmap": theme().diverging, "vmin": -1.3 * most, "vmax": 1.3 * most}
    if size := _picture_size(run.arrays["state"].labels[1]):
        gap = np.full((size[0], 1), np.nan)
        picture = np.hstack([cue.reshape(size), gap, state.reshape(size)])
        light = {"cmap": theme().sequential, "vmin": -most, "vmax": most}  # black pixels are light, in grey print too
        cells(ax, picture, light, numbers=False)
        ax.set_aspect("equal")
        ax.set_xticks([(size[1] - 1) / 2, 1.5 * size[1] + 0.5], ["cue", "state"])
        ax.tick_params(labelsize=scaled(15))
    else:
        cells(ax, np.stack([cue, state]), colours, 3, numbers=len(cue) <= NUMBERED, size=12)
        ax.axhline(0.5, color=theme().paper, lw=scaled(8))
        ax.set_yticks([0, 1], ["cue", "state"])
        names = run.arrays["state"].labels[1] if len(cue) <= NUMBERED else ()
        ax.set_xticks(range(len(names)), [label(name)[:6] for name in names])
    if "recalls" in run.arrays:
        ax.set_xlabel(f"recalls {label(str(run.arrays['recalls'].values[0]))}")


def _picture_size(names: tuple[str, ...]) -> tuple[int, int] | None:
    """The rows and columns of a picture, from the names of its pixels; None if the elements are no pixels."""
    last = re.fullmatch(r"row (\d+), column (\d+)", names[-1]) if names else None
    size = (int(last[1]), int(last[2])) if last else None
    return size if size and size[0] * size[1] == len(names) else None
