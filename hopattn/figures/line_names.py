"""Names beside lines instead of a legend, where there is room: at the right ends of the lines, or along them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.headings import laid_out
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import brightness

GAP = 9.0
"""The distance between a name and its line, in printer's points on a slide."""
APART = 3.0
"""The least distance between the ends of two lines that are named there, in points: nearer ones look like one."""
LINE = 1.1
"""The distance between two names above each other, in heights of a name."""
EDGE = 0.06
"""The part of the axes at the right edge within which all lines must end, so that their names stand in one column."""
CLEARER = 1.8
"""A name along its line is at least this many times as far from every other line."""
CONTRAST = 4.5
"""The least contrast of a text with its background."""
STRIDE, SAMPLE = 14.0, 3.0
"""The distances in pixels between places along a line where its name is tried, and between points of a line."""
AROUND = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)]
"""The directions from a point of a line to the middle of its name."""
DISTANCES = (1, 3, 5, 8)
"""The distances at which a name is tried, in gaps: at the first it is beside its line, at others a line leads to it."""

Box = tuple[float, float, float, float]
"""The left, bottom, right and top of a box in pixels."""


class Space(NamedTuple):
    """The axes, the boxes of other texts in them, and lines without a name, each with half of its width in pixels.

    No name may touch them.
    """

    inside: Box
    taken: Sequence[Box] = ()
    lines: Sequence[tuple[np.ndarray, float]] = ()

    def is_free(self, middles: np.ndarray, size: np.ndarray, gap: float) -> np.ndarray:
        """Which boxes of this size are within the axes and meet no other text and no line, `(n_middles,)`."""
        low, high = middles - size / 2, middles + size / 2
        left, bottom, right, top = self.inside
        free = np.all((low >= (left + gap / 2, bottom + gap / 2)) & (high <= (right - gap / 2, top - gap / 2)), axis=1)
        for x0, y0, x1, y1 in self.taken:
            free &= np.any((high <= (x0 - gap / 2, y0 - gap / 2)) | (low >= (x1 + gap / 2, y1 + gap / 2)), axis=1)
        for path, half in self.lines:
            free &= _distances(middles, size, path) >= gap / 3 + half
        return np.asarray(free)


class Place(NamedTuple):
    """The middle of a name, and the ends `(2, 2)` of a thin line to its own line if the name is not beside it."""

    middle: np.ndarray
    leader: np.ndarray | None = None


