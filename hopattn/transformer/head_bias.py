"""The bias of scores that a head has of its own, and its sum with the bias of a call."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, as_float, in_numbers_of, namespace, require_broadcast, widened
from hopattn.foundation.errors import InvalidInput
from hopattn.transformer.attention import split_bias
from hopattn.transformer.positions.alibi import Alibi


def as_bias(bias: Any) -> Any:
    """A head's own bias: None, an `Alibi`, or an array `(n, m)`; raises `InvalidInput` for anything else."""
    if bias is None or isinstance(bias, Alibi):
        return bias
    if isinstance(bias, str):
        raise InvalidInput("bias: expected an hopattn.Alibi with its slope, or numbers (n, m), not a text")
    numbers = as_float(bias, "bias")
    if numbers.ndim != 2:
        raise InvalidInput(f"bias: expected numbers (n, m) for the head itself, not shape {tuple(numbers.shape)}")
    split_bias(numbers, numbers)
    return numbers


def total_bias(own: Sequence[Any], given: Any, queries: Array, keys: Array) -> Array | None:
    """The bias of heads, their own and that of the call added: None, `(n, m)`, or `(…, heads, n, m)` for several heads.

    own: the bias of each head. given: that of the call, with an axis of heads or without. queries, keys: `(…, n, dim)`
    and `(…, m, dim)`, whose library the sum has. Raises `InvalidInput` for shapes that do not fit.
    """
    added = None if given is None else as_float(given, "bias", like=keys)
    if all(bias is None for bias in own):
        return added
    shape = (queries.shape[-2], keys.shape[-2])
    like = widened(keys[..., :1])  # a small part, in the numbers of the scores
    each = [in_numbers_of(like, _array(bias, shape)) for bias in own]
    total = each[0] if len(each) == 1 else namespace(keys).stack(each)
    if added is None:
        return total
    require_broadcast(added, (*added.shape[:-2], *shape), "bias", "scores")
    return total + added


def _array(bias: Any, shape: tuple[int, int]) -> Array:
    """The bias of one head as an array of this shape; zeros for none."""
    if bias is None:
        return np.zeros(shape)
    if isinstance(bias, Alibi):
        return bias(*shape)
    require_broadcast(bias, shape, "bias of the head", "scores")
    return namespace(bias).broadcast_to(bias, shape)
