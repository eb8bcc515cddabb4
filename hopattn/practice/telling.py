"""The keys of a scenario that a question needs and no sentence of a sheet tells; such a problem could not be solved.

A key that is told says so beside its field, by `Told`.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from hopattn.practice.wording import in_sequence, layers_before, quantity
from hopattn.scenario.expectations.base import Numeric
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.kinds.models import StoredWords
from hopattn.scenario.language.table import Table, Told

KINDS = ("attention", "cue", "memory", "messages")
"""The kinds of scenario that a sheet can tell."""
TOLD_OF_MODEL = ("name", "n", "self_coupling", "bias", "threshold")
"""The options of the models of memories that are told whatever they are."""
VALUES_OF_MODEL = {"activation": ("step",), "rule": ("outer_products",)}
"""The values of other options that are told, beside their defaults."""
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
    cues = {"cue"} if last == "couplings" else set[str]()  # which come after the couplings
    if isinstance(spec, StoredWords) and (memory := getattr(spec, "memory", None)) is not None:
        yield from _of_network(memory, spec, last)
    yield from _untold(spec, words, "", {*ABOUT, "layer", *cues})
    for i, layer in enumerate(layers, start=1):
        ends = i == len(layers) and last in ("scores", "weights", "output")
        yield from _untold(layer, words, f"layer.{i}.", {"head"} | ({"output", "feed_forward"} if ends else set()))
        for j, head in enumerate(layer.head, start=1):
            told = {"bias"} if getattr(head.bias, "slope", None) else set()
            after = {"mask", "separation"} if last == "scores" else set()
            yield from _untold(head, words, f"layer.{i}.head.{j}.", told | after)


def _of_network(memory: Any, spec: StoredWords, last: str) -> Iterator[str]:
    """What no sentence tells of the model of a memory, its recall and its cues; last: the quantity that is asked."""
    model = memory.model if isinstance(memory.model, Table) else None
    fields = {} if model is None else {key: type(model).model_fields[key] for key in sorted(model.model_fields_set)}
    for key, field in fields.items():
        default = field.get_default()
        if key not in TOLD_OF_MODEL and getattr(model, key) not in (default, *VALUES_OF_MODEL.get(key, ())):
            yield f"memory.model.{key}"
    if last == "couplings":
        return
    if getattr(memory.update, "order", None) == "random":
        yield "memory.update.order"
    if memory.update is not None and memory.has_own_side:
        yield "memory.update"
    if last == "output" and memory.max_steps not in (None, 1):
        yield "memory.max_steps"
    in_turns = last in ("turns", "output") and in_sequence(spec)
    if in_turns and np.any(np.diag(memory.couplings or [[0]])):
        yield "memory.couplings"
    if in_turns and getattr(model, "self_coupling", False):
        yield "memory.model.self_coupling"
    if last in ("energy", "energies") and not (memory.couplings or (memory.card and memory.card.name == "hopfield")):
        yield "energy"
    for name, cue in getattr(spec, "cue", {}).items():
        if isinstance(cue.answer, str):
            yield f"cue.{name}.answer"


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
            yield from _untold(value, words, f"{path}{field.alias or key}.", ())
        elif isinstance(value, dict):
            for name, one in value.items():
                yield from _untold(one, words, f"{path}{key}.{name}.", ()) if isinstance(one, Table) else ()
