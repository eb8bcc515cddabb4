"""The memories that are compared, by name: how each stores the keys, is recalled, and reads out values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.updates.asynchronous import Asynchronous
from hopattn.dynamics.updates.base import Update
from hopattn.dynamics.updates.synchronous import Synchronous
from hopattn.experiments.own_memories import is_part, memory_with, own_named, own_names
from hopattn.foundation.checks import is_iterable
from hopattn.foundation.errors import InvalidInput, quoted, shortened, unknown
from hopattn.memories.memory import Memory
from hopattn.memories.models.addressed import nearest
from hopattn.memories.models.classical import hopfield
from hopattn.memories.models.dense import dense, exponential
from hopattn.retrieval.separation.elementwise import RectifiedPower
from hopattn.retrieval.separation.entmax import Entmax, Normmax
from hopattn.retrieval.separation.softmax import Softmax

Build = Callable[[np.ndarray, float], Any]
"""A function of keys `(n_keys, dim)` and beta that gives the memory of these keys."""
Reader = Callable[[np.ndarray, np.ndarray | None, float], Memory | None]
"""A function of keys, values and beta that gives the memory of these keys and values (None: the keys)."""
RANDOM_ORDER = Asynchronous(order="random")
"""The update of spins, as in the literature on capacity."""


@dataclass(frozen=True)
class Contender:
    """A memory that takes part in a comparison.

    reader: `reader(keys, values, beta)`, the memory that weights the keys for a cue and reads out values, or None if
    there are no weights. own: `own(keys, beta)`, the memory that recalls, if that is another one. update: the update of
    the recall; None for `update_of` its memory. normalised: whether its weights are divided by their sum before values
    are read out, because only their ratios mean something.
    """

    name: str
    reader: Reader
    own: Build | None = None
    update: Update | None = field(default_factory=Synchronous)
    normalised: bool = False

    def build(self, keys: np.ndarray, beta: float) -> Any:
        """The memory that stores the keys."""
        return self.reader(keys, None, beta) if self.own is None else self.own(keys, beta)


contenders: Mapping[str, Contender] = {
    contender.name: contender
    for contender in (
        Contender(
            "hopfield",
            lambda keys, values, beta: Memory(keys, values, separation="identity", beta=1 / keys.shape[1]),
            lambda keys, beta: hopfield(keys),
            update=RANDOM_ORDER,
        ),
        Contender(
            "dense",
            lambda keys, values, beta: Memory(keys, values, separation=RectifiedPower(n=3)),
            lambda keys, beta: dense(keys),
            update=RANDOM_ORDER,
            normalised=True,
        ),
        Contender("modern", lambda keys, values, beta: Memory(keys, values, separation=Softmax(beta=beta))),
        Contender("sparse", lambda keys, values, beta: Memory(keys, values, separation=Entmax(beta=beta, alpha=2.0))),
        Contender("linear", lambda keys, values, beta: Memory(keys, values, separation="identity")),
        Contender("nearest", lambda keys, values, beta: nearest(keys, values)),
        Contender(
            "exponential",
            lambda keys, values, beta: Memory(keys, values, separation=Softmax(beta=1.0)),
            lambda keys, beta: exponential(keys),
            update=RANDOM_ORDER,
        ),
        Contender("entmax", lambda keys, values, beta: Memory(keys, values, separation=Entmax(beta=beta, alpha=1.5))),
        Contender("normmax", lambda keys, values, beta: Memory(keys, values, separation=Normmax(beta=beta, alpha=2.0))),
    )
}
"""The contenders by the names of the memories: `hopfield`, `dense` (n = 3), `modern` (softmax attention), `sparse`
(sparsemax), `linear`, `nearest`, `exponential`, `normmax` (α = 2), and entmax (`sparse` with α = 1.5)."""

OTHER_NAMES = {"classical": "hopfield", "softmax": "modern"}
"""Further names that are accepted, and the contenders that they mean."""

DEFAULT = ("hopfield", "dense", "modern", "sparse", "linear", "nearest")


def contenders_named(memories: Any) -> tuple[Contender, ...]:
    """The contenders of a comparison.

    memories: names, memory objects, functions of keys that give a memory, a mapping from names of your own
    to these, or a single one of all these. The name of a class of your own that is registered, and the path
    "module:name" of a class, a function or a memory, are names too. Raises `InvalidInput` for an unknown name, a name
    that is given twice, and an object that is not a memory.
    """
    single = isinstance(memories, (str, Contender)) or hasattr(memories, "recall") or callable(memories)
    given = [memories] if single else memories
    if isinstance(given, Mapping):
        result = [_of_object(str(name), memory) for name, memory in given.items()]
    elif is_iterable(given):
        result = [_contender(i, choice) for i, choice in enumerate(given)]
    else:
        raise InvalidInput(f"memories: expected names or memories, not {quoted(given)}")
    names = [contender.name for contender in result]
    if not names:
        raise InvalidInput(f"memories: name at least one of {', '.join(contenders)}")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InvalidInput(f"memories: '{shortened(twice)}' is listed twice")
    return tuple(result)


def _contender(i: int, choice: Any) -> Contender:
    """The contender of entry i of `memories`."""
    if isinstance(choice, Contender):
        return choice
    if not isinstance(choice, str):
        own = getattr(choice, "__name__", "<")  # that of a lambda begins so too
        return _of_object(f"memory {i + 1}" if own.startswith("<") else own, choice)
    name = OTHER_NAMES.get(choice, choice)
    if name in contenders:
        return contenders[name]
    own = own_named(name, "memories")
    if own is None:
        raise InvalidInput(f"memories: {unknown(choice, [*contenders, *OTHER_NAMES, *own_names()])}")
    return Contender(name, partial(memory_with, own), update=None) if is_part(own) else _of_object(name, own)


def _of_object(name: str, memory: Any) -> Contender:
    """The contender, under a name of its own, of a memory object, a function of keys or another contender's name.

    An object must store the keys of the problem; its own values are not used. Spins with an energy change one at a
    time, as those of the contenders by name do.
    """
    if isinstance(memory, str):
        return replace(_contender(0, memory), name=name)
    if isinstance(memory, type) or (callable(memory) and not hasattr(memory, "recall")):

        def made(keys: np.ndarray, beta: float) -> Any:
            if not is_memory(own := memory(keys)):
                raise InvalidInput(f"expected a memory from the function, not {quoted(own)}")
            return own

        return Contender(name, lambda keys, values, beta: _with_values(memory(keys), keys, values), made, None)
    if not is_memory(memory):
        raise InvalidInput(f"memories: expected a name, a memory or a function of keys, not {quoted(memory)}")

    def own(keys: np.ndarray, beta: float) -> Any:
        stored = np.asarray(memory.keys if isinstance(memory, Memory) else memory.patterns)
        if stored.shape != keys.shape or not np.array_equal(stored, keys):
            raise InvalidInput("it stores other keys than those that are compared")
        return _with_values(memory, keys, None, activation=memory.activation) or memory

    return Contender(name, lambda keys, values, beta: _with_values(memory, keys, values), own, update_of(memory))


def _with_values(memory: Any, keys: np.ndarray, values: np.ndarray | None, **more: Any) -> Memory | None:
    """A memory of these keys and values with the similarity and the separation of another; None if that has neither."""
    if not isinstance(memory, Memory):
        return None
    return Memory(keys, values, similarity=memory.similarity, separation=memory.separation, **more)


def is_memory(given: Any) -> bool:
    """Whether an object has the steps and the recall of a memory."""
    return hasattr(given, "recall") and hasattr(given, "step")


def update_of(memory: Any) -> Update:
    """The update by which a memory is recalled: that of `RANDOM_ORDER` for spins with an energy, else all together."""
    spins = isinstance(memory, AssociativeMemory) and memory.activation.discrete and RANDOM_ORDER.descends(memory)
    return RANDOM_ORDER if spins else Synchronous()
