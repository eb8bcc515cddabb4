"""The sequence memory: each pattern recalls the next one."""

from numpy.typing import ArrayLike

from hopattn.foundation.arrays import namespace
from hopattn.foundation.objects import flag
from hopattn.memories.memory import Memory
from hopattn.memories.models.card import named, spin_patterns
from hopattn.memories.random_patterns import random_spins
from hopattn.retrieval.separation.power import RectifiedPower


@named(
    source="Chaudhry et al. 2023",
    energy="none: what is read out is the next pattern",
    draw=lambda rng: {"patterns": random_spins(rng), "n": int(rng.integers(2, 6)), "cyclic": bool(rng.random() < 0.7)},
)
def sequence(patterns: ArrayLike, n: int = 3, cyclic: bool = True) -> Memory:
    """A memory that replays a sequence of patterns: x⁺ = sgn(Σ_μ ξ_{μ+1} [m_μ]₊ⁿ⁻¹), m_μ = ξ_μ·x / N.

    patterns: `(n_patterns, N)`, ±1, in the order of the sequence. n: the power of the interaction, from 2 (Hebb's
    asymmetric rule, rectified) to 1000; about Nⁿ⁻¹ / (n (2n−3)!! ln N) random patterns are replayed without error.
    cyclic: the last pattern recalls the first; otherwise it recalls itself, and recall converges there. To see the
    sequence, recall with max_steps = its length and keep=("overlaps",). Raises `InvalidInput` for patterns that are not
    ±1 and an n outside the range.
    Source: Chaudhry, Zavatone-Veth, Krotov & Pehlevan (2023), NeurIPS, with f(x) = xᵈ (their d is our n − 1,
    their sum over j ≠ i is ours over all j, and ours is rectified).

    >>> import hopattn as ha
    >>> chain = ha.sequence([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]])
    >>> chain.recall([1, 1, 1, 1], max_steps=4, keep=("trajectory",)).trajectory[:, 1:3].tolist()
    [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
    """
    rows = spin_patterns(patterns)
    xp = namespace(rows)
    following = xp.roll(rows, -1, axis=0) if flag(cyclic, "cyclic") else xp.concat([rows[1:, ...], rows[-1:, ...]])
    separation = RectifiedPower(beta=1 / rows.shape[1], n=n)
    return Memory(rows, following, separation=separation, activation="sign", patterns=rows)
