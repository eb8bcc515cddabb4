"""Recall: apply a memory's update to each cue until nothing changes."""

from collections.abc import Callable, Sequence
from inspect import cleandoc
from typing import Any, TypeVar

import numpy as np

from hopattn.dynamics.loop import Ending, RecallLoop, record_of
from hopattn.dynamics.protocol import Recallable
from hopattn.dynamics.record import Recall, Status
from hopattn.dynamics.saving import Savable
from hopattn.dynamics.updates import updates
from hopattn.dynamics.updates.base import Descent, Update
from hopattn.dynamics.updates.synchronous import Synchronous
from hopattn.foundation.arrays import as_float, most_multiplied, namespace, require_dim, require_finite, tolerance
from hopattn.foundation.checks import REPEATED, Seed, each, generator, real, whole
from hopattn.foundation.errors import InvalidInput, quoted, reject_unknown
from hopattn.results.display import ShownInNotebook
from hopattn.retrieval.activation import Activation
from hopattn.retrieval.masks import MaskRule, resolve

Method = TypeVar("Method", bound=Callable[..., Recall])


def _with_fields_of_record(method: Method) -> Method:
    """The method with the fields of a `Recall` at the end of its docstring, so that `help` is whole."""
    method.__doc__ = "\n\n".join(cleandoc(text or "") for text in (method.__doc__, Recall.__doc__))
    return method


class AssociativeMemory(Recallable, Savable, ShownInNotebook):
    """A memory that recalls: the protocol, with `recall`, `descends` and `save`."""

    @_with_fields_of_record
    def recall(
        self,
        cues: Any,
        *,
        update: str | Update = "sync",
        max_steps: int = 100,
        tol: float | None = None,
        seed: Seed = None,
        rng: Seed = None,
        mask: Any = None,
        keep: Sequence[str] = (),
    ) -> Recall:
        """Apply the update to each cue until it stops changing, cycles, diverges, or `max_steps` are done.

        cues: `(n_cues, dim)` or `(dim,)`, NumPy, finite, within the activation's domain.
        update: a name such as "sync" or "async", or an object such as `ha.Glauber(temperature=0.1)`.
        max_steps: the largest number of steps, from 1 to 100 million.
        tol: the largest change of an entry that counts as no change, relative to the largest entry of the state, or of
        the patterns that it reads if that is larger (default: exact equality for spins, else ε^¾).
        seed: a whole number or a generator, for updates that draw (default: other draws in each call).
        rng: another name of `seed`; give one of them.
        mask: booleans `(n_cues, n_patterns)`, True for a pattern that the cue may attend to (default: all).
        keep: the arrays that the record keeps of every step: "trajectory" (the states), "overlaps", "weights".

        Where the answer has another dim than the cue, one step is taken. Raises `InvalidInput` for a cue that cannot be
        used, naming its row, and for an update that the memory does not allow. The answer is a `Recall`:
        """
        own = generator(seed, rng)
        record = recall(self, cues, update=update, max_steps=max_steps, tol=tol, rng=own, mask=mask, keep=keep)
        if self.may_close:
            _ = record.matched
        return record

    @property
    def may_close(self) -> bool:
        """Whether the patterns may be out of reach later, so that a recall compares its states with them at once."""
        return False

    def descends(self, update: str | Update = "sync") -> Descent:
        """Whether this update never raises the energy: true or false in a condition, with the `reason`."""
        return updates.make(update).descends(self)


def recall(
    memory: Recallable,
    cues: Any,
    *,
    update: str | Update,
    max_steps: int,
    tol: float | None,
    rng: np.random.Generator,
    mask: Any,
    keep: Sequence[str],
) -> Recall:
    """The record of a recall; `AssociativeMemory.recall` describes the arguments."""
    rule = updates.make(update)
    whole(max_steps, "max_steps", most=REPEATED)
    kept = _checked_keep(memory, keep)
    if memory.why_no_recall:
        return _answer(memory, cues, rule, mask, kept)
    if obstacle := rule.obstacle(memory):
        raise InvalidInput(f"update: {obstacle}")
    start = _checked_cues(memory, cues)
    states = start[None, :] if start.ndim == 1 else start
    tolerated, allowed = _checked_tol(tol, memory, start.dtype), _checked_mask(mask, memory, len(states))
    loop = RecallLoop(memory, rule, tolerated, allowed, kept, not memory.why_no_energy)
    record = loop.run(states, max_steps, rng)
    return record if start.ndim > 1 else record.only_row()


