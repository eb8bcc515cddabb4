"""The classical networks, with a choice of learning rules: spins (Hopfield 1982), graded neurons (Hopfield 1984)."""

from collections.abc import Callable
from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.objects import flag
from hopattn.foundation.scalars import real
from hopattn.memories.models.card import named, of_numpy, real_patterns, spin_patterns
from hopattn.memories.random_patterns import random_beta, random_spins
from hopattn.networks import learning_rules as learning
from hopattn.networks.hopfield import Hopfield
from hopattn.retrieval.activation import Activation, Step, Tanh

if TYPE_CHECKING:
    Rule = str
else:
    Rule = Literal[tuple(learning.rules)]  # so that a scenario file offers the rules as choices
Neurons = Literal["sign", "step"]
NEURONS = get_args(Neurons)
OF_0_AND_1 = ("hebb", "covariance", "pseudo_inverse")
"""The rules that learn patterns of 0 and 1 too."""


def _draw_learned(rng: np.random.Generator) -> dict[str, Any]:
    rule, patterns = str(rng.choice([*learning.rules])), random_spins(rng)
    able = _has_diagonal(learning.rules[rule])
    if not able:  # the perceptron learns few sets near its capacity, and those slowly
        patterns = patterns[: max(1, patterns.shape[1] // 2)]
    return {"patterns": patterns, "rule": rule, "self_coupling": able and bool(rng.random() < 0.3)}


def _draw_hopfield(rng: np.random.Generator) -> dict[str, Any]:
    learned, activation = _draw_learned(rng), str(rng.choice(NEURONS))
    activation = activation if learned["rule"] in OF_0_AND_1 else "sign"
    if activation == "step":
        learned["patterns"] = (learned["patterns"] + 1) / 2
    return {**learned, "activation": activation, "bias": float(rng.choice([0.0, rng.normal(0, 0.5)]))}


@named(
    source="Hopfield 1982",
    energy="−½ xᵀW x − b Σ x_i",
    draw=_draw_hopfield,
    update="async",
)
def hopfield(
    patterns: ArrayLike,
    rule: Rule = "hebb",
    self_coupling: bool = False,
    activation: Neurons = "sign",
    bias: float = 0.0,
) -> Hopfield:
    """Hopfield's network of spins: x_i ← sgn(Σ_j W_ij x_j + b).

    patterns: `(n_patterns, N)`, ±1. rule: "hebb", "covariance" (for patterns mostly of one sign), "pseudo_inverse" (for
    correlated patterns), "storkey", or "perceptron" (Gardner); the last two have no self-couplings. self_coupling: keep
    the diagonal of W. activation: "sign" for spins of ±1; "step" for neurons and patterns of 0 and 1, as in sparse
    coding, by one of the first three rules. bias: b, added to the field of every neuron; −b is the threshold. Patterns
    of 0 and 1 with a share a of 1 need the rule "covariance" and a threshold between −a and 1 − a: in a stored pattern,
    its active neurons have about the field 1 − a and the others −a. Raises `InvalidInput` for patterns that are not ±1
    (0 and 1 with "step") or that the rule cannot learn, and for an unknown rule.
    Source: Hopfield (1982), PNAS 79, 2554; `hopattn.networks.learning_rules` has the sources of the rules. For sparse
    coding Tsodyks & Feigel'man (1988), Europhys. Lett. 6, 101 (their θ is our −b).

    >>> import hopattn as ha
    >>> network = ha.hopfield([[1, 1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1]])
    >>> recall = network.recall([1, 1, 1, 1, -1, 1], update="async")
    >>> str(recall.status), int(recall.matched)
    ('converged', 0)
    >>> sparse = ha.hopfield([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 0]], "covariance", activation="step", bias=-0.1)
    >>> sparse.recall([1, 1, 0, 0, 0, 0], update="async").state
    array([1., 1., 1., 0., 0., 0.])
    """
    reject_unknown("activation", [activation], NEURONS)
    rows = of_numpy(spin_patterns(patterns) if activation == "sign" else real_patterns(patterns))
    if activation == "step":
        _require_active(rows)
    return _network(rows, (rule, self_coupling), activation, real(bias, "bias"))


@named(
    source="Hopfield 1984",
    energy="β⁻¹ Σ ∫ artanh − ½ xᵀW x",
    draw=lambda rng: {**_draw_learned(rng), "beta": random_beta(rng)},
    update="graded",
)
def graded(patterns: ArrayLike, beta: float = 4.0, rule: Rule = "hebb", self_coupling: bool = False) -> Hopfield:
    """Hopfield's network of graded neurons: u̇ = −u + W x, x = tanh βu; recall it with update="graded".

    patterns, rule, self_coupling: as in `hopfield`. beta: the gain of the neurons (Hopfield's λ). For symmetric W, 0 is
    the only fixed point if and only if β λ_max(W) ≤ 1, with the largest eigenvalue λ_max: the energy is then strictly
    convex. Raises `InvalidInput` as `hopfield` does, and for a beta that is not positive.
    Source: Hopfield (1984), PNAS 81, 3088.

    >>> import hopattn as ha
    >>> network = ha.graded([[1, 1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1]])
    >>> int(network.recall([0.2, 0.3, 0.1, 0.1, -0.2, 0.1], update="graded").matched)
    0
    """
    rows = of_numpy(spin_patterns(patterns))
    return _network(rows, (rule, self_coupling), Tanh(beta))


def _require_active(rows: np.ndarray) -> None:
    """Raise `InvalidInput` with the first row that is not of 0 and 1."""
    for i, row in enumerate(rows):
        if reason := Step().why_outside_domain(row):
            raise InvalidInput(f"patterns: row {i} {reason}")


def _network(rows: np.ndarray, learned: tuple[str, bool], activation: str | Activation, bias: float = 0.0) -> Hopfield:
    """The network of these patterns by a rule; raises `InvalidInput` as `_learned` does, and for an unknown rule.

    learned: the name of the rule, and whether self-couplings stay.
    """
    rule, self_coupling = learned
    reject_unknown("rule", [rule], learning.rules)
    if activation == "step" and rule not in OF_0_AND_1:
        raise InvalidInput(f"rule: '{rule}' learns patterns of ±1; for 0 and 1 expected {', '.join(OF_0_AND_1)}")
    flag(self_coupling, "self_coupling")
    if rule == "hebb" and activation != "step":
        return Hopfield.by_hebb(rows, self_coupling, activation, bias)
    return Hopfield(_learned(rows, rule, self_coupling), bias=bias, activation=activation, patterns=rows)


def _learned(rows: np.ndarray, rule: str, self_coupling: bool) -> np.ndarray:
    """The couplings by a rule; raises `InvalidInput` for a diagonal that the rule lacks."""
    if _has_diagonal(learning.rules[rule]):
        return np.asarray(learning.rules[rule](rows, self_coupling=self_coupling))
    if self_coupling:
        able = ", ".join(name for name, each in learning.rules.items() if _has_diagonal(each))
        raise InvalidInput(f"self_coupling: the rule '{rule}' has none; only {able} can")
    return np.asarray(learning.rules[rule](rows))


@cache
def _has_diagonal(rule: Callable[..., Any]) -> bool:
    """Whether a rule can keep self-couplings."""
    return "self_coupling" in signature(rule).parameters
