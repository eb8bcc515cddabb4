"""A layer of a transformer: the words go straight on, and attention and feed-forward layer each add something."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot, arrays_of
from hopattn.figures.headings import foot, headline, left_out
from hopattn.figures.shapes import arrow, bare, boxed
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number, readable_on, short, subscripted, width
from hopattn.results.labelled import Labelled
from hopattn.scenario.language.array_name import ArrayName
from hopattn.scenario.result import Result

WORDS, ELEMENTS, HIDDEN, HEADS = 6, 8, 12, 2
"""The largest number of words, of elements of a vector, of hidden neurons, and of heads."""
SIZE = 13
"""The font size in the cells and of the names."""
BELOW, ABOVE = (5.0, 20.0), (37.5, 52.5)
"""The lower and upper edge of the tables of the words, and of those on the two detours; the drawing is 63 high."""

Box = tuple[float, float, float, float]
"""The left, right, lower and upper edge of a table."""


class Plan(NamedTuple):
    """The boxes of the tables by name, in units; each table that a layer has not is left out.

    plus: where attention and feed-forward layer come back to the straight way. leaves: where the words leave it.
    """

    boxes: dict[str, Box]
    plus: tuple[float, ...]
    leaves: tuple[float, ...]


class Layer(Plot):
    """One layer of the first run: vectors as tables, one row a word. Weights are white to blue, from 0 to 1."""

    name: ClassVar[str] = "layer"
    shows: ClassVar[str] = "inside a transformer's layer: heads side by side, mapped back, and what is added to words"
    scenario: ClassVar[str] = "transformer-layer"

    def lacks(self, result: Result) -> str:
        arrays = arrays_of(result.runs[0])
        k = _layer(arrays)
        if not k:
            return "it has no layer with an output matrix or a feed-forward layer"
        before = _before(arrays, k)
        words, elements = before.values.shape
        heads = _heads(arrays, k)
        keys = arrays[f"{heads[0]} keys"].values.shape[0]
        hidden = arrays[f"layer {k} hidden"].values.shape[1] if f"layer {k} hidden" in arrays else 0
        if max(words, keys) > WORDS or elements > ELEMENTS or hidden > HIDDEN:
            found = f"{max(words, keys)} words of {elements} elements and {hidden} hidden neurons"
            return f"it has {found}; there is room for {WORDS} of {ELEMENTS} and {HIDDEN}"
        return ""

    def draw(self, figure: Figure, result: Result) -> None:
        headline(figure, result)
        arrays = arrays_of(result.runs[0])
        k = _layer(arrays)
        crowded = _draw(figure.subplots(), arrays, k, float(figure.bbox.width))
        layers = sum(f"layer {j} state" in arrays for j in range(1, len(arrays)))
        there = len(_heads(arrays, k))
        notes = (
            "blue: above 0, orange: below 0, without colour: 0",
            "no room for the numbers of a table without them" if crowded else "",
            left_out(min(HEADS, there), there, "heads"),
            left_out(1, layers, "layers", "layer"),
            left_out(1, len(result.runs), "runs", "run"),
        )
        foot(figure, notes)

    def panel(self, ax: Axes, result: Result) -> None:
        arrays = arrays_of(result.runs[0])
        _draw(ax, arrays, _layer(arrays), float(ax.bbox.width))


def _layer(arrays: dict[str, Labelled]) -> int:
    """The number of the first layer with an output matrix or a feed-forward layer; 0 if there is none."""
    for k in range(1, len(arrays)):
        own = f"layer {k} state" in arrays and _heads(arrays, k)
        if own and (f"layer {k} fed" in arrays or _mapped(arrays, k)):
            return k
    return 0


def _heads(arrays: dict[str, Labelled], k: int) -> list[str]:
    """The places of the heads of a layer."""
    names = [name for name in map(ArrayName.parse, arrays) if name.quantity == "weights" and not name.text]
    return [name.place for name in names if name.layer == k and name.head is not None]


def _before(arrays: dict[str, Labelled], k: int) -> Labelled:
    """The words that go into a layer."""
    return arrays["input" if k == 1 else f"layer {k - 1} state"]


def _mapped(arrays: dict[str, Labelled], k: int) -> bool:
    """Whether a matrix maps the outputs of all heads to the output of the layer: it is not their sum."""
    outputs = [arrays[f"{place} output"].values for place in _heads(arrays, k)]
    whole = arrays[f"layer {k} output"].values
    return any(one.shape != whole.shape for one in outputs) or not np.allclose(sum(outputs), whole)


def _tables(arrays: dict[str, Labelled], k: int) -> dict[str, Labelled]:
    """The tables of a layer by name, in the order of their computation."""
    heads = _heads(arrays, k)[:HEADS]
    tables = {place.removeprefix(f"layer {k} "): arrays[f"{place} weights"] for place in heads}
    if _mapped(arrays, k):
        joined = np.concatenate([arrays[f"{place} output"].values for place in heads], axis=1)
        labels = arrays[f"{heads[0]} output"].labels[0], tuple(map(str, range(joined.shape[1])))
        tables["joined"] = Labelled(joined, ("token", "axis"), labels)
    tables |= {"input": _before(arrays, k), "output": arrays[f"layer {k} output"]}
    names = "attended", "hidden", "fed", "state"
    return tables | {name: arrays[f"layer {k} {name}"] for name in names if f"layer {k} {name}" in arrays}


def _plan(tables: dict[str, Labelled]) -> Plan:
    """The places of all tables: the detours above, the straight way below."""
    heads = [name for name in tables if name.startswith("head ")]
    wide = 13.0 if "joined" in tables else 16.5
    each = (18.5 - (len(heads) - 1)) / len(heads)
    boxes = {name: (4 + j * (each + 1), 4 + j * (each + 1) + each, *ABOVE) for j, name in enumerate(heads)}
    right = 22.5
    if "joined" in tables:
        boxes["joined"] = (right + 2.5, right + 2.5 + wide, *ABOVE)
        right += 2.5 + wide
    boxes["output"] = (right + 2.5, right + 2.5 + wide, *ABOVE)
    plus = [right + 2.5 + wide / 2]
    leaves = [13.25]
    boxes["input"] = (5.5, 5.5 + wide, *BELOW)
    if "fed" in tables:
        left = plus[0] + 10.75
        boxes["attended"] = (left, left + wide, *BELOW)
        leaves.append(left + wide / 2)
        boxes["hidden"] = (left, left + wide, *ABOVE)
        boxes["fed"] = (left + wide + 3.5, left + 2 * wide + 3.5, *ABOVE)
        plus.append(left + 1.5 * wide + 3.5)
    boxes["state"] = (plus[-1] + 10.75, plus[-1] + 10.75 + wide, *BELOW)
    return Plan(boxes, tuple(plus), tuple(leaves))


def _draw(ax: Axes, arrays: dict[str, Labelled], k: int, pixels: float) -> bool:
    """Draw a layer; gives whether some table has no room for its numbers. pixels: the width of the drawing."""
    tables = _tables(arrays, k)
    plan = _plan(tables)
    right = max(box[1] for box in plan.boxes.values())
    names = (*tables["input"].labels[0], *next(iter(tables.values())).labels[0])
    room = 1.2 + 0.95 * max(map(width, subscripted(names, 7)))
    bare(ax, xlim=(4 - room, right + 0.5), ylim=(-6, 57))
    unit = pixels * 72 / float(ax.get_figure(root=True).dpi) / (right + room - 3.5) / scaled(1)
    plain = [table for name, table in tables.items() if not name.startswith("head ")]
    most = max(float(np.abs(table.values).max(initial=0.0)) for table in plain) or 1.0
    verb = "adds" if _residual(arrays, k) else "gives"
    crowded = False
    for name, title in _titles(tables, verb):
        crowded |= not _table(ax, tables[name], plan.boxes[name], None if name.startswith("head ") else most, unit)
        left, side, _, high = plan.boxes[name]
        ax.text((left + side) / 2, high + 0.8, title, ha="center", va="bottom", fontsize=scaled(SIZE + 2))
    for name in tables:
        if name.startswith("head ") or name in ("input", "attended", "state"):
            _columns(ax, tables[name].labels[1], plan.boxes[name], unit)
    for name in (next(iter(tables)), "input"):
        _rows(ax, tables[name].labels[0], plan.boxes[name])
    _divide(ax, arrays, k, plan)
    _ways(ax, arrays, k, plan)
    return crowded


def _titles(tables: dict[str, Labelled], verb: str) -> Iterator[tuple[str, str]]:
    """The tables in their order, each with its title. verb: for what goes back to the straight way."""
    heads = sum(name.startswith("head ") for name in tables)
    titles = {
        "joined": "side by side" if heads > 1 else "output",
        "output": f"attention {verb}",
        "input": "the words",
        "attended": "after attention",
        "hidden": "hidden neurons",
        "fed": f"feed-forward {verb}",
        "state": "after the layer",
    }
    for name in tables:
        yield name, titles.get(name, name if heads > 1 else "weights")


def _divide(ax: Axes, arrays: dict[str, Labelled], k: int, plan: Plan) -> None:
    """Draw the lines between the outputs of the heads that are side by side."""
    if "joined" not in plan.boxes:
        return
    left, right, low, high = plan.boxes["joined"]
    widths = [arrays[f"{place} output"].values.shape[1] for place in _heads(arrays, k)[:HEADS]]
    for edge in np.cumsum(widths)[:-1]:
        x = left + (right - left) * edge / sum(widths)
        ax.plot([x, x], [low, high], color=theme().ink, lw=scaled(2.5))


def _ways(ax: Axes, arrays: dict[str, Labelled], k: int, plan: Plan) -> None:
    """Draw the arrows: the straight way and the detours, with their norms and residuals."""
    middle, high = sum(BELOW) / 2, sum(ABOVE) / 2
    first, last = (f"layer {k} normed" in arrays), (f"layer {k} summed" in arrays)
    residual, boxes = _residual(arrays, k), plan.boxes
    stops = [boxes[name] for name in ("input", "attended", "state") if name in boxes]
    for start, plus, end in zip(stops[:-1], plan.plus, stops[1:], strict=True):
        if residual:
            arrow(ax, (start[1] + 0.8, middle), (plus - 2, middle))
            ax.plot(plus, middle, "o", ms=scaled(28), mfc="none", mec=theme().ink, mew=scaled(2))
            ax.text(plus, middle, "+", ha="center", va="center", fontsize=scaled(20))
        arrow(ax, (plus, ABOVE[0] - 1), (plus, middle + (2.4 if residual else 0.0)))
        arrow(ax, (plus + (2 if residual else 0), middle), (end[0] - 0.8, middle))
        if last:
            _norm(ax, (plus + 5.6, middle))
    for x, top in zip(plan.leaves, (ABOVE[0] - 6.5, ABOVE[0] - 1), strict=False):
        arrow(ax, (x, BELOW[1] + 3.6), (x, top))
        if first:
            _norm(ax, (x, BELOW[1] + 5.6))
    row = [boxes[name] for name in ("joined", "output") if name in boxes]
    heads = max(box[1] for name, box in boxes.items() if name.startswith("head "))
    for left, right in zip([heads, *(box[1] for box in row)], [box[0] for box in row], strict=False):
        arrow(ax, (left + 0.3, high), (right - 0.3, high), width=2)
    if "fed" in boxes:
        arrow(ax, (boxes["hidden"][1] + 0.4, high), (boxes["fed"][0] - 0.3, high), width=2)


def _residual(arrays: dict[str, Labelled], k: int) -> bool:
    """Whether the attention's output is added to the words or replaces them."""
    names = (f"layer {k} {name}" for name in ("summed", "attended", "state"))
    summed = next(arrays[name].values for name in names if name in arrays)
    return not np.array_equal(summed, arrays[f"layer {k} output"].values) or not _before(arrays, k).values.any()


