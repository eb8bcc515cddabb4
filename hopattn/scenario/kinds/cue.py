"""kind = "cue": cue the weights of a layer of neurons by patterns of activation, p_i = f(Σ_j w_ij a_j)."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.foundation.labelled import Labelled
from hopattn.retrieval.activation import activations
from hopattn.retrieval.cue import cue
from hopattn.scenario.explain.arithmetic import dot, rotated, rotation_rows, vector
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import Layout
from hopattn.scenario.language.fields import Angle, Matrix, NameIn, Problem, Table, Text, Vector
from hopattn.scenario.words.text import Input, labels, token_problems
from hopattn.scenario.words.vocabulary import WORD, Vocabulary
from hopattn.transformer.positions.circle import rotation_degrees


class Network(Table):
    """A layer of neurons: its weights given by name, as a matrix, or as a rotation."""

    neurons: Annotated[dict[Text, Vector], Field(min_length=1)] | None = None
    """Each neuron's name and weights, of the magnitude that the vocabulary asks for."""
    matrix: Matrix | None = None
    """The weights, one row a neuron."""
    rotate: Angle | None = None
    """By how many degrees the layer rotates a point, counter-clockwise."""
    activation: Annotated[str, NameIn(activations)] = "identity"
    """What the neurons do with their field: f."""

    def problems(self, vocabulary: Vocabulary) -> Iterator[Problem]:
        """Not exactly one of the three forms, or one that does not fit the patterns of activation."""
        dim = len(vocabulary.axes)
        given = [name for name in ("neurons", "matrix", "rotate") if getattr(self, name) is not None]
        if len(given) != 1:
            yield Problem(
                ("network",), f"needs one of neurons, matrix, rotate; {' and '.join(given) or 'none'} is given"
            )
        elif self.rotate is not None and dim % 2:
            yield Problem(("network", "rotate"), f"turns planes, so it needs an even number of axes, not {dim}")
        elif self.neurons is not None:
            yield from vocabulary.vector_problems(self.neurons, ("network", "neurons"))
        for i, row in enumerate(self.matrix or []):
            if len(row) != dim:
                yield Problem(("network", "matrix", i), f"{len(row)} numbers do not fit the {dim} axes")

    def names(self, axes: list[str]) -> tuple[str, ...]:
        """The neurons' names: their own, or, for a layer that gives back a pattern on the same axes, those."""
        if self.neurons is not None:
            return tuple(self.neurons)
        if self.matrix is None or len(self.matrix) == len(axes):
            return tuple(axes)
        return tuple(f"neuron {i + 1}" for i in range(len(self.matrix)))

    def weights(self, vocabulary: Vocabulary) -> np.ndarray:
        """The weights, `(n_neurons, dim)`; neurons are of the magnitude that the vocabulary asks for."""
        if self.rotate is not None:
            return rotation_degrees(self.rotate, len(vocabulary.axes))
        if self.neurons is not None:
            return np.stack(list(vocabulary.scaled(self.neurons).values()))
        return np.array(self.matrix, dtype=float)


TEMPLATE = """\
# Two patterns of activation cue one neuron. Change the numbers, the names, and what must come out.
schema = 1
title = "my first cue"
source = "ours"                          # the document and section that it comes from
kind = "cue"

[vocabulary]
axes = ["first", "second"]               # one name for each number of a vector
magnitude = "unit"                       # checked; "normalise" scales, "free" leaves vectors as they are
[vocabulary.words]
same     = [0.8, 0.6]
opposite = [-0.8, -0.6]

[input]
tokens = ["same", "opposite"]            # the patterns that cue the neuron, in this order

[network.neurons]
neuron = [0.8, 0.6]                      # its weights; more neurons may follow

[[expect]]                               # .8 × .8 + .6 × .6 = 1
at = "same"
is = [1]                                 # one number for each neuron

[[expect]]
at = "opposite"
is = [-1]
"""


class Cue(Spec):
    """Patterns of activation, and a layer of neurons that they cue."""

    telling: ClassVar[tuple[str, ...]] = ("network", "state")
    working_part: ClassVar[str] = "network"
    template: ClassVar[str] = TEMPLATE
    kind: Literal["cue"]
    vocabulary: Vocabulary
    """The words as vectors."""
    input: Input
    """The words that cue the neurons."""
    network: Network
    """The neurons."""

    def fit_problems(self) -> Iterator[Problem]:
        yield from self.vocabulary.problems()
        yield from token_problems(self.input.tokens, self.vocabulary.words, ("input", "tokens"))
        yield from self.network.problems(self.vocabulary)
        yield from self.input.only_tokens()

    def size(self) -> int:
        axes = len(self.vocabulary.axes)
        return axes * axes + len(self.input.tokens) * 2 * axes

    def layout(self) -> Layout:
        rows, axes = labels(self.input.tokens), self.vocabulary.axes
        neurons = self.network.names(axes)
        shapes = {
            "input": (len(rows), len(axes)),
            "network": (len(neurons), len(axes)),
            "state": (len(rows), len(neurons)),
        }
        parts = {WORD: slice(0, len(neurons))}
        return Layout(rows, neurons, self.vocabulary.vectors, parts, shapes)

    def compute(self, rng: np.random.Generator) -> dict[str, Labelled]:
        rows, axes = labels(self.input.tokens), tuple(self.vocabulary.axes)
        patterns = np.stack([self.vocabulary.vectors[token] for token in self.input.tokens])
        weights = self.network.weights(self.vocabulary)
        neurons = self.network.names(list(axes))
        state = cue(weights, patterns, self.network.activation)
        return {
            "input": Labelled(patterns, ("token", "axis"), (rows, axes)),
            "network": Labelled(weights, ("neuron", "axis"), (neurons, axes)),
            "state": Labelled(np.asarray(state), ("token", "neuron"), (rows, neurons)),
        }

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        weights, given, state = (arrays[name] for name in ("network", "input", "state"))
        f = self.network.activation
        if self.network.rotate is not None:
            yield f"a rotation: {rotation_rows(self.network.rotate, weights.values)}"
        for label, pattern, answer in zip(given.labels[0], given.values, state.values, strict=True):
            if self.network.rotate is not None:
                yield f"{label}: {rotated(weights.values, pattern)}"
            else:
                for neuron, row in zip(weights.labels[0], weights.values, strict=True):
                    yield f"{label} → {neuron}: {dot(row, pattern)}"
            if f != "identity":
                yield f"{label}: {f} gives {vector(answer)}"
