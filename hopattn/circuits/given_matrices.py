"""The matrices that a measure of heads is given: checks, and their conversion to NumPy."""

from typing import Any

import numpy as np

from hopattn.foundation.arrays import as_matrix, require_finite, widened
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.traces import constant


def numpy_matrix(values: Any, what: str) -> np.ndarray:
    """A matrix (out, in) of any library as a NumPy array in float64; raises `InvalidInput` unless it is finite."""
    given = constant(widened(as_matrix(values, what)))
    try:
        matrix = np.asarray(given).astype(np.float64, copy=False)
    except (TypeError, RuntimeError):
        raise InvalidInput(f"{what}: cannot be read from this device; move it to the CPU first") from None
    require_finite(matrix, what)
    return matrix
