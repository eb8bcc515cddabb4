"""Arrays that are NumPy's alone: kinds with rules of their own, which become plain ones or are refused."""

from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.room import require_room

PLAIN = (np.ndarray, np.memmap)
"""The classes of arrays that follow the rules of `numpy.ndarray`."""


def plain_array(values: Any, what: str) -> np.ndarray:
    """The values as a NumPy array of any dtype.

    Raises `InvalidInput` for rows of unequal length, for a mask, and for a range beyond the memory.
    An array in a file stays there. Other kinds of arrays, such as `numpy.matrix`, have rules of their own for products
    and shapes, and become an array without them.
    """
    if type(values) in PLAIN:
        return np.asanyarray(values)
    if isinstance(values, np.ndarray) and hasattr(values, "mask"):
        raise InvalidInput(f"{what}: expected an array without a mask; `numpy.ma.filled` gives one")
    if isinstance(values, range) and values:
        require_room((values[-1] - values[0]) // values.step + 1, what)
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise InvalidInput(f"{what}: rows of unequal length; expected numbers in a rectangle") from None
