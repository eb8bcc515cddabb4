"""Neurons that are updated one at a time: a sweep by its definition, and in blocks with the same result.

The *local field* of a spin is half the energy difference between its two sides,

    h_i = ½ [E(x_i = −1) − E(x_i = +1)]

A spin that takes the sign of its local field never raises the energy. A neuron that is still unknown (0) takes a side
only if that does not raise the energy. The *field* of a graded neuron is the gradient of the potential by that neuron.

A sweep updates one neuron after another, each with the new values of those before it. The sweeps of
`SingleNeuronStates` are this definition. `CoupledSpins` and `StoredSpins` have the same result from fewer operations.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from hopattn.foundation.arrays import Array, as_array, namespace, require_finite_energy
from hopattn.foundation.kernels import compiled_loops
from hopattn.foundation.threads import blocks
from hopattn.foundation.traces import constant, surely
from hopattn.retrieval.separation.base import Separation, scaled
from hopattn.retrieval.separation.elementwise import Power, RectifiedPower

CACHED = 32_768
"""The number of entries that are looked at together; they stay in the cache of the processor."""
BLOCK = 256
"""The number of coupled neurons whose fields one matrix product gives; half or twice as many take about as long."""
COLUMNS = 64
"""The number of neurons whose columns of the keys are copied to contiguous memory at a time."""
EXACT = 2**24
"""The whole number below which single precision holds every sum of spins exactly."""
FEW = 3
"""The number of neurons for each pattern from which sums over the patterns are the faster ones."""
SHARE = 16
"""The work of one score of a stored sweep, in couplings of a coupled sweep."""


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
        self.spins = np.array(states.T, order="C")

    @property
    def states(self) -> np.ndarray:
        """The present states, `(n, N)`."""
        return np.ascontiguousarray(self.spins.T)

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


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums that neurons take over their couplings, and the quadratic form of these.

    counts, scale: W = scale · counts, `(N, N)` or `(dim_out, dim)`. Whole numbers over N, as Hebb's rule gives them
    for patterns of ±1, are summed as whole numbers and scaled after the sum, so that a tie is a tie; for spins in
    single precision where that is exact. columns, own: for Hebb's rule and few patterns of ±1, Ξᵀ `(N, n_patterns)`
    in single precision, and the number d that the rule takes off the diagonal. Sums over spins then come from one
    overlap for each pattern:

        Σ_j W_ij x_j = scale · (Σ_μ ξ_i m_μ − d x_i)          xᵀW x = scale · (Σ_μ m_μ² − d |x|²)          m = Ξ x
    """

    counts: Array
    scale: float
    columns: np.ndarray | None = None
    own: float = 0.0

    @classmethod
    def over(cls, matrix: Array) -> Self:
        """The sums over a matrix `(dim_out, dim)`: by whole numbers over dim, or dim_out, if it is that up to rounding.

        The couplings from the right to the left side of a bidirectional memory are whole numbers over dim_out.
        """
        for n in dict.fromkeys(reversed(matrix.shape)):
            counts = _whole(matrix, n)
            if counts is not None:
                return cls(counts, 1 / n)
        return cls(matrix, 1.0)

    def by_patterns(self, patterns: Array, self_coupling: bool) -> Self:
        """The same sums over patterns `(n_patterns, N)` of Hebb's rule, where they are ±1, few, and sums are exact.

        Arrays of another library than NumPy stay with their couplings.
        """
        many, n = patterns.shape
        if not isinstance(patterns, np.ndarray):
            return self
        few = self.scale != 1 and FEW * many <= n and many * n < EXACT and patterns.dtype.itemsize >= 4
        if not (few and np.all(np.abs(patterns) == 1)):
            return self
        own = 0.0 if self_coupling else float(many)
        return replace(self, columns=np.array(patterns.T, np.float32, order="C"), own=own)

    @cached_property
    def light(self) -> np.ndarray | None:
        """The counts in single precision, where these are whole numbers and no sum of them over spins reaches 2²⁴."""
        exact = self.scale != 1 and max(self.counts.max(), -self.counts.min()) * self.counts.shape[1] < EXACT
        return self.counts.astype(np.float32) if exact else None

    def of(self, x: Array) -> Array:
        """Σ_j W_ij x_j, `(…, dim_out)` for states `(…, dim)`."""
        return as_array(self.scale * self._of_counts(x))

    def pairs(self, x: Array) -> Array:
        """xᵀW x, `(…,)`, for symmetric couplings."""
        if self.columns is None or not are_spins(x):
            return as_array(self.scale * namespace(x).vecdot(self._of_counts(x), x))
        m = (x.astype(np.float32) @ self.columns).astype(np.float64)
        squares = np.vecdot(m, m) - self.own * np.vecdot(x, x)
        return np.asarray(self.scale * squares.astype(np.result_type(x, self.counts)))

    def _of_counts(self, x: Array) -> Array:
        """The sums before the scale."""
        if not isinstance(x, np.ndarray):
            return x @ self.counts.mT
        if self.scale == 1 or (self.columns is None and self.light is None) or not are_spins(x):
            return np.asarray(x @ self.counts.T)
        spins = x.astype(np.float32)
        if self.columns is None:
            sums = spins @ self.light.T  # type: ignore[union-attr]
        else:
            sums = spins @ self.columns @ self.columns.T - np.float32(self.own) * spins
        return np.asarray(sums.astype(np.result_type(x, self.counts)))


