"""The numbers that a formula is given: finite, and none below 0."""

import numpy as np
from numpy.typing import ArrayLike

from hopattn.foundation.arrays import as_numpy
from hopattn.foundation.errors import InvalidInput


def given_numbers(values: ArrayLike, what: str, zero: bool = True) -> np.ndarray:
    """Numbers of at least 0 as an array in float64; raises `InvalidInput` for others, and for 0 unless `zero`."""
    array = as_numpy(values, what).astype(np.float64, copy=False)
    if not np.all(np.isfinite(array) & ((array >= 0) if zero else (array > 0))):
        raise InvalidInput(f"{what}: expected finite numbers {'of at least 0' if zero else 'above 0'}")
    return array
