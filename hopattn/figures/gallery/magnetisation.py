"""The magnetisation of spins by temperature: exact, for infinitely many spins, and by Glauber's update."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.headings import left_out
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.scenario.result import Run

PATTERNS = 6
"""The largest number of patterns: the first ones."""
MARKERS = "osD^v<"


class Magnetisation(Panels[Run]):
    """The mean size of the overlap with each pattern against the temperature; one panel for each run."""

    shows: ClassVar[str] = "spins that are magnetised at low temperatures: exact averages and Glauber's update"
    scenario: ClassVar[str] = "magnetisation"
    needs: ClassVar[str] = "thermal"
    lack: ClassVar[str] = "it has no spins at a temperature"
    most: ClassVar[int] = 2
    shared: ClassVar[dict[str, bool]] = {"sharey": True}

    def panel_of(self, ax: Axes, part: Run, shown: Shown[Run]) -> None:
        _curves(ax, part)
        _points(ax, part)
        ax.set(xlabel="temperature T", ylabel="size of the overlap, ⟨|m|⟩")
        ax.set(ylim=(-0.03, 1.05), yticks=[0, 0.5, 1], yticklabels=["0", ".5", "1"])
        ax.xaxis.set_major_formatter(lambda value, _: number(value))

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        patterns = max(run.arrays["overlaps"].values.shape[1] for run in shown.parts)
        notes = self.left_out(shown), left_out(min(PATTERNS, patterns), patterns, "patterns")
        signs: dict[str, Any] = {}
        for ax in axes:
            keys, texts = ax.get_legend_handles_labels()
            signs |= dict(zip(texts, keys, strict=True))
        return super().about(shown, axes)._replace(notes=notes, keys=[*signs.values()], names=[*signs])


def _temperatures(run: Run, name: str) -> np.ndarray:
    return np.array([float(temperature) for temperature in run.arrays[name].labels[0]])


def _curves(ax: Any, run: Run) -> None:
    """Draw the exact averages as lines: on fine temperatures where the run has them, else between its own."""
    if "curve" in run.arrays:
        fine, curve = _temperatures(run, "curve"), run.arrays["curve"].values
        ax.plot(fine, curve[:, 0], color=theme().faint, ls="--", lw=scaled(3), label="infinitely many: m = tanh(m/T)")
        ax.plot(fine, curve[:, 1], color=theme().series[0], lw=scaled(3), label="finitely many, exact")
        return
    temperatures, overlaps = _temperatures(run, "overlaps"), run.arrays["overlaps"]
    order = np.argsort(temperatures, kind="stable")
    for j, name in enumerate(overlaps.labels[1][:PATTERNS]):
        style: dict[str, Any] = {"color": theme().series[j], "ls": ("-", "--", ":")[j % 3], "lw": scaled(4.5 - 0.6 * j)}
        marker = {} if len(order) > 1 else {"marker": "_", "ms": scaled(24), "mew": scaled(3)}
        ax.plot(temperatures[order], overlaps.values[order, j], **style, **marker, label=f"{label(name)}, exact")


def _points(ax: Any, run: Run) -> None:
    """Draw the averages of Glauber's update with bars of two standard errors."""
    if "sampled" not in run.arrays:
        return
    temperatures = _temperatures(run, "sampled")
    sampled, errors = (run.arrays[name].values for name in ("sampled", "errors"))
    for j in range(min(PATTERNS, sampled.shape[1] - 1)):
        colour = theme().ink if sampled.shape[1] == 2 else theme().series[j]
        style: dict[str, Any] = {"fmt": MARKERS[j], "ms": scaled(9), "mfc": theme().paper, "capsize": scaled(6)}
        style |= {"color": colour, "lw": scaled(2), "label": None if j else "simulated (Glauber), ± 2 standard errors"}
        ax.errorbar(temperatures, sampled[:, j + 1], 2 * errors[:, j + 1], zorder=5, **style)
