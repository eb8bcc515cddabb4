"""The rules that stop a cue in a recall: growth, a fixed point, a cycle.

They decide by a few numbers of each cue and step (`Seen`), which NumPy computes where they are asked for, and a device
for several steps at once.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hopattn.dynamics.protocol import Recallable
from hopattn.dynamics.record import WORDS, Status
from hopattn.dynamics.updates.base import Update
from hopattn.foundation.arrays import Array, namespace, on_host, require_finite_energy, tolerance
from hopattn.foundation.checks import real
from hopattn.foundation.vectors import largest_change

GROWTH = 2.0**20
"""A state that is this many times larger than the scale of its recall counts as diverged."""
TWO = 2
"""The length of the cycles that are noticed up to the tolerance."""


class Seen(NamedTuple):
    """The numbers of one step of n cues by which the rules judge it, `(n,)` each, of NumPy.

    size: |x⁺|; 0 for a cue that has grown. grown: whether it has. residual: the update's distance from a fixed point.
    back: gives |x⁺ − x₍t−1₎| for a bound, above which any larger number will do; None in the first step.
    same: whether the cues with these numbers have x⁺ = x₍a₎ bit by bit. read: gives their `size_read`, and
    least a lower bound of it.
    """

    size: np.ndarray
    grown: np.ndarray
    residual: np.ndarray
    back: Callable[[np.ndarray], np.ndarray] | None
    same: Callable[[np.ndarray], np.ndarray]
    read: Callable[[np.ndarray], np.ndarray]
    least: Callable[[], float]


class StoppingRule:
    """The rules that stop a cue, and how each cue has ended: `steps`, `status`, `residual` and `period`, `(n,)` each.

    With x₍t−1₎, x and x⁺ three states of a cue one after another, |·| the largest magnitude of an entry, and `size` the
    larger of |x⁺| and of Σ|p||ξ| / Σ|p|, the mean size of the patterns with the weights that x⁺ gives them, a cue stops
    at the first of

        growth:         |x⁺| > 2²⁰ · scale               scale the largest entry that the recall has a measure of
        a fixed point:  r ≤ tol · size                   r the residual: |x⁺ − x|, in continuous time |x⁺ − ∇Φ(h(x⁺))|
        a cycle of two: |x⁺ − x₍t−1₎| ≤ tol · size       x⁺ = x₍t−1₎ up to the tolerance
        a longer cycle: x⁺ = x₍a₎ bit by bit             a the last power of two before t, x₍a₎ the state after a steps

    The scale is the largest entry of the cue, the patterns and values, the first state, a random move of the update,
    and the bounds of the activation: a bounded state never diverges. A cue that has grown keeps x. A
    cycle of length λ that begins after μ steps is noticed before step 2 max(μ, λ) + λ (Brent 1980, BIT Numerical
    Mathematics 20, 176). An update that may leave a fixed point or a cycle does not stop there (`ends`).

    tol: as of `recall`. largest: the largest |entry| of all patterns and values. cues: `(n, dim)`, of any library.
    """

    def __init__(self, memory: Recallable, update: Update, tol: float | None, largest: float, cues: Array) -> None:
        xp, n = namespace(cues), int(cues.shape[0])
        default = 0.0 if memory.activation.discrete else tolerance(cues.dtype, xp)
        self.tol = default if tol is None else real(tol, "tol", least=0.0)
        self.memory, self.update, self.largest, self.ends = memory, update, largest, update.ends
        least = max(largest, update.spread(int(cues.shape[1])))
        self.scale = np.maximum(on_host(xp.max(xp.abs(cues), axis=-1)).astype(float), least)
        self.steps, self.status = np.zeros(n, dtype=int), np.full(n, Status.LIMIT, dtype=WORDS)
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
        size = np.abs(after).max(axis=-1)
        grown = self.grown(t, active, size, lambda rows: after[rows])
        if grown.any():
            after, size = np.where(grown[:, None], now, after), np.where(grown, 0, size)
        with np.errstate(over="ignore", invalid="ignore"):
            residual = self.update.residual(self.memory, now, after, mask)

        def back(bound: np.ndarray) -> np.ndarray:
            """For most states that differ, the first entry shows it."""
            change = np.abs(after[:, 0] - before[:, 0])  # type: ignore[index]
            near = np.flatnonzero(change <= bound)
            change[near] = largest_change(before[near], after[near])  # type: ignore[index]
            return np.asarray(change)

        def same(rows: np.ndarray) -> np.ndarray:
            equal = after[rows, 0] == self.kept[active[rows], 0]
            near = rows[equal]
            equal[equal] = np.all(after[near] == self.kept[active[near]], axis=-1)
            return np.asarray(equal)

        def read(rows: np.ndarray) -> np.ndarray:
            return np.asarray(self.memory.size_read(after[rows], None if mask is None else mask[rows]))

        def least() -> float:
            return self.memory.least_read if mask is None else 0.0

        seen = Seen(size, grown, residual, None if before is None else back, same, read, least)
        return after, self.decide(t, active, seen)

    def grown(self, t: int, active: np.ndarray, size: np.ndarray, states: Callable[[np.ndarray], Array]) -> np.ndarray:
        """Which of the active cues have grown without bound in step t, `(n_active,)`.

        size: |x⁺|, `(n_active,)`. states: gives x⁺ of the active cues with these numbers.
        """
        size, finite = size.astype(float), np.isfinite(size)
        if t == 1:
            self.scale = np.maximum(self.scale, np.where(finite, size, 0))
        with np.errstate(over="ignore", invalid="ignore"):  # a scale near the largest number: no finite state has grown
            asked = np.flatnonzero(finite & (size > GROWTH * self.scale[active]))
            if asked.size:
                rows = active[asked]
                bounds = on_host(self.memory.activation.bounds(states(asked))).max(axis=-1)
                self.scale[rows] = np.maximum(self.scale[rows], bounds)
            return np.asarray(~finite | (size > GROWTH * self.scale[active]))

    def decide(self, t: int, active: np.ndarray, seen: Seen) -> np.ndarray:
        """Which of the active cues go on after step t, `(n_active,)`, and how the others have ended."""
        ended, period = np.full(len(active), "", dtype=WORDS), np.zeros(len(active), dtype=int)
        if Status.CONVERGED in self.ends:
            ended[self.is_small(seen.residual, seen)] = Status.CONVERGED
        if Status.CYCLE in self.ends and seen.back is not None:
            change = seen.back(self.tol * np.maximum(seen.size, self.largest))
            period[self.is_small(np.where(ended == "", change, np.inf), seen)] = TWO
        ended[seen.grown] = Status.DIVERGED
        if Status.CYCLE in self.ends and t - self.kept_at > TWO:
            others = np.flatnonzero(period == 0)
            period[others[seen.same(others)]] = t - self.kept_at
        period[ended != ""] = 0
        ended[period > 0] = Status.CYCLE
        stopped = ended != ""
        self.steps[active], self.period[active], self.residual[active] = t, period, seen.residual
        self.status[active[stopped]] = ended[stopped]
        goes_on: np.ndarray = ~stopped
        return goes_on

    def tell_nothing_near(self, states: Array, mask: Array | None) -> None:
        """Call a fixed point "nothing near" where no pattern takes part in its step; states: the last, `(n, dim)`."""
        rests = self.status == Status.CONVERGED
        if rests.any():
            with np.errstate(over="ignore", invalid="ignore"):  # of the states that go on
                alone = on_host(self.memory.nothing_near(states, mask))
            self.status[alone & rests] = Status.NOTHING_NEAR

    def energies(
        self, before: list[np.ndarray], eps: float, energy_of: Callable[[np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """The energies of all states of the recall, `(n, T+1)`.

        before: `(n,)` before each step. eps: that of the states. energy_of: gives the energies of the last states of
        the cues with these numbers. At a fixed point the energy is level: a state that changed by no more than √ε keeps
        its energy up to ε, so that the energy of the state before stands for it.
        """
        last = np.stack(before)[self.steps - 1, np.arange(len(self.steps))]
        level = (self.status == Status.CONVERGED) & (self.tol <= eps**0.5)
        if not np.all(level):
            with np.errstate(over="ignore"):
                last[~level] = found = energy_of(np.flatnonzero(~level))
            require_finite_energy(last.astype(found.dtype), self.memory.cure)
        table = np.stack([*before, last])
        return np.asarray(np.where(np.arange(len(table))[:, None] >= self.steps, last, table).T)

    def remember(self, states: Array, t: int) -> None:
        """Keep the states `(n, dim)` after step t, a power of two, to notice when one comes back."""
        if t & (t - 1) == 0:
            self.kept, self.kept_at = states, t

    def is_small(self, change: np.ndarray, seen: Seen) -> np.ndarray:
        """Whether the changes `(n,)` that led to the states are at most tol · size, `(n,)`.

        Where a state is smaller than the patterns, the weights give the size of those that it reads: a pattern
        without weight does not count, however large it is.
        """
        small = np.asarray(change <= self.tol * seen.size)
        undecided = np.flatnonzero(~small & (change <= self.tol * self.largest))
        if undecided.size:
            small[undecided] = change[undecided] <= self.tol * seen.least()
            undecided = undecided[~small[undecided]]
        if undecided.size:
            small[undecided] = change[undecided] <= self.tol * seen.read(undecided)
        return small
