"""Linear attention: attention whose scores are products of features, computed without the scores.

    Σ_j (φ(k_j)·φ(q)) v_j = (Σ_j v_j φ(k_j)ᵀ) φ(q)

The left side takes time that grows like n², the right side like n. Word by word,

    W_t = W_{t−1} + v_t φ(k_t)ᵀ          z_t = z_{t−1} + φ(k_t)          output = W φ(q) / z·φ(q)

z is one more row of W, for a value that is 1 at every key. Random features come as exponents, a = log φ(q) and
b = log φ(k), and the size of a sum over keys is kept as a logarithm, as in the online softmax.
"""

from collections.abc import Callable, Container
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, Any, NamedTuple, TypeVar

from hopattn.foundation.arrays import Array, Mask, namespace, widened
from hopattn.foundation.boundary import Count, Fit, Flag, Of, Owner, Text, finite, public
from hopattn.foundation.checks import flag
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.registry import name_of
from hopattn.foundation.threads import blocks
from hopattn.foundation.traces import cond, detached
from hopattn.foundation.vectors import nonzero
from hopattn.retrieval.features import Features, RandomFeatures, feature_maps, kept, least_sum, log_products, relative
from hopattn.retrieval.masks import Causal, NoMask, PositionRule, Strict, as_mask, like
from hopattn.retrieval.separation.base import masked

State = TypeVar("State")
Values = Annotated[Any, Of("… n dim_out")]


@public
def linear_attention(
    q: Text,
    k: Annotated[Array, Of("… m dim")],
    v: Annotated[Array, Of("… m dim_out")],
    *,
    features: str | Features = "elu",
    mask: Mask = None,
    normalise: Flag = True,
    chunk: Count = 64,
) -> Array:
    """Linear attention, Σ_j s_j v_j / Σ_j s_j with s_j = φ(k_j)·φ(q), in time and memory that grow like n.

    Parameters
    ----------
    q : (…, n_queries, dim)
    k : (…, n_keys, dim)
    v : (…, n_keys, dim_out)
    features
        φ, "identity", "relu", "elu", or an object; with `ha.retrieval.RandomFeatures(n, rng=rng, beta=dim**-0.5)` the
        output estimates that of `ha.attention`.
    mask : "none", "causal" or "strict"; with fewer queries than keys the queries are the last words.
    normalise
        divide by the sum of the scores; it needs features that are not negative, and a row whose scores are all 0 gives
        0. Σ φ(k) vᵀ must be finite; queries may have any size.
    chunk : the number of words whose scores are computed at once under a mask; it changes the time alone.

    Returns
    -------
    `(…, n_queries, dim_out)`.

    Raises
    ------
    InvalidInput : for shapes that do not fit, unknown features, a normalised identity and another mask.

    Notes
    -----
    Source: Katharopoulos et al. (2020), ICML (their φ is ours); Choromanski et al. (2021), ICLR.

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.transformer.linear_attention([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[3.0], [5.0]]).round(3)
    array([[3.889]])
    """
    state, rule = LinearState(features, normalise=normalise), as_mask(mask)
    if isinstance(rule, NoMask):
        return state.extended(k, v).read(q)
    if not isinstance(rule, (Causal, Strict)):
        raise InvalidInput(
            f"mask: expected 'none', 'causal' or 'strict', not {quoted(rule)}; "
            "a head with the similarity 'feature_map' and the separation 'proportional' takes any mask"
        )
    n_before = k.shape[-2] - q.shape[-2]
    if n_before < 0:
        raise InvalidInput(f"mask: {q.shape[-2]} queries are more than {k.shape[-2]} keys")
    if n_before:
        state = state.extended(k[..., :n_before, :], v[..., :n_before, :])
    last = k[..., n_before:, :], v[..., n_before:, :]
    return state.attended(q, *last, strict=isinstance(rule, Strict), chunk=chunk)[0]


class StateOfText(Owner):
    """The base of the state of a text so far: `extended` gives it with further words, `read` answers queries.

    couplings: W, `(…, dim_out, n_features)`; None before the first key. dims: those of a key and a value, or None. The
    arrays of a call have these dims.
    """

    features: str | Features
    couplings: Array
    dims: tuple[int, int] | None

    @property
    def phi(self) -> Features:
        """The features as an object."""
        return feature_maps.make(self.features)

    def _fit(self, axes: Container[str]) -> Fit:
        like = None if self.couplings is None else ("the state", self.couplings)
        fit = Fit(like=like)  # not first: of words in half precision, the state holds single precision
        if self.couplings is not None and self.couplings.ndim > 2:
            fit.leads["the state"] = tuple(self.couplings.shape[:-2])
        for axis, length in zip(("dim", "dim_out"), self.dims or (), strict=False):
            fit.sizes[axis] = length, "the state"
        return fit

    def _require_keys(self) -> None:
        """Raise `InvalidInput` for a state without keys."""
        if self.dims is None:
            raise InvalidInput("state: it holds no keys yet; give it keys and values first")


