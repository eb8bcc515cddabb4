"""The form of every separation, its families, and the functions of rows of scores that they share.

| family | a weight depends on | over blocks of keys |
|---|---|---|
| `Competing` | all scores, and that of a sink if there is one | the online softmax, or all scores |
| `Simplex` | the same; without a sink, a shift of all scores changes no weight | the same |
| `Elementwise` | its own score: Ψ = Σ_μ φ(s_μ) | fields and potentials add up |

Scores are `(…, n_patterns)`, masks broadcast to them. A score of −∞ counts as masked.
"""

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from hopattn.foundation.argument_names import in_loops
from hopattn.foundation.arrays import (
    Array,
    NumberOrArray,
    as_float,
    device_of,
    in_numbers_of,
    namespace,
    on_host,
    require_one_library,
)
from hopattn.foundation.boundary import Declared
from hopattn.foundation.checks import positive_or_variable, real, require_least
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.shapes import require_broadcast
from hopattn.foundation.traces import known_true, requires_grad
from hopattn.foundation.vectors import at_least, nonzero

FLAT, STEEP = 0.01, 1e38
"""A β between these can be multiplied with any difference of scores in single or double precision."""
Formulas = tuple[Callable[[], Array], Callable[[], Array]]
"""Ω and its gradient, as functions."""
Removal = tuple[Any, Array | None]
"""What changes where patterns are taken away. The divisor of the other weights, a number or `(…,)`: 0 where rounding
has lost all of these. The change of Ψ, `(…,)`; None without a potential."""
Online = tuple[Callable[[np.ndarray], np.ndarray], float]
"""(f, c) of weights p = f(c(s − max s)) / Σ f(c(s − max s)); f may write over its argument."""


class Weights(NamedTuple):
    """What a separation makes of scores: the weights p = factor · array, and Ψ(s), `(…,)`, or None.

    array: `(…, n_patterns)`. factor: a number, or one for each row, `(…, 1)`. A potential that is homogeneous in β puts
    β into the factor, so that β is applied after the sum over the patterns. On ±1 patterns that sum is then a sum of
    whole numbers, and a tie between neurons stays a tie. rest: the weight that a sink takes, `(…,)`, or None without
    one. Where the weights and the rest sum to 1, it is 1 − Σ p, but loses no digits in a difference.
    """

    array: Array
    factor: Any = 1.0
    potential: Any = None
    rest: Any = None

    @property
    def p(self) -> Array:
        """The weights, `(…, n_patterns)`."""
        return scaled(self.array, self.factor)


def inverse_temperature(value: Any, what: str) -> Any:
    """A positive number or array as `positive_or_variable` gives it, so large that 1/β is finite in its dtype."""
    if type(value) is float and sys.float_info.min <= value < math.inf:
        return value
    beta = positive_or_variable(value, what)
    least = 0.0 if isinstance(beta, float) else float(namespace(beta).finfo(beta.dtype).smallest_normal)
    return require_least(beta, what, least)


