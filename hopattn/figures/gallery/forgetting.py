"""Forgetting: how well the first word of a text is read out, by the number of words after it."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import foot, headline, left_out, pads, run_title
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number
from hopattn.scenario.result import Result, Run

RUNS = 2
"""The largest number of runs, one row of panels each."""
TITLES = {"accuracy": "the right name is nearest (share)", "cosine": "cosine with the first word"}
TICKS = 7
"""The largest number of lengths that are written below an axis."""


class Forgetting(Plot):
    """Two panels for each run: points with two standard errors are measured, lines are the law."""

    name: ClassVar[str] = "forgetting"
    shows: ClassVar[str] = "how long the first word of a text is remembered, with attention and without it"
    scenario: ClassVar[str] = "sally"

    def lacks(self, result: Result) -> str:
        if not _drawn(result):
            return "it has no curves of forgetting over at least two lengths"
        return ""

    def draw(self, figure: Figure, result: Result) -> None:
        every = _drawn(result)
        runs = every[:RUNS]
        headline(figure, result)
        pads(figure, h_pad=0.08, w_pad=0.12)
        axes = figure.subplots(len(runs), len(TITLES), squeeze=False, sharey=True)
        for panels, run in zip(axes, runs, strict=True):
            for ax, quantity in zip(panels, TITLES, strict=True):
                _panel(ax, run, quantity)
            panels[0].set_ylabel(run_title(run, 16) if len(result.runs) > 1 else "")
        for ax, title in zip(axes[0], TITLES.values(), strict=True):
            ax.set_title(title)
        for ax in axes[-1]:
            ax.set_xlabel("words after the first")
        keys = [
            axes[0, 0].plot([], [], ls + marker, color=colour, ms=scaled(9), mfc=fill)[0]
            for marker, ls, colour, fill in _looks()
        ]
        bar = axes[0, 0].errorbar([], [], [], fmt="o", color=theme().faint, ms=scaled(9), capsize=scaled(5))
        texts = ["with attention", "without attention", "mean ± 2 standard errors; lines: the law"]
        foot(figure, left_out(len(runs), len(result.runs), "runs", "run"), [*keys, bar], texts)


def _drawn(result: Result) -> list[Run]:
    """The runs with curves over at least two lengths."""
    return [run for run in result.runs if "cosine-law" in run.arrays and run.arrays["cosine"].values.shape[1] > 1]


def _panel(ax: Any, run: Run, quantity: str) -> None:
    """Draw one quantity of both readers over the lengths; the axis gives equal room to equal ratios of n + 1."""
    means, errors, law = (run.arrays[f"{quantity}{kind}"].values for kind in ("", "-error", "-law"))
    lengths = np.array([float(n) for n in run.arrays[quantity].labels[1]])
    places = np.log2(lengths + 1)
    for row, (marker, line, colour, fill) in enumerate(_looks()):
        ax.plot(places, law[row], line, color=colour, clip_on=False)
        look = {"fmt": marker, "color": colour, "ms": scaled(9), "capsize": scaled(5), "clip_on": False}
        ax.errorbar(places, means[row], 2 * errors[row], mfc=fill, elinewidth=scaled(2), **look)
    shown = np.unique(np.linspace(0, len(lengths) - 1, min(TICKS, len(lengths))).round().astype(int))
    ax.set_xticks(places[shown], [f"{lengths[i]:g}" for i in shown])
    low = min(0.0, float((means - 2 * errors).min()), float(law.min()))
    ax.set_ylim(min(ax.get_ylim()[0], low) if low < -0.02 else 0, 1.02)
    ax.yaxis.set_major_formatter(lambda value, _: number(value))
    ax.yaxis.get_major_locator().set_params(nbins=3)
    if low < -0.02:
        ax.axhline(0, color=theme().ink, lw=scaled(0.8))


def _looks() -> tuple[tuple[str, str, str, str], ...]:
    """The marker, the line, the colour and the filling of each reader: with attention, without it."""
    first, second, *_ = theme().series
    return ("o", "-", first, first), ("s", "--", second, theme().paper)
