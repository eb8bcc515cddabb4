"""kind = "task": many sequences, each with the answer that layers of attention should give."""

from collections.abc import Collection, Iterator, Mapping
from itertools import product
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from hopattn.foundation.errors import shortened
from hopattn.foundation.sentences import say
from hopattn.foundation.vectors import normalised
from hopattn.foundation.writing import shown
from hopattn.scenario.arrays import Arrays, labels, numbers, of_text
from hopattn.scenario.expectations.numbers import largest_axes, nearest_words
from hopattn.scenario.kinds.attention import WordsKind, add_layer, layers_size
from hopattn.scenario.kinds.explained_layers import explain_layers
from hopattn.scenario.kinds.layers import LayerTable, MatricesTable
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.table import (
    Count,
    Number,
    Parts,
    Table,
    Text,
    at,
    need,
    need_different,
    need_known,
    need_one_of,
    need_room,
)
from hopattn.scenario.words.vocabulary import POSITION, WORD, Encoding, Positions, RandomWords
from hopattn.transformer.baselines import NGram, average
from hopattn.transformer.blocks import Block, BlockTrace, stack

FIRST = "sequence 1"
"""The start of the names of the first sequence's arrays; its arithmetic is written out."""
LISTED = 10
"""The largest number of sequences that are listed with their answers."""
BATCH = 64
"""The number of sequences that go through the layers together."""


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

    def sequence(self, dim: int, rng: np.random.Generator) -> "Sequence":
        """One of the sequences, whose words are vectors of `dim` elements."""
        vectors = normalised(rng.standard_normal((self.length + self.start, dim)))
        names = [*["<start>"] * self.start, *(f"w{i + 1}" for i in range(self.length))]
        place, words = self.start + int(rng.integers(self.length - 1)), dict(zip(names, vectors, strict=True))
        return Sequence([*names, names[place]], names[place + 1], words, len(names))


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


class Sequence(NamedTuple):
    """A sequence, its answer, the vectors of the words, and the place of the token that is read, counted from 0."""

    tokens: list[str]
    answer: str
    words: Mapping[str, np.ndarray]
    at: int


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

    def extent(self, random_words: bool) -> tuple[int, list[int]]:
        """The number of sequences, and their different lengths in rising order.

        random_words: whether the words are random, as those of `induction` are. Refuses none or several sources of
        sequences, and keys that do not belong to them.
        """
        need_one_of(self, "induction", "example", "every")
        source = "induction" if self.induction else "example" if self.example else "every"
        other = "words that are written out" if random_words else "word = { random = 64 }"
        need((source == "induction") == random_words, source, f"needs [spaces] with {other}")
        both = "every and answer belong together; one of them is missing"
        need((self.every is None) == (self.answer is None), (), both)
        count, lengths = len(self.example or []), sorted({len(example.tokens) for example in self.example or []})
        if self.induction is not None:
            count, lengths = self.induction.count, [self.induction.length + 1 + self.induction.start]
        if self.every is not None:  # the exponent is bounded: a larger count is refused in any case
            count, lengths = int(len(self.every.words) ** min(self.every.length, 64)), [self.every.length]
        need(self.n is not None or self.model != "n-gram", (), 'model = "n-gram" needs n')
        need(self.n is None or self.model == "n-gram", "n", 'belongs to model = "n-gram"')
        before = (self.n or 1) - 1
        few = f"{self.n} needs {before} words before the answer; a sequence has {lengths[0]}"
        need(before <= lengths[0], "n", few)
        return count, lengths

    def sequences(
        self, coding: Encoding, answers: list[str], arrays: Arrays, rng: np.random.Generator
    ) -> list[Sequence]:
        """The sequences: those written in the file, all of one length, or random ones.

        answers: those that can be given. arrays: of the run.
        """
        result, words, examples = list[Sequence](), coding.words, self.example or []
        every = [] if self.every is None else self.every.words
        names: list[tuple[Path, str | None, Collection[str]]] = [(("query",), self.query, words)]
        names += [(("every", "words"), word, words) for word in every]
        for key, rule in {"answer": self.answer, "threshold": self.threshold}.items():
            choices = {"any": words, "then": answers, "otherwise": answers}
            names += [((key, end), getattr(rule, end, None), those) for end, those in choices.items()]
        for i, example in enumerate(examples):
            names += [(("example", i, "tokens"), word, words) for word in example.tokens]
            names += [(("example", i, "answer"), example.answer, answers)]
        with Parts() as parts:
            for path, word, those in names:
                with parts.at(*path):
                    if word is not None:
                        need_known(word, those)
            with parts.at("every", "words"):
                need_different(every)
            for i, example in enumerate(examples):
                place = len(example.tokens) - 1
                with parts.at("example", i, "at"):
                    if example.at is not None:
                        twice = f"is not used where the query '{shortened(self.query)}' is read; leave one of them out"
                        need(self.query is None, (), twice)
                        place = arrays.row(example.at, (), labels(example.tokens))
                result.append(Sequence(example.tokens, example.answer, words, place))
        if self.every is not None and self.answer is not None:
            for tokens in product(every, repeat=self.every.length):
                answer = self.answer.then if self.answer.any in tokens else self.answer.otherwise
                result.append(Sequence([*tokens], answer, words, len(tokens) - 1))
        if self.induction is not None:
            part, random = coding.parts[WORD], self.induction
            result += [random.sequence(part.stop - part.start, rng) for _ in range(random.count)]
        return result


