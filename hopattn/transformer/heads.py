"""Attention heads: memories whose cues, keys and values are affine maps of a text.

    q = W_Q x          k = W_K x          v = W_V x          output = ∇Φ(Vᵀ ∇Ψ(sim(K, q)))

One application is one step of associative recall, a call of `Step` of `retrieval/step.py`. Heads that differ
only in their matrices, biases, sinks and α are computed together, as further axes of one batch:

    queries (…, g, r, n, dim)          keys, values (…, g, 1, m, dim)

for g heads of keys, each of which serves r heads of queries (grouped queries; r = 1 in the original transformer). One
head has both axes too, of length 1.
"""

import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import product
from typing import Annotated, Any, ClassVar, NamedTuple, Unpack

import numpy as np

from hopattn.foundation.arrays import Array, Mask, NumberOrArray, as_array, in_numbers_of, namespace, widened
from hopattn.foundation.boundary import Of, Owner, finite, public
from hopattn.foundation.checks import function
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.positions.distance_biases import Alibi
from hopattn.positions.rotary import Rotary, as_position, require_rotated
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.masks import (
    MaskRule,
    Without,
    as_bias,
    as_mask,
    joint,
    placed,
    require_on_scores,
    seen_keys,
    terms_of,
)
from hopattn.retrieval.separation import separation_of, single_numbers
from hopattn.retrieval.step import Step, StepParts
from hopattn.transformer.feed_forward import Affine, image
from hopattn.transformer.scaled_dot_product import (
    Texts,
    head_bias,
    own_bias,
    texts_without_padding,
)

TEXTS = Of("… n dim"), Of("… m dim_of_keys"), Of("… m dim_of_values")
DIMS = {axes.names[-1] for axes in TEXTS}


@dataclass(frozen=True, eq=False)
class HeadTrace:
    """The arrays that a head computes for a text of n words; m is n, except in cross-attention.

    queries: `(…, n, dim_key)`. keys: `(…, m, dim_key)`; both are already turned where the head has a position. values:
    `(…, m, dim_out)`. scores, weights: `(…, n, m)`, in single precision for texts of half precision; the scores are
    those before a bias. mask: True = may attend, or None. output: `(…, n, dim_out)`. bias: the numbers added to β s,
    −inf where they mask an entry, or None. rest: the weight that the sink takes, `(…, n)`, or None without a sink.
    """

    _noun: ClassVar[str] = "the trace of a head"
    queries: Array
    keys: Array
    values: Array
    scores: Array
    mask: Array | None
    weights: Array
    output: Array
    bias: Array | None = None
    rest: Array | None = None


