"""Gradients: the derivative of the softmax for larger and larger scores, and the gradients in stacks of layers."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import headline, left_out, pads
from hopattn.figures.quantities import set_logarithmic
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import power_of_ten
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result

FLOOR = 1e-12
"""A smaller number is drawn here: 0 has no place on a logarithmic axis."""
PANELS = {
    "derivative": "derivative of the softmax",
    "words_norm": "gradient of the words",
    "scores_norm": "gradient of W_Q, W_K",
}
"""The arrays that are drawn, each with the title of its panel."""
SCORES = {"raw": "scores as they are", "scaled": "scores / √dim", "normalised": "layer normalisation"}
NORMS = {"raw": 1, "no norm": 1, "scaled": 3, "normalised": 0, "norm first": 0, "norm last": 2}
"""The place of each normalisation in the series of colours: what is not normalised is orange."""
MARKED = 16
"""The number of points up to which a curve marks each of them."""
STYLES: Sequence[tuple[str, str]] = (("o", "-"), ("s", "-"), ("^", "-"), ("o", "--"), ("s", "--"), ("^", "--"))


class Gradients(Plot):
    """The first run, both axes logarithmic for the softmax, one of them for the layers. Colours are normalisations,
    dashes are stacks without residuals."""

    name: ClassVar[str] = "gradients"
    shows: ClassVar[str] = (
        "where gradients vanish: the softmax of large scores, and deep stacks without norms or residuals"
    )
    scenario: ClassVar[str] = "vanishing-gradients"

    def lacks(self, result: Result) -> str:
        return "" if _drawn(result) else "it has no gradients"

    def draw(self, figure: Figure, result: Result) -> None:
        arrays = _drawn(result)
        headline(figure, result)
        pads(figure, w_pad=0.12, h_pad=0.1)
        axes = figure.subplots(1, len(arrays), squeeze=False)[0]
        for ax, (name, array) in zip(axes, arrays, strict=True):
            ax.set_title(PANELS[name], fontsize=scaled(16))
            _of_softmax(ax, array) if name == "derivative" else _of_layers(ax, array)
            _logarithmic(ax, array.values)
        others = left_out(1, len(result.runs), "runs", "run")
        for i, place in ((0, "left"), (-1, "right"))[: len(axes)]:
            where: Any = {"loc": f"outside lower {place}", "ncols": 1 if arrays[i][0] == "derivative" else 2}
            where["title"] = others if i == -1 or len(axes) == 1 else None
            figure.legend(*axes[i].get_legend_handles_labels(), frameon=False, fontsize=scaled(16), **where)


def _drawn(result: Result) -> list[tuple[str, Labelled]]:
    """The arrays of the first run that are drawn, by name."""
    arrays = result.runs[0].arrays
    return [(name, arrays[name]) for name in PANELS if name in arrays]


def _of_softmax(ax: Any, array: Labelled) -> None:
    """Draw the derivatives over the magnitude of the scores."""
    magnitudes = np.array([float(text) for text in array.labels[1]])
    order = np.argsort(magnitudes)
    for i, (name, row) in enumerate(zip(array.labels[0], array.values, strict=True)):
        style = {"marker": STYLES[i][0] if len(order) <= MARKED else "", "ms": scaled(9), "color": _colour(name)}
        ax.plot(magnitudes[order], np.maximum(row[order], FLOOR), label=SCORES.get(name, name), **style)
    ax.set(xlabel="magnitude of the scores")
    if len(order) > 1:
        set_logarithmic(ax, "x", magnitudes[order].tolist())


def _of_layers(ax: Any, array: Labelled) -> None:
    """Draw the norms of the gradients over the layers, one curve for each stack."""
    n = array.values.shape[1]
    for i, (name, row) in enumerate(zip(array.labels[0], array.values, strict=True)):
        marker, dashes = STYLES[i % len(STYLES)]
        style = {"marker": marker if n <= MARKED else "", "ms": scaled(8), "ls": dashes, "color": _colour(name)}
        ax.plot(range(1, n + 1), np.maximum(row, FLOOR), label=name, clip_on=False, **style)
    every = max(1, -(-n // 6))
    shown = range(0, n, every)
    ax.set_xticks([i + 1 for i in shown], ["out" if array.labels[1][i] == "output" else str(i + 1) for i in shown])
    ax.set(xlabel="layer")


def _colour(name: str) -> str:
    """The colour of a normalisation, the same in every panel."""
    kind = name.partition(",")[0]
    return theme().series[NORMS.get(kind, 0)]


def _logarithmic(ax: Any, values: np.ndarray) -> None:
    """Make the vertical axis logarithmic, with powers of ten as numbers; the floor is marked where it is reached."""
    ax.set_yscale("log")
    low = float(np.min(np.maximum(values, FLOOR)))
    high = float(np.max(np.maximum(values, FLOOR)))
    first, last = int(np.floor(np.log10(low))), int(np.ceil(np.log10(high)))
    last = max(last, first + 1)
    exponents = range(first, last + 1, max(1, -(-(last - first) // 7)))
    texts = [{0: "1", 1: "10", -1: ".1"}.get(e, power_of_ten(e)) for e in exponents]
    if low <= FLOOR and exponents[0] == round(np.log10(FLOOR)):  # it stands for all smaller numbers too
        texts[0] = f"≤ {texts[0]}"
    ax.set_yticks([10.0**e for e in exponents], texts)
    ax.minorticks_off()
    ax.set_ylim(10.0**first * (0.5 if low > FLOOR else 0.2), 10.0**last * 2)
    if low <= FLOOR:
        ax.axhline(FLOOR, color=theme().faint, lw=scaled(1.5), ls=":", zorder=0)
