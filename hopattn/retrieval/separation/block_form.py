"""The block form of a separation: how the result of all keys is put together from blocks of keys.

By the chain rule p = Σ_b (∂Ψ/∂Ψ_b) p_b, where Ψ_b is the potential of the scores of block b, and p_b its gradient.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class AllScores:
    """The weights of a cue need all its scores at once; there is no block form."""


@dataclass(frozen=True)
class PlainSum:
    """The weight of a pattern depends on its own score alone: Ψ = Σ_b Ψ_b, and p_b stays as it is."""


@dataclass(frozen=True)
class Normalised:
    """The weights are p = f(c(s − max s)) / Σ f(c(s − max s)): the form of the online softmax.

    online_scale: c, the factor of the scores. unnormalised_weights: f of an array, written over the argument, with
    f(0) > 0. potential: Ψ(s) from the largest score and the sum of f, both `(…,)`. doublings: by how
    many powers of two f grows with a score higher by 1, where f(a + b) = f(a) f(b); then small scores need no shift by
    the largest. None for another f.
    """

    unnormalised_weights: Callable[[np.ndarray], np.ndarray]
    potential: Callable[[np.ndarray, np.ndarray], np.ndarray]
    online_scale: float = 1.0
    doublings: float | None = None


BlockForm = AllScores | PlainSum | Normalised
