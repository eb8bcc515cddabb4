"""kind = "gradients": where the derivative of the softmax vanishes, and what reaches the layers of a deep stack.

    ∂p_i/∂s_j = β p_i (δ_ij − p_j)

Large scores give one weight near 1, and every derivative near 0. Layer normalisation keeps the scores small.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.foundation.writing import number
from hopattn.gradients.curves import (
    DIM_KEY,
    OF,
    VARIANTS,
    Curves,
    saturation_of,
    softmax_saturation,
    stack_gradients,
)
from hopattn.results.labelled import Labelled
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArraySpec, Labels, numbers
from hopattn.scenario.language.common_problems import duplicate_problems
from hopattn.scenario.language.fields import Count, PositiveNumber, Problem, Table, Vector

CURVES = {
    "raw": "of the scores as they are",
    "scaled": "of the scores divided by √dim",
    "normalised": "of the scores after layer normalisation",
}
"""The derivatives of a run, each with its meaning as `explain` writes it."""
LOST = 1e-12
"""A gradient of this norm or less has vanished; that of the output has norm 1."""
LONGEST = 4800
"""The largest product of layers, draws and dim, above which a run would take many seconds."""


class StackTable(Table):
    """Random stacks of layers, with and without normalisation and residuals."""

    layers: Annotated[int, Field(ge=1, le=100)] = 8
    """The number of layers."""
    draws: Annotated[int, Field(ge=1, le=100)] = 3
    """The number of random stacks and texts; the numbers of a run are medians over them."""
    words: Annotated[int, Field(ge=1, le=64)] = 8
    """The number of words of a text."""
    dim: Annotated[int, Field(ge=DIM_KEY, le=256)] = 32
    """The number of elements of a word's vector, a multiple of 8."""
    magnitude: PositiveNumber = 1.0
    """The standard deviation of the elements of the text."""

    def problems(self) -> Iterator[Problem]:
        """A dim that the heads do not divide, and a run that takes too long."""
        path = ("gradients", "stack")
        if self.dim % DIM_KEY:
            yield Problem((*path, "dim"), f"got {self.dim}; expected a multiple of {DIM_KEY}")
        if (work := self.layers * self.draws * self.dim) > LONGEST:
            product = f"layers × draws × dim = {work:,}"
            yield Problem(path, f"would take too long: {product}; expected at most {LONGEST:,}")

    def gradients(self, rng: np.random.Generator) -> dict[str, Curves]:
        """The norms of the gradients of words and of scores at each layer."""
        n, magnitude = self.words, self.magnitude
        return stack_gradients(self.layers, n_draws=self.draws, dim=self.dim, n_words=n, magnitude=magnitude, rng=rng)


class GradientsTable(Table):
    """The scores of a softmax, the magnitudes that they are multiplied by, and the stacks of layers."""

    magnitudes: Annotated[list[PositiveNumber], Field(min_length=1, max_length=1000)] | None = None
    """The numbers that the scores are multiplied by."""
    scores: Annotated[Vector, Field(min_length=2)] | None = None
    """The scores at magnitude 1; by default they are drawn from the normal distribution."""
    n_scores: Annotated[Count, Field(ge=2)] | None = None
    """The number of random scores in a draw, 16 by default."""
    draws: Count | None = None
    """The number of draws of random scores, 200 by default; the numbers of a run are medians over them."""
    dim: Count = 64
    """The dim of queries and keys: "scaled" divides the scores by its square root."""
    beta: PositiveNumber = 1.0
    """The inverse temperature of the softmax."""
    size: Literal["largest", "spectral", "frobenius"] = "largest"
    """The size of the matrix of all derivatives: "largest", the largest derivative of a weight, for two scores that of
    the logistic function; "spectral", the largest singular value; "frobenius", the root of the sum of squares."""
    stack: StackTable | None = None
    """Random stacks of layers, through which gradients are sent back."""

    def problems(self) -> Iterator[Problem]:
        """Keys that contradict each other."""
        path = ("gradients",)
        if self.magnitudes is None and self.stack is None:
            yield Problem(path, "needs `magnitudes`, [gradients.stack], or both; none is given")
        for key in ("scores", "n_scores", "draws"):
            if self.magnitudes is None and getattr(self, key) is not None:
                yield Problem((*path, key), "is not used without `magnitudes`")
            elif key != "scores" and self.scores is not None and getattr(self, key) is not None:
                yield Problem((*path, key), "belongs to random scores; `scores` are given")
        yield from duplicate_problems(self.magnitudes or [], (*path, "magnitudes"))
        if self.stack is not None:
            yield from self.stack.problems()

    @property
    def shape(self) -> tuple[int, int]:
        """The number of draws of scores, and of the scores of a draw."""
        return (1, len(self.scores)) if self.scores else (self.draws or 200, self.n_scores or 16)

    def saturation(self, rng: np.random.Generator) -> Curves:
        """The size of the derivatives at each magnitude."""
        draws, n = self.shape
        if self.scores is not None:
            return saturation_of(self.scores, self.magnitudes, dim=self.dim, beta=self.beta, kind=self.size)
        return softmax_saturation(
            self.magnitudes, n_scores=n, n_draws=draws, dim=self.dim, beta=self.beta, kind=self.size, rng=rng
        )


