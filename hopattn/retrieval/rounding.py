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
from hopattn.retrieval.separation.base import Competing, Elementwise, Separation
from hopattn.retrieval.similarity import Similarity


def of_scores(similarity: Similarity, cues: Array, keys: Array, eps: float) -> Array | None:
    """The rounding of each score, `(…, n_cues, n_patterns)`, 0 for a cue whose scores are exact; None where all are.

    eps: that of the cues and keys as they were written.
    """
    cues, keys = constant(cues), constant(keys)
    share = 1 + eps / (eps_of(cues) * cues.shape[-1])  # of the sum over dim entries, and of one as it is written
    if not similarity.whole:
        slack = similarity.rounding(cues, keys)
        return None if isinstance(slack, float) else share * slack
    exact = are_whole(keys) & are_whole(cues, axis=-1, keepdims=True)
    if surely(namespace(cues).all(exact)):
        return None
    return share * similarity.rounding(cues, keys) * namespace(keys).astype(~exact, keys.dtype)


def of_weights(
    separation: Separation,
    scores: Array,
    where: Array | None,
    slack: Array | None,
    weights: tuple[Array, Any],
    whole: bool = True,
) -> tuple[Array, Array | None]:
    """|p| and |δp|, `(…, n_cues, n_patterns)` each, before the factor of the weights, `(array, factor)`.

    slack: the rounding of the scores, or None, as then is |δp|. whole: whether these are all patterns of the cues; of
    some of them, a bound of what competes with them is taken.
    """
    xp, (array, factor) = namespace(scores), weights
    p = xp.abs(constant(array))
    if slack is None:
        return p, None
    slack, known = xp.broadcast_to(slack, scores.shape), constant(scores)
    if not isinstance(separation, Elementwise):
        beta = constant(separation.beta)
        if not whole or not isinstance(separation, Competing):  # a share of at most 2β|δs|
            return p, 2 * beta * xp.max(xp.where(p > 0, slack, 0 * slack), axis=-1, keepdims=True) * p
        r = separation.slopes(p)
        total, moved = nonzero(xp.sum(r, axis=-1, keepdims=True)), r * slack
        others = xp.sum(moved, axis=-1, keepdims=True) - moved
        return p, beta * (moved * xp.abs(1 - r / total) + xp.abs(others) * r / total)
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


def of_field(spread: tuple[Array, Array | None], values: Array, eps: float) -> Array:
    """The error of the field, `(…, n_cues, dim_out)`, from |p| and |δp|.

    eps: that of the keys and values as they were written.
    """
    (p, moved), n_patterns, largest = spread, values.shape[-2], largest_of(values)
    share = error_of_sum(n_patterns, max(eps, eps_of(p)), eps_of(p))
    most = share * p if moved is None else share * p + moved
    if largest is None:
        return most @ namespace(p).abs(constant(values))
    total = namespace(p).sum(most, axis=-1, keepdims=True)
    return total * (largest if total.ndim == 1 else largest[..., None, :])


def sums_of(spread: tuple[Array, Array | None]) -> Array:
    """Σ|p| and Σ|δp| of each cue, `(…, n_cues, 2)`."""
    p, moved = spread
    xp = namespace(p)
    total = xp.sum(p, axis=-1, keepdims=True)
    rest = xp.zeros_like(total) if moved is None else xp.sum(moved, axis=-1, keepdims=True)
    return xp.concat([total, rest], axis=-1)


def undecided(field: Array, sums: Array, n_patterns: int, largest: Any, eps: float) -> Array:
    """The cues with an entry of the field that may be rounding, by the sums: flags `(…, n_cues)`.

    field: `(…, n_cues, dim_out)`. largest: the largest |entry| of all values.
    """
    xp = namespace(field)
    share = error_of_sum(n_patterns, max(eps, eps_of(sums)), eps_of(sums))
    error = (share * sums[..., :1] + sums[..., 1:]) * largest
    return xp.any((xp.abs(constant(field)) <= error) & (constant(field) != 0), axis=-1)
