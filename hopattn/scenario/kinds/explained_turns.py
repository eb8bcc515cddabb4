"""Neuron by neuron: the array `turns` of an asynchronous recall, and a line of arithmetic for each turn."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.turns import Turn, turns
from hopattn.dynamics.updates.asynchronous import Asynchronous
from hopattn.foundation.sentences import say
from hopattn.foundation.writing import number
from hopattn.networks.classical import Coupled
from hopattn.results.labelled import Labelled
from hopattn.scenario.arithmetic import LINES, added, dot, equals, factor, written
from hopattn.scenario.arrays import labelled

LISTED = 40
"""The largest number of lines of a sweep, and of neurons in the name of an order."""
SWEEPS = 10
"""The largest number of sweeps of a cue that are written out."""


class Flow:
    """The asynchronous recall of several cues, turn by turn.

    trajectory: the states after each sweep, `(n_cues, T + 1, N)`; a cue that has stopped repeats its last state. rng:
    the generator in the state in which the recall began. seed: the one that its random numbers come from. names: of
    the neurons; by default "neuron 1" … orders: of the neurons in each sweep.
    """

    def __init__(
        self,
        memory: AssociativeMemory,
        update: Asynchronous,
        trajectory: np.ndarray,
        rng: np.random.Generator,
        seed: int,
        names: Sequence[str] | None = None,
    ) -> None:
        self.memory, self.update, self.trajectory, self.seed = memory, update, trajectory, seed
        self.n = trajectory.shape[2]
        self.names = names or [say("neuron {}", str(i + 1)) for i in range(self.n)]
        self.orders = [update._order_of_sweep(self.n, rng) for _ in range(trajectory.shape[1] - 1)]
        self.has_energy = not memory.why_not("energy")

    def array(self, cues: Sequence[str]) -> Labelled:
        """The field, the values before and after, and the energy after each turn of each cue; cues: their labels."""
        table = [
            [one for t, order in enumerate(self.orders) for one in turns(self.memory, states[t], states[t + 1], order)]
            for states in self.trajectory
        ]
        values = np.array([[(turn.field, turn.before, turn.after) for turn in row] for row in table])
        columns: tuple[str, ...] = ("field", "before", "after")
        if self.has_energy:
            states = np.array([[turn.state for turn in row] for row in table])
            energies = np.asarray(self.memory.energy(states.reshape(-1, self.n))).reshape(*values.shape[:2], 1)
            values, columns = np.concatenate([values, energies], axis=-1), (*columns, "energy")
        names = tuple(f"{t}: {self.names[i]}" for t, i in enumerate(np.concatenate(self.orders), start=1))
        return labelled(values, {"cue": cues, "turn": names, "of": columns})

    def sweep(self, cue: int, t: int) -> Iterator[str]:
        """The lines of sweep t of a cue, both counted from 0."""
        before, after = self.trajectory[cue, t : t + 2]
        order, drawn, told = self.orders[t], self.update.order == "random", ["  " + say("sweep {}", str(t + 1))]
        if drawn or t == 0:
            told.append(say("one neuron after the other in the order {}", self._listed(order)))
            told += [say("which seed {} draws", str(self.seed))] * drawn
            told += [say("a field of 0 gives 1")] * (self.update.ties == "up")
            if isinstance(memory := self.memory, Coupled) and memory.activation.discrete:
                share = "half" if memory.activation.silent == 0 else "none"  # of E(x_i low) − E(x_i = 1)
                coupled = bool(np.any(np.diag(memory.couplings)))
                told += [say(f"{share} of a neuron's coupling to itself counts")] * coupled
        order = order[before[order] != after[order]] if self.n > LINES else order
        if np.array_equal(before, after):
            told.append(say("no neuron changes"))
        elif self.n > LINES:
            told.append(say(f"{{}} of {{}} neurons change{'s' * (len(order) == 1)}", str(len(order)), str(self.n)))
        yield f"{', '.join(told)}{':' * bool(len(order))}"
        for turn in islice(turns(self.memory, before, after, order), LISTED):
            yield f"    {self._line(turn)}"
        if len(order) > LISTED:
            yield "    " + say("… and {} more that change", str(len(order) - LISTED))

    def further_sweeps(self, cue: int, steps: int) -> Iterator[str]:
        """The lines of the sweeps after the first one; steps: the number of all sweeps of this cue."""
        for t in range(1, min(steps, SWEEPS)):
            yield from self.sweep(cue, t)
        if steps > SWEEPS:
            yield "  " + say("… and {} more sweeps", str(steps - SWEEPS))

    def _listed(self, order: np.ndarray) -> str:
        """The numbers or the names of neurons in their order."""
        listed = [self.names[i].removeprefix(say("neuron {}", "")) for i in order]
        if np.array_equal(order, np.arange(self.n)) and self.n > LINES:
            return say("{} to {}", listed[0], listed[-1])
        return ", ".join(listed if self.n <= LISTED else [*listed[:LINES], "…"])

    def _line(self, turn: Turn) -> str:
        """The turn of a neuron: its field as a sum, its old and new value, and the energy after it."""
        energy = say(", energy {}", number(float(self.memory.energy(turn.state)))) if self.has_energy else ""
        return f"{self.names[turn.neuron]}: {self._sum(turn)}, {change(turn.before, turn.after)}{energy}"

    def _sum(self, turn: Turn) -> str:
        """The field of a neuron in its turn as a sum; in a memory of patterns, from the energies of its two values."""
        memory, i, state = self.memory, turn.neuron, turn.state.copy()
        state[i] = turn.before
        if isinstance(memory, Coupled):
            row, apart = np.asarray(memory.couplings)[i], {say("the bias"): _bias(memory, i)}
            if memory.activation.discrete or row[i] == 0:  # a spin turns without its coupling to itself
                half = 0.5 * float(row[i]) if memory.activation.silent == 0 else 0.0
                apart[say("half the coupling to itself")] = half
                row, state = np.delete(row, i), np.delete(state, i)
            return _field(row, state, apart, turn.field)
        if not memory.activation.discrete:
            return say("field {}", number(turn.field))
        sides, low = np.stack([state, state]), float(np.broadcast_to(memory.activation.silent, state.shape)[i])
        sides[:, i] = low, 1
        down, up = map(float, memory.energy(sides))
        by_hand, text = float(np.subtract(*written([down, up]))) / (1 - low), f"{number(down)} − {factor(up)}"
        return f"{f'½×({text})' if low else text} {equals(turn.field, by_hand)} {number(turn.field)}"


def synchronous_fields(memory: Coupled, state: np.ndarray, field: np.ndarray, after: np.ndarray) -> Iterator[str]:
    """The field of each of a few neurons that all turn at once as a sum, with its old and new value."""
    few = state.shape == after.shape == (min(len(state), LINES),)
    for i, row in enumerate(np.asarray(memory.couplings)) if few else ():
        told = _field(row, state, {say("the bias"): _bias(memory, i)}, float(field[i]))
        yield say("neuron {}: {}, {}", str(i + 1), told, change(state[i], after[i]))


def change(before: float, after: float) -> str:
    """The old and the new value of a neuron."""
    return say("stays {}", number(after)) if before == after else f"{number(before)} → {number(after)}"


def _bias(memory: Coupled, i: int) -> float:
    return float(np.broadcast_to(getattr(memory, "bias", 0.0), len(memory.couplings))[i])


def _field(row: np.ndarray, state: np.ndarray, apart: Mapping[str, float], field: float) -> str:
    """The field of a neuron as a sum over the others. apart: what is added to it, by its name."""
    named = {name: term for name, term in apart.items() if term}
    if not named:
        return dot(row, state)
    terms = [float(row @ state), *named.values()]
    text, sign = " + ".join(map(number, terms)).replace("+ −", "− "), equals(field, added(written(terms)))
    return say("{}; with {} {} {} {}", dot(row, state), say(" and ").join(named), text, sign, number(field))
