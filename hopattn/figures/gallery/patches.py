"""Pictures that an Energy Transformer completes: the cue with its hidden patches, some sweeps, and the result."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure
from hopattn.figures.headings import left_out
from hopattn.figures.panels import About, PartsPlot, Shown
from hopattn.figures.recalls import draw_picture, last_step, picture_steps, states, verdict
from hopattn.figures.shapes import framed
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.scenario.result import Result, Run

CUES, PICTURES = 3, 5
"""The largest numbers of cues, a row each, and of pictures in a row, the last state among them."""


class Completed(PartsPlot[Run]):
    """The first run: a row for each cue, with the energy below each picture and a frame around each hidden patch."""

    name: ClassVar[str] = "patches"
    shows: ClassVar[str] = "an Energy Transformer completes the hidden patches of pictures, sweep by sweep"
    scenario: ClassVar[str] = "patches"
    lack: ClassVar[str] = "it completes no pictures"
    space: ClassVar[dict[str, float]] = {"w_pad": 0.1, "h_pad": 0.06}

    def parts(self, result: Result) -> list[Run]:
        """The runs with known and hidden patches."""
        return [run for run in result.runs if "known" in run.arrays and run.strips]

    def fill(self, figure: Figure, shown: Shown[Run]) -> Sequence[Axes]:
        run = shown.parts[0]
        rows = [_steps(run, i) for i in range(min(len(run.strips), CUES))]
        axes = figure.subplots(len(rows), max(map(len, rows)), squeeze=False)
        for i, (row, steps) in enumerate(zip(axes, rows, strict=True)):
            for ax in row[len(steps) :]:
                ax.set_axis_off()
            for ax, step in zip(row, steps, strict=False):
                _picture(ax, run, i, step)
            row[0].set_ylabel(label(run.arrays["energy"].labels[0][i]), rotation=0, ha="right", va="center")
            look: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "center"}
            look |= {"fontsize": scaled(15), "weight": "bold", "annotation_clip": False}
            row[len(steps) - 1].annotate(verdict(run, i), (1, 0.5), (scaled(14), 0), **look)
        return list(axes.ravel())

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        run = shown.parts[0]
        count = min(len(run.strips), CUES)
        cut = left_out(count, len(run.strips), "cues")
        return About(("framed: a hidden patch, a token that is free", cut, self.left_out(shown)))


def _steps(run: Run, i: int) -> list[int]:
    """The steps that are shown of cue i: those whose pictures differ, and the last."""
    steps = [*dict.fromkeys([*picture_steps(run, i)[: PICTURES - 1], last_step(run, i)])]
    same = len(steps) > 2 and np.array_equal(states(run, i)[steps[-1]], states(run, i)[steps[-2]])
    return [*steps[:-2], steps[-1]] if same else steps


def _picture(ax: Axes, run: Run, i: int, step: int) -> None:
    """Draw the picture of cue i after a step, a frame around each hidden patch, and below it the energy."""
    size, known = run.strips[i].size, run.arrays["known"].values[i]
    draw_picture(ax, states(run, i)[step], (size.rows, size.columns))
    length = size.pixels // len(known)
    for patch in np.flatnonzero(~known.astype(bool)) if length % size.columns == 0 else ():
        high = length // size.columns
        framed(ax, (-0.5, patch * high - 0.5), (size.columns, high), theme().series[1], 2, zorder=3, clip_on=False)
    energy = number(float(run.arrays["energy"].values[i, step]), 0)
    ax.set_xlabel(f"{f'sweep {step}' if step else 'cue'}: E = {energy}", fontsize=scaled(14))
