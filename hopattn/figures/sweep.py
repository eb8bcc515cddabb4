"""The figure of a sweep: curves over one axis, maps over two, and curves again where an axis has few numbers."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hopattn.experiments.sweep.table import Sweep
from hopattn.figures.base import Figure
from hopattn.figures.headings import HEADLINE, pads, wrapped
from hopattn.figures.style import theme
from hopattn.figures.text import label
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.language.paths import last_keys

PANELS = 4
"""The largest number of measures in a figure, one panel each."""
MARKED = 40
"""The number of points up to which a curve marks each of them."""
FEW = 3
"""The largest number of values of an axis that are drawn as one curve each; with more of them, the panel is a map."""
TICKS = 6
"""The largest number of distances between the ticks of an axis: with more, the numbers of two panels run together."""
MARKERS, LINES = ("o", "s", "^"), ("-", "--", "-.")
"""The markers and the dashes of the curves, so that they differ without colours too."""
SHARE = (0.0, 1.0)
RANGES = {
    **dict.fromkeys(("recalled", "converged", "met", "accuracy"), SHARE),
    **dict.fromkeys(("overlap", "overlaps"), (-1.0, 1.0)),
    "steps": (0.0, math.inf),
}
"""The smallest and the largest value that a measure can have."""


def draw_sweep(figure: Figure, sweep: Sweep, title: str = "") -> None:
    """Draw each measure in a panel: over one axis the mean with its interval, over two a map of the mean.

    If one of two axes has at most `FEW` numbers, each of these numbers is a curve over the other axis. Intervals and
    the axes of curves end where a measure cannot go further. The first `PANELS` measures are drawn; measures that are
    constant over the grid come last. Raises `InvalidInput` for a sweep over more than two axes.
    """
    if len(sweep.axes) > 2:
        raise InvalidInput(
            f"figure: one axis is drawn as curves, two as a map; the sweep has {len(sweep.axes)}: hold some of them"
        )
    figure.suptitle(wrapped(title, HEADLINE))
    pads(figure, h_pad=0.12, w_pad=0.12)
    names = sorted(sweep.values, key=lambda name: _is_constant(sweep.mean(name)))[:PANELS]
    columns = 1 if len(names) == 1 else 2
    axes = figure.subplots((len(names) + 1) // 2, columns, squeeze=False).ravel()
    for ax, name in zip(axes, names, strict=False):
        _curves(ax, sweep, name) if _has_curves(sweep) else _map(ax, sweep, name)
    for ax in axes[len(names) :]:
        ax.set_axis_off()


def _is_constant(mean: np.ndarray) -> bool:
    """Whether a mean is the same at all points, or unknown at all points."""
    return bool(np.isnan(mean).all() or np.nanmax(mean) == np.nanmin(mean))


def _has_curves(sweep: Sweep) -> bool:
    """Whether the means are drawn as curves: over one axis, and over two if one of them has few numbers."""
    return len(sweep.axes) == 1 or min(map(len, sweep.axes.values())) <= FEW


def _curves(ax: Any, sweep: Sweep, name: str) -> None:
    """Draw the means of a measure as curves over an axis, each in the band of its interval."""
    low, high = _possible(name, sweep.values[name])
    axis, curves = _along(sweep, name)
    numbers = sweep.axes[axis]
    for i, (title, mean, error) in enumerate(curves):
        style = {
            "color": theme().series[i],
            "linestyle": LINES[i],
            "marker": MARKERS[i] if len(numbers) <= MARKED else "",
        }
        band = np.clip([mean - error, mean + error], low, high)
        ax.fill_between(numbers, *band, color=theme().series[i], alpha=0.25, linewidth=0)
        ax.plot(numbers, mean, label=title, clip_on=False, **style)
    ax.set(xlabel=_title(sweep, axis), ylabel=_axis_title(name))
    if _logarithmic(numbers):
        ax.set_xscale("log")
    else:
        ax.set_xlim(left=max(ax.get_xlim()[0], 0.0 if numbers[0] >= 0 else -math.inf))
        ax.locator_params(axis="x", nbins=TICKS)
    bottom, top = ax.get_ylim()
    ax.set_ylim(max(bottom, low), min(top, high))
    if len(sweep.axes) > 1:
        ax.legend()


def _along(sweep: Sweep, name: str) -> tuple[str, Iterator[tuple[str, np.ndarray, np.ndarray]]]:
    """The axis that the curves of a measure run along, and for each curve its title, its means and its errors."""
    mean, error = sweep.mean(name), sweep.error(name)
    axis, *others = sweep.axes
    if not others:
        return axis, iter([("", mean, error)])
    (other,) = others
    if len(sweep.axes[other]) > FEW:
        axis, other, mean, error = other, axis, mean.T, error.T
    titles = (f"{_title(sweep, other)} = {number:g}" for number in sweep.axes[other])
    return axis, zip(titles, mean.T, error.T, strict=True)


def _possible(name: str, values: np.ndarray) -> tuple[float, float]:
    """The smallest and the largest value that a measure can have, infinite if they are not known.

    name: of the measure, or of an entry such as "overlaps[1]". values: of all trials; a measure that is 0 or 1 in each
    trial has a share as its mean. Values beyond the range of the name show that the name means something else.
    """
    known = values[~np.isnan(values)]
    low, high = SHARE if np.isin(known, SHARE).all() else RANGES.get(name.partition("[")[0], (-math.inf, math.inf))
    rounding = 1e-9
    fits = bool(np.all((known >= low - rounding) & (known <= high + rounding)))
    return (low, high) if fits else (-math.inf, math.inf)


def _map(ax: Any, sweep: Sweep, name: str) -> None:
    """Draw the mean of a measure over both axes as colours."""
    (across, xs), (up, ys) = sweep.axes.items()
    mean = sweep.mean(name)
    low, high = (float(end) for end in (np.nanmin(mean), np.nanmax(mean))) if not np.isnan(mean).all() else (0.0, 1.0)
    most = max(-low, high)
    colours = (
        {"cmap": theme().diverging, "vmin": -most, "vmax": most} if low < -0.1 * most else {"cmap": theme().sequential}
    )
    image = ax.pcolormesh(_edges(xs), _edges(ys), mean.T, rasterized=True, **colours)
    ax.set(xlabel=_title(sweep, across), ylabel=_title(sweep, up))
    for axis, numbers, set_scale in (("x", xs, ax.set_xscale), ("y", ys, ax.set_yscale)):
        set_scale("log") if _logarithmic(numbers) else ax.locator_params(axis=axis, nbins=TICKS)
    ax.figure.colorbar(image, ax=ax, label=_axis_title(name))


def _title(sweep: Sweep, axis: str) -> str:
    """The title of an axis of the sweep: the last key of its path, such as beta of layer.head.beta."""
    return label(last_keys(sweep.axes)[axis])


def _axis_title(name: str) -> str:
    """The name of a measure as the title of an axis."""
    return wrapped(name, 28)


def _edges(numbers: Sequence[float]) -> np.ndarray:
    """The edges of the cells around the numbers of an axis, `(n + 1,)`.

    An edge is halfway between two numbers; on a logarithmic axis, halfway between their logarithms.
    """
    if _logarithmic(numbers):
        return np.asarray(np.exp(_edges(list(np.log(numbers)))))
    values = np.array(numbers, dtype=float)
    if len(values) == 1:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    middles = (values[1:] + values[:-1]) / 2
    return np.concatenate([[2 * values[0] - middles[0]], middles, [2 * values[-1] - middles[-1]]])


def _logarithmic(numbers: Sequence[float]) -> bool:
    """Whether the numbers grow by equal ratios rather than by equal differences."""
    values = np.array(numbers, dtype=float)
    if len(values) < 3 or values[0] <= 0:
        return False
    return bool(np.ptp(np.diff(np.log(values))) < 1e-6 * np.log(values[-1] / values[0]))
