"""The bounds of a scenario's text: how deep its values are nested, and how many it holds.

They are asked before `tomllib` reads the text: its time grows with the square of the depth, and a value takes it and
the checks that follow many times the memory that it takes in the file.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hopattn.scenario.language.lines import QUOTES, tokens

MOST_DEPTH = 32
"""The most dots and brackets on the way to a value: dots of its table's name and of its key, brackets around it."""
MOST_VALUES = 80_000
"""The most values of a file, enough for the vectors of 300 words of 256 numbers each.

Each comma, equals sign and opening bracket counts as a value, and the bracket of a table as `TABLE` of them. A dot in
a key counts as many as there are dots and brackets before it, since `tomllib` goes through them again.
"""
TABLE = 4
"""How many values a table counts as, since checking it takes longer."""
MOST_VARIANTS = 1000
"""The most variants of a file."""
MOST_CHANGED = 500_000
"""The most changes of all variants of a file times its values: each change goes over all of them."""


def too_large(text: str) -> tuple[int, str] | None:
    """The line on which a text goes beyond a bound, and what is wrong there; None if it keeps to all.

    The text need not be TOML: it is looked at up to a quote without a partner, as far as `tomllib` would read it.
    """
    values = depth = table = 0
    opened: list[tuple[int, bool]] = []  # for each open bracket the depth behind it, and whether keys follow
    in_key, in_header = True, False
    for mark, _, line in tokens(text):
        if mark in QUOTES:
            break
        if mark in ("[", "{") and in_key and not opened:  # the name of a table
            values, depth, in_header = values + TABLE, 0, True
        elif mark in ("[", "{"):
            values, depth, in_key = values + (TABLE if mark == "{" else 1), depth + 1, mark == "{"
            opened.append((depth, in_key))
        elif mark in ("]", "}") and opened:
            depth, in_key = opened.pop()[0] - 1, False
        elif mark == "." and in_key:
            depth += 1
            values += depth
        elif mark == ",":
            values += 1
            depth, in_key = opened[-1] if opened else (depth, in_key)
        elif mark == "=":
            values, in_key = values + 1, False
        elif mark == "\n" and not opened:
            table = depth if in_header else table  # the dots of the last table's name
            depth, in_key, in_header = table, True, False
        if depth > MOST_DEPTH:
            return line, f"is nested too deeply; at most {MOST_DEPTH} dots and brackets may lead to a value"
        if values > MOST_VALUES:
            return line, f"more than {MOST_VALUES:,} values up to here; a scenario is a page of text"
    return None


def too_many_variants(changes: Sequence[int], document: Mapping[str, Any]) -> str:
    """The words for variants that are too many to be checked, empty if they are not.

    changes: the number of changes of each variant. document: what each of them changes.
    """
    if len(changes) > MOST_VARIANTS:
        return f"are {len(changes):,} variants; expected at most {MOST_VARIANTS:,}"
    n, size = sum(changes), _count(document)
    if n * size > MOST_CHANGED:
        message = f"{n:,} changes, each of a file of {size:,} values"
        return f"{message}; expected at most {MOST_CHANGED:,} for changes × values"
    return ""


def _count(node: Any) -> int:
    """The number of keys and entries in a document."""
    entries = node.values() if isinstance(node, Mapping) else node if isinstance(node, list) else ()
    return sum(1 + _count(entry) for entry in entries)
