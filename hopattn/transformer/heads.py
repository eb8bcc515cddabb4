"""One attention head: a memory whose cues, keys and values are affine maps of a text.

    q = W_Q x          k = W_K x          v = W_V x          output = ∇Φ(Vᵀ ∇Ψ(sim(K, q)))

One application is one step of associative recall.
"""

from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from hopattn.foundation.arrays import Array, as_array, as_text, namespace, require_dim, widened
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.in_range import in_range
from hopattn.foundation.options import require_options, shows_options
from hopattn.retrieval.activation import Activation, activations
from hopattn.retrieval.joint_mask import joint
from hopattn.retrieval.masks import as_mask
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import Similarity, similarities
from hopattn.retrieval.step import Retrieval, biased
from hopattn.transformer.affine import Affine
from hopattn.transformer.attention import split_bias
from hopattn.transformer.head_bias import as_bias, total_bias
from hopattn.transformer.positions.planes import n_planes
from hopattn.transformer.positions.rotary import Rotary, as_position
from hopattn.transformer.torch_words import knows_torch_words, refuse_torch_words

MATRICES = "the head's matrices"


class HeadOptions(TypedDict, total=False):
    """The options of a head, as `Head` explains them."""

    similarity: str | Similarity
    separation: str | Separation
    activation: str | Activation
    beta: float
    mask: Any
    position: str | Rotary | None
    bias: Any


DEFAULTS: HeadOptions = {
    "similarity": "dot",
    "separation": "softmax",
    "activation": "identity",
    "beta": 1.0,
    "mask": "causal",
    "position": None,
    "bias": None,
}


@dataclass(frozen=True, eq=False)
class HeadTrace:
    """The arrays that a head computes for a text of n words.

    queries: `(…, n, dim_key)`. keys: `(…, m, dim_key)`; both are already turned where the head has a position. values:
    `(…, m, dim_out)`. scores, weights: `(…, n, m)`, in single precision for texts of half precision; the scores are
    those before a bias. mask: True = may attend, or None for no mask. output: `(…, n, dim_out)`. bias: the numbers
    added to β s, −inf where they mask an entry, or None.
    m is n, except in cross-attention.
    """

    queries: Array
    keys: Array
    values: Array
    scores: Array
    mask: Array | None
    weights: Array
    output: Array
    bias: Array | None = None


