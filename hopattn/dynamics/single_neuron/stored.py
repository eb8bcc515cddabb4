"""Neurons with stored patterns: a flip costs one evaluation of the potential."""

import numpy as np

from hopattn.dynamics.single_neuron.base import Called, Decision, Running
from hopattn.foundation.arrays import require_within
from hopattn.foundation.chunks import blocks
from hopattn.retrieval.separation.base import Separation, scaled

BLOCK = 64
"""Neurons whose columns of the keys are laid out in a row."""
SCORES = 32_768
"""Scores that are worked on at a time: with what is made of them they stay in the cache of a processor."""


class StoredSpins(Running):
    """Neurons with stored patterns: the scores K x are kept, and a turned neuron changes each by its part.

    In a sweep the potential of the present scores is kept too. It is one of the two sides of a spin of ±1, so that only
    the other, the flipped one, is evaluated; where it flips, that is the present one from then on.
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

    def turn(self, neuron: int, to: np.ndarray) -> None:
        change = to - self.spins[neuron]
        if np.any(change):
            self.scores = self.scores + change[:, None] * self.keys[:, neuron]
        super().turn(neuron, to)

    def sweep(self, order: np.ndarray, decide: Decision) -> None:
        n, n_patterns = self.scores.shape
        groups = list(blocks(n, max(1, SCORES // n_patterns)))
        present = np.concatenate([self._potential(self.scores[cues], cues) for cues in groups])
        for block in blocks(len(order), BLOCK):
            columns = np.ascontiguousarray(self.keys[:, order[block]].T)
            for cues in groups:  # no cue feels another, so that some may be ahead
                for i, stored in zip(order[block], columns, strict=True):
                    self._decide(i, stored, cues, present[cues], decide)

    def _decide(self, i: int, stored: np.ndarray, cues: slice, present: np.ndarray, decide: Decision) -> None:
        """One spin of some cues; `present`, the potential of their scores, is changed with them."""
        spins, scores = self.spins[i, cues], self.scores[cues]
        known = bool(np.all(np.abs(spins) == 1))
        if known:
            flipped = scores - (2 * spins)[:, None] * stored
            other = self._potential(flipped, cues)
            up, down = np.where(spins > 0, present, other), np.where(spins > 0, other, present)
        else:
            up, down = self._either(spins, stored, cues)
        to = decide(Called((i, cues), spins, _half(up, down), lambda: np.maximum(up, down) - present))
        turned = to != spins
        if np.any(turned):
            if known:
                scores[turned] = flipped[turned]
            else:
                scores += (to - spins)[:, None] * stored
            present[turned] = np.where(to > 0, up, down)[turned]
            self.spins[i, cues] = to

    def _either(
        self, spins: np.ndarray, stored: np.ndarray, cues: slice = slice(None)
    ) -> tuple[np.ndarray, np.ndarray]:
        """The potential with a neuron up, and with it down."""
        own, scores = spins[:, None], self.scores[cues]
        return self._potential(scores + (1 - own) * stored, cues), self._potential(scores - (1 + own) * stored, cues)

    def _potential(self, scores: np.ndarray | None = None, cues: slice = slice(None)) -> np.ndarray:
        """Ψ of the present scores, or of those that some cues would have."""
        mask = None if self.mask is None else self.mask[cues]
        with np.errstate(over="ignore"):
            value = np.asarray(self.separation.potential(self.scores if scores is None else scores, mask))
        if not np.all(np.isfinite(value)):
            of_all = np.zeros(len(self.scores), dtype=value.dtype)
            of_all[cues] = value
            require_within(of_all)
        return value


def _half(up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """½ (up − down), and 0 where that is rounding: a tie is a tie."""
    rounding = 4 * np.finfo(up.dtype).eps * (np.abs(up) + np.abs(down))
    return np.where(np.abs(up - down) <= rounding, 0.0, 0.5 * (up - down))
