"""kind = "attention": a text goes through layers of attention heads."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.foundation.labelled import Labelled
from hopattn.scenario.explain.attention import HEAD_ARRAYS, explain_layers
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import Layout
from hopattn.scenario.language.fields import Problem, Text
from hopattn.scenario.parts.layers import LayerTable
from hopattn.scenario.words.text import Input, labels
from hopattn.scenario.words.vocabulary import (
    Encoding,
    Positions,
    Space,
    Vocabulary,
    encoding,
    spaces_problems,
    spaces_size,
)
from hopattn.transformer.layers import AttentionLayer, stack


class Attending(Spec):
    """What every kind with layers of attention has: words, parts, positions, layers."""

    vocabulary: Vocabulary | None = None
    """The words as vectors."""
    spaces: dict[Text, Space] = Field(default_factory=dict)
    """The named parts of a vector."""
    positions: Positions | None = None
    """Where in the text a word stands, as points on a circle."""
    layer: Annotated[list[LayerTable], Field(min_length=1)]
    """The layers of attention, in their order."""

    @property
    def encoding(self) -> Encoding:
        """How tokens become vectors."""
        return encoding(self.spaces, self.vocabulary, self.positions)

    @property
    def dim(self) -> int:
        """The number of elements of a vector, counted before any is made."""
        return spaces_size(self.spaces, self.vocabulary)

    def part_problems(self) -> Iterator[Problem]:
        return spaces_problems(self.spaces, self.vocabulary, self.positions)

    def fit_problems(self) -> Iterator[Problem]:
        if self.vocabulary is not None:
            yield from self.vocabulary.problems()
        yield from self.text_problems(self.encoding)

    @abstractmethod
    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        """What is wrong with the text and the layers."""

    def layers(self, coding: Encoding, shape: tuple[int, int], crossed: bool = False) -> list[AttentionLayer]:
        """The layers, for so many queries and keys."""
        return [layer.build(coding, crossed, shape) for layer in self.layer]

    def traced(
        self,
        coding: Encoding,
        batch: np.ndarray,
        tokens: Sequence[str],
        seen: np.ndarray | None = None,
        source: np.ndarray | None = None,
        read: Sequence[str] = (),
    ) -> dict[str, Labelled]:
        """What the layers make of a batch `(n_texts, n, dim)`, told for its first text by name.

        seen: which words are not padding. source, read: the other text that is looked at, and its words.
        """
        rows, columns = labels(tokens), labels(read or tokens)
        arrays = {"input": Labelled(batch[0], ("token", "axis"), (rows, coding.axes))}
        if source is not None:
            arrays["source"] = Labelled(source, ("token", "axis"), (columns, coding.axes))
        layers = self.layers(coding, (len(rows), len(columns)), source is not None)
        for i, found in enumerate(stack(layers, batch, seen, source=source), start=1):
            for j, head in enumerate(found.heads, start=1):
                for what in HEAD_ARRAYS:
                    arrays[f"layer {i} head {j} {what}"] = _labelled(what, getattr(head, what), rows, columns, coding)
            arrays[f"layer {i} output"] = Labelled(_first(found.output, 2), ("token", "axis"), (rows, coding.axes))
            arrays[f"layer {i} state"] = Labelled(_first(found.state, 2), ("token", "axis"), (rows, coding.axes))
        return arrays

    def layer_problems(self, coding: Encoding, shape: tuple[int, int], crossed: bool = False) -> Iterator[Problem]:
        """What does not fit in the layers, for so many queries and keys."""
        for i, layer in enumerate(self.layer):
            yield from layer.problems(coding, shape, crossed, ("layer", i))


TEMPLATE = """\
# A word with two senses, and a word before it that tells which. Change the words, the text, and what must come out.
schema = 1
title = "my first attention"
source = "ours"                          # the document and section that it comes from
kind = "attention"

[vocabulary]
axes = ["cave", "cricket"]               # one name for each number of a vector
magnitude = "unit"                       # checked; "normalise" scales, "free" leaves vectors as they are
[vocabulary.words]
cave    = [1, 0]
cricket = [0, 1]
bat     = [0.6, 0.8]                     # half way between; .6² + .8² = 1

