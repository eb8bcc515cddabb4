"""Scalars: checks of single numbers."""

import math
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.traces import followed, surely

COUNTED = 2**63 - 1
"""The largest whole number with which NumPy counts."""
REPEATED = 10**8
"""The most steps, trials or draws of one call: more would take days."""


def positive(value: Any, what: str) -> float:
    """A positive finite number as a Python float, with which a float32 array stays float32."""
    return real(value, what, above=0.0)


def positive_or_followed(value: Any, what: str) -> Any:
    """A positive finite number as a Python float, or the array `()` that `followed` names, as it is."""
    if getattr(value, "ndim", 0):
        shape = tuple(value.shape)
        cure = "multiply the queries by it, or take one Head for each number"
        raise InvalidInput(f"{what}: expected a single number, not an array of shape {shape}; {cure}")
    if not followed(value):
        return positive(value, what)
    if surely(~((value > 0) & (value < math.inf))):
        raise InvalidInput(f"{what}: expected a positive finite number, not {quoted(value)}")
    return value


def real(value: Any, what: str, above: float = float("-inf"), least: float = float("-inf")) -> float:
    """A finite number as a Python float; raises `InvalidInput` unless it is above `above` and at least `least`.

    Raises it too for an array that a derivative is taken of, which would be lost.
    """
    if followed(value):
        raise InvalidInput(f"{what}: expected a plain number; the derivative by an array would be lost here")
    try:  # NumPy below 2.4 takes an array of one number for that number
        number = math.nan if isinstance(value, (bool, str)) or getattr(value, "ndim", 0) > 0 else float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number > above and number >= least):
        wanted = "a positive finite number" if above == 0 else "a finite number"
        reach = f" above {above:g}" if math.isfinite(above) and above != 0 else ""
        reach += f" of at least {least:g}" if math.isfinite(least) else ""
        raise InvalidInput(f"{what}: expected {wanted}{reach}, not {quoted(value)}")
    return number


def whole(value: Any, what: str, least: int = 1, most: int | None = COUNTED) -> int:
    """A whole number as an int; raises `InvalidInput` unless it is from `least` to `most` (None: no upper bound)."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    too_large = is_whole and most is not None and value > most
    if not is_whole or value < least or too_large:
        bounded = too_large or most not in (None, COUNTED, REPEATED)
        reach = f"from {least} to {most}" if bounded else f"of at least {least}"
        raise InvalidInput(f"{what}: expected a whole number {reach}, not {quoted(value)}")
    return int(value)
