"""Two sides of neurons that recall one another."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.dynamics import recall as dynamics
from hopattn.dynamics.single_neuron import Running
from hopattn.foundation.errors import InvalidInput
from hopattn.networks.associator import Associator
from hopattn.retrieval.activation import Activation, Sign


@dataclass(frozen=True, eq=False)
class Bidirectional(dynamics.Recalled):
    """Two associators with one matrix: y = sgn(W x), then x⁺ = sgn(Wᵀ y). The states are those of the left side.

    forward: W, from left to right, with the right patterns; backward: Wᵀ, with the left ones. `answer` reads the right
    side; `turned` is the same memory seen from there.
    Source: Kosko (1988), IEEE Trans. SMC 18, 49.
    """

    forward: Associator
    backward: Associator

    @property
    def patterns(self) -> np.ndarray:
        """What a recalled state is compared with: the left patterns."""
        return self.backward.patterns

    @property
    def activation(self) -> Activation:
        """The neurons of both sides are spins."""
        return Sign()

    @property
    def turned(self) -> "Bidirectional":
        """The same memory with its sides exchanged."""
        return Bidirectional(self.backward, self.forward)

    def answer(self, cues: Any) -> np.ndarray:
        """y = sgn(W x): the right side that a left state calls up, `(n, dim_right)`; 0 where its field is 0."""
        return np.asarray(self.activation(self.forward.field(cues)))

    def field(self, cues: Any, mask: Any = None) -> np.ndarray:
        """h = Wᵀ sgn(W x), `(n, dim_left)`. There are no patterns to mask."""
        _no_mask(mask)
        return self.backward.field(self.answer(cues))

    def step(self, cues: Any, mask: Any = None) -> np.ndarray:
        """x⁺ = sgn(Wᵀ sgn(W x)): to the right and back again."""
        return np.asarray(self.activation(self.field(cues, mask), np.asarray(cues, dtype=float)))

    def energy(self, states: Any, mask: Any = None) -> np.ndarray:
        """E(x) = min_y −yᵀW x = −Σ_j |(W x)_j|, `(n,)`; infinite outside the cube."""
        _no_mask(mask)
        pairs = np.abs(self.forward.field(states)).sum(axis=-1)
        return np.asarray(self.activation.conjugate(np.asarray(states, dtype=float)) - pairs)

    def one_by_one(self, states: np.ndarray, mask: np.ndarray | None = None) -> Running:
        """Raises `InvalidInput`: a whole side turns at once."""
        raise InvalidInput(f"update: {self.lacks_single_updates}")

    @property
    def lacks_single_updates(self) -> str:
        """Why its neurons are not updated one at a time."""
        return "a bidirectional memory turns a whole side at once"

    @property
    def lacks_flow(self) -> str:
        """Why its field cannot be followed in continuous time."""
        return "the field of a bidirectional memory jumps"


def _no_mask(mask: Any) -> None:
    if mask is not None:
        raise InvalidInput("mask: a bidirectional memory has no patterns to mask")
