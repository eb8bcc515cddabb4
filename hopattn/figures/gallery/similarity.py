"""Similarity on the unit circle: the angle between a neuron's weights and each cue."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure
from hopattn.figures.choice import cues_of
from hopattn.figures.cue_circle import angle, draw_circle, draw_vectors, lacks_circle
from hopattn.figures.headings import left_out
from hopattn.figures.panels import About, Panels, Shown, grid_of
from hopattn.figures.shapes import arithmetic, bare
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.scenario.result import Result

MOST = 9
"""The largest number of cues, one circle each."""
FEW = 4
"""The number of cues up to which their arithmetic is beside them."""
MESSAGE = "the smaller the angle, the larger the product"
"""The title for cues of one length."""
ROOM = 2.5
"""The room for the text beside a circle, in its radii."""


class Similarity(Panels[int]):
    """One circle for each cue of the first run: the weights, the cue, the angle between them and the output."""

    shows: ClassVar[str] = "similarity as an angle: the nearer a cue is to the weights, the more comes out"
    scenario: ClassVar[str] = "similarity"
    most: ClassVar[int] = MOST
    what: ClassVar[tuple[str, str]] = "cues", "query"
    of_one_run: ClassVar[bool] = True

    def lacks(self, result: Result) -> str:
        return lacks_circle(result)

    def parts(self, result: Result) -> list[int]:
        return cues_of(result, result.runs[0].arrays["input"].labels[0], MOST)

    def grid(self, figure: Figure, shown: Shown[int]) -> list[Axes]:
        return grid_of(figure, len(shown.parts), 3 if len(shown.parts) > FEW else 2)

    def panel_of(self, ax: Axes, part: int, shown: Shown[int]) -> None:
        _circle(ax, shown.result, part, len(shown.parts) <= FEW)

    def about(self, shown: Shown[int], axes: Sequence[Axes]) -> About:
        looks: Any = ((theme().key, 9, "-"), (theme().query, 3, "-"), (theme().ink, 2, (0, (3, 2))))
        keys = [axes[0].plot([], [], color=colour, lw=scaled(width), ls=style)[0] for colour, width, style in looks]
        cues = shown.result.runs[0].arrays["input"].labels[0]
        of = left_out(len(shown.parts), len(cues), *self.what)
        names = ["weights w", "cue a", "perpendicular from a onto w"]
        lengths = np.linalg.norm(shown.result.runs[0].arrays["input"].values[list(shown.parts)], axis=1)
        alike = len(lengths) > 1 and lengths[0] > 0 and np.allclose(lengths, lengths[0])
        return About([of], keys, names, message=MESSAGE * bool(alike))


def _circle(ax: Axes, result: Result, at: int, with_sum: bool) -> None:
    """Draw the unit circle with the weights and one cue, and beside it the angle and the output."""
    arrays = result.runs[0].arrays
    cues, weights = arrays["input"], arrays["network"].values[0]
    cue, out = cues.values[at], float(arrays["state"].values[at, 0])
    longest = np.linalg.norm(np.vstack([weights, cues.values]), axis=1).max()
    reach = 1.12 * max(1.0, float(longest))
    first, second = map(label, cues.labels[1])
    draw_circle(ax, reach, (first, second), cue, 14)
    draw_vectors(ax, weights, cue)
    bare(ax, xlim=(-reach, reach * (1 + ROOM)), ylim=(-reach, reach), aspect="equal")
    turn = angle(weights, cue)
    lines = [f"angle {turn}" if turn else "no angle: a vector is 0"]
    if with_sum:
        products, _, total = arithmetic(weights, cue).rpartition(" = ")
        lines += ["", "w · a", f"= {products}", f"= {total}"]
    place: dict[str, Any] = {"ha": "left", "va": "top", "linespacing": 1.35, "in_layout": False}
    ax.text(1.26 * reach, 0.92 * reach, f"{label(cues.labels[0][at])}: {number(out)}", fontsize=scaled(21), **place)
    size = 17 if result.figure.lang == "en" else 14.5  # decimals with a zero before the point are longer
    ax.text(1.26 * reach, 0.4 * reach, "\n".join(lines), fontsize=scaled(size), **place)
