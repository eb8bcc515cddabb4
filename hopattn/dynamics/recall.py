"""Dynamics: recall, the repeated application of a memory's update until nothing changes.

What is recalled over is a protocol, not a class: see `hopattn.dynamics.updates.base`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopattn.dynamics.likeness import Known
from hopattn.dynamics.loop import Course, record_of
from hopattn.dynamics.record import Recall, Status
from hopattn.dynamics.updates import updates
from hopattn.dynamics.updates.base import Descent, Recallable, Update
from hopattn.dynamics.updates.together import Synchronous
from hopattn.foundation.arrays import as_float, namespace, require_dim, require_finite, tolerance
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.scalars import whole
from hopattn.retrieval.activation import Activation
from hopattn.retrieval.masks import MaskRule, resolve


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
    record = Course(memory, rule, tolerated, allowed, kept, not memory.lacks_energy).run(
        states, max_steps, _generator(rng)
    )
    return record if start.ndim > 1 else record.only_row()


class Recalled:
    """What whatever has the protocol gets from it: `recall`, whether the energy falls, and nothing that it lacks.

    Each `lacks_…` says why something is not there, and is empty where it is.
    """

    @property
    def known(self: Recallable) -> Known:
        """What its states are compared with."""
        return Known(self.patterns, self.activation)

    @property
    def n_keys(self: Recallable) -> int:
        """How many keys a mask is for."""
        return self.known.shape[0]

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
        """Step until nothing changes: see `hopattn.dynamics.recall.recall` for the options and the record."""
        return recall(self, cues, update=update, max_steps=max_steps, tol=tol, rng=rng, mask=mask, keep=keep)

    def step_with_energy(self: Recallable, states: Any, mask: Any = None) -> tuple[Any, Any]:
        """One step, and the energy of the states before it."""
        return self.step(states, mask), self.energy(states, mask)

    def descends(self: Recallable, update: str | Update = "sync") -> Descent:
        """Whether this update never raises the energy: a yes or no (in a condition) with its `reason`."""
        return updates.make(update).descends(self)


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
    record = record_of(memory, states, np.ones(n, dtype=int), status, [{}], None)
    return record if given.ndim > 1 else record.only_row()


def _kept(memory: Recallable, keep: Sequence[str]) -> tuple[str, ...]:
    """What the record keeps of each step, because it is asked for."""
    asked = (keep,) if isinstance(keep, str) else tuple(keep or ())
    reject_unknown("keep", asked, Recall.BY_STEP)
    if "weights" in asked and not hasattr(memory, "weights"):
        raise InvalidInput("keep: a network of couplings has no weights of patterns")
    return asked


def _checked_cues(memory: Recallable, cues: Any) -> np.ndarray:
    given = as_float(cues, "cues")
    if namespace(given) is not np:
        raise InvalidInput("cues: recall runs on NumPy arrays; `step` runs on those of any library")
    known = memory.known
    require_dim(given, known.shape[-1], "cues", "patterns")
    _require_cues(given)
    require_finite(given, "cues")
    chooses = type(memory.activation).foreign is not Activation.foreign
    for i, row in enumerate(np.atleast_2d(given) if chooses else ()):
        if reason := memory.activation.foreign(row):
            raise InvalidInput(f"cues: {'the cue' if given.ndim == 1 else f'row {i}'} {reason}")
    return np.array(given, dtype=np.result_type(given, known.dtype))


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
    shape = (n_cues, memory.n_keys)
    return np.broadcast_to(np.asarray(resolve(mask, np.broadcast_to(0.0, shape))), shape)


def _generator(rng: Any) -> np.random.Generator:
    try:
        if isinstance(rng, np.random.RandomState):
            raise TypeError
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InvalidInput(f"rng: expected a seed or a numpy.random.Generator, not {rng!r}") from None
