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


@checked
def dense_error(
    patterns: Annotated[Any, partial(given_numbers, zero=False)],
    neurons: Annotated[int, partial(whole, least=2, most=10**6)],
    n: Annotated[int, partial(whole, least=2, most=100)],
    rectified: Flag = True,
) -> np.ndarray:
    """The probability that turning a neuron of a stored pattern lowers the energy, `(...)` as the patterns.

    Turning it takes F(N) − F(N − 2) from the own pattern, F(s) = sⁿ or [s]₊ⁿ, and adds F(a + c) − F(a − c) for each
    other one, with c = ±1 and the sum a of N − 1 random signs. The mean of these is 0; their variance is summed over
    the binomial a, exactly for each N. Their sum counts as normal. patterns: P, above 0. neurons: N, at least 2. n:
    from 2 to 100. Raises `InvalidInput` for others. For N → ∞ and P at `dense_capacity` it is `wrong` there.

    >>> dense_error([100, 1005, 4019], neurons=100, n=3).round(4)
    array([0.    , 0.0053, 0.1006])
    """
    from scipy.special import ndtr
    from scipy.stats import binom

    k = np.arange(neurons)
    a = 2 * k - (neurons - 1)

    def power(s: Any) -> Any:
        """F(s)/Nⁿ, so that no power overflows."""
        return ((np.maximum(s, 0) if rectified else s) / neurons) ** n

    variance = binom.pmf(k, neurons - 1, 0.5) @ (power(a + 1) - power(a - 1)) ** 2
    signal = power(neurons) - power(neurons - 2)
    return np.asarray(ndtr(-signal / np.sqrt(np.maximum(patterns - 1, 1e-300) * variance)))
