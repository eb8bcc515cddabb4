"""The part of a result that a figure draws: runs and heads that were chosen, with the names that they have there."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from numbers import Integral
from typing import Any

import numpy as np

from hopattn.foundation.checks import is_iterable
from hopattn.foundation.errors import InvalidInput, listed, quoted, unknown
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Arrays, Name
from hopattn.scenario.result import Result, Run
from hopattn.scenario.sweep_and_figure import FigureTable

AS_WRITTEN = "as written"
"""The name of a scenario's own run among its variants, where the scenario gives it no other."""


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


LONG, KEYS = 8, 5
"""The number of words up to which a figure shows all queries and keys of a text, and the keys of one query beyond."""
QUERIES = ("cue", "token", "query")
"""The axes whose labels are queries."""
FAINTEST = 0.02
"""The smallest weight of a key that is shown in a long text, as a part of the largest."""


def chosen(result: Result, options: Mapping[str, Any] | None = None) -> Result:
    """The result as its figures show it, by the scenario's `[figure]` and by options.

    options: some of title, axes, highlight, names, run, layer, head, query, instead of those of `[figure]`. A query may
    be a number; axes and highlighted words may be one text with commas. Runs that were not chosen are left out, and so
    are the arrays of other heads and layers. Raises `InvalidInput` for a run, a head, an axis or a word that the result
    does not have.
    """
    # The labels of all arrays of a result, and the words of its expectations.
    labels = (axis for run in result.runs for array in run.arrays.values() for axis in array.labels)
    known = dict.fromkeys(label for axis in labels for label in axis) | dict.fromkeys(result.words)
    options = _as_in_a_file(options or {}, known)
    table = result.figure.model_copy(update={k: v for k, v in options.items() if v is not None})
    if message := table.why_wrong_names(len(result.runs)):
        raise InvalidInput(f"figure: names: {message}")
    names = [*table.names, *(run.name for run in result.runs[len(table.names) :])]
    runs = [replace(run, name=name) for run, name in zip(result.runs, names, strict=True)]
    if table.run is not None:
        runs = [_run_named(table.run, result.runs, runs)]
    if table.head is not None or table.layer is not None:
        runs = [_with_heads(run, table) for run in runs]
    if table.axes is not None:
        _require_axes(table.axes, runs)
    _require_words("highlight", options.get("highlight", ()), known)
    if (query := options.get("query")) is not None:
        _require_words("query", [query], _queries(result))
    return replace(result, runs=tuple(runs), figure=table)


def _as_in_a_file(options: Mapping[str, Any], known: Mapping[str, None]) -> dict[str, Any]:
    """The options as `[figure]` would hold them; raises `InvalidInput` for one of another type.

    known: the words of the result. A text that is not one of them is split at its commas where a list is expected.
    """
    given = dict(options)
    if isinstance(query := given.get("query"), Integral) and not isinstance(query, bool):
        given["query"] = str(query)
    for name in ("axes", "highlight"):
        if isinstance(text := given.get(name), str):
            given[name] = [text] if text in known else [part.strip() for part in text.split(",")]
    _require_types(given)
    return given


def _require_types(options: Mapping[str, Any]) -> None:
    """Raise `InvalidInput` for an option of another type than its key in `[figure]` has."""
    for name in ("title", "run", "query"):
        if not isinstance(options.get(name, ""), str):
            raise InvalidInput(f"figure: {name}: expected a text, not {quoted(options[name])}")
    for name in ("layer", "head"):
        number = options.get(name, 1)
        if not isinstance(number, Integral) or isinstance(number, bool) or number < 1:
            raise InvalidInput(f"figure: {name}: expected a whole number from 1, not {quoted(options[name])}")
    for name in ("axes", "highlight"):
        texts = options.get(name, ())
        listed = isinstance(texts, Sequence | np.ndarray) and is_iterable(texts)
        if not listed or not all(isinstance(text, str) for text in texts):
            raise InvalidInput(f"figure: {name}: expected a list of texts, not {quoted(texts)}")


def _require_words(option: str, words: Sequence[str], known: Mapping[str, None]) -> None:
    """Raise `InvalidInput` for a word, chosen by an option, that the result does not have."""
    for word in words:
        if word not in known:
            raise InvalidInput(f"figure: {option}: {unknown(word, known)}")


