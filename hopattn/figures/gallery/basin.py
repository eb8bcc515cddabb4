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
POOLED, MEANS = 30, 5
"""The number of cues of similar start overlaps that share a mean. With so few cues that there would be fewer means
than the second number, each cue is a dot."""
ERRORS = 2
"""The standard errors on each side of a mean that its band has."""
MARKERS, DASHES = ("o", "s", "^", "D"), ("-", "--", "-.", (0, (1, 1)))


class Basin(Together[Run]):
    """A dot for each cue, and for each run a line through the means; a cue above the diagonal has come nearer."""

    shows: ClassVar[str] = "how near a cue must be: its overlap with its pattern at the end against that at the start"
    scenario: ClassVar[str] = "attraction"
    lack: ClassVar[str] = f"it has no run with start overlaps of {CUES} cues that differ"
    most: ClassVar[int] = 4
    beside: ClassVar[bool] = True

    def parts(self, result: Result) -> list[Run]:
        return [run for run in result.runs if len(_pairs(run)[0]) >= CUES and np.ptp(_pairs(run)[0]) > 0.05]

    def draw_into(self, ax: Axes, shown: Shown[Run]) -> None:
        starts = np.concatenate([_pairs(run)[0] for run in shown.parts])
        low, high, drawn = min(0.0, float(starts.min())), max(1.0, float(starts.max())), [0.0, 1.0]
        for i, run in enumerate(shown.parts):
            colour, (start, end) = theme().series[i], _pairs(run)
            if _has_dots(run):
                dots: dict[str, Any] = {"alpha": 0.4, "marker": MARKERS[i], "linewidths": 0, "zorder": 2}
                ax.scatter(start, end, s=scaled(5) ** 2, color=colour, **dots)
                drawn += [float(end.min()), float(end.max())]
            where, means, errors = _means(start, end)
            ax.fill_between(where, means - ERRORS * errors, means + ERRORS * errors, color=colour, alpha=0.15, lw=0)
            drawn += [float((means - ERRORS * errors).min()), float(means.max())]
            look: dict[str, Any] = {"marker": MARKERS[i], "markersize": scaled(9), "markeredgecolor": theme().paper}
            ax.plot(where, means, ls=DASHES[i], color=colour, lw=scaled(2.8), zorder=3 + i, **look)
        style: dict[str, Any] = {"color": theme().faint, "linewidth": scaled(1.5), "zorder": 1}
        ax.plot([low, high], [low, high], **style)
        ax.axhline(MATCH, linestyle=":", **style)
        ax.set(xlim=(low - 0.02, high + 0.02), ylim=(min(drawn) - 0.04, max(drawn) + 0.05))
        ax.set(xlabel="overlap of the cue with its pattern", ylabel="overlap at the end")

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        names = [run_title(run) for run in shown.parts] if len(shown.result.runs) > 1 else ["mean of the cues"]
        signs = "thin: as near as at the start", f"dotted: recalled from {number(MATCH)} up"
        counts = [len(_pairs(run)[0]) for run in shown.parts]
        each = " in each run" if len(counts) > 1 and len({*counts}) == 1 else ""
        cues = f"{counts[0] if each else sum(counts)} cues{each}"
        dotted = any(map(_has_dots, shown.parts))
        what = f"dots: {cues}" if dotted else f"{cues}, bands: mean ± {ERRORS} standard errors"
        return About([what, *signs, self.left_out(shown)], axes[0].lines[: len(names)], names)


def _pairs(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """The overlaps of each cue with its pattern, at the start and at the end."""
    start, end = run.arrays.get("start"), run.arrays.get("overlaps")
    if start is None or end is None:
        return np.zeros(0), np.zeros(0)
    return np.asarray(start.values, dtype=float), np.asarray(end.values, dtype=float)


def _has_dots(run: Run) -> bool:
    """Whether a run has so few cues that each of them is a dot."""
    return len(_pairs(run)[0]) < MEANS * POOLED


def _means(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean start overlaps of cues that start alike, their mean end overlaps, and the standard errors of these.

    Cues of one start overlap stay together, unless all cues of a run differ.
    """
    most = min(POOLED, -(-len(start) // MEANS))
    levels, groups = np.unique(start.round(6), return_inverse=True)
    whole = np.bincount(groups)
    first = np.cumsum(whole) - whole
    pools = (first + whole / 2) // most if len(levels) > 1 else np.zeros(1)
    own = pools[groups]
    each = [own == pool for pool in np.unique(own)]
    errors = [float(end[some].std(ddof=1)) / some.sum() ** 0.5 if some.sum() > 1 else 0.0 for some in each]
    return (
        np.array([start[some].mean() for some in each]),
        np.array([end[some].mean() for some in each]),
        np.array(errors),
    )