@dataclass(frozen=True, eq=False)
class LinearState(StateOfText):
    """The state of a text under linear attention: W = Σ_j v_j φ(k_j)ᵀ, all that a later query needs.

    Parameters
    ----------
    features, normalise : as in `ha.transformer.linear_attention`.
    couplings
        W, `(…, dim_out, n_features)`, with z = Σ_j φ(k_j) as one more row where normalised; None before the first key.
    tops
        of random features, the logarithm of the largest feature i of a key so far, `(…, n_features)`, by which column i
        of W is divided; else None.
    dims : those of a key and a value.
    length : the number of keys so far.

    Raises
    ------
    InvalidInput : for unknown features, and for a normalised identity.

    Notes
    -----
    A state is made without words, and `extended` gives the next one. Source: Katharopoulos et al. (2020), ICML (their S
    is our Wᵀ, their z ours); Choromanski et al. (2021).

    Examples
    --------
    >>> import hopattn as ha
    >>> state = ha.transformer.LinearState("elu").extended([[1.0, 0.0]], [[3.0]]).extended([[0.0, 1.0]], [[5.0]])
    >>> state.read([[1.0, 0.0]]).round(3), state.couplings.shape
    (array([[3.889]]), (2, 2))
    """

    features: str | Features = "elu"
    _: KW_ONLY
    normalise: bool = True
    couplings: Array = None
    tops: Array | None = None
    dims: tuple[int, int] | None = None
    length: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", kept(self.features))
        flag(self.normalise, "normalise")
        if self.normalise and not self.phi.nonnegative:
            raise InvalidInput(f"normalise: features '{name_of(self.phi)}' may be negative; choose 'relu' or 'elu'")

    @property
    def matrix(self) -> Array:
        """W = Σ_j v_j φ(k_j)ᵀ with nothing divided out, `(…, dim_out, n_features)`; z is one more row where normalised.

        Of random features, a number beyond the range of floats is infinite. Raises `InvalidInput` without keys.
        """
        self._require_keys()
        return self._sums.value

    @property
    def _sums(self) -> "Sums":
        return Sums(self.couplings, None if self.tops is None else self.tops[..., None, :])

    @public(may_be=finite)
    def extended(self, k: Text, v: Values) -> "LinearState":
        """The state with further keys `(…, n, dim)` and their values `(…, n, dim_out)`; raises as `attention` does."""
        return self._with(widened(k), self._with_ones(widened(v)))

    @public
    def read(self, q: Text) -> Array:
        """The outputs `(…, n, dim_out)` of queries `(…, n, dim)` that see every key so far."""
        self._require_keys()
        return namespace(q).astype(self._output(self._seen(widened(q))), q.dtype)

    @public(may_be=finite)
    def attended(
        self, q: Text, k: Text, v: Values, *, strict: Flag = False, chunk: Count = 64
    ) -> tuple[Array, "LinearState"]:
        """The outputs of further words, each of which sees the words so far and the earlier new ones; and the state.

        Parameters
        ----------
        q, k : (…, n, dim)
        v : (…, n, dim_out)
        strict : a word does not see itself, and the first word's output is 0.
        chunk : the number of words at once; it changes the time alone.

        Raises
        ------
        InvalidInput : as `attention` does.
        """
        rule = Strict() if strict else Causal()

        def answer(state: LinearState, q: Array, k: Array, v: Array) -> tuple[Array, LinearState]:
            next_state = state._with(k, v)
            if k.shape[-2] == 1 and not strict:
                return state._output(next_state._seen(q)), next_state
            sums = state._among(q, k, v, rule)
            return state._output(sums if state.dims is None else state._seen(q).merged(sums)), next_state

        return by_chunks(self, (q, k, self._with_ones(widened(v))), chunk, answer)

    def _with(self, keys: Array, values: Array) -> "LinearState":
        """The state with further keys and marked values."""
        phi = self.phi
        if isinstance(phi, RandomFeatures):
            exponents = phi.exponents(keys)
            top = _largest(exponents, axis=-2)
            sums = Sums(values.mT @ namespace(keys).exp(exponents - top), top)
        else:
            sums = Sums(values.mT @ phi(keys))
        if self.dims is not None:
            sums = self._sums.merged(sums)
        tops = None if sums.top is None else sums.top[..., 0, :]
        dims, length = (keys.shape[-1], values.shape[-1] - self.normalise), self.length + keys.shape[-2]
        return replace(self, couplings=sums.field, tops=tops, dims=dims, length=length)

    def _seen(self, queries: Array) -> "Sums":
        """The sum over all keys so far: relative to the largest product, what is lost is small beside the sum."""
        phi = self.phi
        if not isinstance(phi, RandomFeatures):
            return Sums(self._query_features(queries) @ self.couplings.mT)
        exponents = self._query_exponents(phi, queries) + self._sums.top
        top = _largest(exponents, axis=-1)
        return Sums(namespace(queries).exp(exponents - top) @ self.couplings.mT, top)

    def _among(self, queries: Array, keys: Array, values: Array, rule: PositionRule) -> "Sums":
        """The sum over the keys of one chunk that each of its queries sees by the rule, causal or strict."""
        if isinstance(phi := self.phi, RandomFeatures):
            return _among(self._query_exponents(phi, queries), phi.exponents(keys), values, rule)
        scores = self._query_features(queries) @ phi(keys).mT
        return Sums(masked(scores, like(rule.array(keys.shape[-2]), scores)) @ values)

    def _query_exponents(self, phi: RandomFeatures, queries: Array) -> Array:
        """log φ(q); where normalised, without −β|q|²/2, which the output does not depend on."""
        return phi.projections(queries) if self.normalise else phi.exponents(queries)

    def _query_features(self, queries: Array) -> Array:
        """φ(q); where normalised, divided by its largest entry, which the output does not depend on."""
        features = self.phi(queries)
        return features / nonzero(_largest(features, axis=-1)) if self.normalise else features

    def _with_ones(self, values: Array) -> Array:
        """The values, with a 1 behind each where the outputs are normalised."""
        if not self.normalise:
            return values
        xp = namespace(values)
        return xp.concat([values, xp.ones_like(values[..., :1])], axis=-1)

    def _output(self, sums: "Sums") -> Array:
        """Σ φ(k_j)·φ(q) v_j, divided by Σ φ(k_j)·φ(q) where normalised; 0 where that sum is 0."""
        return sums.field[..., :-1] / nonzero(sums.field[..., -1:]) if self.normalise else sums.value


