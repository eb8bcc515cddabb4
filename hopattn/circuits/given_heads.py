"""The attention and the tokens that a measure of heads is given: checks of both, and their conversion to NumPy."""

from numbers import Integral
from typing import Any

import numpy as np

from hopattn.foundation.arrays import as_float, first_true, require_finite, widened
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.plain_arrays import plain_array
from hopattn.foundation.traces import constant

ROUNDING = 0.01
"""The largest difference of the sum of a row from 1; weights in half precision need it."""


def attention_rows(attention: Any) -> np.ndarray:
    """The attention of heads, `(…, n, n)`, as a NumPy array in float64; row i holds the weights of query i.

    Raises `InvalidInput` for another shape, for NaN, infinities and negative weights, and for a row whose sum is
    neither 1 nor 0 (within 0.01). A row of zeros is a query with nothing to attend to: it gives no attention to any
    key, and it counts in every mean.
    """
    given = constant(widened(as_float(attention, "attention")))
    try:
        rows = np.asarray(given).astype(np.float64, copy=False)
    except (TypeError, RuntimeError):
        raise InvalidInput("attention: cannot be read from this device; move it to the CPU first") from None
    if rows.ndim < 2 or rows.shape[-1] != rows.shape[-2] or 0 in rows.shape:
        raise InvalidInput(f"attention: expected (…, n, n), a row for each token of one text, not shape {rows.shape}")
    require_finite(rows, "attention")
    if (bad := rows < 0).any():
        raise InvalidInput(f"attention: entry {first_true(bad)} is {rows[bad][0]:.4g}; expected weights of 0 or more")
    sums = rows.sum(axis=-1)
    if (bad := (np.abs(sums - 1) > ROUNDING) & (sums != 0)).any():
        told = f"row {first_true(bad)} sums to {sums[bad][0]:.4g}"
        raise InvalidInput(f"attention: {told}; expected 1, or 0 for a row with nothing to attend to")
    return rows


def repeats(tokens: Any, rows: np.ndarray) -> np.ndarray:
    """Whether an earlier token is the same, `(…, n, n)`: True at (i, j) where j < i and token j is token i.

    tokens: whole numbers or texts, `(n,)`, or `(…, n)` with leading axes that broadcast to those of the attention.
    rows: as from `attention_rows`. Raises `InvalidInput` for other tokens, for a number of them that does not fit, and
    for a text in which no token occurs twice.
    """
    words = _words(tokens)
    if words is None:
        raise InvalidInput("tokens: expected a list of whole numbers or of texts, one for each row of the attention")
    n, lead = rows.shape[-1], rows.shape[:-2]
    if words.shape[-1] != n:
        raise InvalidInput(f"tokens: {words.shape[-1]} tokens do not fit attention between {n}")
    try:
        fits = np.broadcast_shapes(words.shape[:-1], lead) == lead
    except ValueError:
        fits = False
    if not fits:
        raise InvalidInput(f"tokens: shape {words.shape} does not fit attention of shape {rows.shape}")
    same = np.tril(words[..., :, None] == words[..., None, :], -1)
    if (bad := ~same.any(axis=(-2, -1))).any():
        which = f" of text {first_true(bad)}" if bad.ndim else ""
        raise InvalidInput(f"tokens: no token{which} occurs twice; expected a text with a repeated token")
    return np.asarray(same)


def _words(tokens: Any) -> np.ndarray | None:
    """Tokens as an array of whole numbers or of texts; None for anything else, and for numbers among texts."""
    try:
        words = plain_array(tokens, "tokens")
        if words.ndim == 0 or words.dtype.kind in "iu" or (words.dtype.kind == "U" and isinstance(tokens, np.ndarray)):
            return words if words.ndim else None
        each = np.asarray(tokens, dtype=object)  # NumPy would write the numbers of a mixed list as texts
        for sort, dtype in ((str, np.str_), (Integral, np.int64)):
            if all(isinstance(one, sort) and not isinstance(one, bool) for one in each.flat):
                return each.astype(dtype)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        pass
    return None
