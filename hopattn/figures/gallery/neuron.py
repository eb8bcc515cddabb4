"""A neuron: its inputs, the weights on the lines, the sum and the output."""

from typing import ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import headline
from hopattn.figures.shapes import arithmetic, arrow, layer, layer_heights
from hopattn.figures.style import scaled
from hopattn.figures.text import label, number
from hopattn.scenario.result import Result

INPUTS, NEURONS = 8, 4
"""The largest number of inputs, and of neurons."""
SMALL = 8
"""The number of weights up to which the sums are written out."""


class Neuron(Plot):
    """The layer of the first run with its first cue: the sum of the inputs, each times its weight."""

    name: ClassVar[str] = "neuron"
    shows: ClassVar[str] = "a neuron: activations come in, each times its weight, and their sum goes out"
    scenario: ClassVar[str] = "similarity"

    def lacks(self, result: Result) -> str:
        if "network" not in result.runs[0].arrays:
            return "it has no layer of neurons"
        neurons, inputs = result.runs[0].arrays["network"].values.shape
        if inputs > INPUTS or neurons > NEURONS:
            return f"its layer is {neurons} × {inputs}; there is room for {NEURONS} neurons of {INPUTS} inputs"
        return ""

    def draw(self, figure: Figure, result: Result) -> None:
        arrays = result.runs[0].arrays
        cues, weights, state = (arrays[name].values for name in ("input", "network", "state"))
        names, axes = arrays["network"].labels
        n, m = len(axes), len(names)
        high = max(n, m)
        headline(figure, result)
        ax = figure.subplots()
        layer(ax, weights, [number(a) for a in cues[0]], ["Σ"] * m, [label(name) for name in names])
        for y, axis in zip(layer_heights(n, high), axes, strict=True):
            ax.text(-0.42, y, label(axis), ha="right", va="center")
        for y, total, out in zip(layer_heights(m, high), weights @ cues[0], state[0], strict=True):
            arrow(ax, (3.3, y), (3.95, y))
            before = "" if np.isclose(total, out) else f"f({number(total)}) = "
            size = 18 if before else 24
            ax.text(4.05, y, f"{before}{number(out)}", ha="left", va="center", fontsize=size, weight="bold")
        top = high / 2 + 0.09 * (high + 5)
        for x, title in ((0.0, "activations a"), (1.5, "weights w"), (3.0, "sum"), (4.2, "output")):
            ax.text(x, top, title, ha="center", va="bottom", fontsize=scaled(18))
        if n * m <= SMALL:
            sums = [f"{label(name)}: {arithmetic(row, cues[0])}" for name, row in zip(names, weights, strict=True)]
            ax.text(1.8, -top - 0.1, "\n".join(sums), ha="center", va="top", fontsize=scaled(19))
        ax.set(xlim=(-1.7, 5.0), ylim=(-top - (0.1 + 0.3 * m) * (n * m <= SMALL), top + 0.1 * high))
        ax.set_title(f"the pattern ‘{label(arrays['input'].labels[0][0])}’", fontsize=scaled(18))
