"""kind = "cue": cue the weights of a layer of neurons by patterns of activation, p_i = f(Σ_j w_ij a_j)."""

from collections.abc import Callable, Iterator
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.foundation.writing import number
from hopattn.positions.planes import rotation_degrees
from hopattn.retrieval.cues import cue, functions
from hopattn.scenario.arithmetic import dot, equals, factor, rotated, rotation_rows, vector, written
from hopattn.scenario.arrays import Arrays, labels
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.language.syntax_faults import comma_hint
from hopattn.scenario.language.table import (
    Angle,
    Matrix,
    NameIn,
    Parts,
    Table,
    Text,
    Vector,
    at,
    need,
    need_one_of,
    need_room,
)
from hopattn.scenario.words.cues import vectors_of
from hopattn.scenario.words.pictures import Vectors
from hopattn.scenario.words.vocabulary import WORD, Input, Vocabulary


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

    def names(self, axes: list[str]) -> tuple[str, ...]:
        """The names of the neurons: those of the file; else the axes, for a layer with one neuron for each axis."""
        if self.neurons is not None:
            return tuple(self.neurons)
        if self.matrix is None or len(self.matrix) == len(axes):
            return tuple(axes)
        return tuple(f"neuron {i + 1}" for i in range(len(self.matrix)))

    def weights(self, vocabulary: Vocabulary) -> np.ndarray:
        """The weights, `(n_neurons, dim)`; named neurons have the magnitude that the vocabulary asks for.

        Raises `Refused` for none or several of the three forms, and for weights that do not fit the vocabulary.
        """
        need_one_of(self, "neurons", "matrix", "rotate")
        dim = len(vocabulary.axes)
        if self.rotate is not None:
            need(dim % 2 == 0, "rotate", f"turns planes, so it needs an even number of axes, not {dim}")
            return rotation_degrees(self.rotate, dim)
        if self.neurons is not None:
            with at("neurons"):
                return np.stack([*vocabulary.scaled(self.neurons).values()])
        rows = self.matrix or []
        rest = f"every row needs {dim} numbers, one for each axis{comma_hint(rows, dim)}"
        need(all(len(row) == dim for row in rows), "matrix", rest)
        return np.array(rows, dtype=float)


_WORKED: dict[str, Callable[[float], str]] = {
    "logistic": lambda total: f"= 1/(1 + e^{factor(-total)}) ",
    "relu": lambda total: f"= max(0, {number(total)}) ",
    "step": lambda total: "",
    "tanh": lambda total: "",
}
"""The formula of f for one field, by the name of f; empty where there is none to work out by hand."""


class Cue(Kind):
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

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        axes = tuple(self.vocabulary.axes)
        need_room(len(axes) * (len(axes) + 2 * len(self.input.tokens)))
        with Parts() as parts:
            with parts.at("vocabulary"):
                words = self.vocabulary.vectors
            with parts.at("network"):
                weights = self.network.weights(self.vocabulary)
            parts.end()
            with parts.at("input"):
                patterns = vectors_of(self.input, Vectors(words))
        token, neuron = {"token": labels(self.input.tokens)}, {"neuron": self.network.names(self.vocabulary.axes)}
        arrays.words, arrays.parts = words, {WORD: slice(0, len(weights))}
        arrays.add("input", patterns, token | {"axis": axes})
        arrays.add("network", weights, neuron | {"axis": axes})
        arrays.add("state", cue(weights, patterns, self.network.activation), token | neuron)

    def explain(self, arrays: Arrays) -> Iterator[str]:
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
