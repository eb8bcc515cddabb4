"""Attention in three steps for one query: scores, weights, and the weighted sum of the values."""

from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hopattn.figures.base import Figure, Plot, arrays_of, tables
from hopattn.figures.choice import query_of
from hopattn.figures.headings import foot, headline, left_out, run_title
from hopattn.figures.shapes import cells, number_bars, share_scale, write_numbers
from hopattn.figures.style import SLIDE_FONT, scaled, theme
from hopattn.figures.text import indexed, number, short
from hopattn.scenario.result import Result, Run

ROWS = 2
"""The largest number of runs: the first, and the one whose weights differ most from its weights."""
WORDS, AXES = 8, 6
"""The largest number of words, those of most weight, and of axes of the values, those with the largest entries."""
PARTS = 12
"""The largest denominator of fractions. Decimals are used where one of the numbers has no such fraction."""
KINDS = ("scores", "mask", "weights", "values")


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
        return "" if _head(result.runs[0]) is not None else "it has no text that attention goes over"

    def draw(self, figure: Figure, result: Result) -> None:
        place, query = _head(result.runs[0]), _query(result)
        runs = [run for run in result.runs if _has(run, place, query)]
        rows = [_row(run, place, query) for run in _most_different(runs, place, query)]
        as_fractions, columns = _are_fractions(rows), _columns(rows)
        headline(figure, result, _message(rows, as_fractions))
        axes = figure.subplots(len(rows), 3, squeeze=False, width_ratios=[1, 1, 1.25], sharex="col")
        entries = np.concatenate([np.zeros(1), *(np.concatenate([row.parts.ravel(), row.total]) for row in rows)])
        scale = _scale(entries)
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


def _head(run: Run) -> str | None:
    """The place of the first head that has scores, weights and values, with a space; None if there is none."""
    arrays = arrays_of(run)
    places = [name.removesuffix("scores") for name in arrays if name.endswith("scores")]
    return next((place for place in places if all(place + kind in arrays for kind in KINDS)), None)


def _query(result: Result) -> str:
    """The query of the figure: the one that `query_of` chooses in the first run."""
    tokens = arrays_of(result.runs[0])[f"{_head(result.runs[0])}scores"].labels[0]
    return tokens[query_of(result, tokens)]


def _has(run: Run, place: str | None, query: str) -> bool:
    """Whether a run has this head with this query."""
    arrays = arrays_of(run)
    return all(f"{place}{kind}" in arrays for kind in KINDS) and query in arrays[f"{place}scores"].labels[0]


def _most_different(runs: list[Run], place: str | None, query: str) -> list[Run]:
    """The first run and the one whose weights of the query differ most from those of the first."""

    def weights(run: Run) -> np.ndarray:
        array = arrays_of(run)[f"{place}weights"]
        return np.asarray(array.values[array.labels[0].index(query)])

    first = weights(runs[0])
    same = [run for run in runs[1:] if weights(run).shape == first.shape]
    far = [round(float(np.abs(weights(run) - first).sum()), 9) for run in same]
    return [runs[0], *([same[int(np.argmax(far))]] if same else runs[1:ROWS])]


def _row(run: Run, place: str | None, query: str) -> Row:
    """The numbers of one query. Of many words, those of most weight."""
    arrays = arrays_of(run)
    scores, mask, weights, values = (arrays[f"{place}{kind}"] for kind in KINDS)
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


def _are_fractions(rows: list[Row]) -> bool:
    """Whether the weights and all numbers of the tables are small fractions, and decimals would round one of them."""
    numbers = np.concatenate([np.concatenate([row.weights, row.parts.ravel(), row.total]) for row in rows])
    if any(abs(float(Fraction(float(x)).limit_denominator(PARTS)) - x) > 1e-9 for x in numbers):
        return False
    return any(abs(round(float(x), 2) - x) > 1e-9 for x in numbers)


def _number(value: float, as_fraction: bool) -> str:
    """A number as a fraction, or with two decimals."""
    if not as_fraction:
        return number(value)
    return str(Fraction(value).limit_denominator(PARTS)).replace("-", "−")


def _sizes(rows: list[Row]) -> np.ndarray:
    """The size of the entries of each axis in all tables together, `(dim,)`."""
    sizes = [np.abs(row.parts).sum(axis=0) + np.abs(row.total) for row in rows]
    return np.asarray(np.round(np.sum([size for size in sizes if size.shape == sizes[0].shape], axis=0), 9))


def _columns(rows: list[Row]) -> np.ndarray:
    """The indices of the axes that the tables show: those with the largest entries."""
    sizes = _sizes(rows)
    nonzero = max(2, int(np.sum(sizes > 1e-9)))
    return np.sort(np.argsort(-sizes, kind="stable")[: min(AXES, nonzero)])


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


def _scale(entries: np.ndarray) -> dict[str, Any]:
    """The colours of all tables: from 0 up, or on both sides of 0. entries: all numbers of all tables."""
    most = 1.1 * float(np.abs(entries).max()) or 1.0
    signed = bool(entries.min() < 0)
    colours = theme().diverging if signed else theme().sequential
    return {"cmap": colours, "vmin": -most if signed else 0.0, "vmax": most}


def _sum(ax: Any, row: Row, columns: np.ndarray, scale: dict[str, Any], as_fractions: bool) -> None:
    """Draw weight times value for each word, and their sum below a line. scale: the colours of all tables."""
    table = np.vstack([row.parts[:, columns], row.total[None, columns]])
    image = cells(ax, table, scale, numbers=False)
    texts = np.array([[_number(value, as_fractions) for value in line] for line in table.tolist()])
    in_sum = np.arange(len(table))[:, None] + 0 * table == len(row.keys)
    write_numbers(ax, image, scaled(SLIDE_FONT), texts, in_sum, faint_zeros=True)
    ax.set_xticks(
        range(len(columns)),
        [_on_lines(row.names[k], max(3, (30 if len(columns) < 4 else 26) // len(columns))) for k in columns],
    )
    ax.set_yticks(range(len(table)), [*(f"weight × {short(word, 10)}" for word in row.keys), "sum"])
    for tick in ax.get_yticklabels()[:-1]:
        tick.set_color(theme().value)
    ax.get_yticklabels()[-1].set_fontweight("bold")
    ax.axhline(len(row.keys) - 0.5, color=theme().ink, lw=scaled(3))


def _on_lines(name: str, letters: int) -> str:
    """The name of an axis, with its part on a line of its own. letters: the width of each line."""
    return "\n".join(short(piece, letters) for piece in name.split(": ", 1))
