"""Planes: the axes of a vector in pairs, the frequency of each pair, and the rotation of all pairs.

    (a, b) → (a cos φ − b sin φ, a sin φ + b cos φ)

It is linear, so "a simple one-layer network can encode fixed-degree rotations" (LING3804 Lecture Notes 7, 7.3).
"""

from typing import Any, Literal, get_args

import numpy as np

from hopattn.foundation.arrays import Array, as_float, namespace, require_finite
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import positive, real, require_room, whole
from hopattn.foundation.errors import InvalidInput

Layout = Literal["interleaved", "half"]
"""The axes of plane i: 2i and 2i + 1 for "interleaved", i and i + dim/2 for "half"."""

LAYOUTS: tuple[Layout, ...] = get_args(Layout)
MOST_DIM = 2**22  # the most dimensions whose angles are computed, one after another


def rotate_pairs(x: Array, cos: Array, sin: Array, layout: Layout = "interleaved") -> Array:
    """Each plane of x, `(…, dim)`, rotated counter-clockwise by the angle with this cosine and sine.

    cos, sin: an array that broadcasts to `(…, dim / 2)`, one number for each plane of each vector.
    """
    xp, half = namespace(x), x.shape[-1] // 2
    a, b = (x[..., :half], x[..., half:]) if layout == "half" else (x[..., 0::2], x[..., 1::2])
    rotated = (a * cos - b * sin, a * sin + b * cos)
    if layout == "half":
        return xp.concat(rotated, axis=-1)
    return xp.reshape(xp.stack(rotated, axis=-1), x.shape)


def frequencies(dim: Any, base: Any = 10000.0, what: str = "dim") -> np.ndarray:
    """The angle of each plane, in radians for a step of one position: θ_i = base^(−2i / dim), `(dim / 2,)` in float64.

    what: the name of dim in messages. Raises `InvalidInput` for an odd dim and a base below 1e-300.
    Source: Vaswani et al. (2017), 3.5 (their wavelength is 2π / θ_i); Su et al. (2024), 3.2.2 (their i counts from 1).

    >>> frequencies(4)
    array([1.  , 0.01])
    """
    planes, root = n_planes(dim, what), real(positive(base, "base"), "base", least=1e-300)  # below, 1/base overflows
    return np.array([root ** (-i / planes) for i in range(planes)])  # Python's numbers, which no compiler narrows


def n_planes(dim: Any, what: str = "dim") -> int:
    """The number of planes, dim / 2; raises `InvalidInput` for an odd dim and one above `MOST_DIM`."""
    if whole(dim, what, least=2) > MOST_DIM:
        raise InvalidInput(f"{what}: expected at most {MOST_DIM:,} dimensions, not {dim:,}")
    if dim % 2:
        near = f"{dim - 1} or {dim + 1}"
        raise InvalidInput(f"{what}: expected an even number of dimensions, such as {near}, not {dim}")
    return int(dim) // 2


@public
def rotation(angle: Array, dim: int = 2) -> np.ndarray:
    """The matrix that rotates each plane (0, 1), (2, 3), … counter-clockwise by `angle` radians.

        R = [[cos a, −sin a], [sin a, cos a]],   y = R x

    Parameters
    ----------
    angle : a finite number for all planes, or `(dim / 2,)`, one for each plane.

    Returns
    -------
    `(dim, dim)`; `x @ R.T` rotates a batch of rows.

    Raises
    ------
    InvalidInput : for an odd dim and angles that do not fit.

    Examples
    --------
    >>> rotation(np.pi / 2).round(12) + 0
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    angles = as_float(angle, "angle")
    require_finite(angles, "angle")
    return _rotation(np.cos(angles), np.sin(angles), dim)


def rotation_degrees(angle: Array, dim: int = 2) -> np.ndarray:
    """`rotation` for an angle in degrees; exact for quarter turns, whose cosines and sines are whole numbers."""
    return _rotation(*cos_sin_degrees(angle), dim)


def circle(positions: Array, turn: float) -> np.ndarray:
    """Positions `(n,)` as points `(n, 2)` on the unit circle: position p is (cos p·turn, sin p·turn), turn in degrees.

    Source: LING3804 Lecture Notes 7, 7.3.

    >>> circle([0, 1, 2], turn=90) + 0
    array([[ 1.,  0.],
           [ 0.,  1.],
           [-1.,  0.]])
    """
    return np.stack(cos_sin_degrees(np.asarray(positions, dtype=float) * turn), axis=-1)


def cos_sin_degrees(angle: Array) -> tuple[np.ndarray, np.ndarray]:
    """Cosine and sine of an angle in degrees, exact at multiples of 90: only the rest, in [−45, 45], is rounded."""
    degrees = as_float(angle, "angle")
    require_finite(degrees, "angle")
    degrees = np.fmod(degrees, 360)  # exact for an angle of any size
    quarters = np.round(degrees / 90)
    remainder = np.radians(degrees - 90 * quarters)
    quarter = np.mod(quarters, 4).astype(int)
    cos, sin = np.cos(remainder), np.sin(remainder)
    return np.choose(quarter, [cos, -sin, -cos, sin]), np.choose(quarter, [sin, cos, -sin, -cos])


def _rotation(cos: np.ndarray, sin: np.ndarray, dim: int) -> np.ndarray:
    """The matrix that rotates each plane by the angle with this cosine and sine."""
    planes = n_planes(dim)
    require_room(dim**2, f"a rotation of {dim:,} dimensions")
    if cos.shape not in ((), (planes,)):
        raise InvalidInput(f"angle: shape {cos.shape} does not fit {planes} planes; give one angle, or one for each")
    columns = rotate_pairs(np.eye(dim), cos, sin)  # row j is the rotated axis j, which is column j of the matrix
    return np.ascontiguousarray(columns.T) + 0.0  # no −0
