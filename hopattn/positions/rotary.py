"""Rotary positions: each query and key is rotated by an angle proportional to its position.

(R_p q)·(R_r k) = q·(R_{r−p} k): the score depends on the contents and on the offset of the positions alone

`rotate_pairs` of `positions/planes.py` turns a vector.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any

import numpy as np

from hopattn.foundation.arrays import (
    Array,
    as_array,
    device_of,
    in_numbers_of,
    namespace,
    require_finite,
    shaped,
    widened,
)
from hopattn.foundation.boundary import Declared, Of, Positive, formula
from hopattn.foundation.checks import instance, whole
from hopattn.foundation.errors import InvalidInput, reject_unknown, unknown
from hopattn.foundation.shapes import require_broadcast
from hopattn.positions.planes import LAYOUTS, Layout, frequencies, n_planes, rotate_pairs
from hopattn.positions.scaling import Scaling


@formula
def rope(
    x: Annotated[Any, Of("… dim")], positions: Any, *, base: float = 10000.0, layout: Layout = "interleaved"
) -> Array:
    """Rotary position embedding: plane i of the vector at position p rotates by pθ_i radians, θ_i = base^(−2i / dim).

    Parameters
    ----------
    x : queries or keys, `(…, n, dim)` with an even dim, or one vector `(dim,)`; the result has its shape and dtype.
    positions : real numbers that broadcast to `(…, n)`.
    base : a positive number.
    layout
        "interleaved" takes the planes of axes (0, 1), (2, 3), …, as the paper does; "half" those of axes (i, i +
        dim/2), as LLaMA's and GPT-NeoX's weights in Hugging Face's library expect.

    Raises
    ------
    InvalidInput
        for an odd dim, positions that do not fit x or are not numbers, a base that is not positive, an unknown layout,
        and positions in a list or a NumPy array that are not finite (others may be traced).

    Notes
    -----
    The angles are float64, or the widest float of the library of the positions. Measured in parts of a plane's length,
    the error is up to 1.3e-7 for a float32 x at any position up to 10⁸, and up to 1.3e-16 times the position for a
    float64 x; for positions of JAX without x64, up to 8e-8 times the position, all digits at 10⁷.

    Source: Su et al. (2024), "RoFormer", 3.2.2 (their m and i are our p and i + 1).

    Examples
    --------
    >>> q, k = [1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]
    >>> scores = [rope(q, p + 3) @ rope(k, p) for p in (0, 1, 100)]
    >>> np.round(scores, 6)
    array([-0.760002, -0.760002, -0.760002])
    """
    reject_unknown("layout", [layout], LAYOUTS)
    return _turned(x, positions, frequencies(x.shape[-1], base, "dim of x"), layout)


def _turned(vectors: Array, positions: Any, steps: np.ndarray, layout: Layout) -> Array:
    """Vectors whose plane i at position p is rotated by p steps_i radians; raises `InvalidInput` as `rope` does."""
    places = as_array(positions, "positions")
    xp = namespace(places)
    if xp.isdtype(places.dtype, ("bool", "complex floating")):
        raise InvalidInput(f"positions: expected real numbers, not {places.dtype}")
    require_broadcast(places, tuple(vectors.shape[:-1]), "positions", "the rows of x")
    if isinstance(places, np.ndarray):
        require_finite(places, "positions")
        angles = places[..., None].astype(np.float64) * steps
    else:
        dtypes = xp.__array_namespace_info__().dtypes(kind="real floating", device=device_of(places))
        exact = xp.astype(places, dtypes.get("float64", xp.float32))
        angles = exact[..., None] * in_numbers_of(exact, steps)
    wide = widened(vectors)
    cos, sin = in_numbers_of(wide, xp.cos(angles)), in_numbers_of(wide, xp.sin(angles))
    return in_numbers_of(vectors, rotate_pairs(wide, cos, sin, layout))


def _layout(value: Any, what: str) -> Any:
    reject_unknown(what, [value], LAYOUTS)
    return value


def _even(value: Any, what: str) -> int:
    return 2 * n_planes(value, what)


def _scaling(value: Any, what: str) -> Scaling:
    return instance(value, Scaling, what)


@dataclass(frozen=True)
class Rotary(Declared):
    """Rotary positions of a head: its queries and keys are rotated by `rope`, word by word from position 0.

    Parameters
    ----------
    base, layout : as in `rope`, which has the source.
    dim : how many of the first dims are rotated, an even number; all by default.
    scaling : a rule for the frequencies, such as `hopattn.positions.YarnScaling`, or None.

    Raises
    ------
    InvalidInput : for others.

    Examples
    --------
    >>> import hopattn as ha
    >>> head = ha.Head(*[np.eye(2)] * 3, position=ha.positions.Rotary(), mask="causal")
    >>> head.trace([[1.0, 0.0]] * 3).scores.round(3)
    array([[ 1.   ,  0.54 , -0.416],
           [ 0.54 ,  1.   ,  0.54 ],
           [-0.416,  0.54 ,  1.   ]])
    """

    base: Positive = 10000.0
    _: KW_ONLY
    layout: Annotated[Layout, _layout] = "interleaved"
    dim: Annotated[int | None, _even] = None
    scaling: Annotated[Scaling | None, _scaling] = None

    def __call__(self, x: Array, first: int = 0) -> Array:
        """Queries or keys `(…, n, dim)`, rotated by the positions first to first + n − 1."""
        rows, first = shaped(x, "x", "… n dim"), whole(first, "first", least=0)
        return self._at(rows, np.arange(first, first + rows.shape[-2]))

    def undone(self, x: Array) -> Array:
        """The vectors before the rotation from position 0; so a derivative goes back through it."""
        rows = shaped(x, "x", "… n dim")
        return self._at(rows, -np.arange(rows.shape[-2]))

    def _at(self, rows: Array, places: np.ndarray) -> Array:
        require_rotated(self, rows.shape[-1], "dim of x")
        vectors = rows if self.dim is None else rows[..., : self.dim]
        steps = frequencies(vectors.shape[-1], self.base)
        if self.scaling is not None:
            vectors, steps = self.scaling.length * vectors, self.scaling(steps, self.base)
        vectors = _turned(vectors, places, steps, self.layout)
        return vectors if self.dim is None else namespace(rows).concat([vectors, rows[..., self.dim :]], axis=-1)


def require_rotated(position: Rotary, dim: int, what: str) -> None:
    """Raise `InvalidInput` unless vectors of this dim can be rotated; what: the name of the dim in messages."""
    if position.dim is None:
        n_planes(dim, what)
    elif position.dim > dim:
        raise InvalidInput(f"{what}: got {dim}; expected at least the {position.dim} dims that are rotated")


def as_position(choice: Any) -> Rotary | None:
    """The position of a head from its name "rope", an object, or None; raises `InvalidInput` for anything else."""
    if choice is None or isinstance(choice, Rotary):
        return choice
    if isinstance(choice, str) and choice == "rope":
        return Rotary()
    raise InvalidInput(f"position: {unknown(choice, ['rope'])}; or give an hopattn.positions.Rotary or None")
