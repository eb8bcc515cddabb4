"""The key–value cache: a text that grows word by word, whose keys and values are computed once.

Under a causal mask the words before do not change when a word is added. A new word costs its own maps and one row of
scores; without the cache, every word would be computed again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, as_text, namespace
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.in_range import in_range
from hopattn.foundation.objects import entries_of
from hopattn.foundation.registry import name_of
from hopattn.foundation.scalars import whole
from hopattn.retrieval.masks import MaskRule, NoMask, PositionRule
from hopattn.transformer.blocks import Block
from hopattn.transformer.heads import MATRICES, Head
from hopattn.transformer.layers import AttentionLayer
from hopattn.transformer.multi_head import MultiHead
from hopattn.transformer.positions.alibi import Alibi

Layer = AttentionLayer | Block


class _Rows:
    """Rows `(…, n, dim)` that grow. NumPy's lie in an array with room for more, which doubles when it is full."""

    def __init__(self) -> None:
        self.length = 0
        self.array: Array = None

    @in_range
    def extended(self, rows: Array) -> Array:
        """All rows, with the new ones behind."""
        before, self.length = self.length, self.length + rows.shape[-2]
        if not isinstance(rows, np.ndarray):
            self.array = rows if before == 0 else namespace(rows).concat([self.array, rows], axis=-2)
            return self.array
        if self.array is None or self.length > self.array.shape[-2]:
            room = np.empty((*rows.shape[:-2], max(2 * before, self.length), rows.shape[-1]), rows.dtype)
            if before:
                room[..., :before, :] = self.array[..., :before, :]
            self.array = room
        self.array[..., before : self.length, :] = rows
        return self.array[..., : self.length, :]


