"""The stochastic update: one neuron at a time, at random with a temperature."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from hopattn.dynamics.protocol import Recallable
from hopattn.dynamics.single_neuron import KnownDecision, SpinView
from hopattn.dynamics.updates.asynchronous import Asynchronous, aligned, sweep_order
from hopattn.dynamics.updates.base import Descent, StepContext, Update
from hopattn.foundation.checks import real
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import name_of


@dataclass(frozen=True)
class Glauber(Update):
    """One spin after the other by chance: x_i is +1 with probability 1 / (1 + exp(−2 h_i / T)); a step is one sweep.

    After many sweeps the states have the distribution exp(−E/T), with E the memory's `energy`; for the exponential
    separation that is the logarithm −β⁻¹ log Σ exp(βs). temperature: T, 0 or more, in the unit of the energy; 0 is the
    asynchronous update. cooling: the factor by which each sweep multiplies the temperature, above 0 and at most 1;
    below 1 it is simulated annealing. Raises `InvalidInput` for other numbers. The order is drawn anew for each sweep;
    each cue has random numbers of its own. There is no fixed point at T > 0: a recall takes `max_steps` sweeps.
    Source: Glauber (1963), J. Math. Phys. 4, 294; Amit, Gutfreund & Sompolinsky (1985) (their β⁻¹ is our T);
    annealing: Kirkpatrick, Gelatt & Vecchi (1983), Science 220, 671.
    """

    source: ClassVar[str] = "Glauber 1963; Kirkpatrick et al. 1983"
    way: ClassVar[str] = "one neuron after the other, by chance"
    temperature: float
    cooling: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "temperature", real(self.temperature, "temperature", least=0.0))
        object.__setattr__(self, "cooling", real(self.cooling, "cooling", above=0.0))
        if self.cooling > 1:
            raise InvalidInput(f"cooling: expected a number of at most 1, not {self.cooling:g}")

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Self:
        """An update with a temperature between 0.01 and 10, uniform in log T."""
        return cls(float(10 ** rng.uniform(-2, 1)))

    @property
    def has_fixed_points(self) -> bool:
        return self.temperature == 0

    @property
    def stochastic(self) -> bool:
        return True

    @property
    def deterministic(self) -> bool:
        return False

    def step(self, memory: Recallable, states: np.ndarray, mask: np.ndarray | None, context: StepContext) -> np.ndarray:
        neurons = memory.single_neuron_states(states, mask)
        temperature = self.temperature * self.cooling**context.number
        draws = np.stack([own.random(states.shape[1]) for own in context.own], axis=1)

        rule = aligned if temperature == 0 else _Thermal(draws, temperature)
        with np.errstate(over="ignore"):  # h / T may be infinite: then tanh is ±1
            neurons.sweep(sweep_order("random", states.shape[1], context.rng), rule)
        return neurons.states

    def guarantee(self, memory: Recallable) -> Descent:
        if self.temperature == 0:
            return Asynchronous().guarantee(memory)
        return Descent(False, "at a temperature above 0 a spin may turn against its field")

    def obstacle(self, memory: Recallable) -> str:
        if not memory.activation.discrete:
            return f"Glauber's update is for spins, and the activation '{name_of(memory.activation)}' gives none"
        return memory.why_no_single_neuron_updates


@dataclass(frozen=True, eq=False)
class _Thermal(KnownDecision):
    """Each spin is 1 where its draw lies below the probability of 1. draws: `(N, n)`, from 0 to below 1."""

    draws: np.ndarray
    temperature: float

    def __call__(self, view: SpinView) -> np.ndarray:
        up = self.draws[view.at] < 0.5 * (1 + np.tanh(view.local / self.temperature))
        return np.where(up, 1.0, -1.0)

    def limits(self) -> np.ndarray:
        """The local field at which the probability is the draw: u = ½ (1 + tanh(h/T)), h = T artanh(2u − 1)."""
        with np.errstate(divide="ignore"):  # a draw of 0 lies below any probability
            return np.asarray(self.temperature * np.arctanh(2 * self.draws - 1))
