"""A layer of a transformer: the words go straight on, and attention and feed-forward layer each add something."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot, arrays_of
from hopattn.figures.headings import foot, headline, left_out
from hopattn.figures.shapes import arrow, bare, boxed, colours_of, write_numbers
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import extent, number, short, subscripted, width
from hopattn.results.labelled import Labelled
from hopattn.scenario.language.array_name import ArrayName
from hopattn.scenario.result import Result, Run

WORDS, ELEMENTS, HIDDEN, HEADS = 6, 8, 12, 2
"""The largest number of words, of elements of a vector, of hidden neurons, and of heads."""
SIZE = 13
"""The font size in the cells and of the names."""
BELOW, ABOVE = (5.0, 20.0), (37.5, 52.5)
"""The lower and upper edge of the tables of the words, and of those on the two detours; the drawing is 63 high."""

Arrays = dict[str, Labelled]
"""The arrays of a layer, by their names in it."""
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
        own = _layer(result.runs[0])
        if not own:
            return "it has no layer with an output matrix or a feed-forward layer"
        words, elements = own["input"].values.shape
        most = max(words, len(own[f"{_heads(own)[0]} keys"].values))
        hidden = own["hidden"].values.shape[1] if "hidden" in own else 0
        if most > WORDS or elements > ELEMENTS or hidden > HIDDEN:
            found = f"{most} words of {elements} elements and {hidden} hidden neurons"
            return f"it has {found}; there is room for {WORDS} of {ELEMENTS} and {HIDDEN}"
        return ""

    def draw(self, figure: Figure, result: Result) -> None:
        headline(figure, result)
        run = result.runs[0]
        own = _layer(run)
        crowded = _draw(figure.subplots(), own, float(figure.bbox.width))
        heads, layers = len(_heads(own)), sum(name.quantity == "state" for name in _names(run) if name.layer)
        notes = (
            "blue: above 0, orange: below 0, without colour: 0",
            "no room for the numbers of a table without them" if crowded else "",
            left_out(min(HEADS, heads), heads, "heads"),
            left_out(1, layers, "layers", "layer"),
            left_out(1, len(result.runs), "runs", "run"),
        )
        foot(figure, notes)

    def panel(self, ax: Axes, result: Result) -> None:
        _draw(ax, _layer(result.runs[0]), float(ax.bbox.width))


def _names(run: Run) -> dict[ArrayName, Labelled]:
    """The arrays of the text itself, or of a task's first sequence."""
    names = {ArrayName.parse(name): array for name, array in arrays_of(run).items()}
    return {name: array for name, array in names.items() if not name.text}


def _layer(run: Run) -> Arrays:
    """The first layer with an output matrix or a feed-forward layer; empty if there is none.

    Its arrays have their names without the layer; those that go into it have the name `input`.
    """
    names, before = _names(run), arrays_of(run).get("input")
    for k in sorted({name.layer for name in names if name.layer is not None}):
        own = {str(replace(name, layer=None)): array for name, array in names.items() if name.is_at(k)}
        if "state" in own and before is not None:
            own["input"], before = before, own["state"]
            if _heads(own) and ("fed" in own or _mapped(own)):
                return own
    return {}


def _heads(own: Arrays) -> list[str]:
    """The heads of a layer, such as `head 1`."""
    names = map(ArrayName.parse, own)
    return [name.place for name in names if name.quantity == "weights" and name.head is not None]


def _mapped(own: Arrays) -> bool:
    """Whether a matrix maps the outputs of all heads to the output of the layer: it is not their sum."""
    outputs, whole = [own[f"{head} output"].values for head in _heads(own)], own["output"].values
    return any(one.shape != whole.shape for one in outputs) or not np.allclose(sum(outputs), whole)


def _tables(own: Arrays) -> Arrays:
    """The tables of a layer by name, in the order of their computation."""
    heads = _heads(own)[:HEADS]
    tables = {head: own[f"{head} weights"] for head in heads}
    if _mapped(own):
        joined = np.concatenate([own[f"{head} output"].values for head in heads], axis=1)
        labels = own[f"{heads[0]} output"].labels[0], tuple(map(str, range(joined.shape[1])))
        tables["joined"] = Labelled(joined, ("token", "axis"), labels)
    names = "input", "output", "attended", "hidden", "fed", "state"
    return tables | {name: own[name] for name in names if name in own}


def _plan(tables: Arrays) -> Plan:
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


