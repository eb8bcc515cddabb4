"""The loop of a recall: one step after another, and the rules that stop a cue.

With x₍t−1₎, x and x⁺ three states of a cue one after another, |·| the largest magnitude of an entry, and `size` the
larger of |x⁺| and of Σ|p||ξ| / Σ|p|, the mean size of the patterns with the weights that x⁺ gives them, a cue stops at

    a fixed point:  r ≤ tol · size                   r the residual: |x⁺ − x|, in continuous time |x⁺ − ∇Φ(h(x⁺))|
    a cycle of two: |x⁺ − x₍t−1₎| ≤ tol · size       x⁺ = x₍t−1₎ up to the tolerance
    a longer cycle: x⁺ equals an earlier state       see `hopattn.dynamics.cycles`
    growth:         |x⁺| > 2²⁰ · scale               scale the largest entry of cue, patterns and first state
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hopattn.dynamics.cycles import Cycles
from hopattn.dynamics.protocol import Recallable
from hopattn.dynamics.record import Recall, Status
from hopattn.dynamics.updates.base import StepContext, Update
from hopattn.foundation.arrays import require_finite_energy
from hopattn.foundation.vectors import largest_change

GROWTH = 2.0**20
"""A state that is this many times larger than its cue, its first state and all patterns counts as diverged."""


@dataclass(frozen=True, eq=False)
class RecallLoop:
    """The settings of a recall, which all its steps share.

    tol: the largest change, relative to the size of a state, that counts as none. mask: `(n, n_patterns)`, or None.
    keep: names of the arrays that the record keeps of every step. has_energy: whether the record has energies.
    """

    memory: Recallable
    update: Update
    tol: float
    mask: np.ndarray | None
    keep: tuple[str, ...]
    has_energy: bool

    def run(self, cues: np.ndarray, max_steps: int, rng: np.random.Generator) -> Recall:
        """Step the cues `(n, dim)` at most `max_steps` times; each cue stops on its own, whatever the others do."""
        n, states, internal = len(cues), cues, self.update.internal(self.memory, cues)
        previous: np.ndarray | None = None
        scale = np.maximum(np.abs(cues).max(axis=-1), self._largest).astype(float)
        own = tuple(rng.spawn(n) if self.update.stochastic else ())
        steps, status, residual = np.full(n, max_steps), np.full(n, Status.LIMIT, dtype="<U9"), np.zeros(n)
        period, cycles, active = np.zeros(n, dtype=int), Cycles(cues, self.update.deterministic), np.arange(n)
        history, energies = [self._kept(states)], []
        for t in range(1, max_steps + 1):
            context = StepContext(t - 1, rng, tuple(own[i] for i in active) if own else ())
            now, before = _of(states, active), None if previous is None else _of(previous, active)
            after, energy, moved = self._step(now, internal, active, n, context)
            if t == 1:
                first = np.abs(after).max(axis=-1)
                scale = np.maximum(scale, np.where(np.isfinite(first), first, 0))
            after, residual[active], ended = self._judged(after, now, before, scale[active], self._mask_of(active))
            previous, states = states, _with(states, active, after)
            period[active] = cycles.lengths(states, active, ended, t)
            ended[period[active] > 0] = Status.CYCLE
            if internal is not None and moved is not None:
                internal = internal.copy()
                internal[active] = moved
            history.append(self._kept(states))
            energies.append(energy)
            stopped = ended != ""
            status[active[stopped]], steps[active[stopped]] = ended[stopped], t
            active = active[~stopped]
            if not active.size:
                break
        return record_of(
            self.memory,
            states,
            Ending(steps, status, residual, period),
            history,
            self._energies(energies, states, steps, status),
        )

    def is_small(self, change: np.ndarray, after: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        """Whether the changes `(n,)` that led to states `(n, dim)` are at most tol · size, `(n,)`.

        Where a state is smaller than the patterns, their weights tell how large those are that it reads: a pattern
        without weight does not count, however large it is.
        """
        small = np.asarray(change <= self.tol * np.abs(after).max(axis=-1))
        undecided = np.flatnonzero(~small & (change <= self.tol * self._largest))
        if undecided.size:
            size = self.memory.size_read(after[undecided], None if mask is None else mask[undecided])
            small[undecided] = change[undecided] <= self.tol * size
        return small

    def is_cycle(self, after: np.ndarray, before: np.ndarray | None, mask: np.ndarray | None = None) -> np.ndarray:
        """Cycle of two: |x⁺ − x₍t−1₎| ≤ tol · size, `(n,)`; for most states that differ, the first entry shows it.

        before: x₍t−1₎, None in the first step. False for an update that is not deterministic: it may leave the cycle.
        """
        if before is None or not self.update.deterministic:
            return np.zeros(len(after), dtype=bool)
        change = np.abs(after[:, 0] - before[:, 0])
        near = np.flatnonzero(change <= self.tol * np.maximum(np.abs(after).max(axis=-1), self._largest))
        close = np.zeros(len(after), dtype=bool)
        close[near] = self.is_small(
            largest_change(before[near], after[near]), after[near], None if mask is None else mask[near]
        )
        return close

    @staticmethod
    def has_grown(largest: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Growth: |x⁺| > 2²⁰ · scale, `(n,)`, for |x⁺| = `largest`. A state that is not finite has grown too."""
        with np.errstate(over="ignore"):  # a scale near the largest number: no finite state has grown
            return np.asarray(~(largest <= GROWTH * scale) | ~np.isfinite(largest))

    def _judged(
        self, after: np.ndarray, now: np.ndarray, before: np.ndarray | None, scale: np.ndarray, mask: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The next states, their residuals `(n,)`, and how each cue ended `(n,)`: a word of `Status`, or "" to go on.

        A cue that has grown keeps the state before. A state that did not change is no cycle, and is a fixed point only
        if the update has fixed points.
        """
        largest = np.abs(after).max(axis=-1).astype(float)
        grown = self.has_grown(largest, scale)
        after = np.where(grown[:, None], now, after) if grown.any() else after
        with np.errstate(over="ignore", invalid="ignore"):
            residual = self.update.residual(self.memory, now, after, mask)
        ended = np.full(len(after), "", dtype="<U9")
        ended[self.is_cycle(after, before, mask)] = Status.CYCLE
        ended[self.is_small(residual, after, mask)] = Status.CONVERGED if self.update.has_fixed_points else ""
        ended[grown] = Status.DIVERGED
        return after, residual, ended

    def _step(
        self, states: np.ndarray, internal: np.ndarray | None, active: np.ndarray, n: int, context: StepContext
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """One step of the active cues: their next states, the energies of the states before, their internal states.

        The energies are `(n,)`, 0 for the other cues. The internal states are None for an update without them.
        """
        mask, energy, moved = self._mask_of(active), np.zeros(n), None
        with np.errstate(over="ignore", invalid="ignore"):  # a state that overflows is reported as diverged
            if internal is not None:
                moved, after = self.update.advance(self.memory, internal[active], mask)
                if self.has_energy:
                    energy[active] = self.memory.energy(states, mask)
            elif self.has_energy:
                after, energy[active] = self.update.step_with_energy(self.memory, states, mask, context)
            else:
                after = self.update.step(self.memory, states, mask, context)
        require_finite_energy(energy)
        return after, energy, moved

    def _energies(
        self, energies: list[np.ndarray], states: np.ndarray, steps: np.ndarray, status: np.ndarray
    ) -> np.ndarray | None:
        """The energies of all states of the recall, `(n, T+1)`, or None for a memory without an energy.

        At a fixed point the energy is level: a state that changed by no more than √ε keeps its energy up to ε, so that
        the energy of the state before stands for it.
        """
        if not self.has_energy:
            return None
        level = (status == Status.CONVERGED) & (self.tol <= float(np.finfo(states.dtype).eps) ** 0.5)
        last = np.stack(energies)[steps - 1, np.arange(len(steps))]
        if not np.all(level):
            mask = self._mask_of(np.flatnonzero(~level))
            with np.errstate(over="ignore"):
                last[~level] = self.memory.energy(states[~level], mask)
            require_finite_energy(last)
        table = np.stack([*energies, last])
        return np.where(np.arange(len(table))[:, None] >= steps, last, table).T

    @cached_property
    def _largest(self) -> float:
        """The largest |entry| of all patterns, which no step changes."""
        return self.memory.reference.largest

    def _mask_of(self, cues: np.ndarray) -> np.ndarray | None:
        """The mask of these cues; a mask that is the same for all cues is not copied for each."""
        if self.mask is None or self.mask.strides[0]:
            return None if self.mask is None else self.mask[cues]
        return np.broadcast_to(self.mask[0], (len(cues), self.mask.shape[1]))

    def _kept(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """The arrays that the record keeps of one step, by name."""
        arrays: dict[str, Callable[[], Any]] = {
            "trajectory": lambda: states,
            "overlaps": lambda: self.memory.reference.overlaps(states),
            "weights": lambda: self.memory.weights(states, self.mask),  # type: ignore[attr-defined]
        }
        return {name: np.asarray(arrays[name]()) for name in self.keep}


def _of(states: np.ndarray, active: np.ndarray) -> np.ndarray:
    """The states of the active cues; those of all cues are not copied."""
    return states if len(active) == len(states) else states[active]


def _with(states: np.ndarray, active: np.ndarray, after: np.ndarray) -> np.ndarray:
    """A copy of the states, with those of the active cues after a step."""
    if len(active) == len(states):
        return np.array(after, dtype=states.dtype, order="C")
    changed = states.copy()
    changed[active] = after
    return changed


@dataclass(frozen=True, eq=False)
class Ending:
    """How each cue of a recall ended, `(n,)` each: after how many steps, with which status and residual.

    period: the length of its cycle, 0 without one.
    """

    steps: np.ndarray
    status: np.ndarray
    residual: np.ndarray
    period: np.ndarray


def record_of(
    memory: Recallable,
    states: np.ndarray,
    ending: Ending,
    history: list[dict[str, np.ndarray]],
    energies: np.ndarray | None,
) -> Recall:
    """The record of a recall; `history` has the arrays that are kept of each step, by name."""
    by_step = {name: np.stack([arrays[name] for arrays in history]) for name in history[0]}
    return Recall(
        state=states,
        steps=ending.steps,
        status=ending.status,
        converged=ending.status == Status.CONVERGED,
        residual=ending.residual,
        period=ending.period,
        energies=energies,
        reference=memory.reference,
        **by_step,
    )
