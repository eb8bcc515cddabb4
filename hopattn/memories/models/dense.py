"""Dense memories: spins whose interaction grows faster than the square of the overlap."""

from numpy.typing import ArrayLike

from hopattn.foundation.objects import flag
from hopattn.memories.memory import Memory
from hopattn.memories.models.card import named, spin_patterns
from hopattn.memories.random_patterns import random_spins
from hopattn.retrieval.separation.exponential import Exponential
from hopattn.retrieval.separation.power import Power, RectifiedPower


@named(
    source="Krotov & Hopfield 2016",
    energy="−Σ [ξ·x]₊ⁿ/n",
    draw=lambda rng: {
        "patterns": random_spins(rng),
        "n": int(rng.integers(2, 8)),
        "rectified": bool(rng.random() < 0.7),
    },
    update="async",
)
def dense(patterns: ArrayLike, n: int = 3, rectified: bool = True) -> Memory:
    """The dense associative memory: E = −Σ_μ F(ξ_μ·x) with F(s) = [s]₊ⁿ/n, or sⁿ/n without rectification.

    patterns: `(n_patterns, N)`, ±1. n: a whole number from 2 to 1000; 2 without rectification is Hopfield's network
    with self-couplings. Without rectification, about Nⁿ⁻¹ / (2 (2n−3)!! ln N) random patterns are stored without error
    under the asynchronous update (362 for N = 100 and n = 3); with it about twice as many, since it halves the variance
    of the noise. With an odd n and no rectification, only the asynchronous update is sure to lower the energy. Raises
    `InvalidInput` for patterns that are not ±1 and an n outside the range.
    Source: Krotov & Hopfield (2016), NeurIPS 29.

    >>> import hopattn as ha
    >>> memory = ha.dense([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]])
    >>> memory.recall([1, 1, 1, -1], update="async", rng=1).state
    array([ 1., -1.,  1., -1.])
    """
    power = RectifiedPower if flag(rectified, "rectified") else Power
    return Memory(spin_patterns(patterns), separation=power(n=n), activation="sign")


@named(
    source="Demircigil et al. 2017",
    energy="−log Σ exp(ξ·x)",
    draw=lambda rng: {"patterns": random_spins(rng), "beta": float(10 ** rng.uniform(-2, 0.5))},
    update="async",
)
def exponential(patterns: ArrayLike, beta: float = 1.0) -> Memory:
    """The exponential memory: E = −Σ_μ exp(β ξ_μ·x); energies are given as logarithms, so that they do not overflow.

    patterns: `(n_patterns, N)`, ±1. beta: the factor of the overlaps; 1 in the paper. The capacity is exponential in N.
    The energy here is −β⁻¹ log Σ exp(βs), which falls where the paper's −Σ exp(βs) falls; Glauber's update at a
    temperature T > 0 samples exp(−E/T) of this one, that is [Σ exp(βs)]^(1/βT), and not that of the paper.
    Raises `InvalidInput` for patterns that are not ±1 and a beta that is not positive.
    Source: Demircigil et al. (2017), J. Stat. Phys. 168, 288.

    >>> import hopattn as ha
    >>> memory = ha.exponential([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]])
    >>> memory.recall([1, 1, 1, 0]).state
    array([1., 1., 1., 1.])
    """
    return Memory(spin_patterns(patterns), separation=Exponential(beta=beta), activation="sign")
