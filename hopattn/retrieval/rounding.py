"""The rounding of a field h = Σ_μ p_μ v_μ over stored patterns, up to which a spin counts it as 0.

As the field of couplings (`foundation/ties.py`), it is a sum, of P terms with weights that are rounded themselves:

    |h_i| ≤ c ε Σ_μ |p_μ v_μi| + Σ_μ |δp_μ v_μi|

δp_μ is the change of a weight by the rounding of the scores: 0 for keys and cues of whole numbers such as ±1, whose
scores are exact.
"""

from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.ties import are_whole, eps_of, error_of_sum
from hopattn.foundation.traces import constant, surely
from hopattn.foundation.vectors import nonzero
from hopattn.retrieval.separation.base import Elementwise, Separation
from hopattn.retrieval.similarity import Similarity


def of_scores(similarity: Similarity, cues: Array, keys: Array, eps: float) -> Array | None:
    """The rounding of each score, `(…, n_cues, n_patterns)`, 0 for a cue whose scores are exact; None where all are.

    eps: that of the cues and keys as they were written.
    """
    cues, keys = constant(cues), constant(keys)
    coarser = max(eps / eps_of(cues), 1.0)
    if not similarity.whole:
        slack = similarity.rounding(cues, keys)
        return None if isinstance(slack, float) else coarser * slack
    exact = are_whole(keys) & are_whole(cues, axis=-1, keepdims=True)
    if surely(namespace(cues).all(exact)):
        return None
    return coarser * similarity.rounding(cues, keys) * namespace(keys).astype(~exact, keys.dtype)


def of_weights(
    separation: Separation,
    scores: Array,
    where: Array | None,
    slack: Array | None,
    weights: tuple[Array, Any],
) -> tuple[Array, Array | None]:
    """|p| and |δp|, `(…, n_cues, n_patterns)` each, before the factor of the weights, `(array, factor)`.

    slack: the rounding of the scores, or None, as then is |δp|.
    """
    xp, (array, factor) = namespace(scores), weights
    p = xp.abs(constant(array))
    if slack is None:
        return p, None
    slack, known = xp.broadcast_to(slack, scores.shape), constant(scores)
    if not isinstance(separation, Elementwise):  # weights that compete change by a share of at most 2β|δs|
        return p, 2 * constant(separation.beta) * xp.max(slack, axis=-1, keepdims=True) * p
    both = xp.concat([known + slack, known - slack], axis=-1)
    twice = None if where is None else xp.concat([xp.broadcast_to(where, scores.shape)] * 2, axis=-1)
    with np.errstate(over="ignore", invalid="ignore"):
        ends, scale = separation.factored_weights(both, twice)
    moved = xp.abs(constant(ends[..., : scores.shape[-1]] - ends[..., scores.shape[-1] :]))
    if isinstance(factor, float):
        return p, moved * (constant(scale) / factor)
    unit, scale = constant(factor), constant(scale)
    ratio = xp.where(unit == 0, xp.ones_like(unit), scale / nonzero(unit))
    lost = (unit == 0) & (scale > 0) & (moved > 0)  # of a factor that is lost, nothing is known
    return p, xp.where(lost, xp.full_like(moved, float("inf")), moved * ratio)


def largest_of(values: Array) -> Array | None:
    """The |entry| that all values have, `(…, dim_out)`; None where they differ, or are not known yet."""
    xp, known = namespace(values), constant(values)
    largest = xp.maximum(xp.max(known, axis=-2), -xp.min(known, axis=-2))
    return largest if surely(xp.all(xp.abs(known) == largest[..., None, :])) else None


def columns(spread: tuple[Array, Array | None], values: Array | None) -> Array:
    """Σ_μ |p_μ v_μi| and Σ_μ |δp_μ v_μi| side by side, `(…, n_cues, 2 dim_out)`.

    values: None where all have one size: then Σ_μ |p_μ| and Σ_μ |δp_μ|, `(…, n_cues, 2)`.
    """
    p, moved = spread
    xp = namespace(p)
    if values is None:
        first = xp.sum(p, axis=-1, keepdims=True)
        second = None if moved is None else xp.sum(moved, axis=-1, keepdims=True)
    else:
        sizes = xp.abs(constant(values))
        first, second = p @ sizes, None if moved is None else moved @ sizes
    return xp.concat([first, xp.zeros_like(first) if second is None else second], axis=-1)


def error_of(both: Array, n_patterns: int, largest: Array | None, eps: float) -> Array:
    """The error of the field, `(…, n_cues, dim_out)`, from the columns; largest: of values of one size.

    eps: that of the keys and values as they were written.
    """
    half = both.shape[-1] // 2
    error = error_of_sum(n_patterns, max(eps, eps_of(both)), eps_of(both)) * both[..., :half] + both[..., half:]
    return error if largest is None else error * (largest if both.ndim == 1 else largest[..., None, :])
