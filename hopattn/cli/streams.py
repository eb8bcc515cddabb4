"""Standard output and standard error, made safe: a reader that leaves early and a letter that is lacking are no errors.

In `hopattn list | head -1`, `head` closes the pipe after its line. The command then finishes quietly. `is_lost` says
that its output was not read, so that no exit code claims that expectations were met or missed.
"""

import io
import os
import sys
from typing import Any, ClassVar, TextIO

STDOUT = 1
"""The file descriptor of standard output."""


def make_safe() -> None:
    """Make both streams of this process safe; streams that someone else has put in their place stay as they are."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and stream is getattr(sys, f"__{name}__"):
            setattr(sys, name, _without_broken_pipe(stream))
        if hasattr(stream := getattr(sys, name), "reconfigure"):
            stream.reconfigure(errors="replace")  # a character that the terminal lacks is no error


def is_lost() -> bool:
    """Whether standard output was closed when the process began, or its reader has left."""
    return sys.stdout is None or _Unread.reader_left


def discard(descriptor: int) -> None:
    """Discard all further output to a file descriptor."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


class _Unread(io.FileIO):
    """A file descriptor whose output is discarded from the moment on when its reader has left."""

    reader_left: ClassVar[bool] = False

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            if self.fileno() == STDOUT:
                _Unread.reader_left = True
            discard(self.fileno())
            return memoryview(data).nbytes


def _without_broken_pipe(stream: TextIO) -> TextIO:
    """A stream to the same file that discards its output when the reader has left.

    A stream that is no plain file, such as a console of Windows, is given back as it is.
    """
    raw = getattr(stream.buffer, "raw", stream.buffer)
    if not isinstance(raw, io.FileIO):
        return stream
    stream.flush()
    unread = _Unread(raw.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(
        unread if raw is stream.buffer else io.BufferedWriter(unread),  # python -u buffers nothing
        encoding=stream.encoding,
        line_buffering=getattr(stream, "line_buffering", False),
        write_through=getattr(stream, "write_through", False),
    )