class Task(MatricesTable, WordsKind):
    """Many sequences and the layers that should answer them."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("sequences", "accuracy")
    kind: Literal["task"]
    positions: Positions | None = None
    """The position of each word in the text, as a vector."""
    layer: Annotated[list[LayerTable], Field(min_length=1)]
    """The layers of attention, in their order."""
    task: TaskTable
    """The sequences, and how the answer is read."""

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        task, crossed, dim = self.task, self.task.query is not None, self.dim
        with at("task"):
            count, lengths = task.extent(isinstance(self.spaces.get(WORD), RandomWords))
        n = lengths[-1]
        size = layers_size(self.layer, dim, (n, n), BATCH) + count * n * dim
        need_room(size, ("task",), f"{count:,} sequences of up to {n:,} words, each of {dim:,} numbers,")
        coding = self.prepared(arrays)
        layers = {n: list[Block]() for n in lengths}
        with Parts() as parts:
            with parts.at("task"):
                unlike = f"an answer of induction is a word, but '{shortened(task.read)}' has axes of its own"
                need(not (self.answer_axes and task.induction), "read", unlike)
                self._read(np.zeros(coding.dim), {})
                sequences = task.sequences(coding, self.answer_axes or [*coding.words], arrays, rng)
            for n, blocks in layers.items():
                for i, layer in enumerate(self.layer):
                    with parts.at("layer", i):
                        blocks.append(layer.build(coding, crossed, (1 if crossed else n, n), whole=True))
        answers, solutions = self._answers(layers, sequences), [one.answer for one in sequences]
        replies = [" and ".join(answer) or "nothing" for answer in answers]
        texts, names = [" ".join(one.tokens) for one in sequences], tuple(f"sequence {i + 1}" for i in range(count))
        for name, values in {"tokens": texts, "answer": solutions, "given": replies}.items():
            arrays.add(name, values, {"sequence": names}, drawn=True)
        right = [answer == [word] for answer, word in zip(answers, solutions, strict=True)]
        rows = [
            (self._as_text(one.tokens, i), replies[i], one.answer, "right" if right[i] else "wrong")
            for i, one in enumerate(sequences[:LISTED])
        ]
        title = "sequences" if count <= LISTED else f"the first {LISTED} of {count} sequences"
        axes = {"row": numbers(len(rows)), "column": ("sequence", "answer given", "right answer", "")}
        arrays.add(title, rows, axes, drawn=True)
        arrays.add_means(accuracy=right)
        if task.model == "attention":
            columns, axis = labels(sequences[0].tokens), {"axis": coding.axes}
            place: dict[str, Any] = {"text": FIRST, "drawn": True}
            words, source, traces = self._traces(layers[len(columns)], sequences[:1])
            tokens = columns if task.query is None else (task.query,)
            arrays.add("input", words[0], {"token": tokens} | axis, **place)
            if source is not None:
                arrays.add("source", source[0], {"token": columns} | axis, **place)
            for i, trace in enumerate(traces, start=1):
                add_layer(arrays, trace, coding, tokens, columns, layer=i, **place)

    @property
    def answer_axes(self) -> list[str]:
        """The axes of the part that is read, where these are the answers; empty where words are."""
        axes = self.spaces.get(self.task.read)
        return axes if isinstance(axes, list) and self.task.read not in (WORD, POSITION) else []

    def _read(self, vector: np.ndarray, words: Mapping[str, np.ndarray]) -> list[str]:
        """The answers that a vector holds; several in a tie."""
        coding, read, limit = self.encoding, self.task.read, self.task.threshold
        part = coding.parts[read] if self.answer_axes else coding.word_part(read, "read")
        if limit is not None:
            names = [axis.removeprefix(f"{read}: ") for axis in coding.axes[part]]
            need_known(limit.axis, names, "threshold", "axis")
            return [limit.then if vector[part][names.index(limit.axis)] > limit.above else limit.otherwise]
        if self.answer_axes:
            return largest_axes(vector[part], self.answer_axes)
        return nearest_words(vector[part], {word: words[word] for word in words if word != self.task.query})

    def _answers(self, layers: Mapping[int, list[Block]], sequences: list[Sequence]) -> list[list[str]]:
        """The answers given to each sequence; sequences of the same length go through the model together."""
        task = self.task
        if task.model in ("bigram", "n-gram"):
            texts = {i: one.tokens[: one.at + 1] for i, one in enumerate(sequences)}
            model = NGram.counted(([*text, sequences[i].answer] for i, text in texts.items()), task.n or 2)
            return [model.likeliest(after=text) for text in texts.values()]
        answers: dict[int, list[str]] = {}
        for n, blocks in layers.items():
            indices = [i for i, one in enumerate(sequences) if len(one.tokens) == n]
            for start in range(0, len(indices), BATCH):
                batch = {i: sequences[i] for i in indices[start : start + BATCH]}
                if task.model == "averaging":
                    vectors = average(self._texts([*batch.values()]))
                else:
                    places = [one.at if task.query is None else 0 for one in batch.values()]
                    vectors = self._traces(blocks, [*batch.values()])[2][-1].state[range(len(batch)), places]
                answers |= {i: self._read(vector, batch[i].words) for i, vector in zip(batch, vectors, strict=True)}
        return [answers[i] for i in range(len(sequences))]

    def _texts(self, sequences: list[Sequence]) -> np.ndarray:
        """Sequences of one length as vectors, `(n_sequences, n, dim)`."""
        return np.stack([self.encoding.with_words(one.words).encode(one.tokens) for one in sequences])

    def _traces(
        self, layers: list[Block], sequences: list[Sequence]
    ) -> tuple[np.ndarray, np.ndarray | None, list[BlockTrace]]:
        """Sequences of one length in the layers: the words, the text that they look at if it is another, the traces."""
        texts, query = self._texts(sequences), self.task.query
        if query is None:
            return texts, None, stack(layers, texts)
        queries = np.broadcast_to(self.encoding.encode([query]), (len(texts), 1, self.encoding.dim))
        return queries, texts, stack(layers, queries, source=texts)

    def explain(self, arrays: Arrays) -> Iterator[str]:
        first = of_text(arrays, FIRST)
        if first:
            yield say("the first sequence:")
            lines = explain_layers(self.layer, self.encoding, first, crossed=self.task.query is not None)
            yield from (f"  {line}" for line in lines)
            yield say("all sequences:")
            places = any(example.at is not None for example in self.task.example or [])
            word = say("the last word, or of the one that is named" if places else "the last word")
            if self.task.query is not None:
                word = say("the query '{}'", self.task.query)
            if len(self.encoding.parts) > 1:
                word = say("the part '{0}' of {1}", self.task.read, word)
            yield say("the answer is read from {}:", word)
        n, accuracy = len(arrays["given"].values), float(arrays["accuracy"].values)
        table = next(array for name, array in arrays.items() if name.endswith("sequences"))
        for text, word, answer, verdict in table.values:
            yield say("{} → {} ({}; the answer is {})", text, word, say(verdict), answer)
        if n > LISTED:
            yield say("… {} sequences in all", str(n))
        yield say("accuracy: {} right of {} = {}", str(round(accuracy * n)), str(n), shown(accuracy, 4))

    def _as_text(self, tokens: list[str], i: int) -> str:
        """Sequence i as a reader sees it: a long one is cut, and the token that is read is named if a file names it."""
        cut = " ".join(tokens if len(tokens) <= 12 else [*tokens[:4], "…", *tokens[-4:]])
        place = None if self.task.example is None else self.task.example[i].at
        return cut if place is None else f"{cut} (read at {place})"
