"""The bidirectional associative memory: two sides that recall one another."""

from typing import Any

import numpy as np

from hopattn.memories.models.card import named, spin_patterns
from hopattn.memories.random_patterns import drawn_spins
from hopattn.networks import learning_rules as learning
from hopattn.networks.associator import Associator
from hopattn.networks.bidirectional import Bidirectional


def _drawn(rng: np.random.Generator) -> dict[str, Any]:
    left = drawn_spins(rng)
    return {"left": left, "right": rng.choice([-1.0, 1.0], size=(len(left), int(rng.integers(2, 17))))}


@named(source="Kosko 1988", energy="−yᵀW x, y = sgn(W x)", draw=_drawn)
def bam(left: Any, right: Any) -> Bidirectional:
    """Kosko's bidirectional associative memory: pairs of patterns, of which either recalls the other.

    left: `(n_patterns, N)`, right: `(n_patterns, M)`, ±1. Both sides turn in turn, y = sgn(W x) and x = sgn(Wᵀ y), with
    W = (1/N) Σ y xᵀ, until neither changes. Raises `InvalidInput` for what is not ±1 and sides that differ in number.
    Source: Kosko (1988), IEEE Trans. SMC 18, 49, eq. 7 and 13.

    >>> import hopattn as ha
    >>> memory = ha.bam([[1, 1, 1, 1], [1, -1, 1, -1]], [[1, 1, -1], [-1, 1, 1]])
    >>> found = memory.recall([1, 1, 1, 0])
    >>> found.state, memory.answer(found.state)
    (array([1., 1., 1., 1.]), array([ 1.,  1., -1.]))
    """
    cause, effect = spin_patterns(left, "left"), spin_patterns(right, "right")
    couplings = learning.associate(cause, effect)
    forward = Associator(couplings, activation="sign", patterns=effect)
    return Bidirectional(forward, Associator(couplings.T, activation="sign", patterns=cause))