class Gradients(Spec):
    """The derivatives of a softmax, and the gradients in random stacks of layers."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("derivative", "words_norm", "scores_norm", "vanished")
    main_table: ClassVar[str] = "gradients"
    kind: Literal["gradients"]
    gradients: GradientsTable
    """The scores, the magnitudes, the stacks."""

    def size(self) -> int:
        table, (draws, n) = self.gradients, self.gradients.shape
        of_softmax = 0 if table.magnitudes is None else draws * (5 * n * n + 3 * len(table.magnitudes))
        stack = table.stack
        return of_softmax + (0 if stack is None else stack.layers * 60 * stack.dim * (stack.dim + stack.words))

    def declared_arrays(self) -> Iterator[ArraySpec]:
        table = self.gradients
        if table.magnitudes is not None:
            magnitude: Labels = tuple(f"{value:.12g}" for value in table.magnitudes)
            yield ArraySpec("derivative", (("scores", tuple(CURVES)), ("magnitude", magnitude)), tiny=True)
            yield from (ArraySpec(name, tiny=True) for name in CURVES)
        if table.stack is not None:
            stack = ("stack", tuple(VARIANTS))
            for of in OF:
                layers = numbers(table.stack.layers)
                layer: Labels = (*layers, "output") if of == "words" else layers
                yield ArraySpec(f"{of}_norm", (stack, ("layer", layer)))
            yield ArraySpec("vanished", (stack, ("gradient of", OF)))

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        table, values = self.gradients, dict[str, Any]()
        if table.magnitudes is not None:
            median = table.saturation(rng).median
            values["derivative"] = np.stack([median[name] for name in CURVES])
            largest = int(np.argmax(table.magnitudes))
            values |= {name: median[name][largest] for name in CURVES}
        if (stack := table.stack) is not None:
            found = stack.gradients(rng)
            lost = [[np.mean(own.min(axis=1) <= LOST) for own in found[of].trials.values()] for of in OF]
            values |= {f"{of}_norm": np.stack([*found[of].median.values()]) for of in OF}
            values["vanished"] = np.array(lost).T
        return values

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        table = self.gradients
        if table.magnitudes is not None:
            yield f"the {table.size} derivative of the softmax, β p_i (δ_ij − p_j):"
            for j, magnitude in enumerate(arrays["derivative"].labels[1]):
                sizes = arrays["derivative"].values[:, j]
                shown = ", ".join(
                    f"{name} {number(size, rounding=0)}" for name, size in zip(CURVES, sizes, strict=True)
                )
                yield f"  magnitude {magnitude}: {shown}"
            yield from (f"  {name}: {meaning}" for name, meaning in CURVES.items())
        if (stack := table.stack) is not None:
            yield f"{stack.draws} random stacks of {stack.layers} layers; the gradient of the output has norm 1:"
            for i, name in enumerate(VARIANTS):
                first = [f"{of} {number(arrays[f'{of}_norm'].values[i, 0])}" for of in OF]
                last = [f"{of} {number(arrays[f'{of}_norm'].values[i, stack.layers - 1])}" for of in OF]
                yield f"  {name}: in layer 1 {', '.join(first)}; in layer {stack.layers} {', '.join(last)}"
            yield "  words: the gradient at the input of a layer; scores: that of its W_Q and W_K"
            yield f"  vanished: the share of the stacks with a gradient of {LOST:g} or less in some layer"
