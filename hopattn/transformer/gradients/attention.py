"""The derivatives of attention: one head, and heads in parallel.

    o = p V          dV = pᵀ do          dp = do Vᵀ
    p = softmax(β s)                     ds = β p (dp − Σ p dp)
    s = q Kᵀ         dq = ds K           dK = dsᵀ q

A masked entry has the weight 0, and therefore ds = 0. A bias of the scores counts as a constant.
"""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.similarity import Dot
from hopattn.transformer.affine import Affine
from hopattn.transformer.from_torch import TorchHeads
from hopattn.transformer.gradients.pieces import Numbers, affine_backward, summed_to
from hopattn.transformer.gradients.softmax import softmax_backward
from hopattn.transformer.heads import Head, HeadTrace
from hopattn.transformer.multi_head import MultiHead, MultiHeadTrace


def attention_backward(traced: HeadTrace, beta: float, upstream: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """dq `(…, n, dim_key)`, dK `(…, m, dim_key)` and dV `(…, m, dim_out)` for do `(…, n, dim_out)`."""
    of_values = traced.weights.mT @ upstream
    of_scores = softmax_backward(traced.weights, upstream @ traced.values.mT, beta)
    pairs = (
        (of_scores @ traced.keys, traced.queries),
        (of_scores.mT @ traced.queries, traced.keys),
        (of_values, traced.values),
    )
    of_queries, of_keys, of_values = (summed_to(gradient, own.shape) for gradient, own in pairs)
    return of_queries, of_keys, of_values


def heads_backward(
    own: MultiHead, trace: MultiHeadTrace, text: Numbers, source: Numbers, upstream: Numbers
) -> tuple[Numbers, Numbers, dict[str, Numbers]]:
    """The gradients of the text of the queries, of the text of keys and values, and of the weights.

    trace: the arrays of the heads for these texts. The weights are named as in the `state_dict` of PyTorch's
    `MultiheadAttention`: those of all heads are rows of one matrix. Heads of queries that share a head of keys add
    their gradients of it. Raises `InvalidInput` for heads whose step is not a softmax of dot products.
    """
    joined = np.concatenate([traced.output for traced in trace.heads], axis=-1)
    of_joined, out = affine_backward(own.out, joined, upstream)
    ends = list(accumulate(head.value.dims[0] for head in own.heads))[:-1]
    biased = any(one.bias is not None for head in own.heads for one in (head.query, head.key, head.value))
    of_text, of_source = np.zeros_like(text), np.zeros_like(source)
    maps: list[list[Affine]] = []
    for head, traced, part in zip(own.heads, trace.heads, np.split(of_joined, ends, axis=-1), strict=True):
        of_query, of_key, of_value = attention_backward(traced, _beta(head), part)
        if head.position is not None:  # the transpose of a turn is the turn back
            of_query, of_key = head.position.undone(of_query), head.position.undone(of_key)
        parts = (
            affine_backward(head.query, text, of_query, biased),
            affine_backward(head.key, source, of_key, biased),
            affine_backward(head.value, source, of_value, biased),
        )
        of_text, of_source = of_text + parts[0][0], of_source + parts[1][0] + parts[2][0]
        maps.append([gradient for _, gradient in parts])
    together = [_stacked(maps, role, r) for role, r in enumerate((1, own.groups[1] or 1, own.groups[1] or 1))]
    return of_text, of_source, TorchHeads(tuple(together), out, len(own.heads)).state()


def _stacked(maps: Sequence[Sequence[Affine]], role: int, shared: int) -> Affine:
    """The gradients of the maps of one role, head below head; those of each `shared` heads in turn are added first."""
    own = [of_head[role] for of_head in maps]
    return Affine.stacked([_sum(own[i : i + shared]) for i in range(0, len(own), shared)])


def _sum(maps: Sequence[Affine]) -> Affine:
    """The sum of maps of the same shape."""
    biases = [one.bias for one in maps if one.bias is not None]
    return Affine(np.sum([one.weight for one in maps], axis=0), np.sum(biases, axis=0) if biases else None)


def _beta(head: Head) -> float:
    """β of a head; raises `InvalidInput` for a head whose step is not softmax(β q Kᵀ) V."""
    step = head.retrieval
    if not (isinstance(step.separation, Softmax) and step.similarity == Dot() and step.activation == Identity()):
        raise InvalidInput(
            f"heads: only softmax attention with dot products has this backward pass, not {quoted(step)}"
        )
    return step.separation.beta
