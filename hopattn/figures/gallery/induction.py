"""The induction head as a flow through two layers: words are columns of cells, and arcs show where cells come from."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hopattn.figures.base import Axes, arrays_of
from hopattn.figures.headings import left_out
from hopattn.figures.panels import About, Shown, Together
from hopattn.figures.shapes import boxed, framed, line_of, write_numbers
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import cut_words, ems, label, number, width
from hopattn.foundation.registry import name_of
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Name
from hopattn.scenario.result import Result, Run

WORDS, ELEMENTS = 8, 40
"""The largest number of words, and of elements of a vector."""
NUMBERED, NAMED = 16, 24
"""The number of elements up to which cells show their numbers, and elements their names."""
NAME, LONGEST = 14, 7.0
"""The font size of the words, on a slide, and the width of a tilted one, in font sizes."""
STAGES = 0.86
"""The part of the figure's width that the columns have."""
GAP = 1.2
"""The space between two stages, in columns."""
FAINTEST = 0.15
"""The smallest weight that has an arc, as a part of the largest that leads to the last word."""
DARKEST = 2.6
"""The number that would be as dark as ink, in sizes of the largest: grey keeps the colours for the words."""
COLOURED = 6
"""The number of words up to which each has a colour."""


class Arc(NamedTuple):
    """An arc of a layer, counted from 0. leads: whether the last word depends on it."""

    layer: int
    query: int
    key: int
    weight: float
    leads: bool


class Induction(Together[Run]):
    """The first run: the vectors before, between and after two layers, and the attention that leads to the last word.

    Arcs lead from key to query and have the colour of the key; pale ones do not lead to the last word. The cells that
    are copied along an arc have frames.
    """

    shows: ClassVar[str] = "two layers work together: one notes the word before, one finds what came after"
    scenario: ClassVar[str] = "induction"

    def lacks(self, result: Result) -> str:
        arrays = arrays_of(result.runs[0])
        if "input" not in arrays or not all(_places(arrays, k) for k in (1, 2)):
            return "it has no text that goes through two layers of attention"
        words, elements = arrays["input"].values.shape
        if not _parts(arrays["input"].labels[1]):
            return "its vectors have no named parts for the layers to fill"
        if arrays[f"{_places(arrays, 1)[0]} weights"].labels[1] != arrays["input"].labels[0]:
            return "its words attend to another text"
        if words > WORDS or elements > ELEMENTS:
            return f"it has {words} words of {elements} elements; there is room for {WORDS} of {ELEMENTS}"
        return ""

    def parts(self, result: Result) -> Sequence[Run]:
        return result.runs

    def draw_into(self, ax: Axes, shown: Shown[Run]) -> None:
        _draw(ax, shown.parts[0])

    def about(self, shown: Shown[Run], axes: Sequence[Axes]) -> About:
        (ax,), run, arcs = axes, shown.parts[0], _arcs(shown.parts[0])
        keys = ax.plot([], [], color=theme().series[0], lw=scaled(4))
        names = ["from the key to the query"]
        if not all(arc.leads for arc in arcs):
            keys += ax.plot([], [], color=theme().series[1], lw=scaled(1.5), alpha=0.4)
            names.append("leads elsewhere")
        if any(arc.weight < 0 for arc in arcs):
            keys += ax.plot([], [], line_of(-1), color=theme().faint, lw=scaled(2))
            names.append("weight below 0")
        if ax.patches:
            frame: dict[str, Any] = {"mfc": "none", "mec": theme().value, "mew": scaled(3.5), "ls": "none"}
            keys += ax.plot([], [], marker="s", ms=scaled(15), **frame)
            names.append("copied")
        return About([*_notes(run, arcs), self.left_out(shown)], keys, names)


def _places(arrays: dict[str, Labelled], layer: int) -> list[str]:
    """The heads of a layer that are there, such as `layer 1 head 1`."""
    names = map(Name.parse, arrays)
    return [name.place for name in names if name.quantity == "weights" and name.layer == layer and not name.text]