@dataclass(frozen=True, eq=False, init=False)
class Head(Owner):
    """One attention head: q = W_Q x, k = W_K x, v = W_V x, output = ∇Φ(Vᵀ ∇Ψ(sim(K, q))).

    Parameters
    ----------
    w_query, w_key : (dim_key, dim)
    w_value : (dim_out, dim)
        Every matrix is (out, in); an `hopattn.transformer.Affine` in its place adds a bias.
    similarity, separation, activation : names or objects.
    beta
        for a separation given by name; 1 by default, where Vaswani et al. have 1/√dim_key. A separation given as an
        object has its own.
    mask
        "causal", "strict" (previous words only), "nonzero" (pairs whose similarity is not 0), `hopattn.window(width)`,
        `hopattn.padding(lengths)`, two of these joined by `&`, a boolean array, or None, which hides nothing.
    position
        None, "rope" or an `hopattn.positions.Rotary`: queries and keys are turned by their positions, which count from
        0 in each text; dim_key is then even.
    bias
        numbers added to β s in every call: an `hopattn.positions.Alibi`, or an array `(n, m)` for texts of this length;
        −inf masks an entry.
    sink : the logit of a null pattern, a number that competes with β s and gives nothing, as in `hopattn.attention`.
    query_norm, key_norm : functions such as an `hopattn.transformer.RMSNorm`, before the position, or None.

    Raises
    ------
    InvalidInput
        for matrices that do not fit each other, for unknown options and names, and for a position with an odd dim_key.

    Notes
    -----
    Keys and values of different dims come from two texts, which only a `MultiHead` takes. Source: Vaswani et al.
    (2017), 3.2; LING3804 Lecture Notes 7, 7.2.
    """

    w_query: Annotated[Array, Of("dim_key dim")]
    w_key: Annotated[Array, Of("dim_key dim_of_keys")]
    w_value: Annotated[Array, Of("dim_out dim_of_values")]
    query: Affine
    key: Affine
    value: Affine
    retrieval: Step
    mask: Mask
    position: Rotary | None
    bias: Any
    query_norm: Callable[[Array], Array]
    key_norm: Callable[[Array], Array]

    @public(parts=Step)
    def __init__(
        self,
        w_query: Array,
        w_key: Array,
        w_value: Array,
        *,
        mask: Mask = None,
        position: str | Rotary | None = None,
        bias: Alibi | Array | None = None,
        query_norm: Callable[[Array], Array] | None = None,
        key_norm: Callable[[Array], Array] | None = None,
        **parts: Unpack[StepParts],
    ) -> None:
        arguments = (("query", w_query), ("key", w_key), ("value", w_value))
        maps = {role: Affine.of(w, f"w_{role}") for role, w in arguments}
        matrices = {f"w_{role}": affine.weight for role, affine in maps.items()}
        for name, matrix in matrices.items():
            object.__setattr__(self, name, matrix)
        self._require_fit()
        options = {"mask": as_mask(mask), "position": as_position(position), "bias": head_bias(bias)}
        for name, norm in (("query_norm", query_norm), ("key_norm", key_norm)):
            options[name] = Identity() if norm is None else function(norm, name)
        if options["position"] is not None:
            require_rotated(options["position"], maps["query"].dims[0], "position: the rows of w_query")
        step = Step(**parts)
        single_numbers(step.separation)
        for name, part in {**maps, "retrieval": step, **options}.items():
            object.__setattr__(self, name, part)

    @classmethod
    @public(parts=Step)
    def from_right(
        cls,
        w_query: Annotated[Array, Of("dim dim_key")],
        w_key: Annotated[Array, Of("dim_of_keys dim_key")],
        w_value: Annotated[Array, Of("dim_of_values dim_out")],
        *,
        mask: Mask = None,
        position: str | Rotary | None = None,
        bias: Alibi | Array | None = None,
        query_norm: Callable[[Array], Array] | None = None,
        key_norm: Callable[[Array], Array] | None = None,
        **parts: Unpack[StepParts],
    ) -> "Head":
        """The head of matrices as courses print them: Q = X W_Q, K = X W_K, V = X W_V.

        Parameters
        ----------
        w_query, w_key : (dim, dim_key)
        w_value : (dim, dim_out)
            the other options are those of a `Head`.

        Raises
        ------
        InvalidInput : as a `Head`.

        Examples
        --------
        >>> Head.from_right([[1.0], [0.0]], [[1.0], [1.0]], [[0.0], [3.0]])([[2.0, 1.0]])
        array([[3.]])

        Notes
        -----
        Source: Vaswani et al. (2017), 3.2.2.
        """
        options: dict[str, Any] = {"position": position, "bias": bias, "query_norm": query_norm, "key_norm": key_norm}
        return cls(w_query.T, w_key.T, w_value.T, mask=mask, **options, **parts)

    def __repr__(self) -> str:
        parts = [f"w_{role} {getattr(self, role).dims}" for role in ("query", "key", "value")]
        step = self.retrieval
        parts += map(quoted, (step.similarity, step.separation, step.activation))
        for name in ("mask", "position", "bias"):
            if (part := getattr(self, name)) is not None:
                parts.append(f"{name}={quoted(tuple(part.shape) if hasattr(part, 'shape') else part)}")
        return f"Head({', '.join(parts)})"

    @public
    def __call__(self, x: Array, mask: Mask = None, *, source: Array = None, bias: Array = None) -> Array:
        """The head's output `(…, n, dim_out)` for a text `(…, n, dim)`; see `trace` for the arguments.

        No array of all scores is held where the text is long and there is no bias.
        """
        return self._group.output(*self._arguments(x, mask, source, bias))

    @public(may_be=finite)
    def trace(self, x: Array, mask: Mask = None, *, source: Array = None, bias: Array = None) -> HeadTrace:
        """All arrays that the head computes for a text x `(…, n, dim)`.

        Parameters
        ----------
        mask
            a second mask, such as one for padding; a query may attend where this one and the head's own both allow it.
        source : (…, m, dim)
            from which keys and values are computed (cross-attention); x by default.
        bias : numbers added to β s and to the head's own bias, which broadcast to `(…, n, m)`; −inf masks an entry.
        """
        group = self._group
        return group.apart(group.trace(*self._arguments(x, mask, source, bias)))[0]

    def with_sink(self, sink: NumberOrArray) -> "Head":
        """The same head with a sink, as the option `sink`; raises `InvalidInput` if it has one already."""
        head, separation_part = copy(self), separation_of(self.retrieval.separation, sink=sink)
        object.__setattr__(head, "retrieval", replace(self.retrieval, separation=separation_part))
        return head

    def without(self, token: Any, at: int | None = None) -> "Head":
        """The same head, whose queries do not see some keys of a text: its values and places stay, its weights do not.

        Parameters
        ----------
        token : the number of a key of the text, from 0, or from −1 at its end; or several.
        at : the number of the only query that does not see them.

        Notes
        -----
        A query that sees nothing else gives 0. `ha.transformer.worth` says what changes.
        """
        head = copy(self)
        object.__setattr__(head, "mask", joint(self.mask, Without.of(token, at)))
        return head

    def mapped(self, x: Array) -> list[Array]:
        """The queries, keys and values of a text `(…, n, dim)`, already turned where the head has a position."""
        return [array[..., 0, 0, :, :] for array in self._group.mapped(texts_of(self, x, None))]

    @property
    def _group(self) -> "Group":
        return Group((self,), (self.query, self.key, self.value), (1, 1))

    def _arguments(self, x: Any, mask: Any, source: Any, bias: Any) -> tuple[Texts, Any, Array | None]:
        """The texts, the mask and the bias of a call as a group takes them."""
        texts, rule = texts_of(self, x, source), as_mask(mask)
        if bias is None:
            return texts, rule, None
        numbers = as_bias(bias, self.w_key, "w_key")
        require_on_scores(numbers, texts.pairs, "bias")
        return texts, rule, numbers if numbers.ndim < 3 else numbers[..., None, :, :]


