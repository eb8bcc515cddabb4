"""kind = "messages": a text goes through layers of attention as messages on a graph of its words.

A word is a node. An edge from word j to word i says that i may attend to j; a mask is the edges that are missing. Along
each edge goes the message p_ij v_j, and a word receives the sum of its messages.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from hopattn.foundation.writing import counted, number
from hopattn.results.labelled import Labelled
from hopattn.scenario.explain.arithmetic import equals, vector, written
from hopattn.scenario.explain.attention import explain_layers
from hopattn.scenario.kinds.layered_text import TextSpec
from hopattn.scenario.language.array_layout import ArrayLayout, ArraySpec
from hopattn.scenario.language.array_name import ArrayName
from hopattn.scenario.language.common_problems import duplicate_problems
from hopattn.scenario.language.fields import Problem, Table, Text
from hopattn.scenario.language.occurrence import labels
from hopattn.scenario.words.vocabulary import Encoding
from hopattn.transformer.message_passing import MessageTrace, layer_by_messages

MEASURES = ("edges", "difference")
NUMBERS_OF_AN_EDGE = 60
"""The memory that an edge of a graph takes, in numbers of 8 bytes."""
EXPLAINED = 40
"""The largest number of edges of a head that are explained."""


def _two_words(value: Any) -> Any:
    """An edge with another number of words than two is refused with one message."""
    if isinstance(value, list) and len(value) != 2:
        message = f"{counted(len(value), 'word')}; expected two words, [who attends, to whom]"
        raise PydanticCustomError("edge", "{message}", {"message": message})
    return value


Edge = Annotated[list[Text], Field(min_length=2, max_length=2), BeforeValidator(_two_words)]


class GraphTable(Table):
    """The graph of the words, written out."""

    edges: Annotated[list[Edge], Field(min_length=1)]
    """The edges, ["banks", "financial"] for banks that attends to financial: the message goes from financial to banks.
    The mask of each head is then "none"."""

    def problems(self, rows: tuple[str, ...], columns: tuple[str, ...]) -> Iterator[Problem]:
        """Words that are not in the text, and edges that are listed twice."""
        both = ArrayLayout(rows=rows)
        for i, (reader, read) in enumerate(self.edges):
            yield from both.row_problem(reader, ("graph", "edges", i))
            yield from both.row_problem(read, ("graph", "edges", i), columns)
        yield from duplicate_problems([f"{reader} → {read}" for reader, read in self.edges], ("graph", "edges"))

    def mask(self, rows: tuple[str, ...], columns: tuple[str, ...]) -> np.ndarray:
        """True where there is an edge, `(n_queries, n_keys)`; `problems` must have found none."""
        layout, allowed = ArrayLayout(rows=rows), np.zeros((len(rows), len(columns)), dtype=bool)
        for reader, read in self.edges:
            allowed[layout.index(reader), layout.index(read, columns)] = True
        return allowed


class Messages(TextSpec):
    """A text whose words pass messages to each other on a graph."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("weights", "messages", "state", *MEASURES)
    kind: Literal["messages"]
    graph: GraphTable | None = None
    """The edges between the words; by default those that the masks of the heads allow."""

    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        yield from super().text_problems(coding)
        yield from self.input.attention_key_problems(("batch",))
        if self.graph is not None:
            yield from self.graph.problems(self.rows, labels(self.input.tokens))
        for i, layer in enumerate(self.layer):
            for j, head in enumerate(layer.head):
                path = ("layer", i, "head", j)
                for key in ("scores", "weights", "bias"):
                    if getattr(head, key) is not None:
                        yield Problem((*path, key), "goes by places, which a graph has not; give query and key")
                if self.graph is not None and head.mask != "none" and not (self.crossed and head.mask is None):
                    yield Problem((*path, "mask"), 'the edges say who attends to whom; write mask = "none"')

    def size(self) -> int:
        n, m = self._shape
        return super().size() + NUMBERS_OF_AN_EDGE * n * m * sum(layer.n_heads for layer in self.layer)

    def visible(self) -> np.ndarray | None:
        """A mask for all heads besides their own, `(1, n_queries or 1, n_keys)`: the padding, and missing edges."""
        words = super().visible()
        edges = None if self.graph is None else self.graph.mask(self.rows, labels(self.input.tokens))[None]
        return edges if words is None else words if edges is None else words & edges

    def declared_arrays(self) -> Iterator[ArraySpec]:
        for array in super().declared_arrays():
            yield array
            name = ArrayName.parse(array.name)
            if name.head is not None and name.quantity == "output":
                yield replace(array, name=str(replace(name, quantity="messages")))
        yield from map(ArraySpec, MEASURES)

    def compute(self, rng: np.random.Generator) -> dict[str, Any]:
        arrays = super().compute(rng)
        edges, apart = 0, [0.0]
        for i, passed in enumerate(self._passed(), start=1):
            apart.append(np.max(np.abs(passed.state - arrays[f"layer {i} state"])))
            for j, (graph, messages) in enumerate(zip(passed.graphs, passed.messages, strict=True), start=1):
                edges += graph.number_of_edges()
                arrays[f"layer {i} head {j} messages"] = messages
                apart.append(np.max(np.abs(messages - arrays[f"layer {i} head {j} output"])))
        return arrays | {"edges": edges, "difference": np.max(apart)}

    def _passed(self) -> Iterator[MessageTrace]:
        """Each layer by messages; it is fed with what the messages of the layer before gave."""
        coding, given, visible = self.encoding, self.input, self.visible()
        source = None if given.queries is None else coding.encode(given.tokens)
        words = coding.encode(given.queries or given.tokens)
        for layer in self.layers(coding, self._shape, source is not None):
            passed = layer_by_messages(layer, words, None if visible is None else visible[0], source=source)
            words = passed.state
            yield passed

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        yield from explain_layers(self.layer, self.encoding, arrays, crossed=self.crossed)
        for place in self.heads():
            yield f"{place}, as messages:"
            yield from self._explained(*(arrays[f"{place} {name}"] for name in ("weights", "mask", "values")))
        difference = number(float(arrays["difference"].values))
        yield f"{arrays['edges'].values} edges; the largest difference from the matrix form is {difference}"

    @staticmethod
    def _explained(weights: Labelled, mask: Labelled, values: Labelled) -> Iterator[str]:
        """The message along each edge of a head."""
        rows, columns = weights.labels
        edges = np.argwhere(mask.values)
        for i, j in edges[:EXPLAINED]:
            weight, value = weights.values[i, j], values.values[j]
            sign = equals(weight * value, written(weight) * written(value))
            product = f"{number(weight)}×{vector(value)} {sign} {vector(weight * value)}"
            yield f"  {columns[j]} → {rows[i]}: {product}"
        if len(edges) > EXPLAINED:
            yield f"  … {len(edges)} edges in all"
