"""Pictures as characters: from `#` and `.` to neurons, and from neurons to what a person sees.

A picture is a vector of neurons, row by row from the top: black 1, white −1, unknown 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

PIXELS = {"#": 1.0, ".": -1.0}
"""The characters that a picture is drawn with in a file."""

SHADES = "·░▒▓█"
"""The shades from white to black; two characters make a pixel, so that it is about square."""

PLAIN = str.maketrans(SHADES, ".-+%#")
"""What a terminal shows that has no blocks."""

UNKNOWN = "?"
ARROW = " → "


class Size(NamedTuple):
    """The size of a picture in pixels."""

    columns: int
    rows: int

    @property
    def pixels(self) -> int:
        """How many neurons a picture has."""
        return self.columns * self.rows

    def __str__(self) -> str:
        return f"{self.columns} × {self.rows}"


@dataclass(frozen=True, eq=False)
class Strip:
    """Pictures side by side: a heading, each picture with what it is called, and a sentence about them."""

    heading: str
    size: Size
    names: tuple[str, ...]
    pictures: np.ndarray
    """`(n_pictures, n_pixels)`."""
    sentence: str = ""


def pixels(rows: Sequence[str]) -> np.ndarray:
    """The neurons of a picture that is drawn with `#` and `.`, `(n_pixels,)`.

    >>> pixels(["#.", ".#"]).tolist()
    [1.0, -1.0, -1.0, 1.0]
    """
    return np.array([PIXELS[character] for row in rows for character in row])


def drawn(picture: np.ndarray, size: Size) -> list[str]:
    """A picture `(n_pixels,)` as one text a row, two characters a pixel; what lies beyond ±1 is shown as ±1.

    An exact 0 is unknown where all other pixels are black or white, and a middle grey elsewhere.

    >>> print(*drawn(np.array([1, -1, 0, 1]), Size(2, 2)), *drawn(np.array([1, -1, 0, 0.4]), Size(2, 2)), sep="\\n")
    ██··
    ??██
    ██··
    ▒▒▓▓
    """
    level = np.rint((np.clip(picture, -1.0, 1.0) + 1) / 2 * (len(SHADES) - 1)).astype(int)
    crisp = bool(np.isin(picture, (-1.0, 0.0, 1.0)).all())
    blank = UNKNOWN if crisp else SHADES[len(SHADES) // 2]
    cells = [2 * (SHADES[i] if value else blank) for value, i in zip(picture.tolist(), level.tolist(), strict=True)]
    return ["".join(cells[start : start + size.columns]) for start in range(0, size.pixels, size.columns)]


def side_by_side(strip: Strip, width: int) -> Iterator[str]:
    """The lines of a strip, at most `width` wide unless a single picture is wider; arrows lead on to the next."""
    cell = max(2 * strip.size.columns, *map(len, strip.names))
    fit = max(1, (width + len(ARROW)) // (cell + len(ARROW)))
    if strip.heading:
        yield strip.heading
    for start in range(0, len(strip.names), fit):
        chosen = slice(start, start + fit)
        blocks = [drawn(picture, strip.size) for picture in strip.pictures[chosen]]
        last = start + fit >= len(strip.names)
        for i, row in enumerate(zip(*blocks, strict=True)):
            between = ARROW if i == strip.size.rows // 2 else " " * len(ARROW)
            yield (between.join(part.ljust(cell) for part in row) + ("" if last else between)).rstrip()
        yield (" " * len(ARROW)).join(name.ljust(cell) for name in strip.names[chosen]).rstrip()
    if strip.sentence:
        yield strip.sentence
