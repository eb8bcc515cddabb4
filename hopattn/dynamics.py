"""Dynamics: recall, the repeated application of a memory's update until nothing changes.

What is recalled over is a protocol, not a class: see `hopattn.updates.base`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.arrays import as_float, namespace, nonzero, require_dim, require_finite, require_within, tolerance, whole
from hopattn.errors import InvalidInput, reject_unknown
from hopattn.masks import MaskRule, resolve
from hopattn.record import Recall, Status, likeness, overlaps
from hopattn.updates import updates
from hopattn.updates.base import Descent, Recallable, Turn, Update
from hopattn.updates.together import Synchronous

GROWTH = 2.0**20
"""A state this many times larger than its cue and all patterns counts as diverged."""


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
    that draw. mask: `(n_cues, n_patterns)`. keep: what the record holds of every step, of "trajectory" (the states),
    "overlaps" and "weights". Where the answer is of another dim than the cue, one step is taken. Raises `InvalidInput`
    naming the row of a cue that cannot be used, and for an update that the memory cannot have.
    """
    rule = updates.make(update)
    whole(max_steps, "max_steps")
    kept = _kept(memory, keep)
    if memory.lacks_recall:
        return _answer(memory, cues, rule, mask, kept)
    if obstacle := rule.obstacle(memory):
        raise InvalidInput(f"update: {obstacle}")
    start = _checked_cues(memory, cues)
    states = start[None, :] if start.ndim == 1 else start
    tolerated, allowed = _checked_tol(tol, memory, start.dtype), _checked_mask(mask, memory, len(states))
    record = _Course(memory, rule, tolerated, allowed, kept).run(states, max_steps, _generator(rng))
    return record if start.ndim > 1 else record.only_row()


