"""A layer of a transformer: the words go straight on, and attention and feed-forward layer each add something."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hopattn.figures.base import Around, Axes, Figure, Plot, arrays_of
from hopattn.figures.headings import foot, headline, headline_of, left_out
from hopattn.figures.shapes import arrow, bare, boxed, colours_of, write_numbers
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import cut_words, ems, number
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Name
from hopattn.scenario.result import Result, Run

WORDS, ELEMENTS, HIDDEN, HEADS = 6, 8, 12, 2
"""The largest number of words, of elements of a vector, of hidden neurons, and of heads."""
SIZE = 13
"""The font size in the cells and of the names."""
NAMES, TILTED = 0.11, 4.6
"""The largest width of the words beside a table, as a part of the drawing's, and of a tilted name, in font sizes."""
PALE = 0.6
"""The power of a number that its colour shows: small ones are still to be seen."""
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
    """One layer of the first run: weights and vectors as tables, one row a word, all on one scale of colours."""

    shows: ClassVar[str] = "inside a transformer's layer: heads side by side, mapped back, and what is added to words"
    scenario: ClassVar[str] = "transformer-layer"
    of_one_run: ClassVar[bool] = True

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
            "attention adds: side by side × output matrix" if _mapped(own) and _residual(own) else "",
            "feed-forward adds: W₂ × hidden neurons, plus bias" if "fed" in own and _residual(own) else "",
            "no room for the numbers of a table without them" if crowded else "",
            left_out(min(HEADS, heads), heads, "heads"),
            left_out(1, layers, "layers", "layer"),
            left_out(1, len(result.runs), "runs", "run"),
        )
        foot(figure, notes)

    def panel(self, ax: Axes, result: Result) -> Around:
        _draw(ax, _layer(result.runs[0]), float(ax.bbox.width))
        return Around(headline_of(result))


def _names(run: Run) -> dict[Name, Labelled]:
    """The arrays of the text itself, or of a task's first sequence."""
    names = {Name.parse(name): array for name, array in arrays_of(run).items()}
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
    names = map(Name.parse, own)
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
    wide = 13.9 if "joined" in tables else 16.5
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
        left = plus[0] + wide / 2 + 2.7
        boxes["attended"] = (left, left + wide, *BELOW)
        leaves.append(left + wide / 2)
        boxes["hidden"] = (left, left + wide, *ABOVE)
        boxes["fed"] = (left + wide + 2.7, left + 2 * wide + 2.7, *ABOVE)
        plus.append(left + 1.5 * wide + 2.7)
    boxes["state"] = (plus[-1] + 10.3, plus[-1] + 10.3 + wide, *BELOW)
    return Plan(boxes, tuple(plus), tuple(leaves))


def _draw(ax: Axes, own: Arrays, pixels: float) -> bool:
    """Draw a layer; gives whether some table has no room for its numbers. pixels: the width of the drawing."""
    tables = _tables(own)
    plan = _plan(tables)
    wide = max(box[1] for box in plan.boxes.values()) - 4
    points = pixels * 72 / float(ax.get_figure(root=True).dpi) / scaled(1)  # of a slide
    named = {name: cut_words(tables[name].labels[0], NAMES * points / SIZE) for name in (next(iter(tables)), "input")}
    names = SIZE * (1 + max(ems(name) for rows in named.values() for name in rows))
    unit = (points - names) / wide
    bare(ax, xlim=(4 - names / unit, wide + 4.5), ylim=(-3, 57))
    most = max(float(np.abs(table.values).max(initial=0.0)) for table in tables.values()) or 1.0
    crowded = False
    for name, title in _titles(tables, "adds" if _residual(own) else "gives"):
        crowded |= not _table(ax, tables[name], plan.boxes[name], most, unit)
        left, side, _, high = plan.boxes[name]
        ax.text((left + side) / 2, high + 0.8, title, ha="center", va="bottom", fontsize=scaled(SIZE + 2))
    below = 0.0  # the heads, the height of the names of their columns
    for name in tables:
        if name.startswith("head ") or name in ("input", "attended", "state"):
            height = _columns(ax, tables[name].labels[1], plan.boxes[name], unit)
            below = max(below, height * name.startswith("head "))
    for name, rows in named.items():
        left, _, low, high = plan.boxes[name]
        for i, row in enumerate(rows):
            y = high - (i + 0.5) * (high - low) / len(rows)
            ax.text(left - 0.6, y, row, ha="right", va="center", fontsize=scaled(SIZE))
    if "joined" in plan.boxes:  # lines between the outputs of the heads that are side by side
        left, right, low, high = plan.boxes["joined"]
        widths = [own[f"{head} output"].values.shape[1] for head in _heads(own)[:HEADS]]
        for edge in np.cumsum(widths)[:-1]:
            x = left + (right - left) * edge / sum(widths)
            ax.plot([x, x], [low, high], color=theme().ink, lw=scaled(2.5))
    _ways(ax, own, plan, below)
    return crowded


