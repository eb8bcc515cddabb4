"""A text in a model: a layer with the words that reach it, and the states and logits of all layers."""

from dataclasses import dataclass

import numpy as np

from hopattn.transformer.blocks import Block
from hopattn.transformer.multi_head import MultiHead


@dataclass(frozen=True, eq=False)
class Layer:
    """A layer of a model, and the text as it comes in.

    number: of the layer, from 0. block: the layer. residual: the words before it, `(n, dim)`. states: the words that
    its heads read, `(n, dim)`: `layer.heads(layer.states)` is the output of the attention, and
    `layer.heads.trace(layer.states)` has its weights. words: of the tokens, n texts, as `Tokens` has them; None of a
    layer whose states alone are known.
    """

    number: int
    block: Block
    residual: np.ndarray
    states: np.ndarray
    words: tuple[str, ...] | None = None

    @property
    def heads(self) -> MultiHead:
        """The heads, with their masks, windows, positions, norms, sinks and caps."""
        return self.block.attention


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A model's answer to a text. states: the words before each layer and after the last, each `(n, dim)`.

    logits: `(n, n_tokens)`; None where the folder holds no arrays for them. words: of the tokens, n texts, as `Tokens`
    has them.
    """

    states: tuple[np.ndarray, ...]
    logits: np.ndarray | None
    words: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Run({len(self.states[0])} tokens, {len(self.states) - 1} layers)"
