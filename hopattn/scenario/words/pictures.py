"""Pictures as words: letters that come with hopattn, pictures drawn in the scenario, and the user's own files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path as FilePath
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, Tag

from hopattn.foundation.array_files import MAX_NUMBERS, chosen_in, numbers, numbers_below
from hopattn.foundation.endings import ENDINGS, NAMED, foreign
from hopattn.foundation.errors import InvalidInput, shortened, unknown
from hopattn.foundation.vectors import unit
from hopattn.scenario.language.common_problems import duplicate_problems
from hopattn.scenario.language.fields import (
    ByTomlType,
    Count,
    Number,
    Problem,
    Table,
    TableWithFiles,
    Text,
    TextOrTexts,
)
from hopattn.scenario.language.lines import Path
from hopattn.scenario.words.character_pictures import LETTER_SIZE, PIXELS, Size, letters, pixels
from hopattn.scenario.words.picture_files import IMAGES, image


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

    def problems(self, path: Path) -> Iterator[Problem]:
        """The problems of the table: an unknown ending of the file's name, or a key for files of another ending."""
        ending = FilePath(self.file).suffix.lower()
        known = (*IMAGES, *ENDINGS)
        if ending not in known:
            cure = foreign(FilePath(self.file)) or f"does not end in {', '.join(known)}"
            yield Problem(path, f"'{shortened(self.file)}' {cure}")
        elif ending in IMAGES and self.black_above is not None:
            yield Problem((*path, "black_above"), "is for arrays and tables; an image is black where it is dark")
        elif ending in ENDINGS and self.grey:
            yield Problem((*path, "grey"), "is for images; the numbers of arrays and tables stay as they are")
        if self.array is not None and ending in known and ending not in NAMED:
            yield Problem((*path, "array"), f"is for {' and '.join(NAMED)} files; a {ending} holds one array")

    @property
    def is_image(self) -> bool:
        """Whether the file is an image. An image is one picture; a table of numbers may have a picture in each row."""
        return FilePath(self.file).suffix.lower() in IMAGES

    def read(self, name: str, folder: FilePath, size: Size | None) -> dict[str, np.ndarray]:
        """The numbers of the file by the name of their word; an image gives `(rows, columns)`.

        Arrays of a file with several are one picture each, `(1, …)`, by their own names. name: of the file. folder: the
        folder of the scenario. size: an image is stretched or shrunk to it. Raises `InvalidInput` for a file that
        cannot be read.
        """
        file = folder / self.file
        if self.is_image:
            darkness = image(file, size)
            return {name: darkness if self.grey else np.where(darkness > 0, 1.0, -1.0)}
        names = chosen_in(file, self.array)
        if len(names) > 1:
            read = {word: one[None] for word, one in numbers_below(file, "", 2, MAX_NUMBERS).items()}
        else:
            read = {name: numbers(file, names[0])}
        if self.black_above is None:
            return read
        return {word: np.where(values > self.black_above, 1.0, -1.0) for word, values in read.items()}


FileChoice = Annotated[Annotated[Text, Tag("text")] | Annotated[PictureFile, Tag("table")], ByTomlType]
Drawing = Annotated[list[Text], Field(min_length=1)]


