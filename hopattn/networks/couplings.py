"""The sums of neurons over their couplings, and spins with couplings that are updated one at a time, in blocks.

h = W x + b          xᵀW x

A field that is no larger than its rounding counts as 0 (`foundation/ties.py`).
"""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from hopattn.dynamics.single_neuron import CACHED, SingleNeuronStates, are_spins, settled
from hopattn.foundation.arrays import Array, as_array, entries, in_numbers_of, namespace, on_host, widened
from hopattn.foundation.kernels import compiled_loops
from hopattn.foundation.threads import blocks
from hopattn.foundation.ties import DOUBLE, are_whole, eps_of, error_of_sum, without_rounding
from hopattn.foundation.traces import detached, hidden, known_true

NEURONS_OF_PRODUCT = 256
"""The number of coupled neurons whose fields one matrix product gives; half or twice as many take about as long."""
EXACT = 2**24
"""The whole number below which single precision holds every sum of spins exactly."""
FEW = 3
"""The number of neurons for each pattern from which sums over the patterns are the faster ones."""


@dataclass(frozen=True, eq=False)
class CouplingSums:
    """The sums that neurons take over their couplings, and the quadratic form of these.

    counts, scale: W = scale · counts, `(N, N)` or `(dim_out, dim)`. Couplings that are whole numbers of one unit, such
    as 1/N of Hebb's rule for patterns of ±1, or tenths, are summed as whole numbers and scaled after the sum, so that a
    tie is a tie; for spins in single precision where that is exact. rounding: Σ_j δW_ij, `(dim_out,)`, the error of
    each row of the couplings beyond their last digits; 0 for none. columns, d: for Hebb's rule and few patterns of ±1,
    Ξᵀ `(N, n_patterns)` in single precision, and the number that the rule takes off the diagonal. Sums over spins then
    come from one overlap for each pattern:

        Σ_j W_ij x_j = scale · (Σ_μ ξ_i m_μ − d x_i)          xᵀW x = scale · (Σ_μ m_μ² − d |x|²)          m = Ξ x
    """

    counts: Array
    scale: float
    rounding: Any
    eps: float
    sizes: Array
    columns: np.ndarray | None = None
    d: float = 0.0

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
        return replace(self, columns=np.array(patterns.T, np.float32, order="C"), d=d)

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
        return as_array(self.scale * namespace(x).vecdot(self._of_counts(x), widened(x)))

    def _of_counts(self, x: Array) -> Array:
        """The sums before the scale."""
        if not isinstance(x, np.ndarray):
            return widened(x) @ self.counts.mT
        left, right, d = self.form(self.exact and are_spins(x))
        y = x if left is self.counts else x.astype(left.dtype)
        sums = (y if right is None else y @ right) @ left.T
        return np.asarray(sums - d * y if d else sums).astype(np.result_type(x, self.counts), copy=False)

    def form(self, of_spins: bool) -> tuple[np.ndarray, np.ndarray | None, float]:
        """L, R (None for 1) and d of the counts L Rᵀ − d; of spins by patterns or in single precision, where exact."""
        if of_spins and self.columns is not None:
            return self.columns, self.columns, self.d
        light = self.light if of_spins else None
        return self.counts if light is None else light, None, 0.0


def _by_rows(matrix: Array) -> list[Array]:
    """A matrix in blocks of rows, which stay in the cache, if it is one of NumPy; else as one."""
    return [matrix[rows, :] for rows in blocks(len(matrix), 64)] if isinstance(matrix, np.ndarray) else [matrix]


def _row_sizes(matrix: Array) -> Array:
    """Σ_j |W_ij| of each row, `(dim_out,)`."""
    xp = namespace(matrix)
    return xp.concat([xp.sum(xp.abs(detached(rows)), axis=-1) for rows in _by_rows(matrix)])


def _least(matrix: Array) -> float:
    """The least |entry| that is not 0; 0 where there is none with an inverse, or the numbers are not known yet."""
    xp, most = namespace(matrix), float("inf")
    sizes = (xp.abs(detached(rows)) for rows in _by_rows(matrix))
    least = xp.min(xp.stack([xp.min(xp.where(size > 0, size, most)) for size in sizes]))
    return float(least) if known_true((least >= xp.finfo(matrix.dtype).smallest_normal) & (least < most)) else 0.0


def _whole(matrix: Array, n: float, eps: float) -> Array | None:
    """n times a matrix, if these are whole numbers up to rounding whose sums are exact, else None.

    The whole numbers have the derivative of the matrix. Numbers that are not known yet are none. eps: that of the
    numbers; a whole number above 2⁻⁶/ε is as near to any number as its rounding, and none.
    """
    xp, counts = namespace(matrix), []
    for rows in _by_rows(matrix):
        several = n * rows
        apart = detached(xp.round(several) - several)
        counts.append(several + apart)
        sizes = xp.abs(detached(counts[-1]))
        if not known_true(xp.all(xp.abs(apart) <= 4 * eps * sizes) & (xp.max(sizes) <= 2.0**-6 / eps)):
            return None
    whole = xp.concat(counts)
    return whole if known_true(xp.max(_row_sizes(whole)) < 1 / eps_of(matrix)) else None


