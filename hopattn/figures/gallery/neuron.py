"""A neuron: its inputs, the weights on the lines, the sum and the output."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.choice import cues_of
from hopattn.figures.headings import left_out
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.shapes import arithmetic, arrow, circle_size, layer, layer_heights
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, number
from hopattn.scenario.result import Result

INPUTS, NEURONS = 8, 4
"""The largest number of inputs, and of neurons."""
SMALL = 8
"""The number of weights up to which the sums are written out."""
PANELS, IN_PANEL = 4, (3, 1)
"""The largest number of panels, one for each cue, and the most inputs and neurons that one of several panels has."""
MESSAGE = "a neuron sums its activations, each times its weight"


class Neuron(Panels[int]):
    """The layer of the first run with its cues: the sum of the inputs, each times its weight.

    A small layer has a panel for each of up to four cues; a larger one is drawn with one cue.
    """

    shows: ClassVar[str] = "a neuron: activations come in, each times its weight, and their sum goes out"
    scenario: ClassVar[str] = "similarity"
    in_a_row: ClassVar[int] = 2
    space: ClassVar[dict[str, float]] = {"hspace": 0.04}
    most: ClassVar[int] = PANELS
    what: ClassVar[tuple[str, str]] = "cues", "query"
    of_one_run: ClassVar[bool] = True

    def lacks(self, result: Result) -> str:
        if "network" not in result.runs[0].arrays:
            return "it has no layer of neurons"
        neurons, inputs = result.runs[0].arrays["network"].values.shape
        if inputs > INPUTS or neurons > NEURONS:
            return f"its layer is {neurons} × {inputs}; there is room for {NEURONS} neurons of {INPUTS} inputs"
        return ""

    def parts(self, result: Result) -> list[int]:
        """The indices of the cues that are drawn: the query of `[figure]`, all of a few, or the first."""
        arrays = result.runs[0].arrays
        tokens = arrays["input"].labels[0]
        neurons, inputs = arrays["network"].values.shape
        small = inputs <= IN_PANEL[0] and neurons <= IN_PANEL[1]
        return cues_of(result, tokens, PANELS if small else 1)

    def panel_of(self, ax: Axes, part: int, shown: Shown[int]) -> None:
        _neuron(ax, shown.result, part, len(shown.parts) == 1)

    def about(self, shown: Shown[int], axes: Sequence[Axes]) -> About:
        order = "from left to right: activations a, weights w, sum, output" if len(shown.parts) > 1 else ""
        cues = shown.result.runs[0].arrays["input"].labels[0]
        return About([order, left_out(len(shown.parts), len(cues), *self.what)], message=MESSAGE)


def _neuron(ax: Axes, result: Result, cue: int, alone: bool) -> None:
    """Draw the layer with one cue. alone: whether the panel is the only one, with titles above its columns."""
    arrays = result.runs[0].arrays
    activations, weights = arrays["input"].values[cue], arrays["network"].values
    state = arrays["state"].values[cue]
    names, axes = arrays["network"].labels
    n, m = len(axes), len(names)
    high = max(n, m)
    radius = circle_size(ax, high) / 2
    below = [label(name) if m > 1 else "" for name in names]
    layer(ax, weights, [number(a) for a in activations], ["Σ"] * m, below)
    for y, axis in zip(layer_heights(n, high), axes, strict=True):
        beside: Any = {"xytext": (-radius - scaled(7), 0), "textcoords": "offset points"}
        ax.annotate(label(axis), (0, y), ha="right", va="center", **beside)
    for y, total, out in zip(layer_heights(m, high), weights @ activations, state, strict=True):
        arrow(ax, (3.0, y), (4.05, y), shrinkA=radius + scaled(5))
        before = "" if np.isclose(total, out) else f"f({number(total)}) = "
        size = scaled(19 if before else 26)
        ax.text(4.15, y, f"{before}{number(out)}", ha="left", va="center", fontsize=size, weight="bold")
    top = high / 2 + 0.09 * (high + 5)
    heads = ((0.0, "activations a"), (1.5, "weights w"), (3.0, "sum"), (4.3, "output")) if alone else ()
    for x, title in heads:
        ax.text(x, top, title, ha="center", va="bottom", fontsize=scaled(18), color=theme().faint)
    if n * m <= SMALL:
        rows = zip(names, weights, strict=True)
        sums = [f"{label(name)}: " * (m > 1) + arithmetic(row, activations) for name, row in rows]
        ax.set_xlabel("\n".join(sums), fontsize=scaled(20), labelpad=scaled(3))
    ax.set(xlim=(-1.7, 5.0), ylim=(-top - 0.02 * high, top + 0.1 * high * alone))
    ax.set_title(label(arrays["input"].labels[0][cue]), fontsize=scaled(21), weight="bold")
