"""The parts of the energy of a network, step by step: each layer costs, each synapse wins, and their sum falls."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.choice import query_of
from hopattn.figures.headings import left_out, run_title
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.style import scaled, theme, tick_options
from hopattn.figures.text import label, short
from hopattn.scenario.result import Result, Run

PARTS, NAME = 6, 30
"""The largest number of parts with a line each, those that change most; letters of the name of a part."""
SETTLED, BEYOND = 1e-3, 2
"""The steps are drawn until the sum is this near to its end, as a part of its range, and this number of steps more."""
SUM = "their sum"
"""The name of the sum."""
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))


class Parts(Panels[Run]):
    """One panel for each run, up to three, of the cue of `[figure] query` or the first; the sum is a heavy line."""

    name: ClassVar[str] = "parts"
    shows: ClassVar[str] = "the energy of each layer and synapse, step by step: parts may rise, their sum falls"
    scenario: ClassVar[str] = "two-layers"
    needs: ClassVar[str] = "energies"
    lack: ClassVar[str] = "its energy has no parts by step"
    most: ClassVar[int] = 3
    beside: ClassVar[bool] = True
    shared: ClassVar[dict[str, bool]] = {"sharey": True}

    def panel_of(self, ax: Axes, part: Run, shown: Shown[Run]) -> None:
        energies, cue = part.arrays["energies"].values, _cue(part, shown.result)
        total = energies[cue].sum(axis=0)
        near = np.abs(total - total[-1]) > SETTLED * np.ptp(total)
        last = min(int(part.arrays["steps"].values[cue]), int(np.flatnonzero(near).max(initial=0)) + 1 + BEYOND)
        for i, name in enumerate(_drawn(shown.parts, shown.result)):
            if name in part.arrays["energies"].labels[1]:
                row = energies[cue, part.arrays["energies"].labels[1].index(name), : last + 1]
                ax.plot(row, ls=DASHES[i], color=theme().series[i], lw=scaled(3), label=_label(part, name))
        ax.plot(total[: last + 1], "o-", color=theme().ink, lw=scaled(4.5), ms=scaled(8), label=SUM)
        ax.set(xlabel="step", ylabel="energy")
        tick_options(ax.xaxis, integer=True, min_n_ticks=1)

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        names, run = _drawn(shown.parts, shown.result), shown.parts[0]
        keys = [line for ax in axes for line in ax.lines]
        cues = run.arrays["energies"].labels[0]
        every = {name for one in shown.parts for name in one.arrays["energies"].labels[1]}
        notes = (
            f"the cue: {label(cues[_cue(run, shown.result)])}" if len(cues) > 1 else "",
            left_out(1, len(cues), "cues", "query"),
            left_out(len(names), len(every), "parts"),
            self.left_out(shown),
        )
        style = {"ncols": 3}
        titles = [run_title(one) for one in shown.parts] if len(shown.result.runs) > 1 else []
        return About(notes, keys, [line.get_label() for line in keys], titles, legend_style=style)


def _label(run: Run, name: str) -> str:
    """The name of a part; that of a layer, which is the reader's own word, is in quotes."""
    joins = run.arrays.get("joins")
    return f"‘{short(name, NAME)}’" if joins is not None and name in joins.labels[1] else short(name, NAME)


def _cue(run: Run, result: Result) -> int:
    """The number of the cue that is drawn."""
    return 0 if result.figure.query is None else query_of(result, run.arrays["energies"].labels[0])


def _drawn(runs: Sequence[Run], result: Result) -> list[str]:
    """The parts of all runs that change most, in their order."""
    moved: dict[str, float] = {}
    for run in runs:
        array = run.arrays["energies"]
        for name, row in zip(array.labels[1], array.values[_cue(run, result)], strict=True):
            moved[name] = max(moved.get(name, 0.0), float(np.ptp(row)))
    most = sorted(moved, key=lambda name: -moved[name])[:PARTS]
    return [name for name in moved if name in most and moved[name] > 0] or most[:1]
