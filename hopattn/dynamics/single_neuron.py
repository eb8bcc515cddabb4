"""Neurons that are updated one at a time: a sweep by its definition, and in blocks with the same result.

The *local field* of a spin is half the energy difference between its two sides,

    h_i = ½ [E(x_i = −1) − E(x_i = +1)]

A spin that takes the sign of its local field never raises the energy. A neuron that is still unknown (0) takes a side
only if that does not raise the energy. The *field* of a graded neuron is the gradient of the potential by that neuron.

A sweep updates one neuron after another, each with the new values of those before it. The sweeps of
`SingleNeuronStates` are this definition. `StoredSpins`, and `CoupledSpins` of `networks/couplings.py`, have the same
result from fewer operations.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hopattn.foundation.arrays import require_finite_energy
from hopattn.foundation.kernels import compiled_loops
from hopattn.foundation.threads import blocks
from hopattn.foundation.ties import DOUBLE, are_whole, eps_of, error_of_sum, without_rounding
from hopattn.retrieval.separation.base import Competing, Separation, scaled
from hopattn.retrieval.separation.elementwise import Power, RectifiedPower

CACHED = 32_768
"""The number of entries that are looked at together; they stay in the cache of the processor."""
COLUMNS = 64
"""The number of neurons whose columns of the keys are copied to contiguous memory at a time."""
WORK_OF_SCORE = 16
"""The work of one score of a stored sweep, in couplings of a coupled sweep."""
UP_AT_0 = -float(np.finfo(float).tiny)
"""The limit of a local field above which a spin is 1, where a local field of 0 is to give 1 too."""


def are_spins(states: np.ndarray) -> bool:
    """Whether all entries of an array are −1, 0 or 1."""
    return bool(np.all((states == 0) | (np.abs(states) == 1)))


def settled(
    spins: np.ndarray, local: np.ndarray, limits: np.ndarray | None, gain: Callable[[], np.ndarray]
) -> np.ndarray:
    """The new values of spins with these local fields.

    A spin stays as it is where its local field is 0, and unknown where a side would cost energy. limits: instead of
    the sign, the local field above which each spin is 1, and −1 elsewhere. gain: gives the energy E(0) − E(±1) that an
    unknown spin saves by taking the side of its local field.
    """
    if limits is not None:
        return np.where(local > limits, 1.0, -1.0)
    stays, unknown = local == 0, spins == 0
    if np.any(unknown):
        stays |= unknown & (gain() < 0)
    return np.where(stays, spins, np.sign(local))


class SingleNeuronStates(ABC):
    """A batch of states in which one neuron is updated at a time.

    states: `(n, N)`, one state a cue; they are copied. `spins` is the copy with one neuron a row, `(N, n)`, which
    `set_neuron` and the sweeps change.
    """

    def __init__(self, states: np.ndarray) -> None:
        self.dtype, self.spins = states.dtype, np.array(states.T, float, order="C")

    @property
    def states(self) -> np.ndarray:
        """The present states, `(n, N)`, in the dtype of the first ones; the neurons are updated in double precision."""
        return np.ascontiguousarray(self.spins.T, self.dtype)

    @abstractmethod
    def local_field(self, neuron: int) -> np.ndarray:
        """h_i = ½ [E(x_i = −1) − E(x_i = +1)], `(n,)`."""

    @abstractmethod
    def gain(self, neuron: int) -> np.ndarray:
        """The energy E(0) − E(±1) that an unknown neuron saves by taking the side of its local field, `(n,)`."""

    @abstractmethod
    def field(self, neuron: int) -> np.ndarray:
        """The gradient of the potential by this neuron, `(n,)`."""

    def set_neuron(self, neuron: int, values: np.ndarray) -> None:
        """Set this neuron to its new values `(n,)`."""
        self.spins[neuron] = values

    def sweep(self, order: np.ndarray, limits: np.ndarray | None = None) -> None:
        """Update each spin in the order as `settled` says; its local field depends on the spins updated before.

        limits: `(N, n)`, or None.
        """
        for i in order:
            there = None if limits is None else limits[i]
            self.set_neuron(i, settled(self.spins[i], self.local_field(i), there, partial(self.gain, i)))

    def sweep_graded(self, order: np.ndarray, respond: Callable[[np.ndarray], np.ndarray]) -> None:
        """Update each graded neuron in the order to `respond` of its field, which depends on those updated before."""
        for i in order:
            self.set_neuron(i, respond(self.field(i)))


class StoredSpins(SingleNeuronStates):
    """Neurons with stored patterns: the scores K x are kept, and a changed neuron adds its part to each score.

    A sweep keeps the potential too. For a spin of ±1 it is that of one of the two sides, so that only that of the
    flipped spin is evaluated. A local field is half the difference of two potentials, each a sum over P patterns, and
    counts as 0 up to the rounding of these: c ε Σ|φ(s)| and, where keys and states are not whole numbers, what the
    rounding of the scores changes.

    keys: K, `(n_patterns, N)`. mask: boolean, broadcasts to the scores `(n, n_patterns)`, or None.
    """

    def __init__(
        self, states: np.ndarray, keys: np.ndarray, separation: Separation, mask: np.ndarray | None = None
    ) -> None:
        super().__init__(states)
        self.keys, self.separation = keys.astype(float, copy=False), separation
        self.scores = self.spins.T @ self.keys.T
        n = keys.shape[1]
        self.slack: Any = None
        if not (are_whole(keys) and are_whole(states)):  # terms of a score, and two for each turn
            self.slack = error_of_sum(3 * n, eps_of(keys, states), DOUBLE) * np.abs(self.keys).sum(axis=1)
        self.share = error_of_sum(len(keys), DOUBLE)
        self.mask = None if mask is None else np.broadcast_to(mask, self.scores.shape)

    def local_field(self, neuron: int) -> np.ndarray:
        return self._local((neuron, slice(None)), self.keys[:, neuron], self._potential(self.scores))[0]

    def gain(self, neuron: int) -> np.ndarray:
        present = self._potential(self.scores)
        return _gain(present, *self._local((neuron, slice(None)), self.keys[:, neuron], present)[1:])

    def field(self, neuron: int) -> np.ndarray:
        weights, factor = self.separation(self.scores, self.mask)[:2]
        return np.asarray(scaled((weights @ self.keys[:, neuron])[:, None], factor)[:, 0])

    def set_neuron(self, neuron: int, values: np.ndarray) -> None:
        change = values - self.spins[neuron]
        if np.any(change):
            self.scores = self.scores + change[:, None] * self.keys[:, neuron]
        super().set_neuron(neuron, values)

    def sweep(self, order: np.ndarray, limits: np.ndarray | None = None) -> None:
        n, n_patterns = self.scores.shape
        groups = list(blocks(n, max(1, CACHED // n_patterns)))
        present = np.concatenate([self._potential(self.scores[cues], cues) for cues in groups])
        loops = compiled_loops("spins", WORK_OF_SCORE * self.keys.size * n) if self._is_sum_of_powers else None
        for block in blocks(len(order), COLUMNS):
            neurons = order[block]
            columns = np.ascontiguousarray(self.keys[:, neurons].T)
            if loops is not None and self._updated_by_loops(loops, neurons, columns, present, limits):
                continue
            for cues in groups:  # cues do not depend on each other
                for i, column in zip(neurons, columns, strict=True):
                    self._update((i, cues), column, present[cues], None if limits is None else limits[i, cues])

    @property
    def _is_sum_of_powers(self) -> bool:
        """Whether compiled loops know the potential, and all spins are known."""
        separation, dtypes = self.separation, {self.scores.dtype, self.keys.dtype}
        if not isinstance(separation, Power) or separation.n > 4 or not 2.0**-60 < separation.beta < 2.0**60:
            return False
        plain = self.mask is None and self.slack is None and dtypes == {np.dtype(float)}
        return plain and bool(np.all(np.abs(self.spins) == 1))

    def _updated_by_loops(
        self, loops: Any, neurons: np.ndarray, columns: np.ndarray, present: np.ndarray, limits: np.ndarray | None
    ) -> bool:
        """Update these spins of all cues by compiled loops; False, and nothing changed, where a power is too large."""
        power: Any = self.separation
        kind = power.n, isinstance(power, RectifiedPower), power.beta ** (power.n - 1) / power.n, self.share
        spins, scores, potential = self.spins[neurons], np.array(self.scores, order="C"), present.copy()
        there = np.zeros((0, 0)) if limits is None else limits[neurons]
        if not loops.turn(scores, columns, spins, potential, kind, there):
            return False
        self.scores[:], self.spins[neurons], present[:] = scores, spins, potential
        return True

    def _update(
        self, at: tuple[int, slice], column: np.ndarray, present: np.ndarray, limits: np.ndarray | None
    ) -> None:
        """Update spin i of some cues, at = (i, cues); column: its entries in the keys, `(n_patterns,)`.

        The scores of the cues, and `present`, the potential of these scores, are changed in place.
        """
        spins, scores = self.spins[at], self.scores[at[1]]
        local, *sides = self._local(at, column, present)
        after = settled(spins, local, limits, partial(_gain, present, *sides))
        flips = np.flatnonzero(after != spins)
        if flips.size:
            scores[flips] += (after - spins)[flips, None] * column
            present[flips] = np.where(after > 0, *sides[:2])[flips]
            self.spins[at] = after

    def _local(self, at: tuple[int, slice], column: np.ndarray, present: np.ndarray) -> tuple[np.ndarray, ...]:
        """The local field of spin i of some cues, the potential with it up and down, and its rounding, `(n,)` each.

        The arguments are those of `_update`.
        """
        cues, spins, scores = at[1], self.spins[at], self.scores[at[1]]
        if np.all(np.abs(spins) == 1):
            sides = scores, scores - (2 * spins)[:, None] * column
            flipped = self._potential(sides[1], cues)
            up, down = np.where(spins > 0, present, flipped), np.where(spins > 0, flipped, present)
        else:
            sides = scores + (1 - spins)[:, None] * column, scores - (1 + spins)[:, None] * column
            up, down = (self._potential(side, cues) for side in sides)
        error = self._error(sides, (up, down), cues)
        return without_rounding(0.5 * up - 0.5 * down, error), up, down, error  # a sum of the two might overflow

    def _error(self, sides: tuple[np.ndarray, ...], values: tuple[np.ndarray, ...], cues: slice) -> np.ndarray:
        """The rounding of the potential `(n,)`, from the scores on both sides of a neuron and its values there.

        Where the scores are rounded by δs, that of one side grows by Σ |p| δs, for the weights p at s + δs or s − δs.
        """
        size = np.maximum(*map(np.abs, values))
        if not self.separation.convex:  # the terms have both signs
            size = np.maximum(size, np.maximum(*(self._potential(np.abs(side), cues) for side in sides)))
        if isinstance(self.separation, Competing):
            size = size + 1 / self.separation.beta  # Ψ is a logarithm, or as flat
        error = self.share * size
        if self.slack is not None:
            mask = None if self.mask is None else self.mask[cues]
            for side in sides:
                with np.errstate(over="ignore"):
                    ends = (self.separation.weights(side + way * self.slack, mask) for way in (1, -1))
                    error = error + 0.5 * np.maximum(*(np.abs(weights) @ self.slack for weights in ends))
        return np.asarray(error)

    def _potential(self, scores: np.ndarray, cues: slice = slice(None)) -> np.ndarray:
        """Ψ(s), `(n,)`, of the scores of some cues."""
        mask = None if self.mask is None else self.mask[cues]
        with np.errstate(over="ignore"):
            value = np.asarray(self.separation.potential(scores, mask))
        if not np.all(np.isfinite(value)):
            rows = np.zeros(len(self.scores), dtype=self.dtype)
            rows[cues] = value
            require_finite_energy(rows, self.separation.cure)
        return value


def _gain(present: np.ndarray, up: np.ndarray, down: np.ndarray, error: np.ndarray) -> np.ndarray:
    """The energy that an unknown spin saves by its better side, from the potential now and on both sides, `(n,)`."""
    return np.asarray(without_rounding(np.maximum(up, down) - present, 2 * error))
