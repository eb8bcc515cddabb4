"""Tables of numbers in text, with commas, semicolons, tabs or spaces between the numbers of a row.

A table has neither a heading nor a column of names. Its numbers are written with a point: where semicolons stand
between numbers, a comma may be that of a fraction or of thousands, and is refused.
"""

import io
import math
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from hopattn.foundation.array_headers import named, opened
from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.foundation.writing import counted

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
"""A number in a table."""
DECIMAL_COMMA = re.compile(r"[+-]?[\d.]+,\d+([eE][+-]?\d+)?", re.ASCII)
"""A number with a comma for its point."""
ENDLESS = ("nan", "inf", "infinity")
"""How programs write what is not a finite number."""
SEPARATORS = {";": "semicolons", ",": "commas", "\t": "tabs"}
"""What stands between numbers: the first of these that a table has, and else spaces."""
MAX_NUMBERS = 2**23
"""The most numbers of a file that are read into memory, enough for 10,000 pictures of 28 × 28."""
MAX_BYTES = 64 * 2**20
"""The most bytes of a table."""
UTF8 = "save the table as text in UTF-8, in Excel as 'CSV UTF-8'"
NO_NAMES = "leave lines and columns of names out (pandas: df.to_csv(file, header=False, index=False))"


def numbers_in_table(file: Path) -> np.ndarray:
    """The numbers of a table, `(n_rows, n_columns)`, as NumPy reads them; empty lines are left out, and − counts as -.

    Raises `InvalidInput` for anything else than finite numbers, with the line and the column; for a heading or a column
    of 0, 1, 2 …, as pandas writes them; and for several lines of one number, which are rarely meant as patterns.
    """
    text = _text(file)
    separator = next((mark for mark in SEPARATORS if mark in text), None)
    too_many = InvalidInput(f"{named(file)} holds more than {MAX_NUMBERS:,} numbers")
    if max(text.count("\n"), text.count(separator or "\n")) >= MAX_NUMBERS:
        raise too_many
    try:
        with warnings.catch_warnings(action="ignore"):  # of a table without numbers
            rows = (line for _, line in _lines(text))
            values = np.loadtxt(rows, delimiter=separator, comments=None, ndmin=2)
    except ValueError:
        values = np.array([np.nan])  # its fault is reported below
    if values.size > MAX_NUMBERS:
        raise too_many
    if not values.size:
        raise InvalidInput(f"{named(file)} holds no numbers; expected rows of numbers with commas between them")
    fault = _counting(values, text, separator) if np.isfinite(values).all() else _fault(text, separator)
    if fault:
        raise InvalidInput(f"{named(file)}{fault}")
    return values


def _text(file: Path) -> str:
    """The text of a table; raises `InvalidInput` for one that is too large or not UTF-8."""
    with opened(file) as stream:
        if file.stat().st_size > MAX_BYTES:
            raise InvalidInput(f"{named(file)} is larger than {MAX_BYTES // 2**20} MiB")
        data = stream.read()
    try:
        text, wrong = data.decode("utf-8-sig"), data.find(b"\0")  # there are zero bytes in UTF-16 and in no text
    except UnicodeDecodeError as error:
        text, wrong = "", error.start
    if wrong >= 0:
        line = data.count(b"\n", 0, wrong) + 1
        raise InvalidInput(f"{named(file)}, line {line}: is not UTF-8 text; {UTF8}")
    return text.replace("−", "-")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their numbers from 1."""
    return ((i, line) for i, line in enumerate(io.StringIO(text, newline=None), 1) if not line.isspace())


def _cells(line: str, separator: str | None) -> list[str]:
    return [cell.strip() for cell in line.split(separator)]


def _counting(values: np.ndarray, text: str, separator: str | None) -> str:
    """Why the numbers of a table are no patterns: one in a line, or 0, 1, 2 … in its first line or its first column."""
    n, m = values.shape
    if n > 1 and m == 1:
        written = f"write the {n} numbers of a pattern in one line, with commas between them"
        return f" has one number in each of {n} lines, which would be {n} patterns of one number; {written}"
    if n == 1 or (min(n, m) == 2 and np.isin(values, (0, 1)).all()):
        return ""
    lines, cells = _lines(text), []
    if np.array_equal(values[0], np.arange(m)):
        i, line = next(lines)
        where, cells = f", line {i}: is", _cells(line, separator)
    elif np.array_equal(values[:, 0], np.arange(n)):
        where, cells = ": its first column is", [_cells(line, separator)[0] for _, line in lines]
    if not cells or cells != [str(i) for i in range(len(cells))]:
        return ""
    row = f"{', '.join(cells[:3])}{' …' if len(cells) > 3 else ''}"
    return f"{where} {row}, as pandas numbers rows and columns; {NO_NAMES}; for a pattern, write 0.0 and not 0"


def _fault(text: str, separator: str | None) -> str:
    """The first fault of a table that NumPy cannot read: its line and column, what stands there, what was expected."""
    between = f"with {SEPARATORS.get(separator or '', 'spaces')} between them"
    first = width = 0
    for i, line in _lines(text):
        cells = _cells(line, separator)
        wrong = next((j for j, cell in enumerate(cells) if not _is_finite(cell)), None)
        if wrong is not None:
            cell = cells[wrong]
            words = re.search(r"[^\W\d_]", re.sub(NUMBER, "", line)) and not any(map(NUMBER.fullmatch, cells))
            pandas = len(cells) > 1 and cells == ["", *map(str, range(len(cells) - 1))]
            if not first and line.endswith("\n") and (words or pandas):
                return f", line {i}: got the heading '{shortened(line.strip())}'; expected numbers; {NO_NAMES}"
            endless = NUMBER.fullmatch(cell) or cell.lower().lstrip("+-") in ENDLESS
            form = "a finite number" if endless else f"numbers such as -0.5 or 3e-2, {between}{_cure(cells, wrong)}"
            return f", line {i}, column {wrong + 1}: got '{shortened(cell)}'; expected {form}"
        first, width = first or i, width or len(cells)
        if len(cells) != width:
            return f", line {i}: got {counted(len(cells), 'number')}; expected {width}, as in line {first}"
    return f" is not a table of numbers {between}"


def _cure(cells: list[str], wrong: int) -> str:
    """What to do with the cell of this number, which is no number; empty where nothing is sure."""
    cell = cells[wrong]
    if cell[:1].isalpha():
        return f"; {NO_NAMES}"
    if DECIMAL_COMMA.fullmatch(cell):
        return "; write a point, not a comma, in a number"
    if len(list(NUMBER.finditer(cell))) == 1:
        return "; leave out what is not a number"
    return "; no line ends with a separator" if not cell and 0 < wrong == len(cells) - 1 else ""


def _is_finite(cell: str) -> bool:
    return bool(NUMBER.fullmatch(cell)) and math.isfinite(float(cell))
