"""The cue of the lecture."""

from collections.abc import Callable
from typing import Annotated

from hopattn.foundation.arrays import Array
from hopattn.foundation.boundary import Of, public
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import Choices
from hopattn.foundation.vectors import rectified
from hopattn.retrieval.activation import Activation, activations

functions: Choices[Callable[[Array], Array]] = Choices(
    "f", {name: kind() for name, kind in activations.items()} | {"relu": rectified}
)
"""f by its name: the activations of memories, and one more."""


@public
def cue(
    weights: Annotated[Array, Of("n_out? n_in")],
    activation: Annotated[Array, Of("… n_in")],
    f: str | Activation | Callable[[Array], Array] | None = None,
) -> Array:
    """Cue a matrix of weights by a vector of activation: p_i = f(Σ_j w_ij a_j).

    Parameters
    ----------
    weights : (n_out, n_in)
        or `(n_in,)` for a single neuron
    activation : (n_in,) or (n_cues, n_in)
    f
        "logistic" for 1/(1 + e⁻ʰ), "relu" for max(0, h), "step" for 1 above 0 and else 0, the name of another
        activation ("sign"), an `Activation`, any function of the field, or None for f(h) = h.

    Returns
    -------
    `(n_out,)` or `(n_cues, n_out)`, without the last axis for a single neuron.

    Raises
    ------
    InvalidInput : where the shapes do not fit, and for an unknown f.

    Notes
    -----
    Source: LING3804 Lecture Notes 7, 7.1 (the definition of p_i).

    Examples
    --------
    >>> import hopattn as ha
    >>> round(float(ha.cue([0.8, 0.6], [0.8, 0.6])), 12)
    1.0
    """
    neurons = weights if weights.ndim == 2 else weights[None, :]
    respond = f if callable(f) else functions["identity" if f is None else f]
    field = activation @ neurons.mT
    answer = respond(field)
    if getattr(answer, "shape", None) != field.shape:
        raise InvalidInput(f"f: expected a function that answers in the shape of its field, {tuple(field.shape)}")
    return answer if weights.ndim == 2 else answer[..., 0]
