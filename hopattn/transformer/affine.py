"""Affine maps: y = W x + b, of which heads, feed-forward layers and read-outs are made."""

from dataclasses import dataclass
from typing import Any

from hopattn.foundation.arrays import Array, as_float, as_matrix, namespace, require_dim
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.in_range import in_range
from hopattn.foundation.vectors import linear


@dataclass(frozen=True, eq=False, init=False)
class Affine:
    """y = W x + b for each row of x, `(…, dim_in)` to `(…, dim_out)`.

    weight: W, `(dim_out, dim_in)`. bias: b, `(dim_out,)`, or None for no bias. Raises `InvalidInput` for a weight that
    is no matrix, and for a bias that does not fit it.

    >>> Affine([[1, 2], [3, 4]], [10, 20])([1.0, 1.0])
    array([13., 27.])
    """

    weight: Array
    bias: Array | None

    def __init__(self, weight: Any, bias: Any = None, what: str = "weight") -> None:
        matrix = as_matrix(weight, what)
        shift = None if bias is None else as_float(bias, f"{what}: bias", like=matrix)
        if shift is not None and tuple(shift.shape) != (matrix.shape[0],):
            raise InvalidInput(
                f"{what}: a bias of shape {tuple(shift.shape)} does not fit the {matrix.shape[0]} rows of the matrix"
            )
        object.__setattr__(self, "weight", matrix)
        object.__setattr__(self, "bias", shift)

    def __repr__(self) -> str:
        return f"Affine(weight {self.dims}{'' if self.bias is None else ', bias'})"

    @classmethod
    def of(cls, given: Any, what: str) -> "Affine":
        """The map itself, or the map of a matrix without a bias."""
        return given if isinstance(given, cls) else cls(given, what=what)

    @classmethod
    def stacked(cls, maps: "list[Affine]") -> "Affine":
        """One map whose output is the outputs of several maps of the same input, one behind the other."""
        if len(maps) == 1:
            return maps[0]
        xp = namespace(*(one.weight for one in maps))
        biases = [xp.zeros_like(one.weight[:, 0]) if one.bias is None else one.bias for one in maps]
        no_bias = all(one.bias is None for one in maps)
        return cls(xp.concat([one.weight for one in maps], axis=0), None if no_bias else xp.concat(biases, axis=0))

    @property
    def dims(self) -> tuple[int, int]:
        """The dims of the output and of the input."""
        return int(self.weight.shape[0]), int(self.weight.shape[1])

    @in_range
    def __call__(self, x: Any) -> Array:
        """W x + b for each row of x."""
        rows = as_float(x, "x", like=self.weight)
        require_dim(rows, self.weight.shape[1], "x", "the matrix")
        product = linear(rows, self.weight)
        return product if self.bias is None else product + self.bias
