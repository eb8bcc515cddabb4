"""Thresholds and weights of sparse separations by compiled loops, where the scores are many."""

import numpy as np

from hopattn.foundation.arrays import Array
from hopattn.foundation.kernels import compiled_loops
from hopattn.foundation.threads import blocks, workers
from hopattn.retrieval.separation.scores import split

TASKS = 8
"""The number of parts into which the rows are divided for threads; a row does not depend on the others."""
Rows = tuple[np.ndarray, np.ndarray]


def compiled_rows(
    kind: str, parameter: float, scores: Array, where: Array | None, beta: float, *, wants_weights: bool = True
) -> Rows | None:
    """The weights `(…, n_patterns)` and the thresholds `(…, 1)` of each row; None where NumPy computes them.

    kind: "ENTMAX" with α above 1 and at most 2, "NORMMAX" with α above 1, "SUBSETS" with k, whose thresholds are not
    given. The thresholds are those of shifted scores. wants_weights: if not, the weights are `(0, 0)`.
    """
    if not isinstance(scores, np.ndarray) or scores.ndim == 0 or scores.dtype not in (np.float32, np.float64):
        return None
    if not isinstance(beta, float):
        return None
    loops = compiled_loops("thresholds", scores.size)
    if loops is None or not scores.size:
        return None
    unit, rest = split(beta, scores)
    rows = np.ascontiguousarray(scores if unit == 1.0 else unit * scores).reshape(-1, scores.shape[-1])
    mask = np.zeros((0, 0), bool)
    if where is not None:
        mask = np.broadcast_to(where, scores.shape).reshape(rows.shape)
    weights, found = np.zeros(rows.shape if wants_weights else (0, 0), rows.dtype), np.empty(len(rows))
    how = getattr(loops, kind), rest, float(parameter)

    def work(some: slice) -> None:
        loops.thresholds(rows[some], mask[some], how, weights[some], found[some])

    with workers() as share:
        share(work, [(some,) for some in blocks(len(rows), -(-len(rows) // TASKS))])
    thresholds = found.astype(rows.dtype).reshape(*scores.shape[:-1], 1)
    return (weights.reshape(scores.shape) if wants_weights else weights), thresholds
