"""Scores of heads: how much of their attention goes to the word before, to earlier copies, and to what followed them.

Every score is linear in the attention A. So its chance value, for heads to which all visible keys of a row are alike,
is the score of A_ij = 1 over the number of keys that row i sees: of `uniform_attention(n)` under the causal mask, and
of `even_attention(visible)` under another one.
"""

from collections.abc import Callable
from numbers import Integral
from typing import Annotated, Any

import numpy as np

from hopattn.foundation.arrays import Array, as_float64, first_true, plain_array, require_finite
from hopattn.foundation.boundary import Count, public
from hopattn.foundation.checks import real, require_room, whole
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.shapes import require_broadcast
from hopattn.foundation.traces import detached

SUM_ABOVE_1 = 0.01
"""How far the sum of a row may be above 1; weights in half precision need it."""


def attention_rows(attention: Any, what: str = "attention") -> np.ndarray:
    """The attention of heads, `(…, n, n)`, as a NumPy array in float64; row i holds the weights of query i.

    Raises `InvalidInput` for another shape, for NaN, infinities and negative weights, and for a row whose sum is above
    1 by more than 0.01. A sum is less than 1 where a sink takes the rest, and 0 where there is nothing to attend to;
    every row counts in every mean.
    """
    rows = as_float64(detached(attention), what)
    if rows.ndim < 2 or rows.shape[-1] != rows.shape[-2] or 0 in rows.shape:
        raise InvalidInput(f"{what}: got shape {rows.shape}; expected (…, n, n), a row for each token of one text")
    require_finite(rows, what)
    if (bad := rows < 0).any():
        raise InvalidInput(f"{what}: entry {first_true(bad)} is {rows[bad][0]:.4g}; expected weights of 0 or more")
    sums = rows.sum(axis=-1)
    if (bad := sums > 1 + SUM_ABOVE_1).any():
        raise InvalidInput(f"{what}: row {first_true(bad)} sums to {sums[bad][0]:.4g}; expected 1, or less with a sink")
    return rows


Attention = Annotated[Array, attention_rows]