def _norm(ax: Axes, at: tuple[float, float]) -> None:
    look = {"boxstyle": "round,pad=0.25", "facecolor": theme().paper, "edgecolor": theme().ink}
    boxed(ax, at, "norm", fontsize=scaled(SIZE), bbox=look)


def _table(ax: Axes, table: Labelled, box: Box, most: float | None, unit: float) -> bool:
    """Draw a table into a box; gives whether there is room for its numbers.

    most: the largest number of all tables, None for weights. unit: in points on a slide.
    """
    left, right, low, high = box
    values = np.asarray(table.values, dtype=float)
    rows, columns = values.shape
    signed = most is not None or values.min(initial=0.0) < 0
    shades = theme().diverging(0.5 + 0.5 * values / (1.25 * (most or 1.0))) if signed else theme().sequential(values)
    ax.imshow(shades, extent=box, aspect="auto", interpolation="nearest")
    ax.plot([left, right, right, left, left], [low, low, high, high, low], color=theme().ink, lw=scaled(1))
    digits = _digits(values, unit * (right - left) / columns)
    for (i, j), value in np.ndenumerate(values if digits is not None else np.zeros((0, 0))):
        place = left + (j + 0.5) * (right - left) / columns, high - (i + 0.5) * (high - low) / rows
        ink = readable_on(shades[i, j])
        ax.text(*place, number(float(value), digits or 0), ha="center", va="center", fontsize=scaled(SIZE), color=ink)
    return digits is not None


