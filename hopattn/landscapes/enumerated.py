"""All states of a few spins: their energies, the neurons that turn, and the basins of every update."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.record import Status
from hopattn.dynamics.updates import updates
from hopattn.dynamics.updates.asynchronous import Asynchronous, in_words
from hopattn.dynamics.updates.base import StepContext, Update
from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import Array, as_numpy
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import require_room
from hopattn.foundation.errors import InvalidInput, quoted, reject_unknown
from hopattn.foundation.registry import name_of
from hopattn.foundation.threads import blocks
from hopattn.foundation.ties import eps_of
from hopattn.landscapes.flow import Cycles, WaysDown, bits, cycles, descended, swept
from hopattn.landscapes.saddles import barriers
from hopattn.results.dataset import Dataset, plain

MOST_SPINS_SEEN = 20
"""The largest number of spins whose states are all looked at: 1,048,576 states."""
STATES_OF_BLOCK = 4096
"""The number of states that are computed together."""
RANDOM = "random"
"""The update that turns one neuron at random each time; a sweep of `Asynchronous` takes each neuron once."""


def spins(dim: int, silent: float = -1.0) -> np.ndarray:
    """All states of `dim` neurons of ±1, `(2**dim, dim)`, in the order of binary numbers; silent: the value for −1."""
    return np.where(np.arange(2**dim)[:, None] & bits(dim), 1.0, silent)


def numbers_of(states: np.ndarray) -> np.ndarray:
    """The number of each state `(n, dim)` in the order of `spins`, `(n,)`."""
    return np.asarray((states > 0) @ bits(states.shape[1]))


def checked_spins(
    memory: AssociativeMemory, most: int = MOST_SPINS_SEEN, advice: str = "ha.landscapes.returns samples them"
) -> int:
    """The number of spins of a memory; raises `InvalidInput` for a memory whose states cannot be counted."""
    if not memory.activation.discrete:
        name = name_of(memory.activation)
        raise InvalidInput(f"memory: its activation '{name}' gives no spins; expected a memory with 'sign' or 'step'")
    if reason := memory.why_not("recall"):
        raise InvalidInput(f"memory: {reason}")
    dim = int(memory._reference.shape[-1])
    if dim > most:
        raise InvalidInput(f"memory: {dim} spins have 2^{dim} states; at most {most} spins are counted; {advice}")
    return dim


def energies_of(memory: AssociativeMemory, states: np.ndarray) -> np.ndarray:
    """The energies of states `(n, dim)`, `(n,)`; raises `InvalidInput` where one is not finite, or there are none."""
    if reason := memory.why_not("energy"):
        raise InvalidInput(f"memory: it has no energy: {reason}")
    energies = np.concatenate(
        [np.asarray(memory.energy(states[rows])) for rows in blocks(len(states), STATES_OF_BLOCK)]
    )
    if not np.all(np.isfinite(energies)):
        raise InvalidInput("memory: the energy of some states is not finite; use fewer spins or a smaller beta")
    return energies


def successors_of(memory: AssociativeMemory, update: Update, states: np.ndarray) -> np.ndarray:
    """The number of the state that one step of an update without chance leads each state to, `(n,)`."""
    context = StepContext(0, np.random.default_rng(0), ())
    parts = [
        update.step(memory, states[rows], mask=None, context=context)[0]
        for rows in blocks(len(states), STATES_OF_BLOCK)
    ]
    return numbers_of(np.concatenate(parts))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Basins(Dataset):
    """The basins of an update over all 2^N states; K attractors in the order of their numbers.

    Attributes
    ----------
    way : the update, in words.
    attractor : (K,)
        the number of the state, of a cycle the least.
    period : (K,)
        the length of the cycle, 1 for a fixed point.
    size : (K,)
        the number of states that lead there; under a random order the sum of their probabilities. They sum to 2^N.
    reached : (2^N,)
        the index of the attractor that each state leads to; None under a random order.
    probability : (2^N, K)
        of each attractor from each state.
    matched : (K,)
        the stored pattern that a fixed point matches as a recall would say, −1 for none.
    spurious : (K,)
        "" for a pattern, "cycle", or a word of `Spurious`.
    descent : the ways down of a random order, else None.
    """

    way: str
    attractor: np.ndarray
    period: np.ndarray
    size: np.ndarray
    reached: Array
    matched: np.ndarray
    spurious: np.ndarray
    descent: Array

    @cached_property
    def probability(self) -> np.ndarray:
        """The probability of each attractor from each state, `(2^N, K)`."""
        if self.reached is None:
            return np.asarray(self.descent.probabilities())
        require_room(self.reached.size * len(self.attractor), "the attractor of each state")
        return np.asarray(self.reached[:, None] == np.arange(len(self.attractor))).astype(float)

    def __repr__(self) -> str:
        n, total = len(self.attractor), self.size.sum()
        stored = self.size[self.matched >= 0].sum() / total
        return f"Basins({self.way}: {n} attractors; stored patterns have {stored:.1%} of {total:,.0f} states)"

    def table(self) -> list[dict[str, Any]]:
        """One row for each attractor: attractor, period, size, matched, spurious."""
        names = ("attractor", "period", "size", "matched", "spurious")
        return [
            dict(zip(names, plain(row), strict=True))
            for row in zip(*(getattr(self, name) for name in names), strict=True)
        ]


@dataclass(frozen=True, eq=False, repr=False)
class SpinStates(PublicObject):
    """All states of a memory of N ≤ 20 spins. The number of a state has the bit 2^(N−1−i) where neuron i is 1.

    The arrays below are computed when first used.
    """

    memory: AssociativeMemory

    def __repr__(self) -> str:
        return f"SpinStates({len(self.states):,} states of {self.memory!r})"

    @cached_property
    def states(self) -> np.ndarray:
        """The states, `(2^N, N)`, in the order of their numbers."""
        return spins(checked_spins(self.memory), self.memory.activation.silent)

    @cached_property
    def energies(self) -> np.ndarray:
        """E of each state, `(2^N,)`; raises `InvalidInput` for a memory without an energy."""
        return energies_of(self.memory, self.states)

    @cached_property
    def turns(self) -> np.ndarray:
        """Whether a neuron that is updated alone turns, `(2^N, N)`: where its local field has the other sign.

        The local field is half of the energy that the turn changes. Where it is 0, the neuron stays. Raises
        `InvalidInput` for a memory whose neurons cannot be updated alone.
        """
        if reason := self.memory.why_not("single-neuron updates"):
            raise InvalidInput(f"memory: {reason}")
        local, number = np.empty(self.states.shape), np.arange(len(self.states))
        for i, bit in enumerate(bits(self.states.shape[1])):  # both sides of a neuron have one local field
            lower = np.flatnonzero(number & bit == 0)
            for rows in blocks(len(lower), STATES_OF_BLOCK):
                low = lower[rows]
                local[low, i] = local[low | bit, i] = self.memory._single_neuron_states(self.states[low]).local_field(i)
        return np.where(self.states > 0, local < 0, local > 0)

    @cached_property
    def minima(self) -> np.ndarray:
        """The numbers of the states in which no neuron turns alone, `(K,)`."""
        return np.flatnonzero(~self.turns.any(axis=1))

    @cached_property
    def barriers(self) -> np.ndarray:
        """The energy of the highest state on the lowest way between each two minima, `(K, K)`; one turn at a time."""
        return barriers(self.energies, self.minima, cycles(descended(self.turns)).reached)

    @property
    def depths(self) -> np.ndarray:
        """How far the energy must rise on the lowest way from each minimum to a lower one, `(K,)`; ∞ for the lowest.

        Two energies are equal where they differ by no more than rounding. A quadratic energy sums N² terms, whose sizes
        sum to at most N times the root mean square of the energy over all states: 2N(N + 1) ε max |E| bounds it.
        """
        energies, n = self.energies[self.minima], self.states.shape[1]
        rounding = 2 * n * (n + 1) * eps_of(energies, self.memory.patterns) * np.abs(self.energies).max()
        lower = energies < energies[:, None] - rounding  # [i, j]: minimum j is lower than i
        return np.asarray(np.where(lower, self.barriers, np.inf).min(axis=1) - energies)

    def number(self, states: Array) -> np.ndarray:
        """The number of each state `(…, N)` of ±1, or of 0 and 1, `(…,)`; raises `InvalidInput` for others."""
        values = as_numpy(states, "states")
        n, silent = self.states.shape[1], self.memory.activation.silent
        if values.ndim == 0 or values.shape[-1] != n or not np.all((values == 1) | (values == silent)):
            raise InvalidInput(f"states: expected (…, {n}) of {np.min(silent):g} and 1, not {quoted(states)}")
        return numbers_of(values.reshape(-1, n)).reshape(values.shape[:-1])

    def basins(self, update: str | Update = RANDOM) -> Basins:
        """The basins of an update, which is named because they depend on it.

        Parameters
        ----------
        update : "random" turns one neuron at random each time, which gives each minimum an exact probability.

        Raises
        ------
        InvalidInput
            for a stochastic update, for `ha.Asynchronous("random")`, whose sweeps take each neuron once, and for
            "random" where single turns may lead back to a state.

        Notes
        -----
        "sync" updates all neurons at once, and may end in cycles. "async" sweeps in the order 0, 1, 2 …, and
        `ha.Asynchronous` with the numbers of the neurons in that order. Another update of spins without chance is as
        good.
        """
        if isinstance(update, str):
            reject_unknown("update", [update], [RANDOM, *updates])
        if isinstance(update, str) and update == RANDOM:
            descent = WaysDown(self.turns)
            if not descent.ends:
                reason = self.memory.why_not("energy") or "rounding decides ties"
                raise InvalidInput(f"update: single turns lead back to a state, because {reason}; take 'sync'")
            ends = descent.levels[0]
            attractors = Cycles(ends, np.ones(len(ends), dtype=int), None)
            return self._named("one neuron at random each time", attractors, descent.sizes(), descent)
        successor, rule = self.successors(update), updates.make(update)
        attractors = cycles(successor)
        return self._named(in_words(rule), attractors, np.bincount(attractors.reached).astype(float))

    def successors(self, update: str | Update) -> np.ndarray:
        """The number of the state that one step of an update leads each state to, `(2^N,)`; refuses as `basins` does.

        A step of an asynchronous update is one sweep.
        """
        rule = updates.make(update)
        in_order = isinstance(rule, Asynchronous) and rule.order != "random"
        if rule.stochastic or (Status.CYCLE not in rule.ends and not in_order):
            message = f"update: {quoted(update)} does not lead a state always to the same next one"
            raise InvalidInput(f"{message}; take '{RANDOM}', 'sync' or 'async'")
        if obstacle := rule.obstacle(self.memory):
            raise InvalidInput(f"update: {obstacle}")
        if isinstance(rule, Asynchronous) and rule.ties == "keep":
            n = self.states.shape[1]
            return swept(self.turns, np.arange(n) if rule.order == "sequence" else np.array(rule.order))
        return successors_of(self.memory, rule, self.states)

    def graph(self, update: str | Update = RANDOM) -> Any:
        """The moves as a `networkx.DiGraph`: nodes are numbers of states, with `energy` where the memory has one.

        Each edge has a `probability`. A state in which nothing changes has no edge under "random", and an edge to
        itself under an update that leads each state to one other.
        """
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from(range(len(self.states)))
        if isinstance(update, str) and update == RANDOM:
            moves = WaysDown(self.turns).moves.tocoo()
            edges: Iterable[Any] = zip(moves.row.tolist(), moves.col.tolist(), moves.data.tolist(), strict=True)
        else:
            edges = ((i, j, 1.0) for i, j in enumerate(self.successors(update).tolist()))
        graph.add_weighted_edges_from(edges, weight="probability")
        if not self.memory.why_not("energy"):
            nx.set_node_attributes(graph, dict(enumerate(self.energies.tolist())), "energy")
        return graph

    def _named(self, way: str, attractors: Cycles, size: np.ndarray, descent: WaysDown | None = None) -> Basins:
        """The basins with the stored pattern of each fixed point."""
        like, fixed = self.memory._reference.likeness(self.states[attractors.attractor]), attractors.period == 1
        matched, spurious = np.where(fixed, like.matched, -1), np.where(fixed, like.spurious, "cycle")
        return Basins(
            way=way,
            attractor=attractors.attractor,
            period=attractors.period,
            size=size,
            reached=attractors.reached,
            matched=matched,
            spurious=spurious,
            descent=descent,
        )


@public
def spin_states(memory: AssociativeMemory) -> SpinStates:
    """All 2^N states of a memory of at most 20 spins: energies, moves, minima, depths, barriers, basins.

    Parameters
    ----------
    memory
        any of the activation "sign" or "step" whose state can be the next cue: `ha.memories.hopfield`,
        `ha.memories.dense`, `ha.memories.exponential`, `ha.Hopfield(couplings, bias=…)` and others.

    Raises
    ------
    InvalidInput : for other memories.

    Notes
    -----
    Source: Hopfield (1982), PNAS 79, 2554; the enumeration is the definition.

    Examples
    --------
    >>> import hopattn as ha
    >>> whole = spin_states(ha.memories.hopfield([[1, 1, 1, 1, -1], [1, -1, 1, -1, 1]]))
    >>> basins = whole.basins("random")
    >>> basins.attractor.tolist(), basins.size.round(3).tolist()
    ([1, 10, 21, 30], [8.0, 8.0, 8.0, 8.0])
    """
    checked_spins(memory)
    return SpinStates(memory)
