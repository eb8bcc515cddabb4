"""The fixed points of a memory against β: how they merge as β falls, and which of them are stable."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.style import scaled, theme, tick_options
from hopattn.figures.text import number
from hopattn.scenario.result import Run


class Bifurcation(Panels[Run]):
    """A dot for each fixed point at each β, filled where it is stable; its height is its place between two patterns."""

    name: ClassVar[str] = "bifurcation"
    shows: ClassVar[str] = "how fixed points merge as β falls: stable ones, and those that a cue leaves"
    scenario: ClassVar[str] = "bifurcation"
    needs: ClassVar[str] = "points-place"
    lack: ClassVar[str] = "it has no fixed points by β"
    most: ClassVar[int] = 4
    in_a_row: ClassVar[int] = 2
    shared: ClassVar[dict[str, bool]] = {"sharey": True}

    def panel_of(self, ax: Axes, part: Run, shown: Shown[Run]) -> None:
        at, place, stable = (part.arrays[f"points-{name}"].values for name in ("at", "place", "stable"))
        for own, fill, mark in ((stable, theme().plus, "o"), (np.logical_not(stable), theme().paper, "s")):
            colour = theme().plus if mark == "o" else theme().minus
            look: dict[str, Any] = {"marker": mark, "ls": "", "mfc": fill, "mec": colour, "mew": scaled(2)}
            ax.plot(at[own], place[own], ms=scaled(9), **look)
        ax.set(xlabel="inverse temperature β", ylabel="place of the fixed point")
        ax.margins(x=0.05, y=0.12)
        ax.set_yticks([0, 0.5, 1], ["first\npattern", "halfway", "second\npattern"])
        ax.xaxis.set_major_formatter(lambda value, _: number(value))
        tick_options(ax.xaxis, nbins=6)

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        notes = [self.left_out(shown)]
        keys, names = axes[0].lines[:2], ["stable fixed point", "unstable fixed point"]
        drawn = [len(key.get_xdata()) > 0 for ax in axes for key in ax.lines[:2]]
        there = [i for i in (0, 1) if any(drawn[i::2])]
        return (
            super()
            .about(shown, axes)
            ._replace(notes=notes, keys=[keys[i] for i in there], names=[names[i] for i in there])
        )
