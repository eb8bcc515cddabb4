"""Measuring axes: their ticks are computed once, where matplotlib computes them again for each part that asks."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from hopattn.figures.base import Axes, Figure


@contextmanager
def measured_once(figure: Figure) -> Iterator[None]:
    """A context for the layout of a figure, in which each measurement of axes computes their ticks once."""
    for ax in figure.axes:
        ax.get_tightbbox = lambda *args, ax=ax, **options: _tight_box(ax, *args, **options)
    try:
        yield
    finally:
        for ax in figure.axes:
            del ax.get_tightbbox


def _tight_box(ax: Axes, *args: Any, **options: Any) -> Any:
    """The box around axes and all that belongs to them, or None for axes that are not visible."""
    with unmoved([ax]):
        return type(ax).get_tightbbox(ax, *args, **options)


@contextmanager
def unmoved(axes: Iterable[Axes]) -> Iterator[None]:
    """A context in which the ticks of axes and the boxes of their labels are computed at most once.

    The axes, their limits and their ticks may not change in it.
    """
    both = [axis for ax in axes for axis in (ax.xaxis, ax.yaxis)]
    for axis in both:
        _keep(axis)
    try:
        yield
    finally:
        for axis in both:
            del axis._update_ticks, axis._get_ticklabel_bboxes


def _keep(axis: Any) -> None:
    """Keep the ticks of an axis and the boxes of their labels, from the first time that they are asked for."""
    kind = type(axis)
    ticks = cache(lambda: kind._update_ticks(axis))
    boxes = cache(lambda renderer: kind._get_ticklabel_bboxes(axis, ticks(), renderer))
    axis._update_ticks, axis._get_ticklabel_bboxes = ticks, lambda _, renderer: boxes(renderer)
