"""kind = "cue": cue the weights of a layer of neurons by patterns of activation, p_i = f(Σ_j w_ij a_j)."""

from collections.abc import Callable, Iterator
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.foundation.sentences import say
from hopattn.foundation.writing import WRITTEN_AS_0, number
from hopattn.positions.planes import rotation_degrees
from hopattn.retrieval.cues import cue, functions
from hopattn.scenario.arithmetic import equals, factor, product, rotated, rotation_rows, vector, written
from hopattn.scenario.arrays import Arrays, labels
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.kinds.layers import MatricesTable
from hopattn.scenario.language.table import (
    Angle,
    Matrix,
    NameIn,
    Parts,
    Table,
    Text,
    Told,
    Vector,
    at,
    fitting,
    need,
    need_one_of,
    need_room,
)
from hopattn.scenario.words.cues import vectors_of
from hopattn.scenario.words.pictures import Vectors
from hopattn.scenario.words.vocabulary import OF_MATRICES, OF_VECTORS, WORD, Input, Vocabulary


class Network(Table):
    """A layer of neurons: its weights given by name, as a matrix, or as a rotation."""

    neurons: Annotated[Annotated[dict[Text, Vector], Field(min_length=1)] | None, Told(pools=OF_VECTORS)] = None
    """Each neuron's name and weights, of the magnitude that the vocabulary asks for."""
    matrix: Annotated[Matrix | None, Told(pools=("rotations", *OF_MATRICES))] = None
    """The weights, one row a neuron; one column a neuron with matrices = "right"."""
    rotate: Annotated[Angle | None, Told()] = None
    """By how many degrees the layer rotates a point, counter-clockwise."""
    activation: Annotated[str, NameIn(functions, lambda _: {})] = "identity"
    """The function f that gives a neuron's activation from its field. Where as many neurons as axes are cued, "sign"
    keeps a spin whose field is 0."""

    def names(self, axes: list[str], count: int) -> tuple[str, ...]:
        """The names of so many neurons: those of the file; else the axes, for a layer with one neuron for each axis."""
        if self.neurons is not None:
            return tuple(self.neurons)
        return tuple(axes) if count == len(axes) else tuple(f"neuron {i + 1}" for i in range(count))

    def weights(self, vocabulary: Vocabulary, right: bool = False) -> np.ndarray:
        """The weights, `(n_neurons, dim)`; named neurons have the magnitude that the vocabulary asks for.

        right: as for `fitting`. Raises `Refused` for none or several of the three forms, and for weights that do not
        fit the vocabulary.
        """
        need_one_of(self, "neurons", "matrix", "rotate")
        dim = len(vocabulary.axes)
        if self.rotate is not None:
            need(dim % 2 == 0, "rotate", f"turns planes, so it needs an even number of axes, not {dim}")
            return rotation_degrees(self.rotate, dim)
        if self.neurons is not None:
            with at("neurons"):
                return np.stack([*vocabulary.scaled(self.neurons).values()])
        return np.asarray(fitting(self.matrix, "matrix", (dim, "one for each axis"), right=right))


_WORKED: dict[str, Callable[[float], str]] = {
    "logistic": lambda total: f"= 1/(1 + e^{factor(-total)}) ",
    "relu": lambda total: f"= max(0, {number(total)}) ",
    "step": lambda total: "",
    "tanh": lambda total: "",
}
"""The formula of f for one field, by the name of f; empty where there is none to work out by hand."""


class Cue(MatricesTable, Kind):
    """Patterns of activation, and a layer of neurons that they cue."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("network", "state")
    kind: Literal["cue"]
    vocabulary: Annotated[Vocabulary, Told()]
    """The words as vectors."""
    input: Annotated[Input, Told()]
    """The words that cue the neurons."""
    network: Annotated[Network, Told()]
    """The neurons."""

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        axes = tuple(self.vocabulary.axes)
        need_room(len(axes) * (len(axes) + 2 * len(self.input.tokens)))
        with Parts() as parts:
            with parts.at("vocabulary"):
                words = self.vocabulary.vectors
            with parts.at("network"):
                weights = self.network.weights(self.vocabulary, self.right)
            parts.end()
            with parts.at("input"):
                patterns = vectors_of(self.input, Vectors(words))
        token, neuron = {"token": labels(self.input.tokens)}, {"neuron": self.network.names([*axes], len(weights))}
        arrays.words, arrays.parts = words, {WORD: slice(0, len(weights))}
        arrays.add("input", patterns, token | {"axis": axes})
        arrays.add("network", weights, neuron | {"axis": axes}, right=self.right and self.network.matrix is not None)
        arrays.add("state", cue(weights, patterns, self.network.activation), token | neuron)

    def explain(self, arrays: Arrays) -> Iterator[str]:
        weights, patterns, states = (arrays[name] for name in ("network", "input", "state"))
        f = self.network.activation
        if self.network.rotate is not None:
            yield say("a rotation: {}", rotation_rows(self.network.rotate, weights.values))
        for label, pattern, state in zip(patterns.labels[0], patterns.values, states.values, strict=True):
            if self.network.rotate is not None:
                yield f"{label}: {rotated(weights.values, pattern)}"
            else:
                lines = product(weights.values, pattern, right="network" in arrays.right)
                yield from (
                    f"{label} → {neuron}: {line}" for neuron, line in zip(weights.labels[0], lines, strict=True)
                )
            if f in _WORKED:
                for neuron, total, answer in zip(weights.labels[0], weights.values @ pattern, state, strict=True):
                    result = f"{equals(answer, functions[f](written(total)))} {number(answer)}"
                    yield f"{label} → {neuron}: {f}({number(total)}) {_WORKED[f](total)}{result}"
            elif f != "identity":
                kept = f == "sign" and np.any((state != 0) & (np.abs(weights.values @ pattern) < WRITTEN_AS_0))
                form = f"{{}}: {{}} gives {{}}{', and keeps a spin whose field is 0' * bool(kept)}"
                yield say(form, label, f, vector(state))
