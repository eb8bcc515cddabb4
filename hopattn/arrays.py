"""Arrays of any library: their namespace, unit vectors, tolerance by dtype, checks of shape and value.

The mathematics above this file is written once against the Python array API standard and runs on NumPy, PyTorch
and JAX arrays. Shapes are checked everywhere; values only where arrays enter (constructors and `recall`), because a
check on values cannot run while a function is being traced or differentiated.
"""

import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from hopattn.errors import InvalidInput, shortened

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


def normalised(x: Array) -> Array:
    """Each row divided by its length, `(…, dim)`; a zero row stays zero.

    The largest entry is divided out first, so that no square overflows or underflows.
    """
    xp = namespace(x)
    scaled = x / nonzero(xp.max(xp.abs(x), axis=-1, keepdims=True))
    return scaled / xp.sqrt(nonzero(xp.sum(scaled * scaled, axis=-1, keepdims=True)))


def linear(x: Array, matrix: Array) -> Array:
    """y = W x for each row of x, `(…, dim)` to `(…, out)`: all rows in one product, a batch's too."""
    if x.ndim < 3:
        return x @ matrix.mT
    rows = namespace(x, matrix).reshape(x, (-1, x.shape[-1])) @ matrix.mT
    return namespace(rows).reshape(rows, (*x.shape[:-1], matrix.shape[0]))


def nonzero(x: Array) -> Array:
    """The numbers with 1 in place of 0, to divide by; the derivative at a 0 is then 0 and not NaN."""
    xp = namespace(x)
    return xp.where(x == 0, xp.ones_like(x), x)


def at_least(x: Array, low: float) -> Array:
    """Each entry, or `low` where that is more."""
    return np.maximum(x, low) if isinstance(x, np.ndarray) else namespace(x).clip(x, low, None)


def row_length(x: Array) -> Array:
    """|x| of each row, `(…,)`."""
    xp = namespace(x)
    largest = xp.max(xp.abs(x), axis=-1)
    scaled = x / nonzero(largest)[..., None]
    square = xp.sum(scaled * scaled, axis=-1)
    return largest * xp.sqrt(nonzero(square))


def longest_row(rows: np.ndarray) -> float:
    """The largest |x| of all rows `(n, dim)`; without a copy of them."""
    longest = 0.0
    with np.errstate(all="ignore"):
        for start in range(0, len(rows), 4096):
            some = rows[start : start + 4096]
            square = float(np.einsum("ij,ij->i", some, some).max())
            within = np.finfo(rows.dtype).smallest_normal <= square < math.inf
            length = math.sqrt(square) if within else float(row_length(some).max())
            if not length <= longest:  # a NaN too
                longest = length
    return longest


def largest_entry(rows: np.ndarray) -> float:
    """max |x| of all entries, 0 where there are none; without a copy of them."""
    return max(float(rows.max(initial=0.0)), -float(rows.min(initial=0.0)))


def root(
    excess: Callable[[Array], Array], low: Array, high: Array, slope: Callable[[Array], Array] | None = None
) -> Array:
    """Where a falling function changes its sign between low and high, by bisection.

    A fixed number of halvings, which leaves nothing of an interval of length 1 in float64, so that it can be traced.
    slope: how fast the function falls; where it is known, NumPy takes Newton's steps, a tenth as many.
    """
    if slope is not None and isinstance(low, np.ndarray):
        return _newton(excess, slope, low, high)
    xp = namespace(low)
    for _ in range(64):
        middle = 0.5 * (low + high)
        above = excess(middle) > 0
        low, high = xp.where(above, middle, low), xp.where(above, high, middle)
    return 0.5 * (low + high)


def _newton(
    excess: Callable[[Array], Array], slope: Callable[[Array], Array], low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Newton's steps from the lower end, on which a convex function never oversteps; each narrows a bracket, of which
    the middle is taken where a step would leave it, and every eighth time, until no step is longer than rounding.
    """
    t, eps = low, float(np.finfo(low.dtype).eps)
    for count in range(1, 512):
        value, fall = excess(t), slope(t)
        low, high = np.where(value > 0, t, low), np.where(value > 0, high, t)
        step = t + value / np.where(fall > 0, fall, 1)
        safe = (fall > 0) & (low <= step) & (step <= high) & (count % 8 > 0)
        after = np.where(safe, step, 0.5 * (low + high))
        if np.all(np.abs(after - t) <= eps * np.maximum(np.abs(t), 1 / 64)):
            break
        t = after
    return t


def unit(x: Any) -> Array:
    """Scale each row to unit magnitude: x / |x|, the pattern that "metabolism keeps at unit magnitude".

    x: `(dim,)` or `(…, dim)`. Raises `InvalidInput` for a zero row, which has no direction, and for entries that are
    not finite. Source: LING3804 Lecture Notes 7, 7.1.

    >>> import hopattn as ha
    >>> ha.unit([3, 4])
    array([0.6, 0.8])
    """
    vectors = as_float(x, "unit")
    if vectors.ndim == 0 or vectors.shape[-1] == 0:
        raise InvalidInput("unit: expected vectors with at least one entry")
    require_finite(vectors, "unit")
    xp = namespace(vectors)
    zero = xp.all(vectors == 0, axis=-1)
    if bool(xp.any(zero)):
        where = "the vector" if vectors.ndim == 1 else f"row {_first_true(zero)}"
        raise InvalidInput(f"unit: {where} is zero and has no direction")
    return normalised(vectors)


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
            row = _first_true(xp.any(bad, axis=-1), start)
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
        where = "" if energy.ndim == 0 else f" (row {_first_true(bad)})"
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


def positive(value: Any, what: str) -> float:
    """A positive finite number as a Python float, which leaves float32 arrays float32."""
    return real(value, what, above=0.0)


def real(value: Any, what: str, above: float = float("-inf"), least: float = float("-inf")) -> float:
    """A finite number above a bound, or of at least one, as a Python float."""
    try:
        number = math.nan if isinstance(value, (bool, str)) else float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number > above and number >= least):
        wanted = "a positive finite number" if above == 0 else "a finite number"
        reach = f" above {above:g}" if math.isfinite(above) and above != 0 else ""
        reach += f" of at least {least:g}" if math.isfinite(least) else ""
        raise InvalidInput(f"{what}: expected {wanted}{reach}, not {shortened(repr(value))}")
    return number


def whole(value: Any, what: str, least: int = 1, most: int | None = None) -> int:
    """A whole number from `least` to `most`."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        reach = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InvalidInput(f"{what}: expected a whole number {reach}, not {shortened(repr(value))}")
    return int(value)


def _is_foreign_array(values: Any) -> bool:
    if isinstance(values, (np.ndarray, np.generic, list, tuple, int, float)):
        return False
    from array_api_compat import is_array_api_obj

    return bool(is_array_api_obj(values))


def _first_true(flags: Array, before: int = 0) -> str:
    """The index of the first True, of rows with so many before them, as NumPy counts: `3`, or `1, 3` with more axes."""
    xp = namespace(flags)
    flat = int(xp.argmax(xp.astype(xp.reshape(flags, (-1,)), xp.int8)))
    row, *rest = np.unravel_index(flat, tuple(flags.shape))
    return ", ".join(str(int(i)) for i in (before + row, *rest))
