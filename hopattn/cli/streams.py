"""Standard output and standard error, made safe: nothing is printed raw, and a reader may leave early without an error.

Titles, names of files and arguments may hold sequences that control a terminal. Both streams show them as escapes, such
as `\\x1b`, whoever prints them; only the colours of `hopattn.views.consoles` take another way.

In `hopattn list | head -1`, `head` closes the pipe after its line. The command then finishes quietly. `reader_has_left`
says that its output was not read, so that no exit code claims that expectations were met or missed.
"""

import io
import os
import sys
from collections.abc import Iterable
from typing import Any, ClassVar, TextIO

from hopattn.cli.code_pages import ERRORS
from hopattn.views.visible import visible

STDOUT = 1
"""The file descriptor of standard output."""
KEPT = "\n\t"
"""Characters that control the layout of a text and nothing else; the completion of the fish shell needs the tab."""


def make_safe() -> None:
    """Make both streams of this process safe; a stream that is safe already stays as it is.

    Output to a stream that was closed when the process began is discarded. If its number stayed free, the next
    file to be opened would have it, and worker processes would write their messages into that file.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None and _is_free(descriptor):
            discard(descriptor)
            if descriptor == STDOUT:
                _BrokenPipe.reader_left = True
            if descriptor:
                setattr(sys, name, os.fdopen(descriptor, "w", closefd=False))
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None or isinstance(stream, SafeStream):
            continue
        own = stream is getattr(sys, f"__{name}__")
        setattr(sys, name, SafeStream(_without_broken_pipe(stream) if own else stream))


class SafeStream:
    """A text stream that writes control characters as escapes, and in ASCII what its encoding lacks.

    styled: the stream beneath, for text in which the program itself has put colours.
    """

    def __init__(self, stream: TextIO) -> None:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=ERRORS)
        self.styled = stream
        self.buffer = SafeBytes(self)

    def write(self, text: str) -> int:
        """Write a text; gives its length."""
        self.styled.write(visible(text, keep=KEPT))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts, one behind the other."""
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.styled, name)


class SafeBytes:
    """The same stream for a writer of bytes, as click is where a shell completes a word."""

    def __init__(self, stream: SafeStream) -> None:
        self._stream = stream

    def write(self, data: Any) -> int:
        """Write text in UTF-8; gives its length in bytes."""
        self._stream.write(bytes(data).decode(errors="replace"))
        return len(data)

    def flush(self) -> None:
        """Write out what is held back."""
        self._stream.flush()


def reader_has_left() -> bool:
    """Whether standard output was closed when the process began, or its reader has left."""
    return sys.stdout is None or _BrokenPipe.reader_left


def discard(descriptor: int) -> None:
    """Discard all further output to a file descriptor."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != descriptor:
        os.dup2(nowhere, descriptor)
        os.close(nowhere)
    os.set_inheritable(descriptor, True)


def _is_free(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return True
    return False


class _BrokenPipe(io.FileIO):
    """A file descriptor whose output is discarded from the moment on when its reader has left."""

    reader_left: ClassVar[bool] = False

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            if self.fileno() == STDOUT:
                _BrokenPipe.reader_left = True
            discard(self.fileno())
            return memoryview(data).nbytes


def _without_broken_pipe(stream: TextIO) -> TextIO:
    """A stream to the same file that discards its output when the reader has left.

    A stream that is not a plain file, such as a console of Windows, is given back as it is.
    """
    raw = getattr(stream.buffer, "raw", stream.buffer)
    if not isinstance(raw, io.FileIO):
        return stream
    stream.flush()
    unread = _BrokenPipe(raw.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(
        unread if raw is stream.buffer else io.BufferedWriter(unread),  # python -u buffers nothing
        encoding=stream.encoding,
        line_buffering=getattr(stream, "line_buffering", False),
        write_through=getattr(stream, "write_through", False),
    )
