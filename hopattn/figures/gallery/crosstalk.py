"""Histograms of the crosstalk of the other patterns, beside the signal of the cue's own."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.headings import run_titles
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.shapes import sign
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number
from hopattn.scenario.result import Run

WHAT = {"fields": "crosstalk in the field of a neuron", "scores": "score of another pattern"}
"""The names of the quantity."""


class Crosstalk(Panels[Run]):
    """One histogram for each run, the Gaussian of theory over it, and a line at the signal.

    What is right of the line, where the crosstalk outweighs the signal, is orange and counted.
    """

    shows: ClassVar[str] = "what the other patterns add: a Gaussian, and the part of it that outweighs the signal"
    scenario: ClassVar[str] = "crosstalk"
    needs: ClassVar[str] = "crosstalk"
    lack: ClassVar[str] = "it has no crosstalk; give [ensemble] the key `crosstalk`"
    most: ClassVar[int] = 6
    in_a_row: ClassVar[int] = 3
    shared: ClassVar[dict[str, bool]] = {"sharex": True, "sharey": True}
    space: ClassVar[dict[str, float]] = {"h_pad": 0.1}

    def panel_of(self, ax: Axes, part: Run, shown: Shown[Run]) -> None:
        wide = max(3.2 * _number(run, "spread") for run in shown.parts)
        ax.set_xlim(-wide, max(wide, 1.25 * max(_number(run, "signal") for run in shown.parts)))
        ax.set_ylim(0, 1.25 * max(float(_bins(run)[1].max()) for run in shown.parts))
        reach, (_, height) = ax.get_xlim(), ax.get_ylim()
        centres, density = _bins(part)
        width = float(centres[1] - centres[0])
        signal, share = _number(part, "signal"), 100 * _number(part, "wrong")
        beyond = centres > signal
        common: dict[str, Any] = {"width": width, "linewidth": 0, "align": "center"}
        ax.bar(centres[~beyond], density[~beyond], color=theme().sequential(0.25), **common)
        ax.bar(centres[beyond], density[beyond], color=theme().minus, **common)
        if spread := _number(part, "theory"):
            x = np.linspace(reach[0], reach[1], 400)
            gauss = np.exp(-((x / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi))
            ax.plot(x, gauss, "--", color=theme().ink, lw=scaled(2))
        ax.plot([signal, signal], [0, 0.86 * height], color=theme().plus, lw=scaled(3.5))
        ax.text(signal, 0.88 * height, "signal", color=theme().plus, weight="bold", ha="center", va="bottom")
        outvoted = number(share, 2 if share < 1 else 1)
        ax.text(0.96 * reach[1], 0.42 * height, f"{outvoted} %\noutvoted", color=theme().minus, ha="right", va="center")
        ax.set(xlabel=WHAT[str(part.arrays["compared"].values)], ylabel="density")

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        from matplotlib.patches import Patch

        keys = [Patch(facecolor=colour, linewidth=0) for colour in (theme().sequential(0.25), theme().minus)]
        if any(_number(run, "theory") for run in shown.parts):
            keys.append(sign(color=theme().ink, linestyle="--", linewidth=scaled(2)))
        names = ["crosstalk", "more than the signal", "Gaussian of theory"][: len(keys)]
        titles = run_titles(shown.parts, [()] * len(shown.parts), 30)
        return About([self.left_out(shown)], keys, names, titles)


def _number(run: Run, name: str) -> float:
    return float(run.arrays[name].values)


def _bins(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """The middles of the bins, and the densities."""
    array = run.arrays["crosstalk"]
    return np.array([float(centre) for centre in array.labels[0]]), np.asarray(array.values)
