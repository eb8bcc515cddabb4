"""A model of attention alone: words and positions, layers of heads, a read-out; no feed-forward layer.

x = E[word] + P[place]          x ← x + heads(x) in each layer          scores of the next word: U x
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import Array, plain_array
from hopattn.foundation.errors import InvalidInput
from hopattn.transformer.blocks import AttentionLayer, BlockTrace, Stack
from hopattn.transformer.multi_head import MultiHead


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AttentionOnly(PublicObject):
    """A model of attention alone. A call is `logits`.

    Parameters
    ----------
    embed : E, `(n_words, dim)`.
    positions : P, `(length, dim)`, or None.
    layers : with a residual each.
    unembed : U, `(n_words, dim)`.

    Notes
    -----
    Source: Elhage et al. (2021), A Mathematical Framework for Transformer Circuits, for models of this sort.
    """

    embed: np.ndarray
    positions: np.ndarray | None
    layers: tuple[AttentionLayer, ...]
    unembed: np.ndarray

    def __repr__(self) -> str:
        (words, dim), heads = self.embed.shape, len(self.layers[0].attention.heads)
        length = "no positions" if self.positions is None else f"texts of up to {len(self.positions)} words"
        return f"{type(self).__name__}({len(self.layers)} layers of {heads} heads, dim {dim}, {words} words, {length})"

    def encode(self, words: Array) -> np.ndarray:
        """The vectors of texts as they go in, `(…, n, dim)`, for the numbers of their words `(…, n)`.

        Raises `InvalidInput` for numbers that are not words, and for a text that is longer than the positions.
        """
        numbers = plain_array(words, "words")
        if numbers.ndim == 0 or numbers.dtype.kind not in "iu" or 0 in numbers.shape:
            raise InvalidInput("words: expected texts of whole numbers, (…, n) with at least one word")
        if (wrong := numbers[(numbers < 0) | (numbers >= len(self.embed))]).size:
            raise InvalidInput(f"words: got {wrong[0]}; expected numbers from 0 to {len(self.embed) - 1}")
        if self.positions is None:
            return np.asarray(self.embed[numbers])
        if (n := numbers.shape[-1]) > len(self.positions):
            raise InvalidInput(f"words: got {n} words; expected at most {len(self.positions)}, one for each position")
        return np.asarray(self.embed[numbers] + self.positions[:n])

    @property
    def _stack(self) -> Stack:
        """The model as its three parts."""
        return Stack(self.encode, self.layers, lambda states: states @ self.unembed.T)

    def logits(self, words: Array) -> np.ndarray:
        """The scores of the next word after each word, `(…, n, n_words)`; the argument is that of `encode`."""
        return np.asarray(self._stack(words))

    __call__ = logits

    def inputs(self, words: Array) -> Iterator[tuple[MultiHead, np.ndarray]]:
        """The heads of each layer with the vectors that they read, `(…, n, dim)`, one layer after the other."""
        return ((layer.attention, np.asarray(before)) for layer, before, _ in self._stack.states(words))

    def trace(self, words: Array) -> list[BlockTrace]:
        """All arrays of every layer, its attention weights among them."""
        return self._stack.trace(words)
