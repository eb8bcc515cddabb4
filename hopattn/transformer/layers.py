"""Layers of attention, one above the other.

    x ← x + heads(x)

"Result patterns are then added to the word patterns and fed into another layer to repeat the process" (LING3804
Lecture Notes 7, 7.2).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hopattn.foundation.arrays import Array, as_float, require_dim
from hopattn.foundation.errors import InvalidInput
from hopattn.transformer.heads import HeadTrace, MultiHead


@dataclass(frozen=True, eq=False)
class LayerTrace:
    """What a layer computed: what went in, what each head did, the heads' output, and the state that goes on."""

    input: Array
    heads: tuple[HeadTrace, ...]
    output: Array
    state: Array


@dataclass(frozen=True, eq=False)
class AttentionLayer:
    """Attention heads whose output is added to the word patterns, or with residual=False takes their place."""

    attention: MultiHead
    residual: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.attention, MultiHead):
            raise InvalidInput(f"attention: expected a MultiHead, not {type(self.attention).__name__}")
        if self.residual:
            require_dim(
                self.attention.w_out.mT,
                self.attention.heads[0].w_query.shape[1],
                "w_out",
                "the words that the output is added to",
            )

    def __call__(self, x: Any, mask: Any = None, *, source: Any = None) -> Array:
        """The words after the layer, `(…, n, dim)`; the arguments are those of `Head.trace`."""
        return self.trace(x, mask, source=source).state

    def trace(self, x: Any, mask: Any = None, *, source: Any = None) -> LayerTrace:
        """Every quantity of the layer for a text x `(…, n, dim)`."""
        words = as_float(x, "x")
        found = self.attention.trace(words, mask, source=source)
        return LayerTrace(words, found.heads, found.output, words + found.output if self.residual else found.output)


def stack(layers: Iterable[AttentionLayer], x: Any, mask: Any = None, *, source: Any = None) -> list[LayerTrace]:
    """Send a text through the layers, each fed with what the one below gave.

    source: `(…, m, dim)`, what every layer reads its keys and values from (cross-attention); by default each layer
    reads the text as it stands there.
    """
    traces: list[LayerTrace] = []
    for layer in layers:
        traces.append(layer.trace(traces[-1].state if traces else x, mask, source=source))
    return traces