@dataclass(frozen=True)
class Separation(Declared, ABC):
    """A potential over scores, Ψ(s) = β⁻¹ Ψ₁(βs), and its gradient, the weights p = ∇Ψ(s) = ∇Ψ₁(βs).

    Parameters
    ----------
    beta
        the inverse temperature, a positive number, from 2.2e-308 on, the least number of full precision; raises
        `InvalidInput` otherwise.

    Notes
    -----
    An array `()` of PyTorch or JAX that requires a gradient stays an array, so that β can be learned; scores are then
    arrays of that library.

    Scores are `(…, n_patterns)`. `where` is boolean and broadcasts to them, True = may attend. A masked entry has
    weight 0 and adds nothing to the potential, and so has one whose score is −∞. A row with nothing to attend to has
    weights 0 and potential 0.

    A separation of your own is a frozen dataclass that says whether it is `convex`, and writes `potential` and
    `weights`, or `answer`, which gives both at once. It works wherever ours do.
    """

    beta: Annotated[float, inverse_temperature] = field(default=1.0, kw_only=True)
    jumps: ClassVar[bool] = False
    """True where the weights are not continuous in the scores."""
    tempered: ClassVar[bool] = True
    """Whether β does more than scale all weights by one factor; False if they are homogeneous in the scores."""
    variables: ClassVar[tuple[str, ...]] = ("beta",)
    """The parameters that may be arrays of PyTorch or JAX with a derivative; all but β also one number for each row."""
    shares: ClassVar[bool] = False
    """True where the weights of a row sum to 1: then Ψ(s + c) = Ψ(s) + c for a number c."""
    why_no_potential: ClassVar[str] = ""
    """Why the weights are not the gradient of a potential, or an empty string where they are."""
    source: ClassVar[str]

    @property
    @abstractmethod
    def convex(self) -> bool:
        """Whether Ψ₁ is convex: then the synchronous step never raises the energy. A class attribute will do."""

    @property
    def sink(self) -> Any:
        """The logit of a null pattern; None where the separation has none."""
        return None

    @property
    def why_no_entropy(self) -> str:
        """Why the weights are not a distribution with an entropy of which Ψ is the conjugate; empty where they are."""
        distribution = self.shares and self.convex
        return self.why_no_potential or (
            "" if distribution else "its weights are not a distribution: they need not sum to 1"
        )

    @property
    def cure(self) -> str:
        """The advice of a message for a potential that is beyond the numbers: what makes it smaller."""
        return "a smaller beta such as 1/dim"

    @property
    def why_imprecise(self) -> str:
        """Why the weights are not the gradient up to rounding, or an empty string where they are."""
        return ""

    @in_loops
    def __call__(
        self, scores: Array, where: Array | None = None, bias: Array | None = None, *, potential: bool = False
    ) -> Weights:
        """The weights of βs + bias, and Ψ where it is asked for; a part that both need is computed once.

        Parameters
        ----------
        bias : finite numbers that broadcast to the scores; None for 0.
        """
        if self.sink is not None:
            scores, where, bias = with_null_pattern(self.sink, scores, where, bias)
        if bias is None:
            return self.answer(scores, attended(scores, where), potential)
        scores, separation = biased(scores, bias, self)
        weights = separation.answer(scores, attended(scores, where), potential)
        if potential and separation is not self:
            weights = weights._replace(potential=scaled(weights.potential, separation.beta / self.beta))
        return (
            weights if self.sink is None else weights._replace(array=weights.array[..., :-1], rest=weights.p[..., -1])
        )

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        """Ψ(s) = β⁻¹ Ψ₁(βs), `(…,)`."""
        return self(as_float(scores, "scores"), where, potential=True).potential

    def weights(self, scores: Array, where: Array | None = None) -> Array:
        """p = ∇Ψ₁(βs), `(…, n_patterns)`."""
        return self(as_float(scores, "scores"), where).p

    @in_loops
    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights:
        """The formula of the separation, of scores without a bias; `where` masks each score of −∞.

        A separation of one's own may lack it: then this one calls its methods `weights` and `potential`.
        """
        kind = type(self)
        has_potential = kind.potential is not Separation.potential or bool(self.why_no_potential)
        if kind.weights is Separation.weights or not has_potential:
            raise InvalidInput(f"{kind.__name__}: expected the methods potential and weights")
        value = self.potential(scores, where) if potential else None
        return Weights(self.weights(scores, where), 1.0, value)

    @in_loops
    def conjugate(self, weights: Array) -> Array:
        """Ψ*(p) = sup_s p·s − Ψ(s), `(…,)`; infinite for weights that the separation cannot give.

        With it the weights are the state of a layer of neurons whose field is the scores, as an `Activation` has it.
        Raises `InvalidInput` where Ψ is not convex, or has no conjugate in closed form.
        """
        raise InvalidInput(f"conjugate: {self.why_no_potential or f'{quoted(self)} has none in closed form'}")

    def inverse(self, weights: Array) -> Array:
        """∇Ψ*(p): scores that give these weights; raises `InvalidInput` where the weights jump, or it is not known."""
        raise InvalidInput(f"inverse: {quoted(self)} has none: many scores give one row of weights")

    def direction(self) -> "Separation":
        """A separation that cannot overflow, whose weights have the same direction and whose potential rises with Ψ.

        An activation that uses only the direction of the field can take it instead.
        """
        return self

    def rest(self, scores: Array, where: Array | None = None) -> Array:
        """The weight that a sink takes, `(…,)`; raises `InvalidInput` for a separation without a sink."""
        if self.sink is None:
            raise InvalidInput(f"rest: {quoted(self)} has no sink, and only a sink takes a part of the weight")
        return self(scores, where).rest

    def without(self, scores: Array, weights: Array, where: Array | None = None) -> Removal | None:
        """What changes where the patterns of these scores and weights, `(…, n_removed)`, are taken away.

        Parameters
        ----------
        where : the mask of these patterns. The result is None where it does not follow from these numbers alone.
        """
        return None

    def online(self) -> Online | None:
        """The form of the weights that the online softmax needs; None where it cannot compute them."""
        return None