def _whole(matrix: Array, n: int) -> Array | None:
    """n times a matrix, if these are whole numbers up to rounding, else None.

    The whole numbers have the derivative of the matrix. Numbers that are not known yet are none.
    """
    xp = namespace(matrix)
    eps = 4 * float(xp.finfo(matrix.dtype).eps)
    if not isinstance(matrix, np.ndarray):
        several = n * matrix
        apart = constant(xp.round(several) - several)
        near = xp.all(xp.abs(apart) <= eps * xp.abs(xp.round(several)))
        return several + apart if surely(near) else None
    counts = np.empty_like(matrix)
    for rows in blocks(len(matrix), 64):  # so that the rows stay in the cache
        several = n * matrix[rows]
        np.rint(several, out=counts[rows])
        several -= counts[rows]
        if not np.all(np.abs(several, out=several) <= eps * np.abs(counts[rows])):
            return None
    return counts


def part_for(cues: int) -> int:
    """The number of neurons of a block that are updated together, measured for 1,000 and 4,000 neurons.

    More neurons need fewer rounds, each with more work.
    """
    return 64 if cues <= 64 else 32


class CoupledSpins(SingleNeuronStates):
    """Neurons with couplings: the local field of a spin is h_i = Σ_{j≠i} W_ij x_j + b_i, without its own coupling.

    A sweep takes the spins block by block. The field of spin k of a block is that at the start of the block, plus the
    changes δ_j = x_j⁺ − x_j of the spins before it; for whole numbers the results are those of one after another:

        h_k = F_k + Σ_{j<k} W_kj δ_j          F = W x for the whole block, one matrix product

    sums: those over the couplings W. bias: b, `(N,)`. of_0_and_1: whether the states are of 0 and 1. They are kept as
    the spins s = 2x − 1, and W is summed over x, so that a state of zeros has the field b, without rounding:

        h_i = ½ [E(x_i = 0) − E(x_i = 1)] = ½ (Σ_j W_ij x_j − ½ W_ii s_i + b_i)
    """

    def __init__(self, states: np.ndarray, sums: Sums, bias: np.ndarray, of_0_and_1: bool = False) -> None:
        super().__init__(2 * states - 1 if of_0_and_1 else states)
        self.share = 0.5 if of_0_and_1 else 1.0  # of the change of a spin, by which its x changes
        self.sums, self.scale, self.bias = sums, self.share * sums.scale, self.share * bias

    @property
    def states(self) -> np.ndarray:
        return self._x_of(super().states)

    def local_field(self, neuron: int) -> np.ndarray:
        row = self.sums.counts[neuron]
        own = self.share * row[neuron] * self.spins[neuron]
        return np.asarray(self.scale * (row @ self._x_of(self.spins) - own) + self.bias[neuron])

    def gain(self, neuron: int) -> np.ndarray:
        return self._gain(self.local_field(neuron), self.share * self.sums.counts[neuron, neuron])

    def field(self, neuron: int) -> np.ndarray:
        by_spin = self.scale * (self.sums.counts[neuron] @ self._x_of(self.spins)) + self.bias[neuron]
        return np.asarray(by_spin / self.share)

    def sweep(self, order: np.ndarray, limits: np.ndarray | None = None) -> None:
        """The sweep over blocks of k neurons; of spins by patterns or in single precision, where these are exact.

        sums: Σ_j W_ij x_j at the start of the block, `(k, n)`; among: what a spin within it adds, `(k, k)`; both
        before the scale.
        """
        of_spins = are_spins(self.spins)
        columns = self.sums.columns if of_spins else None
        light = self.sums.light if of_spins and columns is None else None
        counts = self.sums.counts if light is None else light
        x = self._x_of(self.spins)
        states = x if light is None else x.astype(np.float32)
        overlaps = None if columns is None else columns.T @ x.astype(np.float32)
        room = np.empty((min(len(order), BLOCK) * (columns is None), len(self.spins)), counts.dtype)
        dtype = np.result_type(self.sums.counts, self.spins)
        for block in blocks(len(order), BLOCK):
            neurons = order[block]
            before = self.spins[neurons]
            if columns is None:
                rows = np.take(counts, neurons, axis=0, out=room[: len(neurons)], mode="clip")
                sums, among = rows @ states, rows[:, neurons]
            else:
                rows, own = columns[neurons], np.float32(self.sums.own)
                sums, among = rows @ overlaps - own * self._x_of(before).astype(np.float32), rows @ rows.T
                among[np.diag_indices(len(neurons))] -= own
            both = sums.astype(dtype, copy=False), self.share * among.astype(dtype, copy=False)
            now = self._updated_block(neurons, before, *both, limits)
            if columns is not None:
                overlaps += rows.T @ (self.share * (now - before)).astype(np.float32)
            self.spins[neurons], states[neurons] = now, self._x_of(now)

    def _updated_block(
        self, neurons: np.ndarray, spins: np.ndarray, sums: np.ndarray, among: np.ndarray, limits: np.ndarray | None
    ) -> np.ndarray:
        """The new values of the neurons of a block, part by part."""
        now, own = spins.copy(), np.diagonal(among)[:, None]
        sums -= own * spins
        loops = compiled_loops("spins", len(self.spins) * self.spins.size)
        if loops is not None and {sums.dtype, spins.dtype, self.bias.dtype} == {np.dtype(float)}:
            some = np.zeros((0, 0)) if limits is None else limits[neurons]
            loops.settle(sums, spins, among, (self.scale, self.bias[neurons]), some, now)
            return now
        for part in blocks(len(neurons), part_for(spins.shape[1])):
            earlier, some = slice(0, part.start), neurons[part]
            before = sums[part] + among[part, earlier] @ (now[earlier] - spins[earlier])
            rule = own[part], self.bias[some, None], None if limits is None else limits[some]
            now[part] = self._updated_part(spins[part], before, np.tril(among[part, part], -1), *rule)
        return now

    def _updated_part(
        self,
        spins: np.ndarray,
        sums: np.ndarray,
        among: np.ndarray,
        own: np.ndarray,
        bias: np.ndarray,
        limits: np.ndarray | None,
    ) -> np.ndarray:
        """The new values of the k spins of a part, `(k, n)`.

        sums: at their start, without their own couplings. among: the couplings below the diagonal, `(k, k)`. own, bias:
        `(k, 1)`. limits: as of `settled`. The first round updates all spins as if the others of the part stayed, each
        further round with the values of the round before, until nothing changes. A spin depends on the spins before it
        alone, so that after r rounds the first r have the values of a sweep of one spin after another, and keep them.
        """

        def decided(spins: np.ndarray, sums: np.ndarray, limits: np.ndarray | None) -> np.ndarray:
            local = self.scale * sums + bias
            return settled(spins, local, limits, partial(self._gain, local, own))

        now = decided(spins, sums, limits).astype(spins.dtype, copy=False)
        cues, before, after = np.arange(spins.shape[1]), spins, now  # of the cues that still change
        for _ in range(len(spins) - 1):
            changed = np.flatnonzero(np.any(after != before, axis=0))
            if not changed.size:
                break
            cues, limits = cues[changed], None if limits is None else np.take(limits, changed, axis=1)
            spins, sums, before = (np.take(each, changed, axis=1) for each in (spins, sums, after))
            now[:, cues] = after = decided(spins, sums + among @ (before - spins), limits)
        return now

    def _x_of(self, spins: np.ndarray) -> np.ndarray:
        return spins if self.share == 1 else 0.5 * (spins + 1)

    def _gain(self, local: np.ndarray, own: np.ndarray | float) -> np.ndarray:
        """E(0) − E(±1) = |h_i| + ½ W_ii."""
        return np.asarray(np.abs(local) + 0.5 * self.scale * own)


