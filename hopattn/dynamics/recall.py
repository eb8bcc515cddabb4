"""The base of every memory, and its recall: one step after another until nothing changes.

A memory of any kind (keys and values, couplings, two sides, keys on many machines) is a subclass. It states its field
and its energy. The step, the gradient and the recall follow from these; a subclass overrides what differs.
"""

import os
from abc import abstractmethod
from collections.abc import Sequence
from inspect import cleandoc
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from hopattn.dynamics import saving
from hopattn.dynamics.likeness import ReferencePatterns
from hopattn.dynamics.loop import Loop, refuse_traced
from hopattn.dynamics.record import STATUS_DTYPE, Recall, Status
from hopattn.dynamics.single_neuron import SingleNeuronStates
from hopattn.dynamics.updates import updates
from hopattn.dynamics.updates.asynchronous import Asynchronous
from hopattn.dynamics.updates.base import Descent, Update
from hopattn.dynamics.updates.synchronous import Synchronous, raised
from hopattn.foundation.argument_names import OtherWords
from hopattn.foundation.arrays import (
    Array,
    Mask,
    as_array,
    as_float,
    is_foreign_array,
    max_safe_entry,
    namespace,
    on_host,
    require_finite,
    require_fitting,
    shaped,
    tolerance,
)
from hopattn.foundation.boundary import Of, Owner, not_minus_infinity, public
from hopattn.foundation.checks import REPEATED, Seed, each, generator, real, whole
from hopattn.foundation.errors import InvalidInput, quoted, reject_unknown
from hopattn.foundation.vectors import largest_entries, nonzero
from hopattn.results.display import ShownInNotebook
from hopattn.retrieval.activation import Activation
from hopattn.retrieval.masks import MaskRule, as_mask, like, require_on_scores

Cues = Annotated[Any, Of("… dim")]
"""Cues or states, whose dim is that of the memory's arrays."""
TO_NUMPY = "give x.numpy(), or make the memory of arrays of the library of the cues"
_CONVEXITY = "convexity", "convexity of a neuron", "convexity of a layer"
CAPABILITIES = "recall", "mask", "energy", *_CONVEXITY, "single-neuron updates", "continuous time"
"""What a memory may lack, as `why_not` says."""