class Group(NamedTuple):
    """Heads that differ only in their matrices, biases, sinks and α, and are computed together.

    maps: the affine maps to the queries, keys and values of all heads. shape: g heads of keys, each of which serves r
    heads of queries.
    """

    heads: tuple[Head, ...]
    maps: tuple[Affine, Affine, Affine]
    shape: tuple[int, int]

    @classmethod
    def of(cls, heads: Sequence[Head]) -> "Group":
        """The group of these heads; neighbours that share the maps of keys and values share a head of keys."""
        ids = [
            [id(array) for affine in (head.key, head.value) for array in (affine.weight, affine.bias)] for head in heads
        ]
        r = next((i for i, head_ids in enumerate(ids) if head_ids != ids[0]), len(heads))
        if len(heads) % r or any(ids[i] != ids[i - i % r] for i in range(len(heads))):
            r = 1
        key_heads = heads[::r]
        maps = [head.query for head in heads], [head.key for head in key_heads], [head.value for head in key_heads]
        maps_of_all = Affine.stacked(maps[0]), Affine.stacked(maps[1]), Affine.stacked(maps[2])
        return cls(tuple(heads), maps_of_all, (len(key_heads), r))

    def output(self, texts: Texts, mask: Mask, bias: Array | None) -> Array:
        """The outputs of the heads side by side, `(…, n, sum of their dim_out)`.

        mask: a rule or an array `(…, n, m)` beside the heads' own. bias: `(n, m)` or `(…, heads or 1, n, m)`.
        """
        return self.read(*self.arguments(texts, mask, bias)[:-1])

    def read(self, queries: Array, keys: Array, values: Array, bias: Any) -> Array:
        """The outputs side by side of queries, keys and values as `mapped` gives them; see `Step`."""
        return side_by_side(self.retrieval(keys)._answer(queries, keys, values, bias).state)

    def trace(self, texts: Texts, mask: Mask, bias: Array | None) -> HeadTrace:
        """The trace of all heads together, whose arrays have the axes g and r behind those of the texts; see `output`.

        An array that all heads share may lack these two axes.
        """
        queries, keys, values, total, numbers = self.arguments(texts, mask, bias)
        step = self.retrieval(keys)._answer(queries, keys, values, total, trace=True)
        parts = step.scores, step.mask, step.weights, step.state, numbers, step.rest
        return HeadTrace(queries, keys, values, *parts)

    def apart(self, trace: HeadTrace) -> list[HeadTrace]:
        """The trace of each head, from that of all together."""
        arrays, traces = vars(trace), list[HeadTrace]()
        if trace.rest is not None:
            arrays = arrays | {"rest": trace.rest[..., None]}
        with_axes = [
            (name, array, *(length > 1 for length in array.shape[-4:-2]))
            for name, array in arrays.items()
            if array is not None and array.ndim > 3
        ]
        for i, j in product(*map(range, self.shape)):
            # an axis of length 1 is that of all heads: its number is 0
            of_head = arrays | {name: array[..., i * by_g, j * by_r, :, :] for name, array, by_g, by_r in with_axes}
            if trace.rest is not None:
                of_head["rest"] = of_head["rest"][..., 0]
            traces.append(HeadTrace(**of_head))
        return traces

    def retrieval(self, keys: Array) -> Step:
        """The step of all heads, with the sink and the α that they share or those of all, `(g, r, 1)`."""
        step, like = self.heads[0].retrieval, widened(keys[..., :1])
        parameters: dict[str, Array] = {}  # not dict[str, Array](), which PyTorch cannot trace
        for name in step.separation.variables:
            values = [getattr(head.retrieval.separation, name) for head in self.heads]
            if all(one is values[0] or (isinstance(one, float) and one == values[0]) for one in values):
                continue
            arrays = [in_numbers_of(like, np.asarray(one) if isinstance(one, float) else one) for one in values]
            parameters[name] = namespace(like).reshape(namespace(like).stack(arrays), (*self.shape, 1))
        return replace(step, separation=replace(step.separation, **parameters)) if parameters else step

    def arguments(self, texts: Texts, mask: Mask, bias: Array | None) -> tuple[Array, Array, Array, Any, Array | None]:
        """The arguments of `read`, whose bias is the sum of all masks and numbers; and the numbers alone."""
        pairs, numbers = texts.pairs, None
        if bias is not None or self.heads[0].bias is not None:
            numbers = self.bias(pairs[-2:], texts.keys[..., :1, :1] * self.maps[1].weight[:1, :1], bias)
        total = joint(*self._masks(mask, pairs, texts.keys), bias=numbers)
        seen = seen_keys(total, (*pairs[:-2], *self.shape, *pairs[-2:]), texts.keys)
        if seen is not None and seen.ndim > 1:  # by some head
            seen = namespace(seen).any(seen, axis=(-3, -2))
        return *self.mapped(texts_without_padding(texts, seen)), total, numbers

    def mapped(self, texts: Texts, first: int = 0) -> tuple[Array, Array, Array]:
        """Queries `(…, g, r, n, dim)`, keys and values `(…, g, 1, m, dim)`, from the position of the first word."""
        (query, key, value), head, (g, r), xp = self.maps, self.heads[0], self.shape, namespace(texts.queries)
        queries = head.query_norm(by_head(xp, image(query, texts.queries), g, r))
        keys = head.key_norm(by_head(xp, image(key, texts.keys), g, 1))
        values = by_head(xp, image(value, texts.values), g, 1)
        if head.position is not None:
            queries, keys = head.position(queries, first), head.position(keys, first)
        return queries, keys, values

    def bias(self, shape: tuple[int, ...], keys: Array, bias: Array | None = None) -> Array | None:
        """The sum of the heads' own bias and the bias of a call, in the numbers of the scores of these keys.

        shape: (n, m). Gives `(n, m)`, `(…, g or 1, r or 1, n, m)`, or None without both.
        """
        total = bias
        if self.heads[0].bias is not None:
            like = widened(keys[..., :1])  # a small part has the library, device and dtype of all
            total = namespace(like).stack([in_numbers_of(like, own_bias(head.bias, shape)) for head in self.heads])
            total = total if bias is None else total + bias
        if total is None or total.ndim < 3:
            return total
        axes = (1, 1) if total.shape[-3] == 1 else self.shape
        return namespace(total).reshape(total, (*total.shape[:-3], *axes, *total.shape[-2:]))

    def _masks(self, mask: Any, pairs: tuple[int, ...], text: Array) -> list[Any]:
        """The terms of the heads' own mask and of a further one; each array broadcasts to the scores of all heads."""
        parts = [*terms_of(placed(self.heads[0].mask, pairs, text)), *terms_of(placed(mask, pairs, text))]
        for i, part in enumerate(parts):
            if not isinstance(part, MaskRule):
                require_on_scores(part, pairs, "mask")
                parts[i] = part if part.ndim < 3 else part[..., None, None, :, :]
        return parts


