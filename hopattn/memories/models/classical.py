"""The classical networks: spins (Hopfield 1982) and graded neurons (Hopfield 1984), with any learning rule."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.memories.models.card import named, spin_patterns
from hopattn.memories.random_patterns import drawn_beta, drawn_spins
from hopattn.networks import learning_rules as learning
from hopattn.networks.hopfield import Hopfield
from hopattn.retrieval.activation import Tanh

Rule = Literal["hebb", "covariance", "pseudo_inverse", "storkey", "perceptron"]
_RULES: dict[str, Callable[..., np.ndarray]] = {
    "hebb": learning.hebb,
    "covariance": learning.covariance,
    "pseudo_inverse": learning.pseudo_inverse,
    "storkey": learning.storkey,
    "perceptron": learning.perceptron,
}
_WITH_DIAGONAL = ("hebb", "covariance", "pseudo_inverse")


def _drawn_rule(rng: np.random.Generator) -> dict[str, Any]:
    rule = str(rng.choice(["hebb", "covariance", "storkey"]))
    return {"rule": rule, "self_coupling": rule in _WITH_DIAGONAL and bool(rng.random() < 0.3)}


@named(
    source="Hopfield 1982",
    energy="−½ xᵀW x",
    draw=lambda rng: {"patterns": drawn_spins(rng), **_drawn_rule(rng)},
    update="async",
)
def hopfield(patterns: Any, rule: Rule = "hebb", self_coupling: bool = False) -> Hopfield:
    """Hopfield's network of spins: x_i ← sgn(Σ_j W_ij x_j).

    patterns: `(n_patterns, N)`, ±1. rule: "hebb", "covariance" (patterns that are mostly of one sign),
    "pseudo_inverse" (correlated patterns), "storkey", or "perceptron" (Gardner); the last two have no self-couplings.
    Raises `InvalidInput` for patterns that are not ±1 or that the rule cannot learn, and a mistyped rule.
    Source: Hopfield (1982), PNAS 79, 2554; the rules' sources stand in `hopattn.networks.learning_rules`.

    >>> import hopattn as ha
    >>> network = ha.hopfield([[1, 1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1]])
    >>> found = network.recall([1, 1, 1, 1, -1, 1], update="async")
    >>> str(found.status), int(found.matched)
    ('converged', 0)
    """
    rows = spin_patterns(patterns)
    return Hopfield(_learned(rows, rule, self_coupling), patterns=rows)


@named(
    source="Hopfield 1984",
    energy="β⁻¹ Σ ∫ artanh − ½ xᵀW x",
    draw=lambda rng: {"patterns": drawn_spins(rng), "beta": drawn_beta(rng), **_drawn_rule(rng)},
    update="graded",
)
def graded(patterns: Any, beta: float = 4.0, rule: Rule = "hebb", self_coupling: bool = False) -> Hopfield:
    """Hopfield's network of graded neurons: u̇ = −u + W x, x = tanh βu; recall it with update="graded".

    patterns, rule, self_coupling: as for `hopfield`. beta: how steep the neurons are (Hopfield's λ); below about 1 the
    only state of rest is 0. Raises `InvalidInput` as `hopfield` does, and for a beta that is not positive.
    Source: Hopfield (1984), PNAS 81, 3088, eq. 5 and 7.

    >>> import hopattn as ha
    >>> network = ha.graded([[1, 1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1]])
    >>> int(network.recall([0.2, 0.3, 0.1, 0.1, -0.2, 0.1], update="graded").matched)
    0
    """
    rows = spin_patterns(patterns)
    return Hopfield(_learned(rows, rule, self_coupling), activation=Tanh(beta), patterns=rows)


def _learned(rows: np.ndarray, rule: str, self_coupling: bool) -> np.ndarray:
    reject_unknown("rule", [rule], _RULES)
    if rule in _WITH_DIAGONAL:
        return np.asarray(_RULES[rule](rows, self_coupling=self_coupling))
    if self_coupling:
        raise InvalidInput(f"self_coupling: the rule '{rule}' has none; only {', '.join(_WITH_DIAGONAL)} can")
    return np.asarray(_RULES[rule](rows))
