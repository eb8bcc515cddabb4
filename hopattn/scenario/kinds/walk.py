"""kind = "walk": a walk through a world, on which attention recalls what was seen at each position."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.circuits.maps.rotations import MODULE, angles_of, checked_gap
from hopattn.circuits.maps.walk import FIRST, NEW, Walked, walk
from hopattn.circuits.maps.world import MAX_PLACES, World
from hopattn.foundation.writing import number
from hopattn.results.labelled import Labelled
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArraySpec, numbers
from hopattn.scenario.language.common_problems import refusals
from hopattn.scenario.language.fields import Angle, Count, PositiveNumber, Problem, Text, Tolerance
from hopattn.scenario.parts.worlds import WorldTable

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
"""The measures of a run, each with its meaning as `explain` writes it."""
NOISELESS = "stray weight"
"""The measure that a walk with noise lacks: it is a bound for exact positions."""
BY_NOISE = ("accuracy", "accuracy on new edges")
MEMORIES = 4
"""The number of places whose memories' responses are kept."""
GOLDEN = 0.618034
"""The multiples of this, without their whole parts, are spread evenly between 0 and 1."""
MAX_PAIRS = 30_000_000
"""The largest number of pairs of positions that a run compares: about a second."""


class WalkTable(WorldTable):
    """A world, what is seen in it, and a memory of positions."""

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

    def problems(self) -> Iterator[Problem]:
        """Problems of the world, keys that contradict each other, and angles that do not fit the world."""
        pairs = self.steps**2 * (1 + len(self.noises or ()))
        if pairs > MAX_PAIRS:
            message = f"compare {pairs:,} pairs of positions; expected at most {MAX_PAIRS:,}"
            yield Problem(("walk", "steps"), f"{self.steps:,} steps for {1 + len(self.noises or ())} walks {message}")
        if self.angles is not None and "planes" in self.model_fields_set:
            yield Problem(("walk", "planes"), "is counted by `angles`; leave one of them out")
        found = [*self.world_problems(("walk",))]
        yield from found
        if not found:
            world, angles = self.build_world(), self.angles
            if angles is not None:
                yield from refusals(("walk", "angles"), lambda: checked_gap(world, angles_of(world, angles)))
            elif self.graph is not None and self.planes:
                yield Problem(("walk",), "a graph needs `angles`, those of each action; or planes = 0")
            else:
                yield from refusals(("walk", "planes"), lambda: walk(world, steps=1, planes=self.planes, rng=0))

    def walked(self, rng: np.random.Generator) -> Walked:
        """The walk of the file."""
        options: dict[str, Any] = {"steps": self.steps, "kinds": self.kinds, "beta": self.beta, "noise": self.noise}
        return walk(self.build_world(), planes=self.planes, angles=self.angles, rng=rng, **options)


