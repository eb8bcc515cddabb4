"""The record of a recall: how each cue ended, which stored pattern it came to, or what else."""

from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from hopattn.dynamics.likeness import Known, Likeness
from hopattn.foundation.display import ShownInNotebook


class Status(StrEnum):
    """How a recall ended; `meaning` says it in a sentence."""

    CONVERGED = "converged"
    CYCLE = "cycle"
    LIMIT = "limit"
    DIVERGED = "diverged"
    ANSWERED = "answered"

    @property
    def meaning(self) -> str:
        return {
            Status.CONVERGED: "the state is a fixed point of the update",
            Status.CYCLE: "the update leads back to the state before the last: a cycle of two",
            Status.LIMIT: "no fixed point and no cycle of two was met within max_steps",
            Status.DIVERGED: "the state outgrew its patterns a millionfold; choose activation='unit' or a smaller beta",
            Status.ANSWERED: "the answer is of another dim than the cue, so that there is nothing to repeat",
        }[self]


@dataclass(frozen=True, eq=False)
class Recall(ShownInNotebook):
    """What came of a recall; a single cue `(dim,)` drops the axis n everywhere.

    state: `(n, dim)`. steps: `(n,)`, applications of the update, the one that found the fixed point included.
    status: `(n,)`, words of `Status`, whose `meaning` says them in a sentence. converged: `(n,)`.
    energies: `(n, T+1)`, or None for a memory without one; the energy is level at a fixed point, so the last is that
    of the state before where the two are one up to √ε. matched: `(n,)`, the stored pattern whose cosine with the
    state is largest and at least `MATCH`, −1 where there is none. similarity: `(n,)`, that largest cosine.
    spurious: `(n,)`, words of `Spurious`: "" for a stored pattern, "reversed", "mixture" or "other".
    mixture: `(n, 3)`, the three patterns that are mixed, −1 where the state is no mixture.
    trajectory `(T+1, n, dim)`, overlaps `(T+1, n, n_patterns)`, m_μ = ξ_μ·x / |ξ_μ|², and weights
    `(T+1, n, n_patterns)`: each if kept, else None. A cue that stopped repeats its last state. What the states are like
    (matched, similarity, spurious, mixture) is looked for when it is first asked, in the patterns as they are then.
    """

    state: Any
    steps: Any
    status: Any
    converged: Any
    energies: Any
    known: "Known" = field(repr=False)
    trajectory: Any = None
    overlaps: Any = None
    weights: Any = None

    BY_STEP = ("trajectory", "overlaps", "weights")
    """What is kept only where it is asked for; its first axis counts the steps."""

    @property
    def matched(self) -> Any:
        return self._of_likeness("matched")

    @property
    def similarity(self) -> Any:
        return self._of_likeness("similarity")

    @property
    def spurious(self) -> Any:
        return self._of_likeness("spurious")

    @property
    def mixture(self) -> Any:
        return self._of_likeness("mixture")

    def only_row(self) -> "Recall":
        """The record of a single cue, without the axis n."""
        rows = {}
        for name in (one.name for one in fields(self) if one.name != "known"):
            value = getattr(self, name)
            rows[name] = None if value is None else value[:, 0] if name in self.BY_STEP else value[0]
        return Recall(**rows, known=self.known)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: what the states are like, and not all the patterns that tell it."""
        return {**vars(self), "_likeness": self._likeness, "known": None}

    @cached_property
    def _likeness(self) -> "Likeness":
        """Looked for when it is first asked for, since it takes about as long as a step."""
        return self.known.likeness(np.atleast_2d(self.state))

    def _of_likeness(self, name: str) -> Any:
        found = getattr(self._likeness, name)
        return found[0] if self.state.ndim == 1 else found
