"""Names beside lines instead of a legend, where there is room: at the right ends of the lines, or along them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.headings import laid_out
from hopattn.figures.placing import HARD, Kind, around_names, chosen, extent, judged, pixels_in_point, sampled, write
from hopattn.figures.style import scaled
from hopattn.figures.text import inked

LINE = Kind(radius=0.0, unclear=HARD, open=0.1)
"""The rules for the names of lines."""
SIZE = 16.0
"""The size of a name, in printer's points on a slide."""
GAP, EDGES = 9.0, 7.0
"""The distance between a name and the end of its line, and that of a name along it from the edges, in points."""
APART = 3.0
"""The least distance between the ends of two lines that are named there, in points: nearer ones look like one."""
HEIGHT = 1.1
"""The distance between two names above each other, in heights of a name."""
EDGE = 0.06
"""The part of the axes at the right edge within which all lines must end, so that their names stand in one column."""
LED, PADDING = 30.0, np.array([0.0, 1.0])
"""The cost of a line from a name to its line, and the space around a name."""
EVERY = 2
"""Every second sample of a line has names around it."""
SIDES = np.array([(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)])
"""The directions from a point of a line to the middle of its name."""
DISTANCES = np.array([8.0, 27.0, 54.0])
"""The distances at which a name is tried, in points: at the first it is beside its line; at others a line leads to it.
"""


def name_lines(ax: Axes, lines: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """Write the names of lines beside them, in their colours; returns the texts, or none where they do not all fit.

    Call this when all else is in the figure: it is laid out for the names.
    """
    ax.autoscale_view()  # the limits follow the data late, and places depend on them
    if not all(len(_corners(line)) for line in lines):
        return []
    return _at_ends(ax, lines, names) or _along(ax, lines, names)


def _at_ends(ax: Axes, lines: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """Write the names in a column on the right of the axes, each as near to the end of its line as it can be."""
    ends = np.array([ax.transAxes.inverted().transform(_corners(line)[-1]) for line in lines])
    if ends[:, 0].min() < 1 - EDGE:
        return []
    where: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "center"}
    texts = [
        ax.annotate(name, (1, 0.5), (scaled(GAP), 0), color=inked(line.get_color()), fontsize=scaled(SIZE), **where)
        for line, name in zip(lines, names, strict=True)
    ]
    laid_out(ax.figure)
    high = ax.get_window_extent().height / pixels_in_point(ax)
    places = spread_out(ends[:, 1] * high, HEIGHT * np.array([extent(ax, name, SIZE)[1] for name in names]))
    if not nearest_to_own(places, ends[:, 1] * high, APART):
        for text in texts:
            text.remove()
        return []
    for text, place in zip(texts, places, strict=True):
        text.xy = (1, place / high)
    return texts


def _along(ax: Axes, lines: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """Write each name inside the axes, beside its own line or led to it, and away from the other lines and texts."""
    laid_out(ax.figure)
    pixels, unnamed = pixels_in_point(ax), [line for line in ax.lines if line not in lines]
    around = around_names(ax, ax.texts, [_corners(line) / pixels for line in unnamed], (), ())
    paths = [sampled([_corners(line) / pixels], around.frame) for line in lines]
    if not all(map(len, paths)):
        return []
    around = around._replace(frame=around.frame + EDGES * np.array([[1], [-1]]))
    choices = []
    for i, name in enumerate(names):
        half, steps = extent(ax, name, SIZE) / 2 + PADDING, paths[i][::EVERY, None, None]
        middles = (steps + SIDES[:, None] * (half + DISTANCES[:, None])).reshape(-1, 2)
        boxes = np.stack([middles - half, middles + half], axis=1)
        points = np.broadcast_to(steps, (len(steps), len(SIDES), len(DISTANCES), 2)).reshape(-1, 2)
        led = np.tile(DISTANCES[0] < DISTANCES, len(steps) * len(SIDES))
        inside = np.all((boxes[:, 0] >= around.frame[0]) & (boxes[:, 1] <= around.frame[1]), axis=1)
        if not inside.any():
            return []
        others = np.concatenate([np.zeros((0, 2)), *(path for k, path in enumerate(paths) if k != i)])
        points, boxes, led = points[inside], boxes[inside], led[inside]
        choices.append(judged(points, boxes, led, LED * led, LINE, (paths[i], others, others), around))
    found, costs = chosen(choices)
    if costs.max() >= HARD:
        return []
    texts = []
    for line, name, place in zip(lines, names, found, strict=True):
        at = ax.transAxes.inverted().transform(place.boxes.mean(axis=0) * pixels)
        look: dict[str, Any] = {"color": inked(line.get_color()), "fontsize": scaled(SIZE)}
        texts.append(write(ax, name, place, LINE.radius, xytext=at, textcoords="axes fraction", **look))
    return texts


def spread_out(wanted: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Places in the order of the wanted ones, as near to them as they can be without overlaps, `(n,)`.

    sizes: of what has these places. The sum of the squared distances from the wanted places is the least; this is
    isotonic regression, by its formula of the largest of the least means.
    """
    order, n = np.argsort(wanted, kind="stable"), len(wanted)
    half = sizes[order] / 2
    starts = np.concatenate([[0.0], np.cumsum(half[1:] + half[:-1])])
    free = wanted[order] - starts
    places = np.empty(n)
    for k in range(n):
        means = [[free[i : j + 1].mean() for j in range(k, n)] for i in range(k + 1)]
        places[order[k]] = max(map(min, means)) + starts[k]
    return places


def nearest_to_own(places: np.ndarray, ends: np.ndarray, apart: float) -> bool:
    """Whether each place is nearer to its own end than to any other, and all ends are `apart` from one another."""
    distances = np.abs(places[:, None] - ends)
    others = np.where(np.eye(len(ends), dtype=bool), np.inf, distances)
    between = np.abs(ends[:, None] - ends)[~np.eye(len(ends), dtype=bool)]
    return bool(np.all(np.diag(distances) <= others.min(axis=1, initial=np.inf)) and np.all(between >= apart))


def _corners(line: Any) -> np.ndarray:
    """The finite points of a line of matplotlib in pixels, `(n, 2)`."""
    points = line.get_transform().transform(np.ma.getdata(line.get_xydata()))
    return np.asarray(points[np.isfinite(points).all(axis=1)])
