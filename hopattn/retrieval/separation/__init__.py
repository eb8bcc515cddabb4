"""Separations: potentials over the scores, whose gradients are the weights.

    p = ∇Ψ(s),   Ψ(s) = β⁻¹ Ψ₁(βs)

A class that lies in a file of this folder is in the registry.

- `scores.py`: functions of rows of scores that several separations share
- `row_thresholds.py`: thresholds and weights of sparse separations by compiled loops
- `block_form.py`: how the result of all keys is put together from blocks of keys
- `base.py`: the form of a separation
- `softmax.py`: attention as transformers have it
- `*.py`: one file for each family
"""

from hopattn.foundation.registry import Registry, modules_in
from hopattn.retrieval.separation.base import Separation

separations: Registry[Separation] = Registry("separation", Separation, modules_in(__name__))
