"""The arithmetic of a recall between two sides: the first step in both directions, then the end."""

from collections.abc import Iterator, Sequence

import numpy as np

from hopattn.dynamics.record import Status
from hopattn.dynamics.updates.base import Update
from hopattn.foundation.registry import name_of
from hopattn.foundation.sentences import say
from hopattn.foundation.writing import number
from hopattn.networks.associator import Bidirectional
from hopattn.scenario.arithmetic import LINES, dot, vector
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.kinds.explained_recall import after, of_cue
from hopattn.scenario.result import named
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
        yield say("{}: {} and {}; the first step:", label, vector(x), vector(y))
        if update is None:
            if np.any(x):
                yield from _explain_side("the second side, W x", second, w, x, y, y1, f)
            else:
                yield "  " + say("the first side is 0, so that the second one stays")
            yield from _explain_side("the first side, Wᵀ y", first, w.T, y1, x, x1, f)
        else:
            yield "  " + say("{}, {}, gives {} and {}", f, say(update.way), vector(x1), vector(y1))
        steps = int(own["steps"])
        meaning = say(Status(str(own["status"])).meaning)
        yield "  " + say("{}: {} and {}; {}", after(steps), vector(xn), vector(yn), meaning)
        yield "  " + say("energy: {}", " → ".join(map(number, own["energy"][: min(steps, LINES) + 1])))
        for what, left, right in (("the cue", x, y), ("the last state", xn, yn)):
            energy = number(-right @ w @ left)
            yield "    " + say(f"y·W x of {what}: {{}}; E = {{}}", dot(right, w @ left), energy)
        yield "  " + say("recalls: {}", named(own["recalls"]))
        yield "  " + say("answers: {}", named(own["answers"]))


def _explain_side(
    what: str,
    names: Sequence[str],
    matrix: np.ndarray,
    cue: np.ndarray,
    before: np.ndarray,
    new: np.ndarray,
    activation: str,
) -> Iterator[str]:
    """The fields of the neurons of a side, and their states; a neuron of zero field stays."""
    fields = matrix @ cue
    yield "  " + say(f"field of {what}: {{}}", vector(fields))
    if len(names) <= LINES:
        for name, row, *states in zip(names, matrix, before, new, strict=True):
            yield f"    {name}: {dot(row, cue)}; {' → '.join(map(number, states))}"
    idle = int(np.sum(fields == 0))
    where = f", where {{}} neuron{'s of zero field stay' if idle > 1 else ' of zero field stays'}" if idle else ""
    yield "  " + say(f"{{}} gives {{}}{where}", activation, vector(new), *[idle] * bool(idle))
