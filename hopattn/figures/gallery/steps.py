"""Attention in three steps for one query: scores, weights, and the weighted sum of the values."""

from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hopattn.figures.base import Figure, Plot, arrays_of, tables
from hopattn.figures.choice import query_of
from hopattn.figures.headings import foot, headline, left_out, run_title
from hopattn.figures.shapes import cells, colours_of, number_bars, share_scale, write_numbers
from hopattn.figures.style import SLIDE_FONT, scaled, theme
from hopattn.figures.text import indexed, number, short
from hopattn.results.labelled import Labelled
from hopattn.scenario.language.array_name import ArrayName
from hopattn.scenario.result import Result, Run

WORDS, AXES = 8, 6
"""The largest number of words, those of most weight, and of axes of the values, those with the largest entries."""
PARTS = 12
"""The largest denominator of fractions. Decimals are used where one of the numbers has no such fraction."""
KINDS = ("scores", "mask", "weights", "values")

Head = dict[str, Labelled]
"""The arrays of a head, by their quantities."""


class Row(NamedTuple):
    """One query of the first head of one run.

    keys: the words that are shown. scores, allowed, weights: `(n_keys,)`. parts: each weight times its value, `(n_keys,
    dim)`. total: the weighted sum over all words, `(dim,)`. names: of the axes. of: the number of all words.
    total_weight: the sum of all weights.
    """

    run: Run
    query: str
    keys: list[str]
    scores: np.ndarray
    allowed: np.ndarray
    weights: np.ndarray
    parts: np.ndarray
    total: np.ndarray
    names: tuple[str, ...]
    of: int
    total_weight: float


class Steps(Plot):
    """One query in the first head of the first run, and below it in the run whose weights differ most.

    All bars of a column have one scale, and so have the cells of all tables.
    """

    name: ClassVar[str] = "steps"
    shows: ClassVar[str] = "attention in three steps: score, weights, weighted sum"
    scenario: ClassVar[str] = "aaba"

    def lacks(self, result: Result) -> str:
        return "" if _heads(result.runs[0]) else "it has no text that attention goes over"

    def draw(self, figure: Figure, result: Result) -> None:
        place, head = next(iter(_heads(result.runs[0]).items()))
        query = head["scores"].labels[0][query_of(result, head["scores"].labels[0])]
        heads = [(run, own) for run in result.runs if (own := _heads(run).get(place))]
        asked = [(run, own) for run, own in heads if query in own["scores"].labels[0]]
        rows = [_row(run, own, query) for run, own in _most_different(asked, query)]
        numbers = np.concatenate([part.ravel() for row in rows for part in (row.weights, row.parts, row.total)])
        exact = np.array([float(Fraction(value).limit_denominator(PARTS)) for value in numbers.tolist()])
        rounds = np.abs(numbers.round(2) - numbers) > 1e-9  # decimals would not be exact
        as_fractions = bool(np.abs(exact - numbers).max() <= 1e-9 and rounds.any())
        sizes = _sizes(rows)
        largest = np.argsort(-sizes, kind="stable")[: min(AXES, max(2, int(np.sum(sizes > 1e-9))))]
        columns = np.sort(largest)
        headline(figure, result, _message(rows, as_fractions))
        axes = figure.subplots(len(rows), 3, squeeze=False, width_ratios=[1, 1, 1.25], sharex="col")
        entries = np.concatenate([np.zeros(1), *(np.concatenate([row.parts.ravel(), row.total]) for row in rows)])
        scale = colours_of(float(entries.min()), 1.1 * float(np.abs(entries).max()) or 1.0)
        for line, row in zip(axes, rows, strict=True):
            _bars(line[0], row.scores, row, False)
            _bars(line[1], row.weights, row, as_fractions)
            _sum(line[2], row, columns, scale, as_fractions)
            line[0].set_ylabel(run_title(row.run, 20) if len(result.runs) > 1 else "")
        for column, kind in ((0, "scores"), (1, "weights")):
            share_scale(axes[:, column], [getattr(row, kind)[row.allowed] for row in rows], 1.4)
        for ax, title in zip(axes[0], ("1  scores", "2  weights", "3  weighted sum"), strict=True):
            ax.set_title(title, fontsize=scaled(21))
        foot(figure, _notes(result, rows, columns))


def _heads(run: Run) -> dict[str, Head]:
    """The heads that have scores, a mask, weights and values, by their places."""
    heads: dict[str, Head] = {}
    for name, array in arrays_of(run).items():
        heads.setdefault(ArrayName.parse(name).place, {})[ArrayName.parse(name).quantity] = array
    return {place: head for place, head in heads.items() if {*KINDS} <= {*head}}


def _most_different(heads: list[tuple[Run, Head]], query: str) -> list[tuple[Run, Head]]:
    """The first run and the one whose weights of the query differ most from those of the first."""
    rows = [head["weights"].values[head["weights"].labels[0].index(query)] for _, head in heads]
    far = [round(float(np.abs(row - rows[0]).sum()), 9) if row.shape == rows[0].shape else -1.0 for row in rows[1:]]
    return [heads[0], *([heads[1 + int(np.argmax(far))]] if far else [])]


