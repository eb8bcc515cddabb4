"""Damaged cues that return to their pattern: their share against the damage, and the radius."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.headings import left_out, run_title
from hopattn.figures.panels import About, Shown, Together
from hopattn.figures.returned import alike, look, plain_numbers
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number
from hopattn.scenario.result import Result, Run

DAMAGES = {"reversed": "neurons reversed in the cue (fraction)", "noise": "length of the noise / that of the pattern"}
"""The name of the axis of damage."""


class Curve(NamedTuple):
    """The shares of one load of a run."""

    run: Run
    row: int
    load: str


class Returns(Together[Curve]):
    """A line with intervals for each run, or for each load of the first; a ring at one half is the radius."""

    name: ClassVar[str] = "returns"
    shows: ClassVar[str] = "how far a cue may be damaged: the share that returns to its pattern, and the radius"
    scenario: ClassVar[str] = "thirty-neurons"
    lack: ClassVar[str] = "it has no shares of damaged cues that return"
    most: ClassVar[int] = 5
    what: ClassVar[tuple[str, str]] = "curves", "run"
    beside: ClassVar[bool] = True

    def parts(self, result: Result) -> list[Curve]:
        runs = alike(result)
        several = runs and len(runs[0].arrays["returned"].labels[0]) > 1
        shown = runs[:1] if several else runs
        return [Curve(run, i, load) for run in shown for i, load in enumerate(run.arrays["returned"].labels[0])]

    def draw_into(self, ax: Axes, shown: Shown[Curve]) -> None:
        ax.axhline(0.5, color=theme().faint, lw=scaled(1.5), ls=":", zorder=1)
        for i, (run, row, _) in enumerate(shown.parts):
            damage = np.array([float(x) for x in run.arrays["returned"].labels[1]])
            share, low, high = (run.arrays[f"returned{end}"].values[row] for end in ("", "-low", "-high"))
            own = look(i)
            ax.plot(damage, share, **own)
            ax.errorbar(damage, share, [share - low, high - share], fmt="none", ecolor=own["color"], capsize=scaled(4))
            radius = float(run.arrays["radii"].values[row])
            if share.min() < 0.5 <= share[0]:
                dot: dict[str, Any] = {"marker": "o", "mfc": theme().paper, "mec": own["color"], "mew": scaled(3)}
                ax.plot(radius, 0.5, ms=scaled(14), zorder=5, **dot)
        way = str(shown.parts[0].run.arrays["damaged"].values)
        ax.set(ylim=(-0.03, 1.04), xlabel=DAMAGES[way], ylabel="share of the cues that return")
        plain_numbers(ax)

    def about(self, shown: Shown[Curve], axes: Sequence[Axes]) -> About:
        several = len({id(curve.run) for curve in shown.every}) > 1
        names = [run_title(run) if several else f"load {number(float(load))}" for run, _, load in shown.parts]
        lines = [line for line in axes[0].lines if line.get_linestyle() != "None" and len(line.get_xdata()) > 2]
        runs = left_out(len({id(curve.run) for curve in shown.every}), len(shown.result.runs), "runs", "run")
        signs = "bars: 95% intervals", "ring: the radius, at which half of the cues return"
        return About([*signs, self.left_out(shown), runs], lines[: len(names)], names)