class Walk(Spec):
    """A walk through a world, and a memory of positions and observations."""

    shown_arrays: ClassVar[tuple[str, ...]] = (*MEASURES, "by noise")
    main_table: ClassVar[str] = "walk"
    kind: Literal["walk"]
    walk: WalkTable
    """The world, the walk, the memory."""

    def size(self) -> int:
        places, planes = min(self.walk.place_count, MAX_PLACES), self._planes  # more places are refused by name
        return 4 * places * places + (4 * planes + 2 * places) * (places + self.walk.steps) + 1600 * self.walk.steps

    @property
    def _planes(self) -> int:
        angles = self.walk.angles
        return self.walk.planes if angles is None else max(map(len, angles.values()), default=0)

    @property
    def _measures(self) -> tuple[str, ...]:
        """The measures of this walk."""
        return tuple(name for name in MEASURES if not (self.walk.noise and name == NOISELESS))

    def declared_arrays(self) -> Iterator[ArraySpec]:
        table = self.walk
        places = self.walk.build_world().places
        place, step = ("place", places), ("step", numbers(table.steps))
        yield from map(ArraySpec, self._measures)
        yield ArraySpec("sort", (step,), referable=False, measured=False)
        yield from (ArraySpec(name, (step,), measured=False) for name in ("place", "seen", "predicted", "right"))
        yield ArraySpec("world", (place, ("of place", ("x", "y", "kind"))), measured=False)
        yield ArraySpec("links", (("link", -1), ("end", ("from", "to"))), measured=False)
        modules = tuple(f"module {i + 1}" for i in range(-(-self._planes // MODULE)))
        yield ArraySpec("grid", (place, ("module", modules)), measured=False)
        memory = ("memory", tuple(places[i] for i in self._memories))
        yield ArraySpec("fields", (memory, place), measured=False)
        if table.noises is not None:
            noise = ("noise", tuple(f"{value:g}°" for value in table.noises))
            yield ArraySpec("by noise", (noise, ("measure", BY_NOISE)))

    @property
    def _memories(self) -> list[int]:
        """The places whose memories' responses are kept: spread over all places, and over the columns of a lattice."""
        return sorted({int((GOLDEN * (i + 1)) % 1 * self.walk.place_count) for i in range(MEMORIES)})

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        own = self.walk.walked(rng)
        world = own.world
        values: dict[str, Any] = {
            "accuracy": own.accuracy,
            "accuracy on new edges": own.accuracy_on_new_edges,
            "chance": own.chance,
            "first visits": np.sum(own.sorts == FIRST),
            "revisits": np.sum(own.revisits),
            "new edges": np.sum(own.sorts == NEW),
            "gap": own.gap,
            "stray weight": own.stray_weight,
            "sort": own.sorts,
            "place": own.places[1:] + 1,
            "seen": own.seen + 1,
            "predicted": own.predicted + 1,
            "right": own.right,
            "world": np.column_stack([spots(world), own.observations + 1]),
            "links": world.links + 1,
            "grid": own.grid_responses,
            "fields": own.place_responses[self._memories],
        }
        if self.walk.noises is not None:
            others = [own.with_noise(noise, rng=rng) for noise in self.walk.noises]
            values["by noise"] = np.array([[one.accuracy, one.accuracy_on_new_edges] for one in others])
        return {array.name: values[array.name] for array in self.declared}

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        table, world = self.walk, self.walk.build_world()
        yield f"{len(world.places)} places, {table.kinds} kinds of observations, {table.steps} steps"
        if self._planes:
            yield from self._positions_apart(arrays)
        else:
            yield "all places have one position: the kind that was seen most often is predicted"
        sorts, right = arrays["sort"].values, arrays["right"].values
        for sort in dict.fromkeys(sorts.tolist()):
            yield f"{sort}: {int(right[sorts == sort].sum())} right of {int(np.sum(sorts == sort))}"
        for name in self._measures:
            yield f"{name} = {float(arrays[name].values):.4g}: {MEASURES[name]}"

    def _positions_apart(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        """How far the positions are apart, and without noise the weight of memories of other places."""
        table, gap = self.walk, float(arrays["gap"].values)
        noise = ", before the noise" if table.noise else ""
        yield f"the positions of two places have a cosine of at most 1 − {number(gap)} ≈ {number(1 - gap)}{noise}"
        if table.noise:
            return
        odds = table.steps * np.exp(-table.beta * gap)
        terms = f"{table.steps} × e^(−{table.beta:g} × {number(gap)}) ≈ {number(odds)}"
        weight = float(arrays[NOISELESS].values)
        sure = "; below ½, so every revisit is right" if weight < 0.5 else ""
        yield f"memories of other places, against one of this place: {terms}, a weight of {number(weight)}{sure}"


def spots(world: World) -> np.ndarray:
    """Where each place is drawn, `(n_places, 2)`: a lattice as it is, a ring and a graph on a circle, clockwise."""
    n = len(world.places)
    if world.size and not (world.closed and len(world.size) == 1):
        row, column = np.divmod(np.arange(n), world.size[-1])
        return np.stack([column, -row], axis=-1).astype(float)
    turns = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    return n / 6 * np.stack([np.cos(turns), np.sin(turns)], axis=-1)
