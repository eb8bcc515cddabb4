"""The code of a function, as a checkpoint knows it: its name, and a hash that changes with what it computes."""

import hashlib
import inspect
import platform
from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import Any


def code_of(function: Callable[..., Any]) -> dict[str, str]:
    """The name of a function, a hash of its code, and the Python that compiled it, for the head of a checkpoint.

    The hash changes with every operation, number and text: in the body of the function, its defaults, its closure, and
    the arguments of a `functools.partial`. It changes neither with comments nor with the file that holds the function.
    It does not see the functions that are called, nor arrays and other objects.
    """
    values: list[Any] = []
    while isinstance(function, partial):
        values += [function.args, *sorted(function.keywords.items())]
        function = function.func
    inner: Any = inspect.unwrap(function)
    inner = inner if inspect.isroutine(inner) else type(inner).__call__  # an object that can be called
    values += [getattr(inner, name, None) for name in ("__code__", "__defaults__")]
    values += sorted((getattr(inner, "__kwdefaults__", None) or {}).items())
    values += [cell.cell_contents for cell in getattr(inner, "__closure__", None) or ()]
    return {
        "function": inner.__qualname__,
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "hash of its code": hashlib.sha256(_plain(tuple(values)).encode()).hexdigest()[:16],
    }


def _plain(value: Any) -> str:
    """A value as text that is the same in every process."""
    match value:
        case CodeType():
            return _plain((value.co_code, value.co_names, value.co_consts))
        case tuple():
            return f"({', '.join(map(_plain, value))})"
        case frozenset():  # "x in {…}" of a function; its order is that of this process
            return f"{{{', '.join(sorted(map(_plain, value)))}}}"
        case None | bool() | int() | float() | complex() | str() | bytes():
            return repr(value)
    return _plain(getattr(value, "__code__", type(value).__qualname__))
