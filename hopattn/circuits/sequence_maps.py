"""Maps of sequences element by element: sums, products, comparisons, tables.

A map looks at one word at a time, as the feed-forward layer of a transformer does. It is computed directly here, not by
such a layer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.circuits.rasp import comparisons, sequence, sort_of
from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.foundation.registry import Choices


@dataclass(frozen=True)
class SequenceMap:
    """A map of one or several sequences of one length to a sequence.

    of: the number of its operands; None for two or more, from the left to the right. sign: how the arithmetic is
    written. words: whether it takes words.
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
    given = [sequence(operand, f"operand {i}") for i, operand in enumerate(operands, start=1)]
    if len(given) != rule.of if rule.of else len(given) < 2:
        raise InvalidInput(f"'{how}' takes {rule.of or 'two or more'} operands, not {len(given)}")
    sorts = {sort_of(operand) for operand in given}
    if sorts != {"numbers"} and (len(sorts) > 1 or not rule.words):
        raise InvalidInput(f"'{how}' cannot take {' and '.join(sorted(sorts))}")
    lengths = {len(operand) for operand in given} - {1}
    if len(lengths) > 1:
        raise InvalidInput(f"'{how}' got sequences of {' and '.join(map(str, sorted(lengths)))} words")
    if how == "divide" and np.any(given[1] == 0):
        raise InvalidInput("'divide' meets a 0 among the divisors")
    with np.errstate(all="ignore"):
        result = rule.compute(given[0]) if rule.of == 1 else given[0]
        for operand in given[1:]:
            result = rule.compute(result, operand)
    return sequence(np.asarray(result, dtype=float) + 0.0, f"'{how}'")


def looked_up(values: Any, table: Mapping[str, Any], otherwise: Any = None) -> np.ndarray:
    """The entry of a table for each element of a sequence, `(n,)`.

    table: entries by word; a number is looked up as it is written, 2 and 0.5. otherwise: for elements without an entry.
    Raises `InvalidInput` for an element without one where `otherwise` is None, and for a table of words and numbers.

    >>> looked_up(["a", "b"], {"a": 1, "b": 0})
    array([1., 0.])
    """
    found = []
    for value in sequence(values, "values"):
        key = str(value) if isinstance(value, str) else f"{value:.12g}"
        if key not in table and otherwise is None:
            raise InvalidInput(f"the table has no entry for '{shortened(key)}', and there is no otherwise")
        found.append(table.get(key, otherwise))
    return sequence(found, "the table")
