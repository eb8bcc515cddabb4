"""A neuron: its inputs, the weights on the lines, the sum and the output."""

from typing import ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.shapes import arrow, headline, layer, rows, working
from hopattn.figures.style import label, number
from hopattn.scenario.result import Result

INPUTS, NEURONS = 8, 4
"""So many inputs and neurons have room."""


class Neuron(Plot):
    """The layer of the first run, cued by its first pattern of activation: every input times its weight, summed."""

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
        given, weights, state = (arrays[name].values for name in ("input", "network", "state"))
        names, axes = arrays["network"].labels
        n, m = len(axes), len(names)
        high = max(n, m)
        headline(figure, result)
        ax = figure.subplots()
        layer(ax, weights, [number(a) for a in given[0]], ["Σ"] * m, [label(name) for name in names])
        for y, axis in zip(rows(n, high), axes, strict=True):
            ax.text(-0.42, y, label(axis), ha="right", va="center")
        for y, total, out in zip(rows(m, high), weights @ given[0], state[0], strict=True):
            arrow(ax, (3.3, y), (3.95, y))
            bent = "" if np.isclose(total, out) else f"f({number(total)}) = "
            ax.text(4.05, y, f"{bent}{number(out)}", ha="left", va="center", fontsize=18 if bent else 24, weight="bold")
        top = high / 2 + 0.09 * (high + 5)
        for x, title in ((0.0, "activations a"), (1.5, "weights w"), (3.0, "sum"), (4.2, "output")):
            ax.text(x, top, title, ha="center", va="bottom", fontsize=18)
        if n * m <= 8:
            told = [f"{label(name)}: {working(row, given[0])}" for name, row in zip(names, weights, strict=True)]
            ax.text(1.8, -top - 0.1, "\n".join(told), ha="center", va="top", fontsize=19)
        ax.set(xlim=(-1.7, 5.0), ylim=(-top - (0.1 + 0.3 * m) * (n * m <= 8), top + 0.1 * high))
        ax.set_title(f"the pattern ‘{label(arrays['input'].labels[0][0])}’", fontsize=18)
