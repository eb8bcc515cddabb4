"""Programs in attention heads: selections, aggregations and widths (RASP), and maps of sequences element by element.

    selection     S_qk = 1 where the key compares to the query, else 0
    aggregation   Σ_k p_qk v_k,    p_qk = S_qk / Σ_j S_qj
    width         Σ_k S_qk · 1

A selection is one attention head. Each word holds its query and its key in one-hot code. W_K reads the code of the key,
and W_Q multiplies the code of the query by the table of the comparison: their dot product is S_qk. An aggregation has
the separation "proportional"; a width has "identity", and values of 1. A map looks at one word at a time.
Source: Weiss, Goldberg & Yahav (2021), "Thinking like transformers", ICML.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any

import numpy as np

from hopattn.foundation.arrays import Array, as_numpy, is_foreign_array, plain_array, shaped
from hopattn.foundation.boundary import Declared, public
from hopattn.foundation.checks import real, require_room, whole
from hopattn.foundation.errors import InvalidInput, quoted, shortened
from hopattn.foundation.registry import Choices
from hopattn.transformer.heads import Head, HeadTrace

MOST_WORDS = 100_000
"""The largest number of words of a sequence."""
EQUAL_WITHIN = 1e-9
"""Two numbers whose difference is this part of the larger one, or of 1, are equal."""

Comparison = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _equal(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    if left.dtype.kind == "U" or right.dtype.kind == "U":
        return np.asarray(left == right)
    size = np.maximum(1.0, np.maximum(np.abs(left), np.abs(right)))
    return np.asarray(np.abs(left - right) <= EQUAL_WITHIN * size)


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


def sequence(values: Any, what: str) -> np.ndarray:
    """A sequence as an array `(n,)` of floats or of texts; raises `InvalidInput` for anything else."""
    message = f"{what}: expected a sequence (n,) of numbers or of words, not"
    values = as_numpy(values, what) if is_foreign_array(values) else values
    try:
        entries = values if isinstance(values, np.ndarray) and values.ndim else [*islice(values, MOST_WORDS + 1)]
    except (TypeError, ValueError):
        raise InvalidInput(f"{message} {shortened(values)}") from None
    if len(entries) > MOST_WORDS:
        raise InvalidInput(f"{what}: expected at most {MOST_WORDS:,} numbers or words")
    if len({isinstance(entry, str) for entry in entries}) > 1:
        raise InvalidInput(f"{what}: holds words and numbers; expected one sort")
    array = plain_array(entries, what)
    if array.ndim != 1 or not array.size or array.dtype.kind not in "biufU":
        raise InvalidInput(f"{message} of shape {array.shape}")
    array = array if array.dtype.kind == "U" else array.astype(float)
    if array.dtype.kind == "f" and not np.all(np.isfinite(array)):
        raise InvalidInput(f"{what}: holds a number that is not finite")
    return array


def _sort(values: np.ndarray) -> str:
    """ "words" or "numbers"."""
    return "words" if values.dtype.kind == "U" else "numbers"


def _one_hot(values: np.ndarray) -> np.ndarray:
    """The code of a sequence, `(n, n_different)`: 1 at the place of each word among the different ones."""
    return np.asarray(values[:, None] == np.unique(values)[None, :], dtype=float)


@dataclass(frozen=True, eq=False)
class Selection(Declared):
    """A selection: which words each word selects, as one attention head.

    Parameters
    ----------
    queries, keys : one sequence each, `(n,)`, of numbers or of words.
    where : a name of `comparisons`.

    Raises
    ------
    InvalidInput : for sequences of different lengths or sorts, and for an unknown name.
    """

    keys: Annotated[Array, sequence]
    queries: Annotated[Array, sequence]
    where: str

    def __post_init__(self) -> None:
        super().__post_init__()
        comparison, keys, queries = comparisons[self.where], _sort(self.keys), _sort(self.queries)
        if len(self.keys) != len(self.queries):
            raise InvalidInput(f"queries: {len(self.queries)} do not fit {len(self.keys)} keys")
        if comparison is not comparisons["true"] and keys != queries:
            raise InvalidInput(f"queries: {queries} cannot be compared with keys that are {keys}")

    @property
    def scores(self) -> np.ndarray:
        """S, `(n_queries, n_keys)`: 1 where the key is selected, else 0."""
        return np.asarray(self._trace("identity").scores)

    @property
    def weights(self) -> np.ndarray:
        """The weights of an aggregation, `(n_queries, n_keys)`; a row that selects nothing is 0."""
        return np.asarray(self._trace("proportional").weights)

    def head(self, dim: int, separation: str = "proportional") -> Head:
        """The attention head for values of `dim` elements; its text is that of `text`."""
        queries, keys = np.unique(self.queries), np.unique(self.keys)
        size = len(queries) + len(keys) + whole(dim, "dim")
        require_room(size**2, f"head: a text of {size:,} numbers for each word")
        table = comparisons[self.where](keys[:, None], queries[None, :]).astype(float)
        query_part, key_part, value_part = np.split(np.eye(size), [len(queries), len(queries) + len(keys)])
        return Head(table @ query_part, key_part, value_part, separation=separation)

    def text(self, values: np.ndarray) -> np.ndarray:
        """The text that the head reads for values `(n, dim)`: the codes of the queries and of the keys, then these.

        Raises `InvalidInput` for another shape.
        """
        columns = shaped(as_numpy(values, "values"), "values", "n dim", n=len(self.keys))
        return np.hstack([_one_hot(self.queries), _one_hot(self.keys), columns])

    def aggregate(self, values: Array, default: Any = None) -> np.ndarray:
        """The mean of the selected values, or the one selected word, for each query, `(n,)`.

        Parameters
        ----------
        values : a sequence of numbers or of words.
        default : the result where nothing is selected; 0 for numbers, "none" for words.

        Raises
        ------
        InvalidInput
            for a default of the other sort, and where a query selects different words, because words have no mean.

        Examples
        --------
        >>> import hopattn as ha
        >>> ha.circuits.select(range(4), [3, 2, 1, 0], "==").aggregate(list("abcd"))
        array(['d', 'c', 'b', 'a'], dtype='<U4')
        """
        values = sequence(values, "values")
        if len(values) != len(self.keys):
            raise InvalidInput(f"values: {len(values)} do not fit {len(self.keys)} keys")
        numbers = _sort(values) == "numbers"
        if default is None:
            default = 0.0 if numbers else "none"
        if isinstance(default, str) == numbers:
            text = quoted(default) if numbers else f"{real(default, 'default'):g}"
            raise InvalidInput(f"default: {text} is not among values that are {_sort(values)}")
        default = real(default, "default") if numbers else default
        trace = self._trace("proportional", values[:, None] if numbers else _one_hot(values))
        selects = np.any(trace.scores > 0, axis=-1)
        if numbers:
            return np.asarray(np.where(selects, trace.output[:, 0], default))
        words = np.unique(values)
        for i in np.flatnonzero(selects & (np.max(trace.output, axis=-1) < 1 - EQUAL_WITHIN)):
            names = " and ".join(repr(str(word)) for word in words[trace.output[i] > 0][:3])
            raise InvalidInput(f"values: query {i + 1} selects {names}, and words have no mean; select one word")
        return np.asarray(np.where(selects, words[np.argmax(trace.output, axis=-1)], default))

    def width(self) -> np.ndarray:
        """The number of words that each query selects, `(n,)`.

        >>> import hopattn as ha
        >>> ha.circuits.select(list("abac"), list("abac"), "==").width()
        array([2., 1., 2., 1.])
        """
        return np.asarray(self._trace("identity").output[:, 0])

    def _trace(self, separation: str, values: np.ndarray | None = None) -> HeadTrace:
        """The arrays of the head; values: `(n, dim)`, by default 1 for each word."""
        values = np.ones((len(self.keys), 1)) if values is None else values
        return self.head(values.shape[1], separation).trace(self.text(values))


@public
def select(keys: Array, queries: Array, where: str = "==") -> Selection:
    """The words that each word selects: those whose key compares to its query, `key where query`.

    Parameters
    ----------
    where : "==", "!=", "<", "<=", ">", ">=" or "true".

    Notes
    -----
    The rest is as in `Selection`. Source: Weiss, Goldberg & Yahav (2021), their `select`, `aggregate` and
    `selector_width`.

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.circuits.select([1, 2], [2, 2], "<").scores
    array([[1., 0.],
           [1., 0.]])
    """
    return Selection(keys, queries, where)


@dataclass(frozen=True)
class SequenceMap:
    """A map of sequences. of: the number of its operands; None for two or more, from the left to the right.

    sign: how the arithmetic is written. words: whether it takes words.
    """

    compute: Callable[..., Any]
    of: int | None
    sign: str
    words: bool = False


sequence_maps: Choices[SequenceMap] = Choices(
    "map",
    {
        "add": SequenceMap(np.add, None, "+"),
        "subtract": SequenceMap(np.subtract, None, "−"),
        "multiply": SequenceMap(np.multiply, None, "×"),
        "divide": SequenceMap(np.divide, 2, "/"),
        "minimum": SequenceMap(np.minimum, None, "min"),
        "maximum": SequenceMap(np.maximum, None, "max"),
        "negate": SequenceMap(np.negative, 1, "−"),
        "round": SequenceMap(np.round, 1, "round"),
    }
    | {name: SequenceMap(compare, 2, name, words=True) for name, compare in comparisons.items() if name != "true"},
)
"""The maps by name. A comparison gives 1 where it holds, else 0; of such sequences, "minimum" is *and*, "maximum" is
*or*. "round" takes a half to the even number."""


def mapped(how: str, operands: Sequence[Any]) -> np.ndarray:
    """A map of sequences `(n,)`, element by element; a sequence of one element serves all.

    how: a name of `sequence_maps`. Raises `InvalidInput` for another number of operands, for operands of different
    sorts or lengths, for a division by 0, and for numbers that grow out of range.

    >>> mapped("subtract", [[3, 3, 3], [0, 1, 2], [1]])
    array([2., 1., 0.])
    """
    rule = sequence_maps[how]
    sequences = [sequence(operand, f"operand {i}") for i, operand in enumerate(operands, start=1)]
    if len(sequences) != rule.of if rule.of else len(sequences) < 2:
        raise InvalidInput(f"'{how}' takes {rule.of or 'two or more'} operands, not {len(sequences)}")
    sorts = {_sort(operand) for operand in sequences}
    if sorts != {"numbers"} and (len(sorts) > 1 or not rule.words):
        raise InvalidInput(f"'{how}' cannot take {' and '.join(sorted(sorts))}")
    lengths = {len(operand) for operand in sequences} - {1}
    if len(lengths) > 1:
        raise InvalidInput(f"'{how}' got sequences of {' and '.join(map(str, sorted(lengths)))} words")
    if how == "divide" and np.any(sequences[1] == 0):
        raise InvalidInput("'divide' meets a 0 among the divisors")
    with np.errstate(all="ignore"):
        result = rule.compute(sequences[0]) if rule.of == 1 else sequences[0]
        for operand in sequences[1:]:
            result = rule.compute(result, operand)
    return sequence(np.asarray(result, dtype=float) + 0.0, f"'{how}'")


def looked_up(values: Array, table: Mapping[str, Any], otherwise: Any = None) -> np.ndarray:
    """The entry of a table for each element of a sequence, `(n,)`.

    table: entries by word; a number is looked up as it is written, 2 and 0.5. otherwise: for elements without an entry.
    Raises `InvalidInput` for an element without one where `otherwise` is None, and for a table of words and numbers.

    >>> looked_up(["a", "b"], {"a": 1, "b": 0})
    array([1., 0.])
    """
    entries = []
    for value in sequence(values, "values"):
        key = str(value) if isinstance(value, str) else f"{value:.12g}"
        if key not in table and otherwise is None:
            raise InvalidInput(f"the table has no entry for '{shortened(key)}', and there is no otherwise")
        entries.append(table.get(key, otherwise))
    return sequence(entries, "the table")
