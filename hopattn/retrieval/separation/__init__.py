"""Separations: potentials over the scores, whose gradients are the weights.

    p = ∇Ψ(s),   Ψ(s) = β⁻¹ Ψ₁(βs)

A class that lies in a file of this folder is in the registry.

- `base.py`: the form of a separation, and functions that several share
- `softmax.py`: attention as transformers have it
- `*.py`: one file for each family
"""

from hopattn.foundation.registry import Registry, modules_in
from hopattn.retrieval.separation.base import Separation

separations: Registry[Separation] = Registry("separation", Separation, modules_in(__name__))