class AssociativeMemory(Owner, ShownInNotebook, metaclass=OtherWords):
    """A memory as its user and every update see it.

    patterns: `(n_patterns, dim)`, the patterns that recalled states are compared with. activation: the activation of
    its neurons. A subclass has these as fields, class variables or properties.

    `field`, `energy`, `step` and `why_not` check their arguments. A subclass states `_field_at`, `_energy_at`,
    `_step_at` and `_why_not`, which take checked ones.
    """

    _file_kind: ClassVar[str]
    """The name of the class in a file. A subclass does not inherit it: the file would lack what the subclass adds."""
    _noun: ClassVar[str] = "a memory, such as ha.memories.hopfield(patterns)"
    """The words by which a message names an object of this class."""
    _time_constants: ClassVar[Any] = 1.0
    """τ of each neuron, a number or `(dim,)`; infinite for one that is clamped."""
    if TYPE_CHECKING:  # at run time a property here would hide a field of a subclass

        @property
        def patterns(self) -> np.ndarray: ...
        @property
        def activation(self) -> Activation: ...

    @abstractmethod
    def _field_at(self, x: Array, mask: Any) -> Array:
        """h(x), `(n_cues, dim)`, for checked states."""

    def _energy_at(self, x: Array, mask: Any) -> Array:
        """E(x), `(n_cues,)`, for checked states; never called where the memory has no energy."""
        raise NotImplementedError

    def _step_at(self, x: Array, mask: Any, *, energy: bool = False) -> tuple[Array, Array | None]:
        """x⁺ = ∇Φ(h(x)), `(n_cues, dim_out)`, for checked states, and E(x) if it is asked for, else None."""
        h = self._field_at(x, mask)
        x_next = as_array(self.activation(h, x if h.shape == x.shape else None))
        return x_next, self._energy_at(x, mask) if energy else None

    def why_not(self, capability: str) -> str:
        """Why the memory lacks a capability, or an empty string where it has it.

        Parameters
        ----------
        capability
            "recall" (a state that can be the next cue), "mask" (patterns that a mask can hide), "energy", "convexity"
            (of the potential of the states), "convexity of a neuron" or "of a layer" (in each alone), "single-neuron
            updates", or "continuous time" (a field that can be followed).

        Raises
        ------
        InvalidInput : for others.
        """
        reject_unknown("capability", [capability], CAPABILITIES)
        return self._why_not(capability)

    def _why_not(self, capability: str) -> str:
        """As `why_not`, for a name that is checked; a subclass states what it lacks."""
        return ""

    def _require(self, mask: Any, *capabilities: str) -> None:
        """Raise `InvalidInput` with the reason where the memory lacks one of these, or cannot take this mask."""
        for name in (*capabilities, *(() if mask is None else ("mask",))):
            if reason := self._why_not(name):
                raise InvalidInput(f"{name}: {reason}")

    @public
    def field(self, cues: Cues, mask: Mask = None) -> Array:
        """h: the field of every neuron, before the activation, `(n_cues, dim_out)`, `(dim_out,)` for one cue."""
        self._require(mask)
        return self._field_at(cues, mask)

    @public
    def step(self, cues: Cues, mask: Mask = None) -> Array:
        """x⁺ = ∇Φ(h): one step of recall, all neurons at once, `(n_cues, dim_out)`.

        A spin whose field is 0 stays as it was, if the answer is a state of the same neurons. Otherwise it is 0,
        which means unknown.
        """
        self._require(mask)
        return self._step_at(cues, mask)[0]

    @public
    def __call__(self, cues: Cues, mask: Mask = None) -> Any:
        """As `step`: a memory stands where a head does."""
        return self.step(cues, mask)

    @public(may_be=not_minus_infinity)
    def energy(self, states: Cues, mask: Mask = None) -> Array:
        """E(x), `(n_cues,)`; infinite for a state that the activation cannot give.

        Raises `InvalidInput` with the reason where the memory has no energy.
        """
        self._require(mask, "energy")
        return self._energy_at(states, mask)

    @public
    def gradient(self, states: Cues, mask: Mask = None) -> Array:
        """∇E(x) = ∇Φ*(x) − h(x), `(n_cues, dim)`; of the activation "unit", its part along the sphere.

        Raises `InvalidInput` with the reason where the memory lacks an energy, and for an activation that jumps.
        """
        self._require(mask, "energy")
        return self.activation.inverse(states) - self._field_at(states, mask)

    def _step_with_energy(self, states: Any, mask: Any = None) -> tuple[Any, Any]:
        """One step, and the energy of the states before it; None where the memory lacks an energy."""
        return self._step_at(states, mask, energy=not self._why_not("energy"))

    def _single_neuron_states(self, states: np.ndarray, mask: np.ndarray | None = None) -> SingleNeuronStates:
        """A batch of states in which one neuron is updated at a time.

        Raises `InvalidInput` with the reason where the memory has no single-neuron updates.
        """
        raise InvalidInput(f"update: {self.why_not('single-neuron updates')}")

    def _nothing_near(self, states: Any, mask: Any = None) -> Any:
        """Whether no pattern takes part in the step of each state, `(n_cues,)`; in most memories, one always does."""
        return namespace(states).zeros_like(states[..., 0], dtype=namespace(states).bool)

    @property
    def _cure(self) -> str:
        """The advice of a message for an energy that is beyond the numbers: what makes it smaller."""
        return "smaller couplings"

    @property
    def _reference(self) -> ReferencePatterns:
        """The patterns that recalled states are compared with."""
        return ReferencePatterns(self.patterns, self.activation)

    def _size_read(self, states: Array, mask: Array | None = None) -> Array:
        """The mean size of the patterns, `(n,)`, weighted by their |overlaps| with states `(n, dim)`.

        The size of a pattern is its largest |entry|.
        """
        return mean_size(abs(self._reference.overlaps(states)), largest_entries(self.patterns))

    @property
    def _largest(self) -> float:
        """The largest |entry| of the patterns, and of what is read out for them."""
        return self._reference.largest

    @property
    def n_patterns(self) -> int:
        """The number of stored patterns: the last axis of a mask."""
        return self._reference.shape[0]

    @property
    def dim(self) -> int:
        """The number of neurons of a cue."""
        return self._reference.shape[-1]

    @property
    def _curvature(self) -> float:
        """The least λ for which the potential plus ½λ|x|² is convex: 0 if it is convex, infinite if no λ is enough."""
        return float("inf") if self._why_not("convexity") else 0.0

    @property
    def default_update(self) -> Update:
        """The update of a recall that names none.

        Spins, and neurons of 0 and 1, change one after the other in the order 0, 1, 2 … where they can be updated
        alone, so that no random number is needed and no cycle of two is possible with an energy. Others change at once.
        """
        single = self.activation.discrete and not self._why_not("single-neuron updates")
        return Asynchronous() if single else Synchronous()

    @public
    def recall(
        self,
        cues: Array,
        *,
        update: str | Update | None = None,
        max_steps: int = 100,
        tol: float | None = None,
        rng: Seed = None,
        mask: Mask = None,
        keep: Sequence[str] = (),
    ) -> Recall:
        """Apply the update to each cue until it stops changing, cycles, diverges, or `max_steps` are done.

        Parameters
        ----------
        cues : (n_cues, dim) or (dim,)
            finite, within the activation's domain; of the library, the device and the dtype of the memory. Those of
            PyTorch and JAX need an update of all neurons at once, such as "sync", and cannot be traced: for a
            derivative, take a fixed number of steps.
        update
            a name such as "sync" or "async", or an object such as `ha.Glauber(temperature=0.1)`; by default
            `default_update`, one neuron after the other in a network of spins, and all at once in other memories. One
            after the other is in the order 0, 1, 2 …; a random order is `ha.Asynchronous(order="random")`.
        max_steps : the largest number of steps, from 1 to 100 million.
        tol
            the largest change of an entry that counts as no change, relative to the largest entry of the state, or of
            the patterns that it reads if that is larger (default: exact equality for spins, else ε^¾).
        rng : a whole number or a generator, for updates that draw (default: new draws in each call).
        mask : booleans (n_cues, n_patterns)
            True for a pattern that the cue may attend to (default: all).
        keep : the arrays that the record keeps of every step: "trajectory" (the states), "overlaps", "weights".

        Raises
        ------
        InvalidInput : for a cue that cannot be used, naming its row, and for an update that the memory does not allow.

        Notes
        -----
        Where the answer has another dim than the cue, one step is taken. The answer is a `Recall`:
        """
        rule = self.default_update if update is None else updates.make(update)
        names = _checked_keep(self, keep)
        draws = generator(rng=rng)
        whole(max_steps, "max_steps", most=REPEATED)
        self._require(mask)
        if self._why_not("recall"):
            return _answer(self, cues, rule, mask, names)
        if obstacle := rule.obstacle(self):
            raise InvalidInput(f"update: {obstacle}")
        reference = self._reference
        start = _checked_cues(self, reference, cues)
        x = start if start.ndim > 1 else start[None, :]
        cue_masks = None if mask is None else _checked_mask(mask, self.n_patterns, x)
        default = 0.0 if self.activation.discrete else tolerance(x.dtype, namespace(x))
        bound = default if tol is None else real(tol, "tol", least=0.0)
        record = Loop(self, rule, x, cue_masks, names, bound).run(max_steps, draws)
        return record if start.ndim > 1 else record.only_row()

    def descends(self, update: str | Update | None = None) -> Descent:
        """Whether this update never raises the energy: true or false in a condition, with the `reason`.

        Parameters
        ----------
        update : a name or an object; by default `default_update`.
        """
        return (self.default_update if update is None else updates.make(update)).descends(self)

    def without(self, pattern: Any) -> "AssociativeMemory":
        """The same memory without a pattern; raises `InvalidInput` for all but a `Memory` of keys and values."""
        kind = type(self).__name__
        raise InvalidInput(
            f"without: got {kind}; a `Memory` of keys and values leaves a pattern out; build the {kind} again from "
            "the other patterns"
        )

    def free_energy(self, cues: Array, mask: Mask = None) -> Array:
        """F of the weights; raises `InvalidInput` for a memory whose patterns have no weights that compete."""
        message = "expected a memory of keys and values, whose weights have an entropy; `energy` is E of a state"
        raise InvalidInput(f"free_energy: got {type(self).__name__}; {message}")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the memory to a file, which `ha.load` reads again.

        Parameters
        ----------
        path : ends in `.npz`; an existing file is replaced, whole or not at all.

        Raises
        ------
        InvalidInput
            for another ending, arrays of another library than NumPy, a part that is not in a registry, and a kind of
            memory that has no file.
        CannotDo : if the file cannot be written.

        Notes
        -----
        The file holds the arrays, and a header with the names and parameters of similarity, separation and activation.
        Every step of the memory that is read is the same to the last bit; only an array that takes every other column
        of a larger one, or is reversed, may lead to other rounding.
        """
        saving.write(self, path)


AssociativeMemory.recall.__doc__ = "\n\n".join(
    cleandoc(text or "") for text in (AssociativeMemory.recall.__doc__, Recall.__doc__)
)  # with the fields of a `Recall` at its end, so that `help` is whole


def _answer(memory: AssociativeMemory, cues: Any, rule: Update, mask: Any, names: tuple[str, ...]) -> Recall:
    """The record of one step, for a memory without "recall": its answer has another dim than its cue."""
    if names or not isinstance(rule, Synchronous):
        what = f"keep: {names[0]}" if names else f"update: {quoted(rule)}"
        raise InvalidInput(f"{what} needs a recall of several steps, but {memory.why_not('recall')}")
    array = as_float(cues, "cues", like=memory.patterns)
    _require_cues(array)
    x = array if array.ndim > 1 else array[None, :]
    cue_masks = None if mask is None else _checked_mask(mask, memory.n_patterns, x)
    if obstacle := rule.obstacle(memory):
        raise InvalidInput(f"update: {obstacle}")
    states, zero = memory.step(x, cue_masks), np.zeros(x.shape[0], dtype=int)
    states = states if rule.ties == "keep" else raised(states, memory, x, cue_masks)
    refuse_traced(states)
    status = np.full(len(zero), Status.ANSWERED, dtype=STATUS_DTYPE)
    record = Recall(
        state=states,
        steps=zero + 1,
        status=status,
        converged=zero > 0,
        residual=np.full(len(zero), np.inf),
        period=zero,
        energies=None,
        reference=memory._reference,
    )
    return record if array.ndim > 1 else record.only_row()


def _checked_keep(memory: AssociativeMemory, keep: Sequence[str]) -> tuple[str, ...]:
    """The argument `keep` as a tuple of known names."""
    names = (keep,) if isinstance(keep, str) else () if keep is None else keep
    array_names = each(names, str, "keep", "the name of an array")
    reject_unknown("keep", array_names, Recall.KEPT)
    if "weights" in array_names and not hasattr(memory, "weights"):
        raise InvalidInput("keep: a network of couplings has no weights of patterns")
    return array_names


def _checked_cues(memory: AssociativeMemory, reference: ReferencePatterns, cues: Any) -> Array:
    """The cues in the library and the dtype of the recall; raises `InvalidInput` for a cue that cannot be used."""
    patterns = reference.patterns if is_foreign_array(reference.patterns) else None
    array = as_float(cues, "cues", like=patterns)
    if patterns is None and is_foreign_array(array):
        raise InvalidInput(f"cues: the memory holds NumPy arrays; {TO_NUMPY}")
    shaped(array, "cues", "… dim", dim=(reference.shape[-1], "patterns"))
    if patterns is not None:
        require_fitting(array, patterns, "cues", "patterns")
        refuse_traced(array, patterns)
    _require_cues(array)
    why = memory.activation.why_outside_domain
    if type(memory.activation).why_outside_domain is not Activation.why_outside_domain:
        for i, row in enumerate(np.atleast_2d(on_host(array))):
            if reason := why(row):
                raise InvalidInput(f"cues: {'the cue' if array.ndim == 1 else f'row {i}'} {reason}")
    if patterns is not None:
        return array
    states = np.array(array, dtype=np.result_type(array, reference.dtype))
    if states.dtype != array.dtype:  # at the edge of the domain, a wider dtype shows the rounding
        outside = [bool(why(row)) for row in np.atleast_2d(states)]
        states = np.where(np.reshape(outside, (*states.shape[:-1], 1)), memory.activation(states), states)
    return states


def _require_cues(cues: Array) -> None:
    if cues.ndim not in (1, 2) or 0 in cues.shape:
        form = "expected (dim,), or (n_cues, dim) with at least one cue"
        raise InvalidInput(f"cues: got shape {tuple(cues.shape)}; {form}")
    require_finite(cues, "cues", max_safe_entry(cues))


def _checked_mask(mask: Any, n_keys: int, x: Array) -> Array:
    """The mask of each cue, `(n_cues, n_patterns)`; a rule is refused, because cues have no order as words have."""
    if isinstance(mask, (str, MaskRule)):
        raise InvalidInput(f"mask: recall takes booleans (n_cues, n_patterns), not the rule {quoted(mask)}")
    array, shape = as_mask(mask), (x.shape[0], n_keys)
    require_on_scores(array, shape, "mask")
    return namespace(x).broadcast_to(like(array, x), shape)


def mean_size(shares: Array, sizes: Array) -> Array:
    """The mean of sizes `(n_patterns,)`, weighted by shares `(n, n_patterns)` ≥ 0, `(n,)`; 0 where all shares are 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        xp = namespace(shares)
        parts = shares / nonzero(xp.max(shares, axis=-1, keepdims=True))
        return parts @ sizes / nonzero(xp.sum(parts, axis=-1))
