"""Attention in three steps for one query: scores, weights, and the weighted sum of the values."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hopattn.figures.base import Figure, Plot, arrays_of, tables
from hopattn.figures.choice import KEYS, LONG, query_of, query_of_long
from hopattn.figures.headings import foot, headline, laid_out, left_out, run_title
from hopattn.figures.shapes import cells, colours_of, number_bars, share_scale, write_numbers
from hopattn.figures.style import SLIDE_FONT, scaled, theme
from hopattn.figures.text import cut, cut_words, ems, indexed, number, two_lines
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Name
from hopattn.scenario.result import Result, Run

AXES, OF_LONG = 6, 2
"""The largest number of axes of the values, those with the largest entries: of a common text, and of a long one."""
QUERY = 10
"""The letters of a query up to which the title of its scores has it."""
NAME = 16
"""The font size of names, on a slide."""
NAMES, ONCE = 0.09, 0.3
"""The width of the names of the keys, as a part of the figure's, up to which each column has them, and the largest
width of names that only the first column has."""
ROOM = 0.85
"""The part of the width beside the names that bars and tables fill."""
PARTS = 12
"""The largest denominator of fractions. Decimals are used where one of the numbers has no such fraction."""
KINDS = ("scores", "mask", "weights", "values")

Head = dict[str, Labelled]
"""The arrays of a head, by their quantities."""


class Row(NamedTuple):
    """One query of the first head of one run.

    keys: the words that are shown, of all the `tokens`. scores, allowed, weights: `(n_keys,)`. parts: each weight times
    its value, `(n_keys, dim)`. total: the weighted sum over all words, `(dim,)`. names: of the axes. total_weight: the
    sum of all weights. others: the number of visible words that are not shown.
    """

    run: Run
    query: str
    tokens: tuple[str, ...]
    keys: np.ndarray
    scores: np.ndarray
    allowed: np.ndarray
    weights: np.ndarray
    parts: np.ndarray
    total: np.ndarray
    names: tuple[str, ...]
    total_weight: float
    others: int

    @property
    def words(self) -> list[str]:
        """The words that are shown."""
        return [self.tokens[key] for key in self.keys]

    @property
    def lines(self) -> int:
        """The number of lines above the sum: one for each word that is shown, and one for all others."""
        return len(self.keys) + (self.others > 0)

    @property
    def rest_name(self) -> list[str]:
        """The name of all words that are not shown; an empty list if there are none."""
        return [f"{self.others} other word{'s' * (self.others > 1)}"] * (self.others > 0)

    @property
    def bars(self) -> np.ndarray:
        """The weights, and the sum of those that are not shown, `(lines,)`."""
        rest = round(self.total_weight - float(self.weights.sum()), 12)
        return np.append(self.weights, rest) if self.others else self.weights

    @property
    def table(self) -> np.ndarray:
        """The parts, the sum of those that are not shown, and the sum of all, `(lines + 1, dim)`."""
        rest = [np.round(self.total - self.parts.sum(axis=0), 12)] if self.others else []
        return np.vstack([self.parts, *rest, self.total])


class Steps(Plot):
    """One query in the first head of the first run, and below it in the run whose weights differ most.

    All bars of a column have one scale, and so have the cells of all tables. Of a long text, one query is shown with
    its strongest keys, and two axes.
    """

    shows: ClassVar[str] = "attention in three steps: score, weights, weighted sum"
    scenario: ClassVar[str] = "aaba"

    def lacks(self, result: Result) -> str:
        return "" if _heads(result.runs[0]) else "it has no text that attention goes over"

    def draw(self, figure: Figure, result: Result) -> None:
        place, head = next(iter(_heads(result.runs[0]).items()))
        tokens = head["scores"].labels[0]
        if len(tokens) > LONG:
            query = tokens[query_of_long(result, result.runs[0], head["weights"])]
        else:
            query = tokens[query_of(result, tokens)]
        heads = [(run, own) for run in result.runs if (own := _heads(run).get(place))]
        asked = _most_different([(run, own) for run, own in heads if query in own["scores"].labels[0]], query)
        rows = [_row(run, own, query, keys) for (run, own), keys in zip(asked, _keys(asked, query), strict=True)]
        numbers = np.concatenate([part.ravel() for row in rows for part in (row.bars, row.table)])
        exact = np.array([float(Fraction(value).limit_denominator(PARTS)) for value in numbers.tolist()])
        rounds = np.abs(numbers.round(2) - numbers) > 1e-9  # decimals would not be exact
        as_fractions = bool(np.abs(exact - numbers).max() <= 1e-9 and rounds.any())
        headline(figure, result, _message(rows, as_fractions))
        points = float(figure.bbox.width) * 72 / float(figure.get_figure(root=True).dpi) / scaled(NAME)
        names = [[*cut_words(row.words, ONCE * points), *row.rest_name] for row in rows]
        once = max(ems(name) for words in names for name in words) > NAMES * points
        columns = _columns(rows, as_fractions, ROOM * points * (1 - ONCE if once else 1 - 4 * NAMES))
        axes = figure.subplots(len(rows), 3, squeeze=False, width_ratios=[1, 1, 1.6 if once else 1.25], sharex="col")
        entries = np.concatenate([np.zeros(1), *(row.table.ravel() for row in rows)])
        scale = colours_of(float(entries.min()), 1.1 * float(np.abs(entries).max()) or 1.0)
        for line, row, words in zip(axes, rows, names, strict=True):
            _bars(line[0], row.scores, row, words if once else words[: len(row.keys)], False)
            _bars(line[1], row.bars, row, () if once else words, as_fractions)
            _sum(line[2], row, columns, scale, as_fractions)
            _name_rows(line[2], row, () if once else words)
            line[0].set_ylabel(run_title(row.run, 20) if len(result.runs) > 1 else "")
        share_scale(axes[:, 0], [row.scores[row.allowed] for row in rows], 1.4)
        share_scale(axes[:, 1], [row.bars for row in rows], 1.4)
        asks = f"1  scores: {rows[0].query}" if len(rows[0].query) <= QUERY else "1  scores"
        for ax, title in zip(axes[0], (asks, "2  weights", "3  weighted sum"), strict=True):
            ax.set_title(title, fontsize=scaled(17))
        foot(figure, _notes(result, rows, columns))
        for _ in range(2):  # the names of axes have the width of their cells only after the first layout
            for ax, row in zip(axes[:, 2], rows, strict=True):
                _name_columns(ax, [row.names[k] for k in columns])
            laid_out(figure)


def _heads(run: Run) -> dict[str, Head]:
    """The heads that have scores, a mask, weights and values, by their places."""
    heads: dict[str, Head] = {}
    for name, array in arrays_of(run).items():
        heads.setdefault(Name.parse(name).place, {})[Name.parse(name).quantity] = array
    return {place: head for place, head in heads.items() if {*KINDS} <= {*head}}


def _most_different(heads: list[tuple[Run, Head]], query: str) -> list[tuple[Run, Head]]:
    """The first run and the one whose weights of the query differ most from those of the first."""
    rows = [head["weights"].values[head["weights"].labels[0].index(query)] for _, head in heads]
    far = [round(float(np.abs(row - rows[0]).sum()), 9) if row.shape == rows[0].shape else -1.0 for row in rows[1:]]
    return [heads[0], *([heads[1 + int(np.argmax(far))]] if far else [])]


def _keys(heads: list[tuple[Run, Head]], query: str) -> list[np.ndarray]:
    """The keys that are shown of each head, the same ones where the heads have the same text.

    Of a long text, they are those of most weight in one of the heads.
    """
    every = [_strengths(head, query) for _, head in heads]
    same = len({head["scores"].labels[1] for _, head in heads}) == 1
    together = [np.maximum.reduce(every)] * len(every) if same else every
    return [
        np.arange(len(own))
        if len(own) <= LONG
        else np.sort(np.argsort(-own, kind="stable")[: min(KEYS, sum(own >= 0))])
        for own in together
    ]


def _strengths(head: Head, query: str) -> np.ndarray:
    """The sizes of a query's weights, a little larger where the score is larger; −1 for masked keys, `(n_keys,)`."""
    at = head["scores"].labels[0].index(query)
    ranks = np.argsort(np.argsort(head["scores"].values[at], kind="stable"), kind="stable")
    return np.where(head["mask"].values[at], np.abs(head["weights"].values[at]).round(9) + 1e-12 * ranks, -1.0)


