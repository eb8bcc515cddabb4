"""The scores of attention heads as a table: the word before, earlier copies, what followed them, the first word."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from hopattn.circuits.head_scores import even_attention
from hopattn.circuits.scores_by_name import SCORES, head_scores
from hopattn.figures.base import Figure, Plot, tables
from hopattn.figures.headings import headline
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number, short
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result, Run

ROWS = 10
"""The largest number of heads, of all runs together."""
DARK = 0.7
"""The score above which a cell is so dark that its text is white."""

Row = tuple[str, dict[str, float], dict[str, float]]
"""The name of a head, its scores, and the scores of attention that is spread evenly over all visible words."""


class Heads(Plot):
    """One row for each head of each run whose weights are shares, the first ten; in brackets the chance values."""

    name: ClassVar[str] = "heads"
    shows: ClassVar[str] = (
        "what each head attends to: the word before, earlier copies, what followed them, the first word"
    )
    scenario: ClassVar[str] = "head-scores"

    def lacks(self, result: Result) -> str:
        return "" if any(_rows(result)) else "it has no head that shares its attention among words of which one repeats"

    def draw(self, figure: Figure, result: Result) -> None:
        rows = [*_rows(result)]
        shown, left_out = rows[:ROWS], len(rows) - ROWS
        headline(figure, result)
        ax = figure.subplots()
        values = np.array([[scores[name] for name in SCORES] for _, scores, _ in shown])
        ax.imshow(
            values, aspect="auto", cmap=theme().sequential, vmin=0, vmax=1.2
        )  # the darkest blue is too dark to read
        for (i, j), value in np.ndenumerate(values):
            chance = [*shown[i][2].values()][j]
            text = f"{number(float(value))}   ({number(chance)})"
            colour = theme().paper if value > DARK else theme().ink
            ax.text(j, i, text, ha="center", va="center", color=colour, fontsize=scaled(18) if len(shown) < 8 else 15)
        ax.set_xticks(range(len(SCORES)), [name.replace(" ", "\n") for name in SCORES], fontsize=scaled(17))
        ax.set_yticks(range(len(shown)), [name for name, _, _ in shown], fontsize=scaled(15))
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        _lines(ax, values.shape)
        more = f"; {left_out} more not shown" if left_out > 0 else ""
        figure.supxlabel(
            f"in brackets: attention spread evenly over all words that the mask shows{more}", fontsize=scaled(16)
        )


def _lines(ax: Any, shape: tuple[int, ...]) -> None:
    """Thin lines between the rows and around the table."""
    for i in range(shape[0] + 1):
        ax.plot([-0.5, shape[1] - 0.5], [i - 0.5] * 2, color=theme().ink, linewidth=scaled(0.8), clip_on=False)


def _rows(result: Result) -> Iterator[Row]:
    """The heads of all runs that have scores."""
    for run in result.runs:
        for place, weights in tables(run, "weights"):
            words = _words(weights)
            try:
                even = even_attention(_visible(run, place, weights))
                own, chance = (head_scores(given, words) for given in (weights.values, even))
            except InvalidInput:  # no text that repeats a word, or weights that are no shares
                continue
            name = ": ".join(filter(None, (short(run.name, 24), place.removeprefix("sequence 1 "))))
            scores, by_chance = ({key: float(value) for key, value in found.items()} for found in (own, chance))
            yield name, scores, by_chance


def _visible(run: Run, place: str, weights: Labelled) -> np.ndarray:
    """The keys that each row may see, `(n, n)`; all of them where the run has no mask."""
    name = f"{place} mask"
    return np.asarray(run.arrays[name].values if name in run.arrays else np.ones(weights.values.shape), dtype=bool)


def _words(weights: Labelled) -> list[str]:
    """The word of each row, without the number of its occurrence; one that fits no score for weights of two texts."""
    if weights.dims != ("query", "key") or weights.labels[0] != weights.labels[1]:
        return [""]
    rows = set(weights.labels[0])
    stems = [label.rpartition("#")[0] for label in weights.labels[0]]
    return [
        stem if f"{stem}#1" in rows and f"{stem}#2" in rows else label
        for stem, label in zip(stems, weights.labels[0], strict=True)
    ]
