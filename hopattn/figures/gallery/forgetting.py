"""Forgetting: how well the first word of a text is read out, by the number of words after it."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import foot, headline, left_out, pads, run_title
from hopattn.figures.line_names import name_lines
from hopattn.figures.style import scaled, theme, tick_options
from hopattn.figures.text import number
from hopattn.scenario.result import Result, Run

RUNS = 2
"""The largest number of runs, one row of panels each."""
TITLES = {"accuracy": "right name\nnearest (share)", "cosine": "cosine with\nthe first word"}
"""The quantities, each with the name of its axis."""
TICKS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""The lengths that are written below an axis."""


class Forgetting(Plot):
    """Two panels for each run: points with two standard errors are measured, lines are the law."""

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
        axes = figure.subplots(len(runs), len(TITLES), squeeze=False, sharex=True, sharey=True)
        for panels, run in zip(axes, runs, strict=True):
            for ax, (quantity, name) in zip(panels, TITLES.items(), strict=True):
                _panel(ax, run, quantity)
                ax.set_ylabel(name)
            if len(result.runs) > 1:
                panels[0].set_title(run_title(run), loc="left", weight="bold")
        figure.align_ylabels()
        lengths = [float(length) for run in runs for length in run.arrays["cosine"].labels[1]]
        ticks = [length for length in TICKS if min(lengths) <= length <= max(lengths)]
        for ax in axes[-1]:
            ax.set_xlabel("words after the first (log scale)")
            ax.set_xticks(np.log2(np.add(ticks, 1)), [f"{length:,}" for length in ticks])
        notes = (
            "points: mean ± 2 standard errors; lines: the law",
            left_out(len(runs), len(result.runs), "runs", "run"),
        )
        curves = axes[0, -1].lines
        laws = [next(line for line in curves if line.get_color() == colour) for _, _, colour, _ in _looks()]
        names = ["with attention", "without attention"]
        foot(figure, notes)
        if not name_lines(axes[0, -1], laws, names):
            foot(figure, notes, laws, names)


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
    low = min(0.0, float((means - 2 * errors).min()), float(law.min()))
    ax.set_ylim(min(ax.get_ylim()[0], low) if low < -0.02 else 0, 1.02)
    ax.yaxis.set_major_formatter(lambda value, _: number(value))
    tick_options(ax.yaxis, nbins=3)
    if low < -0.02:
        ax.axhline(0, color=theme().ink, lw=scaled(0.8))


def _looks() -> tuple[tuple[str, str, str, str], ...]:
    """The marker, the line, the colour and the filling of each reader: with attention, without it."""
    first, second, *_ = theme().series
    return ("o", "-", first, first), ("s", "--", second, theme().paper)
