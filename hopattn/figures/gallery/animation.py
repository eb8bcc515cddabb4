"""A recall of a picture, frame by frame: the state; beside it the energy and the overlaps with patterns up to it."""

from functools import partial
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Draw, Figure, Plot
from hopattn.figures.choice import cues_of
from hopattn.figures.headings import foot, headline, left_out, pads, wrapped
from hopattn.figures.recalls import (
    draw_picture,
    energy_scale,
    frame_times,
    last_step,
    leading_patterns,
    overlaps_by_step,
    pattern_names,
    states,
    verdict,
)
from hopattn.figures.style import scaled, theme, tick_options
from hopattn.figures.text import number
from hopattn.scenario.result import Result, Run

LINEAR = 15
"""The number of steps up to which the axis of steps is linear; a longer one counts them logarithmically."""
NAMED = 3
"""The number of patterns whose curves have colours and names: those that the recall comes nearest to."""
TWIN = 0.01
"""Overlaps that differ by less than this at every step are one curve."""
MARKERS = "osD"


class Animation(Plot):
    """The recall of one cue of the first run. `draw` shows the cue and the last frame, `frames` gives every frame."""

    shows: ClassVar[str] = "recall as it happens: the picture that the neurons hold, its energy and its overlaps"
    scenario: ClassVar[str] = "graded"
    moves: ClassVar[bool] = True

    def lacks(self, result: Result) -> str:
        return "" if result.runs[0].strips else "it recalls no pictures"

    def draw(self, figure: Figure, result: Result) -> None:
        _frame(figure, result, float(last_step(result.runs[0], _cue(result))), still=True)

    def frames(self, result: Result) -> list[Draw]:
        return [
            partial(_frame, result=result, time=time) for time in frame_times(last_step(result.runs[0], _cue(result)))
        ]


def _cue(result: Result) -> int:
    """The cue that is shown: the one that `[figure]` names as its query, else the first."""
    return cues_of(result, result.runs[0].arrays["input"].labels[0])[0]


def _frame(figure: Figure, result: Result, time: float, still: bool = False) -> None:
    """Draw the state at a time into an empty figure, a still also the cue. Later parts of the curves are faint."""
    run, i = result.runs[0], _cue(result)
    headline(figure, result)
    pads(figure, h_pad=0.12, w_pad=0.15)
    energy = run.arrays.get("energy")
    left, right = figure.add_gridspec(1, 2, width_ratios=(1, 1.35))
    if still and time:
        cue, end = left.subgridspec(1, 2).subplots()
        _state(cue, run, i, 0.0)
        cue.set_title(cue.get_title().replace(": ", ":\n", 1))
        _state(end, run, i, time)
        end.set_title(f"step {last_step(run, i)}")
    else:
        _state(figure.add_subplot(left), run, i, time)
    axes = right.subgridspec(1 if energy is None else 2, 1).subplots(squeeze=False, sharex=True)[:, 0]
    _overlaps(axes[-1], run, i, time)
    if energy is not None:
        factor, name = energy_scale(energy.values[i])
        _curve(axes[0], energy.values[i][: last_step(run, i) + 1] / factor, time, theme().ink, "o")
        axes[0].set_ylabel(name)
    last = last_step(run, i)
    if last > LINEAR:
        axes[-1].set_xscale("function", functions=(np.log1p, np.expm1))
        ticks = [0, *(m * 10**k for k in range(8) for m in (1, 2, 5) if m * 10**k <= 0.8 * last), last]
        axes[-1].set_xticks(ticks, [number(tick) for tick in ticks])
    else:
        tick_options(axes[-1].xaxis, integer=True)
    axes[-1].set(xlim=(0, max(1, last)), xlabel="step")
    cues = "" if len(run.strips) == 1 else left_out(1, len(run.strips), "cues", "query")
    foot(figure, (left_out(1, len(result.runs), "runs", "run"), cues))


