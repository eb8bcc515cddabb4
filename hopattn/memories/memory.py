"""Memory: keys, values, and a step with a similarity, a separation and an activation.

s = sim(K, x)          p = ∇Ψ(s)          h = Vᵀ p          x⁺ = ∇Φ(h)          E(x) = Φ*(x) − Ψ(K x)

`Step` of `retrieval/step.py` computes all of it.
"""

import os
from abc import abstractmethod
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Unpack

import numpy as np

from hopattn.dynamics.likeness import ReferencePatterns
from hopattn.dynamics.recall import AssociativeMemory, Cues, mean_size
from hopattn.dynamics.single_neuron import StoredSpins
from hopattn.foundation.array_files import named, vectors_in
from hopattn.foundation.arrays import (
    Array,
    Mask,
    Vectors,
    entries,
    namespace,
    require_one_device,
    stored_rows,
)
from hopattn.foundation.boundary import Of, finite, public
from hopattn.foundation.checks import flag, path_of
from hopattn.foundation.errors import InvalidInput, in_file, quoted
from hopattn.foundation.threads import blocks
from hopattn.foundation.traces import requires_grad
from hopattn.foundation.vectors import largest_entries, largest_entry
from hopattn.retrieval.activation import Activation
from hopattn.retrieval.blockwise import SCORES_HELD
from hopattn.retrieval.free_energies import FreeEnergy
from hopattn.retrieval.masks import MaskRule, NoMask, as_mask, like, require_on_scores, rows_taken
from hopattn.retrieval.separation import single_numbers
from hopattn.retrieval.separation.base import Separation, Weights
from hopattn.retrieval.similarity import Similarity
from hopattn.retrieval.step import Step, StepParts

PARTS = "similarity", "separation", "activation", "same_neurons"
"""The arguments of a `Memory` beside its arrays."""
Stored = Vectors | os.PathLike[str]
"""Vectors to store, or the path of the file that holds them."""
NOT_ALONE = (
    "neurons of 0 and 1 are updated one at a time only in a network of couplings, as ha.memories.hopfield gives it"
)


