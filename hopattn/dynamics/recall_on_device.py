"""Recall of arrays of PyTorch and JAX: the states stay on their device, and a few numbers of each cue come here.

The device takes `steps_ahead` steps of all cues before it is asked how they went. The rules then judge one step after
the other, as for NumPy. What a cue did after its last step is left out: it is masked, and keeps its state. Where at
least half of many cues have stopped, the device goes on with the others alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from hopattn.dynamics.protocol import Recallable
from hopattn.dynamics.record import Recall, Status
from hopattn.dynamics.stopping import TWO, Seen, StoppingRule
from hopattn.dynamics.updates.base import StepContext, Update
from hopattn.foundation.arrays import Array, device_of, namespace, on_host, require_finite_energy, taken
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.traces import traced
from hopattn.foundation.vectors import largest_change, largest_entries

AHEAD = 4
"""The number of steps after which an accelerator is asked which cues go on."""
MANY = 64
"""The number of cues from which those that have stopped are left out; each new shape costs JAX a compilation."""
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
    """One step of cues on the device: their states and internal states after it, and the numbers that judge it."""

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
    ahead: int = field(init=False)

    def __post_init__(self) -> None:
        self.ahead = steps_ahead(self.x)

    def run(self, max_steps: int, rng: np.random.Generator) -> Recall:
        """The record of at most so many steps; raises `InvalidInput` for an update that is of NumPy arrays alone."""
        if not self.rule.on_devices:
            cure = "give update='sync' or 'concave_convex', or NumPy arrays"
            raise InvalidInput(f"update: {quoted(self.rule)} is {self.rule.way}, for NumPy arrays alone; {cure}")
        xp, t, before, internal = namespace(self.x), 0, None, self.rule.internal(self.memory, self.x)
        active = np.ones(self.x.shape[0], dtype=bool)
        kept, energies, rows = [arrays_of_step(self.memory, self.names, self.x, self.mask)], [], np.arange(len(active))
        while t < max_steps and active.any():
            if MANY <= len(rows) >= 2 * active.sum():
                rows = np.flatnonzero(active)
            with np.errstate(over="ignore", invalid="ignore"):  # a state that overflows is reported as diverged
                moves = self._moves(t, min(self.ahead, max_steps - t), rows, before, internal, rng)
            answers = self._answers(moves)
            for move in moves:
                t += 1
                numbers = {name: next(answers)[active[rows]] for name in move.numbers}
                if "energy" in numbers:
                    energies.append(np.zeros(len(active)))
                    energies[-1][active] = numbers["energy"]
                    require_finite_energy(energies[-1].astype(numbers["energy"].dtype), self.memory.cure)
                states = partial(self._states, move.after, np.flatnonzero(active[rows]))
                grown = self.stop.grown(t, np.flatnonzero(active), numbers["size"], states)
                moved = active.copy()
                moved[active] = ~grown
                seen = self._seen(active, rows, move.after, numbers, grown)
                active[active] = self.stop.decide(t, np.flatnonzero(active), seen)
                before, self.x = self.x, self._put(moved, rows, move.after, self.x)
                internal = None if internal is None else self._put(moved, rows, move.internal, internal)
                self.stop.remember(self.x, t)
                kept += [arrays_of_step(self.memory, self.names, self.x, self.mask)] if self.names else []
                if not active.any():
                    break
        self.stop.tell_nothing_near(self.x, self.mask)
        ends = self.stop.steps, self.stop.status, self.stop.status == Status.CONVERGED
        table = None
        if energies:
            known = self.stop.energies(energies, float(xp.finfo(self.x.dtype).eps), self._energy)
            table = xp.asarray(known, device=device_of(self.x))
        by_step = {name: xp.stack([arrays[name] for arrays in kept]) for name in self.names}
        reference = self.memory.reference
        return Recall(
            self.x, *ends, self.stop.residual, self.stop.period, table, reference, **by_step, asked_every=self.ahead
        )

    def _moves(
        self, t: int, count: int, rows: np.ndarray, before: Array | None, internal: Array | None, rng: Any
    ) -> list[Move]:
        """The next steps of these cues, as if none of them stopped, with the numbers of `Seen`."""
        mask, by_change = self._of(self.mask, rows), type(self.rule).residual is Update.residual
        now, kept, before = self._of(self.x, rows), self._of(self.stop.kept, rows), self._of(before, rows)
        moves, internal, kept_at = list[Move](), self._of(internal, rows), self.stop.kept_at
        for number in range(t, t + count):
            context = StepContext(number, rng, (), internal)
            after, energy = self.rule.step(self.memory, now, mask, context)
            refuse_traced(after)
            seen = self._seen_from_here(after)
            asked = (self._seen_from_here(now), seen) if by_change else (now, after)
            numbers = {"size": largest_entries(seen), "residual": self.rule.residual(self.memory, *asked, mask)}
            if Status.CYCLE in self.rule.ends and before is not None:
                numbers["back"] = largest_change(self._seen_from_here(before), seen)
            if Status.CYCLE in self.rule.ends and number + 1 - kept_at > TWO:
                numbers["apart"] = largest_change(self._seen_from_here(kept), seen)
            internal = context.internal
            moves.append(Move(after, internal, numbers if energy is None else {**numbers, "energy": energy}))
            if (number + 1) & number == 0:
                kept, kept_at = after, number + 1
            before, now = now, after
        return moves

    def _seen_from_here(self, array: Array) -> Array:
        """An array on the CPU as one of NumPy, which computes a few numbers of each row faster; others as they are."""
        return on_host(array) if self.ahead == 1 else array

    def _answers(self, moves: list[Move]) -> Iterator[np.ndarray]:
        """The numbers of these moves, one after the other; an accelerator is asked once for all."""
        numbers = [number for move in moves for number in move.numbers.values()]
        if self.ahead == 1:
            return map(on_host, numbers)
        xp = namespace(self.x)
        dtype = xp.result_type(*numbers)
        return iter(on_host(xp.stack([xp.astype(number, dtype) for number in numbers])))

    def _seen(
        self, active: np.ndarray, rows: np.ndarray, after: Array, numbers: dict[str, np.ndarray], grown: np.ndarray
    ) -> Seen:
        """The numbers of the active cues; the device is asked again only where they do not decide."""
        size, residual = np.where(grown, 0, numbers["size"]), numbers["residual"]
        if grown.any():  # a cue that has grown keeps its state
            kept = on_host(self.rule.residual(self.memory, self.x, self.x, self.mask))[active]
            residual = np.where(grown, kept, residual)

        def read(asked: np.ndarray) -> np.ndarray:
            states = self._states(after, np.flatnonzero(active[rows]), asked)
            mask = self._of(self.mask, np.flatnonzero(active)[asked])
            return np.asarray(on_host(self.memory.size_read(states, mask)))

        def least() -> float:
            return self.memory.least_read if self.mask is None else 0.0

        back = (lambda bound: numbers["back"]) if "back" in numbers else None
        return Seen(size, grown, residual, back, lambda asked: numbers["apart"][asked] == 0, read, least)

    def _states(self, after: Array, places: np.ndarray, asked: np.ndarray) -> Array:
        """The states of some of the active cues; places: those of all active cues in `after`."""
        states: Array = self._of(after, places[asked])
        return states

    def _energy(self, rows: np.ndarray) -> np.ndarray:
        """The energies of these cues in their last state, `(n_rows,)`."""
        return np.asarray(on_host(self.memory.energy(self._of(self.x, rows), self._of(self.mask, rows))))

    def _of(self, array: Array | None, rows: np.ndarray) -> Array | None:
        """These rows of an array; the array itself where they are all, None for None."""
        return array if array is None or len(rows) == array.shape[0] else taken(array, rows)

    def _put(self, flags: np.ndarray, rows: np.ndarray, moved: Array, states: Array) -> Array:
        """States `(n, dim)` with those of the rows that moved, `(n_rows, dim)`, where the flags `(n,)` are True."""
        if flags.all():
            return moved
        xp, place = namespace(states), np.minimum(np.searchsorted(rows, np.arange(len(flags))), len(rows) - 1)
        return xp.where(xp.asarray(flags, device=device_of(states))[:, None], self._of(moved, place), states)


def arrays_of_step(memory: Any, names: tuple[str, ...], states: Array, mask: Array | None) -> dict[str, Array]:
    """The arrays that the record keeps of one step, by name."""
    kept = {"trajectory": states} if "trajectory" in names else {}
    kept |= {"overlaps": memory.reference.overlaps(states)} if "overlaps" in names else {}
    return kept | {"weights": memory.weights(states, mask)} if "weights" in names else kept
