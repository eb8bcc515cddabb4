"""A model that consists of attention alone: words and positions, layers of heads, a read-out; no feed-forward layer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.circuits.emergence.recipe import Recipe
from hopattn.foundation.arrays import as_matrix
from hopattn.foundation.errors import InvalidInput
from hopattn.transformer.blocks import AttentionLayer, BlockTrace, stack
from hopattn.transformer.from_torch import require_names, with_prefix
from hopattn.transformer.heads import MultiHead

EMBED, POSITION, UNEMBED = "embed.weight", "position.weight", "unembed.weight"
HEADS = ("in_proj_weight", "out_proj.weight")


def shapes(recipe: Recipe) -> dict[str, tuple[int, int]]:
    """The shape of each array of a model, by its name."""
    rows = {EMBED: recipe.words} | ({POSITION: recipe.length} if recipe.positions else {}) | {UNEMBED: recipe.words}
    for i in range(recipe.layers):
        rows |= {f"layers.{i}.{HEADS[0]}": 3 * recipe.dim, f"layers.{i}.{HEADS[1]}": recipe.dim}
    return {name: (height, recipe.dim) for name, height in rows.items()}


@dataclass(frozen=True, eq=False, repr=False)
class AttentionOnly:
    """x = E[word] + P[place], then x ← x + heads(x) for each layer, then the scores U x of the next word.

    embed: E, `(words, dim)`. position: P, `(length, dim)`, or None for a model without positions. layers: with a
    residual each. unembed: U, `(words, dim)`. A call is `logits`.
    Source: Elhage et al. (2021), A Mathematical Framework for Transformer Circuits, for models of this sort.
    """

    embed: np.ndarray
    position: np.ndarray | None
    layers: tuple[AttentionLayer, ...]
    unembed: np.ndarray

    def __repr__(self) -> str:
        (words, dim), heads = self.embed.shape, len(self.layers[0].attention.heads)
        length = "no positions" if self.position is None else f"texts of up to {len(self.position)} words"
        return f"AttentionOnly({len(self.layers)} layers of {heads} heads, dim {dim}, {words} words, {length})"

    @classmethod
    def from_weights(cls, weights: Mapping[str, np.ndarray], recipe: Recipe, mask: str = "causal") -> "AttentionOnly":
        """The model of named arrays: `embed.weight`, `position.weight`, `unembed.weight`, and for each layer
        `layers.0.in_proj_weight` and `layers.0.out_proj.weight`, as in a `torch.nn.MultiheadAttention`.

        mask: of all heads; the models are trained with "causal". Raises `InvalidInput` for missing and further names,
        all at once, and for arrays that do not fit the recipe.
        """
        needed = shapes(recipe)
        require_names(weights, needed)
        own = {name: as_matrix(weights[name], name) for name in needed}
        for name, matrix in own.items():
            if tuple(matrix.shape) != needed[name]:
                raise InvalidInput(f"{name}: expected shape {needed[name]}, not {tuple(matrix.shape)}")
        parts = [with_prefix(own, f"layers.{i}") for i in range(recipe.layers)]
        layers = tuple(AttentionLayer(MultiHead.from_torch(part, recipe.heads, mask=mask)) for part in parts)
        return cls(own[EMBED], own.get(POSITION), layers, own[UNEMBED])

    def words(self, tokens: Any) -> np.ndarray:
        """The vectors of texts as they go in, `(…, n, dim)`, for the numbers of their words `(…, n)`.

        Raises `InvalidInput` for numbers that are no words, and for a text that is longer than the positions.
        """
        given = np.asarray(tokens)
        if given.ndim == 0 or given.dtype.kind not in "iu" or 0 in given.shape:
            raise InvalidInput("tokens: expected the numbers of words, (…, n) with at least one word")
        if given.min() < 0 or given.max() >= len(self.embed):
            wrong = int(given[(given < 0) | (given >= len(self.embed))][0])
            raise InvalidInput(f"tokens: {wrong} is no word; expected numbers from 0 to {len(self.embed) - 1}")
        if self.position is None:
            return np.asarray(self.embed[given])
        if given.shape[-1] > len(self.position):
            raise InvalidInput(f"tokens: {given.shape[-1]} words; the model has positions for {len(self.position)}")
        return np.asarray(self.embed[given] + self.position[: given.shape[-1]])

    def logits(self, tokens: Any) -> np.ndarray:
        """The scores of the next word after each word, `(…, n, words)`; the argument is that of `words`."""
        state = self.words(tokens)
        for layer in self.layers:
            state = np.asarray(layer(state))
        return np.asarray(state @ self.unembed.T)

    __call__ = logits

    def trace(self, tokens: Any) -> list[BlockTrace]:
        """All arrays of every layer, its attention weights among them."""
        return stack(self.layers, self.words(tokens))
