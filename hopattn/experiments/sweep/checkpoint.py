"""Finished points of a sweep, kept line by line in a file that an interruption cannot spoil."""

import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Any

from hopattn.foundation.errors import CannotDo, InvalidInput, shortened

Head = Mapping[str, Any]
"""What a sweep is, as numbers, texts and lists: two sweeps are one where these are the same."""


class Points:
    """A JSON-lines file: what the sweep is, then each finished point by its key.

    A line is written whole or taken back; one that was torn, by `kill -9` or a loss of power, is cut off when the file
    is opened again, and `repaired` says so.
    """

    def __init__(self, file: Path, stream: FileIO, done: dict[str, Any], repaired: bool) -> None:
        self.file, self.done, self.repaired = file, done, repaired
        self._stream = stream

    def keep(self, key: str, found: Any) -> None:
        """Append a finished point; raises `CannotDo` where there is no room for it, with all earlier points kept."""
        _append(self._stream, self.file, {"key": key, "found": found}, len(self.done))
        self.done[key] = found


@contextmanager
def opened(file: Path, head: Head) -> Iterator[Points]:
    """The points in a file, which is made where it is not there yet; nobody else may write it meanwhile.

    Raises `InvalidInput` for a file that is no such file or belongs to another sweep, which is left as it is, and
    `CannotDo` where it cannot be read or written, or is being written by somebody else.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        stream = file.open("a+b", buffering=0)
    except OSError as error:
        raise CannotDo(f"{file}: cannot be written: {error.strerror or error}") from None
    with stream:
        _lock(stream, file)
        stream.seek(0)
        text = stream.read()
        whole = text[: text.rfind(b"\n") + 1]
        done = _read(whole, head, file) if whole else _unspoiled(text, file)
        torn = len(whole) < len(text)
        if torn:
            stream.truncate(len(whole))
        if not whole:
            _append(stream, file, dict(head), 0)
        yield Points(file, stream, done, torn)


def read_points(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the sweep in a file is, and its finished points by key; a torn last line is left out.

    Raises `InvalidInput` for a file that is not there or no such file.
    """
    try:
        text = file.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{file}: cannot be read: {error.strerror or error}") from None
    whole = text[: text.rfind(b"\n") + 1]
    head = _line(whole.partition(b"\n")[0], file, 1)
    return head, _read(whole, head, file)


def _read(whole: bytes, head: Head, file: Path) -> dict[str, Any]:
    """The points of the lines of a file that belongs to this sweep."""
    first, *lines = whole.splitlines()
    found = _line(first, file, 1)
    if told := _difference(found, json.loads(json.dumps(dict(head)))):
        raise InvalidInput(f"{file}: holds another sweep ({told}), and is left as it is; give another file of points")
    done = {}
    for number, line in enumerate(lines, start=2):
        point = _line(line, file, number)
        if set(point) != {"key", "found"}:
            raise InvalidInput(f"{file}:{number}: is no finished point of a sweep; the file is left as it is")
        done[str(point["key"])] = point["found"]
    return done


def _line(line: bytes, file: Path, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict) or (number == 1 and "sweep" not in found):
        raise InvalidInput(f"{file}:{number}: is no line of a sweep's points; the file is left as it is")
    return found


def _unspoiled(text: bytes, file: Path) -> dict[str, Any]:
    """No points; a file without a whole line may only be a sweep's own first line, torn."""
    if text and not b'{"sweep":'.startswith(text[:9]):
        raise InvalidInput(f"{file}:1: is no line of a sweep's points; the file is left as it is")
    return {}


def _append(stream: FileIO, file: Path, line: Mapping[str, Any], kept: int) -> None:
    """Write a line at the end, or leave the file as it was."""
    end = stream.seek(0, os.SEEK_END)
    data = json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    try:
        if stream.write(data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        with suppress(OSError):
            stream.truncate(end)
        told = f"{file}: cannot be written: {error.strerror or error}"
        raise CannotDo(f"{told}; the {kept} points before are kept") from None


def _lock(stream: FileIO, file: Path) -> None:
    """Keep others from writing; where the system knows no such locks, they are trusted."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise CannotDo(f"{file}: is being written by another sweep; wait for it, or give another file") from None


def _difference(there: Any, here: Any, name: str = "") -> str:
    """The first thing that two sweeps differ in, in words; empty where they are one."""
    if isinstance(there, dict) and isinstance(here, dict):
        told = (_difference(there.get(key), here.get(key), str(key)) for key in dict.fromkeys((*here, *there)))
        return next(filter(None, told), "")
    if there == here:
        return ""
    both = [shortened("nothing" if one is None else json.dumps(one, ensure_ascii=False)) for one in (there, here)]
    return f"{name}: {both[0]} there, {both[1]} here"
