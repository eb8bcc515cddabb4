"""kind = "memory": patterns are stored, cues are recalled to the fixed point."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.activation import activations
from hopattn.errors import InvalidInput, shortened
from hopattn.memory import Memory as AssociativeMemory
from hopattn.record import Status
from hopattn.scenario.arithmetic import dot, equals, number, vector, weighing, weighted_sum
from hopattn.scenario.damage import Damaged, cue_problems, stream
from hopattn.scenario.drawing import Strip
from hopattn.scenario.fields import Count, NameIn, PositiveNumber, Problem, Table, Text, chosen
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.layout import Layout
from hopattn.scenario.lines import Path
from hopattn.scenario.pictures import Pictures
from hopattn.scenario.recalling import agreement, inset, strips
from hopattn.scenario.result import Labelled
from hopattn.scenario.text import Input, labels, token_problems
from hopattn.scenario.vocabulary import WORD, Vocabulary
from hopattn.scenario.wiring import SeparationChoice
from hopattn.scenario.words import Words, gathered, picture_problems, vocabulary_problems
from hopattn.separation import separations
from hopattn.similarity import similarities


class MemoryTable(Table):
    """What is stored, and how it is recalled."""

    patterns: Annotated[list[str], Field(min_length=1)]
    """The words that are stored."""
    similarity: Annotated[str, NameIn(similarities)] = "dot"
    """How well a cue matches a pattern."""
    separation: SeparationChoice = "softmax"
    """How scores become weights."""
    beta: PositiveNumber = 1.0
    """What multiplies the scores before the separation (the inverse temperature)."""
    activation: Annotated[str, NameIn(activations)] = "identity"
    """What the neurons do with their field."""
    max_steps: Annotated[Count, Field(le=100_000)] = 100
    """The most steps that a recall may take; 1 is transformer attention."""


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

    telling: ClassVar[tuple[str, ...]] = ("scores", "weights", "state", "status", "recalls")
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
        for i, pattern in enumerate(self.memory.patterns):
            if pattern in self.cue and pattern not in words:
                yield Problem(("memory", "patterns", i), f"'{shortened(pattern)}' is a damaged cue; store a word")
        known = {**words, **self.cue}
        named = {pattern: () for pattern in self.memory.patterns if pattern in self.cue}
        yield from token_problems(self.memory.patterns, {**words, **named}, ("memory", "patterns"))
        yield from cue_problems(self.cue, words, self.vocabulary.size)
        if self.input is not None:
            yield from token_problems(self.input.tokens, known, ("input", "tokens"))
        elif not self.cue:
            yield Problem((), "needs cues: [input] with tokens, or a [cue.name] for each")

    def _memory_problems(self) -> Iterator[Problem]:
        if "nothing" in self.memory.patterns:
            yield Problem(("memory", "patterns"), "'nothing' is what a recall of no pattern is called; rename the word")
        try:
            memory = self._memory()
        except InvalidInput as error:
            yield Problem(("memory", "separation"), str(error))
            return
        for i, row in enumerate(self._cues(np.random.default_rng(self.seed))):
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
        return len(self.memory.patterns) * dim + cues * (self.memory.max_steps + 1) * (dim + 1)

    def layout(self) -> Layout:
        rows, columns, dim = labels(self.tokens), labels(self.memory.patterns), len(self.vocabulary.axes)
        n, m = len(rows), len(columns)
        shapes: dict[str, tuple[int, ...]] = {
            "input": (n, dim),
            "step 1 scores": (n, m),
            "step 1 weights": (n, m),
            "step 1 output": (n, dim),
            "state": (n, dim),
            "status": (n,),
            "recalls": (n,),
            "steps": (n,),
        }
        if not self._memory().lacks_energy:
            shapes["energy"] = (n, -1)
        if self.vocabulary.size is not None:
            shapes["trajectory"] = (n, -1, dim)
        return Layout(rows, columns, self.vocabulary.vectors, {WORD: slice(0, dim)}, shapes)

    def compute(self, rng: np.random.Generator) -> dict[str, Labelled]:
        memory, cues = self._memory(), self._cues(rng)
        keep = () if self.vocabulary.size is None else ("trajectory",)
        found = memory.recall(cues, max_steps=self.memory.max_steps, rng=rng, keep=keep)
        rows, columns, axes = labels(self.tokens), labels(self.memory.patterns), self.vocabulary.axes
        recalled = np.array([columns[i] if i >= 0 else "nothing" for i in found.matched])
        wide = {"input": cues, "step 1 output": memory.step(cues), "state": found.state}
        square = {"step 1 scores": memory.scores(cues), "step 1 weights": memory.weights(cues)}
        single = {"status": found.status, "recalls": recalled, "steps": found.steps}
        arrays = {
            **{name: Labelled(values, ("cue", "axis"), (rows, axes)) for name, values in wide.items()},
            **{name: Labelled(values, ("cue", "pattern"), (rows, columns)) for name, values in square.items()},
            **{name: Labelled(values, ("cue",), (rows,)) for name, values in single.items()},
        }
        if found.energies is not None:
            steps = tuple(str(t) for t in range(found.energies.shape[-1]))
            arrays["energy"] = Labelled(found.energies, ("cue", "step"), (rows, steps))
        if found.trajectory is not None:
            way = found.trajectory.swapaxes(0, 1)
            steps = tuple(str(t) for t in range(way.shape[1]))
            arrays["trajectory"] = Labelled(way, ("cue", "step", "axis"), (rows, steps, axes))
        return arrays

    def shown(self, arrays: Mapping[str, Labelled]) -> tuple[str, ...]:
        """With pictures, what became of a cue is said below its own."""
        names = super().shown(arrays)
        said = ("state", "status", "recalls")
        return names if self.vocabulary.size is None else tuple(name for name in names if name not in said)

    def strips(self, arrays: Mapping[str, Labelled]) -> Iterator[Strip]:
        if (size := self.vocabulary.size) is not None:
            told = [self.cue[name].told(size.pixels) if name in self.cue else "" for name in self.tokens]
            yield from strips(arrays, size, told)

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        memory = self._memory()
        names = arrays["step 1 scores"].labels[1]
        for i, label in enumerate(arrays["input"].labels[0]):
            cue_, scores, weights = (arrays[name].values[i] for name in ("input", "step 1 scores", "step 1 weights"))
            yield f"{label}, the first step:"
            if self.vocabulary.size is not None:
                yield from inset(cue_, self.vocabulary.size)
            for name, pattern, score in zip(names, memory.keys, scores, strict=True):
                product = dot if self.vocabulary.size is None else agreement
                told = (
                    product(cue_, pattern)
                    if self.memory.similarity == "dot"
                    else f"{self.memory.similarity} {number(score)}"
                )
                yield f"  similarity to {name}: {told}"
            for line in weighing(memory.separation, scores, names):
                yield f"  {line}"
            field = weights @ memory.values
            numbers = "" if self.vocabulary.size else f" {equals(weights, field)} {vector(field)}"
            yield f"  field: {weighted_sum(weights, names)}{numbers}"
            yield from self._explain_vector(f"  {self.memory.activation} gives", arrays["step 1 output"].values[i])
            yield from self._explain_end(arrays, i)

    def _explain_vector(self, before: str, values: np.ndarray, after: str = "") -> Iterator[str]:
        """A sentence with a vector in it; of a picture, with the picture below it."""
        if self.vocabulary.size is None:
            yield f"{before}: {vector(values)}{after}" if after else f"{before} {vector(values)}"
        else:
            yield f"{before}{after}:"
            yield from inset(values, self.vocabulary.size)

    def _explain_end(self, arrays: Mapping[str, Labelled], i: int) -> Iterator[str]:
        status, steps = Status(str(arrays["status"].values[i])), int(arrays["steps"].values[i])
        told = f"  after {steps} step{'' if steps == 1 else 's'}"
        yield from self._explain_vector(told, arrays["state"].values[i], f"; {status.meaning}")
        if "energy" in arrays:
            energies = arrays["energy"].values[i][: steps + 1]
            shown = [number(value) for value in energies]
            shown = shown if len(shown) <= 12 else [*shown[:10], "…", shown[-1]]
            yield f"  energy: {' → '.join(shown)}"
        yield f"  recalls: {arrays['recalls'].values[i]}"

    def _memory(self) -> AssociativeMemory:
        keys = np.stack([self.vocabulary.vectors[word] for word in self.memory.patterns])
        separation = chosen(separations, self.memory.separation, beta=self.memory.beta)
        return AssociativeMemory(
            keys, similarity=self.memory.similarity, separation=separation, activation=self.memory.activation
        )

    def _cues(self, rng: np.random.Generator) -> np.ndarray:
        """The cues, `(n_cues, dim)`; what is drawn for one depends on its name and the start of `rng` alone."""
        root, words = int(rng.integers(2**63)), self.vocabulary
        damaged = {name: cue.made(words.vectors, words.size, stream(root, name)) for name, cue in self.cue.items()}
        return np.stack([damaged[token] if token in damaged else words.vectors[token] for token in self.tokens])
