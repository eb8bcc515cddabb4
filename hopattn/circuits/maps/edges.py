"""A world that is given by the edges of a graph: from one place, by an action, to another place."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hopattn.circuits.maps.world import MAX_PLACES, World
from hopattn.foundation.errors import InvalidInput, shortened, unknown
from hopattn.foundation.objects import each, instance

Edge = tuple[str, str, str]
"""The place that an edge leaves, its action, and the place that it leads to."""


def world_of_graph(graph: Any, inverse: Mapping[str, str]) -> World:
    """The world of a `networkx.DiGraph` or `MultiDiGraph` whose edges have an `action`.

    inverse: an action → the action that leads back; one of the two names is enough, and an action may be its own
    inverse. The way back along each edge is added where the graph lacks it. Raises `InvalidInput` for an edge without
    an action, and for what `edge_problems` finds.

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
    actions = tuple(dict.fromkeys(one for _, action, _ in edges for one in (action, back[action])))
    moves = np.full((len(names), len(actions)), -1)
    for start, action, end in _with_ways_back(edges, back):
        moves[names.index(start), actions.index(action)] = names.index(end)
    return World.of_moves(names, actions, tuple(actions.index(back[action]) for action in actions), moves)


def edge_problems(
    edges: Sequence[Edge], inverse: Mapping[str, str], places: Sequence[str] = ()
) -> Iterator[tuple[str, str]]:
    """The problems of a graph, each with the argument to which it belongs: `edges`, `inverse` or `places`.

    An action without an inverse, an action that leads from one place to two, a place that cannot be reached.
    """
    names, actions = _names(edges, places), {action for _, action, _ in edges}
    back = _both_ways(inverse)
    if len(names) < 2 or not edges or len(names) > MAX_PLACES:
        yield "edges", f"expected 2 to {MAX_PLACES} places with an edge between them, not {len(names)}"
        return
    lacking = sorted(actions - set(back))
    for action in lacking:
        name = shortened(action)
        yield "inverse", f"the action '{name}' has no inverse; name the action that leads back, or '{name}' itself"
    wrong = [*_wrong_inverses(inverse, actions)]
    yield from wrong
    if lacking or wrong:
        return
    ends: dict[tuple[str, str], str] = {}
    for start, action, end in _with_ways_back(edges, back):
        if ends.setdefault((start, action), end) != end:
            two = f"'{shortened(ends[start, action])}' and to '{shortened(end)}'"
            yield "edges", f"'{shortened(action)}' leads from '{shortened(start)}' to {two}; expected one place"
            return
    if beyond := [name for name in names if name not in _reached(names[0], ends)]:
        yield "edges", f"'{shortened(beyond[0])}' cannot be reached from '{shortened(names[0])}'; join them by an edge"


def _wrong_inverses(inverse: Mapping[str, str], actions: set[str]) -> Iterator[tuple[str, str]]:
    """Actions with two inverses, and names of `inverse` that are no action of the graph."""
    known = actions | {inverse[action] for action in actions if action in inverse}
    for action, other in inverse.items():
        if inverse.get(other, action) != action:
            told = f"the inverse of '{shortened(action)}' is '{shortened(other)}'"
            yield "inverse", f"{told}, but that of '{shortened(other)}' is '{shortened(inverse[other])}'"
            return
        if action not in known and other not in known:
            yield "inverse", unknown(action, actions)
    several = [other for other in inverse.values() if [*inverse.values()].count(other) > 1]
    if several:
        yield "inverse", f"'{shortened(several[0])}' is the inverse of two actions; expected one"


def _names(edges: Sequence[Edge], places: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*places, *(place for start, _, end in edges for place in (start, end))]))


def _both_ways(inverse: Mapping[str, str]) -> dict[str, str]:
    """The inverse of each action, also of those that are named only as inverses."""
    return {other: action for action, other in inverse.items()} | dict(inverse)


def _with_ways_back(edges: Sequence[Edge], back: Mapping[str, str]) -> Iterator[Edge]:
    for start, action, end in edges:
        yield start, action, end
        yield end, back[action], start


def _reached(first: str, ends: Mapping[tuple[str, str], str]) -> set[str]:
    """The places that can be reached from the first."""
    near: dict[str, list[str]] = {}
    for (start, _), end in ends.items():
        near.setdefault(start, []).append(end)
    found, waiting = {first}, [first]
    while waiting:
        new = [end for end in near.get(waiting.pop(), []) if end not in found]
        found |= set(new)
        waiting += new
    return found
