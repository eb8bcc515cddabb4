"""The overlap of one cue's state with every stored pattern, step by step, as a heat map."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot
from hopattn.figures.choice import query_of
from hopattn.figures.headings import foot, headline, left_out, run_title, wrapped
from hopattn.figures.recalled_cues import last_steps
from hopattn.figures.shapes import write_numbers
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label
from hopattn.scenario.result import Result, Run

NAMED, NUMBERED = 20, 12
"""The number of patterns up to which all have their names, and of patterns and steps up to which cells have numbers."""


class Overlaps(Plot):
    """A row for each stored pattern, a column for each step; blue is like the pattern, orange like its reverse.

    The cue is the one that `[figure] query` names, or the first.
    """

    name: ClassVar[str] = "overlaps"
    shows: ClassVar[str] = "the overlap of one cue with every stored pattern, step by step"
    scenario: ClassVar[str] = "sequence"

    def lacks(self, result: Result) -> str:
        return "" if _has_course(result.runs[0]) else "it has no overlaps with patterns by step"

    def draw(self, figure: Figure, result: Result) -> None:
        run = result.runs[0]
        headline(figure, result)
        ax = figure.subplots()
        image = _map(ax, result)
        ax.set_title(wrapped(_title(run, _cue(result)), 60))
        beyond = _beyond(image)
        bar = figure.colorbar(image, ax=ax, label="overlap with the pattern", extend=beyond, shrink=0.9)
        bar.set_ticks([-1, 0, 1], labels=["−1", "0", "1"])
        notes = (
            "framed: the pattern that the state is most like",
            left_out(1, len(_cues(run)), "cues", "query"),
            left_out(1, len(result.runs), "runs", "run"),
        )
        foot(figure, notes)

    def panel(self, ax: Axes, result: Result) -> None:
        _map(ax, result)


def _has_course(run: Run) -> bool:
    return "course" in run.arrays and bool(run.arrays["course"].values.size)


def _cues(run: Run) -> tuple[str, ...]:
    return run.arrays["course"].labels[0]


def _cue(result: Result) -> int:
    """The number of the cue that is drawn: the one of `[figure] query`, else the first highlighted one."""
    cues = _cues(result.runs[0])
    return query_of(result, cues) if result.figure.query is not None else 0


def _title(run: Run, cue: int) -> str:
    """The name of the cue, and that of the run if it has one."""
    names = _cues(run)
    name = f"cue: {label(names[cue])}" if len(names) > 1 or not names[cue].isdigit() else ""
    return ", ".join(filter(None, (name, run_title(run) if run.name else "")))


def _map(ax: Axes, result: Result) -> Any:
    """Draw the overlaps of the cue until it converges; returns the image."""
    course, cue = result.runs[0].arrays["course"], _cue(result)
    values = np.asarray(course.values[cue], dtype=float)
    last = int(last_steps(values[None].round(2))[0])
    values = values[: last + 2].T  # with one step more, in which nothing changes
    image = ax.imshow(values, cmap=theme().diverging, vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    ax.set(xlabel="step", ylabel="pattern")
    count, steps = values.shape
    nearest = np.argmax(np.abs(values), axis=0)
    named = _named(count, nearest)
    ax.set_yticks(named, [label(course.labels[2][row]) for row in named])
    if steps <= NUMBERED:
        ax.set_xticks(range(steps), ["cue", *map(str, range(1, steps))])
    else:
        ax.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    ax.tick_params(length=0)
    ax.spines[:].set(visible=True, color=theme().faint)
    if max(values.shape) <= NUMBERED:
        write_numbers(ax, image, scaled(15))
    _frames(ax, nearest)
    return image


def _named(count: int, nearest: np.ndarray) -> list[int]:
    """The patterns whose names are written: all of a few, else those that a state is most like, as far as they fit."""
    if count <= NAMED:
        return list(range(count))
    named: list[int] = []
    for row in map(int, np.unique(nearest)):
        if not named or row - named[-1] >= count / NAMED:
            named.append(row)
    return named


def _frames(ax: Axes, rows: np.ndarray) -> None:
    """Draw a frame around one cell of each column, and around cells side by side. rows: the row of each column."""
    from matplotlib.patches import Rectangle

    starts = [0, *(np.flatnonzero(np.diff(rows)) + 1)]
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        style: dict[str, Any] = {"fill": False, "edgecolor": theme().ink, "linewidth": scaled(2.5)}
        ax.add_patch(Rectangle((start - 0.5, rows[start] - 0.5), end - start, 1, **style, zorder=3))


def _beyond(image: Any) -> str:
    """The ends at which the colour bar is open, because an overlap is beyond −1 or 1."""
    values = image.get_array()
    below, above = bool(values.min() < -1.005), bool(values.max() > 1.005)
    return {(True, True): "both", (True, False): "min", (False, True): "max"}.get((below, above), "neither")
