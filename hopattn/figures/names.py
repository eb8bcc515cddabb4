"""Names beside points, and at the ends of curves: where they cover least."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hopattn.figures.sheet import Sentence, in_comma
from hopattn.figures.style import edged, pixels, scaled, theme
from hopattn.figures.text import LABEL, inked, number, subscripted

ANGLES, DISTANCES, RADIUS = np.deg2rad([0, 90, 180, 270, 45, 135, 225, 315]), (12, 26, 48, 80), 5.0
"""The directions in which a name may lie from its point, and its distances, in points of print on a slide, for a point
of this radius; at those behind the first two, a line leads to it.
"""
LETTERS, TOGETHER, LONGEST = 28, 4, 34
"""The most letters of a name beside a point, where a longer one is cut, the most names of one point, and the most
letters of a name at the end of a curve.
"""
APART, BELOW, ABOVE = 1.2, -0.02, 1.02
"""The distance of two names at the ends of curves, in heights of a name, and the ends of their column, in heights of
the axes.
"""


def numeral(value: float, lang: str, write: Callable[[float], str] = number) -> str:
    """A number as a language writes it. write: in English."""
    return in_comma(write(float(value)).replace("-", "−"), lang)


def labels(texts: Sequence[str], letters: float = LABEL) -> list[str]:
    """Names as figures show them: tokens as `subscripted` does; a sentence is no token, and is never cut."""
    tokens = iter(subscripted([text for text in texts if not isinstance(text, Sentence)], letters))
    return [text if isinstance(text, Sentence) else next(tokens) for text in texts]


def beside_points(ax: Any, points: Sequence[tuple[str, Any, Any, float]], ways: np.ndarray) -> None:
    """Write the names of points beside them, where they cover the least: the nearest place wins between equal ones.

    points: the name of each, empty for none, its place, its colour, and its size, of 1, as usual. ways: points `(n, 2)`
    that names are not to cover. Points at one place have their names together.
    """
    names, at, colours, sizes = zip(*points, strict=True)
    step, to_pixels = pixels(ax), ax.transData.transform
    centres = to_pixels(at)
    obstacles = np.vstack([centres, to_pixels(ways)])
    beyond = scaled(RADIUS) * step * np.clip([*np.subtract(sizes, 1), *np.zeros(len(ways))], 0, None)
    groups: dict[tuple[int, ...], dict[str, int]] = {}
    for i, name in enumerate(labels(names, LETTERS)):
        if name:
            groups.setdefault(tuple(np.round(centres[i] / (3 * step)).astype(int)), {}).setdefault(name, i)
    far = np.repeat(DISTANCES, len(ANGLES))
    turns = np.tile(np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1), (len(DISTANCES), 1))
    others, halves = np.empty((0, 2)), np.empty((0, 2))
    for group in sorted(groups.values(), key=len, reverse=True):
        first, more = next(iter(group.values())), len(group) - TOGETHER
        words = ", ".join([*group][:TOGETHER]) + (f" +{more}" if more > 0 else "")
        look: Any = {"color": inked(colours[first]), "path_effects": edged(theme().paper, 4)}
        text = ax.text(*at[first], words, ha="center", va="center", zorder=7, **look)
        half, centre = text.get_window_extent().size / 2, centres[first]
        start = beyond[np.linalg.norm(obstacles - centre, axis=1) < 3 * step].max()
        middles = centre + (scaled(1) * step * far[:, None] + start + half) * turns
        under = np.all(np.abs(obstacles - middles[:, None]) < half + 2 + beyond[:, None], axis=-1).sum(axis=1)
        over = np.all(np.abs(others - middles[:, None]) < half + halves, axis=-1).sum(axis=1)
        out = np.any((middles - half < ax.bbox.min) | (middles + half > ax.bbox.max), axis=1)
        best = np.argmin(under + 20 * over + 30 * out + far / 40)
        others, halves = np.vstack([others, middles[best]]), np.vstack([halves, half])
        text.set_position(ax.transData.inverted().transform(middles[best]))
        if far[best] > DISTANCES[1]:
            edge = middles[best] - np.sign(middles[best] - centre) * half * 0.9
            line = ax.transData.inverted().transform([edge, centre])
            ax.plot(*line.T, color=theme().faint, linewidth=scaled(1), zorder=4, scalex=False, scaley=False)


def at_ends(ax: Any, curves: Sequence[tuple[str, Any]]) -> bool:
    """Write the names of curves, each with its line, in a column beside their ends; False without room, and for one."""
    lines = [line.get_xydata()[np.isfinite(line.get_ydata())] for _, line in curves]
    if len(curves) < 2 or not all(map(len, lines)) or max(len(name) for name, _ in curves) > LONGEST:
        return False
    x, y = (ax.transData - ax.transAxes).transform([line[-1] for line in lines]).T
    if x.min() < 0.9:
        return False
    look: Any = {"transform": ax.transAxes, "va": "center", "fontsize": scaled(16)}
    texts = [ax.text(1.02, 0, name, color=inked(line.get_color()), **look) for name, line in curves]
    widths, heights = np.array([text.get_window_extent().size for text in texts]).T
    heights *= APART / ax.bbox.height
    if room := heights.sum() <= ABOVE and widths.max() <= 0.4 * ax.figure.bbox.width:
        for text, height in zip(texts, spread_out(y, heights), strict=True):
            text.set_y(height)
    else:
        for text in texts:
            text.remove()
    return bool(room)


def spread_out(wanted: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """The places nearest to those that are wanted, from 0 to 1, at which texts of these heights do not overlap."""
    from scipy.optimize import isotonic_regression

    order = np.argsort(wanted, kind="stable")
    tops = np.cumsum(heights[order])
    stack = tops - heights[order] / 2
    rise = isotonic_regression(wanted[order] - stack).x.clip(BELOW, ABOVE - tops[-1])
    return np.asarray((rise + stack)[np.argsort(order)])
