"""The layer of a transformer: attention, a feed-forward layer, and a residual and a normalisation for each.

    norm first:  x ← x + f(norm(x))          norm last:  x ← norm(x + f(x))          both:  x ← x + norm′(f(norm(x)))

for f the attention, the cross-attention of a decoder, and the feed-forward layer, one after the other. "Result patterns
are then added to the word patterns and fed into another layer to repeat the process" (LING3804 Lecture Notes 7, 7.2).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any

from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import Array, Mask, as_float
from hopattn.foundation.boundary import finite, public
from hopattn.foundation.checks import each, flag, instance
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.masks import without_padding
from hopattn.transformer.feed_forward import FeedForward
from hopattn.transformer.from_torch import (
    affine_from,
    affine_state,
    require_names,
    with_all_biases,
    with_options,
    with_prefix,
)
from hopattn.transformer.heads import HeadTrace
from hopattn.transformer.multi_head import MultiHead, MultiHeadTrace, seen_words
from hopattn.transformer.normalisation import LayerNorm

ATTENTION, CROSS = "self_attn", "multihead_attn"
"""PyTorch's names of the attention and of the cross-attention."""


@dataclass(frozen=True, eq=False)
class BlockTrace:
    """The arrays of a block: its input, and the state after each of its sub-layers.

    read: the words that each sub-layer reads, normalised where the norm comes first. outputs: its output before the
    residual. summed: the same after it, before a norm that comes last. attention, cross: the trace of the heads over
    the text, and of those over the source. hidden: f(W₁ x + b₁) of the feed-forward layer, `(…, n, hidden)`. The last
    three are None without such a part, and where they were not traced.
    """

    input: Array
    states: tuple[Array, ...]
    read: tuple[Array, ...]
    outputs: tuple[Array, ...]
    summed: tuple[Array, ...]
    attention: MultiHeadTrace | None = None
    cross: MultiHeadTrace | None = None
    hidden: Array | None = None

    @property
    def state(self) -> Array:
        """The output of the block, `(…, n, dim)`."""
        return self.states[-1]

    @property
    def output(self) -> Array:
        """The output of the heads of the attention together, `(…, n, dim)`."""
        return self.outputs[0]

    @property
    def heads(self) -> tuple[HeadTrace, ...]:
        """The trace of each head of the attention; none where they were not traced."""
        return () if self.attention is None else self.attention.heads


