"""Attention heads: a head is a memory whose cues, keys and values are linear maps of a text.

    attention(q, k, v) = Σ_j p_j v_j,   p = ∇Ψ(q Kᵀ)

One application is one step of associative recall.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, as_float, namespace, require_dim
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.vectors import linear
from hopattn.retrieval.activation import Activation, Identity, activations
from hopattn.retrieval.masks import as_mask
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import Dot, Similarity, similarities
from hopattn.retrieval.step import Retrieval


def attention(
    q: Any, k: Any, v: Any, *, beta: float | None = None, mask: Any = None, separation: str | Separation = "softmax"
) -> Array:
    """Scaled dot-product attention, softmax(β q Kᵀ) V, or the same with another separation.

    q: `(…, n_queries, dim)`. k: `(…, n_keys, dim)`. v: `(…, n_keys, dim_out)`. The leading axes broadcast. beta: 1/√dim
    by default; a separation given as an object has its own. mask: boolean, True = may attend, broadcast to
    `(…, n_queries, n_keys)`, or a rule such as "causal"; a row with no True gives 0. separation: a name or an object.
    Gives `(…, n_queries, dim_out)`. Raises `InvalidInput` for shapes that do not fit.
    Source: Vaswani et al. (2017) (their √d_k is our 1/β).

    >>> import hopattn as ha
    >>> e = [[1, 0], [1, 0], [0, 1], [1, 0]]
    >>> ha.attention([[0, 10]], e, e, beta=1.0).round(3)
    array([[0., 1.]])
    """
    keys = as_float(k, "k")
    queries, values = as_float(q, "q", like=keys), as_float(v, "v", like=keys)
    _require_texts(queries, keys, values)
    if isinstance(separation, Separation) and beta is None:
        made = separation
    else:
        made = separations.make(separation, beta=float(keys.shape[-1]) ** -0.5 if beta is None else beta)
    return Retrieval(Dot(), made, Identity()).step(queries, keys, values, mask)


@dataclass(frozen=True, eq=False)
class HeadTrace:
    """The arrays that a head computes for a text of n words.

    queries: `(…, n, dim_key)`. keys: `(…, m, dim_key)`. values: `(…, m, dim_out)`. scores, weights: `(…, n, m)`. mask:
    True = may attend, or None for no mask. output: `(…, n, dim_out)`. m is n, except in cross-attention.
    """

    queries: Array
    keys: Array
    values: Array
    scores: Array
    mask: Array | None
    weights: Array
    output: Array


@dataclass(frozen=True, eq=False, init=False)
class Head:
    """One attention head: q = W_Q x, k = W_K x, v = W_V x, output = ∇Φ(Vᵀ ∇Ψ(sim(K, q))).

    w_query, w_key: `(dim_key, dim)`. w_value: `(dim_out, dim)`. Every matrix is (out, in). similarity, separation,
    activation: names or objects. beta: for a separation given by name; 1 by default, where Vaswani et al. have
    1/√dim_key. A separation given as an object has its own. mask: "none", "causal", "strict" (previous words only),
    "nonzero" (pairs whose similarity is not 0), `hopattn.window(n)`, or a boolean array. Raises `InvalidInput` for
    matrices that do not fit one another and for unknown names.
    Source: Vaswani et al. (2017), 3.2; LING3804 Lecture Notes 7, 7.2.
    """

    w_query: Array
    w_key: Array
    w_value: Array
    retrieval: Retrieval
    mask: Any

    def __init__(
        self,
        w_query: Any,
        w_key: Any,
        w_value: Any,
        *,
        similarity: str | Similarity = "dot",
        separation: str | Separation = "softmax",
        activation: str | Activation = "identity",
        beta: float = 1.0,
        mask: Any = "causal",
    ) -> None:
        query, key, value = _matrix(w_query, "w_query"), _matrix(w_key, "w_key"), _matrix(w_value, "w_value")
        if query.shape[0] != key.shape[0]:
            raise InvalidInput(f"w_key: {key.shape[0]} rows do not fit the {query.shape[0]} rows of w_query")
        require_dim(value, key.shape[1], "w_value", "w_key")
        own_beta = isinstance(separation, Separation) and beta == 1.0
        separate = separations.make(separation, **({} if own_beta else {"beta": beta}))
        activate = activations.make(activation)
        object.__setattr__(self, "w_query", query)
        object.__setattr__(self, "w_key", key)
        object.__setattr__(self, "w_value", value)
        object.__setattr__(self, "retrieval", Retrieval(similarities.make(similarity), separate, activate))
        object.__setattr__(self, "mask", as_mask(mask))

    def __call__(self, x: Any, mask: Any = None, *, source: Any = None) -> Array:
        """The head's output `(…, n, dim_out)` for a text `(…, n, dim)`; see `trace` for the arguments."""
        return self.trace(x, mask, source=source).output

    def trace(self, x: Any, mask: Any = None, *, source: Any = None) -> HeadTrace:
        """All arrays that the head computes for a text x `(…, n, dim)`.

        mask: a second mask, such as one for padding; a query may attend where this one and the head's own both allow
        it. source: `(…, m, dim)`, from which keys and values are computed (cross-attention); x by default.
        """
        text = _text(x, "x", self.w_query)
        attended = text if source is None else _text(source, "source", self.w_key)
        queries = linear(text, self.w_query)
        keys, values = linear(attended, self.w_key), linear(attended, self.w_value)
        scores = self.retrieval.scores(queries, keys)
        allowed = self._allowed(mask, scores, queries, keys)
        weights = self.retrieval.separation.weights(scores, allowed)
        output = self.retrieval.step(queries, keys, values, allowed)
        return HeadTrace(queries, keys, values, scores, allowed, weights, output)

    def _allowed(self, mask: Any, *matched: Array) -> Array | None:
        """The head's own mask and the given one, combined by `and`; None where there is no mask at all."""
        own, given = (self.retrieval.allowed(each, *matched) for each in (self.mask, mask))
        return own & given if own is not None and given is not None else own if given is None else given


