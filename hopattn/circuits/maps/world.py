"""Worlds: places, and the actions that lead from one place to another, on a lattice or by the edges of a graph."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import each, instance, whole
from hopattn.foundation.errors import InvalidInput, shortened, unknown

MAX_PLACES = 1024
"""The largest number of places of a world: any two of them are compared."""
LATTICE = ("east", "west", "north", "south")
"""The actions on a line (the first two) and on a grid; each has its inverse beside it."""
MOVES = ((0, 1), (0, -1), (-1, 0), (1, 0))
"""The change of (row, column) by each action of `LATTICE`."""
Edge = tuple[str, str, str]
"""The place that an edge leaves, its action, and the place that it leads to."""


@dataclass(frozen=True, eq=False, kw_only=True)
class World(PublicObject):
    """Places and actions; each action has an inverse that leads back.

    Parameters
    ----------
    places, actions : their names.
    inverse : the number of each action's inverse.
    moves : the place that each action leads to, `(n_places, n_actions)`, −1 where the action is impossible.
    size : of a lattice, along its axes.
    closed : whether it is a ring or a torus.

    Notes
    -----
    Made by `World.line`, `World.grid`, `World.torus` and `world_of_graph`.

    Examples
    --------
    >>> import hopattn as ha
    >>> world = ha.circuits.World.torus(3, 3)
    >>> world.places[world.moves[0, world.actions.index("west")]]
    'row 1, column 3'
    """

    places: tuple[str, ...]
    actions: tuple[str, ...]
    inverse: tuple[int, ...]
    moves: np.ndarray
    size: tuple[int, ...] = ()
    closed: bool = False

    def __repr__(self) -> str:
        return f"World({len(self.places)} places, actions {', '.join(self.actions)})"

    @property
    def links(self) -> np.ndarray:
        """The pairs of places that an action joins, each pair once, `(n_links, 2)`; the smaller number is the first."""
        starts, actions = np.nonzero(self.moves >= 0)
        return np.unique(np.sort(np.stack([starts, self.moves[starts, actions]], axis=-1), axis=-1), axis=0)

    @classmethod
    def line(cls, n: int) -> Self:
        """`n` places in a row, 2 or more, with the actions east and west."""
        return cls._lattice((n,), closed=False)

    @classmethod
    def grid(cls, rows: int, columns: int) -> Self:
        """Rows and columns of places, 2 or more of each, with the actions east, west, north and south."""
        return cls._lattice((rows, columns), closed=False)

    @classmethod
    def torus(cls, *size: int) -> Self:
        """A grid whose edges are joined: `torus(rows, columns)`; with one number, a line that is joined to a ring.

        Each number is 3 or more, so that the neighbours of a place differ.
        """
        if len(size) not in (1, 2):
            raise InvalidInput(f"size: expected rows and columns, or one number for a ring, not {len(size)} numbers")
        return cls._lattice(size, closed=True)

    @classmethod
    def _lattice(cls, size: tuple[int, ...], closed: bool) -> Self:
        axes = ("rows", "columns") if len(size) == 2 else ("size",)
        lengths = tuple(whole(n, axis, 3 if closed else 2, MAX_PLACES) for n, axis in zip(size, axes, strict=True))
        rows, columns = (1, *lengths)[-2:]
        if rows * columns > MAX_PLACES:
            raise InvalidInput(f"size: {rows} × {columns} = {rows * columns} places; at most {MAX_PLACES} are possible")
        row, column = np.divmod(np.arange(rows * columns), columns)
        moves = []
        for step in MOVES[: 2 * len(lengths)]:
            down, right = row + step[0], column + step[1]
            inside = closed | ((down >= 0) & (down < rows) & (right >= 0) & (right < columns))
            moves.append(np.where(inside, down % rows * columns + right % columns, -1))
        places = zip(row, column, strict=True)
        names = (f"place {j + 1}" if len(lengths) == 1 else f"row {i + 1}, column {j + 1}" for i, j in places)
        inverse = (1, 0, 3, 2)[: len(moves)]
        return cls(
            places=tuple(names),
            actions=LATTICE[: len(moves)],
            inverse=inverse,
            moves=np.stack(moves, axis=-1),
            size=lengths,
            closed=closed,
        )


@public
def world_of_graph(graph: Any, inverse: Mapping[str, str]) -> World:
    """The world of a `networkx.DiGraph` or `MultiDiGraph` whose edges have an `action`.

    Parameters
    ----------
    inverse
        an action → the action that leads back; one of the two names is enough, and an action may be its own inverse.

    Raises
    ------
    InvalidInput : for an edge without an action, and for what `edge_problems` finds.

    Notes
    -----
    The way back along each edge is added where the graph lacks it.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.DiGraph()
    >>> graph.add_edge("hall", "kitchen", action="in")
    >>> world_of_graph(graph, {"in": "out"}).actions
    ('in', 'out')
    """
    if not hasattr(graph, "edges") or not getattr(graph, "is_directed", bool)():
        raise InvalidInput("graph: expected a networkx.DiGraph, since an action leads from one place to another")
    instance(inverse, Mapping, "inverse", "the action that leads back for each action")
    each(inverse.values(), str, "inverse", "the name of an action")
    edges = []
    for start, end, data in graph.edges(data=True):
        if "action" not in data:
            raise InvalidInput(f"graph: the edge from '{shortened(start)}' to '{shortened(end)}' has no `action`")
        edges.append((str(start), str(data["action"]), str(end)))
    return world_of_edges(edges, inverse, [str(place) for place in graph.nodes])


def world_of_edges(edges: Sequence[Edge], inverse: Mapping[str, str], places: Sequence[str] = ()) -> World:
    """The world of a list of edges; raises `InvalidInput` for the first of `edge_problems`.

    places: names in their order; by default in the order of the edges.
    """
    for what, message in edge_problems(edges, inverse, places):
        raise InvalidInput(f"{what}: {message}")
    names, back = _names(edges, places), _both_ways(inverse)
    actions = tuple(dict.fromkeys(name for _, action, _ in edges for name in (action, back[action])))
    moves = np.full((len(names), len(actions)), -1)
    for start, action, end in _with_ways_back(edges, back):
        moves[names.index(start), actions.index(action)] = names.index(end)
    return World(
        places=names, actions=actions, inverse=tuple(actions.index(back[action]) for action in actions), moves=moves
    )


def edge_problems(
    edges: Sequence[Edge], inverse: Mapping[str, str], places: Sequence[str] = ()
) -> Iterator[tuple[str, str]]:
    """The problems of a graph, each with the argument to which it belongs, `edges` or `inverse`."""
    names, actions = _names(edges, places), {action for _, action, _ in edges}
    back = _both_ways(inverse)
    if len(names) < 2 or not edges or len(names) > MAX_PLACES:
        yield "edges", f"expected 2 to {MAX_PLACES} places with an edge between them, not {len(names)}"
        return
    no_inverse = sorted(actions - set(back))
    for name in map(shortened, no_inverse):
        yield "inverse", f"the action '{name}' has no inverse; name the action that leads back, or '{name}' itself"
    actions_and_inverses = actions | {inverse[action] for action in actions & set(inverse)}
    wrong = [(action, opposite) for action, opposite in inverse.items() if back[opposite] != action]
    for action, opposite in wrong[:1]:
        message = f"the inverse of '{shortened(action)}' is '{shortened(opposite)}'"
        yield "inverse", f"{message}, but that of '{shortened(opposite)}' is '{shortened(back[opposite])}'"
    needless = [action for action, opposite in inverse.items() if not actions_and_inverses & {action, opposite}]
    yield from (("inverse", unknown(action, actions)) for action in needless)
    if no_inverse or wrong or needless:
        return
    ends: dict[tuple[str, str], str] = {}
    for start, action, end in _with_ways_back(edges, back):
        if ends.setdefault((start, action), end) != end:
            two = f"'{shortened(ends[start, action])}' and to '{shortened(end)}'"
            yield "edges", f"'{shortened(action)}' leads from '{shortened(start)}' to {two}; expected one place"
            return
    neighbours: dict[str, set[str]] = {name: set() for name in names}
    for (start, _), end in ends.items():
        neighbours[start].add(end)
    component, frontier = {names[0]}, [names[0]]
    while frontier:
        next_places = neighbours[frontier.pop()] - component
        component |= next_places
        frontier += next_places
    if beyond := [name for name in names if name not in component]:
        yield "edges", f"'{shortened(beyond[0])}' cannot be reached from '{shortened(names[0])}'; join them by an edge"


def _names(edges: Sequence[Edge], places: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*places, *(place for start, _, end in edges for place in (start, end))]))


def _both_ways(inverse: Mapping[str, str]) -> dict[str, str]:
    """The inverse of each action, also of those that are named only as inverses."""
    return {opposite: action for action, opposite in inverse.items()} | dict(inverse)


def _with_ways_back(edges: Sequence[Edge], back: Mapping[str, str]) -> Iterator[Edge]:
    for start, action, end in edges:
        yield start, action, end
        yield end, back[action], start
