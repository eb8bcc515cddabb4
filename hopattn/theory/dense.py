"""The capacity of dense associative memories: how the number of patterns grows with the number of neurons.

Source: Krotov & Hopfield (2016), Advances in Neural Information Processing Systems 29, equations 5 and 6.
"""

from functools import partial
from typing import Annotated, Any

import numpy as np

from hopattn.foundation.checks import whole
from hopattn.foundation.declared import Flag, Positive, checked
from hopattn.foundation.errors import InvalidInput
from hopattn.theory.mean_field import given_numbers


@checked
def dense_capacity(
    neurons: Annotated[Any, partial(given_numbers, zero=False)],
    n: Annotated[int, partial(whole, least=2, most=1000)],
    wrong: Positive = 0.005,
    rectified: Flag = True,
) -> np.ndarray:
    """The number of random patterns P that a dense memory of order n keeps: P grows as N to the power of n − 1.

    For N → ∞, the share `wrong` of the neurons of a stored pattern would lower the energy by turning, and turn under
    the asynchronous update; with 16 neurons and n = 4 twice as many do. Fewer turn under the synchronous update, whose
    scores have each neuron's own part. The score of the pattern is N^(n−1); the other patterns add a noise of variance
    P·(2n − 3)!!·N^(n−1), half of it if negative overlaps count as 0 (`rectified`), as in `ha.memories.dense`. neurons:
    N, above 0, `(...)`. n: from 2 to 1000. wrong: above 0, below one half. A capacity beyond the numbers is infinite.

    >>> dense_capacity([100, 200], n=3).round()
    array([1005., 4019.])
    """
    if wrong >= 0.5:
        raise InvalidInput(f"wrong: expected a share below 0.5, not {wrong:g}")
    from scipy.special import ndtri

    capacity = np.full(neurons.shape, (2 if rectified else 1) / ndtri(wrong) ** 2)
    with np.errstate(over="ignore"):
        for odd in range(1, 2 * n - 2, 2):  # factor by factor, because the power and (2n − 3)!! may overflow
            capacity = capacity * (neurons / odd)
    return np.asarray(capacity)