@dataclass(frozen=True, eq=False, repr=False)
class KeyValueCache:
    """The keys and values of the words so far, for each of the layers of a decoder.

    layers: layers of attention, or blocks without a cross-attention, whose heads are alike and have a mask by position
    ("causal", "strict" or a window): a word then never sees a later one. length: the number of words so far. Keys with
    rotary positions are kept as they are turned at their place in the whole text.

    A cache is used once: `extended` gives the next one. Raises `InvalidInput` for other layers.
    Source: Shazeer (2019), arXiv:1911.02150.

    >>> import numpy as np, hopattn as ha
    >>> layer = ha.AttentionLayer(ha.MultiHead([ha.Head(*[np.eye(2)] * 3)], np.eye(2)))
    >>> text, cache = np.eye(2), ha.KeyValueCache([layer])
    >>> one, cache = cache.extended(text[:1])
    >>> two, cache = cache.extended(text[1:])
    >>> bool(np.allclose(np.concatenate([one, two]), layer(text)))
    True
    """

    layers: Sequence[Layer]
    length: int = field(default=0, init=False)
    _rows: tuple[tuple[_Rows, _Rows], ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        layers: list[Layer] = []
        for i, layer in enumerate(entries_of(self.layers, "layers"), start=1):
            if reason := _why_not(layer):
                raise InvalidInput(f"layers: layer {i}: {reason}")
            layers.append(layer)
        if not layers:
            raise InvalidInput("layers: expected at least one AttentionLayer or Block, in a list")
        object.__setattr__(self, "layers", tuple(layers))
        object.__setattr__(self, "_rows", tuple((_Rows(), _Rows()) for _ in layers))

    def __repr__(self) -> str:
        return f"KeyValueCache(layers: {len(self.layers)}, words: {self.length})"

    @in_range
    def extended(self, x: Any) -> tuple[Array, "KeyValueCache"]:
        """The output for further words x `(…, k, dim)`, and the cache with them.

        The output `(…, k, dim)` is the last k rows of the output for the whole text, up to rounding. Raises
        `InvalidInput` for a cache that was extended before, and for words that do not fit those so far.
        """
        words = as_text(x, "x", self.layers[0].attention.heads[0].w_query, MATRICES)
        known = self._rows[0][0]
        if known.length != self.length:
            raise InvalidInput(
                f"cache: it holds {self.length} words and was extended to {known.length} already; "
                "go on with the cache that the last call gave"
            )
        if known.array is not None and known.array.shape[:-4] != words.shape[:-2]:
            raise InvalidInput(f"x: {words.shape[:-2]} texts do not fit the {tuple(known.array.shape[:-4])} so far")
        for layer, rows in zip(self.layers, self._rows, strict=True):
            words = _next(layer, rows, words)
        following = KeyValueCache(self.layers)
        object.__setattr__(following, "length", known.length)
        object.__setattr__(following, "_rows", self._rows)
        return words, following


def multiplications(attention: MultiHead, n: int) -> dict[str, int]:
    """The numbers of multiplications for word n of a text, with a cache ("cached") and without one ("anew").

    Counted are those of the matrix products: the maps to queries, keys, values and output, the scores and the weighted
    values. Without a cache all n words are computed, each over all n. The first grows like n, the second like n².
    """
    n, (maps, pair) = whole(n, "n", least=1), products(attention)
    return {"cached": maps + n * pair, "anew": n * (maps + n * pair)}


def multiplications_of_text(attention: MultiHead, n: int) -> dict[str, int]:
    """The numbers of multiplications for words 1 to n, one after the other: the sums of `multiplications`.

    The first grows like n², the second like n³. All n words at once take as many as word n does anew.
    """
    n, (maps, pair) = whole(n, "n", least=1), products(attention)
    words, pairs = n * (n + 1) // 2, n * (n + 1) * (2 * n + 1) // 6  # Σ k and Σ k² for k = 1 … n
    return {"cached": n * maps + words * pair, "anew": words * maps + pairs * pair}


def products(attention: MultiHead) -> tuple[int, int]:
    """The number of multiplications for the maps of one word, and for one pair of a query and a key.

    The maps are those to queries, keys, values and output; a pair takes a score and a weighted value for each head.
    Raises `InvalidInput` for heads that are not alike.
    """
    if not attention.maps:
        raise InvalidInput("attention: expected heads that are alike")
    maps = sum(int(np.prod(one.dims)) for one in (*attention.maps, attention.out))
    return maps, sum(head.query.dims[0] + head.value.dims[0] for head in attention.heads)


def _next(layer: Layer, rows: tuple[_Rows, _Rows], words: Array) -> Array:
    """The output of a layer for the words behind those of the cache."""

    def attend(text: Array) -> Array:
        queries, keys, values = layer.attention.projected(text, text, text, rows[0].length)
        return layer.attention.attended(queries, rows[0].extended(keys), rows[1].extended(values))

    return layer.traced_with(attend, words).state if isinstance(layer, Block) else layer.computed_with(attend, words)


def _why_not(layer: Any) -> str:
    """The reason why a layer cannot be computed word by word, or ""."""
    if isinstance(layer, (Head, MultiHead)):
        heads = "heads" if isinstance(layer, MultiHead) else "ha.MultiHead([head], w_out)"
        return f"expected a layer, such as ha.AttentionLayer({heads}), not {type(layer).__name__}"
    if not isinstance(layer, Layer):
        return f"expected an AttentionLayer or a Block, not {type(layer).__name__}"
    if isinstance(layer, Block) and layer.cross is not None:
        return "a cross-attention reads another text, which this cache does not hold"
    if not layer.attention.groups[0]:
        return "its heads differ; expected heads with the same shapes, mask, similarity, separation and position"
    if any(not (head.bias is None or isinstance(head.bias, Alibi)) for head in layer.attention.heads):
        return "a bias that is an array fits texts of one length; expected an Alibi or None"
    mask = layer.attention.heads[0].mask
    if not isinstance(mask, PositionRule):
        name = "none" if isinstance(mask, NoMask) else name_of(mask)
        given = f"'{name}'" if isinstance(mask, MaskRule) else "an array"
        return f"a word may not see later ones; expected the mask 'causal', 'strict' or a window, not {given}"
    return ""
