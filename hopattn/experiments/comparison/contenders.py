"""The memories that are compared, by name: how each stores the keys, is recalled, and reads out values."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput, shortened, unknown
from hopattn.memories.memory import Memory
from hopattn.memories.models.addressed import nearest
from hopattn.memories.models.classical import hopfield
from hopattn.memories.models.dense import dense, exponential
from hopattn.retrieval.separation.entmax import Entmax
from hopattn.retrieval.separation.normmax import Normmax
from hopattn.retrieval.separation.power import RectifiedPower
from hopattn.retrieval.separation.softmax import Softmax

Build = Callable[[np.ndarray, float], Any]
Reader = Callable[[np.ndarray, np.ndarray, float], Memory]


@dataclass(frozen=True)
class Contender:
    """A memory as it takes part: `build(keys, beta)` stores the keys and is recalled by `update`.

    reader: `reader(keys, values, beta)`, which weighs the keys for a cue and reads out values; None where the memory
    has no weights. tempered: whether beta has a part in it. as_shares: whether its weights are divided by their sum
    before values are read out, since their size means nothing.
    """

    name: str
    build: Build
    reader: Reader | None
    update: str = "sync"
    tempered: bool = False
    as_shares: bool = False


def _by(separation: Callable[[float], Any]) -> tuple[Build, Reader]:
    """A memory of any vectors with this separation."""
    return (
        lambda keys, beta: Memory(keys, separation=separation(beta)),
        lambda keys, values, beta: Memory(keys, values, separation=separation(beta)),
    )


def _weighing(separation: Any) -> Reader:
    return lambda keys, values, beta: Memory(keys, values, separation=separation)


contenders: Mapping[str, Contender] = {
    one.name: one
    for one in (
        Contender(
            "classical",
            lambda keys, beta: hopfield(keys),
            lambda keys, values, beta: Memory(keys, values, separation="identity", beta=1 / keys.shape[1]),
            update="async",
        ),
        Contender(
            "dense", lambda keys, beta: dense(keys), _weighing(RectifiedPower(n=3)), update="async", as_shares=True
        ),
        Contender("softmax", *_by(Softmax), tempered=True),
        Contender("sparse", *_by(lambda beta: Entmax(beta, 2.0)), tempered=True),
        Contender("linear", *_by(lambda beta: "identity")),
        Contender("nearest", lambda keys, beta: nearest(keys), lambda keys, values, beta: nearest(keys, values)),
        Contender(
            "exponential",
            lambda keys, beta: exponential(keys),
            lambda keys, values, beta: Memory(keys, values, separation=Softmax(1.0)),
            update="async",
        ),
        Contender("entmax", *_by(lambda beta: Entmax(beta, 1.5)), tempered=True),
        Contender("normmax", *_by(lambda beta: Normmax(beta, 2.0)), tempered=True),
    )
}
"""Those that a name stands for: `hopfield`, `dense` (n = 3), softmax attention, sparsemax, the identity, the nearest
neighbour, `exponential`, entmax (α = 1.5) and normmax (α = 2)."""

DEFAULT = ("classical", "dense", "softmax", "sparse", "linear", "nearest")


def chosen(memories: Any) -> tuple[Contender, ...]:
    """Contenders from names, from memory objects, or from objects by the names that they are to have.

    Raises `InvalidInput` for an unknown name, one that stands there twice, and for what is no memory.
    """
    given = [memories] if isinstance(memories, (str, Contender)) or hasattr(memories, "recall") else memories
    if isinstance(given, Mapping):
        found = [_object(str(name), one) for name, one in given.items()]
    elif isinstance(given, Iterable):
        found = [_one(i, one) for i, one in enumerate(given)]
    else:
        raise InvalidInput(f"memories: expected names or memories, not {shortened(repr(given))}")
    names = [one.name for one in found]
    if not names:
        raise InvalidInput(f"memories: name at least one of {', '.join(contenders)}")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InvalidInput(f"memories: '{shortened(twice)}' stands there twice")
    return tuple(found)


def _one(i: int, one: Any) -> Contender:
    if isinstance(one, Contender):
        return one
    if not isinstance(one, str):
        return _object(f"memory {i + 1}", one)
    if one not in contenders:
        raise InvalidInput(f"memories: {unknown(one, contenders)}")
    return contenders[one]


def _object(name: str, memory: Any) -> Contender:
    """A memory that is there already; it must store the keys that it is asked about. Values of its own do not count."""
    if not hasattr(memory, "recall") or not hasattr(memory, "step"):
        raise InvalidInput(f"memories: expected a name or a memory, not {shortened(repr(memory))}")

    def build(keys: np.ndarray, beta: float) -> Any:
        stored = np.asarray(memory.keys if isinstance(memory, Memory) else memory.patterns)
        if stored.shape != keys.shape or not np.array_equal(stored, keys):
            raise InvalidInput("it stores other keys than those that are compared")
        return Memory(keys, activation=memory.activation, **parts) if isinstance(memory, Memory) else memory

    if not isinstance(memory, Memory):
        return Contender(name, build, None)
    parts: dict[str, Any] = {"similarity": memory.similarity, "separation": memory.separation}
    return Contender(name, build, lambda keys, values, beta: Memory(keys, values, **parts))
