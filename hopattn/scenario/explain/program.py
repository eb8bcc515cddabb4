"""The steps of a program, one after the other, as a reader would work them out by hand."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hopattn.circuits.rasp import comparisons, sequence_maps
from hopattn.foundation.writing import number
from hopattn.results.labelled import Labelled
from hopattn.scenario.explain.arithmetic import equals, factor
from hopattn.scenario.parts.program import AggregateTable, MapTable, StepTable

MOST = 8
"""The largest number of words that a line names."""


def explain_step(step: StepTable, arrays: Mapping[str, Labelled]) -> Iterator[str]:
    """The heading of a step and one line for each word."""
    if step.select is not None:
        table, selection = step.select, arrays[f"{step.name} selection"]
        query = table.queries or table.keys if table.query is None else _shown(table.query)
        rule = "every key is selected" if table.where == "true" else f"select {table.keys} {table.where} {query}"
        yield f"{step.name}: {rule}"
        for token, row in zip(selection.labels[0], selection.values, strict=True):
            yield f"  {token} selects {_list(selection.labels[1], row)}"
    elif step.aggregate is not None:
        yield from _aggregation(step.name, step.aggregate, arrays)
    elif step.map is not None:
        yield from _map(step.name, step.map, arrays)
    else:
        result = arrays[f"{step.name} values"]
        table_of = step.table.of if step.table is not None else ""
        yield f"{step.name}: " + (f"a table of {table_of}" if table_of else f"how many words {step.width} selects")
        before = _sequence(arrays, table_of) if table_of else None
        for i, (token, value) in enumerate(zip(result.labels[0], result.values, strict=True)):
            yield f"  {token}: {f'{_shown(before[i])} → ' if before is not None else ''}{_shown(value)}"


def _aggregation(name: str, table: AggregateTable, arrays: Mapping[str, Labelled]) -> Iterator[str]:
    """The mean of the selected numbers, or the selected word, for each word."""
    result, weights = arrays[f"{name} values"], arrays[f"{name} weights"].values
    read = _sequence(arrays, table.values)
    yield f"{name}: the mean of {table.values} over what {table.selection} selects"
    for token, row, value in zip(result.labels[0], weights, result.values, strict=True):
        chosen = read[row > 0]
        if not len(chosen):
            yield f"  {token}: nothing is selected: {_shown(value)}"
        elif read.dtype.kind == "U" or len(chosen) == 1:
            yield f"  {token}: {_shown(value)}"
        else:
            terms = " + ".join(factor(term) if i else number(term) for i, term in enumerate(chosen[: 2 * MOST]))
            more = " + …" if len(chosen) > 2 * MOST else ""
            yield f"  {token}: ({terms}{more}) / {len(chosen)} {equals(value)} {number(value)}"


def _map(name: str, table: MapTable, arrays: Mapping[str, Labelled]) -> Iterator[str]:
    """The arithmetic of a map for each word."""
    result, sign = arrays[f"{name} values"], sequence_maps[table.how].sign
    operands = [_sequence(arrays, one) for one in table.names]
    names = [*table.names, *([] if table.by is None else [_shown(table.by)])]
    yield f"{name}: {_written(table.how, sign, names)}"
    for i, (token, value) in enumerate(zip(result.labels[0], result.values, strict=True)):
        terms = [operand[i] for operand in operands] + ([] if table.by is None else [table.by])
        shown = [_shown(term) if k == 0 or isinstance(term, str) else factor(term) for k, term in enumerate(terms)]
        holds = {1.0: "yes, 1", 0.0: "no, 0"}[float(value)] if table.how in comparisons else ""
        yield f"  {token}: {_written(table.how, sign, shown)}" + (f": {holds}" if holds else f" = {number(value)}")


def _written(how: str, sign: str, operands: list[str]) -> str:
    if how in ("minimum", "maximum", "round"):
        return f"{sign}({', '.join(operands)})"
    return f"{sign}{operands[0]}" if how == "negate" else f" {sign} ".join(operands)


def _sequence(arrays: Mapping[str, Labelled], name: str) -> np.ndarray:
    """A sequence by its name, `(n,)`."""
    if name == "indices":
        return np.arange(len(arrays["tokens values"].values)) + 0.0
    return arrays[f"{name} values"].values


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, str) else number(value)


def _list(names: tuple[str, ...], row: np.ndarray) -> str:
    chosen = [name for name, weight in zip(names, row, strict=True) if weight]
    if len(chosen) > MOST:
        chosen = [*chosen[: MOST - 1], f"… {len(chosen)} in all"]
    return ", ".join(chosen) or "nothing"
