"""The radius within which half of the damaged cues return, against the load."""

from collections.abc import Sequence
from typing import Any, ClassVar

from hopattn.figures.base import Axes
from hopattn.figures.headings import run_title
from hopattn.figures.panels import About, Shown, Together
from hopattn.figures.returned import alike, look, plain_numbers
from hopattn.figures.style import scaled
from hopattn.scenario.result import Result, Run

DAMAGES = {"reversed": "radius\n(fraction of neurons reversed)", "noise": "radius\n(noise / length of the pattern)"}
"""The name of the axis of the radius, by the kind of damage."""


class Radii(Together[Run]):
    """A line for each run: the radius against the load."""

    name: ClassVar[str] = "radii"
    shows: ClassVar[str] = "how the radius within which half of the damaged cues return shrinks with the load"
    scenario: ClassVar[str] = "radius"
    lack: ClassVar[str] = "it has no radius at two loads"
    most: ClassVar[int] = 5
    beside: ClassVar[bool] = True

    def parts(self, result: Result) -> list[Run]:
        return [run for run in alike(result) if len(run.arrays["radii"].values) > 1]

    def draw_into(self, ax: Axes, shown: Shown[Run]) -> None:
        for i, run in enumerate(shown.parts):
            load, radius, own = [float(x) for x in run.arrays["radii"].labels[0]], run.arrays["radii"].values, look(i)
            ax.plot(load, radius, **own)
            bars: Any = [abs(run.arrays[f"radii{end}"].values - radius) for end in ("-low", "-high")]
            if "radii-error" in run.arrays:
                bars = 2 * run.arrays["radii-error"].values
            ax.errorbar(load, radius, bars, fmt="none", ecolor=own["color"], capsize=scaled(4))
        ax.set(xlabel="load (patterns / neuron)", ylabel=DAMAGES[str(shown.parts[0].arrays["damaged"].values)])
        ax.set_ylim(bottom=min(0, ax.get_ylim()[0]))
        plain_numbers(ax)

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        several = "radii-error" in shown.parts[0].arrays
        bars = "bars: ± 2 standard errors over memories" if several else "bars: 95% intervals"
        notes = ["radius: the damage from which half of the cues return", bars, self.left_out(shown)]
        lines = [line for line in axes[0].lines if line.get_linestyle() != "None"]
        return About(notes, lines[: len(shown.parts)], [run_title(run) for run in shown.parts])
