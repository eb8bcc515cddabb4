"""Activation: from the field of a neuron to its state, x⁺ = ∇Φ(h).

The convex conjugate Φ* over states is a term of the energy. Add an activation by adding a frozen dataclass here.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from hopattn.foundation.argument_names import PublicObject, in_loops
from hopattn.foundation.arrays import Array, NumberOrArray, in_numbers_of, namespace
from hopattn.foundation.boundary import Declared, Positive
from hopattn.foundation.checks import entries_of, is_iterable, real
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.registry import Registry
from hopattn.foundation.roots import bisected
from hopattn.foundation.vectors import logistic, nonzero, normalised, rectified, row_length, sign, within_sums


@dataclass(frozen=True)
class Activation(PublicObject, ABC):
    """A potential over fields, its gradient (the new state) and its conjugate (over states)."""

    discrete: ClassVar[bool] = False
    """True where states are spins: then two states are the same only if they are exactly equal."""
    directional: ClassVar[bool] = False
    """True where only the direction of the field matters: ∇Φ(ch) = ∇Φ(h) for every c > 0."""
    silent: ClassVar[float] = -1.0
    """The lower of the two values of a neuron, where states are spins; the upper one is 1."""
    elementwise: ClassVar[bool] = True
    """True where each neuron depends on its own field alone, so that it can be updated alone."""
    source: ClassVar[str]

    @abstractmethod
    @in_loops
    def __call__(self, field: Array, state: Array | None = None) -> Array:
        """∇Φ(h), `(…, dim)`; state: the neurons before the step, which a field of 0 leaves unchanged."""

    @abstractmethod
    def potential(self, field: Array) -> Array:
        """Φ(h), `(…,)`."""

    @abstractmethod
    @in_loops
    def conjugate(self, state: Array) -> Array:
        """Φ*(x) = sup_h h·x − Φ(h), `(…,)`; infinite for a state that the activation cannot give."""

    def inverse(self, state: Array) -> Array:
        """∇Φ*(x): a field that gives this state; raises `InvalidInput` for an activation that jumps."""
        raise InvalidInput(f"{quoted(self)} has no inverse: many fields give one state")

    def proximal(self, field: Array, state: Array, weight: float) -> Array:
        """The state x that minimises Φ*(x) + ½λ|x|² − h·x, for λ = `weight` ≥ 0; it is ∇Φ(h) for λ = 0."""
        raise InvalidInput(f"{quoted(self)} has no damped form")

    def bounds(self, states: Array) -> Array:
        """The bound of each neuron on the side of its state, `(…, dim)`; 0 where the activation sets none.

        It is the answer to the largest field on that side whose inverse is a number too. An answer beyond the root of
        the largest number is no bound.
        """
        xp = namespace(states)
        most = float(xp.finfo(states.dtype).max)
        far = xp.full_like(states, most / 16)
        answers = abs(self(xp.where(states < 0, 0 - far, far)))
        return xp.where(answers <= most**0.5, answers, 0 * far)

    @in_loops
    def why_outside_domain(self, state: np.ndarray) -> str:
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

    def inverse(self, state: Array) -> Array:
        return state

    def proximal(self, field: Array, state: Array, weight: float) -> Array:
        return field / (1 + weight)


@dataclass(frozen=True)
class Unit(Activation):
    """Φ(h) = |h|, x⁺ = h/|h|: metabolism keeps the pattern at unit magnitude. A zero field gives the zero state.

    Φ* is 0 on the ball |x| ≤ 1 and infinite outside. Source: Krotov & Hopfield (2021), ICLR, model C.
    """

    directional: ClassVar[bool] = True
    elementwise: ClassVar[bool] = False
    source: ClassVar[str] = "Krotov & Hopfield 2021, model C"

    def __call__(self, field: Array, state: Array | None = None) -> Array:
        return normalised(field)

    def proximal(self, field: Array, state: Array, weight: float) -> Array:
        """From the sphere h/|h|; from inside the ball h/λ, or h/|h| if that is longer."""
        inside = (row_length(state) < 1 - _slack(state)) & (row_length(field) <= weight) & (weight > 0)
        return namespace(field).where(inside[..., None], field / (weight or 1.0), self(field, state))

    def potential(self, field: Array) -> Array:
        return row_length(field)

    def conjugate(self, state: Array) -> Array:
        return _zero_within(state, row_length(state) <= 1 + _slack(state))

    def inverse(self, state: Array) -> Array:
        """x itself, of all fields in its direction."""
        return state

    def why_outside_domain(self, state: np.ndarray) -> str:
        magnitude = float(np.linalg.norm(state))
        return "" if magnitude <= 1 + _slack(state) else f"has magnitude {magnitude:.6g}; expected at most 1"


@dataclass(frozen=True)
class Sign(Activation):
    """Φ(h) = Σ|h_i|, x⁺_i = sgn(h_i): spins of ±1. A field of exactly 0 leaves the spin as it was.

    Φ* is 0 on the cube −1 ≤ x_i ≤ 1 and infinite outside; an entry 0 in a cue says "unknown".
    Source: Hopfield (1982), PNAS 79, 2554.
    """

    discrete: ClassVar[bool] = True
    directional: ClassVar[bool] = True
    source: ClassVar[str] = "Hopfield 1982"

    def __call__(self, field: Array, state: Array | None = None) -> Array:
        return _unless_zero(field, state, sign(field))

    def proximal(self, field: Array, state: Array, weight: float) -> Array:
        """sgn(h); an unknown neuron stays unknown where |h| < ½λ, because ±1 would raise the energy."""
        undecided = (state == 0) & (abs(field) < 0.5 * weight)
        return namespace(field).where(undecided, state, self(field, state))

    def potential(self, field: Array) -> Array:
        xp = namespace(field)
        return xp.sum(xp.abs(field), axis=-1)

    def conjugate(self, state: Array) -> Array:
        xp = namespace(state)
        return _zero_within(state, xp.all(xp.abs(state) <= 1, axis=-1))

    def why_outside_domain(self, state: np.ndarray) -> str:
        odd = state[(np.abs(state) != 1) & (state != 0)]
        return f"holds {odd[0]:.6g}; spins are −1 or 1, or 0 for unknown" if odd.size else ""


@dataclass(frozen=True)
class Heaviside(Activation):
    """Φ(h) = Σ max(h_i, 0), x⁺_i = 1 where h_i > 0 and 0 where h_i < 0: neurons that fire or are silent.

    A field of exactly 0 leaves the neuron as it was. Φ* is 0 on the cube 0 ≤ x_i ≤ 1 and infinite outside.
    Source: McCulloch & Pitts (1943), Bull. Math. Biophys. 5, 115.
    """

    name: ClassVar[str] = "step"
    discrete: ClassVar[bool] = True
    directional: ClassVar[bool] = True
    silent: ClassVar[float] = 0.0
    source: ClassVar[str] = "McCulloch & Pitts 1943"

    def __call__(self, field: Array, state: Array | None = None) -> Array:
        return _unless_zero(field, state, rectified(sign(field)))

    def proximal(self, field: Array, state: Array, weight: float) -> Array:
        return self(field - 0.5 * weight, state)  # ½λx² costs ½λ at x = 1

    def potential(self, field: Array) -> Array:
        return namespace(field).sum(rectified(field), axis=-1)

    def conjugate(self, state: Array) -> Array:
        xp = namespace(state)
        return _zero_within(state, xp.all((state >= 0) & (state <= 1), axis=-1))

    def why_outside_domain(self, state: np.ndarray) -> str:
        odd = state[(state != 0) & (state != 1)]
        return f"holds {odd[0]:.6g}; neurons are 0 or 1" if odd.size else ""


@dataclass(frozen=True)
class Tanh(Declared, Activation):
    """Φ(h) = β⁻¹ Σ log cosh βh_i, x⁺_i = tanh βh_i: graded neurons, the steeper the larger β.

    Φ*(x) = β⁻¹ Σ ½[(1+x) log(1+x) + (1−x) log(1−x)] on the cube, infinite outside.

    Parameters
    ----------
    beta : β.

    Raises
    ------
    InvalidInput : for a β that is not positive.

    Notes
    -----
    Source: Hopfield (1984), PNAS 81, 3088 (their λ is our β, their ∫g⁻¹ our Φ*).
    """

    beta: Positive = 1.0
    source: ClassVar[str] = "Hopfield 1984"

    def __call__(self, field: Array, state: Array | None = None) -> Array:
        return namespace(field).tanh(self.beta * field)

    def potential(self, field: Array) -> Array:
        xp = namespace(field)
        size = xp.abs(self.beta * field)
        return xp.sum(size + xp.log1p(xp.exp(-2 * size)) - math.log(2), axis=-1) / self.beta

    def conjugate(self, state: Array) -> Array:
        xp = namespace(state)
        inside = xp.clip(state, -1.0, 1.0)
        sides = [0.5 * side * xp.log(nonzero(side)) for side in (1 + inside, 1 - inside)]
        small = xp.clip(inside, -0.5, 0.5)  # where the two sides cancel, x artanh x + ½ log(1 − x²) loses nothing
        near = small * xp.atanh(small) + 0.5 * xp.log1p(-small * small)
        value = xp.sum(xp.where(xp.abs(inside) < 0.5, near, sides[0] + sides[1]), axis=-1) / self.beta
        return value + _zero_within(state, xp.all(xp.abs(state) <= 1, axis=-1))

    def inverse(self, state: Array) -> Array:
        """artanh(x)/β; a state at the edge of the cube counts as the nearest number inside."""
        xp = namespace(state)
        edge = 1 - 0.5 * float(xp.finfo(state.dtype).eps)
        return xp.atanh(xp.clip(state, -edge, edge)) / self.beta

    def proximal(self, field: Array, state: Array, weight: float) -> Array:
        """tanh βu with u + λ tanh βu = h; the left side rises with u, so that bisection finds u.

        For h > 0, u lies between max(h − λ, h/(1 + λβ)) and min(h, artanh(h/λ)/β), so that it keeps its digits.
        """
        xp, size = namespace(field), abs(field)
        with np.errstate(divide="ignore"):
            most = xp.atanh(xp.clip(size / (weight or 1.0), None, 1.0)) / self.beta
        low = xp.maximum(size - weight, size / (1 + weight * self.beta))
        high = xp.where(size < weight, xp.minimum(size, most), size)
        u = bisected(lambda u: size - u - weight * xp.tanh(self.beta * u), low, high)
        return xp.copysign(xp.tanh(self.beta * u), field)

    def why_outside_domain(self, state: np.ndarray) -> str:
        odd = state[np.abs(state) > 1]
        return f"holds {odd[0]:.6g}; graded neurons lie between −1 and 1" if odd.size else ""


@dataclass(frozen=True)
class Logistic(Declared, Activation):
    """Φ(h) = β⁻¹ Σ log(1 + exp βh_i), x⁺_i = 1/(1 + exp(−βh_i)): graded neurons between silent (0) and firing (1).

    Φ*(x) = β⁻¹ Σ [x log x + (1−x) log(1−x)] where 0 ≤ x_i ≤ 1, infinite elsewhere. It is `Tanh` of half the β, shifted:
    x = ½(1 + tanh ½βh).

    Parameters
    ----------
    beta : β.

    Raises
    ------
    InvalidInput : for a β that is not positive.

    Notes
    -----
    Source: Hopfield (1984), PNAS 81, 3088.
    """

    beta: Positive = 1.0
    source: ClassVar[str] = "Hopfield 1984"

    def __call__(self, field: Array, state: Array | None = None) -> Array:
        return logistic(self.beta * field)

    def potential(self, field: Array) -> Array:
        xp = namespace(field)
        return xp.sum(xp.logaddexp(xp.zeros_like(field), self.beta * field), axis=-1) / self.beta

    def conjugate(self, state: Array) -> Array:
        xp = namespace(state)
        inside = xp.clip(state, 0.0, 1.0)
        value = xp.sum(sum(side * xp.log(nonzero(side)) for side in (inside, 1 - inside)), axis=-1) / self.beta
        return value + _zero_within(state, xp.all((state >= 0) & (state <= 1), axis=-1))

    def inverse(self, state: Array) -> Array:
        """log(x/(1 − x))/β; a state at the edge of the cube counts as the nearest number inside."""
        xp = namespace(state)
        info = xp.finfo(state.dtype)
        inside = xp.clip(state, float(info.smallest_normal), 1 - 0.5 * float(info.eps))
        return (xp.log(inside) - xp.log1p(-inside)) / self.beta

    def proximal(self, field: Array, state: Array, weight: float) -> Array:
        return 0.5 * (1 + Tanh(0.5 * self.beta).proximal(field - 0.5 * weight, 2 * state - 1, 0.5 * weight))

    def why_outside_domain(self, state: np.ndarray) -> str:
        odd = state[(state < 0) | (state > 1)]
        return f"holds {odd[0]:.6g}; logistic neurons lie between 0 and 1" if odd.size else ""


def number_or_row(value: Any, what: str) -> float | tuple[float, ...]:
    """A finite number, or a row of them as a tuple."""
    return tuple(real(number, what) for number in entries_of(value, what)) if is_iterable(value) else real(value, what)


@dataclass(frozen=True)
class LayerNorm(Declared, Activation):
    """Φ(h) = γN √(var h + ε) + δ·h, x⁺ = γ (h − mean h) / √(var h + ε) + δ: layer normalisation with one gain γ.

    Φ*(x) = −γN √ε √(1 − |x−δ|²/γ²N) where the entries of x − δ sum to 0 and |x−δ|² ≤ γ²N, infinite elsewhere. At x =
    ∇Φ(h) it is −γNε/√(var h + ε).

    Parameters
    ----------
    gamma : γ.
    epsilon : ε.
    delta : the shift δ, a number or one for each entry.

    Raises
    ------
    InvalidInput : for a γ or ε that is not positive.

    Notes
    -----
    A gain for each entry has no potential: its Jacobian is not symmetric. Source: Krotov & Hopfield (2021), ICLR,
    appendix A; Ba, Kiros & Hinton (2016); the shift: Hoover et al. (2023), NeurIPS.
    """

    gamma: Positive = 1.0
    _: KW_ONLY
    epsilon: Positive = 1e-5
    delta: Annotated[NumberOrArray, number_or_row] = 0.0
    elementwise: ClassVar[bool] = False
    source: ClassVar[str] = "Krotov & Hopfield 2021; Ba et al. 2016"

    def __call__(self, field: Array, state: Array | None = None) -> Array:
        centred = _centred(within_sums(field))
        return self.gamma * (centred / self._deviation(centred)[..., None]) + self._shift(field)

    def potential(self, field: Array) -> Array:
        deviation_term = self.gamma * field.shape[-1] * self._deviation(_centred(field))
        return deviation_term + namespace(field).sum(self._shift(field) * field, axis=-1)

    def conjugate(self, state: Array) -> Array:
        xp = namespace(state)
        n, offset = state.shape[-1], state - self._shift(state)
        gap = 1 - xp.sum(offset * offset, axis=-1) / (self.gamma**2 * n)
        slack = self._slack_beside_shift(state)
        inside = (gap >= -slack) & (xp.abs(xp.sum(offset, axis=-1)) <= self.gamma * n * slack)
        value = -self.gamma * n * self.epsilon**0.5 * xp.sqrt(xp.clip(gap, 0.0, None))
        return value + _zero_within(state, inside)

    def inverse(self, state: Array) -> Array:
        """The field of mean 0; a state at the edge counts as the nearest one inside."""
        xp = namespace(state)
        z = (state - self._shift(state)) / self.gamma
        gap = 1 - xp.mean(z * z, axis=-1, keepdims=True)
        return z * (self.epsilon**0.5 / xp.sqrt(xp.clip(gap, float(xp.finfo(state.dtype).eps), None)))

    def why_outside_domain(self, state: np.ndarray) -> str:
        offset = state - self._shift(state)
        slack = self._slack_beside_shift(state)
        if abs(offset.sum()) > self.gamma * state.size * slack:
            return f"has the sum {state.sum():.6g}; layer normalisation keeps it at {(state - offset).sum():.6g}"
        length = float(np.linalg.norm(offset)) / (self.gamma * state.size**0.5)
        return "" if length <= 1 + slack else f"is {length:.6g} times as long as layer normalisation allows"

    def _shift(self, x: Array) -> Any:
        if isinstance(self.delta, tuple) and len(self.delta) != x.shape[-1]:
            raise InvalidInput(f"delta: got {len(self.delta)} numbers; expected one for each of {x.shape[-1]} entries")
        return in_numbers_of(x, np.asarray(self.delta)) if isinstance(self.delta, tuple) else self.delta

    def _slack_beside_shift(self, state: Array) -> float:
        """The distance from the sphere, in units of γ, that is rounding: of numbers as large as γ and δ."""
        return _slack(state) * (1 + float(np.max(np.abs(self.delta))) / self.gamma)

    def _deviation(self, centred: Array) -> Array:
        xp = namespace(centred)
        spread = row_length(centred) / centred.shape[-1] ** 0.5
        return xp.hypot(spread, xp.full_like(spread, self.epsilon**0.5))


def _unless_zero(field: Array, state: Array | None, spins: Array) -> Array:
    """The spins; where the field is exactly 0, a neuron stays as it was."""
    return spins if state is None else namespace(field).where(field == 0, state, spins)


def _centred(field: Array) -> Array:
    """The field minus its mean; subtracted twice, which also removes the rounding error of a large mean."""
    xp = namespace(field)
    deviations = field - xp.mean(field, axis=-1, keepdims=True)
    return deviations - xp.mean(deviations, axis=-1, keepdims=True)


def _slack(state: Array) -> float:
    """The distance by which rounding may move a unit vector off the sphere."""
    return float(8 * namespace(state).finfo(state.dtype).eps * state.shape[-1])


def _zero_within(state: Array, inside: Array) -> Array:
    """The conjugate of a norm: 0 inside the unit ball of the dual norm, infinite outside."""
    zero = namespace(state).zeros_like(state[..., 0])
    return namespace(state).where(inside, zero, zero + float("inf"))


activations: Registry[Activation] = Registry("activation", Activation, [__name__], imports=True)
