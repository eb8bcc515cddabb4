"""kind = "task": many sequences, each with the answer that the layers of attention should give at its last word."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.arrays import normalised
from hopattn.errors import unknown
from hopattn.scenario.expectations.vectors import nearest_words
from hopattn.scenario.fields import Count, Problem, Table
from hopattn.scenario.kinds.attention import Attending
from hopattn.scenario.layout import Layout
from hopattn.scenario.result import Labelled
from hopattn.scenario.vocabulary import WORD, Encoding, RandomWords, token_problems
from hopattn.transformer import stack

BATCH = 64
"""So many sequences go through the layers at once."""


class Example(Table):
    """A sequence and its answer."""

    tokens: Annotated[list[str], Field(min_length=1)]
    answer: str


class Induction(Table):
    """Sequences of random words, none of them ever seen: distinct words, then one of them again; the answer is what
    followed it.
    """

    count: Count
    """How many sequences."""
    length: Annotated[int, Field(ge=2)]
    """How many distinct words stand before the repeated one."""


class TaskTable(Table):
    """The sequences of a task, and where its answer is read."""

    induction: Induction | None = None
    """Random sequences with a repeated word."""
    example: Annotated[list[Example], Field(min_length=1)] | None = None
    """Sequences written out."""
    read: str = WORD
    """The part of the last word's vector in which the answer stands; the nearest word is the answer given."""


@dataclass(frozen=True, eq=False)
class Sequence:
    """A sequence, its answer, and the words it is made of."""

    tokens: list[str]
    answer: str
    words: Mapping[str, np.ndarray]


class Task(Attending):
    """Many sequences and the layers that should answer them."""

    telling: ClassVar[tuple[str, ...]] = ("accuracy",)
    kind: Literal["task"]
    task: TaskTable

    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        task, random = self.task, isinstance(self.spaces.get(WORD), RandomWords)
        if (task.induction is None) == (task.example is None):
            yield Problem(("task",), "needs one of induction and example")
        elif task.induction is not None and not random:
            yield Problem(("task", "induction"), "draws words at random: it needs [spaces] with word = { random = 64 }")
        elif task.example is not None and random:
            yield Problem(("task", "example"), 'its words are written out, so the part "word" cannot be random')
        if task.read not in coding.parts:
            yield Problem(("task", "read"), unknown(task.read, coding.parts))
        elif self._size(coding, task.read) != self._size(coding, WORD):
            yield Problem(("task", "read"), f"the part '{task.read}' has not as many elements as a word")
        for i, example in enumerate(task.example or []):
            path = ("task", "example", i)
            yield from token_problems(example.tokens, coding.words, (*path, "tokens"))
            yield from (
                Problem((*path, "answer"), p.message) for p in token_problems([example.answer], coding.words, path)
            )
        for n in self._lengths():
            yield from self.layer_problems(coding, (n, n))

    def size(self) -> int:
        n = max(self._lengths(), default=1)
        count = self.task.induction.count if self.task.induction else len(self.task.example or [])
        dim = self.dim
        heads = sum(len(layer.head) for layer in self.layer)
        return heads * (BATCH * (3 * n * n + 4 * n * dim) + 4 * dim * dim) + count * n * dim

    def layout(self) -> Layout:
        return Layout(measures=("accuracy",), arrays={"accuracy": ()})

    def compute(self, rng: np.random.Generator) -> dict[str, Labelled]:
        coding = self.encoding
        sequences = list(self.sequences(coding, rng))
        given = self.answers(coding, sequences)
        right = [answer == [sequence.answer] for sequence, answer in zip(sequences, given, strict=True)]
        names = tuple(f"sequence {i + 1}" for i in range(len(sequences)))
        texts = {
            "tokens": [" ".join(sequence.tokens) for sequence in sequences],
            "answer": [sequence.answer for sequence in sequences],
            "given": [" and ".join(answer) or "nothing" for answer in given],
        }
        arrays = {what: Labelled(np.array(column), ("sequence",), (names,)) for what, column in texts.items()}
        return {**arrays, "accuracy": Labelled(np.array(np.mean(right)))}

    def sequences(self, coding: Encoding, rng: np.random.Generator) -> Iterator[Sequence]:
        """The sequences, drawn or written out."""
        for example in self.task.example or []:
            yield Sequence(example.tokens, example.answer, coding.words)
        if self.task.induction is not None:
            for _ in range(self.task.induction.count):
                yield self._induction(self.task.induction.length, self._size(coding, WORD), rng)

    def answers(self, coding: Encoding, sequences: list[Sequence]) -> list[list[str]]:
        """The words nearest to what the layers leave in the part that is read, at the last word; several in a tie.

        Sequences of one length go through the layers together.
        """
        found: dict[int, list[str]] = {}
        for n in sorted({len(sequence.tokens) for sequence in sequences}):
            chosen = [i for i, sequence in enumerate(sequences) if len(sequence.tokens) == n]
            layers = self.layers(coding, (n, n))
            for start in range(0, len(chosen), BATCH):
                some = chosen[start : start + BATCH]
                texts = [coding.with_words(sequences[i].words).encode(sequences[i].tokens) for i in some]
                last = stack(layers, np.stack(texts))[-1].state[:, -1, coding.parts[self.task.read]]
                found |= {i: nearest_words(row, sequences[i].words) for i, row in zip(some, last, strict=True)}
        return [found[i] for i in range(len(sequences))]

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        tokens, answers, given = (arrays[what].values for what in ("tokens", "answer", "given"))
        for i in range(min(5, len(tokens))):
            verdict = "right" if answers[i] == given[i] else "wrong"
            yield f"{tokens[i]} → {given[i]} ({verdict}; the answer is {answers[i]})"
        if len(tokens) > 5:
            yield f"… {len(tokens)} sequences in all"
        hits = int(np.sum(answers == given))
        yield f"accuracy: {hits} right of {len(tokens)} = {hits / len(tokens):.4g}"

    def _lengths(self) -> set[int]:
        if self.task.induction is not None:
            return {self.task.induction.length + 1}
        return {len(example.tokens) for example in self.task.example or []}

    @staticmethod
    def _size(coding: Encoding, part: str) -> int:
        return int(coding.parts[part].stop - coding.parts[part].start)

    @staticmethod
    def _induction(length: int, dim: int, rng: np.random.Generator) -> Sequence:
        vectors = normalised(rng.standard_normal((length, dim)))
        words = {f"w{i + 1}": row for i, row in enumerate(vectors)}
        names = list(words)
        repeated = int(rng.integers(length - 1))
        return Sequence([*names, names[repeated]], names[repeated + 1], words)
