"""Sparse distributed memory by its binomial counts: what is read at a distance from the address of a stored word.

M locations have random addresses of N bits. A word is added to all locations within the distance r of its address, and
read as the sign of the sum over all locations within r of a cue. A location is near one point with the probability p,
near two points at the distance d with the probability λ(d), where B(n) counts the ones of n random bits:

    p = P(B(N) ≤ r)          λ(d) = Σ_a P(B(d) = a) P(B(N − d) ≤ r − max(a, d − a))

A cue at the distance d shares L locations with its word, so that this adds ±L to the sum of a bit, L binomial with the
mean M λ(d). Each of the T − 1 other words adds ±L', at the distance D = B(N) of a random word. The sum is nearly
normal:

    towards the word: M λ(d)     towards the cue: c = (T − 1) M E[λ(D)(1 − 2D/N)], if words are their own addresses
    variance: V = M λ(d)(1 − λ(d)) + (T − 1) E[L'²]
    P(wrong bit) = (1 − d/N) F(−(M λ(d) + c)/√V) + (d/N) F(−(M λ(d) − c)/√V)

with the normal distribution F. Words near the cue are read more often, and their bits are like its own: hence c.

Source: Kanerva (1988), Sparse Distributed Memory, chapters 6 and 7 (N = 1,000, M = 10⁶, r = 451, T = 10,000). He has
neither c nor the square of the mean in E[L'²]: he counts copies of one word as independent.
"""

from functools import lru_cache, partial
from typing import Annotated

import numpy as np

from hopattn.foundation.boundary import Flag, formula
from hopattn.foundation.checks import whole
from hopattn.foundation.errors import InvalidInput

SAME = 1e-9  # the bits by which a reading that is the cue itself, up to rounding, may be nearer
Bits = Annotated[int, partial(whole, most=4000)]
Distance = Annotated[int, partial(whole, least=0, most=4000)]
Counted = Annotated[int, partial(whole, most=10**12)]


@formula
def active_share(bits: Bits, radius: Distance) -> float:
    """p: the share of all addresses of so many bits within the radius of one, a Hamming distance.

    >>> round(active_share(1000, 451), 5)
    0.00107
    """
    from scipy.stats import binom

    return float(binom.cdf(radius, bits, 0.5))


@formula
def shared_share(bits: Bits, radius: Distance, distance: Distance) -> float:
    """λ(d): the share of all addresses within the radius of both of two points at this distance, at most `bits`.

    >>> shared_share(4, 1, 0), shared_share(4, 1, 1), shared_share(4, 1, 3)
    (0.3125, 0.125, 0.0)
    """
    from scipy.stats import binom

    if distance > bits:
        raise InvalidInput(f"distance: got {distance}; expected at most {bits}, the number of bits")
    a = np.arange(distance + 1)
    inside = binom.cdf(radius - np.maximum(a, distance - a), bits - distance, 0.5)
    return min(float(binom.pmf(a, distance, 0.5) @ inside), 1.0)  # by rounding above 1


@formula
def sdm_error(
    bits: Bits, radius: Distance, *, locations: Counted, words: Counted, distance: Distance = 0, own: Flag = True
) -> float:
    """The probability that a bit is read wrong, at a distance from the address of one of `words` stored words.

    Parameters
    ----------
    bits : N.
    radius : r.
    locations : M.
    words : T.
    distance : d, from 0 to N.
    own : whether words are their own addresses; else the words are random.

    Raises
    ------
    InvalidInput : for other numbers.

    Notes
    -----
    The sum is normal for many words; of a few words, and with M λ(d) of a few locations, the error is only of that
    order.

    Examples
    --------
    >>> round(1000 * sdm_error(1000, 451, locations=10**6, words=10_000, distance=200))
    174
    """
    if distance > bits:
        raise InvalidInput(f"distance: got {distance}; expected at most {bits}, the number of bits")
    return float(_errors(bits, radius, locations, words, own)[distance])


@formula
def critical_distance(bits: Bits, radius: Distance, *, locations: Counted, words: Counted, own: Flag = True) -> float:
    """The distance from an address up to which a reading is nearer to the word than the cue is; 0 if none is.

    The word that is read is the next cue, so that cues within this distance lead to the word. It is N/2 at most,
    rounded down, the distance of a random cue. Raises as `sdm_error`.

    >>> round(critical_distance(1000, 451, locations=10**6, words=10_000))
    234
    """
    nearer = np.arange(bits + 1) - bits * _errors(bits, radius, locations, words, own)
    outside = np.flatnonzero(nearer[1 : bits // 2 + 1] <= SAME)
    d = int(outside[0]) if outside.size else bits // 2  # the last one within: the slice begins at 1
    return float(d + nearer[d] / (nearer[d] - nearer[d + 1])) if 0 < d < bits // 2 else float(d)


@lru_cache(maxsize=16)
def _errors(bits: int, radius: int, locations: int, words: int, own: bool) -> np.ndarray:
    """P(wrong bit) at each distance from 0 to N."""
    from scipy.special import ndtr
    from scipy.stats import binom

    apart = np.arange(bits + 1)
    share = np.array([shared_share(bits, radius, int(d)) for d in apart])
    near = locations * share
    random = binom.pmf(apart, bits, 0.5)
    root = np.sqrt(near * (1 - share) + (words - 1) * (random @ (near * (1 - share) + near**2)))
    towards = own * (words - 1) * (random @ (near * (1 - 2 * apart / bits)))
    with np.errstate(divide="ignore", invalid="ignore"):
        like, unlike = ndtr(-(near + towards) / root), ndtr(-(near - towards) / root)
    errors = np.where(root > 0, (1 - apart / bits) * like + apart / bits * unlike, np.where(near > 0, 0.0, 0.5))
    return np.asarray(errors)