@dataclass(frozen=True, eq=False)
class Block(PublicObject):
    """One layer of a transformer.

    Parameters
    ----------
    attention : the heads over the text itself.
    feed_forward : the layer for each word, or None.
    norms : a normalisation for each sub-layer in their order, attention, cross-attention, feed-forward; or none at all.
    norm_first : whether it comes before its sub-layer or after its residual.
    cross : the heads over another text (a decoder).
    residual : whether the input of each sub-layer is added to its output.
    norms_after : further ones, of the output of each sub-layer before it is added.
    parallel : every sub-layer reads the input of the block, and their outputs are added up.

    Raises
    ------
    InvalidInput
        for parts of another type or dim, for another number of norms, and for norms_after or parallel unless the norm
        comes first and there is a residual.

    Notes
    -----
    Source: Vaswani et al. (2017), 3.1; Xiong et al. (2020), ICML, for the norm that comes first; Wang & Komatsuzaki
    (2021), GPT-J-6B, for parallel sub-layers; Gemma Team (2024), arXiv:2408.00118, section 2, for four norms.
    """

    attention: MultiHead
    feed_forward: FeedForward | None = None
    _: KW_ONLY
    norms: Sequence[Callable[[Any], Array]] = ()
    norm_first: bool = False
    cross: MultiHead | None = None
    residual: bool = True
    norms_after: Sequence[Callable[[Array], Array]] = ()
    parallel: bool = False

    def __post_init__(self) -> None:
        for what in ("norm_first", "residual", "parallel"):
            flag(getattr(self, what), what)
        parts: dict[str, Any] = {"attention": instance(self.attention, MultiHead, "attention")}
        for what, kind in (("cross", MultiHead), ("feed_forward", FeedForward)):
            if (part := getattr(self, what)) is not None:
                parts[what] = instance(part, kind, what)
        width = self.attention.heads[0].query.dims[1]
        for what, part in parts.items():
            first, last = (part.heads[0].query, part.out) if what != "feed_forward" else (part.inner, part.outer)
            for does, dim in (("reads", first.dims[1]), ("gives", last.dims[0] if self.residual else width)):
                if dim != width:
                    raise InvalidInput(f"{what}: {does} words of dim {dim}; expected those of the text, of dim {width}")
            width = last.dims[0]
        for what in ("norms", "norms_after"):
            norms: tuple[Any, ...] = each(getattr(self, what), Callable, what, "a normalisation")  # type: ignore[arg-type]
            if len(norms) not in (0, len(parts)):
                raise InvalidInput(f"{what}: expected {len(parts)}, one for each sub-layer, not {len(norms)}")
            object.__setattr__(self, what, norms or (Identity(),) * len(parts))
        if self.special in ("parallel", "norms_after") and not (self.norm_first and self.residual):
            raise InvalidInput(f"{self.special}: expected norm_first = True and residual = True with it")

    @property
    def special(self) -> str:
        """The first option that PyTorch's layer does not have, or ""."""
        if self.parallel:
            return "parallel"
        if any(not isinstance(norm, Identity) for norm in self.norms_after):
            return "norms_after"
        return "gate" if self.feed_forward is not None and self.feed_forward.gate is not None else ""

    @public
    def __call__(
        self, x: Array, mask: Mask = None, *, source: Array = None, source_mask: Mask = None, bias: Array = None
    ) -> Array:
        """The words after the layer, `(…, n, dim)`; see `trace` for the arguments."""
        return self.computed_with(MultiHead.__call__, x, mask, source=source, source_mask=source_mask, bias=bias).state

    @public(may_be=finite)
    def trace(
        self, x: Array, mask: Mask = None, *, source: Array = None, source_mask: Mask = None, bias: Array = None
    ) -> BlockTrace:
        """The states of a text x `(…, n, dim)` after each sub-layer, and every array of its heads.

        Parameters
        ----------
        mask, bias : for the attention over x, see `MultiHead`.
        source : (…, m, dim)
            from which the cross-attention reads keys and values, or the attention if there is none.
        source_mask : the mask of the cross-attention.

        Raises
        ------
        InvalidInput : where a cross-attention has no source, and for a source_mask without one.
        """
        traces, hidden = list[MultiHeadTrace](), list[Array]()

        def attend(heads: MultiHead, words: Array, mask: Any, **options: Any) -> Array:
            traces.append(heads.trace(words, mask, **options))
            return traces[-1].output

        def feed(layer: FeedForward, words: Array) -> Array:
            hidden.append(layer.hidden(words))
            return layer.outer(hidden[-1])

        trace = self.computed_with(attend, x, mask, source=source, source_mask=source_mask, bias=bias, feed=feed)
        (attention, cross), neurons = (*traces, None)[:2], (*hidden, None)[0]
        return replace(trace, attention=attention, cross=cross, hidden=neurons)

    def computed_with(
        self,
        attend: Callable[..., Array],
        x: Array,
        mask: Mask = None,
        *,
        source: Array = None,
        source_mask: Mask = None,
        bias: Array = None,
        feed: Callable[[FeedForward, Array], Array] | None = None,
    ) -> BlockTrace:
        """The states after each sub-layer, where `attend` computes the output of heads, and `feed` that of neurons.

        Parameters
        ----------
        attend : called with the heads, their words, their mask, source= and bias=, as `MultiHead.__call__` is.
        feed : called with the feed-forward layer and its words; by default, the layer itself.
        """
        cross = self.cross
        if cross is not None and source is None:
            raise InvalidInput("source: is missing, but the block has a cross-attention")
        if cross is None and source_mask is not None:
            raise InvalidInput("source_mask: is given, but the block lacks a cross-attention")
        context = source if cross is None else None
        layers: list[Callable[[Array], Array]] = [
            lambda text: attend(self.attention, text, mask, source=context, bias=bias)
        ]
        if cross is not None:
            layers.append(lambda text: attend(cross, text, source_mask, source=source, bias=None))
        if self.feed_forward is not None:
            layers.append(partial(feed or FeedForward.__call__, self.feed_forward))
        words = as_float(x, "x", like=self.attention.w_out)
        limited = context is None and words.ndim > 1 and not (mask is None and bias is None)
        if limited and (seen := seen_words(self.attention, words, mask, bias)) is not None:
            words = without_padding(words, seen)
        states, inputs, outputs, sums = list[Array](), list[Array](), list[Array](), list[Array]()
        for layer, norm, norm_after in zip(layers, self.norms, self.norms_after, strict=True):
            state = states[-1] if states else words
            text = words if self.parallel else state
            inputs.append(norm(text) if self.norm_first else text)
            outputs.append(layer(inputs[-1]))
            sums.append(state + norm_after(outputs[-1]) if self.residual else outputs[-1])
            states.append(sums[-1] if self.norm_first else norm(sums[-1]))
        return BlockTrace(words, tuple(states), tuple(inputs), tuple(outputs), tuple(sums))

    @classmethod
    def from_torch(
        cls,
        module: Any,
        *,
        n_heads: int | None = None,
        norm_first: bool | None = None,
        activation: str | None = None,
        mask: Mask = None,
        epsilon: float | None = None,
    ) -> "Block":
        """The layer of a `torch.nn.TransformerEncoderLayer`, or of a `TransformerDecoderLayer`, in its eval mode.

        Parameters
        ----------
        module
            the module itself; or names and arrays of its `state_dict`; those of a decoder have a cross-attention.
            n_heads, norm_first (False), activation ("relu"; "gelu"), epsilon (1e-5): with a state, which does not keep
            them.
        mask : as in `Head`, for the attention over the text itself.

        Notes
        -----
        Raises as `MultiHead.from_torch` does.
        """
        arguments = {"n_heads": n_heads, "norm_first": norm_first, "activation": activation, "epsilon": epsilon}
        state, options = with_options(module, ["TransformerEncoderLayer", "TransformerDecoderLayer"], **arguments)
        has_cross = any(name.startswith(f"{CROSS}.") for name in state)
        parts, norms = [ATTENTION, CROSS][: 1 + has_cross], [f"norm{i}" for i in range(1, 3 + has_cross)]
        maps = [*(f"{part}.out_proj" for part in parts), "linear1", "linear2", *norms]
        weight_names = [f"{part}.in_proj_weight" for part in parts] + [f"{name}.weight" for name in maps]
        require_names(state, weight_names, [name.removesuffix("weight") + "bias" for name in weight_names])
        rules = {ATTENTION: mask, CROSS: None}
        heads = [MultiHead.from_torch(with_prefix(state, p), options["n_heads"], mask=rules[p]) for p in parts]
        layer = FeedForward(affine_from(state, "linear1"), affine_from(state, "linear2"), options["activation"])
        layer_norms = [LayerNorm.from_torch(state, name, options["epsilon"]) for name in norms]
        return Block(
            heads[0], layer, norms=layer_norms, norm_first=options["norm_first"], cross=heads[1] if has_cross else None
        )

    def to_torch(self) -> dict[str, Array]:
        """The names and arrays of PyTorch's layer; the inverse of `from_torch`.

        Raises `InvalidInput` for parts that PyTorch's layer cannot have, and without residuals or a feed-forward layer.
        """
        if self.special:
            raise InvalidInput(f"to_torch: {self.special}: PyTorch's layer has no such option")
        if not self.residual:
            raise InvalidInput("to_torch: residual is False; PyTorch's layer always adds the input of a sub-layer")
        if self.feed_forward is None:
            raise InvalidInput("to_torch: feed_forward is None; PyTorch's layer always has one")
        state = {f"{ATTENTION}.{name}": array for name, array in self.attention.to_torch().items()}
        if self.cross is not None:
            state |= {f"{CROSS}.{name}": array for name, array in self.cross.to_torch().items()}
        state |= affine_state("linear1", self.feed_forward.inner) | affine_state("linear2", self.feed_forward.outer)
        for i, norm in enumerate(self.norms, start=1):
            state |= norm_state(f"norm{i}", norm, f"norm {i}")
        return with_all_biases(state)