def _row(run: Run, head: Head, query: str) -> Row:
    """The numbers of one query. Of many words, those of most weight."""
    scores, mask, weights, values = (head[kind] for kind in KINDS)
    at = scores.labels[0].index(query)
    row = weights.values[at]
    shown = np.sort(np.argsort(-np.abs(row), kind="stable")[:WORDS])
    return Row(
        run,
        indexed(query),
        [indexed(scores.labels[1][k]) for k in shown],
        scores.values[at][shown],
        np.asarray(mask.values[at], bool)[shown],
        row[shown],
        row[shown, None] * values.values[shown],
        row @ values.values,
        values.labels[1],
        len(row),
        float(row.sum()),
    )


def _message(rows: list[Row], as_fractions: bool) -> str:
    """The title: the weight in both rows of the word that the first row prefers, if the two differ."""
    own = f"attention in three steps: what ‘{rows[0].query}’ takes from each word"
    if len(rows) < 2 or not all(row.run.name for row in rows):
        return own
    word = rows[0].keys[int(np.argmax(np.round(rows[0].weights, 9)))]
    if word not in rows[1].keys:
        return own
    texts = [_number(float(row.weights[row.keys.index(word)]), as_fractions) for row in rows]
    if texts[0] == texts[1]:
        return own
    shares = all(np.all(row.weights >= 0) and np.isclose(row.total_weight, 1) for row in rows)
    whole = " of the weight" if shares else ""
    return f"{rows[0].run.name} gives ‘{word}’ {texts[0]}{whole}, {rows[1].run.name} {texts[1]}"


def _notes(result: Result, rows: list[Row], columns: np.ndarray) -> tuple[str, ...]:
    """The note below the figure: the query and what is left out."""
    run = rows[0].run
    heads = [place for place, _ in tables(run, "weights")]
    words = max(rows, key=lambda row: row.of)
    return (
        f"the query: {rows[0].query}",
        left_out(len(words.keys), words.of, "words"),
        left_out(len(columns), int(np.sum(_sizes(rows) > 1e-9)), "axes"),
        left_out(1, len(heads), "heads", "head"),
        left_out(len(rows), len(result.runs), "runs", "run"),
    )


def _number(value: float, as_fraction: bool) -> str:
    """A number as a fraction, or with two decimals."""
    if not as_fraction:
        return number(value)
    return str(Fraction(value).limit_denominator(PARTS)).replace("-", "−")


def _sizes(rows: list[Row]) -> np.ndarray:
    """The size of the entries of each axis in all tables together, `(dim,)`."""
    sizes = [np.abs(row.parts).sum(axis=0) + np.abs(row.total) for row in rows]
    return np.asarray(np.round(np.sum([size for size in sizes if size.shape == sizes[0].shape], axis=0), 9))


def _bars(ax: Any, values: np.ndarray, row: Row, as_fractions: bool) -> None:
    """Draw a bar for each word, hatched below 0, and a dot for a masked word. values: `(n_keys,)`."""
    shown = np.where(row.allowed, values, 0.0)
    texts = [_number(value, as_fractions) for value in shown.tolist()]
    texts = [text if attends else "·  masked" for text, attends in zip(texts, row.allowed, strict=True)]
    inks = [theme().ink if attends else theme().faint for attends in row.allowed]
    number_bars(ax, shown, texts, scaled(SLIDE_FONT), inks)
    ax.set_ylim(len(shown) + 0.5, -0.5)
    ax.set_yticks(range(len(shown)), row.keys)
    ax.tick_params(axis="y", length=0, labelcolor=theme().key)


def _sum(ax: Any, row: Row, columns: np.ndarray, scale: dict[str, Any], as_fractions: bool) -> None:
    """Draw weight times value for each word, and their sum below a line. scale: the colours of all tables."""
    table = np.vstack([row.parts[:, columns], row.total[None, columns]])
    image = cells(ax, table, scale, numbers=False)
    texts = np.array([[_number(value, as_fractions) for value in line] for line in table.tolist()])
    in_sum = np.arange(len(table))[:, None] + 0 * table == len(row.keys)
    write_numbers(ax, image, scaled(SLIDE_FONT), texts, in_sum, faint_zeros=True)
    letters = max(3, (30 if len(columns) < 4 else 26) // len(columns))
    names = ["\n".join(short(part, letters) for part in row.names[k].split(": ", 1)) for k in columns]
    ax.set_xticks(range(len(columns)), names)
    ax.set_yticks(range(len(table)), [*(f"weight × {short(word, 10)}" for word in row.keys), "sum"])
    for tick in ax.get_yticklabels()[:-1]:
        tick.set_color(theme().value)
    ax.get_yticklabels()[-1].set_fontweight("bold")
    ax.axhline(len(row.keys) - 0.5, color=theme().ink, lw=scaled(3))
