"""Neurons with stored patterns: the update of a neuron takes one evaluation of the potential."""

from typing import Any

import numpy as np

from hopattn.dynamics.single_neuron.base import Decision, KnownDecision, SingleNeuronStates, SpinView
from hopattn.foundation.arrays import require_finite_energy
from hopattn.foundation.kernels import compiled_loops
from hopattn.foundation.threads import blocks
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.power import Power
from hopattn.retrieval.separation.scores import scaled

BLOCK = 64
"""The number of neurons whose columns of the keys are copied to contiguous memory at a time."""
SCORES = 32_768
"""The number of scores that are updated at a time; they stay in the cache of the processor."""

SHARE = 16
"""A score takes as long as at least so many couplings of the same sweep: it counts as so many."""


class StoredSpins(SingleNeuronStates):
    """Neurons with stored patterns: the scores K x are kept, and a changed neuron adds its part to each score.

    A sweep keeps the potential of the present scores too. For a spin of ±1 it is the potential of one of the two sides,
    so that only the potential of the flipped spin is evaluated.

    keys: K, `(n_patterns, N)`. mask: boolean, broadcasts to the scores `(n, n_patterns)`, or None.
    """

    def __init__(
        self, states: np.ndarray, keys: np.ndarray, separation: Separation, mask: np.ndarray | None = None
    ) -> None:
        super().__init__(states)
        self.keys, self.separation = keys, separation
        self.scores = states @ keys.T
        self.mask = None if mask is None else np.broadcast_to(mask, self.scores.shape)

    def local_field(self, neuron: int) -> np.ndarray:
        return _half(*self._either(self.spins[neuron], self.keys[:, neuron]))

    def gain(self, neuron: int) -> np.ndarray:
        return np.asarray(np.maximum(*self._either(self.spins[neuron], self.keys[:, neuron])) - self._potential())

    def field(self, neuron: int) -> np.ndarray:
        weights, factor = self.separation.factored_weights(self.scores, self.mask)
        return np.asarray(scaled((weights @ self.keys[:, neuron])[:, None], factor)[:, 0])

    def set_neuron(self, neuron: int, values: np.ndarray) -> None:
        change = values - self.spins[neuron]
        if np.any(change):
            self.scores = self.scores + change[:, None] * self.keys[:, neuron]
        super().set_neuron(neuron, values)

    def sweep(self, order: np.ndarray, decide: Decision) -> None:
        n, n_patterns = self.scores.shape
        loops = limits = None
        if isinstance(decide, KnownDecision) and self._is_sum_of_powers:
            loops = compiled_loops("spins", SHARE * self.keys.size * n)
            limits = None if loops is None else decide.limits()
        groups = list(blocks(n, max(1, SCORES // n_patterns)))
        present = np.concatenate([self._potential(self.scores[cues], cues) for cues in groups])
        for block in blocks(len(order), BLOCK):
            columns = np.ascontiguousarray(self.keys[:, order[block]].T)
            if loops is not None and self._turned(loops, order[block], columns, present, limits):
                continue
            for cues in groups:  # cues do not depend on one another
                for i, column in zip(order[block], columns, strict=True):
                    self._update(i, column, cues, present[cues], decide)

    @property
    def _is_sum_of_powers(self) -> bool:
        """Whether compiled loops know the potential, and all spins are known."""
        if not isinstance(self.separation, Power) or self.separation.n > 4 or self.mask is not None:
            return False
        return self.scores.dtype == self.keys.dtype == np.float64 and bool(np.all(np.abs(self.spins) == 1))

    def _turned(
        self, loops: Any, neurons: np.ndarray, columns: np.ndarray, present: np.ndarray, limits: np.ndarray | None
    ) -> bool:
        """Update these spins of all cues by compiled loops; False, and nothing changed, where a power is too large."""
        n, rectified, factor = self.separation.as_sum if isinstance(self.separation, Power) else (0, False, 0.0)
        spins, scores, potential = self.spins[neurons], np.array(self.scores, order="C"), present.copy()
        there = np.zeros((0, 0)) if limits is None else limits[neurons]
        if loops.turn(scores, columns, spins, potential, (n, rectified), factor, there):
            return False
        self.scores[:], self.spins[neurons], present[:] = scores, spins, potential
        return True

    def _update(self, i: int, column: np.ndarray, cues: slice, present: np.ndarray, decide: Decision) -> None:
        """Update spin i of these cues by the rule; column: its entries in the keys, `(n_patterns,)`.

        The scores of the cues, and `present`, the potential of these scores, are changed in place.
        """
        spins, scores = self.spins[i, cues], self.scores[cues]
        all_known = bool(np.all(np.abs(spins) == 1))
        if all_known:
            flipped = scores - (2 * spins)[:, None] * column
            other = self._potential(flipped, cues)
            up, down = np.where(spins > 0, present, other), np.where(spins > 0, other, present)
        else:
            up, down = self._either(spins, column, cues)
        after = decide(SpinView((i, cues), spins, _half(up, down), lambda: np.maximum(up, down) - present))
        changed = after != spins
        if np.any(changed):
            if all_known:
                scores[changed] = flipped[changed]
            else:
                scores += (after - spins)[:, None] * column
            present[changed] = np.where(after > 0, up, down)[changed]
            self.spins[i, cues] = after

    def _either(
        self, spins: np.ndarray, column: np.ndarray, cues: slice = slice(None)
    ) -> tuple[np.ndarray, np.ndarray]:
        """The potential with the neuron up, and with the neuron down, `(n,)` each."""
        x, scores = spins[:, None], self.scores[cues]
        return self._potential(scores + (1 - x) * column, cues), self._potential(scores - (1 + x) * column, cues)

    def _potential(self, scores: np.ndarray | None = None, cues: slice = slice(None)) -> np.ndarray:
        """Ψ(s), `(n,)`: of the present scores, or of the given scores of some cues."""
        mask = None if self.mask is None else self.mask[cues]
        with np.errstate(over="ignore"):
            value = np.asarray(self.separation.potential(self.scores if scores is None else scores, mask))
        if not np.all(np.isfinite(value)):
            rows = np.zeros(len(self.scores), dtype=value.dtype)
            rows[cues] = value
            require_finite_energy(rows)
        return value


def _half(up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """½ (up − down), and exactly 0 where the difference is rounding, so that a tie stays a tie."""
    rounding = 4 * np.finfo(up.dtype).eps * (np.abs(up) + np.abs(down))
    return np.where(np.abs(up - down) <= rounding, 0.0, 0.5 * (up - down))