def neurons_of_block(cues: int) -> int:
    """The number of neurons that are updated together without compiled loops, measured for 1,000 and 4,000 neurons.

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

    A local field no larger than its rounding is 0 (`CouplingSums.error`); one sum has up to `NEURONS_OF_PRODUCT` turns.
    """

    def __init__(self, states: np.ndarray, sums: CouplingSums, bias: np.ndarray, of_0_and_1: bool = False) -> None:
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
        before the scale. y: Rᵀ x, which a block changes.
        """
        left, right, d = self.sums.form(are_spins(self.spins))
        left = self.sums.wide if left is self.sums.counts else left
        x = self._x_of(self.spins).astype(left.dtype)
        y = x if right is None else right.T @ x
        loops = compiled_loops("spins", len(self.spins) * self.spins.size)
        size = NEURONS_OF_PRODUCT if loops is not None else neurons_of_block(self.spins.shape[1])
        room = np.empty((min(len(order), size), left.shape[1]), left.dtype)
        for block in blocks(len(order), size):
            neurons = order[block]
            before = self.spins[neurons]
            rows = np.take(left, neurons, axis=0, out=room[: len(neurons)], mode="clip")
            sums, among = rows @ y - d * x[neurons], rows[:, neurons] if right is None else rows @ rows.T
            among[np.diag_indices(len(neurons))] -= d
            both = sums.astype(float, copy=False), self.share * among.astype(float, copy=False)
            now = self._updated(neurons, before, *both, None if limits is None else limits[neurons], loops)
            if right is not None:
                y += rows.T @ (self.share * (now - before)).astype(left.dtype)
            self.spins[neurons], x[neurons] = now, self._x_of(now)

    def _updated(
        self,
        neurons: np.ndarray,
        spins: np.ndarray,
        sums: np.ndarray,
        among: np.ndarray,
        limits: np.ndarray | None,
        loops: Any,
    ) -> np.ndarray:
        """The new values of the k spins of a block, `(k, n)`; sums and among: as of `sweep`; limits: as of `settled`.

        The first round updates all spins as if the others of the block stayed, each further round with the values of
        the round before, until nothing changes. A spin depends on the spins before it alone, so that after r rounds the
        first r have the values of a sweep of one spin after another, and keep them.

        A local field within the error of all couplings is summed anew where not all of them count, that is where a
        spin is unknown or a neuron of 0 and 1 silent: then the cue is updated neuron by neuron.
        """
        n = spins.shape[1]
        now, diagonal, unsure = spins.copy(), np.diagonal(among)[:, None], np.zeros(n, bool)
        sums -= diagonal * spins
        if loops is not None:
            rule = self.scale, self.bias[neurons], self.error[neurons]
            loops.settle(sums, spins, among, rule, np.zeros((0, 0)) if limits is None else limits, now, unsure)
        else:
            bias, error, earlier = self.bias[neurons, None], self.error[neurons, None], np.tril(among, -1)
            cues, x, before, start, bounds = np.arange(n), spins, spins, sums, limits  # of the cues that still change
            for _ in neurons:
                field = self.scale * (start + earlier @ (before - x)) + bias
                local = without_rounding(field, error)
                unsure[cues] |= np.any(local != field, axis=0)
                now[:, cues] = after = settled(x, local, bounds, partial(self._gain, local, error, diagonal))
                columns = np.flatnonzero(np.any(after != before, axis=0))
                if not columns.size:
                    break
                cues, bounds = cues[columns], None if bounds is None else np.take(bounds, columns, axis=1)
                x, start, before = (np.take(each, columns, axis=1) for each in (x, start, after))
        all_count = self.sums.exact or (self.share == 1 and np.all(self.spins != 0))
        if not all_count and unsure.any():
            cues = np.flatnonzero(unsure)
            present = self.spins[:, cues]
            for k, i in enumerate(neurons):
                local, error = self._local(i, present)
                gain = partial(self._gain, local, error, self.share * self.sums.counts[i, i])
                present[i] = settled(present[i], local, None if limits is None else limits[k, cues], gain)
            now[:, cues] = present[neurons]
        return now

    def _x_of(self, spins: np.ndarray) -> np.ndarray:
        return spins if self.share == 1 else 0.5 * (spins + 1)

    def _gain(self, local: np.ndarray, error: np.ndarray, diagonal: np.ndarray | float) -> np.ndarray:
        """E(0) − E(±1) = |h_i| + ½ W_ii."""
        return np.asarray(without_rounding(np.abs(local) + 0.5 * self.scale * diagonal, error))
