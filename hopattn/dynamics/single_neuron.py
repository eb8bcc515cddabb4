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

from hopattn.foundation.arrays import (
    Array,
    as_array,
    entries,
    in_numbers_of,
    namespace,
    on_host,
    require_finite_energy,
    widened,
)
from hopattn.foundation.kernels import compiled_loops
from hopattn.foundation.threads import blocks
from hopattn.foundation.ties import DOUBLE, are_whole, eps_of, error_of_sum, without_rounding
from hopattn.foundation.traces import detached, hidden, known_true
from hopattn.retrieval.separation.base import Competing, Separation, scaled
from hopattn.retrieval.separation.elementwise import Power, RectifiedPower

CACHED = 32_768
"""The number of entries that are looked at together; they stay in the cache of the processor."""
NEURONS_OF_PRODUCT = 256
"""The number of coupled neurons whose fields one matrix product gives; half or twice as many take about as long."""
COLUMNS = 64
"""The number of neurons whose columns of the keys are copied to contiguous memory at a time."""
EXACT = 2**24
"""The whole number below which single precision holds every sum of spins exactly."""
FEW = 3
"""The number of neurons for each pattern from which sums over the patterns are the faster ones."""
WORK_OF_SCORE = 16
"""The work of one score of a stored sweep, in couplings of a coupled sweep."""


