"""Positions on a circle, each moved by a rotation, and the rotation as a matrix and as a network of one layer."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Around, Axes, Figure, Plot
from hopattn.figures.cue_circle import unit_circle
from hopattn.figures.headings import foot, headline, headline_of, laid_out, left_out
from hopattn.figures.labelled_points import Drawn, grouped, keep_apart
from hopattn.figures.placing import extent, pixels_in_point
from hopattn.figures.shapes import arrow, bare, boxed, layer
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number, short
from hopattn.scenario.result import Result

ALIKE = 8
"""The number of names up to which all are inside the circle."""
MOST = 24
"""The largest number of positions: the first."""


class Positions(Plot):
    """The positions of the first run as points with arrows for the rotation, its matrix and its network."""

    shows: ClassVar[str] = "positions on a circle, and the rotation of one step as a matrix and as a network"
    scenario: ClassVar[str] = "positions"
    of_one_run: ClassVar[bool] = True

    def lacks(self, result: Result) -> str:
        arrays = result.runs[0].arrays
        if "network" not in arrays:
            return "it has no layer of neurons"
        weights = arrays["network"].values
        rotates = weights.shape == (2, 2) and np.allclose(weights.T @ weights, np.eye(2)) and np.linalg.det(weights) > 0
        if not rotates:
            return "its layer is not a rotation of the plane"
        moved = np.allclose(arrays["input"].values @ weights.T, arrays["state"].values)
        return "" if moved else "its neurons do more to a point than rotate it"

    def panel(self, ax: Axes, result: Result) -> Around:
        cues, weights = result.runs[0].arrays["input"], result.runs[0].arrays["network"].values
        names = tuple(map(label, cues.labels[1]))
        _circle(ax, cues.labels[0], cues.values, weights, names)
        return Around(headline_of(result))

    def draw(self, figure: Figure, result: Result) -> None:
        arrays = result.runs[0].arrays
        weights, axes_names = arrays["network"].values, tuple(map(label, arrays["input"].labels[1]))
        headline(figure, result)
        axes = figure.subplot_mosaic([["circle", "matrix"], ["circle", "network"]], height_ratios=[1, 1.5])
        _matrix(axes["matrix"], weights, [short(name, 7) for name in axes_names])
        inputs, neurons = ([short(name, 5) for name in names] for names in (axes_names, arrays["network"].labels[0]))
        layer(axes["network"], weights, inputs, neurons, ["", ""])
        axes["network"].set(xlim=(-0.6, 3.6), ylim=(-1.5, 1.5))
        axes["network"].set_title("as a network of one layer")
        _circle(axes["circle"], arrays["input"].labels[0], arrays["input"].values, weights, axes_names)
        of = left_out(min(MOST, len(arrays["input"].labels[0])), len(arrays["input"].labels[0]), "positions")
        foot(figure, ("a dashed line has a weight below 0" * bool(np.any(weights < 0)), of))


def _circle(ax: Axes, tokens: tuple[str, ...], points: np.ndarray, weights: np.ndarray, names: Any) -> None:
    """Draw the points, each with an arc to the point that the rotation moves it to, and the angle at the centre."""
    tokens, points = tokens[:MOST], points[:MOST]
    turn = float(np.arctan2(weights[1, 0], weights[0, 0]))
    far = np.linalg.norm(points, axis=1)
    reach = 1.45 * max(1.0, float(far.max(initial=0.0)))
    bare(ax, xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    ax.set_title(f"one step turns by {_degrees(turn)}")
    around = np.linspace(0, 2 * np.pi, 181)
    unit_circle(ax, reach)
    style: dict[str, Any] = {"color": theme().faint, "fontsize": scaled(15), "textcoords": "offset points"}
    ax.annotate(names[0], (reach, 0), xytext=(0, -scaled(4)), ha="right", va="top", **style)
    ax.annotate(names[1], (0, reach), xytext=(scaled(6), 0), ha="left", va="top", **style)
    for i, point in enumerate(points):
        size = (1 + 0.14 * (1 if len(points) < 9 else (i % 3) / 2)) * far[i]
        angles = np.arctan2(point[1], point[0]) + turn * np.linspace(0.13, 0.87, 41)
        arc = size * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        ax.plot(*arc.T, color=theme().plus, lw=scaled(2.5))
        arrow(ax, arc[-2], arc[-1], theme().plus)
    centre = _centre(ax, points[0], turn) if len(points) else []
    ax.plot(*points.T, "o", color=theme().ink, ms=scaled(12), ls="none", zorder=5)
    rings = [size * np.stack([np.cos(around), np.sin(around)], axis=1)[::5] for size in (1.0, 1.14)]
    cross = [((-reach, 0), (reach, 0)), ((0, -reach), (0, reach))]
    laid_out(ax.figure)
    texts = grouped(tokens, points)
    if len(texts) <= ALIKE:
        _inside(ax, texts)
    else:
        keep_apart(ax, texts, Drawn(faint=[*rings, *cross], arrows=centre))


def _inside(ax: Axes, texts: Sequence[tuple[str, np.ndarray]]) -> None:
    """Write each name inside the circle, next to its point on the side to which the rotation turns it."""
    look: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center", "fontsize": scaled(16)}
    halves = [extent(ax, text, 16) / 2 for text, _ in texts]
    unit = ax.transData.transform([(0, 0), (1, 0)]) / pixels_in_point(ax)
    radius = float(unit[1, 0] - unit[0, 0])
    for apart in range(8, 40, 2):  # so far inside that no name touches the circle
        places = [_beside(point, half, apart) for (_, point), half in zip(texts, halves, strict=True)]
        pairs = zip(places, texts, halves, strict=True)
        corners = [np.abs(radius * point + away) + half for away, (_, point), half in pairs]
        if all(np.linalg.norm(corner) < radius for corner in corners):
            break
    for (text, point), away in zip(texts, places, strict=True):
        ax.annotate(text, point, away * scaled(1), zorder=7, in_layout=False, **look)


def _beside(point: np.ndarray, half: np.ndarray, apart: float) -> np.ndarray:
    """The way from a point of the circle to the middle of its name. apart: from the point, towards the centre."""
    inwards = -point / (float(np.linalg.norm(point)) or 1.0)
    along = inwards[::-1] * (1, -1)
    return np.asarray((np.abs(inwards) @ half + apart) * inwards + (np.abs(along) @ half + 5) * along)


def _centre(ax: Axes, point: np.ndarray, turn: float) -> list[Any]:
    """Mark the angle of the rotation at the centre, from a point to the one that it is moved to; gives its lines."""
    start = float(np.arctan2(point[1], point[0]))
    ends = np.array([start, start + turn])
    for angle in ends:
        ax.plot([0, np.cos(angle)], [0, np.sin(angle)], color=theme().plus, lw=scaled(1.2))
    arc = start + turn * np.linspace(0, 1, 41)
    curve = 0.22 * np.stack([np.cos(arc), np.sin(arc)], axis=1)
    ax.plot(*curve.T, color=theme().plus, lw=scaled(2.5))
    middle = start + turn / 2
    at = 0.22 + 0.2
    text = np.array([at * np.cos(middle), at * np.sin(middle)])
    boxed(ax, tuple(text), _degrees(turn), color=theme().plus, fontsize=scaled(19))
    return [*pairwise(curve), *((text + np.array([-0.12, y]), text + np.array([0.12, y])) for y in (-0.06, 0.0, 0.06))]


def _degrees(turn: float) -> str:
    """An angle in degrees as a text."""
    return f"{np.degrees(turn):.0f}°".replace("-", "−")


def _matrix(ax: Any, weights: np.ndarray, names: list[str]) -> None:
    """Write the matrix in brackets, with the names of its rows and columns: out = W in."""
    ax.set_title("as a matrix W")
    bare(ax, xlim=(-1.6, 2.6), ylim=(1.7, -0.9))
    for (i, j), value in np.ndenumerate(weights):
        ink = theme().ink if value else theme().faint
        ax.text(j, i, number(float(value)), ha="center", va="center", fontsize=scaled(26), color=ink)
    for k, name in enumerate(names):
        ax.text(-0.75, k, f"{name} out", ha="right", va="center", fontsize=scaled(15))
        ax.text(k, -0.65, f"{name} in", ha="center", va="center", fontsize=scaled(15))
    for x, inward in ((-0.55, 0.12), (1.55, -0.12)):
        ax.plot([x + inward, x, x, x + inward], [-0.4, -0.4, 1.4, 1.4], color=theme().ink)