class LineNames:
    """The names of some lines of axes, written in the colours of the lines."""

    def __init__(self, ax: Axes, lines: Sequence[Any], names: Sequence[str]):
        self.ax, self.lines = ax, lines
        self.leaders: list[Any] = []
        style: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "center"}
        self.texts = [
            ax.annotate(name, (1, 0.5), (0, 0), color=inked(line.get_color()), fontsize=scaled(16), **style)
            for line, name in zip(lines, names, strict=True)
        ]

    def fit(self) -> bool:
        """Place the names, and say whether all of them fit. Names that were placed before keep their places if not."""
        before = [(text.xy, text.get_position(), text.get_ha()) for text in self.texts]
        if self._at_ends() or self._along():
            return True
        for text, (at, position, side) in zip(self.texts, before, strict=True):
            text.xy = at
            text.set(position=position, ha=side)
        return False

    def remove(self) -> None:
        """Take the names away again."""
        for text in (*self.texts, *self.leaders):
            text.remove()

    def _at_ends(self) -> bool:
        """Place the names in a column on the right of the axes, each as near to the end of its line as it can be."""
        box, paths = self._reset((1, 0.5), (scaled(GAP), 0), "left")
        ends = np.array([path[-1] for path in paths])
        if ends[:, 0].min() < box.x1 - EDGE * box.width:
            return False
        places = spread_out(ends[:, 1], LINE * self._sizes()[:, 1])
        if not nearest_to_own(places, ends[:, 1], self._pixels(APART)):
            return False
        for text, place in zip(self.texts, places, strict=True):
            text.xy = (1, (place - box.y0) / box.height)
        return True

    def _along(self) -> bool:
        """Place each name inside the axes, beside its own line and away from the other lines and texts."""
        from matplotlib.text import Text

        box, paths = self._reset((0.5, 0.5), (0, 0), "center")
        sizes, gap, inside = self._sizes(), self._pixels(GAP), _corners(box)
        taken = [_corners(Text.get_window_extent(text)) for text in self.ax.texts if text not in self.texts]
        others = [line for line in self.ax.lines if line not in self.lines]
        halves = [line.get_linewidth() * self.ax.get_figure(root=True).dpi / 144 for line in others]
        more = [(path, half) for path, half in zip(map(_pixels_of, others), halves, strict=True) if len(path)]
        places = all_beside(paths, sizes, Space(inside, taken, more), gap)
        if places is None:
            return False
        start, extent = np.array(inside[:2]), np.array([box.width, box.height])
        for i, text in enumerate(self.texts):
            text.xy = tuple((places[i].middle - start) / extent)
            if places[i].leader is not None:
                where: dict[str, Any] = {"transform": self.ax.transAxes, "scalex": False, "scaley": False}
                thin = (places[i].leader - start) / extent
                self.leaders += self.ax.plot(*thin.T, color=text.get_color(), linewidth=scaled(1), zorder=1, **where)
        return True

    def _reset(self, at: tuple[float, float], position: tuple[float, float], side: str) -> tuple[Any, list[np.ndarray]]:
        """Put all names at one place and lay the figure out; gives the box of the axes and the points of each line."""
        for leader in self.leaders:
            leader.remove()
        self.leaders = []
        for text in self.texts:
            text.xy = at
            text.set(position=position, ha=side)
        laid_out(self.ax.figure)
        return self.ax.get_window_extent(), [*map(_pixels_of, self.lines)]

    def _sizes(self) -> np.ndarray:
        """The widths and heights of the names in pixels, `(n, 2)`."""
        extents = [text.get_window_extent() for text in self.texts]
        return np.array([(extent.width, extent.height) for extent in extents])

    def _pixels(self, points: float) -> float:
        """A length in printer's points, stated for a slide, in pixels."""
        return float(scaled(points) * self.ax.get_figure(root=True).dpi / 72)


def name_lines(ax: Axes, lines: Sequence[Any], names: Sequence[str]) -> LineNames | None:
    """Write the names of lines beside them; None, with nothing written, where they do not all fit."""
    if not all(len(_pixels_of(line)) for line in lines):
        return None
    own = LineNames(ax, lines, names)
    if own.fit():
        return own
    own.remove()
    return None


