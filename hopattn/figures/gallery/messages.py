"""Messages: attention as a graph of words, along whose edges messages go, one round for each layer."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.choice import AS_WRITTEN
from hopattn.figures.headings import left_out, wrapped
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.shapes import arrow, boxed
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import cut_words, ems, indexed, number
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result, Run

ROUNDS, WORDS = 2, 12
"""The largest number of layers and of words in a column."""
NUMBERED = 4
"""The number of words up to which edges show their weights, and words what they send and receive."""
SHORT = 2
"""The number of elements up to which a vector is written."""
WORD = 17
"""The font size of the words, on a slide."""
NAMED = 0.44
"""The largest width of a word, as a part of the width of a layer."""
HIGH = 0.45
"""The height of the words in a column, as a part of the figure's."""
FAN = 0.4
"""How far from a word's middle its highest and lowest arrow end, times the number of words in the column."""
NUMBER_AT = 0.28
"""The place of a weight on its edge, from 0 at the key to 1 at the query."""

Round = tuple[Labelled, np.ndarray, Labelled, Labelled]
"""The weights, the mask, the values and the received messages of the first head of a layer."""
Graph = tuple[Run, list[Round]]
"""A run, and the drawn parts of each of its layers."""


class Messages(Panels[Graph]):
    """The graph of each run, with the words once before and once after each layer: a line for each edge, none where a
    mask takes it away. The edges to one query are arrows from key to query, as wide as their weights. Of several heads,
    the first one is drawn."""

    shows: ClassVar[str] = "attention as messages on a graph of words; a mask is the edges that are missing"
    scenario: ClassVar[str] = "messages"
    most: ClassVar[int] = 3
    space: ClassVar[Mapping[str, float]] = {"h_pad": 0.1}

    def lacks(self, result: Result) -> str:
        rounds = _rounds(result.runs[0])
        if not rounds:
            return "its words pass no messages on a graph"
        most = max(max(weights.values.shape) for weights, *_ in rounds)
        return "" if most <= WORDS else f"a graph of {most} words cannot be read; the largest has {WORDS}"

    def parts(self, result: Result) -> list[Graph]:
        """The runs that pass messages between few words, each with the first head of its layers."""
        graphs = [(run, rounds) for run in result.runs if (rounds := _rounds(run))]
        return [(run, rounds[:ROUNDS]) for run, rounds in graphs if max(rounds[0][0].values.shape) <= WORDS]

    def panel_of(self, ax: Axes, part: Graph, shown: Shown[Graph]) -> None:
        weights = [weights.values for _, rounds in shown.parts for weights, *_ in rounds]
        most = max(float(np.abs(values).max(initial=0.0)) for values in weights) or 1.0
        _graph(ax, part[1], most, _query(shown), shown.width_of(ax))

    def about(self, shown: Shown[Graph], axes: Sequence[Axes]) -> About:
        written = any(_with_vectors(weights, got) for _, rounds in shown.parts for weights, _, _, got in rounds)
        notes = "in brackets: sent on the left, then received" * written, *_left_out(shown)
        titles = []
        for run, rounds in shown.parts:
            edges = " + ".join(str(int(mask.sum())) for _, mask, _, _ in rounds)
            name = (run.name or AS_WRITTEN) if len(shown.result.runs) > 1 else ""
            titles.append(wrapped(": ".join(filter(None, [name, f"{edges} edges"])), 84 // len(shown.parts)))
        to_query = [
            float(weight)
            for _, rounds in shown.parts
            for weights, mask, _, _ in rounds
            for weight in _of_query(weights, mask, _query(shown)).values()
        ]
        looks = {
            f"messages to ‘{indexed(_query(shown))}’": (any(weight > 0 for weight in to_query), theme().ink, "-"),
            "weight below 0": (any(weight < 0 for weight in to_query), theme().ink, "--"),
            "to other words": (True, theme().faint, "-"),
        }
        found = {name: look for name, (there, *look) in looks.items() if there}
        keys = [
            axes[0].plot([], [], color=ink, lw=scaled(1.2 if ink == theme().faint else 3), ls=ls)[0]
            for ink, ls in found.values()
        ]
        return About(notes, keys, [*found], titles, title_style={"fontsize": scaled(18)})


def _query(shown: Shown[Graph]) -> str:
    """The query whose edges stand out: the one of `[figure]`, else the one whose edges differ most between the runs."""
    words = shown.parts[0][1][0][0].labels[0]
    stated = [word for word in (shown.result.figure.query, *shown.result.figure.highlight) if word in words]
    if stated:
        return str(stated[0])

    def differences(word: str) -> tuple[int, int]:
        each = [{*_of_query(*rounds[0][:2], word)} for _, rounds in shown.parts if word in rounds[0][0].labels[0]]
        return sum(len(one ^ each[0]) for one in each), sum(map(len, each))

    return max(reversed(words), key=differences)


def _of_query(weights: Labelled, mask: np.ndarray, query: str) -> dict[int, float]:
    """The weights of the edges to a query that are not 0, by their keys."""
    if query not in weights.labels[0]:
        return {}
    i = weights.labels[0].index(query)
    row = enumerate(weights.values[i].tolist())
    return {j: weight for j, weight in row if mask[i, j] and abs(weight) > 1e-12}


def _left_out(shown: Shown[Graph]) -> list[str]:
    """Remarks on the runs, the layers and the heads that are left out."""
    places = [{(name.layer, name.head) for name, _ in run.find("messages")} for run, _ in shown.parts]
    layers = max(len({layer for layer, _ in own}) for own in places)
    heads = max(len({head for _, head in own}) for own in places)
    return [
        left_out(len(shown.parts), len(shown.result.runs), "runs", "run"),
        left_out(min(ROUNDS, layers), layers, "layers", "layer"),
        left_out(1, heads, "heads", "head"),
    ]


def _rounds(run: Run) -> list[Round]:
    """The first head of each layer of a run that passes messages."""
    found: dict[int | None, Round] = {}
    for name, received in run.find("messages"):
        if name.layer not in found:
            weights, mask, values = (run.arrays[f"{name.place} {of}"] for of in ("weights", "mask", "values"))
            found[name.layer] = (weights, np.asarray(mask.values, bool), values, received)
    return list(found.values())


def _with_vectors(weights: Labelled, received: Labelled) -> bool:
    """Whether the vectors of a round are written below its words."""
    return bool(max(weights.values.shape) <= NUMBERED and received.values.shape[1] <= SHORT)


def _heights(n: int) -> np.ndarray:
    """The heights of n words in a column, `(n,)`, the first on top."""
    return np.linspace(1, -1, n) if n > 1 else np.zeros(1)


def _graph(ax: Any, rounds: list[Round], most: float, query: str, width: float) -> None:
    """Draw one graph: a column of words before each layer, and one after the last.

    most: the largest weight. query: the word whose edges stand out. width: of the panel, in pixels.
    """
    ax.set(xlim=(-0.35, len(rounds) + 0.35), ylim=(-1.3, 1.2), xticks=[], yticks=[])
    ax.set_axis_off()
    layer = width * 72 / float(ax.get_figure(root=True).dpi) / (len(rounds) + 0.7) / scaled(WORD)
    every = [*rounds[0][0].labels[1], *(word for weights, *_ in rounds for word in weights.labels[0])]
    names = {word: cut_words([word], NAMED * layer)[0] for word in every}
    gap = max(0.17, (0.5 * max(map(ems, names.values())) + 0.9) / layer)
    for x, (weights, mask, values, received) in enumerate(rounds):
        rows, columns = weights.labels
        to, start = _heights(len(rows)), _heights(len(columns))
        numbered = max(len(rows), len(columns)) <= NUMBERED
        ends = np.array([x + gap, x + 1 - gap])
        for i, j in np.argwhere(mask):
            ax.plot(ends, (start[j], to[i]), color=theme().faint, lw=scaled(1.2), alpha=0.55, zorder=0)
        edges = _of_query(weights, mask, query)
        for k, (j, weight) in enumerate(edges.items()):
            fan = FAN / len(rows) * (len(edges) - 1 - 2 * k) / max(len(edges) - 1, 3)
            line = np.stack([ends, (start[j], to[rows.index(query)] + fan)], axis=1)
            _edge(ax, line, weight, most)
            if numbered:
                boxed(ax, line[0] + NUMBER_AT * (line[1] - line[0]), number(weight), fontsize=scaled(16))
        if x == 0:
            _words(ax, x, start, [names[word] for word in columns], columns, query, values if numbered else None)
        _words(ax, x + 1, to, [names[word] for word in rows], rows, query, received if numbered else None)


def _words(
    ax: Any,
    x: int,
    heights: np.ndarray,
    names: Sequence[str],
    words: Sequence[str],
    query: str,
    vectors: Labelled | None,
) -> None:
    """Draw a column of words, with a vector below each if it is short; the query stands out after each layer."""
    points = 72 / float(ax.get_figure(root=True).dpi)
    size = min(scaled(WORD), HIGH * points * float(ax.get_figure(root=True).bbox.height) / len(words))
    for k, (y, name) in enumerate(zip(heights, names, strict=True)):
        box = {
            "boxstyle": "round,pad=0.3",
            "facecolor": theme().paper,
            "edgecolor": theme().ink,
            "linewidth": scaled(2),
        }
        if len(words) > NUMBERED:
            box |= {"boxstyle": "round,pad=0.1", "edgecolor": "none"}
        weight = "normal"
        if x and words[k] == query:
            box |= {"facecolor": theme().dim, "linewidth": scaled(3.5)}
            weight = "bold"
        boxed(ax, (x, y), name, fontsize=size, bbox=box, zorder=7, weight=weight)
        if vectors is not None and vectors.values.shape[1] <= SHORT:
            text = f"({', '.join(number(float(value)) for value in vectors.values[k])})"
            paper = {"boxstyle": "round,pad=0.05", "facecolor": theme().paper, "edgecolor": "none"}
            below: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "top", "bbox": paper}
            ax.annotate(text, (x, y), (0, -scaled(17)), fontsize=scaled(14), zorder=6, **below)


def _edge(ax: Any, ends: np.ndarray, weight: float, most: float) -> None:
    """Draw an edge to the query: an arrow as wide as its weight, dashed below 0. ends: `(2, 2)`."""
    width = 1.5 + 5 * abs(weight) / most
    dashes: dict[str, Any] = {"linestyle": "--"} if weight < 0 else {}
    arrow(ax, ends[0], ends[1], theme().ink, width, mutation_scale=scaled(9 + 0.7 * width), **dashes)
