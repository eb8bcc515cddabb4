"""Grids: the values of an axis as a person writes them, such as 0.1:32:log20, 0:0.2:21, 1,2,5 or hebb,storkey."""

import math
import re
from collections.abc import Iterable, Mapping
from itertools import islice, pairwise
from numbers import Integral, Real
from sys import float_info
from typing import Any

from hopattn.foundation.checks import each
from hopattn.foundation.errors import InvalidInput, quoted, shortened

Values = tuple[Any, ...]
"""The values of one axis: numbers in rising order, or words."""
Grid = str | Iterable[Any]
"""The values of one axis as a caller gives them: a text such as "0.1:32:log20" or "hebb,storkey", numbers, or words."""

LARGEST = float_info.max
MOST = 100_000
"""The largest number of values of one axis."""
MOST_POINTS = 1_000_000
"""The largest number of points of a grid."""

_WORD = re.compile(r"(?!(?i:nan|inf|infinity)$)[A-Za-z_][A-Za-z0-9_.-]*(:[A-Za-z_]\w*)?")
_HOW = "expected start:stop:count, start:stop:logcount, or numbers with commas between them"


def of_words(values: Iterable[Any]) -> bool:
    """Whether the values of an axis are words, and not numbers."""
    return all(isinstance(value, str) for value in values)


def axis_values(grid: Grid, what: str = "grid", words: bool = False) -> Values:
    """The values of one axis, in rising order, each once, from a text or from numbers.

    start:stop:21 gives 21 values at equal distances, both ends included; start:stop:log20 gives 20 at equal ratios.
    Whole numbers stay whole: those of a list, and a spaced grid whose ends and step are whole; numbers of NumPy become
    numbers of Python. what: the name of the axis in messages. words: whether words are values too, in any order, in a
    text with commas between them. Raises `InvalidInput` for a grid that is empty or not in rising order, that repeats a
    value, or that holds an entry that is not a finite number.

    >>> axis_values("0:1:5"), axis_values("1:100:log3")
    ((0.0, 0.25, 0.5, 0.75, 1.0), (1.0, 10.0, 100.0))
    >>> axis_values("10:30:3"), axis_values("1,2,0.5e1"), axis_values([1, 2.5])
    ((10, 20, 30), (1, 2, 5.0), (1, 2.5))
    """
    try:
        return _of_text(grid, words) if isinstance(grid, str) else _in_order(map(_of_python, grid), words)
    except InvalidInput as error:
        raise InvalidInput(f"{what}: {error}") from None
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{what}: expected numbers in rising order, not {quoted(grid)}") from None


def axes_of(over: Mapping[str, Grid], what: str, words: bool = False) -> dict[str, Values]:
    """The values of each axis by its name, from texts or numbers.

    what: the name of the argument in messages. words: whether the values of an axis may be words. Raises `InvalidInput`
    if `over` is not a mapping, and as `axis_values` and `require_few_points`.
    """
    if not isinstance(over, Mapping):
        raise InvalidInput(f"{what}: expected the numbers of each axis by its name, not {quoted(over)}")
    names = each(list(over), str, f"{what}: names", "a text")
    axes = {name: axis_values(over[name], name, words) for name in names}
    require_few_points(axes, what)
    return axes


def require_few_points(axes: Mapping[str, Values], what: str) -> None:
    """Raise `InvalidInput` if the grid of these axes has more than `MOST_POINTS` points.

    what: the name of the argument in the message.
    """
    if (n := math.prod(map(len, axes.values()))) > MOST_POINTS:
        raise InvalidInput(f"{what}: the grid has {n:,} points; at most {MOST_POINTS:,} are gone over at once")


def axes_from(texts: Iterable[str], words: bool = False) -> dict[str, Values]:
    """The axes of a sweep from texts KEY=GRID of the command line: the values of each key, words too if `words`.

    >>> axes_from(["load=0.1,0.2", "beta=1:100:log3"])
    {'load': (0.1, 0.2), 'beta': (1.0, 10.0, 100.0)}
    """
    axes: dict[str, Values] = {}
    for text in texts:
        key, equals, grid = (part.strip() for part in text.partition("="))
        if not equals or not key:
            raise InvalidInput(f"--over '{shortened(text)}': expected KEY=GRID, as in beta=0.1:32:log20")
        if key in axes:
            raise InvalidInput(f"--over {shortened(key)}: is given twice")
        axes[key] = axis_values(grid, f"--over {shortened(key)}", words)
    return axes


