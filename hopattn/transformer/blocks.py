"""The layer of a transformer: attention, a feed-forward layer, and a residual and a normalisation for each.

    norm first:  x ← x + f(norm(x))          norm last:  x ← norm(x + f(x))

for f the attention, the cross-attention of a decoder, and the feed-forward layer, one after the other.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hopattn.foundation.arrays import Array, as_float, require_dim
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.in_range import in_range
from hopattn.foundation.objects import each, flag
from hopattn.transformer.feed_forward import FeedForward
from hopattn.transformer.from_torch import affine_from, affine_state, require_names, with_all_biases, with_prefix
from hopattn.transformer.multi_head import MultiHead, MultiHeadTrace
from hopattn.transformer.normalisation import Normalisation
from hopattn.transformer.torch_modules import with_options
from hopattn.transformer.torch_words import knows_torch_words

ATTENTION, CROSS = "self_attn", "multihead_attn"
"""PyTorch's names of the attention and of the cross-attention."""


@dataclass(frozen=True, eq=False)
class BlockTrace:
    """The arrays of a block: its input, the state after each of its sub-layers, and its output `state`.

    read: the words that each sub-layer reads, normalised where the norm comes first. given: the output of each
    sub-layer, before its residual. summed: the same after its residual, before a norm that comes last. attention,
    cross: the trace of the heads over the text, and of those over the source; None where they were not traced.
    """

    input: Array
    states: tuple[Array, ...]
    read: tuple[Array, ...]
    given: tuple[Array, ...]
    summed: tuple[Array, ...]
    attention: MultiHeadTrace | None = None
    cross: MultiHeadTrace | None = None

    @property
    def state(self) -> Array:
        """The output of the block, `(…, n, dim)`."""
        return self.states[-1]


@dataclass(frozen=True, eq=False)
class Block:
    """One layer of a transformer.

    attention: the heads over the text itself. feed_forward: the layer for each word. norms: a normalisation for each
    sub-layer in their order: attention, cross-attention if there is one, feed-forward. norm_first: whether a
    normalisation stands before its sub-layer or after its residual. cross: the heads over another text (a decoder).
    residual: whether the input of each sub-layer is added to its output (as in every transformer).
    Raises `InvalidInput` for parts of another type or dim, and for another number of norms.
    Source: Vaswani et al. (2017), 3.1; Xiong et al. (2020), ICML, for the norm that comes first.
    """

    attention: MultiHead
    feed_forward: FeedForward
    norms: Sequence[Callable[[Any], Array]]
    norm_first: bool = False
    cross: MultiHead | None = None
    residual: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "norms", each(self.norms, Callable, "norms", "a normalisation"))  # type: ignore[arg-type]
        flag(self.norm_first, "norm_first")
        flag(self.residual, "residual")
        for part, what, kind in (
            (self.attention, "attention", MultiHead),
            (self.cross, "cross", MultiHead),
            (self.feed_forward, "feed_forward", FeedForward),
        ):
            if not isinstance(part, kind) and not (what == "cross" and part is None):
                raise InvalidInput(f"{what}: expected a {kind.__name__}, not {type(part).__name__}")
        number = 2 if self.cross is None else 3
        if len(self.norms) != number:
            raise InvalidInput(f"norms: expected {number}, one for each sub-layer, not {len(self.norms)}")
        dim = self.attention.heads[0].query.dims[1]
        crossed = [] if self.cross is None else [(self.cross.out, "cross")]
        for own, what in ((self.attention.out, "attention"), *crossed, (self.feed_forward.outer, "feed_forward")):
            require_dim(own.weight.mT, dim, what, "the words that the output is added to")

    @classmethod
    def from_torch(
        cls,
        module: Any,
        n_heads: int | None = None,
        norm_first: bool | None = None,
        activation: str | None = None,
        *,
        mask: Any = "none",
        epsilon: float | None = None,
    ) -> "Block":
        """The layer of a `torch.nn.TransformerEncoderLayer`, or of a `TransformerDecoderLayer`, in its eval mode.

        module: the module itself; or names and arrays of its `state_dict`; those of a decoder have a cross-attention.
        n_heads, norm_first (False), activation ("relu"; "gelu"), epsilon (1e-5): with a state, which does not keep
        them; and see `MultiHead.from_torch`. mask: as in `Head`, for the attention over the text itself. Raises
        `InvalidInput` for a module that no Block can be, for missing and further names of a state, all at once, and
        for arrays that do not fit.
        """
        state, options = with_options(
            module,
            ["TransformerEncoderLayer", "TransformerDecoderLayer"],
            **{"n_heads": n_heads, "norm_first": norm_first, "activation": activation, "epsilon": epsilon},
        )
        names = _names(isinstance(state, Mapping) and any(str(name).startswith(f"{CROSS}.") for name in state))
        require_names(state, *names)
        heads = MultiHead.from_torch(with_prefix(state, ATTENTION), options["n_heads"], mask=mask)
        crossed = with_prefix(state, CROSS)
        cross = MultiHead.from_torch(crossed, options["n_heads"]) if crossed else None
        layer = FeedForward(affine_from(state, "linear1"), affine_from(state, "linear2"), options["activation"])
        norms = [Normalisation.from_torch(state, f"norm{i}", options["epsilon"]) for i in range(1, 4 if crossed else 3)]
        return cls(heads, layer, norms, options["norm_first"], cross)

    def to_torch(self) -> dict[str, Array]:
        """The names and arrays of PyTorch's layer; the inverse of `from_torch`.

        Raises `InvalidInput` for parts that PyTorch's layer cannot have, and for a block without residuals.
        """
        if not self.residual:
            raise InvalidInput("to_torch: residual is False; PyTorch's layer always adds the input of a sub-layer")
        parts = [(ATTENTION, self.attention), *([] if self.cross is None else [(CROSS, self.cross)])]
        state = {f"{name}.{own}": array for name, heads in parts for own, array in heads.to_torch().items()}
        state |= affine_state("linear1", self.feed_forward.inner) | affine_state("linear2", self.feed_forward.outer)
        for i, norm in enumerate(self.norms, start=1):
            state |= norm_state(f"norm{i}", norm, f"norm {i}")
        return with_all_biases(state)

    @knows_torch_words
    @in_range
    def __call__(
        self, x: Any, mask: Any = None, *, source: Any = None, source_mask: Any = None, bias: Any = None
    ) -> Array:
        """The words after the layer, `(…, n, dim)`; see `trace` for the arguments."""
        return self.traced_with(lambda words: self.attention(words, mask, bias=bias), x, source, source_mask).state

    @in_range
    def trace(
        self, x: Any, mask: Any = None, *, source: Any = None, source_mask: Any = None, bias: Any = None
    ) -> BlockTrace:
        """The states of a text x `(…, n, dim)` after each sub-layer, and every array of its heads.

        mask, bias: for the attention over x, see `MultiHead`. source: `(…, m, dim)`, the text of the cross-attention;
        source_mask: its mask. Raises `InvalidInput` for a source without cross-attention, and the other way round.
        """
        trace = self.traced_with(lambda words: self.attention(words, mask, bias=bias), x, source, source_mask)
        heads = self.attention.trace(trace.read[0], mask, bias=bias)
        crossed = None if self.cross is None else self.cross.trace(trace.read[1], source_mask, source=source)
        return replace(trace, attention=heads, cross=crossed)

    def traced_with(
        self, attend: Callable[[Array], Array], x: Any, source: Any = None, source_mask: Any = None
    ) -> BlockTrace:
        """The states after each sub-layer, where `attend` takes the place of the attention over x."""
        if (source is None) != (self.cross is None):
            found = "is missing" if source is None else "is given"
            needed = "has" if source is None else "lacks"
            raise InvalidInput(f"source: {found}, but the block {needed} a cross-attention")
        layers = [attend]
        if (cross := self.cross) is not None:
            layers.append(lambda words: cross(words, source=source, mask=source_mask))
        layers.append(self.feed_forward)
        words = as_float(x, "x", like=self.attention.w_out)
        return through(layers, self.norms, words, self.norm_first, self.residual)


