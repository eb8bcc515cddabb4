"""Layers of neurons, whose Lagrangian is an activation or a separation.

g = ∇L(x)          L*(g) = x·g − L(x)          x the inner state of a neuron (its field at rest), g its activity
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np

from hopattn.foundation.argument_names import in_loops
from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.boundary import Declared, Positive
from hopattn.foundation.checks import is_iterable, positive, require_room, whole
from hopattn.foundation.errors import InvalidInput, quoted, unknown
from hopattn.foundation.registry import is_path, name_of
from hopattn.foundation.shown_types import Word
from hopattn.retrieval.activation import Activation, activations
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Elementwise, Separation


@dataclass(frozen=True)
class Separated(Activation):
    """A separation as an activation: the field are the scores s, the state the weights p = ∇Ψ(s), Φ = Ψ and Φ* = Ψ*."""

    saved_as: ClassVar[str] = "separation"
    separation: Separation

    @property
    def elementwise(self) -> bool:  # type: ignore[override]
        return isinstance(self.separation, Elementwise)

    def __call__(self, field: Array, state: Array | None = None) -> Array:
        return self.separation(field).p

    def potential(self, field: Array) -> Array:
        return self.separation.potential(field)

    def conjugate(self, state: Array) -> Array:
        return self.separation.conjugate(state)

    def inverse(self, state: Array) -> Array:
        return self.separation.inverse(state)

    def why_outside_domain(self, state: np.ndarray) -> str:
        finite = bool(np.all(np.isfinite(self.conjugate(state))))
        return "" if finite else f"holds numbers that {quoted(self.separation)} cannot give as weights"


def lengths(value: Any, what: str) -> tuple[int, ...]:
    """The shape of a layer: a number of neurons, or one number for each axis."""
    shape = tuple(whole(n, what) for n in value) if is_iterable(value) else (whole(value, what),)
    if not shape:
        raise InvalidInput(f"{what}: got no axis; expected a number of neurons, or one for each axis")
    return shape


@dataclass(frozen=True)
class Layer(Declared):
    """A layer of neurons: its name, its shape, and the activation that gives its activities.

    Parameters
    ----------
    shape
        the number of neurons, or one number for each axis; an activation that looks at several neurons takes those of
        the last axis together, as layer normalisation takes the entries of each token.
    activation
        a name or an object, an `Activation` or a `Separation`; of a name in both registries, such as "identity", it is
        the activation.
    beta : of an activation or a separation given by name.
    tau : the time constant, for updates in continuous time.

    Raises
    ------
    InvalidInput : for a layer without neurons, an unknown name, and a separation whose Ψ has no conjugate.

    Notes
    -----
    Source: Krotov & Hopfield (2021), ICLR, section 2 (their L is our Φ, their f or g our state); Krotov (2021).
    """

    _file_kind: ClassVar[str] = "Layer"
    name: str
    shape: Annotated[Any, Word("int | tuple[int, ...]"), lengths]
    activation: Any = "identity"
    _: KW_ONLY
    beta: Annotated[float | None, positive] = None
    tau: Positive = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.name, str) or not self.name:
            raise InvalidInput(f"layer: expected a name, not {quoted(self.name)}")
        require_room(self.size, f"layer '{self.name}'")
        try:
            activation = _neurons(self.activation, self.beta)
            with np.errstate(all="ignore"):
                activation.conjugate(activation(np.zeros(self.shape[-1])))
        except InvalidInput as error:
            raise InvalidInput(f"layer '{self.name}': {error}") from None
        object.__setattr__(self, "activation", activation)
        object.__setattr__(self, "beta", None)

    @cached_property
    def size(self) -> int:
        """The number of neurons."""
        return math.prod(self.shape)

    @in_loops
    def energy(self, activities: Array) -> Array:
        """L*(g), `(n,)`, of activities `(n, *shape)`."""
        conjugate = self.activation.conjugate(activities)
        return conjugate if conjugate.ndim == 1 else summed(conjugate)

    @property
    def why_it_jumps(self) -> str:
        """Why the activities cannot follow a flow in continuous time, or an empty string."""
        try:
            self.activation.inverse(self.activation(np.zeros(self.shape[-1])))
        except InvalidInput:
            return f"the neurons of the layer '{self.name}' jump"
        return ""

    @property
    def has_inertia(self) -> bool:
        """Whether the activation has a proximal step, for alignments of negative curvature."""
        zero = np.zeros((1, self.shape[-1]))
        try:
            self.activation.proximal(zero, np.asarray(self.activation(zero, zero)), 1.0)
        except InvalidInput:
            return False
        return True


def _neurons(choice: Any, beta: float | None) -> Activation:
    """The activation of a name or an object of one of the two registries."""
    parameters = {} if beta is None else {"beta": beta}
    is_name = isinstance(choice, str) and not is_path(choice) and choice not in activations
    if isinstance(choice, Separation) or (is_name and choice in separations):
        return Separated(separations.make(choice, **parameters))
    if is_name:
        raise InvalidInput(f"activation: {unknown(choice, [*activations, *separations])}")
    return activations.make(choice, **parameters)


@dataclass(frozen=True, eq=False)
class LayerActivations(Activation):
    """The activations of several layers as one, over states `(…, total)` that hold the layers one after another.

    free: whether each layer has a neuron that is not clamped.
    """

    layers: tuple[Layer, ...]
    free: tuple[bool, ...]

    @cached_property
    def parts(self) -> list[slice]:
        """The part of each layer in a state `(total,)`."""
        return parts_of(self.layers)

    @property
    def own_name(self) -> str:
        """The activations of the layers, for messages."""
        return ", ".join(dict.fromkeys(map(described, self.layers)))

    @property
    def discrete(self) -> bool:  # type: ignore[override]
        return all(layer.activation.discrete for layer, free in zip(self.layers, self.free, strict=True) if free)

    @property
    def elementwise(self) -> bool:  # type: ignore[override]
        return all(layer.activation.elementwise for layer in self.layers)

    @property
    def silent(self) -> Any:  # type: ignore[override]
        """The lower value of each neuron, `(total,)`; a number where all layers have the same."""
        values = np.concatenate([np.full(layer.size, layer.activation.silent) for layer in self.layers])
        return float(values[0]) if np.all(values == values[0]) else values

    def __call__(self, field: Array, state: Array | None = None) -> Array:
        if state is None:
            return self.joined(lambda activation, h: activation(h), field)
        return self.joined(lambda activation, h, x: activation(h, x), field, state)

    def potential(self, field: Array) -> Array:
        return self._total(lambda activation, h: activation.potential(h), field)

    def conjugate(self, state: Array) -> Array:
        return self._total(lambda activation, x: activation.conjugate(x), state)

    def inverse(self, state: Array) -> Array:
        return self.joined(lambda activation, x: activation.inverse(x), state)

    def proximal(self, field: Array, state: Array, weight: float) -> Array:
        return self.joined(lambda activation, h, x: activation.proximal(h, x, weight), field, state)

    def why_outside_domain(self, state: np.ndarray) -> str:
        for layer, part in zip(self.layers, self.split(state), strict=True):
            for row in part.reshape(-1, layer.shape[-1]):
                if reason := layer.activation.why_outside_domain(row):
                    return f"{reason}, in the layer '{layer.name}'"
        return ""

    @in_loops
    def split(self, states: Array) -> list[Array]:
        """The states `(…, total)` of each layer, `(…, *shape)`."""
        xp, lead, layers = namespace(states), states.shape[:-1], zip(self.layers, self.parts, strict=True)
        return [xp.reshape(states[..., part], (*lead, *layer.shape)) for layer, part in layers]

    @in_loops
    def flat(self, parts: list[Array]) -> Array:
        """The states `(…, total)` from those of each layer, `(…, *shape)`; the inverse of `split`."""
        xp = namespace(*parts)
        rows = [
            xp.reshape(part, (*part.shape[: part.ndim - len(layer.shape)], layer.size))
            for part, layer in zip(parts, self.layers, strict=True)
        ]
        return xp.concat(rows, axis=-1)

    def joined(self, respond: Callable[..., Array], *arrays: Array) -> Array:
        """The answers of `respond` to the activation and the arrays `(…, total)` of each layer, `(…, total)`."""
        parts = zip(*map(self.split, arrays), strict=True)
        return self.flat(
            [respond(layer.activation, *layer_arrays) for layer, layer_arrays in zip(self.layers, parts, strict=True)]
        )

    def _total(self, value: Callable[[Activation, Array], Array], array: Array) -> Array:
        """The sum over all layers and their rows, `(…,)`."""
        xp, lead = namespace(array), array.shape[:-1]
        terms = [value(layer.activation, part) for layer, part in zip(self.layers, self.split(array), strict=True)]
        sums = [xp.sum(xp.reshape(term, (*lead, -1)), axis=-1) for term in terms]
        return sum(sums[1:], start=sums[0])


def parts_of(layers: Sequence[Layer]) -> list[slice]:
    """The part of each layer in a state `(total,)` that holds the layers one after another."""
    ends = np.cumsum([layer.size for layer in layers]).tolist()
    return [slice(end - layer.size, end) for layer, end in zip(layers, ends, strict=True)]


def in_rows(array: Array) -> Array:
    """The numbers of each state as one row, `(n, N)`, of an array `(n, …)`."""
    return array if array.ndim == 2 else namespace(array).reshape(array, (array.shape[0], -1))


def summed(array: Array) -> Array:
    """The sum of the numbers of each state, `(n,)`, of an array `(n, …)`."""
    return namespace(array).sum(in_rows(array), axis=-1)


def described(layer: Layer) -> str:
    """The activation of a layer in a word."""
    activation = layer.activation
    return name_of(activation.separation if isinstance(activation, Separated) else activation)
