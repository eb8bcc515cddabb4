"""What a scenario asks: the queries, keys and values of its heads, or its patterns and cues."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from hopattn.experiments.comparison.problem import UNKNOWN, Question, asked
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.labelled import Labelled
from hopattn.memories.memory import Memory as AssociativeMemory
from hopattn.retrieval.separation.entmax import Entmax
from hopattn.retrieval.separation.normmax import Normmax
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.similarity import Dot
from hopattn.scenario.kinds.attention import Attention
from hopattn.scenario.kinds.memory import Memory
from hopattn.scenario.loading import Scenario
from hopattn.scenario.running import run
from hopattn.transformer.heads import Given, Head

TEMPERED = (Softmax, Entmax, Normmax)
"""The separations whose β is an inverse temperature, and not only a scale."""


class Asking(NamedTuple):
    """A question, and the β that the scenario has for it, or None where it has none."""

    question: Question
    beta: float | None


def questions_of(scenario: Scenario, seed: int | None = None) -> list[Asking]:
    """What each run of a scenario asks.

    Of the kind attention: each head of each layer, its queries as cues, its keys, values and mask; its scores must be
    dot products. Which key a query belongs to is not known. Of the kind memory: the patterns, their values, and the
    cues; a cue belongs to the pattern that it is, or that it was made of. Raises `InvalidInput` for the other kinds,
    and where nothing can be asked.
    """
    result = run(scenario, seed)
    asking: list[Asking] = []
    for one in result.runs:
        spec = scenario.runs[one.name]
        name = one.name or ("as written" if len(result.runs) > 1 else "")
        if isinstance(spec, Attention):
            asking += _heads(spec, one.arrays, name)
        elif isinstance(spec, Memory):
            asking.append(_memory(spec, one.arrays, name))
        else:
            raise InvalidInput(f"{scenario.where}: the kind '{result.kind}' has no keys; expected attention or memory")
    if not asking:
        raise InvalidInput(f"{scenario.where}: no head has scores that are dot products of queries and keys")
    return asking


def _heads(spec: Attention, arrays: Mapping[str, Labelled], name: str) -> Iterator[Asking]:
    shape = arrays["layer 1 head 1 weights"].values.shape
    layers = spec.layers(spec.encoding, (shape[0], shape[1]), spec.input.queries is not None)
    many = sum(len(layer.attention.heads) for layer in layers) > 1
    for i, layer in enumerate(layers, start=1):
        for j, head in enumerate(layer.attention.heads, start=1):
            if not isinstance(head.retrieval.similarity, Dot) or isinstance(head.retrieval.similarity, Given):
                continue
            place = f"layer {i} head {j}"
            own = {what: arrays[f"{place} {what}"].values for what in ("queries", "keys", "values", "mask")}
            if not own["mask"].any():
                continue
            where = ": ".join(filter(None, [name, place if many else ""]))
            cue_names, key_names = arrays[f"{place} weights"].labels
            given = own["keys"], own["queries"], own["values"], None, own["mask"].astype(bool), where
            yield Asking(asked(*given, cue_names, key_names), _beta(head))


def _memory(spec: Memory, arrays: Mapping[str, Labelled], name: str) -> Asking:
    words, table = spec.vocabulary.vectors, spec.memory
    patterns = np.stack([words[word] for word in table.patterns])
    values = None if table.values is None else np.stack([words[word] for word in table.values])
    cues = arrays["input"].values
    sources = [spec.cue[token].of if token in spec.cue else token for token in spec.tokens]
    targets = [table.patterns.index(word) if word in table.patterns else UNKNOWN for word in sources]
    question = asked(patterns, cues, values, targets, None, name, arrays["input"].labels[0], table.patterns)
    built: Any = table.built(words, np.random.default_rng(0))
    return Asking(question, _beta(built) if isinstance(built, AssociativeMemory) else None)


def _beta(memory: Head | AssociativeMemory) -> float | None:
    """The inverse temperature of a head or a memory; of a separation that has none, 1 for a head."""
    separation = memory.retrieval.separation
    if isinstance(separation, TEMPERED):
        return float(separation.beta)
    return 1.0 if isinstance(memory, Head) else None
