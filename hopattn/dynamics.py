"""Dynamics: recall, the repeated application of a memory's update until nothing changes.

What is recalled over is a protocol, not a class: see `hopattn.updates`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from hopattn.arrays import as_float, namespace, nonzero, require_dim, require_finite, tolerance, whole
from hopattn.errors import InvalidInput, reject_unknown
from hopattn.masks import MaskRule, resolve
from hopattn.similarity import Cosine
from hopattn.updates import Descent, Recallable, Update, updates

GROWTH = 2.0**20
"""A state this many times larger than its cue and all patterns counts as diverged."""

MATCH = 0.95
"""A state counts as a stored pattern from this cosine on. The retrieval states of the classical network keep an
overlap of 0.967 with their pattern up to the critical load (Amit, Gutfreund & Sompolinsky 1985), spurious mixtures of
three have 0.5."""


class Status(StrEnum):
    """How a recall ended; `meaning` says it in a sentence."""

    CONVERGED = "converged"
    CYCLE = "cycle"
    LIMIT = "limit"
    DIVERGED = "diverged"

    @property
    def meaning(self) -> str:
        return {
            Status.CONVERGED: "the state is a fixed point of the update",
            Status.CYCLE: "the update leads back to the state before the last: a cycle of two",
            Status.LIMIT: "no fixed point and no cycle of two was met within max_steps",
            Status.DIVERGED: "the state outgrew its patterns a millionfold; choose activation='unit' or a smaller beta",
        }[self]


@dataclass(frozen=True, eq=False)
class Recall:
    """What came of a recall; a single cue `(dim,)` drops the axis n everywhere.

    state: `(n, dim)`. steps: `(n,)`, applications of the update, the one that found the fixed point included.
    status: `(n,)`, words of `hopattn.dynamics.Status`, whose `meaning` says them in a sentence. converged: `(n,)`.
    energies: `(n, T+1)`, or None for a memory without one. matched: `(n,)`, the stored pattern whose cosine with the
    state is largest and at least `MATCH`, −1 where there is none. similarity: `(n,)`, that largest cosine.
    trajectory: `(T+1, n, dim)` if kept, else None. A cue that stopped repeats its last state.
    """

    state: Any
    steps: Any
    status: Any
    converged: Any
    energies: Any
    matched: Any
    similarity: Any
    trajectory: Any = None


def recall(
    memory: Recallable,
    cues: Any,
    *,
    update: str | Update = "sync",
    max_steps: int = 100,
    tol: float | None = None,
    rng: int | np.random.Generator | None = None,
    mask: Any = None,
    keep: Sequence[str] = (),
) -> Recall:
    """Apply the update to each cue until it stops changing, cycles, diverges, or `max_steps` are done.

    cues: `(n_cues, dim)` or `(dim,)`, NumPy, finite, within the activation's domain. tol: largest change of an entry,
    relative to the largest entry, that counts as none (default: exact equality for spins, else ε^¾). rng: for updates
    that draw. mask: `(n_cues, n_patterns)`. keep: ("trajectory",) to keep every state. Raises `InvalidInput` naming
    the row of a cue that cannot be used.
    """
    if memory.lacks_recall:
        raise InvalidInput(f"recall: {memory.lacks_recall}")
    rule = updates.make(update)
    whole(max_steps, "max_steps")
    reject_unknown("keep", [keep] if isinstance(keep, str) else keep or (), ["trajectory"])
    start = _checked_cues(memory, cues)
    states = start[None, :] if start.ndim == 1 else start
    course = _Course(memory, rule, _checked_tol(tol, memory, start.dtype), _checked_mask(mask, memory, len(states)))
    record = course.run(states, max_steps, _generator(rng), bool(keep))
    return record if start.ndim > 1 else _only_row(record)


class Recalled:
    """What whatever has the protocol gets from it: `recall`, and whether the energy falls."""

    @property
    def lacks_recall(self) -> str:
        """Why a state cannot be a cue, or an empty string where it can."""
        return ""

    def recall(
        self: Recallable,
        cues: Any,
        *,
        update: str | Update = "sync",
        max_steps: int = 100,
        tol: float | None = None,
        rng: int | np.random.Generator | None = None,
        mask: Any = None,
        keep: Sequence[str] = (),
    ) -> Recall:
        """Step until nothing changes: see `hopattn.dynamics.recall` for the options and the record."""
        return recall(self, cues, update=update, max_steps=max_steps, tol=tol, rng=rng, mask=mask, keep=keep)

    def descends(self: Recallable, update: str | Update = "sync") -> Descent:
        """Whether this update never raises the energy: a yes or no (in a condition) with its `reason`."""
        return updates.make(update).descends(self)


@dataclass(frozen=True, eq=False)
class _Course:
    """The course of one recall: what stays the same from step to step."""

    memory: Recallable
    rule: Update
    tol: float
    mask: np.ndarray | None

    def run(self, states: np.ndarray, max_steps: int, rng: np.random.Generator, keep_trajectory: bool) -> Recall:
        """Step the cues that are still moving; each stops on its own, whatever the others do."""
        scale = nonzero(np.maximum(np.abs(states).max(axis=-1), np.abs(self.memory.patterns).max(initial=0.0)))
        steps = np.full(len(states), max_steps)
        status = np.full(len(states), Status.LIMIT, dtype="<U9")
        active, before = np.arange(len(states)), states
        energies, trajectory = [self._energy(states)], [states]
        for t in range(1, max_steps + 1):
            moved = self._step(states, active, rng)
            diverged = ~np.all(np.abs(moved) <= GROWTH * scale[active, None], axis=-1)
            moved = np.where(diverged[:, None], states[active], moved)
            same = self._same(moved, states[active], scale[active]) & ~diverged
            cycle = self._same(moved, before[active], scale[active]) & ~same & ~diverged & (t > 1)
            before, states = states, states.copy()
            states[active] = moved
            energies.append(self._energy(states))
            trajectory += [states] if keep_trajectory else []
            for ended, word in ((diverged, Status.DIVERGED), (same, Status.CONVERGED), (cycle, Status.CYCLE)):
                status[active[ended]], steps[active[ended]] = word, t
            active = active[~(diverged | same | cycle)]
            if not active.size:
                break
        return self._record(states, steps, status, energies, trajectory if keep_trajectory else None)

    def _step(self, states: np.ndarray, active: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        mask = None if self.mask is None else self.mask[active]
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is reported as diverged
            return self.rule.step(self.memory, states[active], mask, rng)

    def _same(self, a: np.ndarray, b: np.ndarray, scale: np.ndarray) -> np.ndarray:
        return np.asarray(np.abs(a - b).max(axis=-1) <= self.tol * scale)

    def _energy(self, states: np.ndarray) -> np.ndarray | None:
        return None if self.memory.lacks_energy else np.asarray(self.memory.energy(states, self.mask))

    def _record(
        self,
        states: np.ndarray,
        steps: np.ndarray,
        status: np.ndarray,
        energies: list[Any],
        trajectory: list[np.ndarray] | None,
    ) -> Recall:
        known = len(self.memory.patterns) > 0
        cosines = Cosine()(states, self.memory.patterns if known else np.zeros_like(states[:1]))
        similarity = cosines.max(axis=-1)
        return Recall(
            state=states,
            steps=steps,
            status=status,
            converged=status == Status.CONVERGED,
            energies=None if self.memory.lacks_energy else np.stack(energies, axis=-1),
            matched=np.where(similarity >= MATCH, cosines.argmax(axis=-1), -1),
            similarity=similarity,
            trajectory=None if trajectory is None else np.stack(trajectory),
        )


def _only_row(record: Recall) -> Recall:
    values = {
        name: value if value is None else value[0] for name, value in vars(record).items() if name != "trajectory"
    }
    trajectory = None if record.trajectory is None else record.trajectory[:, 0]
    return Recall(**values, trajectory=trajectory)


def _checked_cues(memory: Recallable, cues: Any) -> np.ndarray:
    given = as_float(cues, "cues")
    for array, what in ((given, "cues"), (memory.patterns, "patterns")):
        if namespace(array) is not np:
            raise InvalidInput(f"{what}: recall runs on NumPy arrays; `step` runs on those of any library")
    require_dim(given, memory.patterns.shape[-1], "cues", "patterns")
    if given.ndim > 2 or given.size == 0:
        raise InvalidInput(f"cues: expected (n_cues, dim) or (dim,), not shape {given.shape}")
    require_finite(given, "cues")
    for i, row in enumerate(given if given.ndim > 1 else given[None, :]):
        if reason := memory.activation.foreign(row):
            raise InvalidInput(f"cues: {'the cue' if given.ndim == 1 else f'row {i}'} {reason}")
    return np.array(given, dtype=np.result_type(given, memory.patterns))


def _checked_tol(tol: Any, memory: Recallable, dtype: Any) -> float:
    if tol is None:
        return 0.0 if memory.activation.discrete else tolerance(dtype)
    if isinstance(tol, (str, bool)) or not isinstance(tol, (int, float, np.number)) or not tol >= 0:
        raise InvalidInput(f"tol: expected a number of at least 0, not {tol!r}")
    return float(tol)


def _checked_mask(mask: Any, memory: Recallable, n_cues: int) -> np.ndarray | None:
    """The mask of each cue, `(n_cues, n_patterns)`; a rule is refused, because cues are no text."""
    if mask is None:
        return None
    if isinstance(mask, (str, MaskRule)):
        raise InvalidInput(f"mask: recall takes booleans (n_cues, n_patterns), not the rule {mask!r}")
    shape = (n_cues, len(memory.patterns))
    return np.broadcast_to(np.asarray(resolve(mask, np.zeros(shape))), shape)


def _generator(rng: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InvalidInput(f"rng: expected a seed or a numpy.random.Generator, not {rng!r}") from None
