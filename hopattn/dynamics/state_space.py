"""A memory seen as a whole: its separation; of a small one, its energy over the plane or what each state leads to."""

from dataclasses import fields
from typing import Any

import numpy as np

from hopattn.dynamics.updates.base import Turn, Update
from hopattn.dynamics.updates.single import Asynchronous
from hopattn.foundation.labelled import Labelled
from hopattn.foundation.registry import name_of
from hopattn.retrieval.separation.base import Separation

SPINS = 12
"""Networks of so many spins at most are surveyed: 4,096 states."""
BLOCK = 256
"""So many states go a step at once, since each may be held against many patterns."""
POINTS = 49
"""The energy is taken at so many places along each of the two axes."""
BEYOND = 1.3
"""The plane reaches so many times as far as what lies in it."""


def flat(memory: Any, dim: int) -> bool:
    """Whether the memory has two neurons and an energy all over the square in which its patterns lie."""
    return dim == 2 and not memory.lacks_energy and _finite(memory, _reach(memory.patterns))


def countable(memory: Any, update: Update, dim: int) -> bool:
    """Whether each state of a few spins leads to one other; of an update by chance it is not settled which."""
    settled = not update.by_chance and not memory.lacks_recall
    return bool(dim <= SPINS and memory.activation.discrete and settled)


def landscape(memory: Any, cues: np.ndarray) -> Labelled:
    """E(x) over a square around the origin, `(POINTS, POINTS)`: that of the patterns, and of the cues where E is
    finite there.
    """
    wide = max(_reach(memory.patterns), _reach(cues))
    reach = wide if _finite(memory, wide) else _reach(memory.patterns)
    along = np.linspace(-reach, reach, POINTS)
    rows = [np.asarray(memory.energy(np.column_stack([along, np.full(POINTS, up)]))) for up in along]
    labels = tuple(repr(float(x)) for x in along)
    return Labelled(np.stack(rows), ("second axis", "first axis"), (labels, labels))


def _reach(states: np.ndarray) -> float:
    return BEYOND * float(np.abs(states).max()) or 1.0


def _finite(memory: Any, reach: float) -> bool:
    """Whether the energy is finite in the corners, and so, since Φ* and Ψ are largest there, between them."""
    corners = reach * np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    with np.errstate(all="ignore"):
        return bool(np.isfinite(memory.energy(corners)).all())


def parameters(separation: Separation) -> dict[str, Labelled]:
    """`softmax separation` and the like: its parameters by name, `(n_parameters,)`."""
    own = {field.name: float(getattr(separation, field.name)) for field in fields(separation)}
    return {f"{name_of(separation)} separation": Labelled(np.array([*own.values()]), ("parameter",), (tuple(own),))}


def spins(dim: int) -> np.ndarray:
    """Every state of so many spins, `(2**dim, dim)`, counted in twos from all −1 on."""
    return 2.0 * (np.arange(2**dim)[:, None] >> np.arange(dim - 1, -1, -1) & 1) - 1


def successors(memory: Any, update: Update, dim: int) -> dict[str, Labelled]:
    """`successor`: the number of the state that each state leads to in one step, `(2**dim,)`, labelled by its spins,
    as +−+; `way`: how the step goes. A random order stands for no one way: there neurons are taken in sequence.
    """
    ordered = update if update.repeats else Asynchronous(order="sequence")
    states, turn = spins(dim), Turn(0, np.random.default_rng(0), ())
    blocks = np.split(states, range(BLOCK, len(states), BLOCK))
    after = np.concatenate([ordered.step(memory, block, None, turn) for block in blocks])
    found = ((after > 0) @ (2 ** np.arange(dim - 1, -1, -1))).astype(int)
    labels = tuple("".join("+" if spin > 0 else "−" for spin in state) for state in states)
    way = ordered.way if update.repeats else f"{ordered.way}, in sequence"
    return {"successor": Labelled(found, ("state",), (labels,)), "way": Labelled(np.array(way))}
