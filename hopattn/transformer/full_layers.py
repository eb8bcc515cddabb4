"""The layer of a transformer with every array that it computes, for one text or for a text that reads another one.

It is the layer of `blocks.py`, with two differences: the feed-forward layer may be missing, and the attention may read
its keys and values from a source.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hopattn.foundation.arrays import Array, as_float, require_dim
from hopattn.foundation.errors import InvalidInput
from hopattn.transformer.blocks import Block, BlockTrace, through
from hopattn.transformer.feed_forward import FeedForward
from hopattn.transformer.layers import LayerTrace
from hopattn.transformer.multi_head import MultiHead, MultiHeadTrace


@dataclass(frozen=True, eq=False)
class FullTrace(LayerTrace):
    """The arrays that a whole layer computes, those of its attention and these.

    normed, renormed: the words as the heads and as the feed-forward layer read them; the same as `input` and `attended`
    unless the norm comes first. summed: the words after the attention and its residual, before a norm that comes last.
    attended: the same after that norm. hidden: f(W₁ x + b₁), `(…, n, hidden)`. fed: the output of the feed-forward
    layer. The last three are None without one.
    """

    normed: Array
    summed: Array
    attended: Array
    renormed: Array | None
    hidden: Array | None
    fed: Array | None


@dataclass(frozen=True, eq=False)
class FullLayer:
    """Attention, then a feed-forward layer if there is one, each with its residual and its norm.

    norms: a normalisation for each of them. norm_first, residual: as in `Block`. Raises `InvalidInput` for another
    number of norms, and for parts that do not fit the words.
    """

    attention: MultiHead
    feed_forward: FeedForward | None
    norms: Sequence[Callable[[Any], Array]]
    norm_first: bool = False
    residual: bool = True

    def __post_init__(self) -> None:
        dim, what = self.attention.heads[0].query.dims[1], "the words that the output is added to"
        require_dim(self.attention.w_out.mT, dim, "attention", what)
        if self.feed_forward is not None:
            require_dim(self.feed_forward.inner.weight, dim, "feed_forward", "the words that it reads")
            require_dim(self.feed_forward.outer.weight.mT, dim, "feed_forward", what)
        number = 1 if self.feed_forward is None else 2
        if len(self.norms) != number:
            raise InvalidInput(f"norms: expected {number}, one for each sub-layer, not {len(self.norms)}")

    @classmethod
    def of(cls, block: Block) -> "FullLayer":
        """The same layer as a block; raises `InvalidInput` for a block with a cross-attention."""
        if block.cross is not None:
            raise InvalidInput("block: has a cross-attention, as the layer of a decoder; expected that of an encoder")
        return cls(block.attention, block.feed_forward, block.norms, block.norm_first, block.residual)

    def __call__(self, x: Any, mask: Any = None, *, source: Any = None) -> Array:
        """The words after the layer, `(…, n, dim)`; the arguments are those of `Head.trace`."""
        return self.trace(x, mask, source=source).state

    def trace(self, x: Any, mask: Any = None, *, source: Any = None) -> FullTrace:
        """Every quantity of the layer for a text x `(…, n, dim)`; the source is read as it is, without a norm."""
        heads: list[MultiHeadTrace] = []

        def attend(words: Array) -> Array:
            heads.append(self.attention.trace(words, mask, source=source))
            return heads[0].output

        words = as_float(x, "x", like=self.attention.w_out)
        trace, fed = self._through(attend, words), self.feed_forward
        made, second = heads[0], len(trace.read) > 1
        return FullTrace(
            input=words,
            heads=made.heads,
            output=made.output,
            state=trace.state,
            normed=trace.read[0],
            summed=trace.summed[0],
            attended=trace.states[0],
            renormed=trace.read[1] if second else None,
            hidden=None if fed is None else fed.hidden(trace.read[1]),
            fed=trace.given[1] if second else None,
        )

    def computed_with(self, attend: Callable[[Array], Array], x: Any) -> Array:
        """The words after the layer, where `attend` takes the place of the attention."""
        return self._through(attend, as_float(x, "x", like=self.attention.w_out)).state

    def _through(self, attend: Callable[[Array], Array], words: Array) -> BlockTrace:
        sublayers: list[Callable[[Array], Array]] = [attend]
        if self.feed_forward is not None:
            sublayers.append(self.feed_forward)
        return through(sublayers, self.norms, words, self.norm_first, self.residual)
