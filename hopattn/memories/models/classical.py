"""The classical networks, whose couplings a rule learns: Hopfield 1982 and 1984, driven by an input, and Kosko's."""

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from hopattn import learning
from hopattn.foundation.arrays import (
    Array,
    as_float,
    device_of,
    max_safe_entry,
    namespace,
    require_finite,
    require_fitting,
)
from hopattn.foundation.checks import flag
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.memories.memory import Stored, place_of
from hopattn.memories.models.card import binary_patterns, named, spin_patterns
from hopattn.networks.associator import Associator, Bidirectional
from hopattn.networks.classical import Hopfield
from hopattn.retrieval.activation import Activation, Tanh, number_or_row

if TYPE_CHECKING:
    Rule = str
else:
    Rule = Literal[tuple(learning.rules)]  # so that a scenario file offers the rules as choices
Neurons = Literal["sign", "step"]
NEURONS = get_args(Neurons)
RuleOfPairs = Literal["hebb", "outer_products"]
OF_0_AND_1 = ("hebb", "covariance", "pseudo_inverse")
"""The rules that learn patterns of 0 and 1 too."""


@named(source="Hopfield 1982", energy="−½ xᵀW x − b Σ x_i")
def hopfield(
    patterns: Stored,
    *,
    rule: Rule = "hebb",
    self_coupling: bool = False,
    activation: Neurons = "sign",
    bias: float | list[float] = 0.0,
    threshold: float | list[float] = 0.0,
) -> Hopfield:
    """Hopfield's network of spins: x_i ← sgn(Σ_j W_ij x_j + b_i).

    Parameters
    ----------
    patterns : (n_patterns, N)
        ±1; of 0 and 1 with `activation="step"`.
    rule
        "hebb" (for 0 and 1 it stores Σ (2ξ − 1)(2ξ − 1)ᵀ, not divided by N, as the paper has it), "outer_products" (for
        ±1 not divided by N), "covariance" (for patterns mostly of one sign), "pseudo_inverse" (for correlated
        patterns), "storkey", or "perceptron" (Gardner); the last two have no self-couplings.
    self_coupling : keep the diagonal of W.
    activation : "sign"; or "step" for neurons and patterns of 0 and 1, by "hebb", "covariance" or "pseudo_inverse".
    bias : b, added to the field; a number, or one for each neuron.
    threshold : θ = −b, which the sum must exceed, instead of `bias`.

    Raises
    ------
    InvalidInput : for an unknown rule, for patterns that it cannot learn, and for a bias beside a threshold.

    Notes
    -----
    Few active neurons, a share a of all, need the rule "covariance" and a threshold between −a and 1 − a, the fields of
    silent and of active neurons. Source: Hopfield (1982), PNAS 79, 2554; for sparse coding Tsodyks &
    Feigel'man (1988), Europhys. Lett. 6, 101 (their θ is our −b); `hopattn.learning` has the sources of the rules.

    Examples
    --------
    >>> import hopattn as ha
    >>> network = ha.memories.hopfield([[1, 1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1]])
    >>> recall = network.recall([1, 1, 1, 1, -1, 1])
    >>> str(recall.status), int(recall.matched)
    ('converged', 0)
    >>> apart = [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 0]]
    >>> sparse = ha.memories.hopfield(apart, rule="covariance", activation="step", threshold=0.1)
    >>> sparse.recall([1, 1, 0, 0, 0, 0]).state
    array([1., 1., 1., 0., 0., 0.])
    """
    rows = _patterns_of(activation, patterns, "patterns")
    if activation == "step" and rule in learning.rules and rule not in OF_0_AND_1:
        raise InvalidInput(f"rule: '{rule}' learns patterns of ±1; for 0 and 1 expected {', '.join(OF_0_AND_1)}")
    with place_of(patterns):
        return _network(rows, rule, self_coupling, activation, _bias_of(bias, threshold, rows.shape[1]))


