"""kind = "memory": patterns are stored, and cues are recalled until nothing changes."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.results.labelled import Labelled
from hopattn.scenario.explain.recall import explain_recall, strips
from hopattn.scenario.kinds.recall_arrays import MOST_OVERLAPS, OF_WORTH, RecallArrays, Whole
from hopattn.scenario.kinds.stored_words import StoredWords
from hopattn.scenario.language.array_layout import ArrayLayout, ArraySpec
from hopattn.scenario.language.fields import Problem, Text
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.occurrence import labels
from hopattn.scenario.parts.memories import MemoryTable
from hopattn.scenario.parts.without import WithoutPattern, WithoutTable
from hopattn.scenario.words.character_pictures import Strip
from hopattn.scenario.words.damaged_cues import INSTEAD_OF_NOISE, Damaged, cue_problems, random_stream
from hopattn.scenario.words.text import Input, token_problems
from hopattn.scenario.words.vocabulary import WORD
from hopattn.scenario.words.word_list import vocabulary_problems


class MemoryScenario(StoredWords):
    """Stored patterns and the cues that they are recalled from."""

    name: ClassVar[str] = "memory"
    shown_arrays: ClassVar[tuple[str, ...]] = ("scores", "weights", *OF_WORTH, "state", "status", "recalls", "answers")
    main_table: ClassVar[str] = "memory"
    kind: Literal["memory"]
    memory: MemoryTable
    """The stored patterns, and how they are recalled."""
    cue: dict[Text, Damaged] = Field(default_factory=dict)
    """Cues that are damaged words, or mixed of several, by name."""
    input: Input | None = None
    """The cues; without it, those of [cue], in their order."""
    without: list[WithoutPattern] = Field(default_factory=list)
    """Patterns that are taken away, each for a run of its own."""

    @property
    def tokens(self) -> list[str]:
        """The names of the cues, in their order."""
        return [*self.cue] if self.input is None else self.input.tokens

    @property
    def targets(self) -> list[int]:
        """For each cue the number of the stored pattern that it is, or that it was made of; −1 if there is none."""
        sources = [self.cue[token].of if token in self.cue else token for token in self.tokens]
        stored = self.memory.patterns
        return [stored.index(word) if word in stored else -1 for word in sources]

    def fit_problems(self) -> Iterator[Problem]:
        sound = True
        for problem in chain(vocabulary_problems(self.written, self.pictures), self._token_problems()):
            sound = False
            yield problem
        if self.input is not None:
            yield from self.input.attention_key_problems()
        if sound:
            yield from self._memory_problems()

    def _token_problems(self) -> Iterator[Problem]:
        words = self.vocabulary.vectors
        yield from self.stored_problems(self.memory, self.cue)
        known = {**words, **self.cue}
        yield from cue_problems(self.cue, words, self.vocabulary.size)
        if self.input is not None:
            yield from token_problems(self.input.tokens, known, ("input", "tokens"), self.absent_letters)
        elif not self.cue:
            yield Problem((), "needs cues: [input] with tokens, or a [cue.name] for each")

    def _memory_problems(self) -> Iterator[Problem]:
        if "nothing" in (*self.memory.patterns, *(self.memory.values or ())):
            yield Problem(("memory", "patterns"), "'nothing' is what a recall of no pattern is called; rename the word")
        problems = [*self.memory.problems()]
        yield from problems
        if problems:
            return
        try:
            memory = self.recalled.memory
        except InvalidInput as error:
            message = self.memory.words_for_rows(str(error))
            if self.memory.model is None and message.startswith("sink: "):
                yield Problem(("memory", "sink"), message.removeprefix("sink: "))
            else:
                yield Problem(("memory", "separation" if self.memory.model is None else "model"), message)
            return
        try:
            obstacle = self.memory.update_rule(memory).obstacle(memory)
        except InvalidInput as error:
            obstacle = str(error)
        if obstacle:
            yield Problem(("memory", "update"), obstacle)
        if self.memory.between is not None and memory.why_not("energy"):
            yield Problem(("memory", "between"), f"there is no energy: {memory.why_not('energy')}")
        for i, row in enumerate(self._cues(self._root)):
            if reason := memory.activation.why_outside_domain(row):
                place = self._place(i)
                advice = INSTEAD_OF_NOISE if place[-1] == "noise" else ""
                yield Problem(place, f"'{shortened(self.tokens[i])}' {reason}{advice}")
        stored = ArrayLayout(columns=labels(self.memory.patterns), words=self.vocabulary.vectors)
        for i, table in enumerate(self.without):
            yield from table.problems(stored, ("without", i))

    def run_without(self, table: WithoutTable) -> Self:
        stored = self.memory
        taken = table.numbers(stored.patterns)
        parts = {name: getattr(stored, name) for name in ("patterns", "values")}
        left = {
            name: [word for i, word in enumerate(words) if i not in taken]
            for name, words in parts.items()
            if words is not None
        }
        return self.changed((self, taken), without=[], memory=stored.model_copy(update=left))

    def _place(self, i: int) -> Path:
        """The place in the file that the numbers of cue i come from."""
        name = self.tokens[i]
        if name in self.cue:
            return ("cue", name, "noise") if self.cue[name].noise else ("cue", name)
        return ("input", "tokens", i)

    def size(self) -> int:
        cues, dim = len(self.tokens), len(self.vocabulary.axes)
        return (len(self.memory.patterns) + dim) * dim + cues * (self.memory.steps + 1) * (dim + 1) + MOST_OVERLAPS

    def declared_arrays(self) -> Iterator[ArraySpec]:
        return self.recalled.declared()

    def layout(self) -> ArrayLayout:
        return replace(
            super().layout(),
            rows=labels(self.tokens),
            columns=labels(self.memory.patterns),
            words=self.vocabulary.vectors,
            parts={WORD: slice(0, len(self.vocabulary.axes))},
            recallable=self.memory.stored_words,
        )

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        root = int(rng.integers(2**63))
        try:
            arrays = self.recalled if root == self._root else self._recalled_from(root)
            return arrays.computed(self._cues(root), rng)
        except InvalidInput as error:
            raise InvalidInput(self.memory.words_for_rows(str(error), self.tokens)) from None

    def shown(self, arrays: Mapping[str, Labelled]) -> tuple[str, ...]:
        """The names of the arrays that a terminal shows; the caption of a strip of pictures replaces some of them."""
        names = super().shown(arrays)
        in_caption = ("state", "status", "recalls", "answers")
        return names if self.vocabulary.size is None else tuple(name for name in names if name not in in_caption)

    def strips(self, arrays: Mapping[str, Labelled]) -> Iterator[Strip]:
        if (size := self.vocabulary.size) is not None:
            damage = [self.cue[name].description(size.pixels) if name in self.cue else "" for name in self.tokens]
            yield from strips(arrays, self.vocabulary, damage)

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        yield from explain_recall(arrays, self.recalled.memory, self.memory, self.vocabulary)
        yield from self.recalled.explained_worth(arrays["input"].values)

    @cached_property
    def recalled(self) -> RecallArrays:
        """The memory of a run with the file's own seed, and the arrays that it gives."""
        return self._recalled_from(self._root)

    def _recalled_from(self, root: int) -> RecallArrays:
        """The same for any root of the random numbers; a sweep has another in each trial."""
        memory = self.memory.build_from_words(self.vocabulary.vectors, random_stream(root, "memory"))
        whole = None if self._taken is None else Whole(self._taken[0]._recalled_from(root), self._taken[1])
        return RecallArrays(memory, self.memory, self.vocabulary, self.tokens, self.targets, whole)

    @cached_property
    def _root(self) -> int:
        """The root of a run with the file's own seed: the memory and each cue draw from it by their names."""
        return int(np.random.default_rng(self.seed).integers(2**63))

    def _cues(self, root: int) -> np.ndarray:
        """The cues, `(n_cues, dim)`; the random numbers of a cue depend on its name and the run's root alone."""
        words = self.vocabulary
        damaged = {
            name: cue.build(words.vectors, words.size, random_stream(root, name)) for name, cue in self.cue.items()
        }
        return np.stack([damaged[token] if token in damaged else words.vectors[token] for token in self.tokens])
