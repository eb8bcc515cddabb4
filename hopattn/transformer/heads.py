"""Attention heads: a head is a memory whose keys and values are read from the text itself, cued by the text.

    attention(q, k, v) = Σ_j p_j v_j,   p = ∇Ψ(q Kᵀ)

One application is one step of associative recall.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

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

    q: `(…, n_queries, dim)`; k: `(…, n_keys, dim)`; v: `(…, n_keys, dim_out)`; leading axes broadcast. beta: 1/√dim
    by default; a separation given as an object carries its own. mask: boolean, True = may attend, broadcasting to
    `(…, n_queries, n_keys)`, or a rule such as "causal"; a row with nothing to attend to gives 0. Gives `(…,
    n_queries, dim_out)`. Raises `InvalidInput` where the shapes do not fit. Source: Vaswani et al. (2017), eq. 1
    (their √d_k is our 1/β).

    >>> import hopattn as ha
    >>> e = [[1, 0], [1, 0], [0, 1], [1, 0]]
    >>> ha.attention([[0, 10]], e, e, beta=1.0).round(3)
    array([[0., 1.]])
    """
    keys = as_float(k, "k")
    queries, values = as_float(q, "q", like=keys), as_float(v, "v", like=keys)
    _require_texts(queries, keys, values)
    if isinstance(separation, Separation) and beta is None:
        chosen = separation
    else:
        chosen = separations.make(separation, beta=float(keys.shape[-1]) ** -0.5 if beta is None else beta)
    return Retrieval(Dot(), chosen, Identity()).step(queries, keys, values, mask)


@dataclass(frozen=True, eq=False)
class HeadTrace:
    """What a head computed on its way: queries, keys, values, scores, the mask that it used (or None), weights,
    output.
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

    w_query, w_key: `(dim_key, dim)`; w_value: `(dim_out, dim)`; every matrix is (out, in). mask: "none", "causal",
    "strict" (previous words only), "nonzero" (where the similarity is not 0), `hopattn.window(n)`, or a boolean
    array. beta: for a separation given by name (1 unless told; Vaswani et al. have 1/√dim_key); one given as an object
    carries its own. Raises `InvalidInput` for
    matrices that do not fit one another and for mistyped names. Source: Vaswani et al. (2017), 3.2; LING3804 Lecture
    Notes 7, 7.2.
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
        chosen = separations.make(separation, **({} if own_beta else {"beta": beta}))
        object.__setattr__(self, "w_query", query)
        object.__setattr__(self, "w_key", key)
        object.__setattr__(self, "w_value", value)
        respond = activations.make(activation)
        object.__setattr__(self, "retrieval", Retrieval(similarities.make(similarity), chosen, respond))
        object.__setattr__(self, "mask", as_mask(mask))

    def __call__(self, x: Any, mask: Any = None, *, source: Any = None) -> Array:
        """The head's output `(…, n, dim_out)` for a text `(…, n, dim)`; see `trace` for the arguments."""
        return self.trace(x, mask, source=source).output

    def trace(self, x: Any, mask: Any = None, *, source: Any = None) -> HeadTrace:
        """Every quantity of the head for a text x `(…, n, dim)`.

        mask: what else may not be attended to (padding), on top of the head's own. source: `(…, m, dim)`, where keys
        and values are read from (cross-attention); x itself by default.
        """
        text = _text(x, "x", self.w_query)
        read = text if source is None else _text(source, "source", self.w_key)
        queries, keys, values = linear(text, self.w_query), linear(read, self.w_key), linear(read, self.w_value)
        scores = self.retrieval.scores(queries, keys)
        allowed = self._allowed(mask, scores, queries, keys)
        weights = self.retrieval.separation.weights(scores, allowed)
        output = self.retrieval.step(queries, keys, values, allowed)
        return HeadTrace(queries, keys, values, scores, allowed, weights, output)

    def _allowed(self, mask: Any, *matched: Array) -> Array | None:
        """The head's own mask and a given one together."""
        own, given = (self.retrieval.allowed(one, *matched) for one in (self.mask, mask))
        return own & given if own is not None and given is not None else own if given is None else given


@dataclass(frozen=True, eq=False)
class Given(Similarity):
    """Scores that are written down, as when a lecture prints only the table: `(n_queries, n_keys)`."""

    table: Array
    by_pairs: ClassVar[bool] = False
    source: ClassVar[str] = "the table itself"

    def rounding(self, cues: Array, keys: Array) -> Array:
        return 0.0

    def __call__(self, cues: Array, keys: Array) -> Array:
        expected = (cues.shape[-2], keys.shape[-2])
        if tuple(self.table.shape) != expected:
            raise InvalidInput(
                f"scores: shape {tuple(self.table.shape)} does not fit {expected[0]} queries and {expected[1]} keys"
            )
        return self.table


@dataclass(frozen=True, eq=False)
class MultiHeadTrace:
    """What each head computed, and what came of them together, `(…, n, dim)`."""

    heads: tuple[HeadTrace, ...]
    output: Array


@dataclass(frozen=True, eq=False, init=False)
class MultiHead:
    """Heads side by side: their outputs are concatenated and mapped by w_out.

    heads: at least one; w_out: `(dim, sum of the heads' dim_out)`. Source: Vaswani et al. (2017), 3.2.2.
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
        """W_O [head₁(x); head₂(x); …], with what each head computed on its way."""
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
