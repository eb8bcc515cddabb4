"""Places of names beside their dots: by measured room, without a name over a dot, an arrow or another name.

Lengths are in printer's points on a slide, so that the same names have the same places in every size of a figure.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

HARD = 1000.0
"""The cost of what no place should have: a name over a dot, an arrow or a name, or nearer to another dot."""
DOT, STROKE = 6.0, 3.0
"""The radius of a dot, and the space between a name and an arrow's line."""
NEAR, FAR = (3.0, 7.0), (16.0, 28.0, 42.0, 60.0, 80.0, 105.0, 135.0, 170.0, 210.0)
"""The distances of a name from the edge of its dot: beside it, and with a leader."""
COVERED, CROSSED = 1.5, 12.0
"""The costs of a sample of a faint line below a name, and of an arrow that a leader crosses."""
ROUNDS = 12
"""The largest number of times that names look for a better place."""


class Name(NamedTuple):
    """A name to be placed. at: its dot, `(2,)`. half: half of its width and height, `(2,)`.

    strong: whether the others yield to it.
    """

    at: np.ndarray
    half: np.ndarray
    strong: bool = False


class Around(NamedTuple):
    """The things that names keep away from: samples, `(n, 2)`.

    dots: of all points. arrows: names cover none. hero: no leader crosses them, and no name covers them. faint: lines
    that names cover where they must. frame: the lower left and the upper right corner of the panel. boxes: of other
    texts, `(n, 2, 2)`.
    """

    dots: np.ndarray
    arrows: np.ndarray
    hero: np.ndarray
    faint: np.ndarray
    frame: np.ndarray
    boxes: np.ndarray


class Places(NamedTuple):
    """The places that a name may have: their boxes, `(n, 2, 2)`, leaders, `(n, 2, 2)`, costs and whether one is led."""

    boxes: np.ndarray
    leaders: np.ndarray
    led: np.ndarray
    costs: np.ndarray


def placed(names: Sequence[Name], around: Around) -> tuple[list[tuple[np.ndarray, np.ndarray | None]], np.ndarray]:
    """For each name its box, `(2, 2)`, and its leader, `(2, 2)` or None; and the cost of each place.

    A cost of `HARD` or more says that there is no place without a fault.
    """
    choices = [_places(name, around) for name in names]
    at = [int(np.argmin(places.costs)) for places in choices]
    costs = np.zeros(len(names))
    for _ in range(ROUNDS):
        before = [*at]
        for i in sorted(range(len(names)), key=lambda i: names[i].strong):  # the last to move
            places = choices[i]
            others = [(choices[k], at[k]) for k in range(len(names)) if k != i]
            total = places.costs + _conflicts(places, others)
            at[i] = int(np.argmin(np.round(total, 6)))
        if at == before:
            break
    for i, places in enumerate(choices):
        others = [(choices[k], at[k]) for k in range(len(names)) if k != i]
        costs[i] = float((places.costs + _conflicts(places, others))[at[i]])
    found = [
        (places.boxes[k], places.leaders[k] if places.led[k] else None) for places, k in zip(choices, at, strict=True)
    ]
    return found, costs


def _places(name: Name, around: Around) -> Places:
    """The places of one name, with the cost of each as if there were no other name."""
    offsets, led, liking = _offsets(name.half)
    centres = name.at + offsets
    boxes = np.stack([centres - name.half, centres + name.half], axis=1)
    ends = np.clip(name.at, boxes[:, 0], boxes[:, 1])
    away = ends - name.at
    far = np.linalg.norm(away, axis=1)
    starts = name.at + away * np.minimum(1.0, DOT / np.maximum(far, 1e-9))[:, None]
    leaders = np.stack([starts, ends], axis=1)
    low, high = boxes[:, None, 0], boxes[:, None, 1]

    def over(samples: np.ndarray, space: float) -> np.ndarray:
        return np.asarray(np.all((samples > low - space) & (samples < high + space), axis=2).sum(axis=1))

    others = around.dots[np.linalg.norm(around.dots - name.at, axis=1) > 1e-6]
    gaps = np.linalg.norm(np.clip(others, low, high) - others, axis=2).min(axis=1, initial=np.inf)
    costs = liking + 0.35 * far
    costs += HARD * np.any((boxes[:, 0] < around.frame[0]) | (boxes[:, 1] > around.frame[1]), axis=1)
    costs += HARD * ((gaps < DOT + 1) | (~led & (gaps < far + 1)))
    costs += 14.0 * (~led & (gaps < 1.7 * far))
    for samples in (around.arrows, around.hero):
        covered = over(samples, STROKE)
        costs += HARD * (covered > 0) + covered
    costs += COVERED * over(around.faint, 1.0)
    costs += HARD * _meeting(boxes, around.boxes).sum(axis=1)
    apart = others[np.linalg.norm(others - name.at, axis=1) > 2 * DOT + 2]  # a dot over its own is no obstacle
    costs[led] += _crossing_cost(leaders[led], around, apart)
    return Places(boxes, leaders, led, costs)


