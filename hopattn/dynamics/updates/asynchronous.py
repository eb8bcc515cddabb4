"""The asynchronous update: one neuron at a time, to the side of its local field."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hopattn.dynamics.protocol import Recallable
from hopattn.dynamics.single_neuron import KnownDecision, SpinView
from hopattn.dynamics.updates.base import Descent, StepContext, Update
from hopattn.foundation.arrays import plain_array
from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.foundation.registry import name_of

_ORDERS = ("random", "sequence")


@dataclass(frozen=True)
class Asynchronous(Update):
    """One neuron after the other, each with the new values of those before it; a step is one sweep over all.

    order: "random" (drawn anew for each sweep, the same for all cues), "sequence" (0, 1, 2 …), or the number of every
    neuron once, in the order of the sweep; raises `InvalidInput` for another order. A spin takes the sign of its local
    field, half the exact energy difference of the flip, and stays as it is where that is 0. A graded neuron takes
    x_i = ∇Φ(h_i). Source: Hopfield (1982), PNAS 79, 2554; for dense memories Krotov & Hopfield (2016), eq. 4.
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
        given = plain_array(self.order, "order")
        if given.ndim != 1 or given.dtype.kind not in "iu" or sorted(given.tolist()) != list(range(given.size)):
            raise InvalidInput(
                "order: expected 'random', 'sequence', or the number of every neuron once, counted from 0"
            )
        object.__setattr__(self, "order", tuple(given.tolist()))

    @property
    def deterministic(self) -> bool:
        return bool(self.order != "random")

    def step(self, memory: Recallable, states: np.ndarray, mask: np.ndarray | None, context: StepContext) -> np.ndarray:
        neurons = memory.single_neuron_states(states, mask)
        order = sweep_order(self.order, states.shape[1], context.rng)
        if memory.activation.discrete:
            neurons.sweep(order, aligned)
        else:
            neurons.sweep_graded(order, memory.activation)
        return neurons.states

    def guarantee(self, memory: Recallable) -> Descent:
        if memory.activation.discrete:
            return Descent(True, "each spin turns only where the exact energy difference of the flip is negative")
        if obstacle := memory.why_not_convex_in_each_neuron:
            return Descent(False, obstacle)
        return Descent(True, "concave-convex procedure, neuron by neuron")

    def obstacle(self, memory: Recallable) -> str:
        if not memory.activation.elementwise:
            return f"'{name_of(memory.activation)}' looks at all neurons together, so that none can be updated alone"
        n = memory.reference.shape[-1]
        if not isinstance(self.order, str) and len(self.order) != n:
            return f"the order names {len(self.order)} neurons, but there are {n}"
        return memory.why_no_single_neuron_updates


def sweep_order(order: Any, n: int, rng: np.random.Generator) -> np.ndarray:
    """The numbers of the n neurons in the order of one sweep."""
    if order == "random":
        return rng.permutation(n)
    return np.arange(n) if order == "sequence" else np.array(order)


class _Aligned(KnownDecision):
    """Each spin takes the sign of its local field.

    A spin stays as it is where the local field is 0, and an unknown spin stays unknown where a side would cost energy.
    """

    def __call__(self, view: SpinView) -> np.ndarray:
        local, spins = view.local, view.spins
        stays = local == 0
        unknown_yet = spins == 0
        if np.any(unknown_yet):
            stays = stays | (unknown_yet & (view.gain() < 0))
        return np.where(stays, spins, np.sign(local))

    def limits(self) -> None:
        return None


aligned = _Aligned()
