"""One step of recall."""

import math
from dataclasses import dataclass
from typing import Any

from hopattn.foundation.arrays import Array, require_room
from hopattn.retrieval.activation import Activation
from hopattn.retrieval.blockwise.streaming import stream, worth_streaming
from hopattn.retrieval.masks import as_mask, resolve
from hopattn.retrieval.separation.base import Separation, scaled
from hopattn.retrieval.similarity import Similarity


@dataclass(frozen=True)
class Retrieval:
    """One pass from cues to states: scores, then weights, then the weighted sum of the values, then the activation."""

    similarity: Similarity
    separation: Separation
    activation: Activation

    @property
    def felt(self) -> Separation:
        """The separation as the activation feels it: where only the field's direction counts, one with that direction
        alone, which stays within the numbers.
        """
        return self.separation.direction() if self.activation.directional else self.separation

    def scores(self, cues: Array, keys: Array) -> Array:
        """s = sim(K, x), `(…, n_cues, n_patterns)`; raises `InvalidInput` where they would not fit into memory."""
        pairs = math.prod(cues.shape[:-1]) * keys.shape[-2]
        require_room(pairs * (cues.shape[-1] if self.similarity.by_entries else 1), f"scores of {pairs:,} pairs")
        return self.similarity(cues, keys)

    def weights(self, cues: Array, keys: Array, mask: Any = None) -> Array:
        """p = ∇Ψ(s), `(…, n_cues, n_patterns)`."""
        scores = self.scores(cues, keys)
        return self.separation.weights(scores, self.allowed(mask, scores, cues, keys))

    def allowed(self, mask: Any, scores: Array, cues: Array, keys: Array) -> Array | None:
        """The mask as a boolean array for these scores, or None where nothing is masked."""
        return resolve(mask, scores, lambda: self.similarity.rounding(cues, keys))

    def field(self, cues: Array, keys: Array, values: Array, mask: Any = None) -> Array:
        """h = Vᵀ p, `(…, n_cues, dim)`."""
        field, factor, _ = self._passed(self.separation, cues, keys, values, mask)
        return scaled(field, factor)

    def step(self, cues: Array, keys: Array, values: Array, mask: Any = None, state: Array | None = None) -> Array:
        """x⁺ = ∇Φ(h), `(…, n_cues, dim)`; `state` is what the neurons were before."""
        field, factor, _ = self._passed(self.felt, cues, keys, values, mask)
        return self.responded(field, factor, state)

    def step_with_energy(self, states: Array, keys: Array, mask: Any = None) -> tuple[Array, Array]:
        """x⁺ and E(x) of one pass, for keys that are the values too: the scores serve both."""
        field, factor, potential = self._passed(self.felt, states, keys, keys, mask, potential=True)
        return self.responded(field, factor, states), self.activation.conjugate(states) - potential

    def energy(self, states: Array, keys: Array, mask: Any = None) -> Array:
        """E(x) = Φ*(x) − Ψ(K x), `(…, n_cues)`."""
        _, _, potential = self._passed(self.felt, states, keys, None, mask, potential=True)
        return self.activation.conjugate(states) - potential

    def responded(self, field: Array, factor: Any, state: Array | None) -> Array:
        """x⁺ = ∇Φ(h) of a field that is factor · array; `state` is what the neurons were before."""
        return self.activation(field if self.activation.directional else scaled(field, factor), state)

    def _passed(
        self, separation: Separation, cues: Array, keys: Array, values: Array | None, mask: Any, potential: bool = False
    ) -> tuple[Array, Any, Array]:
        """The field as array and factor, h = factor · array, and Ψ(s), where they are asked for.

        All scores, all weights, their product with the values: the definition. `stream` gives the same by blocks.
        """
        if worth_streaming(self.similarity, cues, keys, rule := as_mask(mask)):
            many = cues if cues.ndim > 1 else cues[None]
            found = stream(self.similarity, separation, many, keys, values, rule, potential=potential)
            if cues.ndim > 1:
                return found.field, found.factor, found.potential
            return (
                found.field[0],
                found.factor if isinstance(found.factor, float) else found.factor[0],
                found.potential[0],
            )
        scores = self.scores(cues, keys)
        allowed = self.allowed(mask, scores, cues, keys)
        weights, factor = (None, 1.0) if values is None else separation.factored_weights(scores, allowed)
        field = None if values is None else weights @ values
        return field, factor, separation.potential(scores, allowed) if potential else None
