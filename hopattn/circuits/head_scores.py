"""Scores of heads: how much of their attention goes to the word before, to earlier copies, and to what followed them.

Every score is a mean of entries of the attention A, so that it is linear in A. This gives its chance value: if a head
attends at random, so that all visible keys of a row are alike, then E A_ij is 1 over the number of keys that row i
sees. Under the causal mask this is 1/(i + 1) (counted from 0), and the expected score is the score of
`uniform_attention(n)`. Under another mask it is the score of `even_attention(visible)`.
"""

from typing import Any

import numpy as np

from hopattn.circuits.given_heads import attention_rows, repeats
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.room import require_room
from hopattn.foundation.scalars import whole

OVER = ("rows", "entries")


def uniform_attention(n: int) -> np.ndarray:
    """Attention spread evenly over the word itself and all words before it, `(n, n)`: entry 1/(i + 1) for j ≤ i.

    The scores of this attention are the chance values under the causal mask: those that a head with random weights has
    on average. Under another mask, such as "strict", they are not. Raises `InvalidInput` for n below 1.

    >>> uniform_attention(2)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    size = whole(n, "n")
    require_room(size * size, f"uniform_attention of {size:,} words")
    return even_attention(np.tril(np.ones((size, size), dtype=bool)))


def even_attention(visible: np.ndarray) -> np.ndarray:
    """Attention spread evenly over the keys that each row sees, `(…, n, n)`: True where a row sees a key.

    A row that sees no key is 0. The scores of this attention are the chance values under the same mask.
    """
    return np.asarray(visible / np.maximum(visible.sum(axis=-1, keepdims=True), 1))


def previous_token(attention: Any) -> np.ndarray:
    """The attention to the word before, on average over all rows but the first: `(…,)` for attention `(…, n, n)`.

    From 0 to 1. Chance under the causal mask: mean of 1/(i + 1) over i from 1 to n − 1, which is (H_n − 1)/(n − 1) for
    the harmonic number H_n. Raises `InvalidInput` for a text of one word, and for attention that is no shares (see
    `prefix_matching`). Source: Olsson et al. (2022), appendix, head activation evaluators.

    >>> float(previous_token([[1, 0, 0], [1, 0, 0], [0, 0.5, 0.5]]))
    0.75
    """
    rows = attention_rows(attention)
    if rows.shape[-1] < 2:
        raise InvalidInput("attention: a text of one word has no word before; expected at least two")
    return np.asarray(np.diagonal(rows, -1, axis1=-2, axis2=-1).mean(axis=-1))


def duplicate_token(attention: Any, tokens: Any, over: str = "rows") -> np.ndarray:
    """The attention to earlier copies of the same token, on average over the rows that have one: `(…,)`.

    From 0 to 1. The row's own word is no earlier copy. Chance under the causal mask: mean of c_i/(i + 1) over these
    rows, where c_i is the number of earlier copies. Arguments and errors: as for `prefix_matching`.
    Source: Wang et al. (2023), ICLR, for heads of this kind; the mean over rows is ours.

    >>> float(duplicate_token(uniform_attention(3), ["a", "b", "a"]).round(3))
    0.333
    """
    rows = attention_rows(attention)
    return _mean_attention(rows, repeats(tokens, rows), over)


def prefix_matching(attention: Any, tokens: Any, over: str = "rows") -> np.ndarray:
    """The attention to what followed earlier copies of the same token, on average over the rows that have one: `(…,)`.

    From 0 to 1 with over = "rows": the weights on all successors of a row are summed before the mean. The successor of
    the word directly before is the row's own word. over = "entries" is the mean over single entries, as in the paper:
    a row with k earlier copies then reaches 1/k at most.

    attention: `(…, n, n)`, weights of 0 or more whose rows sum to 1, or to 0 where there is nothing to attend to.
    tokens: whole numbers or texts, `(n,)`, or with leading axes that broadcast to those of the attention, such as
    `(n_texts, 1, n)` for attention `(n_texts, n_heads, n, n)`. Raises `InvalidInput` for other arrays, and for a text
    in which no token occurs twice. Nothing is drawn at random, and the input is not changed.

    Chance under the causal mask: mean of c_i/(i + 1) over these rows, where c_i is the number of different successors.
    For n different words given twice, c_i = 1 in the second half: (1/n) Σ_{i=n}^{2n−1} 1/(i + 1) = (H_2n − H_n)/n,
    nearly ln 2/n. Source: Olsson et al. (2022), appendix, head activation evaluators: 25 random tokens, repeated 4
    times.

    >>> import numpy as np
    >>> perfect = np.eye(4)[[0, 0, 1, 2]]          # a b a b: row 2 attends to b, row 3 to the second a
    >>> float(prefix_matching(perfect, ["a", "b", "a", "b"]))
    1.0
    """
    rows = attention_rows(attention)
    same = repeats(tokens, rows)
    successors = np.zeros_like(same)
    successors[..., 1:] = same[..., :-1]
    return _mean_attention(rows, successors, over)


def _mean_attention(rows: np.ndarray, pairs: np.ndarray, over: str) -> np.ndarray:
    """The attention on marked pairs: the mean of its sums by row, over rows with a pair; or the mean over the pairs."""
    reject_unknown("over", [over], OVER)
    total = np.sum(rows * pairs, axis=(-2, -1))
    counted = pairs.any(axis=-1).sum(axis=-1) if over == "rows" else pairs.sum(axis=(-2, -1))
    return np.asarray(total / counted)
