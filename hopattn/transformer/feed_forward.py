"""Maps of each word by itself: affine maps, of which heads are made too, and the feed-forward layer.

    affine  W x + b          feed-forward  W₂ f(W₁ x + b₁) + b₂          gated  W₂ (f(W_g x + b_g) ⊙ (W₁ x + b₁)) + b₂

The feed-forward layer is a memory: the rows of W₁ are keys, the columns of W₂ are values, and f makes weights of the
scores. With the ReLU that is the separation `rectified_power` with n = 2, whose weights are [s]₊ (Geva et al. 2021,
EMNLP).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated, Any

from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import Array, namespace, shaped
from hopattn.foundation.boundary import Declared, Of, public
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.vectors import linear
from hopattn.transformer.nonlinearities import NONLINEARITIES


@dataclass(frozen=True, eq=False, repr=False)
class Affine(Declared):
    """y = W x + b for each row of x, `(…, dim_in)` to `(…, dim_out)`.

    Parameters
    ----------
    weight : W, `(dim_out, dim_in)`.
    bias : b, `(dim_out,)`, or None.

    Raises
    ------
    InvalidInput : for other shapes.

    Examples
    --------
    >>> Affine([[1, 2], [3, 4]], [10, 20])([1.0, 1.0])
    array([13., 27.])
    """

    weight: Annotated[Array, Of("out dim")]
    bias: Annotated[Array | None, Of("out")] = None

    def __repr__(self) -> str:
        return f"Affine(weight {self.dims}{'' if self.bias is None else ', bias'})"

    @classmethod
    def of(cls, given: Any, what: str) -> "Affine":
        """The map itself, or that of a matrix without a bias; `what` is its name in messages."""
        return given if isinstance(given, cls) else cls(shaped(given, what, "out in"))

    @classmethod
    def stacked(cls, maps: "Sequence[Affine]") -> "Affine":
        """One map whose output is the outputs of several maps of the same input, one behind the other."""
        if len(maps) == 1:
            return maps[0]
        xp = namespace(*(affine.weight for affine in maps))
        biases = [xp.zeros_like(affine.weight[:, 0]) if affine.bias is None else affine.bias for affine in maps]
        no_bias = all(affine.bias is None for affine in maps)
        return cls(
            xp.concat([affine.weight for affine in maps], axis=0), None if no_bias else xp.concat(biases, axis=0)
        )

    def split(self, lengths: Sequence[int]) -> "list[Affine]":
        """The inverse of `stacked`: the map to so many entries of the output, that to the next ones, and so on."""
        parts = [slice(end - length, end) for length, end in zip(lengths, accumulate(lengths), strict=True)]
        return [Affine(self.weight[rows, :], None if self.bias is None else self.bias[rows]) for rows in parts]

    @property
    def dims(self) -> tuple[int, int]:
        """The dims of the output and of the input."""
        return int(self.weight.shape[0]), int(self.weight.shape[1])

    @public
    def __call__(self, x: Annotated[Array, Of("… dim")]) -> Array:
        """W x + b for each row of x."""
        return image(self, x)


def image(affine: Affine, x: Array) -> Array:
    """W x + b for each row of x, an array that is known to fit the map."""
    product = linear(x, affine.weight)
    return product if affine.bias is None else product + affine.bias


@dataclass(frozen=True, eq=False, init=False, repr=False)
class FeedForward(PublicObject):
    """W₂ f(W₁ x + b₁) + b₂ for each row of x, `(…, dim)` to `(…, dim_out)`; nothing passes between the rows.

    Parameters
    ----------
    w_in : W₁, `(hidden, dim)`, or an `hopattn.transformer.Affine` with a bias.
    w_out : W₂, `(dim_out, hidden)`, or an `Affine`.
    activation : f, "relu", "gelu", "gelu_tanh", "silu", "tanh" or "identity".
    gate
        W_g, `(hidden, dim)`, as w_in: the hidden layer is then f(W_g x + b_g) ⊙ (W₁ x + b₁), entry by entry, and SwiGLU
        with "silu".

    Raises
    ------
    InvalidInput : for matrices that do not fit one another, and for another f.

    Notes
    -----
    Source: Vaswani et al. (2017), 3.3; Shazeer (2020), arXiv:2002.05202, equation 6 (their W, V and W₂ are our gate,
    w_in and w_out).

    Examples
    --------
    >>> FeedForward([[1.0], [-1.0]], [[1.0, 1.0]])([[-2.0]])
    array([[2.]])
    """

    inner: Affine
    outer: Affine
    activation: str
    gate: Affine | None

    def __init__(self, w_in: Array, w_out: Array, activation: str = "relu", *, gate: Array = None) -> None:
        inner, outer = Affine.of(w_in, "w_in"), Affine.of(w_out, "w_out")
        gate_map = None if gate is None else Affine.of(gate, "gate")
        shaped(outer.weight, "w_out", "dim_out dim", dim=(inner.dims[0], "the rows of w_in"))
        reject_unknown("activation", [activation], NONLINEARITIES)
        if gate_map is not None and gate_map.dims != inner.dims:
            raise InvalidInput(f"gate: got {gate_map.dims}; expected the shape of w_in, {inner.dims}")
        for name, part in (("inner", inner), ("outer", outer), ("activation", activation), ("gate", gate_map)):
            object.__setattr__(self, name, part)

    def __repr__(self) -> str:
        ending = "" if self.gate is None else ", gated"
        return f"FeedForward(w_in {self.inner.dims}, w_out {self.outer.dims}, '{self.activation}'{ending})"

    @public
    def __call__(self, x: Array) -> Array:
        """W₂ f(W₁ x + b₁) + b₂ for each row of x."""
        return self.outer(self.hidden(x))

    @public
    def hidden(self, x: Array) -> Array:
        """f(W₁ x + b₁) for each row of x, `(…, hidden)`: how much each neuron, or each key of the memory, responds.

        With a gate it is f(W_g x + b_g) ⊙ (W₁ x + b₁).
        """
        f = NONLINEARITIES[self.activation]
        return f(self.inner(x)) if self.gate is None else f(self.gate(x)) * self.inner(x)
