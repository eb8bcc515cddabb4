"""For figures: the energy of a memory over the plane or along a line, and the successor of every state of few spins."""

from typing import Any

import numpy as np

from hopattn.dynamics.record import Status
from hopattn.dynamics.updates.asynchronous import Asynchronous, in_words
from hopattn.dynamics.updates.base import Update
from hopattn.landscapes.enumerated import spins, successors_of
from hopattn.results.labelled import Labelled

MAX_SPINS = 12
"""The largest number of spins whose states are all followed: 4,096 states."""
POINTS = 49
"""The number of places along each of the two axes at which the energy is taken."""
LINE = 101
"""The number of places on a line at which the energy is taken, both ends included."""
BEYOND = 1.3
"""The half side of the plane, as a multiple of the largest entry of the states in it."""


def has_landscape(memory: Any, dim: int) -> bool:
    """Whether the memory has two neurons, and a finite energy all over the square in which its patterns lie."""
    return dim == 2 and not memory.why_not("energy") and _finite(memory, _reach(memory.patterns))


def has_successors(memory: Any, update: Update, dim: int) -> bool:
    """Whether the states are those of a few spins, and each leads to one other; under a stochastic update none does."""
    followed = not update.stochastic and not memory.why_not("recall")
    return bool(dim <= MAX_SPINS and memory.activation.discrete and followed)


def landscape(memory: Any, cues: np.ndarray) -> Labelled:
    """E(x) over a square around the origin, `(POINTS, POINTS)`.

    The square holds the patterns, and the cues too if E is finite there.
    """
    wide = max(_reach(memory.patterns), _reach(cues))
    reach = wide if _finite(memory, wide) else _reach(memory.patterns)
    along = np.linspace(-reach, reach, POINTS)
    rows = [np.asarray(memory.energy(np.column_stack([along, np.full(POINTS, up)]))) for up in along]
    labels = tuple(repr(float(x)) for x in along)
    return Labelled(np.stack(rows), ("second axis", "first axis"), (labels, labels))


def line_between(memory: Any, start: np.ndarray, end: np.ndarray) -> dict[str, Labelled]:
    """The arrays `between` and `barrier`, for a memory that has an energy.

    between: E(x) on the straight line from `start` `(dim,)` to `end`, `(LINE,)`, labelled by the share of the way.
    barrier: how far the energy rises on the line above the higher of its two ends; 0 if it does not.
    """
    way = np.linspace(0, 1, LINE)
    energies = np.asarray(memory.energy((1 - way)[:, None] * start + way[:, None] * end))
    barrier = energies.max() - max(energies[0], energies[-1])
    labels = (tuple(repr(round(float(share), 6)) for share in way),)
    return {"between": Labelled(energies, ("place",), labels), "barrier": Labelled(np.array(barrier))}


def _reach(states: np.ndarray) -> float:
    """Half the side of a square that holds the states, with a margin."""
    return BEYOND * float(np.abs(states).max(initial=0)) or 1.0


def _finite(memory: Any, reach: float) -> bool:
    """Whether the energy is finite in the corners, and so, since Φ* and Ψ are largest there, between them."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(memory.energy(reach * spins(2))).all())


def successors(memory: Any, update: Update, dim: int) -> dict[str, Labelled]:
    """The arrays `successor` and `way`.

    successor: the number of the state that each state leads to in one step, `(2**dim,)`, labelled by its spins, such as
    +−+, with + for 1. way: how the update goes, in words. Under a random order a state has no single successor: the
    neurons are then updated in sequence.
    """
    ordered = update if Status.CYCLE in update.ends else Asynchronous()  # a state has always the same next one
    states = spins(dim, memory.activation.silent)
    numbers = successors_of(memory, ordered, states)
    labels = tuple("".join("−+"[int(spin > 0)] for spin in state) for state in states)
    return {"successor": Labelled(numbers, ("state",), (labels,)), "way": Labelled(np.array(in_words(ordered)))}