def _state(ax: Axes, run: Run, i: int, time: float) -> None:
    """Draw the picture at a time, with the nearest pattern as its caption, or the end in words."""
    strip, last = run.strips[i], last_step(run, i)
    rows = states(run, i)
    at_end = time >= last
    before = min(int(time), last)
    after = min(before + 1, last)
    mixed = rows[before] + (time - before) * (rows[after] - rows[before])
    colour = theme().series[0] if at_end else ""
    draw_picture(ax, mixed, (strip.size.rows, strip.size.columns), 6 if at_end else 1.5, colour)
    name = wrapped(str(run.arrays["input"].labels[0][i]), 22, 1)
    place = f"step {before}" if time == before else f"step {before} to {after}"
    ax.set_title(f"{name}: {place} of {last}" if time else f"the cue: {name}")
    every = np.abs(overlaps_by_step(run, i)[round(time)])
    nearest = pattern_names(run)[int(np.argmax(every))]
    end = wrapped(verdict(run, i), 16, 3)
    ax.set_xlabel(end if at_end else f"nearest: {nearest}", weight="bold" if at_end else "normal")
    ax.xaxis.label.set_size(scaled(20))


def _overlaps(ax: Axes, run: Run, i: int, time: float) -> None:
    """Draw the overlap with each pattern by step. The nearest patterns have colours, and names at their ends."""
    every, names, last = overlaps_by_step(run, i), pattern_names(run), last_step(run, i)
    order = np.argsort(-np.abs(every).max(axis=0), kind="stable")[:NAMED].tolist()
    for j in leading_patterns(every):
        if j not in order:
            ax.plot(every[:, j], color=theme().faint, linewidth=scaled(1), zorder=1)
    shown = every[:, leading_patterns(every)]
    least, most = min(0.0, float(shown.min())) * 1.1 - 0.05, max(1.0, float(shown.max())) * 1.1
    groups: list[list[int]] = []
    for j in order:  # curves that lie on each other are one, with all their names
        same = [group for group in groups if np.abs(every[:, group[0]] - every[:, j]).max() < TWIN]
        if same:
            same[0].append(j)
        else:
            groups.append([j])
    ends = _apart([float(every[-1, group[0]]) for group in groups], 0.13 * (most - least))
    for rank, (group, end) in enumerate(zip(groups, ends, strict=True)):
        colour = theme().series[rank]
        _curve(ax, every[:, group[0]], time, colour, MARKERS[rank])
        at: Any = {"xytext": (scaled(10), 0), "textcoords": "offset points", "va": "center", "annotation_clip": False}
        ax.annotate(
            ", ".join(names[j] for j in group),
            (last, end),
            color=colour,
            weight="bold" if rank == 0 else "normal",
            **at,
        )
    ax.set(ylabel="overlap with\neach pattern", ylim=(least, most))
    ax.axhline(0, color=theme().faint, linewidth=scaled(1), zorder=0)


def _apart(heights: list[float], least: float) -> list[float]:
    """Heights for names beside the ends of curves: near their ends, and at least a distance apart."""
    places = list(heights)
    order = sorted(range(len(places)), key=lambda k: -places[k])
    for upper, lower in pairwise(order):
        places[lower] = min(places[lower], places[upper] - least)
    return places


def _curve(ax: Axes, values: np.ndarray, time: float, colour: str, marker: str) -> None:
    """Draw a quantity by step up to a time; what comes later is faint, so that the axes are the same in every frame."""
    steps = np.arange(len(values))
    now = float(np.interp(time, steps, values))
    before = steps <= time
    ax.plot(steps, values, color=theme().faint, linewidth=scaled(1.5), linestyle=":", zorder=2)
    ax.plot([*steps[before], time], [*values[before], now], color=colour, zorder=3)
    ax.plot(time, now, marker, color=colour, markersize=scaled(11), clip_on=False, zorder=4)