Rounded = tuple[np.ndarray, np.ndarray]
"""A number and its rounding, for each state."""


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


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums that neurons take over their couplings, and the quadratic form of these.

    counts, scale: W = scale · counts, `(N, N)` or `(dim_out, dim)`. Couplings that are whole numbers of one unit, such
    as 1/N of Hebb's rule for patterns of ±1, or tenths, are summed as whole numbers and scaled after the sum, so that a
    tie is a tie; for spins in single precision where that is exact. rounding: Σ_j δW_ij, `(dim_out,)`, the error of
    each row of the couplings beyond their last digits; 0 for none. columns, own: for Hebb's rule and few patterns of
    ±1, Ξᵀ `(N, n_patterns)` in single precision, and the number d that the rule takes off the diagonal. Sums over spins
    then come from one overlap for each pattern:

        Σ_j W_ij x_j = scale · (Σ_μ ξ_i m_μ − d x_i)          xᵀW x = scale · (Σ_μ m_μ² − d |x|²)          m = Ξ x
    """

    counts: Array
    scale: float
    rounding: Any
    eps: float
    sizes: Array
    columns: np.ndarray | None = None
    own: float = 0.0

    @classmethod
    def over(cls, matrix: Array, rounding: Any = 0.0) -> Self:
        """The sums over a matrix `(dim_out, dim)`: by whole numbers of a unit, if it is that up to rounding.

        The units are 1/dim, 1/dim_out, as the couplings from the right to the left side of a bidirectional memory have
        it, and the least |entry|. Couplings of half precision are summed in single precision.
        """
        eps, wide = eps_of(matrix), widened(matrix)
        for unit in (1 / matrix.shape[-1], 1 / matrix.shape[0], _least(wide)):
            counts = None if unit == 0 else _whole(wide, 1 / unit, eps)
            if counts is not None:
                return cls(counts, unit, rounding, eps, unit * _row_sizes(counts))
        return cls(wide, 1.0, rounding, eps, _row_sizes(wide))

    def by_patterns(self, patterns: Array, self_coupling: bool) -> Self:
        """The same sums over patterns `(n_patterns, N)` of Hebb's rule, where they are ±1, few, and sums are exact.

        Arrays of another library than NumPy stay with their couplings.
        """
        many, n = patterns.shape
        if not isinstance(patterns, np.ndarray):
            return self
        few = self.scale == 1 / n and FEW * many <= n and many * n < EXACT and patterns.dtype.itemsize >= 4
        if not (few and np.all(np.abs(patterns) == 1)):
            return self
        d = 0.0 if self_coupling else float(many)
        return replace(self, columns=np.array(patterns.T, np.float32, order="C"), own=d)

    @property
    def exact(self) -> bool:
        """Whether the couplings are whole numbers of a unit, so that a sum over whole numbers is exact."""
        return self.scale != 1

    @cached_property
    def light(self) -> np.ndarray | None:
        """The counts in single precision, where these are whole numbers and no sum of them over spins reaches 2²⁴."""
        exact = self.exact and max(self.counts.max(), -self.counts.min()) * self.counts.shape[1] < EXACT
        return self.counts.astype(np.float32) if exact else None

    @cached_property
    def wide(self) -> np.ndarray:
        """The counts in double precision, for neurons that are updated one at a time."""
        return np.asarray(self.counts.astype(float, copy=False))

    def error(
        self, bias: Array, sizes: Any, largest: Any = 1.0, turns: int = 0, sum_eps: float = DOUBLE, eps: Any = 0.0
    ) -> Any:
        """The error up to which h = W x + b counts as 0 (`foundation/ties.py`).

        bias: b, which broadcasts to the sizes, Σ_j |W_ij x_j|. largest: the largest |entry| of x, for couplings whose
        rule left an error. turns: the number of spins whose turn has been added to the sum, two terms each. sum_eps: ε
        of the sum. eps: that of the states, 0 for whole numbers.
        """
        terms = self.counts.shape[1] + 1 + 2 * turns
        share = error_of_sum(terms, self.eps, sum_eps) + 2 * eps
        return share * (sizes + abs(detached(bias))) + self.rounding * largest

    def exact_error(self, bias: Array) -> Any:
        """The error where W x is exact: 0 without a bias, else that of the bias and of the unit; `(dim_out,)`."""
        b = abs(detached(bias))
        return 8 * self.eps * b + self.rounding * namespace(b).astype(b > 0, b.dtype)

    def tied(self, x: Array, bias: Array) -> Array:
        """h = W x + b, `(…, dim_out)`, and exactly 0 where that is no more than rounding.

        A field that a first bound, by the largest |entry| of x, does not decide is summed again in double precision.
        """
        field, xp = self.of(x) + bias, namespace(x)
        states, b = detached(x), detached(bias)
        whole = are_whole(states, axis=-1, keepdims=True)
        if self.exact and known_true(xp.all(whole)):
            return without_rounding(field, self.exact_error(bias))
        largest = xp.max(xp.abs(states), axis=-1, keepdims=True)
        eps = xp.astype(~whole, field.dtype) * eps_of(x)  # spins are exact
        bound = self.error(b, self.sizes * largest, largest, sum_eps=eps_of(field), eps=eps)
        near = (xp.abs(detached(field)) <= bound) & (detached(field) != 0)
        if self.exact:
            field, near = xp.where(whole, without_rounding(field, self.exact_error(bias)), field), near & ~whole
        if known_true(~xp.any(near)):
            return field
        if known_true(xp.any(near)) and not any(map(hidden, (field, states, b, self.counts))):
            return self._summed_again(field, states, b, near)
        counts = detached(self.counts)
        sizes = self.scale * (xp.abs(xp.astype(states, counts.dtype)) @ xp.abs(counts).mT)
        fine = xp.minimum(self.error(b, sizes, largest, sum_eps=eps_of(field), eps=eps), bound)
        return without_rounding(field, xp.where(whole, 0 * fine, fine) if self.exact else fine)

    def _summed_again(self, field: Array, x: Array, bias: Array, near: Array) -> Array:
        """The field with the entries that are `near` 0 summed in double precision, 0 where that is rounding."""
        xp, n = namespace(field), int(self.counts.shape[-1])
        flags = on_host(near).reshape(-1, near.shape[-1])
        states, b = on_host(x).reshape(-1, n).astype(float), np.broadcast_to(on_host(bias), flags.shape[-1:])
        rows, neurons = np.nonzero(flags)
        values = np.zeros(flags.shape)
        rounding = self.rounding if isinstance(self.rounding, float) else on_host(self.rounding)
        rounding = np.broadcast_to(rounding, b.shape)
        for part in blocks(len(rows), max(CACHED // n, 1)):
            i, j = rows[part], neurons[part]
            w = on_host(entries(detached(self.counts), j, 0)).astype(float)
            terms = self.scale * w * states[i]
            eps = np.where(np.all(states[i] == np.rint(states[i]), axis=1), 0.0, eps_of(x))
            share = error_of_sum(n + 1, self.eps, DOUBLE) + 2 * eps
            error = share * (np.abs(terms).sum(axis=1) + np.abs(b[j])) + rounding[j] * np.abs(states[i]).max(axis=1)
            values[i, j] = without_rounding(terms.sum(axis=1) + b[j], error)
        again = in_numbers_of(field, values.reshape(field.shape))
        return xp.where(near, again + (field - detached(field)), field)

    def of(self, x: Array) -> Array:
        """Σ_j W_ij x_j, `(…, dim_out)` for states `(…, dim)`."""
        return as_array(self.scale * self._of_counts(x))

    def pairs(self, x: Array) -> Array:
        """xᵀW x, `(…,)`, for symmetric couplings."""
        if self.columns is None or not are_spins(x):
            return as_array(self.scale * namespace(x).vecdot(self._of_counts(x), widened(x)))
        m = (x.astype(np.float32) @ self.columns).astype(np.float64)
        squares = np.vecdot(m, m) - self.own * np.vecdot(x, x)
        return np.asarray(self.scale * squares.astype(np.result_type(x, self.counts)))

    def _of_counts(self, x: Array) -> Array:
        """The sums before the scale."""
        if not isinstance(x, np.ndarray):
            return widened(x) @ self.counts.mT
        if not self.exact or (self.columns is None and self.light is None) or not are_spins(x):
            return np.asarray(x @ self.counts.T)
        spins = x.astype(np.float32)
        if self.columns is None:
            sums = spins @ self.light.T  # type: ignore[union-attr]
        else:
            sums = spins @ self.columns @ self.columns.T - np.float32(self.own) * spins
        return np.asarray(sums.astype(np.result_type(x, self.counts)))


def _row_sizes(matrix: Array) -> Array:
    """Σ_j |W_ij| of each row, `(dim_out,)`; of NumPy in blocks that stay in the cache."""
    if not isinstance(matrix, np.ndarray):
        xp = namespace(matrix)
        return xp.sum(xp.abs(detached(matrix)), axis=-1)
    return np.concatenate([np.abs(matrix[rows]).sum(axis=1) for rows in blocks(len(matrix), 64)])


def _least(matrix: Array) -> float:
    """The least |entry| that is not 0; 0 where there is none with an inverse, or the numbers are not known yet."""
    xp = namespace(matrix)
    if isinstance(matrix, np.ndarray):
        rows = (np.abs(matrix[part]) for part in blocks(len(matrix), 64))
        least: Any = min(np.min(row, where=row > 0, initial=np.inf) for row in rows)
    else:
        sizes = xp.abs(detached(matrix))
        least = xp.min(xp.where(sizes > 0, sizes, float("inf")))
    return (
        float(least) if known_true((least >= xp.finfo(matrix.dtype).smallest_normal) & (least < float("inf"))) else 0.0
    )


def _whole(matrix: Array, n: float, eps: float) -> Array | None:
    """n times a matrix, if these are whole numbers up to rounding whose sums are exact, else None.

    The whole numbers have the derivative of the matrix. Numbers that are not known yet are none. eps: that of the
    numbers; a whole number above 2⁻⁶/ε is as near to any number as its rounding, and none.
    """
    xp, most = namespace(matrix), 2.0**-6 / eps
    if not isinstance(matrix, np.ndarray):
        several = n * matrix
        apart = detached(xp.round(several) - several)
        near = xp.all(xp.abs(apart) <= 4 * eps * xp.abs(xp.round(several))) & (xp.max(xp.abs(several)) <= most)
        exact = known_true(near) and known_true(xp.max(_row_sizes(several)) < 1 / eps_of(matrix))
        return several + apart if exact else None
    counts = np.empty_like(matrix)
    for rows in blocks(len(matrix), 64):  # so that the rows stay in the cache
        several = n * matrix[rows]
        np.rint(several, out=counts[rows])
        several -= counts[rows]
        sizes = np.abs(counts[rows])
        if not (np.all(np.abs(several, out=several) <= 4 * eps * sizes) and sizes.max() <= most):
            return None
    return counts if _row_sizes(counts).max() < 1 / eps_of(matrix) else None


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

    A local field no larger than its rounding is 0 (`Sums.error`); up to `NEURONS_OF_PRODUCT` turns are in one sum.
    """

    def __init__(self, states: np.ndarray, sums: Sums, bias: np.ndarray, of_0_and_1: bool = False) -> None:
        super().__init__(2 * states - 1 if of_0_and_1 else states)
        self.share = 0.5 if of_0_and_1 else 1.0  # of the change of a spin, by which its x changes
        self.sums, self.scale, self.bias = sums, self.share * sums.scale, self.share * np.asarray(bias, float)
        if sums.exact:
            self.error = self.share * np.asarray(sums.exact_error(bias), float)
        else:
            turns = min(len(self.spins), NEURONS_OF_PRODUCT)
            self.error = self.share * np.asarray(sums.error(bias, sums.sizes, turns=turns), float)
        self.error = np.broadcast_to(self.error, self.bias.shape)

    @property
    def states(self) -> np.ndarray:
        return np.ascontiguousarray(self._x_of(self.spins).T, self.dtype)

    def local_field(self, neuron: int) -> np.ndarray:
        return self._local(neuron, self.spins)[0]

    def gain(self, neuron: int) -> np.ndarray:
        return self._gain(*self._local(neuron, self.spins), self.share * self.sums.counts[neuron, neuron])

    def _local(self, neuron: int, spins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The local field of a neuron and its error, `(n,)` each, summed anew over the spins `(N, n)`."""
        row, x = self.sums.wide[neuron], self._x_of(spins)
        self_field = self.share * row[neuron] * spins[neuron]
        local = self.scale * (row @ x - self_field) + self.bias[neuron]
        if self.sums.exact:
            error = np.broadcast_to(self.error[neuron], local.shape)
        else:
            rounding = np.broadcast_to(self.sums.rounding, self.bias.shape)[neuron]
            share = error_of_sum(len(row) + 1, self.sums.eps, DOUBLE)
            error = share * (np.abs(self.scale * row) @ np.abs(x) + abs(self.bias[neuron])) + self.share * rounding
        return np.asarray(without_rounding(local, error)), np.asarray(error)

    def field(self, neuron: int) -> np.ndarray:
        by_spin = self.scale * (self.sums.wide[neuron] @ self._x_of(self.spins)) + self.bias[neuron]
        return np.asarray(by_spin / self.share)

    def sweep(self, order: np.ndarray, limits: np.ndarray | None = None) -> None:
        """The sweep over blocks of k neurons; of spins by patterns or in single precision, where these are exact.

        sums: Σ_j W_ij x_j at the start of the block, `(k, n)`; among: what a spin within it adds, `(k, k)`; both
        before the scale.
        """
        of_spins = are_spins(self.spins)
        columns = self.sums.columns if of_spins else None
        light = self.sums.light if of_spins and columns is None else None
        counts = self.sums.wide if light is None else light
        x = self._x_of(self.spins)
        states = x if light is None else x.astype(np.float32)
        overlaps = None if columns is None else columns.T @ x.astype(np.float32)
        room = np.empty((min(len(order), NEURONS_OF_PRODUCT) * (columns is None), len(self.spins)), counts.dtype)
        for block in blocks(len(order), NEURONS_OF_PRODUCT):
            neurons = order[block]
            before = self.spins[neurons]
            if columns is None:
                rows = np.take(counts, neurons, axis=0, out=room[: len(neurons)], mode="clip")
                sums, among = rows @ states, rows[:, neurons]
            else:
                rows, d = columns[neurons], np.float32(self.sums.own)
                sums, among = rows @ overlaps - d * self._x_of(before).astype(np.float32), rows @ rows.T
                among[np.diag_indices(len(neurons))] -= d
            both = sums.astype(float, copy=False), self.share * among.astype(float, copy=False)
            now = self._updated_block(neurons, before, *both, limits)
            if columns is not None:
                overlaps += rows.T @ (self.share * (now - before)).astype(np.float32)
            self.spins[neurons], states[neurons] = now, self._x_of(now)

    def _updated_block(
        self, neurons: np.ndarray, spins: np.ndarray, sums: np.ndarray, among: np.ndarray, limits: np.ndarray | None
    ) -> np.ndarray:
        """The new values of the neurons of a block, part by part.

        A local field within the error of all couplings is summed anew where not all of them count, that is where a
        spin is unknown or a neuron of 0 and 1 silent: then the cue is updated neuron by neuron.
        """
        now, diagonal, unsure = spins.copy(), np.diagonal(among)[:, None], np.zeros(spins.shape[1], bool)
        sums -= diagonal * spins
        loops = compiled_loops("spins", len(self.spins) * self.spins.size)
        if loops is not None:
            bounds = np.zeros((0, 0)) if limits is None else limits[neurons]
            rule = self.scale, self.bias[neurons], self.error[neurons]
            loops.settle(sums, spins, among, rule, bounds, now, unsure)
        else:
            self._update_by_parts(neurons, spins, sums, among, limits, now, unsure)
        all_count = self.sums.exact or (self.share == 1 and np.all(self.spins != 0))
        if not all_count and limits is None and unsure.any():
            cues = np.flatnonzero(unsure)
            present = self.spins[:, cues]
            for i in neurons:
                local, error = self._local(i, present)
                gain = partial(self._gain, local, error, self.share * self.sums.counts[i, i])
                present[i] = settled(present[i], local, None, gain)
            now[:, cues] = present[neurons]
        return now

    def _update_by_parts(
        self,
        neurons: np.ndarray,
        spins: np.ndarray,
        sums: np.ndarray,
        among: np.ndarray,
        limits: np.ndarray | None,
        now: np.ndarray,
        unsure: np.ndarray,
    ) -> None:
        """Write the new values of a block to `now`, and the cues with a local field that may be rounding to `unsure`.

        sums: at the start of the block, without their own couplings.
        """
        diagonal = np.diagonal(among)[:, None]
        for part in blocks(len(neurons), part_for(spins.shape[1])):
            earlier, i = slice(0, part.start), neurons[part]
            before = sums[part] + among[part, earlier] @ (now[earlier] - spins[earlier])
            of_each = diagonal[part], self.bias[i, None], self.error[i, None]
            rule = of_each, None if limits is None else limits[i]
            now[part] = self._updated_part(spins[part], before, np.tril(among[part, part], -1), *rule, unsure)

    def _updated_part(
        self,
        spins: np.ndarray,
        sums: np.ndarray,
        among: np.ndarray,
        of_each: tuple[np.ndarray, np.ndarray, np.ndarray],
        limits: np.ndarray | None,
        unsure: np.ndarray,
    ) -> np.ndarray:
        """The new values of the k spins of a part, `(k, n)`.

        sums: at their start, without their own couplings. among: the couplings below the diagonal, `(k, k)`. of_each:
        their own couplings, bias and error, `(k, 1)` each. limits: as of `settled`. unsure: as of `_update_by_parts`.

        The first round updates all spins as if the others of the part stayed, each further round with the values of the
        round before, until nothing changes. A spin depends on the spins before it alone, so that after r rounds the
        first r have the values of a sweep of one spin after another, and keep them.
        """

        diagonal, bias, error = of_each

        def decided(spins: np.ndarray, sums: np.ndarray, limits: np.ndarray | None, cues: np.ndarray) -> np.ndarray:
            first = self.scale * sums + bias
            local = without_rounding(first, error)
            unsure[cues] |= np.any(local != first, axis=0)
            return settled(spins, local, limits, partial(self._gain, local, error, diagonal))

        cues = np.arange(spins.shape[1])
        now = decided(spins, sums, limits, cues)
        before, after = spins, now  # of the cues that still change
        for _ in range(len(spins) - 1):
            columns = np.flatnonzero(np.any(after != before, axis=0))
            if not columns.size:
                break
            cues, limits = cues[columns], None if limits is None else np.take(limits, columns, axis=1)
            spins, sums, before = (np.take(each, columns, axis=1) for each in (spins, sums, after))
            now[:, cues] = after = decided(spins, sums + among @ (before - spins), limits, cues)
        return now

    def _x_of(self, spins: np.ndarray) -> np.ndarray:
        return spins if self.share == 1 else 0.5 * (spins + 1)

    def _gain(self, local: np.ndarray, error: np.ndarray, diagonal: np.ndarray | float) -> np.ndarray:
        """E(0) − E(±1) = |h_i| + ½ W_ii."""
        return np.asarray(without_rounding(np.abs(local) + 0.5 * self.scale * diagonal, error))


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
        up, down, error = self._either(self.spins[neuron], self.keys[:, neuron])
        return np.asarray(without_rounding(0.5 * up - 0.5 * down, error))  # a sum of the two might overflow

    def gain(self, neuron: int) -> np.ndarray:
        up, down, error = self._either(self.spins[neuron], self.keys[:, neuron])
        return np.asarray(without_rounding(np.maximum(up, down) - self._potential(), 2 * error))

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
        cues, spins = at[1], self.spins[at]
        scores = self.scores[cues]
        if np.all(np.abs(spins) == 1):
            side = scores - (2 * spins)[:, None] * column
            psi = self._potential(side, cues)
            up, down = np.where(spins > 0, present, psi), np.where(spins > 0, psi, present)
            error = self._error((scores, side), (up, down), cues)
        else:
            up, down, error = self._either(spins, column, cues)
        local = without_rounding(0.5 * up - 0.5 * down, error)
        after = settled(spins, local, limits, lambda: without_rounding(np.maximum(up, down) - present, 2 * error))
        flips = np.flatnonzero(after != spins)
        if flips.size:
            scores[flips] += (after - spins)[flips, None] * column
            present[flips] = np.where(after > 0, up, down)[flips]
            self.spins[at] = after

    def _either(
        self, spins: np.ndarray, column: np.ndarray, cues: slice = slice(None)
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The potential with the neuron up, with the neuron down, and their rounding, `(n,)` each."""
        x, scores = spins[:, None], self.scores[cues]
        sides = scores + (1 - x) * column, scores - (1 + x) * column
        up, down = (self._potential(side, cues) for side in sides)
        return up, down, self._error(sides, (up, down), cues)

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

    def _potential(self, scores: np.ndarray | None = None, cues: slice = slice(None)) -> np.ndarray:
        """Ψ(s), `(n,)`: of the present scores, or of the given scores of some cues."""
        mask = None if self.mask is None else self.mask[cues]
        with np.errstate(over="ignore"):
            value = np.asarray(self.separation.potential(self.scores if scores is None else scores, mask))
        if not np.all(np.isfinite(value)):
            rows = np.zeros(len(self.scores), dtype=self.dtype)
            rows[cues] = value
            require_finite_energy(rows, self.separation.cure)
        return value


class SpinsOfPotential(SingleNeuronStates):
    """Spins of any potential F(x) = Φ*(x) − E(x), by its values on both sides of each: the definition, for few neurons.

    potential: gives F and its rounding, `(n,)` each, of states `(n, N)`. half: gives ½ (F(up) − F(down)) and its
    rounding, for the states with a neuron up, with it down, and the number of the neuron. silent: the lower value of
    each neuron, −1 or 0; neurons of 0 and 1 are kept as the spins s = 2x − 1. held: whether each neuron keeps its
    value, `(N,)`.
    """

    def __init__(
        self,
        states: np.ndarray,
        potential: Callable[[np.ndarray], Rounded],
        half: Callable[[np.ndarray, np.ndarray, int], Rounded],
        silent: np.ndarray,
        held: np.ndarray,
    ) -> None:
        self.of_0_and_1 = (silent == 0) & ~held
        super().__init__(np.where(self.of_0_and_1, 2 * states - 1, states))
        self.potential, self.half, self.held, self.dtype = potential, half, held, states.dtype

    @property
    def states(self) -> np.ndarray:
        return self._states_of(self.spins).astype(self.dtype, copy=False)

    def local_field(self, neuron: int) -> np.ndarray:
        return np.asarray(without_rounding(*self.half(*self._either(neuron), neuron)))

    def gain(self, neuron: int) -> np.ndarray:
        (up, error_up), (down, error_down) = map(self.potential, self._either(neuron))
        now, rounding = self.potential(self._states_of(self.spins))
        return np.asarray(without_rounding(np.maximum(up, down) - now, np.maximum(error_up, error_down) + rounding))

    def field(self, neuron: int) -> np.ndarray:
        """The slope between the two sides of the neuron."""
        return self.local_field(neuron) * (2 if self.of_0_and_1[neuron] else 1)

    def set_neuron(self, neuron: int, values: np.ndarray) -> None:
        if not self.held[neuron]:
            super().set_neuron(neuron, values)

    def _states_of(self, spins: np.ndarray) -> np.ndarray:
        s = spins.T
        return np.ascontiguousarray(np.where(self.of_0_and_1, 0.5 * (s + 1), s))

    def _either(self, neuron: int) -> tuple[np.ndarray, np.ndarray]:
        """The states with the neuron up, and with it down, `(n, N)` each."""
        up, down = self.spins.copy(), self.spins.copy()
        up[neuron], down[neuron] = 1.0, -1.0
        return self._states_of(up), self._states_of(down)
