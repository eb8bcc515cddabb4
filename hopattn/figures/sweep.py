"""The figure of a sweep: curves over one axis, maps over two."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopattn.experiments.sweep.table import Sweep
from hopattn.figures.base import Figure
from hopattn.figures.headings import HEADLINE, wrapped
from hopattn.figures.style import COLOURS, DIVERGING, SEQUENTIAL, label
from hopattn.foundation.errors import InvalidInput

PANELS = 4
"""The largest number of measures in a figure, one panel each."""
MARKED = 40
"""The number of points up to which a curve marks each of them."""


def draw_sweep(figure: Figure, sweep: Sweep, title: str = "") -> None:
    """Draw each measure in a panel: over one axis the mean with its interval, over two a map of the mean.

    The first `PANELS` measures are drawn; measures that are constant over the grid come last. Raises `InvalidInput`
    for a sweep over more than two axes.
    """
    if len(sweep.axes) > 2:
        raise InvalidInput(
            f"figure: one axis is drawn as curves, two as a map; the sweep has {len(sweep.axes)}: hold some of them"
        )
    figure.suptitle(wrapped(title, HEADLINE))
    figure.get_layout_engine().set(h_pad=0.12, w_pad=0.12)
    names = sorted(sweep.values, key=lambda name: _is_constant(sweep.mean(name)))[:PANELS]
    columns = 1 if len(names) == 1 else 2
    axes = figure.subplots((len(names) + 1) // 2, columns, squeeze=False).ravel()
    for ax, name in zip(axes, names, strict=False):
        _curve(ax, sweep, name) if len(sweep.axes) == 1 else _map(ax, sweep, name)
    for ax in axes[len(names) :]:
        ax.set_axis_off()


def _is_constant(mean: np.ndarray) -> bool:
    """Whether a mean is the same at all points, or unknown at all points."""
    return bool(np.isnan(mean).all() or np.nanmax(mean) == np.nanmin(mean))


def _curve(ax: Any, sweep: Sweep, name: str) -> None:
    """Draw the mean of a measure over the one axis, in the band of its interval."""
    ((axis, numbers),) = sweep.axes.items()
    mean, error = sweep.mean(name), sweep.error(name)
    ax.fill_between(numbers, mean - error, mean + error, color=COLOURS[0], alpha=0.25, linewidth=0)
    ax.plot(numbers, mean, color=COLOURS[0], marker="o" if len(numbers) <= MARKED else "")
    ax.set(xlabel=label(axis), ylabel=_axis_title(name))
    if _logarithmic(numbers):
        ax.set_xscale("log")


def _map(ax: Any, sweep: Sweep, name: str) -> None:
    """Draw the mean of a measure over both axes as colours."""
    (across, xs), (up, ys) = sweep.axes.items()
    mean = sweep.mean(name)
    low, high = (float(end) for end in (np.nanmin(mean), np.nanmax(mean))) if not np.isnan(mean).all() else (0.0, 1.0)
    most = max(-low, high)
    colours = {"cmap": DIVERGING, "vmin": -most, "vmax": most} if low < -0.1 * most else {"cmap": SEQUENTIAL}
    image = ax.pcolormesh(_edges(xs), _edges(ys), mean.T, rasterized=True, **colours)
    ax.set(xlabel=label(across), ylabel=label(up))
    if _logarithmic(xs):
        ax.set_xscale("log")
    if _logarithmic(ys):
        ax.set_yscale("log")
    ax.figure.colorbar(image, ax=ax, label=_axis_title(name))


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
