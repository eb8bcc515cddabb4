"""The record of a recall: how each cue ended, and the stored pattern that it recalled, if any."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from hopattn.dynamics.likeness import Likeness, ReferencePatterns
from hopattn.foundation.arrays import Array, on_host
from hopattn.foundation.writing import Word
from hopattn.results.dataset import Dataset, plain
from hopattn.results.labelled import Labelled


class Status(Word):
    """How the recall of a cue ended; `meaning` explains it in a sentence."""

    CONVERGED = "converged", "the last step changed the state by no more than the tolerance"
    CYCLE = "cycle", "the update leads back to an earlier state: a cycle"
    LIMIT = "limit", "no fixed point and no cycle was noticed within max_steps"
    DIVERGED = "diverged", "the state grew a millionfold; choose activation='unit' or a smaller beta"
    NOTHING_NEAR = "nothing near", "no stored pattern takes part in a step: the state no longer changes"
    ANSWERED = "answered", "the answer is of another dim than the cue, so that there is nothing to repeat"

    def __repr__(self) -> str:
        return f"<{self.value}: {self.meaning}>"


STATUS_DTYPE = f"<U{max(map(len, Status))}"
"""The dtype of an array of these words."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Recall(Dataset):
    """The record of a recall of n cues over T steps; for a single cue `(dim,)`, every array lacks the axis n.

    An array of every step has the axis of the steps first, `(T+1, n, …)`: entry 0 is the cue, entry t the state after t
    steps. A cue that has stopped repeats its last state.

    Attributes
    ----------
    state : (n, dim)
        the last states.
    steps : (n,)
        applications of the update, with the one that found the fixed point.
    status : (n,)
        the words of `Status` as text.
    meaning : (n,)
        the sentence of each status.
    converged : (n,)
        whether the residual is within the tolerance, and some pattern takes part in a step.
    residual : (n,)
        the largest change of an entry in the last step, in continuous time |x − ∇Φ(h(x))|. A state that moves by a
        factor λ < 1 of its distance per step is still about residual · λ/(1 − λ) from its fixed point.
    period : (n,)
        the length of the cycle that it ended in, in steps; 0 without one. A cycle of two counts up to the tolerance, a
        longer one if two states are equal bit by bit.
    energies : (T+1, n)
        or None for a memory without an energy; at a fixed point that of the state before, if the two states are equal
        up to √ε.
    matched : (n,)
        the stored pattern whose cosine with the state is largest, of equal ones the nearest; −1 if that cosine is below
        `MATCH`, another pattern is as near, or the state shorter than a millionth of the pattern. A memory that
        compares by distance has 1 − |x − ξ|²/(|x|² + |ξ|²) instead of the cosine.
    similarity : (n,)
        that cosine.
    spurious : (n,)
        words of `Spurious`: "" for a stored pattern, "reversed", "between", "mixture" or "other".
    mixture : (n, 3)
        the three patterns of a mixture, −1 for other states. These four are computed when first used, from the patterns
        as they are then.
    trajectory : (T+1, n, dim)
        or None, unless `keep` names it.
    overlaps : (T+1, n, n_patterns)
        m_μ = ξ_μ·x / |ξ_μ|², or None, unless `keep` names them.
    weights : (T+1, n, n_patterns)
        or None, unless `keep` names them.
    reference : the patterns that states are compared with.
    asked_every : the number of steps after which the device was asked which cues go on; 1 for NumPy and on a CPU.

    Notes
    -----
    state, energies, trajectory, overlaps and weights are arrays of the memory's library, on its device. All others are
    NumPy's; for `matched` and the three beside it, states and patterns are copied from the device.
    """

    state: Array
    steps: Array
    status: Array
    converged: Array
    residual: Array
    period: Array
    energies: Array
    reference: ReferencePatterns = field(repr=False)
    trajectory: Array = None
    overlaps: Array = None
    weights: Array = None
    asked_every: int = 1

    BY_CUE = ("status", "steps", "converged", "residual", "period", "matched", "similarity", "spurious")
    """The arrays that hold one entry for each cue."""
    KEPT = ("trajectory", "overlaps", "weights")
    """The arrays that `keep` may name."""
    BY_STEP = ("energies", *KEPT)
    """The arrays of every step; their first axis is the step."""

    def __repr__(self) -> str:
        n, shape = np.size(self.steps), " × ".join(map(str, self._state_shape))
        least, most = int(np.min(self.steps)), int(np.max(self.steps))
        steps = str(least) if least == most else f"{least} to {most}"
        words, counts = np.unique(np.atleast_1d(self.status), return_counts=True)
        parts = [f"{n} cue{'' if n == 1 else 's'} of dim {shape}", f"{steps} step{'' if most == 1 else 's'}"]
        for word, count in sorted(zip(words, counts, strict=True), key=lambda pair: -pair[1]):
            parts.append(f"{'' if n == 1 else f'{count} '}{word} ({Status(word).meaning})")
        if names := [name for name in self.KEPT if getattr(self, name) is not None]:
            parts.append(f"with {' and '.join(names)}")
        if self.asked_every > 1:
            parts.append(f"asked every {self.asked_every} steps")
        return f"Recall({', '.join(parts)})"

    @property
    def meaning(self) -> Any:
        """The sentence that explains each status, `(n,)`."""
        sentences = np.array([Status(word).meaning for word in np.atleast_1d(self.status)])
        return sentences if self._many else sentences[0]

    @property
    def matched(self) -> Any:
        """The stored pattern that each state matches, `(n,)`; −1 for none."""
        return self._of_likeness("matched")

    @property
    def similarity(self) -> Any:
        """The largest cosine of each state with a stored pattern, `(n,)`."""
        return self._of_likeness("similarity")

    @property
    def spurious(self) -> Any:
        """The kind of each state that is not a stored pattern, `(n,)`: words of `Spurious`."""
        return self._of_likeness("spurious")

    @property
    def mixture(self) -> Any:
        """The three patterns that each state mixes, `(n, 3)`; −1 for a state that is not a mixture."""
        return self._of_likeness("mixture")

    def to_numpy(self) -> "Recall":
        """The same record with NumPy arrays alone; those on a device are copied, and half precision is widened."""
        arrays = {name: getattr(self, name) for name in ("state", *self.BY_STEP)}
        copies: dict[str, Any] = {name: on_host(array) for name, array in arrays.items() if array is not None}
        return replace(self, **copies)

    def table(self) -> list[dict[str, Any]]:
        """One row for each cue: status, steps, converged, residual, period, matched, similarity and spurious, and the
        first and last energy.
        """
        columns = {name: np.atleast_1d(getattr(self, name)) for name in self.BY_CUE}
        if self.energies is not None:
            energies = self.to_numpy().energies
            columns |= {"first energy": np.atleast_1d(energies[0]), "last energy": np.atleast_1d(energies[-1])}
        return [dict(zip(columns, row, strict=True)) for row in zip(*map(plain, columns.values()), strict=True)]

    def _arrays(self) -> Mapping[str, Labelled]:
        """The arrays with the dims cue, neuron, step and pattern.

        A record of a single cue has no dim cue; one of tokens has the dim token before neuron.
        """
        record, cue = self.to_numpy(), ("cue",) * self._many
        neurons = ("token", "neuron")[-len(self._state_shape) :]
        arrays = {"state": Labelled(np.asarray(record.state), (*cue, *neurons))}
        arrays |= {name: Labelled(np.asarray(getattr(self, name)), cue) for name in self.BY_CUE}
        entries = {"energies": (), "trajectory": neurons, "overlaps": ("pattern",), "weights": ("pattern",)}
        for name in self.BY_STEP:
            if (array := getattr(record, name)) is not None:
                arrays[name] = Labelled(array, ("step", *cue, *entries[name]))
        return arrays

    def only_row(self) -> "Recall":
        """The record of a single cue, without the axis n."""
        rows = {name: value for name, value in vars(self).items() if name != "_likeness" and value is not None}
        for name in rows.keys() - {"reference", "asked_every"}:
            array = rows[name]
            first = array[0, ...] if array.ndim > 1 else array[0]
            rows[name] = array[:, 0, ...] if name in self.BY_STEP else first
        return Recall(**{"energies": None, **rows})

    def __getstate__(self) -> dict[str, Any]:
        """The state to pickle: the likeness of the states instead of all the patterns that it is computed from."""
        return {**vars(self), "_likeness": self._likeness, "reference": None}

    @cached_property
    def _likeness(self) -> Likeness:
        """The likeness of the last states; computed when first used, since it takes about as long as a step."""
        return self.reference.likeness(on_host(self.state).reshape(np.size(self.steps), -1))

    def _of_likeness(self, name: str) -> Any:
        values = getattr(self._likeness, name)
        return values if self._many else values[0]

    @property
    def _many(self) -> bool:
        """Whether the arrays have the axis n."""
        return np.ndim(self.steps) > 0

    @property
    def _state_shape(self) -> tuple[int, ...]:
        """The shape of one state: `(dim,)`; `(n_tokens, dim)` for tokens."""
        return tuple(self.state.shape[self._many :])
