"""A program in attention heads: what each selection selects, and the sequence that each step gives."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import foot, headline, laid_out, left_out, pads
from hopattn.figures.shapes import bare
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import cut, number, short, unnumbered
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Name
from hopattn.scenario.result import Result

SELECTIONS, ROWS, COLUMNS = 4, 7, 12
"""The largest number of selections, of sequences and of words; of more steps the last ones are shown."""
NAMED = 8
"""The largest number of words that a selection names at its sides."""

SIGNS = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}
"""The comparisons of a selection as they are written by hand."""
SIDE = 0.42
"""The side of a matrix, as a part of the figure's height."""
CELLS, NAMES = 0.78, 0.2
"""The widths of all cells of the table and of the names of the steps, as parts of the figure's."""

Step = tuple[int, str, Labelled]
"""The number of a step, from 1, its name and its array; the tokens have the number 0."""


class Program(Plot):
    """The selections of the first run as matrices, and below them its steps as rows in their order: what each word
    selects, or what the step gives it."""

    shows: ClassVar[str] = "a program in heads: what each head selects, and what each step gives"
    scenario: ClassVar[str] = "reverse"

    def lacks(self, result: Result) -> str:
        return "" if result.kind == "program" else "it has no steps of a program"

    def draw(self, figure: Figure, result: Result) -> None:
        arrays = [(Name.parse(name), array) for name, array in result.runs[0].arrays.items()]
        own = [(name.place, array) for name, array in arrays if name.quantity != "weights"]  # those are of a selection
        steps = [(i, *step) for i, step in enumerate(own)]
        selections, sequences = ([step for step in steps if step[2].values.ndim == ndim] for ndim in (2, 1))
        headline(figure, result)
        shown, last = selections[-SELECTIONS:], sequences[1:][-ROWS:]
        rows = [sequences[0], *sorted([*shown, *last], key=lambda step: step[0])]
        pads(figure, hspace=0.06)
        heights = [3.2, 0.4 * len(rows)] if shown else [0.01, 1]
        grid = figure.add_gridspec(2, max(1, len(shown)), height_ratios=heights)
        for column, step in enumerate(shown):
            _matrix(figure.add_subplot(grid[0, column]), step, column == 0)
        _table(figure.add_subplot(grid[1, :]), rows)
        words = len(rows[0][2].values) - COLUMNS
        counts = len(selections) - len(shown), len(sequences) - 1 - len(last), words
        nouns = zip(counts, ("selection", "sequence", "last word"), strict=True)
        below = ", ".join(f"{count} {noun}{'s' if count > 1 else ''}" for count, noun in nouns if count > 0)
        notes = (
            "blue: the query (row) selects the key (column)" if shown else "",
            f"not shown: {below}" if below else "",
            left_out(1, len(result.runs), "runs", "run"),
        )
        foot(figure, notes)
        laid_out(figure)  # cells are square after the second layout only


def _matrix(ax: Any, step: Step, first: bool) -> None:
    """Draw one selection; first: whether it names what rows and columns are."""
    from matplotlib.colors import ListedColormap

    place, name, selection = step
    selected = np.asarray(selection.values) > 0
    query, key = (dim.partition(" ")[2] for dim in selection.dims)  # as in "indices == opposite"
    key, _, where = key.rpartition(" ")
    rule = "every key" if where == "true" else f"key {key} {SIGNS.get(where, where)} {query}"
    count = len(selected)
    ax.imshow(selected, cmap=ListedColormap([theme().empty, theme().series[0]]), vmin=0, vmax=1)
    ax.set_title(f"{place}  {short(name, 16)}\n{short(rule, 25)}", fontsize=scaled(15))
    bare(ax)
    ax.set_xlabel("key" if first else "", fontsize=scaled(15))
    ax.set_ylabel("query" if first else "", fontsize=scaled(15))
    for edge in range(1, count):
        ax.axhline(edge - 0.5, color=theme().paper, lw=scaled(2 if count <= 20 else 0.5))
        ax.axvline(edge - 0.5, color=theme().paper, lw=scaled(2 if count <= 20 else 0.5))
    if count <= NAMED:
        side = SIDE * 72 / float(ax.get_figure(root=True).dpi) * float(ax.figure.bbox.height) / scaled(14)
        words = unnumbered(selection.labels[0])
        ax.set_xticks(range(count), [cut(word, 0.9 * side / count) for word in words], fontsize=scaled(14))
        ax.set_yticks(range(count), [cut(word, 0.3 * side) for word in words], fontsize=scaled(14))
        ax.tick_params(length=0)


def _table(ax: Any, rows: list[Step]) -> None:
    """Write each step as a row below the words; the last one, the result, stands out."""
    words = rows[0][2].values
    count = min(COLUMNS, len(words))
    points = 72 / float(ax.get_figure(root=True).dpi) * float(ax.figure.bbox.width)
    size = scaled(17 if len(rows) < 9 else 15)
    room = CELLS * points / count / size
    ax.set(xlim=(-0.5, count - 0.5), ylim=(len(rows) - 0.5, -0.5), xticks=[])
    ax.spines[:].set_visible(False)
    ax.axhspan(len(rows) - 1.5, len(rows) - 0.5, color=theme().dim, zorder=0)
    ax.axhline(0.5, color=theme().ink, lw=scaled(1.5))
    for i, (_, _, step) in enumerate(rows):
        last, selects = i == len(rows) - 1, step.values.ndim == 2
        texts = _selected(step, words) if selects else [_written(value) for value in step.values.tolist()]
        for j, text in enumerate(texts[:count]):
            colour = theme().plus if selects else theme().ink
            weight = "bold" if last else "normal"
            look: dict[str, Any] = {"color": colour, "fontsize": size, "weight": weight}
            ax.text(j, i, cut(text, room, weight), ha="center", va="center", **look)
    names = [cut(f"{place}  {name}" if place else name, NAMES * points / size, "bold") for place, name, _ in rows]
    ax.set_yticks(range(len(rows)), names, fontsize=size)
    ax.get_yticklabels()[-1].set_fontweight("bold")
    ax.tick_params(length=0)


def _written(value: Any) -> str:
    """An element of a sequence as a text."""
    return value if isinstance(value, str) else number(value, powers=True)


def _selected(selection: Labelled, words: Any) -> list[str]:
    """The selections of the queries in words: every key, none, the one key, or their number."""
    texts = []
    for row in np.asarray(selection.values) > 0:
        count = int(row.sum())
        few = {0: "none", len(row): "all"}.get(count, f"{count} keys")
        texts.append(f"→ {_written(words.tolist()[int(np.argmax(row))])}" if count == 1 else few)
    return texts
