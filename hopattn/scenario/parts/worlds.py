"""Worlds as a scenario writes them: a line, a grid or a torus, or the edges of a graph."""

from collections.abc import Callable, Iterator
from typing import Annotated, Literal

from pydantic import Field

from hopattn.circuits.maps.world import Edge, World, edge_problems, world_of_edges
from hopattn.scenario.language.common_problems import one_of_problems, refusals
from hopattn.scenario.language.fields import Count, Problem, Table, Text
from hopattn.scenario.language.lines import Path

DIMENSIONS = {"line": (1,), "grid": (2,), "torus": (1, 2)}
"""The kinds of lattices, each with the numbers of sizes that it may have."""


class PlacesTable(Table):
    """Places and the actions that lead from one to another."""

    edges: Annotated[list[Annotated[list[Text], Field(min_length=3, max_length=3)]], Field(min_length=1)]
    """Each edge as place, action, place: ["hall", "upstairs", "landing"]. The way back is added by itself."""
    inverse: dict[Text, Text]
    """Each action and the action that leads back; an action may be its own inverse."""

    @property
    def triples(self) -> list[Edge]:
        """The edges as tuples."""
        return [(start, action, end) for start, action, end in self.edges]


class WorldTable(Table):
    """The keys of a world: `world` and `size`, or `graph`."""

    world: Literal["line", "grid", "torus"] | None = None
    """The form of the world; with `size`. A torus of one size is a ring."""
    size: Annotated[list[Count], Field(min_length=1)] | None = None
    """The number of places of a line or a ring, or the rows and columns of a grid or a torus."""
    graph: PlacesTable | None = None
    """Any other world, by its edges."""

    @property
    def place_count(self) -> int:
        """The number of places, counted before the world is built."""
        if self.graph is not None:
            return len({place for start, _, end in self.graph.edges for place in (start, end)})
        sizes = self.size or [1]
        return sizes[0] * (sizes[1] if len(sizes) == 2 else 1)

    def world_problems(self, path: Path) -> Iterator[Problem]:
        """None or both of the two forms, a size that does not fit, and the problems of a graph."""
        forms = [*one_of_problems(self, ("world", "graph"), path)]
        if forms:
            yield from forms
        elif self.graph is not None:
            if self.size is not None:
                yield Problem((*path, "size"), "belongs to `world`; a graph has the places of its edges")
            for key, message in edge_problems(self.graph.triples, self.graph.inverse):
                yield Problem((*path, "graph", key), message)
        elif self.world is not None and len(self.size or ()) not in DIMENSIONS[self.world]:
            wanted = {"line": "[10]", "grid": "[10, 10]", "torus": "[10, 10], or [10] for a ring"}[self.world]
            yield Problem((*path, "size"), f"a {self.world} needs size = {wanted}")
        else:
            yield from refusals((*path, "size"), self.build_world)

    def build_world(self) -> World:
        """The world; raises `InvalidInput` for a size that it cannot have."""
        if self.graph is not None:
            return world_of_edges(self.graph.triples, self.graph.inverse)
        makers: dict[str, Callable[..., World]] = {"line": World.line, "grid": World.grid, "torus": World.torus}
        return makers[self.world or ""](*(self.size or ()))
