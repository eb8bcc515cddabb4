"""The state of linear attention: sums over the keys and values so far, of a size that does not depend on their number.

    W_t = W_{t−1} + v_t φ(k_t)ᵀ          z_t = z_{t−1} + φ(k_t)          output = W φ(q) / z·φ(q)

z is kept as one more row of W, for a value that is 1 at every key.
"""

from dataclasses import dataclass, replace
from typing import Any

from hopattn.foundation.arrays import Array, as_float, namespace, require_dim, widened
from hopattn.foundation.chunks import blocks
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.in_range import in_range
from hopattn.foundation.objects import flag
from hopattn.foundation.scalars import whole
from hopattn.foundation.traces import constant
from hopattn.foundation.vectors import nonzero
from hopattn.retrieval.features import Exponentials, Features, feature_maps
from hopattn.retrieval.masks import Causal, Strict, like
from hopattn.retrieval.separation.scores import masked
from hopattn.transformer.attention import require_texts
from hopattn.transformer.feature_sums import Part, among, couplings, read

EMPTY = "state: it holds no keys yet; give it keys and values first"


@dataclass(frozen=True, eq=False)
class LinearState:
    """A text as linear attention keeps it: W = Σ_j v_j φ(k_j)ᵀ, which is all that a later query needs.

    features: φ, "identity", "relu", "elu" or an object such as `ha.RandomFeatures(n, seed)`. normalise: outputs are
    divided by Σ_j φ(k_j)·φ(q); it needs features that are not negative. dims: those of a key and a value. length: the
    number of keys so far. A state is made without words, and `extended` gives the next one; its size does not grow.
    Raises `InvalidInput` for unknown features, and for a normalised identity.

    couplings: W, `(…, dim_out, n_features)`, with z = Σ_j φ(k_j) as one more row where normalised; None before the
    first key. tops: None, or of features that are exponentials, `(…, n_features)`, the logarithm of the largest
    feature i of a key so far. Column i of W is then divided by it, so that z_i is at least 1; the features of a query
    times these tops are divided by the largest of them, so that one of them is 1. The sum that an output is divided by
    is therefore at least 1, whatever over- or underflows.
    Source: Katharopoulos et al. (2020), ICML (their S is our Wᵀ, their z ours); Choromanski et al. (2021).

    >>> import hopattn as ha
    >>> state = ha.LinearState("elu").extended([[1.0, 0.0]], [[3.0]]).extended([[0.0, 1.0]], [[5.0]])
    >>> state.read([[1.0, 0.0]]).round(3), state.couplings.shape
    (array([[3.889]]), (2, 2))
    """

    features: str | Features = "elu"
    normalise: bool = True
    couplings: Array | None = None
    tops: Array | None = None
    dims: tuple[int, int] | None = None
    length: int = 0

    def __post_init__(self) -> None:
        flag(self.normalise, "normalise")
        if self.normalise and not self.phi.nonnegative:
            raise InvalidInput(f"normalise: features {quoted(self.features)} may be negative; choose 'relu' or 'elu'")

    @property
    def phi(self) -> Features:
        """The features as an object."""
        return feature_maps.make(self.features)

    @property
    def matrix(self) -> Array:
        """W = Σ_j v_j φ(k_j)ᵀ with nothing divided out, `(…, dim_out, n_features)`; z is one more row where normalised.

        Of features that are exponentials, a number beyond the range of floats is infinite. Raises `InvalidInput` for a
        state without keys.
        """
        if self.couplings is None:
            raise InvalidInput(EMPTY)
        if self.tops is None:
            return self.couplings
        return self.couplings * namespace(self.tops).exp(self.tops)[..., None, :]

    @in_range
    def extended(self, k: Any, v: Any) -> "LinearState":
        """The state with further keys `(…, n, dim)` and their values `(…, n, dim_out)`; raises as `attention` does."""
        keys = as_float(k, "k")
        values = as_float(v, "v", like=keys)
        require_texts(keys, keys, values)
        require_dims(self.dims, keys, values)
        return self._with(widened(keys), self._marked(widened(values)))

    @in_range
    def read(self, q: Any) -> Array:
        """The outputs `(…, n, dim_out)` of queries `(…, n, dim)` that see every key so far.

        Raises `InvalidInput` for a state without keys.
        """
        queries = queries_of(q, self.dims, self.couplings)
        return namespace(queries).astype(self._output(self._seen(widened(queries))), queries.dtype)

    @in_range
    def attended(self, q: Any, k: Any, v: Any, strict: bool = False, chunk: int = 64) -> tuple[Array, "LinearState"]:
        """The outputs of further words, each of which sees the words so far and the earlier new ones; and the state.

        q, k: `(…, n, dim)`; v: `(…, n, dim_out)`. strict: a word does not see itself, and the first word's output is 0.
        chunk: the number of words at once, from 1 (word by word) on; it changes the time alone. Raises `InvalidInput`
        as `attention` does.
        """
        flag(strict, "strict")
        queries, keys, values = further_words(q, k, v, self.dims)
        state, parts, marked = self, [], self._marked(widened(values))
        for part in blocks(keys.shape[-2], whole(chunk, "chunk")):
            rows = (..., part, slice(None))
            sums, state = state._next(widened(queries[rows]), widened(keys[rows]), marked[rows], strict)
            parts.append(self._output(sums))
        xp = namespace(queries)
        return xp.astype(xp.concat(parts, axis=-2), queries.dtype), state

    def _next(self, q: Array, k: Array, v: Array, strict: bool) -> tuple[Part, "LinearState"]:
        """The sums of one chunk of words, and the state behind it."""
        following = self._with(k, v)
        if k.shape[-2] == 1 and not strict:
            return following._seen(q), following
        among = self._among(q, k, v, strict)
        return among if self.couplings is None else self._seen(q).merged(among), following

    def _with(self, keys: Array, values: Array) -> "LinearState":
        """The state with further keys and marked values."""
        xp, phi, length = namespace(keys, values), self.phi, self.length + keys.shape[-2]
        dims = (keys.shape[-1], values.shape[-1] - self.normalise)
        if not isinstance(phi, Exponentials):
            added = values.mT @ phi(keys)
            matrix = added if self.couplings is None else self.couplings + added
            return replace(self, couplings=matrix, dims=dims, length=length)
        exponents = phi.exponents(keys)
        tops = constant(xp.max(exponents, axis=-2))
        if self.tops is not None:
            tops = xp.where(self.tops > tops, self.tops, tops)
        matrix = couplings(exponents, tops, values)
        if self.tops is not None:
            matrix = self.couplings * xp.exp(self.tops - tops)[..., None, :] + matrix
        return replace(self, couplings=matrix, tops=tops, dims=dims, length=length)

    def _seen(self, queries: Array) -> Part:
        """The sum over all keys so far."""
        matrix, tops = self.couplings, self.tops
        assert matrix is not None
        if tops is None or not isinstance(self.phi, Exponentials):
            return Part(self._asked(queries) @ matrix.mT, None)
        return read(self.phi.exponents(queries), tops, matrix)

    def _among(self, queries: Array, keys: Array, values: Array, strict: bool) -> Part:
        """The sum over the keys of one chunk that each of its queries sees."""
        phi, rule = self.phi, Strict() if strict else Causal()
        if isinstance(phi, Exponentials):
            return among(phi.exponents(queries), phi.exponents(keys), values, rule)
        scores = self._asked(queries) @ phi(keys).mT
        return Part(masked(scores, like(rule(keys.shape[-2]), scores)) @ values, None)

    def _asked(self, queries: Array) -> Array:
        """φ(q); where normalised, divided by its largest entry, which the output does not depend on."""
        asked = self.phi(queries)
        if not self.normalise:
            return asked
        return asked / nonzero(constant(namespace(asked).max(asked, axis=-1, keepdims=True)))

    def _marked(self, values: Array) -> Array:
        """The values, with a 1 behind each where the outputs are normalised."""
        if not self.normalise:
            return values
        xp = namespace(values)
        return xp.concat([values, xp.ones_like(values[..., :1])], axis=-1)

    def _output(self, part: Part) -> Array:
        """Σ φ(k_j)·φ(q) v_j, divided by Σ φ(k_j)·φ(q) where normalised; 0 where that sum is 0."""
        if self.normalise:
            return part.field[..., :-1] / nonzero(part.field[..., -1:])
        return part.field if part.top is None else namespace(part.top).exp(part.top) * part.field


