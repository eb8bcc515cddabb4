"""The answers of a circuit of associative memories and the recall of each memory, against the width."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.headings import run_title
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import inked
from hopattn.scenario.result import Run

TICKS = 12
"""The largest number of widths that are written below the axis of one panel."""


class Probes(Panels[Run]):
    """Accuracy and three probes over the width, the first three runs; vertical lines are at the capacities."""

    shows: ClassVar[str] = (
        "an induction head of associative memories: each memory recalls long before the answers are right"
    )
    scenario: ClassVar[str] = "birth-of-a-transformer"
    needs: ClassVar[str] = "probes"
    lack: ClassVar[str] = "it has no circuit of associative memories"
    most: ClassVar[int] = 3
    beside: ClassVar[bool] = True
    shared: ClassVar[dict[str, bool]] = {"sharey": True}
    space: ClassVar[dict[str, float]] = {"h_pad": 0.1}

    def panel_of(self, ax: Axes, part: Run, shown: Shown[Run]) -> None:
        looks = _looks()
        widths, order = _by_width(part)
        probes = part.arrays["probes"]
        for name, shares in zip(probes.labels[0], probes.values, strict=True):
            open_marker = {"markerfacecolor": "none", "markeredgewidth": scaled(2.5), "clip_on": False}
            ax.plot(widths, shares[order], label=f"probe: {name}", **looks[name], **open_marker)
        look: dict[str, Any] = {"color": theme().ink, "marker": "o", "markersize": scaled(9), "linewidth": scaled(4)}
        answers = part.arrays["accuracy"].values[order]
        ax.plot(widths, answers, label="answers in context", clip_on=False, zorder=3, **look)
        _capacities(ax, part, looks, len(shown.parts) == 1)
        _frame(ax, part, TICKS // len(shown.parts))

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        named = shown.parts if len(shown.result.runs) > 1 else []
        titles = [run_title(run, 60 // len(named)) for run in named]
        keys, names = axes[0].get_legend_handles_labels()
        legend = {"ncols": 2, "handlelength": 3.5}
        bars = "pale bar: capacity, from which on a memory loses few keys"
        pale = bars if any((run.arrays["capacity"].values > 0).any() for run in shown.parts) else ""
        unknown = [name for name in _looks() if name not in shown.parts[0].arrays["capacity"].labels[0]]
        none = f"no formula for ‘{'’, ‘'.join(unknown)}’" if pale and unknown else ""
        return About([pale, none, self.left_out(shown)], keys, names, titles, "", {"pad": scaled(14)}, legend)


def _looks() -> dict[str, dict[str, Any]]:
    """The line of each probe. The markers are open and differ in size, because probes often lie on each other."""
    first, second, third, *_ = theme().series
    return {
        "previous word": {"color": first, "marker": "s", "linestyle": "--", "markersize": scaled(13)},
        "same word": {"color": second, "marker": "^", "linestyle": "-.", "markersize": scaled(12)},
        "output": {"color": third, "marker": "D", "linestyle": ":", "markersize": scaled(8)},
    }


def _by_width(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """The widths in rising order, and their places in the arrays."""
    widths = np.array([float(width) for width in run.arrays["accuracy"].labels[0]])
    order = np.argsort(widths)
    return widths[order], order


def _capacities(ax: Axes, run: Run, looks: dict[str, dict[str, Any]], named: bool) -> None:
    """Draw a vertical line at each capacity: from about this width on, a memory loses few of its keys in theory.

    named: whether the lines that are far enough from one another have their name above them.
    """
    capacity, (widths, _) = run.arrays["capacity"], _by_width(run)
    drawn = {name: width for name, width in zip(capacity.labels[0], capacity.values, strict=True) if width > 0}
    apart = np.diff(np.log(sorted(drawn.values()))).min(initial=np.inf) >= 0.1 * np.log(widths[-1] / widths[0])
    within = all(widths[0] <= width <= widths[-1] for width in drawn.values())
    for name, width in drawn.items():
        colour = looks[name]["color"]
        ax.axvline(width, color=colour, linewidth=scaled(6), alpha=0.3, zorder=0)
        if named and apart and within:
            look: dict[str, Any] = {"color": inked(colour), "fontsize": scaled(15), "ha": "center", "va": "bottom"}
            ax.text(width, 1.0, "capacity", transform=ax.get_xaxis_transform(), **look)


def _frame(ax: Axes, run: Run, most: int) -> None:
    """The axes: shares from 0 to 1 over widths at equal ratios; of near widths the smaller is named, `most` at most."""
    widths, _ = _by_width(run)
    places = np.log(widths / widths[0]) / (np.log(widths[-1] / widths[0]) or 1.0)
    named: list[int] = []
    for i, place in enumerate(places):
        if not named or place - places[named[-1]] >= 1 / (most + 1):
            named.append(i)
    ax.set_xscale("log", base=2)
    ax.set_xticks(widths[named], [f"{width:g}" for width in widths[named]])
    ax.set_xticks([], minor=True)
    ax.set(ylim=(0, 1.1), yticks=[0, 0.5, 1], yticklabels=["0", ".5", "1"])
    ax.set(xlabel="width: numbers in a word vector", ylabel="share that is right")
    for share in (0.5, 1):  # lines and no grid: no name lies across them
        ax.axhline(share, color=theme().faint, alpha=0.4, linewidth=scaled(1), zorder=0)
