"""One update of a softmax memory: bounds of its error, and a number of random patterns that are surely stored.

N patterns x_i have the largest length M and the separations Δ_i (`margins`). One update f(ξ) = Σ_j p_j x_j starts at ξ,
and x_i* is the fixed point near x_i. Since ξ·(x_i − x_j) ≥ Δ_i − 2M |ξ − x_i|, every other weight has the bound

    p_j ≤ exp(−β(Δ_i − 2 r M)),        r = max(|ξ − x_i|, |x_i* − x_i|)

    theorem 5:  |f(ξ) − x_i| ≤ 2(N − 1) exp(−β(Δ_i − 2 r M)) M
    theorem 4:  |f(ξ) − x_i*| ≤ |J|₂ |ξ − x_i*|      |J|₂ ≤ 2βN M² (N − 1) exp(−β(Δ_i − 2 r M))

With r = 1/(2βM) theorem 5 bounds the distance of the fixed point, |x_i − x_i*| ≤ 2e(N − 1) M exp(−βΔ_i), for patterns
whose fixed point is so near.

Source: Ramsauer et al. (2021), ICLR, arXiv 2008.02217, theorems 3, 4 and 5. Their N, M, β, K, d, p are `n_patterns`,
the largest length, `beta`, `scale`, `dim` and `failure`. `Margins.softmax_radius` takes each pair of patterns by itself
instead.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np

from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import Array
from hopattn.foundation.boundary import Moderate, formula
from hopattn.foundation.checks import moderate, real, whole
from hopattn.foundation.errors import InvalidInput
from hopattn.theory.separation import FREELY, margins

Damage = Annotated[float, partial(real, least=0.0)]


@dataclass(frozen=True, kw_only=True)
class RandomStorage(PublicObject):
    """The number of random patterns that theorem 3 shows to be stored.

    Attributes
    ----------
    c : the base of the power.
    exponent : a + ln b; c is b/W₀(exp(a + ln b)), by Lambert's function W₀.
    required : the least c for which the theorem is proven, (2/√p)^(4/(d−1)).
    patterns
        √p c^((d−1)/4), a number of patterns that are all stored with the probability 1 − p. It is a lower bound. Both c
        and it are infinite beyond the numbers.
    """

    c: float
    exponent: float
    required: float
    patterns: float


@FREELY
@formula
def random_storage(
    dim: Annotated[int, partial(whole, least=2)],
    scale: Moderate,
    *,
    beta: Moderate = 1.0,
    failure: Annotated[float, partial(moderate, most=1.0)] = 0.001,
) -> RandomStorage:
    """Theorem 3: random patterns on the sphere of radius M = K √(d − 1) of which a softmax memory stores every one.

    With a = 2/(d − 1) (1 + ln(2βK²p(d − 1))) and b = 2K²β/5, it is c = b/W₀(exp(a + ln b)).

    Parameters
    ----------
    dim : d, 2 or more.
    scale : K.
    beta : β.
    failure : p, 1 or less.

    Raises
    ------
    InvalidInput : for other numbers, and where c is too small for the proof.

    Notes
    -----
    The printed conditions do not exclude a small K: c grows again for K → 0, where no pattern is stored.

    Examples
    --------
    >>> round(random_storage(dim=20, scale=3).c, 4), round(random_storage(dim=75, scale=1).c, 4)
    (3.1546, 1.3719)
    """
    from scipy.special import wrightomega

    strength = math.log(2) + 2 * math.log(scale) + math.log(beta)  # log 2K²β; the product may leave the numbers
    a = 2 / (dim - 1) * (1 + strength + math.log(failure) + math.log(dim - 1))
    log_b = strength - math.log(5)
    omega = float(wrightomega(a + log_b))  # ω(z) = W₀(exp z), without the overflow
    log_c = log_b - math.log(omega) if omega > 1 else omega - a  # log W₀(x) is log x − W₀(x), and log c may be small
    c = float(np.exp(log_c))
    log_required = 4 / (dim - 1) * (math.log(2) - math.log(failure) / 2)
    required = math.exp(log_required)
    if log_c < log_required:
        raise InvalidInput(
            f"scale: {scale:g} gives log c = {log_c:.4g}, and theorem 3 needs c ≥ (2/√p)^(4/(d−1)), "
            f"log c ≥ {log_required:.4g}; expected a larger scale, beta or dim"
        )
    patterns = np.exp(math.log(failure) / 2 + (dim - 1) / 4 * log_c)
    return RandomStorage(c=c, exponent=a + log_b, required=required, patterns=float(patterns))


@FREELY
@formula
def retrieval_bound(patterns: Array, beta: Moderate, damage: Damage = 0.0) -> np.ndarray:
    """Theorem 5: the largest distance of one update from its pattern, `(n_patterns,)`; 0 for a single pattern.

    Parameters
    ----------
    patterns : (n_patterns, dim)
    damage : r, the distance of the cue or of the fixed point from the pattern, the larger one.

    Raises
    ------
    InvalidInput : for other arrays and numbers.

    Examples
    --------
    >>> retrieval_bound([[3.0, 0.0], [0.0, 3.0]], beta=1.0, damage=0.5).round(4)
    array([0.0149, 0.0149])
    """
    apart = margins(patterns)
    longest, others = _longest(apart.patterns), len(apart.patterns) - 1
    if others == 0:
        return np.zeros(1)
    half = np.exp(beta * longest * damage - beta * apart.delta / 2)  # its square alone may leave the numbers
    return np.asarray(2 * others * longest * half * half)


@FREELY
@formula
def contraction_bound(patterns: Array, beta: Moderate, damage: Damage = 0.0) -> np.ndarray:
    """Theorem 4: the largest factor by which one update changes the distance to the fixed point, `(n_patterns,)`.

    Below 1, every cue within `damage` of the pattern comes nearer. Arguments and errors: as for `retrieval_bound`.

    >>> contraction_bound([[3.0, 0.0], [0.0, 3.0]], beta=1.0, damage=0.5).round(4)
    array([0.0892, 0.0892])
    """
    rows = margins(patterns).patterns
    return np.asarray(beta * len(rows) * _longest(rows) * retrieval_bound(rows, beta, damage))


def _longest(rows: np.ndarray) -> float:
    """The length of the longest pattern, whose squares may be below the numbers."""
    return max(math.hypot(*row) for row in rows.tolist())
