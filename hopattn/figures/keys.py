"""The signs of a figure in axes of the user: entries of their legend, which is shown where it covers nothing."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hopattn.figures.base import Axes

PLACES = ("best", "upper right", "upper left", "lower left", "lower right")
"""The places that a legend may have; the best one of matplotlib does not see images."""


def name_signs(ax: Axes, keys: Sequence[Any], names: Sequence[str]) -> None:
    """Put signs into axes under their names, so that `ax.legend()` lists them; show the legend where there is room.

    keys: lines and patches, in these axes or in none. Of several that are one sign, the first gets the name.
    """
    for key, name in zip(keys, names, strict=True):
        _in_axes(ax, key[0] if isinstance(key, tuple) else key).set_label(name)
    for place in PLACES if ax.get_legend_handles_labels()[1] else ():
        legend = ax.legend(loc=place, framealpha=1 if ax.images else None)  # no hatching shows through
        if not _covers(legend.get_window_extent().padded(2), ax):
            return
        legend.remove()


def _in_axes(ax: Axes, key: Any) -> Any:
    """A sign in axes. Of a patch it is a copy without a place: a legend would hide the sign of a hidden patch."""
    from matplotlib.patches import Patch, PathPatch
    from matplotlib.path import Path

    if key.axes is ax:
        return key
    if isinstance(key, Patch):
        copy = PathPatch(Path(np.empty((0, 2))))
        copy.update_from(key)
        return ax.add_patch(copy)
    return ax.add_line(key)


def _covers(box: Any, ax: Axes) -> bool:
    """Whether a box in pixels lies over something that axes draw, or reaches beyond them.

    It may lie over masked cells.
    """
    inside = all(ax.bbox.contains(*corner) for corner in box.corners())
    return (
        not inside
        or any(_is_filled(image, box) for image in ax.images)
        or any(box.overlaps(text.get_window_extent()) for text in ax.texts if text.get_text())
        or any(path.intersects_bbox(box, filled) for path, filled in _shapes(ax))
    )


def _is_filled(image: Any, box: Any) -> bool:
    """Whether an image has a cell within a box in pixels that is not masked."""
    corners = image.axes.transData.inverted().transform(box.corners()) + 0.5
    (left, top), (right, bottom) = np.clip(np.floor([corners.min(axis=0), corners.max(axis=0)]).astype(int), 0, None)
    shown = ~np.ma.getmaskarray(image.get_array())
    return bool(shown[top : bottom + 1, left : right + 1].any())


def _shapes(ax: Axes) -> Iterator[tuple[Any, bool]]:
    """The lines, marks and areas of axes as paths in pixels, each with whether it is filled; hatched areas are free."""
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path

    points = []
    for line in ax.lines:
        path = line.get_transform().transform_path(line.get_path())
        if line.get_linestyle() == "None":
            points += [*path.vertices]
        else:
            yield path, False
    for patch in ax.patches:
        if not patch.get_hatch():
            yield patch.get_transform().transform_path(patch.get_path()), bool(patch.get_fill())
    for group in ax.collections:
        if isinstance(group, PathCollection):  # dots, each the same path at a place of its own
            points += [*group.get_offset_transform().transform(group.get_offsets())]
        else:
            yield from ((group.get_transform().transform_path(path), False) for path in group.get_paths())
    yield from ((Path([point, point]), False) for point in points)
