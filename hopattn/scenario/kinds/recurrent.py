"""kind = "recurrent": a recurrent network reads a text, and a decoder with attention writes another one."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from hopattn.foundation.errors import unknown
from hopattn.foundation.vectors import linear
from hopattn.results.labelled import Labelled
from hopattn.scenario.expectations.vectors import nearest_words
from hopattn.scenario.explain.recurrent import explain_reading, explain_writing
from hopattn.scenario.kinds.encoded import OneText
from hopattn.scenario.language.array_layout import ArraySpec, Axis, numbers
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.language.occurrence import labels
from hopattn.scenario.parts.recurrent import CellTable, RecurrentDecoderTable
from hopattn.scenario.words.text import token_problems
from hopattn.scenario.words.vocabulary import WORD, Encoding


class RecurrentScenario(OneText):
    """A text that a recurrent network reads, and a decoder with attention that writes about it."""

    name: ClassVar[str] = "recurrent"
    shown_arrays: ClassVar[tuple[str, ...]] = ("states", "weights", "state", "reads")
    main_table: ClassVar[str] = "cell"
    kind: Literal["recurrent"]
    cell: CellTable
    """The recurrent network that reads."""
    decoder: RecurrentDecoderTable | None = None
    """The decoder with attention that writes; without it, the network only reads."""

    @property
    def _dims(self) -> tuple[int, int]:
        """The elements of a word, and the neurons of the network."""
        return self.dim, self.cell.neurons(self.dim)

    @property
    def rows(self) -> tuple[str, ...]:
        return labels(self.input.tokens if self.decoder is None else self.decoder.writes)

    def part_problems(self) -> Iterator[Problem]:
        yield from super().part_problems()
        for part in self.spaces:
            if part != WORD:
                yield Problem(("spaces", part), f"is not read: a recurrent network has the part '{WORD}' alone")

    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        words, (dim, neurons) = coding.words, self._dims
        yield from self.input.problems_of_tokens(words)
        yield from self.cell.problems(dim, ("cell",))
        if self.decoder is not None:
            yield from token_problems(self.decoder.writes, words, ("decoder", "writes"))
            if self.decoder.first is not None and self.decoder.first not in words:
                yield Problem(("decoder", "first"), unknown(self.decoder.first, words))
            yield from self.decoder.decoder_problems(dim, neurons, ("decoder",))

    def size(self) -> int:
        (dim, neurons), read = self._dims, len(self.input.tokens)
        reading = neurons * (dim + neurons) + read * (dim + 2 * neurons)
        if self.decoder is None:
            return reading
        own, written = self.decoder.neurons(dim, neurons), len(self.decoder.writes)
        return reading + own * (2 * dim + neurons + own) + written * (4 * read + 2 * dim + 2 * own + neurons)

    def declared_arrays(self) -> Iterator[ArraySpec]:
        dim, neurons = self._dims
        axis: Axis = ("axis", self.encoding.axes)
        own = self._neurons(neurons, self.cell.w_input)
        read, row = ("token", labels(self.input.tokens)), ("token", self.rows)
        if self.decoder is None:
            yield ArraySpec("input", (read, axis))
            yield ArraySpec("state", (read, own))
            return
        square = (("query", row[1]), ("key", read[1]))
        yield ArraySpec("source", (read, axis), referable=False)
        yield ArraySpec("previous", (row, axis), referable=False)
        yield ArraySpec("states", (read, own))
        yield ArraySpec("scores", square)
        yield ArraySpec("weights", square)
        yield ArraySpec("context", (row, own))
        yield ArraySpec("state", (row, self._neurons(self.decoder.neurons(dim, neurons))))
        if self.decoder.read_out is not None:
            yield ArraySpec("output", (row, axis))
            yield ArraySpec("reads", (row,), referable=False, measured=False)

    def _neurons(self, count: int, w_input: object = None) -> Axis:
        """The axis of states; neurons that each hear one element of a word have the names of these."""
        named = isinstance(w_input, float) and bool(w_input)
        return "neuron", self.encoding.axes if named else numbers(count)

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        dim, neurons = self._dims
        words = self.encoding.encode(self.input.tokens)
        states = np.asarray(self.cell.build(dim)(words, self.cell.start))
        if self.decoder is None:
            return {"input": words, "state": states}
        table = self.decoder
        first = np.zeros((1, dim)) if table.first is None else self.encoding.encode([table.first])
        previous = np.concatenate([first, self.encoding.encode(table.writes)[:-1]])
        trace = table.build_decoder(dim, neurons).trace(previous, states, start=table.start)
        arrays: dict[str, Any] = {"source": words, "previous": previous, "states": states, "scores": trace.scores}
        arrays |= {"weights": trace.weights, "context": trace.contexts, "state": trace.states}
        if (matrix := table.read_matrix(dim, trace.states.shape[1])) is not None:
            arrays["output"] = linear(trace.states, matrix)
            nearest = [nearest_words(row, self.encoding.words) for row in arrays["output"]]
            arrays["reads"] = [" and ".join(words[:4]) or "nothing" for words in nearest]
        return arrays

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        dim, neurons = self._dims
        words, states = ("input", "state") if self.decoder is None else ("source", "states")
        yield from explain_reading(self.cell.build(dim), arrays[words], arrays[states], self.cell.start)
        if self.decoder is not None:
            yield from explain_writing(self.decoder.build_decoder(dim, neurons), arrays, self.decoder.start)
