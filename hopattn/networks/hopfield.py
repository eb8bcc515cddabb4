"""The classical network: neurons coupled to one another by a square matrix.

h = W x + b          x⁺ = ∇Φ(h)          E(x) = Φ*(x) − ½ xᵀW x − bᵀx
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.single_neuron import CoupledNeurons, CoupledSpins, Overlaps, are_spins
from hopattn.foundation.arrays import as_float, namespace, require_dim, require_finite
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.in_range import in_range, no_nan
from hopattn.foundation.threads import blocks
from hopattn.foundation.vectors import largest_entries, nonzero
from hopattn.networks.learning import hebb
from hopattn.retrieval.activation import Activation, activations

BLOCK = 512
"""The number of rows of the couplings in one product; threads that share small products wait for one another."""


@dataclass(frozen=True, eq=False, init=False)
class Hopfield(AssociativeMemory):
    """N neurons and their couplings; the same protocol as `Memory`, from a square matrix.

    couplings: `(N, N)`, W[i, j] from neuron j to neuron i; bias: a number or `(N,)`. activation: a name or an object.
    patterns: `(n_patterns, N)`, the patterns that recalled states are compared with, or None. Couplings that are whole
    numbers over N, as Hebb's rule gives them for ±1 patterns, are summed as whole numbers and scaled after the sum, so
    that a tie is a tie. overlaps: None, or from `by_hebb` the few patterns that the sums over spins come from. Raises
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
    counts: np.ndarray
    scale: float
    bias: np.ndarray
    activation: Activation
    patterns: np.ndarray
    overlaps: Overlaps | None

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
            told = f"couplings: expected a square matrix (N, N), not shape {tuple(matrix.shape)}"
            raise InvalidInput(f"{told}; `ha.memories.hopfield(patterns)` makes the couplings of patterns")
        require_finite(matrix, "couplings")
        n = len(matrix)
        own_bias = as_float(bias, "bias")
        if not isinstance(bias, np.ndarray):  # a number or a list has no dtype of its own
            own_bias = own_bias.astype(matrix.dtype)
        require_finite(own_bias, "bias")
        if own_bias.shape not in ((), (n,)):
            raise InvalidInput(f"bias: shape {own_bias.shape} does not fit {n} neurons")
        known = known_patterns(patterns, matrix, "couplings")
        counts, scale = whole_over(matrix, n)
        object.__setattr__(self, "couplings", matrix)
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "bias", np.broadcast_to(own_bias, (n,)))
        object.__setattr__(self, "activation", activations.make(activation))
        object.__setattr__(self, "patterns", known)
        object.__setattr__(self, "overlaps", None)

    @classmethod
    def by_hebb(
        cls,
        patterns: np.ndarray,
        self_coupling: bool = False,
        activation: str | Activation = "sign",
        bias: ArrayLike = 0.0,
    ) -> Self:
        """The network whose couplings Hebb's rule learns from patterns `(n_patterns, N)` of ±1.

        Its sums over spins are taken over the patterns where these are few, with the same result.
        """
        network = cls(hebb(patterns, self_coupling), bias=bias, activation=activation, patterns=patterns)
        if network.scale != 1:
            object.__setattr__(network, "overlaps", Overlaps.of(patterns, self_coupling))
        return network

    def __repr__(self) -> str:
        return f"Hopfield({len(self.couplings)} neurons, {self.activation!r}, {len(self.patterns)} patterns)"

    @in_range
    def field(self, cues: ArrayLike, mask: Any = None) -> np.ndarray:
        """h = W x + b: `(n, N)` for states `(n, N)`, `(N,)` for one. There are no patterns to mask."""
        x = self._states(cues, mask)
        if self.overlaps is not None and are_spins(x):
            sums = self.overlaps.sums(x).astype(np.result_type(x, self.counts))
        else:
            sums = x @ self.counts.T
        return np.asarray(self.scale * sums + self.bias)

    @in_range
    def step(self, cues: ArrayLike, mask: Any = None) -> np.ndarray:
        """x⁺ = ∇Φ(W x + b), all neurons at once."""
        states = self._states(cues, mask)
        return np.asarray(self.activation(self.field(states), states))

    @no_nan
    def energy(self, states: ArrayLike, mask: Any = None) -> np.ndarray:
        """E(x) = Φ*(x) − ½ xᵀW x − bᵀx, `(n,)`; raises `InvalidInput` where the couplings are not symmetric."""
        if reason := self.why_no_energy:
            raise InvalidInput(f"energy: {reason}")
        x = self._states(states, mask)
        biased = x @ np.ascontiguousarray(self.bias)  # one number for all neurons would be a slow product
        return np.asarray(self.activation.conjugate(x) - 0.5 * self.scale * self._pairs(x) - biased)

    def _pairs(self, x: np.ndarray) -> np.ndarray:
        """xᵀW x, without the scale, by blocks. As W is symmetric, each pair of neurons is computed once and doubled."""
        total = np.zeros(x.shape[:-1], dtype=np.result_type(x, self.counts))
        if self.overlaps is not None and are_spins(x):
            return self.overlaps.pairs(x).astype(total.dtype)
        light = self._light if are_spins(x) else None
        counts, states = (self.counts, x) if light is None else (light, x.astype(light.dtype))
        for block in blocks(len(counts), BLOCK):
            rows, own = counts[block, block.start :], states[..., block]
            above, among = states[..., block.stop :] @ rows[:, len(rows) :].T, own @ rows[:, : len(rows)]
            total += np.sum((2 * above.astype(total.dtype) + among) * own, axis=-1)
        return total

    @cached_property
    def _light(self) -> np.ndarray | None:
        """The counts in single precision, or None.

        They exist if the counts are whole numbers and no sum of them reaches 2²⁴: sums over spins are then exact in
        single precision, and take half the time.
        """
        most = max(self.counts.max(), -self.counts.min())
        return self.counts.astype(np.float32) if self.scale != 1 and most * len(self.counts) < 2**24 else None

    @property
    def why_no_energy(self) -> str:
        return "" if self._symmetric else "the couplings are not symmetric"

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
    def why_not_convex(self) -> str:
        if self._convex:
            return ""
        return "the couplings have a negative eigenvalue, so that all neurons at once may run into a cycle of two"

    @cached_property
    def _convex(self) -> bool:
        """Whether W has no eigenvalue below 0 by more than rounding.

        S W S has none for the same W, whatever the diagonal S > 0 is. The S that makes the diagonal 1 judges each
        neuron by its own couplings: large ones elsewhere hide nothing. Without a self-coupling, a neuron must have no
        coupling at all.
        """
        matrix = self.counts.astype(float)
        own = np.diagonal(matrix)
        if np.any(own < 0) or np.any(matrix[own == 0]):
            return False
        sides = 1 / np.sqrt(nonzero(own))
        least = np.linalg.eigvalsh(matrix * sides * sides[:, None])[0]
        return bool(least >= -4 * len(matrix) * float(np.finfo(self.couplings.dtype).eps))

    def single_neuron_states(self, states: np.ndarray, mask: np.ndarray | None = None) -> CoupledSpins:
        """A batch of states whose neurons are updated one at a time."""
        x, light = self._states(states, mask), None if self.overlaps is not None else self._light
        if self.activation.discrete and self.activation.silent == 0:
            return CoupledNeurons(x, self.counts, self.scale, self.bias)
        return CoupledSpins(x, self.counts, self.scale, self.bias, light, self.overlaps)

    @property
    def why_not_convex_in_each_neuron(self) -> str:
        return "a neuron has a negative self-coupling" if np.any(np.diagonal(self.couplings) < 0) else ""

    @property
    def curvature(self) -> float:
        """The least λ for which ½ xᵀW x + ½λ|x|² is convex: minus the lowest eigenvalue of W, or 0."""
        return float("inf") if self.why_no_energy else self._inertia

    @cached_property
    def _inertia(self) -> float:
        """The curvature, and the rounding of the eigenvalues."""
        if self._convex:
            return 0.0
        eigenvalues = np.linalg.eigvalsh(self.couplings.astype(float))
        rounding = 4 * len(eigenvalues) * float(np.finfo(float).eps) * np.abs(eigenvalues).max()
        return float(max(-eigenvalues[0], 0.0) + rounding)

    def _states(self, states: ArrayLike, mask: Any = None) -> np.ndarray:
        if mask is not None:
            raise InvalidInput("mask: a network of couplings has no patterns to mask")
        x = as_float(states, "cues")
        require_dim(x, len(self.couplings), "cues", "couplings")
        return np.asarray(x)


