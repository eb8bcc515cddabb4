"""NumPy's own ways, which no other library has: kinds of arrays with rules of their own, and warnings of numbers."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from hopattn.foundation.errors import InvalidInput

Function = TypeVar("Function", bound=Callable[..., Any])
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


def quiet(function: Function) -> Function:
    """A decorator of functions that take arrays of any library, of which NumPy alone warns where numbers overflow.

    They give infinity or NaN, as those of the other libraries do, and no warning.
    """

    @wraps(function)
    def silent(*arguments: Any, **options: Any) -> Any:
        given = (*arguments, *options.values())
        if any(type(one).__module__.startswith(("torch", "jax")) for one in given):
            return function(*arguments, **options)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return function(*arguments, **options)

    return silent  # type: ignore[return-value]
