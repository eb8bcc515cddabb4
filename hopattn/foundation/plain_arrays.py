"""Arrays that are NumPy's alone: kinds with rules of their own, which become plain ones or are refused."""

from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput

PLAIN = (np.ndarray, np.memmap)
"""The classes of arrays that follow the rules of `numpy.ndarray`."""


def plain_array(values: Any, what: str) -> np.ndarray:
    """The values as a NumPy array of any dtype; raises `InvalidInput` for rows of unequal length, and for a mask.

    An array in a file stays there. Other kinds of arrays, such as `numpy.matrix`, have rules of their own for products
    and shapes, and become an array without them.
    """
    if type(values) in PLAIN:
        return np.asanyarray(values)
    if isinstance(values, np.ndarray) and hasattr(values, "mask"):
        raise InvalidInput(f"{what}: expected an array without a mask; `numpy.ma.filled` gives one")
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise InvalidInput(f"{what}: rows of unequal length; expected numbers in a rectangle") from None
