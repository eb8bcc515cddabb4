"""Programs in attention heads: selections, aggregations and widths (RASP).

    selection     S_qk = 1 where the key compares to the query, else 0
    aggregation   Σ_k p_qk v_k,    p_qk = S_qk / Σ_j S_qj
    width         Σ_k S_qk · 1

A selection is one attention head. Each word holds its query, its key and its value in one-hot code. W_K reads the code
of the key, and W_Q multiplies the code of the query by the table of the comparison, so that the dot product of query
and key is S_qk. An aggregation separates these scores in proportion, which shares the weight among the selected words.
A width is the same head with the identity separation and values of 1.
Source: Weiss, Goldberg & Yahav (2021), "Thinking like transformers", ICML.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from hopattn.foundation.arrays import as_numpy
from hopattn.foundation.errors import InvalidInput, quoted, shortened
from hopattn.foundation.plain_arrays import plain_array
from hopattn.foundation.registry import Choices
from hopattn.foundation.room import require_room
from hopattn.foundation.scalars import real, whole
from hopattn.transformer.heads import Head, HeadTrace

MOST_WORDS = 100_000
"""The largest number of words of a sequence."""
ROUNDING = 1e-9
"""Two numbers whose difference is this part of the larger one, or of 1, are equal."""

Comparison = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _equal(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    if left.dtype.kind == "U" or right.dtype.kind == "U":
        return np.asarray(left == right)
    size = np.maximum(1.0, np.maximum(np.abs(left), np.abs(right)))
    return np.asarray(np.abs(left - right) <= ROUNDING * size)


comparisons: Choices[Comparison] = Choices(
    "comparison",
    {
        "==": _equal,
        "!=": lambda left, right: ~_equal(left, right),
        "<": lambda left, right: (left < right) & ~_equal(left, right),
        "<=": lambda left, right: (left < right) | _equal(left, right),
        ">": lambda left, right: (left > right) & ~_equal(left, right),
        ">=": lambda left, right: (left > right) | _equal(left, right),
        "true": lambda left, right: np.ones(np.broadcast_shapes(left.shape, right.shape), bool),
    },
)
"""The comparisons of a key, on the left, with a query. Words have the order of their letters (Unicode). Numbers that
differ by rounding alone are equal."""


@dataclass(frozen=True, eq=False)
class Selection:
    """A selection: which words each word selects, as one attention head.

    queries, keys: one sequence each, `(n,)`, of numbers or of words. where: a name of `comparisons`. Raises
    `InvalidInput` for sequences of different lengths or sorts, and for an unknown name.
    """

    keys: np.ndarray
    queries: np.ndarray
    where: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", sequence(self.keys, "keys"))
        object.__setattr__(self, "queries", sequence(self.queries, "queries"))
        comparison = comparisons[self.where]
        if len(self.keys) != len(self.queries):
            raise InvalidInput(f"queries: {len(self.queries)} do not fit {len(self.keys)} keys")
        if comparison is not comparisons["true"] and sort_of(self.keys) != sort_of(self.queries):
            raise InvalidInput(
                f"queries: {sort_of(self.queries)} cannot be compared with keys that are {sort_of(self.keys)}"
            )

    @property
    def scores(self) -> np.ndarray:
        """S, `(n_queries, n_keys)`: 1 where the key is selected, else 0."""
        return np.asarray(self._trace(np.ones((len(self.keys), 1)), "identity").scores)

    @property
    def weights(self) -> np.ndarray:
        """The weights of an aggregation, `(n_queries, n_keys)`; a row that selects nothing is 0."""
        return np.asarray(self._trace(np.ones((len(self.keys), 1)), "proportional").weights)

    def head(self, dim: int, separation: str = "proportional") -> Head:
        """The attention head for values of `dim` elements; its text is that of `text`."""
        own, key = np.unique(self.queries), np.unique(self.keys)
        size = len(own) + len(key) + whole(dim, "dim")
        require_room(size**2, f"head: a text of {size:,} numbers for each word")
        table = comparisons[self.where](key[:, None], own[None, :]).astype(float)
        query_part, key_part, value_part = np.split(np.eye(size), [len(own), len(own) + len(key)])
        return Head(table @ query_part, key_part, value_part, separation=separation, mask="none")

    def text(self, values: np.ndarray) -> np.ndarray:
        """The text that the head reads, `(n, dim)`: the codes of the queries and of the keys, then the values.

        values: `(n, dim_values)`. Raises `InvalidInput` for another shape.
        """
        given = as_numpy(values, "values")
        if given.ndim != 2 or len(given) != len(self.keys):
            raise InvalidInput(f"values: expected ({len(self.keys)}, dim), not shape {given.shape}")
        return np.hstack([one_hot(self.queries), one_hot(self.keys), given])

    def aggregate(self, values: Any, default: Any = None) -> np.ndarray:
        """The mean of the selected values, or the one selected word, for each query, `(n,)`.

        values: a sequence of numbers or of words. default: the result where nothing is selected; 0 for numbers,
        "none" for words. Raises `InvalidInput` for a default of the other sort, and where a query selects different
        words, because words have no mean.

        >>> import hopattn as ha
        >>> ha.select(range(4), [3, 2, 1, 0], "==").aggregate(list("abcd"))
        array(['d', 'c', 'b', 'a'], dtype='<U4')
        """
        given = sequence(values, "values")
        if len(given) != len(self.keys):
            raise InvalidInput(f"values: {len(given)} do not fit {len(self.keys)} keys")
        numbers = sort_of(given) == "numbers"
        if not isinstance(default, str | None):
            default = real(default, "default")
        fallback = sequence([(0.0 if numbers else "none") if default is None else default], "default")
        if sort_of(fallback) != sort_of(given):
            shown = quoted(default) if isinstance(default, str) else f"{default:g}"
            raise InvalidInput(f"default: {shown} is not among values that are {sort_of(given)}")
        trace = self._trace(given[:, None] if numbers else one_hot(given), "proportional")
        chosen = np.any(trace.scores > 0, axis=-1)
        found = trace.output[:, 0] if numbers else _words(trace.output, np.unique(given), chosen)
        return np.asarray(np.where(chosen, found, fallback))

    def width(self) -> np.ndarray:
        """The number of words that each query selects, `(n,)`.

        >>> import hopattn as ha
        >>> ha.select(list("abac"), list("abac"), "==").width()
        array([2., 1., 2., 1.])
        """
        return np.asarray(self._trace(np.ones((len(self.keys), 1)), "identity").output[:, 0])

    def _trace(self, values: np.ndarray, separation: str) -> HeadTrace:
        return self.head(values.shape[1], separation).trace(self.text(values))


def select(keys: Any, queries: Any, where: str = "==") -> Selection:
    """The words that each word selects: those whose key compares to its query, `key where query`.

    keys, queries: sequences `(n,)` of numbers or of words. where: "==", "!=", "<", "<=", ">", ">=" or "true". Raises
    `InvalidInput` for sequences that do not fit one another.
    Source: Weiss, Goldberg & Yahav (2021), their `select`, `aggregate` and `selector_width`.

    >>> import hopattn as ha
    >>> ha.select([1, 2], [2, 2], "<").scores
    array([[1., 0.],
           [1., 0.]])
    """
    return Selection(keys, queries, where)


def sequence(values: Any, what: str) -> np.ndarray:
    """A sequence as an array `(n,)` of floats or of texts; raises `InvalidInput` for anything else."""
    try:
        given = values if isinstance(values, np.ndarray) and values.ndim else [*islice(values, MOST_WORDS + 1)]
    except (TypeError, ValueError):
        told = f"expected a sequence (n,) of numbers or of words, not {shortened(values)}"
        raise InvalidInput(f"{what}: {told}") from None
    if len(given) > MOST_WORDS:
        raise InvalidInput(f"{what}: expected at most {MOST_WORDS:,} numbers or words")
    words = [isinstance(value, str) for value in given]
    if any(words) and not all(words):
        raise InvalidInput(f"{what}: holds words and numbers; expected one sort")
    array = plain_array(given, what)
    if array.ndim != 1 or not array.size or array.dtype.kind not in "biufU":
        raise InvalidInput(f"{what}: expected a sequence (n,) of numbers or of words, not of shape {array.shape}")
    if array.dtype.kind == "U":
        return array
    floats = array.astype(float)
    if not np.all(np.isfinite(floats)):
        raise InvalidInput(f"{what}: holds a number that is not finite")
    return floats


def sort_of(values: np.ndarray) -> str:
    """ "words" or "numbers"."""
    return "words" if values.dtype.kind == "U" else "numbers"


def one_hot(values: np.ndarray) -> np.ndarray:
    """The code of a sequence, `(n, n_different)`: 1 at the place of each word among the different ones, in order."""
    return np.asarray(values[:, None] == np.unique(values)[None, :], dtype=float)


def _words(shares: np.ndarray, words: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The word with the whole share of each query, `(n,)`; shares: `(n, n_words)`. chosen: the queries that count."""
    best = np.argmax(shares, axis=-1)
    for i in np.flatnonzero(chosen & (np.max(shares, axis=-1) < 1 - ROUNDING)):
        mixed = " and ".join(repr(str(word)) for word in words[shares[i] > 0][:3])
        raise InvalidInput(f"values: query {i + 1} selects {mixed}, and words have no mean; select one word")
    return np.asarray(words[best])
