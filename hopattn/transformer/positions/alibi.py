"""Linear biases: the score of a query and a key falls with their distance, in each head at its own slope.

bias = −slope · |distance|
"""

from dataclasses import dataclass

import numpy as np

from hopattn.foundation.room import require_room
from hopattn.foundation.scalars import positive, whole
from hopattn.retrieval.masks import distances


@dataclass(frozen=True)
class Alibi:
    """The bias −slope · |distance| of one head, for texts of any length.

    slope: a positive number, such as one of `ha.alibi_slopes(n_heads)`. Raises `InvalidInput` for another one.
    Source: Press et al. (2022), 3 (their m is our slope).

    >>> import hopattn as ha
    >>> ha.Alibi(0.5)(3)
    array([[ 0. , -0.5, -1. ],
           [-0.5,  0. , -0.5],
           [-1. , -0.5,  0. ]])
    """

    slope: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "slope", positive(self.slope, "slope"))

    def __call__(self, n: int, m: int | None = None) -> np.ndarray:
        """The bias of n queries and m keys, `(n, m)`; the queries are the last n of the m tokens, as in `alibi`."""
        distance = np.abs(distances(n, m, "alibi"))
        return np.asarray(self.slope * -distance)


def alibi(n_heads: int, n: int, m: int | None = None) -> np.ndarray:
    """The bias −slope · |distance| of n queries and m keys in each head, `(n_heads, n, m)`, as a NumPy array.

    m: the number of keys, n by default; with m > n the queries are the last n of the m tokens, as in `ha.causal`. The
    paper has queries that see only what stands before them. Here a key after its query has the bias of a key as far
    before it; a mask, which is another argument of attention, hides it or not. The bias is added to β q·k. Raises
    `InvalidInput` for numbers that are not whole or below 1, and for more queries than keys.
    Source: Press et al. (2022), 3 (their m is our slope).

    >>> import hopattn as ha
    >>> ha.alibi(8, 3)[0]
    array([[ 0. , -0.5, -1. ],
           [-0.5,  0. , -0.5],
           [-1. , -0.5,  0. ]])
    """
    slopes = alibi_slopes(n_heads)
    rows, columns = whole(n, "n"), whole(n if m is None else m, "m")
    require_room(n_heads * rows * columns, f"alibi: {n_heads:,} heads of {rows:,} queries and {columns:,} keys")
    return np.asarray(slopes[:, None, None] * -np.abs(distances(n, m, "alibi")))


def alibi_slopes(n_heads: int) -> np.ndarray:
    """The slope of each head, `(n_heads,)`, from 2^(−8/n_heads) down to 2^−8 where n_heads is a power of two.

    For another number, the slopes are those of the largest power of two below it, N, and then every second one of 2N,
    from the first. Raises `InvalidInput` for a number that is not whole or below 1.
    Source: Press et al. (2022), 3, for powers of two; the authors' published code for other numbers.

    >>> import hopattn as ha
    >>> ha.alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    """
    require_room(whole(n_heads, "n_heads"), f"alibi: {n_heads:,} heads")
    power = 1 << (whole(n_heads, "n_heads").bit_length() - 1)
    between = np.arange(n_heads - power) + 0.5
    return np.asarray(np.exp2(-8 / power * np.concatenate((np.arange(1.0, power + 1), between))))