@dataclass(frozen=True, eq=False)
class MultiHeadTrace:
    """The arrays that heads in parallel compute. heads: the trace of each. output: `(…, n, dim)`."""

    heads: tuple[HeadTrace, ...]
    output: Array


@dataclass(frozen=True, eq=False, init=False)
class MultiHead:
    """Heads in parallel: their outputs are concatenated and multiplied by w_out.

    heads: at least one. w_out: `(dim, sum of the heads' dim_out)`. Raises `InvalidInput` for heads that are not a list
    of at least one Head, and a w_out that does not fit them. Source: Vaswani et al. (2017), 3.2.2.
    """

    heads: tuple[Head, ...]
    w_out: Array

    def __init__(self, heads: Iterable[Head], w_out: Any) -> None:
        matrix = _matrix(w_out, "w_out")
        heads = tuple(heads) if isinstance(heads, Iterable) else ()
        if not heads or not all(isinstance(head, Head) for head in heads):
            raise InvalidInput("heads: expected at least one Head, in a list")
        require_dim(matrix, sum(head.w_value.shape[0] for head in heads), "w_out", "the heads' concatenated outputs")
        object.__setattr__(self, "heads", heads)
        object.__setattr__(self, "w_out", matrix)

    def __call__(self, x: Any, mask: Any = None, *, source: Any = None) -> Array:
        """The output of all heads together, `(…, n, dim)`; the arguments are those of `Head.trace`."""
        return self.trace(x, mask, source=source).output

    def trace(self, x: Any, mask: Any = None, *, source: Any = None) -> MultiHeadTrace:
        """W_O [head₁(x); head₂(x); …], and the trace of each head; the arguments are those of `Head.trace`."""
        traces = tuple(head.trace(x, mask, source=source) for head in self.heads)
        joined = namespace(traces[0].output).concat([trace.output for trace in traces], axis=-1)
        return MultiHeadTrace(traces, linear(joined, self.w_out))


def _matrix(values: Any, what: str) -> Array:
    matrix = as_float(values, what)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InvalidInput(f"{what}: expected a matrix (out, in), not shape {tuple(matrix.shape)}")
    return matrix


def _text(values: Any, what: str, matrix: Array) -> Array:
    text = as_float(values, what, like=matrix)
    if text.ndim < 2 or 0 in text.shape[-2:]:
        raise InvalidInput(f"{what}: expected (…, n, dim) with at least one row, not shape {tuple(text.shape)}")
    require_dim(text, matrix.shape[1], what, "the head's matrices")
    return text


def _require_texts(queries: Array, keys: Array, values: Array) -> None:
    for array, what in ((queries, "q"), (keys, "k"), (values, "v")):
        if array.ndim < 2 or 0 in array.shape[-2:]:
            raise InvalidInput(f"{what}: expected (…, n, dim) with at least one row, not shape {tuple(array.shape)}")
    require_dim(queries, keys.shape[-1], "q", "k")
    if keys.shape[-2] != values.shape[-2]:
        raise InvalidInput(f"v: {values.shape[-2]} rows do not fit {keys.shape[-2]} keys")
    leading = [tuple(array.shape[:-2]) for array in (queries, keys, values)]
    try:
        np.broadcast_shapes(*leading)
    except ValueError:
        raise InvalidInput(f"q, k, v: the leading axes {', '.join(map(str, leading))} do not broadcast") from None
