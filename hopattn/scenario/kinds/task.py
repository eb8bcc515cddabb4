"""kind = "task": many sequences, each with the answer that layers of attention should give."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from hopattn.foundation.errors import shortened, unknown
from hopattn.results.labelled import Labelled
from hopattn.scenario.expectations.vectors import largest_axes, nearest_words
from hopattn.scenario.explain.attention import explain_layers
from hopattn.scenario.kinds.layered_text import AttentionSpec
from hopattn.scenario.language.array_layout import ArraySpec, Labels, all_labelled, numbers
from hopattn.scenario.language.array_name import of_text
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.occurrence import labels
from hopattn.scenario.words.positions import POSITION
from hopattn.scenario.words.sequences import Sequence, TaskTable
from hopattn.scenario.words.vocabulary import WORD, Encoding, RandomWords
from hopattn.transformer.baselines import NGram, average
from hopattn.transformer.blocks import stack

FIRST = "sequence 1"
"""The start of the names of the first sequence's arrays; its arithmetic is written out."""

LISTED = 10
"""The largest number of sequences that are listed with their answers."""

LONG = 12
"""The largest number of words of a sequence that is listed whole."""

BATCH = 64
"""The number of sequences that go through the layers together."""


class Task(AttentionSpec):
    """Many sequences and the layers that should answer them."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("sequences", "accuracy")
    kind: Literal["task"]
    task: TaskTable
    """The sequences, and how the answer is read."""

    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        task = self.task
        yield from task.source_problems(isinstance(self.spaces.get(WORD), RandomWords))
        yield from task.word_problems(coding.words, self._answer_axes or coding.words)
        unread = [] if self._answer_axes else [*coding.word_part_problems(task.read, ("task", "read"))]
        yield from unread
        if self._answer_axes and task.induction is not None:
            message = f"an answer of induction is a word, but '{shortened(task.read)}' has axes of its own"
            yield Problem(("task", "read"), message)
        elif not unread and task.threshold is not None and task.threshold.axis not in self._axes(coding):
            yield Problem(("task", "threshold", "axis"), unknown(task.threshold.axis, self._axes(coding)))
        yield from self.length_problems(max(self.task.lengths(), default=1))
        for n in self.task.lengths():
            yield from self.layer_problems(coding, self._shape(n), task.query is not None)

    @property
    def _answer_axes(self) -> list[str]:
        """The axes of the part that is read, if they are the answers; none if an answer is a word."""
        axes = self.spaces.get(self.task.read)
        return axes if isinstance(axes, list) and self.task.read not in (WORD, POSITION) else []

    def largest(self) -> tuple[Path, str]:
        n = max(self.task.lengths(), default=1)
        return ("task",), f"{self.task.count():,} sequences of up to {n:,} words, each of {self.dim:,} numbers,"

    def size(self) -> int:
        n = max(self.task.lengths(), default=1)
        return self.layers_size(n, n, texts=BATCH) + self.task.count() * n * self.dim

    def declared_arrays(self) -> Iterator[ArraySpec]:
        return self._arrays(len(self.task.example[0].tokens) if self.task.example else self.task.lengths()[0])

    def _arrays(self, tokens: Labels) -> Iterator[ArraySpec]:
        """The declaration of all arrays.

        tokens: the labels of the first sequence, or only their number before the sequence is drawn.
        """
        sequence = ("sequence", tuple(f"sequence {i + 1}" for i in range(self.task.count())))
        yield from (ArraySpec(name, (sequence,), referable=False) for name in ("tokens", "answer", "given"))
        listed = ("row", numbers(min(LISTED, self.task.count())))
        columns = ("column", ("sequence", "answer given", "right answer", ""))
        yield ArraySpec(self._list_name, (listed, columns), referable=False, measured=False)
        yield ArraySpec("accuracy")
        if self.task.model == "attention":
            queries = tokens if self.task.query is None else labels([self.task.query])
            for array in self.trace_arrays(self.encoding, queries, tokens, self.task.query is not None):
                yield replace(array, name=f"{FIRST} {array.name}", referable=False)

    @property
    def _list_name(self) -> str:
        """The name of the list of sequences with their answers."""
        return "sequences" if self.task.count() <= LISTED else f"the first {LISTED} of {self.task.count()} sequences"

    def compute(self, rng: np.random.Generator) -> dict[str, Labelled]:
        coding = self.encoding
        sequences = list(self.task.sequences(coding, rng))
        given = self.answers(coding, sequences)
        right = [answer == [sequence.answer] for sequence, answer in zip(sequences, given, strict=True)]
        texts = [" ".join(sequence.tokens) for sequence in sequences]
        answers = [sequence.answer for sequence in sequences]
        own = [" and ".join(answer) or "nothing" for answer in given]
        rows = [
            (self._as_text(text, i), word, answer, "right" if word == answer else "wrong")
            for i, (text, word, answer) in enumerate(zip(texts[:LISTED], own, answers, strict=False))
        ]
        values: dict[str, Any] = {
            "tokens": texts,
            "answer": answers,
            "given": own,
            self._list_name: rows,
            "accuracy": np.mean(right),
        }
        values |= {f"{FIRST} {name}": array for name, array in self._traced(coding, sequences[0]).items()}
        return all_labelled(values, self._arrays(labels(sequences[0].tokens)))

    def _traced(self, coding: Encoding, sequence: Sequence) -> dict[str, np.ndarray]:
        """Every array that the layers compute for one sequence; none if another model answers."""
        if self.task.model != "attention":
            return {}
        own = coding.with_words(sequence.words)
        text = own.encode(sequence.tokens)
        if self.task.query is None:
            return self.trace(own, text[None])
        return self.trace(own, own.encode([self.task.query])[None], source=text)

    def answers(self, coding: Encoding, sequences: list[Sequence]) -> list[list[str]]:
        """The answers given to each sequence; several in a tie.

        Sequences of the same length go through the model together.
        """
        if self.task.model in ("bigram", "n-gram"):
            texts = ([*sequence.read_so_far, sequence.answer] for sequence in sequences)
            counted = NGram.counted(texts, 2 if self.task.n is None else self.task.n)
            return [counted.likeliest(after=sequence.read_so_far) for sequence in sequences]
        answers: dict[int, list[str]] = {}
        for n in self.task.lengths():
            of_length = [i for i, sequence in enumerate(sequences) if len(sequence.tokens) == n]
            for start in range(0, len(of_length), BATCH):
                batch = of_length[start : start + BATCH]
                outputs = self._outputs(coding, [sequences[i] for i in batch])
                for i, output in zip(batch, outputs, strict=True):
                    answers[i] = self._read(coding, output, sequences[i].words)
        return [answers[i] for i in range(len(sequences))]

    def _outputs(self, coding: Encoding, sequences: list[Sequence]) -> np.ndarray:
        """The vector of each sequence that holds the answer, `(n_sequences, dim)`."""
        texts = np.stack([coding.with_words(sequence.words).encode(sequence.tokens) for sequence in sequences])
        if self.task.model == "averaging":
            return np.asarray(average(texts))
        layers = self.layers(coding, self._shape(texts.shape[1]), self.task.query is not None)
        if self.task.query is None:
            places = [sequence.at for sequence in sequences]
            return np.asarray(stack(layers, texts)[-1].state[np.arange(len(texts)), places])
        queries = np.broadcast_to(coding.encode([self.task.query]), (len(texts), 1, coding.dim))
        return np.asarray(stack(layers, queries, source=texts)[-1].state[:, -1])

    def _read(self, coding: Encoding, output: np.ndarray, words: Mapping[str, np.ndarray]) -> list[str]:
        """The answers that a vector holds: by the threshold, the nearest words, or the axes with the largest number."""
        part = output[coding.parts[self.task.read]]
        if (limit := self.task.threshold) is not None:
            return [limit.then if part[self._axes(coding).index(limit.axis)] > limit.above else limit.otherwise]
        if self._answer_axes:
            return largest_axes(part, self._answer_axes)
        return nearest_words(part, {word: vector for word, vector in words.items() if word != self.task.query})

    def _axes(self, coding: Encoding) -> list[str]:
        return [axis.removeprefix(f"{self.task.read}: ") for axis in coding.axes[coding.parts[self.task.read]]]

    def _shape(self, n: int) -> tuple[int, int]:
        return (n if self.task.query is None else 1), n

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        first = of_text(arrays, FIRST)
        if first:
            yield "the first sequence:"
            lines = explain_layers(self.layer, self.encoding, first, crossed=self.task.query is not None)
            yield from (f"  {line}" for line in lines)
            yield "all sequences:"
        tokens, answers, given = (arrays[name].values for name in ("tokens", "answer", "given"))
        if self.task.model == "attention":
            yield self._reading
        for i in range(min(LISTED, len(tokens))):
            verdict = "right" if answers[i] == given[i] else "wrong"
            yield f"{self._as_text(tokens[i], i)} → {given[i]} ({verdict}; the answer is {answers[i]})"
        if len(tokens) > LISTED:
            yield f"… {len(tokens)} sequences in all"
        hits = int(np.sum(answers == given))
        yield f"accuracy: {hits} right of {len(tokens)} = {hits / len(tokens):.4g}"

    def _as_text(self, text: str, i: int) -> str:
        """Sequence i as a reader sees it: a long one is cut, and the token that is read is named if it is not the last.

        text: its words with spaces between them.
        """
        words = text.split(" ")
        cut = text if len(words) <= LONG else " ".join([*words[:4], "…", *words[-4:]])
        at = None if self.task.example is None else self.task.example[i].at
        return cut if at is None else f"{cut} (read at {at})"

    @property
    def _reading(self) -> str:
        """The word and the part of its vector that hold the answer, in a sentence."""
        query, read, parts = self.task.query, self.task.read, len(self.encoding.parts)
        named = any(example.at is not None for example in self.task.example or [])
        last = "the last word" + (", or of the one that is named" if named else "")
        word = f"the query '{query}'" if query is not None else last
        part = f"the part '{read}' of " if parts > 1 else ""
        return f"the answer is read from {part}{word}:"
