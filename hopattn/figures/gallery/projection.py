"""The cosine as a projection: the adjacent side over the hypotenuse."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Around, Axes, Figure, Plot, only
from hopattn.figures.choice import query_of
from hopattn.figures.cue_circle import angle, draw_circle, draw_vectors, foot_of, lacks_circle
from hopattn.figures.headings import foot, headline, headline_of, left_out
from hopattn.figures.shapes import arithmetic, arrow, bare, boxed
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result

ROOM = 2.0
"""The room for the text beside the circle, in its radii."""
PITCH = 0.18
"""The distance of the lines of that text, in radii."""
BESIDE = 0.13
"""The distance of a side's name and of its line from the side, relative to the radius."""


class Projection(Plot):
    """One cue of the first run, the weights of its neuron, and the perpendicular from the cue onto the weights.

    It is the cue of `[figure]`, else the first whose triangle has two sides, with a positive cosine.
    """

    shows: ClassVar[str] = "the cosine as a projection: the adjacent side over the hypotenuse"
    scenario: ClassVar[str] = "similarity"
    of_one_run: ClassVar[bool] = True

    def lacks(self, result: Result) -> str:
        if lack := lacks_circle(result):
            return lack
        arrays = result.runs[0].arrays
        weights, cue = arrays["network"].values[0], arrays["input"].values[_cue(result)]
        return "" if weights.any() and cue.any() else "its weights or its cue are 0, and have no angle"

    def draw(self, figure: Figure, result: Result) -> None:
        arrays = result.runs[0].arrays
        headline(figure, result, _message(result))
        _triangle(figure.subplots(), arrays["network"].values[0], arrays["input"], _cue(result))
        foot(figure, left_out(1, len(arrays["input"].labels[0]), "cues", "query"))

    def panel(self, ax: Axes, result: Result) -> Around:
        arrays = result.runs[0].arrays
        if result.figure.query is None:
            only(arrays["input"].labels[0], "cues", "query")
        _triangle(ax, arrays["network"].values[0], arrays["input"], _cue(result))
        return Around(headline_of(result, _message(result)))


def _message(result: Result) -> str:
    """The title: the product is the length of the shadow, of weights of length 1; else the ratio of two sides."""
    arrays = result.runs[0].arrays
    weights = arrays["network"].values[0]
    adjacent, hypotenuse = _sides(weights, arrays["input"].values[_cue(result)])
    if adjacent > 0 and np.isclose(np.linalg.norm(weights), 1):
        return f"the product {number(adjacent)} is the length of the shadow of a on w"
    return f"cosine = adjacent / hypotenuse = {_ratio(adjacent, hypotenuse)}"


def _cue(result: Result) -> int:
    """The index of the cue that is drawn."""
    arrays = result.runs[0].arrays
    cues, weights = arrays["input"], arrays["network"].values[0]
    if result.figure.query is not None:
        return query_of(result, cues.labels[0])
    for i, cue in enumerate(cues.values):
        adjacent, hypotenuse = _sides(weights, cue)
        if 1e-6 < adjacent < hypotenuse * (1 - 1e-6):
            return i
    return 0


def _sides(weights: np.ndarray, cue: np.ndarray) -> tuple[float, float]:
    """The adjacent side, below 0 on the other side of the origin, and the hypotenuse."""
    length = float(np.linalg.norm(weights))
    return (float(weights @ cue) / length if length else 0.0), float(np.linalg.norm(cue))


def _ratio(adjacent: float, hypotenuse: float) -> str:
    """The cosine as the ratio of two sides."""
    return f"{number(adjacent)} / {number(hypotenuse)} = {number(adjacent / hypotenuse if hypotenuse else 0.0)}"


def _triangle(ax: Axes, weights: np.ndarray, cues: Labelled, at: int) -> None:
    """Draw the triangle of one cue and write the cosine beside it."""
    cue = cues.values[at]
    reach = 1.12 * max(1.0, float(np.linalg.norm(weights)), float(np.linalg.norm(cue)))
    names = tuple(map(label, cues.labels[1]))
    draw_circle(ax, reach, (names[0], names[1]), cue, away=18)
    draw_vectors(ax, weights, cue)
    _side_names(ax, weights, cue, reach)
    bare(ax, xlim=(-reach, reach * (1 + ROOM)), ylim=(-1.02 * reach, 1.02 * reach), aspect="equal")
    _arithmetic(ax, weights, cue, reach)


def _arithmetic(ax: Axes, weights: np.ndarray, cue: np.ndarray, reach: float) -> None:
    """Write the cosine and the product of weights and cue to the right of the circle."""
    adjacent, hypotenuse = _sides(weights, cue)
    length = float(np.linalg.norm(weights))
    turn = number(adjacent / hypotenuse if hypotenuse else 0.0).replace("−", "(−", 1)
    turn += ")" * turn.startswith("(")
    products, _, total = arithmetic(weights, cue).rpartition(" = ")
    lengths = f"{number(length)} × {number(hypotenuse)}"
    by_angle = f"= |w| |a| cos {angle(weights, cue)}\n= {lengths} × {turn} = {total}"
    blocks = (
        (0.78, [f"cos {angle(weights, cue)}", "= adjacent / hypotenuse", f"= {_ratio(adjacent, hypotenuse)}"]),
        (-0.12, ["w · a", f"= {products}", *by_angle.split("\n")]),
    )
    style: dict[str, Any] = {"va": "baseline", "fontsize": scaled(22), "in_layout": False}
    for top, lines in blocks:
        for i, text in enumerate(lines):
            y = reach * (top - PITCH * i)
            ax.text(1.3 * reach, y, text, weight="normal" if i else "bold", **style)


def _side_names(ax: Axes, weights: np.ndarray, cue: np.ndarray, reach: float) -> None:
    """Name the vectors at their ends, and the sides of the triangle, each with its length, on its outer side."""
    end, (adjacent, hypotenuse) = foot_of(weights, cue), _sides(weights, cue)
    for name, tip, colour in (("w", weights, theme().key), ("a", cue, theme().query)):
        if tip.any():
            out = tip * (1 + 0.09 * reach / np.linalg.norm(tip))
            boxed(ax, out, name, color=colour, weight="bold", fontsize=scaled(22))
    outwards = np.sign(float(weights[0] * cue[1] - weights[1] * cue[0])) or 1.0
    sides = (
        (end, -outwards, f"adjacent {number(adjacent)}", theme().key, weights),
        (cue, outwards, f"hypotenuse {number(hypotenuse)}", theme().query, cue),
    )
    for to, side, text, colour, along in sides:
        if np.linalg.norm(to) < 0.05 * reach:
            continue
        normal = side * np.array([-along[1], along[0]]) / np.linalg.norm(along) * np.sign(along @ to)
        line = np.array([np.zeros(2), to]) + BESIDE * reach * normal
        arrow(ax, line[0], line[1], colour, 2, arrowstyle="|-|", mutation_scale=scaled(6))
        turn = np.degrees(np.arctan2(to[1], to[0]))
        turn = (turn + 90) % 180 - 90
        middle = line.mean(axis=0) + 0.09 * reach * normal
        boxed(ax, middle, text, color=colour, rotation=turn, rotation_mode="anchor", fontsize=scaled(18))
