"""The arrays and the pictures of runs as text: nothing twice, and no rows, columns or tables of nothing but 0."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from rich.text import Text

from hopattn.foundation.sentences import say
from hopattn.foundation.writing import WRITTEN_AS_0, alike, in_lines, in_sentence, listed
from hopattn.results.labelled import HIDDEN, Labelled
from hopattn.scenario.kinds.without import meaning
from hopattn.scenario.result import Run
from hopattn.scenario.words.pictures import ARROW, Strip, side_by_side
from hopattn.views.array_cells import DIGITS, MAX_COLUMNS, MAX_ROWS, MORE_DIGITS, NEARLY, array_rows, cell, too_large
from hopattn.views.consoles import SafeConsole
from hopattn.views.text_table import TextTable
from hopattn.views.visible import plain

FEW, SHARE = 3, 8
"""A table is a sentence if at most so many of its numbers matter, and at most one in so many."""
WHOLE = 8
"""A table of weights among so few words is shown whole: its shape is that of the mask."""
LINES = 2
"""The lines that a list may take before it is a table."""
MOST_NAMED = 12
"""The most rows or columns of 0 that are named."""
SCALE = re.compile(r"-?\d+(\.\d*)?(e[-+]?\d+)?")
"""A label that is a number."""
NARROW = 6
"""A state of at most so many numbers is shown whole, also where some are as before."""

Part = TextTable | Text


class RunTexts:
    """The texts of the runs of one result, which refer to each other instead of printing anything twice.

    out: the console. digits: the decimals of the numbers.
    """

    def __init__(self, out: SafeConsole, digits: int = DIGITS) -> None:
        self._out, self._digits = out, digits
        self._arrays: list[tuple[str, str, Labelled]] = []
        self._strips: list[Strip] = []
        self._explained: set[str] = set()

    def parts(self, run: Run) -> Iterator[Part]:
        """The arrays and the pictures of a run; a table or a picture has an empty line before it and after it."""
        blocks, numbers = [], []
        for name in run.shown:
            array = run.table(name)
            if array.values.ndim:
                blocks.append(self._block(run.name, name, array))
            elif array.values.dtype.kind == "U":
                numbers.append(f"{name}: {array.values[()]}")
            else:
                numbers.append(f"{name} {cell(array.values[()], array.tiny, self._digits + MORE_DIGITS - DIGITS)}")
        blocks += [[Text(plain(line))] for line in in_lines(numbers, self._out.width)]
        blocks += [self._picture(strip) for strip in run.strips]
        for i, block in enumerate(blocks):
            if i and max(len(block), len(blocks[i - 1])) > 1:
                yield Text("")
            yield from block

    def _block(self, run: str, name: str, array: Labelled) -> list[Part]:
        """An array in a line, or its name and its table."""
        values, title = array.values, name + meaning(name, run) + _by_scales(array)
        if values.ndim > 2:
            return [_line(title, too_large(values))]
        if values.ndim == 1:
            return self._listed(title, array)
        said = self._as_before(run, name, array) or self._sparse(array)
        known = [(where, one) for of, where, one in self._arrays if of == run]
        self._arrays.append((run, name, array))
        if said:
            return [_line(title, said)]
        rows, columns, zeros = _without_zeros(array)
        left_out = [say("left out, all 0: {}", "; ".join(zeros))] if zeros else []
        for where, other in known:
            same = _same_columns(array, other)
            if values.shape[1] > NARROW and 2 * same.sum() >= len(same):
                columns = ~same
                empty = [say("left out, all 0: {}", one) for one in zeros if one.startswith(say("the row"))]
                left_out = [*empty, say("the other columns as in {}", where)]
                break
        if columns.sum() > MAX_COLUMNS and _is_scale(array.labels[1]):
            array, rows, columns = array.T, columns, rows
        if rows.sum() > MAX_ROWS or columns.sum() > MAX_COLUMNS:
            return [_line(title, too_large(values))]
        headings, cells = array_rows(array, self._digits)
        kept = [0, *(1 + np.flatnonzero(columns))]
        chosen = [[cells[i][c] for c in kept] for i in np.flatnonzero(rows)]
        signs = {text for row in chosen for text in row[1:]} & {HIDDEN, NEARLY} - self._explained
        self._explained |= signs
        least = cell(0.5 * 10.0**-self._digits, digits=self._digits + 1)
        meanings = {HIDDEN: say("is hidden by the mask"), NEARLY: say("is less than {}, not 0", least)}
        remarks = [*(f"{sign} {meanings[sign]}" for sign in sorted(signs)), *left_out]
        remark = f" ({'; '.join(remarks)})" if remarks else ""
        groups, names = zip(*(_parted(headings[c]) for c in kept), strict=True)
        table = TextTable(names, chosen, frozenset(range(1, len(kept))), groups=groups)
        return [Text.assemble((plain(title), "italic"), plain(remark)), table]

    def _listed(self, name: str, array: Labelled) -> list[Part]:
        """An array of one axis: in a line if it fits there, else a table without headings."""
        _, rows = array_rows(array, self._digits) if len(array.values) <= MAX_ROWS else ([], [])
        if not rows:
            return [_line(name, too_large(array.values) if len(array.values) else say("nothing"))]
        if array.values.dtype.kind == "U" and [label for label, _ in rows] == [*map(str, range(1, len(rows) + 1))]:
            return [_line(name, " ".join(value for _, value in rows))]
        if len(rows) > 1 and len({value for _, value in rows}) == 1:
            return [_line(name, say("{} for all {}", rows[0][1], str(len(rows))))]
        line = _line(name, _entries(rows, say(", ")))
        if line.cell_len > self._out.width and len(shorter := alike(*zip(*rows, strict=True))) <= len(rows) / 2:
            line = _line(name, _entries(shorter, "; "))
        if line.cell_len <= LINES * self._out.width:
            return [line]
        numeric = frozenset({1}) if array.values.dtype.kind in "fiu" else frozenset()
        return [Text(plain(name), style="italic"), TextTable(("", ""), rows, numeric)]

    def _as_before(self, run: str, name: str, array: Labelled) -> str:
        """Words for an array that is one of those before, but for a few numbers; empty for any other."""
        found = ""
        for of, where, other in self._arrays:
            if (of != run and where != name) or other.labels != array.labels or not _equally_hidden(array, other):
                continue
            changed = _changed(array, other)
            place = where if of == run else say("in {}", of) if of else say("in the run as written")
            if not changed.any():
                return say("as {}", place)
            if of == run and _few(changed):
                found = say("as {}, but {}", place, self._cells(array, changed))
        return found

    def _sparse(self, array: Labelled) -> str:
        """Words for a table with no number, or only a few, beside 0; empty for any other."""
        some = ~_zeros(array)
        others = say("0 or hidden") if array.hidden is not None else "0"
        if not some.any():
            return say("all {}", others)
        return say("{}; all else {}", self._cells(array, some), others) if _few(some) else ""

    def _cells(self, array: Labelled, chosen: np.ndarray) -> str:
        """Some numbers of a table in words: the weight of a key for a query, or the axis of a word."""
        texts, weight = [], array.dims == ("query", "key")
        for i in np.flatnonzero(chosen.any(axis=1)):
            row, columns = array.labels[0][i], np.flatnonzero(chosen[i])
            named = [array.labels[1][j] for j in columns]
            values = [cell(array.values[i, j], array.tiny, self._digits) for j in columns]
            numbers = [f"{name} {value}" for name, value in zip(named, values, strict=True)]
            own = row + say(" to {}", say(" and ").join(numbers)) if weight else say("for {} {}", row, _named(numbers))
            texts.append(own)
        return listed(texts)

    def _picture(self, strip: Strip) -> list[Part]:
        """The pictures of a recall below their heading, or a line for pictures that were there before."""
        if any(_same_pictures(strip, one) for one in self._strips):
            closing = f"; {strip.sentence}" if strip.sentence else ""
            return [_line(strip.heading, f"{say('the same pictures')}{closing}")]
        self._strips.append(strip)
        heading, *lines = side_by_side(strip, self._out.width)
        return [Text(plain(heading), style="italic"), *(Text(_aligned(plain(line), self._out)) for line in lines)]


def _line(name: str, text: str) -> Text:
    return Text.assemble((plain(name), "italic"), f": {plain(text)}")


def _entries(rows: Sequence[Sequence[str]], between: str) -> str:
    """Labels with their values; a colon parts them where a label is not a name, or where both are words."""
    plain_names = all(label[:1].isalpha() and ":" not in label and "," not in label for label, _ in rows)
    clear = plain_names and not any(" " in label and value[:1].isalpha() for label, value in rows)
    return between.join(f"{label}{'' if clear else ':'} {value}" for label, value in rows)


def _by_scales(array: Labelled) -> str:
    """The names of the axes that are scales; nothing else says what their numbers are."""
    scales = [dim for dim, labels in zip(array.dims, array.labels, strict=False) if _is_scale(labels)]
    return say(", by {}", in_sentence(scales)) if scales else ""


def _is_scale(labels: tuple[str, ...]) -> bool:
    """Whether labels are rising numbers other than 1, 2, 3, …, such as loads."""
    if labels == tuple(map(str, range(1, len(labels) + 1))) or not all(map(SCALE.fullmatch, labels)):
        return False
    return all(float(low) < float(high) for low, high in pairwise(labels))


def _parted(label: str) -> tuple[str, str]:
    """The part of a vector that a label names, and the rest: "word" and "dog" of `word: dog`."""
    part, _, rest = label.partition(": ")
    return (part, rest) if rest else ("", label)


def _few(chosen: np.ndarray) -> bool:
    count = int(chosen.sum())
    return count <= FEW and SHARE * count <= chosen.size


def _is_number(array: Labelled) -> bool:
    return bool(np.issubdtype(array.values.dtype, np.number))


def _zeros(array: Labelled) -> np.ndarray:
    """Which cells are 0, up to rounding unless the array may be tiny; no cell of an array of texts is."""
    if not _is_number(array):
        return np.zeros(array.values.shape, dtype=bool)
    return np.asarray(np.abs(array.values) < (np.finfo(float).tiny if array.tiny else WRITTEN_AS_0))


def _changed(array: Labelled, other: Labelled) -> np.ndarray:
    """Which cells differ, up to rounding unless an array may be tiny."""
    if not (_is_number(array) and _is_number(other)) or array.tiny:
        return np.asarray(array.values != other.values)
    return np.asarray(~np.isclose(array.values, other.values, rtol=0, atol=WRITTEN_AS_0, equal_nan=True))


def _equally_hidden(array: Labelled, other: Labelled) -> bool:
    if array.hidden is None or other.hidden is None:
        return array.hidden is other.hidden
    return bool(np.array_equal(array.hidden, other.hidden))


def _same_columns(array: Labelled, other: Labelled) -> np.ndarray:
    """The columns that are equal in both; none of arrays with other labels."""
    if other.labels != array.labels or not _equally_hidden(array, other):
        return np.zeros(array.values.shape[1], dtype=bool)
    return np.asarray(~_changed(array, other).any(axis=0))


def _same_pictures(strip: Strip, other: Strip) -> bool:
    same = strip.heading == other.heading and strip.names == other.names and strip.size == other.size
    return same and bool(np.array_equal(strip.pictures, other.pictures))


def _without_zeros(array: Labelled) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """The rows and the columns that hold more than 0, and words for those that do not."""
    zeros = _zeros(array) if array.hidden is None else _zeros(array) & ~array.hidden
    if array.labels[0] == array.labels[1] and len(zeros) <= WHOLE:
        zeros = np.zeros_like(zeros)
    remarks, kept = [], []
    for axis, what in ((1, "row"), (0, "column")):
        empty = np.asarray(zeros.all(axis=axis))
        if names := [plain(label) for label, is_empty in zip(array.labels[1 - axis], empty, strict=True) if is_empty]:
            shown = _named(names, say("{own} of {part}"), say(" and "))
            remarks.append(f"{say(f'the {what}s' if len(names) > 1 else f'the {what}')} {shown}")
        kept.append(~empty)
    return kept[0], kept[1], remarks


def _named(names: Sequence[str], form: str = "{part}: {own}", between: str = "; ") -> str:
    """Labels in words, each part of a vector once: `word: their, dog`, or in another form."""
    shown = names if len(names) <= MOST_NAMED else names[: MOST_NAMED - 1]
    groups = groupby(shown, key=lambda name: name.rpartition(": ")[0])
    listed = ((part, ", ".join(name.rpartition(": ")[2] for name in own)) for part, own in groups)
    text = between.join(form.format(part=part, own=own) if part else own for part, own in listed)
    return text if len(shown) == len(names) else f"{text} {say('… {} in all', str(len(names)))}"


def _aligned(line: str, out: Any) -> str:
    """A line of pictures. Where the output lacks the arrow, another one of its width keeps them below each other."""
    try:
        ARROW.encode(out.encoding)
    except (UnicodeEncodeError, LookupError):
        return line.replace(ARROW, " > ")
    return line
