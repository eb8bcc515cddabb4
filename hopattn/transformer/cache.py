"""The key–value cache: a text that grows word by word, whose keys and values are computed once.

Under a causal mask the words before do not change when a word is added. A new word costs its own maps and one row of
scores; without the cache, every word would be computed again.
"""

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.boundary import Fit, Owner, Text, finite, public
from hopattn.foundation.checks import entries_of, whole
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import name_of
from hopattn.retrieval.masks import MaskRule, NoMask, PositionRule
from hopattn.transformer.blocks import Block
from hopattn.transformer.heads import Head
from hopattn.transformer.multi_head import MultiHead
from hopattn.transformer.positions.alibi import Alibi


class _Rooms:
    """The keys and values of words `(…, n, dim)` by layer and group of heads, with room for more behind them.

    filled: the number of words in them. Caches that follow each other share their rooms.
    """

    def __init__(self, rows: Mapping[tuple[int, int], tuple[Array, Array]], filled: int) -> None:
        self.rows, self.filled = rows, filled


@dataclass(frozen=True, eq=False, repr=False)
class KeyValueCache(Owner):
    """The keys and values of the words so far, for each of the layers of a decoder.

    layers: blocks without a cross-attention, such as `AttentionLayer`, whose heads have a mask by position ("causal",
    "strict" or a window): a word then never sees a later one. length: the number of words so far. `append` gives the
    next cache and leaves this one as it is. Raises `InvalidInput` for other layers.
    Source: Shazeer (2019), arXiv:1911.02150.

    >>> import numpy as np, hopattn as ha
    >>> layer = ha.transformer.AttentionLayer(ha.MultiHead([ha.Head(*[np.eye(2)] * 3)], np.eye(2)))
    >>> text, cache = np.eye(2), ha.KeyValueCache([layer])
    >>> one, cache = cache.append(text[:1])
    >>> two, cache = cache.append(text[1:])
    >>> bool(np.allclose(np.concatenate([one, two]), layer(text)))
    True
    """

    layers: Sequence[Block]
    length: int = field(default=0, init=False)
    _leading: tuple[int, ...] = field(default=(), init=False)
    _rooms: _Rooms = field(default_factory=lambda: _Rooms({}, 0), init=False)

    def __post_init__(self) -> None:
        layers: list[Block] = []
        for layer in entries_of(self.layers, "layers"):  # one after another: a range may be without an end
            if reason := _why_not(layer):
                raise InvalidInput(f"layers: layer {len(layers) + 1}: {reason}")
            layers.append(layer)
        if not layers:
            raise InvalidInput("layers: expected at least one Block, in a list")
        object.__setattr__(self, "layers", tuple(layers))

    def __repr__(self) -> str:
        return f"KeyValueCache(layers: {len(self.layers)}, words: {self.length})"

    def _fit(self, axes: Collection[str]) -> Fit:
        return self.layers[0].attention.heads[0]._fit(axes)

    @public
    def append(self, x: Text) -> tuple[Array, "KeyValueCache"]:
        """The output for further words x `(…, k, dim)`, and the cache with them.

        The output is the last k rows of that for the whole text, up to rounding. Raises `InvalidInput` for words that
        do not fit those so far.
        """
        leading, end = tuple(x.shape[:-2]), self.length + x.shape[-2]
        if self.length and leading != self._leading:
            raise InvalidInput(f"x: {leading} texts do not fit the {self._leading} so far")
        output, rooms = self._output_and_rooms(x, end)
        cache = copy(self)
        for name, value in (("length", end), ("_leading", leading), ("_rooms", rooms)):
            object.__setattr__(cache, name, value)
        return output, cache

    @public(may_be=finite)
    def _output_and_rooms(self, words: Array, end: int) -> tuple[Array, _Rooms]:
        """The output for further words, and the rooms with them, which are filled after all layers succeeded."""
        first, rooms, rows_by_place = self.length, self._rooms, dict[tuple[int, int], tuple[Array, Array]]()
        free = rooms.filled == first  # else another cache wrote behind these rows

        def extend(place: tuple[int, int], *rows: Array) -> tuple[Array, Array]:
            pairs = zip(rooms.rows.get(place, (None, None)), rows, strict=True)
            keys, values = rows_by_place[place] = tuple(_with_rows(room, first, array, free) for room, array in pairs)
            return keys[..., :end, :], values[..., :end, :]

        for i, layer in enumerate(self.layers):

            def attend(heads: MultiHead, text: Array, *_: Any, i: int = i, **__: Any) -> Array:
                texts, rule, groups = (text, text, text), NoMask(), enumerate(heads.groups)
                return heads.joined(
                    [group.output(texts, rule, None, first, partial(extend, (i, j))) for j, group in groups]
                )

            words = layer.computed_with(attend, words).state
        if not free:
            return words, _Rooms(rows_by_place, end)
        rooms.rows, rooms.filled = rows_by_place, end
        return words, rooms


