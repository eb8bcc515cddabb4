"""Bare arrays as a result, so that the figures of scenarios draw weights from anywhere."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result, Run

Tokens = Sequence[str] | tuple[Sequence[str], Sequence[str]]
"""The words of a text, or those of the queries and those of the keys."""


def weights_as_result(weights: Any, tokens: Tokens | None = None, title: str = "") -> Result:
    """The weights of attention as the result of one layer.

    weights: `(n_queries, n_keys)`, or `(n_heads, n_queries, n_keys)`. tokens: the words of the text, or a pair: those
    of the queries and those of the keys; by default their numbers, from 1. Raises `InvalidInput` for another shape, for
    numbers that are not finite, and for another number of words.
    """
    values = np.asarray(weights)
    if values.dtype.kind not in "fiub" or values.ndim not in (2, 3) or not values.size:
        raise InvalidInput(
            f"weights: expected numbers of shape (n_queries, n_keys) or (n_heads, n_queries, n_keys), "
            f"not {values.dtype} of shape {values.shape}"
        )
    values = values.astype(float)
    if not np.isfinite(values).all():
        raise InvalidInput("weights: some are infinite or not a number")
    own = weights.labels if isinstance(weights, Labelled) and tokens is None else None
    rows, columns = own[-2:] if own else _labels(tokens, values.shape[-2], values.shape[-1])
    heads = values[None] if values.ndim == 2 else values
    arrays = {
        f"layer 1 head {i} weights": Labelled(head, ("query", "key"), (rows, columns))
        for i, head in enumerate(heads, start=1)
    }
    return Result("array", title, "", None, "attention", 0, "", (Run("", arrays),), ())


def _labels(tokens: Tokens | None, n: int, m: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels of `n` queries and `m` keys."""
    if tokens is None:
        return tuple(map(str, range(1, n + 1))), tuple(map(str, range(1, m + 1)))
    if isinstance(tokens, str) or not isinstance(tokens, Sequence | np.ndarray):
        raise InvalidInput(f"tokens: expected a list of words, not {shortened(repr(tokens))}")
    paired = len(tokens) == 2 and not any(isinstance(token, str) for token in tokens)
    both = tuple(tokens) if paired else (tokens, tokens)
    rows, columns = (tuple(map(str, words)) for words in both)
    for words, count, what in ((rows, n, "queries"), (columns, m, "keys")):
        if len(words) != count:
            raise InvalidInput(f"tokens: {len(words)} words for {count} {what}")
    return rows, columns
