"""kind = "memory": patterns are stored, cues are recalled to the fixed point."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.activation import activations
from hopattn.errors import InvalidInput
from hopattn.memory import Memory as AssociativeMemory
from hopattn.record import Status
from hopattn.scenario.arithmetic import dot, equals, number, vector, weighing, weighted_sum
from hopattn.scenario.fields import Count, NameIn, PositiveNumber, Problem, Table, chosen
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.layout import Layout
from hopattn.scenario.result import Labelled
from hopattn.scenario.text import Input, labels, token_problems
from hopattn.scenario.vocabulary import WORD, Vocabulary
from hopattn.scenario.wiring import SeparationChoice
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
    vocabulary: Vocabulary
    """The words as vectors."""
    memory: MemoryTable
    """What is stored, and how it is recalled."""
    input: Input
    """The cues."""

    def fit_problems(self) -> Iterator[Problem]:
        vocabulary = [*self.vocabulary.problems()]
        words = self.vocabulary.words
        tokens = [
            *token_problems(self.memory.patterns, words, ("memory", "patterns")),
            *token_problems(self.input.tokens, words, ("input", "tokens")),
        ]
        yield from vocabulary
        yield from tokens
        yield from self.input.only_tokens()
        if not vocabulary and not tokens:
            yield from self._memory_problems()

    def _memory_problems(self) -> Iterator[Problem]:
        if "nothing" in self.memory.patterns:
            yield Problem(("memory", "patterns"), "'nothing' is what a recall of no pattern is called; rename the word")
        try:
            memory = self._memory()
        except InvalidInput as error:
            yield Problem(("memory", "separation"), str(error))
            return
        for i, row in enumerate(self._cues()):
            if reason := memory.activation.foreign(row):
                yield Problem(("input", "tokens", i), f"'{self.input.tokens[i]}' {reason}")

    def size(self) -> int:
        cues, dim = len(self.input.tokens), len(self.vocabulary.axes)
        return len(self.memory.patterns) * dim + cues * (self.memory.max_steps + 1) * (dim + 1)

    def layout(self) -> Layout:
        rows, columns, dim = labels(self.input.tokens), labels(self.memory.patterns), len(self.vocabulary.axes)
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
        return Layout(rows, columns, self.vocabulary.vectors, {WORD: slice(0, dim)}, shapes)

    def compute(self, rng: np.random.Generator) -> dict[str, Labelled]:
        memory, cues = self._memory(), self._cues()
        found = memory.recall(cues, max_steps=self.memory.max_steps, rng=rng)
        rows, columns, axes = labels(self.input.tokens), labels(self.memory.patterns), tuple(self.vocabulary.axes)
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
        return arrays

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        memory = self._memory()
        names = arrays["step 1 scores"].labels[1]
        for i, label in enumerate(arrays["input"].labels[0]):
            cue_, scores, weights = (arrays[name].values[i] for name in ("input", "step 1 scores", "step 1 weights"))
            yield f"{label}, the first step:"
            for name, pattern, score in zip(names, memory.keys, scores, strict=True):
                told = (
                    dot(cue_, pattern)
                    if self.memory.similarity == "dot"
                    else f"{self.memory.similarity} {number(score)}"
                )
                yield f"  similarity to {name}: {told}"
            for line in weighing(memory.separation, scores, names):
                yield f"  {line}"
            field = weights @ memory.values
            yield f"  field: {weighted_sum(weights, names)} {equals(weights, field)} {vector(field)}"
            yield f"  {self.memory.activation} gives {vector(arrays['step 1 output'].values[i])}"
            yield from self._explain_end(arrays, i)

    @staticmethod
    def _explain_end(arrays: Mapping[str, Labelled], i: int) -> Iterator[str]:
        status, steps = Status(str(arrays["status"].values[i])), int(arrays["steps"].values[i])
        yield f"  after {steps} step{'' if steps == 1 else 's'}: {vector(arrays['state'].values[i])}; {status.meaning}"
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

    def _cues(self) -> np.ndarray:
        return np.stack([self.vocabulary.vectors[word] for word in self.input.tokens])
