"""The arrays of a `.npz` file, a ZIP archive of `.npy` files."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from io import BufferedReader, FileIO
from pathlib import Path

import numpy as np

from hopattn.foundation.array_files.npy import array_in_stream, require_whole
from hopattn.foundation.array_files.paths import named, opened
from hopattn.foundation.array_files.stored import StoredArray
from hopattn.foundation.errors import InvalidInput, shortened

_PIECE = 2**22
"""The bytes that are read at once: 4 MiB, enough for the directory of 40,000 arrays."""
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError),
    *(ValueError, KeyError, IndexError),
)
"""The errors of an archive that is damaged, locked with a password, or packed in a way of its own."""


@dataclass(frozen=True)
class ArchivedArray(StoredArray):
    """An array in an archive. member: the name of its file there."""

    member: str = ""

    def _read(self) -> np.ndarray:
        promised, values = self.count * self.bits.itemsize, bytearray()
        with _archive(self.file) as archive, archive.open(self.member) as stream:
            stream.read(self.start)
            while piece := stream.read(min(_PIECE, promised + 1 - len(values))):  # to the end, where its sum is checked
                values += piece
        if len(values) > promised:
            raise InvalidInput(f"{self.where} is torn: more bytes stand there than its header promises")
        return np.frombuffer(values, self.bits, len(values) // self.bits.itemsize)


def arrays_in_npz(file: Path) -> dict[str, StoredArray]:
    """The arrays of a `.npz` archive by their names.

    Members that are no `.npy` files are left out, as NumPy does. Raises `InvalidInput` for an archive that is torn, and
    for two arrays of one name.
    """
    found: dict[str, StoredArray] = {}
    with _archive(file) as archive:
        for entry in archive.infolist():
            name = entry.filename.removesuffix(".npy")
            if name == entry.filename:
                continue
            if name in found:
                raise InvalidInput(f"{named(file)} holds two arrays called '{shortened(name)}'; expected one")
            with archive.open(entry) as stream:
                array = array_in_stream(stream, file, name)
            require_whole(array, entry.file_size)
            own = {field.name: getattr(array, field.name) for field in fields(StoredArray)}
            found[name] = ArchivedArray(**own, member=entry.filename)
    return found


@contextmanager
def _archive(file: Path) -> Iterator[zipfile.ZipFile]:
    """An archive opened to read; every fault of it raises `InvalidInput`."""
    try:
        with opened(file) as stream, _InPieces(stream.fileno(), file) as pieces, zipfile.ZipFile(pieces) as archive:
            yield archive
    except InvalidInput:
        raise
    except _BROKEN:
        raise InvalidInput(f"{named(file)} is no .npz archive, or a torn one") from None


class _InPieces(BufferedReader):
    """An open file that gives at most `_PIECE` bytes at once, so that a directory beyond is never held in memory."""

    def __init__(self, descriptor: int, file: Path) -> None:
        super().__init__(FileIO(descriptor, closefd=False))
        self.file = file

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _PIECE:
            raise InvalidInput(f"{named(self.file)}: its directory has {size:,} bytes; expected at most {_PIECE:,}")
        return super().read(size)