def numpy_only(values: Any, what: str) -> np.ndarray:
    """The values as a NumPy array of floating-point numbers; raises `InvalidInput` for arrays of other libraries."""
    array = as_float(values, what)
    if namespace(array) is not np:
        raise InvalidInput(f"{what}: networks of couplings run on NumPy arrays; convert them with numpy.asarray")
    return np.asarray(array)


def known_patterns(patterns: Any, couplings: np.ndarray, other: str) -> np.ndarray:
    """The patterns that states are compared with, `(n_patterns, dim)`, checked; dim is the number of couplings' rows.

    Where `patterns` is None there are no rows, in the dtype of the couplings, so that they do not widen a recall.
    """
    dim = len(couplings)
    if patterns is None:
        return np.zeros((0, dim), dtype=couplings.dtype)
    known = numpy_only(patterns, "patterns")
    if known.ndim != 2:
        raise InvalidInput(f"patterns: expected (n_patterns, {dim}), not shape {known.shape}")
    require_dim(known, dim, "patterns", other)
    require_finite(known, "patterns")
    return known


def whole_over(matrix: np.ndarray, n: int) -> tuple[np.ndarray, float]:
    """The matrix as (counts, scale): whole numbers and 1/n if it is that up to rounding, else the matrix and 1."""
    counts, eps = np.empty_like(matrix), 4 * np.finfo(matrix.dtype).eps
    for rows in blocks(len(matrix), 64):  # so that the rows stay in the cache
        several = n * matrix[rows]
        np.rint(several, out=counts[rows])
        several -= counts[rows]
        if not np.all(np.abs(several, out=several) <= eps * np.abs(counts[rows])):
            return matrix, 1.0
    return counts, 1 / n
