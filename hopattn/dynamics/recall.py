"""Recall: one step after another until nothing changes, and what every memory inherits."""

import os
from collections.abc import Sequence
from inspect import cleandoc
from typing import Any, ClassVar

import numpy as np

from hopattn.dynamics import saving
from hopattn.dynamics.likeness import ReferencePatterns
from hopattn.dynamics.protocol import Recallable
from hopattn.dynamics.record import Recall, Status
from hopattn.dynamics.updates import updates
from hopattn.dynamics.updates.asynchronous import Asynchronous
from hopattn.dynamics.updates.base import Descent, StepContext, Update
from hopattn.dynamics.updates.synchronous import Synchronous
from hopattn.foundation.arrays import (
    as_float,
    max_safe_entry,
    namespace,
    require_dim,
    require_finite,
    require_finite_energy,
    tolerance,
)
from hopattn.foundation.checks import REPEATED, Seed, each, generator, real, whole
from hopattn.foundation.errors import InvalidInput, quoted, reject_unknown
from hopattn.foundation.vectors import largest_change
from hopattn.results.display import ShownInNotebook
from hopattn.retrieval.masks import MaskRule, resolve

GROWTH = 2.0**20
"""A state that is this many times larger than its cue, its first state and all patterns counts as diverged."""
TWO = 2
"""The length of the cycles that are noticed up to the tolerance."""
IN_SEQUENCE = Asynchronous(order="sequence")


