"""Histograms of the crosstalk of the other patterns, beside the signal of the cue's own."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.headings import run_titles
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number
from hopattn.scenario.result import Run

WHAT = {"fields": ("crosstalk in the field of a neuron", "neurons"), "scores": ("score of another pattern", "scores")}
"""The names of the quantity and of what is counted."""


class Crosstalk(Panels[Run]):
    """One histogram for each run, the Gaussian of theory over it, and a line at the signal.

    What is right of the line, where the crosstalk outweighs the signal, is orange and counted.
    """

    name: ClassVar[str] = "crosstalk"
    shows: ClassVar[str] = "what the other patterns add: a Gaussian, and the part of it that outweighs the signal"
    scenario: ClassVar[str] = "crosstalk"
    needs: ClassVar[str] = "crosstalk"
    lack: ClassVar[str] = "it has no crosstalk; give [ensemble] the key `crosstalk`"
    most: ClassVar[int] = 6
    in_a_row: ClassVar[int] = 3
    shared: ClassVar[dict[str, bool]] = {"sharex": True, "sharey": True}

    def panel_of(self, ax: Axes, part: Run, shown: Shown[Run]) -> None:
        _histogram(ax, part, _reach(shown.parts), _height(shown.parts))
        ax.set(xlabel=_what(part)[0], ylabel="density")

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        keys, names = _signs(any(_theory(run) for run in shown.parts))
        titles = run_titles(shown.parts, [()] * len(shown.parts), 30)
        return About([self.left_out(shown)], keys, names, titles)


def _what(run: Run) -> tuple[str, str]:
    return WHAT[str(run.arrays["compared"].values)]


def _theory(run: Run) -> float:
    """The standard deviation by theory; 0 if there is none."""
    return float(run.arrays["theory"].values)


def _signal(run: Run) -> float:
    return float(run.arrays["signal"].values)


def _bins(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """The middles of the bins, and the densities."""
    array = run.arrays["crosstalk"]
    return np.array([float(centre) for centre in array.labels[0]]), np.asarray(array.values)


def _reach(runs: Sequence[Run]) -> tuple[float, float]:
    """The ends of the common axis: all crosstalk, and the signal."""
    wide = max(3.2 * float(run.arrays["spread"].values) for run in runs)
    most = max(_signal(run) for run in runs)
    return -wide, max(wide, 1.25 * most)


def _height(runs: Sequence[Run]) -> float:
    """The top of the common axis, with room for the name of the signal."""
    return 1.25 * max(float(_bins(run)[1].max()) for run in runs)


def _histogram(ax: Axes, run: Run, reach: tuple[float, float], height: float) -> None:
    """Draw the crosstalk of one run, the signal, and the Gaussian of theory."""
    centres, density = _bins(run)
    width = float(centres[1] - centres[0])
    signal = _signal(run)
    beyond = centres > signal
    common: dict[str, Any] = {"width": width, "linewidth": 0, "align": "center"}
    ax.bar(centres[~beyond], density[~beyond], color=theme().sequential(0.25), **common)
    ax.bar(centres[beyond], density[beyond], color=theme().minus, **common)
    if spread := _theory(run):
        x = np.linspace(*reach, 400)
        gauss = np.exp(-((x / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi))
        ax.plot(x, gauss, "--", color=theme().ink, lw=scaled(2))
    ax.plot([signal, signal], [0, 0.86 * height], color=theme().plus, lw=scaled(3.5))
    ax.text(signal, 0.88 * height, "signal", color=theme().plus, weight="bold", ha="center", va="bottom")
    ax.text(reach[1], 0.42 * height, f"{_share(run)}\noutvoted", color=theme().minus, ha="right", va="center")
    ax.set(xlim=reach, ylim=(0, height))


def _share(run: Run) -> str:
    """The share in which the crosstalk outweighs the signal, in words."""
    share = 100 * float(run.arrays["wrong"].values)
    return f"{number(share, 2 if share < 1 else 1)} %"


def _signs(theory: bool) -> tuple[list[Any], list[str]]:
    """The signs of the legend, and their meanings."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    keys: list[Any] = [
        Patch(facecolor=theme().sequential(0.25), linewidth=0),
        Patch(facecolor=theme().minus, linewidth=0),
    ]
    names = ["crosstalk", "more than the signal"]
    if theory:
        keys.append(Line2D([], [], color=theme().ink, linestyle="--", linewidth=scaled(2)))
        names.append("Gaussian of theory")
    return keys, names
