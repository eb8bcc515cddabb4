"""The loop of a recall: one step after another, and the three rules that stop a cue.

With x₍t−1₎, x and x⁺ three states of a cue one after another, |·| the largest magnitude of an entry, and `scale` the
largest entry of the cue and of all patterns, a cue stops at

    a fixed point:  |x⁺ − x| ≤ tol · scale · Δt         Δt the time step of the update
    a cycle:        |x⁺ − x₍t−1₎| ≤ tol · scale         x⁺ = x₍t−1₎ up to the tolerance
    growth:         |x⁺| > 2²⁰ · scale
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.dynamics.protocol import Recallable
from hopattn.dynamics.record import Recall, Status
from hopattn.dynamics.updates.base import StepContext, Update
from hopattn.foundation.arrays import require_finite_energy
from hopattn.foundation.vectors import nonzero

GROWTH = 2.0**20
"""A state that is this many times larger than its cue and all patterns counts as diverged."""


@dataclass(frozen=True, eq=False)
class RecallLoop:
    """The settings of a recall, which all its steps share.

    tol: the largest change, relative to the scale of a cue, that counts as none. mask: `(n, n_patterns)`, or None.
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
        n, states = len(cues), cues
        previous: np.ndarray | None = None
        scale = nonzero(np.maximum(np.abs(cues).max(axis=-1), self.memory.reference.largest))
        own = tuple(rng.spawn(n) if self.update.stochastic else ())
        steps, status = np.full(n, max_steps), np.full(n, Status.LIMIT, dtype="<U9")
        active = np.arange(n)
        history, energies = [self._kept(states)], []
        for t in range(1, max_steps + 1):
            context = StepContext(t - 1, rng, tuple(own[i] for i in active) if own else ())
            now, before = states[active], None if previous is None else previous[active]
            after, energy = self._step(now, active, n, context)
            after, ended = self._ended(after, now, before, scale[active])
            previous, states = states, states.copy()
            states[active] = after
            history.append(self._kept(states))
            energies.append(energy)
            stopped = ended != ""
            status[active[stopped]], steps[active[stopped]] = ended[stopped], t
            active = active[~stopped]
            if not active.size:
                break
        return record_of(self.memory, states, steps, status, history, self._energies(energies, states, steps, status))

    def is_fixed_point(self, after: np.ndarray, state: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Fixed point: |x⁺ − x| ≤ tol · scale · Δt, with Δt the time step of the update, `(n,)`."""
        return self._close(after, state, scale * self.update.time_step)

    def is_cycle(self, after: np.ndarray, before: np.ndarray | None, scale: np.ndarray) -> np.ndarray:
        """Cycle of two: |x⁺ − x₍t−1₎| ≤ tol · scale, `(n,)`.

        before: x₍t−1₎, None in the first step. False for an update that is not deterministic: it may leave the cycle.
        """
        if before is None or not self.update.deterministic:
            return np.zeros(len(after), dtype=bool)
        return self._close(after, before, scale)

    @staticmethod
    def has_grown(after: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Growth: |x⁺| > 2²⁰ · scale, `(n,)`. A state with a NaN has grown too."""
        return np.asarray(~(np.abs(after).max(axis=-1) <= GROWTH * scale))

    def _ended(
        self, after: np.ndarray, now: np.ndarray, before: np.ndarray | None, scale: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The next states, and how each cue ended, `(n,)`: a word of `Status`, or "" for a cue that goes on.

        A cue that has grown keeps the state before. A state that did not change is no cycle, and is a fixed point only
        if the update has fixed points.
        """
        grown = self.has_grown(after, scale)
        if grown.any():
            after = np.where(grown[:, None], now, after)
        rules = [grown, self.is_fixed_point(after, now, scale), self.is_cycle(after, before, scale)]
        fixed = Status.CONVERGED if self.update.has_fixed_points else ""
        return after, np.select(rules, [Status.DIVERGED, fixed, Status.CYCLE], default="")

    def _close(self, a: np.ndarray, b: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """|a − b| ≤ tol · scale, `(n,)`; for most states that differ, the first entry shows it."""
        close = np.abs(a[:, 0] - b[:, 0]) <= self.tol * scale
        near = np.flatnonzero(close)
        close[near] = np.abs(a[near] - b[near]).max(axis=-1) <= self.tol * scale[near]
        return np.asarray(close)

    def _step(
        self, states: np.ndarray, active: np.ndarray, n: int, context: StepContext
    ) -> tuple[np.ndarray, np.ndarray]:
        """The next states of the active cues, and the energies `(n,)` of their states before, 0 for the other cues."""
        mask = self._mask_of(active)
        energy = np.zeros(n)
        with np.errstate(over="ignore", invalid="ignore"):  # a state that overflows is reported as diverged
            if not self.has_energy:
                return self.update.step(self.memory, states, mask, context), energy
            after, energy[active] = self.update.step_with_energy(self.memory, states, mask, context)
        require_finite_energy(energy)
        return after, energy

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


def record_of(
    memory: Recallable,
    states: np.ndarray,
    steps: np.ndarray,
    status: np.ndarray,
    history: list[dict[str, np.ndarray]],
    energies: np.ndarray | None,
) -> Recall:
    """The record of a recall; `history` has the arrays that are kept of each step, by name."""
    by_step = {name: np.stack([arrays[name] for arrays in history]) for name in history[0]}
    return Recall(
        state=states,
        steps=steps,
        status=status,
        converged=status == Status.CONVERGED,
        energies=energies,
        reference=memory.reference,
        **by_step,
    )
