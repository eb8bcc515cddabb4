"""Gradients through a stack of blocks: where they vanish, and what keeps them.

Each layer multiplies a gradient by its Jacobian. A residual adds the identity to each factor, so that the words do not
become alike. A normalisation keeps the sizes that enter the softmax, so that it does not saturate.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.in_range import in_range
from hopattn.foundation.objects import each
from hopattn.transformer.blocks import ATTENTION, Block
from hopattn.transformer.gradients.block import Gradients, backward
from hopattn.transformer.gradients.pieces import Numbers
from hopattn.transformer.gradients.softmax import in_float64


@dataclass(frozen=True, eq=False)
class GradientFlow:
    """The gradients of a stack of n blocks. layers: those of each of the blocks, the first one first."""

    blocks: tuple[Block, ...] = field(repr=False)
    layers: tuple[Gradients, ...]

    @property
    def norms(self) -> Numbers:
        """The root of the sum of squares of the gradient at the input of each layer and at the output, `(n + 1,)`."""
        arriving = [*(layer.input for layer in self.layers), self.layers[-1].output]
        return np.array([_length(gradient) for gradient in arriving])

    @property
    def score_norms(self) -> Numbers:
        """The same of W_Q and W_K of the attention of each layer, `(n,)`: all that passes through its scores.

        Where the softmax saturates, or all words are alike, these vanish; the gradient of the words need not, because
        it also passes through the values.
        """
        return np.array([_length(_score_maps(*own)) for own in zip(self.blocks, self.layers, strict=True)])

    @property
    def weights(self) -> dict[str, Numbers]:
        """The gradient of every weight, named as in the `state_dict` of PyTorch's `TransformerEncoder`."""
        return {f"layers.{i}.{name}": array for i, own in enumerate(self.layers) for name, array in own.weights.items()}

    @property
    def source(self) -> Numbers | None:
        """The gradient of the text of the cross-attentions, summed over the layers; None without one."""
        parts = [layer.source for layer in self.layers if layer.source is not None]
        return np.sum(parts, axis=0) if parts else None


@in_range
def gradient_flow(
    blocks: Sequence[Block],
    x: Any,
    upstream: Any = None,
    mask: Any = None,
    *,
    source: Any = None,
    source_mask: Any = None,
    bias: Any = None,
) -> GradientFlow:
    """The gradient that arrives at each layer of a stack, and those of all weights, for a gradient of the output.

    blocks: at least one; the output of each is the input of the next. x: `(…, n, dim)`. upstream: the gradient of the
    output, in its shape; by default each entry is 1, which is the gradient of the sum. The other arguments are those
    of `hopattn.backward`, for all blocks; a block without cross-attention does without source. Raises `InvalidInput`
    as that does, and for no blocks.
    """
    layers = each(blocks, Block, "blocks")
    if not layers:
        raise InvalidInput("blocks: expected at least one Block, in a list")
    text, crossed = {"source": source, "source_mask": source_mask}, any(block.cross is not None for block in layers)
    texts = [{} if crossed and block.cross is None else text for block in layers]
    for block in layers:
        in_float64(block.attention.w_out, "blocks")
    states = [in_float64(x, "x")]
    for block, text in zip(layers, texts, strict=True):
        states.append(block(states[-1], mask, bias=bias, **text))
    change = np.ones_like(states[-1]) if upstream is None else upstream
    found = list[Gradients]()
    for block, text, state in reversed(list(zip(layers, texts, states, strict=False))):
        found.append(backward(block, state, change, mask, bias=bias, **text))
        change = found[-1].input
    return GradientFlow(layers, tuple(reversed(found)))


def _score_maps(block: Block, own: Gradients) -> Numbers:
    """The gradient of W_Q and W_K: the rows of the joint matrix above those of W_V."""
    heads, (_, shared) = block.attention.heads, block.attention.groups
    of_values = sum(head.value.dims[0] for head in heads[:: shared or 1])
    return own.weights[f"{ATTENTION}.in_proj_weight"][:-of_values]


def _length(gradient: Numbers) -> float:
    """√Σg²; no square underflows, however small the gradient is."""
    largest = float(np.abs(gradient).max())
    return largest * float(np.linalg.norm(gradient / largest)) if largest > 0 else 0.0
