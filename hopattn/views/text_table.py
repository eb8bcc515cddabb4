"""Tables as lines of text that break no word and no number.

A table that is wider than the line is written as several blocks of columns, one below the other. Each block begins with
the columns that label the rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, zip_longest

from rich.cells import cell_len
from rich.text import Text

GAP = "  "
"""The space between two columns."""
READABLE = 20
"""A column of texts becomes no narrower than this, in letters; its longest word may ask for more."""


@dataclass(frozen=True)
class TextTable:
    """A table without borders.

    headings: one for each column; empty ones alone are not written. rows: the cells of each row. right: the columns of
    numbers, by position; they are aligned right, and a cell is one line. Headings, and the texts of other columns, may
    wrap between words. labels: the number of leading columns that label the rows. groups: a heading above those of
    neighbouring columns, for each column; empty for a column of no group.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str | Text]]
    right: frozenset[int] = frozenset()
    labels: int = 1
    groups: Sequence[str] = ()

    @property
    def width(self) -> int:
        """The width of the table if no text wraps."""
        return _total(self._widest)

    def columns_within(self, width: int) -> "TextTable":
        """The leading columns that fit into a line of `width` letters with no text wrapped, and at least one."""
        count = len(self.headings)
        while count > self.labels + 1 and _total(self._widest[:count]) > width:
            count -= 1
        right = frozenset(c for c in self.right if c < count)
        rows = [row[:count] for row in self.rows]
        return TextTable(self.headings[:count], rows, right, self.labels, self.groups[:count])

    def lines(self, width: int) -> Iterator[Text]:
        """The lines of the table; none is longer than `width`, except for a word or number that is.

        width: the length of a line, in letters.
        """
        for i, columns in enumerate(self._blocks(width)):
            if i:
                yield Text("")
            widths = self._widths(columns, width)
            if any(self.groups):
                yield self._group_line(columns, widths)
            if any(self.headings):
                yield from self._row([Text(self.headings[c], style="bold") for c in columns], columns, widths, low=True)
            for row in self.rows:
                yield from self._row([_text(row[c]) for c in columns], columns, widths)

    def _blocks(self, width: int) -> Iterator[list[int]]:
        """The columns of each block: the labels, and as many others as fit."""
        labels = list(range(min(self.labels, len(self.headings))))
        block = list(labels)
        for column in range(len(labels), len(self.headings)):
            if len(block) > len(labels) and _total(self._least((*block, column))) > width:
                yield block
                block = list(labels)
            block.append(column)
        yield block

    def _widths(self, columns: Sequence[int], width: int) -> list[int]:
        """The width of each column of a block: texts wrap in proportion to their length where the line is too short."""
        narrow = self._least(columns)
        wishes = [max(self._widest[c] - least, 0) for c, least in zip(columns, narrow, strict=True)]
        spare = min(max(width - _total(narrow), 0), sum(wishes))
        return [least + spare * wish // max(sum(wishes), 1) for least, wish in zip(narrow, wishes, strict=True)]

    def _least(self, columns: Sequence[int]) -> list[int]:
        """The smallest widths of some columns; the last one of a group is as wide as the group's heading asks for."""
        widths = [self._narrowest[c] for c in columns]
        for name, own in self._grouped(columns):
            widths[own[-1]] += max(cell_len(name) - _total([widths[i] for i in own]), 0)
        return widths

    def _grouped(self, columns: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
        """The groups among some columns: the heading of each, and its columns by their positions in `columns`."""
        if any(self.groups):
            for name, own in groupby(range(len(columns)), key=lambda i: self.groups[columns[i]]):
                yield name, list(own)

    def _group_line(self, columns: Sequence[int], widths: Sequence[int]) -> Text:
        """The line of the headings of groups, each above its first column."""
        line = Text(style="bold")
        for name, own in self._grouped(columns):
            width = _total([widths[i] for i in own])
            line.append(name + " " * (width - cell_len(name)) + GAP)
        line.rstrip()
        return line

    @cached_property
    def _widest(self) -> list[int]:
        """The width of the longest cell of each column."""
        return [max(map(cell_len, texts)) for texts in self._columns()]

    @cached_property
    def _narrowest(self) -> list[int]:
        """The smallest width of each column: of its longest word, or of its longest number and word of its heading."""
        widths = []
        for c, (heading, *cells) in enumerate(self._columns()):
            words = [cell_len(word) for word in heading.split()]
            if c in self.right:
                widths.append(max([0, *words, *map(cell_len, cells)]))
            else:
                words += [cell_len(word) for text in cells for word in text.split()]
                widths.append(min(self._widest[c], max([READABLE, *words])))
        return widths

    def _columns(self) -> Iterator[list[str]]:
        """The texts of each column, the heading first."""
        for c, heading in enumerate(self.headings):
            yield [heading, *(_text(row[c]).plain for row in self.rows)]

    def _row(
        self, cells: Sequence[Text], columns: Sequence[int], widths: Sequence[int], low: bool = False
    ) -> Iterator[Text]:
        """The lines of one row: each cell padded to the width of its column. low: whether short cells end below."""
        wrapped = [list(_wrapped(cell.plain, width)) for cell, width in zip(cells, widths, strict=True)]
        if low:
            most = max(map(len, wrapped))
            wrapped = [[""] * (most - len(lines)) + lines for lines in wrapped]
        for parts in zip_longest(*wrapped, fillvalue=""):
            line = Text()
            for i, part in enumerate(parts):
                space = " " * max(widths[i] - cell_len(part), 0)
                right = columns[i] in self.right
                line.append(GAP if i else "")
                line.append(space if right else "")
                line.append(part, style=cells[i].style)
                line.append("" if right else space)
            line.rstrip()
            yield line


def _text(cell: str | Text) -> Text:
    return cell if isinstance(cell, Text) else Text(cell)


def _total(widths: Sequence[int]) -> int:
    """The width of a line of columns."""
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _wrapped(text: str, width: int) -> Iterator[str]:
    """The lines of a text, broken at spaces only; a word that is longer than the line stays whole."""
    line = ""
    for i, word in enumerate(text.split(" ")):
        if i and line.strip() and cell_len(f"{line} {word}") > width:
            yield line.rstrip()
            line = word
        else:
            line = f"{line} {word}" if i else word
    yield line
