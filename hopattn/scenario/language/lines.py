"""On which line of a TOML text each key stands, which `tomllib` does not tell.

A path is a tuple of keys and list indices, `("layer", 0, "head", 1, "mask")`. The text must have been parsed by
`tomllib` before: this reader follows its structure and checks nothing.
"""

import re
from dataclasses import dataclass, field

Path = tuple[str | int, ...]

_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SCALAR = re.compile(r"[^,\]}#\r\n]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRINGS = (
    re.compile(r'"""(?:\\.|[^\\])*?"""(?!")', re.DOTALL),
    re.compile(r"'''.*?'''(?!')", re.DOTALL),
    re.compile(r'"(?:\\.|[^"\\\n])*"'),
    re.compile(r"'[^'\n]*'"),
)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|.)")
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


def key_lines(text: str) -> dict[Path, int]:
    """The first line, counted from 1, on which each path of the document stands.

    >>> key_lines('title = "x"\\n[a]\\nb = [1,\\n 2]')[("a", "b", 1)]
    4
    """
    reader = _Reader(text)
    reader.document()
    return reader.lines


def line_of(lines: dict[Path, int], path: Path) -> int:
    """The line of a path, or of the nearest thing around it that stands in the text; 1 for the document itself."""
    for end in range(len(path), 0, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return 1


@dataclass
class _Reader:
    text: str
    at: int = 0
    lines: dict[Path, int] = field(default_factory=dict)
    counts: dict[Path, int] = field(default_factory=dict)
    counted: tuple[int, int] = (0, 1)

    def document(self) -> None:
        table: Path = ()
        while not self._ends():
            if self.text.startswith("[", self.at):
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Path:
        several = self.text.startswith("[[", self.at)
        line = self._line()
        self.at += 2 if several else 1
        keys = self._dotted_key()
        self._skip()
        self.at += 2 if several else 1
        path: Path = ()
        for key in keys[:-1]:
            path = self._inside((*path, key))
            self._note(path, line)
        path = (*path, keys[-1])
        self._note(path, line)
        if several:
            self.counts[path] = self.counts.get(path, 0) + 1
        path = self._inside(path)
        self._note(path, line)
        return path

    def _inside(self, path: Path) -> Path:
        """A list of tables stands for its last table, as in TOML's headers."""
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
        """Step over spaces and commas, and over the closing bracket if it is next."""
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
        for pattern in _STRINGS:
            if found := pattern.match(self.text, self.at):
                self.at = found.end()
                body = found.group()[1:-1]
                return body if found.group()[0] == "'" else _ESCAPE.sub(_unescape, body)
        self.at = len(self.text)
        return ""

    def _skip(self) -> None:
        self.at = self._end_of(_SPACE)

    def _end_of(self, pattern: re.Pattern[str]) -> int:
        """Where a pattern ends that starts here, or here where it does not match."""
        found = pattern.match(self.text, self.at)
        return found.end() if found else self.at

    def _ends(self) -> bool:
        self._skip()
        return self.at >= len(self.text)

    def _line(self) -> int:
        seen, line = self.counted
        self.counted = (self.at, line + self.text.count("\n", seen, self.at))
        return self.counted[1]

    def _note(self, path: Path, line: int) -> None:
        self.lines.setdefault(path, line)


def _unescape(found: re.Match[str]) -> str:
    code = found.group(1)
    return chr(int(code[1:], 16)) if code[0] in "uUx" and len(code) > 1 else _ESCAPES.get(code, code)
