"""kind = "recurrent": a recurrent network reads a text, and a decoder with attention writes another one."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.foundation.errors import unknown
from hopattn.foundation.vectors import linear
from hopattn.results.labelled import Labelled
from hopattn.scenario.expectations.vectors import nearest_words
from hopattn.scenario.explain.recurrent import explain_reading, explain_writing
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArrayLayout, ArraySpec, Axis, all_labelled, shapes
from hopattn.scenario.language.fields import Problem, Text
from hopattn.scenario.language.lines import Path
from hopattn.scenario.parts.recurrent import CellTable, RecurrentDecoderTable
from hopattn.scenario.words.text import Input, labels, token_problems
from hopattn.scenario.words.vocabulary import (
    WORD,
    Encoding,
    Space,
    Vocabulary,
    encoding,
    spaces_problems,
    spaces_size,
)


class RecurrentScenario(Spec):
    """A text that a recurrent network reads, and a decoder with attention that writes about it."""

    name: ClassVar[str] = "recurrent"
    shown_arrays: ClassVar[tuple[str, ...]] = ("states", "weights", "state", "reads")
    main_table: ClassVar[str] = "cell"
    kind: Literal["recurrent"]
    vocabulary: Vocabulary | None = None
    """The words as vectors."""
    spaces: dict[Text, Space] = Field(default_factory=dict)
    """The words alone, `word = ["cats", "mice"]`: one element for each, in place of a vocabulary."""
    input: Input
    """The text that is read."""
    cell: CellTable
    """The recurrent network that reads."""
    decoder: RecurrentDecoderTable | None = None
    """The decoder with attention that writes; without it, the network only reads."""

    @cached_property
    def _coding(self) -> Encoding:
        return encoding(self.spaces, self.vocabulary, None)

    @property
    def _dims(self) -> tuple[int, int]:
        """The elements of a word, and the neurons of the network."""
        dim = spaces_size(self.spaces, self.vocabulary)
        return dim, self.cell.neurons(dim)

    def part_problems(self) -> Iterator[Problem]:
        yield from spaces_problems(self.spaces, self.vocabulary, None)
        for part in self.spaces:
            if part != WORD:
                yield Problem(("spaces", part), f"is not read: a recurrent network has the part '{WORD}' alone")

    def fit_problems(self) -> Iterator[Problem]:
        if self.vocabulary is not None:
            yield from self.vocabulary.problems()
        words, (dim, neurons) = self._coding.words, self._dims
        yield from token_problems(self.input.tokens, words, ("input", "tokens"))
        yield from self.input.attention_key_problems()
        yield from self.cell.problems(dim, ("cell",))
        if self.decoder is not None:
            yield from token_problems(self.decoder.writes, words, ("decoder", "writes"))
            if self.decoder.first is not None and self.decoder.first not in words:
                yield Problem(("decoder", "first"), unknown(self.decoder.first, words))
            yield from self.decoder.decoder_problems(dim, neurons, ("decoder",))

    def largest(self) -> tuple[Path, str]:
        return self.input.large(self._dims[0])

    def size(self) -> int:
        (dim, neurons), read = self._dims, len(self.input.tokens)
        reading = neurons * (dim + neurons) + read * (dim + 2 * neurons)
        if self.decoder is None:
            return reading
        own, written = self.decoder.decoder_neurons(dim, neurons), len(self.decoder.writes)
        return reading + own * (2 * dim + neurons + own) + written * (4 * read + 2 * dim + 2 * own + neurons)

    def declared_arrays(self) -> list[ArraySpec]:
        dim, neurons = self._dims
        axis: Axis = ("axis", self._coding.axes)
        own = self._neurons(neurons, self.cell.w_input)
        read: Axis = ("token", labels(self.input.tokens))
        if self.decoder is None:
            return [ArraySpec("input", (read, axis)), ArraySpec("state", (read, own))]
        row: Axis = ("token", labels(self.decoder.writes))
        square = (("query", row[1]), ("key", read[1]))
        writing = self._neurons(self.decoder.decoder_neurons(dim, neurons))
        axes = {"states": (read, own), "scores": square, "weights": square, "context": (row, own)}
        source = (ArraySpec(name, (of, axis), referable=False) for name, of in (("source", read), ("previous", row)))
        arrays = [*source, *(ArraySpec(name, of) for name, of in axes.items()), ArraySpec("state", (row, writing))]
        if self.decoder.read_out is not None:
            arrays += [ArraySpec("output", (row, axis)), ArraySpec("reads", (row,), referable=False, measured=False)]
        return arrays

    def _neurons(self, count: int, w_input: object = None) -> Axis:
        """The axis of states; neurons that each hear one element of a word have the names of these."""
        named = isinstance(w_input, float) and bool(w_input)
        return "neuron", self._coding.axes if named else tuple(str(i + 1) for i in range(count))

    def layout(self) -> ArrayLayout:
        tokens = labels(self.input.tokens)
        rows = tokens if self.decoder is None else labels(self.decoder.writes)
        coding = self._coding
        return ArrayLayout(rows, tokens, coding.words, coding.parts, shapes(self.declared_arrays()))

    def compute(self, rng: np.random.Generator) -> dict[str, Labelled]:
        dim, neurons = self._dims
        words = self._coding.encode(self.input.tokens)
        states = np.asarray(self.cell.build(dim)(words, self.cell.start))
        if self.decoder is None:
            return all_labelled({"input": words, "state": states}, self.declared_arrays())
        table = self.decoder
        first = np.zeros((1, dim)) if table.first is None else self._coding.encode([table.first])
        previous = np.concatenate([first, self._coding.encode(table.writes)[:-1]])
        trace = table.build_decoder(dim, neurons).trace(previous, states, start=table.start)
        arrays = {"source": words, "previous": previous, "states": states, "scores": trace.scores}
        arrays |= {"weights": trace.weights, "context": trace.contexts, "state": trace.states}
        if (matrix := table.read_matrix(dim, trace.states.shape[1])) is not None:
            arrays["output"] = linear(trace.states, matrix)
            nearest = [nearest_words(row, self._coding.words) for row in arrays["output"]]
            arrays["reads"] = np.array([" and ".join(words[:4]) or "nothing" for words in nearest])
        return all_labelled(arrays, self.declared_arrays())

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        dim, neurons = self._dims
        words, states = ("input", "state") if self.decoder is None else ("source", "states")
        yield from explain_reading(self.cell.build(dim), arrays[words], arrays[states], self.cell.start)
        if self.decoder is not None:
            yield from explain_writing(self.decoder.build_decoder(dim, neurons), arrays, self.decoder.start)