def by_chunks(
    state: State, words: tuple[Array, ...], chunk: int, answer: Callable[..., tuple[Array, State]]
) -> tuple[Array, State]:
    """The outputs of words, `(…, n, dim_out)`, chunk by chunk, and the state behind them.

    words: `(…, n, *)` each, the queries first. answer: from a state and a chunk to its outputs and the next state.
    """
    outputs, xp = [], namespace(words[0])
    for part in blocks(words[0].shape[-2], chunk):
        output, state = answer(state, *(widened(array[..., part, :]) for array in words))
        outputs.append(output)
    return xp.astype(xp.concat(outputs, axis=-2), words[0].dtype), state


class Sums(NamedTuple):
    """Sums over some keys as field · exp(top), so that neither over- nor underflows; top is 0 where it is None."""

    field: Array
    top: Array | None = None

    @property
    def value(self) -> Array:
        """The sums themselves."""
        return self.field if self.top is None else namespace(self.top).exp(self.top) * self.field

    def merged(self, other: "Sums") -> "Sums":
        """The sums over the keys of both."""
        if self.top is None or other.top is None:
            return Sums(self.field + other.field)
        xp = namespace(self.top, other.top)
        top = xp.where(self.top > other.top, self.top, other.top)
        return Sums(xp.exp(self.top - top) * self.field + xp.exp(other.top - top) * other.field, top)


def _largest(exponents: Array, axis: int) -> Array:
    return detached(namespace(exponents).max(exponents, axis=axis, keepdims=True))


def _among(a: Array, b: Array, values: Array, rule: PositionRule) -> Sums:
    """The sum over the keys of a chunk that each of its queries sees, for exponents a of queries and b of keys.

    One product gives all scores, of features divided by the largest of their vector. Where the sum of a row is so small
    that it may have lost products, the logarithm of each score gives all sums, which is slower and loses nothing.
    """
    xp, n = namespace(a, b), b.shape[-2]
    (left, top), (right, tops) = relative(a), relative(b)
    products = left @ right.mT
    where, lowest = like(rule.array(n), products), -float(xp.finfo(products.dtype).max) / 4
    largest = _largest(masked(tops.mT, where, lowest), axis=-1)
    sizes = masked(products * xp.exp(masked(tops.mT - largest, where)), where)
    underflow = xp.any(where, axis=-1) & (xp.sum(sizes, axis=-1) < least_sum(a, n))

    def at_once() -> Sums:
        most = nonzero(_largest(sizes, axis=-1))
        return Sums((sizes / most) @ values, top + largest + xp.log(most))

    def by_logarithms() -> Sums:
        logs = log_products(a, b)
        most = _largest(masked(logs, where, lowest), axis=-1)
        return Sums(masked(xp.exp(masked(logs - most, where)), where) @ values, most)

    result: Sums = cond(xp.any(underflow), by_logarithms, at_once)
    return result
