"""Paths that a user gives: the name of a file in messages, and a file opened to read."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from hopattn.foundation.errors import InvalidInput, nearest, shortened


def named(file: Path) -> str:
    """The name of a file in quotes, for a message."""
    return f"'{shortened(file.name)}'"


def require_file(file: Path) -> None:
    """Raise `InvalidInput` for a missing file; the message gives the nearest name in its folder."""
    with _access(file):
        if file.is_file():
            return
        if file.exists():
            raise InvalidInput(f"{named(file)} is no file")
        folder = file.parent
        if not folder.is_dir():
            raise InvalidInput(f"there is no folder '{shortened(folder)}'")
        guess = nearest(file.name, (path.name for path in folder.iterdir() if path.is_file()))
    hint = f"; did you mean '{shortened(guess)}'?" if guess else ""
    raise InvalidInput(f"there is no file {named(file)} in '{shortened(folder)}'{hint}")


@contextmanager
def opened(file: Path) -> Iterator[BufferedReader]:
    """A file opened to read; raises `InvalidInput` for one that is missing, no plain file, or cannot be read."""
    require_file(file)
    with _access(file), file.open("rb") as stream:
        yield stream


@contextmanager
def _access(file: Path) -> Iterator[None]:
    """Turn an error of the operating system into `InvalidInput`."""
    try:
        yield
    except OSError as error:
        raise InvalidInput(f"{named(file)} cannot be read: {error.strerror or error}") from None
