"""The form of every separation: a potential over the scores whose gradient is the weights."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from hopattn.foundation.arrays import Array
from hopattn.foundation.checks import positive_or_followed
from hopattn.foundation.registry import name_of
from hopattn.results.labelled import Labelled
from hopattn.retrieval.separation.block_form import AllScores, BlockForm
from hopattn.retrieval.separation.scores import scaled


@dataclass(frozen=True)
class Separation(ABC):
    """A potential over scores, Ψ(s) = β⁻¹ Ψ₁(βs), and its gradient, the weights p = ∇Ψ(s) = ∇Ψ₁(βs).

    beta: the inverse temperature, a positive number; raises `InvalidInput` otherwise. An array `()` of PyTorch or JAX
    by which a derivative is taken stays an array, so that β can be learned; scores are then arrays of that library.

    Scores are `(…, n_patterns)`. `where` is boolean and broadcasts to them, True = may attend. A masked entry has
    weight exactly 0 and adds nothing to the potential. A row with nothing to attend to has weights 0 and potential 0.
    """

    beta: float = field(default=1.0, kw_only=True)
    jumps: ClassVar[bool] = False
    """True where the weights are not continuous in the scores."""
    tempered: ClassVar[bool] = True
    """Whether β does more than scale all weights by one factor; False if they are homogeneous in the scores."""
    shares: ClassVar[bool] = False
    """True where the weights of a row sum to 1: then Ψ(s + c) = Ψ(s) + c for a number c."""
    source: ClassVar[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "beta", positive_or_followed(self.beta, "beta"))

    @property
    @abstractmethod
    def convex(self) -> bool:
        """Whether Ψ₁ is convex: then the synchronous step never raises the energy."""

    @property
    def labelled_parameters(self) -> dict[str, Labelled]:
        """The parameters as one labelled array `(n_parameters,)`, named as in "softmax separation"."""
        values = {entry.name: float(getattr(self, entry.name)) for entry in fields(self)}
        return {f"{name_of(self)} separation": Labelled(np.array([*values.values()]), ("parameter",), (tuple(values),))}

    @property
    def why_no_potential(self) -> str:
        """Why the weights are the gradient of no potential, or an empty string where they are."""
        return ""

    @property
    def why_imprecise(self) -> str:
        """Why the weights are not the gradient up to rounding, or an empty string where they are."""
        return ""

    @property
    def margin(self) -> float:
        """The least lead of one score βs over all others that gives it all the weight; infinite if no lead does.

        Source: Blondel, Martins & Niculae (2020), JMLR 21, section 4.
        """
        return float("inf")

    @abstractmethod
    def potential(self, scores: Array, where: Array | None = None) -> Array:
        """Ψ(s) = β⁻¹ Ψ₁(βs), `(…,)`."""

    def weights(self, scores: Array, where: Array | None = None) -> Array:
        """p = ∇Ψ₁(βs), `(…, n_patterns)`."""
        return scaled(*self.factored_weights(scores, where))

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, Any]:
        """The weights as (array, factor) with p = factor · array; the factor is a number, or one number for each row.

        A potential that is homogeneous in β puts β into the factor, so that β is applied after the sum over the
        patterns. On ±1 patterns that sum is then a sum of whole numbers, and a tie between neurons stays a tie.
        A class writes this method or `weights`.
        """
        return self.weights(scores, where), 1.0

    def direction(self) -> "Separation":
        """A separation for activations that use only the direction of the field.

        Its weights have the same direction as these, its potential rises where this one rises, and it cannot
        overflow. It is the separation itself where that cannot overflow.
        """
        return self

    def block_form(self) -> BlockForm:
        """How the result of all keys is put together from blocks of keys; see `block_form.py`."""
        return AllScores()
