"""One step of associative recall: the four formulas, the energy, and the free energy.

    s = sim(K, x)          p = ∇Ψ(s)          h = Vᵀ p          x⁺ = ∇Φ(h)          E(x) = Φ*(x) − Ψ(s)

`Step._answer` holds them. Large work goes to `blockwise.py`, which computes the first three over blocks of cues and
keys.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, TypedDict

import numpy as np

from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import (
    Array,
    Mask,
    NumberOrArray,
    is_foreign_array,
    namespace,
    narrowed,
    shaped,
    widened,
)
from hopattn.foundation.boundary import Declared, Of, finite, public
from hopattn.foundation.checks import require_room
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.threads import blocks
from hopattn.foundation.ties import are_whole, eps_of, without_rounding
from hopattn.foundation.traces import is_torch, known_true, traced
from hopattn.foundation.vectors import largest_entry, row_length
from hopattn.retrieval.activation import Activation, Identity, activations
from hopattn.retrieval.blockwise import SCORES_HELD, stream, stream_free_energy
from hopattn.retrieval.free_energies import FreeEnergy, free_energy, require_entropy
from hopattn.retrieval.fused import fused_step
from hopattn.retrieval.masks import (
    NO_MASK,
    NoMask,
    as_bias,
    as_mask,
    joint,
    on_scores,
    placed,
    seen_keys,
    without_padding,
)
from hopattn.retrieval.rounding import Ties, of_field, of_products, of_scores, of_weights, undecided
from hopattn.retrieval.separation import separation_of
from hopattn.retrieval.separation.base import Separation, Weights, biased, scaled
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.similarity import Similarity, similarities
from hopattn.retrieval.ways import way_of

Rows = Annotated[Any, Of("… n_cues? dim_cue")]
Keys = Annotated[Any, Of("… n_patterns dim_key")]
Values = Annotated[Any, Of("… n_patterns dim_out")]
PRODUCTS_AT_ONCE = 1024
"""The number of products in a sum that is left to PyTorch as one."""


class Answer(NamedTuple):
    """The result of one step: x⁺ `(…, n_cues, dim_out)`, and E(x) = Φ*(x) − Ψ(s) before it, `(…, n_cues)`.

    scores: s, `(…, n_cues, n_patterns)`, without a bias. mask: booleans that broadcast to them, or None. weights: p,
    `(…, n_cues, n_patterns)`. rest: the weight of a sink, `(…, n_cues)`, or None without one. An array that was not
    asked for is None. For cues and keys of half precision, the state has half precision and the other arrays have
    single precision.
    """

    state: Array
    energy: Array
    scores: Array = None
    mask: Array | None = None
    weights: Array = None
    rest: Array | None = None


class Field(NamedTuple):
    """h = factor · array and Ψ of a step; of a step in one piece also the scores, their mask, bias and weights."""

    array: Array
    factor: Any
    potential: Any
    scores: Array = None
    mask: Array | None = None
    bias: Array | None = None
    weights: Weights | None = None


class StepParts(TypedDict, total=False):
    """The options of `Step`, for a signature that takes them as `**parts`."""

    similarity: str | Similarity
    separation: str | Separation
    activation: str | Activation
    beta: float | None
    sink: NumberOrArray


@dataclass(frozen=True, init=False)
class Step(PublicObject):
    """One step of recall over keys and values that are given with each call: attention, with any parts.

    Parameters
    ----------
    similarity, separation, activation : names, or objects.
    beta, sink
        those of a separation given by its name: β, 1 by default, and the logit of a null pattern; an object has its
        own.

    Raises
    ------
    InvalidInput : for parts, arrays and masks that do not fit.

    Notes
    -----
    Cues are `(…, n_cues, dim)` or `(dim,)`, keys `(…, n_patterns, dim)`, values `(…, n_patterns, dim_out)`, by default
    the keys. A mask is a name, a rule, a boolean array that broadcasts to the scores `(…, n_cues, n_patterns)`, or
    None; True = may attend. Source: Millidge et al. (2022), ICML, P · sep(sim(M, q)) (their M is our keys, P our
    values, q our cue).

    Examples
    --------
    >>> import hopattn as ha
    >>> step = ha.Step("cosine", "softmax", beta=8)
    >>> step([0.6, 0.4], [[1.0, 0.0], [0.0, 1.0]]).round(3)
    array([0.902, 0.098])
    """

    similarity: Similarity
    separation: Separation
    activation: Activation

    def __init__(
        self,
        similarity: str | Similarity = "dot",
        separation: str | Separation = "softmax",
        activation: str | Activation = "identity",
        *,
        beta: float | None = None,
        sink: NumberOrArray = None,
    ) -> None:
        is_whole = beta is sink is None and isinstance(separation, Separation)
        parts = {
            "similarity": similarity if isinstance(similarity, Similarity) else similarities.make(similarity),
            "separation": separation if is_whole else separation_of(separation, beta, sink=sink),
            "activation": activation if isinstance(activation, Activation) else activations.make(activation),
        }
        for name, part in parts.items():
            object.__setattr__(self, name, part)

    @public
    def __call__(
        self, cues: Rows, keys: Keys, values: Values = None, *, mask: Mask = None, bias: Array = None
    ) -> Array:
        """x⁺ = ∇Φ(Vᵀ p), `(…, n_cues, dim_out)`. bias: numbers added to β s; −inf masks an entry."""
        return self._answer(*self._texts(cues, keys, values, mask, bias)).state

    @public
    def scores(self, cues: Rows, keys: Keys) -> Array:
        """s = sim(K, x), `(…, n_cues, n_patterns)`; at least of single precision."""
        self._require_one_dim(cues, keys)
        return self._scores(cues, keys)

    @public
    def weights(self, cues: Rows, keys: Keys, mask: Mask = None, *, bias: Array = None) -> Array:
        """p = ∇Ψ(s), `(…, n_cues, n_patterns)`; a masked entry has weight exactly 0."""
        cues, keys, _, total = self._texts(cues, keys, None, mask, bias)
        return self._weights(cues, keys, total)

    @public
    def energy(self, states: Rows, keys: Keys, mask: Mask = None, *, bias: Array = None) -> Array:
        """E(x) = Φ*(x) − Ψ(s), `(…, n_cues)`: that of a memory whose values are its keys."""
        states, keys, _, total = self._texts(states, keys, None, mask, bias)
        return self._answer(states, keys, None, total, energy=True).energy

    @public(may_be=finite)
    def free_energy(self, cues: Rows, keys: Keys, mask: Mask = None) -> FreeEnergy:
        """F = U − S/β of the weights, arrays `(…, n_cues)` of at least single precision.

        Raises `InvalidInput` where the weights have no entropy.
        """
        cues, keys, _, total = self._texts(cues, keys, None, mask, None)
        return self._free_energy(cues, keys, total)

    def _require_one_dim(self, cues: Array, keys: Array) -> None:
        """Raise `InvalidInput` for keys of another dim, unless the similarity has matrices for both."""
        if not isinstance(self.similarity, Declared):
            shaped(keys, "keys", "… n_patterns dim", dim=(cues.shape[-1], "cues"))

    def _texts(self, cues: Array, keys: Array, values: Array | None, mask: Any, bias: Any) -> tuple[Array, ...]:
        """The arrays of a call, without what no cue may see, and the mask and bias as one."""
        self._require_one_dim(cues, keys)
        values = keys if values is None else values
        leading = np.broadcast_shapes(*(tuple(array.shape[:-2]) for array in (cues, keys, values)))
        scores = (*leading, *cues.shape[-2:-1], keys.shape[-2])
        total = placed(joint(mask, bias=None if bias is None else as_bias(bias, keys, "keys")), scores, keys)
        seen = seen_keys(total, scores, keys)
        if seen is None:
            return cues, keys, values, total
        plain = without_padding(keys, seen)
        return cues, plain, plain if values is keys else without_padding(values, seen), total

    def _answer(
        self,
        cues: Array,
        keys: Array,
        values: Array | None = None,
        bias: Array = None,
        state: Array | None = None,
        *,
        energy: bool = False,
        trace: bool = False,
    ) -> Answer:
        """One step from the cues, in the way that `ways.py` says.

        values: None if no state is asked for. bias: a mask or numbers added to β s, or both, as `joint` gives them.
        state: the neurons before the step; a spin whose field is 0 stays as it is there. energy: whether to give E(x)
        too. trace: whether to give the scores and weights too; the step is then computed in one piece. Arrays of half
        precision are computed in single precision: the sum of weights of 65,505 equal keys would overflow.
        """
        separation, rule = self._effective_separation, NO_MASK if bias is None else as_mask(bias)
        field = self._read(separation, cues, keys, values, rule, energy=energy, trace=trace)
        x_next = None if values is None else self._activate(field.array, field.factor, state)  # x⁺ = ∇Φ(h)
        state_after = None if x_next is None else narrowed(x_next, cues, keys)
        energies = self._conjugate(widened(cues)) - field.potential if energy else None
        if not trace or field.weights is None:
            return Answer(state_after, energies)
        weights = field.weights
        if separation is not self.separation:
            weights = self.separation(field.scores, field.mask, field.bias)
        return Answer(state_after, energies, field.scores, field.mask, weights.p, weights.rest)

    def _read(
        self,
        separation: Separation,
        cues: Array,
        keys: Array,
        values: Array | None,
        bias: Array,
        *,
        energy: bool = False,
        trace: bool = False,
    ) -> Field:
        """The field, and Ψ if the energy is asked for.

        Where the activation jumps, a field that is no larger than its rounding is exactly 0.
        """
        jumps = self.activation.discrete and values is not None
        ties = Ties(eps_of(keys, values), keys.shape[-2]) if jumps else None
        way = "whole" if trace else way_of(self.similarity, separation, cues, keys, values, bias)
        has_bound = cues.ndim == keys.ndim == 2 and isinstance(bias, NoMask)  # a bound of the rounding needs no scores
        if way == "fused" and (ties is None or has_bound):
            field, potential = fused_step(separation, cues, keys, values, bias)
            if ties is None or not self._may_be_rounding(field, cues, keys, values, ties):
                return Field(field, 1.0, potential)
        if way != "blocks":
            scores = self._scores(cues, keys)  # s = sim(K, x)
            where, addend = (None, None) if bias is NO_MASK else self._on_scores(bias, scores, cues, keys)
            weights = separation(scores, where, addend, potential=energy)  # Ψ(s), and p = ∇Ψ(s)
            field = None if values is None else self._summed(weights.array, values)  # h = Vᵀ p, as factor · field
            if ties is not None:
                slack = self._slack(cues, keys, ties.eps)
                spread = of_weights(separation, scores, where, slack, weights, bias=addend)
                field = without_rounding(field, self._error(spread, values, ties))
            return Field(field, weights.factor, weights.potential, scores, where, addend, weights)
        rows = widened(cues if cues.ndim > 1 else cues[None])
        block_pass = stream(self.similarity, separation, rows, keys, values, bias, potential=energy, ties=ties)
        index: Any = 0 if cues.ndim == 1 else slice(None)
        factor = block_pass.factor[index] if isinstance(block_pass.factor, np.ndarray) else block_pass.factor
        return Field(None if values is None else block_pass.field[index], factor, block_pass.potential[index])

    def _may_be_rounding(self, field: Array, cues: Array, keys: Array, values: Array | None, ties: Ties) -> bool:
        """Whether a field of weights that sum to 1 may be no larger than its rounding somewhere.

        The bound is that of the longest key, so that no scores are needed.
        """
        xp = namespace(cues)
        longest = keys[xp.argmax(row_length(keys)), :][None, :]
        exact = known_true(are_whole(cues) & are_whole(keys))
        slack = 0.0 if exact else of_scores(self.similarity, cues, longest, ties.eps)
        total = of_products((xp.ones_like(cues[:, :1]), 2 * self._effective_separation.beta * slack), ties)
        return bool(xp.any(undecided(field, total, largest_entry(values))))

    @property
    def _effective_separation(self) -> Separation:
        """The separation that the step computes with.

        Where only the direction of the field matters, it is `Separation.direction`, which cannot overflow.
        """
        return self.separation.direction() if self.activation.directional else self.separation

    def _activate(self, field: Array, factor: Any, state: Array | None) -> Array:
        """x⁺ = ∇Φ(h) for h = factor · field."""
        return self.activation(field if self.activation.directional else scaled(field, factor), state)

    def _scores(self, cues: Array, keys: Array) -> Array:
        """s = sim(K, x), `(…, n_cues, n_patterns)`; for arrays of half precision in single precision.

        Raises `InvalidInput` where the scores would not fit into memory.
        """
        pairs = math.prod(cues.shape[:-1]) * keys.shape[-2]
        by_entries = self.similarity.by_entries and (self.similarity.holds_entries or not isinstance(cues, np.ndarray))
        require_room(pairs * (cues.shape[-1] if by_entries else 1), "scores of {:,} pairs", pairs)
        if not isinstance(self.separation.beta, float):
            namespace(cues, self.separation.beta)  # refuses a β of another library
        return self.similarity(widened(cues), widened(keys))

    def _on_scores(self, bias: Any, scores: Array, cues: Array, keys: Array) -> tuple[Array | None, Array | None]:
        """The mask of these scores, and the numbers that are added to βs, as `masks.on_scores` gives them."""
        if isinstance(bias, NoMask):
            return None, None
        return on_scores(bias, scores, lambda: self._rounding(cues, keys))

    def _rounding(self, cues: Array, keys: Array) -> Any:
        """The largest rounding error of each score that is 0."""
        return self.similarity.rounding(widened(cues), widened(keys))

    def _slack(self, cues: Array, keys: Array, eps: float) -> Any:
        """The rounding of each score, as of `of_scores`."""
        return of_scores(self.similarity, widened(cues), widened(keys), eps)

    def _summed(self, weights: Array, values: Array) -> Array:
        """Vᵀ p, `(…, n_cues, dim_out)`."""
        return summed(weights, widened(values))

    def _error(self, spread: tuple[Array, Any], values: Array, ties: Ties) -> Array:
        """The error of the field, as of `of_field`."""
        return of_field(spread, widened(values), ties)

    def _weights(self, cues: Array, keys: Array, bias: Any = None) -> Array:
        """p = ∇Ψ(s), `(…, n_cues, n_patterns)`."""
        scores = self._scores(cues, keys)
        where, addend = self._on_scores(as_mask(bias), scores, cues, keys)
        scores, separation = (scores, self.separation) if addend is None else biased(scores, addend, self.separation)
        return narrowed(separation.weights(scores, where), cues, keys)

    def _rest(self, cues: Array, keys: Array, mask: Any = None) -> Array:
        """The weight of the null pattern, `(…, n_cues)`; raises `InvalidInput` where there is no sink."""
        scores = self._scores(cues, keys)
        where, _ = self._on_scores(as_mask(mask), scores, cues, keys)
        return narrowed(self.separation.rest(scores, where), cues, keys)

    def _free_energy(self, cues: Array, keys: Array, mask: Any = None) -> FreeEnergy:
        """F = U − S/β of the weights, each array `(…, n_cues)` and at least of single precision.

        Raises `InvalidInput` where the weights have no entropy.
        """
        rule, separation = as_mask(mask), self._effective_separation
        require_entropy(separation)
        varies = any(map(traced, (cues, keys, *(getattr(separation, name) for name in separation.variables))))
        at_once = max(SCORES_HELD // keys.shape[-2], 1)
        by_rows = is_foreign_array(cues) and cues.ndim == keys.ndim == 2 and isinstance(rule, NoMask) and not varies
        if by_rows and cues.shape[0] > at_once:
            parts = [vars(self._free_energy(cues[rows], keys)) for rows in blocks(cues.shape[0], at_once)]
            return FreeEnergy(**{name: namespace(cues).concat([part[name] for part in parts]) for name in parts[0]})
        if way_of(self.similarity, separation, cues, keys, None, rule) != "blocks":
            scores = self._scores(cues, keys)
            return free_energy(separation, scores, *self._on_scores(rule, scores, cues, keys))
        return stream_free_energy(self.similarity, separation, widened(cues), keys, rule)

    def _field(self, cues: Array, keys: Array, values: Array, mask: Any = None) -> Array:
        """h = Vᵀ p, `(…, n_cues, dim_out)`."""
        field = self._read(self.separation, cues, keys, values, as_mask(mask))
        return narrowed(scaled(field.array, field.factor), cues, keys)

    @property
    def _why_no_jacobian(self) -> str:
        """Why `jacobian` is refused, or an empty string where it is not."""
        has_formula = (
            isinstance(self.separation, Softmax) and isinstance(self.activation, Identity) and self.similarity.linear
        )
        return (
            "" if has_formula else "its Jacobian is known for the dot product, the softmax and the identity activation"
        )

    def _jacobian(self, cues: Array, keys: Array, values: Array, mask: Any = None) -> Array:
        """J = ∂x⁺/∂x = β Vᵀ (diag p − p pᵀ) K, `(…, n_cues, dim_out, dim)`, of softmax attention.

        Raises `InvalidInput` for another similarity, separation or activation. With values = keys, J is symmetric, and
        1 − J is the Hessian of the energy. Source: Ramsauer et al. (2021), ICLR, lemma A2 (their M is our K).
        """
        if self._why_no_jacobian:
            raise InvalidInput(f"memory: {self._why_no_jacobian}")
        p = self._weights(cues, keys, mask)
        spread = (p[..., None, :] * values.mT) @ keys
        return self.separation.beta * (spread - (p @ values)[..., :, None] * (p @ keys)[..., None, :])

    def _conjugate(self, states: Array) -> Array:
        """Φ*(x) + c(x): the energy without the potential of the scores; c is the `cue_term` of the similarity, or 0."""
        phi_star, c = self.activation.conjugate(states), self.similarity.cue_term(states)
        return phi_star if c is None else phi_star + c


def summed(weights: Array, values: Array) -> Array:
    """Vᵀ p, `(…, n_cues, dim_out)`, for weights `(…, n_cues, n_patterns)`.

    For few cues PyTorch may add up the products one after the other. Over a million patterns in single precision, this
    loses 1 % of the sum. So arrays of PyTorch are summed over blocks of `PRODUCTS_AT_ONCE` patterns.
    """
    whole = values.shape[-2] // PRODUCTS_AT_ONCE * PRODUCTS_AT_ONCE
    if whole == 0 or not is_torch(weights):
        return weights @ values
    if weights.ndim == 1:
        return summed(weights[None], values)[..., 0, :]
    by_block = weights[..., :whole].unflatten(-1, (-1, PRODUCTS_AT_ONCE)).movedim(-2, -3)
    sums = (by_block @ values[..., :whole, :].unflatten(-2, (-1, PRODUCTS_AT_ONCE))).sum(-3)
    return sums + weights[..., whole:] @ values[..., whole:, :]
