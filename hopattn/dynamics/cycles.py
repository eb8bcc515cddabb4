"""Cycles of any length: a state that an earlier one equals, bit by bit.

With x₍t₎ the state after t steps and a the last power of two before t, a cue is in a cycle of length t − a if
x₍t₎ = x₍a₎. One earlier state is kept, and one comparison is made in each step, in which the first entry tells most
states apart. A cycle of length λ that begins after μ steps is noticed before step 2 max(μ, λ) + λ (Brent 1980, BIT
Numerical Mathematics 20, 176).
"""

import numpy as np

from hopattn.dynamics.record import Status

TWO = 2
"""The length of the cycles that `hopattn.dynamics.loop` notices by itself, up to a tolerance."""


class Cycles:
    """The watch over the states of a recall, which says how long the cycle is that a cue is in.

    cues: `(n, dim)`, the states before the first step. deterministic: whether equal states have equal next states; if
    not, there are no cycles.
    """

    def __init__(self, cues: np.ndarray, deterministic: bool) -> None:
        self._kept, self._step, self._deterministic = cues, 0, deterministic

    def lengths(self, states: np.ndarray, active: np.ndarray, ended: np.ndarray, step: int) -> np.ndarray:
        """The length of the cycle of each active cue, `(n_active,)`; 0 for one without. Called once for each step.

        states: `(n, dim)`, those of all cues after `step` steps, which must not be changed later. active: the cues that
        had not stopped before. ended: `(n_active,)`, how they ended in this step: a word of `Status`, or "".
        """
        lengths = np.where(ended == Status.CYCLE, TWO, 0)
        if self._deterministic and step - self._step > TWO:
            near = np.flatnonzero((ended == "") & (states[active, 0] == self._kept[active, 0]))
            met = np.all(states[active[near]] == self._kept[active[near]], axis=-1)
            lengths[near[met]] = step - self._step
        if step & (step - 1) == 0:  # a power of two
            self._kept, self._step = states, step
        return lengths