def _titles(tables: Arrays, verb: str) -> Iterator[tuple[str, str]]:
    """The tables in their order, each with its title. verb: for what goes back to the straight way."""
    heads = sum(name.startswith("head ") for name in tables)
    titles = {
        "joined": "weights × values" + ",\nside by side" * (heads > 1),
        "output": f"attention {verb}",
        "input": "the words",
        "attended": "after attention",
        "hidden": "hidden neurons",
        "fed": f"feed-forward {verb}",
        "state": "after the layer",
    }
    for name in tables:
        yield name, titles.get(name, f"{name}:\nweights" if heads > 1 else "weights")


def _ways(ax: Axes, own: Arrays, plan: Plan, below: float) -> None:
    """Draw the arrows: the straight way and the detours, with their norms and residuals. below: the heads' names."""
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
    for x, top in zip(plan.leaves, (ABOVE[0] - below - 1, ABOVE[0] - 1), strict=False):
        arrow(ax, (x, BELOW[1] + 4), (x, top))
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


def _table(ax: Axes, table: Labelled, box: Box, most: float, unit: float) -> bool:
    """Draw a table into a box; gives whether there is room for its numbers.

    most: the largest number of all tables. unit: in points on a slide.
    """
    left, right, low, high = box
    values = np.asarray(table.values, dtype=float)
    shades = np.sign(values) * np.abs(values / most) ** PALE
    image = ax.imshow(shades, **colours_of(-1.0, 1.2), extent=box, aspect="auto", interpolation="nearest")
    ax.plot([left, right, right, left, left], [low, low, high, high, low], color=theme().ink, lw=scaled(1))
    wide = unit * (right - left) / values.shape[1]
    for digits in (2, 1):
        texts = np.array([[number(value, digits) for value in row] for row in values.tolist()])
        if SIZE * max(map(ems, texts.flat), default=0.0) <= 0.97 * wide:
            write_numbers(ax, image, scaled(SIZE), texts)
            return True
    return False


def _columns(ax: Axes, names: Sequence[str], box: Box, unit: float) -> float:
    """Write the names of a table's columns below it, tilted where they are wider than the columns; gives their height.

    Nothing is written where the columns are too narrow for that. unit: in points on a slide.
    """
    left, right, low, _ = box
    wide = unit * (right - left) / len(names)
    if wide < SIZE:
        return 0.0
    own = [name.rpartition(": ")[2] for name in names]
    flat = max(map(ems, cut_words(own, np.inf))) * SIZE <= 0.95 * wide
    tilted: Any = {
        "rotation": 40 if wide > 1.6 * SIZE else 70,
        "rotation_mode": "anchor",
        "ha": "right",
        "va": "center",
    }
    look = {"ha": "center", "va": "top"} if flat else tilted
    for j, name in enumerate(cut_words(own, np.inf if flat else TILTED)):
        x = left + (j + 0.5) * (right - left) / len(names)
        ax.text(x + 0.4 * (not flat), low - (0.7 if flat else 1.2), name, fontsize=scaled(SIZE), **look)
    return 3.0 if flat else 5.5