def number_or_rows(
    value: Any, what: str, expected: str = "finite numbers, or None for no sink", most: float = math.inf, **bounds: Any
) -> Any:
    """A finite number as a float; an array that requires a gradient, or that has axes, as floating-point numbers.

    expected: the numbers of an array, for a message. most: the largest of these. bounds: as of `real`, for both.
    """
    n = getattr(value, "ndim", 0)  # a module has a function of this name
    if not (requires_grad(value) or isinstance(value, list) or (isinstance(n, int) and n > 0)):
        return real(value, what, **bounds)
    numbers = as_float(value, what)
    xp, above, least = namespace(numbers), bounds.get("above", -math.inf), bounds.get("least", -math.inf)
    inside = xp.isfinite(numbers) & (numbers > above) & (numbers >= least) & (numbers <= most)
    if known_true(~xp.all(inside)):
        wrong = on_host(numbers)[~on_host(inside)].flat[0]
        raise InvalidInput(f"{what}: holds {wrong:g}; expected {expected}")
    return numbers


def row_numbers(value: Any, scores: Array, what: str) -> Any:
    """A number as it is; an array that broadcasts to the rows of the scores as `(…, 1)`, in the dtype of the scores."""
    if isinstance(value, float):
        return value
    if not isinstance(value, np.ndarray):
        require_one_library(value, scores, what, "the scores")
    numbers = in_numbers_of(scores, value)
    require_broadcast(numbers, tuple(scores.shape[:-1]), what, "the rows of the scores")
    return numbers[..., None]