@named(source="Hopfield 1984", energy="β⁻¹ Σ ∫ artanh − ½ xᵀW x")
def graded(patterns: Stored, *, beta: float = 4.0, rule: Rule = "hebb", self_coupling: bool = False) -> Hopfield:
    """Hopfield's network of graded neurons: u̇ = −u + W x, x = tanh βu; recall it with update="graded".

    Parameters
    ----------
    patterns, rule, self_coupling : as in `hopfield`.
    beta : the gain of the neurons (Hopfield's λ), positive.

    Raises
    ------
    InvalidInput : as `hopfield` does.

    Notes
    -----
    For symmetric W, 0 is the only fixed point if and only if β λ_max(W) ≤ 1, with the largest eigenvalue λ_max. Source:
    Hopfield (1984), PNAS 81, 3088.

    Examples
    --------
    >>> import hopattn as ha
    >>> network = ha.memories.graded([[1, 1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1]])
    >>> int(network.recall([0.2, 0.3, 0.1, 0.1, -0.2, 0.1], update="graded").matched)
    0
    """
    with place_of(patterns):
        return _network(spin_patterns(patterns), rule, self_coupling, Tanh(beta))


@named(source="Betteti et al. 2025", energy="β⁻¹ Σ ∫ artanh − ½ xᵀW(u) x")
def input_driven(patterns: Stored, input: Array, *, beta: float = 4.0, self_coupling: bool = True) -> Hopfield:
    """Hopfield's graded network with couplings that its input weighs: W(u) = (1/N) Σ_μ α_μ ξ_μ ξ_μᵀ, α_μ = ξ_μ·u / N.

    Parameters
    ----------
    patterns : (n_patterns, N)
        ±1.
    input
        u, `(N,)`, real; it says how much each pattern counts (its salience α_μ), and the cue of a recall is where the
        state starts.
    beta : the gain of the neurons, positive.
    self_coupling : keep the diagonal of W.

    Raises
    ------
    InvalidInput : for others.

    Notes
    -----
    Where patterns are orthogonal and the diagonal is kept, α_μ is an eigenvalue of W: the state ±c ξ_μ with c = tanh(β
    α_μ c) exists where β α_μ > 1, and the pattern of the largest salience has the lowest energy. An input that is like
    a reversed pattern has a negative salience, and drives the state away from both. `ha.memories.graded` is the network
    of equal saliences. Source: Betteti, Baggio, Bullo & Zampieri (2025), Science Advances 11, eadu6991,
    arXiv:2411.05849 (their u is our u/N, their Ψ our tanh βu, whose gain they set to 1).

    Examples
    --------
    >>> import hopattn as ha, numpy as np
    >>> patterns = np.array([[1.0, 1, 1, 1], [1, -1, 1, -1]])
    >>> network = ha.memories.input_driven(patterns, 0.3 * patterns[0] + 0.7 * patterns[1])
    >>> int(network.recall([0.2, 0.0, 0.1, 0.0], update="graded").matched)
    1
    """
    rows = spin_patterns(patterns)
    u, n = as_float(input, "input", like=rows), int(rows.shape[1])
    if tuple(u.shape) != (n,):
        raise InvalidInput(f"input: got shape {tuple(u.shape)}; expected ({n},), a number for each neuron")
    require_fitting(u, rows, "input", "patterns")
    require_finite(u, "input", max_safe_entry(u))
    couplings = ((rows @ u)[:, None] * rows).mT @ rows / n**2
    if not flag(self_coupling, "self_coupling"):
        xp = namespace(couplings)
        couplings = xp.where(xp.eye(n, dtype=xp.bool, device=device_of(couplings)), 0.0, couplings)
    return Hopfield(couplings, activation=Tanh(beta), patterns=rows)


def _patterns_of(activation: str, patterns: Stored, what: str) -> Array:
    """Patterns of the two values of an activation's neurons; raises `InvalidInput` for others."""
    reject_unknown("activation", [activation], NEURONS)
    return (spin_patterns if activation == "sign" else binary_patterns)(patterns, what)