def _queries(result: Result) -> dict[str, None]:
    """The words that a query may be: the labels of the cues or tokens, or of all rows where no axis is one of them."""
    rows = [(array.dims[0], array.labels[0]) for run in result.runs for array in run.arrays.values() if array.dims]
    asked = [labels for name, labels in rows if name in QUERIES]
    return dict.fromkeys(chain.from_iterable(asked or (labels for _, labels in rows)))


def _run_named(name: str, given: tuple[Run, ...], renamed: list[Run]) -> Run:
    """The run of this name, by the name in the scenario or the one in figures."""
    by_name = {run.name or AS_WRITTEN: new for run, new in zip(given, renamed, strict=True)}
    by_name |= {run.name: run for run in renamed if run.name}
    if name not in by_name:
        raise InvalidInput(f"figure: run: {unknown(name, by_name)}")
    return by_name[name]


def _with_heads(run: Run, table: FigureTable) -> Run:
    """The run without the arrays of heads that were not chosen; the others keep their names."""
    names = {name: Name.parse(name) for name in run.arrays}
    heads = {(one.layer or 0, one.head) for one in names.values() if one.head is not None}
    if not any(_is_chosen(head, table) for head in heads):
        wanted = " ".join(f"{key} {number}" for key in ("layer", "head") if (number := getattr(table, key)))
        there = [f"layer {layer} head {head}" if layer else f"head {head}" for layer, head in sorted(heads)]
        raise InvalidInput(f"figure: there is no {wanted} (heads: {listed(there) or 'none'})")
    kept = [name for name, one in names.items() if one.head is None or _is_chosen((one.layer or 0, one.head), table)]
    return replace(run, arrays=Arrays.of(((name, run.arrays[name]) for name in kept), run.arrays.on_demand))


def _is_chosen(place: tuple[int, int], table: FigureTable) -> bool:
    """Whether a layer (0 where there are none) and a head are those of the table, as far as it names them."""
    layer, head = place
    return table.layer in (None, layer or 1) and table.head in (None, head)


def _require_axes(axes: Sequence[str], runs: list[Run]) -> None:
    """Raise `InvalidInput` for an axis that no word has, for one axis twice, and for another number of axes."""
    if len(axes) != 2:
        names = quoted(",".join(axes))
        raise InvalidInput(f"figure: axes: expected the names of two axes, as in 'money,river', not {names}")
    named = [array for run in runs for array in run.arrays.values() if array.dims[-1:] == ("axis",)]
    known = dict.fromkeys(axis for array in named for axis in array.labels[-1])
    for axis in axes:
        if axis not in known:
            raise InvalidInput(f"figure: axes: {unknown(axis, known)}")
    if len({*axes}) < 2:
        raise InvalidInput(f"figure: axes: '{axes[0]}' is listed twice; a plane has two")


def highlighted_words(result: Result) -> tuple[str, ...]:
    """The words that stand out in a figure: those of `[figure]`, else those of the expectations."""
    return tuple(result.figure.highlight) or result.words


def query_of(result: Result, tokens: tuple[str, ...]) -> int:
    """The index of the query that a figure shows.

    It is the one of `[figure]`, else the last of the highlighted words, else the last token. tokens: the labels of the
    queries. Raises `InvalidInput` for a query that is not a token.
    """
    if (query := result.figure.query) is not None:
        if query not in tokens:
            raise InvalidInput(f"figure: query: {unknown(query, tokens)}")
        return tokens.index(query)
    return max((tokens.index(word) for word in highlighted_words(result) if word in tokens), default=len(tokens) - 1)


def strongest_keys(row: np.ndarray) -> np.ndarray:
    """The indices of the `KEYS` keys of largest weight, in their order; none whose weight is nearly 0."""
    sizes = np.abs(row)
    keys = np.flatnonzero(sizes > FAINTEST * sizes.max(initial=0.0))
    return np.sort(keys[np.argsort(-np.abs(row[keys]), kind="stable")[:KEYS]])


def cues_of(result: Result, cues: tuple[str, ...], most: int = 1) -> list[int]:
    """The indices of the cues that a figure shows: the query of `[figure]`, else the first ones, `most` at most."""
    return list(range(min(len(cues), most))) if result.figure.query is None else [query_of(result, cues)]