class KeyValueMemory(AssociativeMemory):
    """A memory of keys and values, wherever they lie: what it lacks, and what follows from its step.

    retrieval: one step of the memory, from cues to states, with its similarity, separation and activation.
    """

    keys: Any
    values: Any
    similarity: Similarity
    separation: Separation
    activation: Activation
    retrieval: Step
    same_neurons: bool

    @property
    def dim(self) -> int:
        return self.dims[0]

    @property
    def beta(self) -> float:
        """The inverse temperature, that of the separation."""
        return self.separation.beta

    @property
    def _cure(self) -> str:
        return self.separation.cure

    @property
    def _reference(self) -> ReferencePatterns:
        return ReferencePatterns(self.patterns, self.activation, self.similarity.distance)

    @property
    @abstractmethod
    def _value_sizes(self) -> Array:
        """The largest |entry| of each value, `(n_patterns,)`."""

    @public
    def scores(self, cues: Cues) -> Array:
        """s = sim(K, x): `(n_cues, n_patterns)` for cues `(n_cues, dim)`, `(n_patterns,)` for one cue."""
        return self.retrieval._scores(cues, self.keys)

    @public
    def weights(self, cues: Cues, mask: Mask = None) -> Array:
        """p = ∇Ψ(s), shaped as the scores; a masked entry has weight exactly 0."""
        return self.retrieval._weights(cues, self.keys, mask)

    @public
    def rest(self, cues: Cues, mask: Mask = None) -> Array:
        """The weight that the sink takes, `(n_cues,)`; raises `InvalidInput` for a memory without a sink."""
        return self.retrieval._rest(cues, self.keys, mask)

    @public(may_be=finite)
    def free_energy(self, cues: Cues, mask: Mask = None) -> FreeEnergy:
        """F = U − S/β of the weights, with U, S and the effective number of keys; arrays `(n_cues,)`, as `FreeEnergy`.

        F = −Ψ(s), so that a memory with an energy has E(x) = Φ*(x) + F. With an activation that uses only the direction
        of the field, the exponential separation counts as the softmax, as in the energy. Many cues of NumPy take one
        pass over blocks of keys, without a matrix of all weights. Raises `InvalidInput` with the reason where the
        weights are not a distribution.

        >>> import hopattn as ha
        >>> ha.Memory([[1.0, 0.0], [0.0, 1.0]], beta=2).free_energy([0.6, 0.4])
        FreeEnergy(1 cue, energy -0.5197, entropy 0.6735, free -0.8565, effective keys 1.961)
        """
        return self.retrieval._free_energy(cues, self.keys, mask)

    def _field_at(self, x: Array, mask: Any) -> Array:
        return self.retrieval._field(x, self.keys, self.values, mask)

    def _energy_at(self, x: Array, mask: Any) -> Array:
        return self.retrieval._answer(x, self.keys, None, mask, energy=True).energy

    def _step_at(self, x: Array, mask: Any, *, energy: bool = False) -> tuple[Array, Array | None]:
        """The step and the energy, from one pass over the keys."""
        before = x if self.same_neurons else None
        answer = self.retrieval._answer(x, self.keys, self.values, mask, state=before, energy=energy)
        return answer.state, answer.energy

    @property
    def n_patterns(self) -> int:
        return int(self.keys.shape[0])

    @property
    def autoassociative(self) -> bool:
        """Whether the values are the keys."""
        return self.values is self.keys

    @property
    def dims(self) -> tuple[int, int]:
        """The dims of the keys and of the values."""
        return int(self.keys.shape[-1]), int(self.values.shape[-1])

    def _size_read(self, states: Array, mask: Array | None = None) -> Array:
        """Σ|p||v| / Σ|p|, `(n,)`: the mean size of the values that states `(n, dim)` read; |v|: the largest |entry|."""
        rows = blocks(int(states.shape[0]), max(SCORES_HELD // self.n_patterns, 1))
        shares = (abs(self.weights(states[block, :], None if mask is None else mask[block, :])) for block in rows)
        return namespace(states).concat([mean_size(share, self._value_sizes) for share in shares])

    def _why_not(self, capability: str) -> str:
        separation, similarity, name = self.separation, self.similarity, type(self.similarity).__name__.lower()
        match capability:
            case "recall" if self.dims[0] != self.dims[1]:
                return f"values of dim {self.dims[1]} are not cues for keys of dim {self.dims[0]}; use step"
            case "energy" if not self.autoassociative:
                return "values differ from keys: the output is not a state of the same neurons"
            case "energy" if similarity.linear or (similarity.has_gradient and separation.shares):
                return separation.why_no_potential
            case "energy" if similarity.has_gradient:
                return f"with the similarity '{name}' the field is a gradient only where the weights sum to 1"
            case "energy":
                return f"the similarity '{name}' is not the dot product, so the field is not a gradient"
            case "convexity" if not separation.convex:
                return f"the potential of {quoted(separation)} is not convex"
            case "single-neuron updates" if self.activation.discrete and self.activation.silent != -1:
                return NOT_ALONE
            case "single-neuron updates":
                dot_alone = f"neurons are updated one at a time by the dot product alone, not by {quoted(similarity)}"
                return self._why_not("energy") or dot_alone * (not similarity.linear)
            case "continuous time" if separation.jumps:
                return f"the weights of {quoted(separation)} jump"
            case "convexity" | "continuous time":
                return separation.why_imprecise
        return super()._why_not(capability)


@dataclass(frozen=True, eq=False, init=False)
class Memory(KeyValueMemory):
    """An associative memory: a cue is compared with the keys, and the step returns a combination of the values.

        h = Vᵀ p          x⁺ = ∇Φ(h)          E(x) = Φ*(x) − Ψ(K x)

    With the softmax separation and the identity activation, the step is attention.

    Parameters
    ----------
    keys : (n_patterns, dim)
    values : (n_patterns, dim_out)
        or None for auto-association (values = keys). NumPy arrays of up to 64 MiB are copied; larger ones and those of
        other libraries are kept: do not change them. The path of a `.npy` or `.safetensors` file stands for its array,
        mapped into memory; that of a `.npz` or `.csv` is read.
    similarity, separation, activation : names from the registries, or objects.
    beta : the inverse temperature of a separation given by name; an object carries its own.
    sink
        the logit of a null pattern, a number that competes with β s and gives nothing, so that the weights sum to less
        than 1; 0 is softmax₁, None for none.
    patterns : (n, dim_out)
        the patterns that recalled states are compared with, the values by default.
    same_neurons
        whether the values are states of the neurons of the cue, so that a spin whose field is 0 stays as the cue has
        it; by default where the values or the patterns are the keys, as in a sequence.

    Raises
    ------
    InvalidInput
        for sets that are empty or do not fit, entries that are not finite or so large that sums of their products
        overflow, a mistyped name, a beta that is not positive, and a sink of a separation whose weights do not compete.

    Notes
    -----
    Source: Millidge et al. (2022), ICML, P · sep(sim(M, q)) (their M is our keys, P our values, q our cue); the energy:
    Krotov & Hopfield (2021), ICLR.

    Examples
    --------
    >>> import hopattn as ha
    >>> memory = ha.Memory([[1.0, 0.0], [0.0, 1.0]], beta=8)
    >>> memory.step([0.6, 0.4]).round(3)
    array([0.832, 0.168])
    >>> recall = memory.recall([0.6, 0.4])
    >>> recall.state.round(3), str(recall.status), int(recall.matched)
    (array([1., 0.]), 'converged', 0)
    """

    _file_kind: ClassVar[str] = "Memory"
    keys: Annotated[Array, Of("n_patterns dim")]
    values: Annotated[Array, Of("n_patterns dim_out")]
    similarity: Similarity
    separation: Separation
    activation: Activation
    patterns: Annotated[Array, Of("n_compared dim_out")]
    same_neurons: bool

    @public(parts=Step)
    def __init__(
        self,
        keys: Stored,
        values: Stored | None = None,
        *,
        patterns: Vectors | None = None,
        same_neurons: bool | None = None,
        **parts: Unpack[StepParts],
    ) -> None:
        key_rows = rows_of(keys, "keys")
        value_rows = key_rows if values is None or values is keys else rows_of(values, "values")
        pattern_rows = value_rows if patterns is None or patterns is values else key_rows
        if patterns is not None and patterns is not values and patterns is not keys:
            pattern_rows = stored_rows(patterns, "patterns", multiplied=True)
        arrays = {"keys": key_rows, "values": value_rows, "patterns": pattern_rows}
        step = Step(**parts)
        for name, parameter in single_numbers(step.separation).items():
            if requires_grad(parameter):
                if isinstance(key_rows, np.ndarray):
                    raise InvalidInput(f"{name}: its derivative needs keys of the same library, not of numpy")
                require_one_device(parameter, key_rows, name, "keys")
        for name, part in {**vars(step), **arrays, "retrieval": step}.items():
            object.__setattr__(self, name, part)
        self._require_fit()
        are_keys = key_rows is value_rows or key_rows is pattern_rows
        object.__setattr__(
            self, "same_neurons", are_keys if same_neurons is None else flag(same_neurons, "same_neurons")
        )
        if self.same_neurons and self.dims[0] != self.dims[1]:
            raise InvalidInput(f"same_neurons: values of dim {self.dims[1]} are no states of {self.dims[0]} neurons")

    def __repr__(self) -> str:
        shapes = f"keys {tuple(self.keys.shape)}, values {tuple(self.values.shape)}"
        return f"Memory({shapes}, {self.similarity!r}, {self.separation!r}, {self.activation!r})"

    @public
    def without(self, pattern: Any) -> "Memory":
        """The same memory without a pattern, or several: without their keys and values.

        Parameters
        ----------
        pattern : a number from 0, or from −1 at the end; several numbers; or a boolean for each pattern.

        Raises
        ------
        InvalidInput : for others, and where no pattern would be left.

        Notes
        -----
        Patterns that states are compared with go too where they are the keys or the values, and otherwise stay.
        `ha.memories.worth` says what changes.

        Examples
        --------
        >>> import hopattn as ha
        >>> ha.Memory([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]).without(2).keys
        array([[1., 0.],
               [0., 1.]])
        """
        rows = rows_taken(pattern, self.n_patterns, "pattern")
        if len(rows) == self.n_patterns:
            got = "the only one" if self.n_patterns == 1 else f"all {self.n_patterns}"
            raise InvalidInput(f"pattern: got {got} of the memory; expected to leave at least one")
        others = np.delete(np.arange(self.n_patterns), np.asarray(rows, dtype=np.int64))
        keys = entries(self.keys, others, 0)
        values = keys if self.autoassociative else entries(self.values, others, 0)
        patterns = {id(self.values): values, id(self.keys): keys}.get(id(self.patterns), self.patterns)
        parts: dict[str, Any] = {name: getattr(self, name) for name in PARTS}
        return Memory(keys, values, **parts, patterns=patterns)

    @public
    def jacobian(self, cues: Cues, mask: Mask = None) -> Array:
        """J = ∂x⁺/∂x, `(n_cues, dim_out, dim)`: how a step moves with its cue, for a softmax memory of dot products.

        A fixed point is stable where all |λ| < 1. Raises `InvalidInput` for other memories.
        """
        return self.retrieval._jacobian(cues, self.keys, self.values, mask)

    def _single_neuron_states(self, states: np.ndarray, mask: np.ndarray | None = None) -> StoredSpins:
        """A batch of states whose neurons are updated one at a time; possible where the memory has an energy."""
        return StoredSpins(states, self.keys, self.retrieval._effective_separation, mask)

    @public
    def gradient(self, states: Cues, mask: Mask = None) -> Array:
        """∇E(x) = ∇Φ*(x) − h(x), `(n_cues, dim)`; of the activation "unit", its part along the sphere.

        h is the field of the separation that the energy has: on the sphere the exponential counts as the softmax.
        Raises `InvalidInput` with the reason where the memory has no energy, and for spins.

        >>> import hopattn as ha
        >>> ha.Memory([[1.0, 0.0], [0.0, 1.0]], beta=8).gradient([0.6, 0.4]).round(3)
        array([-0.232,  0.232])
        """
        self._require(mask, "energy")
        step = self.retrieval
        effective = replace(step, separation=step._effective_separation)
        return self.activation.inverse(states) - effective._field(states, self.keys, self.keys, mask)

    @cached_property
    def _value_sizes(self) -> Array:
        return largest_entries(self.values)

    def _nothing_near(self, states: Array, mask: Any = None) -> Array:
        """Whether every weight in the step of each state is 0, `(n_cues,)`: no pattern takes part in it.

        This is so where a mask leaves no pattern, and where the separation gives no pattern a weight, such as a
        threshold that no score reaches, a rectified power of scores of 0 or less, or a sink that takes all.
        """
        x, rule, step = states, as_mask(mask), self.retrieval
        xp, separation, no_mask = namespace(x), step._effective_separation, isinstance(rule, NoMask)
        if separation.shares and no_mask:
            return super()._nothing_near(x)
        if not isinstance(rule, MaskRule):
            shape = (*x.shape[:-1], self.n_patterns)
            require_on_scores(rule, shape, "mask")
            rule = xp.broadcast_to(like(rule, x), shape)
            if separation.shares:
                return ~xp.any(rule, axis=-1)

        def none_near(x: Array, rule: Any) -> Array:
            scores = step.scores(x, self.keys)
            return have_none(separation(scores, *step._on_scores(rule, scores, x, self.keys)), step.activation)

        if x.ndim == 1 or 0 in x.shape or not (no_mask or hasattr(rule, "shape")):
            return none_near(x, rule)
        pairs = self.n_patterns * (int(self.keys.shape[1]) if self.similarity.by_entries else 1)
        rows = blocks(int(x.shape[0]), max(SCORES_HELD // pairs, 1))
        return xp.concat([none_near(x[block, :], rule if no_mask else rule[block, :]) for block in rows])

    def _size_read(self, states: Array, mask: Array | None = None) -> Array:
        if not (self.separation.shares and isinstance(states, np.ndarray)):
            return super()._size_read(states, mask)
        sizes = self._value_sizes[:, None]  # the field goes over blocks of keys, without a matrix of all weights
        return self.retrieval._field(states, self.keys, sizes, mask)[:, 0]

    @property
    def _largest(self) -> float:
        return max(super()._largest, largest_entry(self.values) if self.values is not self.patterns else 0.0)


def have_none(weights: Weights, activation: Activation) -> Array:
    """Whether all weights of a row are 0, `(…,)`.

    Where only the direction of the field counts, a factor that is rounded to 0 makes no weight 0.
    """
    p = weights.array if activation.directional else weights.p
    return ~namespace(p).any(p != 0, axis=-1)


def rows_of(rows: Stored, what: str) -> Array:
    """Vectors to store, from an array or from the file of a path."""
    with place_of(rows):
        return stored_rows(vectors_in(rows) if isinstance(rows, (str, os.PathLike)) else rows, what, multiplied=True)


def place_of(rows: Stored) -> AbstractContextManager[None]:
    """The place of a fault in vectors to store: the file of a path, or none for an array."""
    return in_file(named(path_of(rows, "path"))) if isinstance(rows, (str, os.PathLike)) else nullcontext()
