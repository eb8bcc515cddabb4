"""The associator: one matrix of couplings from the neurons of one side to those of another.

y = ∇Φ(W x)
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.single_neuron import CoupledSpins
from hopattn.foundation.arrays import as_float, require_dim, require_finite
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.in_range import in_range
from hopattn.networks.hopfield import known_patterns, numpy_only, whole_over
from hopattn.retrieval.activation import Activation, activations


@dataclass(frozen=True, eq=False, init=False)
class Associator(AssociativeMemory):
    """Hetero-association by one matrix of couplings, with the protocol of `Memory`.

    couplings: `(dim_out, dim)`, W[i, j] from neuron j to neuron i. activation: a name or an object. patterns:
    `(n_patterns, dim_out)`, the patterns that answers are compared with, or None. counts, scale: couplings = scale ·
    counts; couplings that are whole numbers divided by dim are summed as whole numbers, so that ties are exact.

    `step` gives the answer to a cue. `recall` gives the answer with its record; if dim_out = dim, each answer is the
    next cue. Raises `InvalidInput` for couplings that are not a finite matrix, patterns that do not fit, and an unknown
    activation. Source: Kosko (1988), IEEE Trans. SMC 18, 49; LING3804 Lecture Notes 7, 7.1 (the definition of p_i).

    >>> import hopattn as ha
    >>> ha.Associator([[0.5, 0.5], [0.5, -0.5], [1, 0]], activation="sign").step([1, -1])
    array([0., 1., 1.])
    """

    file_kind: ClassVar[str] = "Associator"
    couplings: np.ndarray
    counts: np.ndarray
    scale: float
    activation: Activation
    patterns: np.ndarray

    def __init__(
        self, couplings: ArrayLike, *, activation: str | Activation = "identity", patterns: ArrayLike | None = None
    ) -> None:
        matrix = numpy_only(couplings, "couplings")
        if matrix.ndim != 2 or not matrix.size:
            raise InvalidInput(f"couplings: expected a matrix (dim_out, dim), not shape {tuple(matrix.shape)}")
        require_finite(matrix, "couplings")
        reference = known_patterns(patterns, matrix, "the couplings' answers")
        counts, scale = whole_over(matrix, matrix.shape[1])
        object.__setattr__(self, "couplings", matrix)
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "activation", activations.make(activation))
        object.__setattr__(self, "patterns", reference)

    def __repr__(self) -> str:
        n_out, n_in = self.couplings.shape
        return f"Associator({n_in} neurons to {n_out}, {self.activation!r}, {len(self.patterns)} patterns)"

    @in_range
    def field(self, cues: ArrayLike, mask: Any = None) -> np.ndarray:
        """h = W x: `(n, dim_out)` for cues `(n, dim)`, `(dim_out,)` for `(dim,)`. A mask raises `InvalidInput`."""
        return np.asarray(self.scale * (self._cues(cues, mask) @ self.counts.T))

    @in_range
    def step(self, cues: ArrayLike, mask: Any = None) -> np.ndarray:
        """y = ∇Φ(W x). A spin whose field is 0 keeps its state if dim_out = dim, and is 0 otherwise."""
        before = self._cues(cues, mask)
        return np.asarray(self.activation(self.field(before), None if self.why_no_recall else before))

    def energy(self, states: ArrayLike, mask: Any = None) -> np.ndarray:
        """Raises `InvalidInput` with `why_no_energy`."""
        raise InvalidInput(f"energy: {self.why_no_energy}")

    def single_neuron_states(self, states: np.ndarray, mask: np.ndarray | None = None) -> CoupledSpins:
        """A batch of states in which one neuron is updated at a time; it needs dim_out = dim."""
        return CoupledSpins(self._cues(states, mask), self.counts, self.scale, np.zeros(len(self.couplings)))

    @property
    def why_no_energy(self) -> str:
        """Why there is no energy."""
        return "the answer of an associator is no state of its cue"

    @property
    def why_no_recall(self) -> str:
        """Why an answer cannot be a cue, or an empty string where it can."""
        n_out, n_in = self.couplings.shape
        return "" if n_out == n_in else f"answers of dim {n_out} are no cues of dim {n_in}"

    @property
    def why_not_convex(self) -> str:
        """Why there is no convex potential: there is none at all."""
        return self.why_no_energy

    @property
    def why_no_single_neuron_updates(self) -> str:
        """Why its neurons cannot be updated one at a time, or an empty string where they can."""
        return self.why_no_recall

    @property
    def why_no_continuous_time(self) -> str:
        """Why its field cannot be followed in continuous time, or an empty string where it can."""
        return self.why_no_recall

    def _cues(self, cues: ArrayLike, mask: Any = None) -> np.ndarray:
        if mask is not None:
            raise InvalidInput("mask: an associator has no patterns to mask")
        x = as_float(cues, "cues")
        require_dim(x, self.couplings.shape[1], "cues", "couplings")
        return np.asarray(x)