def _draw(ax: Axes, run: Run) -> None:
    """Draw a run: its stages, the arcs between them, and frames around the cells that are copied."""
    stages = [arrays_of(run)[name] for name in ("input", "layer 1 state", "layer 2 state")]
    n, high = stages[0].values.shape
    most = max(float(np.abs(stage.values).max(initial=0.0)) for stage in stages) or 1.0
    top = 0.42 * high
    tokens, flat = _names(ax, stages[0].labels[0])
    tall = 1.2 if flat else 0.8 + 0.65 * max(map(ems, tokens))
    below = high + (tall * NAME + 17) * (high + top + 3) / 420
    big = {"ha": "center", "va": "bottom", "fontsize": scaled(19), "weight": "bold"}
    for k, (stage, title) in enumerate(zip(stages, ("input", "after layer 1", "after layer 2"), strict=True)):
        _columns(ax, stage, k * (n + GAP), most)
        _write(ax, tokens, k * (n + GAP), high, flat)
        ax.text(k * (n + GAP) + (n - 1) / 2, below, title, **big)
    for k in (1, 2):
        at = k * (n + GAP) - 0.5 - GAP / 2, high / 2
        ax.text(*at, f"layer {k}\n→", ha="center", va="center", fontsize=scaled(15))
    arcs = _arcs(run)
    for arc in sorted(arcs, key=lambda arc: arc.leads):
        _arc(ax, arc, n, top / (2 * n + GAP))
    copied = sorted({cell for arc in arcs if arc.leads for cell in _copied(run, stages, arc)})
    for k, word, element in copied:
        framed(ax, (k * (n + GAP) + word - 0.45, element - 0.43), (0.9, 0.86), theme().value, 4, zorder=4)
    _name_parts(ax, stages[0].labels[1])
    ax.set(xlim=(-0.6, 3 * n + 2 * GAP - 0.4), ylim=(below, -top - 1.1), xticks=[])
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)


def _notes(run: Run, arcs: list[Arc]) -> list[str]:
    """The remarks below the figure: what it leaves out, and where a layer scales what a word takes."""
    arrays, notes = arrays_of(run), []
    stages = [arrays[name].values for name in ("input", "layer 1 state", "layer 2 state")]
    if stages[0].shape[1] > NUMBERED and any((stage < 0).any() for stage in stages):
        notes.append("dashed: below 0")
    for k in (1, 2):
        place = _places(arrays, k)[0]
        taken = arrays[f"{place} weights"].values @ arrays[f"{place} values"].values
        if place in run.heads() and name_of(run.heads()[place].retrieval.activation) == "unit":
            lengths = np.linalg.norm(taken, axis=1)
            if np.any((lengths > 0) & ~np.isclose(lengths, 1)):
                notes.append(f"layer {k} scales what a word takes to length 1")
        notes.append(left_out(1, len(_places(arrays, k)), f"heads of layer {k}", "head"))
    drawn = len({(arc.layer, arc.query, arc.key) for arc in arcs})
    there = sum(np.count_nonzero(arrays[f"{_places(arrays, k)[0]} weights"].values) for k in (1, 2))
    notes.append(left_out(drawn, int(there), "arcs"))
    return notes


def _parts(axes: tuple[str, ...]) -> dict[str, list[int]]:
    """The named parts of a vector, each with the indices of its elements; empty if the axes name no parts."""
    parts: dict[str, list[int]] = {}
    for i, axis in enumerate(axes):
        part, colon, _ = axis.partition(": ")
        if not colon:
            return {}
        parts.setdefault(part, []).append(i)
    return parts if len(parts) > 1 else {}


def _columns(ax: Axes, stage: Labelled, left: float, most: float) -> None:
    """Draw the words of one stage as columns of cells, with their names below. left: the x of the first column."""
    values, (tokens, axes) = stage.values, stage.labels
    high, ends = len(axes), (left - 0.5, left + len(tokens) - 0.5)
    extent: Any = (*ends, high - 0.5, -0.5)
    image = ax.imshow(np.abs(values.T), cmap=theme().picture, vmin=0, vmax=DARKEST * most, extent=extent, aspect="auto")
    for word, element in np.argwhere(values < 0) if high > NUMBERED else ():
        framed(ax, (left + word - 0.5, element - 0.5), (1, 1), theme().ink, 1.2, linestyle="--")
    if high <= NUMBERED:
        texts = [[number(value) if round(value, 2) else "" for value in row] for row in values.T.tolist()]
        write_numbers(ax, image, scaled(14), np.array(texts))
    for j in range(len(tokens)):
        ax.plot([left + j - 0.5] * 2, [-0.5, high - 0.5], color=theme().paper, lw=scaled(2))
    for elements in _parts(axes).values():
        for edge in (elements[0] - 0.5, elements[-1] + 0.5):
            ax.plot(ends, [edge, edge], color=theme().ink, lw=scaled(1.5))
    for j in range(len(tokens) if len(tokens) <= COLOURED else 0):
        bar = [left + j - 0.42, left + j + 0.42]
        ax.plot(bar, [high - 0.42] * 2, color=theme().series[j], lw=scaled(5), solid_capstyle="butt")


