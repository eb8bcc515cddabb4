"""Sequences: the longest one whose patterns recall their successors, one step at a time.

    x⁺_i = sign Σ_μ ξ_i^{μ+1} F(m_μ)          m_μ = (1/(N − 1)) Σ_{j≠i} ξ_j^μ x_j

At x = ξ^μ the term of ξ^μ is F(1) = 1. The P − 1 others have the mean square E F(m)², m the mean of N − 1 random signs:

    F(m) = m^n                 E F² = (2n − 1)!!/N^n for N → ∞
    F(m) = exp((N − 1)(m − 1))    E F² = b^−(N−1),   b = e²/cosh 2 = 1.964

As long as no other pattern is nearly as strong as ξ^μ, a neuron turns with a probability near exp(−1/(2 P E F²)), the
tail of a normal density. None of the N neurons of a step turns up to P = 1/(2 E F² ln N), none of the NP neurons of the
sequence up to P = 1/(2 E F² ln(NP)).

Source: Chaudhry, Zavatone-Veth, Krotov & Pehlevan (2023), NeurIPS, Long sequence Hopfield memory: P_T and P_S of SeqNet
(n = 1), Polynomial and Exponential DenseNet (their d is our n).
"""

import math
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from hopattn.foundation.boundary import Flag, formula
from hopattn.foundation.checks import real, whole
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.theory.dense_memories import turned

BASE = math.exp(2) / math.cosh(2)
"""The factor b by which a neuron more lengthens the sequence of the exponential network."""


def _order(value: Any, what: str) -> Any:
    if isinstance(value, str):
        if value != "exponential":
            raise InvalidInput(f"{what}: got {quoted(value)}; expected a whole number or 'exponential'")
        return value
    return whole(value, what, most=1000)


Order = Annotated[int | Literal["exponential"], _order]


@formula
def sequence_error(
    patterns: Annotated[int, partial(whole, most=10**12)],
    neurons: Annotated[int, partial(whole, least=2, most=10**6)],
    n: Order = 1,
    *,
    rectified: Flag = False,
) -> float:
    """The probability that a step of a sequence turns a neuron of the next pattern.

    Patterns with m = ±1, as strong as the pattern itself, are counted, as in `exponential_error`. The crosstalk of all
    others is normal; its variance (P − 1) E F(m)² is summed over m, exactly for each N. From 30 patterns on the
    probability is right to .004; one far below .004 may be several times as large, for orders of about 2 to 6. A field
    of exactly 0 counts as half an error.

    Parameters
    ----------
    patterns : P, at least 1.
    neurons : N, at least 2.
    n : as of `sequence_capacity`.
    rectified : whether F(m) is 0 for m below 0, as in `ha.memories.sequence`.

    Raises
    ------
    InvalidInput : for others.

    Examples
    --------
    >>> round(sequence_error(30, 100), 4), round(sequence_error(300, 100, n=2), 4)
    (0.0323, 0.0005)
    >>> round(sequence_error(3000, 16, n="exponential"), 4)
    0.0219
    """
    from scipy.stats import binom

    k = np.arange(neurons)
    m = (2 * k - (neurons - 1)) / neurons
    counted = (m > 0) if rectified else np.ones(neurons)
    f = np.exp(neurons * (m - (neurons - 1) / neurons)) if n == "exponential" else (m * neurons / (neurons - 1)) ** n
    share = binom.pmf(k, neurons - 1, 0.5)
    both = n != "exponential" and not rectified  # whether F(−1) is as strong as F(1)
    ends = slice(1, neurons - 1) if both else slice(neurons - 1)
    spread = np.sqrt((patterns - 1) * (share[ends] @ (counted * f**2)[ends]))
    return turned((patterns - 1) * np.ldexp(1.0, both - neurons), spread)


@formula
def sequence_capacity(
    neurons: Annotated[float, lambda value, what: real(value, what, above=1.0)],
    n: Order = 1,
    *,
    every: Flag = False,
) -> float:
    """The length of a sequence of random ±1 patterns up to which a step makes no error, or with `every` no step does.

    Parameters
    ----------
    neurons : N, above 1.
    n
        the order of F(m) = mⁿ, or "exponential". The leading order for N → ∞: order n gives Nⁿ/(2 (2n − 1)!! ln N), and
        1/(n + 1) of it for every step: N/(2 ln N) and N/(4 ln N) for n = 1.

    Raises
    ------
    InvalidInput : for other arguments.

    Notes
    -----
    The exponential gives b^(N−1)/(2 ln N), and b^(N−1)/(2N ln b). A capacity beyond the numbers is infinite.

    Examples
    --------
    >>> round(sequence_capacity(100), 2), round(sequence_capacity(100, every=True), 2), round(sequence_capacity(100, 2))
    (10.86, 5.43, 362)
    """
    if n == "exponential":
        log = (neurons - 1) * math.log(BASE)
        logs = neurons * math.log(BASE) if every else math.log(neurons)
    else:
        log = n * math.log(neurons) - float(np.sum(np.log(np.arange(1, 2 * n, 2))))
        logs = (n + 1 if every else 1) * math.log(neurons)
    log -= math.log(2) + math.log(logs)
    return math.exp(log) if log < math.log(np.finfo(float).max) else math.inf
