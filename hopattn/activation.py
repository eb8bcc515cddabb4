"""Activation: what a neuron does with its field.

    x⁺ = ∇Φ(h)

Each activation is the gradient of a potential Φ over fields; the convex conjugate Φ* over states is its share of the
energy. Add an activation by adding a frozen dataclass here.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hopattn.arrays import Array, as_float, namespace, normalised, require_dim, row_length
from hopattn.errors import InvalidInput
from hopattn.registry import Registry


@dataclass(frozen=True)
class Activation(ABC):
    """A potential over fields, its gradient (the new state) and its conjugate (over states)."""

    discrete: ClassVar[bool] = False
    """True where states are spins: then two states are one only if they are equal exactly."""
    source: ClassVar[str]

    @abstractmethod
    def __call__(self, field: Array, state: Array | None = None) -> Array:
        """∇Φ(h), `(…, dim)`; `state` is what the neurons were before, for the field that decides nothing."""

    @abstractmethod
    def potential(self, field: Array) -> Array:
        """Φ(h), `(…,)`."""

    @abstractmethod
    def conjugate(self, state: Array) -> Array:
        """Φ*(x) = sup_h h·x − Φ(h), `(…,)`; infinite for a state that the activation cannot give."""

    def foreign(self, state: np.ndarray) -> str:
        """Why a recall cannot start from a state `(dim,)`, or an empty string where it can."""
        return ""


@dataclass(frozen=True)
class Identity(Activation):
    """Φ(h) = ½|h|², x⁺ = h: the linear threshold function of the lecture, and attention."""

    source: ClassVar[str] = "LING3804 Lecture Notes 7, 7.1"

    def __call__(self, field: Array, state: Array | None = None) -> Array:
        return field

    def potential(self, field: Array) -> Array:
        return 0.5 * namespace(field).sum(field * field, axis=-1)

    def conjugate(self, state: Array) -> Array:
        return 0.5 * namespace(state).sum(state * state, axis=-1)


@dataclass(frozen=True)
class Unit(Activation):
    """Φ(h) = |h|, x⁺ = h/|h|: metabolism keeps the pattern at unit magnitude. A zero field gives the zero state.

    Φ* is 0 on the ball |x| ≤ 1 and infinite outside. Source: Krotov & Hopfield (2021), ICLR, model C.
    """

    source: ClassVar[str] = "Krotov & Hopfield 2021, model C"

    def __call__(self, field: Array, state: Array | None = None) -> Array:
        return normalised(field)

    def potential(self, field: Array) -> Array:
        return row_length(field)

    def conjugate(self, state: Array) -> Array:
        return _zero_within(state, row_length(state) <= 1 + _slack(state))

    def foreign(self, state: np.ndarray) -> str:
        magnitude = float(np.linalg.norm(state))
        return "" if magnitude <= 1 + _slack(state) else f"has magnitude {magnitude:.6g}; expected at most 1"


@dataclass(frozen=True)
class Sign(Activation):
    """Φ(h) = Σ|h_i|, x⁺_i = sgn(h_i): spins of ±1. A field of exactly 0 leaves the spin as it was.

    Φ* is 0 on the cube −1 ≤ x_i ≤ 1 and infinite outside; an entry 0 in a cue says "unknown".
    Source: Hopfield (1982), PNAS 79, 2554.
    """

    discrete: ClassVar[bool] = True
    source: ClassVar[str] = "Hopfield 1982"

    def __call__(self, field: Array, state: Array | None = None) -> Array:
        xp = namespace(field)
        spins = xp.sign(field)
        return spins if state is None else xp.where(field == 0, state, spins)

    def potential(self, field: Array) -> Array:
        xp = namespace(field)
        return xp.sum(xp.abs(field), axis=-1)

    def conjugate(self, state: Array) -> Array:
        xp = namespace(state)
        return _zero_within(state, xp.all(xp.abs(state) <= 1, axis=-1))

    def foreign(self, state: np.ndarray) -> str:
        odd = state[~np.isin(state, (-1, 0, 1))]
        return f"holds {odd[0]:.6g}; spins are −1 or 1, or 0 for unknown" if odd.size else ""


def _slack(state: Array) -> float:
    """How far rounding may move a unit vector off the sphere."""
    return float(8 * namespace(state).finfo(state.dtype).eps * state.shape[-1])


def _zero_within(state: Array, inside: Array) -> Array:
    """The conjugate of a norm: 0 inside the unit ball of the dual norm, infinite outside."""
    zero = namespace(state).zeros_like(state[..., 0])
    return namespace(state).where(inside, zero, zero + float("inf"))


activations: Registry[Activation] = Registry("activation", Activation, [__name__])


def cue(weights: Any, activation: Any, f: str | Activation | Callable[[Array], Array] | None = None) -> Array:
    """Cue a matrix of weights by a vector of activation: p_i = f(Σ_j w_ij a_j).

    weights: `(n_out, n_in)`, or `(n_in,)` for a single neuron; activation: `(n_in,)` or `(n_cues, n_in)`; f: the name
    of an activation ("sign", "unit"), an `Activation`, any function of the field, or None for f(x) = x. Gives
    `(n_out,)` or `(n_cues, n_out)`, without the last axis for a single neuron. Raises `InvalidInput` where the shapes
    do not fit. Source: LING3804 Lecture Notes 7, 7.1 (the definition of p_i).

    >>> import hopattn as ha
    >>> round(float(ha.cue([0.8, 0.6], [0.8, 0.6])), 12)
    1.0
    """
    matrix = as_float(weights, "weights")
    antecedent = as_float(activation, "activation", like=matrix)
    if matrix.ndim not in (1, 2):
        raise InvalidInput(f"weights: expected (n_out, n_in), or (n_in,) for a neuron, not shape {tuple(matrix.shape)}")
    require_dim(antecedent, matrix.shape[-1], "activation", "weights")
    neurons = matrix if matrix.ndim == 2 else matrix[None, :]
    respond = f if callable(f) else activations.make("identity" if f is None else f)
    answer = respond(antecedent @ neurons.mT)
    return answer if matrix.ndim == 2 else answer[..., 0]
