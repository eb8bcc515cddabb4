"""A comparison as curves over one axis or over places, as maps over two axes, or as bars."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.comparison.row import Row
from hopattn.figures.base import Axes, Figure
from hopattn.figures.comparison_parts import (
    MEASURES,
    SHARES,
    Curve,
    axis_title,
    curves_of,
    is_wide,
    memories_of,
    numbers_of,
    why_missing,
)
from hopattn.figures.headings import wrapped
from hopattn.figures.panels import grid_of
from hopattn.figures.quantities import TICKS, set_logarithmic
from hopattn.figures.shapes import colours_of, hatching, sign, write_numbers
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number
from hopattn.figures.theory_lines import Handles

MARKERS, LINES = ("o", "s", "^", "D", "v", "P", "X", "<", ">"), ("-", "--", "-.", ":")
MARKED = 24
"""The number of points up to which a curve marks each of them."""
MOST_TICKS = 6
"""The largest number of places whose numbers are written."""
END, STEP, CUE, OTHERS = "at the fixed point", "after one step", "weights of the cue", "the other memories"
MEASURED_AT = {"recalled": END, "error_rest": END, "steps": END, "entropy": CUE, "least_number": CUE}
"""What the numbers of a measure belong to, by its name; a distance goes from one step to the end, and has no name."""
NUMBERED = 80
"""The number of cells, in one row of maps, up to which each cell shows its number."""
PANELS = 4
"""The largest number of panels, one for each measure."""


def draw_multiples(figure: Figure, comparison: Comparison, measure: str) -> Handles:
    """Draw a panel for each curve; memories whose curves coincide share one. Gives the handles by name."""
    curves = curves_of(comparison, measure)
    columns = min(len(curves), 2 if len(curves) in (2, 4) else 3)
    panels = grid_of(figure, len(curves), columns, sharex=True, sharey=True)
    handles: Handles = {}
    for ax, curve in zip(panels, curves, strict=True):
        for other in curves if comparison.axes else []:
            if other is not curve:
                ax.plot(numbers_of(comparison), other.y, zorder=2, **_faint())
        handles |= _draw_one(ax, comparison, curve, MEASURED_AT.get(measure, ""))
        ax.set_title(wrapped(curve.name, 84 // columns), pad=scaled(13))
    for ax in panels[::columns]:
        ax.set_ylabel(MEASURES[measure])
    for i, ax in enumerate(panels):
        _finish(ax, comparison, measure)
        lowest = i + columns >= len(curves)
        ax.tick_params(labelbottom=lowest)
        ax.set_xlabel(ax.get_xlabel() if lowest else "")
    if len(curves) > 1 and comparison.axes:
        handles[OTHERS] = sign(**_faint())
    handles.pop("", None)
    return handles


def draw_together(ax: Axes, comparison: Comparison, measure: str) -> Handles:
    """Draw all curves of a measure into one panel; gives the handles by name."""
    handles, xs = {}, numbers_of(comparison)
    for i, curve in enumerate(curves_of(comparison, measure)):
        style = {"color": theme().series[i % len(theme().series)], "marker": MARKERS[i % len(MARKERS)]}
        style |= {"linestyle": LINES[i % len(LINES)] if comparison.axes else "none"}
        (handles[curve.name],) = ax.plot(xs, curve.y, clip_on=False, **style)
    ax.set_ylabel(MEASURES[measure])
    _finish(ax, comparison, measure)
    return handles


def _draw_one(ax: Axes, comparison: Comparison, curve: Curve, name: str) -> Handles:
    """Draw the curve of a panel, by its name, with its error, and the one after one step where there is one."""
    xs = np.array(numbers_of(comparison))
    marked = len(xs) <= MARKED
    own: dict[str, Any] = {"color": theme().series[0], "marker": "o" if marked else "", "clip_on": False, "zorder": 4}
    step: dict[str, Any] = {"color": theme().series[1], "marker": "s" if marked else "", "clip_on": False, "zorder": 3}
    handles: Handles = {}
    if not np.isnan(curve.error).all():
        band = np.clip([curve.y - curve.error, curve.y + curve.error], 0, 1)
        if comparison.axes:
            ax.fill_between(xs, *band, color=own["color"], alpha=0.25, linewidth=0)
    (handles[name],) = ax.plot(xs, curve.y, linestyle="-" if comparison.axes else "none", **own)
    if not np.isnan(curve.first).all():
        step |= {"markerfacecolor": "none", "linewidth": scaled(2)}
        (handles[STEP],) = ax.plot(xs, curve.first, linestyle="--" if comparison.axes else "none", **step)
    return handles


def _faint() -> dict[str, Any]:
    """The style of a curve behind another."""
    return {"color": theme().faint, "linewidth": scaled(1.2), "alpha": 0.6}


def _finish(ax: Axes, comparison: Comparison, measure: str) -> None:
    """Set the scales, the limits and the title of the horizontal axis."""
    from matplotlib.ticker import MaxNLocator

    ax.set_ylim(bottom=0)
    if measure in SHARES or ax.get_ylim()[1] < 1e-6:
        ax.set_ylim(0, 1)
    ax.yaxis.set_major_locator(MaxNLocator(5, integer=measure in ("steps", "least_number")))
    numbers = numbers_of(comparison)
    if not comparison.axes:
        every = -(-len(numbers) // MOST_TICKS)
        ax.set(xlim=(0.5, len(numbers) + 0.5), xlabel="place")
        ax.set_xticks(range(1, len(numbers) + 1, every))
        return
    ax.set_xlabel(axis_title(comparison))
    if is_wide(numbers):
        ax.set_xlim(numbers[0], numbers[-1])
        set_logarithmic(ax, "x", numbers)
    else:
        ax.locator_params(axis="x", nbins=TICKS)


def draw_maps(figure: Figure, comparison: Comparison, measure: str) -> None:
    """Draw a map for each memory: the measure over both axes, as a mean over the places; shares on a scale 0 to 1."""
    memories = memories_of(comparison)
    along, up = ([*dict.fromkeys(float(row.point[axis]) for row in comparison.rows)] for axis in comparison.axes)
    tables = [
        _table([row for row in comparison.rows if row.memory == name], measure, comparison.axes, along, up)
        for name in memories
    ]
    known = np.concatenate([table[np.isfinite(table)] for table in tables])
    most = 1.0 if measure in SHARES else float(known.max(initial=0.0)) or 1.0
    columns = min(3, len(memories))
    panels = grid_of(figure, len(memories), columns, sharex=True, sharey=True)
    for panel, name, table in zip(panels, memories, tables, strict=True):
        image = panel.imshow(table, **colours_of(0.0, most), origin="lower", aspect="auto")
        panel.patch.set(**hatching())
        panel.set_title(name)
        for axis, numbers, set_ticks in ((0, along, panel.set_xticks), (1, up, panel.set_yticks)):
            every = -(-len(numbers) // (5, 8)[axis])
            set_ticks(range(0, len(numbers), every), [f"{value:.3g}" for value in numbers[::every]])
        if table.size * len(memories) <= NUMBERED * columns and table.shape[1] <= 8:
            write_numbers(panel, image, scaled(13))
    for panel in panels[-columns:]:
        panel.tick_params(labelbottom=True)
        panel.set_xlabel(axis_title(comparison, 0))
    for panel in panels[::columns]:
        panel.set_ylabel(axis_title(comparison, 1))
    figure.colorbar(image, ax=panels, label=MEASURES[measure].replace("\n", " "))


def _table(
    rows: Sequence[Row], measure: str, axes: Sequence[str], along: Sequence[float], up: Sequence[float]
) -> np.ndarray:
    """The means of a measure, `(len(up), len(along))`; NaN, drawn hatched, where it was not measured.

    along, up: the numbers of the first and of the second axis.
    """
    cells: dict[tuple[int, int], list[float]] = {}
    for row in rows:
        if (value := getattr(row, measure)) is not None:
            place = up.index(float(row.point[axes[1]])), along.index(float(row.point[axes[0]]))
            cells.setdefault(place, []).append(float(value))
    table = np.full((len(up), len(along)), np.nan)
    for place, values in cells.items():
        table[place] = np.mean(values)
    return table


def draw_bars(figure: Figure, comparison: Comparison, measures: Sequence[str]) -> None:
    """Draw a panel for each measure, with a bar for each memory."""
    shown = measures[:PANELS]
    panels = figure.subplots(1, len(shown), sharey=True, squeeze=False)[0]
    for panel, measure in zip(panels, shown, strict=True):
        draw_measure(panel, comparison, measure)


def draw_measure(ax: Axes, comparison: Comparison, measure: str) -> None:
    """Draw the bars of one measure; a share has the scale 0 to 1."""
    rows = {row.memory: row for row in comparison.rows}
    memories = memories_of(comparison)
    values = [getattr(rows[name], measure) for name in memories]
    share = measure in SHARES
    most = 1.0 if share else max((value for value in values if value is not None), default=0.0) or 1.0
    for i, (name, value) in enumerate(zip(memories, values, strict=True)):
        if value is None:
            reason = wrapped(why_missing(rows[name], measure), 17)
            ax.text(0.02 * most, i, reason, va="center", fontsize=scaled(13), color=theme().faint, style="italic")
            continue
        error = (rows[name].recalled_error or 0.0) if measure == "recalled" else 0.0
        bar = {"color": theme().series[0], "height": 0.6, "ecolor": theme().ink, "capsize": scaled(4)}
        low, high = min(error, value), min(error, 1 - value) if share else error
        ax.barh(i, value, xerr=[[low], [high]] if error else None, **bar)
        text = number(0.0 if abs(value) < 1e-9 else float(value))
        ax.text(value + high + 0.04 * most, i, text, va="center", ha="left")
    ax.set(xlim=(0, 1.35 * most), xlabel=MEASURES[measure], yticks=range(len(memories)), yticklabels=memories)
    ax.set_ylim(len(memories) - 0.5, -0.5)
    if share:
        ax.set_xticks([0, 0.5, 1])
    else:
        ax.locator_params(axis="x", nbins=3)
