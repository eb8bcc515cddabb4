"""The energy landscape of a memory with two neurons and the path of each cue; several runs side by side."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot, tables
from hopattn.figures.headings import headline, pads
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.scenario.result import Result, Run

RUNS, LEVELS = 3, 14
"""The largest number of runs, and the number of contours."""
NAMED = 12
"""The number of patterns up to which each has its name beside it."""
OUTER_NAME = 3
"""Names of at most this many letters are outside of their pattern, where there is less room; longer names inside."""
CONTOURED = 0.35
"""The contours fill this fraction of the energy's range, from the lowest energy up: recalls end there."""


class Landscape(Plot):
    """Contours of the energy. Stars are patterns; lines lead from the cues to their final states."""

    name: ClassVar[str] = "landscape"
    shows: ClassVar[str] = "the energy over the plane: cues run downhill, into one valley or another, as β has it"
    scenario: ClassVar[str] = "landscape"

    def lacks(self, result: Result) -> str:
        return "" if _runs(result) else "it has no memory of two neurons whose energy is finite everywhere"

    def draw(self, figure: Figure, result: Result) -> None:
        runs = _runs(result)
        headline(figure, result)
        pads(figure, h_pad=0.1, w_pad=0.1)
        names = [label(axis) for axis in runs[0].arrays["patterns"].labels[1]]
        axes = figure.subplots(1, len(runs), squeeze=False, sharey=True)[0]
        for ax, run in zip(axes, runs, strict=True):
            _contours(ax, run)
            _paths(ax, run)
            _patterns(ax, run)
            ax.set(title=f"{_run_title(run)}: {_count_ends(run)}", aspect="equal", xlabel=names[0])
        axes[0].set_ylabel(names[1])
        _legend(figure)


def _runs(result: Result) -> list[Run]:
    """The runs that have a landscape, the first `RUNS` of them."""
    return [run for run in result.runs if "landscape" in run.arrays][:RUNS]


def _run_title(run: Run) -> str:
    """The β of a run, on which the landscape depends; without a β the name of the run."""
    for _, separation in tables(run, "separation"):
        beta = dict(zip(separation.labels[0], separation.values, strict=True))["beta"]
        return f"β = {number(float(beta))}"
    return label(run.name)


def _count_ends(run: Run) -> str:
    """The number of cues and of distinct final states, in words."""
    cues = len(run.arrays["state"].values)
    ends = len(np.unique(run.arrays["state"].values.round(2) + 0.0, axis=0))
    return f"{cues} cue{'' if cues == 1 else 's'}, {ends} end{'' if ends == 1 else 's'}"


def _contours(ax: Any, run: Run) -> None:
    """Draw the contours: dark where the energy is low, one colour for all energies above the last contour."""
    field = run.arrays["landscape"]
    across, up = (np.array([float(place) for place in places]) for places in reversed(field.labels))
    low, high = float(field.values.min()), float(field.values.max())
    levels = low + (high - low) * CONTOURED * np.linspace(0, 1, LEVELS) ** 2
    if high > low:
        ax.contourf(across, up, field.values, levels, cmap=theme().sequential, extend="max")
        ax.contour(across, up, field.values, levels, colors=theme().paper, linewidths=0.5, alpha=0.6)
    ax.set(xlim=(across[0], across[-1]), ylim=(up[0], up[-1]))


def _paths(ax: Any, run: Run) -> None:
    """Draw the path of each cue: a ring at the cue, a dot at each step, a filled circle at the end."""
    for path in run.arrays["trajectory"].values:
        ax.plot(*path.T, color=theme().ink, linewidth=scaled(4.5), zorder=3)
        ax.plot(*path.T, color=theme().paper, linewidth=scaled(2), marker=".", markersize=scaled(5), zorder=4)
        ax.plot(
            *path[0],
            "o",
            color=theme().ink,
            markerfacecolor=theme().paper,
            markersize=scaled(11),
            markeredgewidth=scaled(2.5),
            zorder=5,
        )
        ax.plot(
            *path[-1],
            "o",
            color=theme().paper,
            markerfacecolor=theme().ink,
            markersize=scaled(11),
            markeredgewidth=scaled(2),
            zorder=6,
        )


def _patterns(ax: Any, run: Run) -> None:
    """Draw the patterns as stars, with their names if there are few."""
    from matplotlib.patheffects import Normal, Stroke

    patterns = run.arrays["patterns"]
    ax.plot(
        *patterns.values.T,
        "*",
        color=theme().ink,
        markerfacecolor=theme().series[4],
        markersize=scaled(24),
        markeredgewidth=scaled(1.5),
        zorder=5,
    )
    if len(patterns.values) <= NAMED:
        for name, place in zip(patterns.labels[0], patterns.values, strict=True):
            away = (22 if place[0] >= 0 else -22) * (1 if len(name) <= OUTER_NAME else -1)
            side = "left" if away > 0 else "right"
            text = ax.annotate(label(name), place, (away, 0), textcoords="offset points", ha=side, va="center")
            text.set(
                color=theme().paper,
                weight="bold",
                zorder=7,
                path_effects=[Stroke(linewidth=scaled(4), foreground=theme().ink), Normal()],
            )


def _legend(figure: Figure) -> None:
    """Draw the legend below the panels."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    outline: dict[str, Any] = {"linestyle": "", "color": theme().ink, "markeredgewidth": scaled(2)}
    signs = [
        Line2D(
            [],
            [],
            marker="*",
            markersize=scaled(20),
            markerfacecolor=theme().series[4],
            **{**outline, "markeredgewidth": scaled(1.5)},
        ),
        Line2D([], [], marker="o", markersize=scaled(11), markerfacecolor=theme().paper, **outline),
        Line2D([], [], marker="o", markersize=scaled(11), markerfacecolor=theme().ink, **outline),
        *(Patch(facecolor=theme().sequential(level), edgecolor=theme().ink) for level in (0.0, 1.0)),
    ]
    names = ["pattern", "cue", "its end", "low energy", "high energy"]
    figure.legend(signs, names, loc="outside lower center", ncols=5, frameon=False)
