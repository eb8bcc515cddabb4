"""Files of arrays: `.npy`, `.npz`, `.safetensors` and tables in CSV; the ending of a file's name says which it is."""

import io
import math
import os
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hopattn.foundation.array_headers import StoredArray, array_in_npy, arrays_in_npz, arrays_in_safetensors
from hopattn.foundation.array_headers import named as named
from hopattn.foundation.array_headers import opened as opened
from hopattn.foundation.array_headers import require_file as require_file
from hopattn.foundation.checks import path_of, require_room
from hopattn.foundation.errors import InvalidInput, listed, shortened, unknown

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)  # of a table in CSV
MAX_NUMBERS = 2**23  # the most numbers that are read into memory, enough for 10,000 pictures of 28 × 28
MAX_TABLE = 64 * 2**20  # the most bytes of a table
_FORMATS = {".npy": array_in_npy, ".npz": arrays_in_npz, ".safetensors": arrays_in_safetensors}
"""The formats with a header, by the ending of a file: its arrays by their names."""


def mapped(path: str | os.PathLike[str], name: str | None = None) -> np.ndarray:
    """A floating-point array in a `.npy` or `.safetensors` file, mapped into memory as a read-only `numpy.memmap`.

    name: the array to map, if a `.safetensors` file holds several. The keys of a `Memory` may be such an array, larger
    than the machine's memory. An array of bfloat16 (BF16), which NumPy lacks, is read into memory as float32; no number
    changes. Raises `InvalidInput` for a missing file or array, for a file that is incomplete or not of the format that
    its name says, and for numbers that are not floating-point. Do not shorten a file while it is mapped: the operating
    system then ends the process.
    """
    return stored_vectors(path, name).mapped()


def vectors_in(path: str | os.PathLike[str]) -> np.ndarray:
    """The rows of the array in a file: mapped as `mapped` does, or read from a `.npz` with one array or a `.csv`.

    Raises `InvalidInput` as `mapped` and `numbers` do.
    """
    file = path_of(path, "path")
    if len(names := names_in(file)) > 1:
        call = "np.load({!r})[{!r}]" if file.suffix.lower() == ".npz" else "ha.mapped({!r}, {!r})"
        message = f"give one of them, such as {shortened(call.format(file.name, names[0]))}"
        raise InvalidInput(f"{named(file)} holds {len(names)} arrays: {listed(names)}; {message}")
    return numbers(file, most_axes=2) if file.suffix.lower() in (".npz", ".csv") else mapped(file)


def stored_vectors(path: str | os.PathLike[str], name: str | None = None) -> StoredArray:
    """The array that `mapped` maps, of which nothing but the header is read; raises `InvalidInput` as it does."""
    file = path_of(path, "path")
    require_file(file)
    if file.suffix.lower() not in (".npy", ".safetensors"):
        raise InvalidInput(f"{named(file)}: expected a file that ends in .npy or .safetensors")
    found = _stored(file, name, "name")
    found.require("f", "floating-point numbers")
    return found


def names_in(file: Path) -> list[str]:
    """The names of the arrays in a file, none in a format without names; raises `InvalidInput` as `numbers` does."""
    return [name for name in _FORMATS[file.suffix.lower()](file) if name] if file.suffix.lower() in _FORMATS else []


class Described(NamedTuple):
    """The numbers of an array, whose shape its header gives before `read` gives them, or of a table, read at once."""

    shape: tuple[int, ...]
    read: Callable[[], np.ndarray]


def described(file: Path, array: str | None = None, most_axes: int = 3) -> Described:
    """The numbers that `numbers` reads, before they are read; raises `InvalidInput` for all that a header shows."""
    if file.suffix.lower() not in _FORMATS:
        values = _table(file)
        if array is not None:
            raise InvalidInput(f"{named(file)} holds one table without a name, and '{shortened(array)}' was asked for")
        return Described(values.shape, lambda: values)
    return _described(_stored(file, array, "array"), most_axes)


def numbers(file: Path, array: str | None = None, most_axes: int = 3) -> np.ndarray:
    """The numbers of an array or a table in float64, with 1 to `most_axes` axes; true becomes 1 and false −1.

    file: a .npy, .npz, .safetensors or .csv. array: the name of the array, needed for a file with several. Raises
    `InvalidInput` for a file that cannot be read or is incomplete, a text in a table, an unknown array, and numbers
    that are not real and finite.
    """
    return described(file, array, most_axes).read()


def numbers_below(file: Path, start: str, most_axes: int, most: int) -> dict[str, np.ndarray]:
    """The numbers of all arrays of a file whose names begin with `start`, by name, as `numbers` reads them.

    most: the largest number of numbers of them all, which are counted before the first array is read.
    """
    arrays = _FORMATS[file.suffix.lower()](file).items()
    found = {name: _described(one, most_axes) for name, one in arrays if name and name.startswith(start)}
    count = sum(math.prod(one.shape) for one in found.values())
    if count > most:
        message = f"the {len(found):,} arrays hold {count:,} numbers"
        raise InvalidInput(f"{named(file)}: {message}; at most {most:,} can be read")
    return {name: one.read() for name, one in found.items()}


