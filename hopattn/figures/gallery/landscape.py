"""The energy landscape of a memory with two neurons and the path of each cue; several runs side by side."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Draw, Figure, tables
from hopattn.figures.headings import run_title
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.recalls import frame_times
from hopattn.figures.shapes import sign
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.scenario.result import Result, Run

LEVELS = 8
"""The number of steps of the energy that have colours."""
NAMED = 12
"""The number of patterns up to which each has its name beside it."""
OUTER_NAME = 3
"""Names of at most this many letters are outside of their pattern, where there is less room; longer names inside."""
CONTOURED = 0.35
"""The contours fill this part of the energy's range, from the lowest energy up: recalls end there."""


class Landscape(Panels[Run]):
    """Contours of the energy, each panel from its own lowest energy. Stars are patterns; lines lead from the cues to
    rings at their last states. The frames follow the cues step by step."""

    shows: ClassVar[str] = "the energy over the plane: cues run downhill, into one valley or another, as β has it"
    scenario: ClassVar[str] = "landscape"
    moves: ClassVar[bool] = True
    needs: ClassVar[str] = "landscape"
    lack: ClassVar[str] = "it has no memory of two neurons whose energy is finite everywhere"
    most: ClassVar[int] = 3
    shared: ClassVar[dict[str, bool]] = {"sharey": True}
    space: ClassVar[dict[str, float]] = {"h_pad": 0.08, "w_pad": 0.1}

    def __init__(self, time: float | None = None) -> None:
        self.time = time
        """The time in steps up to which the paths go; None for whole paths."""

    def frames(self, result: Result) -> list[Draw]:
        last = max(int(run.arrays["steps"].values.max()) for run in self.shown(result).parts)
        return [partial(Landscape(time).draw, result=result) for time in frame_times(last)]

    def panel_of(self, ax: Axes, part: Run, shown: Shown[Run]) -> None:
        names = [label(axis) for axis in part.arrays["patterns"].labels[1]]
        levels = _levels(shown)
        field = part.arrays["landscape"]
        across, up = (np.array([float(place) for place in places]) for places in reversed(field.labels))
        span = float(np.ptp(field.values)) or 1.0
        # Valleys of one depth stay so, whatever the rounding: a contour begins at the same place on every processor.
        above = ((field.values - field.values.min()) / span).round(12) * span
        # Dark where the energy is low, background colour for energies above the last contour.
        ax.contourf(across, up, above, levels, cmap=theme().sequential.reversed())
        ax.contour(across, up, above, levels[1:], colors=[theme().paper], linewidths=scaled(0.8), alpha=0.7)
        ax.set(xlim=(across[0], across[-1]), ylim=(up[0], up[-1]))
        ax.spines[:].set(visible=True, color=theme().faint)
        _paths(ax, part, self.time)
        _patterns(ax, part)
        ax.set(aspect="equal", xlabel=names[0], ylabel=names[1])

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        if self.time is None:
            moment = ""
        else:
            moment = f"after {number(self.time, 1)} step{'' if self.time == 1 else 's'}" if self.time else "the cues"
        plain: dict[str, Any] = {"linestyle": "", "color": theme().ink, "markeredgewidth": scaled(2)}
        star = {"markersize": scaled(20), "markerfacecolor": theme().series[4], "markeredgewidth": scaled(1.5)}
        signs = [
            sign(marker="*", **{**plain, **star}),
            sign(marker="o", markersize=scaled(11), markerfacecolor=theme().paper, **plain),
            sign(marker="o", markersize=scaled(20), markerfacecolor="none", **plain),
        ]
        titles = [f"{_beta(run)}\n{_count_ends(run)}" for run in shown.parts]
        return About([moment, self.left_out(shown)], signs, ["pattern", "cue", "its end"], titles)

    def finish(self, figure: Figure, axes: Sequence[Axes], shown: Shown[Run]) -> None:
        own = "energy above the lowest of each panel" if len(axes) > 1 else "energy above the lowest"
        name, filled = f"{own}; higher than {number(_levels(shown)[-1])}: no colour", axes[-1].collections[0]
        bar: dict[str, Any] = {"location": "bottom", "aspect": 45, "shrink": 0.8, "label": name}
        figure.colorbar(filled, ax=axes, format=lambda value, _: number(value), **bar)


