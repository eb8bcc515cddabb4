"""Simulations of records for which no scenario has a kind: functions of a generator and the record's `given`.

Each gives one number; a record names one in `trial`.
"""

import numpy as np


def score_variance(rng: np.random.Generator, dim: int, pairs: int) -> float:
    """The variance of the dot product of two vectors with normal components: 1/(n−1) Σ (q·k − mean)² over n pairs."""
    queries, keys = rng.standard_normal((2, pairs, dim))
    return float(np.var(np.vecdot(queries, keys), ddof=1))
