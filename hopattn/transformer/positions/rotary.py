"""Rotary positions: each query and key is turned by an angle proportional to its position.

    (R_p q)·(R_r k) = q·(R_{r−p} k)

So the score of a query and a key depends on their contents and on the offset of their positions alone.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.foundation.arrays import (
    Array,
    as_array,
    as_float,
    device_of,
    in_numbers_of,
    namespace,
    require_broadcast,
    require_finite,
    widened,
)
from hopattn.foundation.errors import InvalidInput, reject_unknown, unknown
from hopattn.foundation.scalars import positive, whole
from hopattn.transformer.positions.planes import LAYOUTS, Layout, frequencies, turned


def rope(x: Any, positions: Any, base: float = 10000.0, layout: Layout = "interleaved") -> Array:
    """Rotary position embedding: plane i of the vector at position p is turned by pθ_i radians, θ_i = base^(−2i / dim).

    x: queries or keys, `(…, n, dim)` with an even dim, or one vector `(dim,)`. positions: real numbers that broadcast
    to `(…, n)`: `(n,)`, or one number for all. base: a positive number. layout: "interleaved" turns the planes of axes
    (0, 1), (2, 3), …, as the paper does; "half" those of axes (i, i + dim/2), as LLaMA's and GPT-NeoX's weights in
    Hugging Face's library expect. Gives an array of the shape and dtype of x. Lengths are kept, and position 0 changes
    nothing.

    The angles are float64 whatever x is, if the positions are a list or a NumPy array; positions of another library
    take its float64, where it has one. Measured in parts of a plane's length, the error is up to 1.3e-7 for a float32 x
    at any position up to 10⁸, and up to 1.3e-16 times the position for a float64 x. JAX without x64 has no float64: for
    positions that are a JAX array the error is then up to 8e-8 times the position, all digits at 10⁷.

    Raises `InvalidInput` for an odd dim, positions that do not fit x or are no numbers, a base that is not positive and
    an unknown layout; for positions that are not finite only in a list or a NumPy array, because others may be traced.
    Source: Su et al. (2024), "RoFormer", 3.2.2 (their m and i are our p and i + 1).

    >>> import hopattn as ha, numpy as np
    >>> q, k = [1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]
    >>> scores = [ha.rope(q, p + 3) @ ha.rope(k, p) for p in (0, 1, 100)]
    >>> np.round(scores, 6)
    array([-0.760002, -0.760002, -0.760002])
    """
    reject_unknown("layout", [layout], LAYOUTS)
    vectors = as_float(x, "x")
    if vectors.ndim == 0:
        raise InvalidInput("x: expected vectors (…, n, dim), not a single number")
    steps = frequencies(vectors.shape[-1], base, "dim of x")
    places = _places(positions, tuple(vectors.shape[:-1]))
    wide = widened(vectors)
    cos, sin = (in_numbers_of(wide, part) for part in _cos_sin(places, steps))
    return in_numbers_of(vectors, turned(wide, cos, sin, layout))


@dataclass(frozen=True)
class Rotary:
    """Rotary positions of a head: its queries and keys are turned by `rope`, word by word from position 0.

    base, layout: as in `rope`. Raises `InvalidInput` for a base that is not a positive finite number, and for an
    unknown layout.
    Source: Su et al. (2024), "RoFormer", 3.2.2.

    >>> import hopattn as ha, numpy as np
    >>> head = ha.Head(*[np.eye(2)] * 3, position=ha.Rotary())
    >>> head.trace([[1.0, 0.0]] * 3).scores.round(3)
    array([[ 1.   ,  0.54 , -0.416],
           [ 0.54 ,  1.   ,  0.54 ],
           [-0.416,  0.54 ,  1.   ]])
    """

    base: float = 10000.0
    layout: Layout = "interleaved"

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", positive(self.base, "base"))
        reject_unknown("layout", [self.layout], LAYOUTS)

    def __call__(self, x: Any, first: int = 0) -> Array:
        """Queries or keys `(…, n, dim)`, turned by the positions first to first + n − 1; the dim is even."""
        rows = _rows(x)
        first = whole(first, "first", least=0)
        return rope(rows, np.arange(first, first + rows.shape[-2]), self.base, self.layout)

    def undone(self, x: Any) -> Array:
        """The vectors before the turn from position 0; so a derivative goes back through it."""
        rows = _rows(x)
        return rope(rows, -np.arange(rows.shape[-2]), self.base, self.layout)


def _rows(x: Any) -> Array:
    rows = as_float(x, "x")
    if rows.ndim < 2:
        raise InvalidInput(f"x: expected (…, n, dim), not shape {tuple(rows.shape)}")
    return rows


def as_position(choice: Any) -> Rotary | None:
    """The position of a head from its name "rope", an object, or None; raises `InvalidInput` for anything else."""
    if choice is None or isinstance(choice, Rotary):
        return choice
    if isinstance(choice, str) and choice == "rope":
        return Rotary()
    raise InvalidInput(f"position: {unknown(choice, ['rope'])}; or give an hopattn.Rotary or None")


def _places(positions: Any, shape: tuple[int, ...]) -> Array:
    """The positions as an array; raises `InvalidInput` unless they are numbers that broadcast to the shape."""
    places = as_array(positions, "positions")
    if namespace(places).isdtype(places.dtype, ("bool", "complex floating")):
        raise InvalidInput(f"positions: expected real numbers, not {places.dtype}")
    require_broadcast(places, shape, "positions", "the rows of x")
    if isinstance(places, np.ndarray):
        require_finite(places, "positions")
    return places


def _cos_sin(places: Array, steps: np.ndarray) -> tuple[Array, Array]:
    """Cosine and sine of each position's angle in each plane, `(…, n, dim / 2)`, in the widest numbers there are."""
    xp = namespace(places)
    if isinstance(places, np.ndarray):
        angles = places[..., None].astype(np.float64) * steps
    else:
        known = xp.__array_namespace_info__().dtypes(kind="real floating", device=device_of(places))
        wide = xp.astype(places, known.get("float64", xp.float32))
        angles = wide[..., None] * in_numbers_of(wide, steps)
    return xp.cos(angles), xp.sin(angles)
