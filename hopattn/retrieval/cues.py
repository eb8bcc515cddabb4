"""The cue of the lecture."""

from collections.abc import Callable
from typing import Annotated

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.boundary import Of, public
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import Choices
from hopattn.foundation.ties import eps_of, error_of_sum, without_rounding
from hopattn.foundation.traces import detached
from hopattn.foundation.vectors import rectified
from hopattn.retrieval.activation import Activation, Sign, activations

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
    For a neuron that jumps at 0, such as "sign", a sum that is no larger than its rounding is 0, so that .1 + .2 − .3
    is. Of a square matrix, "sign" keeps a spin of ±1 where its sum is 0, as in a network that is its own cue. Source:
    LING3804 Lecture Notes 7, 7.1 (the definition of p_i).

    Examples
    --------
    >>> import hopattn as ha
    >>> round(float(ha.cue([0.8, 0.6], [0.8, 0.6])), 12)
    1.0
    >>> float(ha.cue([0.1, 0.2, -0.3], [1.0, 1.0, 1.0], "step"))
    0.0
    """
    neurons = weights if weights.ndim == 2 else weights[None, :]
    respond = f if callable(f) else functions["identity" if f is None else f]
    field = activation @ neurons.mT
    if getattr(respond, "discrete", False):
        sizes = abs(detached(activation)) @ abs(detached(neurons)).mT
        error = error_of_sum(neurons.shape[1], eps_of(neurons, activation), eps_of(field)) * sizes
        field = without_rounding(field, error)
    if isinstance(respond, Sign) and neurons.shape[0] == neurons.shape[1]:
        answer = respond(field, namespace(activation).where(abs(activation) == 1, activation, 0.0))
    else:
        answer = respond(field)
    if getattr(answer, "shape", None) != field.shape:
        raise InvalidInput(f"f: expected a function that answers in the shape of its field, {tuple(field.shape)}")
    return answer if weights.ndim == 2 else answer[..., 0]
