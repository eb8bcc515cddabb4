"""Planes: the axes of a vector in pairs, the frequency of each pair, and the turn of all pairs.

    (a, b) → (a cos φ − b sin φ, a sin φ + b cos φ)

Every position of this room that turns is made of this one formula.
"""

from typing import Any, Literal, get_args

import numpy as np

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.scalars import positive, real, whole

Layout = Literal["interleaved", "half"]
"""The axes of plane i: 2i and 2i + 1 for "interleaved", i and i + dim/2 for "half"."""

LAYOUTS: tuple[Layout, ...] = get_args(Layout)

MOST_DIM = 2**22
"""The most dimensions whose angles are computed, one after another."""


def turned(x: Array, cos: Array, sin: Array, layout: Layout = "interleaved") -> Array:
    """Each plane of x, `(…, dim)`, turned counter-clockwise by the angle with this cosine and sine.

    cos, sin: an array that broadcasts to `(…, dim / 2)`, one number for each plane of each vector.
    """
    first, second = _halves(x, layout)
    return _whole(first * cos - second * sin, first * sin + second * cos, layout)


def frequencies(dim: Any, base: Any = 10000.0, what: str = "dim") -> np.ndarray:
    """The angle of each plane, in radians for a step of one position: θ_i = base^(−2i / dim), `(dim / 2,)` in float64.

    The first plane turns by 1, and each further one more slowly. what: the name of dim in messages. Raises
    `InvalidInput` for an odd dim and a base below 1e-300.
    Source: Vaswani et al. (2017), 3.5 (their wavelength is 2π / θ_i); Su et al. (2024), 3.2.2 (their i counts from 1).

    >>> frequencies(4)
    array([1.  , 0.01])
    """
    planes, root = n_planes(dim, what), real(positive(base, "base"), "base", least=1e-300)  # below, 1/base overflows
    return np.array([root ** (-i / planes) for i in range(planes)])  # Python's numbers, which no compiler narrows


def n_planes(dim: Any, what: str = "dim") -> int:
    """The number of planes, dim / 2; raises `InvalidInput` for an odd dim and one above `MOST_DIM`."""
    planes, odd = divmod(whole(dim, what, least=2), 2)
    if dim > MOST_DIM:
        raise InvalidInput(f"{what}: expected at most {MOST_DIM:,} dimensions, not {dim:,}")
    if odd:
        near = f"{dim - 1} or {dim + 1}"
        raise InvalidInput(f"{what}: expected an even number of dimensions, such as {near}, not {dim}")
    return planes


def _halves(x: Array, layout: Layout) -> tuple[Array, Array]:
    """The first and the second number of each plane, `(…, dim / 2)` each."""
    half = x.shape[-1] // 2
    return (x[..., :half], x[..., half:]) if layout == "half" else (x[..., 0::2], x[..., 1::2])


def _whole(first: Array, second: Array, layout: Layout) -> Array:
    """The vectors `(…, dim)` whose planes have these numbers."""
    xp = namespace(first)
    if layout == "half":
        return xp.concat((first, second), axis=-1)
    return xp.reshape(xp.stack((first, second), axis=-1), (*first.shape[:-1], 2 * first.shape[-1]))
