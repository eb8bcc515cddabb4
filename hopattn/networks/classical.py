"""The classical network: neurons coupled to each other by a square matrix.

h = W x + b          x⁺ = ∇Φ(h)          E(x) = Φ*(x) − ½ xᵀW x − bᵀx
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.updates.base import Update
from hopattn.dynamics.updates.continuous_time import Graded
from hopattn.foundation.arrays import (
    Array,
    as_array,
    as_float,
    in_numbers_of,
    namespace,
    narrowed,
    on_host,
    require_finite,
    require_fitting,
)
from hopattn.foundation.boundary import Of, Real, public
from hopattn.foundation.errors import InvalidInput, quoted, reject_unknown
from hopattn.foundation.threads import blocks
from hopattn.foundation.traces import known_true
from hopattn.foundation.vectors import largest_entries, nonzero
from hopattn.learning import hebb
from hopattn.networks.couplings import CoupledSpins, CouplingSums
from hopattn.retrieval.activation import Activation, Tanh, activations

ROWS_COMPARED = 512
"""The number of rows of the couplings that are compared at a time with their columns."""
SPINS = {"01": "step", "±1": "sign"}
"""The activation of spins by their two values."""
NO_PATTERNS = "a network of couplings has no patterns to mask"


class Coupled(AssociativeMemory):
    """The base of networks of couplings: the sums over the couplings, the activation, the patterns, no mask."""

    couplings: Annotated[Array, Of("dim_out dim")]
    sums: CouplingSums
    activation: Activation
    patterns: Array

    def _set(self, couplings: Array, activation: str | Activation, patterns: Any, rounding: Any = 0.0) -> None:
        object.__setattr__(self, "couplings", couplings)
        n_out = couplings.shape[0]
        rows = couplings.mT[:0, :]  # of its library and dtype, so that a recall is not widened
        if patterns is not None:
            fit = self._fit({"dim_out"})
            rows = as_float(patterns, "patterns", like=couplings)
            if tuple(rows.shape) != (0, n_out):
                fit(rows, "patterns", Of("n_patterns dim_out", finite=True))
        object.__setattr__(self, "sums", CouplingSums.over(couplings, rounding))
        object.__setattr__(self, "activation", activations.make(activation))
        object.__setattr__(self, "patterns", rows)

    def _sum_of(self, x: Array, bias: Any) -> Array:
        """h = W x + b, `(…, dim_out)` for states `(…, dim)`; of neurons that jump, 0 where it is only rounding."""
        field = as_array(self.sums.tied(x, bias) if self.activation.discrete else self.sums.of(x) + bias)
        return narrowed(field, x, self.couplings)

    @property
    def dim(self) -> int:
        return int(self.couplings.shape[-1])

    def _why_not(self, capability: str) -> str:
        return NO_PATTERNS if capability == "mask" else super()._why_not(capability)


@dataclass(frozen=True, eq=False, init=False)
class Hopfield(Coupled):
    """N neurons and their couplings; the same protocol as `Memory`, from a square matrix.

        h = W x + b          x⁺ = ∇Φ(h)          E(x) = Φ*(x) − ½ xᵀW x − bᵀx, for symmetric couplings

    Parameters
    ----------
    couplings : (N, N)
        W[i, j] from neuron j to neuron i
    bias : a number or `(N,)`.
    activation : a name or an object.
    patterns : (n_patterns, N)
        the patterns that recalled states are compared with, or None.
    rounding
        Σ_j δW_ij, the error of each row of couplings beyond that, 0 or more, `(N,)` or a number; `ha.memories.hopfield`
        gives that of its rule.
    offset
        what `from_quadratic` leaves out of the energy: E(x) + offset is the objective.

    Raises
    ------
    InvalidInput
        for couplings that are not square and finite, a bias, patterns or a rounding that do not fit, a mistyped
        activation, and an offset that is not a finite number.

    Notes
    -----
    A recall that names no update takes one neuron after another, or graded neurons (tanh) in continuous time.

    A spin keeps its value where its field is 0, and a field counts as 0 where it is no larger than its rounding.
    Numbers as a person writes them are exact up to their last digit.

    Source: Hopfield (1982), PNAS 79, 2554; Hopfield (1984), PNAS 81, 3088 (their T is our W, their I our b).

    Examples
    --------
    >>> import hopattn as ha
    >>> network = ha.Hopfield(ha.learning.hebb([[1, 1, 1, 1], [1, -1, 1, -1]], self_coupling=True))
    >>> network.recall([1, 1, 1, 0]).state
    array([1., 1., 1., 1.])
    """

    _file_kind: ClassVar[str] = "Hopfield"
    couplings: Array
    bias: Array
    activation: Activation
    patterns: Array
    rounding: Any
    offset: float

    @public
    def __init__(
        self,
        couplings: Array,
        *,
        bias: Array = 0.0,
        activation: str | Activation = "sign",
        patterns: Array = None,
        rounding: Any = 0.0,
        offset: Real = 0.0,
    ) -> None:
        matrix = _square(couplings, "couplings", "; `ha.memories.hopfield(patterns)` makes the couplings of patterns")
        object.__setattr__(self, "bias", _of_neurons(bias, "bias", matrix))
        error = _of_neurons(rounding, "rounding", matrix)
        if known_true(namespace(matrix).any(error < 0)):
            raise InvalidInput("rounding: expected numbers of 0 or more, Σ_j δW_ij of each row of the couplings")
        object.__setattr__(self, "rounding", error)
        object.__setattr__(self, "offset", float(offset))
        self._set(matrix, activation, patterns, error)

    @classmethod
    def by_hebb(
        cls, patterns: Array, *, self_coupling: bool = False, activation: str | Activation = "sign", bias: Array = 0.0
    ) -> Self:
        """The network whose couplings Hebb's rule learns from patterns `(n_patterns, N)`.

        Its sums over spins are taken over the patterns where these are few and of ±1, with the same result.
        """
        couplings = hebb(patterns, self_coupling=self_coupling)
        network = cls(couplings, bias=bias, activation=activation, patterns=patterns)
        object.__setattr__(network, "sums", network.sums.by_patterns(network.patterns, self_coupling))
        return network

    @classmethod
    def from_quadratic(
        cls,
        Q: Array,  # noqa: N803
        c: Array = 0.0,
        *,
        constant: Real = 0.0,
        states: str = "01",
        activation: str | Activation | None = None,
    ) -> Self:
        """The network that minimises ½ xᵀQ x + cᵀx + constant: its energy + `offset` is this of every state x.

            W = −½ (Q + Qᵀ)          b = −c

        The energy of spins counts no neuron's coupling to itself, so that W has no diagonal. Neurons of 0 and 1 have
        x_i² = x_i, and b_i = −c_i − ½ Q_ii; those of ±1 have x_i² = 1, and the offset has ½ Σ_i Q_ii more.

        Parameters
        ----------
        Q : (N, N)
            only its symmetric part counts.
        c : a number or `(N,)`.
        constant : it moves no minimum.
        states : "01" or "±1".
        activation
            graded neurons between these two values, such as `ha.activations.make("logistic", beta=100)`. Then x_i² is
            no other term, W keeps its diagonal, and the energy has the activation's Φ*(x) more than the objective.

        Raises
        ------
        InvalidInput
            for a Q that is not square and finite, a c that does not fit, other states, and an activation of spins.

        Notes
        -----
        Source: Hopfield & Tank (1985), Biol. Cybern. 52, 141 (their V is our x, their T our W, their I our b).

        Examples
        --------
        >>> import hopattn as ha
        >>> network = ha.Hopfield.from_quadratic([[2, 4], [0, 2]], [-2, -3])
        >>> network.couplings.tolist(), network.bias.tolist()
        ([[0.0, -2.0], [-2.0, 0.0]], [1.0, 2.0])
        >>> network.recall([1, 1]).state.tolist(), float(network.energy([0, 1])) + network.offset
        ([0.0, 1.0], -2.0)
        """
        reject_unknown("states", [states], SPINS)
        matrix = _square(Q, "Q")
        xp, b = namespace(matrix), 0 - _of_neurons(c, "c", matrix)
        couplings = -0.5 * (matrix + matrix.mT)
        if activation is not None:
            graded = activations.make(activation)
            if graded.discrete:
                raise InvalidInput(f"activation: expected graded neurons, not {quoted(activation)}; spins need none")
            return cls(couplings, bias=b, activation=graded, offset=constant)
        diagonal = xp.linalg.diagonal(matrix)
        couplings = couplings + xp.eye(len(diagonal), dtype=matrix.dtype) * diagonal
        if states == "01":
            return cls(couplings, bias=b - 0.5 * diagonal, activation=SPINS[states], offset=constant)
        return cls(couplings, bias=b, activation=SPINS[states], offset=constant + 0.5 * float(xp.sum(diagonal)))

    def __repr__(self) -> str:
        return f"Hopfield({self.couplings.shape[0]} neurons, {self.activation!r}, {self.patterns.shape[0]} patterns)"

    def _field_at(self, x: Array, mask: Any) -> Array:
        return self._sum_of(x, self.bias)

    def _energy_at(self, x: Array, mask: Any) -> Array:
        of_numpy = isinstance(self.bias, np.ndarray)
        bx = x @ (np.ascontiguousarray(self.bias) if of_numpy else self.bias)  # of strides 0 it would be slow
        return as_array(self.activation.conjugate(x) - 0.5 * self.sums.pairs(x) - bx)

    def _single_neuron_states(self, states: np.ndarray, mask: np.ndarray | None = None) -> CoupledSpins:
        """A batch of states whose neurons are updated one at a time."""
        of_0_and_1 = self.activation.discrete and self.activation.silent == 0
        return CoupledSpins(states, self.sums, self.bias, of_0_and_1)

    @property
    def default_update(self) -> Update:
        return Graded() if isinstance(self.activation, Tanh) else super().default_update

    def _why_not(self, capability: str) -> str:
        """As of `Memory`; for a convex potential there is `curvature`, which takes the eigenvalues."""
        if capability == "energy":
            return "" if self._symmetric else "the couplings are not symmetric"
        if capability == "convexity of a neuron" and self._inhibits_itself:
            return "a neuron has a negative self-coupling"
        return super()._why_not(capability)

    @cached_property
    def _inhibits_itself(self) -> bool:
        """Whether a neuron has a negative self-coupling."""
        xp = namespace(self.couplings)
        return known_true(xp.any(xp.linalg.diagonal(self.couplings) < 0))

    @cached_property
    def _symmetric(self) -> bool:
        """Whether W equals Wᵀ up to rounding: |W_ij − W_ji| ≤ 4 ε √N |W| for the largest |W| of row i and of row j.

        That is about the rounding of a field. In blocks, because reading a whole transposed matrix is slow.
        """
        matrix = self.couplings
        xp, n = namespace(matrix), int(matrix.shape[0])
        largest = 4 * float(xp.finfo(matrix.dtype).eps) * n**0.5 * largest_entries(matrix)
        for block in blocks(n, ROWS_COMPARED):
            difference = xp.abs(matrix[block, block.start :] - matrix[block.start :, block].mT)
            if not known_true(xp.any(difference != 0)):
                continue
            if known_true(xp.any(difference > xp.minimum(largest[block, None], largest[None, block.start :]))):
                return False
        return True

    @property
    def _curvature(self) -> float:
        """The least λ for which ½ xᵀW x + ½λ|x|² is convex: minus the lowest eigenvalue of W, or 0."""
        return float("inf") if self.why_not("energy") else self._inertia

    @cached_property
    def _inertia(self) -> float:
        """The curvature, and the rounding of the eigenvalues; 0 if W has none below 0 by more than rounding.

        S W S has none for the same W, whatever the diagonal S > 0 is. The S that makes the diagonal 1 judges each
        neuron by its own couplings: large ones elsewhere hide nothing. Without a self-coupling, a neuron must have no
        coupling at all.
        """
        matrix, couplings = on_host(self.sums.counts).astype(float), on_host(self.couplings)
        eps = float(np.finfo(couplings.dtype).eps)
        diagonal = np.diagonal(matrix)
        if np.all(diagonal >= 0) and not np.any(matrix[diagonal == 0]):
            sides = 1 / np.sqrt(nonzero(diagonal))
            least = np.linalg.eigvalsh(matrix * sides * sides[:, None])[0]
            if least >= -4 * len(matrix) * eps:
                return 0.0
        eigenvalues = np.linalg.eigvalsh(couplings.astype(float))
        return float(max(-eigenvalues[0], 0.0) + 4 * len(matrix) * eps * np.abs(eigenvalues).max())


def _square(value: Any, what: str, advice: str = "") -> Array:
    """A finite square matrix `(N, N)`; advice: the end of the message for another shape."""
    matrix = as_float(value, what)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or 0 in matrix.shape:
        raise InvalidInput(f"{what}: expected a square matrix (N, N), not shape {tuple(matrix.shape)}{advice}")
    require_finite(matrix, what)
    return matrix


def _of_neurons(value: Any, what: str, couplings: Array) -> Array:
    """A number, or one for each neuron, as `(N,)` in the library of the couplings."""
    n, numbers = int(couplings.shape[0]), as_float(value, what, like=couplings)
    numbers = numbers if isinstance(value, np.ndarray) else in_numbers_of(couplings, numbers)
    require_finite(numbers, what)
    if tuple(numbers.shape) not in ((), (n,)):
        raise InvalidInput(f"{what}: shape {tuple(numbers.shape)} does not fit {n} neurons")
    require_fitting(numbers, couplings, what, "couplings")
    return namespace(couplings).broadcast_to(numbers, (n,))
