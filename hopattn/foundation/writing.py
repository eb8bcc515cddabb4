"""Numbers and words as people read them: in the arithmetic of a lecture, in tables and in sentences."""

import decimal
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from fractions import Fraction
from itertools import groupby
from typing import Any, Self

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.sentences import in_comma, say


class Word(StrEnum):
    """A word with its `meaning`, the sentence that a reader sees."""

    meaning: str

    def __new__(cls, word: str, meaning: str = "") -> Self:
        """The member of this word."""
        member = str.__new__(cls, word)
        member._value_, member.meaning = word, meaning
        return member


DIGITS = 4
"""The number of decimals that `number` shows."""
WRITTEN_AS_0 = 1e-12
"""A smaller number is a rounding error and is written as 0."""
DENOMINATOR = 20
"""The largest denominator of a fraction that a reader reckons with."""
_FRACTIONS: ContextVar[bool] = ContextVar("fractions", default=False)
"""Whether `number` writes fractions."""


@contextmanager
def fractions() -> Iterator[None]:
    """Write numbers of more than three decimals as fractions, where the denominator is small.

    >>> with fractions():
    ...     number(1 / 3), number(-0.125), number(0.0625), number(0.7071)
    ('1/3', '−.125', '1/16', '.7071')
    """
    token = _FRACTIONS.set(True)
    try:
        yield
    finally:
        _FRACTIONS.reset(token)


def short_fraction(value: float) -> Fraction | None:
    """The decimal of at most three places, or the fraction of a small denominator, that a number is up to rounding.

    None for another number.

    >>> short_fraction(0.48), short_fraction(2 / 3), short_fraction(0.7071)
    (Fraction(12, 25), Fraction(2, 3), None)
    """
    near = (Fraction(round(value * 1000), 1000), Fraction(value).limit_denominator(DENOMINATOR))
    rounding = WRITTEN_AS_0 * max(1.0, abs(value))
    return next((fraction for fraction in near if abs(float(fraction) - value) <= rounding), None)


def number(value: float, rounding: float = WRITTEN_AS_0) -> str:
    """A number with at most four decimals and no leading zero; raises `InvalidInput` for NaN and infinities.

    rounding: a smaller number is written as 0.

    >>> number(0.8), number(-0.48), number(1.0), number(0.123456)
    ('.8', '−.48', '1', '.1235')
    """
    value = 0.0 if abs(value) < rounding else float(value)
    if not math.isfinite(value):
        raise InvalidInput("the arithmetic, squares included, grows out of range: use smaller vectors")
    if _FRACTIONS.get() and (fraction := short_fraction(value)) is not None and 1000 % fraction.denominator:
        return str(fraction).replace("-", "−")
    if value != 0 and not 10.0**-DIGITS <= abs(value) < 10.0**7:
        return in_comma(f"{value:.3g}").replace("-", "−")
    text = f"{abs(value):.{DIGITS}f}".rstrip("0").rstrip(".")
    text = in_comma(text[1:] if text.startswith("0.") else text)
    return f"−{text}" if value < 0 and text != "0" else text


def with_interval(
    value: float, low: float | None, high: float | None, write: Callable[[float], str] | None = None
) -> str:
    """A number, and the ends of its interval where there is one. write: writes each of them, by default `number`.

    >>> with_interval(0.9, 0.70049, 1.0), with_interval(0.9, None, None), with_interval(0.9, math.nan, math.nan)
    ('.9 [.7005, 1]', '.9', '.9')
    """
    write = number if write is None else write
    if low is None or high is None or not low < high:
        return write(value)
    return say("{} [{}, {}]", *map(write, (value, low, high)))


def significant(value: float) -> str:
    """A number like `number`, but a small one with four digits that count, so that it can be reckoned with.

    >>> significant(0.0069444), significant(2.02715), significant(-0.08333333)
    ('.006944', '2.0271', '−.08333')
    """
    if not 1e-9 < abs(value) < 0.1:
        return number(value)
    text = f"{abs(value):.{DIGITS - 1 - math.floor(math.log10(abs(value)))}f}".rstrip("0")
    return f"−{in_comma(text[1:])}" if value < 0 else in_comma(text[1:])


def shown(values: Any, digits: int = 6, rounding: float = WRITTEN_AS_0) -> str:
    """A number or nested lists of numbers, with so many digits. rounding: a smaller number is written as 0.

    >>> shown([1.0, 0.25])
    '(1, 0.25)'
    """
    if isinstance(values, list):
        return f"({listed(shown(value, digits, rounding) for value in values)})"
    return in_comma(f"{0.0 if abs(values) < rounding else values:.{digits}g}")


def at_most(value: float, digits: int = 4) -> str:
    """A number with so many digits, never rounded up, so that a bound stays true as it is printed.

    >>> at_most(1.05454), at_most(1.2), at_most(math.inf)
    ('1.054', '1.2', '∞')
    """
    if value == math.inf:
        return "∞"
    nearest = f"{value:.{digits}g}"
    if float(nearest) > value:
        below = decimal.Context(prec=digits, rounding=decimal.ROUND_FLOOR).create_decimal(value)
        return f"{float(below):.{digits}g}"
    return nearest


def counted(count: int, thing: str) -> str:
    """A number of things.

    >>> counted(1, "step"), counted(1200, "step")
    ('1 step', '1,200 steps')
    """
    return say(f"{{}} {thing}{'' if count == 1 else 's'}", count)


def listed(texts: Iterable[str]) -> str:
    """Texts with numbers in a row: with commas, or with semicolons where a comma begins the decimals.

    >>> listed([".8", ".6"])
    '.8, .6'
    """
    return say(", ").join(texts)


def in_sentence(words: Sequence[str]) -> str:
    """Words as a list in a sentence.

    >>> in_sentence(["C", "G", "8"])
    'C, G and 8'
    """
    return say("{} and {}", ", ".join(words[:-1]), words[-1]) if len(words) > 1 else words[0]


FEW_NAMES = 4
"""The most names with one text that are written out."""


def alike(names: Iterable[str], texts: Iterable[str]) -> list[tuple[str, str]]:
    """Neighbours with the same text as one entry: their names, and the text.

    >>> alike(["a", "b", "c"], ["1", "1", "2"])
    [('a, b', '1'), ('c', '2')]
    >>> alike(map(str, range(1, 31)), ["0"] * 30)
    [('1 … 30 (30)', '0')]
    """
    entries = []
    for text, group in groupby(zip(names, texts, strict=True), key=lambda pair: pair[1]):
        run = [name for name, _ in group]
        entries.append((", ".join(run) if len(run) <= FEW_NAMES else f"{run[0]} … {run[-1]} ({len(run)})", text))
    return entries


def in_lines(parts: Iterable[str], width: int) -> list[str]:
    """Parts with dots between them, on lines of at most `width` letters; a longer part has a line of its own.

    >>> in_lines(["one", "two", "three"], 9)
    ['one · two', 'three']
    """
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 3 <= width:
            lines[-1] += f" · {part}"
        else:
            lines.append(part)
    return lines
