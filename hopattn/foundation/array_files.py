"""Arrays that stay in their file: the file is mapped into memory, and only the rows in use are read."""

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput, nearest, shortened, unknown

_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}
"""The floating-point dtypes of a `.safetensors` file, and their names in NumPy."""
_MAX_HEADER = 100_000_000
"""The longest header in bytes that the `.safetensors` format allows."""


def mapped(path: str | os.PathLike[str], name: str | None = None) -> np.ndarray:
    """A floating-point array in a `.npy` or `.safetensors` file, mapped into memory as a read-only `numpy.memmap`.

    name: the array to map, if a `.safetensors` file holds several. The keys of a `Memory` may be such an array, larger
    than the machine's memory. Raises `InvalidInput` for a missing file or array, for a file that is incomplete or not
    of the format that its name says, and for numbers that are not floating-point. Do not shorten a file while it is
    mapped: the operating system then ends the process.
    """
    file = Path(path)
    require_file(file)
    ending = file.suffix.lower()
    if ending not in (".npy", ".safetensors"):
        raise InvalidInput(f"{named(file)}: expected a file that ends in .npy or .safetensors")
    if ending == ".npy" and name is not None:
        raise InvalidInput(f"{named(file)} holds one array without a name, and '{shortened(name)}' was asked for")
    try:
        array = _npy(file) if ending == ".npy" else _safetensors(file, name)
    except InvalidInput:
        raise
    except OSError as error:
        raise InvalidInput(f"{named(file)} cannot be read: {error.strerror or error}") from None
    except (ValueError, EOFError, KeyError, TypeError, OverflowError, RecursionError):
        raise InvalidInput(f"{named(file)} is no {ending} file, or a torn one") from None
    if array.dtype.kind != "f":
        raise InvalidInput(f"{named(file)}: expected floating-point numbers, not {array.dtype}")
    return array


def require_file(file: Path) -> None:
    """Raise `InvalidInput` for a missing file; the message gives the nearest name in its folder."""
    try:
        if file.is_file():
            return
        if file.exists():
            raise InvalidInput(f"{named(file)} is no file")
        folder = file.parent
        if not folder.is_dir():
            raise InvalidInput(f"there is no folder '{shortened(folder)}'")
        guess = nearest(file.name, (path.name for path in folder.iterdir() if path.is_file()))
    except OSError as error:
        raise InvalidInput(f"{named(file)} cannot be read: {error.strerror or error}") from None
    hint = f"; did you mean '{shortened(guess)}'?" if guess else ""
    raise InvalidInput(f"there is no file {named(file)} in '{shortened(folder)}'{hint}")


def named(file: Path) -> str:
    """The name of a file in quotes, for a message."""
    return f"'{shortened(file.name)}'"


def _npy(file: Path) -> np.ndarray:
    array: np.ndarray = np.lib.format.open_memmap(file, mode="r")
    return array


def _safetensors(file: Path, name: str | None) -> np.ndarray:
    """The array `name` of a `.safetensors` file, or its only array."""
    header, begin = _header(file)
    if name is None and len(header) > 1:
        raise InvalidInput(f"{named(file)} holds {len(header)} arrays; name one of {', '.join(sorted(header)[:20])}")
    if name is not None and name not in header:
        raise InvalidInput(f"{named(file)}: {unknown(name, header)}")
    entry = header[name] if name is not None else next(iter(header.values()), {})
    if entry["dtype"] not in _DTYPES:
        raise InvalidInput(f"{named(file)}: expected numbers of {', '.join(_DTYPES)}, not {shortened(entry['dtype'])}")
    start, end = entry["data_offsets"]
    dtype, shape = np.dtype(_DTYPES[entry["dtype"]]), tuple(entry["shape"])
    if start < 0 or end - start != dtype.itemsize * math.prod(shape) or begin + end > file.stat().st_size:
        raise ValueError
    return np.memmap(file, dtype, mode="r", offset=begin + start, shape=shape)


def names_in(path: str | os.PathLike[str]) -> list[str]:
    """The names of the arrays in a `.safetensors` file; raises `InvalidInput` as `mapped` does."""
    file = Path(path)
    require_file(file)
    try:
        return sorted(_header(file)[0])
    except OSError as error:
        raise InvalidInput(f"{named(file)} cannot be read: {error.strerror or error}") from None
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise InvalidInput(f"{named(file)} is no .safetensors file, or a torn one") from None


def _header(file: Path) -> tuple[dict[str, Any], int]:
    """The header of a `.safetensors` file, and the byte at which its numbers begin.

    The file is the length of the header in 8 bytes, the header in JSON, and the numbers.
    """
    with file.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if length > min(_MAX_HEADER, file.stat().st_size - 8):
            raise ValueError
        header: dict[str, Any] = json.loads(stream.read(length))
    header.pop("__metadata__", None)
    return header, 8 + length
