"""Separation: a potential over the scores, whose gradient gives the weights.

    p = ∇Ψ(s),   Ψ(s) = β⁻¹ Ψ₁(βs)

One file per family in this folder; a class that lies here is in the registry.
"""

from hopattn.foundation.registry import Registry, modules_in
from hopattn.retrieval.separation.base import Separation

separations: Registry[Separation] = Registry("separation", Separation, modules_in(__name__))
