"""kind = "cue": cue the weights of a layer of neurons by patterns of activation, p_i = f(Σ_j w_ij a_j)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.foundation.writing import number
from hopattn.positions.planes import rotation_degrees
from hopattn.results.labelled import Labelled
from hopattn.retrieval.cues import cue, functions
from hopattn.scenario.explain.arithmetic import dot, equals, factor, rotated, rotation_rows, vector, written
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArrayLayout, ArraySpec
from hopattn.scenario.language.common_problems import matrix_problems, one_of_problems
from hopattn.scenario.language.fields import Angle, Matrix, NameIn, Problem, Table, Text, Vector
from hopattn.scenario.language.occurrence import labels
from hopattn.scenario.words.text import Input
from hopattn.scenario.words.vocabulary import WORD, Vocabulary


class Network(Table):
    """A layer of neurons: its weights given by name, as a matrix, or as a rotation."""

    neurons: Annotated[dict[Text, Vector], Field(min_length=1)] | None = None
    """Each neuron's name and weights, of the magnitude that the vocabulary asks for."""
    matrix: Matrix | None = None
    """The weights, one row a neuron."""
    rotate: Angle | None = None
    """By how many degrees the layer rotates a point, counter-clockwise."""
    activation: Annotated[str, NameIn(functions, lambda _: {})] = "identity"
    """The function f that gives a neuron's activation from its field."""

    def problems(self, vocabulary: Vocabulary) -> Iterator[Problem]:
        """None or several of the three forms, or weights that do not fit the patterns of activation."""
        dim = len(vocabulary.axes)
        forms = [*one_of_problems(self, ("neurons", "matrix", "rotate"), ("network",))]
        yield from forms
        if not forms and self.rotate is not None and dim % 2:
            yield Problem(("network", "rotate"), f"turns planes, so it needs an even number of axes, not {dim}")
        elif not forms and self.neurons is not None:
            yield from vocabulary.vector_problems(self.neurons, ("network", "neurons"))
        yield from matrix_problems(self.matrix or [], ("network", "matrix"), (dim, "one for each axis"))

    def names(self, axes: list[str]) -> tuple[str, ...]:
        """The names of the neurons: those of the file; else the axes, for a layer with one neuron for each axis."""
        if self.neurons is not None:
            return tuple(self.neurons)
        if self.matrix is None or len(self.matrix) == len(axes):
            return tuple(axes)
        return tuple(f"neuron {i + 1}" for i in range(len(self.matrix)))

    def weights(self, vocabulary: Vocabulary) -> np.ndarray:
        """The weights, `(n_neurons, dim)`; named neurons have the magnitude that the vocabulary asks for."""
        if self.rotate is not None:
            return rotation_degrees(self.rotate, len(vocabulary.axes))
        if self.neurons is not None:
            return np.stack(list(vocabulary.scaled(self.neurons).values()))
        return np.array(self.matrix, dtype=float)


_WORKED: dict[str, Callable[[float], str]] = {
    "logistic": lambda total: f"= 1/(1 + e^{factor(-total)}) ",
    "relu": lambda total: f"= max(0, {number(total)}) ",
    "step": lambda total: "",
    "tanh": lambda total: "",
}
"""The formula of f for one field, by the name of f; empty where there is none to work out by hand."""


class Cue(Spec):
    """Patterns of activation, and a layer of neurons that they cue."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("network", "state")
    main_table: ClassVar[str] = "network"
    kind: Literal["cue"]
    vocabulary: Vocabulary
    """The words as vectors."""
    input: Input
    """The words that cue the neurons."""
    network: Network
    """The neurons."""

    def fit_problems(self) -> Iterator[Problem]:
        yield from self.vocabulary.problems()
        yield from self.input.problems_of_tokens(self.vocabulary.words)
        yield from self.network.problems(self.vocabulary)

    def size(self) -> int:
        axes = len(self.vocabulary.axes)
        return axes * axes + len(self.input.tokens) * 2 * axes

    def declared_arrays(self) -> Iterator[ArraySpec]:
        token, axis = ("token", labels(self.input.tokens)), ("axis", tuple(self.vocabulary.axes))
        neuron = ("neuron", self.network.names(self.vocabulary.axes))
        yield ArraySpec("input", (token, axis))
        yield ArraySpec("network", (neuron, axis))
        yield ArraySpec("state", (token, neuron))

    def layout(self) -> ArrayLayout:
        rows, neurons = labels(self.input.tokens), self.network.names(self.vocabulary.axes)
        words, parts = self.vocabulary.vectors, {WORD: slice(0, len(neurons))}
        return replace(super().layout(), rows=rows, columns=neurons, words=words, parts=parts)

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        patterns = np.stack([self.vocabulary.vectors[token] for token in self.input.tokens])
        weights = self.network.weights(self.vocabulary)
        return {"input": patterns, "network": weights, "state": cue(weights, patterns, self.network.activation)}

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        weights, patterns, states = (arrays[name] for name in ("network", "input", "state"))
        f = self.network.activation
        if self.network.rotate is not None:
            yield f"a rotation: {rotation_rows(self.network.rotate, weights.values)}"
        for label, pattern, state in zip(patterns.labels[0], patterns.values, states.values, strict=True):
            if self.network.rotate is not None:
                yield f"{label}: {rotated(weights.values, pattern)}"
            else:
                for neuron, row in zip(weights.labels[0], weights.values, strict=True):
                    yield f"{label} → {neuron}: {dot(row, pattern)}"
            if f in _WORKED:
                for neuron, total, answer in zip(weights.labels[0], weights.values @ pattern, state, strict=True):
                    result = f"{equals(answer, functions[f](written(total)))} {number(answer)}"
                    yield f"{label} → {neuron}: {f}({number(total)}) {_WORKED[f](total)}{result}"
            elif f != "identity":
                yield f"{label}: {f} gives {vector(state)}"
