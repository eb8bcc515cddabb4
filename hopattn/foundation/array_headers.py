"""Headers of files of arrays: each array's name, shape, dtype and first byte are known before a number is read.

Nothing in a file is executed, and a header is checked against the size of the file before memory is taken. Every
fault raises `InvalidInput`, with the file, what is wrong, and what was expected.
"""

import io
import json
import lzma
import math
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from numpy.lib import format as npy_format

from hopattn.foundation.checks import require_room
from hopattn.foundation.errors import InvalidInput, nearest, shortened
from hopattn.foundation.used_files import note_used

MOST_AXES = 32  # of an array
MOST_BYTES_OF_ARRAY = 2**62  # of an array; no file is as large
_HEADER, _DIRECTORY, _JSON = 10_012, 2**22, 2**24
"""The most bytes of the header of a `.npy` (as in NumPy), the directory of a `.npz`, the header of a `.safetensors`."""
_TYPES = {
    **{"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "BOOL": "|b1"},
    **{f"{letter}{bits}": f"<{letter.lower()}{bits // 8}" for letter in "IU" for bits in (8, 16, 32, 64)},
}
"""The types of `.safetensors` that are read, and their names in NumPy, which has only the bits of BF16."""
_UNREAD = {
    **{"F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "C64": 64},
    **dict.fromkeys(("F8_E4M3", "F8_E5M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ"), 8),
}
"""The types that are not read, and the bits of a number of each."""
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, RuntimeError, ValueError, LookupError),
)
"""What Python raises for an archive that is damaged or has a password or a method of its own."""
_POINTER = b"version https://git-lfs"
"""The beginning of the text that Git LFS leaves in the place of a large file."""
_HELD: ContextVar[tuple[Path, zipfile.ZipFile] | None] = ContextVar("_HELD", default=None)
"""The archive that `opened_once` holds open."""


def named(file: Path) -> str:
    """The name of a file in quotes, for a message."""
    return f"'{shortened(file.name or file)}'"


def require_file(file: Path) -> None:
    """Raise `InvalidInput` for a missing file; the message gives the nearest name in its folder."""
    with _access(file):
        if file.is_file():
            return
        if file.exists():
            raise InvalidInput(f"{named(file)} is not a plain file{', but a folder' * file.is_dir()}")
        folder = file.parent
        if not folder.is_dir():
            raise InvalidInput(f"there is no folder '{shortened(folder)}'")
        guess = nearest(file.name, (path.name for path in folder.iterdir() if path.is_file()))
    hint = f"; did you mean '{shortened(guess)}'?" if guess else ""
    raise InvalidInput(f"there is no file {named(file)} in '{shortened(folder)}'{hint}")


@contextmanager
def opened(file: Path) -> Iterator[io.BufferedReader]:
    """A file opened to read; raises `InvalidInput` for one that is missing, not a plain file, or cannot be read."""
    require_file(file)
    with _access(file), file.open("rb") as stream:
        if stream.peek(len(_POINTER)).startswith(_POINTER):
            raise InvalidInput(f"{named(file)} is a pointer of Git LFS; `git lfs pull` fetches the file itself")
        yield stream


@contextmanager
def _access(file: Path) -> Iterator[None]:
    """Note a file that is read, and turn an error of the operating system into `InvalidInput`."""
    note_used(file)
    try:
        yield
    except OSError as error:
        raise InvalidInput(f"{named(file)} cannot be read: {error.strerror or error}") from None


