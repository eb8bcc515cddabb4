"""Heads in parallel: their outputs are concatenated and mapped back to the words.

Heads that differ in their matrices only are computed together, as further axes of one batch:

    queries (…, g, r, n, dim)          keys, values (…, g, 1, m, dim)

for g heads of keys, each of which serves r heads of queries (grouped queries; r = 1 in the original transformer).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, as_float, as_text, namespace, require_broadcast, require_dim
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.in_range import in_range
from hopattn.foundation.objects import each
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.joint_mask import joint, masks_of
from hopattn.retrieval.masks import MaskRule, PositionRule, as_mask
from hopattn.retrieval.separation import separations
from hopattn.retrieval.similarity import Dot
from hopattn.retrieval.step import Retrieval
from hopattn.transformer.affine import Affine
from hopattn.transformer.attention import split_bias
from hopattn.transformer.from_torch import TorchHeads, torch_heads
from hopattn.transformer.head_bias import total_bias
from hopattn.transformer.heads import MATRICES, Head, HeadTrace, as_source
from hopattn.transformer.torch_modules import with_options
from hopattn.transformer.torch_words import knows_torch_words


@dataclass(frozen=True, eq=False)
class MultiHeadTrace:
    """The arrays that heads in parallel compute. heads: the trace of each. output: `(…, n, dim)`."""

    heads: tuple[HeadTrace, ...]
    output: Array


@dataclass(frozen=True, eq=False, init=False)
class MultiHead:
    """Heads in parallel: their outputs are concatenated and multiplied by w_out.

    heads: at least one; heads that share one object as w_key and one as w_value share keys and values. w_out: `(dim,
    sum of the heads' dim_out)`, or an `hopattn.Affine`. Raises `InvalidInput` for heads that are not a list of at least
    one Head, for heads of texts of different dims, and for a w_out that does not fit them.
    Source: Vaswani et al. (2017), 3.2.2; Ainslie et al. (2023), EMNLP, for grouped queries.
    """

    heads: tuple[Head, ...]
    out: Affine
    groups: tuple[int, int]
    """The number of heads of keys, and of the heads of queries that each of them serves; 0, 0 if the heads differ."""
    maps: tuple[Affine, ...] = field(repr=False)
    """The maps to all queries, all keys and all values; none if the heads differ."""

    def __init__(self, heads: Iterable[Head], w_out: Any) -> None:
        out = Affine.of(w_out, "w_out")
        heads = each(heads, Head, "heads")
        if not heads:
            raise InvalidInput("heads: expected at least one Head, in a list")
        require_dim(out.weight, sum(head.value.dims[0] for head in heads), "w_out", "the heads' concatenated outputs")
        object.__setattr__(self, "heads", heads)
        object.__setattr__(self, "out", out)
        object.__setattr__(self, "groups", _groups(heads))
        roles = (("query", 1), ("key", self.groups[1]), ("value", self.groups[1])) if self.groups[0] else ()
        maps = tuple(Affine.stacked([getattr(head, role) for head in heads[::shared]]) for role, shared in roles)
        object.__setattr__(self, "maps", maps)

    def __repr__(self) -> str:
        heads = f"{len(self.heads)} × {self.heads[0]!r}" if self.groups[0] else f"{len(self.heads)} heads that differ"
        return f"MultiHead({heads}, w_out {self.out.dims})"

    @classmethod
    def from_torch(cls, module: Any, n_heads: int | None = None, *, mask: Any = "none") -> "MultiHead":
        """The heads of a `torch.nn.MultiheadAttention` in its eval mode, which has no dropout.

        module: the module itself; or names and arrays of its `state_dict`, of PyTorch or NumPy. n_heads: with a state,
        which does not keep it. Nor does it keep `add_zero_attn`, which must be False, and `batch_first`: texts are
        `(…, n, dim)` here. mask: as in `Head`. In PyTorch's boolean `attn_mask` and `key_padding_mask` True forbids;
        here, as in its `scaled_dot_product_attention`, True allows.
        Raises `InvalidInput` for a module that no MultiHead can be, for missing and further names of a state, all of
        them at once, and for arrays that do not fit.

        >>> import numpy as np
        >>> state = {"in_proj_weight": np.eye(6, 2), "out_proj.weight": np.eye(2)}
        >>> MultiHead.from_torch(state, 1)(np.eye(2)).shape
        (2, 2)
        """
        state, options = with_options(module, ["MultiheadAttention"], n_heads=n_heads)
        found = torch_heads(state, **options)
        beta = float(found.dim_key) ** -0.5
        return cls([Head(*maps, beta=beta, mask=mask) for maps in found.of_each_head()], found.out)

    def to_torch(self) -> dict[str, Array]:
        """The names and arrays of a `torch.nn.MultiheadAttention` with these heads; the inverse of `from_torch`.

        Raises `InvalidInput` for heads that PyTorch's class cannot have.
        """
        if reason := self._why_not_torch():
            raise InvalidInput(f"to_torch: {reason}")
        return TorchHeads(self.maps, self.out, len(self.heads)).state()

    def _why_not_torch(self) -> str:
        """The reason why PyTorch's class cannot have these heads, or ""."""
        if not self.groups[0]:
            return "the heads are not alike"
        if self.heads[0].position is not None or any(head.bias is not None for head in self.heads):
            return "PyTorch's class has no rotary position and no bias of a head"
        step, dim_key = self.heads[0].retrieval, self.heads[0].query.dims[0]
        softmax = Retrieval(Dot(), separations["softmax"](beta=float(dim_key) ** -0.5), Identity())
        if step != softmax:
            return f"expected a softmax with beta = 1/√{dim_key} and the dot product, not {quoted(step)}"
        if self.groups[1] > 1 or len({*self.out.dims, *(one.dims[0] for one in self.maps)}) > 1:
            return "the heads' dims do not add up to the dim of the output"
        return ""

    @property
    def w_out(self) -> Array:
        """The matrix of the output, `(dim, sum of the heads' dim_out)`."""
        return self.out.weight

    @knows_torch_words
    @in_range
    def __call__(
        self, x: Any, mask: Any = None, *, key: Any = None, value: Any = None, source: Any = None, bias: Any = None
    ) -> Array:
        """The output of all heads together, `(…, n, dim)`.

        x: the text of the queries. mask: as in `Head.trace`, for all heads. source: the text of keys and values; by
        default they are those of x. key, value: the texts of the keys and of the values in place of a source, where
        they differ. bias: numbers added to β s and to the heads' own bias, `(n, m)` for all heads or `(…, heads, n,
        m)`; −inf masks an entry. Rotary positions count from 0 in each of the texts.
        """
        if key is not None and source is not None:
            raise InvalidInput("source: is the text of key and value, and a key is given too; leave one of them out")
        bias = self._given_bias(bias)
        keyed = key if key is not None else x if source is None else source
        texts = self._texts(x, keyed, keyed if value is None else value)
        leading = np.broadcast_shapes(texts[0].shape[:-2], texts[1].shape[:-2])
        for part in masks_of(as_mask(mask)):
            if not isinstance(part, MaskRule):
                require_broadcast(part, (*leading, texts[0].shape[-2], texts[1].shape[-2]), "mask", "scores")
        if self.groups[0]:
            return self.out(self._side_by_side(*texts, mask, bias))
        outputs = []
        for i, head in enumerate(self.heads):
            maps = head.mapped(*texts)
            allowed, finite = split_bias(total_bias([head.bias], _of_head(bias, i), *maps[:2]), maps[1])
            outputs.append(head.retrieval.step(*maps, joint(head.mask, mask, allowed), bias=finite))
        return self.out(namespace(outputs[0]).concat(outputs, axis=-1))

    @in_range
    def trace(self, x: Any, mask: Any = None, *, source: Any = None, bias: Any = None) -> MultiHeadTrace:
        """W_O [head₁(x); head₂(x); …], and the trace of each head; the arguments are those of `Head.trace`."""
        bias = self._given_bias(bias)
        traces = tuple(head.trace(x, mask, source=source, bias=_of_head(bias, i)) for i, head in enumerate(self.heads))
        joined = namespace(traces[0].output).concat([trace.output for trace in traces], axis=-1)
        return MultiHeadTrace(traces, self.out(joined))

    def _given_bias(self, bias: Any) -> Array | None:
        """The bias of a call as an array; raises `InvalidInput` for another number of heads."""
        given = None if bias is None else as_float(bias, "bias", like=self.out.weight)
        if given is not None and given.ndim > 2 and given.shape[-3] not in (1, len(self.heads)):
            raise InvalidInput(
                f"bias: {given.shape[-3]} heads do not fit {len(self.heads)}; expected (n, m) or (…, heads, n, m)"
            )
        return given

    def _texts(self, x: Any, key: Any, value: Any) -> tuple[Array, Array, Array]:
        """The three texts; raises `InvalidInput` for one that does not fit the matrices of the first head."""
        first = self.heads[0]
        text = as_text(x, "x", first.w_query, MATRICES)
        keyed = text if key is x else as_source(key, "key", first.w_key)
        same = value is key and first.value.dims[1] == first.key.dims[1]
        valued = keyed if same else as_source(value, "value", first.w_value)
        if valued.shape[-2] != keyed.shape[-2]:
            raise InvalidInput(f"value: {valued.shape[-2]} words do not fit the {keyed.shape[-2]} words of the key")
        return text, keyed, valued

    def projected(self, query: Array, key: Array, value: Array, first: int = 0) -> tuple[Array, Array, Array]:
        """The queries `(…, g, r, n, dim)`, the keys and the values `(…, g, 1, m, dim)` of alike heads.

        first: the position of the first word, in queries and keys.
        """
        g, r = self.groups
        texts = zip(self.maps, (query, key, value), (r, 1, 1), strict=True)
        queries, keys, values = (_split(own(text), g, shared) for own, text, shared in texts)
        position = self.heads[0].position
        return (
            (queries, keys, values) if position is None else (position(queries, first), position(keys, first), values)
        )

    def attended(self, queries: Array, keys: Array, values: Array) -> Array:
        """The output `(…, n, dim)` of alike heads for what `projected` gives, under the heads' own mask and bias.

        The queries are the last words among the keys.
        """
        head = self.heads[0]
        mask = head.mask
        if queries.shape[-2] == 1 and isinstance(mask, PositionRule) and mask(1, keys.shape[-2]).all():
            mask = None  # under a causal mask, the last word sees every key
        allowed, finite = self._bias(None, queries, keys)
        return self.out(_merged(head.retrieval.step(queries, keys, values, joint(mask, allowed), bias=finite)))

    def _side_by_side(self, query: Array, key: Array, value: Array, mask: Any, bias: Any) -> Array:
        """The concatenated outputs of alike heads, `(…, n, sum of their dim_out)`, from one batched step."""
        queries, keys, values = self.projected(query, key, value)
        allowed, finite = self._bias(bias, queries, keys)
        head = self.heads[0]
        rules = joint(*(_for_heads(part) for part in masks_of(joint(head.mask, mask))), allowed)
        output = head.retrieval.step(queries, keys, values, rules, bias=finite)
        return _merged(output)

    def _bias(self, given: Any, queries: Array, keys: Array) -> tuple[Array | None, Array | None]:
        """The bias of alike heads and of the call as a mask and as finite numbers, `(n, m)` or `(…, g, r, n, m)`."""
        allowed, finite = split_bias(total_bias([head.bias for head in self.heads], given, queries, keys), keys)
        if finite is None or finite.ndim < 3:
            return allowed, finite
        return _regrouped(allowed, *self.groups), _regrouped(finite, *self.groups)


