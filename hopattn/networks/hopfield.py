"""The classical network: neurons coupled to each other by a square matrix.

h = W x + b          x⁺ = ∇Φ(h)          E(x) = Φ*(x) − ½ xᵀW x − bᵀx
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.single_neuron import CoupledSpins, Sums
from hopattn.dynamics.updates.base import Update
from hopattn.dynamics.updates.continuous_time import Graded
from hopattn.foundation.arrays import as_float, require_dim, require_finite
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.in_range import in_range, no_nan
from hopattn.foundation.threads import blocks
from hopattn.foundation.vectors import largest_entries, nonzero
from hopattn.networks.learning import hebb
from hopattn.retrieval.activation import Activation, Tanh, activations

BLOCK = 512
"""The number of rows of the couplings that are compared at a time with their columns."""


class Network(AssociativeMemory):
    """The base of networks of couplings: the sums over the couplings, the activation, the patterns, no mask."""

    couplings: np.ndarray
    sums: Sums
    activation: Activation
    patterns: np.ndarray

    def _set(self, couplings: np.ndarray, activation: str | Activation, patterns: Any) -> None:
        known = np.zeros((0, len(couplings)), dtype=couplings.dtype)  # in its dtype, so that a recall is not widened
        if patterns is not None:
            known = numpy_only(patterns, "patterns")
            if known.ndim != 2:
                raise InvalidInput(f"patterns: expected (n_patterns, {len(couplings)}), not shape {known.shape}")
            require_dim(known, len(couplings), "patterns", "couplings")
            require_finite(known, "patterns")
        object.__setattr__(self, "couplings", couplings)
        object.__setattr__(self, "sums", Sums.over(couplings))
        object.__setattr__(self, "activation", activations.make(activation))
        object.__setattr__(self, "patterns", known)

    def _states(self, states: ArrayLike, mask: Any) -> np.ndarray:
        """The states as an array; raises `InvalidInput` for another dim, and for a mask."""
        require_no_mask(mask)
        x = as_float(states, "cues")
        require_dim(x, self.couplings.shape[1], "cues", "couplings")
        return np.asarray(x)


@dataclass(frozen=True, eq=False, init=False)
class Hopfield(Network):
    """N neurons and their couplings; the same protocol as `Memory`, from a square matrix.

    couplings: `(N, N)`, W[i, j] from neuron j to neuron i; bias: a number or `(N,)`. activation: a name or an object.
    patterns: `(n_patterns, N)`, the patterns that recalled states are compared with, or None. Couplings that are whole
    numbers over N, as Hebb's rule gives them for ±1 patterns, are summed so that a tie is a tie (`Sums`). A recall
    that names no update takes one neuron after another, or graded neurons (tanh) in continuous time. Raises
    `InvalidInput` for couplings that are not square and finite, a bias or patterns that do not fit, and a mistyped
    activation. Source: Hopfield (1982), PNAS 79, 2554; Hopfield (1984), PNAS 81, 3088 (their T is our W, their I our
    b).

    >>> import hopattn as ha
    >>> network = ha.Hopfield(ha.learning.hebb([[1, 1, 1, 1], [1, -1, 1, -1]], self_coupling=True))
    >>> network.recall([1, 1, 1, 0]).state
    array([1., 1., 1., 1.])
    """

    file_kind: ClassVar[str] = "Hopfield"
    couplings: np.ndarray
    bias: np.ndarray
    activation: Activation
    patterns: np.ndarray

    def __init__(
        self,
        couplings: ArrayLike,
        *,
        bias: ArrayLike = 0.0,
        activation: str | Activation = "sign",
        patterns: ArrayLike | None = None,
    ) -> None:
        matrix = numpy_only(couplings, "couplings")
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
            message = f"couplings: expected a square matrix (N, N), not shape {tuple(matrix.shape)}"
            raise InvalidInput(f"{message}; `ha.memories.hopfield(patterns)` makes the couplings of patterns")
        require_finite(matrix, "couplings")
        own_bias = as_float(bias, "bias")
        own_bias = own_bias if isinstance(bias, np.ndarray) else own_bias.astype(matrix.dtype)
        require_finite(own_bias, "bias")
        if own_bias.shape not in ((), (len(matrix),)):
            raise InvalidInput(f"bias: shape {own_bias.shape} does not fit {len(matrix)} neurons")
        object.__setattr__(self, "bias", np.broadcast_to(own_bias, (len(matrix),)))
        self._set(matrix, activation, patterns)

    @classmethod
    def by_hebb(
        cls,
        patterns: ArrayLike,
        self_coupling: bool = False,
        activation: str | Activation = "sign",
        bias: ArrayLike = 0.0,
    ) -> Self:
        """The network whose couplings Hebb's rule learns from patterns `(n_patterns, N)`.

        Its sums over spins are taken over the patterns where these are few and of ±1, with the same result.
        """
        couplings = hebb(patterns, self_coupling)
        network = cls(couplings, bias=bias, activation=activation, patterns=patterns)
        object.__setattr__(network, "sums", network.sums.by_patterns(network.patterns, self_coupling))
        return network

    def __repr__(self) -> str:
        return f"Hopfield({len(self.couplings)} neurons, {self.activation!r}, {len(self.patterns)} patterns)"

    @in_range
    def field(self, cues: ArrayLike, mask: Any = None) -> np.ndarray:
        """h = W x + b: `(n, N)` for states `(n, N)`, `(N,)` for one. There are no patterns to mask."""
        return np.asarray(self.sums.of(self._states(cues, mask)) + self.bias)

    @in_range
    def step(self, cues: ArrayLike, mask: Any = None) -> np.ndarray:
        """x⁺ = ∇Φ(W x + b), all neurons at once."""
        states = self._states(cues, mask)
        return np.asarray(self.activation(self.field(states), states))

    @no_nan
    def energy(self, states: ArrayLike, mask: Any = None) -> np.ndarray:
        """E(x) = Φ*(x) − ½ xᵀW x − bᵀx, `(n,)`; raises `InvalidInput` where the couplings are not symmetric."""
        self.require_energy()
        x = self._states(states, mask)
        biased = x @ np.ascontiguousarray(self.bias)  # one number for all neurons would be a slow product
        return np.asarray(self.activation.conjugate(x) - 0.5 * self.sums.pairs(x) - biased)

    def single_neuron_states(self, states: np.ndarray, mask: np.ndarray | None = None) -> CoupledSpins:
        """A batch of states whose neurons are updated one at a time."""
        of_0_and_1 = self.activation.discrete and self.activation.silent == 0
        return CoupledSpins(self._states(states, mask), self.sums, self.bias, of_0_and_1)

    @property
    def own_update(self) -> Update:
        return Graded() if isinstance(self.activation, Tanh) else super().own_update

    @cached_property
    def lacks(self) -> Mapping[str, str]:
        """The capabilities that it lacks; that of a convex potential is `curvature`, which takes the eigenvalues."""
        reasons = {} if self._symmetric else {"energy": "the couplings are not symmetric"}
        if np.any(np.diagonal(self.couplings) < 0):
            reasons["convexity of a neuron"] = "a neuron has a negative self-coupling"
        return reasons

    @cached_property
    def _symmetric(self) -> bool:
        """Whether W equals Wᵀ up to rounding: |W_ij − W_ji| ≤ 4 ε √N |W| for the largest |W| of row i and of row j.

        That is about the rounding of a field. In blocks, because reading a whole transposed matrix is slow.
        """
        matrix = self.couplings
        largest = 4 * float(np.finfo(matrix.dtype).eps) * len(matrix) ** 0.5 * largest_entries(matrix)
        for block in blocks(len(matrix), BLOCK):
            uneven = np.abs(matrix[block, block.start :] - matrix[block.start :, block].T)
            if uneven.any() and np.any(uneven > np.minimum(largest[block, None], largest[block.start :])):
                return False
        return True

    @property
    def curvature(self) -> float:
        """The least λ for which ½ xᵀW x + ½λ|x|² is convex: minus the lowest eigenvalue of W, or 0."""
        return float("inf") if "energy" in self.lacks else self._inertia

    @cached_property
    def _inertia(self) -> float:
        """The curvature, and the rounding of the eigenvalues; 0 if W has none below 0 by more than rounding.

        S W S has none for the same W, whatever the diagonal S > 0 is. The S that makes the diagonal 1 judges each
        neuron by its own couplings: large ones elsewhere hide nothing. Without a self-coupling, a neuron must have no
        coupling at all.
        """
        matrix, eps = self.sums.counts.astype(float), float(np.finfo(float).eps)
        own = np.diagonal(matrix)
        if np.all(own >= 0) and not np.any(matrix[own == 0]):
            sides = 1 / np.sqrt(nonzero(own))
            least = np.linalg.eigvalsh(matrix * sides * sides[:, None])[0]
            if least >= -4 * len(matrix) * float(np.finfo(self.couplings.dtype).eps):
                return 0.0
        eigenvalues = np.linalg.eigvalsh(self.couplings.astype(float))
        return float(max(-eigenvalues[0], 0.0) + 4 * len(matrix) * eps * np.abs(eigenvalues).max())


def numpy_only(values: Any, what: str) -> np.ndarray:
    """The values as a NumPy array of floating-point numbers; raises `InvalidInput` for arrays of other libraries."""
    array = as_float(values, what)
    if isinstance(array, np.ndarray):
        return array
    kind = type(array).__module__.partition(".")[0]
    cure = "give np.asarray(x), or keep the library with `ha.Memory(K, separation=…)`"
    raise InvalidInput(f"{what}: couplings are computed with NumPy, and this is an array of {kind}; {cure}")


def require_no_mask(mask: Any) -> None:
    """Raise `InvalidInput` for a mask: couplings are not patterns."""
    if mask is not None:
        raise InvalidInput("mask: a network of couplings has no patterns to mask")
