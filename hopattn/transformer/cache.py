"""The key–value cache: a text that grows word by word, whose keys and values are computed once.

Under a causal mask the words before do not change when a word is added. A new word costs its own maps and one row of
scores; without the cache, every word would be computed again.
"""

from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.boundary import Fit, Owner, Text, finite, public
from hopattn.foundation.checks import entries_of, whole
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import name_of
from hopattn.positions.distance_biases import Alibi
from hopattn.retrieval.masks import NO_MASK, MaskRule, NoMask, PositionRule, joint
from hopattn.transformer.blocks import Block
from hopattn.transformer.heads import Group, Head
from hopattn.transformer.multi_head import MultiHead
from hopattn.transformer.scaled_dot_product import Texts


class Rows:
    """The rows of a text that grows, `(…, n, dim)`: they never change, and further ones give the next object.

    room: a NumPy array with room behind the rows, which objects that follow each other share.
    """

    def __init__(self, room: Array, n: int) -> None:
        self.room, self.n, self.last = room, n, True

    @property
    def array(self) -> Array:
        """The rows, `(…, n, dim)`."""
        return self.room[..., : self.n, :]

    def extended(self, rows: Array) -> "Rows":
        """The rows with further ones behind them; the room doubles when it is full, or is used by others already."""
        n, end = self.n, self.n + rows.shape[-2]
        if not isinstance(rows, np.ndarray):
            return Rows(namespace(rows).concat([self.room, rows], axis=-2), end)
        room = self.room
        if not self.last or end > room.shape[-2]:
            room = np.empty((*rows.shape[:-2], max(2 * n, end), rows.shape[-1]), rows.dtype)
            room[..., :n, :] = self.array
        room[..., n:end, :], self.last = rows, False
        return Rows(room, end)


@dataclass(frozen=True, eq=False, repr=False)
class KeyValueCache(Owner):
    """The keys and values of the words so far, for each of the layers of a decoder.

    Parameters
    ----------
    layers
        blocks without a cross-attention, such as `AttentionLayer`, whose heads have a mask by position ("causal",
        "strict" or a window): a word then never sees a later one. length: the number of words so far. `append` gives
        the next cache and leaves this one as it is.

    Raises
    ------
    InvalidInput : for other layers.

    Notes
    -----
    Source: Shazeer (2019), arXiv:1911.02150.

    Examples
    --------
    >>> import numpy as np, hopattn as ha
    >>> layer = ha.transformer.AttentionLayer(ha.MultiHead([ha.Head(*[np.eye(2)] * 3, mask="causal")], np.eye(2)))
    >>> text, cache = np.eye(2), ha.KeyValueCache([layer])
    >>> one, cache = cache.append(text[:1])
    >>> two, cache = cache.append(text[1:])
    >>> bool(np.allclose(np.concatenate([one, two]), layer(text)))
    True
    """

    layers: Sequence[Block]
    length: int = field(default=0, init=False)
    _leading: tuple[int, ...] = field(default=(), init=False)
    _rows: tuple[tuple[Rows, Rows], ...] = field(default=(), init=False)
    """The keys and values of each group of heads, one layer after the other; none before the first word."""

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
        output, rows = self._output_and_rows(x)
        cache = copy(self)
        for name, value in (("length", end), ("_leading", leading), ("_rows", rows)):
            object.__setattr__(cache, name, value)
        return output, cache

    @public(may_be=finite)
    def _output_and_rows(self, words: Array) -> tuple[Array, tuple[tuple[Rows, Rows], ...]]:
        """The output for further words, and the keys and values with theirs."""
        rows_so_far, rows = iter(self._rows), list[tuple[Rows, Rows]]()

        def attend(heads: MultiHead, text: Array, *_: Any, **__: Any) -> Array:
            return heads.joined([of_group(group, text) for group in heads.groups])

        def of_group(group: Group, text: Array) -> Array:
            queries, *further = group.mapped(Texts(text, text, text), self.length)
            pair = next(rows_so_far, None) or [Rows(array[..., :0, :], 0) for array in further]
            keys, values = (part.extended(array) for part, array in zip(pair, further, strict=True))
            rows.append((keys, values))
            rule, shape = group.heads[0].mask, (queries.shape[-2], keys.n)
            if shape[0] == 1 and rule.array(*shape).all():
                rule = NO_MASK  # under a causal mask, the last word sees every key
            return group.read(queries, keys.array, values.array, joint(rule, bias=group.bias(shape, keys.array)))

        for layer in self.layers:
            words = layer.computed_with(attend, words).state
        return words, tuple(rows)


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
