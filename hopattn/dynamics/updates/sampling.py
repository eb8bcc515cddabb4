"""Sampling of continuous states at a temperature: a random move of the whole state, accepted or refused.

A move from x to y is accepted with the probability min(1, exp(−(ΔE + c)/T)), where c = T log q(x→y)/q(y→x) is the cost
of a proposal density q that differs in the two directions. Then p(x) q(x→y) a(x→y) is the same from y to x, and the
density p = exp(−E/T) stays as it is.
"""

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from hopattn.dynamics.record import Status
from hopattn.dynamics.updates.base import AssociativeMemory, Descent, Moved, StepContext, Update, energy_of
from hopattn.foundation.arrays import Array, Mask, as_array
from hopattn.foundation.boundary import Declared, Flag, Positive
from hopattn.foundation.checks import real
from hopattn.foundation.registry import name_of
from hopattn.foundation.vectors import largest_change, nonzero, normalised, row_length
from hopattn.retrieval.activation import Identity, Logistic, Tanh, Unit


@dataclass(frozen=True)
class Sampler(Declared, Update):
    """The base of the updates that accept or refuse a random move; a step is one move."""

    stochastic: ClassVar[bool] = True
    temperature: Annotated[float, partial(real, least=0.0)]

    @abstractmethod
    def move(self, memory: AssociativeMemory, states: Array, noise: Array, *, mask: Mask) -> tuple[Array, Any]:
        """The states that are tried, `(n, dim)`, and the cost c of each. noise: Gaussian numbers, `(n, dim)`."""

    @property
    def ends(self) -> tuple[Status, ...]:
        return ()

    def step(self, memory: AssociativeMemory, states: Array, *, mask: Array | None, context: StepContext) -> Moved:
        before = np.asarray(energy_of(memory, states, mask))
        noise = np.stack([rng.standard_normal(states.shape[1]) for rng in context.cue_rngs])
        y, cost = self.move(memory, states, noise, mask=mask)
        with np.errstate(over="ignore", invalid="ignore"):  # an energy that is not finite refuses the move
            change = np.asarray(memory.energy(y, mask)) - before + cost
        bar = -self.temperature * np.log1p(
            -np.array([rng.random() for rng in context.cue_rngs])
        )  # −T log u, of u in (0, 1]
        return np.where((change < bar)[:, None], y, states), before

    def guarantee(self, memory: AssociativeMemory) -> Descent:
        if self.temperature == 0:
            return Descent(True, "at T = 0 a move that does not lower the energy is refused")
        return Descent(False, "at a temperature above 0 a move may be taken that raises the energy")

    def obstacle(self, memory: AssociativeMemory) -> str:
        if not isinstance(memory.activation, Identity | Logistic | Tanh | Unit):
            name, who = name_of(memory.activation), type(self).__name__
            return f"{who}'s update is for states on the sphere, in the cube or in space, and '{name}' gives others"
        return memory.why_not("energy")


@dataclass(frozen=True)
class Metropolis(Sampler):
    """A random move of the whole state, taken with probability min(1, exp(−ΔE/T)); a step is one move.

    After many steps the states have the density exp(−E/T): on the sphere |x| = 1 for the activation "unit", in the cube
    for "tanh" and "logistic", in all of space for "identity".

    Parameters
    ----------
    temperature : T, 0 or more, in the unit of the energy; at 0 only moves that lower the energy are taken.
    width
        the length of a move, above 0; a move is x + width·z/√dim with Gaussian z, on the sphere scaled back to it, so
        that the way there and the way back are equally likely, and detailed balance holds.

    Raises
    ------
    InvalidInput : for other numbers.

    Notes
    -----
    A cue inside the sphere goes to it by its first accepted move. Each cue has random numbers of its own. A recall ends
    after `max_steps`. Source: Metropolis et al. (1953), J. Chem. Phys. 21, 1087.
    """

    source: ClassVar[str] = "Metropolis et al. 1953"
    way: ClassVar[str] = "one random move of all neurons, by chance"
    width: Positive = 0.5

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Self:
        """An update with a temperature between 0.01 and 10, uniform in log T, or of 0 in half of the draws."""
        return cls(_drawn_temperature(rng))

    def move(self, memory: AssociativeMemory, states: Array, noise: Array, *, mask: Mask) -> tuple[Array, Any]:
        y = (states + self.spread(states.shape[1]) * noise).astype(states.dtype)
        return normalised(y) if isinstance(memory.activation, Unit) else y, 0.0

    def spread(self, dim: int) -> float:
        return float(self.width / dim**0.5)


