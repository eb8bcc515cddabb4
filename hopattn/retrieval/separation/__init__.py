"""Separations: potentials over the scores, whose gradients are the weights.

    p = ∇Ψ(s),   Ψ(s) = β⁻¹ Ψ₁(βs)

A class that lies in a file of this folder is in the registry.

- `base.py`: the form of a separation, and its two families
- `softmax.py`: attention as transformers have it; argmax; weights in proportion to the scores
- `entmax.py`: sparse weights: entmax, sparsemax, normmax, k-subsets
- `elementwise.py`: each pattern counts by its own score: identity, powers, exponential, threshold
"""

from collections.abc import Iterable
from typing import Any

from hopattn.foundation.arrays import NumberOrArray
from hopattn.foundation.errors import InvalidInput, listed, quoted
from hopattn.foundation.registry import Registry, modules_in, name_of
from hopattn.retrieval.separation.base import Competing, Separation, with_sink

separations: Registry[Separation] = Registry("separation", Separation, modules_in(__name__), imports=True)


def separation_of(choice: Any, beta: Any = None, default: Any = 1.0, sink: NumberOrArray = None) -> Separation:
    """The separation of this name with this β, by default `default`; an object, which carries its own β, as it is.

    sink: the logit of a null pattern, one number, also for an object without one. Raises `InvalidInput` for an object
    together with a β, or with a second sink, for a sink of a separation that takes none, and for an unknown name.
    """
    is_object = beta is None and isinstance(choice, Separation)
    separation = choice if is_object else separations.make(choice, beta=default if beta is None else beta)
    if sink is not None and not isinstance(separation, Competing):
        names = listed(name for name, kind in separations.items() if issubclass(kind, Competing))
        reason = "does not let patterns compete for the weight, so that a sink takes none of it"
        raise InvalidInput(f"sink: the separation {quoted(name_of(separation))} {reason}; expected one of {names}")
    if sink is not None and separation.sink is not None:
        raise InvalidInput(f"sink: {quoted(choice)} carries its own; give it in one place")
    if sink is None:
        return separation
    single_numbers(variant := with_sink(separation, sink), ("sink",))
    return variant


def single_numbers(separation: Separation, names: Iterable[str] = ()) -> dict[str, Any]:
    """The parameters that may be arrays, or those of these names: each a number, an array `()`, or None.

    Raises `InvalidInput` for an array with a number for each row of scores.
    """
    parameters = {name: getattr(separation, name) for name in names or separation.variables}
    for name, value in parameters.items():
        if getattr(value, "ndim", 0):
            cure = "ha.attention and ha.MultiHead take one for each head"
            if name != "sink":
                cure = "ha.attention takes one for each head, and ha.MultiHead heads with one each"
            raise InvalidInput(f"{name}: expected a single number, not an array of shape {tuple(value.shape)}; {cure}")
    return parameters
