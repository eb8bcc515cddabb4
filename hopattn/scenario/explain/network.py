"""The arithmetic of a network of layers: the first sweep, layer by layer, and the energy as the sum of its parts."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hopattn.dynamics.record import Status
from hopattn.dynamics.updates.base import Update
from hopattn.dynamics.updates.layer_by_layer import Layers
from hopattn.foundation.writing import counted, number
from hopattn.networks.energy_transformer import TokenMemory
from hopattn.networks.layers import described
from hopattn.networks.network import Network
from hopattn.results.labelled import Labelled
from hopattn.scenario.explain.arithmetic import MANY, added, equals, vector, written

WRITTEN = 4
"""The number of first steps whose energies are written."""


def explain_network(arrays: Mapping[str, Labelled], i: int, memory: Any, said: str, update: Update) -> Iterator[str]:
    """The lines of cue i. said: the values that it gives. memory: as the cue starts it."""
    yield f"{arrays['energy'].labels[0][i]}: {said}"
    states, steps = arrays["activities"].values[i], int(arrays["steps"].values[i])
    if isinstance(update, Layers) and not isinstance(memory, TokenMemory):
        yield from _first_sweep(memory, states[0], states[1])
    else:
        yield f"  {update.way}"
    parts, names = arrays["energies"].values[i], arrays["energies"].labels[1]
    written_steps = [*range(min(steps, WRITTEN) + 1), *([steps] if steps > WRITTEN else [])]
    last = ""
    for t in written_steps:
        total, when = _total(parts[:, t], names), f"after {counted(t, 'step')}" if t else "of the cue"
        if total != last:
            yield f"  energy {when}: {total}"
        last = total
    yield f"  after {counted(steps, 'step')}: {Status(str(arrays['status'].values[i])).meaning}"
    for verb in ("recalls", "answers"):
        if verb in arrays:
            yield f"  {verb}: {arrays[verb].values[i]}"


def _first_sweep(network: Network, before: np.ndarray, after: np.ndarray) -> Iterator[str]:
    """The field and the activity of each layer that is free, with the new activities of those before it."""
    state = before.copy()
    for name, part in network.parts.items():
        if network.held[part].all():
            yield f"  {name} is clamped"
            continue
        field = network.field(state)[part]
        state[part] = after[part]
        kind = described(network[name])
        if field.size <= MANY:
            yield f"  field of {name} {equals(field)} {vector(field)}; {kind} gives {vector(after[part])}"
        else:
            changed = int(np.sum(np.sign(after[part]) != np.sign(before[part])))
            yield f"  {name}: {kind} of its field changes the sign of {changed} of {field.size} neurons"


def _total(parts: np.ndarray, names: tuple[str, ...]) -> str:
    """The energy as the sum of its parts with their names."""
    terms = (f"{number(value)} ({name})" for value, name in zip(parts, names, strict=True))
    total = float(np.sum(parts))
    return f"{' + '.join(terms).replace('+ −', '− ')} {equals(total, added(written(parts)))} {number(total)}"