def _draw(ax: Axes, own: Arrays, pixels: float) -> bool:
    """Draw a layer; gives whether some table has no room for its numbers. pixels: the width of the drawing."""
    tables = _tables(own)
    plan = _plan(tables)
    right = max(box[1] for box in plan.boxes.values())
    names = (*tables["input"].labels[0], *next(iter(tables.values())).labels[0])
    room = 1.2 + 0.95 * max(map(width, subscripted(names, 7)))
    bare(ax, xlim=(4 - room, right + 0.5), ylim=(-6, 57))
    unit = pixels * 72 / float(ax.get_figure(root=True).dpi) / (right + room - 3.5) / scaled(1)
    plain = [table for name, table in tables.items() if not name.startswith("head ")]
    most = max(float(np.abs(table.values).max(initial=0.0)) for table in plain) or 1.0
    verb = "adds" if _residual(own) else "gives"
    crowded = False
    for name, title in _titles(tables, verb):
        crowded |= not _table(ax, tables[name], plan.boxes[name], None if name.startswith("head ") else most, unit)
        left, side, _, high = plan.boxes[name]
        ax.text((left + side) / 2, high + 0.8, title, ha="center", va="bottom", fontsize=scaled(SIZE + 2))
    for name in tables:
        if name.startswith("head ") or name in ("input", "attended", "state"):
            _columns(ax, tables[name].labels[1], plan.boxes[name], unit)
    for name in (next(iter(tables)), "input"):
        left, _, low, high = plan.boxes[name]
        rows = subscripted(tables[name].labels[0], 7)
        for i, row in enumerate(rows):
            y = high - (i + 0.5) * (high - low) / len(rows)
            ax.text(left - 0.6, y, row, ha="right", va="center", fontsize=scaled(SIZE))
    if "joined" in plan.boxes:  # lines between the outputs of the heads that are side by side
        left, right, low, high = plan.boxes["joined"]
        widths = [own[f"{head} output"].values.shape[1] for head in _heads(own)[:HEADS]]
        for edge in np.cumsum(widths)[:-1]:
            x = left + (right - left) * edge / sum(widths)
            ax.plot([x, x], [low, high], color=theme().ink, lw=scaled(2.5))
    _ways(ax, own, plan)
    return crowded


def _titles(tables: Arrays, verb: str) -> Iterator[tuple[str, str]]:
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


def _ways(ax: Axes, own: Arrays, plan: Plan) -> None:
    """Draw the arrows: the straight way and the detours, with their norms and residuals."""
    middle, high = sum(BELOW) / 2, sum(ABOVE) / 2
    residual, boxes = _residual(own), plan.boxes
    stops = [boxes[name] for name in ("input", "attended", "state") if name in boxes]
    for start, plus, end in zip(stops[:-1], plan.plus, stops[1:], strict=True):
        if residual:
            arrow(ax, (start[1] + 0.8, middle), (plus - 2, middle))
            ax.plot(plus, middle, "o", ms=scaled(28), mfc="none", mec=theme().ink, mew=scaled(2))
            ax.text(plus, middle, "+", ha="center", va="center", fontsize=scaled(20))
        arrow(ax, (plus, ABOVE[0] - 1), (plus, middle + (2.4 if residual else 0.0)))
        arrow(ax, (plus + (2 if residual else 0), middle), (end[0] - 0.8, middle))
        if "summed" in own:
            _norm(ax, (plus + 5.6, middle))
    for x, top in zip(plan.leaves, (ABOVE[0] - 6.5, ABOVE[0] - 1), strict=False):
        arrow(ax, (x, BELOW[1] + 3.6), (x, top))
        if "normed" in own:
            _norm(ax, (x, BELOW[1] + 5.6))
    row = [boxes[name] for name in ("joined", "output") if name in boxes]
    heads = max(box[1] for name, box in boxes.items() if name.startswith("head "))
    for left, right in zip([heads, *(box[1] for box in row)], [box[0] for box in row], strict=False):
        arrow(ax, (left + 0.3, high), (right - 0.3, high), width=2)
    if "fed" in boxes:
        arrow(ax, (boxes["hidden"][1] + 0.4, high), (boxes["fed"][0] - 0.3, high), width=2)


def _residual(own: Arrays) -> bool:
    """Whether the attention's output is added to the words or replaces them."""
    summed = next(own[name].values for name in ("summed", "attended", "state") if name in own)
    return not np.array_equal(summed, own["output"].values) or not own["input"].values.any()


def _norm(ax: Axes, at: tuple[float, float]) -> None:
    look = {"boxstyle": "round,pad=0.25", "facecolor": theme().paper, "edgecolor": theme().ink}
    boxed(ax, at, "norm", fontsize=scaled(SIZE), bbox=look)


def _table(ax: Axes, table: Labelled, box: Box, most: float | None, unit: float) -> bool:
    """Draw a table into a box; gives whether there is room for its numbers.

    most: the largest number of all tables, None for weights. unit: in points on a slide.
    """
    left, right, low, high = box
    values = np.asarray(table.values, dtype=float)
    signed = most is not None or values.min(initial=0.0) < 0
    colours = colours_of(-1.0, 1.25 * (most or 1.0)) if signed else colours_of(0.0, 1.0)
    image = ax.imshow(values, **colours, extent=box, aspect="auto", interpolation="nearest")
    ax.plot([left, right, right, left, left], [low, low, high, high, low], color=theme().ink, lw=scaled(1))
    wide = unit * (right - left) / values.shape[1]
    for digits in (2, 1):
        texts = np.array([[number(value, digits) for value in row] for row in values.tolist()])
        if SIZE * max(map(extent, texts.flat), default=0.0) <= wide:
            write_numbers(ax, image, scaled(SIZE), texts)
            return True
    return False


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
