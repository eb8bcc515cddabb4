"""Arrays of any library: their namespace, unit vectors, tolerance by dtype, checks of shape and value.

The mathematics above this file is written once against the Python array API standard and runs on NumPy, PyTorch
and JAX arrays. Shapes are checked everywhere; values only where arrays enter (constructors and `recall`), because a
check on values cannot run while a function is being traced or differentiated.
"""

import os
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput

Array = Any  # an array of whichever library the user brought; its shape stands in each docstring


def namespace(*arrays: Array) -> Any:
    """The array API namespace that the arrays share; raises `InvalidInput` where they are of different libraries.

    NumPy (2.1 and later) is such a namespace itself; the compatibility layer is asked only for other libraries,
    since importing it costs as much as importing NumPy.
    """
    if len(arrays) == 1 and isinstance(arrays[0], np.ndarray):  # by far the most
        return np
    if all(isinstance(array, (np.ndarray, np.generic)) for array in arrays):
        return np
    from array_api_compat import array_namespace

    try:
        return array_namespace(*arrays)
    except TypeError:
        kinds = sorted({type(array).__module__.split(".")[0] for array in arrays})
        raise InvalidInput(f"expected arrays of one library, not of {' and '.join(kinds)}") from None


def as_array(values: Any, what: str = "array", like: Array | None = None) -> Array:
    """An array as it is, anything else (lists, tuples, numbers) as an array of the library of `like`, or of NumPy."""
    if _is_foreign_array(values):
        return values
    try:
        array = np.asarray(values)
    except (ValueError, TypeError):
        raise InvalidInput(f"{what}: rows of unequal length; expected numbers in a rectangle") from None
    if array.dtype.kind not in "biuf":
        raise InvalidInput(f"{what}: expected real numbers, not {array.dtype}")
    if like is None or isinstance(like, np.ndarray) or isinstance(values, np.ndarray):
        return array
    return namespace(like).asarray(array.tolist(), dtype=None if array.dtype.kind == "b" else like.dtype)


def as_float(values: Any, what: str = "array", like: Array | None = None) -> Array:
    """The values as a floating-point array; whole numbers and booleans take the library's default float."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return values
    array = as_array(values, what, like)
    xp = namespace(array)
    if xp.isdtype(array.dtype, "real floating"):
        return array
    if xp.isdtype(array.dtype, "complex floating"):
        raise InvalidInput(f"{what}: expected real numbers, not {array.dtype}")
    info = xp.__array_namespace_info__()
    return xp.astype(array, info.default_dtypes()["real floating"])


def tolerance(dtype: Any) -> float:
    """How far apart two iterates of a dtype may lie and still count as one: ε^¾.

    That is 1.8e-12 in float64 and 6.4e-6 in float32.
    """
    return float(np.finfo(dtype).eps ** 0.75)


def require_finite(array: Array, what: str) -> None:
    """Raise `InvalidInput` naming the first row that holds a NaN or an infinity."""
    xp = namespace(array)
    if array.ndim < 2:
        if not bool(xp.all(xp.isfinite(array))):
            raise InvalidInput(f"{what}: holds a NaN or an infinity; expected finite numbers")
        return
    for start in range(0, array.shape[0], 4096):  # so that many rows, perhaps in a file, need no room of their size
        bad = ~xp.isfinite(array[start : min(start + 4096, array.shape[0]), ...])
        if bool(xp.any(bad)):
            row = first_true(xp.any(bad, axis=-1), start)
            raise InvalidInput(f"{what}: row {row} holds a NaN or an infinity; expected finite numbers")


def stored_rows(values: Any, what: str) -> Array:
    """Vectors to be stored, `(n_patterns, dim)`; raises `InvalidInput` where there are none, or they are not finite."""
    rows = as_float(values, what)
    if rows.ndim != 2 or 0 in rows.shape:
        raise InvalidInput(
            f"{what}: expected (n_patterns, dim) with at least one pattern, not shape {tuple(rows.shape)}"
        )
    require_finite(rows, what)
    return rows


def require_dim(array: Array, dim: int, what: str, other: str) -> None:
    """Raise `InvalidInput` unless the last axis of `array` has the length `dim` that `other` has."""
    if array.ndim == 0:
        raise InvalidInput(f"{what}: expected vectors of dim {dim}, not a single number")
    if array.shape[-1] != dim:
        raise InvalidInput(f"{what}: dim {array.shape[-1]} does not fit {other} of dim {dim}")


def require_within(energy: np.ndarray) -> None:
    """Raise `InvalidInput` naming the first cue whose energy is no finite number."""
    bad = ~np.isfinite(energy)
    if np.any(bad):
        where = "" if energy.ndim == 0 else f" (row {first_true(bad)})"
        raise InvalidInput(
            f"energy: beyond the numbers of {energy.dtype}{where}; use smaller vectors, or a smaller beta such as 1/dim"
        )


def require_room(numbers: int, what: str) -> None:
    """Raise `InvalidInput` where so many numbers in float64 would not fit into this machine's memory."""
    if numbers < 2**24:  # 128 MiB, which any machine has
        return
    try:
        room = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # a system that does not tell
        return
    if 8 * numbers > room:
        gib = 2**30
        raise InvalidInput(f"{what} would take {8 * numbers / gib:,.1f} GiB; this machine has {room / gib:,.1f} GiB")


def _is_foreign_array(values: Any) -> bool:
    if isinstance(values, (np.ndarray, np.generic, list, tuple, int, float)):
        return False
    from array_api_compat import is_array_api_obj

    return bool(is_array_api_obj(values))


def first_true(flags: Array, before: int = 0) -> str:
    """The index of the first True, of rows with so many before them, as NumPy counts: `3`, or `1, 3` with more axes."""
    xp = namespace(flags)
    flat = int(xp.argmax(xp.astype(xp.reshape(flags, (-1,)), xp.int8)))
    row, *rest = np.unravel_index(flat, tuple(flags.shape))
    return ", ".join(str(int(i)) for i in (before + row, *rest))
