"""Places of names beside points and lines: by measured room, without a name over a dot, an arrow or another name.

Lengths are in printer's points on a slide, so that the same names have the same places in every size of a figure.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.style import scaled, theme

HARD = 1000.0
"""The cost of a fault: a name over a dot, an arrow or a name, nearer to another dot, or outside of the panel."""
CLEAR, STROKE, CROSSING = 7.0, 3.0, 4.0
"""The least distances of a name from any dot and from an arrow, and of a leader from the arrow of the hero."""
SPACE = np.array([3.0, 0.5])
"""The least space between two names, across and up."""
CLEARER = 1.8
"""A name is clear if all other dots are so many times as far as its own."""
DISTANCE, COVERED, CROSSED = 0.35, 1.5, 12.0
"""The costs of a point of distance, of a sample of a faint line below a name, and of an arrow that a leader crosses."""
SAMPLED, MOST = 4.0, 2000
"""The distance between the samples of a line, and the largest number of them."""
ROUNDS, TOGETHER = 12, 24
"""How often names look for a better place at most, and the places that a name tries together with another one."""


class Kind(NamedTuple):
    """The rules for the names of points or of lines.

    radius: of the dot at which a leader starts. unclear: the cost of a name beside a dot from which it is not clear
    that the name is its own. open: the cost of each point that other dots are nearer than 100.
    """

    radius: float
    unclear: float
    open: float


class Around(NamedTuple):
    """The things that names keep away from.

    frame: the lower left and the upper right corner of the panel. boxes: of other texts, `(n, 2, 2)`. The others are
    samples, `(n, 2)`. arrows: names cover none. hero: no leader crosses it either. faint: names may cover it.
    """

    frame: np.ndarray
    boxes: np.ndarray
    arrows: np.ndarray
    hero: np.ndarray
    faint: np.ndarray


class Places(NamedTuple):
    """The places that a name may have.

    points: that are named, `(n, 2)`. boxes: of the name, `(n, 2, 2)`. leaders: lines from the points to the boxes,
    `(n, 2, 2)`; not a number where there is none. costs: `(n,)`.
    """

    points: np.ndarray
    boxes: np.ndarray
    leaders: np.ndarray
    costs: np.ndarray

    def only(self, index: Any) -> "Places":
        """One of the places, or some of them."""
        return Places(*(part[index] for part in self))


def judged(
    points: np.ndarray, boxes: np.ndarray, led: np.ndarray, liking: np.ndarray, kind: Kind, dots: Any, around: Around
) -> Places:
    """The places of a name, with the cost of each as if there were no other name.

    points, boxes: as in `Places`. led: whether a place has a leader, `(n,)`. liking: the costs that it has by itself,
    `(n,)`. dots: samples of what is named, of the dots or lines with other names, and of those that no leader meets.
    """
    own, others, barred = dots
    near, far = (gaps(boxes, samples).min(axis=1, initial=np.inf) for samples in (own, others))
    faults = np.any((boxes[:, 0] < around.frame[0]) | (boxes[:, 1] > around.frame[1]), axis=1).astype(float)
    faults += (near < CLEAR) | (far < CLEAR) | (~led & (far < near + 1))
    faults += np.any(gaps(boxes, np.concatenate([around.arrows, around.hero])) < STROKE, axis=1)
    costs = HARD * (faults + meeting(boxes, around.boxes).sum(axis=1)) + liking + DISTANCE * near
    costs += kind.unclear * (~led & (far < CLEARER * near)) + kind.open * np.maximum(100.0 - far, 0.0)
    costs += COVERED * np.sum(gaps(boxes, around.faint) < 1.0, axis=1)
    ways = np.clip(points, boxes[:, 0], boxes[:, 1]) - points
    inner = np.minimum(1.0, 0.7 * kind.radius / np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-9))
    leaders = np.where(led[:, None, None], np.stack([points + inner * ways, points + ways], axis=1), np.nan)
    good = led & (costs < HARD)
    lines = leaders[good]
    costs[good] += HARD * (close(lines, barred, CLEAR) + close(lines, around.hero, CROSSING) > 0)
    costs[good] += CROSSED * np.minimum(close(lines, around.arrows, 2.5), 4)
    costs[good] += CROSSED * through(lines[:, None], around.boxes).sum(axis=1)
    return Places(points, boxes, leaders, costs)


def chosen(choices: Sequence[Places], last: Collection[int] = ()) -> tuple[list[Places], np.ndarray]:
    """The place of each name at which there are the least faults, and the cost of each; one of `HARD` is a fault.

    Names look for better places one at a time, those of `last` after the others. Where none finds a better one, two
    that have a fault together look together.
    """
    at = [int(np.argmin(places.costs)) for places in choices]
    order = sorted(range(len(at)), key=lambda i: i in last)
    for _ in range(ROUNDS):
        before = [*at]
        for i in order:
            at[i] = int(np.argmin(np.round(_costs(choices, at, i), 6)))
        if at == before:
            now = [places.only([k]) for places, k in zip(choices, at, strict=True)]
            meet = [(i, j) for i, j in combinations(order, 2) if conflicts(now[i], now[j]).any()]
            if not any(_move_both(choices, at, i, j) for i, j in meet):
                break
    costs = np.array([_costs(choices, at, i)[at[i]] for i in range(len(at))])
    return [places.only(k) for places, k in zip(choices, at, strict=True)], costs


def _costs(choices: Sequence[Places], at: Sequence[int], i: int, but: int = -1) -> np.ndarray:
    """The costs of the places of a name with the others where they are. but: another one that does not count."""
    others = [choices[k].only(at[k]) for k in range(len(at)) if k not in (i, but)]
    if not others:
        return choices[i].costs
    there = Places(*map(np.stack, zip(*others, strict=True)))
    return np.asarray(choices[i].costs + HARD * conflicts(choices[i], there).sum(axis=1))


def _move_both(choices: Sequence[Places], at: list[int], i: int, j: int) -> bool:
    """Move two names together to the best of their places; says whether one has moved."""
    first, second = _costs(choices, at, i, j), _costs(choices, at, j, i)
    one = np.append(np.argsort(first, kind="stable")[:TOGETHER], at[i])
    other = np.append(np.argsort(second, kind="stable")[:TOGETHER], at[j])
    both = HARD * conflicts(choices[i].only(one), choices[j].only(other)) + first[one, None] + second[other]
    best = np.unravel_index(np.argmin(both), both.shape)
    if both[best] > both[-1, -1] - 1e-6:
        return False
    at[i], at[j] = int(one[best[0]]), int(other[best[1]])
    return True


def conflicts(names: Places, others: Places) -> np.ndarray:
    """The number of faults between places of a name and those of another one, `(n, m)`."""
    boxes, leaders = names.boxes[:, None], names.leaders[:, None]
    faults = meeting(names.boxes, others.boxes) + 1.0 * crossing(leaders, others.leaders)
    return np.asarray(faults + through(leaders, others.boxes) + through(others.leaders, boxes))


def gaps(boxes: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """The distances of boxes, `(n, 2, 2)`, from samples, `(m, 2)`: `(n, m)`."""
    middles, halves = boxes.mean(axis=1), (boxes[:, 1] - boxes[:, 0]) / 2
    across, up = (np.maximum(abs(middles[:, k, None] - samples[:, k]) - halves[:, k, None], 0.0) for k in (0, 1))
    return np.asarray(np.sqrt(across**2 + up**2))


def close(lines: np.ndarray, samples: np.ndarray, space: float) -> np.ndarray:
    """How many samples, `(m, 2)`, are closer to each line, `(n, 2, 2)`, than the space: `(n,)`."""
    start, way = lines[:, :1], lines[:, 1:] - lines[:, :1]
    along = np.sum((samples - start) * way, axis=2) / np.maximum(np.sum(way**2, axis=2), 1e-9)
    apart = samples - start - np.clip(along, 0.0, 1.0)[..., None] * way
    return np.asarray((np.sum(apart**2, axis=2) < space**2).sum(axis=1))


def meeting(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether boxes, `(n, 2, 2)`, are over others, `(m, 2, 2)`, or nearly: `(n, m)`."""
    low, high = boxes[:, None, 0] - SPACE, boxes[:, None, 1] + SPACE
    return np.asarray(np.all((low < others[:, 1]) & (others[:, 0] < high), axis=2))


