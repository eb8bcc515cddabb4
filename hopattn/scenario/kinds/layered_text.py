"""The base of the kinds with layers of attention: the keys that they share, and the trace of a text."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from hopattn.scenario.kinds.encoded import EncodedSpec, OneText
from hopattn.scenario.kinds.layer_arrays import layer_arrays, layer_values
from hopattn.scenario.language.array_layout import ArraySpec, Labels
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.language.occurrence import labels
from hopattn.scenario.parts.layers import LayerTable
from hopattn.scenario.words.vocabulary import Encoding
from hopattn.transformer.blocks import Block, stack
from hopattn.transformer.heads import Head


class AttentionSpec(EncodedSpec):
    """The base of the kinds with layers of attention over one text, or from some queries to a text."""

    layer: Annotated[list[LayerTable], Field(min_length=1)]
    """The layers of attention, in their order."""

    def layers(self, coding: Encoding, shape: tuple[int, int], crossed: bool = False) -> list[Block]:
        """The layers of attention.

        shape: `(n_queries, n_keys)`. crossed: the queries come from another text than the keys (cross-attention).
        """
        return [layer.build(coding, crossed, shape) for layer in self.layer]

    def trace_arrays(self, coding: Encoding, rows: Labels, columns: Labels, crossed: bool) -> Iterator[ArraySpec]:
        """The declaration of the arrays that `trace` computes.

        rows, columns: the labels of the queries and of the keys. crossed: as for `layers`.
        """
        axis = ("axis", coding.axes)
        yield ArraySpec("input", (("token", rows), axis))
        if crossed:
            yield ArraySpec("source", (("token", columns), axis), referable=False)
        for i, layer in enumerate(self.layer, start=1):
            yield from layer_arrays(f"layer {i}", layer, coding, rows, columns)

    def trace(
        self, coding: Encoding, batch: np.ndarray, visible: np.ndarray | None = None, source: np.ndarray | None = None
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
            arrays |= layer_values(f"layer {i}", table, layer, shape)
        return arrays

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


class TextSpec(OneText, AttentionSpec):
    """The base of the kinds in which one text goes through the layers."""

    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        yield from self.input.problems(coding.words)
        yield from self.length_problems(max(self._shape))
        yield from self.layer_problems(coding, self._shape, self.crossed)

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.input.queries or self.input.tokens), len(self.input.tokens)

    def size(self) -> int:
        return self.layers_size(*self._shape, texts=1 + len(self.input.batch or []))

    def declared_arrays(self) -> Iterable[ArraySpec]:
        columns = labels(self.input.tokens)
        return self.trace_arrays(self.encoding, self.rows, columns, self.crossed)

    def heads(self) -> Mapping[str, Head]:
        layers = self.layers(self.encoding, self._shape, self.crossed)
        return {
            f"layer {i} head {j}": head
            for i, layer in enumerate(layers, start=1)
            for j, head in enumerate(layer.attention.heads, start=1)
        }

    def visible(self) -> np.ndarray | None:
        """A mask for all heads besides their own: the keys that are not padding, `(n_texts, 1, n_keys)`, or None."""
        padding = self.input.padding
        words = [[[token != padding for token in text]] for text in self.input.texts()]
        return None if padding is None else np.array(words)

    def compute(self, rng: np.random.Generator) -> dict[str, Any]:
        coding, given, visible = self.encoding, self.input, self.visible()
        if given.queries is None:
            batch = np.stack([coding.encode(text) for text in given.texts()])
            return self.trace(coding, batch, visible)
        return self.trace(coding, coding.encode(given.queries)[None], visible, coding.encode(given.tokens))
