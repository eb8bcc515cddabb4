"""kind = "memory": patterns are stored, cues are recalled to the fixed point."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.dynamics.likeness import Spurious, likeness
from hopattn.dynamics.record import Recall
from hopattn.dynamics.state_space import POINTS, countable, flat, landscape, parameters, successors
from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.foundation.labelled import Labelled
from hopattn.memories.memory import Memory as AssociativeMemory
from hopattn.networks.bidirectional import Bidirectional
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.explain.recall import explained, strips
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import Layout
from hopattn.scenario.language.fields import Problem, Text
from hopattn.scenario.language.lines import Path
from hopattn.scenario.parts.memories import MemoryTable
from hopattn.scenario.words.character_pictures import Strip
from hopattn.scenario.words.damaged_cues import Damaged, cue_problems, stream
from hopattn.scenario.words.pictures import Pictures
from hopattn.scenario.words.text import Input, labels, token_problems
from hopattn.scenario.words.vocabulary import WORD, Vocabulary
from hopattn.scenario.words.word_list import Words, gathered, picture_problems, vocabulary_problems

TEMPLATE = """\
# Two patterns are stored; a damaged one is recalled. Change the patterns, the cue, and what must come out.
schema = 1
title = "my first memory"
source = "ours"                          # the document and section that it comes from
kind = "memory"

[vocabulary]
axes = ["1", "2", "3", "4", "5", "6"]    # one name for each neuron
magnitude = "free"                       # spins are -1 or 1; 0 in a cue means unknown
[vocabulary.words]
stripes = [1, -1, 1, -1, 1, -1]
halves  = [1, 1, 1, -1, -1, -1]
damaged = [1, 1, -1, -1, -1, -1]         # halves, its third neuron flipped

[memory]
patterns = ["stripes", "halves"]         # the words that are stored
separation = "identity"                  # Hopfield's network; "softmax" is the modern one
activation = "sign"                      # spins; with "softmax", try "identity"
beta = 0.16666666666666666               # 1 / number of neurons

[input]
tokens = ["damaged"]                     # the cues

