"""Memories with one part of the user's own, for comparisons and certificates that are given a name."""

from typing import Any

from hopattn.dynamics.own_parts import REGISTRIES
from hopattn.foundation.arrays import Array
from hopattn.foundation.registry import imported, is_path
from hopattn.memories.memory import Memory

KINDS = REGISTRIES[:3]
"""The registries of the parts of a memory: similarities, separations, activations."""


def own_named(name: str, what: str) -> Any:
    """The object of a path "module:name", or the registered class of the user's own with this name; None for neither.

    what: the argument, for messages. Raises `InvalidInput` for a path that leads nowhere.
    """
    if is_path(name):
        return imported(name, what)
    return next((registry.own[name] for registry in KINDS if name in registry.own), None)


def own_names() -> list[str]:
    """The names of all registered similarities, separations and activations of the user's own."""
    return [name for registry in KINDS for name in registry.own]


def is_part(given: Any) -> bool:
    """Whether an object is the class of a similarity, a separation or an activation."""
    return isinstance(given, type) and issubclass(given, tuple(registry.base for registry in KINDS))


def memory_with(part: type[Any], keys: Array, values: Array = None, beta: float = 1.0) -> Memory:
    """A memory with a part of this class: the dot product, the softmax and the identity are its other parts.

    The other parameters of the class have their defaults. Raises `InvalidInput` where one has none.
    """
    kind = next(registry for registry in KINDS if issubclass(part, registry.base))
    if kind.what == "separation":
        return Memory(keys, values, separation=kind.made(part, beta=beta))
    return Memory(keys, values, beta=beta, **{kind.what: kind.made(part)})
