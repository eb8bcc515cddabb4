"""The energy on the straight line between two stored patterns: a barrier between them, or a common valley."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot
from hopattn.figures.headings import foot, headline, left_out, run_title
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result, Run

RUNS = 7
"""The largest number of runs."""
APART = 5.0
"""The ratio of two runs' depths from which on each energy is counted in depths of its own first pattern."""
MARKERS, DASHES = ("o", "s", "^", "D", "v", "P", "X"), ("-", "--", "-.", (0, (1, 1)), (0, (5, 1)), "-", "--")


class Between(Plot):
    """A line for each run, from the energy of the first pattern, with a mark at its highest point, or its lowest."""

    name: ClassVar[str] = "between"
    shows: ClassVar[str] = "the energy on the way from one stored pattern to another: how high the barrier is"
    scenario: ClassVar[str] = "barrier"

    def lacks(self, result: Result) -> str:
        return "" if _runs(result) else "it has no energies between two patterns; give [memory] the key `between`"

    def draw(self, figure: Figure, result: Result) -> None:
        shown = _runs(result)[:RUNS]
        headline(figure, result)
        lines = _draw(figure.subplots(), result)
        names = [_name(run, line, len(result.runs) > 1) for run, line in zip(shown, lines, strict=True)]
        foot(figure, left_out(len(shown), len(result.runs), "runs", "run"), lines, names)

    def panel(self, ax: Axes, result: Result) -> None:
        _draw(ax, result)


def _runs(result: Result) -> list[Run]:
    """The runs that have energies between two patterns."""
    return [run for run in result.runs if "between" in run.arrays]


def _name(run: Run, line: Any, named: bool) -> str:
    """The name of a run if it is named, and the height of its barrier as drawn."""
    heights = line.get_ydata()
    barrier = float(max(0.0, heights.max() - max(heights[0], heights[-1])))
    name = run_title(run) if named else "energy"
    return f"{name}: barrier {number(barrier, 3)}" if barrier > 1e-9 else f"{name}: no barrier"


def _draw(ax: Axes, result: Result) -> list[Any]:
    """Draw a line for each run; returns the lines."""
    arrays = [run.arrays["between"] for run in _runs(result)[:RUNS]]
    depths = [abs(float(array.values[0])) for array in arrays]
    in_depths = min(depths) > 0 and max(depths) > APART * min(depths)
    ax.axhline(0, color=theme().faint, lw=scaled(1.5), zorder=0)
    units = depths if in_depths else [1.0] * len(depths)
    lines = [_line(ax, array, unit, i) for i, (array, unit) in enumerate(zip(arrays, units, strict=True))]
    one, other = _ends(result)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], [one, "¼", "halfway", "¾", other])
    what = "energy above the first pattern"
    ax.set(xlim=(-0.02, 1.02), ylabel=f"{what},\nin units of its depth" if in_depths else what)
    return lines


def _ends(result: Result) -> tuple[str, str]:
    """The names of the two patterns."""
    one, other = _runs(result)[0].arrays["ends"].values
    return label(str(one)), label(str(other))


def _line(ax: Axes, array: Labelled, unit: float, i: int) -> Any:
    """Draw the energies of one run from the first pattern's up, with a mark where they are furthest from it."""
    places = [float(place) for place in array.labels[0]]
    heights = (array.values - array.values[0]) / unit
    style: dict[str, Any] = {"color": theme().series[i], "ls": DASHES[i], "lw": scaled(3), "marker": MARKERS[i]}
    furthest = int(np.argmax(np.abs(heights - np.linspace(heights[0], heights[-1], len(heights)))))
    return ax.plot(places, heights, markevery=[furthest], markersize=scaled(12), **style, zorder=2 + i)[0]
