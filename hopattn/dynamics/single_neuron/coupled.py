"""Neurons with couplings: a sweep in blocks, as fast as a matrix product and the same as one neuron after another."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from hopattn.dynamics.single_neuron.base import Called, Decision, Response, Running, are_spins
from hopattn.foundation.chunks import blocks

BLOCK = 256
"""Neurons whose fields are found by one matrix product. Measured for 4,000 neurons and 128 cues: from half to twice of
it, the time differs by less than a fifth on a free machine."""


def part_for(cues: int) -> int:
    """How many neurons of a block are settled together: the more, the fewer rounds, and the more work in each.

    Measured for 1,000 and 4,000 neurons. On a busy machine threads that share a small product wait for one another: the
    parts are small enough not to be shared.
    """
    return 64 if cues <= 64 else 32


class CoupledSpins(Running):
    """Neurons with couplings: h_i = Σ_{j≠i} W_ij x_j + b_i, in which a spin's own coupling makes no difference.

    A sweep takes the neurons block by block. What neuron k of a block feels is what it felt as the block began, and
    what the neurons of the block before it have changed since, δ_j = x_j⁺ − x_j:

        h_k = F_k + Σ_{j<k} W_kj δ_j          F = W x for the whole block, one matrix product

    Only the order of the sums differs from one neuron after another, and for whole numbers that makes no difference.
    light: the couplings in single precision, where sums of them over spins are exact in it.
    """

    def __init__(
        self,
        states: np.ndarray,
        couplings: np.ndarray,
        scale: float,
        bias: np.ndarray,
        light: np.ndarray | None = None,
    ) -> None:
        super().__init__(states)
        self.couplings, self.scale, self.bias, self.light = couplings, scale, bias, light

    def local_field(self, neuron: int) -> np.ndarray:
        others = self._sum(neuron) - self.couplings[neuron, neuron] * self.spins[neuron]
        return np.asarray(self.scale * others + self.bias[neuron])

    def gain(self, neuron: int) -> np.ndarray:
        return self._gain(self.local_field(neuron), self.couplings[neuron, neuron])

    def field(self, neuron: int) -> np.ndarray:
        return np.asarray(self.scale * self._sum(neuron) + self.bias[neuron])

    def sweep(self, order: np.ndarray, decide: Decision) -> None:
        for fields in self._in_blocks(order, self.light if are_spins(self.spins) else None):
            fields.felt -= fields.own * fields.before
            for part in blocks(len(fields.neurons), part_for(self.spins.shape[1])):
                fields.now[part] = self._settled(fields, part, decide)

    def sweep_graded(self, order: np.ndarray, respond: Response) -> None:
        for fields in self._in_blocks(order):
            for k in range(len(fields.neurons)):
                fields.now[k] = respond(self.scale * fields.of(slice(k, k + 1))[0] + fields.bias[k])

    def _in_blocks(self, order: np.ndarray, light: np.ndarray | None = None) -> Iterator["_Fields"]:
        """The blocks of the order, each as those before it have left the states, and then what it made of its own."""
        couplings = self.couplings if light is None else light
        states = self.spins if light is None else self.spins.astype(light.dtype)
        room = np.empty((min(len(order), BLOCK), couplings.shape[1]), dtype=couplings.dtype)
        for block in blocks(len(order), BLOCK):
            neurons = order[block]
            rows = np.take(couplings, neurons, axis=0, out=room[: len(neurons)], mode="clip")
            felt = (rows @ states).astype(np.result_type(self.couplings, self.spins), copy=False)
            fields = _Fields(
                neurons, self.spins[neurons], felt, rows[:, neurons].astype(felt.dtype), self.bias[neurons, None]
            )
            yield fields
            self.spins[neurons] = states[neurons] = fields.now

    def _settled(self, fields: "_Fields", part: slice, decide: Decision) -> np.ndarray:
        """What the spins of a part become, `(k, n)`.

        All are decided at once as if the others of the part stayed, then again with what that changed, until nothing
        changes. As each feels only those before it, after r rounds the first r are what they are one after another,
        and stay so; what no round changes is therefore the result of one after another, and k rounds are enough.
        """
        neurons, before, felt = fields.neurons[part], fields.before[part], fields.of(part)
        among, own, bias = np.tril(fields.among[part, part], -1), fields.own[part], fields.bias[part]
        now, moving = before.copy(), np.arange(before.shape[1])
        for _ in range(len(neurons)):
            spins = before[:, moving]
            local = self.scale * (felt[:, moving] + among @ (now[:, moving] - spins)) + bias
            then = decide(Called((neurons[:, None], moving), spins, local, partial(self._gain, local, own)))
            changed = np.any(then != now[:, moving], axis=0)
            now[:, moving] = then
            moving = moving[changed]
            if not moving.size:
                break
        return np.asarray(now)

    def _gain(self, local: np.ndarray, own: np.ndarray | float) -> np.ndarray:
        return np.asarray(np.abs(local) + 0.5 * self.scale * own)

    def _sum(self, neuron: int) -> np.ndarray:
        return np.asarray(self.couplings[neuron] @ self.spins)


@dataclass
class _Fields:
    """The neurons of a block, what they were, and what they felt then: all `(k, n)`, but W among them `(k, k)`."""

    neurons: np.ndarray
    before: np.ndarray
    felt: np.ndarray
    among: np.ndarray
    bias: np.ndarray

    def __post_init__(self) -> None:
        self.now = self.before.copy()
        self.own = np.diagonal(self.among)[:, None]

    def of(self, part: slice) -> np.ndarray:
        """F_k + Σ_j W_kj δ_j for the neurons of a part, over those of the block that came before it."""
        earlier = slice(0, part.start)
        return np.asarray(self.felt[part] + self.among[part, earlier] @ (self.now[earlier] - self.before[earlier]))
