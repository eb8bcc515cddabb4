"""The energy on the straight line between two stored patterns: a barrier between them, or a common valley."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.headings import run_title
from hopattn.figures.panels import About, Shown, Together
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.scenario.result import Run

APART = 5.0
"""The ratio of two runs' depths from which on each energy is counted in depths of its own first pattern."""
MARKERS, DASHES = ("o", "s", "^", "D", "v", "P", "X"), ("-", "--", "-.", (0, (1, 1)), (0, (5, 1)), "-", "--")


class Between(Together[Run]):
    """A line for each run, from the energy of the first pattern, with a mark at its highest point, or its lowest."""

    shows: ClassVar[str] = "the energy on the way from one stored pattern to another: how high the barrier is"
    scenario: ClassVar[str] = "barrier"
    needs: ClassVar[str] = "between"
    lack: ClassVar[str] = "it has no energies between two patterns; give [memory] the key `between`"
    most: ClassVar[int] = 7
    beside: ClassVar[bool] = True

    def draw_into(self, ax: Axes, shown: Shown[Run]) -> None:
        arrays = [run.arrays["between"] for run in shown.parts]
        depths = [abs(float(array.values[0])) for array in arrays]
        in_depths = min(depths) > 0 and max(depths) > APART * min(depths)
        ax.axhline(0, color=theme().faint, lw=scaled(1.5), zorder=0)
        for i, (array, depth) in enumerate(zip(arrays, depths, strict=True)):
            heights = (array.values - array.values[0]) / (depth if in_depths else 1.0)
            furthest = int(np.argmax(np.abs(heights - np.linspace(heights[0], heights[-1], len(heights)))))
            style: dict[str, Any] = {"color": theme().series[i], "ls": DASHES[i], "lw": scaled(3), "zorder": 2 + i}
            places = list(map(float, array.labels[0]))
            ax.plot(places, heights, marker=MARKERS[i], markevery=[furthest], markersize=scaled(12), **style)
        one, other = (label(str(end)) for end in shown.parts[0].arrays["ends"].values)
        ax.set_xticks([0, 0.25, 0.5, 0.75, 1], [one, "¼", "halfway", "¾", other])
        alike = len({str(run.arrays["ends"].values[0]) for run in shown.parts}) == 1
        what = f"energy above ‘{one}’" if alike else "energy above the first pattern"
        ax.set(xlim=(-0.02, 1.02), ylabel=f"{what},\nin units of its depth" if in_depths else what)

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        lines, named = axes[0].lines[1:], len(shown.result.runs) > 1
        names = []
        for run, line in zip(shown.parts, lines, strict=True):
            heights = line.get_ydata()
            barrier = float(max(0.0, heights.max() - max(heights[0], heights[-1])))
            height = f"barrier {number(barrier, 3)}" if barrier > 1e-9 else "no barrier"
            names.append(f"{run_title(run) if named else 'energy'}: {height}")
        return About([self.left_out(shown)], lines, names)
