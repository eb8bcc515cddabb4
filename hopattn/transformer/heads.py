"""One attention head: a memory whose cues, keys and values are affine maps of a text.

    q = W_Q x          k = W_K x          v = W_V x          output = ∇Φ(Vᵀ ∇Ψ(sim(K, q)))

One application is one step of associative recall.
"""

from dataclasses import dataclass
from typing import Any

from hopattn.foundation.arrays import Array, as_text, require_dim
from hopattn.foundation.errors import InvalidInput
from hopattn.retrieval.activation import Activation, activations
from hopattn.retrieval.joint_mask import joint
from hopattn.retrieval.masks import as_mask
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import Similarity, similarities
from hopattn.retrieval.step import Retrieval, biased
from hopattn.transformer.affine import Affine
from hopattn.transformer.attention import split_bias

MATRICES = "the head's matrices"


@dataclass(frozen=True, eq=False)
class HeadTrace:
    """The arrays that a head computes for a text of n words.

    queries: `(…, n, dim_key)`. keys: `(…, m, dim_key)`. values: `(…, m, dim_out)`. scores, weights: `(…, n, m)`; the
    scores are those before a bias. mask: True = may attend, or None for no mask. output: `(…, n, dim_out)`. m is n,
    except in cross-attention.
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

    w_query, w_key: `(dim_key, dim)`. w_value: `(dim_out, dim)`. Every matrix is (out, in); an `hopattn.Affine` in its
    place adds a bias. similarity, separation, activation: names or objects. beta: for a separation given by name; 1 by
    default, where Vaswani et al. have 1/√dim_key. A separation given as an object has its own. mask: "none", "causal",
    "strict" (previous words only), "nonzero" (pairs whose similarity is not 0), `hopattn.window(n)`, or a boolean
    array. Raises `InvalidInput` for matrices that do not fit one another and for unknown names.
    Source: Vaswani et al. (2017), 3.2; LING3804 Lecture Notes 7, 7.2.
    """

    query: Affine
    key: Affine
    value: Affine
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
        query, key, value = (
            Affine.of(given, what) for given, what in ((w_query, "w_query"), (w_key, "w_key"), (w_value, "w_value"))
        )
        if query.dims[0] != key.dims[0]:
            raise InvalidInput(f"w_key: {key.dims[0]} rows do not fit the {query.dims[0]} rows of w_query")
        require_dim(value.weight, key.dims[1], "w_value", "w_key")
        own_beta = isinstance(separation, Separation) and beta == 1.0
        separate = separations.make(separation, **({} if own_beta else {"beta": beta}))
        activate = activations.make(activation)
        object.__setattr__(self, "query", query)
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "retrieval", Retrieval(similarities.make(similarity), separate, activate))
        object.__setattr__(self, "mask", as_mask(mask))

    @property
    def w_query(self) -> Array:
        """The matrix of the queries, `(dim_key, dim)`."""
        return self.query.weight

    @property
    def w_key(self) -> Array:
        """The matrix of the keys, `(dim_key, dim)`."""
        return self.key.weight

    @property
    def w_value(self) -> Array:
        """The matrix of the values, `(dim_out, dim)`."""
        return self.value.weight

    def __call__(self, x: Any, mask: Any = None, *, source: Any = None, bias: Any = None) -> Array:
        """The head's output `(…, n, dim_out)` for a text `(…, n, dim)`; see `trace` for the arguments.

        No array of all scores is held where the text is long and no bias is given.
        """
        texts = text_pair(x, source, self)
        queries, keys, values = self.query(texts[0]), self.key(texts[1]), self.value(texts[1])
        allowed, finite = split_bias(bias, keys)
        return self.retrieval.step(queries, keys, values, joint(self.mask, mask, allowed), bias=finite)

    def trace(self, x: Any, mask: Any = None, *, source: Any = None, bias: Any = None) -> HeadTrace:
        """All arrays that the head computes for a text x `(…, n, dim)`.

        mask: a second mask, such as one for padding; a query may attend where this one and the head's own both allow
        it. source: `(…, m, dim)`, from which keys and values are computed (cross-attention); x by default. bias:
        numbers added to β s, which broadcast to `(…, n, m)`; −inf masks an entry.
        """
        texts = text_pair(x, source, self)
        queries, keys, values = self.query(texts[0]), self.key(texts[1]), self.value(texts[1])
        finite_entries, finite = split_bias(bias, keys)
        scores = self.retrieval.scores(queries, keys)
        added = scores if finite is None else biased(scores, finite, self.retrieval.separation)
        allowed = self.retrieval.allowed(joint(self.mask, mask, finite_entries), scores, queries, keys)
        weights = self.retrieval.separation.weights(added, allowed)
        output = self.retrieval.step(queries, keys, values, allowed, bias=finite)
        return HeadTrace(queries, keys, values, scores, allowed, weights, output)


def text_pair(x: Any, source: Any, head: Head) -> tuple[Array, Array]:
    """The texts of the queries and of the keys; raises `InvalidInput` for one that does not fit the head's matrices."""
    text = as_text(x, "x", head.w_query, MATRICES)
    return text, text if source is None else as_text(source, "source", head.w_key, MATRICES)