@dataclass(frozen=True)
class StoredArray:
    """An array in a file.

    file: the file. name: of the array, empty in a format without names. shape: its shape. bits: the dtype of the
    numbers as they are in the file; None for a type that NumPy does not have. start: the byte of the file, or of the
    member of an archive, at which they begin. kind: their type in the words of the format. order: "F" where the
    first axis runs fastest. member: the name of the array's file in an archive.
    """

    file: Path
    name: str
    shape: tuple[int, ...]
    bits: np.dtype | None
    start: int
    kind: str = ""
    order: Literal["C", "F"] = "C"
    member: str = ""

    @property
    def where(self) -> str:
        """The file, and the name of the array if it has one, for a message."""
        return named(self.file) + (f": '{shortened(self.name)}'" if self.name else "")

    @property
    def count(self) -> int:
        """The number of its numbers."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the numbers: bfloat16 is widened to float32, and whole numbers and booleans to float64."""
        bits = np.dtype(self.bits)
        return np.dtype(np.float32 if self.kind == "BF16" else float if bits.kind in "biu" else bits)

    def require(self, kinds: str, wanted: str) -> None:
        """Raise `InvalidInput` unless NumPy's letter for the type is one of `kinds`; wanted: these types in words."""
        if self.bits is None:
            raise InvalidInput(f"{self.where} holds {self.kind}; expected {wanted}; convert them to F32, F16 or BF16")
        if self.bits.hasobject:
            why = "they are never loaded, since that may run a program; of numbers, save x.astype(float)"
            raise InvalidInput(f"{self.where} holds Python objects; expected {wanted}; {why}")
        if ("f" if self.kind == "BF16" else self.bits.kind) not in kinds:
            raise InvalidInput(f"{self.where} holds {shortened(self.bits)}; expected {wanted}")

    def mapped(self) -> np.ndarray:
        """The numbers, mapped into memory and read-only; those that are widened are read."""
        return self._map() if self.dtype == self.bits else self.numbers()

    def picked(self, rows: slice | np.ndarray) -> np.ndarray:
        """The rows of a slice, or those with these numbers; only these are read."""
        return self._widened(self._map()[rows])

    def read(self) -> np.ndarray:
        """The whole array as it is stored; raises `InvalidInput` if the memory is too small, or the file cut short."""
        size = np.dtype(self.bits).itemsize + self.dtype.itemsize * (self.dtype != self.bits)
        require_room(self.count * size // 8, f"{self.where}: its {self.count:,} numbers")
        if self.member:
            with _archive(self.file, self.name) as archive, archive.open(self.member) as member:
                return npy_format.read_array(member, allow_pickle=False)
        with opened(self.file) as stream:
            stream.seek(self.start)
            values = np.fromfile(stream, self.bits, self.count)
        if values.size < self.count:
            raise InvalidInput(f"{self.where} is truncated: it holds {values.size:,} of its {self.count:,} numbers")
        return values.reshape(self.shape, order=self.order)

    def numbers(self) -> np.ndarray:
        """The whole array in its `dtype`."""
        return self._widened(self.read())

    def _widened(self, stored: np.ndarray) -> np.ndarray:
        """Numbers as they are stored, in the dtype of the array; the same numbers, of BF16 the upper halves."""
        if self.kind != "BF16":
            return stored.astype(self.dtype, copy=False)
        bits = stored.astype(np.uint32)
        bits <<= np.uint32(16)
        return bits.view(np.float32)

    def _map(self) -> np.ndarray:
        if not self.count:
            return np.empty(self.shape, self.bits)
        with opened(self.file) as stream:
            return np.memmap(stream, np.dtype(self.bits), "r", self.start, self.shape, self.order)


def _require_span(where: str, shape: tuple[int, ...], bits: int, size: int) -> None:
    """Raise `InvalidInput` unless an array of a shape takes the `size` bytes that follow; bits: of each number."""
    if len(shape) > MOST_AXES:
        raise InvalidInput(f"{where} has {len(shape)} axes; expected at most {MOST_AXES}")
    if math.prod(n or 1 for n in shape) * bits > 8 * MOST_BYTES_OF_ARRAY:
        raise InvalidInput(f"{where} is of shape {shortened(shape)}, larger than any file; its header is wrong")
    needed, remainder = divmod(math.prod(shape) * bits, 8)
    if remainder or needed != size:
        promised = f"its header promises {math.prod(shape):,} numbers, which take {needed:,} bytes"
        raise InvalidInput(f"{where} is truncated or damaged: {promised}, and {size:,} bytes follow")


def array_in_npy(file: Path) -> dict[str, StoredArray]:
    """The array of a `.npy` file, by no name."""
    with opened(file) as stream:
        return {"": _of_npy(stream, file, file.stat().st_size)}


def arrays_in_npz(file: Path) -> dict[str, StoredArray]:
    """The arrays of a `.npz` archive by name; members that are not `.npy` files are left out, as NumPy does."""
    arrays: dict[str, StoredArray] = {}
    with _archive(file) as archive:
        for entry in archive.infolist():
            name = entry.filename.removesuffix(".npy")
            if name == entry.filename:
                continue
            if name in arrays:
                raise InvalidInput(f"{named(file)} holds two arrays called '{shortened(name)}'; expected one")
            with archive.open(entry) as stream:
                arrays[name] = _of_npy(stream, file, entry.file_size, name, entry.filename)
    return arrays


def _of_npy(stream: IO[bytes], file: Path, size: int, name: str = "", member: str = "") -> StoredArray:
    """The array whose header NumPy reads from a stream of so many bytes; name, member: those in an archive."""
    where = named(file) + (f": '{shortened(name)}'" if name else "")
    begin = io.BytesIO(stream.read(_HEADER))
    try:
        version = npy_format.read_magic(begin)
        read = {(1, 0): npy_format.read_array_header_1_0}.get(version, npy_format.read_array_header_2_0)
        with warnings.catch_warnings(action="ignore"):  # of a file of Python 2
            shape, by_column, dtype = read(begin)  # versions 2.0 and 3.0 differ in letters beyond ASCII
        if version not in ((1, 0), (2, 0), (3, 0)) or any(type(n) is not int or n < 0 for n in shape):
            raise ValueError
    except Exception:  # Python's own parser raises many kinds for nested, endless or damaged text
        example = "expected a header such as {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}"
        message = f"it begins with {shortened(begin.getvalue(), 100)}; {example}"
        raise InvalidInput(f"{where} is not a .npy array, or is truncated: {message}") from None
    array = StoredArray(file, name, shape, dtype, begin.tell(), str(dtype), "F" if by_column else "C", member)
    if not dtype.hasobject:  # how many bytes Python objects take is not known
        _require_span(array.where, shape, 8 * dtype.itemsize, size - array.start)
    return array


class _Bounded(io.FileIO):
    """A file that gives at most `_DIRECTORY` bytes at once, so that a directory beyond is never held in memory."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _DIRECTORY:
            where = named(Path(str(self.name)))
            raise InvalidInput(f"{where}: its directory has {size:,} bytes; expected at most {_DIRECTORY:,}")
        return super().read(size)


@contextmanager
def _archive(file: Path, name: str = "") -> Iterator[zipfile.ZipFile]:
    """An archive opened to read; damage, a password and a method of its own raise `InvalidInput`.

    name: of the array that is read.
    """
    require_file(file)
    opening = _HELD.get()
    try:
        if opening is not None and opening[0] == file:
            yield opening[1]
            return
        with _access(file), _Bounded(file) as stream, zipfile.ZipFile(stream) as archive:
            yield archive
    except InvalidInput:
        raise
    except _DAMAGE:
        where = f"{named(file)}: '{shortened(name)}'" if name else named(file)
        raise InvalidInput(f"{where} is not a .npz archive, or is truncated") from None


@contextmanager
def opened_once(file: Path) -> Iterator[None]:
    """Let all reads of a file's arrays share one opening of it, if it is an archive.

    Each opening reads the whole directory of the archive, so that n arrays would read n directories of n entries.
    """
    if file.suffix.lower() != ".npz":
        yield
        return
    with _archive(file) as archive:
        token = _HELD.set((file, archive))
        try:
            yield
        finally:
            _HELD.reset(token)


def arrays_in_safetensors(file: Path) -> dict[str, StoredArray]:
    """The arrays of a `.safetensors` file by their names.

    The file is the length of the header in 8 bytes, the header in JSON, and the numbers of all arrays, one array after
    the other: `{"keys": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}`. Raises `InvalidInput` for
    another header, two arrays of one name, and numbers that overlap, leave a gap, or end elsewhere than the file.
    Source: the format as stated at huggingface.co/docs/safetensors.
    """
    with opened(file) as stream:
        size, length = file.stat().st_size, int.from_bytes(stream.read(8), "little")
        if size < 8 or length > size - 8:
            raise _no_safetensors(file, f"its header would have {length:,} bytes, and the file has {size:,}")
        if length > _JSON:
            raise InvalidInput(f"{named(file)} has a header of {length:,} bytes; expected at most {_JSON:,}")
        header = _table_in_json(stream.read(length), file)
    begin = end = 8 + length
    arrays = {name: _of_entry(file, name, entry, begin) for name, entry in header.items()}
    for array, start, stop in sorted(arrays.values(), key=lambda entry: entry[1:]):
        if start != end:
            expected = f"expected byte {end - begin:,}, one array after the other"
            raise InvalidInput(f"{array.where}: its numbers begin at byte {start - begin:,}; {expected}")
        end = stop
    if end != size:
        raise _no_safetensors(file, f"its arrays end at byte {end:,}, and the file has {size:,}")
    return {name: array for name, (array, _, _) in arrays.items()}


def _no_safetensors(file: Path, why: str) -> InvalidInput:
    return InvalidInput(f"{named(file)} is not a .safetensors file, or is truncated: {why}")


def _table_in_json(header: bytes, file: Path) -> dict[str, Any]:
    """The entries of a header by name, without those that describe the file."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        for name, value in pairs:
            if name in entries:
                raise InvalidInput(f"{named(file)}: its header has '{shortened(name)}' twice; expected one")
            entries[name] = value
        return entries

    try:
        table = json.loads(header.decode(), object_pairs_hook=once) if header[:1] == b"{" else None
    except InvalidInput:
        raise
    except (ValueError, RecursionError):
        table = None
    if table is None:
        text = shortened(header[:80].decode("utf-8", "replace")) or "empty"
        raise _no_safetensors(file, f"its header is {text}; expected a table in JSON")
    about = table.pop("__metadata__", {})
    if not isinstance(about, dict) or not all(isinstance(text, str) for text in about.values()):
        raise InvalidInput(f"{named(file)}: '__metadata__' is {shortened(about)}; expected texts by name")
    return dict(table)


def _of_entry(file: Path, name: str, entry: Any, begin: int) -> tuple[StoredArray, int, int]:
    """An array, and its first byte and its end in the file; begin: the byte at which all numbers begin."""
    where = f"{named(file)}: '{shortened(name)}'"
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise InvalidInput(f"{where} is {shortened(entry)}; expected its dtype, shape and data_offsets")
    kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(kind, str) or kind not in {*_TYPES, *_UNREAD}:
        raise InvalidInput(f"{where} is of type {shortened(kind)}; expected one of {', '.join(_TYPES)}")
    if not _are_whole(shape):
        raise InvalidInput(f"{where} has the shape {shortened(shape)}; expected whole numbers of at least 0")
    if not _are_whole(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise InvalidInput(f"{where} has the data_offsets {shortened(offsets)}; expected its first byte and the end")
    bits = np.dtype(_TYPES[kind]) if kind in _TYPES else None
    start, stop = (begin + offset for offset in offsets)
    _require_span(where, tuple(shape), _UNREAD[kind] if bits is None else 8 * bits.itemsize, stop - start)
    return StoredArray(file, name, tuple(shape), bits, start, kind), start, stop


def _are_whole(numbers: Any) -> bool:
    """Whether something is a list of whole numbers from 0 that fit into 64 bits."""
    return isinstance(numbers, list) and all(type(number) is int and 0 <= number < 2**63 for number in numbers)
