"""The sequences of a task and their answers: written out, all of a length, or drawn at random."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from hopattn.foundation.errors import unknown
from hopattn.foundation.vectors import normalised
from hopattn.scenario.language.fields import Count, Number, Problem, Table, Text
from hopattn.scenario.language.lines import Path
from hopattn.scenario.words.vocabulary import WORD, Encoding, doubles


class Example(Table):
    """A sequence and its answer."""

    tokens: Annotated[list[str], Field(min_length=1)]
    """Its words."""
    answer: str
    """The right answer, a word of the vocabulary."""


class Induction(Table):
    """Sequences of random words, none of them ever seen: distinct words, then one of them again; the answer is what
    followed it.
    """

    count: Count
    """How many sequences."""
    length: Annotated[int, Field(ge=2)]
    """How many distinct words stand before the repeated one."""


class Every(Table):
    """Every sequence of a length over some words."""

    words: Annotated[list[Text], Field(min_length=1)]
    """The words that they are made of."""
    length: Count
    """How many words each has."""


class Rule(Table):
    """An answer that depends on whether a word stands anywhere in the sequence."""

    any: str
    """The word that is looked for."""
    then: str
    """The answer, a word of the vocabulary, where it stands."""
    otherwise: str
    """The answer where it does not."""


class Threshold(Table):
    """An answer that depends on one number of the vector that is read."""

    axis: str
    """Which element."""
    above: Number
    """What it must exceed."""
    then: str
    """The answer where it does."""
    otherwise: str
    """The answer where it does not."""


class TaskTable(Table):
    """The sequences of a task, and where its answer is read."""

    induction: Induction | None = None
    """Random sequences with a repeated word."""
    example: Annotated[list[Example], Field(min_length=1)] | None = None
    """Sequences written out."""
    every: Every | None = None
    """All sequences of a length."""
    answer: Rule | None = None
    """The right answer to each of them."""
    model: Literal["attention", "averaging", "bigram"] = "attention"
    """Who answers: the layers; the mean of the word vectors; or pairs of words, counted in the sequences with their
    answers."""
    query: str | None = None
    """A word that looks at each sequence. By default its last word looks at it, at itself too unless the mask is
    "strict"."""
    read: str = WORD
    """The part of the vector in which the answer stands: the nearest word (the query aside) is the answer
    given."""
    threshold: Threshold | None = None
    """Another way to read the answer, in place of the nearest word."""

    def source_problems(self, random_words: bool) -> Iterator[Problem]:
        """Not exactly one source of sequences, or one that the words do not go with."""
        given = [name for name in ("induction", "example", "every") if getattr(self, name) is not None]
        if len(given) != 1:
            told = f"{' and '.join(given)} are given" if given else "none is given"
            yield Problem(("task",), f"needs one of induction, example and every; {told}")
        elif (given[0] == "induction") != random_words:
            needs = "words that are written out" if random_words else "word = { random = 64 }"
            yield Problem(("task", given[0]), f"needs [spaces] with {needs}")
        if (self.every is None) != (self.answer is None):
            yield Problem(("task",), "every and answer belong together; one of them is missing")

    def word_problems(self, known: Mapping[str, Any]) -> Iterator[Problem]:
        """Words of sequences and answers that are not in the vocabulary."""
        named: list[tuple[Path, list[str]]] = [(("query",), [self.query])] if self.query is not None else []
        for i, example in enumerate(self.example or []):
            named += [(("example", i, "tokens"), example.tokens), (("example", i, "answer"), [example.answer])]
        if self.every is not None:
            named.append((("every", "words"), self.every.words))
            yield from doubles(self.every.words, ("task", "every", "words"))
        if self.answer is not None:
            named += [(("answer", key), [getattr(self.answer, key)]) for key in ("any", "then", "otherwise")]
        if self.threshold is not None:
            named += [(("threshold", key), [getattr(self.threshold, key)]) for key in ("then", "otherwise")]
        for path, words in named:
            yield from (Problem(("task", *path), unknown(word, known)) for word in words if word not in known)

    def count(self) -> int:
        """How many sequences there are."""
        if self.every is not None:  # no more than is needed to see that it is too much
            return int(len(self.every.words) ** min(self.every.length, 64))
        return self.induction.count if self.induction is not None else len(self.example or [])

    def lengths(self) -> list[int]:
        """The lengths that the sequences have."""
        if self.induction is not None:
            return [self.induction.length + 1]
        return [self.every.length] if self.every is not None else sorted({len(e.tokens) for e in self.example or []})

    def sequences(self, coding: Encoding, rng: np.random.Generator) -> Iterator["Sequence"]:
        """The sequences: written out, all that there are, or drawn."""
        for example in self.example or []:
            yield Sequence(example.tokens, example.answer, coding.words)
        if self.every is not None and self.answer is not None:
            rule = self.answer
            for tokens in product(self.every.words, repeat=self.every.length):
                yield Sequence(list(tokens), rule.then if rule.any in tokens else rule.otherwise, coding.words)
        if self.induction is not None:
            part = coding.parts[WORD]
            for _ in range(self.induction.count):
                yield _drawn(self.induction.length, part.stop - part.start, rng)


@dataclass(frozen=True, eq=False)
class Sequence:
    """A sequence, its answer, and the words it is made of."""

    tokens: list[str]
    answer: str
    words: Mapping[str, np.ndarray]


def _drawn(length: int, dim: int, rng: np.random.Generator) -> Sequence:
    """Different random words, then one of them again; the answer is what followed it."""
    vectors = normalised(rng.standard_normal((length, dim)))
    words = {f"w{i + 1}": row for i, row in enumerate(vectors)}
    names = list(words)
    repeated = int(rng.integers(length - 1))
    return Sequence([*names, names[repeated]], names[repeated + 1], words)
