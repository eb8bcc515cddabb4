"""Runs with damaged cues that return to their pattern, and the look of their curves."""

from typing import Any

from hopattn.figures.base import Axes
from hopattn.figures.style import scaled, theme, tick_options
from hopattn.figures.text import number
from hopattn.scenario.result import Result, Run

LOOKS = (("o", "-"), ("s", "--"), ("^", "-."), ("D", ":"), ("v", "-"))
"""The marker and the dashes of each curve."""


def alike(result: Result) -> list[Run]:
    """The runs with damaged cues whose damage is of one kind: that of the first."""
    runs = [run for run in result.runs if "returned" in run.arrays]
    return [run for run in runs if run.arrays["damaged"].values == runs[0].arrays["damaged"].values]


def look(i: int) -> dict[str, Any]:
    """The style of curve i."""
    marker, dashes = LOOKS[i]
    own = {"marker": marker, "ls": dashes, "color": theme().series[i], "lw": scaled(2.5), "ms": scaled(8)}
    return own | {"markeredgecolor": theme().paper, "zorder": 3}


def plain_numbers(ax: Axes) -> None:
    """Write the numbers of both axes as a lecture does, at six places at most."""
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: number(value))
        tick_options(axis, nbins=6)