def _row(run: Run, head: Head, query: str, keys: np.ndarray) -> Row:
    """The numbers of one query. keys: the words that are shown."""
    scores, mask, weights, values = (head[kind] for kind in KINDS)
    at = scores.labels[0].index(query)
    row = weights.values[at]
    return Row(
        run,
        indexed(query),
        scores.labels[1],
        keys,
        scores.values[at][keys],
        np.asarray(mask.values[at], bool)[keys],
        row[keys],
        row[keys, None] * values.values[keys],
        row @ values.values,
        values.labels[1],
        float(row.sum()),
        int(np.sum(mask.values[at])) - int(np.sum(mask.values[at][keys])),
    )


def _columns(rows: list[Row], as_fractions: bool, room: float) -> np.ndarray:
    """The axes that are shown: those with the largest entries, as many as have room for their numbers.

    room: the width of all three columns without names, in sizes of their font.
    """
    sizes = _sizes(rows)
    entries = np.concatenate([row.table.ravel() for row in rows])
    widest = max(ems(_number(entry, as_fractions), "bold") for entry in entries.tolist())
    most = OF_LONG if len(rows[0].tokens) > LONG else min(AXES, int(room * 1.25 / 3.25 / (widest * SLIDE_FONT / NAME)))
    return np.sort(np.argsort(-sizes, kind="stable")[: max(2, min(most, int(np.sum(sizes > 1e-9))))])


