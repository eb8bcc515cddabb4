"""The cells of tables: numbers with the digits of the figures, and arrays with their labels."""

import math
from typing import Any

import numpy as np

from hopattn.figures.text import number
from hopattn.foundation.sentences import in_comma, say
from hopattn.foundation.writing import WRITTEN_AS_0
from hopattn.results.labelled import HIDDEN, Labelled
from hopattn.views.visible import plain

MAX_ROWS, MAX_COLUMNS = 40, 16
"""The largest table that is shown."""
DIGITS, MORE_DIGITS = 2, 4
"""The decimals of a number in a table, as in the figures, and of a measure."""
LARGE, TOO_LARGE = 1e4, 1e9
"""From these sizes on, a number is written without decimals, and with a power of ten."""
SMALL = 1e-4
"""A smaller number is written with a power of ten."""
NEARLY = "~0"
"""A number that the decimals do not show, but that is not 0."""


def cell(value: Any, tiny: bool = False, digits: int = DIGITS, nearly: bool = False) -> str:
    """A number as in the figures; anything else as a text.

    tiny: whether a number near 0 is right as it is; else it is written as 0, because it may be a rounding error.
    digits: the decimals. nearly: whether a number that they do not show is `NEARLY`, not a number with digits of its
    own.

    >>> cell(0.7975), cell(-1.0), cell(0.0012), cell(1.8e-6), cell(1.8e-6, nearly=True), cell(65536.0)
    ('.8', '−1', '.0012', '1.8e−06', '~0', '65,536')
    """
    if not isinstance(value, (float, np.floating)):
        return plain(value)
    size = abs(float(value))
    if size == 0 or (size < WRITTEN_AS_0 and not tiny):
        return "0"
    text, counting = number(float(value), digits), max(digits, 1)
    if LARGE <= size < TOO_LARGE:
        text = f"{value:,.0f}"
    elif TOO_LARGE <= size < np.inf:
        text = f"{value:.{digits}e}"
    elif size < 0.5 * 10.0**-digits:
        if nearly:
            return NEARLY
        small = size < SMALL
        text = f"{value:.{counting}g}" if small else number(float(value), counting - 1 - math.floor(math.log10(size)))
    return in_comma(text.replace("-", "−"))


def array_rows(array: Labelled, digits: int = DIGITS) -> tuple[list[str], list[list[str]]]:
    """The headings and the rows of an array of one or two axes; of one axis, the headings are empty.

    A number that the decimals do not show is `NEARLY`, unless all are so small.
    """
    values = array.values if array.values.ndim == 2 else array.values[:, None]
    numeric = values.dtype.kind == "f" and values.size
    nearly = bool(numeric) and not array.tiny and float(np.abs(values).max()) >= 5 * 10.0**-digits
    rows = []
    for i, label in enumerate(array.labels[0]):
        cells = [cell(value, array.tiny, digits, nearly) for value in values[i]]
        if array.hidden is not None:
            cells = [HIDDEN if hidden else text for text, hidden in zip(cells, array.hidden[i], strict=True)]
        rows.append([plain(label), *cells])
    return ["", *(map(plain, array.labels[1]) if array.values.ndim == 2 else [""])], rows


def array_cells(array: Labelled) -> str | tuple[list[str], list[list[str]]]:
    """The headings and rows of an array with one or two axes, as a notebook shows them.

    A text for a number, and for an array that has more axes or is too large to be read.
    """
    values = array.values
    if values.ndim == 0:
        return cell(values[()], array.tiny, MORE_DIGITS)
    if values.shape[0] > MAX_ROWS or values.ndim > 2 or (values.ndim == 2 and values.shape[1] > MAX_COLUMNS):
        return too_large(values)
    return array_rows(array, MORE_DIGITS)


def too_large(values: np.ndarray) -> str:
    """A sentence instead of a table that nobody could read."""
    return say("{} values; --json shows them", " × ".join(map(str, values.shape)))
