"""For figures: the energy of a memory over the plane or along a line, and the successor of every state of few spins."""

from itertools import pairwise
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


def valley(
    memory: Any, states: np.ndarray, other: np.ndarray, goal: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The energy on a way from one pattern to another, through the states of a recall where they are not on a line.

    states: `(n_steps + 1, dim)`. other, goal: `(dim,)`; where they are one, the way begins at the first state. Real
    neurons go straight from one state to the next, neurons of two values one after the other, those with the largest
    field first; behind the last state the way goes on.

    Returns
    -------
    way : the length of the way so far, which is 0 at the first pattern, and the energy there, `(2, n_places)`.
    balls : both for each state, `(2, n_steps + 1)`. A state that comes again lies where it was.
    ends : the lengths at which the two patterns lie, `(2,)`; NaN for a goal that the way does not reach.
    """
    other = states[0] if np.array_equal(other, goal) else other  # the way begins at the cue
    values, line = memory.activation, (goal - other) / max(float(np.linalg.norm(goal - other)), 1e-9)
    along = (states - other) @ line
    if not values.discrete and np.allclose(other + along[:, None] * line, states):
        ends = np.array([0.0, np.linalg.norm(goal - other)])
        low, high = min(along.min(), 0.0), max(along.max(), ends[1])
        length = np.linspace(low - 0.2 * ends[1], high + 0.2 * ends[1], 2 * LINE)
        way, balls = (np.stack([at, memory.energy(other + at[:, None] * line)]) for at in (length, along))
        return way, balls, ends
    stops, visits = [other], []
    for state in states:
        visits.append(next((k for k, stop in enumerate(stops) if k and np.array_equal(stop, state)), len(stops)))
        stops += [state] if visits[-1] == len(stops) else []
    end, same = stops[-1], stops[-1] == other
    on = np.where(same & (np.cumsum(same) <= np.sum(~same)), values.silent + 1 - end, end) if values.discrete else end
    stops.append(on if values.discrete else end + (end - other) / 3)
    pieces = [_way(memory, one, after) for one, after in pairwise(stops)]
    states = np.concatenate([*pieces, stops[-1:]])
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(states, axis=0), axis=1))])
    way = np.stack([length, np.asarray(memory.energy(states))])
    balls = way[:, np.cumsum([0, *map(len, pieces)])[visits]]
    return way, balls, np.array([0.0, balls[0, -1] if np.allclose(end, goal, atol=0.05) else np.nan])


def _way(memory: Any, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The states from one to before another, `(n_places, dim)`: with one neuron more that turned, or straight."""
    if memory.activation.discrete:
        gain = np.where(one == other, -np.inf, memory.field(one) * (other - one))
        turn = np.argsort(np.argsort(-gain, kind="stable"))
        return np.asarray(np.where(turn < np.arange(np.sum(one != other))[:, None], other, one))
    return np.asarray(one + np.linspace(0, 1, LINE, endpoint=False)[:, None] * (other - one))


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
