"""Bare arrays and recalls as results, so that the figures of scenarios draw them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopattn.dynamics.record import Recall
from hopattn.foundation.arrays import as_numpy, is_foreign_array
from hopattn.foundation.checks import is_iterable
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.traces import detached
from hopattn.results.labelled import Labelled
from hopattn.retrieval.masks import resolve
from hopattn.scenario.arrays import Arrays, labels, numbers
from hopattn.scenario.result import Result, Run
from hopattn.transformer.heads import HeadTrace

Tokens = Sequence[str] | tuple[Sequence[str], Sequence[str]]
"""The words of a text, or those of the queries and those of the keys."""
LARGEST = 1e100
"""The bound of weights that can be drawn."""
SHOWN = 0.005
"""The size from which a weight is shown as other than 0."""


def weights_as_result(weights: Any, tokens: Tokens | None = None, mask: Any = None) -> Result:
    """The weights of attention as the result of one layer, or of several.

    weights: `(n_queries, n_keys)`, `(n_heads, n_queries, n_keys)`, or of a whole model `(n_layers, n_heads, n_queries,
    n_keys)` or an array for each layer, each of any library; a layer may have an axis of one text before its heads. Or
    a pandas DataFrame; or the trace of a head or of several. tokens: the words of the text, or a pair: those of the
    queries and those of the keys; by default those of the DataFrame, or else their numbers, from 1. mask: as a head
    takes it: the name of a rule, or booleans (True = may attend). What it hides, and what a masked array masks, is
    hidden. Raises `InvalidInput` for another shape, for numbers that are not finite, for another number of words, and
    for a mask that hides weights.
    """
    if hasattr(weights, "iloc"):  # a DataFrame of pandas, which is not imported for this
        weights, tokens = weights.to_numpy(), (list(weights.index), list(weights.columns)) if tokens is None else tokens
    traces = (weights,) if isinstance(weights, HeadTrace) else getattr(weights, "heads", ())
    masked = np.ma.asarray(_traced(traces)) if traces else weights
    values = _array(np.ma.filled(masked, 0) if isinstance(masked, np.ma.MaskedArray) else masked)
    texts = values.shape[1] if values.ndim == 5 else 1
    if values.dtype.kind not in "fiub" or not 2 <= values.ndim <= 5 or texts != 1 or not values.size:
        wanted = "(n_queries, n_keys), (n_heads, n_queries, n_keys) or (n_layers, n_heads, n_queries, n_keys)"
        raise InvalidInput(f"weights: expected numbers of shape {wanted}, not {values.dtype} of shape {values.shape}")
    heads = values.astype(float).reshape(-1, *values.shape[-2:])
    if not (np.abs(heads) < LARGEST).all():
        raise InvalidInput(f"weights: some are not a number, or not below {LARGEST:g}, so that no colour can show them")
    own = weights if isinstance(weights, Labelled) and weights.labels and tokens is None else None
    words = own.labels[-2:] if own else _labels(tokens, heads.shape[1:])
    axes = own.dims[-2:] if own and len(own.dims) > 1 else ("query", "key")
    allowed = _allowed(mask, heads, words)
    if isinstance(masked, np.ma.MaskedArray):
        allowed = allowed & ~np.ma.getmaskarray(masked).reshape(heads.shape)
    layers = values.shape[0] if values.ndim > 3 else 1
    arrays = Arrays()
    for k, (head, seen) in enumerate(zip(heads, allowed, strict=True)):
        layer, number = divmod(k, len(heads) // layers)
        place = f"layer {layer + 1} head {number + 1}"
        arrays[f"{place} weights"] = Labelled(head, axes, words, isinstance(weights, Labelled) and weights.tiny)
        if not allowed.all():
            arrays[f"{place} mask"] = Labelled(seen, axes, words)
        if traces and traces[k].rest is not None:
            arrays[f"{place} rest"] = Labelled(np.asarray(_plain(traces[k].rest)), ("query",), words[:1])
    return Result(name="array", kind="attention", runs=(Run("", arrays),))


def _allowed(mask: Any, heads: np.ndarray, words: tuple[tuple[str, ...], ...]) -> np.ndarray:
    """Which keys a mask lets through, of the shape of the weights `(n_heads, n_queries, n_keys)`.

    Raises `InvalidInput` for a mask that hides a weight which a figure would show as other than 0.
    """
    seen = None if mask is None else resolve(_plain(mask), heads)
    allowed = np.broadcast_to(True if seen is None else seen, heads.shape)
    hidden = np.where(allowed, 0, np.abs(heads))
    if hidden.max() >= SHOWN:
        _, i, j = np.unravel_index(np.argmax(hidden), hidden.shape)
        weight = f"the weight {hidden.max():.2g} of query {quoted(words[0][i])} and key {quoted(words[1][j])}"
        raise InvalidInput(f"mask: hides {weight}; expected True where a query may attend, and 0 elsewhere")
    return allowed


def _traced(heads: Sequence[HeadTrace]) -> np.ma.MaskedArray:
    """The weights of traced heads, `(n_heads, …, n_queries, n_keys)`, masked where a head may not attend."""
    weights = _array([head.weights for head in heads])
    allowed = [np.broadcast_to(True if head.mask is None else _plain(head.mask), weights.shape[1:]) for head in heads]
    return np.ma.masked_array(weights, np.asarray(allowed) == 0)


def _plain(weights: Any) -> Any:
    """An array of another library as one of NumPy; anything else as it is."""
    return as_numpy(detached(weights), "weights") if is_foreign_array(weights) else weights


def _array(weights: Any) -> np.ndarray:
    """Weights as an array; raises `InvalidInput` for rows of different lengths."""
    plain = [*map(_plain, weights)] if isinstance(weights, list | tuple) else _plain(weights)
    try:
        return np.asarray(plain)
    except ValueError:
        expected = "expected a weight for each query and key"
        raise InvalidInput(f"weights: the rows differ in length, or the layers in shape; {expected}") from None


def _labels(tokens: Any, counts: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    """The labels of queries and keys, in which a word that comes again has its number behind it."""
    if tokens is None:
        return tuple(map(numbers, counts))
    if isinstance(tokens, str) or not is_iterable(tokens):
        raise InvalidInput(f"tokens: expected a list of words, not {quoted(tokens)}")
    inner = [is_iterable(token) and not isinstance(token, str) for token in tokens]
    if any(inner) and inner != [True, True]:
        raise InvalidInput("tokens: expected a list of words, or a pair of lists: the words of queries and of keys")
    both = [[str(word) for word in words] for words in (tokens if any(inner) else (tokens, tokens))]
    for words, count, what in zip(both, counts, ("queries", "keys"), strict=True):
        if len(words) != count:
            raise InvalidInput(f"tokens: {len(words)} words for {count} {what}")
    return tuple(map(labels, both))


def recall_as_result(record: Recall) -> Result:
    """A recall as the result of one run; cues and patterns have their numbers, from 1, as labels.

    It has the energies by step if the memory has an energy. If the recall was run with `keep=["overlaps"]`, it has the
    overlaps of each cue with each pattern by step, and its start and end: its overlaps with the pattern that is nearest
    to the cue.
    """
    matched, record, arrays = np.atleast_1d(record.matched), record.to_numpy(), Arrays()
    n = len(matched)
    cue = {"cue": numbers(n)}
    for name, values in {"status": record.status, "steps": record.steps, "recalled": matched >= 0}.items():
        arrays.add(name, np.atleast_1d(values), cue)
    if record.energies is not None:
        arrays.add("energy", record.energies.reshape(-1, n).T, cue | {"step": ()})
    if record.overlaps is not None and record.overlaps.shape[-1]:
        course = record.overlaps.reshape(-1, n, record.overlaps.shape[-1]).swapaxes(0, 1)
        nearest, cues = np.argmax(course[:, 0], axis=-1), np.arange(n)
        arrays.add("course", course, cue | {"step": (), "pattern": numbers(course.shape[-1])})
        arrays.add("start", course[cues, 0, nearest], cue)
        arrays.add("overlaps", course[cues, -1, nearest], cue)
        arrays.add("recalled", matched == nearest, cue)
    return Result(name="recall", kind="recall", runs=(Run("", arrays),))
