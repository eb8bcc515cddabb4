"""kind = "walk": a walk through a world, on which attention recalls what was seen at each position."""

from collections.abc import Callable, Iterator
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from hopattn.circuits.maps.walk import FIRST, NEW, Walked, walk
from hopattn.circuits.maps.world import World, world_of_edges
from hopattn.foundation.sentences import say
from hopattn.foundation.writing import number, shown
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.language.table import (
    Angle,
    Count,
    PositiveNumber,
    Table,
    Text,
    Tolerance,
    at,
    need,
    need_one_of,
    need_unused,
    unnamed,
)

MEASURES = {
    "accuracy": "fraction of predictions on revisits that are right",
    "accuracy on new edges": "the same, on revisits along an edge that was never walked before; 0 without such edges",
    "chance": "fraction of revisits that the best constant prediction gets right",
    "first visits": "number of steps to a place never seen; they do not count",
    "revisits": "number of steps to a place that was seen before",
    "new edges": "number of these along an edge that was walked in neither direction before",
    "gap": "1 minus the largest cosine of two places' positions; 0 without positions",
    "stray weight": "the most weight that memories of other places can have together; not with noise",
}
"""The measures of a run, each with its meaning as `explain` writes it; the last is a bound for exact positions."""
MEMORIES = 4
"""The number of places whose memories' responses are kept."""
GOLDEN = 0.618034
"""The multiples of this, without their whole parts, are spread evenly between 0 and 1."""
MAX_PAIRS = 30_000_000
"""The largest number of pairs of positions that a run compares: about a second."""
SIZES = {"line": {1: "[10]"}, "grid": {2: "[10, 10]"}, "torus": {2: "[10, 10]", 1: "[10] for a ring"}}
"""The forms of lattices, each with examples of its size, by the number of its numbers."""


class PlacesTable(Table):
    """Places and the actions that lead from one to another."""

    edges: Annotated[list[Annotated[list[Text], Field(min_length=3, max_length=3)]], Field(min_length=1)]
    """Each edge as place, action, place: ["hall", "upstairs", "landing"]. The way back is added by itself."""
    inverse: dict[Text, Text]
    """Each action and the action that leads back; an action may be its own inverse."""


class WalkTable(Table):
    """A world, what is seen in it, and a memory of positions."""

    world: Literal["line", "grid", "torus"] | None = None
    """The form of the world; with `size`. A torus of one size is a ring."""
    size: Annotated[list[Count], Field(min_length=1)] | None = None
    """The number of places of a line or a ring, or the rows and columns of a grid or a torus."""
    graph: PlacesTable | None = None
    """Any other world, by its edges."""
    kinds: Count = 10
    """The number of kinds of observations; they are dealt to the places as evenly as possible, by the seed."""
    steps: Count = 1000
    """The number of steps; at each, one of the possible actions is drawn."""
    planes: Annotated[int, Field(ge=0)] = 12
    """The number of planes that each action turns, by angles that are drawn; 0 means no positions."""
    angles: dict[Text, Annotated[list[Angle], Field(min_length=1)]] | None = None
    """Instead of `planes`: each action and its angles in degrees, one for each plane. An action that is left out
    turns against its inverse."""
    beta: PositiveNumber = 50.0
    """The inverse temperature of the recall."""
    noise: Tolerance = 0.0
    """The standard deviation of the error of each rotation, in degrees; the errors add up along the walk."""
    noises: Annotated[list[Tolerance], Field(min_length=1)] | None = None
    """Further amounts of noise, for which the same walk is computed: the array `by noise`."""

    def build(self) -> World:
        """The world."""
        need_one_of(self, "world", "graph")
        if self.graph is not None:
            need(self.size is None, "size", "belongs to `world`; a graph has the places of its edges")
            with at("graph", table=self.graph):
                edges = [(start, action, end) for start, action, end in self.graph.edges]
                return world_of_edges(edges, self.graph.inverse)
        form, sizes = self.world or "", self.size or ()
        need(len(sizes) in SIZES[form], "size", f"a {form} needs size = {' or '.join(SIZES[form].values())}")
        make: Callable[..., World] = getattr(World, form)
        with at("size"), unnamed("size"):
            return make(*sizes)

    def walked(self, rng: np.random.Generator) -> Walked:
        """The walk of the file."""
        walks, world = 1 + len(self.noises or ()), self.build()
        pairs = f"compare {self.steps**2 * walks:,} pairs of positions; expected at most {MAX_PAIRS:,}"
        need(self.steps**2 * walks <= MAX_PAIRS, "steps", f"{self.steps:,} steps for {walks} walks {pairs}")
        if self.angles is not None:
            need_unused(self, ("planes",), "is counted by `angles`; leave one of them out")
        return walk(world, **self.model_dump(include={"steps", "kinds", "planes", "angles", "beta", "noise"}), rng=rng)


