"""kind = "attention": a text goes through layers of attention heads."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.scenario.fields import Problem, Text
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.layout import Layout
from hopattn.scenario.result import Labelled
from hopattn.scenario.vocabulary import (
    Encoding,
    Input,
    Positions,
    Space,
    Vocabulary,
    encoding,
    labels,
    spaces_problems,
    spaces_size,
    token_problems,
)
from hopattn.scenario.wiring import LayerTable
from hopattn.scenario.working import HEAD_ARRAYS, explain_layers
from hopattn.transformer import AttentionLayer, stack


class Attending(Spec):
    """What every kind with layers of attention has: words, parts, positions, layers."""

    vocabulary: Vocabulary | None = None
    spaces: dict[Text, Space] = Field(default_factory=dict)
    positions: Positions | None = None
    layer: Annotated[list[LayerTable], Field(min_length=1)]

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

    def layer_problems(self, coding: Encoding, shape: tuple[int, int], crossed: bool = False) -> Iterator[Problem]:
        """What does not fit in the layers, for so many queries and keys."""
        for i, layer in enumerate(self.layer):
            yield from layer.problems(coding, shape, crossed, ("layer", i))


class Attention(Attending):
    """A text and the layers of attention that it goes through."""

    telling: ClassVar[tuple[str, ...]] = ("weights", "state")
    kind: Literal["attention"]
    input: Input

    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        yield from token_problems(self.input.tokens, coding.words, ("input", "tokens"))
        yield from token_problems(self.input.queries or [], coding.words, ("input", "queries"))
        yield from self.layer_problems(coding, self._shape, self.input.queries is not None)

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.input.queries or self.input.tokens), len(self.input.tokens)

    def size(self) -> int:
        heads = sum(len(layer.head) for layer in self.layer)
        n, m = self._shape
        return heads * (2 * n * m + 4 * max(n, m) * self.dim + 4 * self.dim**2)

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
        coding = self.encoding
        source = None if self.input.queries is None else coding.encode(self.input.tokens)
        text = coding.encode(self.input.queries or self.input.tokens)
        rows, columns = labels(self.input.queries or self.input.tokens), labels(self.input.tokens)
        layers = self.layers(coding, self._shape, source is not None)
        arrays = {"input": Labelled(text, ("token", "axis"), (rows, coding.axes))}
        if source is not None:
            arrays["source"] = Labelled(source, ("token", "axis"), (columns, coding.axes))
        for i, found in enumerate(stack(layers, text, source=source), start=1):
            for j, head in enumerate(found.heads, start=1):
                for what in HEAD_ARRAYS:
                    arrays[f"layer {i} head {j} {what}"] = _labelled(what, getattr(head, what), rows, columns, coding)
            arrays[f"layer {i} output"] = Labelled(found.output, ("token", "axis"), (rows, coding.axes))
            arrays[f"layer {i} state"] = Labelled(found.state, ("token", "axis"), (rows, coding.axes))
        return arrays

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        yield from explain_layers(self.layer, self.encoding, arrays, crossed=self.input.queries is not None)


def _labelled(what: str, values: Any, rows: tuple[str, ...], columns: tuple[str, ...], coding: Encoding) -> Labelled:
    if what in ("scores", "mask", "weights"):
        square = np.broadcast_to(True if values is None else values, (len(rows), len(columns)))
        return Labelled(square, ("query", "key"), (rows, columns))
    own = rows if what in ("queries", "output") else columns
    wide = coding.axes if values.shape[-1] == coding.dim else tuple(str(i + 1) for i in range(values.shape[-1]))
    return Labelled(np.asarray(values), ("token", "axis"), (own, wide))