def _digits(values: np.ndarray, wide: float) -> int | None:
    """The number of decimals with which all numbers fit into cells of a width in points; None if none does."""
    for digits in (2, 1):
        longest = max((_length(number(float(value), digits)) for value in values.ravel()), default=0.0)
        if longest <= wide:
            return digits
    return None


def _length(text: str) -> float:
    """The length of a number in printer's points: a point is half as wide as a digit, a minus a third wider."""
    return SIZE * sum({".": 0.32, "−": 0.84}.get(letter, 0.64) for letter in text)


def _columns(ax: Axes, names: Sequence[str], box: Box, unit: float) -> None:
    """Write the names of a table's columns below it, tilted; nothing where the columns are too narrow for that."""
    left, right, low, _ = box
    wide = unit * (right - left) / len(names)
    if wide < SIZE:
        return
    for j, name in enumerate(subscripted(names, 7)):
        x = left + (j + 0.5) * (right - left) / len(names)
        tilted: Any = {"rotation": 40 if wide > 1.6 * SIZE else 70, "rotation_mode": "anchor", "ha": "right"}
        ax.text(x + 0.4, low - 1.2, short(name.rpartition(": ")[2], 7), fontsize=scaled(SIZE), va="center", **tilted)


def _rows(ax: Axes, names: Sequence[str], box: Box) -> None:
    """Write the names of a table's rows to the left of it."""
    left, _, low, high = box
    for i, name in enumerate(subscripted(names, 7)):
        y = high - (i + 0.5) * (high - low) / len(names)
        ax.text(left - 0.6, y, name, ha="right", va="center", fontsize=scaled(SIZE))
