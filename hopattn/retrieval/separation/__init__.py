"""Separations: potentials over the scores, whose gradients are the weights.

    p = ∇Ψ(s),   Ψ(s) = β⁻¹ Ψ₁(βs)

A class that lies in a file of this folder is in the registry.

- `base.py`: the form of a separation, and its two families
- `softmax.py`: attention as transformers have it; argmax; weights in proportion to the scores
- `entmax.py`: sparse weights: entmax, sparsemax, normmax, k-subsets
- `elementwise.py`: each pattern counts by its own score: identity, powers, exponential, threshold
"""

from typing import Any

from hopattn.foundation.registry import Registry, modules_in
from hopattn.retrieval.separation.base import Separation

separations: Registry[Separation] = Registry("separation", Separation, modules_in(__name__), imports=True)


def separation_of(choice: Any, beta: Any = None, default: Any = 1.0) -> Separation:
    """The separation of this name with this β, by default `default`; an object, which carries its own β, as it is.

    Raises `InvalidInput` for an object together with a β, and for a name that is unknown.
    """
    if beta is None and isinstance(choice, Separation):
        return choice
    return separations.make(choice, beta=default if beta is None else beta)
