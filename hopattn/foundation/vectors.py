"""Vectors: rows scaled to unit length, products with a matrix, lengths."""

import math
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, first_true, namespace, require_finite, shaped
from hopattn.foundation.boundary import public
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.threads import workers
from hopattn.foundation.traces import known_true

LARGE_PRODUCT = 2**23  # the number of multiplications from which a product is divided into tiles
TILE = 256, 512  # the rows and the columns of a tile of a product


def normalised(x: Array) -> Array:
    """Each row divided by its length, `(…, dim)`; a zero row stays zero, and no square overflows or underflows."""
    xp = namespace(x)
    scaled = x / nonzero(xp.max(xp.abs(x), axis=-1, keepdims=True))
    return scaled / xp.sqrt(nonzero(xp.sum(scaled * scaled, axis=-1, keepdims=True)))


def linear(x: Array, matrix: Array) -> Array:
    """y = W x for each row of x, `(…, dim)` to `(…, out)`; all rows of a batch are one matrix product."""
    if x.ndim < 2:
        return x @ matrix.mT
    rows = x if x.ndim == 2 else namespace(x, matrix).reshape(x, (-1, x.shape[-1]))
    tiles = isinstance(rows, np.ndarray) and isinstance(matrix, np.ndarray) and rows.dtype == matrix.dtype
    if tiles and len(rows) * matrix.size >= LARGE_PRODUCT and rows.dtype.itemsize in (4, 8):  # as BLAS multiplies
        product = _by_tiles(rows, matrix)
    else:
        product = rows @ matrix.mT
    return product if x.ndim == 2 else namespace(product).reshape(product, (*x.shape[:-1], matrix.shape[0]))


