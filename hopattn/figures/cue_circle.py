"""A cue and the weights of one neuron as arrows in a plane, with the angle between them and the perpendicular."""

from typing import Any

import numpy as np

from hopattn.figures.shapes import arrow
from hopattn.figures.style import scaled, theme
from hopattn.scenario.result import Result

SQUARE = 0.09
"""The side of the mark of a right angle, relative to the longer of the two vectors."""


def lacks_circle(result: Result) -> str:
    """The reason why a result has no cues and weights in a plane; an empty text if it has."""
    if "network" not in result.runs[0].arrays:
        return "it has no neuron that is cued"
    neurons, axes = result.runs[0].arrays["network"].values.shape
    if axes != 2:
        return f"its patterns have {axes} axes; a circle has two"
    return "" if neurons == 1 else f"its layer has {neurons} neurons; each circle shows the weights of one"


def between(a: np.ndarray, b: np.ndarray) -> float:
    """The angle from `a` to `b`, counter-clockwise, from −π to π."""
    return float(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))


def angle(a: np.ndarray, b: np.ndarray) -> str:
    """The angle between two vectors as a text; empty if one of them is 0."""
    return f"{abs(np.degrees(between(a, b))):.0f}°" if a.any() and b.any() else ""


def foot_of(weights: np.ndarray, cue: np.ndarray) -> np.ndarray:
    """The foot of the perpendicular from the cue onto the line of the weights, `(2,)`; 0 if the weights are 0."""
    length = float(weights @ weights)
    return weights * (float(weights @ cue) / length if length else 0.0)


def unit_circle(ax: Any, reach: float) -> None:
    """Draw the unit circle and the two lines through its centre, which end at a distance."""
    turn = np.linspace(0, 2 * np.pi, 181)
    ax.plot(np.cos(turn), np.sin(turn), color=theme().faint, lw=scaled(1.5))
    for x, y in ((reach, 0), (0, reach)):
        ax.plot([-x, x], [-y, y], color=theme().faint, lw=scaled(0.8), zorder=1)


def draw_circle(
    ax: Any, reach: float, names: tuple[str, str], cue: np.ndarray, size: float = 15, away: float = 4
) -> None:
    """Draw the unit circle and the two axes, with their names at their positive ends, on the side where no cue is.

    reach: the ends of the axes. size: of the names. away: the first one's distance from its axis; both in points on
    a slide.
    """
    unit_circle(ax, reach)
    style: dict[str, Any] = {"color": theme().faint, "fontsize": scaled(size), "textcoords": "offset points"}
    below = cue[1] >= 0 or cue[0] <= 0
    aside = (0, scaled(-away if below else away))
    ax.annotate(names[0], (max(1.03, reach - 0.09), 0), aside, ha="left", va="top" if below else "bottom", **style)
    ax.annotate(names[1], (0, reach), xytext=(scaled(6), 0), ha="left", va="top", **style)


def draw_vectors(ax: Any, weights: np.ndarray, cue: np.ndarray) -> None:
    """Draw the weights as a thick arrow and the cue as a thin one, with their angle and the perpendicular."""
    from matplotlib.patheffects import withStroke

    end = foot_of(weights, cue)
    far = max(float(np.linalg.norm(weights)), float(np.linalg.norm(cue)), 1e-9)
    arrow(ax, (0, 0), weights, theme().key, 6, mutation_scale=scaled(17), joinstyle="miter")
    halo = [withStroke(linewidth=scaled(5), foreground=theme().paper)]
    arrow(ax, (0, 0), cue, theme().query, 3, path_effects=halo)
    if weights.any() and cue.any():
        arc = np.arctan2(weights[1], weights[0]) + np.linspace(0, between(weights, cue), 61)
        ax.plot(0.34 * far * np.cos(arc), 0.34 * far * np.sin(arc), color=theme().ink, lw=scaled(2))
    if min(np.linalg.norm(cue - end), np.linalg.norm(end)) > 1e-6 * far:
        ax.plot(
            *np.transpose([cue, end]), color=theme().ink, ls=(0, (3, 2)), lw=scaled(2), zorder=4, label="perpendicular"
        )
        _right_angle(ax, end, cue - end, weights, SQUARE * far)
    ax.plot(0, 0, "o", color=theme().ink, mec=theme().paper, ms=scaled(9), zorder=5)


def _right_angle(ax: Any, at: np.ndarray, one: np.ndarray, other: np.ndarray, side: float) -> None:
    """Mark the right angle between two directions, on the side of the origin. at: its corner. side: its length."""
    towards = -np.sign(at @ other)
    first, second = side * one / np.linalg.norm(one), towards * side * other / np.linalg.norm(other)
    ax.plot(*np.transpose([at + first, at + first + second, at + second]), color=theme().ink, lw=scaled(1.5), zorder=4)
