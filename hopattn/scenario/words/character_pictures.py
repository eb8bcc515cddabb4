"""Pictures from characters (`#` and `.` in a scenario, and the letters of `letters.txt`) and as characters (shades).

A picture is a vector of neurons, row by row from the top: black 1, white −1, unknown 0.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

import numpy as np

PIXELS = {"#": 1.0, ".": -1.0}
"""The neuron of each character in a picture that a scenario draws."""

SHADES = "·░▒▓█"
"""The characters of the shades from white to black; a pixel is two of them, so that it is about square."""

UNKNOWN = "?"
"""The character of an unknown pixel."""

ARROW = " → "
"""The gap between two pictures."""


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


LETTER_SIZE = Size(columns=5, rows=7)
"""The size of the letters that come with hopattn."""


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


def side_by_side(strip: Strip, width: int) -> Iterator[str]:
    """The lines of a strip, with arrows between the pictures.

    width: the most characters in a line. A strip that is longer continues below; a single picture may be wider.
    """
    cell = max(2 * strip.size.columns, *map(len, strip.names))
    count, step = len(strip.names), cell + len(ARROW)
    whole = count * step - len(ARROW) <= width
    fit = count if whole else max(1, (width + 1) // step)  # a line that continues ends with the head of an arrow
    if strip.heading:
        yield strip.heading
    for start in range(0, len(strip.names), fit):
        line = slice(start, start + fit)
        pictures = [as_characters(picture, strip.size) for picture in strip.pictures[line]]
        last = start + fit >= len(strip.names)
        for i, rows in enumerate(zip(*pictures, strict=True)):
            gap = ARROW if i == strip.size.rows // 2 else " " * len(ARROW)
            yield (gap.join(row.ljust(cell) for row in rows) + ("" if last else gap)).rstrip()
        yield (" " * len(ARROW)).join(name.ljust(cell) for name in strip.names[line]).rstrip()
    if strip.sentence:
        yield strip.sentence
