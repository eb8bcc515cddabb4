"""Memories in files: `memory.save(path)` writes one, `load_memory` reads it."""

import os
from typing import Any

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.saving import read
from hopattn.memories.kernels import LogSumRelu, SuperposedMemory
from hopattn.memories.memory import Memory
from hopattn.networks.associator import Associator, Bidirectional
from hopattn.networks.classical import Hopfield
from hopattn.networks.layers import Layer
from hopattn.networks.network import Network
from hopattn.networks.synapses import Connection, Function, synapses

_KINDS: tuple[Any, ...] = Memory, Hopfield, Associator, Bidirectional, LogSumRelu, SuperposedMemory, Network
KINDS: dict[str, type[Any]] = {kind._file_kind: kind for kind in _KINDS}
"""The kinds of memories that a file may hold, by the name of each in a file."""
_INSIDE: tuple[Any, ...] = Layer, Connection, *(kind for kind in synapses.values() if kind is not Function)
INSIDE: dict[str, type[Any]] = {kind._file_kind: kind for kind in _INSIDE}
"""The kinds of objects within a network."""


def load_memory(path: str | os.PathLike[str]) -> AssociativeMemory:
    """The memory that `memory.save(path)` wrote, an object of one of `KINDS`.

    Its arrays and parts are those of the saved one, so that every step is the same to the last bit (see `save`).
    Nothing in the file is executed. Raises `InvalidInput` for a file that is missing, truncated, or not such a memory.
    """
    memory: AssociativeMemory = read(path, KINDS, INSIDE)
    return memory