[[expect]]
at = "damaged"
recalls = "halves"
status = "converged"
energy = "falls"
"""


class Memory(Spec):
    """Stored patterns and the cues that they are recalled from."""

    telling: ClassVar[tuple[str, ...]] = ("scores", "weights", "state", "status", "recalls", "answers")
    working_part: ClassVar[str] = "memory"
    template: ClassVar[str] = TEMPLATE
    kind: Literal["memory"]
    written: Annotated[Vocabulary | None, Field(alias="vocabulary")] = None
    """The words as vectors."""
    pictures: Pictures | None = None
    """The words that are pictures."""
    memory: MemoryTable
    """What is stored, and how it is recalled."""
    cue: dict[Text, Damaged] = Field(default_factory=dict)
    """Cues that are damaged words, or mixed of several, by name."""
    input: Input | None = None
    """The cues; without it, those of [cue], in their order."""

    @cached_property
    def vocabulary(self) -> Words:
        """The words and the pictures together."""
        return gathered(self.written, self.pictures)

    @property
    def tokens(self) -> list[str]:
        """The names of the cues, in their order."""
        return [*self.cue] if self.input is None else self.input.tokens

    def part_problems(self) -> Iterator[Problem]:
        yield from picture_problems(self.written, self.pictures)

    def fit_problems(self) -> Iterator[Problem]:
        words = [*vocabulary_problems(self.written, self.pictures)]
        tokens = [*self._token_problems()]
        yield from words
        yield from tokens
        if self.input is not None:
            yield from self.input.only_tokens()
        if not words and not tokens:
            yield from self._memory_problems()

    def _token_problems(self) -> Iterator[Problem]:
        words = {
            **(self.written.words if self.written else {}),
            **(self.pictures.loaded.words if self.pictures else {}),
        }
        for key in ("patterns", "values"):
            stored = getattr(self.memory, key) or []
            for i, word in enumerate(stored):
                if word in self.cue and word not in words:
                    yield Problem(("memory", key, i), f"'{shortened(word)}' is a damaged cue; store a word")
            named = {word: () for word in stored if word in self.cue}
            yield from token_problems(stored, {**words, **named}, ("memory", key))
        known = {**words, **self.cue}
        yield from cue_problems(self.cue, words, self.vocabulary.size)
        if self.input is not None:
            yield from token_problems(self.input.tokens, known, ("input", "tokens"))
        elif not self.cue:
            yield Problem((), "needs cues: [input] with tokens, or a [cue.name] for each")

    def _memory_problems(self) -> Iterator[Problem]:
        if "nothing" in (*self.memory.patterns, *(self.memory.values or ())):
            yield Problem(("memory", "patterns"), "'nothing' is what a recall of no pattern is called; rename the word")
        written = [*self.memory.problems()]
        yield from written
        if written:
            return
        try:
            memory = self._memory(self.seed)
        except InvalidInput as error:
            key = "separation" if self.memory.model is None else "model"
            yield Problem(("memory", key), self.memory.by_word(str(error)))
            return
        try:
            obstacle = self.memory.updated().obstacle(memory)
        except InvalidInput as error:
            obstacle = str(error)
        if obstacle:
            yield Problem(("memory", "update"), obstacle)
        for i, row in enumerate(self._cues(self.seed)):
            if reason := memory.activation.foreign(row):
                yield Problem(self._place(i), f"'{self.tokens[i]}' {reason}")

    def _place(self, i: int) -> Path:
        """Where the numbers of a cue come from."""
        name = self.tokens[i]
        if name in self.cue:
            return ("cue", name, "noise") if self.cue[name].noise else ("cue", name)
        return ("input", "tokens", i)

    def size(self) -> int:
        cues, dim = len(self.tokens), len(self.vocabulary.axes)
        return (len(self.memory.patterns) + dim) * dim + cues * (self.memory.steps + 1) * (dim + 1)

    def layout(self) -> Layout:
        rows, columns, dim = labels(self.tokens), labels(self.memory.patterns), len(self.vocabulary.axes)
        n, m, memory = len(rows), len(columns), self._memory(self.seed)
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(
            ("input", "step 1 field", "step 1 output", "state"), (n, dim)
        )
        shapes |= dict.fromkeys(("status", "recalls", "spurious", "of", "steps"), (n,))
        shapes |= {"visits": (n, -1)}
        if self._weighs(memory):
            shapes |= dict.fromkeys(("step 1 scores", "step 1 weights"), (n, m))
        if isinstance(memory, Bidirectional):
            shapes |= {"answer": (n, dim), "answers": (n,)}
        if not memory.lacks_energy:
            shapes["energy"] = (n, -1)
        if self._keeps_way:
            shapes["trajectory"] = (n, -1, dim)
        shapes |= {"nearest": (n, dim), "nearest word": (n,)}
        if self._weighs(memory):
            shapes |= {name: found.values.shape for name, found in parameters(memory.separation).items()}
        if flat(memory, dim):
            shapes["landscape"] = (POINTS, POINTS)
        if self._countable(memory):
            shapes |= {"successor": (2**dim,), "way": ()}
        if "landscape" in shapes or "successor" in shapes:
            shapes["patterns"] = (len(self.memory.recalled_words), dim)
        columns += tuple(word for word in self.memory.stored_words if word not in columns)
        return Layout(rows, columns, self.vocabulary.vectors, {WORD: slice(0, dim)}, shapes)

    def compute(self, rng: np.random.Generator) -> dict[str, Labelled]:
        root = int(rng.integers(2**63))
        memory, cues = self._memory(root), self._cues(root)
        found = memory.recall(
            cues, update=self.memory.updated(), max_steps=self.memory.steps, rng=rng, keep=("trajectory",)
        )
        way = found.trajectory.swapaxes(0, 1)
        rows, columns, axes = labels(self.tokens), labels(self.memory.patterns), self.vocabulary.axes
        steps = tuple(str(t) for t in range(way.shape[1]))
        named = np.array([*self.memory.recalled_words, "nothing"])
        visited = [likeness(states, memory.patterns, memory.activation).matched for states in found.trajectory]
        single = {
            "status": found.status,
            "recalls": named[found.matched],
            "spurious": np.where(found.spurious == "", "none", found.spurious),
            "of": np.array(self._made_of(found, memory.patterns, named)),
            "steps": found.steps,
        }
        wide = {"input": cues, "step 1 field": memory.field(cues), "step 1 output": way[:, 1], "state": found.state}
        square = {"scores": memory.scores, "weights": memory.weights} if self._weighs(memory) else {}
        by_step = {"visits": named[np.stack(visited, axis=1)]}
        by_step |= {} if found.energies is None else {"energy": found.energies}
        arrays = {
            **{name: Labelled(values, ("cue", "axis"), (rows, axes)) for name, values in wide.items()},
            **{
                f"step 1 {name}": Labelled(read(cues), ("cue", "pattern"), (rows, columns))
                for name, read in square.items()
            },
            **{name: Labelled(values, ("cue",), (rows,)) for name, values in single.items()},
            **{name: Labelled(values, ("cue", "step"), (rows, steps)) for name, values in by_step.items()},
        }
        if isinstance(memory, Bidirectional):
            arrays |= self._answers(memory, found.state, rows)
        if self._keeps_way:
            arrays["trajectory"] = Labelled(way, ("cue", "step", "axis"), (rows, steps, axes))
        closest = np.argmax(np.abs(cosine(found.state, memory.patterns)), axis=-1)
        arrays["nearest"] = Labelled(memory.patterns[closest], ("cue", "axis"), (rows, axes))
        arrays["nearest word"] = Labelled(named[closest], ("cue",), (rows,))
        return arrays | self._whole(memory, cues)

    @property
    def _keeps_way(self) -> bool:
        """Whether every step of a recall can be drawn: as a picture, or as a point on a plane."""
        return self.vocabulary.size is not None or len(self.vocabulary.axes) == 2

    def _whole(self, memory: Any, cues: np.ndarray) -> dict[str, Labelled]:
        """What is to be said of the memory itself: its separation; of a small one the patterns, and what is where."""
        names, axes, found = labels(self.memory.recalled_words), self.vocabulary.axes, dict[str, Labelled]()
        if self._weighs(memory):
            found |= parameters(memory.separation)
        if flat(memory, len(axes)):
            found["landscape"] = landscape(memory, cues)
        if self._countable(memory):
            found |= successors(memory, self.memory.updated(), len(axes))
        if "landscape" in found or "successor" in found:
            found["patterns"] = Labelled(memory.patterns, ("pattern", "axis"), (names, axes))
        return found

    def _countable(self, memory: Any) -> bool:
        """Whether the states are few, and each leads to one other; not where the update cannot be."""
        try:
            return countable(memory, self.memory.updated(), len(self.vocabulary.axes))
        except InvalidInput:
            return False

    def _weighs(self, memory: Any) -> bool:
        """Whether each pattern has a weight; a sparse distributed memory has locations in their place."""
        return isinstance(memory, AssociativeMemory) and len(memory.keys) == len(self.memory.patterns)

    @staticmethod
    def _made_of(found: Recall, patterns: np.ndarray, named: np.ndarray) -> list[str]:
        """The words that each spurious state is made of: those of a mixture, the one that is reversed."""
        made = []
        for state, kind, three in zip(found.state, found.spurious, found.mixture, strict=True):
            unlike = int(np.argmin(cosine(state, patterns))) if kind == Spurious.REVERSED else -1
            words = named[three] if kind == Spurious.MIXTURE else named[[unlike]] if unlike >= 0 else []
            made.append(" + ".join(dict.fromkeys(str(word) for word in words)))
        return made

    def _answers(self, memory: Bidirectional, states: np.ndarray, rows: tuple[str, ...]) -> dict[str, Labelled]:
        """What the other side says at the end, and which of its patterns that is."""
        answer = memory.answer(states)
        matched = likeness(answer, memory.forward.patterns, memory.activation).matched
        named = np.array([*(self.memory.values or ()), "nothing"])[matched]
        wide = Labelled(answer, ("cue", "axis"), (rows, self.vocabulary.axes))
        return {"answer": wide, "answers": Labelled(named, ("cue",), (rows,))}

    def shown(self, arrays: Mapping[str, Labelled]) -> tuple[str, ...]:
        """With pictures, what became of a cue is said below its own."""
        names = super().shown(arrays)
        said = ("state", "status", "recalls", "answers")
        return names if self.vocabulary.size is None else tuple(name for name in names if name not in said)

    def strips(self, arrays: Mapping[str, Labelled]) -> Iterator[Strip]:
        if (size := self.vocabulary.size) is not None:
            told = [self.cue[name].told(size.pixels) if name in self.cue else "" for name in self.tokens]
            yield from strips(arrays, self.vocabulary, told)

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        return explained(arrays, self._memory(0), self.memory, self.vocabulary)

    def _memory(self, root: int) -> Any:
        """The memory; what is drawn for it depends on the run's root alone."""
        return self.memory.built(self.vocabulary.vectors, stream(root, "memory"))

    def _cues(self, root: int) -> np.ndarray:
        """The cues, `(n_cues, dim)`; what is drawn for one depends on its name and the run's root alone."""
        words = self.vocabulary
        damaged = {name: cue.made(words.vectors, words.size, stream(root, name)) for name, cue in self.cue.items()}
        return np.stack([damaged[token] if token in damaged else words.vectors[token] for token in self.tokens])
