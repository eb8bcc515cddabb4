"""Points in a plane: the lines through its origin, labels that do not overlap."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, width
from hopattn.results.labelled import Labelled

POINT_SAMPLES = 6
"""A covered point costs as much as this number of covered samples of a line."""
CROSSED = 60.0
"""The cost of a text whose line to its point crosses another text."""
LEADER = 28
"""A label that is farther from its point than this, in printer's points, gets a line to it."""
_DISTANCES = (8, 16, 28, 44, 64, 90)
_DIRECTIONS = [(math.cos(turn), math.sin(turn)) for turn in np.linspace(0, 2 * np.pi, 16, endpoint=False)]


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
    ax: Any,
    texts: Sequence[tuple[str, Any]],
    lines: Sequence[tuple[Any, Any]],
    size: float = 16,
    strong: Collection[str] = (),
    colours: Mapping[str, str] | None = None,
) -> None:
    """Write each text near its point, where it covers the fewest texts, lines and points.

    texts: pairs of a text and its point. lines: pairs of points. size: of the texts, in printer's points on a slide.
    strong: the texts in bold. colours: the colours of some texts. A text far from its point gets a thin line to it.
    Call this last, in a figure that was laid out: it needs to know where everything is.
    """
    pixels = ax.figure.dpi / 72 * scaled(1)  # in one printer's point on a slide
    frame = ax.get_window_extent()
    line_samples = [ax.transData.transform(np.linspace(start, end, 40)) for start, end in lines]
    point_samples = [ax.transData.transform([point] * POINT_SAMPLES) for _, point in texts]
    samples = np.concatenate([np.zeros((0, 2)), *line_samples, *point_samples])
    boxes: list[np.ndarray] = []
    for text, point in texts:
        at = ax.transData.transform(point)
        wide = 0.7 if text in strong else 0.62
        half = np.array([(size * wide * width(text) / 2 + 2) * pixels, 0.75 * size * pixels])
        offset, far = _place(at, half, pixels, samples, boxes, frame)
        boxes.append(np.array([at + offset - half, at + offset + half]))
        leader: Any = {"arrowstyle": "-", "color": theme().faint, "lw": scaled(1), "shrinkA": 0, "shrinkB": scaled(4)}
        ax.annotate(
            text,
            point,
            xytext=offset / ax.figure.dpi * 72,
            textcoords="offset points",
            ha="center",
            va="center",
            zorder=7,
            fontsize=scaled(size),
            weight="bold" if text in strong else "normal",
            color=(colours or {}).get(text, theme().ink),
            annotation_clip=False,
            bbox={"boxstyle": "square,pad=0", "facecolor": theme().paper, "edgecolor": "none", "alpha": 0.75},
            arrowprops=leader if far > LEADER else None,
            in_layout=False,
        )


def _place(
    at: np.ndarray, half: np.ndarray, pixels: float, samples: np.ndarray, boxes: list[np.ndarray], frame: Any
) -> tuple[np.ndarray, float]:
    """The cheapest offset of a text from its point, in pixels, and its distance, in points on a slide.

    at: the point. half: half the size of the text. samples: the points not to be covered. boxes: of the other texts.
    """
    choices = [
        (np.array(direction) * (half + far * pixels), float(far)) for far in _DISTANCES for direction in _DIRECTIONS
    ]
    costs = []
    for offset, far in choices:
        line = at + np.linspace(0, 1, 40)[:, None] * offset
        crossed = sum(bool(np.all((line > low) & (line < high), axis=1).any()) for low, high in boxes)
        cost = _cost(np.array([at + offset - half, at + offset + half]), samples, boxes, frame)
        costs.append(cost + CROSSED * (far > LEADER) * crossed + far / 30)
    return choices[int(np.argmin(costs))]


def _cost(box: np.ndarray, samples: np.ndarray, boxes: list[np.ndarray], frame: Any) -> float:
    """The cost of a text in this box: covered samples, 200 for each overlapping text, 60 outside of the panel."""
    low, high = box
    covered = int(np.all((samples > low) & (samples < high), axis=1).sum())
    overlaps = sum(bool(np.all(low < other[1]) and np.all(other[0] < high)) for other in boxes)
    outside = bool(low[0] < frame.x0 or high[0] > frame.x1 or low[1] < frame.y0 or high[1] > frame.y1)
    return covered + 200.0 * overlaps + 60.0 * outside
