"""One step of associative recall: the four formulas, in four lines.

    s = sim(K, x)          p = ∇Ψ(s)          h = Vᵀ p          x⁺ = ∇Φ(h)

`Retrieval.in_one_piece` holds the first three and `Retrieval.activate` the fourth. The same three over blocks of cues
and keys are in `blockwise/`; large work goes there.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, in_numbers_of, is_half, namespace, require_broadcast, widened
from hopattn.foundation.checks import require_room
from hopattn.foundation.traces import is_torch
from hopattn.retrieval.activation import Activation
from hopattn.retrieval.blockwise.sizes import worth_streaming
from hopattn.retrieval.blockwise.streaming import stream
from hopattn.retrieval.masks import NoMask, as_mask, resolve
from hopattn.retrieval.one_pass import Pass
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.scores import scaled
from hopattn.retrieval.similarity import Similarity

SUMMED = 1024
"""The number of products that PyTorch adds up at once."""


@dataclass(frozen=True)
class Retrieval:
    """One step of recall over keys and values that are given with each call.

    Cues are `(…, n_cues, dim)` or `(dim,)`, keys `(…, n_patterns, dim)`, values `(…, n_patterns, dim_out)`. A mask is a
    name, a rule, a boolean array that broadcasts to the scores, or None.
    Source: Millidge et al. (2022), ICML, P · sep(sim(M, q)) (their M is our keys, P our values, q our cue).
    """

    similarity: Similarity
    separation: Separation
    activation: Activation

    @property
    def effective_separation(self) -> Separation:
        """The separation that the step really uses.

        Where only the field's direction matters, it is an equivalent separation that cannot overflow.
        """
        return self.separation.direction() if self.activation.directional else self.separation

    def in_one_piece(
        self,
        separation: Separation,
        cues: Array,
        keys: Array,
        values: Array | None,
        mask: Any,
        wants_potential: bool,
        bias: Array | None = None,
    ) -> Pass:
        """The definition of a pass: all scores, all weights, their product with the values; then Ψ(s) if asked for.

        bias: numbers added to β s, which broadcast to the scores. Half precision is computed in single precision: the
        sum of weights of 65,505 like keys would overflow.
        """
        cues, keys = widened(cues), widened(keys)
        plain, beta = self.scores(cues, keys), separation.beta  # s = sim(K, x)
        scores, separation = (plain, separation) if bias is None else biased(plain, bias, separation)
        where = self.allowed(mask, plain, cues, keys)
        potential = scaled(separation.potential(scores, where), separation.beta / beta) if wants_potential else None
        if values is None:
            return Pass(None, 1.0, potential)
        weights, factor = separation.factored_weights(scores, where)  # p = ∇Ψ(s), as factor · weights
        field = summed(weights, widened(values))  # h = Vᵀ p, as factor · field
        return Pass(field, factor, potential)

    def activate(self, result: Pass, state: Array | None) -> Array:
        """x⁺ = ∇Φ(h). state: the neurons before the step, which decide where a field of 0 does not."""
        field = result.field if self.activation.directional else scaled(result.field, result.factor)
        return self.activation(field, state)  # x⁺ = ∇Φ(h)

    def scores(self, cues: Array, keys: Array) -> Array:
        """s = sim(K, x), `(…, n_cues, n_patterns)`; raises `InvalidInput` where they would not fit into memory."""
        pairs = math.prod(cues.shape[:-1]) * keys.shape[-2]
        held = self.similarity.by_entries and (self.similarity.holds_entries or not isinstance(cues, np.ndarray))
        require_room(pairs * (cues.shape[-1] if held else 1), f"scores of {pairs:,} pairs")
        if not isinstance(self.separation.beta, float):
            namespace(cues, self.separation.beta)  # refuses a β of another library
        return self.similarity(cues, keys)

    def allowed(self, mask: Any, scores: Array, cues: Array, keys: Array) -> Array | None:
        """The mask as a boolean array for these scores, or None where nothing is masked."""
        if isinstance(mask, NoMask):
            return None
        return resolve(mask, scores, lambda: self.similarity.rounding(cues, keys))

    def weights(self, cues: Array, keys: Array, mask: Any = None, bias: Array | None = None) -> Array:
        """p = ∇Ψ(s), `(…, n_cues, n_patterns)`."""
        wide, stored = widened(cues), widened(keys)
        scores = self.scores(wide, stored)
        added, separation = (scores, self.separation) if bias is None else biased(scores, bias, self.separation)
        weights = separation.weights(added, self.allowed(mask, scores, wide, stored))
        return _as_given(weights, cues, keys)

    def field(self, cues: Array, keys: Array, values: Array, mask: Any = None) -> Array:
        """h = Vᵀ p, `(…, n_cues, dim_out)`."""
        result = self._pass(self.separation, cues, keys, values, mask)
        return _as_given(scaled(result.field, result.factor), cues, keys)

    def step(
        self,
        cues: Array,
        keys: Array,
        values: Array,
        mask: Any = None,
        state: Array | None = None,
        bias: Array | None = None,
    ) -> Array:
        """x⁺ = ∇Φ(Vᵀ ∇Ψ(sim(K, x))), `(…, n_cues, dim_out)`.

        state: the neurons before the step. bias: numbers added to β s, `(…, n_cues, n_patterns)`.
        """
        result = self._pass(self.effective_separation, cues, keys, values, mask, bias=bias)
        return _as_given(self.activate(result, state), cues, keys)

    def energy(self, states: Array, keys: Array, mask: Any = None) -> Array:
        """E(x) = Φ*(x) − Ψ(K x), `(…, n_cues)`."""
        result = self._pass(self.effective_separation, states, keys, None, mask, wants_potential=True)
        return self.conjugate(states) - result.potential

    def conjugate(self, states: Array) -> Array:
        """Φ*(x) + c(x): the energy without the potential of the scores; c is 0 unless the similarity says it."""
        x = widened(states)
        own, term = self.activation.conjugate(x), self.similarity.cue_term(x)
        return own if term is None else own + term

    def step_with_energy(self, states: Array, keys: Array, mask: Any = None) -> tuple[Array, Array]:
        """x⁺ and E(x) from one pass, for keys that are the values too: both need the same scores."""
        result = self._pass(self.effective_separation, states, keys, keys, mask, wants_potential=True)
        energy = self.conjugate(states) - result.potential
        return _as_given(self.activate(result, states), states, keys), energy

    def _pass(
        self,
        separation: Separation,
        cues: Array,
        keys: Array,
        values: Array | None,
        mask: Any,
        wants_potential: bool = False,
        bias: Array | None = None,
    ) -> Pass:
        """One pass over all keys: in one piece, or over blocks where that is faster and no bias is given."""
        rule = as_mask(mask)
        plain = bias is not None or not isinstance(separation.beta, float)
        if plain or not worth_streaming(self.similarity, cues, keys, rule):
            return self.in_one_piece(separation, cues, keys, values, rule, wants_potential, bias)
        batch = cues if cues.ndim > 1 else cues[None]
        result = stream(self.similarity, separation, widened(batch), keys, values, rule, potential=wants_potential)
        return result if cues.ndim > 1 else _only_row(result)


def summed(weights: Array, values: Array) -> Array:
    """Vᵀ p, `(…, n_cues, dim_out)`, for weights `(…, n_cues, n_patterns)`.

    PyTorch may add up the products of few cues one after the other, and loses 1 % of a million in single precision.
    Its arrays are summed over blocks of `SUMMED` patterns.
    """
    whole = values.shape[-2] // SUMMED * SUMMED
    if not is_torch(weights) or whole == 0:
        return weights @ values
    if weights.ndim == 1:
        return summed(weights[None], values)[..., 0, :]
    by_block = weights[..., :whole].unflatten(-1, (-1, SUMMED)).movedim(-2, -3)
    sums = (by_block @ values[..., :whole, :].unflatten(-2, (-1, SUMMED))).sum(-3)
    return sums + weights[..., whole:] @ values[..., whole:, :]


def biased(scores: Array, bias: Array, separation: Separation) -> tuple[Array, Separation]:
    """Scores and a separation of the same kind, whose product with its β is β s + bias, in the numbers of the scores.

    The weights of a separation depend on β s alone. For a β below 1, or an array, the result is β s + bias and a β of
    1, because bias / β may be beyond the range of the numbers; the potential is then that of β = 1, divided by β.
    Otherwise it is s + bias / β. A bias of a wider dtype beyond half the range counts as the nearest number inside.
    Raises `InvalidInput` for a bias that does not broadcast.
    """
    require_broadcast(bias, tuple(scores.shape), "bias", "scores")
    xp, beta = namespace(scores), separation.beta
    bound = float(xp.finfo(scores.dtype).max) / 2
    wider = float(namespace(bias).finfo(bias.dtype).max) / 2 > bound
    added = in_numbers_of(scores, namespace(bias).clip(bias, -bound, bound) if wider else bias)
    if not isinstance(beta, float) or beta < 1:
        return beta * scores + added, replace(separation, beta=1.0)
    return scores + added / beta, separation


def _as_given(result: Array, cues: Array, keys: Array) -> Array:
    """The result in half precision if cues and keys are; otherwise as it is."""
    return namespace(result).astype(result, cues.dtype) if is_half(cues) and is_half(keys) else result


def _only_row(result: Pass) -> Pass:
    """The pass of a single cue, without the axis of cues."""
    factor = result.factor[0] if isinstance(result.factor, np.ndarray) else result.factor
    return Pass(np.asarray(result.field)[0], factor, np.asarray(result.potential)[0])
