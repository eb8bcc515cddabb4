"""The place where `tomllib` stopped reading a text: the brackets and the quote that are open there, and its line.

All before the place is TOML, so that a simple reader of strings, comments and brackets suffices.
"""

import re
import tomllib
import unicodedata
from dataclasses import dataclass

from hopattn.foundation.errors import shortened
from hopattn.scenario.language.lines import QUOTES, tokens

_POSITION = re.compile(r" \(at line (\d+), column (\d+)\)$")
_SHOWN = 76
"""The most letters of a line that are shown."""


@dataclass(frozen=True)
class Fault:
    """A place in a text, and what is wrong there in words."""

    text: str
    at: int
    message: str

    @property
    def line(self) -> int:
        """The number of the line, from 1."""
        return self.text.count("\n", 0, self.at) + 1

    @property
    def excerpt(self) -> str:
        """The line, and below it a caret under the place."""
        start = self.text.rfind("\n", 0, self.at) + 1
        column = self.at - start
        first = max(0, column - _SHOWN + 16)
        line = "".join(c if c.isprintable() else " " for c in self.text[start:].partition("\n")[0])
        shown = ("…" if first else "") + line[first : first + _SHOWN].rstrip()
        before = sum(map(_columns, line[first:column])) + (1 if first else 0)
        return f"  {shown}\n  {' ' * before}^"


@dataclass(frozen=True)
class Stop:
    """The place where the reading of a text stopped: all before it is TOML.

    reason: that of `tomllib`. opened: the place of each open bracket, the innermost last. quote: the place of the quote
    that begins a text without an end. statement: the start of the statement.
    """

    text: str
    at: int
    reason: str
    opened: tuple[int, ...]
    quote: int | None
    statement: int

    @property
    def plain_reason(self) -> str:
        """The reason as the end of a sentence."""
        return shortened(self.reason[:1].lower() + self.reason[1:], 200)

    @property
    def rest(self) -> str:
        """The rest of the line."""
        return self.text[self.at :].partition("\n")[0]

    @property
    def line(self) -> str:
        """The whole line."""
        return self.text[self.text.rfind("\n", 0, self.at) + 1 :].partition("\n")[0]

    @property
    def inside(self) -> str:
        """The innermost open bracket, or nothing."""
        return self.text[self.opened[-1]] if self.opened else ""

    @property
    def odd_quotes(self) -> bool:
        """Whether the line has a quote without a partner."""
        return any(re.sub(r"\\.", "", self.line).count(quote) % 2 for quote in "\"'")


def stop_of(text: str, error: tomllib.TOMLDecodeError) -> Stop:
    """The place where `tomllib` stopped with an error; it is the last letter if the text ends too early."""
    position = _POSITION.search(str(error))
    at = len(text.rstrip())
    if position:
        starts = [0, *(match.end() for match in re.finditer("\n", text))]
        at = starts[int(position[1]) - 1] + int(position[2]) - 1
    opened, quote, statement = list[int](), None, 0
    for mark, start, _ in tokens(text):
        if start >= at or quote is not None:
            break
        if mark in QUOTES:
            quote = start
        elif mark in ("[", "{"):
            opened.append(start)
        elif mark in ("]", "}"):
            del opened[-1:]
        elif mark == "\n" and not opened:
            statement = start + 1
    return Stop(text, at, str(error).partition(" (at ")[0], tuple(opened), quote, statement)


def _columns(character: str) -> int:
    """The columns that a character takes on a terminal."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
