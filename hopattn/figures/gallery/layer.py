"""A layer of a transformer: the words go straight on, and attention and feed-forward layer each add something."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot, arrays_of
from hopattn.figures.headings import headline
from hopattn.figures.shapes import arrow, boxed
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number, readable_on, short
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result

WORDS, ELEMENTS, HIDDEN, HEADS = 6, 8, 12, 2
"""The largest number of words, of elements of a vector, of hidden neurons, and of heads."""
SIZE = 13
"""The font size in the cells and of the names."""
UNIT = 8.4
"""The printer's points of one unit across; the drawing is 108 units wide and 63 high."""
BELOW, ABOVE = (5.0, 20.0), (37.5, 52.5)
"""The lower and upper edge of the tables of the words, and of those on the two detours."""
WIDE = 16.5
"""The width of a table of vectors."""
PLUS = (33.25, 72.25)
"""The places on the straight way where attention and feed-forward layer come back to it."""
LEAVES = (13.25, 52.25)
"""The places where the words leave the straight way."""


class Layer(Plot):
    """The first layer of the first run: vectors as tables, one row a word."""

    name: ClassVar[str] = "layer"
    shows: ClassVar[str] = "inside a transformer's layer: what attention and feed-forward layer add to each word"
    scenario: ClassVar[str] = "transformer-layer"

    def lacks(self, result: Result) -> str:
        arrays = arrays_of(result.runs[0])
        if "layer 1 fed" not in arrays:
            return "its first layer has no feed-forward layer"
        words, elements = arrays["input"].values.shape
        keys, hidden = arrays["layer 1 head 1 keys"].values.shape[0], arrays["layer 1 hidden"].values.shape[1]
        if max(words, keys) > WORDS or elements > ELEMENTS or hidden > HIDDEN:
            found = f"{max(words, keys)} words of {elements} elements and {hidden} hidden neurons"
            return f"it has {found}; there is room for {WORDS} of {ELEMENTS} and {HIDDEN}"
        return ""

    def draw(self, figure: Figure, result: Result) -> None:
        arrays = arrays_of(result.runs[0])
        own = {name: arrays[f"layer 1 {name}"] for name in ("output", "attended", "hidden", "fed", "state")}
        own |= {"input": arrays["input"]} | {f"head {j + 1}": weights for j, weights in enumerate(_weights(arrays))}
        most = max(float(np.abs(table.values).max(initial=0.0)) for table in own.values()) or 1.0
        headline(figure, result)
        ax = figure.subplots()
        ax.set(xlim=(-8, 100.5), ylim=(-6, 57), xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        shown, heads = len(_weights(arrays)), _heads(arrays)
        about = ["violet: above 0", "orange: below 0", *([f"{shown} of {heads} heads"] if shown < heads else [])]
        ax.text(91.75, sum(ABOVE) / 2, "\n".join(about), ha="center", va="center", fontsize=SIZE)
        _words(ax, own, most)
        _detours(ax, own, most, "adds" if _residual(arrays) else "gives")
        _ways(ax, arrays)


def _heads(arrays: dict[str, Labelled]) -> int:
    """The number of heads of the first layer."""
    return sum(name.startswith("layer 1 head ") and name.endswith(" weights") for name in arrays)


def _weights(arrays: dict[str, Labelled]) -> list[Labelled]:
    """The weights of the first heads of the first layer."""
    return [arrays[f"layer 1 head {j} weights"] for j in range(1, min(_heads(arrays), HEADS) + 1)]


def _words(ax: Any, own: dict[str, Labelled], most: float) -> None:
    """Draw the words before, between and after, on the straight way."""
    places = (("input", 5.5, "the words"), ("attended", 44.0, "after attention"), ("state", 83.5, "after the layer"))
    for name, left, title in places:
        box = (left, left + WIDE, *BELOW)
        _table(ax, own[name], box, most, title)
        _columns(ax, own[name].labels[1], box)
    _rows(ax, own["input"].labels[0], 5.5, BELOW)


def _detours(ax: Any, own: dict[str, Labelled], most: float, verb: str) -> None:
    """Draw the weights and the output of the heads, and the hidden neurons and the output behind them."""
    shown = [name for name in own if name.startswith("head ")]
    wide = (18.5 - (len(shown) - 1)) / len(shown)
    for j, name in enumerate(shown):
        box = (4.0 + j * (wide + 1), 4.0 + j * (wide + 1) + wide, *ABOVE)
        _table(ax, own[name], box, most, name if len(shown) > 1 else "weights")
        _columns(ax, own[name].labels[1], box)
    _rows(ax, own["head 1"].labels[0], 4.0, ABOVE)
    _table(ax, own["output"], (25.0, 25.0 + WIDE, *ABOVE), most, f"attention {verb}")
    _table(ax, own["hidden"], (43.5, 61.0, *ABOVE), most, "hidden neurons")
    _table(ax, own["fed"], (64.0, 64.0 + WIDE, *ABOVE), most, f"feed-forward {verb}")


def _ways(ax: Any, arrays: dict[str, Labelled]) -> None:
    """Draw the arrows: the straight way and the two detours, with their norms and residuals."""
    middle, high = sum(BELOW) / 2, sum(ABOVE) / 2
    first, last = ("layer 1 normed" in arrays), ("layer 1 summed" in arrays)
    residual = _residual(arrays)
    for start, plus, end in ((22.0, PLUS[0], 44.0), (60.5, PLUS[1], 83.5)):
        if residual:
            arrow(ax, (start + 0.8, middle), (plus - 2, middle))
            ax.plot(plus, middle, "o", ms=scaled(28), mfc="none", mec=theme().ink, mew=scaled(2))
            ax.text(plus, middle, "+", ha="center", va="center", fontsize=scaled(20))
        arrow(ax, (plus, ABOVE[0] - 1), (plus, middle + (2.4 if residual else 0.0)))
        arrow(ax, (plus + (2 if residual else 0), middle), (end - 0.8, middle))
        if last:
            _norm(ax, (plus + 5.6, middle))
    for x, end in zip(LEAVES, (ABOVE[0] - 6.5, ABOVE[0] - 1), strict=True):
        arrow(ax, (x, BELOW[1] + 3.6), (x, end))
        if first:
            _norm(ax, (x, BELOW[1] + 5.6))
    arrow(ax, (22.8, high), (24.7, high), width=2)
    arrow(ax, (61.4, high), (63.7, high), width=2)


def _residual(arrays: dict[str, Labelled]) -> bool:
    """Whether the attention's output is added to the words or takes their place."""
    summed = arrays.get("layer 1 summed", arrays["layer 1 attended"]).values
    return not np.array_equal(summed, arrays["layer 1 output"].values) or not arrays["input"].values.any()


def _norm(ax: Any, at: tuple[float, float]) -> None:
    boxed(
        ax,
        at,
        "norm",
        fontsize=SIZE,
        bbox={"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": theme().ink},
    )


def _table(ax: Any, table: Labelled, box: tuple[float, float, float, float], most: float, title: str) -> None:
    """Draw a table of numbers into a box (left, right, lower, upper), with its title above."""

    left, right, low, high = box
    values = np.asarray(table.values, dtype=float)
    rows, columns = values.shape
    shades = theme().diverging(0.5 + 0.5 * values / (1.25 * most))
    ax.imshow(shades, extent=box, aspect="auto", interpolation="nearest")
    ax.plot([left, right, right, left, left], [low, low, high, high, low], color=theme().ink, lw=scaled(1))
    ax.text((left + right) / 2, high + 0.8, title, ha="center", va="bottom", fontsize=SIZE + 2)
    digits = _digits(values, (right - left) / columns)
    for (i, j), value in np.ndenumerate(values if digits is not None else np.zeros((0, 0))):
        place = left + (j + 0.5) * (right - left) / columns, high - (i + 0.5) * (high - low) / rows
        text = number(float(value), digits or 0)
        ax.text(*place, text, ha="center", va="center", fontsize=SIZE, color=readable_on(shades[i, j]))


def _digits(values: np.ndarray, wide: float) -> int | None:
    """The number of decimals with which all numbers fit into cells of a width in units; None if none does."""
    for digits in (2, 1):
        longest = max((_length(number(float(value), digits)) for value in values.ravel()), default=0.0)
        if longest <= UNIT * wide:
            return digits
    return None


def _length(text: str) -> float:
    """The length of a number in printer's points: a point is half as wide as a digit, a minus a third wider."""
    return SIZE * sum({".": 0.32, "−": 0.84}.get(letter, 0.64) for letter in text)


def _columns(ax: Any, names: Sequence[str], box: tuple[float, float, float, float]) -> None:
    """Write the names of a table's columns below it, tilted; nothing where the columns are too narrow for that."""
    left, right, low, _ = box
    wide = UNIT * (right - left) / len(names)
    if wide < SIZE:
        return
    for j, name in enumerate(names):
        x = left + (j + 0.5) * (right - left) / len(names)
        tilted: Any = {"rotation": 40 if wide > 1.6 * SIZE else 70, "rotation_mode": "anchor", "ha": "right"}
        ax.text(x + 0.4, low - 1.2, short(name.rpartition(": ")[2], 7), fontsize=SIZE, va="center", **tilted)


def _rows(ax: Any, names: Sequence[str], left: float, box: tuple[float, float]) -> None:
    """Write the names of a table's rows to the left of it."""
    low, high = box
    for i, name in enumerate(names):
        y = high - (i + 0.5) * (high - low) / len(names)
        ax.text(left - 0.6, y, short(name, 7), ha="right", va="center", fontsize=SIZE)
