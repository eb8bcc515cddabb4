r"""Visible text: characters that a reader cannot see, and that can control a terminal, as their escape: `\x1b`."""

import re
from typing import Any
from unicodedata import category

_ODD = re.compile(r"[^ -~]")
_SPACES = "Zs"
"""The category of spaces, such as the one that French writes before a question mark."""
_JOINERS = "\u200c\u200d"
"""Characters without which Persian, Hindi and some emoji cannot be written."""


def visible(text: str, keep: str = "") -> str:
    r"""A text in which control characters, turns of the writing direction and lone surrogates are escapes.

    keep: characters that stay as they are, such as line breaks.

    >>> print(visible("a\x1b[31m\u202eb", keep="\n"))
    a\x1b[31m\u202eb
    """

    def shown(found: re.Match[str]) -> str:
        one = found[0]
        harmless = one.isprintable() or one in keep or one in _JOINERS or category(one) == _SPACES
        return one if harmless else repr(one)[1:-1]

    return _ODD.sub(shown, text)


def plain(text: Any) -> str:
    """A text, for example from a file, in one line; characters that could control a terminal are escapes."""
    return visible(str(text))
