"""The tokens of a TOML text, and the line number of each key, which `tomllib` does not report.

A path is a tuple of keys and list indices: `("layer", 0, "head", 1, "mask")`. For the lines, the text must be valid
TOML, parsed by `tomllib` before: the reader follows the structure of the text and checks nothing.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|.)")
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


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


class _Place:
    """A table, a list or a value of a document: the line on which it begins, and its content, by key or index.

    A tree of places holds each key once; a path for each value would hold all keys above it again.
    """

    __slots__ = ("inside", "line", "tables")

    def __init__(self, line: int) -> None:
        self.line = line
        self.inside: dict[str | int, _Place] = {}
        self.tables = 0
        """The number of tables read so far, if this is an array of tables, `[[…]]`."""

    def note(self, key: str | int, line: int) -> "_Place":
        """The place of a key or index; it keeps the first line that is noted."""
        return self.inside.get(key) or self.inside.setdefault(key, _Place(line))


@dataclass(frozen=True, eq=False)
class KeyLines(Mapping[Path, int]):
    """The line, counted from 1, on which each path of a document first occurs."""

    _root: _Place

    def __getitem__(self, path: Path) -> int:
        place = self._root
        for key in path:
            place = place.inside[key]
        if not path:
            raise KeyError(path)
        return place.line

    def __iter__(self) -> Iterator[Path]:
        waiting: list[tuple[Path, _Place]] = [((), self._root)]
        while waiting:
            path, place = waiting.pop()
            for key, inner in place.inside.items():
                yield (*path, key)
                waiting.append(((*path, key), inner))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def key_lines(text: str) -> KeyLines:
    """The line, counted from 1, on which each path of the document first occurs.

    >>> key_lines('title = "x"\\n[a]\\nb = [1,\\n 2]')[("a", "b", 1)]
    4
    """
    reader = _Reader(text)
    reader.document()
    return KeyLines(reader.root)


def line_of(lines: Mapping[Path, int], path: Path) -> int:
    """The line of a path. If the text has no such path: the line of the innermost table or list around it, else 1."""
    for end in range(len(path), 0, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return 1


_END = Token("", 0, 0)


class _Reader:
    """One pass over the tokens of a TOML text that notes the place of each value below the root."""

    def __init__(self, text: str) -> None:
        self.root = _Place(1)
        self._tokens = tokens(text)
        self._next = next(self._tokens, _END)

    def document(self) -> None:
        """Read the whole text."""
        table = self.root
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
        found = self._next.mark == mark
        if found:
            self._step()
        return found

    def _header(self) -> _Place:
        """The place of the table that a header begins."""
        line = self._step().line
        in_array = self._takes("[")
        *keys, last = self._dotted_key()
        place = self.root
        for key in keys:
            place = _last_table(place.note(key, line), line)
        place = place.note(last, line)
        place.tables += in_array
        while self._takes("]"):
            pass
        return _last_table(place, line)

    def _pair(self, table: _Place) -> None:
        line, place = self._next.line, table
        for key in self._dotted_key():
            place = place.note(key, line)
        self._step()  # the equals sign
        self._value(place)

    def _value(self, place: _Place) -> None:
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
        keys = [_key(self._step().mark)]
        while self._takes("."):
            keys.append(_key(self._step().mark))
        return keys


def _key(mark: str) -> str:
    """The key that a token writes: a bare word, or a text in quotes."""
    if mark[:1] == '"':
        return _ESCAPE.sub(_unescape, mark[1:-1])
    return mark[1:-1] if mark[:1] == "'" else mark


def _last_table(place: _Place, line: int) -> _Place:
    """The place that a name in a header means: of an array of tables the last table so far, else the place itself."""
    return place.note(place.tables - 1, line) if place.tables else place


def _unescape(match: re.Match[str]) -> str:
    code = match.group(1)
    return chr(int(code[1:], 16)) if code[0] in "uUx" and len(code) > 1 else _ESCAPES.get(code, code)
