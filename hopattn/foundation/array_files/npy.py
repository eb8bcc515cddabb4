"""The header of a `.npy` file, read by its grammar: NumPy reads it as Python, with all that Python allows.

The file is a magic text, a version, the length of the header, the header, and the numbers. The header is a dictionary
of three keys: `{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }`.
"""

import re
from pathlib import Path
from typing import IO

import numpy as np

from hopattn.foundation.array_files.paths import named, opened
from hopattn.foundation.array_files.stored import StoredArray, require_span
from hopattn.foundation.errors import InvalidInput, shortened

_MAGIC = b"\x93NUMPY"
_MAX_HEADER = 10_000
"""The longest header in bytes, as for NumPy."""
_LENGTH_BYTES = {(1, 0): 2, (2, 0): 4, (3, 0): 4}
"""The bytes that tell the length of the header, by the version of the format."""
_FIELD = re.compile(
    r"""\s*(['"])(descr|fortran_order|shape)\1\s*:\s*('[^'\\]*'|"[^"\\]*"|True|False|\([^()]*\)|\[.*\])\s*(?:,|\Z)""",
    re.ASCII | re.DOTALL,
)
_TYPE = re.compile(r"[<>|=]?[A-Za-z]\d{0,9}(\[\w+\])?", re.ASCII)
"""The type of a plain number or text; anything else is a record of several."""
_NUMERIC = "biufcSU"
_SHAPE = re.compile(r"\((?:\s*+(?:0|[1-9]\d*+)L?\s*+,)*(?:\s*+(?:0|[1-9]\d*+)L?)?\s*+\)", re.ASCII)
"""A tuple of whole numbers; Python 2 wrote an L behind them."""
_EXPECTED = "expected a header such as {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}"


def array_in_npy(file: Path) -> StoredArray:
    """The array of a `.npy` file; raises `InvalidInput` for a file that is torn or of another format."""
    with opened(file) as stream:
        array = array_in_stream(stream, file, "")
        require_whole(array, file.stat().st_size)
    return array


def array_in_stream(stream: IO[bytes], file: Path, name: str) -> StoredArray:
    """The array whose header begins a stream; file, name: those of the array."""
    where = named(file) + (f": '{shortened(name)}'" if name else "")
    start = stream.read(len(_MAGIC) + 2)
    if len(start) < len(_MAGIC) + 2 or not start.startswith(_MAGIC):
        raise InvalidInput(f"{where} is no .npy array, or a torn one: it does not begin with the letters \\x93NUMPY")
    version = start[-2], start[-1]
    if version not in _LENGTH_BYTES:
        raise InvalidInput(f"{where} is of version {version[0]}.{version[1]} of the format; expected 1.0, 2.0 or 3.0")
    counted = _LENGTH_BYTES[version]
    length = int.from_bytes(stream.read(counted), "little")
    if length > _MAX_HEADER:
        raise InvalidInput(f"{where} has a header of {length:,} bytes; expected at most {_MAX_HEADER:,}")
    header = stream.read(length)
    if len(header) < length:
        raise InvalidInput(f"{where} is torn: {len(header):,} bytes of its header stand there, and not {length:,}")
    fields = _fields(header, where)
    shape = _shape(fields["shape"], where)
    kind, raw, advice = _type(fields["descr"])
    by_column = fields["fortran_order"] == "True"
    return StoredArray(file, name, shape, kind, raw, len(start) + counted + length, by_column, advice=advice)


def require_whole(array: StoredArray, size: int) -> None:
    """Raise `InvalidInput` unless the numbers of an array end where its file or member of `size` bytes ends."""
    if array.raw is not None:  # how many bytes a record or a Python object takes is not known
        require_span(array.where, array.shape, 8 * array.raw.itemsize, size - array.start)


def _fields(header: bytes, where: str) -> dict[str, str]:
    """The three fields of a header as they are written."""
    text = header.decode("utf-8", "replace").strip(" \n")
    inside, at = text[1:-1].rstrip(), 0
    fields: dict[str, str] = {}
    while found := _FIELD.match(inside, at):
        if found[2] in fields:
            raise InvalidInput(f"{where}: its header has '{found[2]}' twice; {_EXPECTED}")
        fields[found[2]], at = found[3], found.end()
    order = fields.get("fortran_order") in ("True", "False")
    if text[:1] != "{" or text[-1:] != "}" or at < len(inside) or len(fields) < 3 or not order:
        raise InvalidInput(f"{where} is no .npy array, or a torn one: its header is {shortened(text)}; {_EXPECTED}")
    return fields


def _shape(text: str, where: str) -> tuple[int, ...]:
    lengths = re.findall(r"\d+", text, re.ASCII)
    if not _SHAPE.fullmatch(text) or (len(lengths) == 1 and "," not in text):
        told = f"its header gives the shape {shortened(text)}; expected whole numbers of at least 0, such as (2, 3)"
        raise InvalidInput(f"{where}: {told}")
    if any(len(length) > 19 for length in lengths):
        raise InvalidInput(f"{where} is of shape {shortened(text)}, larger than any file; its header is wrong")
    return tuple(map(int, lengths))


def _type(text: str) -> tuple[str, np.dtype | None, str]:
    """The type of the numbers in words and for NumPy, None of a type that is not read, and then an advice."""
    own = text[1:-1]
    if text[0] not in "'\"":
        return "records of several numbers", None, ""
    if own.lstrip("<>|=") == "O":
        return "Python objects", None, "; they are never loaded, since that may run a program"
    try:
        dtype = np.dtype(own) if _TYPE.fullmatch(own) else None
    except (TypeError, ValueError):
        dtype = None
    known = dtype is not None and dtype.kind in _NUMERIC and dtype.itemsize > 0
    return shortened(own), dtype if known else None, ""
