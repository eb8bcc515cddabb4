"""Words that are pictures: letters that come with hopattn, drawings in a scenario, and files; and pictures as text.

A picture is a vector of neurons, row by row from the top: black 1, white −1, unknown 0.
"""

import struct
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from io import BytesIO
from itertools import product
from pathlib import Path as FilePath
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field, Tag, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from hopattn.foundation.array_files import MAX_NUMBERS, chosen_in, named, numbers, numbers_below, opened
from hopattn.foundation.endings import ENDINGS, NAMED, foreign
from hopattn.foundation.errors import InvalidInput, nearest, shortened, unknown
from hopattn.foundation.sentences import Sentence
from hopattn.foundation.vectors import unit
from hopattn.scenario.language.table import (
    ByTomlType,
    Count,
    Number,
    Parts,
    Table,
    TableWithFiles,
    Text,
    TextOrTexts,
    need,
    need_different,
    need_known,
    refusal,
)

PIXELS = {"#": 1.0, ".": -1.0}
"""The neuron of each character in a picture that a scenario draws."""
SHADES = "·░▒▓█"
"""The characters of the shades from white to black; a pixel is two of them, so that it is about square."""
UNKNOWN = "?"
"""The character of an unknown pixel."""
ARROW = " → "
"""The gap between two pictures."""
MOST_COLUMNS, MOST_ROWS = 32, 16
"""The largest picture that is shown whole as characters."""
IMAGES = (".png",)
MAX_BYTES = 64 * 2**20
_READ_ERRORS = (
    *(ValueError, OSError, EOFError, SyntaxError, NotImplementedError, RuntimeError, KeyError, TypeError),
    *(zlib.error, struct.error),
)
"""The exceptions that the readers raise for a file that is cut short or is not of the format that its name says."""


class Size(NamedTuple):
    """The size of a picture in pixels."""

    columns: int
    rows: int

    @property
    def pixels(self) -> int:
        """The number of pixels, which is the number of neurons of a picture."""
        return self.columns * self.rows

    def __str__(self) -> str:
        return f"{self.columns} × {self.rows}"


@dataclass(frozen=True, eq=False)
class Strip:
    """Pictures side by side: a heading, the pictures with their names, and a closing sentence."""

    heading: str
    size: Size
    names: tuple[str, ...]
    pictures: np.ndarray
    """`(n_pictures, n_pixels)`."""
    sentence: str = ""


def pixels(rows: Sequence[str]) -> np.ndarray:
    """The neurons `(n_pixels,)` of a picture given as rows of `#` and `.`.

    >>> pixels(["#.", ".#"]).tolist()
    [1.0, -1.0, -1.0, 1.0]
    """
    return np.array([PIXELS[character] for row in rows for character in row])


@cache
def letters() -> Mapping[str, np.ndarray]:
    """Each letter A–Z and digit 0–9 as 35 neurons: black 1, white −1, row by row from the top.

    >>> len(letters()), letters()["L"].reshape(7, 5)[-1].tolist()
    (36, [1.0, 1.0, 1.0, 1.0, 1.0])
    """
    text = files("hopattn.scenario.words").joinpath("letters.txt").read_text(encoding="utf-8")
    _, *blocks = text.strip().split("\n\n")
    return {name: pixels(rows) for name, *rows in (block.split("\n") for block in blocks)}


