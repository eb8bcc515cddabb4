"""Normalisation of word vectors: the size to 1, and the mean to 0, then a gain and a shift for each entry.

LayerNorm   gain · (x − mean x) / √(var x + ε) + shift          RMSNorm   gain · x / √(mean x² + ε) + shift
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar

from hopattn.foundation.arrays import Array, namespace, narrowed, widened
from hopattn.foundation.boundary import Declared, Fit, Of, Positive, public
from hopattn.foundation.vectors import row_length, within_sums
from hopattn.retrieval import activation
from hopattn.transformer.from_torch import require_names

Rows = Annotated[Any, Of("… dim")]


@dataclass(frozen=True, eq=False)
class Normalisation(Declared, ABC):
    """The base of both normalisations of rows x, `(…, dim)`.

    Parameters
    ----------
    gain, shift : (dim,)
        or None for 1 and for 0.
    epsilon : ε, above 0.

    Raises
    ------
    InvalidInput
        for a gain and a shift that are not vectors of one length, for vectors of two libraries or dtypes of PyTorch,
        and for an ε that is not positive.

    Notes
    -----
    Half precision is computed in single precision.
    """

    gain: Annotated[Array | None, Of("dim")] = None
    shift: Annotated[Array | None, Of("dim")] = None
    _: KW_ONLY
    epsilon: Positive = 1e-5
    centred: ClassVar[bool]

    def __repr__(self) -> str:
        parts = [f"{name}, " for name in ("gain", "shift") if getattr(self, name) is not None]
        return f"{type(self).__name__}({''.join(parts)}epsilon={self.epsilon:g})"

    def _fit(self, axes: Collection[str]) -> Fit:
        fit = super()._fit(axes)
        fit.first, fit.like = None, fit.first  # rows of another precision are widened
        return fit

    @abstractmethod
    def unit(self, x: Array) -> Array:
        """The rows at size 1, before gain and shift; no square and no length overflows."""

    @public
    def __call__(self, x: Rows) -> Array:
        """The normalised rows, `(…, dim)`."""
        result = self.unit(widened(x))
        result = result if self.gain is None else widened(self.gain) * result
        result = result if self.shift is None else result + widened(self.shift)
        return narrowed(result, *(array for array in (x, self.gain, self.shift) if array is not None))

    @public
    def held(self, parts: Rows, x: Annotated[Array, Of("dim")]) -> Array:
        """The part of the output that each part of a row x gives, `(…, dim)`, with the scale of x held: linear.

        Parameters
        ----------
        parts : (…, dim)
            which add up to x `(dim,)`; their results add up to the output without the shift.
        """
        pieces, row, xp = widened(parts), widened(x), namespace(x)
        if self.centred:
            pieces, row = (array - xp.mean(array, axis=-1, keepdims=True) for array in (pieces, row))
        size = row_length(row) / row.shape[-1] ** 0.5
        unit = pieces / xp.hypot(size, xp.full_like(size, self.epsilon**0.5))[..., None]
        return unit if self.gain is None else widened(self.gain) * unit

    def to_torch(self, name: str) -> dict[str, Array]:
        """The names and arrays of a normalisation of PyTorch; those that are None are left out."""
        arrays = {f"{name}.weight": self.gain, f"{name}.bias": self.shift}
        return {key: array for key, array in arrays.items() if array is not None}


class LayerNorm(Normalisation):
    """Layer normalisation: gain · (x − mean x) / √(var x + ε) + shift for each row of x, `(…, dim)`.

    The formula with one gain is the activation "layer_norm", a gradient of a potential.

    Parameters
    ----------
    gain, shift, epsilon : as in `Normalisation`.

    Notes
    -----
    Source: Ba, Kiros & Hinton (2016), arXiv:1607.06450.

    Examples
    --------
    >>> LayerNorm([1.0, 1.0])([[1.0, 3.0]]).round(4)
    array([[-1.,  1.]])
    """

    centred = True

    def unit(self, x: Array) -> Array:
        return activation.LayerNorm(epsilon=self.epsilon)(x)

    @classmethod
    def from_torch(cls, state: Mapping[str, Any], name: str, epsilon: float) -> "LayerNorm":
        """The `torch.nn.LayerNorm` of this name in a state; raises `InvalidInput` where the state has none."""
        require_names(state, [f"{name}.weight"], state)
        return cls(state[f"{name}.weight"], state.get(f"{name}.bias"), epsilon=epsilon)


class RMSNorm(Normalisation):
    """Root-mean-square normalisation: gain · x / √(mean x² + ε) + shift for each row of x, `(…, dim)`.

    Parameters
    ----------
    gain, shift, epsilon : as in `Normalisation`.

    Notes
    -----
    Source: Zhang & Sennrich (2019), NeurIPS.

    Examples
    --------
    >>> RMSNorm()([[3.0, 3.0]]).round(4)
    array([[1., 1.]])
    """

    centred = False

    def unit(self, x: Array) -> Array:
        rows = within_sums(x)
        xp, size = namespace(rows), row_length(rows) / rows.shape[-1] ** 0.5
        return rows / xp.hypot(size, xp.full_like(size, self.epsilon**0.5))[..., None]
