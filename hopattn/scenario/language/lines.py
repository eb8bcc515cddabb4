"""The line number of each key of a TOML text, which `tomllib` does not report.

A path is a tuple of keys and list indices: `("layer", 0, "head", 1, "mask")`. The text must be valid TOML, parsed by
`tomllib` before: this reader follows the structure of the text and checks nothing.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Path = tuple[str | int, ...]

_SPACE = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_SCALAR = re.compile(r"[^,\]}#\r\n]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
STRINGS = (
    re.compile(r'"""(?:[^"\\]++|\\(?s:.)|"(?!""(?!")))*+"""(?!")'),
    re.compile(r"'''(?:[^']++|'(?!''(?!')))*+'''(?!')"),
    re.compile(r'"(?:[^"\\\n]++|\\.)*+"'),
    re.compile(r"'[^'\n]*+'"),
)
"""The texts of TOML, those in three quotes first; a long one takes no memory to match."""
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|.)")
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


class _Place:
    """A table, a list or a value of a document: the line on which it begins, and what stands in it, by key or index.

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
    """The line, counted from 1, on which each path of a document first stands."""

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
    """The line, counted from 1, on which each path of the document first stands.

    >>> key_lines('title = "x"\\n[a]\\nb = [1,\\n 2]')[("a", "b", 1)]
    4
    """
    reader = _Reader(text, _Place(1))
    reader.document()
    return KeyLines(reader.root)


def line_of(lines: Mapping[Path, int], path: Path) -> int:
    """The line of a path. If the text has no such path: the line of the innermost table or list around it, else 1."""
    for end in range(len(path), 0, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return 1


@dataclass
class _Reader:
    """One pass over a TOML text that notes the place of each value below the root."""

    text: str
    root: _Place
    at: int = 0
    """The position of the next character to read."""
    counted: tuple[int, int] = (0, 1)
    """The last position whose line was computed, and that line; counting goes on from there."""

    def document(self) -> None:
        """Read the whole text."""
        table = self.root
        while not self._ends():
            if self.text.startswith("[", self.at):
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> _Place:
        """The place of the table that a header begins."""
        in_array = self.text.startswith("[[", self.at)
        line = self._line()
        self.at += 2 if in_array else 1
        *keys, last = self._dotted_key()
        self._skip()
        self.at += 2 if in_array else 1
        place = self.root
        for key in keys:
            place = _last_table(place.note(key, line), line)
        place = place.note(last, line)
        place.tables += in_array
        return _last_table(place, line)

    def _pair(self, table: _Place) -> None:
        line, place = self._line(), table
        for key in self._dotted_key():
            place = place.note(key, line)
        self._skip()
        self.at += 1  # the equals sign
        self._skip()
        self._value(place)

    def _value(self, place: _Place) -> None:
        opening = self.text[self.at : self.at + 1]
        if opening == "[":
            self.at += 1
            index = 0
            while not self._closes("]"):
                self._value(place.note(index, self._line()))
                index += 1
        elif opening == "{":
            self.at += 1
            while not self._closes("}"):
                self._pair(place)
        elif opening in ('"', "'"):
            self._string()
        else:
            self.at = self._end_of(_SCALAR)

    def _closes(self, bracket: str) -> bool:
        """Whether the list or table ends here; skips spaces and commas, and the closing bracket."""
        self._skip()
        while self.text.startswith(",", self.at):
            self.at += 1
            self._skip()
        if self.at >= len(self.text):
            return True
        if self.text.startswith(bracket, self.at):
            self.at += 1
            return True
        return False

    def _dotted_key(self) -> list[str]:
        keys = [self._key()]
        self._skip()
        while self.text.startswith(".", self.at):
            self.at += 1
            keys.append(self._key())
            self._skip()
        return keys

    def _key(self) -> str:
        self._skip()
        if self.text[self.at : self.at + 1] in ('"', "'"):
            return self._string()
        start, self.at = self.at, self._end_of(_BARE_KEY)
        return self.text[start : self.at]

    def _string(self) -> str:
        for pattern in STRINGS:
            if match := pattern.match(self.text, self.at):
                self.at = match.end()
                body = match.group()[1:-1]
                return body if match.group()[0] == "'" else _ESCAPE.sub(_unescape, body)
        self.at = len(self.text)
        return ""

    def _skip(self) -> None:
        self.at = self._end_of(_SPACE)

    def _end_of(self, pattern: re.Pattern[str]) -> int:
        """The end of a pattern's match at this position; this position if it does not match."""
        match = pattern.match(self.text, self.at)
        return match.end() if match else self.at

    def _ends(self) -> bool:
        self._skip()
        return self.at >= len(self.text)

    def _line(self) -> int:
        position, line = self.counted
        self.counted = (self.at, line + self.text.count("\n", position, self.at))
        return self.counted[1]


def _last_table(place: _Place, line: int) -> _Place:
    """The place that a name in a header means: of an array of tables the last table so far, else the place itself."""
    return place.note(place.tables - 1, line) if place.tables else place


def _unescape(match: re.Match[str]) -> str:
    code = match.group(1)
    return chr(int(code[1:], 16)) if code[0] in "uUx" and len(code) > 1 else _ESCAPES.get(code, code)
