"""kind = "landscape": the minima of a memory and their basins, how far damaged cues return, and all fixed points."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, Tag

from hopattn.dynamics.likeness import Spurious
from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.updates.asynchronous import Asynchronous
from hopattn.dynamics.updates.base import Update
from hopattn.foundation.checks import REPEATED
from hopattn.foundation.sentences import in_comma, say
from hopattn.foundation.writing import alike, counted, number
from hopattn.landscapes.enumerated import MOST_SPINS_SEEN, RANDOM, SpinStates, checked_spins
from hopattn.landscapes.plane import has_successors, successors
from hopattn.landscapes.sampled import pooled
from hopattn.landscapes.stationary import bifurcation
from hopattn.results.labelled import Labelled
from hopattn.scenario.arithmetic import LINES, vector
from hopattn.scenario.arrays import Arrays, labelled, labels, numbers
from hopattn.scenario.grids import axis_values
from hopattn.scenario.kinds.couplings import COUPLINGS, add_couplings, explained_coupling, is_matrix
from hopattn.scenario.kinds.ensemble import NUMBERS, StoredTable
from hopattn.scenario.kinds.models import MemoryTable, StoredWords
from hopattn.scenario.language.table import (
    ByTomlType,
    Count,
    Number,
    Parts,
    Table,
    Text,
    at,
    need,
    need_different,
    need_one_of,
    need_room,
    need_unused,
    unnamed,
)

MOST = 32
"""The number of minima, those of the least energy, that a result holds; the basins of all others are added up."""
MOST_TOLD = 6
"""The largest number of spins of which it is told where each state ends."""
LEFT = ("others", "cycles")
"""The last two ends of an update: all fixed points beyond `MOST`, and all cycles."""
Grid = Annotated[Annotated[Text, Tag("text")] | Annotated[list[Number], Field(min_length=1), Tag("array")], ByTomlType]
Way = Literal["random", "sequence", "sync"]
UPDATES: dict[Way, str | Update] = {"random": RANDOM, "sequence": Asynchronous(), "sync": "sync"}


class StatesTable(Table):
    """All states of at most 20 spins: the minima, how deep they are, and from where each update leads to them."""

    arguments: ClassVar[dict[str, str]] = {"update": "updates"}
    updates: Annotated[list[Way], Field(min_length=1)] = Field(default_factory=lambda: [*UPDATES])
    """The updates: one neuron at random each time, with exact probabilities; one after the other, in sequence; all at
    once, which may end in cycles."""


class ReturnsTable(Table):
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


class FixedPointsTable(Table):
    """All fixed points of a memory of graded states, which of them are stable, and how they merge as β falls."""

    beta: Grid
    """The inverse temperatures, rising, instead of the one of the memory: a list, or a text such as "0.5:4:15"."""
    starts: Annotated[Count, Field(le=100_000)] = 300
    """The number of random mixtures of patterns at which the search starts, beside the patterns and their means."""


class Landscape(StoredWords):
    """A memory, and the valleys of its energy: how deep, how wide, and how they merge."""

    shown_arrays: ClassVar[tuple[str, ...]] = (
        *(COUPLINGS, "stable", "basin", "cycles", "minima", "energy", "depth", "barrier"),
        *("returned", "radii", "radii-error", "count"),
    )
    kind: Literal["landscape"]
    memory: MemoryTable | None = None
    """The stored words, and how they are recalled."""
    ensemble: StoredTable | None = None
    """Patterns, random or from a file, instead of words."""
    states: StatesTable | None = None
    """All states of at most 20 spins."""
    returns: ReturnsTable | None = None
    """Damaged cues that return to their patterns."""
    fixed_points: FixedPointsTable | None = None
    """The fixed points of graded states."""

    @property
    def table(self) -> Any:
        """The table of the memory."""
        return self.memory or self.ensemble

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the neurons."""
        return self.vocabulary.axes if self.memory else numbers(self.table.dim)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the patterns."""
        if self.memory is not None:
            return tuple(self.memory.recalled_words)
        return tuple(f"pattern {i}" for i in numbers(self.table.stored))

    @property
    def between(self) -> list[int]:
        """The numbers of the two patterns whose way is looked at; none without the key."""
        return [] if self.memory is None else [self.memory.patterns.index(word) for word in self.memory.between or ()]

    def least(self) -> Self:
        """The same with one cue and step; the whole where it looks for minima or fixed points, which take longer."""
        if self.returns is None or self.states or self.fixed_points:
            return self
        few = {"cues": 1} | ({"memories": min(2, self.returns.memories)} if self.ensemble else {})
        steps = {"memory" if self.memory else "ensemble": self.table and self.table.model_copy(update={"max_steps": 1})}
        return self.changed(self._taken, returns=self.returns.model_copy(update=few), **steps)

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        need_one_of(self, "memory", "ensemble")
        tables = self.states or self.returns or self.fixed_points
        need(tables, (), "needs [states], [returns] or [fixed_points]: nothing says what to measure")
        for key, words in {"vocabulary": self.written, "pictures": self.pictures}.items():
            message = "is for the words of [memory]; the patterns of [ensemble] are others"
            need(self.memory or words is None, key, message)
        place, table, seed = "memory" if self.memory else "ensemble", self.table, int(rng.integers(2**63))
        if self.ensemble is not None:
            with at("ensemble"):
                table.need_source()
                if self.returns is None or self.returns.loads is None or self.states or self.fixed_points:
                    need_one_of(table, *NUMBERS)
        dim, n_patterns = len(self.axes), len(self.memory.patterns) if self.memory else table.stored
        states = 3 * 2 ** min(dim, MOST_SPINS_SEEN) if self.states else 0
        need_room((n_patterns + dim + states + (4 * self.returns.cues if self.returns else 0)) * dim)
        with at(place):
            memory = self._memory(seed)
            update = table.update_rule(memory)
            obstacle = update.obstacle(memory) or memory.why_not("recall")
            need(not obstacle, "update", obstacle)
        if is_matrix(memory):
            add_couplings(arrays, partial(self._memory, seed), self.axes)
        with Parts() as parts:
            with parts.at():
                self._add_states(arrays, memory, update)
            with parts.at("fixed_points", table=self.fixed_points):  # before cues are drawn, of which a check has few
                self._add_fixed_points(arrays, memory, seed, rng)
            with parts.at("returns", table=self.returns):
                self._add_returns(arrays, memory, update, rng)

    def _memory(self, seed: int) -> AssociativeMemory:
        """The memory of a run; its random numbers depend on the seed."""
        return self._build(np.random.default_rng(seed))

    def _build(self, rng: np.random.Generator, load: Any = None, **arguments: Any) -> AssociativeMemory:
        """A memory of the words, or of patterns that are drawn. load: of these, instead of that of the file."""
        if self.memory is not None:
            answers = None if self.answers is None else self.answers.vectors
            return self.memory.build_from_words(self.vocabulary.vectors, rng, arguments, answers)
        table: StoredTable = self.table if load is None else self.table.at_load(load)
        return table.build(table.drawn(rng), None, rng, arguments)

    def _names_of(self, memory: AssociativeMemory, states: np.ndarray) -> tuple[str, ...]:
        """A name for each state, with the number of its occurrence: a pattern, the reverse of one, or its kind.

        Without patterns, it is the state itself, such as `+−+` or `101`.
        """
        if not len(states):  # every course ends in a cycle
            return ()
        if not len(memory.patterns):
            return _signs(memory, states)
        like, farthest = memory._reference.likeness(states), (states @ memory.patterns.T).argmin(axis=1)
        names = np.where(like.matched >= 0, np.array(self.names)[like.matched], like.spurious.astype(object))
        reverse = np.flatnonzero(like.spurious == Spurious.REVERSED)
        names[reverse] = [f"{self.names[i]} reversed" for i in farthest[reverse]]
        return labels(names.tolist())

    def _add_states(self, arrays: Arrays, memory: AssociativeMemory, update: Update) -> None:
        if (table := self.states) is None:
            return
        single = memory.why_not("single-neuron updates")
        with at("states", table=table):
            need_different(table.updates, ("updates",))
            with unnamed("memory"):
                checked_spins(memory, advice="write [returns], which samples them")
            for i, way in enumerate(table.updates):
                need(not single or way == "sync", ("updates", i), f'{single}; write updates = ["sync"]')
            whole = SpinStates(memory)
            basins = {way: whole.basins(UPDATES[way]) for way in table.updates}
            ends = np.unique(np.concatenate([one.attractor[one.period == 1] for one in basins.values()]))
            if not memory.why_not("energy"):
                ends = ends[np.argsort(whole.energies[ends].round(9), kind="stable")]
        patterns, shares, rows = np.arange(len(self.names))[:, None], [], []
        for one in basins.values():
            share, fixed = one.size / one.size.sum(), one.period == 1
            shares.append((one.matched == patterns) @ share)
            each = [share[(one.attractor == end) & fixed].sum() for end in ends]
            rows.append([*each[:MOST], sum(each[MOST:]), share[~fixed].sum()])
        arrays.add("basin", shares, {"update": tuple(basins), "pattern": labels(self.names)})
        names = (*self._names_of(memory, whole.states[ends[:MOST]]), *LEFT)
        arrays.add("ends", rows, {"update": tuple(basins), "end": names}, drawn=True)
        if len(ends):
            arrays.add("stable", whole.states[ends[:MOST]], {"end": names[: -len(LEFT)], "axis": self.axes}, mean=False)
        if len(self.axes) <= MOST_TOLD:
            called = dict(zip(ends.tolist(), self._names_of(memory, whole.states[ends]), strict=True))
            for way, one in basins.items():
                if one.reached is not None:
                    led = [called.get(int(end), "a cycle") for end in one.attractor[np.asarray(one.reached)]]
                    arrays.add("end", led, {"state": _signs(memory, whole.states)}, stage=way)
        for way in [way for way in basins if way != RANDOM]:
            arrays.add("cycles", np.sum(basins[way].period > 1), stage=way)
        if not memory.why_not("energy") and not single:
            self._add_depths(arrays, memory, whole)
        if has_successors(memory, update, len(self.axes)):
            for name, array in successors(memory, update, len(self.axes)).items():
                arrays.add(name, array, mean=False)
            arrays.add("patterns", memory.patterns, {"pattern": labels(self.names), "axis": self.axes}, mean=False)

    def _add_depths(self, arrays: Arrays, memory: AssociativeMemory, whole: SpinStates) -> None:
        """Add the number of minima; of those of the least energy the energy, the depth of all but the lowest, the
        barriers between them; and how far the way between two patterns rises above the higher one."""
        order = np.argsort(whole.energies[whole.minima].round(9), kind="stable")[:MOST]
        names, depth = self._names_of(memory, whole.states[whole.minima[order]]), whole.depths[order]
        energy, barriers = whole.energies[whole.minima][order], whole.barriers[np.ix_(order, order)]
        high = np.flatnonzero(np.isfinite(depth))
        arrays.add("minima", len(whole.minima))
        arrays.add("energy", energy, {"minimum": names}, mean=False)
        arrays.add("depth", depth[high], {"minimum": tuple(names[i] for i in high)}, mean=False)
        arrays.add("barriers", Labelled(barriers, ("minimum", "minimum"), (names, names)), mean=False)
        if self.between:
            ends = whole.number(memory.patterns[self.between])
            minima = np.isin(ends, whole.minima).all()
            need(minima, ("memory", "between"), "one of the two patterns is no minimum; expected two that are")
            barrier = whole.barriers[tuple(np.searchsorted(whole.minima, ends))]
            arrays.add("barrier", barrier - whole.energies[ends].max())

    def _add_returns(self, arrays: Arrays, memory: AssociativeMemory, update: Update, rng: np.random.Generator) -> None:
        if (table := self.returns) is None:
            return
        need(self.names, (), "needs patterns, to which damaged cues return; `couplings` alone have none")
        damage = None if table.damage is None else np.array(axis_values(table.damage, "damage"), dtype=float)
        if damage is not None:
            need(damage[0] >= 0, "damage", f"got {damage[0]:g}; expected numbers from 0 up")
        dim, count = len(self.axes), table.memories if self.ensemble else 1
        loads: Any = (len(self.names) / dim,)
        if self.ensemble is None:
            need_unused(table, ("loads", "memories"), "is for memories of [ensemble]")
        elif table.loads is not None:
            loads = axis_values(table.loads, "loads")
            need(loads[0] > 0, "loads", f"got {loads[0]:g}; expected numbers above 0")
            most = self.ensemble.at_load(loads[-1])
            need_room((most.stored + dim) * dim, ("loads",))
            most.need_rows("loads")
        curves = []
        for load in loads:
            every = (self._build(rng, table.loads and load) if self.ensemble else memory for _ in range(count))
            curves.append(pooled(every, damage, -(-table.cues // count), (update, self.table.steps), rng))
        texts, scales = tuple(f"{load:g}" for load in loads), {"load": np.array(loads), "damage": curves[0].damage}
        axes = {"load": texts, "damage": tuple(repr(round(float(x), 6)) for x in curves[0].damage)}
        for name, key in {"": "share", "-low": "low", "-high": "high"}.items():
            arrays.add(f"returned{name}", on_scales([getattr(curve, key) for curve in curves], axes, scales))
        radii = np.array([(curve.radius, *curve.radius_interval, curve.radius_error) for curve in curves]).T
        for name, values in zip(("", "-low", "-high", "-error")[: 4 if count > 1 else 3], radii, strict=False):
            arrays.add(f"radii{name}", on_scales(values, {"load": texts}, scales))
        for text, curve in zip(texts, curves, strict=True):
            arrays.add("radius" if table.loads is None else f"load {text} radius", curve.radius)
        arrays.add("cues", curves[0].cues, drawn=True)
        arrays.add("damaged", "reversed" if memory.activation.discrete else "noise", drawn=True)

    def _add_fixed_points(self, arrays: Arrays, memory: AssociativeMemory, seed: int, rng: np.random.Generator) -> None:
        if (table := self.fixed_points) is None:
            return
        graded, card = not memory.activation.discrete, self.table.card
        need(graded, (), "is for graded states, and the memory has spins; write [states]")
        need(card is None or "beta" in card.parameters, "beta", lambda: f"the model '{card.name}' has none")
        betas = axis_values(table.beta, "beta")
        need(betas[0] > 0, "beta", f"got {betas[0]:g}; expected numbers above 0")

        def at_beta(beta: float) -> AssociativeMemory:
            return self._build(np.random.default_rng(seed), beta=beta)

        course = bifurcation(at_beta, betas[::-1], count=table.starts, rng=rng)
        axes = {"points": ("all", "stable"), "beta": tuple(f"{beta:g}" for beta in betas)}
        arrays.add("count", on_scales([course.count[::-1], course.stable[::-1]], axes, {"beta": np.array(betas)}))
        points = course.points[::-1]
        states = np.concatenate([each.state for each in points])
        pair = memory.patterns[self.between or slice(2)]
        start = pair[0] if len(pair) > 1 else np.zeros_like(pair[0])
        way = pair[-1] - start
        arrays.add("points", states, {"point": (), "axis": self.axes}, mean=False)
        for name, values in {
            "at": np.repeat(betas, course.count[::-1]),
            "place": (states - start) @ way / (way @ way or 1.0),  # 0 at the first of two patterns, 1 at the other
            "stable": np.concatenate([each.stable for each in points]),
            "index": np.concatenate([each.index for each in points]),
        }.items():
            arrays.add(f"points-{name}", values, {"point": ()}, mean=False)

    def shown(self, arrays: Arrays) -> tuple[str, ...]:
        """The names of the arrays that a terminal shows, of stable states a few; where all minima are equally low, none
        has a depth."""
        return tuple(
            name
            for name in super().shown(arrays)
            if arrays[name].values.size and (name != "stable" or max(arrays[name].values.shape) <= LINES)
        )

    def explain(self, arrays: Arrays) -> Iterator[str]:
        if self.memory is not None:
            root = int(np.random.default_rng(self.seed).integers(2**63))
            yield from explained_coupling(self._memory(root), self.axes)
        for name, lines in EXPLAINED.items():
            yield from lines(arrays) if name in arrays else ()


def _signs(memory: AssociativeMemory, states: np.ndarray) -> tuple[str, ...]:
    """Each state of spins as a text, such as `+−+` or `101`."""
    high, silent = ("1", "0") if memory.activation.silent == 0 else ("+", "−")
    return tuple("".join(row) for row in np.where(states > 0, high, silent).tolist())


def on_scales(values: Any, axes: dict[str, tuple[str, ...]], scales: dict[str, np.ndarray]) -> Labelled:
    """Values with their labels, and with the numbers along the axes that are scales."""
    return replace(labelled(values, axes), scales={name: scales[name] for name in axes if name in scales})


def _explain_depths(arrays: Arrays) -> Iterator[str]:
    """The minima in order of energy, with their depths."""
    energy, depth = arrays["energy"], arrays["depth"]
    depths = dict(zip(depth.labels[0], depth.values.tolist(), strict=True))
    yield say("minima: {}, in order of energy:", str(arrays["minima"].values))
    known = (number(depths[name]) if name in depths else "" for name in energy.labels[0])
    deep = (say("depth {}", depth) if depth else say("none is lower") for depth in known)
    heights = map(number, energy.values.tolist())
    each = (say("energy {}, {}", height, text) for height, text in zip(heights, deep, strict=True))
    yield from (f"  {names}: {text}" for names, text in alike(energy.labels[0], each))
    if (more := int(arrays["minima"].values) - len(energy.values)) > 0:
        yield "  " + say("and {} more, none of them lower", str(more))


def _explain_ends(arrays: Arrays) -> Iterator[str]:
    """The basins of each update."""
    ends = arrays["ends"]
    for update, shares in zip(ends.labels[0], ends.values, strict=True):
        some = np.flatnonzero(shares)
        parts = alike([ends.labels[1][i] for i in some], [number(shares[i]) for i in some])
        ends_ = "; ".join(map(": ".join, parts))
        yield say("{}, the share of all states that ends in each: {}", update, ends_)
        if f"{update} end" in arrays:
            stable, led = arrays["stable"], arrays[f"{update} end"]
            vectors = dict(zip(stable.labels[0], map(vector, stable.values), strict=True))
            for end in dict.fromkeys(led.values.tolist()):
                states = (state for state, one in zip(led.labels[0], led.values, strict=True) if one == end)
                at = " ".join(filter(None, (end, vectors.get(end))))
                yield "  " + say("{}: from {}", at, ", ".join(states))


def _explain_returns(arrays: Arrays) -> Iterator[str]:
    """The radius of each load with its interval, and the shares."""
    returned, cues = arrays["returned"], arrays["cues"].values
    ends = [arrays[f"radii{end}"].values for end in ("", "-low", "-high")]
    for i, load in enumerate(returned.labels[0]):
        radius, low, high = (number(end[i]) for end in ends)
        interval = say("95 % interval (Wilson) of {} cues: {} to {}", str(cues), low, high)
        yield say("load {}: half return up to the damage {}; {}", in_comma(load), radius, interval)
        if "radii-error" in arrays:
            yield "  " + say("standard error over the memories: {}", number(arrays["radii-error"].values[i]))
        for damage, share in zip(returned.scales["damage"], returned.values[i], strict=True):
            yield "  " + say("damage {}: {} return", number(damage), number(share))


def _explain_points(arrays: Arrays) -> Iterator[str]:
    """The fixed points at each β."""
    betas, stable = arrays["points-at"].values, arrays["points-stable"].values
    states, index = arrays["points"].values, arrays["points-index"].values
    for beta in np.unique(betas):
        here = np.flatnonzero(betas == beta)
        points, still = counted(len(here), "fixed point"), str(np.sum(stable[here]))
        yield say("β = {}: {}, {} of them stable", number(beta), points, still)
        for i in here[:MOST]:
            falls = counted(int(index[i]), "direction")
            kind = say("stable") if stable[i] else say("the energy falls away in {}", falls)
            yield f"  {vector(states[i])}: {kind}"


EXPLAINED = {"minima": _explain_depths, "ends": _explain_ends, "returned": _explain_returns, "points": _explain_points}
"""The lines of the arithmetic, by the array that they need."""