def _offsets(half: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The places of a name's centre around its dot, `(n, 2)`, whether each needs a leader, and how little it is liked.

    Right of the dot is best, then above, then left and below, then the places between them.
    """
    sides: list[tuple[tuple[float, float], float]]
    sides = [((1, 0), 0.0), ((0, 1), 2.0), ((-1, 0), 3.0), ((0, -1), 2.5)]
    sides += [((x, y), 4.0 + 0.1 * (x < 0) + 0.2 * (y < 0)) for x in (1, -1) for y in (1, -1)]
    sides += [((x, y), 5.0 + 0.1 * (x < 0) + 0.2 * (y < 0)) for x in (0.5, -0.5) for y in (1, -1)]
    sides += [((x, y), 5.0 + 0.1 * (x < 0) + 0.2 * (y < 0)) for x in (1, -1) for y in (0.5, -0.5)]
    found: list[tuple[float, float, bool, float]] = []
    for gap in NEAR + FAR:
        for (x, y), liking in sides:
            room = half + DOT + gap * (0.75 if abs(x) + abs(y) > 1.2 else 1.0)
            led = gap in FAR
            found.append((x * room[0], y * room[1], led, liking * (0.3 if led else 1.0) + 30.0 * led))
            if abs(y) == 1 and x == 0:  # above or below, flush with the dot
                found += [(side * (half[0] - DOT), y * room[1], led, liking + 0.5 + 30.0 * led) for side in (1, -1)]
    table = np.array(found, dtype=float)
    return table[:, :2], table[:, 2] > 0, table[:, 3]


def _crossing_cost(leaders: np.ndarray, around: Around, others: np.ndarray) -> np.ndarray:
    """The cost of leaders over other dots, the arrow of the hero, arrows and texts, `(n,)`. others: the other dots."""
    cost = HARD * (_close(leaders, others, DOT + 1) > 0) + HARD * (_close(leaders, around.hero, 4.0) > 0)
    cost += CROSSED * np.minimum(_close(leaders, around.arrows, 2.5), 4)
    return np.asarray(cost + CROSSED * _through(leaders[:, None], around.boxes).sum(axis=1))


def _close(lines: np.ndarray, samples: np.ndarray, space: float) -> np.ndarray:
    """How many samples, `(m, 2)`, are closer to each line, `(n, 2, 2)`, than the space: `(n,)`."""
    low, high = lines.min(axis=(0, 1)) - space, lines.max(axis=(0, 1)) + space
    near = samples[np.all((samples >= low) & (samples <= high), axis=1)]
    start, way = lines[:, None, 0], (lines[:, 1] - lines[:, 0])[:, None]
    along = np.sum((near - start) * way, axis=2) / np.maximum(np.sum(way**2, axis=2), 1e-9)
    apart = near - start - np.clip(along, 0.0, 1.0)[..., None] * way
    return np.asarray((np.sum(apart**2, axis=2) < space**2).sum(axis=1))


def _conflicts(places: Places, others: Sequence[tuple[Places, int]]) -> np.ndarray:
    """The cost of each place of a name with the others where they are."""
    boxes = np.array([other.boxes[k] for other, k in others]).reshape(-1, 2, 2)
    leaders = np.array([other.leaders[k] for other, k in others if other.led[k]]).reshape(-1, 2, 2)
    faults = _meeting(places.boxes, boxes).sum(axis=1) + _through(leaders, places.boxes[:, None]).sum(axis=1)
    own = places.leaders[places.led, None]
    faults[places.led] += _through(own, boxes).sum(axis=1) + _cross(own, leaders).sum(axis=1)
    return np.asarray(HARD * faults)


def _meeting(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether boxes, `(n, 2, 2)`, are over others, `(m, 2, 2)`, or nearly: `(n, m)`."""
    space = np.array([3.0, 0.5])
    return np.asarray(
        np.all((boxes[:, None, 0] < others[:, 1] + space) & (others[:, 0] - space < boxes[:, None, 1]), axis=2)
    )


def _through(lines: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Whether lines, from a point to a point, go through boxes. Both: `(..., 2, 2)`."""
    start, way = lines[..., 0, :], lines[..., 1, :] - lines[..., 0, :]
    way = np.where(np.abs(way) < 1e-9, 1e-9, way)
    one, other = (boxes[..., 0, :] - 1.0 - start) / way, (boxes[..., 1, :] + 1.0 - start) / way
    enters, leaves = np.minimum(one, other).max(axis=-1), np.maximum(one, other).min(axis=-1)
    return np.asarray((enters <= leaves) & (leaves >= 0.0) & (enters <= 1.0))


def _cross(lines: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether lines cross others. Both: `(..., 2, 2)`."""

    def side(line: np.ndarray, point: np.ndarray) -> np.ndarray:
        way, to = line[..., 1, :] - line[..., 0, :], point - line[..., 0, :]
        return np.asarray(way[..., 0] * to[..., 1] - way[..., 1] * to[..., 0])

    parted = side(lines, others[..., 0, :]) * side(lines, others[..., 1, :]) <= 0
    return np.asarray(parted & (side(others, lines[..., 0, :]) * side(others, lines[..., 1, :]) <= 0))
