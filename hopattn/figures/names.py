"""Names beside points, and at the ends of curves: where they cover least."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopattn.figures.sheet import Sentence
from hopattn.figures.style import edged, scaled, theme
from hopattn.figures.text import inked, label, subscripted

ANGLES = np.deg2rad([0, 90, 180, 270, 45, 135, 225, 315])
"""The directions in which a name may lie from its point."""
DISTANCES = 12, 26, 48, 80
"""Its distances, in points of print on a slide; at those behind the first two, a line leads to it."""
LETTERS = 28
"""The most letters of a name; a longer one is cut."""
TOGETHER = 4
"""The most names that one point shows."""
APART = 1.2
"""The distance of two names at the ends of curves, in heights of a name."""


def beside_points(ax: Any, names: Sequence[tuple[str, Any, Any]], ways: np.ndarray) -> None:
    """Write each name beside its point, where it covers the least: the nearest place wins between equal ones.

    names: texts, each with its point and its colour; an empty text is a point without a name. ways: points `(n, 2)`
    that names are not to cover. Points at one place have their names together.
    """
    if not any(name for name, _, _ in names):
        return
    pixels = ax.transData.transform
    points = np.array([point for _, point, _ in names], float).reshape(-1, 2)
    covered = pixels(np.vstack([points, ways]))
    step = ax.get_figure(root=True).dpi / 72
    plain = [name for name, _, _ in names if name and not isinstance(name, Sentence)]
    labels = dict(zip(plain, subscripted(plain, LETTERS), strict=True))  # a sentence is never cut
    groups: dict[tuple[int, ...], list[tuple[str, Any, Any]]] = {}
    for (name, point, colour), at in zip(names, pixels(points), strict=True):
        if name:
            groups.setdefault(tuple(np.round(at / (3 * step)).astype(int)), []).append(
                (labels.get(name, name), point, colour)
            )
    low, high = ax.bbox.min, ax.bbox.max
    placed: list[tuple[Any, Any]] = []
    for group in sorted(groups.values(), key=len, reverse=True):
        shown = [*dict.fromkeys(name for name, _, _ in group)]
        more = len(shown) - TOGETHER
        text = ", ".join(shown[:TOGETHER]) + (f" +{more}" if more > 0 else "")
        at, (x, y) = group[0][1], pixels(group[0][1])
        edge: Any = {"path_effects": edged(theme().paper, 4)}
        written = ax.text(*at, text, ha="center", va="center", zorder=7, color=inked(group[0][2]), **edge)
        half = np.array([written.get_window_extent().width, written.get_window_extent().height]) / 2
        best: tuple[float, Any] | None = None
        for far in DISTANCES:
            for angle in ANGLES:
                middle = np.array([x, y]) + (scaled(far) * step + half) * (np.cos(angle), np.sin(angle))
                under = np.sum(np.all(np.abs(covered - middle) < half + 2, axis=1))
                over = sum(bool(np.all(np.abs(middle - other) < half + size)) for other, size in placed)
                out = bool(np.any(middle - half < low) or np.any(middle + half > high))
                cost = float(under + 20 * over + 30 * out + far / 40)
                if best is None or cost < best[0]:
                    best = cost, (middle, far)
        middle, far = best[1] if best else (np.array([x, y]), 0)
        placed.append((middle, half))
        written.set_position(ax.transData.inverted().transform(middle))
        if far > DISTANCES[1]:
            ends = ax.transData.inverted().transform([middle - np.sign(middle - (x, y)) * half * 0.9, (x, y)])
            ax.plot(*ends.T, color=theme().faint, linewidth=scaled(1), zorder=4, scalex=False, scaley=False)


def at_ends(ax: Any, curves: Sequence[tuple[str, Any]]) -> bool:
    """Write the names of curves in a column to the right of their ends; False where they have no room, and for one.

    curves: each name with its line.
    """
    ends = [(name, line, line.get_xydata()[np.isfinite(line.get_ydata())]) for name, line in curves]
    if len(curves) < 2 or not all(len(points) for _, _, points in ends):
        return False
    right = [ax.transAxes.inverted().transform(ax.transData.transform(points[-1])) for _, _, points in ends]
    if min(x for x, _ in right) < 0.9 or any(name != label(name) and len(name) > 34 for name, _, _ in ends):
        return False
    texts = [
        ax.text(1.02, y, name, transform=ax.transAxes, va="center", color=inked(line.get_color()), fontsize=scaled(16))
        for (name, line, _), (_, y) in zip(ends, right, strict=True)
    ]
    heights = np.array([text.get_window_extent().height for text in texts]) * APART / ax.bbox.height
    if heights.sum() > 1.02 or max(text.get_window_extent().width for text in texts) > 0.4 * ax.figure.bbox.width:
        for text in texts:
            text.remove()
        return False
    for text, y in zip(texts, spread_out(np.array([y for _, y in right]), heights), strict=True):
        text.set_y(y)
    return True


def spread_out(wanted: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """The places nearest to those that are wanted, from 0 to 1, at which texts of these heights do not overlap."""
    order = np.argsort(wanted, kind="stable")
    stacks: list[list[Any]] = []  # each: the sum of wanted bottoms, the number, the height
    for i in order:
        stacks.append([wanted[i] - heights[i] / 2, 1, heights[i]])
        while len(stacks) > 1 and _bottom(stacks[-2]) + stacks[-2][2] > _bottom(stacks[-1]):
            total, count, height = stacks.pop()
            below = stacks[-1]
            below[0] += total - count * below[2]
            below[1] += count
            below[2] += height
    places = np.empty(len(wanted))
    index = 0
    for stack in stacks:
        bottom = _bottom(stack)
        for i in order[index : index + stack[1]]:
            places[i] = bottom + heights[i] / 2
            bottom += heights[i]
        index += stack[1]
    return places


def _bottom(stack: Sequence[Any]) -> float:
    """The lower end of a stack of texts, within the axes."""
    return float(min(max(stack[0] / stack[1], -0.02), 1.02 - stack[2]))
