"""Memories of a sum of kernels: one that answers "nothing near", and one in which all patterns are added up."""

import numpy as np

from hopattn.foundation.arrays import on_host
from hopattn.foundation.checks import Seed, positive
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.vectors import row_length
from hopattn.memories.kernels import LogSumRelu, SuperposedMemory
from hopattn.memories.memory import Stored
from hopattn.memories.models.card import named, real_patterns
from hopattn.retrieval.features import RandomFeatures, best_damping

LARGEST_EXPONENT = 1e300
"""The largest exponent, 4β times the mean squared length of the patterns."""


@named(source="Hoover et al. 2025", energy="−β⁻¹ log(ε + Σ [1 − ½β|x − ξ|²]₊)")
def log_sum_relu(patterns: Stored, *, beta: float = 1.0, epsilon: float = 1e-8) -> LogSumRelu:
    """A memory with a range: x⁺ is the mean of the patterns within √(2/β) of x; without any, "nothing near".

    Parameters
    ----------
    patterns : (n_patterns, dim)
        finite and not zero.
    beta : the inverse of half the squared range, positive.
    epsilon : keeps the energy finite where nothing is near, positive.

    Raises
    ------
    InvalidInput : for others.

    Notes
    -----
    Every minimum of the energy is the mean of the patterns within the range of it; two patterns at the distance r have
    three for 2/r² < β < 8/r², both and their midpoint. From 8/r² on, with r the least distance of two patterns, a cue
    near one pattern is led to exactly that pattern in one step. Source: Hoover et al. (2025), NeurIPS, arXiv:2506.10801
    (log-sum-ReLU, from Epanechnikov's kernel).

    Examples
    --------
    >>> import hopattn as ha
    >>> memory = ha.memories.log_sum_relu([[0.0, 1.0], [2.0, 1.0]], beta=1.0)
    >>> recall = memory.recall([[0.2, 1.1], [1.1, 0.8], [5.0, 5.0]])
    >>> recall.state, recall.status
    (array([[0., 1.],
           [1., 1.],
           [5., 5.]]), array(['converged', 'converged', 'nothing near'], dtype='<U12'))
    """
    return LogSumRelu(real_patterns(patterns), beta, epsilon)


@named(source="Hoover et al. 2024; Choromanski et al. 2021", energy="½|x|² − β⁻¹ log T·φ(x), T = Σ φ(ξ)")
def random_features(
    patterns: Stored, *, beta: float = 1.0, n: int = 4096, orthogonal: bool = True, rng: Seed = None
) -> SuperposedMemory:
    """A modern memory whose patterns are added up in one vector of n random features, however many there are.

    Parameters
    ----------
    patterns : (n_patterns, dim)
        finite and not zero.
    beta : the inverse temperature, positive.
    n : the number of features.
    orthogonal : as of `ha.retrieval.RandomFeatures`, whose damping is set to the best for states near the patterns.
    rng : a seed, or a generator, which gives one; by default one is drawn.

    Raises
    ------
    InvalidInput : for others.

    Notes
    -----
    The energy is that of `ha.memories.modern` with an error that falls like 1/√n, and grows with β|x + ξ|² and with
    dim. Source: Hoover et al. (2024), NeurIPS, arXiv:2410.24153 (their Y is our n), with the positive features of
    Choromanski et al. (2021), ICLR.

    Examples
    --------
    >>> import hopattn as ha
    >>> memory = ha.memories.random_features([[1.0, 0.0], [0.0, 1.0]], beta=8.0, rng=0)
    >>> memory.recall([[0.7, 0.3], [0.2, 0.9]]).matched
    array([0, 1])
    """
    rows, factor = real_patterns(patterns), positive(beta, "beta")
    lengths = on_host(row_length(rows)).astype(float)
    square = 4 * factor * float(np.mean(lengths**2))
    if square > LARGEST_EXPONENT:
        raise InvalidInput(
            f"beta: {factor:g} makes exponents of size {square:.3g}; expected at most {LARGEST_EXPONENT:g}"
        )
    damping = best_damping(square, int(rows.shape[1]))
    return SuperposedMemory(rows, RandomFeatures(n, rng=rng, orthogonal=orthogonal, beta=factor, damping=damping))
