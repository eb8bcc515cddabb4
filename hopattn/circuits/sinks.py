"""Attention sinks: a word, most often the first, that takes attention whatever it says."""

from typing import Any

import numpy as np

from hopattn.circuits.given_heads import attention_rows
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.scalars import real, whole

THRESHOLD = 0.3
"""The attention above which a word is a sink (Gu et al. 2025)."""


def attention_sink(attention: Any, position: int = 0) -> np.ndarray:
    """α_k, the mean attention that a word gets from itself and all later words: `(…,)` for attention `(…, n, n)`.

        α_k = 1/(n − k) Σ_{i ≥ k} A_ik          k and i counted from 0

    From 0 to 1. position: k, from 0 to n − 1. Chance, for attention spread evenly under the causal mask: the mean of
    1/(i + 1) over i ≥ k; for the first word H_n/n, with the harmonic number H_n. Raises `InvalidInput` for another
    position, and for attention as `hopattn.prefix_matching` does.
    Source: Gu et al. (2025), ICLR, When Attention Sink Emerges (their k counts from 1).

    >>> float(attention_sink([[1, 0], [0.5, 0.5]]))
    0.75
    """
    rows = attention_rows(attention)
    k = whole(position, "position", least=0, most=rows.shape[-1] - 1)
    return np.asarray(rows[..., k:, k].mean(axis=-1))


def sink_share(attention: Any, position: int = 0, threshold: float = THRESHOLD) -> float:
    """The share of heads for which a word is a sink: α_k > threshold, over all leading axes of the attention.

    From 0 to 1. threshold: from 0 to 1; 0.3 in the paper. Raises `InvalidInput` for another threshold, and as
    `attention_sink` does. Source: Gu et al. (2025), ICLR, the metric Sink (their ε is our threshold).

    >>> sink_share([[[1, 0], [1, 0]], [[1, 0], [0, 1]]], threshold=0.6)
    0.5
    """
    if (limit := real(threshold, "threshold", least=0.0)) > 1:
        raise InvalidInput(f"threshold: expected a share of at most 1, not {limit:g}")
    return float(np.mean(attention_sink(attention, position) > limit))