def as_characters(picture: np.ndarray, size: Size) -> list[str]:
    """A picture `(n_pixels,)` as characters: one text for each row, two characters for each pixel.

    Values beyond ±1 are shown as ±1. An exact 0 is shown as unknown if all other pixels are black or white, and as a
    middle grey otherwise.

    >>> print(*as_characters(np.array([1, -1, 0, 1]), Size(2, 2)), sep="\\n")
    ██··
    ??██
    >>> print(*as_characters(np.array([1, -1, 0, 0.4]), Size(2, 2)), sep="\\n")
    ██··
    ▒▒▓▓
    """
    level = np.rint((np.clip(picture, -1.0, 1.0) + 1) / 2 * (len(SHADES) - 1)).astype(int)
    crisp = bool(np.isin(picture, (-1.0, 0.0, 1.0)).all())
    blank = UNKNOWN if crisp else SHADES[len(SHADES) // 2]
    cells = [2 * (SHADES[i] if value else blank) for value, i in zip(picture.tolist(), level.tolist(), strict=True)]
    return ["".join(cells[start : start + size.columns]) for start in range(0, size.pixels, size.columns)]


def small(pictures: np.ndarray, size: Size) -> tuple[np.ndarray, Size, str]:
    """Pictures `(..., n_pixels)` of at most `MOST_COLUMNS` × `MOST_ROWS` pixels, their size, and the true one in words.

    A pixel is the mean of those that it stands for. Smaller pictures stay as they are, with no words.
    """
    factor = max(size.columns / MOST_COLUMNS, size.rows / MOST_ROWS, 1)
    if factor == 1:
        return pictures, size, ""
    shown = Size(*(max(round(length / factor), 1) for length in size))
    grid = pictures.reshape(-1, size.rows, size.columns)
    left, top = (np.arange(few + 1) * many // few for few, many in zip(shown, size, strict=True))
    sums = np.add.reduceat(np.add.reduceat(grid, top[:-1], axis=1), left[:-1], axis=2)
    means = sums / np.outer(np.diff(top), np.diff(left))
    return means.reshape(*pictures.shape[:-1], -1), shown, f"{size} pixels, shown as {shown}; a figure shows all"


def side_by_side(strip: Strip, width: int) -> Iterator[str]:
    """The lines of a strip, with arrows between the pictures, which are made small.

    width: the most characters in a line. A strip that is longer continues below; a single picture may be wider.
    """
    shrunk, size, remark = small(strip.pictures, strip.size)
    cell = max(2 * size.columns, *map(len, strip.names))
    count, step = len(strip.names), cell + len(ARROW)
    whole = count * step - len(ARROW) <= width
    fit = count if whole else max(1, (width + 1) // step)  # a line that continues ends with the head of an arrow
    if heading := "; ".join(filter(None, (strip.heading, remark))):
        yield heading
    for start in range(0, len(strip.names), fit):
        line = slice(start, start + fit)
        pictures = [as_characters(picture, size) for picture in shrunk[line]]
        last = start + fit >= len(strip.names)
        for i, rows in enumerate(zip(*pictures, strict=True)):
            gap = ARROW if i == size.rows // 2 else " " * len(ARROW)
            yield (gap.join(row.ljust(cell) for row in rows) + ("" if last else gap)).rstrip()
        yield (" " * len(ARROW)).join(name.ljust(cell) for name in strip.names[line]).rstrip()
    if strip.sentence:
        yield strip.sentence


def image(file: FilePath, size: Size | None = None) -> np.ndarray:
    """The darkness of each pixel of a PNG, `(rows, columns)`: black 1, white −1; transparent pixels are white.

    size: the image is stretched or shrunk to it. Nothing in the file is executed. Raises `InvalidInput` if it cannot be
    read, is larger than `MAX_BYTES`, is not a complete PNG, or has more than `MAX_NUMBERS` pixels.
    """
    from PIL import Image

    with opened(file) as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InvalidInput(f"{named(file)} is larger than {MAX_BYTES // 2**20} MiB")
    try:
        with warnings.catch_warnings(action="error"), Image.open(BytesIO(data), formats=["PNG"]) as picture:
            many = picture.width * picture.height
            if many <= MAX_NUMBERS:
                brightness = _brightness(picture)
                resized = brightness if size is None else brightness.resize(size, Image.Resampling.BOX)
                return np.clip(1 - np.asarray(resized, dtype=float) / 127.5, -1.0, 1.0)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        many = 2 * MAX_NUMBERS
    except (*_READ_ERRORS, Warning):
        raise InvalidInput(f"{named(file)} is not a PNG image, or is truncated") from None
    raise InvalidInput(f"{named(file)} has {many:,} pixels or more; at most {MAX_NUMBERS:,} can be read")


def _brightness(picture: Any) -> Any:
    """An image in shades from 0 (black) to 255 (white), on a white background."""
    from PIL import Image

    if picture.mode.startswith("I"):  # 16 bits a pixel, which Pillow would cut off at 255
        return Image.fromarray(np.asarray(picture, dtype=np.float32) / 257)
    coloured = picture.convert("RGBA")
    ground = Image.new("RGBA", coloured.size, "white")
    return Image.alpha_composite(ground, coloured).convert("L").convert("F")


class PictureFile(Table):
    """A file of pictures, and how its numbers are read."""

    file: Text
    """Its path, from the folder of this scenario: a .png, .npy, .npz, .safetensors, .csv, .tsv or .txt."""
    grey: bool = False
    """Whether an image keeps its shades, between −1 and 1. Without it, a pixel darker than half is black (1), any other
    white (−1)."""
    array: Text | None = None
    """The name of one array, in an .npz with several. Without it, the array called patterns has them all, and else each
    array is a picture, with the array's name."""
    black_above: Number | None = None
    """A threshold for an array or a table: a number above it is black (1), any other white (−1). Without it, the
    numbers stay as they are."""

    @property
    def is_image(self) -> bool:
        """Whether the file is an image. An image is one picture; a table of numbers may have a picture in each row."""
        return FilePath(self.file).suffix.lower() in IMAGES

    def read(self, name: str, folder: FilePath, size: Size | None) -> dict[str, np.ndarray]:
        """The numbers of the file by the name of their word; pictures of a known size give `(n, rows, columns)`.

        Arrays of a file with several are one picture each, by their own names. name: of the file. folder: the folder of
        the scenario. size: an image is stretched or shrunk to it. Raises `Refused` for an unknown ending of the file's
        name and for a key for files of another ending, and `InvalidInput` for a file that cannot be read.
        """
        file, known = folder / self.file, (*IMAGES, *ENDINGS)
        ending = file.suffix.lower()
        cure = foreign(FilePath(self.file)) or f"does not end in {', '.join(known)}"
        need(ending in known, (), f"'{shortened(self.file)}' {cure}")
        dark = "is for arrays and tables; an image is black where it is dark"
        need(self.black_above is None or not self.is_image, "black_above", dark)
        stays = "is for images; the numbers of arrays and tables stay as they are"
        need(not self.grey or self.is_image, "grey", stays)
        several = f"is for {' and '.join(NAMED)} files; a {ending} holds one array"
        need(self.array is None or ending in NAMED, "array", several)
        if self.is_image:
            darkness = image(file, size)[None]
            return {name: darkness if self.grey else np.where(darkness > 0, 1.0, -1.0)}
        arrays = chosen_in(file, self.array)
        if len(arrays) > 1:
            read = {word: one[None] for word, one in numbers_below(file, "", 2, MAX_NUMBERS).items()}
        else:
            read = {name: numbers(file, arrays[0])}
        if self.black_above is None:
            return read
        return {word: np.where(values > self.black_above, 1.0, -1.0) for word, values in read.items()}


FileChoice = Annotated[Annotated[Text, Tag("text")] | Annotated[PictureFile, Tag("table")], ByTomlType]
Drawing = Annotated[list[Text], Field(min_length=1)]


class Vectors(dict[str, np.ndarray]):
    """The vector `(dim,)` of each word; a word that there is not raises `InvalidInput`.

    absent: the message for each name that is something else than a word.
    """

    def __init__(self, vectors: Mapping[str, np.ndarray], absent: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(vectors)
        self.absent = absent

    def __missing__(self, word: str) -> np.ndarray:
        raise InvalidInput(self.absent.get(word) or unknown(word, self))


@dataclass(frozen=True, eq=False)
class Words:
    """The words of a memory.

    axes: the names of a vector's elements. vectors: of the words. size: the size of the pictures; None if no word is a
    picture. black: the value of a black pixel; a white pixel has the opposite value.
    """

    axes: tuple[str, ...]
    vectors: Vectors
    size: Size | None = None
    black: float = 1.0


class Pictures(TableWithFiles):
    """Words that are pictures, all of one size: black 1, white −1, row by row from the top."""

    letters: TextOrTexts | None = None
    """Letters A to Z and digits that come with hopattn, on 5 × 7 pixels: "ABC7", or ["A", "B"]."""
    drawn: dict[Text, Drawing] = Field(default_factory=dict)
    """Pictures drawn in this file, one text a row: "#" is black, "." is white."""
    files: dict[Text, FileChoice] = Field(default_factory=dict)
    """Files of pictures by name; a file with several pictures gives the words "name 1", "name 2", …, and an .npz
    with an array for each gives words of the arrays' names."""
    magnitude: Literal["free", "unit"] = "free"
    """"unit" scales every picture to length 1; "free" leaves black at 1 and white at −1."""
    size: list[Count] | None = None
    """[columns, rows] of every picture; images are stretched or shrunk to it. By default the size of the first
    picture."""

    @model_validator(mode="before")
    @classmethod
    def _in_its_table(cls, keys: Any) -> Any:
        """Refuse a picture that stands in this table, and not in `files` or `drawn`, by the key to write instead."""
        errors = []
        for key, value in keys.items() if isinstance(keys, Mapping) else ():
            if home := "" if key in cls.model_fields or nearest(key, cls.model_fields) else _home(value):
                message = f"is a picture of your own; write {home}.{key}"
                kind = PydanticCustomError("in_another_table", "{message}", {"message": message})
                errors.append(InitErrorDetails(type=kind, loc=(key,), input=value))
        if errors:
            raise ValidationError.from_exception_data(cls.__name__, errors)
        return keys

    @cached_property
    def loaded(self) -> Words:
        """The pictures; each file is read once. Raises `Refused` for what is no picture, and for pictures of two sizes.

        Where there are letters, the message about another letter says how to write it.
        """
        choices = {name: PictureFile(file=one) if isinstance(one, str) else one for name, one in self.files.items()}
        read: dict[tuple[str, ...], dict[str, np.ndarray]] = {}
        size, words = None, dict[str, np.ndarray]()
        with Parts() as parts:
            need(self.letters or choices or self.drawn, (), "holds no picture; give letters, drawn or files")
            with parts.at("letters"):
                for letter in self.letters or ():
                    need_known(letter, letters())
                need_different([*(self.letters or ())])
                read["letters",] = {letter: letters()[letter].reshape(1, 7, 5) for letter in self.letters or ()}
            for name, rows in self.drawn.items():
                with parts.at("drawn", name):
                    _need_rectangle(rows)
                    read["drawn", name] = {name: pixels(rows).reshape(1, len(rows), -1)}
            with parts.at("size"):
                if self.size is not None:
                    need(len(self.size) == 2, (), f"got {len(self.size)} numbers; expected [columns, rows]")
                    size = Size(*self.size)
                    need(size.pixels <= MAX_NUMBERS, (), f"asks for more than {MAX_NUMBERS:,} pixels")
            for name, choice in choices.items():
                with parts.at("files", name):
                    read["files", name] = choice.read(name, self._folder, size)
        every = [(path[-1], values) for path, arrays in read.items() for values in arrays.values()]
        sizes = (Size(values.shape[2], values.shape[1]) for _, values in every if values.ndim == 3)
        if (size := size or next(sizes, None)) is None:
            held = f"the file of '{shortened(every[0][0])}' holds {_shape(every[0][1])} numbers"
            raise refusal((), f"needs size = [columns, rows]; {held}, whose rows may be pictures")
        with Parts() as parts:
            for path, arrays in read.items():
                with parts.at(*path):
                    for name, values in arrays.items():
                        resizes = path[0] == "files" and choices[path[1]].is_image
                        cure = f"; size = [{size.columns}, {size.rows}] resizes images" if resizes else ""
                        found = _pictures(values, size, cure)
                        for i, picture in enumerate(found, start=1):
                            word = name if len(found) == 1 else f"{name} {i}"
                            taken = f"'{shortened(word)}' is another picture already; give this one another name"
                            need(word not in words, (), taken)
                            words[word] = picture
        for word, picture in words.items() if self.magnitude == "unit" else ():
            need(picture.any(), "magnitude", f"'{shortened(word)}' is zero and has no direction")
            words[word] = unit(picture)
        places = product(range(1, size.rows + 1), range(1, size.columns + 1))
        axes = tuple(Sentence("row {}, column {}", str(i), str(j)) for i, j in places)
        advice = "is unknown; it comes with hopattn: write it in the letters of [pictures]"
        absent = {letter: f"'{letter}' {advice}" for letter in letters() if self.letters is not None}
        return Words(axes, Vectors(words, absent), size, size.pixels**-0.5 if self.magnitude == "unit" else 1.0)


def _home(value: Any) -> str:
    """The table of [pictures] into which a value goes: "files" for a file, "drawn" for rows of pixels; else empty."""
    if isinstance(value, list):
        return "drawn" if all(isinstance(row, str) and {*row} <= {*PIXELS} for row in value) else ""
    file = value.get("file") if isinstance(value, Mapping) else value
    path = FilePath(file) if isinstance(file, str) else FilePath()
    return "files" if path.suffix.lower() in (*IMAGES, *ENDINGS) or foreign(path) else ""


def _need_rectangle(rows: Sequence[str]) -> None:
    """Refuse characters that are not pixels, and rows of another length than the first."""
    with Parts() as parts:
        for i, row in enumerate(rows):
            odd = next((character for character in row if character not in PIXELS), None)
            with parts.at(i):
                need(odd is None, (), f"got '{shortened(odd)}'; expected '#' (black) or '.' (white)")
                need(len(row) == len(rows[0]), (), f"has {len(row)} pixels; the first row has {len(rows[0])}")


def _shape(values: np.ndarray) -> str:
    return " × ".join(map(str, values.shape))


def _pictures(values: np.ndarray, size: Size, cure: str) -> np.ndarray:
    """The pictures in an array, `(n_pictures, n_pixels)`; raises `Refused` if its shape does not fit their size.

    One picture is `(n_pixels,)` or `(rows, columns)`; several are `(n, n_pixels)` or `(n, rows, columns)`. A shape that
    fits two of these has the same meaning in both. cure: for pictures of another size.
    """
    if values.ndim == 3:
        own = f"{Size(values.shape[2], values.shape[1])} pixels (columns × rows)"
        need(values.shape[1:] == size[::-1], (), f"{own} do not fit the other pictures, {size}{cure}")
    elif values.shape != size[::-1] and values.shape[-1] != size.pixels:
        rows = f"rows of {size.pixels} numbers, or {size.rows} rows of {size.columns}"
        raise refusal((), f"holds {_shape(values)} numbers; pictures of {size} pixels need {rows}")
    return values.reshape(-1, size.pixels)
