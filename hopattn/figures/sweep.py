"""What a sweep came to: curves over one axis, maps over two."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopattn.experiments.sweep.table import Sweep
from hopattn.figures.base import Figure
from hopattn.figures.shapes import WIDE, wrapped
from hopattn.figures.style import COLOURS, DIVERGING, SEQUENTIAL, label
from hopattn.foundation.errors import InvalidInput

PANELS = 4
"""So many measures have room beside one another."""


def draw_sweep(figure: Figure, found: Sweep, title: str = "") -> None:
    """Draw each measure in a panel: over one axis the mean with its interval, over two a map of the mean.

    Of more measures than `PANELS` the first are drawn, those that are the same everywhere last. Raises `InvalidInput`
    for a sweep over more than two axes.
    """
    if len(found.axes) > 2:
        raise InvalidInput(
            f"figure: one axis is drawn as curves, two as a map; the sweep has {len(found.axes)}: hold some of them"
        )
    figure.suptitle(wrapped(title, WIDE))
    figure.get_layout_engine().set(h_pad=0.12, w_pad=0.12)
    names = sorted(found.values, key=lambda name: _flat(found.mean(name)))[:PANELS]
    columns = 1 if len(names) == 1 else 2
    axes = figure.subplots((len(names) + 1) // 2, columns, squeeze=False).ravel()
    for ax, name in zip(axes, names, strict=False):
        _curve(ax, found, name) if len(found.axes) == 1 else _map(ax, found, name)
    for ax in axes[len(names) :]:
        ax.set_axis_off()


def _flat(mean: np.ndarray) -> bool:
    return bool(np.isnan(mean).all() or np.nanmax(mean) == np.nanmin(mean))


def _curve(ax: Any, found: Sweep, name: str) -> None:
    ((axis, numbers),) = found.axes.items()
    mean, error = found.mean(name), found.error(name)
    ax.fill_between(numbers, mean - error, mean + error, color=COLOURS[0], alpha=0.25, linewidth=0)
    ax.plot(numbers, mean, color=COLOURS[0], marker="o" if len(numbers) <= 40 else "")
    ax.set(xlabel=label(axis), ylabel=_short(name))
    if _logarithmic(numbers):
        ax.set_xscale("log")


def _map(ax: Any, found: Sweep, name: str) -> None:
    (across, xs), (up, ys) = found.axes.items()
    mean = found.mean(name)
    low, high = (float(end) for end in (np.nanmin(mean), np.nanmax(mean))) if not np.isnan(mean).all() else (0.0, 1.0)
    most = max(-low, high)
    colours = {"cmap": DIVERGING, "vmin": -most, "vmax": most} if low < -0.1 * most else {"cmap": SEQUENTIAL}
    image = ax.pcolormesh(_edges(xs), _edges(ys), mean.T, rasterized=True, **colours)
    ax.set(xlabel=label(across), ylabel=label(up))
    if _logarithmic(xs):
        ax.set_xscale("log")
    if _logarithmic(ys):
        ax.set_yscale("log")
    ax.figure.colorbar(image, ax=ax, label=_short(name))


def _short(name: str) -> str:
    return wrapped(name, 28)


def _edges(numbers: Sequence[float]) -> np.ndarray:
    """The bounds of the cells about these numbers, halfway between them, by ratios where they grow by ratios."""
    if _logarithmic(numbers):
        return np.asarray(np.exp(_edges(list(np.log(numbers)))))
    values = np.array(numbers, dtype=float)
    if len(values) == 1:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    middles = (values[1:] + values[:-1]) / 2
    return np.concatenate([[2 * values[0] - middles[0]], middles, [2 * values[-1] - middles[-1]]])


def _logarithmic(numbers: Sequence[float]) -> bool:
    """Whether the numbers grow by equal ratios rather than by equal distances."""
    values = np.array(numbers, dtype=float)
    if len(values) < 3 or values[0] <= 0:
        return False
    return bool(np.ptp(np.diff(np.log(values))) < 1e-6 * np.log(values[-1] / values[0]))
