"""Standard output and standard error, made safe: a reader that leaves early and a letter that is lacking are no errors.

In `hopattn run bank | head -1`, `head` closes the pipe after its line. The command then goes on without a reader, and
its exit code keeps its meaning: 1 is a missed expectation and nothing else.
"""

import io
import os
import sys
from typing import Any, TextIO


def make_safe() -> None:
    """Make both streams of this process safe; streams that someone else has put in their place stay as they are."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and stream is getattr(sys, f"__{name}__"):
            setattr(sys, name, _without_broken_pipe(stream))
        if hasattr(stream := getattr(sys, name), "reconfigure"):
            stream.reconfigure(errors="replace")  # a character that the terminal lacks is no error


def discard(descriptor: int) -> None:
    """Discard all further output to a file descriptor."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


class _Unread(io.FileIO):
    """A file descriptor whose output is discarded from the moment on when its reader has left."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
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
