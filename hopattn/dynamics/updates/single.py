"""One neuron at a time: to the side of its local field, or by chance at a temperature."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hopattn.dynamics.single_neuron import Called
from hopattn.dynamics.updates.base import Descent, Recallable, Turn, Update
from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.foundation.registry import name_of
from hopattn.foundation.scalars import real

_ORDERS = ("random", "sequence")


@dataclass(frozen=True)
class Asynchronous(Update):
    """One neuron after the other, each seeing what those before it have become; a step is one sweep over all.

    order: "random" (drawn anew for each sweep, the same for all cues), "sequence" (0, 1, 2 …), or the numbers of the
    neurons in the order that is wanted, each once. A spin turns to the side of its local field, half the exact energy
    difference of the flip, and stays where that is 0; a graded neuron takes x_i = ∇Φ(h_i). Raises `InvalidInput` for
    another order. Source: Hopfield (1982), PNAS 79, 2554; for dense memories Krotov & Hopfield (2016), eq. 3.
    """

    name: ClassVar[str] = "async"
    source: ClassVar[str] = "Hopfield 1982; Krotov & Hopfield 2016"
    way: ClassVar[str] = "one neuron after the other"
    order: Any = "random"

    def __post_init__(self) -> None:
        if isinstance(self.order, str):
            if self.order not in _ORDERS:
                raise InvalidInput(f"order: {unknown(self.order, _ORDERS)}, or the numbers of the neurons")
            return
        given = np.asarray(self.order)
        if given.ndim != 1 or given.dtype.kind not in "iu" or sorted(given.tolist()) != list(range(given.size)):
            raise InvalidInput(
                "order: expected 'random', 'sequence', or the number of every neuron once, counted from 0"
            )
        object.__setattr__(self, "order", tuple(given.tolist()))

    @property
    def repeats(self) -> bool:
        return bool(self.order != "random")

    def step(self, memory: Recallable, states: np.ndarray, mask: np.ndarray | None, turn: Turn) -> np.ndarray:
        running = memory.one_by_one(states, mask)
        order = _sweep(self.order, states.shape[1], turn.rng)
        if memory.activation.discrete:
            running.sweep(order, _towards)
        else:
            running.sweep_graded(order, memory.activation)
        return running.states

    def guarantee(self, memory: Recallable) -> Descent:
        if memory.activation.discrete:
            return Descent(True, "each spin turns only where the exact energy difference of the flip is negative")
        if obstacle := memory.lacks_single_convexity:
            return Descent(False, obstacle)
        return Descent(True, "concave-convex procedure, neuron by neuron")

    def obstacle(self, memory: Recallable) -> str:
        if not memory.activation.elementwise:
            return f"'{name_of(memory.activation)}' looks at all neurons together, so that none can be updated alone"
        n = memory.known.shape[-1]
        if not isinstance(self.order, str) and len(self.order) != n:
            return f"the order names {len(self.order)} neurons, but there are {n}"
        return memory.lacks_single_updates


@dataclass(frozen=True)
class Glauber(Update):
    """One spin after the other by chance: x_i is +1 with probability 1 / (1 + exp(−2 h_i / T)); a step is one sweep.

    Its states come to be distributed as exp(−E/T). temperature: T, 0 or more, in the energy's unit; 0 is the
    asynchronous update. cooling: what the temperature is multiplied with after each sweep, above 0 and at most 1;
    below 1 it is simulated annealing. The order is drawn anew for each sweep; each cue has chances of its own. There
    is no fixed point at T > 0, so that a recall takes `max_steps` sweeps. Raises `InvalidInput` for numbers outside.
    Source: Glauber (1963), J. Math. Phys. 4, 294; Amit, Gutfreund & Sompolinsky (1985), eq. 2 (their β⁻¹ is our T);
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

    @property
    def rests(self) -> bool:
        return self.temperature == 0

    @property
    def by_chance(self) -> bool:
        return True

    @property
    def repeats(self) -> bool:
        return False

    def step(self, memory: Recallable, states: np.ndarray, mask: np.ndarray | None, turn: Turn) -> np.ndarray:
        running = memory.one_by_one(states, mask)
        temperature = self.temperature * self.cooling**turn.number
        chances = np.stack([own.random(states.shape[1]) for own in turn.own], axis=1)

        def by_chance(called: Called) -> np.ndarray:
            up = chances[called.at] < 0.5 * (1 + np.tanh(called.local / temperature))
            return np.where(up, 1.0, -1.0)

        with np.errstate(over="ignore"):  # a field infinitely larger than the temperature decides for sure
            running.sweep(_sweep("random", states.shape[1], turn.rng), _towards if temperature == 0 else by_chance)
        return running.states

    def guarantee(self, memory: Recallable) -> Descent:
        if self.temperature == 0:
            return Asynchronous().guarantee(memory)
        return Descent(False, "at a temperature above 0 a spin may turn against its field")

    def obstacle(self, memory: Recallable) -> str:
        if not memory.activation.discrete:
            return f"Glauber's update is for spins, and the activation '{name_of(memory.activation)}' gives none"
        return memory.lacks_single_updates


def _sweep(order: Any, n: int, rng: np.random.Generator) -> np.ndarray:
    """The neurons in the order of one sweep."""
    if order == "random":
        return rng.permutation(n)
    return np.arange(n) if order == "sequence" else np.array(order)


def _towards(called: Called) -> np.ndarray:
    """Each spin on the side of its local field, or as it was where that is 0 or where to decide would cost energy."""
    local, spins = called.local, called.spins
    stays = local == 0
    unknown_yet = spins == 0
    if np.any(unknown_yet):
        stays = stays | (unknown_yet & (called.gain() < 0))
    return np.where(stays, spins, np.sign(local))
