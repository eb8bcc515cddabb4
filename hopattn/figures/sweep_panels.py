"""A sweep as curves over one axis, or as a map over two."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.quantities import (
    logarithmic,
    measure_title,
    parameter_title,
    places,
    possible,
    scale_of,
    set_ticks,
    setting,
)
from hopattn.figures.shapes import colours_of, hatching
from hopattn.figures.style import scaled, theme
from hopattn.figures.theory_lines import Handles, Line, draw_lines, with_lines
from hopattn.scenario.grids import of_words
from hopattn.scenario.language.paths import last_keys

MARKED = 40
"""The number of points up to which a curve marks each of them."""
FEW = 4
"""The largest number of values of an axis that are drawn as one curve each; with more of them, the panel is a map."""
MARKERS, LINES = ("o", "s", "^", "D"), ("-", "--", "-.", ":")
"""The markers and the dashes of the curves, so that they differ without colours too."""
NOT_MEASURED = "hatched: not measured"


def has_curves(sweep: Sweep) -> bool:
    """Whether the means are drawn as curves: over one axis, and over two if one of them has few numbers."""
    other = [values for axis, values in sweep.axes.items() if axis != horizontal_axis(sweep)]
    return len(sweep.axes) == 1 or (len(sweep.axes) == 2 and len(other[0]) <= FEW)


def horizontal_axis(sweep: Sweep) -> str:
    """The axis that the curves run along: one of numbers, and the one with more values, else the first."""
    return max(sweep.axes, key=lambda axis: (not of_words(sweep.axes[axis]), len(sweep.axes[axis])))


def draw_curves(ax: Any, sweep: Sweep, name: str, theory: list[Line]) -> Handles:
    """Draw the means of a measure as curves over an axis, each in the band of its interval; gives the handles by name.

    Intervals, and the axis of a measure whose range is known, end where the measure cannot go further.
    """
    low, high = possible(name, sweep.values[name])
    axis = horizontal_axis(sweep)
    numbers, handles = places(sweep.axes[axis]), {}
    curves = list(_curves(sweep, name, axis))
    thin = {"linewidth": scaled(1.5), "linestyle": ":" if len(theory) == len(curves) > 1 else "-"}
    beside: dict[str, Any] = thin if theory else {}
    for i, (title, mean, error) in enumerate(curves):
        colour = theme().series[i]
        marker = MARKERS[i] if len(numbers) <= MARKED else ""
        style = {"color": colour, "marker": marker, "linestyle": LINES[i]} | beside
        band = np.clip([mean - error, mean + error], low, high)
        if of_words(sweep.axes[axis]):  # nothing lies between words
            style["linestyle"] = ""
            ax.vlines(numbers, *np.where(np.isnan(band), mean, band), color=colour, linewidth=scaled(2))
        else:
            ax.fill_between(numbers, *band, color=colour, alpha=0.25, linewidth=0)
        (handles[title or "measured"],) = ax.plot(numbers, mean, clip_on=False, **style)
    key = last_keys(sweep.axes)[axis]
    ax.set(xlabel=parameter_title(key), ylabel=measure_title(name))
    _set_limits(ax, sweep, name, (low, high))
    drawn = draw_lines(ax, theory, len(curves))
    set_ticks(ax, "x", sweep.axes[axis])
    return with_lines(handles, drawn)


def _curves(sweep: Sweep, name: str, axis: str) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """For each curve of a measure its title, its means and its errors."""
    mean, error = sweep.mean(name), sweep.error(name)
    others = [other for other in sweep.axes if other != axis]
    if not others:
        yield "", mean, error
        return
    (other,) = others
    if next(iter(sweep.axes)) == other:
        mean, error = mean.T, error.T
    key = last_keys(sweep.axes)[other]
    for i, number in enumerate(sweep.axes[other]):
        yield setting(key, number), mean[:, i], error[:, i]


def _set_limits(ax: Any, sweep: Sweep, name: str, reach: tuple[float, float]) -> None:
    """Set the ends of both axes: those of the numbers, and those of the measure where its range is known."""
    numbers = sweep.axes[horizontal_axis(sweep)]
    if of_words(numbers):
        ax.set_xlim(-0.5, len(numbers) - 0.5)
    elif not logarithmic(numbers):
        ax.set_xlim(left=max(ax.get_xlim()[0], 0.0 if numbers[0] >= 0 else -math.inf))
    elif len(numbers) > 1:
        margin = (numbers[-1] / numbers[0]) ** 0.03
        ax.set_xlim(numbers[0] / margin, numbers[-1] * margin)
    if scale := scale_of(*reach, sweep.mean(name)):
        lowest = float(np.nanmin(sweep.mean(name) - np.nan_to_num(sweep.error(name)), initial=scale[0]))
        ax.set_ylim(max(lowest, reach[0]), scale[1])
    else:
        bottom, top = ax.get_ylim()
        ax.set_ylim(max(bottom, reach[0]), min(top, reach[1]))


def draw_map(ax: Any, sweep: Sweep, name: str, theory: list[Line]) -> Handles:
    """Draw the mean of a measure over both axes; gives the handles of the lines by name. Unknown cells are hatched."""
    (across, xs), (up, ys) = sweep.axes.items()
    mean = sweep.mean(name)
    image = ax.pcolormesh(edges(xs), edges(ys), mean.T, rasterized=True, **_colours(sweep, name))
    if np.isnan(mean).any():
        ax.patch.set(**hatching())
    keys = last_keys(sweep.axes)
    ax.set(xlabel=parameter_title(keys[across]), ylabel=parameter_title(keys[up]))
    for axis, values in (("x", xs), ("y", ys)):
        set_ticks(ax, axis, values)
    handles = draw_lines(ax, theory, cased=True)
    ax.figure.colorbar(image, ax=ax, label=measure_title(name))
    return handles


def edges(numbers: Sequence[float]) -> np.ndarray:
    """The edges of the cells around the numbers of an axis, `(n + 1,)`.

    An edge is halfway between two numbers; on a logarithmic axis, halfway between their logarithms.
    """
    if logarithmic(numbers):
        return np.asarray(np.exp(edges(list(np.log(numbers)))))
    values = places(numbers)
    if len(values) == 1:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    middles = (values[1:] + values[:-1]) / 2
    return np.concatenate([[2 * values[0] - middles[0]], middles, [2 * values[-1] - middles[-1]]])


def _colours(sweep: Sweep, name: str) -> dict[str, Any]:
    """The colour map of a measure and the ends of its scale: 0 to 1 for shares, else up to the largest number."""
    mean = sweep.mean(name)
    low, high = scale_of(*possible(name, sweep.values[name]), mean) or (None, None)
    if low is None or high is None:
        known = mean[~np.isnan(mean)]
        most = float(np.abs(known).max(initial=0.0)) or 1.0
        low, high = (-most if known.min(initial=0.0) < -0.1 * most else 0.0), most
    return colours_of(low, high)