class Walk(Kind):
    """A walk through a world, and a memory of positions and observations."""

    shown_arrays: ClassVar[tuple[str, ...]] = (*MEASURES, "by noise")
    kind: Literal["walk"]
    walk: WalkTable
    """The world, the walk, the memory."""

    def least(self) -> Self:
        return self if self.walk.noises is None else self.changed(taken="by noise")  # the first walk alone

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        table = self.walk
        with at("walk", table=table):
            own = table.walked(rng)
        places, step = own.world.places, {"step": range(1, table.steps + 1)}
        accuracies, sorts = (own.accuracy, own.accuracy_on_new_edges), own.sorts
        visits = np.sum(sorts == FIRST), np.sum(own.revisits), np.sum(sorts == NEW)
        for name, value in zip(MEASURES, (*accuracies, own.chance, *visits, own.gap, own.stray_weight), strict=True):
            if name != "stray weight" or not table.noise:
                arrays.add(name, value)
        arrays.add("sort", sorts, step, drawn=True)
        seen = {"place": own.places[1:] + 1, "seen": own.seen + 1, "predicted": own.predicted + 1, "right": own.right}
        for name, values in seen.items():
            arrays.add(name, values, step, mean=False)
        spots = np.column_stack([spots_of(own.world), own.observations + 1])
        arrays.add("world", spots, {"place": places, "of place": ("x", "y", "kind")}, mean=False)
        arrays.add("links", own.world.links + 1, {"link": (), "end": ("from", "to")}, mean=False)
        modules = [f"module {i + 1}" for i in range(own.grid_responses.shape[1])]
        arrays.add("grid", own.grid_responses, {"place": places, "module": modules}, mean=False)
        kept = sorted({int((GOLDEN * (i + 1)) % 1 * len(places)) for i in range(MEMORIES)})  # spread over all columns
        memories = {"memory": [places[i] for i in kept], "place": places}
        arrays.add("fields", own.place_responses[kept], memories, mean=False)
        if table.noises is not None:
            others = (own if self._taken else own.with_noise(noise, rng=rng) for noise in table.noises)
            by_noise = [(one.accuracy, one.accuracy_on_new_edges) for one in others]
            axes = {"noise": [f"{value:g}°" for value in table.noises], "measure": tuple(MEASURES)[:2]}
            arrays.add("by noise", by_noise, axes)

    def explain(self, arrays: Arrays) -> Iterator[str]:
        table, gap = self.walk, float(arrays["gap"].values)
        sizes = map(str, (len(arrays["world"].values), table.kinds, table.steps))
        yield say("{} places, {} kinds of observations, {} steps", *sizes)
        if arrays["grid"].values.size:
            noise, most = ", before the noise" if table.noise else "", f"1 − {number(gap)} ≈ {number(1 - gap)}"
            yield say(f"the positions of two places have a cosine of at most {{}}{noise}", most)
            if not table.noise:
                odds, weight = number(table.steps * np.exp(-table.beta * gap)), float(arrays["stray weight"].values)
                terms = f"{table.steps} × e^(−{shown(table.beta)} × {number(gap)}) ≈ {odds}"
                sure = say("; below ½, so every revisit is right") if weight < 0.5 else ""
                against = say("memories of other places, against one of this place: {}", terms)
                yield say("{}, a weight of {}{}", against, number(weight), sure)
        else:
            yield say("all places have one position: the kind that was seen most often is predicted")
        sorts, right = arrays["sort"].values, arrays["right"].values
        for sort in dict.fromkeys(sorts.tolist()):
            counts = str(int(right[sorts == sort].sum())), str(int(np.sum(sorts == sort)))
            yield say("{}: {} right of {}", say(sort), *counts)
        for name, meaning in MEASURES.items():
            if name in arrays:
                yield f"{name} = {shown(float(arrays[name].values), 4)}: {say(meaning)}"


def spots_of(world: World) -> np.ndarray:
    """Where each place is drawn, `(n_places, 2)`: a lattice as it is, a ring and a graph on a circle, clockwise."""
    n = len(world.places)
    if world.size and not (world.closed and len(world.size) == 1):
        row, column = np.divmod(np.arange(n), world.size[-1])
        return np.stack([column, -row], axis=-1).astype(float)
    turns = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    return n / 6 * np.stack([np.cos(turns), np.sin(turns)], axis=-1)
