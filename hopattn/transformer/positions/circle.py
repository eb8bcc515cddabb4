"""Positions as points on a circle, and rotations that move a point by a number of positions.

A rotation is a linear map, so "a simple one-layer network can encode fixed-degree rotations" (LING3804 Lecture Notes
7, 7.3).
"""

from typing import Any

import numpy as np

from hopattn.foundation.arrays import as_float, require_finite
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.room import require_room
from hopattn.transformer.positions.planes import n_planes, turned


def rotation(angle: Any, dim: int = 2) -> np.ndarray:
    """The matrix that turns each plane (0, 1), (2, 3), … counter-clockwise by `angle` radians.

        R = [[cos a, −sin a], [sin a, cos a]],   y = R x

    angle: one number for all planes, or `(dim / 2,)`, one for each plane. Gives `(dim, dim)`; `x @ R.T` turns a
    batch of rows. Raises `InvalidInput` for an odd dim, a number of angles that does not fit, and angles that are not
    finite.

    >>> import hopattn as ha, numpy as np
    >>> ha.rotation(np.pi / 2).round(12) + 0
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    angles = as_float(angle, "angle")
    require_finite(angles, "angle")
    return _block_rotation(np.cos(angles), np.sin(angles), dim)


def rotation_degrees(angle: Any, dim: int = 2) -> np.ndarray:
    """`rotation` for an angle in degrees; exact for quarter turns, whose cosines and sines are whole numbers."""
    cos, sin = cos_sin_degrees(angle)
    return _block_rotation(cos, sin, dim)


def circle(positions: Any, turn: float) -> np.ndarray:
    """Positions as points on the unit circle: position p is (cos p·turn, sin p·turn).

    positions: `(n,)`. turn: degrees from one position to the next. Gives `(n, 2)`.
    Source: LING3804 Lecture Notes 7, 7.3.

    >>> circle([0, 1, 2], turn=90) + 0
    array([[ 1.,  0.],
           [ 0.,  1.],
           [-1.,  0.]])
    """
    return np.stack(cos_sin_degrees(np.asarray(positions, dtype=float) * turn), axis=-1)


def cos_sin_degrees(angle: Any) -> tuple[np.ndarray, np.ndarray]:
    """Cosine and sine of an angle in degrees, exact at multiples of 90.

    The quarter turns are subtracted in degrees, which is exact. Only the rest, in [−45, 45], is rounded.
    """
    degrees = as_float(angle, "angle")
    require_finite(degrees, "angle")
    degrees = np.fmod(degrees, 360)  # exact for an angle of any size
    quarters = np.round(degrees / 90)
    rest = np.radians(degrees - 90 * quarters)
    quarter = np.mod(quarters, 4).astype(int)
    cos, sin = np.cos(rest), np.sin(rest)
    return np.choose(quarter, [cos, -sin, -cos, sin]), np.choose(quarter, [sin, cos, -sin, -cos])


def _block_rotation(cos: np.ndarray, sin: np.ndarray, dim: int) -> np.ndarray:
    planes = n_planes(dim)
    require_room(dim**2, f"a rotation of {dim:,} dimensions")
    if cos.shape not in ((), (planes,)):
        raise InvalidInput(f"angle: shape {cos.shape} does not fit {planes} planes; give one angle, or one for each")
    columns = turned(np.eye(dim), cos, sin)  # row j is the turned axis j, which is column j of the matrix
    return np.ascontiguousarray(columns.T) + 0.0  # no −0