def _of_python(value: Any) -> Any:
    """A number of NumPy as a number of Python, and anything else as it is."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return value
    return int(value) if isinstance(value, Integral) else float(value)


def _of_text(text: str, words: bool) -> Values:
    parts = [part.strip() for part in text.split(",")]
    if words and all(map(_WORD.fullmatch, parts)):
        return _in_order(parts, words)
    if ":" in text:
        return _spaced(text)
    numbers = [_number(part) for part in parts]
    try:
        return _in_order(numbers)
    except InvalidInput as error:
        if len(numbers) % 2 or not re.fullmatch(r"[0-9,]+", text):
            raise
        raise InvalidInput(f"{error}; if the commas are decimal ones, write {'.'.join(parts[:2])}") from None


def _in_order(entries: Iterable[Any], words: bool = False) -> Values:
    """The entries as they are: finite numbers in rising order, or different words in any order, if `words`."""
    values = tuple(islice(entries, MOST + 1))
    if not values:
        raise InvalidInput(f"is empty; {_HOW}")
    if len(values) > MOST:
        raise InvalidInput(f"holds more than {MOST:,} numbers")
    if words and of_words(values):
        if twice := [word for i, word in enumerate(values) if word in values[:i]]:
            raise InvalidInput(f"{shortened(twice[0])} is given twice")
        return values
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
            raise InvalidInput(f"{quoted(value)} is not a finite number; {_HOW}")
    for value, after in pairwise(values):
        if after == value:
            raise InvalidInput(f"{value:g} is given twice")
        if after < value:
            raise InvalidInput(f"{after:g} comes after {value:g}; write the numbers in rising order")
    return values


def _spaced(text: str) -> Values:
    """The values of start:stop:count or start:stop:logcount."""
    parts, shown = [part.strip() for part in text.split(":")], f"'{shortened(text)}'"
    if len(parts) != 3:
        raise InvalidInput(f"{shown} has {len(parts)} parts; {_HOW}")
    (start, stop), number = map(_number, parts[:2]), parts[2].removeprefix("log")
    if not re.fullmatch(r"[0-9]{1,9}", number) or not 2 <= int(number) <= MOST:
        raise InvalidInput(f"{shown} has '{shortened(number)}' numbers; expected a count from 2 to {MOST}")
    if start >= stop:
        raise InvalidInput(f"{shown} runs from {start:g} to {stop:g}; write the smaller end first")
    last, logarithmic = int(number) - 1, parts[2].startswith("log")
    if logarithmic and start <= 0:
        raise InvalidInput(f"{shown} starts at {start:g}; equal ratios need numbers above 0")
    if not logarithmic and isinstance(start, int) and isinstance(stop, int) and (stop - start) % last == 0:
        return tuple(range(start, stop + 1, (stop - start) // last))
    low, high = (math.log(start), math.log(stop)) if logarithmic else (start, stop)
    inner = (low + i / last * (high - low) for i in range(1, last))
    rounded = (float(f"{math.exp(value) if logarithmic else value:.12g}") for value in inner)
    return _in_order((float(start), *rounded, float(stop)))


def _number(text: str) -> int | float:
    if not text:
        raise InvalidInput(f"a number is missing; {_HOW}")
    try:
        number = int(text) if re.fullmatch(r"[+-]?[0-9]{1,18}", text) else float(text)
    except ValueError:
        comma = re.fullmatch(r"[+-]?([0-9]*),[0-9]+", text)
        how = f"a number has a decimal point: write {text.replace(',', '.')}" if comma else _HOW
        raise InvalidInput(f"'{shortened(text)}' is not a number; {how}") from None
    if not math.isfinite(number) or "_" in text:
        raise InvalidInput(f"'{shortened(text)}' is not a finite number; {_HOW}")
    return number
