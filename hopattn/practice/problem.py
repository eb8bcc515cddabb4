"""A practice problem as data: what is given, what is asked, the answers to choose from, and the working of the key."""

import re
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from hopattn.views.markup import LETTERS as LETTERS
from hopattn.views.markup import Grid as Grid

_NUMBER = re.compile(r"[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})(/\d{1,15})?")
"""A number in digits, or a fraction."""


@dataclass(frozen=True)
class Choice:
    """One of the answers to choose from.

    cells: the numbers as texts, a tuple for each row; a single number is one row of one. error: the name of the error
    of the run that gave this answer; empty for the right one. reason: that error in words of the sheet's language.
    """

    cells: tuple[tuple[str, ...], ...]
    error: str = ""
    reason: str = ""

    @property
    def numbers(self) -> list[list[Fraction]]:
        """The numbers, row by row."""
        return [[number_of(cell) for cell in row] for row in self.cells]


@dataclass(frozen=True)
class Problem:
    """A problem with its answers and its working.

    number: its place on the sheet, from 1. given: sentences and tables, in their order. question: a sentence. rows,
    columns: the names of the rows and columns of an answer; both are empty for a single number, and `rows` for a
    vector. choices: the answers to choose from, of which one is right. working: the arithmetic of the key, line by
    line; two spaces before a line are one level of depth.
    """

    number: int
    given: tuple[str | Grid, ...]
    question: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    choices: tuple[Choice, ...]
    working: tuple[str, ...]

    @property
    def right(self) -> int:
        """The place of the right answer among the choices, from 0."""
        return next(i for i, choice in enumerate(self.choices) if not choice.error)

    @property
    def answer(self) -> Choice:
        """The right answer."""
        return self.choices[self.right]

    @property
    def letter(self) -> str:
        """The letter of the right answer."""
        return LETTERS[self.right]

    def as_grid(self, choice: Choice) -> Grid:
        """An answer that is a vector or a matrix, as a table with the names of its rows and columns."""
        return Grid(self.rows or ("",), self.columns, choice.cells)

    @property
    def is_number(self) -> bool:
        """Whether the answer is a single number."""
        return not self.columns

    def to_dict(self) -> dict[str, Any]:
        """The problem as dictionaries, lists and texts."""
        given = [part if isinstance(part, str) else part._asdict() for part in self.given]
        whole = {**asdict(self), "given": given, "right": self.letter}
        working = whole.pop("working")  # which comes last
        return {**whole, "working": working}


@dataclass(frozen=True)
class Sheet:
    """Problems that were drawn from one scenario.

    scenario: the name of the scenario. title, source: of the scenario. command: the command that draws the same sheet
    again. language: "en", "de" … texts: the texts of this language by their keys. problems: in their order.
    """

    scenario: str
    title: str
    source: str
    seed: int
    command: str
    language: str
    texts: dict[str, Any]
    problems: tuple[Problem, ...]


def number_of(text: str) -> Fraction:
    """The number of a text as sheets and students write it: `.25`, `−1/3`, `0,5`, `2`.

    Raises `ValueError` for another text.

    >>> number_of("−.25"), number_of("2/3")
    (Fraction(-1, 4), Fraction(2, 3))
    """
    plain = text.strip().replace("−", "-").replace(",", ".").replace(" ", "")
    if not _NUMBER.fullmatch(plain):
        raise ValueError("not a number")
    try:
        return Fraction(plain)
    except ZeroDivisionError:
        raise ValueError("a division by zero") from None
