"""The checkpoint of a sweep: its finished points, line by line in a file that survives an interruption."""

import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Any

from hopattn.foundation.checks import require_room
from hopattn.foundation.errors import CannotDo, InvalidInput, shortened
from hopattn.results.files import require_regular

START = b'{"sweep":'
"""The first bytes of every checkpoint."""
Head = Mapping[str, Any]
"""The description of a sweep in numbers, texts and lists. Two sweeps with equal heads are the same sweep."""


class Checkpoint:
    """A JSON-lines file: first the head of a sweep, then one line for each finished point, with the key of the point.

    finished: the results by key. repaired: True if the last line was incomplete and has been cut off. A line is written
    completely or not at all. Only `kill -9` or a power failure can cut it short; the next opening then removes it.
    The head comes with the first point, so that a sweep that finished none leaves an empty file, which is any sweep's.
    """

    def __init__(self, file: Path, stream: FileIO, finished: dict[str, Any], repaired: bool, *before: Head) -> None:
        self.file, self.finished, self.repaired = file, finished, repaired
        self._stream, self._before = stream, before

    def add(self, key: str, result: Any) -> None:
        """Append a finished point; raises `CannotDo` if the disk is full, and then all earlier points stay."""
        lines = [*self._before, {"key": key, "found": result}]
        data = b"".join(json.dumps(dict(line), ensure_ascii=False, allow_nan=False).encode() + b"\n" for line in lines)
        end = self._stream.seek(0, os.SEEK_END)
        try:
            if self._stream.write(data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            with suppress(OSError):
                self._stream.truncate(end)
            message = f"{self.file}: cannot be written: {error.strerror or error}"
            raise CannotDo(f"{message}; the {len(self.finished)} points before are kept") from None
        self._before = ()
        self.finished[key] = result


@contextmanager
def open_checkpoint(file: Path, head: Head) -> Iterator[Checkpoint]:
    """The checkpoint in a file, locked against other writers; a new file is created.

    Raises `InvalidInput` if the file is not a checkpoint or belongs to another sweep, and does not change it then.
    Raises `CannotDo` if the file cannot be read or written, or if another sweep is writing it.
    """
    require_regular(file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        stream = file.open("a+b", buffering=0)
    except OSError as error:
        raise CannotDo(f"{file}: cannot be written: {error.strerror or error}") from None
    with stream:
        _lock(stream, file)
        content = _content(stream, file)
        lines = _complete_lines(content)
        finished = _results(lines, head, file) if lines else {}
        incomplete = len(lines) < len(content)
        if incomplete:
            stream.truncate(len(lines))
        yield Checkpoint(file, stream, finished, incomplete, *([] if lines else [head]))


def read_checkpoint(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The head of the sweep in a file, and its results by key; an incomplete last line is ignored.

    Raises `InvalidInput` if the file does not exist or is not a checkpoint.
    """
    require_regular(file)
    try:
        with file.open("rb", buffering=0) as stream:
            content = _content(stream, file)
    except OSError as error:
        raise InvalidInput(f"{file}: cannot be read: {error.strerror or error}") from None
    lines = _complete_lines(content)
    head = _parsed(lines.partition(b"\n")[0], file, 1)
    return head, _results(lines, head, file)


def _content(stream: FileIO, file: Path) -> bytes:
    """The whole content; raises `InvalidInput` for a file that begins otherwise, before it is read, or is too large."""
    stream.seek(0)
    start = stream.read(len(START))
    if not START.startswith(start):
        raise InvalidInput(f"{file}:1: is not a line of a sweep's points; the file is left as it is")
    require_room(os.fstat(stream.fileno()).st_size // 2, f"{file}: the points")  # about four times its bytes
    return start + stream.read()


def _complete_lines(content: bytes) -> bytes:
    """The content up to its last line end."""
    return content[: content.rfind(b"\n") + 1]


def _results(lines: bytes, head: Head, file: Path) -> dict[str, Any]:
    """The results by key; raises `InvalidInput` if the file does not belong to the sweep with this head."""
    first, *others = lines.splitlines()
    if difference := _difference(_parsed(first, file, 1), json.loads(json.dumps(dict(head)))):
        raise InvalidInput(
            f"{file}: holds another sweep ({difference}), and is left as it is; give another file of points"
        )
    results = {}
    for number, line in enumerate(others, start=2):
        point = _parsed(line, file, number)
        if set(point) != {"key", "found"}:
            raise InvalidInput(f"{file}:{number}: is not a finished point of a sweep; the file is left as it is")
        results[str(point["key"])] = point["found"]
    return results


def _parsed(line: bytes, file: Path, number: int) -> dict[str, Any]:
    """One line as a dictionary; the first line must be the head of a sweep."""
    try:
        entry = json.loads(line)
    except ValueError:
        entry = None
    if not isinstance(entry, dict) or (number == 1 and "sweep" not in entry):
        raise InvalidInput(f"{file}:{number}: is not a line of a sweep's points; the file is left as it is")
    return entry


def _lock(stream: FileIO, file: Path) -> None:
    """Lock the file against other writers; a system without `fcntl` has no such lock, and none is taken."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise CannotDo(f"{file}: is being written by another sweep; wait for it, or give another file") from None


def _difference(there: Any, here: Any, name: str = "") -> str:
    """The first difference between the head in the file and the head of this sweep, in words; empty if they are equal.

    name: the entry of the heads that is compared.
    """
    if isinstance(there, dict) and isinstance(here, dict):
        names = dict.fromkeys((*here, *there))
        return next(filter(None, (_difference(there.get(key), here.get(key), str(key)) for key in names)), "")
    if there == here:
        return ""
    texts = ["nothing" if value is None else json.dumps(value, ensure_ascii=False) for value in (there, here)]
    return f"{name}: {shortened(texts[0])} there, {shortened(texts[1])} here"
