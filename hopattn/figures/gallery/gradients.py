"""Gradients: the derivative of the softmax for larger and larger scores, and the gradients in stacks of layers."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import foot, headline, left_out, pads
from hopattn.figures.quantities import set_logarithmic
from hopattn.figures.shapes import sign
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import power_of_ten
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result

FLOOR = 1e-12
"""A smaller number is drawn here: 0 has no place on a logarithmic axis."""
PANELS = {"derivative": "derivative of the softmax", "scores_norm": "gradient of the query and key matrices"}
"""The arrays that are drawn, each with the title of its panel."""
LOOKS = {
    **dict.fromkeys(("raw", "no norm"), (1, "no normalisation")),
    "scaled": (3, "scores / √dim"),
    **dict.fromkeys(("normalised", "norm first"), (0, "layer normalisation before")),
    "norm last": (2, "layer normalisation after"),
}
"""Each normalisation: its place in the series of colours, and its name. The same colour has the same name."""
RESIDUALS = "no residuals"
"""The end of the name of a stack without residuals."""
RISE = 1e3
"""A curve that rises again from the floor by this factor has an explanation below the figure."""
MARKED = 16
"""The number of points up to which a curve marks each of them."""


class Gradients(Plot):
    """The first run, both axes logarithmic for the softmax, one of them for the layers. Colours are normalisations,
    dashes are stacks without residuals."""

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
            ax.set_title(PANELS[name], fontsize=scaled(18))
            _of_softmax(ax, array) if name == "derivative" else _of_layers(ax, array)
            _logarithmic(ax, array.values)
        names = [name for _, array in arrays for name in array.labels[0]]
        looks = dict.fromkeys(_look(name) for name in names)
        keys = [sign(color=theme().series[colour], linewidth=scaled(4)) for colour, _ in looks]
        texts = [text for _, text in looks]
        if any(RESIDUALS in name for name in names):
            keys.append(sign(color=theme().ink, linestyle="--"))
            texts.append("dashed: without residuals")
        rises = any(name != "derivative" and _rises(array.values) for name, array in arrays)
        why = "a rise from the floor: softmax is not saturated in that layer"
        foot(figure, (why if rises else "", left_out(1, len(result.runs), "runs", "run")), keys, texts, ncols=3)


def _rises(values: np.ndarray) -> bool:
    """Whether any curve rises again from the floor."""
    least = np.minimum.accumulate(np.maximum(values, FLOOR), axis=1)
    return bool(np.any((least <= FLOOR) & (values > RISE * least)))


def _look(name: str) -> tuple[int, str]:
    """The place in the series of colours and the name of a normalisation."""
    kind = name.partition(",")[0]
    return LOOKS.get(kind, (0, name))


def _drawn(result: Result) -> list[tuple[str, Labelled]]:
    """The arrays of the first run that are drawn, by name."""
    arrays = result.runs[0].arrays
    return [(name, arrays[name]) for name in PANELS if name in arrays]


def _of_softmax(ax: Any, array: Labelled) -> None:
    """Draw the derivatives over the magnitude of the scores."""
    magnitudes = np.array([float(text) for text in array.labels[1]])
    order = np.argsort(magnitudes)
    for name, row in zip(array.labels[0], array.values, strict=True):
        _curve(ax, magnitudes[order], row[order], name)
    ax.set(xlabel="magnitude of the scores")
    if len(order) > 1:
        set_logarithmic(ax, "x", magnitudes[order].tolist())


def _of_layers(ax: Any, array: Labelled) -> None:
    """Draw the norms of the gradients over the layers, one curve for each stack."""
    n = array.values.shape[1]
    for name, row in zip(array.labels[0], array.values, strict=True):
        _curve(ax, np.arange(1, n + 1), row, name)
    every = max(1, -(-n // 6))
    shown = [*(i for i in range(0, n - 1, every) if n - 1 - i >= every), n - 1]
    ax.set_xticks([i + 1 for i in shown], ["out" if array.labels[1][i] == "output" else str(i + 1) for i in shown])
    ax.set(xlabel="layer")


def _curve(ax: Any, places: np.ndarray, row: np.ndarray, name: str) -> None:
    """Draw one curve; that of a stack without residuals is dashed, with open markers.

    Dashed curves that lie on each other are seen too: the later one is thinner, with smaller markers.
    """
    place, text = _look(name)
    dashed, colour = RESIDUALS in name, theme().series[place]
    before = sum(line.get_linestyle() == "--" for line in ax.lines) if dashed else 0
    style: dict[str, Any] = {"marker": ("s" if dashed else "o") if len(places) <= MARKED else "", "ms": scaled(8)}
    if dashed:
        style |= {"ms": scaled(max(5, 13 - 4 * before)), "lw": scaled(max(1.5, 4.5 - 1.5 * before)), "zorder": 1.9}
    style |= {"linestyle": "--" if dashed else "-", "mfc": theme().paper if dashed else colour, "clip_on": False}
    ax.plot(places, np.maximum(row, FLOOR), color=colour, label=f"{text}, {RESIDUALS}" if dashed else text, **style)


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
        look: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "fontsize": scaled(15), "color": theme().faint}
        ax.text(0.02, FLOOR * 2, "vanished", va="bottom", **look)
