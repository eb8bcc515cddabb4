"""Tables of a text beside the arrays of a run."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from hopattn.notes.claims import Claim, compared
from hopattn.notes.known import Known, Value, meant, places
from hopattn.notes.numbers import Printed
from hopattn.notes.reading import Block, Cell, plain
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import labels


class Fit(NamedTuple):
    """A table as one of an array. cells: what each is about, its number, and the right value."""

    array: str
    cells: Mapping[Cell, tuple[str, Printed, Value]]
    is_turned: bool

    @property
    def agreeing(self) -> int:
        """How many of the cells agree."""
        return sum(printed.agrees(value.number) for _, printed, value in self.cells.values())


def table_claims(block: Block, runs: Sequence[Known]) -> list[Claim]:
    """The numbers of a table beside those of the array that it shows; none if it shows none for certain.

    That is the array that a caption, the lines before or the heading name. Where none is named, it is one with which at
    least half of the numbers agree. Where it may be one of several, a number is wrong if it agrees with none of them.
    """
    fits = [fit for run in runs for name, array in run.arrays.items() for fit in _fits(block, run.run, name, array)]
    named = meant([_name(block.rows[0][0]), *map(plain, block.near)], list(dict.fromkeys(fit.array for fit in fits)))
    pool = [fit for fit in fits if fit.array in named] or fits
    most = max((len(fit.cells) for fit in pool), default=0)
    whole = [fit for fit in fits if len(fit.cells) >= most and fit.agreeing == len(fit.cells)]
    pool = whole[:1] or [fit for fit in pool if len(fit.cells) == most]
    best = max(((fit.agreeing, not fit.is_turned) for fit in pool), default=(0, True))
    ties = [fit for fit in pool if (fit.agreeing, not fit.is_turned) == best]
    return [
        compared(cell.line, about, printed, [fit.cells[cell][2] for fit in ties if cell in fit.cells])
        for cell, (about, printed, _) in (ties[0].cells.items() if ties and (named or 2 * best[0] >= most) else ())
    ]


def _fits(block: Block, run: str, name: str, array: Labelled) -> Iterator[Fit]:
    """The cells whose row and column an array has, where the table may show it; then with rows for columns."""
    if len(array.labels) != 2 or array.values.ndim != 2:
        return
    head = next((i for i, row in enumerate(block.rows[:3]) if len(row) > 1 and not any(map(_number, row[1:]))), None)
    body = block.rows[0 if head is None else head + 1 :]
    for rows, columns, values in ((*array.labels, array.values), (*array.labels[::-1], array.values.T)):
        if head is None:
            at: list[int | None] = list(range(len(columns)))
            kept = [row for row in body if len(row) == len(columns) + 1]
        else:
            named = [text for cell in block.rows[head][1:] if (text := _name(cell))]
            at = _matched([_name(cell) for cell in block.rows[head][1:]], columns)
            matched = len(at) - at.count(None)
            kept = body if matched >= min(2, len(columns)) and 2 * matched >= len(named) else []
        lines = _matched([_name(row[0]) for row in kept], rows)
        cells = {
            cell: (f"{rows[i]}, {columns[j]}", printed, Value(float(values[i, j]), name, run))
            for row, i in zip(kept, lines, strict=True)
            for cell, j in zip(row[1:], at, strict=False)
            if i is not None
            and j is not None
            and (printed := _number(cell))
            and re.search(r"[^\W\d]", rows[i] + columns[j])
        }
        if cells:
            yield Fit(name, cells, values is not array.values)
        if head is None:
            return


def _number(cell: Cell) -> Printed | None:
    return Printed.parse(plain(cell.text))


def _name(cell: Cell) -> str:
    return plain(cell.text).strip(" \t:'\"“”„‘’")


def _matched(texts: Sequence[str], known: Sequence[str]) -> list[int | None]:
    """The place of each text among labels: of a word that stands several times in both, in their order."""
    numbered = [places(text, known) for text in labels([text.lower() for text in texts])]
    plainly = [places(text, known) for text in texts]
    return [
        one[0] if len(one) == 1 else other[0] if len(other) == 1 else None
        for one, other in zip(plainly, numbered, strict=True)
    ]
