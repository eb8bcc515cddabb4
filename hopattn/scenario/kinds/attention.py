"""kind = "attention": a text goes through layers of attention heads."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.results.labelled import Labelled
from hopattn.retrieval.interventions import Worth, lacking
from hopattn.scenario.explain.arithmetic import dot, in_parts, weighing
from hopattn.scenario.explain.attention import explain_layers
from hopattn.scenario.explain.interventions import explain_worth
from hopattn.scenario.explain.transformer_layer import explained_rows
from hopattn.scenario.kinds.layered_text import TextSpec
from hopattn.scenario.language.array_layout import ArrayLayout, ArraySpec
from hopattn.scenario.language.array_name import ArrayName
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.language.occurrence import labels
from hopattn.scenario.parts.heads import HeadTable
from hopattn.scenario.parts.readout import LOGITS, PROBABILITIES, ReadoutTable
from hopattn.scenario.parts.without import CLOSED, MEASURED, WORTH, WithoutToken, worth_arrays, worth_values
from hopattn.scenario.words.vocabulary import WORD, Encoding
from hopattn.transformer.blocks import Block
from hopattn.transformer.heads import Head
from hopattn.transformer.interventions import NO_STATES, worth


class Attention(TextSpec):
    """A text and the layers of attention that it goes through."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("weights", WORTH, CLOSED, MEASURED, "state", PROBABILITIES)
    kind: Literal["attention"]
    """Which kind of scenario it is."""
    readout: ReadoutTable | None = None
    """The read-out of the last state: a probability of each word."""
    without: list[WithoutToken] = Field(default_factory=list)
    """Tokens that are taken away, each for a run of its own."""

    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        sound = True
        for problem in super().text_problems(coding):
            sound = False
            yield problem
        if self.readout is not None:
            yield from self.readout.problems(coding)
        heads = [layer.n_heads for layer in self.layer]
        layout = ArrayLayout(self.rows, labels(self.input.tokens), coding.words)
        for i, table in enumerate(self.without if sound else []):
            yield from table.problems(layout, heads, ("without", i))

    def layers(self, coding: Encoding, shape: tuple[int, int], crossed: bool = False) -> list[Block]:
        built = super().layers(coding, shape, crossed)
        return built if self._taken is None else self._taken.applied(built, self.rows, self.input.tokens)

    def size(self) -> int:
        listed = self.spaces.get(WORD)
        words = len(listed) if isinstance(listed, list) else len(self.vocabulary.words) if self.vocabulary else 0
        return super().size() + (0 if self.readout is None else words * (3 * len(self.rows) + self.dim))

    def declared_arrays(self) -> Iterator[ArraySpec]:
        declared = [*super().declared_arrays()]
        yield from declared
        outputs = {array.name: array.axes for array in declared}
        for place, head, _ in self._heads_without():
            (name, rows), answer = outputs[f"{place} output"]
            own = rows if self._taken.at is None or isinstance(rows, int) else (rows[self._taken.row(rows)],)
            lacks = lacking(head.retrieval._effective_separation) | NO_STATES
            yield from worth_arrays(place, (name, own), answer, lacks)
        if self.readout is not None:
            axes = ("token", self.rows), ("word", tuple(self.encoding.words))
            yield from (ArraySpec(name, axes) for name in (LOGITS, PROBABILITIES))

    def compute(self, rng: np.random.Generator) -> dict[str, Any]:
        arrays = super().compute(rng)
        if self._taken is not None:
            row = self._taken.row(self.rows)
            rows = slice(None) if row is None else [row]
            for place, head, _ in self._heads_without():
                arrays |= worth_values(place, self._worth(head, place, arrays), rows)
        if self.readout is None:
            return arrays
        return arrays | self.readout.arrays(self.encoding, arrays[self._last])

    def _heads_without(self) -> Iterator[tuple[str, Head, HeadTable]]:
        """The heads from which a token is taken away: the place of each, the head with the token, and its table."""
        if self._taken is None:
            return
        for i, layer in enumerate(super().layers(self.encoding, self._shape, self.crossed), start=1):
            for j, head in enumerate(layer.attention.heads, start=1):
                if self._taken.is_at(i, j):
                    yield f"layer {i} head {j}", head, self.layer[i - 1].heads[j - 1]

    def _worth(self, head: Head, place: str, arrays: Mapping[str, Any]) -> Worth:
        """The worth of the token to the queries of a head, which reads the words of this run."""
        layer = ArrayName.parse(place).layer or 1
        before = arrays["input" if layer == 1 else f"layer {layer - 1} state"]
        text = arrays.get(f"layer {layer} normed", before)
        visible = self.visible()
        options = {"mask": None if visible is None else visible[0], "source": arrays.get("source")}
        return worth(head, text, self._taken.numbers(self.input.tokens), **options)

    @property
    def _last(self) -> str:
        """The name of the last state."""
        return f"layer {len(self.layer)} state"

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        yield from explain_layers(self.layer, self.encoding, arrays, crossed=self.crossed)
        values = {name: array.values for name, array in arrays.items()}
        for place, head, table in self._heads_without():
            found, numbers = self._worth(head, place, values), list(self._taken.numbers(self.input.tokens))
            value, tokens = table.projection("value"), labels(self.input.tokens)
            plain = value.matrix is None and value.scale == 1
            names = [tokens[j] if plain else f"value({tokens[j]})" for j in numbers]
            parts = self.encoding.parts if len(values[f"{place} values"][0]) == self.encoding.dim else {"": slice(None)}
            yield f"{place}, {self._taken.run}, from the same words:"
            for i in explained_rows(self.rows) if self._taken.at is None else [self._taken.row(self.rows)]:
                yield f"  {self.rows[i]}:"
                taken = values[f"{place} values"][numbers]
                lines = explain_worth(found, i, head.retrieval, names, taken, partial(in_parts, parts=parts))
                yield from (f"    {line}" for line in lines)
        if self.readout is not None:
            state, words = arrays[self._last], self.encoding.words
            yield f"the read-out of {state.labels[0][-1]}:"
            own = state.values[-1, self.encoding.parts[self.readout.part]]
            yield from (f"  {word}: {dot(own, vector)}" for word, vector in words.items())
            lines = weighing(self.readout.separation, arrays[LOGITS].values[-1].tolist(), [*words])
            yield from (f"  {line}" for line in lines)
