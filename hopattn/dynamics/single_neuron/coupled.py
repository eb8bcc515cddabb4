"""Neurons with couplings: a sweep in blocks, with the result of one neuron after another, by matrix products."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hopattn.dynamics.single_neuron.base import (
    Decision,
    KnownDecision,
    Response,
    SingleNeuronStates,
    SpinView,
    are_spins,
)
from hopattn.dynamics.single_neuron.block_sums import BlockSums, Overlaps, SumsOfCouplings, SumsOfOverlaps
from hopattn.foundation.kernels import compiled_loops
from hopattn.foundation.threads import blocks

BLOCK = 256
"""The number of neurons whose fields one matrix product gives. Measured for 4,000 neurons and 128 cues: with half or
twice as many, the time differs by less than a fifth on an idle machine."""


def part_for(cues: int) -> int:
    """The number of neurons of a block that are updated together: more neurons need fewer rounds, each with more work.

    Measured for 1,000 and 4,000 neurons. On a busy machine, threads that share a small product wait for one another;
    the parts are so small that threads do not share them.
    """
    return 64 if cues <= 64 else 32


class CoupledSpins(SingleNeuronStates):
    """Neurons with couplings: the local field of a spin is h_i = Σ_{j≠i} W_ij x_j + b_i, without its own coupling.

    A sweep takes the neurons block by block. The field of neuron k of a block is its field at the start of the block,
    plus the changes δ_j = x_j⁺ − x_j of the neurons of the block before it:

        h_k = F_k + Σ_{j<k} W_kj δ_j          F = W x for the whole block, one matrix product

    Only the order of the sums differs from that of one neuron after another; for whole numbers the results are equal.

    couplings, scale, bias: W is scale · couplings, b the bias. light: the couplings in single precision, or None if
    their sums over spins are not exact in single precision. overlaps: the patterns that the couplings store, or None;
    the sums of spins then come from them.
    """

    def __init__(
        self,
        states: np.ndarray,
        couplings: np.ndarray,
        scale: float,
        bias: np.ndarray,
        light: np.ndarray | None = None,
        overlaps: Overlaps | None = None,
    ) -> None:
        super().__init__(states)
        self.couplings, self.scale, self.bias = couplings, scale, bias
        self.light, self.overlaps = light, overlaps

    def local_field(self, neuron: int) -> np.ndarray:
        others = self._sum_of(neuron) - self.couplings[neuron, neuron] * self.spins[neuron]
        return np.asarray(self.scale * others + self.bias[neuron])

    def gain(self, neuron: int) -> np.ndarray:
        return self._gain(self.local_field(neuron), self.couplings[neuron, neuron])

    def field(self, neuron: int) -> np.ndarray:
        return np.asarray(self.scale * self._sum_of(neuron) + self.bias[neuron])

    def sweep(self, order: np.ndarray, decide: Decision) -> None:
        loops = limits = None
        if isinstance(decide, KnownDecision):
            loops = compiled_loops("spins", self.couplings.size * self.spins.shape[1])
            limits = None if loops is None else decide.limits()
        for fields in self._in_blocks(order, self._sums(order, are_spins(self.spins))):
            fields.initial -= fields.own * fields.before
            if loops is not None and fields.initial.dtype == fields.before.dtype == np.float64:
                own = self.scale, np.ascontiguousarray(fields.bias[:, 0], np.float64)
                there = np.zeros((0, 0)) if limits is None else limits[fields.neurons]
                loops.settle(fields.initial, fields.before, fields.among, own, there, fields.now)
                continue
            for part in blocks(len(fields.neurons), part_for(self.spins.shape[1])):
                fields.now[part] = self._settled(fields, part, decide)

    def sweep_graded(self, order: np.ndarray, respond: Response) -> None:
        for fields in self._in_blocks(order, self._sums(order, False)):
            for k in range(len(fields.neurons)):
                fields.now[k] = respond(self.scale * fields.of(slice(k, k + 1))[0] + fields.bias[k])

    def _sums(self, order: np.ndarray, spins: bool) -> BlockSums:
        """The sums of the blocks of a sweep; in single precision for spins, where that is exact."""
        if spins and self.overlaps is not None:
            return SumsOfOverlaps(self.overlaps, self.spins)
        couplings = self.light if spins and self.light is not None else self.couplings
        states = self.spins if couplings is self.couplings else self.spins.astype(couplings.dtype)
        return SumsOfCouplings(couplings, states, min(len(order), BLOCK))

    def _in_blocks(self, order: np.ndarray, sums: BlockSums) -> Iterator["_Fields"]:
        """The fields of each block of the order; the new values of a block are stored before the next block begins."""
        dtype = np.result_type(self.couplings, self.spins)
        for block in blocks(len(order), BLOCK):
            neurons = order[block]
            initial, among = (each.astype(dtype, copy=False) for each in sums.of(neurons))
            fields = _Fields(neurons, self.spins[neurons], initial, among, self.bias[neurons, None])
            yield fields
            sums.change(neurons, fields.before, fields.now)
            self.spins[neurons] = fields.now

    def _settled(self, fields: "_Fields", part: slice, decide: Decision) -> np.ndarray:
        """The new values of the k spins of a part, `(k, n)`.

        The first round updates all spins as if the others of the part stayed. Each further round uses the values of
        the round before, until nothing changes. A spin depends only on the spins before it, so that after r rounds the
        first r spins have the values of a sweep of one spin after another, and keep them. Thus k rounds are enough,
        and the result is that of one spin after another.
        """
        neurons, spins, initial = fields.neurons[part], fields.before[part], fields.of(part)
        among, own, bias = np.tril(fields.among[part, part], -1), fields.own[part], fields.bias[part]

        def decided(at: Any, spins: np.ndarray, sums: np.ndarray) -> np.ndarray:
            local = self.scale * sums + bias
            return decide(SpinView(at, spins, local, partial(self._gain, local, own)))

        now = np.array(decided(neurons, spins, initial), dtype=spins.dtype)
        cues, after, before = np.arange(spins.shape[1]), now, spins  # of the cues that still change
        for _ in range(len(neurons) - 1):
            changed = np.flatnonzero(np.any(after != before, axis=0))
            if not changed.size:
                break
            cues = cues[changed]
            spins, initial, before = (np.take(each, changed, axis=1) for each in (spins, initial, after))
            after = decided((neurons[:, None], cues), spins, initial + among @ (before - spins))
            now[:, cues] = after
        return now

    def _gain(self, local: np.ndarray, own: np.ndarray | float) -> np.ndarray:
        """E(0) − E(±1) = |h_i| + ½ W_ii."""
        return np.asarray(np.abs(local) + 0.5 * self.scale * own)

    def _sum_of(self, neuron: int) -> np.ndarray:
        """Σ_j W_ij x_j before the scale, `(n,)`."""
        return np.asarray(self.couplings[neuron] @ self.spins)


class CoupledNeurons(CoupledSpins):
    """Neurons of 0 and 1 with couplings, as the spins s = 2x − 1 that have the same energy up to a constant:

        −½ xᵀW x − bᵀx = −½ sᵀ(W/4)s − (½b + ¼Σ_j W_ij)ᵀs + constant

    states: `(n, N)` of 0 and 1. couplings, scale, bias: as for `CoupledSpins`.
    """

    def __init__(self, states: np.ndarray, couplings: np.ndarray, scale: float, bias: np.ndarray) -> None:
        own = 0.5 * bias + 0.25 * scale * couplings.sum(axis=1)
        super().__init__(2 * states - 1, couplings, 0.25 * scale, own.astype(bias.dtype))

    @property
    def states(self) -> np.ndarray:
        return 0.5 * (super().states + 1)

    def field(self, neuron: int) -> np.ndarray:
        return 2 * super().field(neuron)  # by x, of which s changes twice as much


@dataclass
class _Fields:
    """The k neurons of a block as the block begins.

    neurons: their numbers, `(k,)`. before: their values, `(k, n)`. initial: F = W x, `(k, n)`. among: the couplings
    among them, `(k, k)`. bias: `(k, 1)`. `now` has their new values, `own` their couplings to themselves.
    """

    neurons: np.ndarray
    before: np.ndarray
    initial: np.ndarray
    among: np.ndarray
    bias: np.ndarray

    def __post_init__(self) -> None:
        self.now = self.before.copy()
        self.own = np.diagonal(self.among)[:, None]

    def of(self, part: slice) -> np.ndarray:
        """F_k + Σ_j W_kj δ_j for the neurons k of a part, summed over the neurons j of the block before the part."""
        earlier = slice(0, part.start)
        return np.asarray(self.initial[part] + self.among[part, earlier] @ (self.now[earlier] - self.before[earlier]))
