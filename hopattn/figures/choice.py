"""The part of a result that a figure draws: runs and heads that were chosen, with the names that they have there."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from pydantic import ValidationError

from hopattn.foundation.errors import InvalidInput, listed, quoted, reject_unknown
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Arrays, Name
from hopattn.scenario.language.messages import schema_problems
from hopattn.scenario.result import Result, Run
from hopattn.scenario.sweep_and_figure import FigureTable

AS_WRITTEN = "as written"
"""The option that chooses a scenario's own run among its variants, where the scenario gives it no other name."""
UNCHANGED = "without a change"
"""The title of this run."""


def arrays_of(run: Run) -> dict[str, Labelled]:
    """The arrays of a run by name. Those of a task's first sequence lose the prefix `sequence 1`."""
    return {name.removeprefix("sequence 1 "): array for name, array in run.arrays.items()}


def tables(run: Run, quantity: str) -> list[tuple[str, Labelled]]:
    """The arrays of a quantity, such as `weights`, each with the name of its place, such as `layer 1 head 1`."""
    return [(name.place, array) for name, array in run.find(quantity)]


def mask_of(run: Run, place: str, weights: Labelled) -> np.ndarray:
    """Which keys the mask of a head lets through, shaped as the weights; all where the head has no mask.

    A column behind those of the keys, the rest that a sink takes, is never masked.
    """
    mask = run.arrays.get(f"{place} mask".strip())
    allowed = np.ones(weights.values.shape, bool)
    if mask is not None:
        allowed[..., : mask.values.shape[-1]] = mask.values
    return allowed


LONG = 8
"""The number of words up to which a figure shows all queries and keys of a text."""


def chosen(result: Result, options: Mapping[str, Any] | None = None) -> Result:
    """The result as its figures show it, by the scenario's `[figure]` and by options.

    options: some of the keys of `[figure]`, instead of those there. A query may be a number; axes and highlighted words
    may be one text with commas. Runs that were not chosen are left out, and so are the arrays of other heads and
    layers. Raises `InvalidInput` for a value that a file could not hold, and for a run, a head or a word that the
    result does not have.
    """
    labels = [array.labels for run in result.runs for array in run.arrays.values()]
    rows = [label for axes in labels for axis in axes[:1] for label in axis]
    known = dict.fromkeys([label for axes in labels for axis in axes for label in axis] + [*result.words])
    values = {name: _in_a_file(name, value, known) for name, value in (options or {}).items() if value is not None}
    try:
        table = FigureTable.model_validate({**result.figure.model_dump(), **values})
    except ValidationError as error:
        (problem,) = schema_problems(error, FigureTable, values, 1)
        raise InvalidInput(f"figure: {problem.path[0]}: {problem.message}") from None
    reject_unknown("figure: highlight", values.get("highlight", ()), known)
    reject_unknown("figure: query", filter(None, [values.get("query")]), dict.fromkeys(rows))
    names = [*table.names, *(run.name for run in result.runs[len(table.names) :])]
    runs = [replace(run, name=name) for run, name in zip(result.runs, names, strict=True)]
    if table.run is not None:
        by_name = {run.name or AS_WRITTEN: new for run, new in zip(result.runs, runs, strict=True)}
        by_name |= {run.name: run for run in runs if run.name}
        reject_unknown("figure: run", [table.run], by_name)
        runs = [by_name[table.run]]
    if table.head is not None or table.layer is not None:
        runs = [_with_heads(run, table) for run in runs]
    return replace(result, runs=tuple(runs), figure=table)


def _in_a_file(name: str, value: Any, known: Collection[str]) -> Any:
    """An option as `[figure]` would hold it: a text that is not one of the known words has commas between words."""
    value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    if name == "query" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if name in ("axes", "highlight") and isinstance(value, str):
        return [value] if value in known else [part.strip() for part in value.split(",")]
    if not isinstance(value, str | int | float | list | tuple | dict | set):
        raise InvalidInput(f"figure: {name}: expected a text, a number or a list, not {quoted(value)}")
    return [*value] if isinstance(value, tuple) else value


def _with_heads(run: Run, table: FigureTable) -> Run:
    """The run without the arrays of heads that were not chosen; the others keep their names."""
    heads = {name: one for name in run.arrays if (one := Name.parse(name)).head is not None}
    others = [name for name, one in heads.items() if not one.is_at(table.layer, table.head)]
    if len(others) == len(heads):
        wanted = Name("", layer=table.layer, head=table.head).place
        there = dict.fromkeys(Name("", layer=one.layer, head=one.head).place for one in heads.values())
        raise InvalidInput(f"figure: there is no {wanted} (heads: {listed(there) or 'none'})")
    kept = ((name, array) for name, array in run.arrays.items() if name not in others)
    return replace(run, arrays=Arrays.of(kept, run.arrays.on_demand))


def highlighted_words(result: Result) -> tuple[str, ...]:
    """The words that stand out in a figure: those of `[figure]`, else those of the expectations."""
    return tuple(result.figure.highlight) or result.words


def query_of(result: Result, tokens: tuple[str, ...]) -> int:
    """The index of the query that a figure shows.

    It is the one of `[figure]`, else the last of the highlighted words, else the last token. tokens: the labels of the
    queries. Raises `InvalidInput` for a query that is not a token.
    """
    if (query := result.figure.query) is not None:
        reject_unknown("query", [query], tokens)
        return tokens.index(query)
    return max((tokens.index(word) for word in highlighted_words(result) if word in tokens), default=len(tokens) - 1)


def largest(numbers: np.ndarray, most: int) -> np.ndarray:
    """The indices of the largest of some numbers, in their order; of equal ones, the first."""
    return np.sort(np.argsort(-numbers, kind="stable")[:most])


def cues_of(result: Result, cues: tuple[str, ...], most: int = 1) -> list[int]:
    """The indices of the cues that a figure shows: the query of `[figure]`, else the first ones, `most` at most."""
    return list(range(min(len(cues), most))) if result.figure.query is None else [query_of(result, cues)]
