"""The feed-forward layer: W₂ f(W₁ x + b₁) + b₂ for each word by itself.

It is a memory too: the rows of W₁ are keys, the columns of W₂ are values, and f makes weights of the scores. With the
ReLU that is the separation `rectified_power` with n = 2, whose weights are [s]₊ (Geva et al. 2021, EMNLP).
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, namespace, require_dim, widened
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.in_range import in_range
from hopattn.foundation.traces import is_jax, is_torch
from hopattn.foundation.vectors import rectified
from hopattn.transformer.affine import Affine


def _gelu(x: Array) -> Array:
    """½ x (1 + erf(x/√2)); half precision is computed in single precision, in which 1 + erf keeps its digits."""
    wide = widened(x)
    return namespace(x).astype(0.5 * wide * (1 + _erf(wide * 0.5**0.5)), x.dtype)


def _erf(x: Array) -> Array:
    """The error function, entry by entry, of NumPy, PyTorch and JAX arrays; raises `InvalidInput` for others.

    The array API has no such function.
    """
    if isinstance(x, (np.ndarray, np.generic)):
        from scipy.special import erf as of_scipy

        return of_scipy(x)
    if is_torch(x):
        return x.erf()
    if is_jax(x):
        return sys.modules["jax"].lax.erf(x)  # JAX is loaded, since x is one of its arrays
    raise InvalidInput(
        f"erf: arrays of {type(x).__module__.partition('.')[0]} have no error function; expected NumPy, PyTorch or JAX"
    )


NONLINEARITIES: dict[str, Callable[[Array], Array]] = {
    "identity": lambda x: x,
    "relu": rectified,
    "gelu": _gelu,
    "tanh": lambda x: namespace(x).tanh(x),
}
"""f by its name. gelu is x times the normal distribution function (Hendrycks & Gimpel 2016)."""


@dataclass(frozen=True, eq=False, init=False)
class FeedForward:
    """W₂ f(W₁ x + b₁) + b₂ for each row of x, `(…, dim)` to `(…, dim_out)`; nothing passes between the rows.

    w_in: W₁, `(hidden, dim)`. w_out: W₂, `(dim_out, hidden)`. Each is a matrix, or an `hopattn.Affine` with a bias.
    activation: f, "relu", "gelu", "tanh" or "identity". Raises `InvalidInput` for matrices that do not fit one another,
    and for another f. Source: Vaswani et al. (2017), 3.3.

    >>> FeedForward([[1.0], [-1.0]], [[1.0, 1.0]])([[-2.0]])
    array([[2.]])
    """

    inner: Affine
    outer: Affine
    activation: str

    def __init__(self, w_in: Any, w_out: Any, activation: str = "relu") -> None:
        inner, outer = Affine.of(w_in, "w_in"), Affine.of(w_out, "w_out")
        require_dim(outer.weight, inner.dims[0], "w_out", "the rows of w_in")
        reject_unknown("activation", [activation], NONLINEARITIES)
        object.__setattr__(self, "inner", inner)
        object.__setattr__(self, "outer", outer)
        object.__setattr__(self, "activation", activation)

    def __repr__(self) -> str:
        return f"FeedForward(w_in {self.inner.dims}, w_out {self.outer.dims}, '{self.activation}')"

    @in_range
    def __call__(self, x: Any) -> Array:
        """W₂ f(W₁ x + b₁) + b₂ for each row of x."""
        return self.outer(self.hidden(x))

    @in_range
    def hidden(self, x: Any) -> Array:
        """f(W₁ x + b₁) for each row of x, `(…, hidden)`: how much each neuron, or each key of the memory, responds."""
        return NONLINEARITIES[self.activation](self.inner(x))