@dataclass(frozen=True, eq=False, init=False)
class Head:
    """One attention head: q = W_Q x, k = W_K x, v = W_V x, output = ∇Φ(Vᵀ ∇Ψ(sim(K, q))).

    w_query, w_key: `(dim_key, dim)`. w_value: `(dim_out, dim)`. Every matrix is (out, in); an `hopattn.Affine` in its
    place adds a bias. similarity, separation, activation: names or objects. beta: for a separation given by name; 1 by
    default, where Vaswani et al. have 1/√dim_key. A separation given as an object has its own. mask: "none", "causal",
    "strict" (previous words only), "nonzero" (pairs whose similarity is not 0), `hopattn.window(n)`, or a boolean
    array. position: None, "rope" or an `hopattn.Rotary`: queries and keys are turned by their positions, which count
    from 0 in each text, so also in each of the two texts of cross-attention; dim_key is then even. With the dot product
    (or the cosine, or the Euclidean distance) a score then depends on the offset of two positions alone. bias: numbers
    added to β s in every call: an `hopattn.Alibi`, or an array `(n, m)` for texts of this length; −inf masks an entry.

    Raises `InvalidInput` for matrices that do not fit one another, for unknown options and names, and for a position
    with an odd dim_key. Keys and values of different dims come from two texts, which only a `MultiHead` takes; a call
    of such a head raises it too.
    Source: Vaswani et al. (2017), 3.2; LING3804 Lecture Notes 7, 7.2.
    """

    query: Affine
    key: Affine
    value: Affine
    retrieval: Retrieval
    mask: Any
    position: Rotary | None
    bias: Any

    @shows_options(HeadOptions, DEFAULTS)
    def __init__(self, w_query: Any, w_key: Any, w_value: Any, **options: Unpack[HeadOptions]) -> None:
        refuse_torch_words("Head", options, DEFAULTS)
        require_options("Head", options, DEFAULTS)
        chosen: HeadOptions = {**DEFAULTS, **options}
        query, key, value = (
            Affine.of(given, what) for given, what in ((w_query, "w_query"), (w_key, "w_key"), (w_value, "w_value"))
        )
        if query.dims[0] != key.dims[0]:
            raise InvalidInput(f"w_key: {key.dims[0]} rows do not fit the {query.dims[0]} rows of w_query")
        own_beta = isinstance(chosen["separation"], Separation) and chosen["beta"] == 1.0
        separate = separations.make(chosen["separation"], **({} if own_beta else {"beta": chosen["beta"]}))
        activate = activations.make(chosen["activation"])
        position = as_position(chosen["position"])
        if position is not None:
            n_planes(query.dims[0], "position: the rows of w_query")
        object.__setattr__(self, "query", query)
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "retrieval", Retrieval(similarities.make(chosen["similarity"]), separate, activate))
        object.__setattr__(self, "mask", as_mask(chosen["mask"]))
        object.__setattr__(self, "position", position)
        object.__setattr__(self, "bias", as_bias(chosen["bias"]))

    def __repr__(self) -> str:
        maps = ", ".join(f"w_{role} {getattr(self, role).dims}" for role in ("query", "key", "value"))
        parts = [self.retrieval.similarity, self.retrieval.separation, self.retrieval.activation]
        own = {"mask": self.mask, "position": self.position, "bias": self.bias}
        shown = {name: tuple(part.shape) if hasattr(part, "shape") else part for name, part in own.items()}
        named = [f"{name}={quoted(part)}" for name, part in shown.items() if part is not None]
        return f"Head({', '.join([maps, *map(quoted, parts), *named])})"

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

    @knows_torch_words
    @in_range
    def __call__(self, x: Any, mask: Any = None, *, source: Any = None, bias: Any = None) -> Array:
        """The head's output `(…, n, dim_out)` for a text `(…, n, dim)`; see `trace` for the arguments.

        No array of all scores is held where the text is long and no bias is given.
        """
        texts = text_pair(x, source, self)
        queries, keys, values = self.mapped(*texts, texts[1])
        allowed, finite = split_bias(total_bias([self.bias], bias, queries, keys), keys)
        return self.retrieval.step(queries, keys, values, joint(self.mask, mask, allowed), bias=finite)

    @in_range
    def trace(self, x: Any, mask: Any = None, *, source: Any = None, bias: Any = None) -> HeadTrace:
        """All arrays that the head computes for a text x `(…, n, dim)`.

        mask: a second mask, such as one for padding; a query may attend where this one and the head's own both allow
        it. source: `(…, m, dim)`, from which keys and values are computed (cross-attention); x by default. bias:
        numbers added to β s and to the head's own bias, which broadcast to `(…, n, m)`; −inf masks an entry.
        """
        texts = text_pair(x, source, self)
        queries, keys, values = self.mapped(*texts, texts[1])
        total = total_bias([self.bias], bias, queries, keys)
        finite_entries, finite = split_bias(total, keys)
        wide, separation = (widened(queries), widened(keys)), self.retrieval.separation
        scores = self.retrieval.scores(*wide)
        added, separation = (scores, separation) if finite is None else biased(scores, finite, separation)
        allowed = self.retrieval.allowed(joint(self.mask, mask, finite_entries), scores, *wide)
        weights = separation.weights(added, allowed)
        output = self.retrieval.step(queries, keys, values, allowed, bias=finite)
        return HeadTrace(queries, keys, values, scores, allowed, weights, output, total)

    def mapped(self, query: Array, key: Array, value: Array) -> tuple[Array, Array, Array]:
        """The queries, keys and values of three texts; queries and keys are turned where the head has a position."""
        queries, keys = self.query(query), self.key(key)
        if self.position is not None:
            queries, keys = self.position(queries), self.position(keys)
        return queries, keys, self.value(value)


def text_pair(x: Any, source: Any, head: Head) -> tuple[Array, Array]:
    """The texts of the queries and of the keys; raises `InvalidInput` for one that does not fit the head's matrices."""
    require_dim(head.w_value, head.key.dims[1], "w_value", "w_key")
    text = as_text(x, "x", head.w_query, MATRICES)
    return text, text if source is None else as_source(source, "source", head.w_key)


def as_source(values: Any, what: str, matrix: Array) -> Array:
    """The text of keys or values, as `as_text` gives it; raises `InvalidInput` for booleans, which are a mask."""
    text = as_array(values, what, like=matrix)
    if text.dtype == namespace(text).bool:
        raise InvalidInput(f"{what}: expected the vectors of a text, not booleans; a mask is given as mask=")
    return as_text(text, what, matrix, MATRICES)