def arrays_of(file: Path) -> dict[str, np.ndarray]:
    """All arrays of a `.npz` archive by name, of numbers or texts, as they are; raises `InvalidInput` as `numbers`."""
    found = arrays_in_npz(file)
    for stored in found.values():
        stored.require("biufU", "numbers or texts")
    size = sum(stored.count * stored.dtype.itemsize for stored in found.values())
    require_room(size // 8, f"{named(file)}: its arrays")
    return {name: stored.read() for name, stored in found.items()}


def _stored(file: Path, name: str | None, argument: str) -> StoredArray:
    """One array of a file, by its name, or the only one; argument: what gives the name, for messages."""
    arrays = _FORMATS[file.suffix.lower()](file)
    if name is not None and "" in arrays:
        raise InvalidInput(f"{named(file)} holds one array without a name, and '{shortened(name)}' was asked for")
    if name is None and len(arrays) == 1:
        return next(iter(arrays.values()))
    if not arrays:
        raise InvalidInput(f"{named(file)} holds no array")
    if name is None:
        message = f"holds {len(arrays)} arrays; say by `{argument}` which is meant: {listed(arrays)}"
        raise InvalidInput(f"{named(file)} {message}")
    if name not in arrays:
        raise InvalidInput(f"{named(file)}: {unknown(name, arrays)}")
    return arrays[name]


def _described(stored: StoredArray, most_axes: int) -> Described:
    stored.require("biuf", "real numbers")
    if stored.count > MAX_NUMBERS:
        raise InvalidInput(f"{stored.where} holds {stored.count:,} numbers; at most {MAX_NUMBERS:,} can be read")
    if not 1 <= len(stored.shape) <= most_axes or not stored.count:
        wanted = f"1 to {most_axes} axes, none of length 0"
        raise InvalidInput(f"{stored.where} holds an array of shape {stored.shape}; expected {wanted}")

    def read() -> np.ndarray:
        values = stored.read()
        result = np.where(values, 1.0, -1.0) if values.dtype.kind == "b" else values.astype(float)
        if not np.isfinite(result).all():
            first = np.argwhere(~np.isfinite(result))[0]
            place = ", ".join(str(int(i) + 1) for i in first)
            raise InvalidInput(f"{stored.where}: {result[tuple(first)]} is at {place}; expected finite numbers")
        return result

    return Described(stored.shape, read)


def _table(file: Path) -> np.ndarray:
    """The numbers of a table in CSV without a heading, `(n_rows, n_columns)`, as NumPy reads it; empty lines are none.

    Raises `InvalidInput` for anything else than finite numbers, with the line and the column.
    """
    too_many = InvalidInput(f"{named(file)} holds more than {MAX_NUMBERS:,} numbers")
    with opened(file) as stream:
        data = stream.read(MAX_TABLE + 1)
    if len(data) > MAX_TABLE:
        raise InvalidInput(f"{named(file)} is larger than {MAX_TABLE // 2**20} MiB")
    if data.count(b",") >= MAX_NUMBERS:
        raise too_many
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{named(file)}, line {line}: is not UTF-8 text") from None
    lines = (line for line in io.StringIO(text, newline=None) if not line.isspace())
    try:
        with warnings.catch_warnings(action="ignore"):  # of a table without numbers
            values = np.loadtxt(lines, delimiter=",", comments=None, ndmin=2, max_rows=MAX_NUMBERS + 1)
    except ValueError:
        values = np.array([np.nan])  # its fault is reported below
    if values.size > MAX_NUMBERS:
        raise too_many
    if not values.size:
        raise InvalidInput(f"{named(file)} holds no numbers; expected rows of numbers with commas between them")
    if not np.isfinite(values).all():
        raise InvalidInput(f"{named(file)}{_fault_of_table(text)}")
    return values


def _fault_of_table(text: str) -> str:
    """The first fault of a table that NumPy cannot read: its line and column, what was found, and what was expected."""
    first, width = 0, 0
    for i, line in enumerate(io.StringIO(text, newline=None), 1):
        if line.isspace():
            continue
        cells = [cell.strip() for cell in line.split(",")]
        for column, cell in enumerate(cells, 1):
            is_number = NUMBER.fullmatch(cell)
            if not (is_number and math.isfinite(float(cell))):
                wanted = "a finite number" if is_number else "numbers such as -0.5 or 3e-2, with commas between them"
                if not is_number and ";" not in cell and cell[:1].isalpha():
                    wanted += "; leave lines and columns of names out"
                if ";" in cell:
                    wanted += "; save a table with semicolons with commas between its numbers, and points in them"
                return f", line {i}, column {column}: got '{shortened(cell)}'; expected {wanted}"
        if len(cells) != (width := width or len(cells)):
            return f", line {i}: got {len(cells)} numbers; expected {width}, as in line {first}"
        first = first or i
    return " is not a table of numbers with commas between them"
