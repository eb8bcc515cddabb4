"""The functions of the neurons of feed-forward layers, entry by entry, each with its derivative."""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hopattn.foundation.arrays import Array, namespace, narrowed, widened
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.traces import is_jax, is_torch
from hopattn.foundation.vectors import logistic, rectified


class Nonlinearity(NamedTuple):
    """A function f of each entry, of arrays of any library, and its derivative f′, of NumPy arrays in float64."""

    f: Callable[[Array], Array]
    slope: Callable[[np.ndarray], Any]

    def __call__(self, x: Array) -> Array:
        return self.f(x)


def _gelu(x: Array) -> Array:
    """½ x (1 + erf(x/√2)), in single precision for half; the array API lacks erf, and each library has its own."""
    wide = widened(x)
    scaled = wide * 0.5**0.5
    if isinstance(x, (np.ndarray, np.generic)):
        from scipy.special import erf  # imported here, because it is slow to import

        error = erf(scaled)
    elif is_torch(x):
        error = scaled.erf()
    elif is_jax(x):
        error = sys.modules["jax"].lax.erf(scaled)  # JAX is loaded, since x is one of its arrays
    else:
        library = type(x).__module__.partition(".")[0]
        raise InvalidInput(f"erf: arrays of {library} have no error function; expected NumPy, PyTorch or JAX")
    return narrowed(0.5 * wide * (1 + error), x)


def _gelu_tanh(x: Array) -> Array:
    """½ x (1 + tanh u) = x σ(2u), u = √(2/π) (x + 0.044715 x³), in single precision for half; x³ of at most 10⁶."""
    wide = widened(x)
    near = namespace(x).clip(wide, -100.0, 100.0)
    share = logistic(2 * (2 / np.pi) ** 0.5 * (near + 0.044715 * near * near * near))
    return narrowed(wide * share, x)


def _silu(x: Array) -> Array:
    """x σ(x), in single precision for half."""
    wide = widened(x)
    return narrowed(wide * logistic(wide), x)


def _gelu_slope(x: np.ndarray) -> Any:
    """Φ(x) + x φ(x), for Φ the normal distribution function and φ its density, exp(−x²/2) / √2π."""
    from scipy.special import ndtr  # imported here, because it is slow to import

    return ndtr(x) + x * np.exp(-0.5 * x * x) / (2 * np.pi) ** 0.5


def _gelu_tanh_slope(x: np.ndarray) -> Any:
    """σ (1 + x (1 − σ) 2u′), for σ the logistic function of 2u, u = √(2/π) (x + 0.044715 x³)."""
    near, scale = np.clip(x, -100.0, 100.0), 2 * (2 / np.pi) ** 0.5
    share = logistic(scale * (near + 0.044715 * near**3))
    return share * (1 + near * (1 - share) * scale * (1 + 0.134145 * near * near))


def _silu_slope(x: np.ndarray) -> Any:
    """σ (1 + x (1 − σ)), for σ the logistic function."""
    share = logistic(x)
    return share * (1 + x * (1 - share))


NONLINEARITIES = {
    "identity": Nonlinearity(lambda x: x, np.ones_like),
    "relu": Nonlinearity(rectified, lambda x: np.asarray(x > 0, np.float64)),
    "gelu": Nonlinearity(_gelu, _gelu_slope),
    "gelu_tanh": Nonlinearity(_gelu_tanh, _gelu_tanh_slope),
    "silu": Nonlinearity(_silu, _silu_slope),
    "tanh": Nonlinearity(lambda x: namespace(x).tanh(x), lambda x: np.cosh(np.minimum(np.abs(x), 350.0)) ** -2.0),
}
"""f by its name. gelu is x times the normal distribution function (Hendrycks & Gimpel 2016), gelu_tanh its form with a
tanh in the same paper, which GPT-2 calls gelu_new, and silu x times the logistic function. relu′ is 0 at 0, as in
PyTorch; tanh′ = 1/cosh² keeps its digits where 1 − tanh² is 0."""
