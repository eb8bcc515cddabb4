"""Patterns from the user's files: images (PNG), arrays (.npy, .npz), tables of numbers (CSV).

Every error in a file raises `InvalidInput`; its message names the file, and the caller adds the place in the scenario.
Nothing in a file is executed, and at most `MAX_BYTES` are read.
"""

import math
import struct
import warnings
import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from hopattn.foundation.array_files import named, require_file
from hopattn.foundation.errors import InvalidInput, shortened, unknown
from hopattn.scenario.words.character_pictures import Size

MAX_BYTES = 64 * 2**20
MAX_NUMBERS = 2**23
"""The largest number of numbers or pixels in a file, enough for 10,000 pictures of 28 × 28."""

IMAGES, ARRAYS = (".png",), (".npy", ".npz", ".csv")

_READ_ERRORS = (
    *(ValueError, OSError, EOFError, SyntaxError, NotImplementedError, RuntimeError, KeyError, TypeError),
    *(zipfile.BadZipFile, zlib.error, struct.error, TokenError),
)
"""The exceptions that the readers raise for a file that is cut short or is not of the format that its name says."""


def image(file: Path, size: Size | None = None) -> np.ndarray:
    """The darkness of each pixel of a PNG, `(rows, columns)`: black 1, white −1; transparent pixels are white.

    size: the image is stretched or shrunk to it. Raises `InvalidInput` for a file that cannot be read, is no complete
    PNG, or has more than `MAX_NUMBERS` pixels.
    """
    from PIL import Image

    data = _bytes(file)
    try:
        with warnings.catch_warnings(action="error"), Image.open(BytesIO(data), formats=["PNG"]) as opened:
            if opened.width * opened.height <= MAX_NUMBERS:
                brightness = _brightness(opened)
                resized = brightness if size is None else brightness.resize(size, Image.Resampling.BOX)
                return np.clip(1 - np.asarray(resized, dtype=float) / 127.5, -1.0, 1.0)
            pixels = opened.width * opened.height
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        pixels = 2 * MAX_NUMBERS
    except (*_READ_ERRORS, Warning):
        raise InvalidInput(f"{named(file)} is no PNG image, or a torn one") from None
    raise InvalidInput(f"{named(file)} has {pixels:,} pixels or more; at most {MAX_NUMBERS:,} can be read")


def numbers(file: Path, array: str | None = None, most_axes: int = 3) -> np.ndarray:
    """The numbers of an array or a table, with 1 to `most_axes` axes; true becomes 1 and false −1.

    array: the name of the array, needed for an `.npz` file with several. Raises `InvalidInput` for a file that cannot
    be read or is incomplete, a text in a table, an unknown array, and numbers that are not real and finite.
    """
    data, ending = _bytes(file), file.suffix.lower()
    if ending == ".csv":
        values = _table(file, data)
    else:
        values = _array(file, data if ending == ".npy" else _member(file, data, array), most_axes)
    result = np.where(values, 1.0, -1.0) if values.dtype.kind == "b" else values.astype(float)
    infinite = ~np.isfinite(result)
    if infinite.any():
        place = ", ".join(str(int(i) + 1) for i in np.argwhere(infinite)[0])
        raise InvalidInput(f"{named(file)}: {result[infinite][0]} stands at {place}; expected finite numbers")
    return result


def names_in_npz(file: Path) -> list[str]:
    """The names of the arrays in an `.npz` file; raises `InvalidInput` if it cannot be read or is incomplete."""
    try:
        with zipfile.ZipFile(BytesIO(_bytes(file))) as archive:
            return _names(archive)
    except _READ_ERRORS as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"{named(file)} is no .npz archive, or a torn one") from None


def _names(archive: zipfile.ZipFile) -> list[str]:
    return [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]


def _bytes(file: Path) -> bytes:
    require_file(file)
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"{named(file)} cannot be read: {error.strerror or error}") from None
    if len(data) > MAX_BYTES:
        raise InvalidInput(f"{named(file)} is larger than {MAX_BYTES // 2**20} MiB")
    return data


