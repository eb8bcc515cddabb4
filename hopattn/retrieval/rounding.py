"""The rounding of a field h = Σ_μ p_μ v_μ over stored patterns, up to which a spin counts it as 0.

As the field of couplings (`foundation/ties.py`), it is a sum, of P terms with weights that are rounded themselves:

    |h_i| ≤ c ε Σ_μ |p_μ v_μi| + Σ_μ |δp_μ v_μi|

δp_μ is the change of a weight by the rounding of the scores: 0 for keys and cues of whole numbers such as ±1, whose
scores are exact.
"""

from typing import Any, NamedTuple

import numpy as np

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.ties import are_whole, eps_of, error_of_sum
from hopattn.foundation.traces import detached, known_true
from hopattn.foundation.vectors import nonzero
from hopattn.retrieval.separation.base import Competing, Elementwise, Separation, Weights
from hopattn.retrieval.similarity import Similarity


class Ties(NamedTuple):
    """Which fields are ties depends on ε of the keys and values as they were written, and on the number of all keys."""

    eps: float
    n_keys: int


def of_scores(similarity: Similarity, cues: Array, keys: Array, eps: float) -> Any:
    """The rounding of each score, `(…, n_cues, n_patterns)`, 0 for a cue whose scores are exact; 0.0 where all are.

    eps: that of the cues and keys as they were written.
    """
    cues, keys = detached(cues), detached(keys)
    exact = similarity.whole & (are_whole(keys) & are_whole(cues, axis=-1, keepdims=True))
    if known_true(namespace(cues).all(exact)):
        return 0.0
    share = 1 + eps / (eps_of(cues) * cues.shape[-1])  # of the sum over dim entries, and of one as it is written
    return share * similarity.rounding(cues, keys) * namespace(keys).astype(~exact, keys.dtype)


def of_weights(
    separation: Separation,
    scores: Array,
    where: Array | None,
    slack: Any,
    weights: Weights,
    whole: bool = True,
    bias: Array | None = None,
) -> tuple[Array, Any]:
    """|p| and |δp|, `(…, n_cues, n_patterns)` each, before the factor of the weights.

    slack: the rounding of the scores; |δp| is 0.0 where it is 0.0. whole: whether these are all patterns of the cues;
    otherwise |δp| is a bound, because patterns that are not here compete with these. bias: as of the separation.
    """
    xp, factor = namespace(scores), weights.factor
    p = xp.abs(detached(weights.array))
    if isinstance(slack, float):
        return p, 0.0
    slack, s = xp.broadcast_to(slack, scores.shape), detached(scores)
    if not isinstance(separation, Elementwise):
        beta = detached(separation.beta)
        if not whole or not isinstance(separation, Competing):  # a share of at most 2β|δs|
            return p, 2 * beta * xp.max(xp.where(p > 0, slack, 0 * slack), axis=-1, keepdims=True) * p
        r = separation.slopes(p)
        total, r_ds = nonzero(xp.sum(r, axis=-1, keepdims=True)), r * slack
        others_r_ds = xp.sum(r_ds, axis=-1, keepdims=True) - r_ds
        return p, beta * (r_ds * xp.abs(1 - r / total) + xp.abs(others_r_ds) * r / total)
    s_ends = xp.concat([s + slack, s - slack], axis=-1)
    where_ends, bias_ends = (
        None if array is None else xp.concat([xp.broadcast_to(array, scores.shape)] * 2, axis=-1)
        for array in (where, bias)
    )
    with np.errstate(over="ignore", invalid="ignore"):
        p_ends, scale = separation(s_ends, where_ends, bias_ends)[:2]
    dp = xp.abs(detached(p_ends[..., : scores.shape[-1]] - p_ends[..., scores.shape[-1] :]))
    if isinstance(factor, float):
        return p, dp * (detached(scale) / factor)
    unit, scale = detached(factor), detached(scale)
    ratio = xp.where(unit == 0, 1.0, scale / nonzero(unit))
    underflow = (unit == 0) & (scale > 0) & (dp > 0)  # of a factor that is lost, nothing is known
    return p, xp.where(underflow, float("inf"), dp * ratio)


def largest_of(values: Array) -> Array | None:
    """The |entry| that all values have, `(…, dim_out)`; None where they differ, or are not known yet."""
    xp, v = namespace(values), detached(values)
    largest = xp.maximum(xp.max(v, axis=-2), -xp.min(v, axis=-2))
    return largest if known_true(xp.all(xp.abs(v) == largest[..., None, :])) else None


def of_products(spread: tuple[Array, Any], ties: Ties) -> Array:
    """The error of each p v, relative to |v|: c ε |p| + |δp|, `(…, n_cues, n_patterns)`; spread: |p| and |δp|."""
    p, dp = spread
    return error_of_sum(ties.n_keys, max(ties.eps, eps_of(p)), eps_of(p)) * p + dp


def of_field(spread: tuple[Array, Any], values: Array, ties: Ties) -> Array:
    """The error of the field, `(…, n_cues, dim_out)`; spread: |p| and |δp|."""
    most, largest = of_products(spread, ties), largest_of(values)
    if largest is None:
        return most @ namespace(most).abs(detached(values))
    total = namespace(most).sum(most, axis=-1, keepdims=True)
    return total * (largest if total.ndim == 1 else largest[..., None, :])


def undecided(field: Array, total: Array, largest: Any) -> Array:
    """The cues with an entry of the field `(…, n_cues, dim_out)` that may be rounding: flags `(…, n_cues)`.

    total: the sum of the errors of the products, `(…, n_cues, 1)`. largest: the largest |entry| of all values.
    """
    h = detached(field)
    return namespace(h).any((abs(h) <= total * largest) & (h != 0), axis=-1)
