"""Linear biases, −slope · |distance|: the score of a query and a key falls with their distance."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hopattn.foundation.boundary import Count, Declared, Positive, public
from hopattn.foundation.checks import require_room, whole
from hopattn.retrieval.masks import by_distance


@dataclass(frozen=True)
class Alibi(Declared):
    """The bias −slope · |distance| of one head, for texts of any length.

    Parameters
    ----------
    slope : positive, such as one of `ha.positions.alibi_slopes(n_heads)`.

    Raises
    ------
    InvalidInput : for another one.

    Notes
    -----
    Source: Press et al. (2022), 3 (their m is our slope).

    Examples
    --------
    >>> Alibi(0.5)(3)[0]
    array([ 0. , -0.5, -1. ])
    """

    slope: Positive

    def __call__(self, n: int, m: int | None = None) -> np.ndarray:
        """The bias of n queries and m keys, `(n, m)`; the queries are the last n of the m tokens, as in `alibi`."""
        return by_distance(self.at, n, m, "alibi")

    def at(self, distance: np.ndarray) -> np.ndarray:
        """The bias at these distances, in tokens from key to query."""
        return np.asarray(self.slope * -np.abs(distance))


@public
def alibi(n_heads: Count, n: Count, m: Annotated[int | None, whole] = None) -> np.ndarray:
    """The bias −slope · |distance| of n queries and m keys in each head, `(n_heads, n, m)`, as a NumPy array.

    Parameters
    ----------
    m : the number of keys, n by default; with m > n the queries are the last n of the m tokens, as in `ha.causal`.

    Raises
    ------
    InvalidInput : for numbers below 1 and for more queries than keys.

    Notes
    -----
    The bias is added to β q·k. Source: Press et al. (2022), 3 (their queries see only the words before them).

    Examples
    --------
    >>> alibi(8, 3)[0]
    array([[ 0. , -0.5, -1. ],
           [-0.5,  0. , -0.5],
           [-1. , -0.5,  0. ]])
    """
    keys = n if m is None else m
    require_room(n_heads * n * keys, f"alibi: {n_heads:,} heads of {n:,} queries and {keys:,} keys")
    return np.asarray(alibi_slopes(n_heads)[:, None, None] * Alibi(1.0)(n, m))


@public
def alibi_slopes(n_heads: Count) -> np.ndarray:
    """The slope of each head, `(n_heads,)`, from 2^(−8/n_heads) down to 2^−8 where n_heads is a power of two.

    For another number, the slopes are those of the largest power of two below it, N, and then every second one of 2N,
    from the first. Raises `InvalidInput` for a number that is not whole or below 1.
    Source: Press et al. (2022), 3, for powers of two; the authors' published code for other numbers.

    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    """
    require_room(n_heads, f"alibi: {n_heads:,} heads")
    power = 1 << (n_heads.bit_length() - 1)
    between = np.arange(n_heads - power) + 0.5
    return np.asarray(np.exp2(-8 / power * np.concatenate((np.arange(1.0, power + 1), between))))
