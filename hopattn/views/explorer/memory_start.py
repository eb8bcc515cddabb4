"""A scenario with a memory, as the page holds it: in the energy view, or in the spin view."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hopattn.dynamics.updates.asynchronous import Asynchronous, Glauber
from hopattn.dynamics.updates.synchronous import Synchronous
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import name_of
from hopattn.memories.memory import Memory
from hopattn.networks.classical import Hopfield
from hopattn.scenario.kinds.memory import MemoryScenario
from hopattn.views.explorer.controls import require_names, require_size, require_within, separated, widest_axes

CHARACTERS = {1.0: "#", -1.0: ".", 0.0: "?"}
"""The character of each neuron in a picture of the page: black, white, unknown."""

END = 100_000
"""A time after every recall of spins: the page opens with the cue recalled."""


def memory_state(spec: MemoryScenario, cue: np.ndarray) -> tuple[str, dict[str, Any]]:
    """The view of a memory, "energy" or "spins", and its state, with one cue `(dim,)`.

    Raises `InvalidInput` for a memory that neither view has.
    """
    memory = spec.stored
    patterns = {word: spec.vocabulary.vectors[word] for word in spec.memory.patterns}
    if spec.memory.couplings is not None:
        raise InvalidInput("memory.couplings: the spin view learns its couplings from patterns by a rule")
    if not isinstance(memory, (Memory, Hopfield)):
        raise InvalidInput(f"memory.model: the page has no view of a memory of the class {type(memory).__name__}")
    if isinstance(memory, Hopfield) or name_of(memory.activation) == "sign":
        return "spins", _spins(spec, memory, patterns, cue)
    return "energy", _energy(spec, memory, patterns, cue)


def _energy(
    spec: MemoryScenario, memory: Memory, patterns: Mapping[str, np.ndarray], cue: np.ndarray
) -> dict[str, Any]:
    """The energy view: the memory has stored vectors, dot products and no activation."""
    plain = memory.autoassociative and memory.similarity.linear and name_of(memory.activation) == "identity"
    if not plain or not isinstance(spec.memory.update_rule(memory), Synchronous):
        raise InvalidInput("memory: the energy view has dot products, no values, no activation and the update 'sync'")
    state = {**separated(memory.separation, "memory: the energy view"), "most": spec.memory.steps}
    require_within("energy", state, "memory")
    require_size("patterns", len(patterns), "memory.patterns")
    require_size("axes", len(cue), "vocabulary.axes")
    require_names([*spec.vocabulary.axes, *patterns], "names")
    across, up = widest_axes(patterns)
    named = [[word, vector.tolist()] for word, vector in patterns.items()]
    plane = {"across": across, "up": up, "time": 1000, "basins": False}
    return state | {"axes": list(spec.vocabulary.axes), "patterns": named, "cue": cue.tolist()} | plane


def _spins(
    spec: MemoryScenario, memory: Memory | Hopfield, patterns: Mapping[str, np.ndarray], cue: np.ndarray
) -> dict[str, Any]:
    """The spin view: a network of ±1 with a learning rule."""
    rule = _rule(spec, memory)
    size = spec.vocabulary.size
    columns, rows = (len(cue), 1) if size is None else (size.columns, size.rows)
    require_size("side", max(columns, rows), "pictures")
    require_size("pictures", len(patterns), "memory.patterns")
    require_names(patterns, "memory.patterns")
    if not np.all(np.isin([*patterns.values(), cue], [*CHARACTERS])):
        raise InvalidInput("memory.patterns: the spin view has neurons of −1 and 1, and 0 for unknown")
    state = {**rule, **_update(spec, memory), "sweeps": spec.memory.steps, "damage": 0.2, "seed": 0}
    require_within("spins", state, "memory")
    drawn = [[word, _characters(vector)] for word, vector in patterns.items()]
    return state | {"columns": columns, "patterns": drawn, "cue": _characters(cue), "time": END}


def _rule(spec: MemoryScenario, memory: Memory | Hopfield) -> dict[str, Any]:
    """The learning rule of a network, and whether it keeps self-couplings."""
    if not isinstance(memory, Hopfield):
        only = "memory: the view of spins shows only memories with"
        if (separation := name_of(memory.separation)) != "identity":
            raise InvalidInput(f"{only} separation 'identity' (Hopfield's couplings); this one has '{separation}'")
        if not memory.autoassociative or not memory.similarity.linear:
            raise InvalidInput(f"{only} couplings: similarity 'dot', and patterns that recall themselves")
        return {"rule": "hebb", "self_coupling": True}
    if name_of(memory.activation) != "sign":
        raise InvalidInput("memory.model: the spin view has neurons of −1 and 1")
    model = spec.memory.model
    given = {} if isinstance(model, str) or model is None else model.model_dump(exclude_unset=True)
    if given.keys() - {"name", "rule", "self_coupling"}:
        raise InvalidInput("memory.model: the spin view has a rule and self-couplings, and no other settings")
    return {"rule": given.get("rule", "hebb"), "self_coupling": given.get("self_coupling", False)}


def _update(spec: MemoryScenario, memory: Memory | Hopfield) -> dict[str, Any]:
    """The update of the spins, its temperature, the order of the file (none is 1, 2, 3 …), and its ties."""
    update, plain = spec.memory.update_rule(memory), {"temperature": 0, "order": list[int](), "ties": "keep"}
    if isinstance(update, Glauber) and update.cooling == 1:
        return plain | {"update": "random", "temperature": update.temperature}
    if isinstance(update, Asynchronous):
        order = update.order if isinstance(update.order, str) else "sequence"
        numbers = [] if isinstance(update.order, str) else [i + 1 for i in update.order]
        return plain | {"update": order, "order": numbers, "ties": update.ties}
    if isinstance(update, Synchronous):
        return plain | {"update": "sync", "ties": update.ties}
    raise InvalidInput("memory.update: the spin view has 'sync', 'async' and 'glauber'")


def _characters(vector: np.ndarray) -> str:
    """A picture as one character for each neuron."""
    return "".join(CHARACTERS[float(value) + 0.0] for value in vector)
