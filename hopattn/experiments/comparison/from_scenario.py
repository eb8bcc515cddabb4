"""The problems of a scenario: the queries, keys and values of its heads, or its patterns and cues."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from hopattn.experiments.comparison.problem import RecallProblem, checked_problem
from hopattn.foundation.errors import InvalidInput
from hopattn.memories.memory import Memory as AssociativeMemory
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import Dot, FixedScores
from hopattn.scenario.kinds.attention import Attention
from hopattn.scenario.kinds.memory import MemoryScenario
from hopattn.scenario.loading import Scenario
from hopattn.scenario.running import run
from hopattn.transformer.heads import Head


def problems_of(scenario: Scenario, seed: int | None = None) -> list[RecallProblem]:
    """The problems of all runs of a scenario.

    Kind attention: one problem for each head whose scores are dot products, with its queries as cues, its keys, values
    and mask; the key of a query is not known. Kind memory: one problem with the patterns, their values and the cues; a
    cue belongs to the pattern that it equals or was made from. seed: instead of the scenario's. Raises `InvalidInput`
    for other kinds, and if there is no head with dot products.
    """
    result = run(scenario, seed)
    problems: list[RecallProblem] = []
    for one in result.runs:
        spec = scenario.runs[one.name]
        name = one.name or ("as written" if len(result.runs) > 1 else "")
        if isinstance(spec, Attention):
            problems += _of_heads(spec, one.arrays, name)
        elif isinstance(spec, MemoryScenario):
            problems.append(_of_memory(spec, one.arrays, name))
        else:
            raise InvalidInput(f"{scenario.where}: the kind '{result.kind}' has no keys; expected attention or memory")
    if not problems:
        raise InvalidInput(f"{scenario.where}: no head has scores that are dot products of queries and keys")
    return problems


def heads_left_out(scenario: Scenario, problems: Sequence[RecallProblem]) -> str:
    """The heads of a scenario that none of its problems is made from, in words; empty if there are none."""
    specs = [spec for spec in scenario.runs.values() if isinstance(spec, Attention)]
    count = sum(layer.n_heads for spec in specs for layer in spec.layer) - len(problems)
    if not specs or not count:
        return ""
    heads = "1 head is" if count == 1 else f"{count} heads are"
    return f"; {heads} left out, without dot products, with a bias, or with a mask that hides every key"


def _of_heads(spec: Attention, arrays: Mapping[str, Labelled], name: str) -> Iterator[RecallProblem]:
    """The problems of one run of attention; heads whose mask hides every key are left out."""
    heads = spec.heads()
    for place, head in heads.items():
        plain = isinstance(head.retrieval.similarity, Dot) and head.bias is None
        if not plain or isinstance(head.retrieval.similarity, FixedScores):
            continue
        own = {role: arrays[f"{place} {role}"].values for role in ("queries", "keys", "values", "mask")}
        if not own["mask"].any():
            continue
        cues, keys = arrays[f"{place} weights"].labels
        yield checked_problem(
            own["keys"],
            own["queries"],
            own["values"],
            mask=own["mask"].astype(bool),
            where=": ".join(filter(None, [name, place if len(heads) > 1 else ""])),
            names=(cues, keys),
            own_beta=_beta(head),
        )


def _of_memory(spec: MemoryScenario, arrays: Mapping[str, Labelled], name: str) -> RecallProblem:
    """The problem of one run of a memory."""
    words, table = spec.vocabulary.vectors, spec.memory
    memory = spec.stored
    return checked_problem(
        np.stack([words[word] for word in table.patterns]),
        arrays["input"].values,
        None if table.values is None else np.stack([words[word] for word in table.values]),
        targets=spec.targets,
        where=name,
        names=(arrays["input"].labels[0], table.patterns),
        own_beta=_beta(memory) if isinstance(memory, AssociativeMemory) else None,
    )


def _beta(memory: Head | AssociativeMemory) -> float | None:
    """The beta of a head or a memory; if it only scales the weights, 1 for a head and None for a memory."""
    separation = memory.retrieval.separation
    if separation.tempered:
        return float(separation.beta)
    return 1.0 if isinstance(memory, Head) else None
