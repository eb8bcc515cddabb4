"""The checkpoint of a sweep: its finished points, line by line in a file that survives an interruption."""

import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from io import FileIO
from pathlib import Path
from typing import Any

from hopattn.experiments.sweeps.plan import Point, key_of
from hopattn.foundation.array_headers import require_file
from hopattn.foundation.checks import require_room
from hopattn.foundation.errors import CannotDo, InvalidInput, quoted, shortened
from hopattn.results.files import require_regular

VERSION = 2
"""The version of the format and of the random numbers of a sweep."""
START, POINT = b'{"sweep": %d, ' % VERSION, b'{"point": '
"""The first bytes of every checkpoint, and those of every line after its first."""
ENDING = b', "checksum": "%s"}'
LENGTH = len(ENDING % bytes(16))
"""The end of every line, with the checksum as 16 hexadecimal digits, and its length."""
LATER = ("shares", "text")
"""The entries of the head that older files lack."""
OTHER = "name another file of points, as in --points other.jsonl"
LEFT = f"the file is left as it is; {OTHER}"
"""What a message says of a file that is not this sweep's."""
Head = Mapping[str, Any]
"""The description of a sweep in numbers, texts and lists. Two sweeps with equal heads are the same sweep."""


class Checkpoint:
    """A JSON-lines file: first the head of a sweep, then one line for each finished point.

    finished: the numbers of each point by its key. repaired: True if the last line was incomplete and has been cut off.
    Each line ends with a checksum of itself and of the head, so that a line is known to be as this class wrote it. A
    line is written completely or not at all. Only `kill -9` or a power failure can cut it short; the next opening then
    removes it. The head comes with the first point, so that a sweep that finished none leaves an empty file, which is
    any sweep's.
    """

    def __init__(self, file: Path, stream: FileIO, head: bytes, finished: dict[str, Any], repaired: bool) -> None:
        self.file, self.finished, self.repaired = file, finished, repaired
        self._stream, self._head = stream, head

    def add(self, point: Point, numbers: Any) -> None:
        """Append a finished point; raises `CannotDo` if the disk is full, and then all earlier points stay."""
        end = self._stream.seek(0, os.SEEK_END)
        line = _line({"point": dict(point), "numbers": numbers}, self._head) + b"\n"
        data = line if end else self._head + b"\n" + line
        try:
            if self._stream.write(data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            with suppress(OSError):
                self._stream.truncate(end)
            message = f"{self.file}: cannot be written: {error.strerror or error}"
            raise CannotDo(f"{message}; the {len(self.finished)} points before are kept") from None
        self.finished[key_of(point)] = numbers


@contextmanager
def open_checkpoint(file: Path, description: Head) -> Iterator[Checkpoint]:
    """The checkpoint in a file, locked against other writers; a new file is created.

    Raises `InvalidInput` if the file is not a checkpoint, is damaged or belongs to another sweep, and does not change
    it then. Raises `CannotDo` if the file cannot be read or written, or if another sweep is writing it.
    """
    require_regular(file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        stream = file.open("a+b", buffering=0)
    except OSError as error:
        raise CannotDo(f"{file}: cannot be written: {error.strerror or error}") from None
    head, finished, incomplete = _line({"sweep": VERSION, **description}), dict[str, Any](), b""
    with stream:
        _lock(stream, file)
        if content := _content(stream, file):
            here, (head, *points, incomplete) = _entry(head, file), _lines(content, file)
            there = _entry(head, file)
            here = {name: entry for name, entry in here.items() if name in there or name not in LATER}
            if difference := _difference(there, here):
                raise InvalidInput(f"{file}:1: holds another sweep ({difference}); {LEFT}")
            finished = _results(points, head, file)
            stream.truncate(len(content) - len(incomplete))
        yield Checkpoint(file, stream, head, finished, bool(incomplete))


def read_checkpoint(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The head of the sweep in a file, and the numbers of each point by its key; an incomplete last line is ignored.

    Raises `InvalidInput` if the file does not exist, is not a checkpoint or is damaged.
    """
    require_regular(file)
    require_file(file)
    try:
        with file.open("rb", buffering=0) as stream:
            content = _content(stream, file)
    except OSError as error:
        raise InvalidInput(f"{file}: cannot be read: {error.strerror or error}") from None
    head, *points, _ = _lines(content, file)
    return _entry(head, file), _results(points, head, file)


def seed_of_file(file: Path) -> int | None:
    """The seed of the sweep in a file; None where there is no file, or none with points yet.

    Raises `InvalidInput` as `read_checkpoint` does.
    """
    return int(read_checkpoint(file)[0]["seed"]) if file.is_file() and file.stat().st_size else None


def _content(stream: FileIO, file: Path) -> bytes:
    """The whole content; raises `InvalidInput` for a file that begins otherwise, before it is read, or is too large."""
    stream.seek(0)
    start = stream.read(60)
    if start and not start.startswith(START):
        version = "another version has other random numbers"
        expected = f"the points of a sweep, which begin with {START.decode()}… ({version})"
        raise InvalidInput(f"{file}:1: expected {expected}, not {_quoted(start)}; {LEFT}")
    require_room(os.fstat(stream.fileno()).st_size // 2, f"{file}: the points")  # about four times its bytes
    return start + stream.read()


def _lines(content: bytes, file: Path) -> list[bytes]:
    """The complete lines, and the incomplete last one, which is empty if the file ends with a complete line.

    Raises `InvalidInput` if the head is incomplete, or if the last line does not begin as a point does.
    """
    *lines, last = content.split(b"\n")
    if not lines:
        raise InvalidInput(f"{file}:1: expected the points of a sweep, after a whole line, not {_quoted(last)}; {LEFT}")
    if not last.startswith(POINT[: len(last)]):
        raise InvalidInput(f"{file}:{len(lines) + 1}: expected a point, {POINT.decode()}…, not {_quoted(last)}; {LEFT}")
    return [*(line.removesuffix(b"\r") for line in lines), last]


def _results(lines: list[bytes], head: bytes, file: Path) -> dict[str, Any]:
    """The numbers of each point by its key."""
    points = (_entry(line, file, number, head) for number, line in enumerate(lines, start=2))
    return {key_of(point["point"]): point["numbers"] for point in points}


def _line(entry: Mapping[str, Any], head: bytes = b"") -> bytes:
    """An entry as a line below a head, without the line feed; the head itself if there is none above it."""
    text = json.dumps(dict(entry), allow_nan=False).encode()[:-1]
    return text + _ending(text, head)


def _ending(text: bytes, head: bytes) -> bytes:
    """The end of a line that begins with this text: its checksum, which depends on that of the head."""
    return ENDING % sha256(head[-LENGTH:] + text).hexdigest()[:16].encode()


def _entry(line: bytes, file: Path, number: int = 1, head: bytes = b"") -> dict[str, Any]:
    """The entry of a line; raises `InvalidInput` for one that is not as `_line` wrote it."""
    text, ending = line[:-LENGTH], line[-LENGTH:]
    if ending != (expected := _ending(text, head)):
        cure = f"delete line {number}, and its point is computed again" if head else OTHER
        there = f"expected a line that ends with {expected.decode()}, as hopattn wrote it, not {_quoted(ending)}"
        raise InvalidInput(f"{file}:{number}: {there}; the file is left as it is; {cure}")
    return json.loads(text + b"}")  # type: ignore[no-any-return]


def _quoted(line: bytes) -> str:
    """The beginning of a line in a message."""
    return quoted(line[:200].decode(errors="replace")) if line else "nothing"


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