@dataclass(frozen=True)
class Langevin(Sampler):
    """A step down the gradient of the energy, with noise: v = −dt ∇E + √(2 dt T) z; a step is one move.

    In space and in the cube the move is x + v (Euler and Maruyama). On the sphere |x| = 1, gradient and noise are those
    along the sphere, and the move goes the distance |v| on the great circle along v; the correction refuses |v| ≥ π.
    After many steps the states have the density exp(−E/T), on the domains of `ha.Metropolis`.

    Parameters
    ----------
    temperature : T, 0 or more, in the unit of the energy.
    dt
        the size of a step, above 0, in units of state² / energy; with too large a step most moves are refused, and the
        share of .57 accepted moves is the best in many dimensions (Roberts & Rosenthal 1998, J. R. Stat. Soc. B 60,
        255).
    correction
        whether a move y is accepted with the probability min(1, exp(−(ΔE + c)/T)) (MALA), so that the density is exact
        for any dt; without it, every move within the domain is taken, and the density is wrong by an error of the order
        dt.

    Raises
    ------
    InvalidInput : for other numbers.

    Notes
    -----
    With w the move back from y to x,

        c = ½ ∇E(y)·(w + ½dt ∇E(y)) − ½ ∇E(x)·(v + ½dt ∇E(x))

    On the sphere the density of y in units of area has a factor (|v|/sin|v|)^(dim−2); since |w| = |v|, it is the same
    for both ways and cancels. At T = 0 the step is one of steepest descent, which is refused where the energy would not
    fall; a recall then ends at a fixed point. At T > 0 it ends after `max_steps`. Each cue has random numbers of its
    own. Source: Roberts & Tweedie (1996), Bernoulli 2, 341 (their h is our 2 dt T, their log π our −E/T).
    """

    source: ClassVar[str] = "Roberts & Tweedie 1996"
    way: ClassVar[str] = "all neurons downhill, with noise"
    dt: Positive = 0.1
    _: KW_ONLY
    correction: Flag = True

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Self:
        """An update with a random temperature as of `Metropolis`, and a dt between 10^-2.5 and 10^-0.5."""
        return cls(_drawn_temperature(rng), float(10 ** rng.uniform(-2.5, -0.5)))

    @property
    def ends(self) -> tuple[Status, ...]:
        return () if self.temperature else (Status.CONVERGED,)

    def move(self, memory: AssociativeMemory, states: Array, noise: Array, *, mask: Mask) -> tuple[Array, Any]:
        on_sphere = isinstance(memory.activation, Unit)
        here = normalised(states) if on_sphere else states

        def slope(x: np.ndarray) -> np.ndarray:
            with np.errstate(over="ignore", invalid="ignore"):
                gradient = np.asarray(memory.gradient(x, mask))
            return _along_sphere(gradient, x) if on_sphere else gradient

        down, kick = slope(here), (self.spread(states.shape[1]) * noise).astype(states.dtype)
        v = (_along_sphere(kick, here) if on_sphere else kick) - self.dt * down
        y, back = _on_great_circle(here, v) if on_sphere else (here + v, -v)
        if not self.correction:
            return y, -np.inf
        if self.temperature == 0:
            return y, 0.0
        there = slope(y)
        with np.errstate(over="ignore", invalid="ignore"):
            cost = 0.5 * np.sum(there * (back + 0.5 * self.dt * there) - down * (v + 0.5 * self.dt * down), axis=-1)
        return y, np.where(row_length(v) < np.pi, cost, np.inf) if on_sphere else cost

    def spread(self, dim: int) -> float:
        return float((2 * self.dt * self.temperature) ** 0.5)

    def residual(self, memory: AssociativeMemory, before: Array, after: Array, *, mask: Array | None) -> Array:
        """The distance from a fixed point, `(n,)`: at T = 0 the largest entry of |x − ∇Φ(h(x))|, whatever dt is."""
        reference = as_array(memory.step(after, mask)) if self.temperature == 0 else before
        return largest_change(reference, after)

    def guarantee(self, memory: AssociativeMemory) -> Descent:
        if not self.correction:
            return Descent(False, "without the correction, a step may go beyond a valley")
        return super().guarantee(memory)


def _drawn_temperature(rng: np.random.Generator) -> float:
    """0 in half of the draws, else between 0.01 and 10, uniform in log T."""
    return float(10 ** rng.uniform(-2, 1)) * bool(rng.random() < 0.5)


def _along_sphere(vectors: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The part of vectors `(n, dim)` that is orthogonal to states x of unit magnitude."""
    return np.asarray(vectors - np.sum(vectors * x, axis=-1, keepdims=True) * x)


def _on_great_circle(x: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The states at the distance |v| from x on the great circle along v, and the vectors there that lead back."""
    angle = row_length(v)[:, None]
    ahead = v / nonzero(angle)
    there = normalised(np.cos(angle) * x + np.sin(angle) * ahead)
    return there, angle * (np.sin(angle) * x - np.cos(angle) * ahead)
