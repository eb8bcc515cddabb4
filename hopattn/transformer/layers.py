"""Layers of attention heads, one after the other.

    x ← x + heads(x)

"Result patterns are then added to the word patterns and fed into another layer to repeat the process" (LING3804
Lecture Notes 7, 7.2).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from hopattn.foundation.arrays import Array, as_float, require_dim
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.in_range import in_range
from hopattn.foundation.objects import each, flag
from hopattn.transformer.heads import HeadTrace
from hopattn.transformer.multi_head import MultiHead
from hopattn.transformer.torch_words import knows_torch_words


@dataclass(frozen=True, eq=False)
class LayerTrace:
    """The arrays that a layer computes.

    input: the text, `(…, n, dim)`. heads: the trace of each head. output: the output of all heads together. state: the
    output of the layer, which is the input of the next.
    """

    input: Array
    heads: tuple[HeadTrace, ...]
    output: Array
    state: Array


@dataclass(frozen=True, eq=False)
class AttentionLayer:
    """Attention heads whose output is added to the word patterns; with residual=False it replaces them.

    Raises `InvalidInput` for an attention that is not a MultiHead, and, with residual, for an output that does not fit
    the words.
    """

    attention: MultiHead
    residual: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.attention, MultiHead):
            raise InvalidInput(f"attention: expected a MultiHead, not {type(self.attention).__name__}")
        if flag(self.residual, "residual"):
            require_dim(
                self.attention.w_out.mT,
                self.attention.heads[0].query.dims[1],
                "w_out",
                "the words that the output is added to",
            )

    @knows_torch_words
    @in_range
    def __call__(self, x: Any, mask: Any = None, *, source: Any = None) -> Array:
        """The words after the layer, `(…, n, dim)`; the arguments are those of `Head.trace`."""
        return self.computed_with(lambda words: self.attention(words, mask=mask, source=source), x)

    def computed_with(self, attend: Callable[[Array], Array], x: Any) -> Array:
        """The words after the layer, where `attend` takes the place of the attention."""
        words = as_float(x, "x")
        return words + attend(words) if self.residual else attend(words)

    @in_range
    def trace(self, x: Any, mask: Any = None, *, source: Any = None) -> LayerTrace:
        """Every quantity of the layer for a text x `(…, n, dim)`."""
        words = as_float(x, "x")
        traced = self.attention.trace(words, mask, source=source)
        state = words + traced.output if self.residual else traced.output
        return LayerTrace(words, traced.heads, traced.output, state)


@runtime_checkable
class Layer(Protocol):
    """A layer that `stack` can go through."""

    @property
    def attention(self) -> MultiHead:
        """The heads of the layer."""

    @in_range
    def trace(self, x: Any, mask: Any = None, *, source: Any = None) -> LayerTrace:
        """Every quantity of the layer for a text x `(…, n, dim)`; the arguments are those of `Head.trace`."""

    def computed_with(self, attend: Callable[[Array], Array], x: Any) -> Array:
        """The words after the layer, where `attend` takes the place of the attention."""


@in_range
def stack(layers: Iterable[Layer], x: Any, mask: Any = None, *, source: Any = None) -> list[LayerTrace]:
    """The trace of each layer for a text x `(…, n, dim)`; the output of each layer is the input of the next.

    mask: as in `Head.trace`, for all layers. source: `(…, m, dim)`, from which every layer computes its keys and values
    (cross-attention); by default each layer computes them from its own input. Raises `InvalidInput` for layers that are
    no list of layers of attention, and as they do.
    """
    traces: list[LayerTrace] = []
    for layer in each(layers, Layer, "layers", "a layer of attention"):
        traces.append(layer.trace(traces[-1].state if traces else x, mask, source=source))
    return traces
