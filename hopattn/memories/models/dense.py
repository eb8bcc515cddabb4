"""Dense memories: spins whose interaction grows faster than the square of the overlap; one replays a sequence."""

from hopattn.foundation.arrays import namespace
from hopattn.foundation.checks import flag
from hopattn.memories.memory import Memory, Stored
from hopattn.memories.models.card import named, spin_patterns
from hopattn.retrieval.separation.elementwise import Exponential, Power, RectifiedPower


@named(source="Krotov & Hopfield 2016", energy="−Σ [ξ·x]₊ⁿ/n")
def dense(patterns: Stored, *, n: int = 3, rectified: bool = True) -> Memory:
    """The dense associative memory: E = −Σ_μ F(ξ_μ·x) with F(s) = [s]₊ⁿ/n, or sⁿ/n without rectification.

    Parameters
    ----------
    patterns : (n_patterns, N)
        ±1.
    n : from 2 to 1000; 2 without rectification is Hopfield's network with self-couplings.
    rectified : whether a pattern on the other side of the cue counts as 0, [s]₊.

    Raises
    ------
    InvalidInput : for others.

    Notes
    -----
    Under the asynchronous update, about Nⁿ⁻¹ / (2 (2n−3)!! ln N) random patterns are stored without error (362 for N =
    100 and n = 3), with rectification twice as many. With an odd n and no rectification, only that update is sure to
    lower the energy. Source: Krotov & Hopfield (2016), NeurIPS 29.

    Examples
    --------
    >>> import hopattn as ha
    >>> memory = ha.memories.dense([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]])
    >>> memory.recall([1, 1, 1, -1]).state
    array([ 1., -1.,  1., -1.])
    """
    power = RectifiedPower if flag(rectified, "rectified") else Power
    return Memory(spin_patterns(patterns), separation=power(n=n), activation="sign")


@named(source="Demircigil et al. 2017", energy="−log Σ exp(ξ·x)")
def exponential(patterns: Stored, *, beta: float = 1.0) -> Memory:
    """The exponential memory: E = −Σ_μ exp(β ξ_μ·x); energies are given as logarithms, so that they do not overflow.

    Parameters
    ----------
    patterns : (n_patterns, N)
        ±1.
    beta : the factor of the overlaps, positive; 1 in the paper.

    Raises
    ------
    InvalidInput : for others.

    Notes
    -----
    The capacity is exponential in N. The energy here is −β⁻¹ log Σ exp(βs); Glauber's update samples exp(−E/T) of this
    one. Source: Demircigil et al. (2017), J. Stat. Phys. 168, 288.

    Examples
    --------
    >>> import hopattn as ha
    >>> memory = ha.memories.exponential([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]])
    >>> memory.recall([1, 1, 1, 0]).state
    array([1., 1., 1., 1.])
    """
    return Memory(spin_patterns(patterns), separation=Exponential(beta=beta), activation="sign")


@named(source="Chaudhry et al. 2023", energy="none: what is read out is the next pattern")
def sequence(patterns: Stored, *, n: int = 3, cyclic: bool = True) -> Memory:
    """A memory that replays a sequence of patterns: x⁺ = sgn(Σ_μ ξ_{μ+1} [m_μ]₊ⁿ⁻¹), m_μ = ξ_μ·x / N.

    Parameters
    ----------
    patterns : (n_patterns, N)
        ±1, in the order of the sequence.
    n
        the power of the interaction, from 2 (Hebb's asymmetric rule, rectified) to 1000; about Nⁿ⁻¹ / (n (2n−3)!! ln N)
        random patterns are replayed without error.
    cyclic : the last pattern recalls the first; otherwise it recalls itself, and recall converges there.

    Raises
    ------
    InvalidInput : for others.

    Notes
    -----
    Source: Chaudhry, Zavatone-Veth, Krotov & Pehlevan (2023), NeurIPS, with f(x) = xᵈ (their d is our n − 1, their sum
    over j ≠ i is ours over all j, and ours is rectified).

    Examples
    --------
    >>> import hopattn as ha
    >>> chain = ha.memories.sequence([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]])
    >>> chain.recall([1, 1, 1, 1], max_steps=4, keep=("trajectory",)).trajectory[:, 1:3].tolist()
    [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
    """
    rows = spin_patterns(patterns)
    xp = namespace(rows)
    successors = xp.roll(rows, -1, axis=0) if flag(cyclic, "cyclic") else xp.concat([rows[1:, ...], rows[-1:, ...]])
    separation = RectifiedPower(beta=1 / rows.shape[1], n=n)
    return Memory(rows, successors, separation=separation, activation="sign", patterns=rows)
