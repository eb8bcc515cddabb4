"""The derivatives of the pieces of a layer, each for an upstream gradient dy of its output y.

    affine           y = W x + b                 dx = Wᵀ dy                 dW = Σ dy xᵀ        db = Σ dy
    nonlinearity     y = f(x)                    dx = f′(x) dy
    normalisation    y = gain · n + shift        dx = (u − mean u − n · mean(u n)) / σ,   u = gain · dy
                     n = (x − mean x) / σ        d gain = Σ dy n            d shift = Σ dy      σ = √(var x + ε)
    without mean     n = x / σ                   dx = (u − n · mean(u n)) / σ                   σ = √(mean x² + ε)

Means are over a row, sums over all rows of a batch. Everything is NumPy's, in float64.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hopattn.foundation.vectors import row_length
from hopattn.transformer.affine import Affine
from hopattn.transformer.feed_forward import NONLINEARITIES, FeedForward
from hopattn.transformer.normalisation import Normalisation

Numbers = NDArray[np.float64]


def _gelu_slope(x: Numbers) -> Numbers:
    """Φ(x) + x φ(x), for Φ the normal distribution function and φ its density, exp(−x²/2) / √2π."""
    from scipy.special import ndtr  # imported here, because it is slow to import

    return np.asarray(ndtr(x) + x * np.exp(-0.5 * x * x) / (2 * np.pi) ** 0.5)


SLOPES: dict[str, Callable[[Numbers], Numbers]] = {
    "identity": np.ones_like,
    "relu": lambda x: np.asarray(x > 0, np.float64),
    "gelu": _gelu_slope,
    "tanh": lambda x: np.asarray(np.cosh(np.minimum(np.abs(x), 350.0)) ** -2.0),
}
"""f′ by the name of f. relu′ is 0 at 0, as in PyTorch; tanh′ = 1/cosh² keeps its digits where 1 − tanh² is 0."""


def affine_backward(own: Affine, x: Numbers, upstream: Numbers, biased: bool | None = None) -> tuple[Numbers, Affine]:
    """dx = Wᵀ dy, and dW = Σ dy xᵀ with db = Σ dy as a map of the same shape.

    x: `(…, in)`. upstream: dy, `(…, out)`. biased: whether db is given, by default only for a map that has a bias.
    """
    rows, changes = x.reshape(-1, x.shape[-1]), upstream.reshape(-1, upstream.shape[-1])
    has_bias = own.bias is not None if biased is None else biased
    return upstream @ own.weight, Affine(changes.T @ rows, changes.sum(axis=0) if has_bias else None)


def normalisation_backward(own: Normalisation, x: Numbers, upstream: Numbers) -> tuple[Numbers, Normalisation]:
    """dx = (u − mean u − n · mean(u n)) / σ for u = gain · dy, and d gain and d shift where there are such.

    x, upstream: `(…, dim)`. Without centring, mean u is left out.
    """
    unit_size = Normalisation(epsilon=own.epsilon, centred=own.centred)(x)  # n
    centred = x - x.mean(axis=-1, keepdims=True) if own.centred else x
    sigma = np.hypot(row_length(centred) / x.shape[-1] ** 0.5, own.epsilon**0.5)[..., None]
    u = upstream if own.gain is None else own.gain * upstream
    across = u - u.mean(axis=-1, keepdims=True) if own.centred else u
    dx = (across - unit_size * np.mean(u * unit_size, axis=-1, keepdims=True)) / sigma
    gain = None if own.gain is None else _over_rows(upstream * unit_size)
    shift = None if own.shift is None else _over_rows(upstream)
    return dx, Normalisation(gain, shift, epsilon=own.epsilon, centred=own.centred)


def feed_forward_backward(own: FeedForward, x: Numbers, upstream: Numbers) -> tuple[Numbers, tuple[Affine, Affine]]:
    """dx of W₂ f(W₁ x + b₁) + b₂, and the gradients of its two maps."""
    fields = own.inner(x)
    hidden, outer = affine_backward(own.outer, NONLINEARITIES[own.activation](fields), upstream)
    dx, inner = affine_backward(own.inner, x, SLOPES[own.activation](fields) * hidden)
    return dx, (inner, outer)


def summed_to(gradient: Numbers, shape: tuple[int, ...]) -> Numbers:
    """The gradient of an array of this shape that was broadcast to the shape of the given gradient."""
    if gradient.shape == shape:
        return gradient
    further = gradient.ndim - len(shape)
    whole = gradient.sum(axis=tuple(range(further)))
    repeated = tuple(i for i, n in enumerate(shape) if n == 1 and whole.shape[i] != 1)
    return np.asarray(whole.sum(axis=repeated, keepdims=True))


def _over_rows(changes: Numbers) -> Numbers:
    """The sum over all axes but the last."""
    return np.asarray(changes.reshape(-1, changes.shape[-1]).sum(axis=0))