def _brightness(opened: Any) -> Any:
    """An image in shades from 0 (black) to 255 (white), on a white background."""
    from PIL import Image

    if opened.mode.startswith("I"):  # 16 bits a pixel, which Pillow would cut off at 255
        return Image.fromarray(np.asarray(opened, dtype=np.float32) / 257)
    coloured = opened.convert("RGBA")
    ground = Image.new("RGBA", coloured.size, "white")
    return Image.alpha_composite(ground, coloured).convert("L").convert("F")


def _table(file: Path, data: bytes) -> np.ndarray:
    """The numbers of a CSV without a heading, `(n_rows, n_columns)`; empty lines are skipped."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{named(file)}, line {_line(data, error.start)}: is not UTF-8 text") from None
    rows: list[list[float]] = []
    first, count = 0, 0
    for i, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        rows.append([_number(file, i, cell.strip()) for cell in line.split(",")])
        first, count = first or i, count + len(rows[-1])
        if len(rows[-1]) != len(rows[0]):
            message = f"{len(rows[-1])} numbers stand there; line {first} has {len(rows[0])}"
            raise InvalidInput(f"{named(file)}, line {i}: {message}")
        if count > MAX_NUMBERS:
            raise InvalidInput(f"{named(file)} holds more than {MAX_NUMBERS:,} numbers")
    if not rows:
        raise InvalidInput(f"{named(file)} holds no numbers")
    return np.array(rows)


def _number(file: Path, line: int, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        message = f"'{shortened(cell)}' stands there; expected numbers with commas between them"
        raise InvalidInput(f"{named(file)}, line {line}: {message}") from None
    if not math.isfinite(value):
        raise InvalidInput(f"{named(file)}, line {line}: {cell} stands there; expected a finite number")
    return value


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1


def _member(file: Path, data: bytes, array: str | None) -> bytes:
    """The bytes of one array of an `.npz` archive; array: its name, which may be None for an archive with one array."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = _names(archive)
            if array is None and len(names) != 1:
                raise InvalidInput(f"{named(file)}: say which array is meant, array = … ({', '.join(names[:20])})")
            name = names[0] if array is None else array
            if name not in names:
                raise InvalidInput(f"{named(file)}: {unknown(name, names)}")
            with archive.open(f"{name}.npy") as member:
                unpacked = member.read(MAX_BYTES + 1)
    except InvalidInput:
        raise
    except _READ_ERRORS:
        raise InvalidInput(f"{named(file)} is no .npz archive, or a torn one") from None
    if len(unpacked) > MAX_BYTES:
        raise InvalidInput(f"{named(file)} is larger than {MAX_BYTES // 2**20} MiB when unpacked")
    return unpacked


def _array(file: Path, data: bytes, most_axes: int) -> np.ndarray:
    """An array from the bytes of an .npy file; pickled objects are refused and never loaded."""
    stream = BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, by_column, dtype = read(stream)
    except _READ_ERRORS:
        raise InvalidInput(f"{named(file)} is no .npy array, or a torn one") from None
    if dtype.kind not in "biuf":
        raise InvalidInput(f"{named(file)} holds {shortened(dtype)}; expected real numbers")
    count = math.prod(shape)
    if count > MAX_NUMBERS:
        raise InvalidInput(f"{named(file)} holds more than {MAX_NUMBERS:,} numbers")
    if not 1 <= len(shape) <= most_axes or min(shape) < 1:
        raise InvalidInput(f"{named(file)} holds an array of shape {shape}; expected patterns, one a row")
    rest = stream.read()
    if len(rest) < count * dtype.itemsize:
        raise InvalidInput(f"{named(file)} is torn: its header promises {count:,} numbers")
    return np.frombuffer(rest, dtype, count).reshape(shape, order="F" if by_column else "C")
