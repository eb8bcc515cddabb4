"""The positions of a text as vectors: points on a circle, sines and cosines of many frequencies, a learned table."""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
from pydantic import Field, Tag

from hopattn.positions.planes import circle, rotation_degrees
from hopattn.positions.sinusoids import How, sinusoidal, sinusoidal_shift, with_positions
from hopattn.scenario.language.common_problems import matrix_problems
from hopattn.scenario.language.fields import Angle, ByTomlType, Matrix, PositiveNumber, Problem, Table

POSITION = "position"
"""The part of a vector that holds the position."""

WAYS = ("turn", "sinusoidal", "table")
"""The keys that say which vectors the positions have; a file gives one of them."""


class SinusoidalTable(Table):
    """Sines and cosines of a position at many frequencies."""

    base: PositiveNumber = 10000.0
    """The base of the frequencies: pair i of the elements turns by base^(−2i / dim) radians a position, i = 0, 1, …"""


Sinusoidal = Annotated[Annotated[bool, Tag("truth value")] | Annotated[SinusoidalTable, Tag("table")], ByTomlType]


class Positions(Table):
    """The position of each word in the text, as a vector: give one of `turn`, `sinusoidal` and `table`."""

    turn: Angle | None = None
    """Points on the unit circle: the angle between neighbouring positions, in degrees, counter-clockwise."""
    sinusoidal: Sinusoidal = False
    """Sines and cosines of the position at many frequencies (true), or a table with the base of the frequencies."""
    table: Matrix | None = None
    """Learned vectors, one row for each position."""
    how: How = "concatenate"
    """The way positions join the words: "concatenate" gives them a part of their own; "add" and "multiply" apply them
    to the word's elements, a point on the circle to each pair of them."""
    start: Annotated[int, Field(ge=-(10**6), le=10**6)] = 0
    """The position of the first token."""

    @property
    def given(self) -> list[str]:
        """The keys of `WAYS` that the file gives."""
        return [way for way in WAYS if getattr(self, way) not in (None, False)]

    @property
    def base(self) -> float:
        """The base of the frequencies of sinusoidal positions."""
        return self.sinusoidal.base if isinstance(self.sinusoidal, SinusoidalTable) else SinusoidalTable().base

    def vectors(self, n: int, dim: int) -> np.ndarray:
        """The vectors of the positions of n words, `(n, dim)`, or `(n, 2)` for points on the circle.

        dim: the number of elements of the part "position", or of a word that they are joined with.
        """
        if self.turn is not None:
            return np.asarray(circle(self.start + np.arange(n), self.turn))
        if self.table is not None:
            return np.array(self.table[self.start : self.start + n], dtype=float)
        return np.asarray(sinusoidal(n, dim, base=self.base) @ sinusoidal_shift(self.start, dim, base=self.base).T)

    def joined(self, words: np.ndarray) -> np.ndarray:
        """Words `(n, dim)` with their positions added or multiplied, `(n, dim)`."""
        return np.asarray(with_positions(words, self.vectors(*words.shape), self.how))

    def moved(self, steps: float, dim: int) -> np.ndarray:
        """The matrix `(dim, dim)` that moves position p to position p + steps; a learned table has none."""
        if self.turn is not None:
            return rotation_degrees(steps * self.turn, dim)
        return sinusoidal_shift(steps, dim, base=self.base)

    def problems(self, part: Any, word: int | None) -> Iterator[Problem]:
        """The problems of the positions.

        part: the part "position" as [spaces] gives it, None if it does not. word: the number of elements of a word,
        None where the parts have problems of their own.
        """
        given, place = self.given, ("positions", "table")
        if len(given) != 1:
            needs = "needs one of turn = … degrees a step, sinusoidal = true, and table = [[…], …], a row a position"
            both = f"is given with {given[0]}; give one of them" if given else needs
            yield Problem(("positions", *given[1:2]), both)
        elif self.how == "concatenate":
            yield from self._part_problems(part)
        else:
            if part is not None:
                yield Problem(("spaces", POSITION), f'is not used where positions are joined by how = "{self.how}"')
            if word is not None and self.table is None and word % 2:
                odd = f'"{self.how}" lays points along pairs of axes, but their number is odd'
                yield Problem(("positions", "how"), odd)
            if word is not None:
                yield from matrix_problems(self.table or [], place, (word, "one for each element of a word"))
        if self.table is not None and self.start < 0:
            yield Problem(("positions", "start"), "a table has no row for a position below 0")

    def _part_problems(self, part: Any) -> Iterator[Problem]:
        """The problems of the part that holds the positions."""
        axes = '["cos", "sin"]' if self.turn is not None else "a list of axes"
        if part is None:
            words = 'and with a word part such as word = "vocabulary"'
            yield Problem(("positions",), f"needs [spaces] with position = {axes}, {words}")
        elif self.turn is not None and not (isinstance(part, list) and len(part) == 2):
            yield Problem(("spaces", POSITION), f"needs two axes, such as {axes}: it holds a point on the circle")
        elif not isinstance(part, list):
            yield Problem(("spaces", POSITION), "needs a list of axes, one for each element of a position")
        elif self.table is not None:
            columns = len(part), "one for each axis of the part 'position'"
            yield from matrix_problems(self.table, ("positions", "table"), columns)
        elif self.turn is None and len(part) % 2:
            pairs = "needs an even number of axes, a sine and a cosine for each frequency"
            yield Problem(("spaces", POSITION), f"{pairs}, not {len(part)}")

    def length_problems(self, n: int) -> Iterator[Problem]:
        """The problem of a text of n words that is longer than the table."""
        if self.table is not None and self.start + n > len(self.table):
            first = f", the first at position {self.start}" if self.start else ""
            have = f"has {len(self.table)} rows, but the text has {n} words{first}"
            yield Problem(("positions", "table"), f"{have}; every position needs a row")