def _names(ax: Axes, tokens: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """The words below the columns, and whether they are flat: each has the width of its column, or is tilted."""
    points = 72 / float(ax.get_figure(root=True).dpi) * float(ax.figure.bbox.width) / scaled(NAME)
    whole = cut_words(tokens, np.inf)
    flat = max(map(ems, whole)) <= 0.95 * STAGES * points / (3 * len(tokens) + 2 * GAP)
    return (whole if flat else cut_words(tokens, LONGEST)), flat


def _write(ax: Axes, names: tuple[str, ...], left: float, high: float, flat: bool) -> None:
    """Write the words below the columns of one stage. left: the x of the first column. high: their height, in cells."""
    tilted: dict[str, Any] = {"ha": "right", "rotation": 40, "rotation_mode": "anchor"}
    look: dict[str, Any] = {"ha": "center"} if flat else tilted
    for j, name in enumerate(names):
        ax.text(left + j + 0.1 * (not flat), high - 0.2, name, va="top", fontsize=scaled(NAME), **look)


def _arcs(run: Run) -> list[Arc]:
    """The arcs of both layers. Those that lead to the last word do so at once or by the words that it attends to."""
    arrays = arrays_of(run)
    first, second = (np.asarray(arrays[f"{_places(arrays, k)[0]} weights"].values) for k in (1, 2))
    last = len(first) - 1
    attended = int(np.argmax(np.abs(second[last]))) if second[last].any() else last
    leading = {(0, attended), (0, last), (1, last)}
    least = FAINTEST * max(float(np.abs((first, second)[k][row]).max()) for k, row in leading)
    return [
        Arc(k, int(i), int(j), float(weights[i, j]), (k, i) in leading)
        for k, weights in enumerate((first, second))
        for i, j in np.argwhere(np.abs(weights) > least)
    ]


def _arc(ax: Axes, arc: Arc, n: int, rise: float) -> None:
    """Draw an arc above the columns, from the key to the query, with the weight at its top."""
    start, end = arc.layer * (n + GAP) + arc.key, (arc.layer + 1) * (n + GAP) + arc.query
    turn = np.linspace(0, np.pi, 61)
    x = (start + end) / 2 - (end - start) / 2 * np.cos(turn)
    y = -1.0 - rise * (end - start) * np.sin(turn)
    colour = theme().faint if arc.weight < 0 else theme().series[arc.key if n <= COLOURED else 0]
    wide = scaled(1.2 + 3.6 * min(abs(arc.weight), 1.0) * (0.3 if arc.weight < 0 else 1.0))
    if not arc.leads:
        ax.plot(x, y, line_of(arc.weight), color=colour, lw=scaled(1.5), alpha=0.4, zorder=1)
        ax.plot(end, -1.0, marker=(3, 0, 180), ms=scaled(9), color=colour, alpha=0.4, zorder=1)
        return
    ax.plot(x, y, line_of(arc.weight), color=colour, lw=wide, zorder=2)
    ax.plot(end, -1.0, marker=(3, 0, 180), ms=scaled(13), color=theme().ink, zorder=5)
    boxed(ax, (x[30], y[30]), number(arc.weight), fontsize=scaled(15))


def _copied(run: Run, stages: list[Labelled], arc: Arc) -> Iterator[tuple[int, int, int]]:
    """The cells (stage, word, element) that an arc copies, and those that it copies them to."""
    place = _places(arrays_of(run), arc.layer + 1)[0]
    if place not in run.heads():
        return
    matrix = np.asarray(run.heads()[place].value.weight)
    before, after = stages[arc.layer].values[arc.key], stages[arc.layer + 1].values[arc.query]
    if matrix.shape != (len(after), len(before)):
        return
    passed = np.abs(matrix * before) > 1e-9
    yield from ((arc.layer, arc.key, int(j)) for j in np.flatnonzero(passed.any(axis=0)))
    yield from ((arc.layer + 1, arc.query, int(i)) for i in np.flatnonzero(passed.any(axis=1) & (np.abs(after) > 1e-9)))


def _name_parts(ax: Axes, axes: tuple[str, ...]) -> None:
    """Write the names of the parts on the far left, and those of few elements beside the cells."""
    if len(axes) <= NAMED:
        ax.set_yticks(range(len(axes)), [label(axis.partition(": ")[2]) for axis in axes], fontsize=scaled(15))
    else:
        ax.set_yticks([])
    longest = max(width(label(axis.partition(": ")[2])) for axis in axes)
    across = -0.03 - 0.0095 * longest if len(axes) <= NAMED else -0.02
    for part, elements in _parts(axes).items():
        middle = (elements[0] + elements[-1]) / 2
        look = {"ha": "right", "va": "center", "fontsize": scaled(15), "weight": "bold"}
        ax.text(across, middle, label(part), transform=ax.get_yaxis_transform(), **look)
