"""Objects: checks of arguments that are no arrays and no numbers: class, true or false, lists, functions, paths."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from hopattn.foundation.errors import InvalidInput, quoted

Kind = TypeVar("Kind")
MOST_BYTES = 255
"""The longest name of a file or a folder, on every system."""


def instance(value: Any, kind: type[Kind], what: str, means: str = "") -> Kind:
    """A value that is of a class; raises `InvalidInput` for one of another.

    means: what is expected, in place of the name of the class, such as "a scenario from hopattn.load".

    >>> instance(3, str, "name")
    Traceback (most recent call last):
        ...
    hopattn.foundation.errors.InvalidInput: name: expected a str, not 3
    """
    if not isinstance(value, kind):
        name = kind.__name__
        expected = means or f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
        raise InvalidInput(f"{what}: expected {expected}, not {quoted(value)}")
    return value


def each(values: Any, kind: type[Kind], what: str, means: str = "") -> tuple[Kind, ...]:
    """The entries of a list, a tuple or another iterable, all of one class; raises `InvalidInput` for anything else.

    means: as of `instance`, for each entry.
    """
    return tuple(instance(value, kind, f"{what}: entry {i}", means) for i, value in enumerate(entries_of(values, what)))


def entries_of(values: Any, what: str) -> Iterable[Any]:
    """A list, a tuple or another iterable as it is; raises `InvalidInput` for a text, a mapping and for no iterable."""
    if isinstance(values, (str, bytes, dict)) or not is_iterable(values):
        raise InvalidInput(f"{what}: expected a list, not {quoted(values)}")
    entries: Iterable[Any] = values
    return entries


def flag(value: Any, what: str) -> bool:
    """True or False; raises `InvalidInput` for anything else.

    >>> flag("no", "cyclic")
    Traceback (most recent call last):
        ...
    hopattn.foundation.errors.InvalidInput: cyclic: expected True or False, not 'no'
    """
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidInput(f"{what}: expected True or False, not {quoted(value)}")
    return bool(value)


def function(value: Any, what: str) -> Callable[..., Any]:
    """A function, or another object that can be called; raises `InvalidInput` for anything else."""
    if not callable(value):
        raise InvalidInput(f"{what}: expected a function, not {quoted(value)}")
    called: Callable[..., Any] = value
    return called


def path_of(value: Any, what: str) -> Path:
    """The path of a file, from a text or a path; raises `InvalidInput` for anything else."""
    if not isinstance(value, (str, os.PathLike)) or not isinstance(text := os.fspath(value), str):
        raise InvalidInput(f"{what}: expected the path of a file, not {quoted(value)}")
    if "\0" in text or not text:
        raise InvalidInput(f"{what}: {quoted(text)} is no path of a file")
    try:
        names = os.fsencode(text).split(os.fsencode(os.sep))
    except UnicodeEncodeError:
        raise InvalidInput(f"{what}: {quoted(text)} holds a character that no name of a file has") from None
    if max(map(len, names)) > MOST_BYTES:
        raise InvalidInput(f"{what}: {quoted(text)} is longer than the name of a file may be, {MOST_BYTES} bytes")
    return Path(text)


def is_iterable(values: Any) -> bool:
    """Whether one can go through the entries; not through those of an array without axes."""
    return isinstance(values, Iterable) and getattr(values, "ndim", 1) != 0