def through(lines: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Whether lines, from a point to a point, go through boxes. Both: `(..., 2, 2)`."""
    start, way = lines[..., 0, :], lines[..., 1, :] - lines[..., 0, :]
    way = np.where(np.abs(way) < 1e-9, 1e-9, way)
    one, other = (boxes[..., 0, :] - 1.0 - start) / way, (boxes[..., 1, :] + 1.0 - start) / way
    enters, leaves = np.minimum(one, other).max(axis=-1), np.maximum(one, other).min(axis=-1)
    return np.asarray((enters <= leaves) & (leaves >= 0.0) & (enters <= 1.0))


def crossing(lines: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether lines cross others. Both: `(..., 2, 2)`."""

    def side(line: np.ndarray, point: np.ndarray) -> np.ndarray:
        way, to = line[..., 1, :] - line[..., 0, :], point - line[..., 0, :]
        return np.asarray(way[..., 0] * to[..., 1] - way[..., 1] * to[..., 0])

    parted = side(lines, others[..., 0, :]) * side(lines, others[..., 1, :]) <= 0
    return np.asarray(parted & (side(others, lines[..., 0, :]) * side(others, lines[..., 1, :]) <= 0))


def pixels_in_point(ax: Axes) -> float:
    """The pixels in a printer's point on a slide."""
    return float(ax.get_figure(root=True).dpi) / 72 * scaled(1)


def on_slide(ax: Axes, points: Any) -> np.ndarray:
    """Points of a panel in printer's points on a slide, `(n, 2)`."""
    return np.asarray(ax.transData.transform(np.array(points, dtype=float).reshape(-1, 2))) / pixels_in_point(ax)


def around_names(ax: Axes, texts: Iterable[Any], *paths: Iterable[np.ndarray]) -> Around:
    """The things in a panel that names keep away from. texts: of matplotlib. paths: three kinds, as in `Around`."""
    from matplotlib.text import Text

    frame, pixels = ax.get_window_extent().get_points() / pixels_in_point(ax), pixels_in_point(ax)
    boxes = [Text.get_window_extent(text).get_points() / pixels for text in texts]
    arrows, hero, faint = (sampled(some, frame) for some in paths)
    return Around(frame, np.array(boxes).reshape(-1, 2, 2), arrows, hero, faint)


def extent(ax: Axes, text: str, size: float, bold: bool = False) -> np.ndarray:
    """The width and the height of a text as it will be drawn, `(2,)`, in printer's points on a slide."""
    from matplotlib.text import Text

    drawn = Text(0, 0, text, fontsize=scaled(size), weight="bold" if bold else "normal")
    drawn.set_figure(ax.get_figure(root=True))
    box = drawn.get_window_extent()
    return np.array([box.width, box.height]) / pixels_in_point(ax)


def sampled(paths: Iterable[np.ndarray], frame: np.ndarray) -> np.ndarray:
    """Samples of paths, `(n, 2)`, as far as they are in a frame; corners that are not finite are left out."""
    found = [np.zeros((0, 2))]
    for path in paths:
        corners = path[np.isfinite(path).all(axis=1)]
        far = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))])
        at = np.linspace(0, far[-1], int(np.clip(far[-1] / SAMPLED, 1, MOST)) + 1)
        found += [np.column_stack([np.interp(at, far, corners[:, k]) for k in (0, 1)])] if len(corners) else []
    every = np.concatenate(found)
    return np.asarray(every[np.all((every >= frame[0]) & (every <= frame[1]), axis=1)])


def write(ax: Axes, text: str, place: Places, radius: float, **look: Any) -> Any:
    """Write a name at its place, with a line from its point if it is led; returns the text.

    radius: of the dot at which the line ends. look: of the text.
    """
    (low, high), point = place.boxes, ax.transData.inverted().transform(place.points * pixels_in_point(ax))
    line: Any = {"arrowstyle": "-", "color": theme().faint, "lw": scaled(1), "shrinkA": 0, "shrinkB": scaled(radius)}
    line["relpos"] = np.clip((place.leaders[1] - low) / (high - low), 0, 1)
    led = bool(np.isfinite(place.leaders).all())
    beside = {"xytext": ((low + high) / 2 - place.points) * scaled(1), "textcoords": "offset points"}
    style = {"ha": "center", "va": "center", "zorder": 7, "annotation_clip": False, "in_layout": False}
    return ax.annotate(text, point, arrowprops=line if led else None, **beside | style | look)
