"""The bidirectional associative memory: two sides, each of which recalls the other."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hopattn.memories.models.card import named, of_numpy, spin_patterns
from hopattn.memories.random_patterns import random_spins
from hopattn.networks import learning_rules as learning
from hopattn.networks.associator import Associator
from hopattn.networks.bidirectional import Bidirectional


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    left = random_spins(rng)
    return {"left": left, "right": rng.choice([-1.0, 1.0], size=(len(left), int(rng.integers(2, 17))))}


@named(source="Kosko 1988", energy="−yᵀW x, y = sgn(W x)", draw=_draw)
def bam(left: ArrayLike, right: ArrayLike) -> Bidirectional:
    """Kosko's bidirectional associative memory: either pattern of a pair recalls the other, where pairs are few.

    left: `(n_patterns, N)`, ±1. right: `(n_patterns, M)`, ±1. The sides are updated in alternation, y = sgn(W x) and
    x = sgn(Wᵀ y), with W = (1/N) Σ y xᵀ, until neither changes. Raises `InvalidInput` for entries that are not ±1, and
    for sides with different numbers of patterns.
    Source: Kosko (1988), IEEE Trans. SMC 18, 49.

    >>> import hopattn as ha
    >>> memory = ha.bam([[1, 1, 1, 1], [1, -1, 1, -1]], [[1, 1, -1], [-1, 1, 1]])
    >>> recall = memory.recall([1, 1, 1, 0])
    >>> recall.state, memory.answer(recall.state)
    (array([1., 1., 1., 1.]), array([ 1.,  1., -1.]))
    """
    left_rows, right_rows = (
        of_numpy(spin_patterns(side, name), name) for side, name in ((left, "left"), (right, "right"))
    )
    couplings = learning.associate(left_rows, right_rows)
    forward = Associator(couplings, activation="sign", patterns=right_rows)
    return Bidirectional(forward, Associator(couplings.T, activation="sign", patterns=left_rows))
