"""Modern memories: continuous states and weights with a fixed sum; one step is attention."""

from hopattn.foundation.checks import whole
from hopattn.foundation.vectors import unit
from hopattn.memories.memory import Memory, Stored
from hopattn.memories.models.card import named, real_patterns
from hopattn.retrieval.separation import separation_of
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.entmax import Entmax, KSubsets, Normmax
from hopattn.retrieval.separation.softmax import Softmax

SHARP = 8.0
"""β of the modern memory and that on a sphere; at β = 1, a cue of unit vectors recalls about the mean of all."""


@named(source="Ramsauer et al. 2021", energy="½|x|² − β⁻¹ log Σ exp(βξ·x)")
def modern(patterns: Stored, *, beta: float = SHARP, sink: float | None = None) -> Memory:
    """The modern Hopfield network: x⁺ = Kᵀ softmax(β K x), which is softmax attention of x over the patterns.

    Parameters
    ----------
    patterns : (n_patterns, dim)
        finite and not zero.
    beta : the inverse temperature, positive; with a larger one fewer patterns mix.
    sink : the logit of a null pattern, as in `hopattn.Memory`; the energy then has e^sink as one more term of the sum.

    Raises
    ------
    InvalidInput : for others.

    Notes
    -----
    Source: Ramsauer et al. (2021), ICLR. Their energy is ours plus β⁻¹ log n_patterns + ½ max |ξ|².

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.memories.modern([[1.0, 0.0], [0.0, 1.0]]).recall([0.6, 0.4]).state.round(3)
    array([1., 0.])
    """
    return Memory(real_patterns(patterns), separation=Softmax(beta=beta), sink=sink)


@named(source="Hu et al. 2023; Martins et al. 2023", energy="½|x|² − β⁻¹ Ω*(βKx), Ω Tsallis's entropy")
def sparse(patterns: Stored, *, alpha: float = 2.0, beta: float = 1.0, sink: float | None = None) -> Memory:
    """A sparse modern memory: x⁺ = Kᵀ entmax(β K x); weights may be exactly 0, and retrieval may be exact.

    Parameters
    ----------
    patterns, beta, sink : as in `modern`.
    alpha : at least 1; 2 is sparsemax, 1.5 the usual entmax, 1 softmax.

    Raises
    ------
    InvalidInput : for others.

    Notes
    -----
    Without a sink, one step from a pattern ξ gives exactly ξ if ξ·ξ − max ξ·ξ' ≥ 1/(β(α−1)), and only if, unless ξ lies
    in the convex hull of the others. Above an alpha of 8, weights near 0 are lost in rounding: no descent is claimed,
    and the update "graded" is refused. Source: Hu et al. (2023), NeurIPS (α = 2); Santos et al. (2024), ICML,
    definition 2 and proposition 3.

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.memories.sparse([[2.0, 0.0], [0.0, 2.0]]).step([1.4, 0.6])
    array([2., 0.])
    """
    return Memory(real_patterns(patterns), separation=Entmax(beta=beta, alpha=alpha), sink=sink)


@named(source="Santos et al. 2024", energy="½|x|² − β⁻¹ Ω*(βKx), Ω a norm's entropy")
def normmax(patterns: Stored, *, alpha: float = 2.0, beta: float = 1.0, sink: float | None = None) -> Memory:
    """A sparse modern memory with the normmax: x⁺ = Kᵀ normmax(β K x), which favours few patterns of equal weight.

    Parameters
    ----------
    patterns, beta, sink : as in `modern`.
    alpha : the order of the norm, above 1.

    Raises
    ------
    InvalidInput : for others.

    Notes
    -----
    Source: Santos et al. (2024), ICML.

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.memories.normmax([[2.0, 0.0], [0.0, 2.0]]).step([1.4, 0.6])
    array([2., 0.])
    """
    return Memory(real_patterns(patterns), separation=Normmax(beta=beta, alpha=alpha), sink=sink)


@named(source="Santos et al. 2024", energy="½|x|² − β⁻¹ Ω*(βKx), Ω over sets of k")
def k_subsets(patterns: Stored, *, k: int = 2, beta: float = 1.0) -> Memory:
    """A memory that recalls k patterns together: x⁺ = Kᵀ p, with weights p in [0, 1] that sum to k.

    Parameters
    ----------
    patterns, beta : as in `modern`.
    k
        from 1 to n_patterns. The sum of k patterns is a fixed point if their scores exceed all others by a sufficient
        margin.

    Raises
    ------
    InvalidInput : for others.

    Notes
    -----
    Source: Santos et al. (2024), ICML, section 4.

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.memories.k_subsets([[2.0, 0, 0], [0, 2.0, 0], [0, 0, 2.0]], k=2).step([1.5, 1.4, 0.1])
    array([2., 2., 0.])
    """
    rows = real_patterns(patterns)
    whole(k, "k", most=int(rows.shape[0]))
    return Memory(rows, separation=KSubsets(beta=beta, k=k))


@named(source="Krotov & Hopfield 2021, model C", energy="−Ψ(Kx) on |x| = 1")
def spherical(
    patterns: Stored, *, separation: str | Separation = "softmax", beta: float = SHARP, sink: float | None = None
) -> Memory:
    """A memory on the sphere: x⁺ = h/|h|, for any convex separation.

    Parameters
    ----------
    patterns : (n_patterns, dim)
        scaled to unit magnitude.
    separation
        a name, or an object with its own beta; with "identity", recall converges to the first eigenvector of KᵀK, from
        a cue that is not orthogonal to it.
    beta : of a separation given by its name.
    sink : as in `hopattn.Memory`.

    Raises
    ------
    InvalidInput
        for a pattern that is zero, an unknown separation, a beta that is not positive, and a beta together with an
        object.

    Notes
    -----
    Source: Krotov & Hopfield (2021), ICLR, section 3, model C.

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.memories.spherical([[3.0, 0.0], [0.0, 4.0]]).recall([0.8, 0.6]).state.round(3)
    array([1., 0.])
    """
    of_object = isinstance(separation, Separation) and beta == SHARP
    step = separation_of(separation, None if of_object else beta, sink=sink)
    return Memory(unit(real_patterns(patterns)), separation=step, activation="unit")
