"""Hints for numbers that are written in another way than TOML's: with a decimal comma, or as a text."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from hopattn.foundation.errors import shortened

_NUMBER_TEXT = re.compile(r"\s*([+-]?)(\d*)(?:[.,](\d*))?([eE][+-]?\d+)?\s*", re.ASCII)
_LARGEST = 2**53
"""Up to this number, a float holds every whole number."""


def comma_hint(values: Any, wanted: int) -> str:
    """The hint for a vector, or for the first row of a matrix, in which decimal commas are likely; else empty.

    They are likely if a row has the wanted number of entries once its whole numbers are paired, and none is left
    over: in TOML, `0,6` is two numbers.

    >>> comma_hint([0, 6, 0, 8], 2)
    '; if the commas are decimal ones, write 0.6 instead of 0,6'
    >>> comma_hint([0.6, 0, 8], 2), comma_hint([0, 6, 0.5, 8], 2), comma_hint([0, 6, 0], 2)
    ('; if the commas are decimal ones, write 0.8 instead of 0,8', '', '')
    """
    rows = values if values and isinstance(values[0], Sequence) else [values]
    pair = next((pair for row in rows if (pair := _first_pair(row, wanted))), None)
    if pair is None:
        return ""
    whole, decimals = map(int, pair)
    return f"; if the commas are decimal ones, write {whole}.{decimals} instead of {whole},{decimals}"


def _first_pair(row: Sequence[float], wanted: int) -> Sequence[float]:
    """The first two whole numbers of a row that has the wanted number of entries if its whole numbers are pairs.

    Empty for another row, and where a second number of a pair has a minus sign, as decimals have none.
    """
    runs = [list(run) for whole, run in groupby(row, lambda x: abs(x) < _LARGEST and x == int(x)) if whole]
    pairs = [run[i : i + 2] for run in runs for i in range(0, len(run), 2)]
    likely = pairs and len(row) - len(pairs) == wanted and all(len(pair) == 2 and pair[1] >= 0 for pair in pairs)
    return pairs[0] if likely else ()


def text_hint(value: Any, form: str = "{}", whole: bool = False) -> str:
    """The hint for a text given instead of a number; empty for any other value.

    form: how the number is to be written, `[{}]` in a list. whole: whether a whole number is wanted.

    >>> text_hint("0,6"), text_hint("-.5", "[{}]"), text_hint("3", whole=True)
    ('; write 0.6, without quotes', '; write [-0.5], without quotes', '; write 3, without quotes')
    >>> text_hint("much"), text_hint("0.6", whole=True)
    ('', '')
    """
    number = _as_number(value) if isinstance(value, str) else None
    if number is None or (whole and not number.lstrip("+-").isdigit()):
        return ""
    return f"; write {form.format(shortened(number))}, without quotes"


def _as_number(text: str) -> str | None:
    """A text such as "0,6" as TOML writes the number; None if it is not a number."""
    match = _NUMBER_TEXT.fullmatch(text.replace("−", "-"))
    if match is None or not (match[2] or match[3]):
        return None
    whole = (match[2] or "0").lstrip("0") or "0"
    decimals = f".{match[3]}" if match[3] else ""
    return f"{match[1]}{whole}{decimals}{match[4] or ''}"
