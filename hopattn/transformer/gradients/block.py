"""The backward pass of a block: from a gradient of its output to those of its input and of every weight.

    norm first:  y = x + f(norm(x))          dx = dy + norm′(f′(dy))
    norm last:   y = norm(x + f(x))          dz = norm′(dy),  dx = dz + f′(dz)

for each sub-layer f, the last one first; f′ and norm′ stand for their own backward passes. Without residuals the first
terms, dy and dz, are missing: every path from the output to the input then passes through every f. Only the states
between the sub-layers are kept; what lies inside a sub-layer is computed again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.in_range import in_range
from hopattn.retrieval.activation import Identity
from hopattn.transformer.blocks import ATTENTION, CROSS, Block
from hopattn.transformer.feed_forward import FeedForward
from hopattn.transformer.from_torch import affine_state
from hopattn.transformer.gradients.attention import heads_backward
from hopattn.transformer.gradients.pieces import Numbers, feed_forward_backward, normalisation_backward, summed_to
from hopattn.transformer.gradients.softmax import in_float64
from hopattn.transformer.multi_head import MultiHead
from hopattn.transformer.normalisation import Normalisation


@dataclass(frozen=True, eq=False)
class Gradients:
    """The gradients of a layer, in float64.

    input: of its input, `(…, n, dim)`. weights: of its weights, named as in PyTorch's `state_dict`. source: of the text
    of the cross-attention, `(…, m, dim)`, or None without one. output: the upstream gradient, that of its output.
    """

    input: Numbers
    weights: Mapping[str, Numbers] = field(repr=False)
    source: Numbers | None
    output: Numbers


Pull = Callable[[Numbers], tuple[Numbers, dict[str, Numbers]]]
"""From the gradient of an output to those of the input and, by name, of all else; "source" is the other text."""


@in_range
def backward(
    block: Block,
    x: Any,
    upstream: Any,
    mask: Any = None,
    *,
    source: Any = None,
    source_mask: Any = None,
    bias: Any = None,
) -> Gradients:
    """The gradients of a block for an upstream gradient of its output, by reverse-mode differentiation in NumPy.

    x: `(…, n, dim)`. upstream: the gradient of a number with respect to the output of `block(x, …)`, in its shape.
    mask, source, source_mask, bias: as in `Block.trace`; the bias of the scores counts as a constant. Heads have
    softmax attention with dot products; a norm is a `Normalisation` or the activation `Identity()`. Raises
    `InvalidInput` for other parts, for arrays that are not NumPy's, and for shapes that do not fit.
    Source: Rumelhart, Hinton & Williams (1986), Nature 323, 533; the layer is that of Vaswani et al. (2017).
    """
    if not isinstance(block, Block):
        raise InvalidInput(f"block: expected a Block, not {type(block).__name__}")
    in_float64(block.attention.w_out, "block")
    words, other = in_float64(x, "x"), None if source is None else in_float64(source, "source")
    trace = block.traced_with(lambda text: block.attention(text, mask, bias=bias), words, other, source_mask)
    change = output = in_float64(upstream, "upstream")
    if output.shape != trace.state.shape:
        raise InvalidInput(f"upstream: shape {output.shape} does not fit the output of shape {trace.state.shape}")
    parts = [_heads(ATTENTION, block.attention, mask, bias=bias), _feed_forward(block.feed_forward)]
    if block.cross is not None:
        parts.insert(1, _heads(CROSS, block.cross, source_mask, source=other))
    named = dict[str, Numbers]()
    for i, before in reversed(list(enumerate((words, *trace.states[:-1])))):
        pull = _pull(block, parts[i], i, before)
        change, own = pull(change)
        named |= own
    of_source = named.pop("source", None)
    return Gradients(change, dict(reversed(named.items())), of_source, output)


Part = Callable[[Numbers], tuple[Numbers, Pull]]
"""From an input to the output and the way back."""


def _pull(block: Block, part: Part, i: int, before: Numbers) -> Pull:
    """The way back through a sub-layer, its norm and its residual."""
    norm = _norm(block.norms[i], f"norm{i + 1}")
    if block.norm_first:
        normed, through_norm = norm(before)
        _, through = part(normed)
    else:
        computed, through = part(before)
        _, through_norm = norm(before + computed if block.residual else computed)

    def pull(upstream: Numbers) -> tuple[Numbers, dict[str, Numbers]]:
        first, last = (through, through_norm) if block.norm_first else (through_norm, through)
        change, named = first(upstream)
        around = upstream if block.norm_first else change  # along the residual
        change, further = last(change)
        total = summed_to(change, before.shape)
        return total + summed_to(around, before.shape) if block.residual else total, named | further

    return pull


def _heads(name: str, own: MultiHead, mask: Any, source: Numbers | None = None, bias: Any = None) -> Part:
    """Heads over the words themselves, or over another text."""

    def part(words: Numbers) -> tuple[Numbers, Pull]:
        trace = own.trace(words, mask, source=source, bias=bias)

        def pull(upstream: Numbers) -> tuple[Numbers, dict[str, Numbers]]:
            other = words if source is None else source
            of_words, of_other, weights = heads_backward(own, trace, words, other, upstream)
            named = {f"{name}.{key}": gradient for key, gradient in weights.items()}
            return (of_words + of_other, named) if source is None else (of_words, {**named, "source": of_other})

        return np.asarray(trace.output), pull

    return part


def _feed_forward(own: FeedForward) -> Part:
    """The layer for each word."""

    def part(words: Numbers) -> tuple[Numbers, Pull]:
        def pull(upstream: Numbers) -> tuple[Numbers, dict[str, Numbers]]:
            of_words, (inner, outer) = feed_forward_backward(own, words, upstream)
            return of_words, affine_state("linear1", inner) | affine_state("linear2", outer)

        return own(words), pull

    return part


def _norm(own: Any, name: str) -> Part:
    """A normalisation, or none at all; raises `InvalidInput` for another function."""
    if not isinstance(own, (Normalisation, Identity)):
        raise InvalidInput(f"{name}: expected a Normalisation or Identity(), not {quoted(own)}")

    def part(words: Numbers) -> tuple[Numbers, Pull]:
        def pull(upstream: Numbers) -> tuple[Numbers, dict[str, Numbers]]:
            if isinstance(own, Identity):
                return upstream, {}
            of_words, gradient = normalisation_backward(own, words, upstream)
            return of_words, gradient.to_torch(name)

        return np.asarray(own(words)), pull

    return part
