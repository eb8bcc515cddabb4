"""Arrays that stay in their file: mapped into memory, so that only what is worked on is read."""

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput, nearest, shortened, unknown

_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}
"""What a `.safetensors` file calls the numbers that NumPy has too."""
_LONGEST_HEADER = 100_000_000
"""Bytes; the format's own limit."""


def mapped(path: str | os.PathLike[str], name: str | None = None) -> np.ndarray:
    """An array of floating-point numbers in a `.npy` or `.safetensors` file, as a read-only `numpy.memmap`.

    name: which array, of a `.safetensors` file with several. Keys of a `Memory` that are given so may be larger than
    the machine's memory. Raises `InvalidInput` for a file that is not there, is torn, or is something else than its
    name says, for an array that is not there, and for other numbers than floating-point ones. While it is mapped, a
    file must not be cut short: the system then ends the process.
    """
    file = Path(path)
    require_file(file)
    ending = file.suffix.lower()
    if ending not in (".npy", ".safetensors"):
        raise InvalidInput(f"{named(file)}: expected a file that ends in .npy or .safetensors")
    if ending == ".npy" and name is not None:
        raise InvalidInput(f"{named(file)} holds one array without a name, and '{shortened(name)}' was asked for")
    try:
        found = _npy(file) if ending == ".npy" else _safetensors(file, name)
    except InvalidInput:
        raise
    except OSError as error:
        raise InvalidInput(f"{named(file)} cannot be read: {error.strerror or error}") from None
    except (ValueError, EOFError, KeyError, TypeError, OverflowError, RecursionError):
        raise InvalidInput(f"{named(file)} is no {ending} file, or a torn one") from None
    if found.dtype.kind != "f":
        raise InvalidInput(f"{named(file)}: expected floating-point numbers, not {found.dtype}")
    return found


def require_file(file: Path) -> None:
    """Raise `InvalidInput` where there is no such file, with the nearest name in its folder."""
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
    """A file as a message names it."""
    return f"'{shortened(file.name)}'"


def _npy(file: Path) -> np.ndarray:
    found: np.ndarray = np.lib.format.open_memmap(file, mode="r")
    return found


def _safetensors(file: Path, name: str | None) -> np.ndarray:
    """The array of that name."""
    header, begin = _header(file)
    if name is None and len(header) > 1:
        raise InvalidInput(f"{named(file)} holds {len(header)} arrays; name one of {', '.join(sorted(header)[:20])}")
    if name is not None and name not in header:
        raise InvalidInput(f"{named(file)}: {unknown(name, header)}")
    told = header[name] if name is not None else next(iter(header.values()), {})
    if told["dtype"] not in _DTYPES:
        raise InvalidInput(f"{named(file)}: expected numbers of {', '.join(_DTYPES)}, not {shortened(told['dtype'])}")
    start, end = told["data_offsets"]
    dtype, shape = np.dtype(_DTYPES[told["dtype"]]), tuple(told["shape"])
    if start < 0 or end - start != dtype.itemsize * math.prod(shape) or begin + end > file.stat().st_size:
        raise ValueError
    return np.memmap(file, dtype, mode="r", offset=begin + start, shape=shape)


def names_in(path: str | os.PathLike[str]) -> list[str]:
    """The names of the arrays of a `.safetensors` file; raises `InvalidInput` as `mapped` does."""
    file = Path(path)
    require_file(file)
    try:
        return sorted(_header(file)[0])
    except OSError as error:
        raise InvalidInput(f"{named(file)} cannot be read: {error.strerror or error}") from None
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise InvalidInput(f"{named(file)} is no .safetensors file, or a torn one") from None


def _header(file: Path) -> tuple[dict[str, Any], int]:
    """What a file begins with, and where the numbers begin: the length of the header, the header in JSON, numbers."""
    with file.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if length > min(_LONGEST_HEADER, file.stat().st_size - 8):
            raise ValueError
        header: dict[str, Any] = json.loads(stream.read(length))
    header.pop("__metadata__", None)
    return header, 8 + length