class StoredSpins(SingleNeuronStates):
    """Neurons with stored patterns: the scores K x are kept, and a changed neuron adds its part to each score.

    A sweep keeps the potential too. For a spin of ±1 it is that of one of the two sides, so that only that of the
    flipped spin is evaluated.

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

    def sweep(self, order: np.ndarray, limits: np.ndarray | None = None) -> None:
        n, n_patterns = self.scores.shape
        groups = list(blocks(n, max(1, CACHED // n_patterns)))
        present = np.concatenate([self._potential(self.scores[cues], cues) for cues in groups])
        loops = compiled_loops("spins", SHARE * self.keys.size * n) if self._is_sum_of_powers else None
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
        return self.mask is None and dtypes == {np.dtype(float)} and bool(np.all(np.abs(self.spins) == 1))

    def _updated_by_loops(
        self, loops: Any, neurons: np.ndarray, columns: np.ndarray, present: np.ndarray, limits: np.ndarray | None
    ) -> bool:
        """Update these spins of all cues by compiled loops; False, and nothing changed, where a power is too large."""
        power: Any = self.separation
        kind = power.n, isinstance(power, RectifiedPower), power.beta ** (power.n - 1) / power.n
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
        cues, spins = at[1], self.spins[at]
        scores = self.scores[cues]
        if np.all(np.abs(spins) == 1):
            other = self._potential(scores - (2 * spins)[:, None] * column, cues)
            up, down = np.where(spins > 0, present, other), np.where(spins > 0, other, present)
        else:
            up, down = self._either(spins, column, cues)
        after = settled(spins, _half(up, down), limits, lambda: np.maximum(up, down) - present)
        changed = np.flatnonzero(after != spins)
        if changed.size:
            scores[changed] += (after - spins)[changed, None] * column
            present[changed] = np.where(after > 0, up, down)[changed]
            self.spins[at] = after

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


class SpinsOfPotential(SingleNeuronStates):
    """Spins of any potential F(x) = Φ*(x) − E(x), by its values on both sides of each: the definition, for few neurons.

    potential: gives F, `(n,)`, of states `(n, N)`. silent: the lower value of each neuron, −1 or 0; neurons of 0 and 1
    are kept as the spins s = 2x − 1. held: whether each neuron keeps its value, `(N,)`.
    """

    def __init__(
        self, states: np.ndarray, potential: Callable[[np.ndarray], np.ndarray], silent: np.ndarray, held: np.ndarray
    ) -> None:
        self.of_0_and_1 = (silent == 0) & ~held
        super().__init__(np.where(self.of_0_and_1, 2 * states - 1, states))
        self.potential, self.held = potential, held

    @property
    def states(self) -> np.ndarray:
        return self._states_of(self.spins)

    def local_field(self, neuron: int) -> np.ndarray:
        return _half(*self._either(neuron))

    def gain(self, neuron: int) -> np.ndarray:
        return np.asarray(np.maximum(*self._either(neuron)) - self.potential(self.states))

    def field(self, neuron: int) -> np.ndarray:
        """The slope between the two sides of the neuron."""
        return self.local_field(neuron) * (2 if self.of_0_and_1[neuron] else 1)

    def set_neuron(self, neuron: int, values: np.ndarray) -> None:
        if not self.held[neuron]:
            super().set_neuron(neuron, values)

    def _states_of(self, spins: np.ndarray) -> np.ndarray:
        own = spins.T
        return np.ascontiguousarray(np.where(self.of_0_and_1, 0.5 * (own + 1), own))

    def _either(self, neuron: int) -> tuple[np.ndarray, np.ndarray]:
        """F with the neuron up, and with the neuron down, `(n,)` each."""
        sides = []
        for side in (1.0, -1.0):
            spins = self.spins.copy()
            spins[neuron] = side
            sides.append(np.asarray(self.potential(self._states_of(spins))))
        return sides[0], sides[1]


def _half(up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """½ (up − down), and exactly 0 where the difference is rounding, so that a tie stays a tie."""
    rounding = 4 * np.finfo(up.dtype).eps * (np.abs(up) + np.abs(down))
    return np.where(np.abs(up - down) <= rounding, 0.0, 0.5 * (up - down))