def _message(rows: list[Row], as_fractions: bool) -> str:
    """The title: the weight in both rows of the word that the first row prefers, if the two differ."""
    own = f"attention in three steps: what ‘{rows[0].query}’ takes from each word"
    if len(rows) < 2 or not all(row.run.name for row in rows):
        return own
    word = rows[0].words[int(np.argmax(np.round(rows[0].weights, 9)))]
    if word not in rows[1].words:
        return own
    texts = [_number(float(row.weights[row.words.index(word)]), as_fractions) for row in rows]
    if texts[0] == texts[1]:
        return own
    shares = all(np.all(row.weights >= 0) and np.isclose(row.total_weight, 1) for row in rows)
    whole = " of the weight" if shares else ""
    return f"{rows[0].run.name} gives ‘{indexed(word)}’ {texts[0]}{whole}, {rows[1].run.name} {texts[1]}"


def _notes(result: Result, rows: list[Row], columns: np.ndarray) -> tuple[str, ...]:
    """The note below the figure: the query and what is left out."""
    run = rows[0].run
    heads = [place for place, _ in tables(run, "weights")]
    most = max(rows, key=lambda row: len(row.tokens))
    return (
        f"the query: {rows[0].query}" if len(rows[0].query) > QUERY else "",
        left_out(len(most.keys), len(most.tokens), "keys"),
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


def _bars(ax: Any, values: np.ndarray, row: Row, names: Sequence[str], as_fractions: bool) -> None:
    """Draw a bar for each word, hatched below 0, and a dot for a masked word. values: `(n_keys,)` or `(lines,)`."""
    allowed = np.append(row.allowed, True)[: len(values)]
    shown = np.where(allowed, values, 0.0)
    texts = [_number(value, as_fractions) for value in shown.tolist()]
    texts = [text if attends else "·  masked" for text, attends in zip(texts, allowed, strict=True)]
    inks = [theme().ink if attends else theme().faint for attends in allowed]
    number_bars(ax, shown, texts, scaled(SLIDE_FONT), inks)
    ax.set_ylim(row.lines + 0.5, -0.5)
    ax.set_yticks(range(len(names)), names, fontsize=scaled(NAME))
    ax.tick_params(axis="y", length=0, labelcolor=theme().key)


def _sum(ax: Any, row: Row, columns: np.ndarray, scale: dict[str, Any], as_fractions: bool) -> None:
    """Draw weight times value for each word, and their sum below a line. scale: the colours of all tables."""
    table = row.table[:, columns]
    image = cells(ax, table, scale, numbers=False)
    texts = np.array([[_number(value, as_fractions) for value in line] for line in table.tolist()])
    in_sum = np.arange(len(table))[:, None] + 0 * table == row.lines
    write_numbers(ax, image, scaled(SLIDE_FONT), texts, in_sum, faint_zeros=True)
    ax.axhline(row.lines - 0.5, color=theme().ink, lw=scaled(3))


def _name_rows(ax: Any, row: Row, names: Sequence[str]) -> None:
    """Name the rows of a table: the sum, and above it those of `names`, which another column may have instead."""
    texts = [f"weight × {name}" for name in names[: len(row.keys)]] + [*names[len(row.keys) :], "sum"]
    ax.set_yticks([*range(len(names)), row.lines], texts, fontsize=scaled(NAME))
    for tick in ax.get_yticklabels()[:-1]:
        tick.set_color(theme().value)
    ax.get_yticklabels()[-1].set_fontweight("bold")


def _name_columns(ax: Any, names: Sequence[str]) -> None:
    """Write the names of the axes below a table, as wide as its cells are now."""
    room = 0.95 * float(ax.bbox.width) * 72 / float(ax.get_figure(root=True).dpi) / len(names) / scaled(NAME)
    labels = [
        "\n".join(cut(part, room) for part in name.split(": ", 1)) if ": " in name else two_lines(name, room)
        for name in names
    ]
    ax.set_xticks(range(len(names)), labels, fontsize=scaled(NAME))
