"""One step of Hebb's rule: the probability that it turns a neuron of a stored pattern, and what follows from it.

The field of a neuron of a stored pattern, times its state, is (N − 1 + S)/N. S, the crosstalk, is a sum of
n = (N − 1)(P − 1) independent signs, because a product of independent signs is one:

    S = Σ_{j≠i} Σ_{μ≥2} (ξ_i¹ ξ_i^μ)(ξ_j¹ ξ_j^μ)          P(error) = P(S < −(N − 1))

With a self-coupling the field has P/N more. For N → ∞ and P = αN, S/N is normal with the variance α: P(error) =
F(−1/√α), with the normal distribution F.

Sources: Hopfield (1982), PNAS 79, 2554, page 2556 (N = 100); Hertz, Krogh & Palmer (1991), Introduction to the Theory
of Neural Computation, section 2.2 and table 2.1; McEliece, Posner, Rodemich & Venkatesh (1987), IEEE Trans. Inf. Theory
33, 461.
"""

from functools import partial
from typing import Annotated, Any

import numpy as np

from hopattn.foundation.arrays import NumberOrArray
from hopattn.foundation.boundary import Flag, formula
from hopattn.foundation.checks import whole
from hopattn.foundation.errors import InvalidInput, shortened, unknown
from hopattn.foundation.shown_types import Word
from hopattn.theory.replica_symmetric import given_numbers

MOST_PATTERNS = 10**12
COUNTED_SIGNS = 1e9  # the binomial of more is nearly normal, with a relative error below 1e-7
Some = Annotated[NumberOrArray, partial(given_numbers, zero=False)]
EXPONENTS = {"hebb": 1.0, "storkey": 0.5, "pseudo_inverse": 0.0}
"""By learning rule, the power of 1/(c ln N) by which it keeps fewer than N patterns."""


def _rule(value: Any, what: str) -> str:
    if not isinstance(value, str) or value not in EXPONENTS:
        raise InvalidInput(f"{what}: {unknown(shortened(str(value)), EXPONENTS)}")
    return value


Neurons = Annotated[Any, Word("int"), partial(whole, least=2, most=10**9)]


@formula
def bit_error(load: Some, neurons: Neurons = None, *, self_coupling: Flag = False) -> np.ndarray:
    """The probability that a step of Hebb's rule turns a neuron of a stored pattern, `(...)` as the load.

    Parameters
    ----------
    load : α = P/N, above 0.
    neurons
        N, at least 2; None for N → ∞, where the self-coupling does not count. With neurons, P is the whole number
        nearest to αN, at least 1, and the probability is exact; a neuron whose field is 0 keeps its state.
    self_coupling : whether the diagonal of the couplings stays.

    Raises
    ------
    InvalidInput : for other numbers.

    Examples
    --------
    >>> bit_error([0.105, 0.138, 0.185, 0.37, 0.61]).round(4)
    array([0.001 , 0.0036, 0.01  , 0.0501, 0.1002])
    >>> bit_error([0.1, 0.2], neurons=100).round(4)
    array([0.0004, 0.0106])
    """
    from scipy.special import ndtr
    from scipy.stats import binom

    if neurons is None:
        return np.asarray(ndtr(-1 / np.sqrt(load)))
    if np.any(load > MOST_PATTERNS / neurons):
        raise InvalidInput(f"load: expected at most {MOST_PATTERNS:,} patterns, which are counted exactly")
    patterns = np.maximum(np.rint(load * neurons), 1)
    signs = (neurons - 1) * (patterns - 1)
    needed = neurons - 1 + patterns * self_coupling
    most = np.ceil((signs - needed) / 2) - 1  # of the signs +1, where the field is against the neuron
    even = 1 - ((neurons - 1) % 2 * (patterns - 1) + needed) % 2  # of signs − needed, which may have too many digits
    x = (needed + even) / np.sqrt(np.maximum(signs, 1))  # S is at most −needed − 1 − even, and the next one 2 more
    normal = ndtr(-x) * np.exp(-(np.minimum(x, 40) ** 4) / (12 * np.maximum(signs, 1)))  # I(x) = x²/2 + x⁴/12n + …
    return np.asarray(np.where(signs > COUNTED_SIGNS, normal, binom.cdf(most, np.minimum(signs, COUNTED_SIGNS), 0.5)))


@formula
def load_at_error(error: Some) -> np.ndarray:
    """The load α at which a step turns this share of the neurons, for N → ∞, `(...)` as the error: 1/F⁻¹(error)².

    Parameters
    ----------
    error : above 0 and below one half.

    Raises
    ------
    InvalidInput : for others.

    Examples
    --------
    >>> load_at_error([0.001, 0.01, 0.05]).round(3)
    array([0.105, 0.185, 0.37 ])
    """
    if np.any(error >= 0.5):
        raise InvalidInput("error: expected shares below 0.5")
    from scipy.special import ndtri

    return np.asarray(1 / ndtri(error) ** 2)


@formula
def faultless_share(patterns: Annotated[int, partial(whole, most=10**9)], neurons: Neurons) -> float:
    """The share of stored patterns in which one step turns no neuron, (1 − P(error))^N, as if neurons were independent.

    Parameters
    ----------
    patterns : P, at least 1.
    neurons : N, at least 2.

    Notes
    -----
    Source: Hopfield (1982), page 2556, whose example is exp(−.91).

    Examples
    --------
    >>> round(faultless_share(12, 256), 4)
    0.9998
    """
    return float(np.exp(neurons * np.log1p(-bit_error(patterns / neurons, neurons))))


@formula
def faultless_patterns(neurons: Some, *, every: Flag = False, rule: Annotated[str, _rule] = "hebb") -> np.ndarray:
    """The number of patterns up to which a rule keeps one without any error, `(...)` as the neurons: Hebb's N/(2 ln N).

    Parameters
    ----------
    every
        whether all patterns have no error, N/(4 ln N). For N → ∞: with P = N/(c ln N), a neuron turns with the
        probability F(−√(c ln N)) ≈ N^(−c/2). The N neurons of a pattern give c = 2, all NP neurons c = 4. Storkey's
        rule has N/√(c ln N), by a crosstalk of variance α², and the pseudo-inverse N.
    neurons : N, above 1.

    Notes
    -----
    Sources: McEliece et al. (1987), equations 2.2 and following (their n is N); Storkey (1997), ICANN, abstract, who
    calls his heuristic.

    Examples
    --------
    >>> faultless_patterns([100, 1000]).round(1), faultless_patterns([100, 1000], every=True).round(1)
    (array([10.9, 72.4]), array([ 5.4, 36.2]))
    >>> float(faultless_patterns(100, rule="storkey").round(1)), float(faultless_patterns(100, rule="pseudo_inverse"))
    (33.0, 100.0)
    """
    if np.any(neurons <= 1):
        raise InvalidInput("neurons: expected numbers above 1")
    share = 1 / ((4 if every else 2) * np.log(neurons))
    return np.asarray(neurons * share ** EXPONENTS[rule])
