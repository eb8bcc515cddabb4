"""Objects that are always shown: `repr`, `str` and a notebook have words for each, whatever its parts are.

A record is made by its function, which is right by construction, and checks no part again. A record that somebody makes
of other parts, and an object that is not finished, are shown as their class with the types of their parts.
"""

from collections.abc import Callable
from functools import wraps
from html import escape
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type[Any])


def always_shown(kind: Kind) -> Kind:
    """The class, whose words and whose HTML are `by_types` from now on where its own fail.

    >>> class Row:
    ...     def __init__(self, values): self.values = values
    ...     def __repr__(self): return f"Row({len(self.values)} values)"
    >>> _ = always_shown(Row)
    >>> Row([1, 2]), Row(None)
    (Row(2 values), Row(values: NoneType))
    """
    for name, instead in (("__repr__", by_types), ("__str__", by_types), ("_repr_html_", _as_html)):
        if (write := getattr(kind, name, None)) is not None:
            setattr(kind, name, _or(write, instead))
    return kind


def by_types(record: Any) -> str:
    """An object as its class with the types of its parts."""
    every = getattr(record, "__dict__", {}).items()
    parts = (f"{name}: {type(value).__name__}" for name, value in every if not name.startswith("_"))
    return f"{type(record).__name__}({', '.join(parts)})"


def _as_html(record: Any) -> str:
    return f"<pre>{escape(by_types(record))}</pre>"


def _or(write: Callable[[Any], str], instead: Callable[[Any], str]) -> Callable[[Any], str]:
    """The text that `write` gives; where it fails, that of `instead`."""

    @wraps(write)
    def text(record: Any) -> str:
        try:
            return write(record)
        except Exception:  # anything that a part which is not what the record holds may raise
            return instead(record)

    return text
