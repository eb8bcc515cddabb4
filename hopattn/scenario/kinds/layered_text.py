"""The base of the kinds with layers of attention: the keys that they share, and the trace of a text."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from hopattn.foundation.labelled import Labelled
from hopattn.scenario.explain.attention import head_arrays
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArrayLayout, ArraySpec, Axis, Labels, all_labelled, shapes
from hopattn.scenario.language.fields import Problem, Text
from hopattn.scenario.parts.layers import LayerTable
from hopattn.scenario.words.positions import Positions
from hopattn.scenario.words.text import Input, labels
from hopattn.scenario.words.vocabulary import (
    Encoding,
    Space,
    Vocabulary,
    encoding,
    spaces_problems,
    spaces_size,
)
from hopattn.transformer.layers import Layer, stack

SQUARE = ("scores", "bias", "mask", "weights")
"""The arrays of a head with one row for each query and one column for each key."""


class AttentionSpec(Spec):
    """The base of the kinds with layers of attention: words, parts of a vector, positions, layers."""

    vocabulary: Vocabulary | None = None
    """The words as vectors."""
    spaces: dict[Text, Space] = Field(default_factory=dict)
    """The named parts of a vector."""
    positions: Positions | None = None
    """The position of each word in the text, as a vector."""
    layer: Annotated[list[LayerTable], Field(min_length=1)]
    """The layers of attention, in their order."""

    @property
    def encoding(self) -> Encoding:
        """The encoding of tokens as vectors."""
        return encoding(self.spaces, self.vocabulary, self.positions)

    @property
    def dim(self) -> int:
        """The number of elements of a vector, counted before any vector is built."""
        return spaces_size(self.spaces, self.vocabulary)

    def part_problems(self) -> Iterator[Problem]:
        return spaces_problems(self.spaces, self.vocabulary, self.positions)

    def fit_problems(self) -> Iterator[Problem]:
        if self.vocabulary is not None:
            yield from self.vocabulary.problems()
        yield from self.text_problems(self.encoding)

    @abstractmethod
    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        """Problems with the text and the layers."""

    def layers(self, coding: Encoding, shape: tuple[int, int], crossed: bool = False) -> list[Layer]:
        """The layers of attention.

        shape: `(n_queries, n_keys)`. crossed: the queries come from another text than the keys (cross-attention).
        """
        return [layer.build(coding, crossed, shape) for layer in self.layer]

    def trace_arrays(self, coding: Encoding, rows: Labels, columns: Labels, crossed: bool) -> Iterator[ArraySpec]:
        """The declaration of the arrays that `trace` computes.

        rows, columns: the labels of the queries and of the keys. crossed: as for `layers`.
        """
        token, read, axis = ("token", rows), ("token", columns), ("axis", coding.axes)
        yield ArraySpec("input", (token, axis))
        if crossed:
            yield ArraySpec("source", (read, axis), referable=False)
        for i, layer in enumerate(self.layer, start=1):
            for j, head in enumerate(layer.heads, start=1):
                dim, width = len(head.projection("query").array(coding)), layer.width(head, coding)
                square = (("query", rows), ("key", columns))
                compared = _axis(dim, coding)
                value = _axis(width, coding) if layer.mapped else axis
                axes = {"queries": (token, compared), "keys": (read, compared), "values": (read, value)}
                axes |= dict.fromkeys(SQUARE, square) | {"output": (token, value)}
                yield from (ArraySpec(f"layer {i} head {j} {name}", axes[name]) for name in head_arrays(head))
            yield ArraySpec(f"layer {i} output", (token, axis))
            for name in layer.own_arrays():
                hidden = ("hidden", tuple(str(k + 1) for k in range(layer.hidden())))
                yield ArraySpec(f"layer {i} {name}", (token, hidden if name == "hidden" else axis))
            yield ArraySpec(f"layer {i} state", (token, axis))

    def trace(
        self,
        coding: Encoding,
        batch: np.ndarray,
        visible: np.ndarray | None = None,
        source: np.ndarray | None = None,
    ) -> dict[str, np.ndarray]:
        """Every array that the layers compute for the first text of a batch, by name.

        batch: `(n_texts, n, dim)`. visible: the keys that are not padding, `(n_texts, 1, n_keys)`. source: the text
        that keys and values are read from, `(n_keys, dim)`; by default each text reads itself.
        """
        shape = batch.shape[1], batch.shape[1] if source is None else len(source)
        arrays = {"input": batch[0]} | ({} if source is None else {"source": source})
        layers = self.layers(coding, shape, source is not None)
        traces = stack(layers, batch, visible, source=source)
        for i, (table, layer) in enumerate(zip(self.layer, traces, strict=True), start=1):
            for j, head in enumerate(layer.heads, start=1):
                for name in head_arrays(head):
                    array = _of_first_text(getattr(head, name))
                    arrays[f"layer {i} head {j} {name}"] = np.broadcast_to(array, shape) if name in SQUARE else array
            for name in ("output", *table.own_arrays(), "state"):
                arrays[f"layer {i} {name}"] = _of_first_text(getattr(layer, name))
        return arrays

    def length_problems(self, n: int) -> Iterator[Problem]:
        """The problem of positions that do not reach over a text of n words."""
        if self.positions is not None:
            yield from self.positions.length_problems(n)

    def layers_size(self, n: int, m: int, texts: int) -> int:
        """An estimate of the number of array entries for texts of n queries and m keys."""
        heads = sum(layer.n_heads for layer in self.layer)
        inner = [layer.feed_forward.inner for layer in self.layer if layer.feed_forward is not None]
        neurons = sum(map(len, inner)) * (texts * n + 2 * self.dim) + 5 * texts * n * self.dim * len(self.layer)
        return heads * (texts * (3 * n * m + 4 * max(n, m) * self.dim) + 4 * self.dim**2) + neurons

    def layer_problems(self, coding: Encoding, shape: tuple[int, int], crossed: bool = False) -> Iterator[Problem]:
        """Problems with the layers; shape and crossed: as for `layers`."""
        for i, layer in enumerate(self.layer):
            yield from layer.problems(coding, shape, crossed, ("layer", i))


class TextSpec(AttentionSpec):
    """The base of the kinds in which one text goes through the layers."""

    input: Input
    """The text that goes in."""

    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        yield from self.input.problems(coding.words)
        yield from self.length_problems(max(self._shape))
        yield from self.layer_problems(coding, self._shape, self.input.queries is not None)

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.input.queries or self.input.tokens), len(self.input.tokens)

    def size(self) -> int:
        return self.layers_size(*self._shape, texts=1 + len(self.input.batch or []))

    @property
    def _rows(self) -> tuple[str, ...]:
        return labels(self.input.queries or self.input.tokens)

    def declared_arrays(self) -> list[ArraySpec]:
        columns = labels(self.input.tokens)
        return [*self.trace_arrays(self.encoding, self._rows, columns, self.input.queries is not None)]

    def layout(self) -> ArrayLayout:
        coding, tokens = self.encoding, self.input.tokens
        return ArrayLayout(self._rows, labels(tokens), coding.words, coding.parts, shapes(self.declared_arrays()))

    def visible(self) -> np.ndarray | None:
        """A mask for all heads besides their own: the keys that are not padding, `(n_texts, 1, n_keys)`, or None."""
        given = self.input
        return None if given.padding is None else np.stack([given.words_only(text) for text in given.texts()])

    def compute(self, rng: np.random.Generator) -> dict[str, Labelled]:
        coding, given, visible = self.encoding, self.input, self.visible()
        if given.queries is None:
            batch = np.stack([coding.encode(text) for text in given.texts()])
            arrays = self.trace(coding, batch, visible)
        else:
            arrays = self.trace(coding, coding.encode(given.queries)[None], visible, coding.encode(given.tokens))
        return all_labelled(arrays, TextSpec.declared_arrays(self))


def _axis(size: int, coding: Encoding) -> Axis:
    """The axis of a query, key or value: that of the words if it is as long as these, else numbered elements."""
    return "axis", coding.axes if size == coding.dim else tuple(str(k + 1) for k in range(size))


def _of_first_text(array: Any) -> np.ndarray:
    """A quantity of a head or layer for the first text; a mask of None lets every query attend to every key."""
    values = np.asarray(True if array is None else array)
    return values[0] if values.ndim > 2 else values
