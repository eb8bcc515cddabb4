"""The basins of attraction: the end overlap of each cue with its pattern against its start overlap."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.dynamics.likeness import MATCH
from hopattn.figures.base import Axes
from hopattn.figures.headings import run_title
from hopattn.figures.panels import About, Shown, Together
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number
from hopattn.scenario.result import Result, Run

CUES = 8
"""The least number of cues in a run."""
ALIKE, BINS = 4, 12
"""Start overlaps that at least `ALIKE` cues have each have their own mean; otherwise cues share `BINS` means."""
MARKERS, DASHES = ("o", "s", "^", "D"), ("-", "--", "-.", (0, (1, 1)))


class Basin(Together[Run]):
    """A dot for each cue, and for each run a line through the means; a cue above the diagonal has come nearer."""

    name: ClassVar[str] = "basin"
    shows: ClassVar[str] = "how near a cue must be: its overlap with its pattern at the end against that at the start"
    scenario: ClassVar[str] = "attraction"
    lack: ClassVar[str] = f"it has no run with start overlaps of {CUES} cues that differ"
    most: ClassVar[int] = 4

    def parts(self, result: Result) -> list[Run]:
        return [run for run in result.runs if len(_pairs(run)[0]) >= CUES and np.ptp(_pairs(run)[0]) > 0.05]

    def draw_into(self, ax: Axes, shown: Shown[Run]) -> None:
        starts, ends = (np.concatenate(each) for each in zip(*map(_pairs, shown.parts), strict=True))
        low, high = min(0.0, float(starts.min())), max(1.0, float(starts.max()))
        for i, run in enumerate(shown.parts):
            colour, (start, end) = theme().series[i], _pairs(run)
            ax.scatter(start, end, s=scaled(5) ** 2, color=colour, alpha=0.4, marker=MARKERS[i], linewidths=0, zorder=2)
            look: dict[str, Any] = {"marker": MARKERS[i], "markersize": scaled(9), "markeredgecolor": theme().paper}
            ax.plot(*_means(start, end), ls=DASHES[i], color=colour, lw=scaled(2.8), zorder=3 + i, **look)
        style: dict[str, Any] = {"color": theme().faint, "linewidth": scaled(1.5), "zorder": 1}
        ax.plot([low, high], [low, high], **style)
        ax.axhline(MATCH, linestyle=":", **style)
        ax.set(xlim=(low - 0.02, high + 0.02), ylim=(min(-0.04, ends.min() - 0.04), max(1.05, ends.max() + 0.05)))
        ax.set(xlabel="overlap of the cue with its pattern", ylabel="overlap at the end")

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        names = [run_title(run) for run in shown.parts] if len(shown.result.runs) > 1 else ["mean of the cues"]
        signs = "thin: as near as at the start", f"dotted: recalled from {number(MATCH)} up"
        counts = [len(_pairs(run)[0]) for run in shown.parts]
        each = len(counts) > 1 and len({*counts}) == 1
        cues = f"dots: {counts[0]} cues in each run" if each else f"dots: {sum(counts)} cues"
        notes = [cues, *signs, self.left_out(shown)]
        return About(notes, axes[0].lines[: len(names)], names)


def _pairs(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """The overlaps of each cue with its pattern, at the start and at the end."""
    start, end = run.arrays.get("start"), run.arrays.get("overlaps")
    if start is None or end is None:
        return np.zeros(0), np.zeros(0)
    return np.asarray(start.values, dtype=float), np.asarray(end.values, dtype=float)


def _means(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean end overlap of the cues that start alike, by their start overlap."""
    levels = np.unique(start.round(6))
    groups = np.searchsorted(levels, start.round(6))
    if np.bincount(groups).min() < ALIKE:
        edges = np.linspace(start.min(), start.max(), BINS + 1)
        groups = np.clip(np.digitize(start, edges) - 1, 0, BINS - 1)
    each = [groups == group for group in np.unique(groups)]
    return np.array([start[own].mean() for own in each]), np.array([end[own].mean() for own in each])
