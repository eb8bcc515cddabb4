"""From the neurons of one side to those of another by a matrix of couplings, one way or both ways.

y = ∇Φ(W x)          both ways: x⁺ = sgn(Wᵀ sgn(W x))
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hopattn.dynamics.protocol import Cues
from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.single_neuron import CoupledSpins
from hopattn.dynamics.updates.base import Update
from hopattn.dynamics.updates.synchronous import Synchronous
from hopattn.foundation.arrays import Array, as_array, as_float, namespace, require_finite
from hopattn.foundation.boundary import not_minus_infinity, public
from hopattn.foundation.errors import InvalidInput
from hopattn.networks.hopfield import Coupled, Unmasked
from hopattn.retrieval.activation import Activation, Sign

NO_ENERGY = "the answer of an associator is not a state of its cue"


@dataclass(frozen=True, eq=False, init=False)
class Associator(Coupled):
    """Hetero-association by one matrix of couplings, with the protocol of `Memory`.

    couplings: `(dim_out, dim)`, W[i, j] from neuron j to neuron i. activation: a name or an object. patterns:
    `(n_patterns, dim_out)`, the patterns that answers are compared with, or None. Of spins, a field that is no larger
    than its rounding counts as 0.

    `step` gives the answer to a cue. `recall` gives the answer with its record; if dim_out = dim, each answer is the
    next cue. Raises `InvalidInput` for couplings that are not a finite matrix, patterns that do not fit, and an unknown
    activation. Source: Kosko (1988), IEEE Trans. SMC 18, 49; LING3804 Lecture Notes 7, 7.1 (the definition of p_i).

    >>> import hopattn as ha
    >>> ha.Associator([[0.5, 0.5], [0.5, -0.5], [1, 0]], activation="sign").step([1, -1])
    array([0., 1., 1.])
    """

    file_kind: ClassVar[str] = "Associator"
    couplings: Array
    activation: Activation
    patterns: Array

    @public
    def __init__(self, couplings: Any, *, activation: str | Activation = "identity", patterns: Any = None) -> None:
        matrix = as_float(couplings, "couplings")
        if matrix.ndim != 2 or 0 in matrix.shape:
            raise InvalidInput(f"couplings: expected a matrix (dim_out, dim), not shape {tuple(matrix.shape)}")
        require_finite(matrix, "couplings")
        self._set(matrix, activation, patterns)

    def __repr__(self) -> str:
        n_out, n_in = self.couplings.shape
        return f"Associator({n_in} neurons to {n_out}, {self.activation!r}, {self.patterns.shape[0]} patterns)"

    @property
    def lacks(self) -> Mapping[str, str]:
        """An energy; and where the dims of answers and cues differ, all that needs an answer to be the next cue."""
        n_out, n_in = self.couplings.shape
        reasons = {"energy": NO_ENERGY, "convexity": NO_ENERGY}
        if n_out == n_in:
            return reasons
        reason = f"answers of dim {n_out} are not cues of dim {n_in}"
        return reasons | dict.fromkeys(("recall", "single-neuron updates", "continuous time"), reason)

    @property
    def own_update(self) -> Update:
        """All neurons at once: an answer is of another side than its cue, even where both have one dim."""
        return Synchronous()

    @public
    def field(self, cues: Cues, mask: Unmasked = None) -> Array:
        """h = W x: `(n, dim_out)` for cues `(n, dim)`, `(dim_out,)` for `(dim,)`. A mask raises `InvalidInput`."""
        return self._field(cues, namespace(self.couplings).zeros_like(self.couplings[:, 0]))

    @public
    def step(self, cues: Cues, mask: Unmasked = None) -> Array:
        """y = ∇Φ(W x). A spin whose field is 0 keeps its state if dim_out = dim, and is 0 otherwise."""
        return as_array(self.activation(self.field(cues), None if "recall" in self.lacks else cues))

    @public
    def energy(self, states: Any, mask: Any = None) -> Array:
        """Raises `InvalidInput`: there is none."""
        raise InvalidInput(f"energy: {NO_ENERGY}")

    def single_neuron_states(self, states: np.ndarray, mask: np.ndarray | None = None) -> CoupledSpins:
        """A batch of states in which one neuron is updated at a time; it needs dim_out = dim."""
        of_0_and_1 = self.activation.discrete and self.activation.silent == 0
        return CoupledSpins(states, self.sums, np.zeros(len(self.couplings)), of_0_and_1)


@dataclass(frozen=True, eq=False)
class Bidirectional(AssociativeMemory):
    """Two associators with one matrix: y = sgn(W x), then x⁺ = sgn(Wᵀ y). The states are those of the left side.

    forward: W, from left to right, with the right patterns. backward: Wᵀ, from right to left, with the left patterns.
    `answer` gives the state of the right side; `turned` is the same memory with the sides exchanged.
    Source: Kosko (1988), IEEE Trans. SMC 18, 49.
    """

    file_kind: ClassVar[str] = "Bidirectional"
    lacks: ClassVar[Mapping[str, str]] = {
        "single-neuron updates": "a bidirectional memory turns a whole side at once",
        "continuous time": "the field of a bidirectional memory jumps",
    }
    forward: Associator
    backward: Associator

    @property
    def patterns(self) -> Array:
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

    @public
    def answer(self, cues: Any) -> Array:
        """y = sgn(W x): the right state that a left state recalls, `(n, dim_right)`; 0 where its field is 0."""
        return as_array(self.activation(self.forward.field(cues)))

    @public
    def field(self, cues: Any, mask: Unmasked = None) -> Array:
        """h = Wᵀ sgn(W x), `(n, dim_left)`. A mask raises `InvalidInput`."""
        return self.backward.field(self.answer(cues))

    @public
    def step(self, cues: Any, mask: Unmasked = None) -> Array:
        """x⁺ = sgn(Wᵀ sgn(W x)): from the left to the right side and back."""
        return as_array(self.activation(self.field(cues), self._states(cues)))

    @public(may_be=not_minus_infinity)
    def energy(self, states: Any, mask: Unmasked = None) -> Array:
        """E(x) = min_y −yᵀW x = −Σ_j |(W x)_j|, `(n,)`; infinite outside the cube [−1, 1]ⁿ."""
        fields = self.forward.field(states)
        pairs = namespace(fields).sum(abs(fields), axis=-1)
        return as_array(self.activation.conjugate(self._states(states)) - pairs)

    def _states(self, states: Any) -> Array:
        """States of the left side, as an array of the library of the couplings."""
        return as_float(states, "states", like=self.forward.couplings)
