"""Bare arrays and recalls as results, so that the figures of scenarios draw them."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from hopattn.dynamics.record import Recall
from hopattn.foundation.arrays import as_numpy, is_foreign_array
from hopattn.foundation.checks import is_iterable
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.traces import detached
from hopattn.results.labelled import Labelled
from hopattn.retrieval.masks import resolve
from hopattn.scenario.arrays import Arrays, numbers
from hopattn.scenario.result import Result, Run
from hopattn.transformer.heads import HeadTrace
from hopattn.transformer.multi_head import MultiHeadTrace

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
    if is_data_frame(weights):
        weights, tokens = weights.to_numpy(), (list(weights.index), list(weights.columns)) if tokens is None else tokens
    rests: list[Any] = []
    if isinstance(weights, HeadTrace | MultiHeadTrace):
        rests = [head.rest for head in (weights.heads if isinstance(weights, MultiHeadTrace) else (weights,))]
        weights = _traced(weights)
    masked = isinstance(weights, np.ma.MaskedArray) and weights.mask is not np.ma.nomask
    values = _array(np.ma.filled(weights, 0) if isinstance(weights, np.ma.MaskedArray) else weights)
    texts = values.shape[1] if values.ndim == 5 else 1
    if values.dtype.kind not in "fiub" or not 2 <= values.ndim <= 5 or texts != 1 or not values.size:
        wanted = "(n_queries, n_keys), (n_heads, n_queries, n_keys) or (n_layers, n_heads, n_queries, n_keys)"
        raise InvalidInput(f"weights: expected numbers of shape {wanted}, not {values.dtype} of shape {values.shape}")
    values = values.astype(float)
    if not (np.abs(values) < LARGEST).all():
        raise InvalidInput(f"weights: some are not a number, or not below {LARGEST:g}, so that no colour can show them")
    own = weights.labels if isinstance(weights, Labelled) and tokens is None else None
    rows, columns = own[-2:] if own else _labels(tokens, values.shape[-2], values.shape[-1])
    axes = weights.dims[-2:] if own and len(weights.dims) > 1 else ("query", "key")
    tiny = isinstance(weights, Labelled) and weights.tiny
    layers = values.shape[0] if values.ndim > 3 else 1
    heads = values.reshape(-1, *values.shape[-2:])
    names = [f"layer {i + 1} head {j + 1}" for i, j in np.ndindex(layers, len(heads) // layers)]
    weights_of = zip(names, heads, strict=True)
    arrays = Arrays.of((f"{name} weights", Labelled(head, axes, (rows, columns), tiny)) for name, head in weights_of)
    allowed = ~weights.mask.reshape(heads.shape) if masked else None
    if mask is not None:
        allowed = _allowed(mask, heads, (rows, columns)) & (True if allowed is None else allowed)
    if allowed is not None:
        for name, one in zip(names, allowed, strict=True):
            arrays[f"{name} mask"] = Labelled(one, axes, (rows, columns))
    for name, rest in zip(names, rests, strict=False):
        if rest is not None:
            arrays[f"{name} rest"] = Labelled(np.asarray(_plain(rest)), ("query",), (rows,))
    return Result(name="array", kind="attention", runs=(Run("", arrays),))


def is_data_frame(thing: Any) -> bool:
    """Whether a thing is a DataFrame of pandas, which is not imported for this."""
    return type(thing).__name__ == "DataFrame" and type(thing).__module__.partition(".")[0] == "pandas"


def _allowed(mask: Any, heads: np.ndarray, words: tuple[tuple[str, ...], tuple[str, ...]]) -> np.ndarray:
    """Which keys a mask lets through, of the shape of the weights `(n_heads, n_queries, n_keys)`.

    Raises `InvalidInput` for a mask that hides a weight which a figure would show as other than 0.
    """
    allowed = np.broadcast_to(True if (found := resolve(_plain(mask), heads)) is None else found, heads.shape)
    hidden = np.where(allowed, 0, np.abs(heads))
    if hidden.max() >= SHOWN:
        _, i, j = np.unravel_index(np.argmax(hidden), hidden.shape)
        weight = f"the weight {hidden.max():.2g} of query {quoted(words[0][i])} and key {quoted(words[1][j])}"
        raise InvalidInput(f"mask: hides {weight}; expected True where a query may attend, and 0 elsewhere")
    return allowed


def _traced(trace: HeadTrace | MultiHeadTrace) -> np.ma.MaskedArray:
    """The weights of traced heads, `(n_heads, …, n_queries, n_keys)`, masked where a head may not attend."""
    heads = trace.heads if isinstance(trace, MultiHeadTrace) else (trace,)
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
        raise InvalidInput(
            "weights: the rows differ in length, or the layers in shape; expected a weight for each query and key"
        ) from None


def _labels(tokens: Tokens | None, n: int, m: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels of `n` queries and `m` keys."""
    if tokens is None:
        return tuple(map(str, range(1, n + 1))), tuple(map(str, range(1, m + 1)))
    if isinstance(tokens, str) or not isinstance(tokens, Sequence | np.ndarray) or not is_iterable(tokens):
        raise InvalidInput(f"tokens: expected a list of words, not {quoted(tokens)}")
    paired = len(tokens) == 2 and not any(isinstance(token, str) for token in tokens)
    both = tuple(tokens) if paired else (tokens, tokens)
    for words, count, what in zip(both, (n, m), ("queries", "keys"), strict=True):
        if not isinstance(words, Sequence | np.ndarray) or not is_iterable(words):
            raise InvalidInput(f"tokens: expected the words of {what}, not {quoted(words)}")
        if any(isinstance(word, list | tuple | np.ndarray) for word in islice(words, count)):
            raise InvalidInput("tokens: expected a list of words, or a pair of lists: the words of queries and of keys")
        if len(words) != count:
            raise InvalidInput(f"tokens: {len(words)} words for {count} {what}")
    rows, columns = (tuple(map(str, words)) for words in both)
    return rows, columns


def recall_as_result(record: Recall, title: str = "") -> Result:
    """A recall as the result of one run; cues and patterns have their numbers, from 1, as labels.

    It has the energies by step if the memory has an energy. If the recall was run with `keep=["overlaps"]`, it has the
    overlaps of each cue with each pattern by step, and its start and end: its overlaps with the pattern that is nearest
    to the cue.
    """
    matched, record, arrays = np.atleast_1d(record.matched), record.to_numpy(), Arrays()
    n = len(matched)
    cue = {"cue": numbers(n)}
    for name in ("status", "steps"):
        arrays.add(name, np.atleast_1d(getattr(record, name)), cue)
    arrays.add("recalled", matched >= 0, cue)
    if record.energies is not None:
        arrays.add("energy", record.energies.reshape(-1, n).T, cue | {"step": ()})
    if record.overlaps is not None and record.overlaps.shape[-1]:
        course = record.overlaps.reshape(-1, n, record.overlaps.shape[-1]).swapaxes(0, 1)
        nearest, cues = np.argmax(course[:, 0], axis=-1), np.arange(n)
        arrays.add("course", course, cue | {"step": (), "pattern": numbers(course.shape[-1])})
        arrays.add("start", course[cues, 0, nearest], cue)
        arrays.add("overlaps", course[cues, -1, nearest], cue)
        arrays.add("recalled", matched == nearest, cue)
    return Result(name="recall", kind="recall", title=title, runs=(Run("", arrays),))
