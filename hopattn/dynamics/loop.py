"""The course of one recall: step after step, until each cue rests, cycles or diverges, or the steps are done."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.dynamics.record import Recall, Status
from hopattn.dynamics.updates.base import Recallable, Turn, Update
from hopattn.foundation.arrays import require_within
from hopattn.foundation.vectors import nonzero

GROWTH = 2.0**20
"""A state this many times larger than its cue and all patterns counts as diverged."""


@dataclass(frozen=True, eq=False)
class Course:
    """The course of one recall: what stays the same from step to step."""

    memory: Recallable
    rule: Update
    tol: float
    mask: np.ndarray | None
    keep: tuple[str, ...]
    has_energy: bool

    def run(self, states: np.ndarray, max_steps: int, rng: np.random.Generator) -> Recall:
        """Step the cues that are still moving; each stops on its own, whatever the others do."""
        n = len(states)
        scale = nonzero(np.maximum(np.abs(states).max(axis=-1), self.memory.known.largest))
        steps, status = np.full(n, max_steps), np.full(n, Status.LIMIT, dtype="<U9")
        own = tuple(rng.spawn(n) if self.rule.by_chance else ())
        active, before = np.arange(n), states
        history, energies = [self._told(states)], []
        for t in range(1, max_steps + 1):
            turn = Turn(t - 1, rng, tuple(own[i] for i in active) if own else ())
            now, size = states[active], scale[active]
            moved, energy = self._step(now, active, n, turn)
            diverged = ~(np.abs(moved).max(axis=-1) <= GROWTH * size)  # a NaN too
            if diverged.any():
                moved = np.where(diverged[:, None], now, moved)
            unmoved = self._same(moved, now, size * self.rule.pace)
            same = unmoved & ~diverged & self.rule.rests
            back = self._same(moved, before[active], size) if t > 1 and self.rule.repeats else np.zeros_like(same)
            cycle = back & ~unmoved & ~diverged
            before, states = states, states.copy()
            states[active] = moved
            history.append(self._told(states))
            energies.append(energy)
            for ended, word in ((diverged, Status.DIVERGED), (same, Status.CONVERGED), (cycle, Status.CYCLE)):
                status[active[ended]], steps[active[ended]] = word, t
            active = active[~(diverged | same | cycle)]
            if not active.size:
                break
        return record_of(self.memory, states, steps, status, history, self._fallen(energies, states, steps, status))

    def _step(self, states: np.ndarray, active: np.ndarray, n: int, turn: Turn) -> tuple[np.ndarray, np.ndarray]:
        """The next states of the active cues, and the energies of their states before, with 0 for the others `(n,)`."""
        mask = self._mask(active)
        energy = np.zeros(n)
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is reported as diverged
            if not self.has_energy:
                return self.rule.step(self.memory, states, mask, turn), energy
            moved, energy[active] = self.rule.step_with_energy(self.memory, states, mask, turn)
        require_within(energy)
        return moved, energy

    def _fallen(
        self, energies: list[np.ndarray], states: np.ndarray, steps: np.ndarray, status: np.ndarray
    ) -> np.ndarray | None:
        """The energies `(n, T+1)` of all states on the way.

        At a fixed point the energy is level: what moved by no more than √ε has the energy that it had, up to ε.
        """
        if not self.has_energy:
            return None
        rested = (status == Status.CONVERGED) & (self.tol <= float(np.finfo(states.dtype).eps) ** 0.5)
        last = np.stack(energies)[steps - 1, np.arange(len(steps))]
        if not np.all(rested):
            mask = self._mask(np.flatnonzero(~rested))
            with np.errstate(over="ignore"):
                last[~rested] = self.memory.energy(states[~rested], mask)
            require_within(last)
        table = np.stack([*energies, last])
        return np.where(np.arange(len(table))[:, None] >= steps, last, table).T

    def _mask(self, cues: np.ndarray) -> np.ndarray | None:
        """The mask of some cues; one that is the same for all is not copied for each."""
        if self.mask is None or self.mask.strides[0]:
            return None if self.mask is None else self.mask[cues]
        return np.broadcast_to(self.mask[0], (len(cues), self.mask.shape[1]))

    def _same(self, a: np.ndarray, b: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Whether two states are one, up to the tolerance; for most that are not, the first entry tells."""
        same = np.abs(a[:, 0] - b[:, 0]) <= self.tol * scale
        near = np.flatnonzero(same)
        same[near] = np.abs(a[near] - b[near]).max(axis=-1) <= self.tol * scale[near]
        return np.asarray(same)

    def _told(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """What the record keeps of one step."""
        ways: dict[str, Callable[[], Any]] = {
            "trajectory": lambda: states,
            "overlaps": lambda: self.memory.known.overlaps(states),
            "weights": lambda: self.memory.weights(states, self.mask),  # type: ignore[attr-defined]
        }
        return {name: np.asarray(ways[name]()) for name in self.keep}


def record_of(
    memory: Recallable,
    states: np.ndarray,
    steps: np.ndarray,
    status: np.ndarray,
    history: list[dict[str, np.ndarray]],
    energies: np.ndarray | None,
) -> Recall:
    """The record of states that have stopped; `history` is what it keeps of each step."""
    by_step = {name: np.stack([told[name] for told in history]) for name in history[0]}
    return Recall(
        state=states,
        steps=steps,
        status=status,
        converged=status == Status.CONVERGED,
        energies=energies,
        known=memory.known,
        **by_step,
    )
