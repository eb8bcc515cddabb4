"""Normalisation of word vectors: the mean to 0 and the size to 1, then a gain and a shift for each entry."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hopattn.foundation.arrays import Array, as_float, is_half, namespace, require_dim, widened
from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.foundation.in_range import in_range
from hopattn.foundation.objects import flag
from hopattn.foundation.scalars import positive
from hopattn.foundation.vectors import row_length, within_sums
from hopattn.retrieval.activation import LayerNorm as Centred
from hopattn.transformer.from_torch import require_state


@dataclass(frozen=True, eq=False, init=False)
class Normalisation:
    """gain · (x − mean x) / √(var x + ε) + shift for each row of x, `(…, dim)`; without the mean, gain · x / √(x² + ε).

    gain, shift: `(dim,)`, or None for 1 and for 0. epsilon: ε, above 0. centred: whether the mean is subtracted (layer
    normalisation); without it the mean square takes the place of the variance (RMS normalisation). The formula with one
    gain is the activation "layer_norm", a gradient of a potential. Half precision is
    computed in single precision. Raises `InvalidInput` for a gain or a shift that is
    no vector, for two of different length, and for an ε that is not positive.
    Source: Ba, Kiros & Hinton (2016), arXiv:1607.06450; Zhang & Sennrich (2019), NeurIPS, for RMS.

    >>> Normalisation([1.0, 1.0])([[1.0, 3.0]]).round(4)
    array([[-1.,  1.]])
    """

    gain: Array | None
    shift: Array | None
    epsilon: float
    centred: bool

    def __init__(self, gain: Any = None, shift: Any = None, *, epsilon: float = 1e-5, centred: bool = True) -> None:
        own = None if gain is None else as_float(gain, "gain")
        added = None if shift is None else as_float(shift, "shift", like=own)
        for vector, what in ((own, "gain"), (added, "shift")):
            if vector is not None and vector.ndim != 1:
                raise InvalidInput(f"{what}: expected (dim,), not shape {tuple(vector.shape)}")
        if own is not None and added is not None:
            require_dim(added, own.shape[0], "shift", "gain")
        object.__setattr__(self, "gain", own)
        object.__setattr__(self, "shift", added)
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        object.__setattr__(self, "centred", flag(centred, "centred"))

    def __repr__(self) -> str:
        own = [f"{name}, " for name in ("gain", "shift") if getattr(self, name) is not None]
        return f"Normalisation({''.join(own)}epsilon={self.epsilon:g}, centred={self.centred})"

    @in_range
    def __call__(self, x: Any) -> Array:
        """The normalised rows, `(…, dim)`."""
        rows = as_float(x, "x", like=self.gain)
        if rows.ndim == 0 or rows.shape[-1] == 0:
            raise InvalidInput(f"x: expected (…, dim) with a dim of at least 1, not shape {tuple(rows.shape)}")
        if self.gain is not None:
            require_dim(rows, self.gain.shape[0], "x", "gain")
        wide = widened(rows)
        result = Centred(epsilon=self.epsilon)(wide) if self.centred else self._by_root_mean_square(wide)
        own = [vector for vector in (self.gain, self.shift) if vector is not None]
        result = result if self.gain is None else widened(self.gain) * result
        result = result if self.shift is None else result + widened(self.shift)
        return namespace(rows).astype(result, rows.dtype) if all(map(is_half, (rows, *own))) else result

    def _by_root_mean_square(self, given: Array) -> Array:
        """x / √(x² + ε), in which no square and no length overflows."""
        rows = within_sums(given)
        size = row_length(rows) / rows.shape[-1] ** 0.5
        return rows / namespace(rows).hypot(size, namespace(rows).full_like(size, self.epsilon**0.5))[..., None]

    @classmethod
    def from_torch(cls, state: Mapping[str, Any], name: str, epsilon: float) -> "Normalisation":
        """The `torch.nn.LayerNorm` of this name in a state; raises `InvalidInput` where the state has none."""
        require_state(state)
        if f"{name}.weight" not in state:
            raise InvalidInput(f"state: missing: {shortened(name)}.weight")
        return cls(state[f"{name}.weight"], state.get(f"{name}.bias"), epsilon=epsilon)

    def to_torch(self, name: str) -> dict[str, Array]:
        """The names and arrays of a `torch.nn.LayerNorm`; those that are None are left out."""
        arrays = {f"{name}.weight": self.gain, f"{name}.bias": self.shift}
        return {key: array for key, array in arrays.items() if array is not None}
