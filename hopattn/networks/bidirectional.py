"""The bidirectional network: two sides of neurons, each of which recalls the other."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.single_neuron import SingleNeuronStates
from hopattn.foundation.arrays import as_float
from hopattn.foundation.errors import InvalidInput
from hopattn.networks.associator import Associator
from hopattn.retrieval.activation import Activation, Sign


@dataclass(frozen=True, eq=False)
class Bidirectional(AssociativeMemory):
    """Two associators with one matrix: y = sgn(W x), then x⁺ = sgn(Wᵀ y). The states are those of the left side.

    forward: W, from left to right, with the right patterns. backward: Wᵀ, from right to left, with the left patterns.
    `answer` gives the state of the right side; `turned` is the same memory with the sides exchanged.
    Source: Kosko (1988), IEEE Trans. SMC 18, 49.
    """

    file_kind: ClassVar[str] = "Bidirectional"
    forward: Associator
    backward: Associator

    @property
    def patterns(self) -> np.ndarray:
        """The left patterns: recalled states are compared with them."""
        return self.backward.patterns

    @property
    def activation(self) -> Activation:
        """Sign: the neurons of both sides are spins."""
        return Sign()

    @property
    def turned(self) -> "Bidirectional":
        """The same memory with its sides exchanged."""
        return Bidirectional(self.backward, self.forward)

    def answer(self, cues: ArrayLike) -> np.ndarray:
        """y = sgn(W x): the right state that a left state recalls, `(n, dim_right)`; 0 where its field is 0."""
        return np.asarray(self.activation(self.forward.field(cues)))

    def field(self, cues: ArrayLike, mask: Any = None) -> np.ndarray:
        """h = Wᵀ sgn(W x), `(n, dim_left)`. A mask raises `InvalidInput`."""
        _no_mask(mask)
        return self.backward.field(self.answer(cues))

    def step(self, cues: ArrayLike, mask: Any = None) -> np.ndarray:
        """x⁺ = sgn(Wᵀ sgn(W x)): from the left to the right side and back."""
        return np.asarray(self.activation(self.field(cues, mask), as_float(cues, "cues")))

    def energy(self, states: ArrayLike, mask: Any = None) -> np.ndarray:
        """E(x) = min_y −yᵀW x = −Σ_j |(W x)_j|, `(n,)`; infinite outside the cube [−1, 1]ⁿ."""
        _no_mask(mask)
        pairs = np.abs(self.forward.field(states)).sum(axis=-1)
        return np.asarray(self.activation.conjugate(as_float(states, "states")) - pairs)

    def single_neuron_states(self, states: np.ndarray, mask: np.ndarray | None = None) -> SingleNeuronStates:
        """Raises `InvalidInput`: all neurons of a side are updated at once."""
        raise InvalidInput(f"update: {self.why_no_single_neuron_updates}")

    @property
    def why_no_single_neuron_updates(self) -> str:
        """Why its neurons are not updated one at a time."""
        return "a bidirectional memory turns a whole side at once"

    @property
    def why_no_continuous_time(self) -> str:
        """Why its field cannot be followed in continuous time."""
        return "the field of a bidirectional memory jumps"


def _no_mask(mask: Any) -> None:
    if mask is not None:
        raise InvalidInput("mask: a bidirectional memory has no patterns to mask")
