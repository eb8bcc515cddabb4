"""The overlap of one cue's state with every stored pattern, step by step, as a heat map."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Around, Axes, Figure, only
from hopattn.figures.choice import cues_of
from hopattn.figures.headings import left_out, run_title, wrapped
from hopattn.figures.panels import About, Shown, Together
from hopattn.figures.recalls import last_steps
from hopattn.figures.shapes import colours_of, framed, write_numbers
from hopattn.figures.style import scaled, theme, tick_options
from hopattn.figures.text import indexed, label, number
from hopattn.scenario.result import Result, Run

CLOSE = 0.1
"""The difference of overlaps at the end up to which a pattern is named as the nearest is."""
NAMED, NUMBERED = 20, 12
"""The number of patterns up to which all have their names, and of patterns and steps up to which cells have numbers."""


class Overlaps(Together[Run]):
    """A row for each stored pattern, a column for each step; blue is like the pattern, orange like its reverse.

    The cue is the one that `[figure] query` names, or the first.
    """

    shows: ClassVar[str] = "the overlap of one cue with every stored pattern, step by step"
    scenario: ClassVar[str] = "sequence"
    lack: ClassVar[str] = "it has no overlaps with patterns by step"

    def parts(self, result: Result) -> Sequence[Run]:
        course = result.runs[0].arrays.get("course")
        return result.runs if course is not None and course.values.size else []

    def panel(self, ax: Axes, result: Result) -> Around:
        if result.figure.query is None:
            only(self.parts(result)[0].arrays["course"].labels[0], "cues", "query")
        return super().panel(ax, result)

    def draw_into(self, ax: Axes, shown: Shown[Run]) -> None:
        """Draw the overlaps of the cue until it converges."""
        course, cue = shown.parts[0].arrays["course"], _cue(shown.result)
        values = np.asarray(course.values[cue], dtype=float)
        last = int(last_steps(values[None].round(2))[0])
        values = values[: last + 2].T  # with one step more, in which nothing changes
        image = ax.imshow(values, **colours_of(-1.0, 1.0), aspect="auto", interpolation="nearest")
        count, steps = values.shape
        nearest = np.argmax(np.abs(values), axis=0)
        sizes = np.abs(values[:, -1])
        close = np.flatnonzero(sizes >= sizes.max() - CLOSE)
        named = _named(count, nearest, close[np.argsort(-sizes[close], kind="stable")])
        ax.set(xlabel="step", ylabel="pattern")
        ax.set_yticks(named, [indexed(course.labels[2][row]) for row in named])
        if steps <= NUMBERED:
            ax.set_xticks(range(steps), ["cue", *map(str, range(1, steps))])
        else:
            tick_options(ax.xaxis, integer=True, min_n_ticks=1)
        ax.tick_params(length=0)
        ax.spines[:].set(visible=True, color=theme().faint)
        if max(values.shape) <= NUMBERED:
            write_numbers(ax, image, scaled(15))
        starts = [0, *(np.flatnonzero(np.diff(nearest)) + 1).tolist()]
        for start, end in zip(starts, [*starts[1:], steps], strict=True):  # cells side by side have one frame
            framed(ax, (start - 0.5, nearest[start] - 0.5), (end - start, 1), theme().series[1], 4.5, zorder=3)

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        run, cues = shown.parts[0], shown.parts[0].arrays["course"].labels[0]
        cue = cues[_cue(shown.result)]
        own = f"cue: {label(cue)}" if len(cues) > 1 or not cue.isdigit() else ""
        title = ", ".join(filter(None, (own, run_title(run) if run.name else "")))
        framing = "framed: the pattern that the state is most like"
        notes = framing, left_out(1, len(cues), "cues", "query"), self.left_out(shown)
        signs = _colours() if shown.in_axes else {}
        return About(notes, [*signs.values()], [*signs], [wrapped(title, 60)])

    def finish(self, figure: Figure, axes: Sequence[Axes], shown: Shown[Run]) -> None:
        """Draw the colour bar, open at an end beyond which an overlap is."""
        (image,) = axes[0].images
        beyond = bool(image.get_array().min() < -1.005), bool(image.get_array().max() > 1.005)
        extend = {(True, True): "both", (True, False): "min", (False, True): "max"}.get(beyond, "neither")
        bar = figure.colorbar(image, ax=axes[0], label="overlap with the pattern", extend=extend, shrink=0.9)
        bar.set_ticks([-1, 0, 1], labels=["−1", "0", "1"])


def _colours() -> dict[str, Any]:
    """The colours of some overlaps, for a legend."""
    from matplotlib.patches import Patch

    scale = colours_of(-1.0, 1.0)["cmap"]
    return {f"overlap {number(overlap)}": Patch(facecolor=scale((overlap + 1) / 2)) for overlap in (-1, 0, 1)}


def _cue(result: Result) -> int:
    """The number of the cue that is drawn: the one of `[figure] query`, else the first."""
    return cues_of(result, result.runs[0].arrays["course"].labels[0])[0]


def _named(count: int, nearest: np.ndarray, close: np.ndarray) -> list[int]:
    """The patterns whose names are written: all of a few, else those that a state is most like, as far as they fit.

    close: the patterns that the last state is about as like, which are named after the others.
    """
    if count <= NAMED:
        return list(range(count))
    named: list[int] = []
    for row in map(int, (*np.unique(nearest), *close)):
        if all(abs(row - other) >= count / NAMED for other in named):
            named.append(row)
    return sorted(named)
