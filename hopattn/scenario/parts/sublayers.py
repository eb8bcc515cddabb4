"""The feed-forward layer and the normalisation of a layer, as a scenario writes them."""

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Tag

from hopattn.retrieval.activation import Identity
from hopattn.scenario.language.common_problems import matrix_problems, vector_problems
from hopattn.scenario.language.fields import ByTomlType, Matrix, NameIn, PositiveNumber, Problem, Table, Vector
from hopattn.scenario.language.lines import Path
from hopattn.transformer.feed_forward import Affine, FeedForward
from hopattn.transformer.nonlinearities import NONLINEARITIES
from hopattn.transformer.normalisation import LayerNorm, Normalisation, RMSNorm


class FeedForwardTable(Table):
    """The feed-forward layer W₂ f(W₁ x + b₁) + b₂, for each word by itself."""

    inner: Matrix
    """W₁, (hidden, dim): one row for each hidden neuron. As a memory, its rows are the keys."""
    outer: Matrix
    """W₂, (dim, hidden): one column for each hidden neuron. As a memory, its columns are the values."""
    inner_bias: Vector | None = None
    """b₁, a number for each hidden neuron; by default 0."""
    outer_bias: Vector | None = None
    """b₂, a number for each element of a vector; by default 0."""
    activation: Annotated[str, NameIn(NONLINEARITIES)] = "relu"
    """The function f of the hidden neurons."""

    def problems(self, dim: int, path: Path) -> Iterator[Problem]:
        """Matrices and biases that do not fit a vector of `dim` elements, or each other."""
        element, hidden = (dim, "one for each element of a vector"), (len(self.inner), "one for each row of `inner`")
        yield from matrix_problems(self.inner, (*path, "inner"), element)
        yield from matrix_problems(self.outer, (*path, "outer"), hidden, element)
        yield from vector_problems(self.inner_bias, (*path, "inner_bias"), *hidden)
        yield from vector_problems(self.outer_bias, (*path, "outer_bias"), *element)

    def build(self) -> FeedForward:
        """The layer; `problems` must have found none."""
        inner, outer = (
            Affine(np.array(matrix, dtype=float), None if bias is None else np.array(bias, dtype=float))
            for matrix, bias in ((self.inner, self.inner_bias), (self.outer, self.outer_bias))
        )
        return FeedForward(inner, outer, self.activation)


class NormTable(Table):
    """A normalisation with its parameters."""

    name: Literal["layer", "rms"]
    """"layer" brings the mean to 0 and the variance to 1, "rms" the mean square to 1."""
    gain: Vector | None = None
    """A number for each element, by which the normalised vector is multiplied; by default 1."""
    shift: Vector | None = None
    """A number for each element, which is added at the end; by default 0."""
    epsilon: PositiveNumber = 1e-5
    """A small number, added to the variance, so that nothing is divided by 0."""

    def problems(self, dim: int, path: Path) -> Iterator[Problem]:
        """A gain or a shift that does not fit a vector of `dim` elements."""
        for key in ("gain", "shift"):
            yield from vector_problems(getattr(self, key), (*path, key), dim, "one for each element of a vector")

    def build(self) -> Normalisation:
        """The normalisation; `problems` must have found none."""
        return (LayerNorm if self.name == "layer" else RMSNorm)(self.gain, self.shift, epsilon=self.epsilon)


NormChoice = Annotated[
    Annotated[Literal["none", "layer", "rms"], Tag("text")] | Annotated[NormTable, Tag("table")],
    ByTomlType,
]


def norm_of(choice: Literal["none", "layer", "rms"] | NormTable) -> Callable[[Any], Any]:
    """The normalisation that a file asks for, by its name or by a table; `Identity()` for "none"."""
    if choice == "none":
        return Identity()
    return choice.build() if isinstance(choice, NormTable) else NormTable(name=choice).build()
