"""Sinusoidal positions: sines and cosines of one position at many frequencies; and words joined with positions.

    P(p, 2i) = sin pθ_i,   P(p, 2i + 1) = cos pθ_i,   θ_i = base^(−2i / dim)

Each pair of columns is a point on a circle, so a step to another position is a rotation of all pairs: one matrix.
"""

from typing import Literal, get_args

import numpy as np

from hopattn.foundation.arrays import Array, as_float, in_numbers_of, namespace, shaped
from hopattn.foundation.boundary import Count, Real, Text, public
from hopattn.foundation.checks import require_room
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.shapes import require_broadcast
from hopattn.positions.planes import frequencies, rotation

How = Literal["concatenate", "add", "multiply"]
HOWS: tuple[How, ...] = get_args(How)


@public
def sinusoidal(n: Count, dim: int, *, base: float = 10000.0) -> np.ndarray:
    """The vectors of positions 0 to n − 1, `(n, dim)`, as a NumPy array of numbers in [−1, 1].

    The length of every row is √(dim / 2).

    Parameters
    ----------
    base
        a positive number; the wavelengths run from 2π up to almost 2π·base positions. `ha.positions.with_positions`
        adds the vectors to words.

    Raises
    ------
    InvalidInput : for n below 1, an odd dim, and a base that is not positive.

    Notes
    -----
    Source: Vaswani et al. (2017), 3.5 (their pos and d_model are our p and dim).

    Examples
    --------
    >>> sinusoidal(3, 4).round(3)
    array([[ 0.   ,  1.   ,  0.   ,  1.   ],
           [ 0.841,  0.54 ,  0.01 ,  1.   ],
           [ 0.909, -0.416,  0.02 ,  1.   ]])
    """
    steps = frequencies(dim, base)
    require_room(n * dim, f"sinusoidal: {n:,} positions of dim {dim:,}")
    angles = np.arange(n)[:, None] * steps
    return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(n, dim)


@public
def sinusoidal_shift(k: Real, dim: int, *, base: float = 10000.0) -> np.ndarray:
    """The matrix S_k `(dim, dim)` that takes the vector of position p to that of p + k, for every p.

        P(p + k) = S_k P(p);   the vectors of many positions are `P @ S_k.T`

    Parameters
    ----------
    k : a finite number, also negative or fractional.

    Raises
    ------
    InvalidInput : for another k, an odd dim, and a base that is not positive.

    Notes
    -----
    S_k is the rotation of plane i by −kθ_i, because the sine comes first. With S_{−1} as its w_query, a head whose keys
    are positions lets each word look for the word before it. Source: Vaswani et al. (2017), 3.5 ("a linear function of
    PE_pos"); LING3804 Lecture Notes 7, 7.3 (on one circle).

    Examples
    --------
    >>> places = sinusoidal(5, 4)
    >>> float(abs(places[1:] @ sinusoidal_shift(-1, 4).T - places[:-1]).max()) < 1e-15
    True
    """
    return rotation(-k * frequencies(dim, base), dim)


@public
def with_positions(words: Text, positions: Array, how: How = "add") -> Array:
    """Words joined with their positions, in the library and dtype of the words.

    Parameters
    ----------
    words : (…, n, dim)
    positions : vectors `(…, n, k)`, such as `ha.sinusoidal(n, dim)`; the leading axes broadcast to those of the words.
    how
        "add" and "multiply" give `(…, n, dim)`; k divides dim, and the vector of the position is repeated along the
        word's axes.

    Raises
    ------
    InvalidInput : for shapes that do not fit and an unknown `how`.

    Notes
    -----
    "concatenate" puts the position behind the word and gives `(…, n, dim + k)`. Source: Vaswani et al. (2017), 3.5, who
    add; AT6, Attention and Transformers, positional embeddings.

    Examples
    --------
    >>> with_positions([[1, 0], [1, 0]], sinusoidal(2, 2)).round(2)
    array([[1.  , 1.  ],
           [1.84, 0.54]])
    """
    reject_unknown("how", [how], HOWS)
    places = shaped(in_numbers_of(words, as_float(positions, "positions")), "positions", "… n k")
    require_broadcast(places[..., 0], tuple(words.shape[:-1]), "rows of positions", "the rows of words")
    xp, (dim, k) = namespace(words), (words.shape[-1], places.shape[-1])
    if how == "concatenate":
        return xp.concat((words, xp.broadcast_to(places, (*words.shape[:-1], k))), axis=-1)
    if dim % k:
        raise InvalidInput(f"positions: vectors of dim {k} do not fit words of dim {dim}; expected a divisor of {dim}")
    tiles = xp.concat((places,) * (dim // k), axis=-1)
    return words + tiles if how == "add" else words * tiles