[input]
tokens = ["cave", "bat"]                 # the text

[[layer]]                                # more layers may follow
[[layer.head]]                           # more heads may follow
separation = "identity"                  # the raw similarity is the weight; "softmax" is a transformer's
mask = "strict"                          # previous words only; "causal" lets in the word itself

[[variant]]                              # the same with another text
name = "sport"
set = { "input.tokens" = ["cricket", "bat"] }

[[expect]]
at = "bat"
closer_to = "cave"
than = "cricket"
than_before = true                       # and closer than the bare word was

[[expect]]
variant = "sport"
at = "bat"
closer_to = "cricket"
than = "cave"

[[expect]]
weight = { from = "bat", to = "cave" }   # .6 × 1 + .8 × 0
is = 0.6
"""


class Attention(Attending):
    """A text and the layers of attention that it goes through."""

    telling: ClassVar[tuple[str, ...]] = ("weights", "state")
    template: ClassVar[str] = TEMPLATE
    kind: Literal["attention"]
    """Which kind of scenario it is."""
    input: Input
    """The text that goes in."""

    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        yield from self.input.problems(coding.words)
        yield from self.layer_problems(coding, self._shape, self.input.queries is not None)

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.input.queries or self.input.tokens), len(self.input.tokens)

    def size(self) -> int:
        heads = sum(len(layer.head) for layer in self.layer)
        n, m = self._shape
        texts = 1 + len(self.input.batch or [])
        return heads * (texts * (3 * n * m + 4 * max(n, m) * self.dim) + 4 * self.dim**2)

    def layout(self) -> Layout:
        coding, (n, m) = self.encoding, self._shape
        rows = labels(self.input.queries or self.input.tokens)
        shapes: dict[str, tuple[int, ...]] = {"input": (n, coding.dim)}
        for i, layer in enumerate(self.layer, start=1):
            for j, head in enumerate(layer.head, start=1):
                dim = len(head.projection("query").array(coding))
                own = [(n, dim), (m, dim), (m, coding.dim), (n, m), (n, m), (n, m), (n, coding.dim)]
                shapes |= {f"layer {i} head {j} {what}": shape for what, shape in zip(HEAD_ARRAYS, own, strict=True)}
            shapes |= {f"layer {i} output": (n, coding.dim), f"layer {i} state": (n, coding.dim)}
        return Layout(rows, labels(self.input.tokens), coding.words, coding.parts, shapes)

    def compute(self, rng: np.random.Generator) -> dict[str, Labelled]:
        coding, asked = self.encoding, self.input
        seen = None if asked.padding is None else np.stack([asked.words_only(text) for text in asked.texts()])
        if asked.queries is None:
            batch = np.stack([coding.encode(text) for text in asked.texts()])
            return self.traced(coding, batch, asked.tokens, seen)
        source = coding.encode(asked.tokens)
        return self.traced(coding, coding.encode(asked.queries)[None], asked.queries, seen, source, asked.tokens)

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        yield from explain_layers(self.layer, self.encoding, arrays, crossed=self.input.queries is not None)


def _labelled(what: str, values: Any, rows: tuple[str, ...], columns: tuple[str, ...], coding: Encoding) -> Labelled:
    """A head's array for the first text of the batch, which is the one that is told of."""
    if what in ("scores", "mask", "weights"):
        square = np.broadcast_to(True if values is None else values, (*np.shape(values)[:-2], len(rows), len(columns)))
        return Labelled(_first(square, 2), ("query", "key"), (rows, columns))
    own = _first(values, 2)
    wide = coding.axes if own.shape[-1] == coding.dim else tuple(str(i + 1) for i in range(own.shape[-1]))
    return Labelled(own, ("token", "axis"), (rows if what in ("queries", "output") else columns, wide))


def _first(array: Any, n_axes: int) -> np.ndarray:
    """The first text's part of an array that may have a batch axis."""
    values = np.asarray(array)
    return values[0] if values.ndim > n_axes else values
