"""Sinusoidal positions: sines and cosines of one position at many frequencies.

    P(p, 2i) = sin pθ_i,   P(p, 2i + 1) = cos pθ_i,   θ_i = base^(−2i / dim)

Each pair of columns is a point on a circle, so a step from one position to another is a turn of all pairs: one matrix,
the same for every position.
"""

import numpy as np

from hopattn.foundation.room import require_room
from hopattn.foundation.scalars import real, whole
from hopattn.transformer.positions.circle import rotation
from hopattn.transformer.positions.planes import frequencies


def sinusoidal(n: int, dim: int, base: float = 10000.0) -> np.ndarray:
    """The vectors of positions 0 to n − 1, `(n, dim)`, as a NumPy array of numbers in [−1, 1].

    Even columns hold sines and odd columns cosines. The length of every row is √(dim / 2). base: a positive number;
    the wavelengths run from 2π up to almost 2π·base positions. `ha.with_positions` adds the vectors to words. Raises
    `InvalidInput` for n below 1, an odd dim, and a base that is not positive.
    Source: Vaswani et al. (2017), 3.5 (their pos and d_model are our p and dim).

    >>> import hopattn as ha
    >>> ha.sinusoidal(3, 4).round(3)
    array([[ 0.   ,  1.   ,  0.   ,  1.   ],
           [ 0.841,  0.54 ,  0.01 ,  1.   ],
           [ 0.909, -0.416,  0.02 ,  1.   ]])
    """
    steps = frequencies(dim, base)
    require_room(whole(n, "n") * dim, f"sinusoidal: {n:,} positions of dim {dim:,}")
    angles = np.arange(n)[:, None] * steps
    return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(n, dim)


def sinusoidal_shift(k: float, dim: int, base: float = 10000.0) -> np.ndarray:
    """The matrix S_k `(dim, dim)` that takes the vector of position p to that of p + k, for every p.

        P(p + k) = S_k P(p);   the vectors of many positions are `P @ S_k.T`

    k: a number of positions, also negative or broken. S_k is the rotation of plane i by −kθ_i, clockwise, because the
    sine stands first. So one step back is one matrix: as the w_query of a head whose keys are positions it lets each
    word look for the word before it. Raises `InvalidInput` for a k that is not finite, an odd dim, and a base that is
    not positive.
    Source: Vaswani et al. (2017), 3.5 ("a linear function of PE_pos"); LING3804 Lecture Notes 7, 7.3 (on one circle).

    >>> import hopattn as ha
    >>> places = ha.sinusoidal(5, 4)
    >>> back = ha.sinusoidal_shift(-1, 4)
    >>> float(abs(places[1:] @ back.T - places[:-1]).max()) < 1e-15
    True
    """
    return rotation(-real(k, "k") * frequencies(dim, base), dim)
