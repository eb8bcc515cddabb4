"""The tables `[states]`, `[returns]` and `[fixed_points]`: what is measured of a memory's landscape."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, Tag

from hopattn.dynamics.likeness import Spurious
from hopattn.dynamics.updates.asynchronous import Asynchronous
from hopattn.dynamics.updates.base import Update
from hopattn.foundation.checks import REPEATED
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.writing import alike, counted, number
from hopattn.landscapes.enumerated import MOST_SPINS_SEEN, RANDOM, Basins, SpinStates, checked_spins
from hopattn.landscapes.plane import has_successors, successors
from hopattn.landscapes.sampled import Returns, damages, pooled
from hopattn.landscapes.stationary import bifurcation
from hopattn.results.labelled import Labelled
from hopattn.scenario.explain.arithmetic import vector
from hopattn.scenario.grids import axis_values
from hopattn.scenario.language.array_layout import ArraySpec
from hopattn.scenario.language.common_problems import duplicate_problems, refusals, unused_problems
from hopattn.scenario.language.fields import ByTomlType, Count, Number, Problem, Table, Text
from hopattn.scenario.language.occurrence import labels

MOST = 32
"""The number of minima, those of the least energy, that a result holds; the basins of all others are added up."""
LEFT = ("others", "cycles")
"""The last two ends of an update: all fixed points beyond `MOST`, and all cycles."""
COUNTS = ("all", "stable")
Arrays = Mapping[str, Labelled]
Grid = Annotated[
    Annotated[Text, Tag("text")] | Annotated[list[Number], Field(min_length=1), Tag("array")],
    ByTomlType,
]
Way = Literal["random", "sequence", "sync"]
UPDATES: dict[Way, str | Update] = {"random": RANDOM, "sequence": Asynchronous(), "sync": "sync"}


@dataclass(frozen=True, eq=False)
class Kept:
    """The memory that is measured, and others of its sort.

    memory: the memory of the file; before a run, a small one of its sort. names: of its patterns. dim: its neurons.
    axes: their names. load: patterns a neuron. between: the numbers of two patterns. update: the update, and the most
    steps, of a recall. drawn: another memory, from random numbers and the load; None for the words of a file.
    at_beta: the same memory at another β.
    """

    memory: Any
    names: tuple[str, ...]
    dim: int
    axes: Sequence[str]
    load: float
    between: tuple[int, ...]
    update: tuple[Any, int]
    drawn: Callable[[np.random.Generator, float | None], Any] | None
    at_beta: Callable[[float], Any]

    def of_states(self, states: np.ndarray) -> tuple[str, ...]:
        """A name for each state, with the number of its occurrence: a pattern, the reverse of one, or its kind."""
        like, patterns = self.memory._reference.likeness(states), self.memory.patterns
        opposite = (states @ patterns.T).argmin(axis=1)
        kinds = np.where(like.spurious == Spurious.REVERSED, [f"{self.names[i]} reversed" for i in opposite], "")
        names = np.array(self.names)[like.matched]
        return labels(np.where(like.matched >= 0, names, np.where(kinds == "", like.spurious, kinds)).tolist())


class Measured(Table):
    """The base of the tables that say what is measured."""

    @abstractmethod
    def problems(self, kept: Kept) -> Iterator[Problem]:
        """The parts that do not fit together, or not to the memory."""

    @abstractmethod
    def declared(self, kept: Kept) -> Iterator[ArraySpec]:
        """The declaration of the arrays."""

    @abstractmethod
    def computed(self, kept: Kept, rng: np.random.Generator) -> dict[str, Any]:
        """The values of every declared array by name."""

    @abstractmethod
    def explained(self, arrays: Arrays) -> Iterator[str]:
        """The findings, line by line."""


class StatesTable(Measured):
    """All states of at most 20 spins: the minima, how deep they are, and from where each update leads to them."""

    updates: Annotated[list[Way], Field(min_length=1)] = Field(default_factory=lambda: [*UPDATES])
    """The updates: one neuron at random each time, with exact probabilities; one after the other, in sequence; all at
    once, which may end in cycles."""

    def problems(self, kept: Kept) -> Iterator[Problem]:
        """Updates that are there twice or that the memory lacks, and a memory without spins or with too many."""
        yield from duplicate_problems(self.updates, ("states", "updates"))
        if kept.dim > MOST_SPINS_SEEN and kept.memory.activation.discrete:
            message = f"{kept.dim} spins have 2^{kept.dim} states; expected at most {MOST_SPINS_SEEN} spins"
            yield Problem(("states",), f"{message}; write [returns], which samples them")
        else:
            yield from refusals(("states",), lambda: checked_spins(kept.memory), "memory: ")
        reason = kept.memory.why_not("single-neuron updates")
        for i, update in enumerate(self.updates):
            if reason and update != "sync":
                yield Problem(("states", "updates", i), f'{reason}; write updates = ["sync"]')

    def declared(self, kept: Kept) -> Iterator[ArraySpec]:
        """The declaration of the arrays; without an energy, minima have no depth."""
        update, minimum = ("update", tuple(self.updates)), ("minimum", -1)
        yield ArraySpec("basin", (update, ("pattern", labels(kept.names))))
        yield ArraySpec("ends", (update, ("end", -1)), referable=False, measured=False)
        for name in self.updates:
            if name != RANDOM:
                yield ArraySpec(f"{name} cycles")
        if not any(map(kept.memory.why_not, ("energy", "single-neuron updates"))):
            yield ArraySpec("minima")
            yield from (ArraySpec(name, (minimum,), measured=False) for name in ("energy", "depth"))
            yield ArraySpec("barriers", (minimum, minimum), measured=False)
            if kept.between:
                yield ArraySpec("barrier")
        if has_successors(kept.memory, kept.update[0], kept.dim):
            yield ArraySpec("successor", (("state", 2**kept.dim),), measured=False)
            yield ArraySpec("way", measured=False)
            yield ArraySpec("patterns", (("pattern", labels(kept.names)), ("axis", tuple(kept.axes))), measured=False)

    def computed(self, kept: Kept, rng: np.random.Generator) -> dict[str, Any]:
        """The values of every declared array by name."""
        whole = SpinStates(kept.memory)
        found = {name: whole.basins(UPDATES[name]) for name in self.updates}
        patterns = np.arange(len(kept.names))
        values: dict[str, Any] = {
            "basin": [(own.matched == patterns[:, None]) @ own.size / own.size.sum() for own in found.values()],
            "ends": self._ends(kept, whole, found),
            **{f"{name} cycles": np.sum(own.period > 1) for name, own in found.items() if name != RANDOM},
        }
        if not any(map(kept.memory.why_not, ("energy", "single-neuron updates"))):
            values |= _depths(kept, whole)
        if has_successors(kept.memory, kept.update[0], kept.dim):
            values |= {**successors(kept.memory, kept.update[0], kept.dim), "patterns": kept.memory.patterns}
        return values

    def _ends(self, kept: Kept, whole: SpinStates, found: Mapping[Any, Basins]) -> Labelled:
        """The share of all states that each update leads to each fixed point, to the others, and to cycles."""
        fixed = np.unique(np.concatenate([own.attractor[own.period == 1] for own in found.values()]))
        shown = (
            fixed if kept.memory.why_not("energy") else fixed[np.argsort(whole.energies[fixed].round(9), kind="stable")]
        )
        rows = []
        for own in found.values():
            share = own.size / own.size.sum()
            each = [share[(own.attractor == end) & (own.period == 1)].sum() for end in shown]
            rows.append([*each[:MOST], sum(each[MOST:]), share[own.period > 1].sum()])
        names = (*kept.of_states(whole.states[shown[:MOST]]), *LEFT)
        return Labelled(np.array(rows), ("update", "end"), (tuple(found), names))

    def explained(self, arrays: Arrays) -> Iterator[str]:
        """The minima with their depths, and the basins of each update."""
        if "minima" in arrays:
            energy, depth = arrays["energy"], arrays["depth"]
            known = dict(zip(depth.labels[0], depth.values.tolist(), strict=True))
            yield f"minima: {arrays['minima'].values}, in order of energy:"
            deep = (f"depth {number(known[name])}" if name in known else "none is lower" for name in energy.labels[0])
            each = (f"energy {number(height)}, {own}" for height, own in zip(energy.values.tolist(), deep, strict=True))
            yield from (f"  {names}: {text}" for names, text in alike(energy.labels[0], each))
            if (more := int(arrays["minima"].values) - len(energy.values)) > 0:
                yield f"  and {more} more, none of them lower"
        ends = arrays["ends"]
        for update, shares in zip(ends.labels[0], ends.values, strict=True):
            some = np.flatnonzero(shares)
            parts = alike([ends.labels[1][i] for i in some], [number(shares[i]) for i in some])
            yield f"{update}, the share of all states that ends in each: {'; '.join(map(': '.join, parts))}"


def _depths(kept: Kept, whole: SpinStates) -> dict[str, Any]:
    """The number of minima; of those of the least energy the energy, the depth of all but the lowest, the barriers."""
    order = np.argsort(whole.energies[whole.minima].round(9), kind="stable")[:MOST]
    energy, depth = whole.energies[whole.minima][order], whole.depths[order]
    barriers, high = whole.barriers[np.ix_(order, order)], np.isfinite(depth)
    names = np.array(kept.of_states(whole.states[whole.minima[order]]))
    values: dict[str, Any] = {
        "minima": len(whole.minima),
        "energy": Labelled(energy, ("minimum",), (tuple(names.tolist()),)),
        "depth": Labelled(depth[high], ("minimum",), (tuple(names[high].tolist()),)),
        "barriers": Labelled(barriers, ("minimum", "minimum"), (tuple(names.tolist()),) * 2),
    }
    if kept.between:
        ends = whole.number(kept.memory.patterns[list(kept.between)])
        place = np.searchsorted(whole.minima, ends)
        if not np.all(whole.minima[np.minimum(place, len(whole.minima) - 1)] == ends):
            raise InvalidInput("between: one of the two patterns is no minimum; expected two that are")
        values["barrier"] = whole.barriers[tuple(place)] - whole.energies[ends].max()
    return values


class ReturnsTable(Measured):
    """Damaged cues: the share that returns to its pattern, and the radius within which half of them do."""

    damage: Grid | None = None
    """The damages, rising: fractions of the neurons that are reversed; of graded states, the length of the noise by
    that of the pattern. A list, or a text such as "0:0.5:11"; by default 11, up to 0.5 or 2."""
    cues: Annotated[Count, Field(le=REPEATED)] = 400
    """The number of cues at each damage, of all memories together."""
    loads: Grid | None = None
    """The patterns for each neuron, rising, instead of the one number of [ensemble]."""
    memories: Annotated[Count, Field(le=REPEATED)] = 4
    """The number of memories of [ensemble] at each load, each with patterns of its own."""

    def problems(self, kept: Kept) -> Iterator[Problem]:
        """Grids that are not right, and keys that only memories of random patterns have."""
        yield from refusals(("returns", "damage"), lambda: self.damages(kept))
        yield from refusals(("returns", "loads"), lambda: self.all_loads(kept))
        if kept.drawn is None:
            yield from unused_problems(self, ("loads", "memories"), ("returns",), "is for memories of [ensemble]")

    def damages(self, kept: Kept) -> np.ndarray:
        """The damages, `(n_d,)`; of spins those that whole numbers of neurons give."""
        given = None if self.damage is None else np.array(axis_values(self.damage, "damage"), dtype=float)
        if given is not None and given[0] < 0:
            raise InvalidInput(f"damage: got {given[0]:g}; expected numbers from 0 up")
        return damages(kept.memory.activation.discrete, kept.dim, given)

    def all_loads(self, kept: Kept) -> tuple[float, ...]:
        """The loads."""
        loads = (kept.load,) if self.loads is None else axis_values(self.loads, "loads")
        if not loads[0] > 0:
            raise InvalidInput(f"loads: got {loads[0]:g}; expected numbers above 0")
        return loads

    def declared(self, kept: Kept) -> Iterator[ArraySpec]:
        """The declaration of the arrays; of one load, the radius is a measure by itself."""
        loads = tuple(f"{load:g}" for load in self.all_loads(kept))
        load, damage = ("load", loads), ("damage", tuple(repr(round(float(x), 6)) for x in self.damages(kept)))
        yield from (ArraySpec(f"returned{end}", (load, damage)) for end in ("", "-low", "-high"))
        yield from (ArraySpec(f"radii{end}", (load,)) for end in self._ends(kept))
        yield from map(ArraySpec, self._radii(loads))
        yield ArraySpec("damaged", referable=False, measured=False)

    def _ends(self, kept: Kept) -> tuple[str, ...]:
        """The ends of the names of a radius: itself, its interval, and its error where there are several memories."""
        return ("", "-low", "-high", *(["-error"] if kept.drawn is not None and self.memories > 1 else []))

    def _radii(self, loads: Sequence[str]) -> list[str]:
        return ["radius"] if self.loads is None else [f"load {load} radius" for load in loads]

    def computed(self, kept: Kept, rng: np.random.Generator) -> dict[str, Any]:
        """The values of every declared array by name."""
        loads, count = self.all_loads(kept), 1 if kept.drawn is None else self.memories
        found = []
        for load in loads:
            asked = None if self.loads is None else load
            made = (kept.memory if kept.drawn is None else kept.drawn(rng, asked) for _ in range(count))
            found.append(pooled(made, self.damages(kept), -(-self.cues // count), kept.update, rng))
        parts: dict[str, Callable[[Returns], Any]] = {
            "returned": lambda one: one.share,
            "returned-low": lambda one: one.low,
            "returned-high": lambda one: one.high,
            "radii": lambda one: one.radius,
            "radii-low": lambda one: one.radius_interval[0],
            "radii-high": lambda one: one.radius_interval[1],
            "radii-error": lambda one: one.radius_error,
        }
        left = {"radii-error"} if count == 1 else set()
        values = {name: np.array([part(one) for one in found]) for name, part in parts.items() if name not in left}
        names = self._radii([f"{load:g}" for load in loads])
        way = "reversed" if kept.memory.activation.discrete else "noise"
        return {**values, **dict(zip(names, values["radii"], strict=True)), "damaged": way}

    def explained(self, arrays: Arrays) -> Iterator[str]:
        """The radius of each load with its interval, and the shares."""
        returned, ends = arrays["returned"], [arrays[f"radii{end}"].values for end in ("", "-low", "-high")]
        for i, load in enumerate(returned.labels[0]):
            radius, low, high = (number(end[i]) for end in ends)
            yield f"load {load}: half return up to the damage {radius} (95% from {low} to {high}, over the cues)"
            if "radii-error" in arrays:
                yield f"  standard error over the memories: {number(arrays['radii-error'].values[i])}"
            for damage, share in zip(returned.labels[1], returned.values[i], strict=True):
                yield f"  damage {number(float(damage))}: {number(share)} return"


class FixedPointsTable(Measured):
    """All fixed points of a memory of graded states, which of them are stable, and how they merge as β falls."""

    beta: Grid
    """The inverse temperatures, rising, instead of the one of the memory: a list, or a text such as "0.5:4:15"."""
    starts: Annotated[Count, Field(le=100_000)] = 300
    """The number of random mixtures of patterns at which the search starts, beside the patterns and their means."""

    def problems(self, kept: Kept) -> Iterator[Problem]:
        """Numbers that are not right, spins, and a memory without β."""
        if kept.memory.activation.discrete:
            yield Problem(("fixed_points",), "is for graded states, and the memory has spins; write [states]")
            return
        yield from refusals(("fixed_points", "beta"), lambda: kept.at_beta(self.betas[0]))

    @property
    def betas(self) -> tuple[float, ...]:
        """The inverse temperatures."""
        values = axis_values(self.beta, "beta")
        if not values[0] > 0:
            raise InvalidInput(f"beta: got {values[0]:g}; expected numbers above 0")
        return values

    def declared(self, kept: Kept) -> Iterator[ArraySpec]:
        """The declaration of the arrays."""
        yield ArraySpec("count", (("points", COUNTS), ("beta", tuple(f"{beta:g}" for beta in self.betas))))
        yield ArraySpec("points", (("point", -1), ("axis", tuple(kept.axes))), measured=False)
        for name in ("at", "place", "stable", "index"):
            yield ArraySpec(f"points-{name}", (("point", -1),), measured=False)

    def computed(self, kept: Kept, rng: np.random.Generator) -> dict[str, Any]:
        """The values of every declared array by name. points-place: 0 at the first of two patterns, 1 at the other."""
        found = bifurcation(kept.at_beta, self.betas[::-1], count=self.starts, rng=rng)
        points, at = found.points[::-1], np.repeat(self.betas, found.count[::-1])
        one, *other = kept.memory.patterns[list(kept.between or range(min(2, len(kept.names))))]
        start = one if other else np.zeros_like(one)
        way, state = (other[0] if other else one) - start, np.concatenate([each.state for each in points])
        return {
            "count": [found.count[::-1], found.stable[::-1]],
            "points": state,
            "points-at": at,
            "points-place": (state - start) @ way / (way @ way or 1.0),
            "points-stable": np.concatenate([each.stable for each in points]),
            "points-index": np.concatenate([each.index for each in points]),
        }

    def explained(self, arrays: Arrays) -> Iterator[str]:
        """The fixed points at each β."""
        at, stable = arrays["points-at"].values, arrays["points-stable"].values
        states, index = arrays["points"].values, arrays["points-index"].values
        for beta in np.unique(at):
            own = np.flatnonzero(at == beta)
            yield f"β = {number(beta)}: {counted(len(own), 'fixed point')}, {np.sum(stable[own])} of them stable"
            for i in own[:MOST]:
                kind = "stable" if stable[i] else f"the energy falls away in {counted(int(index[i]), 'direction')}"
                yield f"  {vector(states[i])}: {kind}"
