"""Messages: attention as a graph of words, along whose edges messages go, one round for each layer."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes
from hopattn.figures.choice import AS_WRITTEN
from hopattn.figures.headings import left_out, wrapped
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.shapes import arrow, boxed
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number, short
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result, Run

ROUNDS, WORDS = 2, 12
"""The largest number of layers and of words in a column."""
NUMBERED = 4
"""The number of words up to which edges show their weights, and words what they send and receive."""

SHORT = 2
"""The number of elements up to which a vector is written."""

Round = tuple[Labelled, np.ndarray, Labelled, Labelled]
"""The weights, the mask, the values and the received messages of the first head of a layer."""
Graph = tuple[Run, list[Round]]
"""A run, and the drawn parts of each of its layers."""


class Messages(Panels[Graph]):
    """The graph of each run, with the words once before and once after each layer. An arrow goes from the word that is
    attended to (the key) to the word that attends (the query), as wide as its weight. Edges that a mask takes away are
    dotted. Of several heads, the first one is drawn."""

    name: ClassVar[str] = "messages"
    shows: ClassVar[str] = "attention as messages on a graph of words; a mask is the edges that are missing"
    scenario: ClassVar[str] = "messages"
    most: ClassVar[int] = 3

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
        _graph(ax, part[1], most, len(shown.parts))

    def about(self, shown: Shown[Graph], axes: Sequence[Axes]) -> About:
        written = any(_with_vectors(weights, got) for _, rounds in shown.parts for weights, _, _, got in rounds)
        notes = "arrows from key to query", "in brackets: sent, received" * written, *_left_out(shown)
        titles = []
        for run, rounds in shown.parts:
            edges = " + ".join(str(int(mask.sum())) for _, mask, _, _ in rounds)
            name = (run.name or AS_WRITTEN) if len(shown.result.runs) > 1 else ""
            titles.append(wrapped(": ".join(filter(None, [name, f"{edges} edges"])), 84 // len(shown.parts)))
        looks = {
            "weight above 0": (theme().plus, "-"),
            "below 0": (theme().minus, "--"),
            "0": (theme().faint, "-"),
            "no edge": (theme().faint, ":"),
        }
        keys = [axes[0].plot([], [], color=colour, lw=scaled(3), ls=ls)[0] for colour, ls in looks.values()]
        return About(notes, keys, [*looks], titles, title_style={"fontsize": scaled(18)})


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


def _graph(ax: Any, rounds: list[Round], most: float, panels: int) -> None:
    """Draw one graph: a column of words before each layer, and one after the last. panels: the graphs in the figure."""
    ax.set(xlim=(-0.35, len(rounds) + 0.35), ylim=(-1.3, 1.2), xticks=[], yticks=[])
    ax.set_axis_off()
    letters = max(4, 24 // (panels * (len(rounds) + 1)) + 3)
    for x, (weights, mask, values, received) in enumerate(rounds):
        rows, columns = weights.labels
        to, start = _heights(len(rows)), _heights(len(columns))
        numbered = max(len(rows), len(columns)) <= NUMBERED
        gap = 0.2 if _with_vectors(weights, received) else 0.17
        for i, j in np.ndindex(weights.values.shape):
            ends = np.array([x + gap, start[j]]), np.array([x + 1 - gap, to[i]])
            _edge(ax, ends, float(weights.values[i, j]) if mask[i, j] else None, most)
            if mask[i, j] and numbered and abs(weights.values[i, j]) > 1e-12:
                along = 1 / (len(rows) + 1)
                at = ends[0] + along * (ends[1] - ends[0])
                boxed(ax, at, number(float(weights.values[i, j])), fontsize=scaled(15))
        if x == 0:
            _words(ax, x, start, columns, values if numbered else None, letters)
        _words(ax, x + 1, to, rows, received if numbered else None, letters)


def _words(
    ax: Any, x: int, heights: np.ndarray, names: tuple[str, ...], vectors: Labelled | None, letters: int
) -> None:
    """Draw a column of words, with a vector below each if it is short."""
    box = {"boxstyle": "round,pad=0.3", "facecolor": theme().paper, "edgecolor": theme().ink, "linewidth": scaled(2)}
    for k, (y, name) in enumerate(zip(heights, names, strict=True)):
        boxed(ax, (x, y), short(name, letters), fontsize=scaled(17), bbox=box, zorder=7)
        if vectors is not None and vectors.values.shape[1] <= SHORT:
            text = f"({', '.join(number(float(value)) for value in vectors.values[k])})"
            paper = {"boxstyle": "round,pad=0.05", "facecolor": theme().paper, "edgecolor": "none"}
            below: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "top", "bbox": paper}
            ax.annotate(text, (x, y), (0, -scaled(17)), fontsize=scaled(14), zorder=6, **below)


def _edge(ax: Any, ends: tuple[np.ndarray, np.ndarray], weight: float | None, most: float) -> None:
    """Draw one edge: an arrow as wide as its weight, a thin line for a weight of 0, dots for no edge (None)."""
    if weight is None or abs(weight) <= 1e-12:
        dots = ":" if weight is None else "-"
        ax.plot(*np.stack(ends, axis=1), dots, color=theme().faint, lw=scaled(1.3), zorder=0)
        return
    width = 1 + 5 * abs(weight) / most
    dashes: dict[str, Any] = {"linestyle": "--"} if weight < 0 else {}
    colour = theme().minus if weight < 0 else theme().plus
    arrow(ax, *ends, colour, width, mutation_scale=scaled(12 + 1.5 * width), **dashes)
