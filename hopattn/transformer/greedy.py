"""Greedy decoding: a text is written word by word, each time the word with the largest score."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.scalars import whole

TIE = 1e-9
"""Scores that differ by less, relative to the largest of them, count as equal."""


def greedy(next_scores: Callable[[Sequence[int]], Any], limit: int, end: int | None = None) -> tuple[int, ...]:
    """The numbers of the words that are written, at most `limit` of them.

    next_scores: from the words written so far to one score for each word of a vocabulary, `(n_words,)`. end: the word
    that ends the text; it is the last one of the result. Of words with equal scores, up to rounding, the first is
    written. Raises `InvalidInput` for a limit below 1, and for scores that are not a vector of finite numbers.

    >>> greedy(lambda so_far: [1, 3 - len(so_far), 0], limit=9, end=0)
    (1, 1, 0)
    """
    limit = whole(limit, "limit", least=1)
    words: list[int] = []
    while len(words) < limit and (not words or words[-1] != end):
        scores = np.asarray(next_scores(tuple(words)), dtype=float)
        if scores.ndim != 1 or not scores.size or not np.all(np.isfinite(scores)):
            raise InvalidInput(f"next_scores: expected (n_words,) finite scores, not {quoted(scores)}")
        most = float(scores.max())
        words.append(int(np.argmax(scores >= most - TIE * abs(most))))
    return tuple(words)