def through(
    layers: Sequence[Callable[[Array], Array]],
    norms: Sequence[Callable[[Any], Array]],
    words: Array,
    norm_first: bool,
    residual: bool,
) -> BlockTrace:
    """The arrays of sub-layers, one after the other, each with its norm; norm_first, residual: as in `Block`."""
    states, read, given, summed = list[Array](), list[Array](), list[Array](), list[Array]()
    for layer, norm in zip(layers, norms, strict=True):
        before = states[-1] if states else words
        read.append(norm(before) if norm_first else before)
        given.append(layer(read[-1]))
        summed.append(before + given[-1] if residual else given[-1])
        states.append(summed[-1] if norm_first else norm(summed[-1]))
    return BlockTrace(words, tuple(states), tuple(read), tuple(given), tuple(summed))


def norm_state(name: str, norm: Any, what: str) -> dict[str, Array]:
    """The names and arrays of a `torch.nn.LayerNorm`; raises `InvalidInput` for a norm that PyTorch's layer lacks."""
    if not isinstance(norm, Normalisation) or not norm.centred or norm.gain is None:
        raise InvalidInput(f"to_torch: {what}: expected a Normalisation with a gain and a mean, not {quoted(norm)}")
    return norm.to_torch(name)


def _names(crossed: bool) -> tuple[list[str], list[str]]:
    """The names that the state of PyTorch's layer needs, and those that it may have."""
    parts = [ATTENTION, *([CROSS] if crossed else [])]
    maps = [f"{part}.out_proj" for part in parts] + ["linear1", "linear2"]
    norms = [f"norm{i}" for i in range(1, 4 if crossed else 3)]
    needed = [f"{part}.in_proj_weight" for part in parts] + [f"{name}.weight" for name in (*maps, *norms)]
    return needed, [f"{part}.in_proj_bias" for part in parts] + [f"{name}.bias" for name in (*maps, *norms)]