def _answer(memory: Recallable, cues: Any, rule: Update, mask: Any, kept: tuple[str, ...]) -> Recall:
    """The record of one step, for a memory whose answer has another dim than its cue."""
    if kept or not isinstance(rule, Synchronous):
        what = f"keep: {kept[0]}" if kept else f"update: {quoted(rule)}"
        raise InvalidInput(f"{what} needs a recall of several steps, but {memory.why_no_recall}")
    given = as_float(cues, "cues")
    _require_cues(given)
    require_finite(given, "cues", most_multiplied(given))
    n = 1 if given.ndim == 1 else len(given)
    states = np.asarray(memory.step(np.atleast_2d(given), _checked_mask(mask, memory, n)))
    status = np.full(n, Status.ANSWERED, dtype="<U9")
    none = np.zeros(n, dtype=int)
    record = record_of(memory, states, Ending(none + 1, status, np.full(n, np.inf), none), [{}], None)
    return record if given.ndim > 1 else record.only_row()


def _checked_keep(memory: Recallable, keep: Sequence[str]) -> tuple[str, ...]:
    """The argument `keep` as a tuple of known names."""
    names = (keep,) if isinstance(keep, str) else () if keep is None else keep
    asked = each(names, str, "keep", "the name of an array")
    reject_unknown("keep", asked, Recall.BY_STEP)
    if "weights" in asked and not hasattr(memory, "weights"):
        raise InvalidInput("keep: a network of couplings has no weights of patterns")
    return asked


def _checked_cues(memory: Recallable, cues: Any) -> np.ndarray:
    """The cues in the dtype of the recall; raises `InvalidInput` for a cue that cannot be used."""
    given = as_float(cues, "cues")
    if namespace(given) is not np:
        raise InvalidInput("cues: recall runs on NumPy arrays; `step` runs on those of any library")
    reference = memory.reference
    require_dim(given, reference.shape[-1], "cues", "patterns")
    _require_cues(given)
    require_finite(given, "cues", most_multiplied(given))
    has_domain = type(memory.activation).why_outside_domain is not Activation.why_outside_domain
    for i, row in enumerate(np.atleast_2d(given) if has_domain else ()):
        if reason := memory.activation.why_outside_domain(row):
            raise InvalidInput(f"cues: {'the cue' if given.ndim == 1 else f'row {i}'} {reason}")
    states = np.array(given, dtype=np.result_type(given, reference.dtype))
    if has_domain and states.dtype != given.dtype:  # at the edge of the domain, a wider dtype shows the rounding
        outside = [bool(memory.activation.why_outside_domain(row)) for row in np.atleast_2d(states)]
        states = np.where(np.reshape(outside, (*states.shape[:-1], 1)), memory.activation(states), states)
    return states


def _require_cues(given: np.ndarray) -> None:
    if given.ndim not in (1, 2) or given.size == 0:
        raise InvalidInput(f"cues: expected (n_cues, dim) or (dim,), not shape {given.shape}")


def _checked_tol(tol: Any, memory: Recallable, dtype: Any) -> float:
    if tol is None:
        return 0.0 if memory.activation.discrete else tolerance(dtype)
    return real(tol, "tol", least=0.0)


def _checked_mask(mask: Any, memory: Recallable, n_cues: int) -> np.ndarray | None:
    """The mask of each cue, `(n_cues, n_patterns)`; a rule is refused, because cues have no order as the words of a
    text have.
    """
    if mask is None:
        return None
    if isinstance(mask, (str, MaskRule)):
        raise InvalidInput(f"mask: recall takes booleans (n_cues, n_patterns), not the rule {quoted(mask)}")
    shape = (n_cues, memory.n_keys)
    return np.broadcast_to(np.asarray(resolve(mask, np.broadcast_to(0.0, shape))), shape)