def _levels(shown: Shown[Run]) -> np.ndarray:
    """The steps of energy above the lowest of each run, the same in all panels, closer near the bottom."""
    spans = [float(np.ptp(run.arrays["landscape"].values)) for run in shown.parts]
    return np.asarray((max(spans) or 1.0) * CONTOURED * np.linspace(0, 1, LEVELS + 1) ** 2)


def _beta(run: Run) -> str:
    """The β of a run, on which the landscape depends; without a β the name of the run."""
    for _, separation in tables(run, "separation"):
        return f"β = {number(float(separation.values[separation.labels[0].index('beta')]))}"
    return run_title(run)


def _count_ends(run: Run) -> str:
    """The number of cues and of distinct final states, in words."""
    cues = len(run.arrays["state"].values)
    ends = len(np.unique(run.arrays["state"].values.round(2) + 0.0, axis=0))
    return f"{cues} cue{'' if cues == 1 else 's'}, {ends} end{'' if ends == 1 else 's'}"


def _paths(ax: Axes, run: Run, time: float | None) -> None:
    """Draw the path of each cue up to a time, or whole: a circle at the cue, a dot at each step, a ring at the end."""
    for path, steps in zip(run.arrays["trajectory"].values, run.arrays["steps"].values, strict=True):
        walked = path if time is None else _until(path, min(time, float(steps)))
        ax.plot(*walked.T, color=theme().ink, linewidth=scaled(4.5), zorder=3)
        ax.plot(*walked.T, color=theme().paper, linewidth=scaled(2), marker=".", markersize=scaled(5), zorder=4)
        if time is None or time >= steps:
            for colour, width in ((theme().ink, 6), (theme().paper, 3)):
                _mark(ax, walked[-1], 24, width, colour, "none", 5)
        else:
            _mark(ax, walked[-1], 11, 2, theme().paper, theme().ink, 8)
        _mark(ax, path[0], 11, 2.5, theme().ink, theme().paper, 5)


def _until(path: np.ndarray, time: float) -> np.ndarray:
    """The part of a path `(n_steps + 1, 2)` up to a time, which may be between two steps."""
    before = int(time)
    if time == before or before + 1 >= len(path):
        return path[: before + 1]
    return np.vstack([path[: before + 1], path[before] + (time - before) * (path[before + 1] - path[before])])


def _mark(ax: Axes, place: np.ndarray, size: float, width: float, colour: str, fill: str, order: int) -> None:
    """Draw a circle."""
    style: dict[str, Any] = {"markerfacecolor": fill, "markeredgecolor": colour, "zorder": order}
    ax.plot(*place, "o", markersize=scaled(size), markeredgewidth=scaled(width), **style)


def _patterns(ax: Axes, run: Run) -> None:
    """Draw the patterns as stars, with their names if there are few."""
    from matplotlib.patheffects import Normal, Stroke

    patterns = run.arrays["patterns"]
    outline: dict[str, Any] = {"color": theme().ink, "markeredgewidth": scaled(1.5), "zorder": 6}
    ax.plot(*patterns.values.T, "*", markerfacecolor=theme().series[4], markersize=scaled(22), **outline)
    if len(patterns.values) <= NAMED:
        for name, place in zip(patterns.labels[0], patterns.values, strict=True):
            away = scaled(19 if place[0] >= 0 else -19) * (1 if len(name) <= OUTER_NAME else -1)
            side = "left" if away > 0 else "right"
            text = ax.annotate(label(name), place, (away, 0), textcoords="offset points", ha=side, va="center")
            around = [Stroke(linewidth=scaled(4), foreground=theme().paper), Normal()]
            text.set(weight="bold", zorder=9, path_effects=around)