def queries_of(q: Any, dims: tuple[int, int] | None, couplings: Array | None) -> Array:
    """The queries of a state as an array; raises `InvalidInput` for another dim, and for a state without keys."""
    if dims is None:
        raise InvalidInput(EMPTY)
    queries = as_float(q, "q", like=couplings)
    require_dim(queries, dims[0], "q", "the state")
    return queries


def require_dims(dims: tuple[int, int] | None, keys: Array, values: Array) -> None:
    """Raise `InvalidInput` unless keys and values have the dims of a state; None fits all."""
    if dims is not None:
        require_dim(keys, dims[0], "k", "the state")
        require_dim(values, dims[1], "v", "the state")


def further_words(q: Any, k: Any, v: Any, dims: tuple[int, int] | None) -> tuple[Array, Array, Array]:
    """Queries, keys and values of further words as arrays of one library.

    dims: those of the state, None for an empty one. Raises `InvalidInput` for shapes that do not fit one another or the
    state.
    """
    keys = as_float(k, "k")
    queries, values = as_float(q, "q", like=keys), as_float(v, "v", like=keys)
    require_texts(queries, keys, values)
    require_dims(dims, keys, values)
    if queries.shape[-2] != keys.shape[-2]:
        raise InvalidInput(f"q: {queries.shape[-2]} rows do not fit {keys.shape[-2]} keys")
    return queries, keys, values