def spread_out(wanted: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Places in the order of the wanted ones, as near to them as they can be without overlaps, `(n,)`.

    sizes: of what stands there. The sum of the squared distances from the wanted places is the least.
    """
    order = np.argsort(wanted, kind="stable")
    half = sizes[order] / 2
    starts = np.concatenate([[0.0], np.cumsum(half[1:] + half[:-1])])
    blocks: list[tuple[float, int]] = []  # the mean of a block of touching neighbours, and their number
    for target in wanted[order] - starts:
        mean, count = float(target), 1
        while blocks and blocks[-1][0] > mean:
            last, number = blocks.pop()
            mean, count = (mean * count + last * number) / (count + number), count + number
        blocks.append((mean, count))
    places = np.empty(len(wanted))
    places[order] = np.repeat([mean for mean, _ in blocks], [count for _, count in blocks]) + starts
    return places


def nearest_to_own(places: np.ndarray, ends: np.ndarray, apart: float) -> bool:
    """Whether each place is nearer to its own end than to any other, and all ends are `apart` from one another."""
    distances = np.abs(places[:, None] - ends)
    others = np.where(np.eye(len(ends), dtype=bool), np.inf, distances)
    between = np.abs(ends[:, None] - ends)[~np.eye(len(ends), dtype=bool)]
    return bool(np.all(np.diag(distances) <= others.min(axis=1, initial=np.inf)) and np.all(between >= apart))


def all_beside(paths: Sequence[np.ndarray], sizes: np.ndarray, space: Space, gap: float) -> dict[int, Place] | None:
    """The place of the name of each path, by its index; None where they do not all fit.

    The longest name is placed first; one that finds no place comes first in the next attempt.
    """
    order = sorted(range(len(paths)), key=lambda i: -sizes[i, 0])
    for _ in range(2 * len(order)):
        places: dict[int, Place] = {}
        for i in order:
            names = [(*(at.middle - sizes[j] / 2), *(at.middle + sizes[j] / 2)) for j, at in places.items()]
            found = beside(i, paths, sizes[i], space._replace(taken=[*space.taken, *names]), gap)
            if found is None:
                break
            places[i] = found
        else:
            return places
        if not places:  # even the first name has no place
            return None
        order = [i, *(other for other in order if other != i)]
    return None


def beside(own: int, paths: Sequence[np.ndarray], size: np.ndarray, space: Space, gap: float) -> Place | None:
    """The place of a name of this size beside path `own` that is farthest from the others; None without one.

    Where nothing beside the path is free, the nearest free place to which a line can lead across no other path.
    paths: points in pixels, `(n_points, 2)` each. gap: between a name and its path.
    """
    steps = paths[own][:: max(1, int(STRIDE / SAMPLE))]
    others = [path for i, path in enumerate(paths) if i != own]
    for distance in DISTANCES:
        middles = (steps[:, None] + np.array(AROUND) * (size / 2 + distance * gap)).reshape(-1, 2)
        points = np.repeat(steps, len(AROUND), axis=0)
        free = space.is_free(middles, size, gap)
        middles, points = middles[free], points[free]
        if not len(middles):
            continue
        near = _distances(middles, size, paths[own])
        far = np.min([np.full(len(middles), 12 * gap), *(_distances(middles, size, path) for path in others)], axis=0)
        good = (near >= 0.8 * gap) & (near <= 1.5 * gap) & (far >= CLEARER * near)
        if good.any():
            return Place(middles[int(np.argmax(np.where(good, far - near, -np.inf)))])
        if distance == 1:
            continue
        good = (near >= 1.5 * gap) & (far >= 1.5 * gap)
        for i in np.flatnonzero(good)[np.argsort(-far[good], kind="stable")]:
            edge = np.clip(points[i], middles[i] - size / 2, middles[i] + size / 2)
            along = np.linspace(points[i], edge, 40)
            if all(_distances(along, np.zeros(2), path).min() >= 0.8 * gap for path in others):
                return Place(middles[i], along[[0, -1]])
    return None


def _corners(box: Any) -> Box:
    """The left, bottom, right and top of a box of matplotlib."""
    return box.x0, box.y0, box.x1, box.y1


def inked(colour: Any) -> tuple[float, float, float]:
    """A colour for text: as dark as the background asks for, or as light."""
    from matplotlib.colors import to_rgb

    own, ink, paper = (np.array(to_rgb(one)) for one in (colour, theme().ink, theme().paper))
    mixed = (own + (ink - own) * share for share in np.linspace(0, 1, 21))
    red, green, blue = next((one for one in mixed if _contrast(one, paper) >= CONTRAST), ink).tolist()
    return red, green, blue


def _contrast(one: Any, other: Any) -> float:
    """The contrast of two colours by WCAG 2, from 1 to 21."""
    shades = [np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) for rgb in (one, other)]
    light, dark = sorted((brightness(shade) + 0.05 for shade in shades), reverse=True)
    return float(light / dark)


def _distances(middles: np.ndarray, size: np.ndarray, path: np.ndarray) -> np.ndarray:
    """The distance of each box of this size from a path, `(n_middles,)`."""
    beyond = np.maximum(np.abs(middles[:, None] - path) - size / 2, 0)
    return np.asarray(np.hypot(*np.moveaxis(beyond, -1, 0)).min(axis=1))


def _pixels_of(line: Any) -> np.ndarray:
    """Points on a line of matplotlib in pixels, at most `SAMPLE` apart; those that are not finite are left out."""
    points = line.get_transform().transform(np.ma.getdata(line.get_xydata()))
    points = np.asarray(points[np.isfinite(points).all(axis=1)])
    if not len(points):
        return points
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    along = np.linspace(0, lengths[-1], max(2, int(lengths[-1] / SAMPLE)))
    return np.column_stack([np.interp(along, lengths, points[:, axis]) for axis in (0, 1)])
