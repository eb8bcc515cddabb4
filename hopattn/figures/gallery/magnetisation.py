"""The magnetisation of spins by temperature: exact, for infinitely many spins, and by Glauber's update."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot, only
from hopattn.figures.headings import foot, headline, left_out, run_title
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.scenario.result import Result, Run

RUNS = 2
"""The largest number of runs, side by side."""
PATTERNS = 6
"""The largest number of patterns: the first ones."""
MARKERS = "osD^v<"


class Magnetisation(Plot):
    """The mean size of the overlap with each pattern against the temperature; one panel for each run."""

    name: ClassVar[str] = "magnetisation"
    shows: ClassVar[str] = "spins that are magnetised at low temperatures: exact averages beside Glauber's update"
    scenario: ClassVar[str] = "magnetisation"

    def lacks(self, result: Result) -> str:
        return "" if _runs(result) else "it has no spins at a temperature"

    def draw(self, figure: Figure, result: Result) -> None:
        every = _runs(result)
        runs = every[:RUNS]
        headline(figure, result)
        axes = figure.subplots(1, len(runs), squeeze=False, sharey=True)[0]
        for ax, run in zip(axes, runs, strict=True):
            _panel(ax, run)
            ax.set_title(run_title(run) if len(result.runs) > 1 else "")
        for ax in axes[1:]:
            ax.set_ylabel("")
        patterns = max(run.arrays["overlaps"].values.shape[1] for run in runs)
        notes = left_out(len(runs), len(every), "runs", "run"), left_out(min(PATTERNS, patterns), patterns, "patterns")
        signs: dict[str, Any] = {}
        for ax in axes:
            keys, texts = ax.get_legend_handles_labels()
            signs |= dict(zip(texts, keys, strict=True))
        foot(figure, "; ".join(filter(None, notes)), list(signs.values()), list(signs))

    def panel(self, ax: Axes, result: Result) -> None:
        _panel(ax, only(_runs(result), "runs", "run"))


def _runs(result: Result) -> list[Run]:
    """The runs with a temperature."""
    return [run for run in result.runs if "thermal" in run.arrays]


def _panel(ax: Axes, run: Run) -> None:
    """Draw one run."""
    _curves(ax, run)
    _points(ax, run)
    ax.set(xlabel="temperature T", ylabel="size of the overlap, ⟨|m|⟩")
    ax.set(ylim=(-0.03, 1.05), yticks=[0, 0.5, 1], yticklabels=["0", ".5", "1"])
    ax.xaxis.set_major_formatter(lambda value, _: number(value))


def _temperatures(run: Run, name: str) -> np.ndarray:
    return np.array([float(temperature) for temperature in run.arrays[name].labels[0]])


def _curves(ax: Any, run: Run) -> None:
    """Draw the exact averages as lines: on fine temperatures where the run has them, else between its own."""
    if "curve" in run.arrays:
        fine, curve = _temperatures(run, "curve"), run.arrays["curve"].values
        ax.plot(fine, curve[:, 0], color=theme().faint, ls="--", lw=scaled(3), label="infinitely many: m = tanh(m/T)")
        ax.plot(fine, curve[:, 1], color=theme().series[0], lw=scaled(3), label="these spins, exact")
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
    temperatures, sampled, errors = (
        _temperatures(run, "sampled"),
        run.arrays["sampled"].values,
        run.arrays["errors"].values,
    )
    for j in range(min(PATTERNS, sampled.shape[1] - 1)):
        colour = theme().ink if sampled.shape[1] == 2 else theme().series[j]
        style: dict[str, Any] = {
            "fmt": MARKERS[j],
            "ms": scaled(9),
            "mfc": theme().paper,
            "color": colour,
            "capsize": scaled(6),
            "lw": scaled(2),
        }
        name = None if j else "Glauber, ± 2 standard errors"
        ax.errorbar(temperatures, sampled[:, j + 1], 2 * errors[:, j + 1], label=name, zorder=5, **style)
