"""An array in a file as its header describes it: its shape and its type are known before its numbers are read."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from hopattn.foundation.array_files.paths import named, opened
from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.foundation.room import require_room

MOST_AXES = 32
"""The largest number of axes of an array."""
MOST_BYTES = 2**62
"""A bound of the bytes of an array; no file is as large."""


@dataclass(frozen=True)
class StoredArray:
    """An array in a file.

    file: the file. name: of the array, empty in a format without names. shape: its shape. kind: the type of its
    numbers in the words of the format, such as "<f8" or "BF16". raw: the same for NumPy; None of a type that hopattn
    does not read. start: the byte of the file, or of the member of an archive, at which its numbers begin. by_column:
    whether the first axis runs fastest. bfloat: whether the numbers are the upper halves of float32, as `raw` bits.
    advice: the end of a message about a type that is not read.
    """

    file: Path
    name: str
    shape: tuple[int, ...]
    kind: str
    raw: np.dtype | None
    start: int
    by_column: bool = False
    bfloat: bool = False
    advice: str = ""

    @property
    def where(self) -> str:
        """The file, and the name of the array if it has one, for a message."""
        return named(self.file) + (f": '{shortened(self.name)}'" if self.name else "")

    @property
    def count(self) -> int:
        """The number of its numbers."""
        return math.prod(self.shape)

    @property
    def bits(self) -> np.dtype:
        """The dtype of the numbers as they stand in the file; raises `InvalidInput` if hopattn does not read them."""
        if self.raw is None:
            raise self._unfit("numbers")
        return self.raw

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the array that is read; raises `InvalidInput` as `bits` does."""
        return np.dtype(np.float32) if self.bfloat else self.bits

    def require(self, kinds: str, wanted: str) -> None:
        """Raise `InvalidInput` unless NumPy's letter for the type is one of `kinds`; wanted: these types in words."""
        if self.raw is None or self.dtype.kind not in kinds:
            raise self._unfit(wanted)

    def _unfit(self, wanted: str) -> InvalidInput:
        what = self.kind if self.raw is None else self.dtype
        return InvalidInput(f"{self.where} holds {what}; expected {wanted}{self.advice}")

    def mapped(self) -> np.ndarray:
        """The array, mapped into memory and read-only; one of bfloat16 is read and widened."""
        if self.bfloat:
            return self.read()
        return self._map() if self.count else np.empty(self.shape, self.dtype)

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Some rows of the array; only these are read."""
        if not self.count:
            return np.empty((0, *self.shape[1:]), self.dtype)
        rows = self._map()[start:stop]
        return _widened(rows) if self.bfloat else rows

    def read(self) -> np.ndarray:
        """The whole array; raises `InvalidInput` if it does not fit into memory, or if its file has been cut short."""
        held = self.dtype.itemsize + self.bits.itemsize * self.bfloat  # of bfloat16, the halves beside the numbers
        require_room(self.count * held // 8, f"{self.where}: its {self.count:,} numbers")
        values = self._read()
        if len(values) < self.count:
            raise InvalidInput(f"{self.where} is torn: {len(values):,} of its {self.count:,} numbers stand there")
        array = values.reshape(self.shape, order="F" if self.by_column else "C")
        return _widened(array) if self.bfloat else array

    def _read(self) -> np.ndarray:
        """The numbers one after the other, as many as there are."""
        with opened(self.file) as stream:
            stream.seek(self.start)
            return np.fromfile(stream, self.bits, self.count)

    def _map(self) -> np.ndarray:
        order: Literal["F", "C"] = "F" if self.by_column else "C"
        with opened(self.file) as stream:
            return np.memmap(stream, self.bits, "r", self.start, self.shape, order)


def require_span(where: str, shape: tuple[int, ...], bits: int, held: int) -> None:
    """Raise `InvalidInput` unless an array of a shape takes the `held` bytes that are there; bits: of each number."""
    if len(shape) > MOST_AXES:
        raise InvalidInput(f"{where} has {len(shape)} axes; expected at most {MOST_AXES}")
    if math.prod(n or 1 for n in shape) * bits > 8 * MOST_BYTES:
        raise InvalidInput(f"{where} is of shape {shortened(shape)}, larger than any file; its header is wrong")
    count = math.prod(shape)
    needed, left = divmod(count * bits, 8)
    if left or needed != held:
        promised = f"its header promises {count:,} numbers, which take {needed:,} bytes, and {held:,} bytes stand there"
        raise InvalidInput(f"{where} is torn: {promised}")


def _widened(halves: np.ndarray) -> np.ndarray:
    """Numbers of bfloat16, given as their bits, in float32: the same numbers, since they are its upper halves."""
    bits = np.asarray(halves.astype(np.uint32))
    bits <<= np.uint32(16)
    return bits.view(np.float32)
