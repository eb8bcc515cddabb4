"""kind = "translation": an encoder reads a text, and a decoder writes another one, word by word."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.writing import number
from hopattn.results.labelled import Labelled
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.scenario.explain.attention import explain_layers
from hopattn.scenario.kinds.encoded import EncodedSpec, OneText
from hopattn.scenario.kinds.layer_arrays import layer_arrays, layer_values
from hopattn.scenario.language.array_layout import ArraySpec, numbers
from hopattn.scenario.language.array_name import ArrayName, of_text
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.language.occurrence import labels
from hopattn.scenario.parts.decoder_layers import DecoderLayerTable, decoded
from hopattn.scenario.parts.layers import LayerTable
from hopattn.scenario.parts.writing import WritingTable
from hopattn.scenario.words.vocabulary import Encoding
from hopattn.transformer.blocks import BlockTrace, stack
from hopattn.transformer.encoder_decoder import greedy

BEST = 3
"""The number of words whose scores `explain` writes for each step."""


@dataclass(frozen=True, eq=False)
class Written:
    """A finished translation. read: the words that the decoder reads. words: those that it writes, as many."""

    read: tuple[str, ...]
    words: tuple[str, ...]
    encoder: list[BlockTrace]
    decoder: list[tuple[BlockTrace | None, BlockTrace]]
    source: np.ndarray
    text: np.ndarray


class Translation(OneText, EncodedSpec):
    """A text that an encoder reads, and the text that a decoder writes from it."""

    main_table: ClassVar[str] = "decoder"
    kind: Literal["translation"]
    writing: WritingTable
    """The text that is written."""
    encoder: list[LayerTable] = Field(default_factory=list)
    """The layers over the text that is read; a head sees later words with `mask = "none"`."""
    decoder: Annotated[list[DecoderLayerTable], Field(min_length=1)]
    """The layers over the text that is written, which also read the encoder's output."""

    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        yield from self.input.problems_of_tokens(coding.words)
        yield from self.writing.problems(coding)
        m = len(self.input.tokens)
        yield from self.length_problems(max(m, self.writing.limit))
        for i, layer in enumerate(self.encoder):
            yield from layer.problems(coding, (m, m), False, ("encoder", i))
        for i, layer in enumerate(self.decoder):
            yield from layer.problems(coding, (self.writing.limit, m), False, ("decoder", i))

    def size(self) -> int:
        n, m, dim = self.writing.limit, len(self.input.tokens), self.dim
        heads = sum(layer.n_heads for layer in self.encoder)
        grown = sum(layer.n_heads + layer.cross.n_heads for layer in self.decoder)
        longest = max(n, m)
        return (heads + grown) * (3 * longest**2 + 4 * longest * dim + 4 * dim**2) + n * len(self.writing.words)

    @cached_property
    def written(self) -> Written:
        """The finished translation; the file must have no problem."""
        coding = self.encoding
        source = coding.encode(self.input.tokens)
        m = len(source)
        encoder = stack([layer.build(coding, False, (m, m)) for layer in self.encoder], source)
        memory = encoder[-1].state if encoder else source
        words = self.writing.words

        def text(so_far: Sequence[int]) -> list[str]:
            return [self.writing.start, *(words[i] for i in so_far)]

        def next_scores(so_far: Sequence[int]) -> np.ndarray:
            traces = decoded(self.decoder, coding, coding.encode(text(so_far)), memory)
            return np.asarray(self.writing.scores(coding, traces[-1][1].state)[-1])

        end = None if self.writing.end is None else words.index(self.writing.end)
        written = greedy(next_scores, self.writing.limit, end)
        read = tuple(text(written[:-1]))
        vectors = coding.encode(read)
        traces = decoded(self.decoder, coding, vectors, memory)
        return Written(read, tuple(words[i] for i in written), encoder, traces, source, vectors)

    @property
    def _labels(self) -> tuple[tuple[str, ...] | int, tuple[str, ...] | int]:
        """The labels of the words that are read by the decoder, and of those written; −1 if the file has problems."""
        if any(self.text_problems(self.encoding)):
            return -1, -1
        try:
            with np.errstate(all="ignore"):
                return labels(self.written.read), labels(self.written.words)
        except InvalidInput:  # the run itself reports it
            return -1, -1

    def declared_arrays(self) -> Iterator[ArraySpec]:
        coding, source = self.encoding, labels(self.input.tokens)
        read, written = self._labels
        steps = written if isinstance(written, int) else numbers(len(written))
        axis = ("axis", coding.axes)
        yield ArraySpec("source", (("token", source), axis), referable=False)
        for i, layer in enumerate(self.encoder, start=1):
            yield from layer_arrays(f"encoder layer {i}", layer, coding, source, source, referable=False)
        yield ArraySpec("memory", (("token", source), axis))
        yield ArraySpec("text", (("token", read), axis), referable=False)
        for i, both in enumerate(self.decoder, start=1):
            if both.head:
                yield from layer_arrays(f"text layer {i}", both, coding, read, read, referable=False)
            yield from layer_arrays(f"layer {i}", both.cross, coding, written, source)
        vocabulary = ("word", tuple(self.writing.words))
        yield from (ArraySpec(name, (("token", written), vocabulary)) for name in ("logits", "probabilities"))
        yield ArraySpec("written", (("step", steps),), measured=False)

    @property
    def rows(self) -> tuple[str, ...]:
        written = self._labels[1]
        return tuple(self.writing.words) if isinstance(written, int) else written

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        done, m = self.written, len(self.input.tokens)
        n = len(done.words)
        arrays: dict[str, Any] = {"source": done.source, "text": done.text, "written": done.words}
        for i, (layer, trace) in enumerate(zip(self.encoder, done.encoder, strict=True), start=1):
            arrays |= layer_values(f"encoder layer {i}", layer, trace, (m, m))
        arrays["memory"] = done.encoder[-1].state if done.encoder else done.source
        for i, (both, (own, cross)) in enumerate(zip(self.decoder, done.decoder, strict=True), start=1):
            arrays |= {} if own is None else layer_values(f"text layer {i}", both, own, (n, n))
            arrays |= layer_values(f"layer {i}", both.cross, cross, (n, m))
        logits = self.writing.scores(self.encoding, np.asarray(done.decoder[-1][1].state))
        return arrays | {"logits": logits, "probabilities": Softmax(beta=self.writing.beta).weights(logits)}

    def shown(self, arrays: Mapping[str, Labelled]) -> tuple[str, ...]:
        names = {name: ArrayName.parse(name) for name in arrays}
        weights = [name for name, one in names.items() if one.quantity == "weights" and not one.text]
        return ("written", *weights, "probabilities")

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        coding = self.encoding
        if self.encoder:
            yield "the encoder:"
            yield from explain_layers(self.encoder, coding, {**of_text(arrays, "encoder"), "input": arrays["source"]})
        before, text = arrays["text"], of_text(arrays, "text")
        for i, layer in enumerate(self.decoder, start=1):
            if layer.head:
                yield f"the decoder, layer {i}, over the words written so far:"
                yield from explain_layers([layer], coding, {**text, "input": before}, first=i)
                before = text[f"layer {i} state"]
            yield f"the decoder, layer {i}, over the words read:"
            given = {**of_text(arrays, ""), "input": before, "source": arrays["memory"]}
            yield from explain_layers([layer.cross], coding, given, crossed=True, first=i)
            before = arrays[f"layer {i} state"]
        logits, shares = arrays["logits"], arrays["probabilities"].values
        for step, (word, scores) in enumerate(zip(arrays["written"].values, logits.values, strict=True)):
            best = sorted(range(len(scores)), key=lambda i: -scores[i])[:BEST]
            largest = [
                f"{logits.labels[1][i]} {number(scores[i])} (probability {number(shares[step, i])})" for i in best
            ]
            yield f"word {step + 1} is {word}; the largest scores: {', '.join(largest)}"
