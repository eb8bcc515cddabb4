"""Neurons in continuous time: by Dormand and Prince's method of order 8, or by steps of any size that descend."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Self

import numpy as np

from hopattn.dynamics.record import Status
from hopattn.dynamics.updates.base import AssociativeMemory, Descent, Moved, StepContext, Update, energy_of
from hopattn.foundation.arrays import Array, as_array, namespace
from hopattn.foundation.boundary import Declared, Positive
from hopattn.foundation.checks import positive
from hopattn.foundation.flows import flowed
from hopattn.foundation.registry import name_of
from hopattn.foundation.vectors import largest_change
from hopattn.retrieval.activation import Activation

RELATIVE = 1e-10
"""The error of a step of the integration, relative to the internal state."""
HALVINGS = 60
"""The number of times that a step is halved at most: then it is below rounding."""


class _Flow(Declared, Update):
    """τu̇ = −u + h(x) with x = ∇Φ(u): an update that carries the internal state u from step to step."""

    @property
    def ends(self) -> tuple[Status, ...]:
        """No cycle: with an energy the flow never returns, and states that are equal up to an error are not one."""
        return (Status.CONVERGED,)

    def internal(self, memory: AssociativeMemory, states: Array) -> Array:
        return memory.activation.inverse(states)

    def residual(self, memory: AssociativeMemory, before: Array, after: Array, *, mask: Array | None) -> Array:
        """The distance from a fixed point, `(n,)`: the largest entry of |x − ∇Φ(h(x))|, which does not depend on dt."""
        target = as_array(memory.activation(memory.field(after, mask)))
        return largest_change(_unless_clamped(memory, after, target), after)


@dataclass(frozen=True)
class Graded(_Flow):
    """Continuous time: τu̇ = −u + h(x) with x = ∇Φ(u), integrated over a time dt; a step is that time.

    Parameters
    ----------
    dt
        in units of τ, which is 1 but in a network of layers, above 0 and at most 1000; raises `InvalidInput` otherwise.
        Each cue is integrated with steps of its own, to a relative error of 1e-10; PyTorch and JAX arrays in single
        precision to 100 ε.

    Notes
    -----
    The energy falls whether Ψ is convex or not: Ė = (∇Φ*(x) − h)·ẋ = −τu̇·∇²Φ(u) u̇ ≤ 0. A recall carries u from step
    to step, because x = ∇Φ(u) loses the digits of a large u; a state has converged where |x − ∇Φ(h(x))| is small, for
    any dt. Source: Hopfield (1984), PNAS 81, 3088, with C_i = R_i = 1 (their V is our x, their T our W, their I our b);
    with stored patterns, Krotov & Hopfield (2021), ICLR, with hidden neurons that follow at once.
    """

    source: ClassVar[str] = "Hopfield 1984"
    way: ClassVar[str] = "in continuous time"
    on_devices: ClassVar[bool] = True
    dt: Annotated[float, partial(positive, most=1000.0, cure="take more steps instead")] = 1.0

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Self:
        """A step with a dt between 10^-2.5 and 10^-0.5, uniform in log dt."""
        return cls(float(10 ** rng.uniform(-2.5, -0.5)))

    def step(self, memory: AssociativeMemory, states: Array, *, mask: Array | None, context: StepContext) -> Moved:
        u = self.internal(memory, states) if context.internal is None else context.internal
        context.internal = after = self._flow(memory, u, mask)
        xp = namespace(after)
        x = _unless_clamped(memory, states, xp.where(xp.isfinite(after), memory.activation(after), after))
        return xp.astype(x, states.dtype, copy=False), energy_of(memory, states, mask)

    def guarantee(self, memory: AssociativeMemory) -> Descent:
        return Descent(True, "the flow goes downhill: the energy's rate of change is minus a sum of squares")

    def obstacle(self, memory: AssociativeMemory) -> str:
        invertible = type(memory.activation).inverse is not Activation.inverse
        if memory.activation.discrete or not memory.activation.elementwise or not invertible:
            reason = f"graded neurons need an activation with an inverse, and '{name_of(memory.activation)}' has none"
            return f"{reason} for each neuron alone" if invertible else reason
        return memory.why_not("continuous time")

    def _flow(self, memory: AssociativeMemory, start: Array, mask: Array | None) -> Array:
        """The internal states `(n, dim)` after the time dt; infinite where they diverge within dt."""
        u = start.astype(float) if isinstance(start, np.ndarray) else start
        xp = namespace(u)

        def rate(u: Array) -> Array:
            return (memory.field(memory.activation(u), mask) - u) / memory._time_constants

        with np.errstate(over="ignore", invalid="ignore"):
            sizes = xp.maximum(xp.max(xp.abs(u), axis=-1), xp.max(xp.abs(rate(u)), axis=-1))
        least = max(1e-150, float(xp.finfo(u.dtype).smallest_normal) ** 0.5)
        relative = max(RELATIVE, 100 * float(xp.finfo(u.dtype).eps))
        bounded = xp.all(memory.activation.bounds(xp.abs(u)) > 0, axis=-1)
        return flowed(rate, u, self.dt, relative, 0.01 * relative * xp.clip(sizes, least, None)[:, None], bounded)


@dataclass(frozen=True)
class Time(_Flow):
    """Continuous time by steps that never raise the energy: τu̇ = h(x) − u with x = ∇Φ(u), and τ of each neuron.

    A step is u⁺ = u + (1 − e^(−dt/τ)) (h − u), exact for a constant field, and its dt is halved until the energy does
    not rise by more than rounding: whatever dt is asked, the recall descends, but it may take less time than asked. A
    small dt follows the flow, a large one sets all neurons at once to the activation of their fields. A state from
    which no step descends stays as it is.

    Parameters
    ----------
    dt : in the unit of τ, above 0; raises `InvalidInput` otherwise.

    Notes
    -----
    In a network of layers each layer has its τ, and in other memories it is 1. A state has converged where |x −
    ∇Φ(h(x))| is small. Source: Krotov & Hopfield (2021), ICLR, eq. 1; Krotov (2021); the step of a constant field is
    that of the exponential Euler method.
    """

    source: ClassVar[str] = "Krotov & Hopfield 2021"
    way: ClassVar[str] = "in continuous time, by steps that descend"
    dt: Positive = 1.0

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Self:
        """A step with a dt between 10^-3 and 10^3, uniform in log dt."""
        return cls(float(10 ** rng.uniform(-3, 3)))

    def step(self, memory: AssociativeMemory, states: Array, *, mask: Array | None, context: StepContext) -> Moved:
        u = np.array(self.internal(memory, states) if context.internal is None else context.internal)
        x, h = np.array(states), np.asarray(memory.field(states, mask))
        before = np.asarray(memory.energy(states, mask))
        conjugate = np.asarray(memory.activation.conjugate(states))
        most = before + 48 * np.finfo(x.dtype).eps * np.maximum(np.abs(conjugate), np.abs(before))  # Φ*, and Ψ = Φ* − E
        rows, dt = np.arange(len(x)), self.dt
        for _ in range(HALVINGS):
            share = -np.expm1(-dt / memory._time_constants)
            with np.errstate(over="ignore", invalid="ignore"):
                inner = u[rows] + share * (h[rows] - u[rows])
                after = _unless_clamped(memory, x[rows], np.asarray(memory.activation(inner, x[rows])))
                energy = np.asarray(memory.energy(after, None if mask is None else mask[rows]))
            falls = (energy <= most[rows]) & np.all(np.isfinite(after), axis=-1)
            u[rows[falls]], x[rows[falls]] = inner[falls], after[falls]
            rows, dt = rows[~falls], 0.5 * dt
            if not rows.size:
                break
        context.internal = u
        return x, before

    def guarantee(self, memory: AssociativeMemory) -> Descent:
        return Descent(True, "a step that would raise the energy is halved until it does not")

    def obstacle(self, memory: AssociativeMemory) -> str:
        if type(memory.activation).inverse is Activation.inverse:
            return f"a flow needs an activation with an inverse, and '{name_of(memory.activation)}' has none"
        return memory.why_not("energy") or memory.why_not("continuous time")


def _unless_clamped(memory: AssociativeMemory, states: Array, after: Array) -> Array:
    """The states after a step; a neuron without a finite time constant keeps its state."""
    if isinstance(memory._time_constants, float):
        return after
    xp = namespace(after)
    return xp.where(xp.isfinite(memory._time_constants), after, states)