@dataclass(frozen=True, eq=False)
class Loaded:
    """The pictures of a scenario, or the problems for which they cannot be used."""

    size: Size
    """The size of all pictures."""
    words: Mapping[str, np.ndarray]
    """The vector `(n_pixels,)` of each picture; empty if there are problems."""
    problems: tuple[Problem, ...] = ()
    black: float = 1.0
    """The value of a black pixel."""


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

    @cached_property
    def loaded(self) -> Loaded:
        """The pictures, or their problems; each file is read once."""
        arrays: dict[str, dict[str, np.ndarray]] = {}
        words: dict[str, np.ndarray] = {}
        size, problems = None, [*self._problems()] or [*self._read_files(arrays)]
        if not problems:
            size = self._common_size(arrays)
            problems = [*(_no_size(arrays) if size is None else self._collect(arrays, size, words))]
        if size is None or problems:
            return Loaded(Size(1, 1), {}, tuple(problems))
        if self.magnitude == "free":
            return Loaded(size, words)
        return Loaded(size, {name: unit(picture) for name, picture in words.items()}, black=size.pixels**-0.5)

    @property
    def _letters(self) -> list[str]:
        return list(self.letters or ())

    def _problems(self) -> Iterator[Problem]:
        """The problems of the table itself, before any file is read."""
        if not (self.letters or self.drawn or self.files):
            yield Problem(("pictures",), "holds no picture; give letters, drawn or files")
        known = letters()
        for letter in self._letters:
            if letter not in known:
                yield Problem(("pictures", "letters"), unknown(letter, known))
        yield from duplicate_problems(self._letters, ("pictures", "letters"))
        for name, rows in self.drawn.items():
            yield from _drawing_problems(rows, ("pictures", "drawn", name))
        for name, choice in self.files.items():
            yield from _as_table(choice).problems(("pictures", "files", name))
        if self.size is not None and len(self.size) != 2:
            yield Problem(("pictures", "size"), f"got {len(self.size)} numbers; expected [columns, rows]")
        elif self.size is not None and self.size[0] * self.size[1] > MAX_NUMBERS:
            yield Problem(("pictures", "size"), f"asks for more than {MAX_NUMBERS:,} pixels")

    def _read_files(self, arrays: dict[str, dict[str, np.ndarray]]) -> Iterator[Problem]:
        """Read each file into `arrays`; yields a problem for each file that cannot be read."""
        size = None if self.size is None else Size(*self.size)
        for name, choice in self.files.items():
            try:
                arrays[name] = _as_table(choice).read(name, self._folder, size)
            except InvalidInput as error:
                yield Problem(("pictures", "files", name), str(error))

    def _common_size(self, arrays: Mapping[str, Mapping[str, np.ndarray]]) -> Size | None:
        """The size of all pictures: the key `size`, or the size of the first picture; None if no picture has a size.

        An array of one or two axes has none: its rows may be pictures, or the rows of one picture.
        """
        if self.size is not None:
            return Size(*self.size)
        if self.letters:
            return LETTER_SIZE
        for rows in self.drawn.values():
            return Size(len(rows[0]), len(rows))
        for name, read in arrays.items():
            for values in read.values():
                if _as_table(self.files[name]).is_image or values.ndim == 3:
                    return Size(values.shape[-1], values.shape[-2])
        return None

    def _collect(
        self, arrays: Mapping[str, Mapping[str, np.ndarray]], size: Size, words: dict[str, np.ndarray]
    ) -> Iterator[Problem]:
        """Collect the pictures in `words`; yields a problem for each that is of another size, or whose name is taken.

        arrays: the content of each file.
        """
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
                yield from _add({name: pixels(rows)}, words, ("pictures", "drawn", name))
        for file, read in arrays.items():
            path = ("pictures", "files", file)
            for name, values in read.items():
                patterns = _patterns(values, size)
                if patterns is None:
                    yield Problem(path, _misfit(values, size, _as_table(self.files[file]).is_image))
                    continue
                names = [name] if len(patterns) == 1 else [f"{name} {i + 1}" for i in range(len(patterns))]
                yield from _add(dict(zip(names, patterns, strict=True)), words, path)
        if self.magnitude == "unit" and (empty := [name for name, picture in words.items() if not picture.any()]):
            yield Problem(("pictures", "magnitude"), f"'{shortened(empty[0])}' is zero and has no direction")


def _no_size(arrays: Mapping[str, Mapping[str, np.ndarray]]) -> Iterator[Problem]:
    """The problem that the files do not say how large a picture is."""
    name, read = next(iter(arrays.items()))
    shape = " × ".join(map(str, next(iter(read.values())).shape))
    held = f"the file of '{shortened(name)}' holds {shape} numbers, whose rows may be pictures"
    yield Problem(("pictures",), f"needs size = [columns, rows]; {held}")


def _add(pictures: Mapping[str, np.ndarray], words: dict[str, np.ndarray], path: Path) -> Iterator[Problem]:
    """Add pictures to the words; yields a problem for each name that is taken."""
    for name, picture in pictures.items():
        if name in words:
            yield Problem(path, f"'{shortened(name)}' is another picture already; give this one another name")
        words[name] = picture


def _as_table(choice: str | PictureFile) -> PictureFile:
    return PictureFile(file=choice) if isinstance(choice, str) else choice


def _drawing_problems(rows: Sequence[str], path: Path) -> Iterator[Problem]:
    """The problems of a drawn picture: characters that are not pixels, and rows of another length than the first."""
    for i, row in enumerate(rows):
        odd = next((character for character in row if character not in PIXELS), None)
        if odd is not None:
            yield Problem((*path, i), f"got '{shortened(odd)}'; expected '#' (black) or '.' (white)")
        elif len(row) != len(rows[0]):
            yield Problem((*path, i), f"has {len(row)} pixels; the first row has {len(rows[0])}")


def _patterns(values: np.ndarray, size: Size) -> np.ndarray | None:
    """The patterns in an array, `(n_patterns, n_pixels)`; None if its shape does not fit the size of the pictures.

    One picture is `(n_pixels,)` or `(rows, columns)`; several are `(n, n_pixels)` or `(n, rows, columns)`. A shape that
    fits two of these has the same meaning in both.
    """
    if values.shape[-2:] == (size.rows, size.columns) or (values.shape[-1] == size.pixels and values.ndim < 3):
        return values.reshape(-1, size.pixels)
    return None


def _misfit(values: np.ndarray, size: Size, is_image: bool) -> str:
    """The message for an image or array whose shape does not fit the size of the pictures."""
    if is_image:
        own, advice = Size(values.shape[1], values.shape[0]), f"size = [{size.columns}, {size.rows}] resizes images"
        return f"is {own} pixels (columns × rows), the other pictures are {size}; {advice}"
    shape = " × ".join(map(str, values.shape))
    rows = f"rows of {size.pixels} numbers, or {size.rows} rows of {size.columns}"
    return f"holds {shape} numbers; pictures of {size} pixels need {rows}"
