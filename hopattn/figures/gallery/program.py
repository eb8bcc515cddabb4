"""A program in attention heads: what each selection selects, and the sequence that each step gives."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import foot, headline, laid_out, left_out, pads
from hopattn.figures.shapes import bare
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number, short, unnumbered
from hopattn.results.labelled import Labelled
from hopattn.scenario.language.array_name import ArrayName
from hopattn.scenario.result import Result

SELECTIONS, ROWS, COLUMNS = 4, 7, 12
"""The largest number of selections, of sequences and of words; of more steps the last ones are shown."""
NAMED = 8
"""The largest number of words that a selection names at its sides."""

Step = tuple[int, str, Labelled]
"""The number of a step, from 1, its name and its array; the tokens have the number 0."""


class Program(Plot):
    """The selections of the first run as matrices, and below them its sequences as rows; each step has its number."""

    name: ClassVar[str] = "program"
    shows: ClassVar[str] = "a program in heads: what each head selects, and what each step gives"
    scenario: ClassVar[str] = "reverse"

    def lacks(self, result: Result) -> str:
        return "" if result.kind == "program" else "it has no steps of a program"

    def draw(self, figure: Figure, result: Result) -> None:
        arrays = [(ArrayName.parse(name), array) for name, array in result.runs[0].arrays.items()]
        own = [(name.place, array) for name, array in arrays if name.quantity != "weights"]  # those are of a selection
        steps = [(i, *step) for i, step in enumerate(own)]
        selections, sequences = ([step for step in steps if step[2].values.ndim == ndim] for ndim in (2, 1))
        headline(figure, result)
        shown, rows = selections[-SELECTIONS:], [sequences[0], *sequences[1:][-ROWS:]]
        pads(figure, hspace=0.06)
        heights = [3.2, 0.55 * len(rows)] if shown else [0.01, 1]
        grid = figure.add_gridspec(2, max(1, len(shown)), height_ratios=heights)
        for column, step in enumerate(shown):
            _matrix(figure.add_subplot(grid[0, column]), step, column == 0)
        _table(figure.add_subplot(grid[1, :]), rows)
        words = len(rows[0][2].values) - COLUMNS
        counts = len(selections) - len(shown), len(sequences) - len(rows), words
        nouns = zip(counts, ("selection", "sequence", "last word"), strict=True)
        below = ", ".join(f"{count} {noun}{'s' if count > 1 else ''}" for count, noun in nouns if count > 0)
        notes = (
            "blue: the query selects the key" if shown else "",
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
    rule = "every key" if key.endswith(" true") else f"{key} {query}"
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
        names = [short(word, max(3, 24 // count)) for word in unnumbered(selection.labels[0])]
        ax.set_xticks(range(count), names, fontsize=scaled(14))
        ax.set_yticks(range(count), names, fontsize=scaled(14))
        ax.tick_params(length=0)


def _table(ax: Any, rows: list[Step]) -> None:
    """Write each sequence as a row below the words; the last one, the result, stands out."""
    count = min(COLUMNS, len(rows[0][2].values))
    letters = max(3.0, 60 / count)
    ax.set(xlim=(-0.5, count - 0.5), ylim=(len(rows) - 0.5, -0.5), xticks=[])
    ax.spines[:].set_visible(False)
    ax.axhspan(len(rows) - 1.5, len(rows) - 0.5, color=theme().dim, zorder=0)
    ax.axhline(0.5, color=theme().ink, lw=scaled(1.5))
    for i, (_, _, sequence) in enumerate(rows):
        last = i == len(rows) - 1
        for j, value in enumerate(sequence.values[:count].tolist()):
            text = short(value, letters) if isinstance(value, str) else number(value, powers=True)
            colour = theme().faint if value == 0 and not last else theme().ink
            look: dict[str, Any] = {"color": colour, "fontsize": scaled(17), "weight": "bold" if last else "normal"}
            ax.text(j, i, text, ha="center", va="center", **look)
    ax.set_yticks(range(len(rows)), [f"{place}  {short(name, 18)}" if place else name for place, name, _ in rows])
    ax.get_yticklabels()[-1].set_fontweight("bold")
    ax.tick_params(length=0)
