"""Headers of files of arrays: each array's name, shape, dtype and first byte are known before a number is read.

Nothing in a file is executed, and a header is checked against the size of the file before memory is taken. Every
fault raises `InvalidInput`, with the file, what is wrong, and what was expected.
"""

import io
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
from typing import IO, Literal

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

    def __post_init__(self) -> None:
        if len(self.shape) > MOST_AXES:
            raise InvalidInput(f"{self.where} has {len(self.shape)} axes; expected at most {MOST_AXES}")

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
    if dtype.hasobject:  # how many bytes Python objects take is not known
        return array
    if math.prod(n or 1 for n in shape) * dtype.itemsize > MOST_BYTES_OF_ARRAY:
        raise InvalidInput(f"{array.where} is of shape {shortened(shape)}, larger than any file; its header is wrong")
    needed, follow = array.count * dtype.itemsize, size - array.start
    if needed != follow:
        promised = f"its header promises {array.count:,} numbers, which take {needed:,} bytes"
        raise InvalidInput(f"{array.where} is truncated or damaged: {promised}, and {follow:,} bytes follow")
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
    """The arrays of a `.safetensors` file by their names, in the order of the file.

    The library reads the header and checks it against the size of the file; the numbers follow it without a gap.
    """
    from safetensors import SafetensorError, safe_open

    with opened(file) as stream:
        length, text = int.from_bytes(stream.read(8), "little"), stream.read(80).decode("utf-8", "replace")
    arrays, start = dict[str, StoredArray](), 8 + length
    try:
        if length > _JSON:
            raise SafetensorError(f"a header of {length:,} bytes, and at most {_JSON:,} are read")
        with safe_open(file, "np") as stored:
            for name in stored.offset_keys():
                part = stored.get_slice(name)
                shape, kind = tuple(part.get_shape()), part.get_dtype()
                bits = np.dtype(_TYPES[kind]) if kind in _TYPES else None
                arrays[name] = StoredArray(file, name, shape, bits, start, kind)
                start += arrays[name].count * (_UNREAD[kind] if bits is None else 8 * bits.itemsize) // 8
    except SafetensorError as error:
        why = shortened(str(error).removeprefix("Error while deserializing header: "), 120)
        message = f"is not a .safetensors file, or is truncated: {why}; its header begins with {shortened(text)}"
        raise InvalidInput(f"{named(file)} {message}") from None
    return arrays
