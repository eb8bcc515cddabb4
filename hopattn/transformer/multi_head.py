"""Heads in parallel: each attends for itself, and one matrix joins their outputs.

output = W_O [o₁; o₂; …]
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, product
from typing import Any

from hopattn.foundation.argument_names import OtherWords, PublicObject
from hopattn.foundation.arrays import Array, Mask, NumberOrArray, as_float, namespace, require_fitting, shaped
from hopattn.foundation.boundary import finite, public
from hopattn.foundation.checks import each, whole
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.shapes import broadcasts
from hopattn.foundation.traces import is_jax, is_torch
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.masks import MaskRule, as_bias, as_mask, joint, placed, require_on_scores, seen_keys, terms_of
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.step import Step
from hopattn.transformer.feed_forward import Affine
from hopattn.transformer.from_torch import heads_from, heads_state, with_options
from hopattn.transformer.heads import Group, Head, HeadTrace, side_by_side, texts_of
from hopattn.transformer.scaled_dot_product import Texts, sinks_of_heads


@dataclass(frozen=True, eq=False)
class MultiHeadTrace:
    """The arrays of heads in parallel. heads: the trace of each. output: `(…, n, dim)`."""

    heads: tuple[HeadTrace, ...]
    output: Array


@dataclass(frozen=True, eq=False, init=False)
class MultiHead(PublicObject, metaclass=OtherWords):
    """Heads in parallel: their outputs are concatenated and multiplied by w_out.

    Parameters
    ----------
    heads
        at least one. Neighbouring heads share keys and values if they have the same array or `Affine` as w_key, and the
        same as w_value.
    w_out : (dim, sum of the heads' dim_out)
        or an `hopattn.transformer.Affine`.
    sink : for heads without one, that of all, or an array `(n_heads,)`, which keeps its derivative.

    Raises
    ------
    InvalidInput : for other heads, for heads of texts of different dims, and for a w_out or sinks that do not fit.

    Notes
    -----
    Source: Vaswani et al. (2017), 3.2.2; Ainslie et al. (2023), EMNLP, grouped queries; Agarwal et al. (2025),
    arXiv:2508.10925, sinks.
    """

    heads: tuple[Head, ...]
    w_out: Array
    out: Affine
    groups: tuple[Group, ...]
    """The heads again, those together that are alike."""

    def __init__(self, heads: Iterable[Head], w_out: Array, *, sink: NumberOrArray = None) -> None:
        out, heads = Affine.of(w_out, "w_out"), each(heads, Head, "heads")
        if not heads:
            raise InvalidInput("heads: expected at least one Head, in a list")
        for (i, head), role in product(enumerate(heads), ("w_query", "w_key", "w_value")):
            matrix, first = getattr(head, role), getattr(heads[0], role)
            what, other = f"heads: entry {i}: {role}", f"{role} of the first head"
            require_fitting(matrix, first, what, other)
            shaped(matrix, what, "out dim", dim=(first.shape[1], other))
        dim = sum(head.value.dims[0] for head in heads)
        shaped(out.weight, "w_out", "dim_out dim", dim=(dim, "the heads' concatenated outputs"))
        if sink is not None:
            sinks = sinks_of_heads(sink, len(heads), heads[0].w_key)
            heads = tuple(head.with_sink(sink if sinks is None else sinks[i]) for i, head in enumerate(heads))
        groups = tuple(Group.of(tuple(alike)) for _, alike in groupby(heads, _kind))
        for name, part in (("heads", heads), ("w_out", out.weight), ("out", out), ("groups", groups)):
            object.__setattr__(self, name, part)

    def __repr__(self) -> str:
        n, first = len(self.heads), self.heads[0]
        heads = f"{n} × {first!r}" if len(self.groups) == 1 else f"{n} heads that differ"
        return f"MultiHead({heads}, w_out {self.out.dims})"

    @public
    def __call__(
        self,
        x: Array,
        mask: Mask = None,
        *,
        key: Array = None,
        value: Array = None,
        source: Array = None,
        bias: Array = None,
    ) -> Array:
        """The output of all heads together, `(…, n, dim)`.

        Parameters
        ----------
        x : the text of the queries.
        mask : as in `Head.trace`, `(…, n, m)` for all heads: its axes before n are those of the texts.
        source : the text of keys and values; by default they are those of x.
        key, value : the texts of the keys and of the values instead of a source, where they differ.
        bias
            numbers added to β s and to the heads' own bias, `(n, m)` for all heads or `(…, heads, n, m)`; −inf masks an
            entry. So masks that differ from head to head, `(…, heads, n, m)`, are given as `bias=np.where(mask, 0.0,
            -np.inf)`.

        Raises
        ------
        InvalidInput : for a mask and a bias that do not fit.

        Notes
        -----
        Rotary positions count from 0 in each of the texts.
        """
        return self.out(self.outputs(x, mask, key=key, value=value, source=source, bias=bias))

    def outputs(
        self,
        x: Array,
        mask: Mask = None,
        *,
        key: Array = None,
        value: Array = None,
        source: Array = None,
        bias: Array = None,
    ) -> Array:
        """[o₁; o₂; …] before W_O, `(…, n, sum of the heads' dim_out)`; the arguments are those of a call."""
        groups = self._limited(x, mask, key=key, value=value, source=source, bias=bias)
        return _side_by_side([group.output(*limits) for group, *limits in groups])

    @public(may_be=finite)
    def trace(
        self,
        x: Array,
        mask: Mask = None,
        *,
        key: Array = None,
        value: Array = None,
        source: Array = None,
        bias: Array = None,
    ) -> MultiHeadTrace:
        """The output of all heads together, and the trace of each head; the arguments are those of a call."""
        traces = group_traces(self, x, mask, key=key, value=value, source=source, bias=bias)
        heads = [trace for group, together in zip(self.groups, traces, strict=True) for trace in group.apart(together)]
        return MultiHeadTrace(tuple(heads), self.joined([side_by_side(trace.output) for trace in traces]))

    def without(self, token: Array, at: int | None = None) -> "MultiHead":
        """The same heads, whose queries do not see some keys of a text; the arguments are those of `Head.without`."""
        return MultiHead([head.without(token, at) for head in self.heads], self.out)

    def joined(self, outputs: Sequence[Array]) -> Array:
        """W_O [o₁; o₂; …] for the outputs of heads, or of groups of them."""
        return self.out(_side_by_side(outputs))

    def _limited(
        self, x: Any, mask: Any, *, key: Any = None, value: Any = None, source: Any = None, bias: Any = None
    ) -> list[tuple[Group, Texts, Any, Array | None]]:
        """Each group with the texts and the mask of a call, and its part of the bias."""
        texts = texts_of(self.heads[0], x, source, key, value)
        rule, n_heads, pairs = as_mask(mask), len(self.heads), texts.pairs
        scores = (*pairs[:-2], n_heads, *pairs[-2:])
        for part in terms_of(rule):
            if not isinstance(part, MaskRule):
                _require_for_all_heads(part, scores)
        if bias is None:
            return [(group, texts, rule, None) for group in self.groups]
        numbers = as_bias(bias, self.w_out, "w_out")
        require_on_scores(numbers, scores, "bias", "scores (…, heads, n, m)")
        if numbers.ndim < 3 or numbers.shape[-3] == 1:
            return [(group, texts, rule, numbers) for group in self.groups]
        ends = accumulate(len(group.heads) for group in self.groups)
        return [
            (group, texts, rule, numbers[..., end - len(group.heads) : end, :, :])
            for group, end in zip(self.groups, ends, strict=True)
        ]

    @classmethod
    def from_torch(
        cls, module: Any, n_heads: int | None = None, *, mask: Mask = None, sink: NumberOrArray = None
    ) -> "MultiHead":
        """The heads of a `torch.nn.MultiheadAttention` in its eval mode, which has no dropout.

        Parameters
        ----------
        module : the module itself; or names and arrays of its `state_dict`, of PyTorch or NumPy.
        n_heads : with a state, which does not keep it.
        sink : with a state, as in `MultiHead`; that of a module with add_zero_attn=True is 0.
        mask : as in `Head`.

        Raises
        ------
        InvalidInput
            for a module that has no such form here, for missing and further names of a state, all at once, and for
            arrays that do not fit.

        Notes
        -----
        In PyTorch's boolean `attn_mask` and `key_padding_mask` True forbids; here, as in its
        `scaled_dot_product_attention`, True allows.

        Examples
        --------
        >>> import numpy as np
        >>> state = {"in_proj_weight": np.eye(6, 2), "out_proj.weight": np.eye(2)}
        >>> MultiHead.from_torch(state, 1)(np.eye(2)).shape
        (2, 2)
        """
        state, options = with_options(module, ["MultiheadAttention"], n_heads=n_heads, sink=sink)
        n = whole(options["n_heads"], "n_heads", least=1)
        maps, out = heads_from(state)
        if (dim := out.dims[0]) % n:
            raise InvalidInput(f"n_heads: {n} heads do not divide the dim {dim}")
        return of_maps(maps, out, (n, n), sink=options["sink"], beta=float(dim // n) ** -0.5, mask=mask)

    def to_torch(self) -> dict[str, Array]:
        """The names and arrays of a `torch.nn.MultiheadAttention` with these heads; the inverse of `from_torch`.

        Heads that share keys get a copy each. Those with a sink of 0 are of a module with add_zero_attn=True, which the
        names do not tell. Raises `InvalidInput` for heads that PyTorch's class cannot have.
        """
        step, dim_key = self.heads[0].retrieval, self.heads[0].query.dims[0]
        maps = [Affine.stacked([getattr(head, role) for head in self.heads]) for role in ("query", "key", "value")]
        sinks = [head.retrieval.separation.sink for head in self.heads]
        of_torch = Step("dot", Softmax(beta=float(dim_key) ** -0.5, sink=sinks[0]))
        parts = [part for head in self.heads for part in (head.position, head.bias, head.query_norm, head.key_norm)]
        has_parts = any(part not in (None, Identity()) for part in parts)
        dims = {*self.out.dims, *(affine.dims[0] for affine in maps)}
        for reason, holds in (
            ("the heads are not alike", len(self.groups) > 1),
            ("PyTorch's class has no rotary position and no bias of a head, and no norms", has_parts),
            ("PyTorch's class has no sink but 0, for all heads", any(sink not in (None, 0.0) for sink in sinks)),
            (f"expected a softmax with beta = 1/√{dim_key} and the dot product, not {quoted(step)}", step != of_torch),
            ("the heads' dims do not add up to that of the output", len(dims) > 1),
        ):
            if holds:
                raise InvalidInput(f"to_torch: {reason}")
        return heads_state(maps, self.out)


def of_maps(
    maps: Iterable[Affine], out: Affine, n_heads: tuple[int, int], *, sink: NumberOrArray = None, **options: Any
) -> MultiHead:
    """Heads of one dim, whose W_Q, W_K and W_V are the rows of three maps, one head below the other.

    n_heads: of queries, and of keys and values. options: those of all heads.
    """
    counts = n_heads[0], n_heads[1], n_heads[1]
    query, key, value = (affine.split([affine.dims[0] // n] * n) for affine, n in zip(maps, counts, strict=True))
    shared = n_heads[0] // n_heads[1]
    heads = [Head(w_query, key[i // shared], value[i // shared], **options) for i, w_query in enumerate(query)]
    return MultiHead(heads, out, sink=sink)


def group_traces(heads: MultiHead, x: Array, mask: Mask = None, **options: Any) -> list[HeadTrace]:
    """The trace of each of the `groups`, all its heads together; the arguments are those of a call."""
    return [group.trace(*limits) for group, *limits in heads._limited(x, mask, **options)]


def _require_for_all_heads(mask: Array, scores: tuple[int, ...]) -> None:
    """Raise `InvalidInput` unless a mask broadcasts to the scores of one head, `(…, n, m)`.

    scores: the shape of those of all heads, `(…, heads, n, m)`. For a mask of each head, also one of PyTorch's shape
    `(batch · heads, n, m)`, the message gives the bias that does the same.
    """
    *leading, n_heads, n, m = scores
    shape, library = tuple(mask.shape), "torch" if is_torch(mask) else "jnp" if is_jax(mask) else "np"
    head_shape = scores if shape == (math.prod(leading) * n_heads, n, m) else shape
    of_heads = len(head_shape) > 2 and head_shape[-3] == n_heads > 1 and broadcasts(head_shape, scores)
    if of_heads and not broadcasts(shape, (*leading, n, m)):
        numbers = (
            f"{library}.where({'mask' if head_shape == shape else f'mask.reshape{head_shape}'}, 0.0, -{library}.inf)"
        )
        raise InvalidInput(
            f"mask: shape {shape} is one mask for each of {n_heads} heads; expected {(*leading, n, m)}, for all heads. "
            f"Give masks of heads as bias={numbers}, or each as mask= to its own hopattn.Head"
        )
    require_on_scores(mask, (*leading, n, m), "mask")


def seen_words(heads: MultiHead, text: Array, mask: Mask, bias: Array) -> Array | None:
    """Which words of a text the mask and the bias of a call let some query of some head see, `(…, n)`.

    None where they hide none from all.
    """
    _, texts, rule, _ = heads._limited(text, mask, bias=bias)[0]
    if bias is not None:
        allowed = as_float(bias, "bias", like=heads.w_out) > -math.inf
        rule = joint(rule, allowed if allowed.ndim < 3 else namespace(text).any(allowed, axis=-3))
    return seen_keys(placed(rule, texts.pairs, text), texts.pairs, text)


def _side_by_side(outputs: Sequence[Array]) -> Array:
    return outputs[0] if len(outputs) == 1 else namespace(outputs[0]).concat(outputs, axis=-1)


def _kind(head: Head) -> tuple[Any, ...]:
    """All but the matrices, biases, sink and learned α of a head: heads in which this is equal are computed together.

    A mask that is an array, and a learned β, must be one and the same; all heads have a sink, or none has; so with a
    bias. A similarity that goes by the places of a text is computed for each head by itself.
    """
    step, mask, beta = head.retrieval, head.mask, head.retrieval.separation.beta
    dims = [affine.dims for affine in (head.query, head.key, head.value)]
    identities = mask if isinstance(mask, MaskRule) else id(mask), beta if isinstance(beta, float) else id(beta)
    mark = None if step.similarity.by_pairs else object()
    variables = {name: getattr(step.separation, name) for name in step.separation.variables}
    parameters: dict[str, Any] = {
        name: 2.0 for name, value in variables.items() if name == "beta" or not isinstance(value, float | None)
    }
    if step.separation.sink is not None:
        parameters["sink"] = 2.0
    placement = head.query_norm, head.key_norm, head.position, head.bias is None
    return dims, placement, step.similarity, step.activation, replace(step.separation, **parameters), identities, mark
