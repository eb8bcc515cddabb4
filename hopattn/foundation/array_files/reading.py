"""The arrays of a file of any format, whose name says which: their names, their numbers, or a map of them."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from hopattn.foundation.array_files.npy import array_in_npy
from hopattn.foundation.array_files.npz import arrays_in_npz
from hopattn.foundation.array_files.paths import named, require_file
from hopattn.foundation.array_files.safetensors import arrays_in_safetensors
from hopattn.foundation.array_files.stored import StoredArray
from hopattn.foundation.array_files.tables import table
from hopattn.foundation.errors import InvalidInput, listed, shortened, unknown
from hopattn.foundation.objects import path_of
from hopattn.foundation.room import require_room

MAX_NUMBERS = 2**23
"""The largest number of numbers that a scenario reads from a file, enough for 10,000 pictures of 28 × 28."""
_FORMATS: dict[str, Callable[[Path], dict[str, StoredArray]]] = {
    ".npy": lambda file: {"": array_in_npy(file)},
    ".npz": arrays_in_npz,
    ".safetensors": arrays_in_safetensors,
}
"""The formats with a header, by the ending of a file."""
_MAPPED = (".npy", ".safetensors")


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
        told = f"give one of them, such as {shortened(call.format(file.name, names[0]))}"
        raise InvalidInput(f"{named(file)} holds {len(names)} arrays: {listed(names)}; {told}")
    return numbers(file, most_axes=2) if file.suffix.lower() in (".npz", ".csv") else mapped(file)


def stored_vectors(path: str | os.PathLike[str], name: str | None = None) -> StoredArray:
    """The array that `mapped` maps, of which nothing but the header is read; raises `InvalidInput` as it does."""
    file = path_of(path, "path")
    require_file(file)
    if file.suffix.lower() not in _MAPPED:
        raise InvalidInput(f"{named(file)}: expected a file that ends in {' or '.join(_MAPPED)}")
    found = _stored(file, name, "name")
    found.require("f", "floating-point numbers")
    return found


def names_in(file: Path) -> list[str]:
    """The names of the arrays in a file, none in a format without names; raises `InvalidInput` as `numbers` does."""
    return [name for name in _headers(file) if name] if file.suffix.lower() in _FORMATS else []


@dataclass(frozen=True)
class Described:
    """The numbers of an array or a table in a file. An array's shape is known from its header, before it is read.

    A table has no header: it is read at once, within the bounds of `table`.
    """

    shape: tuple[int, ...]
    read: Callable[[], np.ndarray]
    """The numbers, of that shape; raises `InvalidInput` for numbers that are missing or not finite."""


def described(file: Path, array: str | None = None, most_axes: int = 3, most: int = MAX_NUMBERS) -> Described:
    """The numbers that `numbers` reads, before they are read; raises `InvalidInput` for all that a header shows."""
    if file.suffix.lower() not in _FORMATS:
        values = table(file, most)
        return Described(values.shape, lambda: values)
    return _described(_stored(file, array, "array"), most_axes, most)


def numbers(file: Path, array: str | None = None, most_axes: int = 3, most: int = MAX_NUMBERS) -> np.ndarray:
    """The numbers of an array or a table in float64, with 1 to `most_axes` axes; true becomes 1 and false −1.

    file: a .npy, .npz, .safetensors or .csv. array: the name of the array, needed for a file with several. most: the
    largest number of numbers. Raises `InvalidInput` for a file that cannot be read or is incomplete, a text in a table,
    an unknown array, and numbers that are not real and finite.
    """
    return described(file, array, most_axes, most).read()


def numbers_below(file: Path, start: str, most_axes: int, most: int) -> dict[str, np.ndarray]:
    """The numbers of all arrays of an archive whose names begin with `start`, by name, as `numbers` reads them.

    most: the largest number of numbers of them all. It is asked before the first array is read.
    """
    found = {name: stored for name, stored in _headers(file).items() if name and name.startswith(start)}
    all_described = {name: _described(stored, most_axes, MAX_NUMBERS) for name, stored in found.items()}
    count = sum(stored.count for stored in found.values())
    if count > most:
        told = f"the {len(found):,} arrays hold {count:,} numbers"
        raise InvalidInput(f"{named(file)}: {told}; at most {most:,} can be read")
    return {name: one.read() for name, one in all_described.items()}


def _described(stored: StoredArray, most_axes: int, most: int) -> Described:
    stored.require("biuf", "real numbers")
    if stored.count > most:
        raise InvalidInput(f"{stored.where} holds {stored.count:,} numbers; at most {most:,} can be read")
    if not 1 <= len(stored.shape) <= most_axes or not stored.count:
        wanted = f"1 to {most_axes} axes, none of length 0"
        raise InvalidInput(f"{stored.where} holds an array of shape {stored.shape}; expected {wanted}")
    return Described(stored.shape, partial(_finite, stored))


def _finite(stored: StoredArray) -> np.ndarray:
    """The numbers of an array in float64; raises `InvalidInput` if they are not finite."""
    values = stored.read()
    result = np.where(values, 1.0, -1.0) if values.dtype.kind == "b" else values.astype(float)
    infinite = ~np.isfinite(result)
    if infinite.any():
        place = ", ".join(str(int(i) + 1) for i in np.argwhere(infinite)[0])
        raise InvalidInput(f"{stored.where}: {result[infinite][0]} stands at {place}; expected finite numbers")
    return result


def arrays_of(file: Path) -> dict[str, np.ndarray]:
    """All arrays of a `.npz` archive by name, of numbers or texts, as they are; raises `InvalidInput` as `numbers`."""
    found = arrays_in_npz(file)
    for stored in found.values():
        stored.require("biufU", "numbers or texts")
    require_room(
        sum(stored.count * stored.bits.itemsize for stored in found.values()) // 8, f"{named(file)}: its arrays"
    )
    return {name: stored.read() for name, stored in found.items()}


def _headers(file: Path) -> dict[str, StoredArray]:
    return _FORMATS[file.suffix.lower()](file)


def _stored(file: Path, name: str | None, argument: str) -> StoredArray:
    """One array of a file, by its name, or the only one; argument: what gives the name, for messages."""
    arrays = _headers(file)
    if name is not None and "" in arrays:
        raise InvalidInput(f"{named(file)} holds one array without a name, and '{shortened(name)}' was asked for")
    if name is None and len(arrays) == 1:
        return next(iter(arrays.values()))
    if not arrays:
        raise InvalidInput(f"{named(file)} holds no array")
    if name is None:
        raise InvalidInput(
            f"{named(file)} holds {len(arrays)} arrays; say by `{argument}` which is meant: {listed(arrays)}"
        )
    if name not in arrays:
        raise InvalidInput(f"{named(file)}: {unknown(name, arrays)}")
    return arrays[name]
