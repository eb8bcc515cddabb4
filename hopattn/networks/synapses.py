"""Synapses between layers: the alignment F of their activities, and its gradient for each of them.

| synapse | F |
|---|---|
| `Dense` | Σ T_ij… a_i b_j …: a bias, a matrix of couplings, or a tensor for three and more layers |
| `Convolution` | Σ over positions of aᵀ (W ∗ b): the same weights at every position |
| `Stored` | Ψ(K g): patterns that one layer is compared with, and no hidden layer |
| `Attention` | Σ_h Σ_q Ψ(q·k over all keys), with queries from one layer and keys from another |
| `Function` | a function of one's own |

A synapse is not bound to layers: `on` says which ones it joins, and the same object may join several places.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from hopattn.foundation.argument_names import PublicObject, in_loops
from hopattn.foundation.arrays import (
    Array,
    Mask,
    as_array,
    as_float,
    entries,
    in_numbers_of,
    namespace,
    on_host,
    require_finite,
)
from hopattn.foundation.boundary import Count, Declared, Of, public
from hopattn.foundation.checks import function, real
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.registry import Registry
from hopattn.foundation.ties import are_whole, eps_of, error_of_sum
from hopattn.foundation.traces import detached, is_jax, is_torch
from hopattn.networks.classical import Hopfield
from hopattn.networks.layers import in_rows, summed
from hopattn.retrieval.masks import MaskRule, NoMask, PositionRule, as_mask, resolve
from hopattn.retrieval.rounding import of_weights
from hopattn.retrieval.separation import separation_of
from hopattn.retrieval.separation.base import Competing, Separation, Weights, scaled
from hopattn.retrieval.step import Step

Shape = tuple[int, ...]
Keys = Annotated[Any, Of("n_patterns dim", finite=True)]
LINEAR = 0.0, ""
"""The bend of an alignment that is linear or convex in a layer."""


@dataclass(frozen=True, eq=False)
class Connection:
    """A synapse and the names of the layers that it joins, in its order; name: that of its energy, or None."""

    _file_kind: ClassVar[str] = "Connection"
    synapse: "Synapse"
    layers: tuple[str, ...]
    name: str | None = None

    def of(self, parts: Mapping[str, Array]) -> list[Array]:
        """The activities at the places of the synapse, from those of each layer by name."""
        return list(map(parts.__getitem__, self.layers))


class Synapse(PublicObject, ABC):
    """An alignment F of the activities of one or more layers; it lowers the energy by F.

    A synapse of your own is a frozen dataclass with `alignment`, `gradient`, and, for descent without a step size,
    `bend`. Activities are `(n, *shape)`, one array for each place of the synapse.
    """

    @abstractmethod
    def alignment(self, *activities: Array) -> Array:
        """F, `(n,)`."""

    @abstractmethod
    @in_loops
    def gradient(self, place: int, *activities: Array) -> Array:
        """∂F/∂g for the activities g at this place, of their shape."""

    @in_loops
    def pull(self, places: tuple[int, ...], *activities: Array) -> Array:
        """The sum of ∂F/∂g over all places of one layer, `(n, *shape)`."""
        total = self.gradient(places[0], *activities)
        for place in places[1:]:
            total = total + self.gradient(place, *activities)
        return total

    @in_loops
    def answer(self, places: tuple[int, ...], *activities: Array) -> tuple[Array, Array]:
        """The `pull` of a layer, `(n, *shape)`, and F, `(n,)`; a synapse may compute once what they share."""
        return self.pull(places, *activities), self.alignment(*activities)

    def rounding(self, places: tuple[int, ...], *activities: Array) -> Array:
        """The error up to which `pull` counts as 0 for neurons that jump (`foundation/ties.py`), of its shape."""
        pull = detached(self.pull(places, *activities))
        return error_of_sum(4, eps_of(pull)) * abs(pull)

    def carried(self, places: tuple[int, ...], *activities: Array) -> Array:
        """A bound of the change of `pull`, of its shape, where the activities at one place are changes.

        0 where no bound is known.
        """
        return namespace(*activities).zeros_like(activities[places[0]])

    def error(self, *activities: Array) -> Array:
        """The error of `alignment`, `(n,)`."""
        f = detached(self.alignment(*activities))
        return error_of_sum(4, eps_of(f)) * abs(f)

    @abstractmethod
    def require_fit(self, *shapes: Shape) -> None:
        """Raise `InvalidInput` unless layers of these shapes can be joined."""

    def _fitted(self, *shapes: Shape) -> Self:
        """The synapse on layers of these shapes, which may decide a parameter that is not given."""
        return self

    def bend(self, places: tuple[int, ...]) -> tuple[float, str]:
        """The least known λ for which F + ½λ|g|² is convex in a layer g at these places, and why it is not 0.

        0 for an alignment that is linear or convex in g, whatever the other layers do; infinite if no λ is known.
        """
        return float("inf"), f"nothing is known of the curvature of {type(self).__name__}"

    @property
    def arrays(self) -> tuple[Array, ...]:
        """The arrays of the synapse; their library is that of the network."""
        return ()

    @property
    def _of_sizes(self) -> Self:
        """The same synapse with the sizes |T| of its arrays."""
        sizes, arrays = copy(self), self.arrays
        by_name = {name: value for name, value in vars(self).items() if any(value is array for array in arrays)}
        vars(sizes).update({name: abs(detached(array)) for name, array in by_name.items()})
        return sizes

    def on(self, *layers: str, name: str | None = None) -> Connection:
        """The synapse on layers of these names, in the order of its places; name: that of its energy."""
        return Connection(self, layers, name)


class Multilinear(Synapse):
    """A synapse whose alignment is a sum of weights times one activity of each place.

    It is linear in the activities g of each place, so that F = g·∂F/∂g.
    """

    def alignment(self, *activities: Array) -> Array:
        return self.answer((0,), *activities)[1]

    def answer(self, places: tuple[int, ...], *activities: Array) -> tuple[Array, Array]:
        pull, g = self.pull(places, *activities), activities[places[0]]
        f = namespace(pull).vecdot(pull, g) if g.ndim == 2 else summed(pull * g)
        return pull, f / len(places)

    def rounding(self, places: tuple[int, ...], *activities: Array) -> Array:
        weights, most = self.arrays[0], self.carried(places, *activities)
        terms = sum(math.prod(weights.shape) // int(weights.shape[place]) for place in places)
        return error_of_sum(terms, eps_of(weights, *activities), eps_of(most)) * inexact(most, self.arrays, activities)

    def carried(self, places: tuple[int, ...], *activities: Array) -> Array:
        return self._of_sizes.pull(places, *(abs(detached(g)) for g in activities))

    def error(self, *activities: Array) -> Array:
        weights, most = self.arrays[0], self._of_sizes.alignment(*(abs(detached(g)) for g in activities))
        terms = math.prod(weights.shape)
        return error_of_sum(terms, eps_of(weights, *activities), eps_of(most)) * inexact(most, self.arrays, activities)


def inexact(most: Array, arrays: Sequence[Array], activities: Sequence[Array]) -> Array:
    """The sizes `(n, …)` of sums that may be inexact: 0 where activities and arrays are whole numbers."""
    xp, n = namespace(most), int(most.shape[0])
    exact = are_whole(xp.concat([in_rows(detached(g)) for g in activities], axis=-1), axis=-1)
    for array in arrays:
        exact = exact & are_whole(detached(array))
    return most * xp.reshape(xp.astype(~exact, most.dtype), (n, *[1] * (most.ndim - 1)))


def weights_of(value: Any, what: str, axes: str, least: int, most: int = 32) -> Array:
    """An array of finite weights with `least` to `most` axes, none of length 0; axes: such an array in words."""
    weights = as_float(value, what)
    if not least <= weights.ndim <= most or 0 in weights.shape:
        raise InvalidInput(f"{what}: got shape {tuple(weights.shape)}; expected {axes}")
    require_finite(weights, what)
    return weights


KERNEL_AXES = "(channels out, channels in, *extent), of at least three axes"


@dataclass(frozen=True, eq=False)
class Dense(Declared, Multilinear):
    """F = Σ T_ij… a_i b_j …, linear in each of its layers.

    Parameters
    ----------
    weights
        one axis for each layer: `(N,)` is a bias, `(out, in)` a matrix of couplings with F = aᵀW b, and a tensor of
        order n joins n layers (many-body synapses).

    Raises
    ------
    InvalidInput : for an array without axes, or entries that are not finite.

    Notes
    -----
    A layer of several axes is taken as a row of all its neurons. Source: Krotov & Hopfield (2021), ICLR, eq. 1 (their ξ
    is our W); many-body terms: Hoover et al. (2022), HAMUX.
    """

    _file_kind: ClassVar[str] = "Dense"
    weights: Annotated[Array, partial(weights_of, axes="one axis for each layer", least=1)]

    def gradient(self, place: int, *activities: Array) -> Array:
        """Σ over the axes of all other places: one product of matrices, then one for each further layer."""
        xp, w, n = namespace(self.weights), self.weights, activities[0].shape[0]
        tensor = xp.permute_dims(w, (place, *range(place), *range(place + 1, w.ndim)))
        others = [*activities[:place], *activities[place + 1 :]]
        if not others:
            return xp.reshape(xp.broadcast_to(tensor, (n, *tensor.shape)), activities[0].shape)
        product = in_rows(others.pop()) @ xp.reshape(tensor, (-1, tensor.shape[-1])).mT
        while others:
            row = in_rows(others.pop())
            product = (xp.reshape(product, (n, -1, row.shape[-1])) @ row[..., None])[..., 0]
        return xp.reshape(product, activities[place].shape)

    def require_fit(self, *shapes: Shape) -> None:
        sizes = tuple(int(np.prod(shape)) for shape in shapes)
        if tuple(self.weights.shape) != sizes:
            cure = "; name the layers in the other order" if tuple(self.weights.shape) == sizes[::-1] else ""
            raise InvalidInput(
                f"weights of shape {tuple(self.weights.shape)}; expected {sizes}, the sizes of the layers{cure}"
            )

    def bend(self, places: tuple[int, ...]) -> tuple[float, str]:
        if len(places) == 1:
            return LINEAR
        if self.weights.ndim > 2:
            return float("inf"), "its quadratic form changes its sign with the other layers"
        return Hopfield(self.weights + self.weights.mT)._curvature, "its couplings have a negative eigenvalue"

    @property
    def arrays(self) -> tuple[Array, ...]:
        return (self.weights,)


@cache
def _windows(spatial: Shape, kernel: Shape, stride: int) -> tuple[np.ndarray, np.ndarray]:
    """The K inputs of each of P windows, `(P, K)`, and the places in this table that hold each of L inputs, `(L, M)`.

    M is the largest number of places of an input. A row with fewer places is filled up with P·K, the place of a zero
    that `gradient` appends.
    """
    numbers = np.arange(int(np.prod(spatial))).reshape(spatial)
    views = np.lib.stride_tricks.sliding_window_view(numbers, kernel)
    table = np.array(views[tuple(slice(None, None, stride) for _ in spatial)]).reshape(-1, int(np.prod(kernel)))
    holders: list[list[int]] = [[] for _ in range(numbers.size)]
    for entry, number in enumerate(table.ravel()):
        holders[number].append(entry)
    most = max(map(len, holders))
    back = np.array([held_at + [table.size] * (most - len(held_at)) for held_at in holders])
    return table, back


@dataclass(frozen=True, eq=False)
class Convolution(Declared, Multilinear):
    """F = Σ over positions p of a_pᵀ Σ_o W_o b_(sp+o): the same weights W at every position.

    Parameters
    ----------
    kernel : (channels of a, channels of b, *extent)
        as PyTorch has it. Both layers have the shape `(*positions, channels)`; a has (length − extent) // s + 1
        positions on each axis, for the stride s.

    Raises
    ------
    InvalidInput : for a kernel of fewer than three axes.

    Notes
    -----
    Source: Hoover et al. (2022), HAMUX (convolutional synapses).
    """

    _file_kind: ClassVar[str] = "Convolution"
    kernel: Annotated[Any, partial(weights_of, axes=KERNEL_AXES, least=3)]
    stride: Count = 1

    def gradient(self, place: int, *activities: Array) -> Array:
        outer, inner = activities
        xp, (n, *spatial, channels) = namespace(self.kernel), inner.shape
        table, back = _windows(tuple(spatial), tuple(self.kernel.shape[2:]), self.stride)
        taps = xp.reshape(
            xp.permute_dims(xp.reshape(self.kernel, (*self.kernel.shape[:2], -1)), (0, 2, 1)), (-1, channels)
        )
        weights = xp.reshape(taps, (self.kernel.shape[0], -1))
        if place == 0:
            windows = entries(xp.reshape(inner, (n, -1, channels)), table.ravel(), 1)
            return xp.reshape(xp.reshape(windows, (n, len(table), -1)) @ weights.mT, outer.shape)
        products = xp.reshape(xp.reshape(outer, (n, -1, outer.shape[-1])) @ weights, (n, -1, channels))
        rows = xp.concat([products, xp.zeros_like(products[:, :1, :])], axis=1)
        shares = xp.reshape(entries(rows, back.ravel(), 1), (n, *back.shape, channels))
        return xp.reshape(xp.sum(shares, axis=2), inner.shape)

    def require_fit(self, *shapes: Shape) -> None:
        extent = tuple(self.kernel.shape[2:])
        if len(shapes) != 2 or any(len(shape) != len(extent) + 1 for shape in shapes):
            raise InvalidInput(
                f"expected two layers of shape (*positions, channels), with {len(extent)} axes of positions"
            )
        outer, inner = shapes
        if any(length < k for length, k in zip(inner, extent, strict=False)):
            raise InvalidInput(f"the kernel of extent {extent} is longer than the layer of shape {inner}")
        counts = tuple((length - k) // self.stride + 1 for length, k in zip(inner, extent, strict=False))
        fit = (*counts, self.kernel.shape[0]), (*inner[:-1], self.kernel.shape[1])
        if (outer, inner) != fit:
            raise InvalidInput(f"layers of shapes {outer} and {inner}; expected {fit[0]} and {fit[1]}")

    def bend(self, places: tuple[int, ...]) -> tuple[float, str]:
        return LINEAR if len(places) == 1 else (float("inf"), "a convolution joins two different layers")

    @property
    def arrays(self) -> tuple[Array, ...]:
        return (self.kernel,)


class Compared(Synapse):
    """A synapse whose queries are compared with keys in a step of recall: F = Σ Ψ(s) over the queries, s = q·k.

    The field of the queries is that of the step, whose values are the keys: Σ p k. That of the keys is Σ p q.
    """

    separation: Separation
    mask: Mask = NoMask()

    @abstractmethod
    def _sides(self, *activities: Array) -> tuple[Array, Array]:
        """The queries `(n, …, n_queries, dim)` and the keys `(…, n_keys, dim)` of activities."""

    @abstractmethod
    def _back(self, place: int, field: Array) -> Array:
        """The field of the layer at a place, from the field of its queries or keys."""

    @abstractmethod
    def _terms(self, q: Array, k: Array) -> int:
        """The number of terms of a score, or of an entry of the field if that is larger."""

    @property
    def _retrieval(self) -> Step:
        """The step of recall."""
        return Step("dot", self.separation)

    def alignment(self, *activities: Array) -> Array:
        return self.answer((0,), *activities)[1]

    def gradient(self, place: int, *activities: Array) -> Array:
        return self.pull((place,), *activities)

    def pull(self, places: tuple[int, ...], *activities: Array) -> Array:
        return self.answer(places, *activities)[0]

    def answer(self, places: tuple[int, ...], *activities: Array) -> tuple[Array, Array]:
        q, k = self._sides(*activities)
        result: Any = self._retrieval._read(self.separation, q, k, k, self.mask, energy=True, trace=1 in places)
        fields = [result.weights.p.mT @ q if place else scaled(result.array, result.factor) for place in places]
        return sum(map(self._back, places, [in_numbers_of(q, field) for field in fields])), summed(result.potential)

    def _sides_and_rounding(
        self, activities: Sequence[Array]
    ) -> tuple[tuple[Array, Array], tuple[Array, Array], float, Array]:
        """Queries and keys, their sizes, the relative rounding of sums over them, and the rounding of the scores."""
        x = [detached(g) for g in activities]
        q, k = map(detached, self._sides(*x))
        size_q, size_k = self._of_sizes._sides(*map(abs, x))
        share, size = error_of_sum(self._terms(q, k), eps_of(q, k, *self.arrays)), size_q @ size_k.mT
        return (q, k), (size_q, size_k), share, share * inexact(size, self.arrays, x)

    def rounding(self, places: tuple[int, ...], *activities: Array) -> Array:
        """The rounding of the sums over keys or queries, and that of the scores."""
        (q, k), (size_q, size_k), share, slack = self._sides_and_rounding(activities)
        scores = q @ k.mT
        where = resolve(self.mask, scores)
        weights = Weights(self.separation.weights(scores, where))
        p, delta_p = of_weights(self.separation, scores, where, slack, weights)
        spread = share * p + delta_p
        fields = [spread.mT @ size_q if place else spread @ size_k for place in places]
        return sum(map(self._of_sizes._back, places, fields))

    def error(self, *activities: Array) -> Array:
        """The rounding of the sums over keys, and the change of the potential by the rounding of the scores.

        The potential is that of the scores of the sizes.
        """
        _, (size_q, size_k), share, slack = self._sides_and_rounding(activities)
        scores = size_q @ size_k.mT
        where = resolve(self.mask, scores)
        psi = self.separation.potential(scores, where)
        change = self.separation.potential(scores + slack, where) - psi
        flat = 1 / self.separation.beta if isinstance(self.separation, Competing) else 0.0
        return summed(share * (psi + flat) + change)

    def bend(self, places: tuple[int, ...]) -> tuple[float, str]:
        """The bend of Ψ, because the scores are linear in each layer."""
        if not self.separation.convex:
            return float("inf"), f"the potential of {quoted(self.separation)} is not convex"
        return (float("inf"), self.separation.why_imprecise) if self.separation.why_imprecise else LINEAR


@dataclass(frozen=True, eq=False, init=False)
class Stored(Compared):
    """F = Σ Ψ(K g) over the rows of a layer: the patterns of a `Memory`, as a hidden layer without a state of its own.

    Parameters
    ----------
    keys : (n_patterns, dim)
        for a layer whose last axis has dim neurons.
    separation, beta : as of `Memory`.

    Notes
    -----
    Source: Krotov & Hopfield (2021), ICLR, section 3; Hoover et al. (2023), NeurIPS (the Hopfield network of an Energy
    Transformer).
    """

    _file_kind: ClassVar[str] = "Stored"
    keys: Array
    separation: Separation

    @public
    def __init__(self, keys: Keys, separation: str | Separation = "softmax", *, beta: float | None = None) -> None:
        object.__setattr__(self, "keys", keys)
        object.__setattr__(self, "separation", with_potential(separation_of(separation, beta)))

    def weights(self, activities: Array) -> Array:
        """p = ∇Ψ(K g) of activities `(n, *shape)`, with the patterns on the last axis."""
        return self._retrieval.weights(activities, self.keys)

    def _sides(self, *activities: Array) -> tuple[Array, Array]:
        return activities[0], self.keys

    def _back(self, place: int, field: Array) -> Array:
        return field

    def _terms(self, q: Array, k: Array) -> int:
        return int(max(k.shape))

    def require_fit(self, *shapes: Shape) -> None:
        if len(shapes) != 1 or shapes[0][-1] != self.keys.shape[1]:
            raise InvalidInput(f"keys of dim {self.keys.shape[1]}; expected one layer whose last axis is as long")

    @property
    def arrays(self) -> tuple[Array, ...]:
        return (self.keys,)


@dataclass(frozen=True, eq=False, init=False)
class Attention(Compared):
    """F = Σ_h Σ_q Ψ(s_q), s_qk = (Q_h a_q)·(K_h b_k): the queries are of the layer a, the keys of the layer b.

    With the softmax it is β⁻¹ Σ log Σ_k exp βs.

    Parameters
    ----------
    query, key
        `(heads, dim, dim of a)` and `(heads, dim, dim of b)`, without the first axis for a single head, or None for the
        tokens themselves.
    separation, beta : as of `ha.attention`; β is 1/√dim by default, with the dim of the queries.
    mask : booleans (queries, keys)
        True = may attend, or a rule such as "causal".

    Notes
    -----
    The layers have the shape `(tokens, dim)`. Where a and b are one layer, the scores are quadratic in it and no
    curvature is known. Source: Hoover et al. (2023), NeurIPS (the attention of an Energy Transformer); Krotov (2021),
    arXiv 2107.06446.
    """

    _file_kind: ClassVar[str] = "Attention"
    query: Array | None
    key: Array | None
    separation: Separation
    mask: Mask

    def __init__(
        self,
        query: Array = None,
        key: Array = None,
        *,
        separation: str | Separation = "softmax",
        beta: float | None = None,
        mask: Mask = None,
    ) -> None:
        axes, sides = "(heads, dim, dim of the layer)", (("query", query), ("key", key))
        matrices = [None if matrix is None else weights_of(matrix, what, axes, 2, 3) for what, matrix in sides]
        heads = [matrix if matrix is None or matrix.ndim == 3 else matrix[None, ...] for matrix in matrices]
        if heads[0] is not None and heads[1] is not None and heads[0].shape[:2] != heads[1].shape[:2]:
            raise InvalidInput(f"key: got shape {tuple(heads[1].shape)}; expected the heads and dim of the query")
        dims = [matrix.shape[1] for matrix in heads if matrix is not None]
        object.__setattr__(self, "query", heads[0])
        object.__setattr__(self, "key", heads[1])
        of_layers = beta is None and isinstance(separation, str) and not dims
        step = with_potential(separation_of(separation, beta, default=dims[0] ** -0.5 if dims else 1.0))
        object.__setattr__(self, "separation", separation if of_layers else step)
        rule = as_mask(mask)
        if isinstance(rule, MaskRule) and not isinstance(rule, (NoMask, PositionRule)):
            raise InvalidInput(f"mask: {quoted(rule)} depends on the scores; expected booleans or a rule of positions")
        object.__setattr__(self, "mask", rule)

    def _sides(self, *activities: Array) -> tuple[Array, Array]:
        """The queries and keys of each head, `(n, heads, tokens, dim)`."""
        sides = zip(activities, (self.query, self.key), strict=True)
        q, k = (rows[:, None, ...] if matrix is None else rows[:, None, ...] @ matrix.mT for rows, matrix in sides)
        return q, k

    def _fitted(self, *shapes: Shape) -> Self:
        """The same with β = 1/√dim, where neither a β nor a matrix says another."""
        if isinstance(self.separation, Separation):
            return self
        synapse = copy(self)
        object.__setattr__(synapse, "separation", separation_of(self.separation, shapes[0][-1] ** -0.5))
        return synapse

    def answer(self, places: tuple[int, ...], *activities: Array) -> tuple[Array, Array]:
        return super(Attention, self._fitted(*(g.shape for g in activities))).answer(places, *activities)

    def _back(self, place: int, field: Array) -> Array:
        matrix = self.key if place else self.query
        return namespace(field).sum(field if matrix is None else field @ matrix, axis=1)

    def _terms(self, q: Array, k: Array) -> int:
        """The terms of a product of three or four matrices, summed over all heads."""
        return int(sum(math.prod(side.shape[-2:]) for side in (q, k)) * max(q.shape[1], k.shape[1]))

    def require_fit(self, *shapes: Shape) -> None:
        if len(shapes) != 2 or any(len(shape) != 2 for shape in shapes):
            raise InvalidInput("attention: expected two layers of shape (tokens, dim)")
        dims = [
            (shape[1] if matrix is None else matrix.shape[1], shape[1] if matrix is None else matrix.shape[2])
            for shape, matrix in zip(shapes, (self.query, self.key), strict=True)
        ]
        if any(dim != shape[1] for (_, dim), shape in zip(dims, shapes, strict=True)) or dims[0][0] != dims[1][0]:
            raise InvalidInput(
                f"attention: layers of shapes {shapes[0]} and {shapes[1]} do not fit the query and the key"
            )
        resolve(self.mask, np.zeros((shapes[0][0], shapes[1][0])))

    def bend(self, places: tuple[int, ...]) -> tuple[float, str]:
        if len(places) > 1:
            return float("inf"), "its scores are quadratic where queries and keys are one layer"
        return super().bend(places)

    @property
    def arrays(self) -> tuple[Array, ...]:
        return tuple(matrix for matrix in (self.query, self.key) if matrix is not None)


@dataclass(frozen=True, eq=False)
class Function(Declared, Synapse):
    """An alignment of one's own.

    Parameters
    ----------
    value : gives F, `(n,)`, of activities `(n, *shape)`.
    slopes
        gives the gradients for all places as a tuple; without it, PyTorch or JAX differentiates, and `value` is written
        with the functions of that library; NumPy arrays go through PyTorch.
    curvature
        a number λ ≥ 0 for which F + ½λ|g|² is convex in each layer alone: 0 for an F that is linear or convex in it. By
        default none is known, and no descent is claimed of a layer update. It is not checked.
    """

    value: Annotated[Callable[..., Array], function]
    slopes: Annotated[Callable[..., Sequence[Array]] | None, function] = None
    curvature: Annotated[float | None, partial(real, least=0.0)] = None

    def alignment(self, *activities: Array) -> Array:
        if self.slopes is not None or not isinstance(activities[0], np.ndarray):
            return as_array(self.value(*activities))
        return on_host(self.value(*map(_torch().tensor, activities)))

    def gradient(self, place: int, *activities: Array) -> Array:
        if self.slopes is not None:
            return as_array(self.slopes(*activities)[place])
        if is_jax(activities[0]):
            return import_module("jax").grad(lambda *g: self.value(*g).sum(), argnums=place)(*activities)
        torch: Any = _torch()
        tensors = [g if is_torch(g) else torch.tensor(g) for g in activities]
        slope = torch.func.grad(lambda *g: self.value(*g).sum(), argnums=place)(*tensors)
        return slope if is_torch(activities[place]) else on_host(slope)

    def require_fit(self, *shapes: Shape) -> None:
        """A function takes any layers."""

    def bend(self, places: tuple[int, ...]) -> tuple[float, str]:
        has_curvature = self.curvature is not None and len(places) == 1
        return (
            self.curvature or 0.0 if has_curvature else float("inf")
        ), "of a function of one's own no curvature is known"


def _torch() -> Any:
    """PyTorch; raises `InvalidInput` where it is not installed."""
    try:
        return import_module("torch")
    except ModuleNotFoundError:
        raise InvalidInput(
            "slopes: expected the gradients of a function of your own, or PyTorch, which is not installed"
        ) from None


def with_potential(separation: Separation) -> Separation:
    """The separation itself; raises `InvalidInput` if its weights are not the gradient of a potential."""
    if separation.why_no_potential:
        raise InvalidInput(f"separation: {separation.why_no_potential}, so that there is no energy")
    return separation


synapses: Registry[Synapse] = Registry("synapse", Synapse, [__name__])
"""The synapses by name, as files of networks and scenarios write them."""
