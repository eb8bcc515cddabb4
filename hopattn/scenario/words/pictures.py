"""Pictures as words: letters that come with hopattn, drawings in the file, and the user's own files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, PrivateAttr, Tag

from hopattn.foundation.errors import InvalidInput, shortened, unknown
from hopattn.foundation.vectors import unit
from hopattn.scenario.language.fields import BySort, Count, Number, Problem, Table, Text, TextOrTexts
from hopattn.scenario.language.lines import Path
from hopattn.scenario.words.character_pictures import PIXELS, Size, pixels
from hopattn.scenario.words.letters import LETTER_SIZE, letters
from hopattn.scenario.words.picture_files import ARRAYS, IMAGES, MAX_NUMBERS, image, numbers
from hopattn.scenario.words.vocabulary import doubles


class PictureFile(Table):
    """A file of pictures, and how it is read."""

    file: Text
    """Its path, from the folder of this scenario: a .png, .npy, .npz or .csv."""
    grey: bool = False
    """Whether an image keeps its shades, between −1 and 1; without it, what is darker than half is black, 1."""
    array: Text | None = None
    """Which array of an .npz with several."""
    black_above: Number | None = None
    """Above which number a pixel of an array or a table is black, 1; up to it, white, −1. Without it, numbers stay."""

    def problems(self, path: Path) -> Iterator[Problem]:
        """Another ending, or a key that belongs to files of another."""
        ending = FilePath(self.file).suffix.lower()
        known = (*IMAGES, *ARRAYS)
        if ending not in known:
            yield Problem(path, f"'{shortened(self.file)}' ends otherwise than in {', '.join(known)}")
        elif ending in IMAGES and self.black_above is not None:
            yield Problem((*path, "black_above"), "is for arrays and tables; an image is black where it is dark")
        elif ending in ARRAYS and self.grey:
            yield Problem((*path, "grey"), "is for images; the numbers of arrays and tables stay as they are")
        if self.array is not None and ending in known and ending != ".npz":
            yield Problem((*path, "array"), f"is for .npz files; a {ending} holds one array")

    @property
    def is_image(self) -> bool:
        """Whether it is a picture whose pixels have a place, unlike a table of numbers."""
        return FilePath(self.file).suffix.lower() in IMAGES

    def read(self, folder: FilePath, size: Size | None) -> np.ndarray:
        """What the file holds; an image `(rows, columns)` of that size, if one is given."""
        file = folder / self.file
        if self.is_image:
            darkness = image(file, size)
            return darkness if self.grey else np.where(darkness > 0, 1.0, -1.0)
        values = numbers(file, self.array)
        return values if self.black_above is None else np.where(values > self.black_above, 1.0, -1.0)


FileChoice = Annotated[Annotated[Text, Tag("text")] | Annotated[PictureFile, Tag("table")], BySort]
Drawing = Annotated[list[Text], Field(min_length=1)]


@dataclass(frozen=True, eq=False)
class Loaded:
    """Pictures by name, each a vector `(n_pixels,)` of one size; empty where something is wrong."""

    size: Size
    words: Mapping[str, np.ndarray]
    problems: tuple[Problem, ...] = ()
    black: float = 1.0
    """The number of a black pixel."""


class Pictures(Table):
    """Words that are pictures, all of one size: black 1, white −1, row by row from the top."""

    letters: TextOrTexts | None = None
    """Letters A to Z and digits that come with hopattn, on 5 × 7 pixels: "ABC7", or ["A", "B"]."""
    drawn: dict[Text, Drawing] = Field(default_factory=dict)
    """Pictures drawn in this file, one text a row: "#" is black, "." is white."""
    files: dict[Text, FileChoice] = Field(default_factory=dict)
    """Files of pictures by name; one with several gives the words "name 1", "name 2", …"""
    magnitude: Literal["free", "unit"] = "free"
    """"unit" scales every picture to length 1; "free" leaves black at 1 and white at −1."""
    size: list[Count] | None = None
    """[columns, rows] of every picture; images are stretched or shrunk to it. By default that of the first picture."""

    _folder: FilePath = PrivateAttr(default=FilePath())

    def model_post_init(self, context: Any, /) -> None:
        """Remember the folder of the scenario, from which the paths of its files are meant."""
        if context is not None:
            self._folder = context["folder"]

    @cached_property
    def loaded(self) -> Loaded:
        """The pictures, and what is wrong with them; each file is read once."""
        problems = [*self._problems()]
        if problems:
            return _wrong(problems)
        arrays: dict[str, np.ndarray] = {}
        problems = [*self._reading(arrays)]
        if problems:
            return _wrong(problems)
        size = self._first_size(arrays)
        if size is None:
            return _wrong([Problem(("pictures",), "needs size = [columns, rows], since no file tells it")])
        words: dict[str, np.ndarray] = {}
        problems = [*self._gathering(arrays, size, words)]
        if problems:
            return _wrong(problems)
        if self.magnitude == "free":
            return Loaded(size, words)
        empty = [name for name, picture in words.items() if not picture.any()]
        if empty:
            return _wrong([Problem(("pictures", "magnitude"), f"'{shortened(empty[0])}' is zero and has no direction")])
        return Loaded(size, {name: unit(picture) for name, picture in words.items()}, black=size.pixels**-0.5)

    @property
    def _letters(self) -> list[str]:
        return list(self.letters or ())

    def _problems(self) -> Iterator[Problem]:
        """What is wrong with what stands in the scenario itself."""
        if not (self.letters or self.drawn or self.files):
            yield Problem(("pictures",), "holds no picture; give letters, drawn or files")
        for letter in self._letters:
            if letter not in letters():
                yield Problem(("pictures", "letters"), unknown(letter, letters()))
        yield from doubles(self._letters, ("pictures", "letters"))
        for name, rows in self.drawn.items():
            yield from _drawing_problems(rows, ("pictures", "drawn", name))
        for name, choice in self.files.items():
            yield from _chosen(choice).problems(("pictures", "files", name))
        if self.size is not None and len(self.size) != 2:
            yield Problem(("pictures", "size"), f"{len(self.size)} numbers stand there; expected [columns, rows]")
        elif self.size is not None and self.size[0] * self.size[1] > MAX_NUMBERS:
            yield Problem(("pictures", "size"), f"asks for more than {MAX_NUMBERS:,} pixels")

    def _reading(self, arrays: dict[str, np.ndarray]) -> Iterator[Problem]:
        """Read each file into `arrays`, or say what is wrong with it."""
        wanted = None if self.size is None else Size(*self.size)
        for name, choice in self.files.items():
            try:
                arrays[name] = _chosen(choice).read(self._folder, wanted)
            except InvalidInput as error:
                yield Problem(("pictures", "files", name), str(error))

    def _first_size(self, arrays: Mapping[str, np.ndarray]) -> Size | None:
        """The size that is given, or that of the first picture that has one; a table of numbers has none."""
        if self.size is not None:
            return Size(*self.size)
        if self.letters:
            return LETTER_SIZE
        for rows in self.drawn.values():
            return Size(len(rows[0]), len(rows))
        for name, values in arrays.items():
            if _chosen(self.files[name]).is_image or values.ndim == 3:
                return Size(values.shape[-1], values.shape[-2])
        return None

    def _gathering(
        self, arrays: Mapping[str, np.ndarray], size: Size, words: dict[str, np.ndarray]
    ) -> Iterator[Problem]:
        """Gather all pictures of that size in `words`, or say which are of another."""
        if self.letters and size != LETTER_SIZE:
            yield Problem(("pictures", "letters"), f"are {LETTER_SIZE} pixels, the other pictures are {size}")
        elif self.letters:
            known = letters()
            words |= {letter: known[letter] for letter in self._letters}
        for name, rows in self.drawn.items():
            own = Size(len(rows[0]), len(rows))
            if own != size:
                message = f"is {own} pixels (columns × rows), the other pictures are {size}"
                yield Problem(("pictures", "drawn", name), message)
            else:
                yield from _named({name: pixels(rows)}, words, ("pictures", "drawn", name))
        for name, values in arrays.items():
            found = _patterns(values, size)
            if found is None:
                yield Problem(("pictures", "files", name), _misfit(values, size, _chosen(self.files[name]).is_image))
            else:
                names = [name] if len(found) == 1 else [f"{name} {i + 1}" for i in range(len(found))]
                yield from _named(dict(zip(names, found, strict=True)), words, ("pictures", "files", name))


def _named(made: Mapping[str, np.ndarray], words: dict[str, np.ndarray], path: Path) -> Iterator[Problem]:
    """Add pictures to the words, or say whose name is taken."""
    for name, picture in made.items():
        if name in words:
            yield Problem(path, f"'{shortened(name)}' is another picture already; give this one another name")
        words[name] = picture


def _wrong(problems: Sequence[Problem]) -> Loaded:
    return Loaded(Size(1, 1), {}, tuple(problems))


def _chosen(choice: str | PictureFile) -> PictureFile:
    return PictureFile(file=choice) if isinstance(choice, str) else choice


def _drawing_problems(rows: Sequence[str], path: Path) -> Iterator[Problem]:
    """Characters that are no pixels, and rows of another length than the first."""
    for i, row in enumerate(rows):
        odd = next((character for character in row if character not in PIXELS), None)
        if odd is not None:
            yield Problem((*path, i), f"'{shortened(odd)}' stands there; expected '#' (black) or '.' (white)")
        elif len(row) != len(rows[0]):
            yield Problem((*path, i), f"has {len(row)} pixels; the first row has {len(rows[0])}")


def _patterns(values: np.ndarray, size: Size) -> np.ndarray | None:
    """The patterns in an array, `(n_patterns, n_pixels)`; None where its shape does not fit the pictures.

    One picture is `(n_pixels,)` or `(rows, columns)`; several are `(n, n_pixels)` or `(n, rows, columns)`. No shape
    fits two of these unless they mean the same.
    """
    if values.shape[-2:] == (size.rows, size.columns) or (values.shape[-1] == size.pixels and values.ndim < 3):
        return values.reshape(-1, size.pixels)
    return None


def _misfit(values: np.ndarray, size: Size, is_image: bool) -> str:
    if is_image:
        own, advice = Size(values.shape[1], values.shape[0]), f"size = [{size.columns}, {size.rows}] resizes images"
        return f"is {own} pixels (columns × rows), the other pictures are {size}; {advice}"
    shape = " × ".join(map(str, values.shape))
    rows = f"rows of {size.pixels} numbers, or {size.rows} rows of {size.columns}"
    return f"holds {shape} numbers; pictures of {size} pixels need {rows}"