def by_head(xp: Any, x: Array, g: int, r: int) -> Array:
    """`(…, n, g·r·dim)` as `(…, g, r, n, dim)`."""
    n, words = x.ndim, xp.reshape(x, (*x.shape[:-1], g, r, x.shape[-1] // (g * r)))
    return xp.permute_dims(words, (*range(n - 2), n - 1, n, n - 2, n + 1))


def side_by_side(x: Array) -> Array:
    """`(…, g, r, n, dim)` as `(…, n, g·r·dim)`, the inverse of `by_head`."""
    xp, n = namespace(x), x.ndim
    words = xp.permute_dims(x, (*range(n - 4), n - 2, n - 4, n - 3, n - 1))
    return xp.reshape(words, (*words.shape[:-3], math.prod(words.shape[-3:])))


def texts_of(head: Head, x: Array, source: Array = None, key: Array = None, value: Array = None) -> Texts:
    """The texts of queries, keys and values; raises `InvalidInput` for one that does not fit the head's matrices."""
    if key is not None and source is not None:
        raise InvalidInput("source: is the text of key and value, and a key is given too; leave one of them out")
    texts = {"x": x, "key": key, "source": source, "value": value}
    of_keys = next((what for what in ("key", "source") if texts[what] is not None), "x")
    roles, fit = ("x", of_keys, of_keys if value is None else "value"), head._fit(DIMS)
    for what, axes in zip(roles, TEXTS, strict=True):
        if what != "x" and (array := as_array(texts[what], what)).dtype == namespace(array).bool:
            raise InvalidInput(f"{what}: expected the vectors of a text, not booleans; a mask is given as mask=")
        texts[what] = fit(texts[what], what, axes)
    fit.require_common()
    return Texts(texts["x"], texts[of_keys], texts[roles[2]])
