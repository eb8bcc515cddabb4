"""The parts of a scenario that a sheet can tell in sentences and tables; a problem with others could not be solved."""

from collections.abc import Iterator, Mapping
from typing import Any

from hopattn.practice.wording import layers_before, quantity
from hopattn.scenario.expectations.base import Numeric
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.language.table import Table

KINDS = ("attention", "cue", "memory", "messages")
"""The kinds of scenario that a sheet can tell."""
_ABOUT = {
    "schema_version",
    "title",
    "source",
    "note",
    "kind",
    "seed",
    "variant",
    "expect",
    "sweep",
    "figure",
    "practice",
    "without",
}
_FILE = {*_ABOUT, "vocabulary", "written", "spaces", "positions", "input", "network", "memory", "graph", "layer"}
_MEMORY = {"stored", "read", "model", "separation", "beta", "update", "max_steps"}
_HEAD = {"scores", "weights", "query", "key", "value", "similarity", "separation", "activation", "beta", "base", "mask"}
_PROJECTION = {"source", "target", "rotate", "matrix"}


def untold(spec: Kind, asked: Numeric, words: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a scenario that a question needs and no sentence tells.

    spec: the run that is asked for. words: the texts of a language.
    """
    if spec.kind not in KINDS:
        yield f"kind {spec.kind}"
        return
    yield from _further(spec, _FILE, "")
    positions, memory = getattr(spec, "positions", None), getattr(spec, "memory", None)
    yield from () if positions is None else _further(positions, {"turn"}, "positions.")
    if (text := getattr(spec, "input", None)) is not None:
        yield from _further(text, {"tokens", "queries"}, "input.")
    if memory is not None:
        yield from _further(memory, _MEMORY, "memory.")
        name = memory.model if isinstance(memory.model, str | None) else memory.model.name
        yield from _unknown(name or "memory", words["model"], "memory.model")
        yield from () if name else _unknown(memory.separation, words["separation"], "memory.separation")
    layers, last = layers_before(asked, spec), quantity(asked, spec)
    for i, layer in enumerate(layers, start=1):
        ends = i == len(layers) and last in ("scores", "weights", "output")
        known = {"head", "residual", "output"} if ends else {"head", "residual"}
        yield from _further(layer, known, f"layer.{i}.")
        for j, head in enumerate(layer.head, start=1):
            yield from _of_head(head, last, words, f"layer.{i}.head.{j}.")


def _of_head(head: Any, last: str, words: Mapping[str, Any], path: str) -> Iterator[str]:
    """The keys of a head that no sentence tells."""
    own = {"bias"} if getattr(head.bias, "slope", None) else set()
    yield from _further(head, _HEAD | own, path)
    yield from _unknown(head.similarity, words["similarity"], f"{path}similarity")
    if last != "scores":
        yield from _unknown(head.mask or "causal", words["mask"], f"{path}mask")
        yield from _unknown(head.separation, words["separation"], f"{path}separation")
    if head.activation != "identity":
        yield from _unknown(head.activation, words["activation"], f"{path}activation")
    for role in ("query", "key", "value"):
        if isinstance(projection := getattr(head, role), Table):
            yield from _further(projection, _PROJECTION, f"{path}{role}.")


def _further(table: Table, told: set[str], path: str) -> Iterator[str]:
    """The keys of a table that are neither told nor at their defaults."""
    for key in sorted(table.model_fields_set - told):
        if getattr(table, key) != type(table).model_fields[key].get_default(call_default_factory=True):
            yield f"{path}{key}"


def _unknown(choice: Any, known: Mapping[str, Any], path: str) -> Iterator[str]:
    """The path of a choice that has no sentence: a name, or a table with a name."""
    if (choice if isinstance(choice, str) else getattr(choice, "name", None)) not in known:
        yield path
