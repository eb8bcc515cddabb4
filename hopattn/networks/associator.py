"""From the neurons of one side to those of another by a matrix of couplings, one way or both ways.

y = ∇Φ(W x)          both ways: x⁺ = sgn(Wᵀ sgn(W x))
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from hopattn.dynamics.recall import AssociativeMemory, Cues
from hopattn.dynamics.updates.base import Update
from hopattn.dynamics.updates.synchronous import Synchronous
from hopattn.foundation.arrays import Array, as_array, namespace
from hopattn.foundation.boundary import Fit, Of, public
from hopattn.networks.classical import NO_PATTERNS, Coupled, Hopfield
from hopattn.networks.couplings import CoupledSpins
from hopattn.retrieval.activation import Activation

NO_ENERGY = "the answer of an associator is not a state of its cue"


@dataclass(frozen=True, eq=False, init=False)
class Associator(Coupled):
    """Hetero-association by one matrix of couplings, h = W x and y = ∇Φ(h), with the protocol of `Memory`.

    Parameters
    ----------
    couplings : (dim_out, dim)
        W[i, j] from neuron j to neuron i.
    activation : a name or an object.
    patterns : (n_patterns, dim_out)
        the patterns that answers are compared with, or None.

    Raises
    ------
    InvalidInput : for couplings that are not a finite matrix, patterns that do not fit, and an unknown activation.

    Notes
    -----
    Of spins, a field that is no larger than its rounding counts as 0.

    `step` gives the answer to a cue. `recall` gives the answer with its record; if dim_out = dim, each answer is the
    next cue. Source: Kosko (1988), IEEE Trans. SMC 18, 49; LING3804 Lecture Notes 7, 7.1 (the definition of p_i).

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.Associator([[0.5, 0.5], [0.5, -0.5], [1, 0]], activation="sign").step([1, -1])
    array([0., 1., 1.])
    """

    _file_kind: ClassVar[str] = "Associator"
    couplings: Array
    activation: Activation
    patterns: Array

    @public
    def __init__(
        self,
        couplings: Annotated[Array, Of("dim_out dim", finite=True)],
        *,
        activation: str | Activation = "identity",
        patterns: Array = None,
    ) -> None:
        self._set(couplings, activation, patterns)

    def __repr__(self) -> str:
        n_out, n_in = self.couplings.shape
        return f"Associator({n_in} neurons to {n_out}, {self.activation!r}, {self.patterns.shape[0]} patterns)"

    def _why_not(self, capability: str) -> str:
        """It has no energy; and where dim_out differs from dim, nothing that needs an answer to be the next cue."""
        n_out, n_in = self.couplings.shape
        if capability in ("energy", "convexity"):
            return NO_ENERGY
        if n_out != n_in and capability in ("recall", "single-neuron updates", "continuous time"):
            return f"answers of dim {n_out} are not cues of dim {n_in}"
        return super()._why_not(capability)

    @property
    def default_update(self) -> Update:
        """All neurons at once: an answer is of another side than its cue, even where both have one dim."""
        return Synchronous()

    def _field_at(self, x: Array, mask: Any) -> Array:
        return self._sum_of(x, namespace(self.couplings).zeros_like(self.couplings[:, 0]))

    def _single_neuron_states(self, states: np.ndarray, mask: np.ndarray | None = None) -> CoupledSpins:
        """A batch of states in which one neuron is updated at a time; it needs dim_out = dim."""
        of_0_and_1 = self.activation.discrete and self.activation.silent == 0
        return CoupledSpins(states, self.sums, np.zeros(len(self.couplings)), of_0_and_1)


@dataclass(frozen=True, eq=False)
class Bidirectional(AssociativeMemory):
    """Two associators with one matrix: y = sgn(W x), then x⁺ = sgn(Wᵀ y). The states are those of the left side.

        h = Wᵀ sgn(W x)          x⁺ = sgn(h)          E(x) = min_y −yᵀW x = −Σ_j |(W x)_j|

    forward: W, from left to right, with the right patterns. backward: Wᵀ, from right to left, with the left patterns.
    Neurons of 0 and 1 have the activation "step" instead of sgn, and E(x) = −Σ_j max(0, (W x)_j).
    `answer` gives the state of the right side; `turned` is the same memory with the sides exchanged, and `both_sides`
    the network of the neurons of both, whose cues may have either side or both.
    Source: Kosko (1988), IEEE Trans. SMC 18, 49.
    """

    _file_kind: ClassVar[str] = "Bidirectional"
    forward: Associator
    backward: Associator

    @property
    def couplings(self) -> Array:
        """W, from the left to the right side, `(dim_right, dim_left)`."""
        return self.forward.couplings

    @property
    def patterns(self) -> Array:
        """The left patterns: recalled states are compared with them."""
        return self.backward.patterns

    @property
    def activation(self) -> Activation:
        """That of the neurons of both sides: "sign" for spins, "step" for neurons of 0 and 1."""
        return self.forward.activation

    @property
    def turned(self) -> "Bidirectional":
        """The same memory with its sides exchanged."""
        return Bidirectional(self.backward, self.forward)

    @property
    def both_sides(self) -> Hopfield:
        """Both sides as one network of N + M neurons, those of the left side first: E(x, y) = −yᵀW x.

        A side that a cue does not have is 0. One neuron after another, or one side after the other, lowers the energy.

        >>> from hopattn.memories import bam
        >>> pairs = bam([[1, 1, 1, 1], [1, -1, 1, -1]], [[1, 1, -1], [-1, 1, 1]])
        >>> pairs.both_sides.recall([0, 0, 0, 0, 1, 1, -1]).state
        array([ 1.,  1.,  1.,  1.,  1.,  1., -1.])
        """
        w = self.couplings
        xp = namespace(w)
        left = xp.concat([xp.zeros_like(w[:1, :] * w[:1, :].mT), w.mT], axis=1)
        right = xp.concat([w, xp.zeros_like(w[:, :1] * w[:, :1].mT)], axis=1)
        patterns = xp.concat([self.backward.patterns, self.forward.patterns], axis=1)
        return Hopfield(xp.concat([left, right], axis=0), activation=self.activation, patterns=patterns)

    @public
    def answer(self, cues: Cues) -> Array:
        """y = sgn(W x): the right state that a left state recalls, `(n, dim_right)`; 0 where its field is 0."""
        return self._answer_to(cues)

    def _why_not(self, capability: str) -> str:
        reasons = {
            "mask": NO_PATTERNS,
            "single-neuron updates": "a bidirectional memory turns a whole side at once",
            "continuous time": "the field of a bidirectional memory jumps",
        }
        return reasons.get(capability) or super()._why_not(capability)

    def _fit(self, axes: Collection[str]) -> Fit:
        return self.forward._fit(axes)

    def _field_at(self, x: Array, mask: Any) -> Array:
        return self.backward._field_at(self._answer_to(x), mask)

    def _energy_at(self, x: Array, mask: Any) -> Array:
        fields = self.forward._field_at(x, mask)
        return as_array(self.activation.conjugate(x) - self.activation.potential(fields))

    def _answer_to(self, x: Array) -> Array:
        return as_array(self.activation(self.forward._field_at(x, None)))