class AssociativeMemory(Recallable, ShownInNotebook):
    """A memory that recalls: the protocol, with `recall`, `descends` and `save`."""

    file_kind: ClassVar[str]
    """The name of the class in a file. A subclass does not inherit it, since a file would lose what is its own."""

    @property
    def own_update(self) -> Update:
        """The update of a recall that names none.

        Spins, and neurons of 0 and 1, change one after the other in the order 0, 1, 2 … where they can be updated
        alone, so that no random number is needed and no cycle of two is possible with an energy. Others change at once.
        """
        alone = self.activation.discrete and "single-neuron updates" not in self.lacks
        return IN_SEQUENCE if alone else Synchronous()

    def recall(
        self,
        cues: Any,
        *,
        update: str | Update | None = None,
        max_steps: int = 100,
        tol: float | None = None,
        rng: Seed = None,
        mask: Any = None,
        keep: Sequence[str] = (),
    ) -> Recall:
        """Apply the update to each cue until it stops changing, cycles, diverges, or `max_steps` are done.

        cues: `(n_cues, dim)` or `(dim,)`, NumPy, finite, within the activation's domain.
        update: a name such as "sync" or "async", or an object such as `ha.Glauber(temperature=0.1)`; by default
        `own_update`, one neuron after the other in a network of spins, and all at once in other memories.
        max_steps: the largest number of steps, from 1 to 100 million.
        tol: the largest change of an entry that counts as no change, relative to the largest entry of the state, or of
        the patterns that it reads if that is larger (default: exact equality for spins, else ε^¾).
        rng: a whole number or a generator, for updates that draw (default: new draws in each call).
        mask: booleans `(n_cues, n_patterns)`, True for a pattern that the cue may attend to (default: all).
        keep: the arrays that the record keeps of every step: "trajectory" (the states), "overlaps", "weights".

        Where the answer has another dim than the cue, one step is taken. Raises `InvalidInput` for a cue that cannot be
        used, naming its row, and for an update that the memory does not allow. The answer is a `Recall`:
        """
        rule = self.own_update if update is None else updates.make(update)
        names = _checked_keep(self, keep)
        draws = generator(rng=rng)
        whole(max_steps, "max_steps", most=REPEATED)
        if "recall" in self.lacks:
            return _answer(self, cues, rule, mask, names)
        if obstacle := rule.obstacle(self):
            raise InvalidInput(f"update: {obstacle}")
        reference = self.reference
        start = _checked_cues(self, reference, cues)
        x, before = np.atleast_2d(start), None
        allowed = None if mask is None else _checked_mask(mask, self.n_keys, len(x))
        stop = StoppingRule(self, rule, tol, reference.largest, x)
        active, internal = np.arange(len(x)), rule.internal(self, x)
        own = draws.spawn(len(x)) if rule.stochastic else []
        kept, energies = [_kept(self, names, reference, x, allowed)] if names else [], []
        for t in range(1, max_steps + 1):
            now, where, energy = _of(x, active), _of(allowed, active), np.zeros(len(x))
            moved = None if internal is None else internal[active]
            context = StepContext(t - 1, draws, tuple([own[i] for i in active]) if own else (), moved)
            with np.errstate(over="ignore", invalid="ignore"):  # a state that overflows is reported as diverged
                after, known = rule.step(self, now, where, context)
            if known is not None:
                energy[active] = known
                require_finite_energy(energy)
                energies.append(energy)
            after, goes_on = stop.judge(t, active, (_of(before, active), now, after), where)
            before, x = x, np.array(after if active.size == len(x) else x, dtype=x.dtype, order="C")
            if active.size < len(x):
                x[active] = after
            stop.remember(x, t)
            if internal is not None:
                internal[active] = moved
            kept += [_kept(self, names, reference, x, allowed)] if names else []
            active = active[goes_on]
            if not active.size:
                break
        by_step = {name: np.stack([arrays[name] for arrays in kept]) for name in names}
        table = _energies(self, energies, x, allowed, stop) if energies else None
        ends = stop.steps, stop.status, stop.status == Status.CONVERGED, stop.residual, stop.period
        record = Recall(x, *ends, table, reference, **by_step)
        return record if start.ndim > 1 else record.only_row()

    def descends(self, update: str | Update | None = None) -> Descent:
        """Whether this update never raises the energy: true or false in a condition, with the `reason`.

        update: a name or an object; by default `own_update`.
        """
        return (self.own_update if update is None else updates.make(update)).descends(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the memory to a file, which `ha.load_memory` reads again.

        path: ends in `.npz`; an existing file is replaced, whole or not at all. The file holds the arrays, and a
        header with the names and parameters of similarity, separation and activation. Every step of the memory that is
        read is the same to the last bit; only an array that takes every other column of a larger one, or is
        reversed, may lead to other rounding. Raises `InvalidInput` for another ending, arrays of another library than
        NumPy, a part that is not in a registry, and a kind of memory that has no file. Raises `CannotDo` if the file
        cannot be written.
        """
        saving.write(self, path)


AssociativeMemory.recall.__doc__ = "\n\n".join(
    cleandoc(text or "") for text in (AssociativeMemory.recall.__doc__, Recall.__doc__)
)  # with the fields of a `Recall` at its end, so that `help` is whole


class StoppingRule:
    """The rules that stop a cue, and how each cue has ended: `steps`, `status`, `residual` and `period`, `(n,)` each.

    With x₍t−1₎, x and x⁺ three states of a cue one after another, |·| the largest magnitude of an entry, and `size` the
    larger of |x⁺| and of Σ|p||ξ| / Σ|p|, the mean size of the patterns with the weights that x⁺ gives them, a cue stops
    at the first of

        growth:         |x⁺| > 2²⁰ · scale               scale the largest entry of cue, patterns and first state
        a fixed point:  r ≤ tol · size                   r the residual: |x⁺ − x|, in continuous time |x⁺ − ∇Φ(h(x⁺))|
        a cycle of two: |x⁺ − x₍t−1₎| ≤ tol · size       x⁺ = x₍t−1₎ up to the tolerance
        a longer cycle: x⁺ = x₍a₎ bit by bit             a the last power of two before t, x₍a₎ the state after a steps

    A cue that has grown keeps x. A cycle of length λ that begins after μ steps is noticed before step
    2 max(μ, λ) + λ (Brent 1980, BIT Numerical Mathematics 20, 176). An update that may leave a fixed point or a cycle
    does not stop there (`ends`).

    tol: as of `recall`. largest: the largest |entry| of all patterns. cues: `(n, dim)`.
    """

    def __init__(self, memory: Recallable, update: Update, tol: float | None, largest: float, cues: np.ndarray) -> None:
        default, n = 0.0 if memory.activation.discrete else tolerance(cues.dtype), len(cues)
        self.tol = default if tol is None else real(tol, "tol", least=0.0)
        self.memory, self.update, self.largest, self.ends = memory, update, largest, update.ends
        self.scale = np.maximum(np.abs(cues).max(axis=-1), largest).astype(float)
        self.steps, self.status = np.zeros(n, dtype=int), np.full(n, Status.LIMIT, dtype="<U9")
        self.residual, self.period = np.zeros(n), np.zeros(n, dtype=int)
        self.kept, self.kept_at = cues, 0

    def judge(
        self,
        t: int,
        active: np.ndarray,
        states: tuple[np.ndarray | None, np.ndarray, np.ndarray],
        mask: np.ndarray | None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The states after step t, and which of the active cues go on, `(n_active,)`.

        states: those of the active cues before the last step (None in the first step), before this step and after it.
        """
        before, now, after = states
        size = np.abs(after).max(axis=-1).astype(float)
        if t == 1:
            self.scale = np.maximum(self.scale, np.where(np.isfinite(size), size, 0))
        with np.errstate(over="ignore", invalid="ignore"):  # a scale near the largest number: no finite state has grown
            grown = ~(size <= GROWTH * self.scale[active]) | ~np.isfinite(size)
            after = np.where(grown[:, None], now, after) if grown.any() else after
            self.residual[active] = residual = self.update.residual(self.memory, now, after, mask)
        ended, period = np.full(len(after), "", dtype="<U9"), np.zeros(len(after), dtype=int)
        if Status.CYCLE in self.ends and before is not None:
            period[self.is_cycle(before, after, mask)] = TWO
        if Status.CONVERGED in self.ends:
            ended[self.is_small(residual, after, mask)] = Status.CONVERGED
        ended[grown] = Status.DIVERGED
        if Status.CYCLE in self.ends and t - self.kept_at > TWO:
            near = np.flatnonzero((period == 0) & (after[:, 0] == self.kept[active, 0]))
            met = np.all(after[near] == self.kept[active[near]], axis=-1)
            period[near[met]] = t - self.kept_at
        period[ended != ""] = 0
        ended[period > 0] = Status.CYCLE
        stopped = ended != ""
        self.steps[active], self.period[active] = t, period
        self.status[active[stopped]] = ended[stopped]
        return after, ~stopped

    def remember(self, states: np.ndarray, t: int) -> None:
        """Keep the states `(n, dim)` after step t, a power of two, to notice when one comes back."""
        if t & (t - 1) == 0:
            self.kept, self.kept_at = states, t

    def is_small(self, change: np.ndarray, after: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        """Whether the changes `(n,)` that led to states `(n, dim)` are at most tol · size, `(n,)`.

        Where a state is smaller than the patterns, the weights give the size of those that it reads: a pattern
        without weight does not count, however large it is.
        """
        small = np.asarray(change <= self.tol * np.abs(after).max(axis=-1))
        undecided = np.flatnonzero(~small & (change <= self.tol * self.largest))
        if undecided.size:
            read = self.memory.size_read(after[undecided], None if mask is None else mask[undecided])
            small[undecided] = change[undecided] <= self.tol * read
        return small

    def is_cycle(self, before: np.ndarray, after: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        """Whether |x⁺ − x₍t−1₎| ≤ tol · size, `(n,)`; for most states that differ, the first entry shows it."""
        first = np.abs(after[:, 0] - before[:, 0])
        near = np.flatnonzero(first <= self.tol * np.maximum(np.abs(after).max(axis=-1), self.largest))
        close, own = np.zeros(len(after), dtype=bool), None if mask is None else mask[near]
        close[near] = self.is_small(largest_change(before[near], after[near]), after[near], own)
        return close


def _energies(
    memory: Recallable, energies: list[np.ndarray], states: np.ndarray, mask: np.ndarray | None, stop: StoppingRule
) -> np.ndarray:
    """The energies of all states of the recall, `(n, T+1)`; energies: `(n,)` before each step.

    At a fixed point the energy is level: a state that changed by no more than √ε keeps its energy up to ε, so that
    the energy of the state before stands for it.
    """
    last = np.stack(energies)[stop.steps - 1, np.arange(len(states))]
    level = (stop.status == Status.CONVERGED) & (stop.tol <= float(np.finfo(states.dtype).eps) ** 0.5)
    if not np.all(level):
        with np.errstate(over="ignore"):
            last[~level] = memory.energy(states[~level], _of(mask, np.flatnonzero(~level)))
        require_finite_energy(last)
    table = np.stack([*energies, last])
    return np.where(np.arange(len(table))[:, None] >= stop.steps, last, table).T


def _of(rows: Any, active: np.ndarray) -> Any:
    """The rows of the active cues; those of all cues, and rows that are the same for all, are not copied."""
    if rows is None or len(active) == len(rows):
        return rows
    return rows[active] if rows.strides[0] else rows[: len(active)]


def _kept(
    memory: Any, names: tuple[str, ...], reference: ReferencePatterns, states: np.ndarray, mask: np.ndarray | None
) -> dict[str, np.ndarray]:
    """The arrays that the record keeps of one step, by name."""
    kept = {"trajectory": states} if "trajectory" in names else {}
    kept |= {"overlaps": reference.overlaps(states)} if "overlaps" in names else {}
    return kept | {"weights": np.asarray(memory.weights(states, mask))} if "weights" in names else kept


def _answer(memory: Recallable, cues: Any, rule: Update, mask: Any, names: tuple[str, ...]) -> Recall:
    """The record of one step, for a memory whose answer has another dim than its cue."""
    if names or not isinstance(rule, Synchronous):
        what = f"keep: {names[0]}" if names else f"update: {quoted(rule)}"
        raise InvalidInput(f"{what} needs a recall of several steps, but {memory.lacks['recall']}")
    given = as_float(cues, "cues")
    _require_cues(given)
    n = 1 if given.ndim == 1 else len(given)
    allowed = None if mask is None else _checked_mask(mask, memory.n_keys, n)
    states, none = np.asarray(memory.step(np.atleast_2d(given), allowed)), np.zeros(n, dtype=int)
    status = np.full(n, Status.ANSWERED, dtype="<U9")
    record = Recall(states, none + 1, status, none > 0, np.full(n, np.inf), none, None, memory.reference)
    return record if given.ndim > 1 else record.only_row()


def _checked_keep(memory: Recallable, keep: Sequence[str]) -> tuple[str, ...]:
    """The argument `keep` as a tuple of known names."""
    names = (keep,) if isinstance(keep, str) else () if keep is None else keep
    asked = each(names, str, "keep", "the name of an array")
    reject_unknown("keep", asked, Recall.BY_STEP)
    if "weights" in asked and not hasattr(memory, "weights"):
        raise InvalidInput("keep: a network of couplings has no weights of patterns")
    return asked


def _checked_cues(memory: Recallable, reference: ReferencePatterns, cues: Any) -> np.ndarray:
    """The cues in the dtype of the recall; raises `InvalidInput` for a cue that cannot be used."""
    given = as_float(cues, "cues")
    if namespace(given) is not np:
        raise InvalidInput("cues: recall runs on NumPy arrays; `step` runs on those of any library")
    require_dim(given, reference.shape[-1], "cues", "patterns")
    _require_cues(given)
    why = memory.activation.why_outside_domain
    for i, row in enumerate(np.atleast_2d(given)):
        if reason := why(row):
            raise InvalidInput(f"cues: {'the cue' if given.ndim == 1 else f'row {i}'} {reason}")
    states = np.array(given, dtype=np.result_type(given, reference.dtype))
    if states.dtype != given.dtype:  # at the edge of the domain, a wider dtype shows the rounding
        outside = [bool(why(row)) for row in np.atleast_2d(states)]
        states = np.where(np.reshape(outside, (*states.shape[:-1], 1)), memory.activation(states), states)
    return states


def _require_cues(given: np.ndarray) -> None:
    if given.ndim not in (1, 2) or given.size == 0:
        raise InvalidInput(f"cues: expected (n_cues, dim) or (dim,), not shape {given.shape}")
    require_finite(given, "cues", max_safe_entry(given))


def _checked_mask(mask: Any, n_keys: int, n_cues: int) -> np.ndarray:
    """The mask of each cue, `(n_cues, n_patterns)`; a rule is refused, because cues have no order as words have."""
    if isinstance(mask, (str, MaskRule)):
        raise InvalidInput(f"mask: recall takes booleans (n_cues, n_patterns), not the rule {quoted(mask)}")
    return np.broadcast_to(np.asarray(resolve(mask, np.broadcast_to(0.0, (n_cues, n_keys)))), (n_cues, n_keys))
