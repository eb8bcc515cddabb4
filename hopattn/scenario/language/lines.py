"""The tokens of a TOML text, and the line number of each key, which `tomllib` does not report.

A path is a tuple of keys and list indices: `("layer", 0, "head", 1, "mask")`. For the lines, the text must be valid
TOML, parsed by `tomllib` before: the reader follows the structure of the text and checks nothing.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

Path = tuple[str | int, ...]

_TOKEN = re.compile(
    "|".join(
        (
            r"(?P<between>#[^\n]*+|[^\S\n]++)",
            r'"""(?:[^"\\]++|\\(?s:.)|"(?!""(?!")))*+"""(?!")',
            r"'''(?:[^']++|'(?!''(?!')))*+'''(?!')",
            r"""\"{3}|'{3}""",
            r'"(?:[^"\\\n]++|\\.)*+"',
            r"'[^'\n]*+'",
            r"""[\n,=.\[\]{}"']""",
            r"""[^\s#,=.\[\]{}"']++""",
        )
    )
)
"""Comments and spaces; texts in three quotes, three quotes without an end; texts in one quote; marks; bare words."""
QUOTES = ('"', "'", '"""', "'''")
"""The tokens that begin a text without an end."""
BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A key that needs no quotes."""


def dotted(keys: Iterable[str]) -> str:
    """A path as a text that `parse_path` reads.

    >>> print(dotted(["cue", "half of R", "flip"]))
    cue."half of R".flip
    """
    return ".".join(key if BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False) for key in keys)


class Token(NamedTuple):
    """A mark, a text with its quotes, a bare word, or the end of a line.

    start: the place of its first letter in the text. line: the line on which it begins, from 1.
    """

    mark: str
    start: int
    line: int


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a TOML text, without comments and spaces.

    The text need not be TOML. A quote whose text has no end is one of `QUOTES`.
    """
    line = 1
    for found in _TOKEN.finditer(text):
        if found.lastgroup is None:
            yield Token(found[0], found.start(), line)
        line += found[0].count("\n")


_END = Token("", 0, 0)


@dataclass(eq=False, slots=True)
class KeyLines:
    """A document, table, list or value: its line, counted from 1, and what is inside it by key or index.

    tables: the number of tables read so far, if this is an array of tables, `[[…]]`.
    """

    line: int = 1
    inside: dict[str | int, "KeyLines"] = field(default_factory=dict)
    tables: int = 0

    def line_of(self, path: Path) -> int:
        """The line on which a path first occurs. Without it: the line of the innermost table or list around it."""
        place = self
        for key in path:
            if key not in place.inside:
                break
            place = place.inside[key]
        return place.line

    def note(self, key: str | int, line: int) -> "KeyLines":
        """The place of a key or index; it keeps the first line that is noted."""
        return self.inside.setdefault(key, KeyLines(line))

    def newest(self, line: int) -> "KeyLines":
        """What a name in a header means: of an array of tables the last table so far, else the place itself."""
        return self.note(self.tables - 1, line) if self.tables else self


def key_lines(text: str) -> KeyLines:
    """The line, counted from 1, on which each path of the document first occurs.

    >>> key_lines('title = "x"\\n[a]\\nb = [1,\\n 2]').line_of(("a", "b", 1))
    4
    """
    return _Reader(text).root


class _Reader:
    """One pass over the tokens of a TOML text that notes the place of each value below the root."""

    def __init__(self, text: str) -> None:
        self.root = table = KeyLines()
        self._tokens = tokens(text)
        self._next = next(self._tokens, _END)
        while self._next is not _END:
            if self._next.mark == "[":
                table = self._header()
            elif not self._takes("\n"):
                self._pair(table)

    def _step(self) -> Token:
        """The next token; the one behind it is then the next."""
        token, self._next = self._next, next(self._tokens, _END)
        return token

    def _takes(self, mark: str) -> bool:
        """Whether the next token is this mark, which is then read."""
        return self._next.mark == mark and bool(self._step())

    def _header(self) -> KeyLines:
        """The place of the table that a header begins."""
        line = self._step().line
        in_array, place = self._takes("["), self.root
        *keys, last = self._dotted_key()
        for key in keys:
            place = place.note(key, line).newest(line)
        place = place.note(last, line)
        place.tables += in_array
        while self._takes("]"):
            pass
        return place.newest(line)

    def _pair(self, place: KeyLines) -> None:
        line = self._next.line
        for key in self._dotted_key():
            place = place.note(key, line)
        self._step()  # the equals sign
        self._value(place)

    def _value(self, place: KeyLines) -> None:
        if self._takes("["):
            index = 0
            while self._goes_on("]"):
                self._value(place.note(index, self._next.line))
                index += 1
        elif self._takes("{"):
            while self._goes_on("}"):
                self._pair(place)
        else:
            while self._next.mark not in (",", "]", "}", "\n", ""):
                self._step()

    def _goes_on(self, bracket: str) -> bool:
        """Whether the list or table has another entry; reads the commas before it, or the closing bracket."""
        while self._next.mark in (",", "\n"):
            self._step()
        return not self._takes(bracket) and self._next is not _END

    def _dotted_key(self) -> list[str]:
        marks = [self._step().mark]
        while self._takes("."):
            marks.append(self._step().mark)
        return [next(iter(tomllib.loads(f"{mark} = 0"))) if mark[:1] in ("'", '"') else mark for mark in marks]
