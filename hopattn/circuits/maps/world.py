"""Worlds: places, and the actions that lead from one place to another."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.foundation.scalars import whole

MAX_PLACES = 1024
"""The largest number of places of a world: any two of them are compared."""
LATTICE = ("east", "west", "north", "south")
"""The actions on a line (the first two) and on a grid; each has its inverse beside it."""
STEPS = ((0, 1), (0, -1), (-1, 0), (1, 0))
"""The change of (row, column) by each action of `LATTICE`."""


@dataclass(frozen=True, eq=False)
class World:
    """Places and actions; each action has an inverse that leads back.

    places: their names. actions: their names. inverse: the number of each action's inverse. moves: the place that each
    action leads to, `(n_places, n_actions)`, −1 where the action is impossible. spots: where each place is drawn,
    `(n_places, 2)`. size: the numbers of places along the axes of a lattice, else empty. closed: whether the lattice is
    a ring or a torus. Made by `World.line`, `World.grid`, `World.torus` and `world_of_graph`.

    >>> import hopattn as ha
    >>> world = ha.World.torus(3, 3)
    >>> world.places[world.moves[0, world.actions.index("west")]]
    'row 1, column 3'
    """

    places: tuple[str, ...]
    actions: tuple[str, ...]
    inverse: tuple[int, ...]
    moves: np.ndarray
    spots: np.ndarray
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
        least = 3 if closed else 2
        axes = ("rows", "columns") if len(size) == 2 else ("size",)
        checked = tuple(whole(n, axis, least, MAX_PLACES) for n, axis in zip(size, axes, strict=True))
        rows, columns = checked if len(checked) == 2 else (1, checked[0])
        if rows * columns > MAX_PLACES:
            raise InvalidInput(f"size: {rows} × {columns} = {rows * columns} places; at most {MAX_PLACES} are possible")
        row, column = np.divmod(np.arange(rows * columns), columns)
        count = 2 * len(checked)
        moves = [_neighbours(row, column, step, (rows, columns), closed) for step in STEPS[:count]]
        single = len(checked) == 1
        names = tuple(
            f"place {j + 1}" if single else f"row {i + 1}, column {j + 1}" for i, j in zip(row, column, strict=True)
        )
        spots = _on_circle(columns) if single and closed else np.stack([column, -row], axis=-1).astype(float)
        inverse = (1, 0, 3, 2)[:count]
        return cls(names, LATTICE[:count], inverse, np.stack(moves, axis=-1), spots, checked, closed)

    @classmethod
    def of_moves(cls, places: tuple[str, ...], actions: tuple[str, ...], inverse: tuple[int, ...], moves: Any) -> Self:
        """A world of given moves; its places are drawn on a circle, in their order.

        moves: `(n_places, n_actions)`, whole numbers of places, −1 where the action is impossible. Raises
        `InvalidInput` for another shape, a place that does not exist, and a place that no action leaves.
        """
        return cls(places, actions, inverse, _checked_moves(moves, places, actions), _on_circle(len(places)))


def _checked_moves(moves: Any, places: tuple[str, ...], actions: tuple[str, ...]) -> np.ndarray:
    """The moves as an array, `(n_places, n_actions)`; raises `InvalidInput` for moves that cannot be walked."""
    try:
        given = np.asarray(moves)
    except ValueError:  # rows of different lengths
        given = np.empty(0)
    shape = len(places), len(actions)
    if given.shape != shape or given.dtype.kind not in "iu" or not given.size:
        raise InvalidInput(f"moves: expected whole numbers of shape {shape}, a place for each place and action")
    if (bad := (given < -1) | (given >= len(places))).any():
        told = f"{given[bad][0]} is no place; expected 0 to {len(places) - 1}, or -1 where the action is impossible"
        raise InvalidInput(f"moves: {told}")
    if (ends := np.all(given < 0, axis=1)).any():
        raise InvalidInput(
            f"moves: no action leaves '{shortened(places[int(np.argmax(ends))])}'; expected at least one"
        )
    return given


def _neighbours(
    row: np.ndarray, column: np.ndarray, step: tuple[int, int], size: tuple[int, int], closed: bool
) -> np.ndarray:
    """The number of the place one step away from each place, `(n_places,)`; −1 beyond the edge of an open lattice."""
    down, right = row + step[0], column + step[1]
    if closed:
        return np.asarray(down % size[0] * size[1] + right % size[1])
    inside = (down >= 0) & (down < size[0]) & (right >= 0) & (right < size[1])
    return np.where(inside, down * size[1] + right, -1)


def _on_circle(n: int) -> np.ndarray:
    """The spots of n places on a circle, clockwise from the top, `(n, 2)`."""
    turns = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    return n / 6 * np.stack([np.cos(turns), np.sin(turns)], axis=-1)
