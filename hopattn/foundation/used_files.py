"""The files that a command reads or writes, none of which it replaces."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

_USED: ContextVar[set[tuple[int, int]] | None] = ContextVar("used", default=None)
"""The device and the number of each file; None where nobody asks, as in a session of Python."""


@contextmanager
def used_files_kept() -> Iterator[None]:
    """Know from now on which files are used, whatever name or link each is used by."""
    token = _USED.set(set())
    try:
        yield
    finally:
        _USED.reset(token)


def note_used(file: Path) -> None:
    """Note a file that is read or written, if it is there."""
    if (files := _USED.get()) is not None:
        with suppress(OSError):
            files.add(_identity(file))


def is_used(file: Path) -> bool:
    """Whether a file has been read or written."""
    with suppress(OSError):
        return _identity(file) in (_USED.get() or ())
    return False


def _identity(file: Path) -> tuple[int, int]:
    state = file.stat()
    return state.st_dev, state.st_ino
