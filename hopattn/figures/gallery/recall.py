"""A recall as a row of pictures: the cue, the steps, the last state; below or beside them, energy and overlaps."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot
from hopattn.figures.headings import foot, headline, left_out, pads, wrapped
from hopattn.figures.recall_course import SIGNS, draw_course
from hopattn.figures.recalls import (
    draw_picture,
    energy_scale,
    last_step,
    leading_patterns,
    overlaps_by_step,
    pair_at_end,
    pattern_names,
    picture_steps,
    recalls,
    states,
    verdict,
)
from hopattn.figures.shapes import colours_of, write_numbers
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label
from hopattn.scenario.result import Result, Run

CUES, PICTURES, PICTURES_OF_ONE = 4, 5, 10
"""The largest number of cues; of pictures of each; and of pictures if there is one cue. The last is always shown."""
EXTRA_STEPS = 2
"""The curves are drawn for this number of steps after the last picture."""
WITH_ARROWS = 5
"""The number of pictures in a row up to which arrows lead from one to the next."""
SAME = 0.05
"""States that differ by at most this part of a black pixel look the same."""
NUMBERED = 12
"""The number of patterns up to which the cells of overlaps show their numbers."""


class RecallStrip(Plot):
    """The cues of the first run, one row each. The last picture is the last state, in a heavy frame. Of one cue, the
    overlap of each picture with each pattern is below it."""

    name: ClassVar[str] = "recall"
    shows: ClassVar[str] = "recall step by step: from a damaged picture to the fixed point, the energy falling"
    scenario: ClassVar[str] = "letters"

    def lacks(self, result: Result) -> str:
        return "" if result.runs[0].strips else "it recalls no pictures"

    def draw(self, figure: Figure, result: Result) -> None:
        run = result.runs[0]
        headline(figure, result)
        pads(figure, h_pad=0.08, w_pad=0.08)
        count = min(len(run.strips), CUES)
        pictures = [len(picture_steps(run, i)) for i in range(count)]
        remarks = (
            left_out(1, len(result.runs), "runs", "run"),
            left_out(count, len(run.strips), "cues"),
            left_out(_pictures(figure, run, count), sum(pictures), "different pictures"),
        )
        foot(figure, remarks)


def _shown(run: Run, i: int, limit: int) -> list[int]:
    """The steps that the figure shows of cue `i`: at most `limit` of them, the first and the last among them."""
    steps = picture_steps(run, i)
    places = np.unique(np.round(np.linspace(0, len(steps) - 1, min(limit, len(steps)))).astype(int))
    return [steps[place] for place in places]


def _pictures(figure: Figure, run: Run, count: int) -> int:
    """Draw the first cues, one row each, with their curves beside them; gives the number of pictures.

    A single cue has below each picture its overlap with each pattern.
    """
    steps = [_shown(run, i, PICTURES_OF_ONE if count == 1 else PICTURES) for i in range(count)]
    columns = max(map(len, steps)) + (run.strips[0].names[-1] == "answer")
    ratios = [1.0] * columns + [1.25]
    with_curves = count > 1 or "energy" in run.arrays
    widths = (1.6 + columns, max(2.6, 5.6 - columns))[: 1 + with_curves]
    places = list(figure.add_gridspec(1, len(widths), width_ratios=widths))
    if count > 1:
        grid = places[0].subgridspec(count, len(ratios), width_ratios=ratios).subplots(squeeze=False)
    else:
        rows = leading_patterns(overlaps_by_step(run, 0)[steps[0]])
        heights = (1, 0.9) if len(rows) > 4 else (1, 0.55)
        cells = places[0].subgridspec(2, len(ratios), width_ratios=ratios, height_ratios=heights)
        grid = [[figure.add_subplot(cells[0, j]) for j in range(len(ratios))]]
        _overlaps(figure.add_subplot(cells[1, : len(steps[0])]), run, steps[0], rows)
    for i, row in enumerate(grid):
        _row(figure, row, run, i, steps[i])
    if with_curves:
        _curves(places[1], run, count, max(map(max, steps)) + EXTRA_STEPS)
    return sum(map(len, steps))


def _row(figure: Figure, row: Sequence[Axes], run: Run, i: int, steps: Sequence[int]) -> None:
    """Draw the pictures of cue `i`, with arrows between them, then its end in words."""
    strip, colour, all_states = run.strips[i], theme().series[i], states(run, i)
    shape = strip.size.rows, strip.size.columns
    most = max(1.0, *(float(np.abs(all_states[step]).max()) for step in steps), float(np.abs(all_states[-1]).max()))
    for ax, step in zip(row, steps, strict=False):
        end = step == steps[-1]
        state = all_states[-1] if end else all_states[step]
        draw_picture(ax, state, shape, 6 if end else 1, colour if end else "", most)
        ax.set_xlabel(_name(run, i, step) if end else _plain_name(step))
    name = wrapped(str(run.arrays["input"].labels[0][i]), 9, 4)
    row[0].set_ylabel(f"{SIGNS[i]} {name}", color=colour, weight="bold", rotation=0, ha="right", va="center")
    row[0].yaxis.set_label_coords(-0.12, 0.5)
    if len(steps) <= WITH_ARROWS:
        for one, other in pairwise(row[: len(steps)]):
            _arrow(figure, one, other)
    for ax in row[len(steps) :]:
        ax.set_axis_off()
    if strip.names[-1] == "answer":
        ax = row[len(steps)]
        ax.set_axis_on()
        draw_picture(ax, strip.pictures[-1], shape)
        ax.set_xlabel(f"answers {label(str(run.arrays['answers'].values[i]))}")
    _end(row[-1], run, i, shape)


def _plain_name(step: int) -> str:
    """The name of a picture on the way."""
    return f"step {step}" if step else "cue"


def _name(run: Run, i: int, step: int) -> str:
    """The name of the last picture of cue `i`, which looks as it does from a step on."""
    all_states, last = states(run, i), last_step(run, i)
    if step == last or np.abs(all_states[step] - all_states[-1]).max() > SAME:
        return _plain_name(last)
    return f"from step {step}" if step else "cue, a fixed point"


def _arrow(figure: Figure, one: Axes, other: Axes) -> None:
    """Draw an arrow from one picture to the next."""
    from matplotlib.patches import ConnectionPatch

    style: Any = {"arrowstyle": "-|>", "mutation_scale": scaled(18), "shrinkA": scaled(5), "shrinkB": scaled(5)}
    patch = ConnectionPatch((1, 0.5), (0, 0.5), "axes fraction", "axes fraction", axesA=one, axesB=other, **style)
    patch.set(color=theme().faint, linewidth=scaled(1.5), in_layout=False)
    figure.add_artist(patch)


def _end(ax: Axes, run: Run, i: int, shape: tuple[int, int]) -> None:
    """Write the end of a recall into the last panel of its row; below it the nearest pattern, if it is another."""
    ax.set_axis_off()
    known = recalls(run, i) or bool(pair_at_end(run, i))
    style: Any = {"transform": ax.transAxes, "ha": "left", "clip_on": False}
    height, align = (0.5, "center") if known else (0.98, "top")
    ax.text(0, height, wrapped(verdict(run, i), 12, 4), weight="bold", va=align, **style)
    if not known:
        nearest = run.arrays["nearest"].values[i]
        small = ax.inset_axes((0.0, 0.0, 0.3, 0.36))
        draw_picture(small, nearest / (np.abs(nearest).max() or 1.0), shape, 1, theme().faint)
        small.set_anchor("W")
        small.spines[:].set_linestyle("--")
        text = f"nearest:\n{label(str(run.arrays['nearest word'].values[i]))}"
        ax.text(0.36, 0.18, text, va="center", fontsize=scaled(14), color=theme().faint, **style)


def overlap(run: Run, i: int) -> np.ndarray:
    """The overlap of each state, the cue first, with the stored pattern nearest to the final one, `(n_steps + 1,)`."""
    every = overlaps_by_step(run, i)
    return np.asarray(every[:, int(np.argmax(np.abs(every[-1])))])


def _curves(place: Any, run: Run, count: int, until: int) -> None:
    """Draw energy and overlap by step for the first `count` cues, until each stops or until a step."""
    steps = run.arrays["steps"].values[:count]
    curves = {}
    if (energy := run.arrays.get("energy")) is not None:
        factor, title = energy_scale(energy.values[:count])
        curves[title] = energy.values[:count] / factor
    if count > 1:
        overlaps = [np.pad(overlap(run, i), (0, int(steps.max() - steps[i])), "edge") for i in range(count)]
        curves["overlap with\nthe nearest"] = np.stack(overlaps)
    axes = draw_course(place, curves, np.minimum(steps, until))
    longest = int(steps.max())
    axes[-1].set_xlabel(f"step (of {longest})" if longest > until else "step")
    if count > 1:
        found = curves["overlap with\nthe nearest"]
        axes[-1].set_ylim(min(0.0, float(found.min())) * 1.08 - 0.02, max(1.0, float(found.max())) * 1.08)
        axes[-1].axhline(0, color=theme().faint, linewidth=scaled(1), zorder=0)


def _overlaps(ax: Axes, run: Run, steps: Sequence[int], rows: Sequence[int]) -> None:
    """Draw the overlap of each picture, a column, with each pattern, a row."""
    every, names = overlaps_by_step(run, 0), pattern_names(run)
    table = np.stack([every[-1] if step == steps[-1] else every[step] for step in steps])[:, rows].T
    image = ax.imshow(table, **colours_of(-1.0, 1.0), aspect="auto", interpolation="nearest")
    ax.set_yticks(range(len(rows)), [names[row] for row in rows])
    ax.set_xticks([])
    ax.tick_params(length=0)
    ax.spines[:].set(visible=True, color=theme().faint, linewidth=scaled(1))
    some = f"{len(rows)} of {len(names)} patterns" if len(rows) < len(names) else "each pattern"
    text = f"overlap with {some}, below each picture"
    ax.set_xlabel(text if len(steps) > 2 else wrapped(text, 22, 4))
    if len(rows) <= NUMBERED:
        write_numbers(ax, image, scaled(14))
