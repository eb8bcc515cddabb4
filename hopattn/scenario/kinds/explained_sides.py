"""The arithmetic of a recall between two sides: the first step in both directions, then the end."""

from collections.abc import Iterator, Sequence

import numpy as np

from hopattn.dynamics.record import Status
from hopattn.dynamics.updates.base import Update
from hopattn.foundation.registry import name_of
from hopattn.foundation.writing import counted, number
from hopattn.networks.associator import Bidirectional
from hopattn.scenario.arithmetic import LINES, dot, vector
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.kinds.explained_recall import of_cue
from hopattn.scenario.words.pictures import Words


def explain_sides(
    arrays: Arrays, memory: Bidirectional, update: Update | None, sides: Sequence[Words]
) -> Iterator[str]:
    """The arithmetic of each cue. update: None where the sides change in turn, the second one first."""
    w, n = np.asarray(memory.couplings), len(sides[0].axes)
    (first, second), f = (words.axes for words in sides), name_of(memory.activation)
    for i, label in enumerate(arrays["input"].labels[0]):
        own = of_cue(arrays, i)
        (x, y), (x1, y1), (xn, yn) = (np.split(own[name], [n]) for name in ("input", "step 1 output", "state"))
        yield f"{label}: {vector(x)} and {vector(y)}; the first step:"
        if update is None:
            if np.any(x):
                yield from _explain_side("second side, W x", second, w, x, y, y1, f)
            else:
                yield "  the first side is 0, so that the second one stays"
            yield from _explain_side("first side, Wᵀ y", first, w.T, y1, x, x1, f)
        else:
            yield f"  {f}, {update.way}, gives {vector(x1)} and {vector(y1)}"
        steps = int(own["steps"])
        yield f"  after {counted(steps, 'step')}: {vector(xn)} and {vector(yn)}; {Status(str(own['status'])).meaning}"
        yield f"  energy: {' → '.join(map(number, own['energy'][: min(steps, LINES) + 1]))}"
        for what, left, right in (("the cue", x, y), ("the last state", xn, yn)):
            yield f"    y·W x of {what}: {dot(right, w @ left)}; E = {number(-right @ w @ left)}"
        yield f"  recalls: {own['recalls']}"
        yield f"  answers: {own['answers']}"


def _explain_side(
    what: str,
    names: Sequence[str],
    matrix: np.ndarray,
    cue: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    activation: str,
) -> Iterator[str]:
    """The fields of the neurons of a side, and their states; a neuron of zero field stays."""
    fields = matrix @ cue
    yield f"  field of the {what}: {vector(fields)}"
    if len(names) <= LINES:
        for name, row, old, new in zip(names, matrix, before, after, strict=True):
            yield f"    {name}: {dot(row, cue)}; {number(old)} → {number(new)}"
    idle = int(np.sum(fields == 0))
    yield f"  {activation} gives {vector(after)}" + (
        f", where {counted(idle, 'neuron')} of zero field stay{'s' * (idle == 1)}" * (idle > 0)
    )
