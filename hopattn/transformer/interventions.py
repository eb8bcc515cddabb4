"""The worth of a token to a head: its output without that key, by a formula and measured."""

from dataclasses import replace
from typing import Any

from hopattn.foundation.arrays import Array, Mask, in_numbers_of, namespace
from hopattn.foundation.boundary import finite, public
from hopattn.retrieval.interventions import Response, Worth, worth_of_step
from hopattn.retrieval.masks import rows_taken, split_bias
from hopattn.transformer.heads import Head

NO_STATES = {"energy": "values differ from keys, so that there is no energy of states"}
"""Why a head lacks energies."""


@public(may_be=finite)
def worth(head: Head, x: Array, token: Any, *, mask: Mask = None, source: Array = None, bias: Array = None) -> Worth:
    """The worth of a token to each query of a head: the output without that key, by a formula and measured.

    Parameters
    ----------
    token : a number or several, as in `Head.without`.

    Raises
    ------
    InvalidInput : as these do.

    Notes
    -----
    The other arguments are those of `Head.trace`. Of the softmax and a token of weight p and value v, the output o
    moves to (o − p v)/(1 − p), and the potential, the log-sum-exp of the scores, falls by −β⁻¹ ln(1 − p); for other
    separations see `ha.memories.worth`. Values differ from keys, so that there is no energy of states. With a sink, p
    is the share of all tokens and the null pattern.

    Examples
    --------
    >>> import numpy as np
    >>> import hopattn as ha
    >>> head, x = ha.Head(*[np.eye(2)] * 3), [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]
    >>> effect = ha.transformer.worth(head, x, 2)
    >>> effect.weight.round(3), bool(np.allclose(effect.closed.answer, effect.measured.answer, atol=1e-15))
    (array([0.329, 0.374, 0.402]), True)
    """
    reduced = head.without(token)
    options: dict[str, Any] = {"source": source, "bias": bias}
    before, after = head.trace(x, mask, **options), reduced.trace(x, mask, **options)
    tokens = rows_taken(token, int(before.keys.shape[-2]), "token")
    xp, step, scores = namespace(before.scores), head.retrieval, before.scores
    separation = step._effective_separation
    if before.bias is not None:
        scores = scores + in_numbers_of(scores, split_bias(before.bias)[1]) / separation.beta
    where = None if before.mask is None else xp.broadcast_to(before.mask, scores.shape)
    psi = None if separation.why_no_potential else separation.potential(scores, after.mask)
    effect = worth_of_step(step, scores, where, before.values, tokens, Response(after.output, psi))
    return replace(effect, lacks={**effect.lacks, **NO_STATES})