def _bias_of(bias: Any, threshold: Any, n: int) -> Any:
    """b, a number or one for each of n neurons; raises `InvalidInput` for others, and for a bias beside a threshold."""
    shifts = {what: number_or_row(value, what) for what, value in (("bias", bias), ("threshold", threshold))}
    for what, shift in shifts.items():
        if isinstance(shift, tuple) and len(shift) != n:
            raise InvalidInput(f"{what}: got {len(shift)} numbers; expected one for each of the {n} neurons")
    if all(map(np.any, shifts.values())):
        raise InvalidInput("threshold: is the bias with the other sign; leave one of them out")
    return (np.array(shifts["bias"]) - np.array(shifts["threshold"])).tolist()


def _network(
    patterns: Array, rule: str, self_coupling: bool, activation: str | Activation, bias: Any = 0.0
) -> Hopfield:
    """The network of these patterns by a rule; raises `InvalidInput` for an unknown rule, or one without a diagonal."""
    reject_unknown("rule", [rule], learning.rules)
    has_diagonal = "self_coupling" in learning.rules[rule].__annotations__
    if flag(self_coupling, "self_coupling") and not has_diagonal:
        raise InvalidInput(f"self_coupling: the rule '{rule}' has none; expected False")
    if rule == "hebb" and activation != "step":
        return Hopfield.by_hebb(patterns, self_coupling=self_coupling, activation=activation, bias=bias)
    options = {"self_coupling": self_coupling} if has_diagonal else {}
    if rule == "hebb":
        couplings = learning.outer_products(2 * patterns - 1, **options)
        return Hopfield(couplings, bias=bias, activation=activation, patterns=patterns)
    couplings, error = learning.learned(rule, patterns, **options)
    return Hopfield(couplings, bias=bias, activation=activation, patterns=patterns, rounding=error)


@named(source="Kosko 1988", energy="−yᵀW x, y = sgn(W x)")
def bam(left: Stored, right: Stored, *, activation: Neurons = "sign", rule: RuleOfPairs = "hebb") -> Bidirectional:
    """Kosko's bidirectional associative memory: either pattern of a pair recalls the other, where pairs are few.

    Parameters
    ----------
    left : (n_patterns, N)
        ±1; of 0 and 1 with `activation="step"`.
    right : (n_patterns, M)
        likewise.
    activation : "sign"; or "step" for neurons and patterns of 0 and 1.
    rule
        "hebb", W = (1/N) Σ y xᵀ for ±1, and W = Σ (2y − 1)(2x − 1)ᵀ for 0 and 1, as Kosko writes it; or
        "outer_products", W = Σ y xᵀ for ±1.

    Raises
    ------
    InvalidInput : for others.

    Notes
    -----
    The sides are updated in alternation, y = sgn(W x) and x = sgn(Wᵀ y), until neither changes. Source: Kosko (1988),
    IEEE Trans. SMC 18, 49 (his M is our Wᵀ).

    Examples
    --------
    >>> import hopattn as ha
    >>> memory = ha.memories.bam([[1, 1, 1, 1], [1, -1, 1, -1]], [[1, 1, -1], [-1, 1, 1]])
    >>> recall = memory.recall([1, 1, 1, 0])
    >>> recall.state, memory.answer(recall.state)
    (array([1., 1., 1., 1.]), array([ 1.,  1., -1.]))
    """
    reject_unknown("rule", [rule], get_args(RuleOfPairs))
    left_rows, right_rows = _patterns_of(activation, left, "left"), _patterns_of(activation, right, "right")
    spins = [rows if activation == "sign" else 2 * rows - 1 for rows in (left_rows, right_rows)]
    couplings = learning.associate(*spins)
    if activation == "step" or rule == "outer_products":  # whole numbers
        couplings = namespace(couplings).round(couplings * left_rows.shape[1])
    forward = Associator(couplings, activation=activation, patterns=right_rows)
    return Bidirectional(forward, Associator(couplings.mT, activation=activation, patterns=left_rows))
