"""The sequences of a task and their answers: written in the file, all of one length, or random."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from hopattn.foundation.errors import shortened, unknown
from hopattn.foundation.vectors import normalised
from hopattn.scenario.language.array_layout import ArrayLayout
from hopattn.scenario.language.common_problems import duplicate_problems, one_of_problems
from hopattn.scenario.language.fields import Count, Number, Problem, Table, Text
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.occurrence import labels
from hopattn.scenario.words.vocabulary import WORD, Encoding


class Example(Table):
    """A sequence and its answer."""

    tokens: Annotated[list[str], Field(min_length=1)]
    """The words of the sequence."""
    answer: str
    """The right answer: a word of the vocabulary, or an axis of the part that `read` names."""
    at: str | None = None
    """The token whose vector is read, `their#2` for the second `their`; by default the last one."""


class Induction(Table):
    """Random sequences of new words: distinct words, then one of them again. The answer is the word that followed its
    first occurrence.
    """

    count: Count
    """The number of sequences."""
    length: Annotated[int, Field(ge=2)]
    """The number of distinct words before the repeated one."""
    start: bool = False
    """Whether one more word, which never comes again, marks the start of each sequence."""


class Every(Table):
    """Every sequence of one length over some words."""

    words: Annotated[list[Text], Field(min_length=1)]
    """The words that the sequences are made of."""
    length: Count
    """The number of words in each sequence."""


class Rule(Table):
    """An answer that depends on whether a word occurs anywhere in the sequence."""

    any: str
    """The word to look for."""
    then: str
    """The answer if the word occurs: a word of the vocabulary, or an axis of the part that `read` names."""
    otherwise: str
    """The answer if it does not."""


class Threshold(Table):
    """An answer that depends on one element of the vector that is read."""

    axis: str
    """The name of the element."""
    above: Number
    """The threshold."""
    then: str
    """The answer if the element is above the threshold."""
    otherwise: str
    """The answer if it is not."""


class TaskTable(Table):
    """The sequences of a task, and how an answer is read."""

    induction: Induction | None = None
    """Random sequences with a repeated word."""
    example: Annotated[list[Example], Field(min_length=1)] | None = None
    """Sequences written out."""
    every: Every | None = None
    """All sequences of one length."""
    answer: Rule | None = None
    """The right answer to each of these (`every`)."""
    model: Literal["attention", "averaging", "bigram", "n-gram"] = "attention"
    """The model that answers: the layers ("attention"); the mean of the word vectors ("averaging"); or counts of pairs
    of words ("bigram") or of `n` words together ("n-gram"), from the sequences with their answers."""
    n: Annotated[int, Field(ge=1, le=1000)] | None = None
    """The number of words that an n-gram model counts together: the answer and the n − 1 words before it."""
    query: str | None = None
    """A word that attends to each sequence. By default the last word of the sequence does; it attends to itself too,
    unless the mask is "strict"."""
    read: str = WORD
    """The part of the vector from which the answer is read. In the word's part, or one like it, the answer is the
    nearest word (other than the query); in a part with axes of its own, it is the axis with the largest number."""
    threshold: Threshold | None = None
    """Another way to read the answer, instead of the nearest word."""

    def source_problems(self, random_words: bool) -> Iterator[Problem]:
        """The problems of the source of sequences: none or several are given, or it does not fit the words.

        random_words: whether the words are random; only `induction` takes random words.
        """
        sources = [name for name in ("induction", "example", "every") if getattr(self, name) is not None]
        if len(sources) != 1:
            yield from one_of_problems(self, ("induction", "example", "every"), ("task",))
        elif (sources[0] == "induction") != random_words:
            needed = "words that are written out" if random_words else "word = { random = 64 }"
            yield Problem(("task", sources[0]), f"needs [spaces] with {needed}")
        yield from self._count_problems()
        if (self.every is None) != (self.answer is None):
            yield Problem(("task",), "every and answer belong together; one of them is missing")

    def _count_problems(self) -> Iterator[Problem]:
        """An n without an n-gram model, such a model without n, or sequences that are too short for it."""
        if (self.model == "n-gram") != (self.n is not None):
            message = 'model = "n-gram" needs n' if self.n is None else 'belongs to model = "n-gram"'
            yield Problem(("task",) if self.n is None else ("task", "n"), message)
        elif self.n is not None and self.n - 1 > (least := min(self.lengths(), default=self.n)):
            yield Problem(("task", "n"), f"{self.n} needs {self.n - 1} words before the answer; a sequence has {least}")

    def word_problems(self, known: Mapping[str, Any], answers: Iterable[str]) -> Iterator[Problem]:
        """One problem for each word of a sequence that is not in the vocabulary, and each answer that is none.

        known: the words. answers: the answers that can be given.
        """
        words: list[tuple[Path, list[str]]] = [(("query",), [self.query])] if self.query is not None else []
        given: list[tuple[Path, str]] = []
        for i, example in enumerate(self.example or []):
            words.append((("example", i, "tokens"), example.tokens))
            given.append((("example", i, "answer"), example.answer))
            yield from self._place_problems(example, known, ("task", "example", i, "at"))
        if self.every is not None:
            words.append((("every", "words"), self.every.words))
            yield from duplicate_problems(self.every.words, ("task", "every", "words"))
        if self.answer is not None:
            words.append((("answer", "any"), [self.answer.any]))
            given += [(("answer", key), getattr(self.answer, key)) for key in ("then", "otherwise")]
        if self.threshold is not None:
            given += [(("threshold", key), getattr(self.threshold, key)) for key in ("then", "otherwise")]
        for path, tokens in words:
            yield from (Problem(("task", *path), unknown(word, known)) for word in tokens if word not in known)
        possible = dict.fromkeys(answers)
        yield from (Problem(("task", *path), unknown(own, possible)) for path, own in given if own not in possible)

    def _place_problems(self, example: Example, known: Mapping[str, Any], path: Path) -> Iterator[Problem]:
        """The problem with the token whose vector is read: it is not in the sequence, or it is not the query token."""
        if example.at is None:
            return
        if self.query is not None:
            yield Problem(path, f"is not used where the query '{shortened(self.query)}' is read; leave one of them out")
        else:
            yield from ArrayLayout(labels(example.tokens), words=known).row_problem(example.at, path)

    def count(self) -> int:
        """The number of sequences."""
        if self.every is not None:  # the exponent is bounded: a larger count is refused in any case
            return int(len(self.every.words) ** min(self.every.length, 64))
        return self.induction.count if self.induction is not None else len(self.example or [])

    def lengths(self) -> list[int]:
        """The different lengths of the sequences, in rising order."""
        if self.induction is not None:
            return [self.induction.length + 1 + self.induction.start]
        return [self.every.length] if self.every is not None else sorted({len(e.tokens) for e in self.example or []})

    def sequences(self, coding: Encoding, rng: np.random.Generator) -> Iterator["Sequence"]:
        """The sequences: those written in the file, all of one length, or random ones."""
        for example in self.example or []:
            place = -1 if example.at is None else ArrayLayout(labels(example.tokens)).index(example.at)
            yield Sequence(example.tokens, example.answer, coding.words, place % len(example.tokens))
        if self.every is not None and self.answer is not None:
            rule = self.answer
            for tokens in product(self.every.words, repeat=self.every.length):
                answer = rule.then if rule.any in tokens else rule.otherwise
                yield Sequence(list(tokens), answer, coding.words, self.every.length - 1)
        if self.induction is not None:
            part = coding.parts[WORD]
            for _ in range(self.induction.count):
                yield _induction_sequence(self.induction, part.stop - part.start, rng)


@dataclass(frozen=True, eq=False)
class Sequence:
    """A sequence, its answer, the vectors of the words, and the place of the token that is read, counted from 0."""

    tokens: list[str]
    answer: str
    words: Mapping[str, np.ndarray]
    at: int

    @property
    def read_so_far(self) -> list[str]:
        """The tokens up to the one that is read."""
        return self.tokens[: self.at + 1]


def _induction_sequence(table: Induction, dim: int, rng: np.random.Generator) -> Sequence:
    """Distinct random words, then one of them again; the answer is the word that followed its first occurrence."""
    vectors = normalised(rng.standard_normal((table.length + table.start, dim)))
    names = [*(["<start>"] if table.start else []), *(f"w{i + 1}" for i in range(table.length))]
    repeated = table.start + int(rng.integers(table.length - 1))
    words = dict(zip(names, vectors, strict=True))
    return Sequence([*names, names[repeated]], names[repeated + 1], words, len(names))
