"""Tables of a text beside the arrays of a run, and rows of weights that must sum to 1."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from hopattn.foundation.writing import number
from hopattn.notes.claims import Claim, compared
from hopattn.notes.known import Known, Value, meant, places
from hopattn.notes.numbers import Printed
from hopattn.notes.reading import Block, Cell, Row, plain
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import labels

_SHARES = r"softmax|attention[ -](?:weights|matrix|table)|aufmerksamkeitsgewichte"
_OTHER = r"\bbefore\b|\bwithout\b|\bno softmax|\braw\b|unnormali|\bscores?\b|\blogit|similarit|\bohne\b|\bvor\b|instead"
_HIDDEN = re.compile(r"|[·\-–—×]|\\cdot")
_TOTAL = re.compile(r"sum|total|Σ|Summe|\\sum", re.I)


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


def says_weights(near: Sequence[str]) -> str:
    """The word of the nearest text that speaks of weights: "softmax", "attention weights"; empty if it is not sure."""
    for text in near:
        if found := re.search(_SHARES, text, re.I):
            softmax = re.search("softmax", text, re.I)
            return "" if re.search(_OTHER, text, re.I) else "softmax" if softmax else found[0]
    return ""


def row_sums(block: Block) -> list[Claim]:
    """The rows of a table of softmax weights, each with its sum.

    The table is said to be one. If it is said to be one of attention weights only, another row must sum to 1, because
    raw similarities may be called so too.
    """
    said = says_weights([_name(block.rows[0][0]), *map(plain, block.near)])
    first = block.rows[0]
    kept = [j for j, cell in enumerate(first) if not _TOTAL.fullmatch(_name(cell))]
    rows = [row for row in block.rows if len(row) == len(first)] if said else []
    summed = [(row, numbers) for row in rows if (numbers := _shares([row[j] for j in kept[1:]]))]
    columns = [_shares([row[j] for row, _ in summed]) for j in kept[1:]]
    if not summed or all(column and sums_to_one(column) for column in columns):
        return []
    sure = said == "softmax" or any(
        sums_to_one(numbers) and sum(one.value > 0 for one in numbers) > 1 for _, numbers in summed
    )
    return [sum_claim(row[0].line, f"weights of {_name(row[0])}", numbers) for row, numbers in summed if sure]


def _shares(row: Row) -> list[Printed]:
    """The numbers of a row of weights; none if it holds something else, or only whole numbers."""
    numbers = [one for cell in row if (one := _number(cell))]
    others = [plain(cell.text).strip() for cell in row if not _number(cell)]
    right = all(0 <= one.value <= 1 for one in numbers) and all(map(_HIDDEN.fullmatch, others))
    return numbers if right and len(numbers) > 1 and any(one.value % 1 for one in numbers) else []


def sums_to_one(numbers: Sequence[Printed]) -> bool:
    """Whether numbers sum to 1, as far as their rounding allows."""
    return abs(sum(one.value for one in numbers) - 1) <= sum(one.room for one in numbers) * (1 + 1e-9)


def sum_claim(line: int, about: str, numbers: Sequence[Printed]) -> Claim:
    """A row of weights beside the sum that it must have."""
    sums = f"{' + '.join(one.text for one in numbers)} = {number(sum(one.value for one in numbers))}"
    return Claim(line, about, sums) if sums_to_one(numbers) else Claim(line, about, sums, "1", "softmax")