def _with_rows(room: Array, n: int, rows: Array, free: bool) -> Array:
    """The first n rows of a room and further ones behind them; NumPy's room doubles when it is full, or not free."""
    end = n + rows.shape[-2]
    if not isinstance(rows, np.ndarray):
        return rows if n == 0 else namespace(rows).concat([room[..., :n, :], rows], axis=-2)
    if n == 0 or not free or end > room.shape[-2]:
        larger = np.empty((*rows.shape[:-2], max(2 * n, end), rows.shape[-1]), rows.dtype)
        if n > 0:
            larger[..., :n, :] = room[..., :n, :]
        room = larger
    room[..., n:end, :] = rows
    return room


def multiplications(attention: MultiHead, n: int) -> dict[str, int]:
    """The numbers of multiplications in matrix products, see `products`, with a cache ("cached") and without ("anew").

    "word": for word n of a text, like n with a cache and n² without, where all n words are computed, each over all n.
    "text": for words 1 to n, one after the other, like n² and n³.
    """
    n, (maps, pair) = whole(n, "n"), products(attention)
    words, pairs = n * (n + 1) // 2, n * (n + 1) * (2 * n + 1) // 6  # Σ k and Σ k² for k = 1 … n
    word = {"word_cached": maps + n * pair, "word_anew": n * (maps + n * pair)}
    return word | {"text_cached": n * maps + words * pair, "text_anew": words * maps + pairs * pair}


def products(attention: MultiHead) -> tuple[int, int]:
    """The numbers of multiplications for the maps of one word, to queries, keys, values and output, and for one pair.

    A pair of a query and a key takes a score and a weighted value for each head.
    """
    maps = [*(affine for group in attention.groups for affine in group.maps), attention.out]
    pair = sum(head.query.dims[0] + head.value.dims[0] for head in attention.heads)
    return sum(affine.dims[0] * affine.dims[1] for affine in maps), pair


def _why_not(layer: Any) -> str:
    """The reason why a layer cannot be computed word by word, or ""."""
    if isinstance(layer, (Head, MultiHead)):
        heads = "heads" if isinstance(layer, MultiHead) else "ha.MultiHead([head], w_out)"
        return f"expected a layer, such as ha.transformer.AttentionLayer({heads}), not {type(layer).__name__}"
    if not isinstance(layer, Block):
        return f"expected a Block, not {type(layer).__name__}"
    if layer.cross is not None:
        return "a cross-attention reads another text, which this cache does not hold"
    for head in layer.attention.heads:
        mask, similarity = head.mask, head.retrieval.similarity
        if not similarity.by_pairs:
            return f"its similarity '{name_of(similarity)}' goes by the places of texts of one length"
        if not (head.bias is None or isinstance(head.bias, Alibi)):
            return "a bias that is an array fits texts of one length; expected an Alibi or None"
        if not isinstance(mask, PositionRule):
            name = "'none'" if isinstance(mask, NoMask) else f"'{name_of(mask)}'"
            name = name if isinstance(mask, MaskRule) else "an array"
            return f"a word may not see later ones; expected the mask 'causal', 'strict' or a window, not {name}"
    return ""
