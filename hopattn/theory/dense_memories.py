"""The capacity of dense associative memories: how the number of patterns grows with the number of neurons.

Source: Krotov & Hopfield (2016), Advances in Neural Information Processing Systems 29, equations 5 and 6; for the
exponential memory Demircigil et al. (2017), J. Stat. Phys. 168, 288.
"""

from functools import partial
from typing import Annotated

import numpy as np

from hopattn.foundation.arrays import Array, NumberOrArray
from hopattn.foundation.boundary import Flag, Positive, formula
from hopattn.foundation.checks import positive, whole
from hopattn.theory.replica_symmetric import each_number, given_numbers

NORMAL_MEAN = 1e6
"""The mean of Poisson numbers from which on they count as normal."""


def turned(rate: float, spread: float) -> float:
    """P(error) = Σ_k P(K = k) F(−(1 + k)/σ), K the difference of two Poisson numbers, each with the mean `rate`.

    F(0) is ½: a field of exactly 0 counts as half an error.

    The pattern itself adds 1 to a field. K is the sum of the patterns that equal it or its opposite, and σ = `spread`
    is the standard deviation of the sum of all others. A normal sum of all patterns misses these few, where they make
    the error: for 200 patterns of 12 neurons and an exponential F it gives .0018 instead of .0232.
    """
    from scipy.special import ndtr
    from scipy.stats import skellam

    if rate > NORMAL_MEAN:
        return float(ndtr(-1 / np.hypot(np.sqrt(2 * rate), spread)))
    reach = int(20 + 10 * np.sqrt(2 * rate))
    k = np.arange(-reach, reach + 1)
    least = 1e-300  # of both, so that nothing is divided by 0
    return float(skellam.pmf(k, max(rate, least), max(rate, least)) @ ndtr(-(1 + k) / max(spread, least)))


@formula
def dense_capacity(
    neurons: Annotated[NumberOrArray, partial(given_numbers, zero=False)],
    n: Annotated[int, partial(whole, least=2, most=1000)],
    *,
    wrong: Annotated[float, partial(positive, below=0.5)] = 0.005,
    rectified: Flag = True,
) -> np.ndarray:
    """The number of random patterns P that a dense memory of order n keeps: P grows as N to the power of n − 1.

    For N → ∞, the share `wrong` of the neurons of a stored pattern would lower the energy by turning, and turn under
    the asynchronous update; with 16 neurons and n = 4 twice as many do. Fewer turn under the synchronous update, whose
    scores have each neuron's own part. The score of the pattern is N^(n−1); the other patterns add a noise of variance
    P·(2n − 3)!!·N^(n−1), half of it if negative overlaps count as 0 (`rectified`), as in `ha.memories.dense`.

    Parameters
    ----------
    neurons : N, above 0, `(...)`.
    n : from 2 to 1000.
    wrong : above 0, below one half.

    Notes
    -----
    A capacity beyond the numbers is infinite.

    Examples
    --------
    >>> dense_capacity([100, 200], n=3).round()
    array([1005., 4019.])
    """
    from scipy.special import ndtri

    capacity, exponent = np.frexp(np.full(neurons.shape, (2 if rectified else 1) / ndtri(wrong) ** 2))
    for odd in range(1, 2 * n - 2, 2):  # with powers of 2 apart, because the power and the first factors may overflow
        capacity, power = np.frexp(capacity * (np.frexp(neurons)[0] / odd))
        exponent = exponent + power + np.frexp(neurons)[1]
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp(capacity, exponent))


