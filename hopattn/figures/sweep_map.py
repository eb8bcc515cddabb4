"""A sweep over two axes: the mean of a measure as colours, on a fixed scale where the measure has one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopattn.experiments.sweep.table import Sweep
from hopattn.figures.quantities import (
    logarithmic,
    measure_title,
    parameter_title,
    places,
    possible,
    scale_of,
    set_ticks,
)
from hopattn.figures.shapes import strokes
from hopattn.figures.style import theme
from hopattn.figures.theory_lines import Handles, Line, draw_lines
from hopattn.scenario.language.paths import last_keys

NOT_MEASURED = "hatched: not measured"


def draw_map(ax: Any, sweep: Sweep, name: str, theory: list[Line]) -> Handles:
    """Draw the mean of a measure over both axes; gives the handles of the lines by name. Unknown cells are hatched."""
    (across, xs), (up, ys) = sweep.axes.items()
    mean = sweep.mean(name)
    image = ax.pcolormesh(edges(xs), edges(ys), mean.T, rasterized=True, **_colours(sweep, name))
    if np.isnan(mean).any():
        ax.patch.set(facecolor=theme().empty, edgecolor=theme().faint, hatch=strokes(3), linewidth=0)
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
    return {"cmap": theme().diverging if low < 0 else theme().sequential, "vmin": low, "vmax": high}
