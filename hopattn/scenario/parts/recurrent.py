"""Recurrent networks as a scenario writes them: a cell that reads a text, and a decoder with attention."""

from collections import ChainMap
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, Any

import numpy as np
from pydantic import Field, Tag

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.writing import counted
from hopattn.retrieval.activation import activations
from hopattn.retrieval.separation import separations
from hopattn.retrieval.similarity import Additive, Bilinear, Similarity, similarities
from hopattn.scenario.language.common_problems import refusals
from hopattn.scenario.language.decimal_commas import comma_hint
from hopattn.scenario.language.fields import (
    ByTomlType,
    EntryIn,
    Matrix,
    NameIn,
    Number,
    PositiveNumber,
    Problem,
    Table,
    Vector,
    registry_entry,
)
from hopattn.scenario.language.lines import Path
from hopattn.scenario.parts.heads import SeparationChoice
from hopattn.transformer.recurrent import Recurrent, RecurrentDecoder

NumberOrMatrix = Annotated[Annotated[Number, Tag("number")] | Annotated[Matrix, Tag("array")], ByTomlType]
"""A matrix, or a number that stands for this multiple of the identity; 0 is a matrix of zeros of any shape."""

LEARNED: dict[str, type[Similarity]] = {"bilinear": Bilinear, "additive": Additive}
"""The similarities with matrices of their own, which are in a table."""
SCORES: Mapping[str, type[Similarity]] = ChainMap(LEARNED, similarities)  # type: ignore[arg-type]  # read only
"""All similarities between a decoder's state and a state of the network."""


def _parameters(entry: Any) -> dict[str, tuple[Any, Any]]:
    """The parameters of a similarity that a file may give."""
    if entry is Bilinear:
        return {"matrix": (Matrix, ...)}
    return {"w_cue": (Matrix, ...), "w_key": (Matrix, ...), "v": (Vector, ...)} if entry is Additive else {}


ScoreChoice = Annotated[
    Annotated[str, NameIn(SCORES, _parameters), Tag("text")]
    | Annotated[Table, EntryIn(LEARNED, parameters=_parameters, suffix="ScoreTable"), Tag("table")],
    ByTomlType,
]


class CellTable(Table):
    """A recurrent network: h_t = f(W x_t + U h_{t−1} + b), the same matrices at every word."""

    w_input: NumberOrMatrix = 1.0
    """W, by which a word is multiplied, (neurons, elements of a word); a number is that multiple of the identity."""
    w_hidden: NumberOrMatrix
    """U, by which the state before is multiplied, (neurons, neurons); a number is that multiple of the identity."""
    bias: Vector | None = None
    """b, one number for each neuron; 0 by default."""
    activation: Annotated[str, NameIn(activations)] = "tanh"
    """The function f that gives the state from its field."""
    start: Vector | None = None
    """The state before the first word, one number for each neuron; 0 by default."""

    def neurons(self, dim: int, stored: int = 0) -> int:
        """The number of neurons, for words of `dim` elements; stored: those of the network that a decoder reads."""
        return self._counted(dim, stored)[0]

    def _counted(self, dim: int, stored: int) -> tuple[int, str]:
        """The neurons, and the matrix whose rows give their number; empty where the words do."""
        count, name = _rows(("w_input", self.w_input, dim), ("w_hidden", self.w_hidden, 0))
        return count or dim, name

    def problems(self, dim: int, path: Path) -> Iterator[Problem]:
        """Matrices and vectors that do not fit the words, of `dim` elements, or each other."""
        yield from self._shape_problems({"w_input": (dim, "element of a word")}, self._counted(dim, 0), path)

    def build(self, dim: int) -> Recurrent:
        """The network for words of `dim` elements; `problems` must have found none."""
        return self._network([(self.w_input, dim)], self.neurons(dim))

    def _shape_problems(self, read: dict[str, tuple[int, str]], size: tuple[int, str], path: Path) -> Iterator[Problem]:
        """The problems of the matrices and vectors.

        read: the number and the meaning of the columns of each matrix. size: as `_counted` gives it.
        """
        neurons, source = size
        of = f" ({source} has {counted(neurons, 'row')})" if source else ""
        for key, (columns, each) in {**read, "w_hidden": (neurons, "neuron")}.items():
            rows = f"{counted(neurons, 'row')}, one for each neuron{'' if key == source else of}"
            yield from _matrix_problems(getattr(self, key), (neurons, columns), each, (*path, key), rows)
        for key in ("bias", "start"):
            vector = getattr(self, key)
            if vector is not None and len(vector) != neurons:
                wanted = f"{counted(neurons, 'number')}, one for each neuron{of}"
                yield Problem((*path, key), f"expected {wanted}, not {len(vector)}{comma_hint(vector, neurons)}")

    def _network(self, read: list[tuple[Any, int]], neurons: int) -> Recurrent:
        """The network that reads vectors in several parts. read: the matrix of each part, and its columns."""
        w_input = np.concatenate([_array(matrix, neurons, columns) for matrix, columns in read], axis=1)
        return Recurrent(w_input, _array(self.w_hidden, neurons, neurons), self.bias, activation=self.activation)