def _by_tiles(rows: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """X Wᵀ in tiles that are shared among threads.

    The threads of BLAS wait actively for a while after a large product, and would take a core from the blocks of
    attention that follow it. The tiles do not depend on the number of threads, so that the threads change no bit.
    """
    product = np.empty((len(rows), len(matrix)), rows.dtype)

    def fill(i: int, j: int) -> None:
        here = slice(i, i + TILE[0]), slice(j, j + TILE[1])
        np.matmul(rows[here[0]], matrix[here[1]].T, out=product[here])

    with workers() as share:
        share(fill, [(i, j) for i in range(0, len(rows), TILE[0]) for j in range(0, len(matrix), TILE[1])])
    return product


def random_rotation(rng: np.random.Generator, dim: int) -> np.ndarray:
    """A uniform random orthogonal matrix, `(dim, dim)`: Q of a Gaussian matrix, with the signs of R's diagonal."""
    q, r = np.linalg.qr(rng.standard_normal((dim, dim)))
    return np.asarray(q * np.where(np.diagonal(r) < 0, -1.0, 1.0))


def nonzero(x: Array) -> Array:
    """x with each 0 replaced by 1, as a divisor; the derivative at a 0 is 0 and not NaN."""
    xp = namespace(x)
    return xp.where(x == 0, 1, x)


def at_least(x: Array, low: float) -> Array:
    """The larger of each entry and `low`."""
    return np.maximum(x, low) if isinstance(x, np.ndarray) else namespace(x).clip(x, low, None)


def sign(x: Array) -> Array:
    """−1, 0 or 1 for each entry, with the derivative 0; NaN stays. PyTorch can map it, unlike that of its namespace."""
    if isinstance(x, np.ndarray):
        return np.sign(x)
    xp = namespace(x)
    one = xp.ones_like(x)
    return xp.where(x > 0, one, xp.where(x < 0, -one, 0 * x))


def rectified(x: Array) -> Array:
    """[x]₊, entry by entry; its derivative is 0 at 0, as PyTorch's is for the ReLU."""
    if isinstance(x, np.ndarray):
        return np.maximum(x, 0.0)
    xp = namespace(x)
    return xp.where(x <= 0, 0.0, x)  # NaN stays


def logistic(x: Array) -> Array:
    """1 / (1 + exp(−x)) from exp(−|x|), which cannot overflow, and keeps its digits where it is small.

    For NumPy it is exp(min(x, 0)) / (1 + exp(−|x|)), the same to the last bit: a choice by the sign of each entry takes
    ten times as long, because the processor cannot foresee it. Derivatives at 0 in other libraries need the choice.
    """
    if isinstance(x, (np.ndarray, np.generic)):
        return np.exp(np.minimum(x, 0)) / (1 + np.exp(-np.abs(x)))
    xp = namespace(x)
    small = xp.exp(xp.where(x < 0, x, -x))
    return xp.where(x < 0, small, 1.0) / (1 + small)


def positive_power(x: Array, exponent: float) -> Array:
    """[x]₊ to any power, entry by entry, 0 where x ≤ 0; every derivative is 0 there, and none is NaN.

    A NumPy array is overwritten.
    """
    if not isinstance(x, np.ndarray):
        xp = namespace(x)
        above = x > 0
        return xp.where(above, xp.where(above, x, 1.0) ** exponent, 0.0)
    reach = np.maximum(x, 0.0, out=x)
    if exponent == 1:
        return reach
    if exponent == 2:
        return np.square(reach, out=reach)
    return np.power(reach, exponent, out=reach, where=reach > 0)  # only entries above 0 pay for a power


def largest_change(before: Array, after: Array) -> Array:
    """The largest |after − before| of an entry of each row, `(…,)`."""
    change = after - before
    if not isinstance(change, np.ndarray):
        return namespace(change).max(namespace(change).abs(change), axis=-1)
    return np.asarray(np.abs(change, out=change).max(axis=-1))


def row_length(x: Array) -> Array:
    """|x| of each row, `(…,)`; no square overflows or underflows."""
    xp = namespace(x)
    largest = xp.max(xp.abs(x), axis=-1)
    scaled = x / nonzero(largest)[..., None]
    square = xp.sum(scaled * scaled, axis=-1)
    return largest * xp.sqrt(nonzero(square))


def within_sums(x: Array) -> Array:
    """The rows `(…, dim)`, for functions of their direction; one whose sum may overflow is divided by 4 dim."""
    xp, many = namespace(x), 4.0 * x.shape[-1]
    large = xp.max(xp.abs(x), axis=-1, keepdims=True) > float(xp.finfo(x.dtype).max) / many
    return xp.where(large, x / many, x)


def longest_row(rows: np.ndarray) -> float:
    """The largest |x| among rows `(n, dim)`, without a copy of them; NaN if a row is not finite."""
    longest = 0.0
    with np.errstate(all="ignore"):
        for start in range(0, len(rows), 4096):
            block = rows[start : start + 4096]
            square = float(np.einsum("ij,ij->i", block, block).max())
            in_range = np.finfo(rows.dtype).smallest_normal <= square < math.inf
            length = math.sqrt(square) if in_range else float(row_length(block).max())
            if math.isnan(length):
                return length
            longest = max(longest, length)
    return longest


def largest_entry(rows: Array) -> float:
    """max |x| among all entries, without a copy of them; 0 for an empty array."""
    if not isinstance(rows, np.ndarray):
        xp = namespace(rows)
        return float(xp.maximum(xp.max(rows), -xp.min(rows))) if 0 not in rows.shape else 0.0
    return max(float(rows.max(initial=0.0)), -float(rows.min(initial=0.0)))


def largest_entries(rows: Array) -> Array:
    """max |x| of each row of `(n, dim)`, `(n,)`, without a copy of them."""
    xp = namespace(rows)
    return xp.maximum(xp.max(rows, axis=-1), -xp.min(rows, axis=-1))


@public
def unit(x: Any) -> Array:
    """Scale each row to unit magnitude: x / |x|, the pattern that "metabolism keeps at unit magnitude".

    Parameters
    ----------
    x : (dim,) or (…, dim)

    Raises
    ------
    InvalidInput : for a zero row, which has no direction, and for entries that are not finite.

    Notes
    -----
    Source: LING3804 Lecture Notes 7, 7.1.

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.unit([3, 4])
    array([0.6, 0.8])
    """
    vectors = shaped(x, "unit", "… dim")
    require_finite(vectors, "unit")
    xp = namespace(vectors)
    zero = xp.all(vectors == 0, axis=-1)
    if known_true(xp.any(zero)):
        where = "the vector" if vectors.ndim == 1 else f"row {first_true(zero)}"
        raise InvalidInput(f"unit: {where} is zero and has no direction")
    return normalised(vectors)
