"""The energy landscape of a memory with two neurons and the path of each cue; several runs side by side."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Draw, Figure, Plot, only, tables
from hopattn.figures.headings import foot, headline, left_out, pads, run_title
from hopattn.figures.recalls import frame_times
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.scenario.result import Result, Run

RUNS, LEVELS = 3, 8
"""The largest number of runs, and the number of steps of the energy that have colours."""
NAMED = 12
"""The number of patterns up to which each has its name beside it."""
OUTER_NAME = 3
"""Names of at most this many letters are outside of their pattern, where there is less room; longer names inside."""
CONTOURED = 0.35
"""The contours fill this part of the energy's range, from the lowest energy up: recalls end there."""


class Landscape(Plot):
    """Contours of the energy, each panel from its own lowest energy. Stars are patterns; lines lead from the cues to
    rings at their last states. The frames follow the cues step by step."""

    name: ClassVar[str] = "landscape"
    shows: ClassVar[str] = "the energy over the plane: cues run downhill, into one valley or another, as β has it"
    scenario: ClassVar[str] = "landscape"
    moves: ClassVar[bool] = True

    def lacks(self, result: Result) -> str:
        return "" if _runs(result) else "it has no memory of two neurons whose energy is finite everywhere"

    def draw(self, figure: Figure, result: Result) -> None:
        _panels(figure, result, None)

    def panel(self, ax: Axes, result: Result) -> None:
        run = only(_runs(result), "runs", "run")
        _panel(ax, run, _levels([run]), None)

    def frames(self, result: Result) -> list[Draw]:
        last = max(int(run.arrays["steps"].values.max()) for run in _runs(result)[:RUNS])
        return [partial(_panels, result=result, time=time) for time in frame_times(last)]


def _runs(result: Result) -> list[Run]:
    """The runs that have a landscape."""
    return [run for run in result.runs if "landscape" in run.arrays]


def _panels(figure: Figure, result: Result, time: float | None) -> None:
    """Draw the first runs side by side. time: in steps, up to which the paths go; None for whole paths."""
    runs = _runs(result)
    shown = runs[:RUNS]
    headline(figure, result)
    pads(figure, h_pad=0.08, w_pad=0.1)
    axes = figure.subplots(1, len(shown), squeeze=False, sharey=True)[0]
    levels = _levels(shown)
    for ax, run in zip(axes, shown, strict=True):
        colours = _panel(ax, run, levels, time)
        ax.set_title(f"{_run_title(run)}\n{_count_ends(run)}")
    for ax in axes[1:]:
        ax.set_ylabel("")
    own = "energy above the lowest of each panel" if len(shown) > 1 else "energy above the lowest"
    name = f"{own}; higher than {number(levels[-1])}: no colour"
    figure.colorbar(colours, ax=axes, location="bottom", aspect=45, shrink=0.8, label=name, format=_plain)
    moment = "" if time is None else f"after {number(time, 1)} step{'' if time == 1 else 's'}" if time else "the cues"
    _legend(figure, (moment, left_out(len(shown), len(runs), "runs", "run")))


def _plain(value: float, _: Any) -> str:
    """An energy beside the colour bar."""
    return number(value)


def _levels(runs: Sequence[Run]) -> np.ndarray:
    """The steps of energy above the lowest of each run, the same in all panels, closer near the bottom."""
    spans = [float(np.ptp(run.arrays["landscape"].values)) for run in runs]
    return np.asarray((max(spans) or 1.0) * CONTOURED * np.linspace(0, 1, LEVELS + 1) ** 2)


def _panel(ax: Axes, run: Run, levels: np.ndarray, time: float | None) -> Any:
    """Draw one run; returns its filled contours."""
    names = [label(axis) for axis in run.arrays["patterns"].labels[1]]
    colours = _contours(ax, run, levels)
    _paths(ax, run, time)
    _patterns(ax, run)
    ax.set(aspect="equal", xlabel=names[0], ylabel=names[1])
    return colours


def _run_title(run: Run) -> str:
    """The β of a run, on which the landscape depends; without a β the name of the run."""
    for _, separation in tables(run, "separation"):
        beta = dict(zip(separation.labels[0], separation.values, strict=True))["beta"]
        return f"β = {number(float(beta))}"
    return run_title(run)


def _count_ends(run: Run) -> str:
    """The number of cues and of distinct final states, in words."""
    cues = len(run.arrays["state"].values)
    ends = len(np.unique(run.arrays["state"].values.round(2) + 0.0, axis=0))
    return f"{cues} cue{'' if cues == 1 else 's'}, {ends} end{'' if ends == 1 else 's'}"


def _contours(ax: Axes, run: Run, levels: np.ndarray) -> Any:
    """Draw the contours: dark where the energy is low, background colour for energies above the last contour."""
    field = run.arrays["landscape"]
    across, up = (np.array([float(place) for place in places]) for places in reversed(field.labels))
    span = float(np.ptp(field.values)) or 1.0
    # Valleys of one depth stay so, whatever the rounding: a contour begins at the same place on every processor.
    above = ((field.values - field.values.min()) / span).round(12) * span
    filled = ax.contourf(across, up, above, levels, cmap=theme().sequential.reversed())
    ax.contour(across, up, above, levels[1:], colors=[theme().paper], linewidths=scaled(0.8), alpha=0.7)
    ax.set(xlim=(across[0], across[-1]), ylim=(up[0], up[-1]))
    ax.spines[:].set(visible=True, color=theme().faint)
    return filled


def _paths(ax: Axes, run: Run, time: float | None) -> None:
    """Draw the path of each cue up to a time, or whole: a circle at the cue, a dot at each step, a ring at the end."""
    for path, steps in zip(run.arrays["trajectory"].values, run.arrays["steps"].values, strict=True):
        walked = path if time is None else _until(path, min(time, float(steps)))
        ax.plot(*walked.T, color=theme().ink, linewidth=scaled(4.5), zorder=3)
        ax.plot(*walked.T, color=theme().paper, linewidth=scaled(2), marker=".", markersize=scaled(5), zorder=4)
        if time is None or time >= steps:
            _mark(ax, walked[-1], 30, 2.5, theme().ink, theme().paper, 5)
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


def _legend(figure: Figure, notes: Sequence[str]) -> None:
    """Draw the legend below the panels."""
    from matplotlib.lines import Line2D

    plain: dict[str, Any] = {"linestyle": "", "color": theme().ink, "markeredgewidth": scaled(2)}
    star = {"markersize": scaled(20), "markerfacecolor": theme().series[4], "markeredgewidth": scaled(1.5)}
    signs = [
        Line2D([], [], marker="*", **{**plain, **star}),
        Line2D([], [], marker="o", markersize=scaled(11), markerfacecolor=theme().paper, **plain),
        Line2D([], [], marker="o", markersize=scaled(20), markerfacecolor="none", **plain),
    ]
    foot(figure, notes, signs, ["pattern", "cue", "its end"])
