"""The scores of attention heads as a table: the word before, earlier copies, what followed them, the first word."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from hopattn.circuits.head_scores import SCORES, even_attention, head_scores
from hopattn.figures.base import Axes, Figure, Plot, tables
from hopattn.figures.headings import foot, headline, left_out
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number, readable_on, short
from hopattn.foundation.errors import InvalidInput
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result, Run

ROWS = 10
"""The largest number of heads, of all runs together."""

Row = tuple[str, dict[str, float], dict[str, float]]
"""The name of a head, its scores, and those of attention that is spread evenly over all visible words, if these are
known."""


class Heads(Plot):
    """One row for each head of each run whose weights are shares, the first ten, each beside its value by chance."""

    name: ClassVar[str] = "heads"
    shows: ClassVar[str] = (
        "what each head attends to: the word before, earlier copies, what followed them, the first word"
    )
    scenario: ClassVar[str] = "head-scores"

    def lacks(self, result: Result) -> str:
        return "" if any(_rows(result)) else "it has no head that shares its attention among words of which one repeats"

    def draw(self, figure: Figure, result: Result) -> None:
        rows = [*_rows(result)]
        headline(figure, result)
        _table(figure.subplots(), rows[:ROWS])
        chance = "in brackets: attention spread evenly over the visible words · bold: at least twice that"
        notes = (
            chance if any(by_chance for _, _, by_chance in rows) else "",
            left_out(ROWS, len(rows), "heads", "run, layer or head"),
        )
        foot(figure, "\n".join(filter(None, notes)))

    def panel(self, ax: Axes, result: Result) -> None:
        _table(ax, [*_rows(result)][:ROWS])


def _table(ax: Axes, rows: list[Row]) -> None:
    """Draw the table: a row for each head, a column for each score."""
    values = np.array([[scores[name] for name in SCORES] for _, scores, _ in rows])
    image = ax.imshow(values, aspect="auto", cmap=theme().sequential, vmin=0, vmax=1)
    for (i, j), value in np.ndenumerate(values):
        chance = [*rows[i][2].values()][j] if rows[i][2] else 0.0
        size = scaled(18 if len(rows) < 8 else 15)
        look: dict[str, Any] = {"weight": "bold" if value >= 2 * chance > 0 else "normal", "fontsize": size}
        ink = readable_on(image.cmap(image.norm(value)))
        written = number(float(value)) + f"   ({number(chance)})" * bool(rows[i][2])
        ax.text(j, i, written, ha="center", va="center", color=ink, **look)
    ax.set_xticks(range(len(SCORES)), [name.replace(" ", "\n") for name in SCORES], fontsize=scaled(17))
    ax.set_yticks(range(len(rows)), [name for name, _, _ in rows], fontsize=scaled(15))
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    _lines(ax, values.shape)


def _lines(ax: Axes, shape: tuple[int, ...]) -> None:
    """Thin lines between the rows and around the table."""
    for i in range(shape[0] + 1):
        ax.plot([-0.5, shape[1] - 0.5], [i - 0.5] * 2, color=theme().ink, linewidth=scaled(0.8), clip_on=False)


def _rows(result: Result) -> Iterator[Row]:
    """The heads of all runs that have scores."""
    for run in result.runs:
        for place, weights in tables(run, "weights"):
            words = _words(weights)
            try:
                seen = _visible(run, place, weights)
                own = head_scores(weights.values, words)
                chance = {} if seen is None else head_scores(even_attention(seen), words)
            except InvalidInput:  # no text that repeats a word, or weights that are no shares
                continue
            name = ": ".join(filter(None, (short(run.name, 24), place.removeprefix("sequence 1 "))))
            scores, by_chance = ({key: float(value) for key, value in found.items()} for found in (own, chance))
            yield name, scores, by_chance


def _visible(run: Run, place: str, weights: Labelled) -> np.ndarray | None:
    """The keys that each row may see, `(n, n)`; None if they are unknown.

    Bare weights have no mask: it is causal if all heads are 0 above the diagonal, and hides nothing if they are 0
    nowhere.
    """
    if mask := run.arrays.get(f"{place} mask"):
        return np.asarray(mask.values, dtype=bool)
    used = np.any([one.values != 0 for _, one in tables(run, "weights") if one.labels == weights.labels], axis=0)
    if not np.triu(used, 1).any():
        return np.tril(np.ones(used.shape, dtype=bool))
    return np.asarray(used) if used.all() else None


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