def _groups(heads: tuple[Head, ...]) -> tuple[int, int]:
    """The numbers g and r of alike heads, see `MultiHead.groups`; 0, 0 for heads that must be computed one by one."""
    first = heads[0]
    for head in heads[1:]:
        alike = [getattr(head, role).dims == getattr(first, role).dims for role in ("query", "key", "value")]
        same_mask = head.mask is first.mask or (isinstance(head.mask, MaskRule) and head.mask == first.mask)
        same = same_mask and _alike(head.retrieval, first.retrieval) and head.position == first.position
        if not (all(alike) and same):
            return 0, 0
    if not first.retrieval.similarity.by_pairs:
        return 0, 0
    shared = [head.key is first.key and head.value is first.value for head in heads]
    r = shared.index(False) if False in shared else len(heads)
    keys = [(id(head.key), id(head.value)) for head in heads]
    regular = len(heads) % r == 0 and all(keys[i] == keys[i - i % r] for i in range(len(keys)))
    return (len(heads) // r, r) if regular else (len(heads), 1)


def _alike(step: Retrieval, other: Retrieval) -> bool:
    """Whether two steps are the same; with a β that is an array to be learned, only one and the same β is."""
    betas = step.separation.beta, other.separation.beta
    if all(isinstance(beta, float) for beta in betas):
        return step == other
    return betas[0] is betas[1] and replace(step, separation=replace(step.separation, beta=1.0)) == replace(
        other, separation=replace(other.separation, beta=1.0)
    )


def _split(x: Array, g: int, r: int) -> Array:
    """`(…, n, g·r·dim)` as `(…, g, r, n, dim)`."""
    xp, n = namespace(x), x.ndim
    apart = xp.reshape(x, (*x.shape[:-1], g, r, x.shape[-1] // (g * r)))
    return xp.permute_dims(apart, (*range(n - 2), n - 1, n, n - 2, n + 1))


def _merged(x: Array) -> Array:
    """`(…, g, r, n, dim)` as `(…, n, g·r·dim)`, the inverse of `_split`."""
    xp, n = namespace(x), x.ndim
    behind = xp.permute_dims(x, (*range(n - 4), n - 2, n - 4, n - 3, n - 1))
    return xp.reshape(behind, (*behind.shape[:-3], -1))


def _for_heads(mask: Any) -> Any:
    """A mask of texts, `(…, n, m)`, with two axes for the heads; a rule as it is."""
    return mask if isinstance(mask, MaskRule) or mask.ndim < 3 else mask[..., None, None, :, :]


def _regrouped(bias: Array, g: int, r: int) -> Array:
    """An array `(…, heads, n, m)` as `(…, g, r, n, m)`, or one head for all as `(…, 1, 1, n, m)`."""
    shape = (1, 1) if bias.shape[-3] == 1 else (g, r)
    return namespace(bias).reshape(bias, (*bias.shape[:-3], *shape, *bias.shape[-2:]))


def _of_head(bias: Any, i: int) -> Any:
    """The bias of one head."""
    return bias if bias is None or bias.ndim < 3 else bias[..., min(i, bias.shape[-3] - 1), :, :]