@dataclass(frozen=True)
class Competing(Separation):
    """Weights that compete: with a sink, a null pattern takes a part of them and gives nothing.

    Parameters
    ----------
    sink
        the logit of the null pattern, a number that competes with β s; None for none. Of the softmax, that is p_μ =
        exp(βs_μ) / (exp(sink) + Σ_ν exp(βs_ν)). A sink of 0 is softmax₁, and a pattern of zeros has it at every β. An
        array `(…,)` that broadcasts to the rows of the scores has a sink for each; an array of PyTorch or JAX keeps its
        derivative. A sink beyond the root of the largest number counts as that root.

    Raises
    ------
    InvalidInput : for numbers that are not finite.

    Notes
    -----
    With a sink the weights sum to less, and `rest` is what the null pattern takes. It is never masked: a row with
    nothing else to attend to has weights 0, the rest 1 and the potential of the null pattern alone, sink/β for the
    softmax. A subclass writes `answer` for scores of which the null pattern's is one.
    Source: Ramsauer et al. (2021), ICLR (the zero association of their layers); Miller (2023), Attention is off by one
    (softmax₁); Agarwal et al. (2025), arXiv:2508.10925 (gpt-oss: a learned sink for each head).

    Examples
    --------
    >>> import hopattn as ha
    >>> softmax1 = ha.separations.softmax(sink=0)
    >>> softmax1.weights(np.zeros(3)), float(softmax1.rest(np.zeros(3)))
    (array([0.25, 0.25, 0.25]), 0.25)
    """

    sink: Annotated[NumberOrArray, number_or_rows] = field(default=None, kw_only=True)
    variables: ClassVar[tuple[str, ...]] = ("beta", "sink")
    why_no_entropy: ClassVar[str] = ""
    """Empty: the weights and the rest sum to 1."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__repr__" not in vars(cls):  # else each dataclass writes its own
            cls.__repr__ = Competing.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """The class and its parameters; no sink where there is none."""
        parameters = {attribute.name: getattr(self, attribute.name) for attribute in fields(self)}
        texts = (f"{name}={value!r}" for name, value in parameters.items() if name != "sink" or value is not None)
        return f"{type(self).__qualname__}({', '.join(texts)})"

    @in_loops
    def cost(self, shares: Array) -> Formulas:
        """Ω(p), `(…,)`, and its gradient, as functions, for shares that sum to `total`; Ψ₁(s) = max_p p·s − Ω(p).

        Raises `InvalidInput` in a class that does not state it; the gradient raises it where the weights jump.
        """
        raise InvalidInput(f"conjugate: {quoted(self)} has none in closed form")

    def slopes(self, weights: Array) -> Array:
        """r of dp_μ = β r_μ (ds_μ − Σ r ds / Σ r), `(…, n_patterns)`; for the softmax r = p."""
        return weights

    @in_loops
    def total(self, n: int) -> float:
        """The number to which the shares of n patterns, a null pattern among them, sum."""
        return 1.0

    def conjugate(self, weights: Array) -> Array:
        """Ψ*(p) = Ω(p)/β over shares of 0 or more that sum to `total`, infinite elsewhere.

        With a sink, the rest is the share of the null pattern, whose score is sink/β.
        """
        xp, shares = namespace(weights), self._with_rest(weights)
        slack = float(8 * xp.finfo(weights.dtype).eps * shares.shape[-1])
        off = xp.abs(xp.sum(shares, axis=-1) - self.total(shares.shape[-1]))
        inside = (off <= slack * self.total(shares.shape[-1])) & xp.all(shares >= 0, axis=-1)
        value = self.cost(at_least(shares, 0.0))[0]() / self.beta
        if self.sink is not None:
            value = value - shares[..., -1] * self.sink / self.beta
        return masked(value, inside, float("inf"))

    def inverse(self, weights: Array) -> Array:
        """∇Ω(p)/β, of all scores that differ by one number; with a sink, that number makes its score sink/β."""
        scores = self.cost(self._with_rest(weights))[1]() / self.beta
        return scores if self.sink is None else scores[..., :-1] - scores[..., -1:] + self.sink / self.beta

    def _with_rest(self, weights: Array) -> Array:
        """The weights; with a sink, also the rest as the last entry, 0 where it is below 0 by no more than rounding."""
        if self.sink is None:
            return weights
        xp, n = namespace(weights), weights.shape[-1] + 1
        rest = self.total(n) - xp.sum(weights, axis=-1, keepdims=True)
        near = xp.abs(rest) <= float(8 * xp.finfo(weights.dtype).eps * n)
        return xp.concat([weights, xp.where(near, at_least(rest, 0.0), rest)], axis=-1)

    @abstractmethod
    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights: ...


def with_sink(separation: Separation, sink: NumberOrArray) -> Separation:
    """The same separation, whose weights compete, with this sink."""
    return replace(separation, sink=sink)  # type: ignore[call-arg]


@dataclass(frozen=True)
class Simplex(Competing):
    """Ψ₁(s) = max_p p·s − Ω(p) over shares p that sum to a fixed number: a shift of all scores shifts Ψ alone.

    The largest score is subtracted before the product with β, so that nothing overflows: Ψ(s) = max s + β⁻¹ Ψ₁(x) with
    x = β(s − max s).
    """

    convex: ClassVar[bool] = True

    @property
    def shares(self) -> bool:  # type: ignore[override]
        return self.sink is None

    @in_loops
    def from_largest(self, xp: Any, scores: Array, where: Array | None) -> tuple[Array, Array]:
        """x = β(s − max s), 0 where masked, and max s, `(…, 1)`; an x of NumPy may be overwritten in place."""
        largest = masked_max(xp, scores, where)
        return shifted(xp, scores, largest, where, self.beta), largest

    @in_loops
    def beyond(self, largest: Array, value: Array, where: Array | None) -> Array:
        """Ψ(s) = max s + Ψ₁(x)/β, `(…,)`; 0 for a row with nothing to attend to. value: Ψ₁(x)."""
        psi = value if where is None else masked(value, namespace(value).any(where, axis=-1))
        return largest[..., 0] + psi / self.beta


@dataclass(frozen=True)
class Elementwise(Separation):
    """Ψ(s) = Σ_μ φ(s_μ), p_μ = φ′(s_μ): the potentials and the fields of blocks of keys add up."""

    convex: ClassVar[bool] = True

    @abstractmethod
    def answer(self, scores: Array, where: Array | None, potential: bool) -> Weights: ...

    def without(self, scores: Array, weights: Array, where: Array | None = None) -> Removal:
        """The other weights stay, and Ψ loses the terms φ(s_μ)."""
        return 1.0, -self.potential(scores, where)


def with_null_pattern(
    sink: NumberOrArray, scores: Array, where: Array | None, bias: Array | None
) -> tuple[Array, Array | None, Array]:
    """Scores, their mask and their bias with a null pattern as the last one: its score is 0, its bias the sink."""
    xp, shape = namespace(scores), tuple(scores.shape)
    most = float(xp.finfo(scores.dtype).max) ** 0.5  # so that sink/β is in the range of the numbers
    zero = xp.zeros_like(scores[..., :1])
    if isinstance(sink, float):
        logit = zero + min(max(sink, -most), most)
    else:
        logits = xp.clip(row_numbers(sink, scores, "sink"), -most, most)
        logit = xp.broadcast_to(logits, (*shape[:-1], 1))
    if where is not None:
        mask = xp.broadcast_to(where, shape)
        where = xp.concat([mask, xp.ones_like(mask[..., :1])], axis=-1)
    addend = xp.zeros_like(scores) if bias is None else xp.broadcast_to(in_numbers_of(scores, bias), shape)
    return xp.concat([scores, zero], axis=-1), where, xp.concat([addend, logit], axis=-1)


def biased(scores: Array, bias: Array, separation: Separation) -> tuple[Array, Separation]:
    """Scores s′ and a separation of the same kind with a β′, such that β′s′ = βs + bias, in the numbers of the scores.

    The weights of a separation depend on βs alone. For a β of 1 or more, s′ = s + bias/β and β′ = β. For a β below 1,
    or an array, bias/β may be beyond the range of the numbers, so that s′ = βs + bias and β′ = 1; Ψ is then that of
    β′, divided by β. A bias of a wider dtype beyond half the range counts as the nearest number inside.
    """
    xp, beta = namespace(scores), separation.beta
    bound = float(xp.finfo(scores.dtype).max) / 2
    wider = float(namespace(bias).finfo(bias.dtype).max) / 2 > bound
    addend = in_numbers_of(scores, namespace(bias).clip(bias, -bound, bound) if wider else bias)
    if not isinstance(beta, float) or beta < 1:
        return beta * scores + addend, replace(separation, beta=1.0)
    return scores + addend / beta, separation


def scaled(array: Array, factor: Any) -> Array:
    """factor · array; the array itself where the factor is the number 1."""
    return array if isinstance(factor, float) and factor == 1.0 else factor * array


def attended(scores: Array, where: Array | None) -> Array | None:
    """The mask without the scores of −∞; `where` itself where there are none, as far as that is known.

    An accelerator is not asked, as it would have to finish all its work first.
    """
    lowest = float("-inf")
    if isinstance(scores, np.ndarray):
        if scores.min(initial=0.0) > lowest:
            return where
    elif "cpu" in str(device_of(scores)).lower() and known_true(namespace(scores).all(scores != lowest)):
        return where
    return scores != lowest if where is None else where & (scores != lowest)


def masked(values: Array, where: Array | None, fill: float = 0.0) -> Array:
    """The values where `where` is True, `fill` elsewhere; the values themselves where there is no mask."""
    if where is None:
        return values
    xp = namespace(values)
    return xp.where(where, values, fill)


def masked_max(xp: Any, scores: Array, where: Array | None) -> Array:
    """The largest score that may be attended to, `(…, 1)`; 0 in a row with nothing to attend to."""
    if where is None:
        return xp.max(scores, axis=-1, keepdims=True)
    lowest = float(xp.finfo(scores.dtype).min)
    largest = xp.max(xp.where(where, scores, lowest), axis=-1, keepdims=True)
    return xp.where(xp.any(where, axis=-1, keepdims=True), largest, 0.0)


def shifted(xp: Any, scores: Array, origin: Array, where: Array | None, beta: float) -> Array:
    """β(s − origin), `(…, n_patterns)`, 0 where masked, and never below −√(largest number), so that it is finite.

    origin: `(…, 1)`, a score of each row; above it, a difference that overflows is infinite. A β beyond the range of
    the dtype counts as the largest number.
    """
    lowest = -(float(xp.finfo(scores.dtype).max) ** 0.5)
    unit, factor = (1.0, beta) if isinstance(beta, float) and FLAT <= beta < STEEP else split(beta, scores)
    if unit != 1.0:
        scores, origin = unit * scores, unit * origin
    if not isinstance(scores, np.ndarray):
        return at_least(factor * masked(scores - origin, where), lowest)
    with np.errstate(over="ignore"):  # written over one array: new memory takes longer than the arithmetic
        difference = scores - origin if where is None else np.where(where, scores - origin, 0.0)
        return np.maximum(np.multiply(difference, factor, out=difference), lowest, out=difference)


def split(beta: float, scores: Array) -> tuple[float, float]:
    """β as unit · factor. The unit is 1; where β is too flat, it is a power of two, which rounds nothing.

    A β that is an array is the factor, in the numbers of the scores.
    """
    if not isinstance(beta, float):
        return 1.0, in_numbers_of(scores, beta)
    finfo = namespace(scores).finfo(scores.dtype)
    if not too_flat(beta, scores):
        return 1.0, min(beta, float(finfo.max))
    unit = max(2.0 ** math.floor(math.log2(beta)), float(finfo.smallest_normal))
    return unit, min(beta / unit, float(finfo.max))


def too_flat(beta: float, scores: Array) -> bool:
    """Whether a difference of scores beyond the largest number may be of order 1 when it is multiplied by β."""
    return beta < FLAT and beta * float(namespace(scores).finfo(scores.dtype).max) ** 0.5 < 1


def remainder(weights: Array) -> Array:
    """1 − Σ p, `(…,)`, of shares `(…, n)`; never below 0."""
    return at_least(1.0 - namespace(weights).sum(weights, axis=-1), 0.0)


def divided(parts: Array, sums: Array) -> Array:
    """parts / sums, `(…, n)` and `(…, 1)`; a NumPy array is overwritten."""
    return np.divide(parts, sums, out=parts) if isinstance(parts, np.ndarray) else parts / sums


def proportions(parts: Array) -> Array:
    """Each entry divided by the sum of its row; zeros where the sum is 0. A NumPy array is overwritten."""
    return divided(parts, nonzero(namespace(parts).sum(parts, axis=-1, keepdims=True)))
