"""The header of a `.safetensors` file.

The file is the length of the header in 8 bytes, the header in JSON, and the numbers of all arrays, one array after the
other without a gap: `{"keys": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}`. Source: the format as
stated at huggingface.co/docs/safetensors.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from hopattn.foundation.array_files.paths import named, opened
from hopattn.foundation.array_files.stored import StoredArray, require_span
from hopattn.foundation.errors import InvalidInput, shortened

_MAX_HEADER = 2**24
"""The longest header that is read: 16 MiB, enough for 100,000 arrays."""
_READ = {
    **{"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "BOOL": "|b1"},
    **{f"{letter}{bits}": f"<{letter.lower()}{bits // 8}" for letter in "IU" for bits in (8, 16, 32, 64)},
}
"""The types of numbers that are read, and their names in NumPy, which has only the bits of BF16."""
_BITS = {
    **{"F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "C64": 64},
    **dict.fromkeys(("F8_E4M3", "F8_E5M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ"), 8),
}
"""The types that are not read, and the bits of a number of each."""
_ENTRY = {"dtype", "shape", "data_offsets"}
_ADVICE = "; convert them to F32, F16 or BF16"


def arrays_in_safetensors(file: Path) -> dict[str, StoredArray]:
    """The arrays of a `.safetensors` file by their names.

    Raises `InvalidInput` for a header that is torn or no such header, two arrays of one name, and numbers that overlap,
    leave a gap, or end elsewhere than the file.
    """
    with opened(file) as stream:
        size = file.stat().st_size
        length = int.from_bytes(stream.read(8), "little")
        if size < 8 or length > size - 8:
            raise InvalidInput(f"{_none(file)}: its header would have {length:,} bytes, and the file has {size:,}")
        if length > _MAX_HEADER:
            raise InvalidInput(f"{named(file)} has a header of {length:,} bytes; expected at most {_MAX_HEADER:,}")
        header = _parsed(stream.read(length), file)
    arrays = {name: _array(file, name, entry, 8 + length) for name, entry in header.items()}
    _require_one_after_the_other(file, arrays.values(), 8 + length, size)
    return {name: array for name, (array, _) in arrays.items()}


def _none(file: Path) -> str:
    return f"{named(file)} is no .safetensors file, or a torn one"


def _parsed(header: bytes, file: Path) -> dict[str, Any]:
    """The entries of a header by name, without those that describe the file."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise InvalidInput(f"{named(file)}: its header has '{shortened(name)}' twice; expected one")
            found[name] = value
        return found

    try:
        found = json.loads(header.decode(), object_pairs_hook=once) if header[:1] == b"{" else None
    except InvalidInput:
        raise
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        told = shortened(header[:80].decode("utf-8", "replace")) or "empty"
        raise InvalidInput(f"{_none(file)}: its header is {told}; expected a table in JSON")
    about = found.pop("__metadata__", {})
    if not isinstance(about, dict) or not all(isinstance(text, str) for text in about.values()):
        raise InvalidInput(f"{named(file)}: '__metadata__' is {shortened(about)}; expected texts by name")
    return found


def _array(file: Path, name: str, entry: Any, begin: int) -> tuple[StoredArray, range]:
    """An array, and the bytes of the file in which its numbers lie; begin: the byte at which all numbers begin."""
    where = f"{named(file)}: '{shortened(name)}'"
    if not isinstance(entry, dict) or set(entry) != _ENTRY:
        raise InvalidInput(f"{where} is {shortened(entry)}; expected its dtype, shape and data_offsets")
    kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(kind, str) or kind not in {*_READ, *_BITS}:
        raise InvalidInput(f"{where} is of type {shortened(kind)}; expected one of {', '.join(_READ)}")
    if not _are_whole(shape):
        raise InvalidInput(f"{where} has the shape {shortened(shape)}; expected whole numbers of at least 0")
    if not _are_whole(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise InvalidInput(f"{where} has the data_offsets {shortened(offsets)}; expected its first byte and the end")
    raw = np.dtype(_READ[kind]) if kind in _READ else None
    span = range(begin + offsets[0], begin + offsets[1])
    require_span(where, tuple(shape), _BITS.get(kind) or 8 * np.dtype(_READ[kind]).itemsize, len(span))
    advice = "" if raw is not None else _ADVICE
    return StoredArray(file, name, tuple(shape), kind, raw, span.start, bfloat=kind == "BF16", advice=advice), span


def _are_whole(numbers: Any) -> bool:
    """Whether something is a list of whole numbers from 0 that fit into 64 bits."""
    return isinstance(numbers, list) and all(type(number) is int and 0 <= number < 2**63 for number in numbers)


def _require_one_after_the_other(
    file: Path, arrays: Iterable[tuple[StoredArray, range]], begin: int, size: int
) -> None:
    """Raise `InvalidInput` unless the numbers of each array begin where those before end, and end with the file."""
    end = begin
    for array, span in sorted(arrays, key=lambda one: (one[1].start, one[1].stop)):
        if span.start != end:
            expected = f"expected byte {end - begin:,}, one array after the other"
            raise InvalidInput(f"{array.where}: its numbers begin at byte {span.start - begin:,}; {expected}")
        end = span.stop
    if end != size:
        raise InvalidInput(f"{_none(file)}: its arrays end at byte {end:,}, and the file has {size:,}")