@formula
def dense_error(
    patterns: Annotated[Array, partial(given_numbers, zero=False)],
    neurons: Annotated[int, partial(whole, least=2, most=10**6)],
    n: Annotated[int, partial(whole, least=2, most=100)],
    *,
    rectified: Flag = True,
) -> np.ndarray:
    """The probability that turning a neuron of a stored pattern lowers the energy, `(...)` as the patterns.

    With F(s) = sⁿ or [s]₊ⁿ, the turn takes F(N) − F(N − 2) from the term of the pattern itself. It adds F(a + c) − F(a
    − c) to that of each other pattern, with c = ±1 and the sum a of N − 1 random signs. The mean of these changes is 0;
    their variance is summed over the binomial a, exactly for each N. As in `exponential_error`, patterns that equal the
    pattern are counted, and the sum of all others is normal. From 30 patterns on the probability is right to .004; one
    far below .004 may be several times as large, for n of about 3 to 6. A change of exactly 0 counts as half an error.

    Parameters
    ----------
    patterns : P, above 0.
    neurons : N, at least 2.
    n : from 2 to 100.

    Raises
    ------
    InvalidInput : for others.

    Notes
    -----
    For N → ∞ and P at `dense_capacity` it is `wrong` there.

    Examples
    --------
    >>> dense_error([100, 1005, 4019], neurons=100, n=3).round(4)
    array([0.    , 0.0053, 0.1006])
    """
    from scipy.stats import binom

    k = np.arange(neurons)
    a = 2 * k - (neurons - 1)

    # |F(a + 1) − F(a − 1)|/Nⁿ, so that no power overflows; without `rectified`, that of −a is that of a
    upper = np.maximum(np.abs(a), 1) + 1
    with np.errstate(divide="ignore"):
        rise = (upper / neurons) ** n * -np.expm1(n * np.log1p(-2 / upper))
    rise[a == 0] = (1 if rectified else 1 - (-1) ** n) * (1 / neurons) ** n
    if rectified:
        rise[a < 0] = 0
    ends = slice(neurons - 1) if rectified else slice(1, neurons - 1)  # without a = N − 1, and 1 − N, of equal ones
    spread = np.sqrt(binom.pmf(k, neurons - 1, 0.5)[ends] @ rise[ends] ** 2) / rise[-1]
    others = np.maximum(patterns - 1, 0)
    equal = np.ldexp(1.0, -neurons) * (1 if rectified else 2)  # the share of them for each sign
    return each_number(turned, others * equal, np.sqrt(others) * spread)


@formula
def exponential_error(
    patterns: Annotated[Array, partial(given_numbers, zero=False)],
    neurons: Annotated[int, partial(whole, least=2, most=10**6)],
    *,
    beta: Positive = 1.0,
) -> np.ndarray:
    """The probability that turning a neuron of a pattern of the exponential memory lowers the energy, `(...)`.

    The term of the pattern itself is the unit. Another pattern, at the distance d without that neuron, adds
    ±exp(−2βd). Patterns with d = 0 are as strong as the pattern itself: their sum is the difference K of two Poisson
    numbers, each of the mean λ = (P − 1)/2^N. The sum of all others counts as normal, with the variance
    2λ((1 + exp(−4β))^(N−1) − 1):

        P(error) = Σ_k P(K = k) F(−(1 + k)/σ)

    so that patterns are kept up to near P = 2^N, where others equal them. From 30 patterns on that is right to .004 for
    β ≥ .1, and to .03 for a smaller β, with which the memory adds up signs. A change of exactly 0 counts as half an
    error.

    Parameters
    ----------
    patterns : P, above 0, `(...)`.
    neurons : N, at least 2.
    beta : β, above 0.

    Raises
    ------
    InvalidInput : for others.

    Notes
    -----
    The memory: Demircigil et al. (2017), J. Stat. Phys. 168, 288; the sum is derived here.

    Examples
    --------
    >>> exponential_error([100, 2981, 14765], neurons=16).round(4)
    array([0.0008, 0.0217, 0.0939])
    """
    log_rate = np.log(np.maximum(patterns - 1, 1e-300)) - neurons * np.log(2)
    farther = (neurons - 1) * np.log1p(np.exp(-4 * min(beta, 100.0)))
    spread = np.sqrt(2 * np.exp(log_rate + farther) * -np.expm1(-farther))
    return each_number(turned, np.exp(log_rate), spread)