@public
def uniform_attention(n: Count) -> np.ndarray:
    """Attention spread evenly over the word itself and all words before it, `(n, n)`: entry 1/(i + 1) for j ≤ i.

    Its scores are the chance values under the causal mask. Raises `InvalidInput` for n below 1.

    >>> uniform_attention(2)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    require_room(n * n, f"uniform_attention of {n:,} words")
    return even_attention(np.tril(np.ones((n, n), dtype=bool)))


def even_attention(visible: np.ndarray) -> np.ndarray:
    """Attention spread evenly over the keys that each row sees, `(…, n, n)`; visible: True where a row sees a key.

    A row that sees no key is 0.
    """
    return np.asarray(visible / np.maximum(visible.sum(axis=-1, keepdims=True), 1))


@public
def previous_token(attention: Attention) -> np.ndarray:
    """The attention to the word before, on average over all rows but the first: `(…,)` for attention `(…, n, n)`.

    From 0 to 1. Chance under the causal mask: (H_n − 1)/(n − 1), with the harmonic number H_n. Raises `InvalidInput`
    for a text of one word, and for other arrays as `prefix_matching`.
    Source: Olsson et al. (2022), appendix, head activation evaluators.

    >>> float(previous_token([[1, 0, 0], [1, 0, 0], [0, 0.5, 0.5]]))
    0.75
    """
    if attention.shape[-1] < 2:
        raise InvalidInput("attention: got a text of one word, which has no word before; expected at least two")
    return np.asarray(np.diagonal(attention, -1, axis1=-2, axis2=-1).mean(axis=-1))


@public
def duplicate_token(attention: Attention, tokens: Array, over: str = "rows") -> np.ndarray:
    """The attention to earlier copies of the same token, on average over the rows that have one: `(…,)`.

    From 0 to 1. Chance under the causal mask: mean of c_i/(i + 1) over these rows i, counted from 0, with c_i earlier
    copies each. Arguments and errors: as for `prefix_matching`.
    Source: Wang et al. (2023), ICLR, for heads of this kind; the mean over rows is ours.

    >>> float(duplicate_token(uniform_attention(3), ["a", "b", "a"]).round(3))
    0.333
    """
    return _mean_attention(attention, _earlier_copies(tokens, attention), over)


@public
def prefix_matching(attention: Attention, tokens: Array, over: str = "rows") -> np.ndarray:
    """The attention to what followed earlier copies of the same token, on average over the rows that have one: `(…,)`.

    From 0 to 1 with over = "rows": the weights on all successors of a row are summed before the mean. over = "entries"
    is the mean over single entries, as in the paper: a row with k earlier copies then reaches 1/k at most.

    Parameters
    ----------
    attention : (…, n, n)
        weights of 0 or more whose rows sum to 1, or to less where a sink takes the rest.
    tokens
        whole numbers or texts, `(n,)`, or with leading axes that broadcast to those of the attention, such as
        `(n_texts, 1, n)` for attention `(n_texts, n_heads, n, n)`.

    Raises
    ------
    InvalidInput : for other arrays, and for a text in which no token occurs twice.

    Notes
    -----
    Chance under the causal mask: as for `duplicate_token`; for n different words given twice (H_2n − H_n)/n, nearly ln
    2/n. Source: Olsson et al. (2022), appendix, head activation evaluators: 25 random tokens, repeated 4 times.

    Examples
    --------
    >>> perfect = np.eye(4)[[0, 0, 1, 2]]          # a b a b: row 2 attends to b, row 3 to the second a
    >>> float(prefix_matching(perfect, ["a", "b", "a", "b"]))
    1.0
    """
    copies = _earlier_copies(tokens, attention)
    successors = np.zeros_like(copies)
    successors[..., 1:] = copies[..., :-1]
    return _mean_attention(attention, successors, over)


@public
def attention_sink(attention: Attention, *, position: int = 0) -> np.ndarray:
    """α_k, the mean attention that a word gets from itself and all later words: `(…,)` for attention `(…, n, n)`.

        α_k = 1/(n − k) Σ_{i ≥ k} A_ik          k and i counted from 0

    From 0 to 1. A sink, most often the first word, takes attention whatever it says.

    Parameters
    ----------
    position : k.

    Raises
    ------
    InvalidInput : for another position, and for attention as `prefix_matching` does.

    Notes
    -----
    Chance under the causal mask: the mean of 1/(i + 1) over i ≥ k; for the first word H_n/n. Source: Gu et al. (2025),
    ICLR, When Attention Sink Emerges (their k counts from 1).

    Examples
    --------
    >>> float(attention_sink([[1, 0], [0.5, 0.5]]))
    0.75
    """
    k = whole(position, "position", least=0, most=attention.shape[-1] - 1)
    return np.asarray(attention[..., k:, k].mean(axis=-1))


@public
def sink_share(attention: Array, *, position: int = 0, threshold: float = 0.3) -> float:
    """The share of heads for which a word is a sink: α_k > threshold, over all leading axes of the attention.

    Parameters
    ----------
    threshold : from 0 to 1; 0.3 in the paper.

    Raises
    ------
    InvalidInput : for another threshold, and as `attention_sink` does.

    Notes
    -----
    Source: Gu et al. (2025), ICLR, the metric Sink (their ε is our threshold).

    Examples
    --------
    >>> sink_share([[[1, 0], [1, 0]], [[1, 0], [0, 1]]], threshold=0.6)
    0.5
    """
    limit = real(threshold, "threshold", least=0.0, most=1.0)
    return float(np.mean(attention_sink(attention, position=position) > limit))


SCORES: dict[str, Callable[[Any, Any], np.ndarray]] = {
    "previous token": lambda attention, tokens: previous_token(attention),
    "duplicate token": duplicate_token,
    "prefix matching": prefix_matching,
    "attention sink": lambda attention, tokens: attention_sink(attention),
}
"""Each score as a function of the attention and the tokens."""
OF_REPEATS = ("duplicate token", "prefix matching")
"""The scores of texts in which a token occurs twice."""


@public
def head_scores(attention: Array, tokens: Array) -> dict[str, np.ndarray]:
    """Every score of heads by its name, `(…,)` each, for attention `(…, n, n)`, n ≥ 2, and its tokens `(n,)`.

    The sink is that of the first token. Raises `InvalidInput` as `prefix_matching` does, and for a text of one word.

    >>> scores = head_scores(np.eye(4)[[0, 0, 1, 2]], ["a", "b", "a", "b"])
    >>> {name: float(score) for name, score in scores.items()}
    {'previous token': 1.0, 'duplicate token': 0.0, 'prefix matching': 1.0, 'attention sink': 0.5}
    """
    return {name: score(attention, tokens) for name, score in SCORES.items()}


def _mean_attention(rows: np.ndarray, pairs: np.ndarray, over: str) -> np.ndarray:
    """The attention on marked pairs: the mean of its sums by row, over rows with a pair; or the mean over the pairs."""
    reject_unknown("over", [over], ("rows", "entries"))
    total = np.sum(rows * pairs, axis=(-2, -1))
    count = pairs.any(axis=-1).sum(axis=-1) if over == "rows" else pairs.sum(axis=(-2, -1))
    return np.asarray(total / count)


def _earlier_copies(tokens: Any, rows: np.ndarray) -> np.ndarray:
    """Whether an earlier token is the same, `(…, n, n)`: True at (i, j) where j < i and token j is token i.

    Raises `InvalidInput` for tokens that do not fit the rows, and for a text in which no token occurs twice.
    """
    words, n = as_tokens(tokens), rows.shape[-1]
    if words.shape[-1] != n:
        raise InvalidInput(f"tokens: {words.shape[-1]} tokens do not fit attention between {n}")
    require_broadcast(words, (*rows.shape[:-2], n), "tokens", "the rows of the attention")
    copies = np.tril(words[..., :, None] == words[..., None, :], -1)
    if (bad := ~copies.any(axis=(-2, -1))).any():
        which = f" of text {first_true(bad)}" if bad.ndim else ""
        raise InvalidInput(f"tokens: no token{which} occurs twice; expected a text with a repeated token")
    return np.asarray(copies)


def as_tokens(tokens: Array) -> np.ndarray:
    """Tokens as an array of whole numbers or of texts; raises `InvalidInput` for others, also for both in one list."""
    try:
        words = plain_array(tokens, "tokens")
        if words.ndim and words.dtype.kind in "iu":
            return words
        entries = np.asarray(tokens, dtype=object)  # NumPy would write the numbers of a mixed list as texts
        for sort, dtype in ((str, np.str_), (Integral, np.int64)):
            if entries.ndim and all(isinstance(entry, sort) and not isinstance(entry, bool) for entry in entries.flat):
                return entries.astype(dtype)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        pass
    raise InvalidInput("tokens: expected a list of whole numbers or of texts, one for each row of the attention")
