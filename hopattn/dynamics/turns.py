"""The turns of an asynchronous recall: each neuron with its field, its old and its new value.

A sweep gives every neuron one turn. So the states before and after a sweep, and the order of the neurons, say what each
neuron saw in its turn: the new values of the neurons before it, and the old ones of the others.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hopattn.dynamics.recall import AssociativeMemory


class Turn(NamedTuple):
    """The turn of one neuron.

    neuron: its number. field: of a spin [E(x_i low) − E(x_i = 1)] / (1 − low) with low = −1 or 0; without self-coupling
    that is Σ_j W_ij x_j + b_i. Of a graded neuron, the gradient of the potential. before, after: its values. state:
    `(N,)`, after the turn.
    """

    neuron: int
    field: float
    before: float
    after: float
    state: np.ndarray


def turns(memory: AssociativeMemory, before: np.ndarray, after: np.ndarray, order: np.ndarray) -> Iterator[Turn]:
    """The turns of neurons in a sweep of one cue.

    before, after: the states `(N,)` before and after the sweep. order: the neurons in their order, or those whose turns
    are asked for and all that change.
    """
    state, activation = before.astype(float), memory.activation
    low = np.broadcast_to(activation.silent, state.shape)
    for i in order:
        neurons = memory._single_neuron_states(state[None])
        if activation.discrete:
            field = 2 * float(neurons.local_field(i)[0]) / (1 - float(low[i]))
        else:
            field = float(neurons.field(i)[0])
        state = state.copy()
        state[i] = after[i]
        yield Turn(int(i), field, float(before[i]), float(after[i]), state)