class Recalled:
    """What whatever has the protocol gets from it: `recall`, whether the energy falls, and nothing that it lacks.

    Each `lacks_…` says why something is not there, and is empty where it is.
    """

    @property
    def lacks_recall(self) -> str:
        """Why a state cannot be a cue."""
        return ""

    @property
    def lacks_energy(self) -> str:
        """Why there is no energy."""
        return ""

    @property
    def lacks_convexity(self) -> str:
        """Why the potential is not convex."""
        return ""

    @property
    def lacks_single_updates(self) -> str:
        """Why neurons cannot be updated one at a time."""
        return ""

    @property
    def lacks_single_convexity(self) -> str:
        """Why the potential is not convex in each neuron alone."""
        return self.lacks_convexity

    @property
    def lacks_flow(self) -> str:
        """Why the field cannot be followed in continuous time."""
        return ""

    @property
    def curvature(self) -> float:
        """How much ½|x|² would make the potential convex: nothing where it is so, infinite where none would."""
        return float("inf") if self.lacks_convexity else 0.0

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
    keep: tuple[str, ...]

    def run(self, states: np.ndarray, max_steps: int, rng: np.random.Generator) -> Recall:
        """Step the cues that are still moving; each stops on its own, whatever the others do."""
        scale = nonzero(np.maximum(np.abs(states).max(axis=-1), np.abs(self.memory.patterns).max(initial=0.0)))
        steps = np.full(len(states), max_steps)
        status = np.full(len(states), Status.LIMIT, dtype="<U9")
        active, before, own = (
            np.arange(len(states)),
            states,
            tuple(rng.spawn(len(states)) if self.rule.by_chance else ()),
        )
        history = [self._told(states)]
        for t in range(1, max_steps + 1):
            moved = self._step(states, active, Turn(t - 1, rng, tuple(own[i] for i in active if own)))
            diverged = ~np.all(np.abs(moved) <= GROWTH * scale[active, None], axis=-1)
            moved = np.where(diverged[:, None], states[active], moved)
            unmoved = self._same(moved, states[active], scale[active] * self.rule.pace)
            same = unmoved & ~diverged & self.rule.rests
            back = self._same(moved, before[active], scale[active])
            cycle = back & ~unmoved & ~diverged & (t > 1) & self.rule.repeats
            before, states = states, states.copy()
            states[active] = moved
            history.append(self._told(states))
            for ended, word in ((diverged, Status.DIVERGED), (same, Status.CONVERGED), (cycle, Status.CYCLE)):
                status[active[ended]], steps[active[ended]] = word, t
            active = active[~(diverged | same | cycle)]
            if not active.size:
                break
        return _record(self.memory, states, steps, status, history)

    def _step(self, states: np.ndarray, active: np.ndarray, turn: Turn) -> np.ndarray:
        mask = None if self.mask is None else self.mask[active]
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is reported as diverged
            return self.rule.step(self.memory, states[active], mask, turn)

    def _same(self, a: np.ndarray, b: np.ndarray, scale: np.ndarray) -> np.ndarray:
        return np.asarray(np.abs(a - b).max(axis=-1) <= self.tol * scale)

    def _told(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """What the record keeps of one step."""
        ways: dict[str, Callable[[], Any]] = {
            "trajectory": lambda: states,
            "overlaps": lambda: overlaps(states, self.memory.patterns),
            "weights": lambda: self.memory.weights(states, self.mask),  # type: ignore[attr-defined]
            "energies": lambda: self._energy(states),
        }
        return {name: np.asarray(ways[name]()) for name in self.keep}

    def _energy(self, states: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            energy = np.asarray(self.memory.energy(states, self.mask))
        require_within(energy)
        return energy


def _record(
    memory: Recallable, states: np.ndarray, steps: np.ndarray, status: np.ndarray, history: list[dict[str, np.ndarray]]
) -> Recall:
    by_step = {name: np.stack([told[name] for told in history]) for name in history[0]}
    energies = by_step.pop("energies", None)
    return Recall(
        state=states,
        steps=steps,
        status=status,
        converged=status == Status.CONVERGED,
        energies=None if energies is None else energies.T,
        **vars(likeness(states, memory.patterns, memory.activation)),
        **by_step,
    )


def _answer(memory: Recallable, cues: Any, rule: Update, mask: Any, kept: tuple[str, ...]) -> Recall:
    """The record of an answer that is no cue itself: one step, and what the answer is like."""
    if kept or not isinstance(rule, Synchronous):
        what = f"keep: {kept[0]}" if kept else f"update: {rule!r}"
        raise InvalidInput(f"{what} needs a recall of several steps, but {memory.lacks_recall}")
    given = as_float(cues, "cues")
    _require_cues(given)
    require_finite(given, "cues")
    n = 1 if given.ndim == 1 else len(given)
    states = np.asarray(memory.step(np.atleast_2d(given), _checked_mask(mask, memory, n)))
    status = np.full(n, Status.ANSWERED, dtype="<U9")
    record = _record(memory, states, np.ones(n, dtype=int), status, [{}])
    return record if given.ndim > 1 else record.only_row()


def _kept(memory: Recallable, keep: Sequence[str]) -> tuple[str, ...]:
    """What the record keeps of each step: what is asked for, and the energies where there are any."""
    asked = (keep,) if isinstance(keep, str) else tuple(keep or ())
    reject_unknown("keep", asked, Recall.BY_STEP)
    if "weights" in asked and not hasattr(memory, "weights"):
        raise InvalidInput("keep: a network of couplings has no weights of patterns")
    return (*asked, *(() if memory.lacks_energy else ("energies",)))


def _checked_cues(memory: Recallable, cues: Any) -> np.ndarray:
    given = as_float(cues, "cues")
    for array, what in ((given, "cues"), (memory.patterns, "patterns")):
        if namespace(array) is not np:
            raise InvalidInput(f"{what}: recall runs on NumPy arrays; `step` runs on those of any library")
    require_dim(given, memory.patterns.shape[-1], "cues", "patterns")
    _require_cues(given)
    require_finite(given, "cues")
    for i, row in enumerate(given if given.ndim > 1 else given[None, :]):
        if reason := memory.activation.foreign(row):
            raise InvalidInput(f"cues: {'the cue' if given.ndim == 1 else f'row {i}'} {reason}")
    return np.array(given, dtype=np.result_type(given, memory.patterns))


def _require_cues(given: np.ndarray) -> None:
    if given.ndim not in (1, 2) or given.size == 0:
        raise InvalidInput(f"cues: expected (n_cues, dim) or (dim,), not shape {given.shape}")


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
    shape = (n_cues, len(getattr(memory, "keys", memory.patterns)))
    return np.broadcast_to(np.asarray(resolve(mask, np.zeros(shape))), shape)


def _generator(rng: Any) -> np.random.Generator:
    try:
        if isinstance(rng, np.random.RandomState):
            raise TypeError
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InvalidInput(f"rng: expected a seed or a numpy.random.Generator, not {rng!r}") from None