class RecurrentDecoderTable(CellTable):
    """A recurrent decoder with attention: s_i = f(W y_{i−1} + C c_i + U s_{i−1} + b), where s_{i−1} recalls c_i."""

    writes: Annotated[list[str], Field(min_length=1)]
    """The words that are written, in their order."""
    first: str | None = None
    """The word before the first, such as "start"; by default a vector of zeros."""
    w_context: NumberOrMatrix
    """C, by which the context is multiplied, (the decoder's neurons, the network's neurons)."""
    similarity: ScoreChoice = "dot"
    """How well the decoder's state matches a state of the network: a name, or { name = "bilinear", matrix = … }, or
    { name = "additive", w_cue = …, w_key = …, v = … }."""
    separation: SeparationChoice = "softmax"
    """How scores become weights."""
    beta: PositiveNumber = 1.0
    """The inverse temperature, which multiplies the scores before the separation."""
    read_out: NumberOrMatrix | None = None
    """The matrix from the decoder's state to the vector of a word, (elements of a word, the decoder's neurons)."""

    def _counted(self, dim: int, stored: int) -> tuple[int, str]:
        matrices = ("w_input", self.w_input, dim), ("w_context", self.w_context, stored), ("w_hidden", self.w_hidden, 0)
        count, name = _rows(*matrices)
        return count or stored, name

    def decoder_problems(self, dim: int, stored: int, path: Path) -> Iterator[Problem]:
        """Matrices that do not fit the words, the network or each other; dim, stored: as for `neurons`."""
        neurons, _ = size = self._counted(dim, stored)
        read = {"w_input": (dim, "element of a word"), "w_context": (stored, "neuron of the network")}
        problems = [*self._shape_problems(read, size, path)]
        if self.read_out is not None:
            rows = f"{counted(dim, 'row')}, one for each element of a word"
            problems += _matrix_problems(self.read_out, (dim, neurons), "neuron", (*path, "read_out"), rows)
        yield from problems
        yield from self._score_problems(size, stored, path)
        make = partial(registry_entry, separations, self.separation, beta=self.beta)
        yield from refusals((*path, "separation"), make)

    def _score_problems(self, size: tuple[int, str], stored: int, path: Path) -> Iterator[Problem]:
        """A similarity that does not compare states of these sizes. size: as `_counted` gives it."""
        neurons, source = size
        try:
            similarity = self.score()
            if type(similarity) in similarities.values() and neurons != stored:
                of = f" (the rows of {source})" if source else ""
                sizes = f"the decoder's states have {counted(neurons, 'number')}{of}, and those of the network {stored}"
                yield Problem(
                    (*path, "similarity"), f"compares vectors of one size, but {sizes}; use bilinear or additive"
                )
            else:
                similarity(np.zeros((1, neurons)), np.zeros((1, stored)))
        except InvalidInput as error:
            yield Problem((*path, "similarity"), str(error))

    def score(self) -> Similarity:
        """The similarity; raises `InvalidInput` for matrices that do not fit each other."""
        if isinstance(self.similarity, str):
            return similarities.make(self.similarity)
        return LEARNED[self.similarity.name](**self.similarity.model_dump(exclude={"name"}))  # type: ignore[attr-defined]

    def build_decoder(self, dim: int, stored: int) -> RecurrentDecoder:
        """The decoder; dim, stored: as for `neurons`. `decoder_problems` must have found none."""
        cell = self._network([(self.w_input, dim), (self.w_context, stored)], self.neurons(dim, stored))
        separation = registry_entry(separations, self.separation, beta=self.beta)
        return RecurrentDecoder(cell, similarity=self.score(), separation=separation)

    def read_matrix(self, dim: int, neurons: int) -> np.ndarray | None:
        """The matrix of the read-out, `(dim, neurons)`; None without one."""
        return None if self.read_out is None else _array(self.read_out, dim, neurons)


def _rows(*read: tuple[str, Any, int]) -> tuple[int, str]:
    """The neurons that matrices ask for: the rows of the first matrix, or the size that a number's identity has.

    read: the name, the value and the columns of each matrix. Returned with the name of that matrix, empty for a number.
    """
    for name, value, _ in read:
        if isinstance(value, list):
            return len(value), name
    return next((columns for _, value, columns in reversed(read) if value and columns), 0), ""


def _array(value: Any, rows: int, columns: int) -> np.ndarray:
    """A matrix, `(rows, columns)`; a number is that multiple of the identity, or 0."""
    if isinstance(value, list):
        return np.array(value, dtype=float)
    return value * np.eye(rows) if value else np.zeros((rows, columns))


def _matrix_problems(value: Any, shape: tuple[int, int], each: str, path: Path, rows: str) -> Iterator[Problem]:
    """A matrix of another shape. each: the meaning of a column. rows: the expected rows, in words."""
    expected = f"expected a matrix of {rows}, and {counted(shape[1], 'column')}, one for each {each}"
    if not isinstance(value, list):
        if value and shape[0] != shape[1]:
            yield Problem(path, f"{value:g} stands for {value:g} times the identity, which is square; {expected}")
    elif len(value) != shape[0] or any(len(row) != shape[1] for row in value):
        yield Problem(path, f"{expected}{comma_hint(value, shape[1])}")
