"""Updates of one neuron at a time: to the side of its local field, or by chance at a temperature.

    x_i ← sign h_i          h_i = ½ [E(x_i = −1) − E(x_i = +1)], with the new values of the neurons before i

Here is the order of the neurons; `settled` of `dynamics/single_neuron.py` is the rule, with the sweeps that apply it.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from hopattn.dynamics.record import Status
from hopattn.dynamics.single_neuron import UP_AT_0
from hopattn.dynamics.updates.base import (
    AssociativeMemory,
    Descent,
    Moved,
    StepContext,
    Ties,
    Update,
    energy_of,
    why_no_ties,
)
from hopattn.foundation.arrays import Array, plain_array
from hopattn.foundation.boundary import Declared, public
from hopattn.foundation.checks import positive, real, whole
from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.foundation.registry import name_of

_ORDERS = ("sequence", "random")


def order_of(order: Any, what: str) -> Any:
    """The order of a sweep: a word of `_ORDERS`, or the number of every neuron once, as a tuple."""
    if isinstance(order, str):
        if order not in _ORDERS:
            raise InvalidInput(f"{what}: {unknown(order, _ORDERS)}, or the numbers of the neurons")
        return order
    numbers = plain_array(order, what)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or sorted(numbers.tolist()) != list(range(numbers.size)):
        message = "expected 'sequence', 'random', or the number of every neuron once, counted from 0"
        raise InvalidInput(f"{what}: {message}")
    return tuple(numbers.tolist())


def in_words(rule: Update) -> str:
    """How an update goes, with the order of the neurons."""
    order = getattr(rule, "order", None)
    named = {None: "", "sequence": ", in sequence", "random": ", in random order"}
    up = ", up at a field of 0" if getattr(rule, "ties", "keep") == "up" else ""
    return rule.way + named.get(order, ", in the order given") + up


@dataclass(frozen=True)
class Asynchronous(Declared, Update):
    """One neuron after the other, each with the new values of those before it; a step is one sweep over all.

    Parameters
    ----------
    order
        "sequence" (0, 1, 2 …), "random" (drawn anew for each sweep, the same for all cues), or the number of every
        neuron once, counted from 0 (in a file from 1); raises `InvalidInput` for another order.
    ties
        "keep": a spin stays where its local field is 0, as in Hopfield (1982); "up": it becomes 1 there, as courses
        have it that define sgn(0) = 1.

    Notes
    -----
    A spin takes the sign of its local field, half the exact energy difference of the flip. A turn at a local field of 0
    leaves the energy as it is. A graded neuron takes x_i = ∇Φ(h_i), and has no ties. Source: Hopfield (1982), PNAS
    79, 2554; for dense memories Krotov & Hopfield (2016), eq. 4.
    """

    name: ClassVar[str] = "async"
    source: ClassVar[str] = "Hopfield 1982; Krotov & Hopfield 2016"
    way: ClassVar[str] = "one neuron after the other"
    order: Annotated[Any, order_of] = "sequence"
    ties: Ties = "keep"

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Self:
        """An update in random order: what holds for it holds for every order."""
        return cls("random")

    @property
    def ends(self) -> tuple[Status, ...]:
        return (Status.CONVERGED,) if self.order == "random" else super().ends

    def step(self, memory: AssociativeMemory, states: Array, *, mask: Array | None, context: StepContext) -> Moved:
        neurons, n = memory._single_neuron_states(states, mask), states.shape[1]
        order = self._order_of_sweep(n, context.rng)
        if memory.activation.discrete:
            neurons.sweep(order, self.limits(n, len(states)))
        else:
            neurons.sweep_graded(order, memory.activation)
        return neurons.states, energy_of(memory, states, mask)

    def _order_of_sweep(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """The numbers of n neurons in the order of the next sweep, `(n,)`."""
        if isinstance(self.order, str):
            return rng.permutation(n) if self.order == "random" else np.arange(n)
        return np.array(self.order)

    def limits(self, n: int, n_cues: int) -> np.ndarray | None:
        """The local fields above which n spins of each cue are 1, `(n, n_cues)`; None where ties are kept."""
        return np.full((n, n_cues), UP_AT_0) if self.ties == "up" else None

    def guarantee(self, memory: AssociativeMemory) -> Descent:
        if memory.activation.discrete:
            reason = memory.why_not("convexity") or memory.why_not("convexity of a neuron")
            if self.ties == "up" and reason:
                return Descent(False, f"an unknown neuron takes a side even where that raises the energy: {reason}")
            return Descent(True, "each spin turns only where the exact energy difference of the flip is negative")
        if reason := memory.why_not("convexity") or memory.why_not("convexity of a neuron"):
            return Descent(False, reason)
        return Descent(True, "concave-convex procedure, neuron by neuron")

    def obstacle(self, memory: AssociativeMemory) -> str:
        if reason := memory.why_not("single-neuron updates"):
            return reason
        if not memory.activation.elementwise:
            return f"'{name_of(memory.activation)}' looks at all neurons together, so that none can be updated alone"
        if not isinstance(self.order, str) and len(self.order) != (n := memory._reference.shape[-1]):
            return f"the order names {len(self.order)} neurons, but there are {n}"
        return why_no_ties(memory, self.ties)


@dataclass(frozen=True)
class Glauber(Declared, Update):
    """One spin after the other by chance: x_i is +1 with probability 1 / (1 + exp(−2 h_i / T)); a step is one sweep.

    After many sweeps the states have the distribution exp(−E/T), with E the memory's `energy`; for the exponential
    separation that is the logarithm −β⁻¹ log Σ exp(βs).

    Parameters
    ----------
    temperature : T, 0 or more, in the unit of the energy; 0 is the asynchronous update in random order.
    cooling
        the factor by which each sweep multiplies the temperature, above 0 and at most 1; below 1 it is simulated
        annealing.

    Raises
    ------
    InvalidInput : for other numbers.

    Notes
    -----
    The order is drawn anew for each sweep; each cue has random numbers of its own. There is no fixed point at T > 0: a
    recall takes `max_steps` sweeps. Source: Glauber (1963), J. Math. Phys. 4, 294; Amit, Gutfreund & Sompolinsky (1985)
    (their β⁻¹ is our T); annealing: Kirkpatrick, Gelatt & Vecchi (1983), Science 220, 671.
    """

    source: ClassVar[str] = "Glauber 1963; Kirkpatrick et al. 1983"
    way: ClassVar[str] = "one neuron after the other, by chance"
    stochastic: ClassVar[bool] = True
    temperature: Annotated[float, partial(real, least=0.0)]
    cooling: Annotated[float, partial(positive, most=1.0)] = 1.0

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Self:
        """An update with a temperature between 0.01 and 10, uniform in log T."""
        return cls(float(10 ** rng.uniform(-2, 1)))

    @property
    def ends(self) -> tuple[Status, ...]:
        return () if self.temperature else (Status.CONVERGED,)

    def step(self, memory: AssociativeMemory, states: Array, *, mask: Array | None, context: StepContext) -> Moved:
        neurons, n = memory._single_neuron_states(states, mask), states.shape[1]
        limits = self.limits(context, n)
        neurons.sweep(context.rng.permutation(n), limits)
        return neurons.states, energy_of(memory, states, mask)

    @public
    def temperature_at(self, step: Annotated[int, partial(whole, least=0)]) -> float:
        """The temperature of a step, counted from 0."""
        return self.temperature * self.cooling**step

    def limits(self, context: StepContext, n: int) -> np.ndarray | None:
        """The local fields above which the spins are 1 in a step, `(N, n)`; None at T = 0.

        A spin is 1 where its draw u lies below the probability ½ (1 + tanh(h/T)): where h is above T artanh(2u − 1).
        """
        temperature = self.temperature_at(context.number)
        draws = np.stack([rng.random(n) for rng in context.cue_rngs], axis=1)
        with np.errstate(divide="ignore"):  # a draw of 0 lies below any probability
            return temperature * np.arctanh(2 * draws - 1) if temperature else None

    def guarantee(self, memory: AssociativeMemory) -> Descent:
        if self.temperature == 0:
            return Asynchronous().guarantee(memory)
        return Descent(False, "at a temperature above 0 a spin may turn against its field")

    def obstacle(self, memory: AssociativeMemory) -> str:
        if reason := memory.why_not("single-neuron updates"):
            return reason
        if not memory.activation.discrete:
            return f"Glauber's update is for spins, and the activation '{name_of(memory.activation)}' gives none"
        return ""
