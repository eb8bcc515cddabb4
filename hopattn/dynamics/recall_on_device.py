"""Recall of arrays of PyTorch and JAX: the states stay on their device, and a few numbers of each cue come here.

The device takes `steps_ahead` steps of all cues before it is asked how they went. The rules then judge one step after
the other, as for NumPy. What a cue did after its last step is left out: it is masked, and keeps its state.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.dynamics.protocol import Recallable
from hopattn.dynamics.record import Recall, Status
from hopattn.dynamics.stopping import Seen, StoppingRule
from hopattn.dynamics.updates.base import StepContext, Update
from hopattn.foundation.arrays import Array, device_of, namespace, on_host, require_finite_energy
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.traces import traced
from hopattn.foundation.vectors import largest_change

AHEAD = 4
"""The number of steps after which an accelerator is asked which cues go on."""
FIXED = "take a fixed number of steps instead: `for _ in range(n): x = memory.step(x)`"


def refuse_traced(*arrays: Array) -> None:
    """Raise `InvalidInput` for arrays with which a library follows the computation."""
    if any(map(traced, arrays)):
        cure = f"{FIXED}; or give constants, under `torch.no_grad()` in PyTorch"
        raise InvalidInput(f"recall: the numbers decide where each cue stops, so that it cannot be traced; {cure}")


def steps_ahead(x: Array) -> int:
    """The number of steps between two questions to the device of an array; a CPU answers at once, and is asked each."""
    return 1 if "cpu" in str(device_of(x)).lower() else AHEAD


@dataclass(frozen=True, eq=False)
class Move:
    """One step of all cues on the device: their states and internal states after it, and the numbers that judge it."""

    after: Array
    internal: Array | None
    numbers: dict[str, Array]


@dataclass(eq=False)
class DeviceRecall:
    """A recall of cues on a device.

    x: the present states, `(n, dim)`. mask: `(n, n_patterns)`, or None. names: the arrays that the record keeps of
    every step.
    """

    memory: Recallable
    rule: Update
    stop: StoppingRule
    x: Array
    mask: Array | None
    names: tuple[str, ...]

    def run(self, max_steps: int, rng: np.random.Generator) -> Recall:
        """The record of at most so many steps; raises `InvalidInput` for an update that is of NumPy arrays alone."""
        if not self.rule.on_devices:
            cure = "give update='sync' or 'concave_convex', or NumPy arrays"
            raise InvalidInput(f"update: {quoted(self.rule)} is {self.rule.way}, for NumPy arrays alone; {cure}")
        xp, t, before, internal = namespace(self.x), 0, None, self.rule.internal(self.memory, self.x)
        active, ahead = np.ones(self.x.shape[0], dtype=bool), steps_ahead(self.x)
        kept, energies = [arrays_of_step(self.memory, self.names, self.x, self.mask)], []
        while t < max_steps and active.any():
            moves = self._moves(t, min(ahead, max_steps - t), before, internal, rng)
            answers = on_host(xp.stack([xp.stack(list(move.numbers.values())) for move in moves]))
            for move, answer in zip(moves, answers, strict=True):
                t += 1
                numbers = dict(zip(move.numbers, answer, strict=True))
                if "energy" in numbers:
                    energies.append(np.where(active, numbers["energy"], 0))
                    require_finite_energy(energies[-1])
                grown = self.stop.grown(t, np.flatnonzero(active), numbers["size"][active])
                moved = active.copy()
                moved[active] = ~grown
                active[active] = self.stop.decide(
                    t, np.flatnonzero(active), self._seen(t, active, move, numbers, grown)
                )
                before, self.x = self.x, self._where(moved, move.after, self.x)
                internal = None if internal is None else self._where(moved, move.internal, internal)
                self.stop.remember(self.x, t)
                kept += [arrays_of_step(self.memory, self.names, self.x, self.mask)] if self.names else []
                if not active.any():
                    break
        ends = self.stop.steps, self.stop.status, self.stop.status == Status.CONVERGED
        table = None
        if energies:
            known = self.stop.energies(energies, float(xp.finfo(self.x.dtype).eps), self._energy)
            table = xp.asarray(known, device=device_of(self.x))
        by_step = {name: xp.stack([arrays[name] for arrays in kept]) for name in self.names}
        reference = self.memory.reference
        return Recall(
            self.x, *ends, self.stop.residual, self.stop.period, table, reference, **by_step, asked_every=ahead
        )

    def _moves(self, t: int, count: int, before: Array | None, internal: Array | None, rng: Any) -> list[Move]:
        """The next steps of all cues, as if none of them stopped, with the numbers of `Seen`."""
        now, kept, moves, xp = self.x, self.stop.kept, [], namespace(self.x)
        for number in range(t, t + count):
            context = StepContext(number, rng, (), internal)
            after, energy = self.rule.step(self.memory, now, self.mask, context)
            refuse_traced(after)
            numbers = {"size": xp.max(xp.abs(after), axis=-1)}
            numbers["residual"] = self.rule.residual(self.memory, now, after, self.mask)
            if Status.CYCLE in self.rule.ends:
                numbers["back"] = largest_change(now if before is None else before, after)
                numbers["same"] = xp.all(after == kept, axis=-1)
            numbers |= {} if energy is None else {"energy": energy}
            dtype, internal = after.dtype if energy is None else energy.dtype, context.internal
            moves.append(Move(after, internal, {name: xp.astype(own, dtype) for name, own in numbers.items()}))
            kept = after if (number + 1) & number == 0 else kept
            before, now = now, after
        return moves

    def _seen(self, t: int, active: np.ndarray, move: Move, numbers: dict[str, np.ndarray], grown: np.ndarray) -> Seen:
        """The numbers of the active cues; the device is asked again only where they do not decide."""
        own = {name: numbers[name][active] for name in numbers}
        residual = own["residual"]
        if grown.any():  # a cue that has grown keeps its state
            kept = on_host(self.rule.residual(self.memory, self.x, self.x, self.mask))[active]
            residual = np.where(grown, kept, residual)

        def read(rows: np.ndarray) -> np.ndarray:
            return np.asarray(on_host(self.memory.size_read(*self._rows(move.after, np.flatnonzero(active)[rows]))))

        back = None if t == 1 else lambda bound: own["back"]
        size, same = np.where(grown, 0, own["size"]), lambda rows: own["same"][rows] > 0

        def least() -> float:
            return self.memory.least_read if self.mask is None else 0.0

        return Seen(size, grown, residual, back, same, read, least)

    def _energy(self, rows: np.ndarray) -> np.ndarray:
        """The energies of these cues in their last state, `(n_rows,)`."""
        return np.asarray(on_host(self.memory.energy(*self._rows(self.x, rows))))

    def _rows(self, states: Array, rows: np.ndarray) -> tuple[Array, Array | None]:
        """These rows of states, and of the mask."""
        xp = namespace(states)
        some = xp.asarray(rows, device=device_of(states))
        return xp.take(states, some, axis=0), None if self.mask is None else xp.take(self.mask, some, axis=0)

    def _where(self, flags: np.ndarray, one: Array, other: Array) -> Array:
        """The rows of one array where the flags `(n,)` are True, and of another one elsewhere."""
        if flags.all():
            return one
        xp = namespace(one)
        return xp.where(xp.asarray(flags, device=device_of(one))[:, None], one, other)


def arrays_of_step(memory: Any, names: tuple[str, ...], states: Array, mask: Array | None) -> dict[str, Array]:
    """The arrays that the record keeps of one step, by name."""
    kept = {"trajectory": states} if "trajectory" in names else {}
    kept |= {"overlaps": memory.reference.overlaps(states)} if "overlaps" in names else {}
    return kept | {"weights": memory.weights(states, mask)} if "weights" in names else kept
