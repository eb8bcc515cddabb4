"""The scores of heads by their names: all of them together, for one text."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hopattn.circuits.head_scores import duplicate_token, prefix_matching, previous_token
from hopattn.circuits.sinks import attention_sink

SCORES: dict[str, Callable[[Any, Any], np.ndarray]] = {
    "previous token": lambda attention, tokens: previous_token(attention),
    "duplicate token": duplicate_token,
    "prefix matching": prefix_matching,
    "attention sink": lambda attention, tokens: attention_sink(attention),
}
"""Each score as a function of the attention and the tokens."""

OF_REPEATS = ("duplicate token", "prefix matching")
"""The scores of texts in which a token occurs twice."""


def head_scores(attention: Any, tokens: Any) -> dict[str, np.ndarray]:
    """Every score of heads by its name, `(…,)` each, for attention `(…, n, n)`, n ≥ 2, and its tokens `(n,)`.

    The names are "previous token", "duplicate token", "prefix matching" and "attention sink" (of the first token). The
    scores of `hopattn.uniform_attention(n)` are the chance values under the causal mask, and under no other. Raises
    `InvalidInput` as `hopattn.prefix_matching` does, and for a text of one word.

    >>> import numpy as np
    >>> found = head_scores(np.eye(4)[[0, 0, 1, 2]], ["a", "b", "a", "b"])
    >>> {name: float(score) for name, score in found.items()}
    {'previous token': 1.0, 'duplicate token': 0.0, 'prefix matching': 1.0, 'attention sink': 0.5}
    """
    return {name: score(attention, tokens) for name, score in SCORES.items()}