class AttentionLayer(Block):
    """A block of attention alone: its output is added to the words; with residual=False it replaces them."""

    def __init__(self, attention: MultiHead, *, residual: bool = True) -> None:
        super().__init__(attention, residual=residual)


def norm_state(name: str, norm: Any, what: str) -> dict[str, Array]:
    """The names and arrays of a `torch.nn.LayerNorm`; raises `InvalidInput` for a norm that PyTorch's layer lacks."""
    if not isinstance(norm, LayerNorm) or norm.gain is None:
        raise InvalidInput(f"to_torch: {what}: expected a LayerNorm with a gain, not {quoted(norm)}")
    return norm.to_torch(name)


@dataclass(frozen=True, eq=False)
class Stack:
    """A model: its words become vectors, which pass one block after the other, and are read out.

        x₀ = embed(words)          x_i = block_i(x_{i−1})          answer = unembed(x_n)

    embed: from words to their vectors, `(…, n, dim)`. unembed: from the vectors after the last block to the answer.
    """

    embed: Callable[[Any], Array]
    blocks: Iterable[Block]
    unembed: Callable[[Array], Array]

    def __call__(self, words: Array, mask: Mask = None, **texts: Any) -> Array:
        """The answer; the arguments behind the words are those of every block."""
        state = self.embed(words)
        for block in self.blocks:
            state = block(state, mask, **texts)
        return self.unembed(state)

    def states(self, words: Array, mask: Mask = None, **texts: Any) -> Iterator[tuple[Block, Array, Array]]:
        """Each block with the vectors before and after it."""
        after = self.embed(words)
        for block in self.blocks:
            before, after = after, block(after, mask, **texts)
            yield block, before, after

    def trace(self, words: Array, mask: Mask = None, **texts: Any) -> list[BlockTrace]:
        """The trace of each block; the arguments are those of a call."""
        traces, state = list[BlockTrace](), self.embed(words)
        for block in self.blocks:
            traces.append(block.trace(state, mask, **texts))
            state = traces[-1].state
        return traces


@public(may_be=finite)
def stack(layers: Iterable[Block], x: Array, mask: Mask = None, *, source: Array = None) -> list[BlockTrace]:
    """The trace of each layer for a text x `(…, n, dim)`; the output of each layer is the input of the next.

    Parameters
    ----------
    mask : as in `Head.trace`, for all layers.
    source : (…, m, dim)
        as in `Block.trace`, for all layers.

    Raises
    ------
    InvalidInput : for layers that are not a list of blocks, and as they do.
    """
    return Stack(Identity(), each(layers, Block, "layers"), Identity()).trace(x, mask, source=source)
