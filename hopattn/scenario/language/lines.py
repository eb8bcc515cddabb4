"""The line number of each key of a TOML text, which `tomllib` does not report.

A path is a tuple of keys and list indices: `("layer", 0, "head", 1, "mask")`. The text must be valid TOML, parsed by
`tomllib` before: this reader follows the structure of the text and checks nothing.
"""

import re
from dataclasses import dataclass, field

Path = tuple[str | int, ...]

_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SCALAR = re.compile(r"[^,\]}#\r\n]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
STRINGS = (
    re.compile(r'"""(?:\\.|[^\\])*?"""(?!")', re.DOTALL),
    re.compile(r"'''.*?'''(?!')", re.DOTALL),
    re.compile(r'"(?:\\.|[^"\\\n])*"'),
    re.compile(r"'[^'\n]*'"),
)
"""The texts of TOML, those in three quotes first."""
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|.)")
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


def key_lines(text: str) -> dict[Path, int]:
    """The line, counted from 1, on which each path of the document first stands.

    >>> key_lines('title = "x"\\n[a]\\nb = [1,\\n 2]')[("a", "b", 1)]
    4
    """
    reader = _Reader(text)
    reader.document()
    return reader.lines


def line_of(lines: dict[Path, int], path: Path) -> int:
    """The line of a path. If the text has no such path: the line of the innermost table or list around it, else 1."""
    for end in range(len(path), 0, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return 1


@dataclass
class _Reader:
    """One pass over a TOML text that collects the line of each path."""

    text: str
    at: int = 0
    """The position of the next character to read."""
    lines: dict[Path, int] = field(default_factory=dict)
    """The line of each path read so far."""
    counts: dict[Path, int] = field(default_factory=dict)
    """The number of tables read so far in each array of tables, `[[…]]`."""
    counted: tuple[int, int] = (0, 1)
    """The last position whose line was computed, and that line; counting goes on from there."""

    def document(self) -> None:
        """Read the whole text."""
        table: Path = ()
        while not self._ends():
            if self.text.startswith("[", self.at):
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Path:
        in_array = self.text.startswith("[[", self.at)
        line = self._line()
        self.at += 2 if in_array else 1
        keys = self._dotted_key()
        self._skip()
        self.at += 2 if in_array else 1
        path: Path = ()
        for key in keys[:-1]:
            path = self._inside((*path, key))
            self._note(path, line)
        path = (*path, keys[-1])
        self._note(path, line)
        if in_array:
            self.counts[path] = self.counts.get(path, 0) + 1
        path = self._inside(path)
        self._note(path, line)
        return path

    def _inside(self, path: Path) -> Path:
        """The path of the table that a header names; the name of an array of tables means its last table so far."""
        return (*path, self.counts[path] - 1) if path in self.counts else path

    def _pair(self, table: Path) -> None:
        line = self._line()
        path = table
        for key in self._dotted_key():
            path = (*path, key)
            self._note(path, line)
        self._skip()
        self.at += 1  # the equals sign
        self._skip()
        self._value(path)

    def _value(self, path: Path) -> None:
        opening = self.text[self.at : self.at + 1]
        if opening == "[":
            self.at += 1
            index = 0
            while not self._closes("]"):
                self._note((*path, index), self._line())
                self._value((*path, index))
                index += 1
        elif opening == "{":
            self.at += 1
            while not self._closes("}"):
                self._pair(path)
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

    def _note(self, path: Path, line: int) -> None:
        self.lines.setdefault(path, line)


def _unescape(match: re.Match[str]) -> str:
    code = match.group(1)
    return chr(int(code[1:], 16)) if code[0] in "uUx" and len(code) > 1 else _ESCAPES.get(code, code)
