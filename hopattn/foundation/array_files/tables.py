"""Tables of numbers: a CSV without a heading, one row a line, with commas between the numbers."""

import math
from array import array
from codecs import BOM_UTF8
from pathlib import Path

import numpy as np

from hopattn.foundation.array_files.paths import named, opened
from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.foundation.files import NUMBER

MAX_BYTES = 64 * 2**20
"""The largest size of a table."""
_SPACE = " \t\r\n\v\f"


def table(file: Path, most: int) -> np.ndarray:
    """The numbers of a table, `(n_rows, n_columns)`; empty lines are skipped.

    A number is written with the digits 0 to 9, a decimal point and an exponent: -0.5, 3e-2. most: the largest number of
    numbers. Raises `InvalidInput` for anything else, with the line and the column.
    """
    values, first, width = array("d"), 0, 0
    with opened(file) as stream:
        if file.stat().st_size > MAX_BYTES:
            raise InvalidInput(f"{named(file)} is larger than {MAX_BYTES // 2**20} MiB")
        if stream.read(len(BOM_UTF8)) != BOM_UTF8:
            stream.seek(0)
        for i, line in enumerate(stream, 1):
            if line.isspace():
                continue
            if len(values) + line.count(b",") >= most:
                raise InvalidInput(f"{named(file)} holds more than {most:,} numbers")
            row = _row(line, file, i)
            if len(row) != width:
                first, width = first or i, width or len(row)
                _require_width(len(row), width, f"{named(file)}, line {i}", first)
            values.extend(row)
    if not values:
        raise InvalidInput(f"{named(file)} holds no numbers; expected rows of numbers with commas between them")
    return np.array(values).reshape(-1, width)


def _require_width(found: int, width: int, where: str, first: int) -> None:
    if found != width:
        raise InvalidInput(f"{where}: {found} numbers stand there; expected {width}, as in line {first}")


def _row(line: bytes, file: Path, i: int) -> list[float]:
    """The numbers of line i of a file."""
    if b"_" not in line:  # Python alone takes 1_0 for a number
        try:
            row = [*map(float, line.split(b","))]
        except ValueError:
            row = [math.nan]
        if all(map(math.isfinite, row)):
            return row
    raise InvalidInput(f"{named(file)}, line {i}{_fault(line)}")


def _fault(line: bytes) -> str:
    """The first fault of a line that is no row of numbers: its column, what stands there, and what was expected."""
    try:
        cells = [cell.strip(_SPACE) for cell in line.decode().split(",")]
    except UnicodeDecodeError:
        return ": is not UTF-8 text"
    column, cell = next((i, cell) for i, cell in enumerate(cells, 1) if not _is_finite(cell))
    wanted = "a finite number" if NUMBER.fullmatch(cell) else "numbers such as -0.5 or 3e-2, with commas between them"
    if ";" in cell:
        wanted += "; save a table with semicolons with commas between its numbers, and points in them"
    return f", column {column}: '{shortened(cell)}' stands there; expected {wanted}"


def _is_finite(cell: str) -> bool:
    return NUMBER.fullmatch(cell) is not None and math.isfinite(float(cell))
