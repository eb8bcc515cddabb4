"""A comparison over one axis, or over places such as heads: a panel for each memory, with the others behind it."""

from typing import Any

import numpy as np

from hopattn.experiments.comparison.result import Comparison
from hopattn.figures.base import Axes, Figure
from hopattn.figures.comparison_parts import (
    MEASURES,
    Curve,
    axis_title,
    curves_of,
    is_wide,
    numbers_of,
)
from hopattn.figures.headings import wrapped
from hopattn.figures.panels import grid_of
from hopattn.figures.quantities import TICKS, set_logarithmic
from hopattn.figures.style import scaled, theme
from hopattn.figures.theory_lines import Handles

MARKERS, LINES = ("o", "s", "^", "D", "v", "P", "X", "<", ">"), ("-", "--", "-.", ":")
MARKED = 24
"""The number of points up to which a curve marks each of them."""
MOST_TICKS = 6
"""The largest number of places whose numbers are written."""
END, STEP, CUE, OTHERS = "at the fixed point", "after one step", "weights of the cue", "the other memories"
MEASURED_AT = {"recalled": END, "steps": END, "entropy": CUE, "least_number": CUE}
"""What the numbers of a measure belong to, by its name; a distance goes from one step to the end, and has no name."""


def draw_multiples(figure: Figure, comparison: Comparison, measure: str) -> Handles:
    """Draw a panel for each curve; memories whose curves coincide share one. Gives the handles by name."""
    curves = curves_of(comparison, measure)
    columns = min(len(curves), 2 if len(curves) in (2, 4) else 3)
    panels = grid_of(figure, len(curves), columns, sharex=True, sharey=True)
    handles: Handles = {}
    for ax, curve in zip(panels, curves, strict=True):
        _draw_others(ax, comparison, [other for other in curves if other is not curve and comparison.axes])
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
        from matplotlib.lines import Line2D

        handles[OTHERS] = Line2D([], [], **_faint())
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


def _draw_others(ax: Axes, comparison: Comparison, curves: list[Curve]) -> None:
    """Draw the curves of the other memories faintly."""
    for curve in curves:
        ax.plot(numbers_of(comparison), curve.y, zorder=2, **_faint())


def _faint() -> dict[str, Any]:
    """The style of a curve behind another."""
    return {"color": theme().faint, "linewidth": scaled(1.2), "alpha": 0.6}


def _finish(ax: Axes, comparison: Comparison, measure: str) -> None:
    """Set the scales, the limits and the title of the horizontal axis."""
    from matplotlib.ticker import MaxNLocator

    ax.set_ylim(bottom=0)
    if measure == "recalled" or ax.get_ylim()[1] < 1e-6:
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
