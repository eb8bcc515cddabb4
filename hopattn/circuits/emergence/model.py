"""A model that consists of attention alone: words and positions, layers of heads, a read-out; no feed-forward layer."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hopattn.circuits.emergence.recipe import Recipe
from hopattn.foundation.arrays import as_matrix
from hopattn.foundation.errors import InvalidInput
from hopattn.transformer.from_torch import require_names, with_prefix
from hopattn.transformer.layers import AttentionLayer, LayerTrace, stack
from hopattn.transformer.multi_head import MultiHead

MATRICES = ("embed.weight", "position.weight", "unembed.weight")
HEADS = ("in_proj_weight", "out_proj.weight")


@dataclass(frozen=True, eq=False)
class AttentionOnly:
    """x = E[word] + P[place], then x ← x + heads(x) for each layer, then the scores U x of the next word.

    embed: E, `(words, dim)`. position: P, `(length, dim)`. layers: with a residual each. unembed: U, `(words, dim)`.
    Source: Elhage et al. (2021), A Mathematical Framework for Transformer Circuits, for models of this sort.
    """

    embed: np.ndarray
    position: np.ndarray
    layers: tuple[AttentionLayer, ...]
    unembed: np.ndarray

    @classmethod
    def from_weights(cls, weights: Mapping[str, np.ndarray], recipe: Recipe) -> "AttentionOnly":
        """The model of named arrays: `embed.weight`, `position.weight`, `unembed.weight`, and for each layer
        `layers.0.in_proj_weight` and `layers.0.out_proj.weight`, as in a `torch.nn.MultiheadAttention`.

        Raises `InvalidInput` for missing and further names, all at once, and for arrays that do not fit the recipe.
        """
        names = [f"layers.{i}" for i in range(recipe.layers)]
        require_names(weights, [*MATRICES, *(f"{name}.{part}" for name in names for part in HEADS)])
        heights = dict(zip(MATRICES, (recipe.words, recipe.length, recipe.words), strict=True))
        own = {name: as_matrix(weights[name], name) for name in MATRICES}
        for name, matrix in own.items():
            if matrix.shape != (heights[name], recipe.dim):
                expected = (heights[name], recipe.dim)
                raise InvalidInput(f"{name}: expected shape {expected}, not {tuple(matrix.shape)}")
        heads = [MultiHead.from_torch(with_prefix(weights, name), recipe.heads, mask="causal") for name in names]
        layers = tuple(AttentionLayer(parallel) for parallel in heads)
        return cls(own["embed.weight"], own["position.weight"], layers, own["unembed.weight"])

    def words(self, tokens: np.ndarray) -> np.ndarray:
        """The vectors of texts as they go in, `(n_texts, n, dim)`, for tokens `(n_texts, n)`."""
        return np.asarray(self.embed[tokens] + self.position[: tokens.shape[-1]])

    def logits(self, tokens: np.ndarray) -> np.ndarray:
        """The scores of the next word after each word, `(n_texts, n, words)`."""
        state = self.words(tokens)
        for layer in self.layers:
            state = np.asarray(layer(state))
        return np.asarray(state @ self.unembed.T)

    def trace(self, tokens: np.ndarray) -> list[LayerTrace]:
        """All arrays of every layer, its attention weights among them."""
        return stack(self.layers, self.words(tokens))
