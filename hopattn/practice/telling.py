"""The keys of a scenario that a question needs and no sentence of a sheet tells; such a problem could not be solved.

A key that is told says so beside its field, by `Told`.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from hopattn.practice.wording import layers_before, quantity
from hopattn.scenario.expectations.base import Numeric
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.language.table import Table, Told

KINDS = ("attention", "cue", "memory", "messages")
"""The kinds of scenario that a sheet can tell."""
ABOUT = {*Kind.model_fields, "without"}
"""The keys of a file that no problem needs."""


def untold(spec: Kind, asked: Numeric, words: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a scenario that a question needs and no sentence tells.

    spec: the run that is asked for. words: the texts of a language.
    """
    if spec.kind not in KINDS:
        yield f"kind {spec.kind}"
        return
    layers, last = layers_before(asked, spec), quantity(asked, spec)
    if getattr(getattr(getattr(spec, "memory", None), "update", None), "order", None) == "random":
        yield "memory.update.order"
    if isinstance(model := getattr(getattr(spec, "memory", None), "model", None), Table):
        wanting = {"activation": "sign", "bias": 0.0, "threshold": 0.0}
        yield from (f"memory.model.{key}" for key, value in wanting.items() if getattr(model, key, value) != value)
    yield from _untold(spec, words, "", {*ABOUT, "layer"})
    for i, layer in enumerate(layers, start=1):
        ends = i == len(layers) and last in ("scores", "weights", "output")
        yield from _untold(layer, words, f"layer.{i}.", {"head"} | ({"output"} if ends else set()))
        for j, head in enumerate(layer.head, start=1):
            told = {"bias"} if getattr(head.bias, "slope", None) else set()
            after = {"mask", "separation"} if last == "scores" else set()
            yield from _untold(head, words, f"layer.{i}.head.{j}.", told | after)


def _untold(table: Table, words: Mapping[str, Any], path: str, needless: Collection[str]) -> Iterator[str]:
    """The keys of a table that are neither needless, nor at their defaults, nor told; path: of the table."""
    for key in sorted(table.model_fields_set.difference(needless)):
        field, value = type(table).model_fields[key], getattr(table, key)
        if value == field.get_default(call_default_factory=True):
            continue
        told = next((one for one in field.metadata if isinstance(one, Told)), None)
        name = value if isinstance(value, str) else getattr(value, "name", None)
        if told is None or (told.by and name not in words[told.by]):
            yield f"{path}{field.alias or key}"
        elif isinstance(value, Table) and not told.by:
            yield from _untold(value, words, f"{path}{key}.", ())
