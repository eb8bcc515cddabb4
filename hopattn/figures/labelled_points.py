"""Points in a plane: the two axes of the plane, the lines through its origin, labels that do not overlap."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hopattn.figures.headings import laid_out
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, width
from hopattn.foundation.labelled import Labelled

POINT_SAMPLES = 6
"""A covered point costs as much as this number of covered samples of a line."""
LEADER = 28
"""A label that is farther from its point than this, in printer's points, gets a line to it."""
_DISTANCES = (8, 16, 28, 44, 64, 90)
_DIRECTIONS = [(math.cos(turn), math.sin(turn)) for turn in np.linspace(0, 2 * np.pi, 16, endpoint=False)]


def largest_axes(totals: Mapping[str, float]) -> tuple[str, str]:
    """The two axes with the largest totals, in the order of the axes; of equal totals the first axes."""
    largest = sorted(totals, key=lambda axis: -totals[axis])[:2]
    first, second = (axis for axis in totals if axis in largest)
    return first, second


def in_plane(words: Labelled, first: str, second: str) -> np.ndarray:
    """The coordinates of words on two of their axes, `(n_words, 2)`."""
    return np.asarray(words.values[:, [words.labels[1].index(axis) for axis in (first, second)]])


def draw_origin(ax: Any) -> list[tuple[Any, Any]]:
    """Draw the two lines through the origin; returns the end points of each."""
    ax.axhline(0, color=theme().faint, lw=scaled(0.8))
    ax.axvline(0, color=theme().faint, lw=scaled(0.8))
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    return [((left, 0), (right, 0)), ((0, low), (0, high))]


def grouped(tokens: Iterable[str], points: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """One label for each distinct point, with the point. Words at the same point share a label."""
    names_at: dict[tuple[float, ...], list[str]] = {}
    for token, point in zip(tokens, points, strict=True):
        names_at.setdefault(tuple(np.round(point, 6) + 0.0), []).append(label(token))
    return [
        (", ".join(names[:3]) + (" …" if len(names) > 3 else ""), np.array(point)) for point, names in names_at.items()
    ]


def keep_apart(
    ax: Any, texts: Sequence[tuple[str, np.ndarray]], lines: Sequence[tuple[Any, Any]], size: float = 16, **style: Any
) -> None:
    """Write each text near its point, where it covers the fewest texts, lines and points.

    texts: pairs of a text and its point. lines: pairs of points. A text far from its point gets a thin line to it.
    Call this last: it lays the figure out to know where everything is.
    """
    laid_out(ax.figure)
    pixels = ax.figure.dpi / 72  # in one printer's point
    frame = ax.get_window_extent()
    line_samples = [ax.transData.transform(np.linspace(start, end, 40)) for start, end in lines]
    point_samples = [ax.transData.transform([point] * POINT_SAMPLES) for _, point in texts]
    samples = np.concatenate([np.zeros((0, 2)), *line_samples, *point_samples])
    boxes: list[np.ndarray] = []
    for text, point in texts:
        at = ax.transData.transform(point)
        half = np.array([(size * 0.62 * width(text) / 2 + 2) * pixels, 0.75 * size * pixels])
        _, offset, distance = min(
            (
                (
                    _cost(np.array([at + offset - half, at + offset + half]), samples, boxes, frame) + far / 30,
                    offset,
                    far,
                )
                for far in _DISTANCES
                for direction in _DIRECTIONS
                for offset in [np.array(direction) * (half + far * pixels)]
            ),
            key=lambda choice: choice[0],
        )
        boxes.append(np.array([at + offset - half, at + offset + half]))
        place = {"xytext": offset / pixels, "textcoords": "offset points", "ha": "center", "va": "center", "zorder": 7}
        leader = (
            {"arrowstyle": "-", "color": theme().faint, "lw": scaled(1), "shrinkA": 0, "shrinkB": scaled(4)}
            if distance > LEADER
            else None
        )
        ax.annotate(text, point, **place, fontsize=size, annotation_clip=False, arrowprops=leader, **style)


def _cost(box: np.ndarray, samples: np.ndarray, boxes: list[np.ndarray], frame: Any) -> float:
    """The cost of a text in this box: covered samples, 40 for each overlapping text, 60 outside of the panel."""
    low, high = box
    covered = int(np.all((samples > low) & (samples < high), axis=1).sum())
    overlaps = sum(bool(np.all(low < other[1]) and np.all(other[0] < high)) for other in boxes)
    outside = bool(low[0] < frame.x0 or high[0] > frame.x1 or low[1] < frame.y0 or high[1] > frame.y1)
    return covered + 40.0 * overlaps + 60.0 * outside
