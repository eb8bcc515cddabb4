"""The position of each place: a product of rotations, one for each action on the way to it.

    x(start) = (1, 0, 1, 0, …) / √planes          x(place after a) = R_a x(place)

Each R_a turns plane i by an angle θ_ai. Such rotations commute, so their angles add along a path: this is path
integration.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from hopattn.circuits.maps.world import World
from hopattn.foundation.arrays import as_numpy, require_finite
from hopattn.foundation.checks import instance, whole
from hopattn.foundation.errors import InvalidInput, reject_unknown, shortened
from hopattn.positions.planes import cos_sin_degrees

MAX_PLANES = 96
SHORTEST = 2.5
"""The shortest drawn wavelength, in places."""
DRAWS = 16
"""The number of draws of the angles."""
MODULE = 3
"""The number of planes of a module: their directions differ by 120°, so that their sum is a hexagonal grid."""
CLOSES = 1e-6
"""The largest error of an angle, in degrees, with which a way round still leads to the same position."""
DISTINCT = 1e-9
"""Two places whose positions have a cosine of more than 1 − this have the same position."""


def positions_of(turns: np.ndarray) -> np.ndarray:
    """Positions whose planes are turned by these degrees: `(…, planes)` gives unit vectors `(…, 2 planes)`.

    Without planes the position is the number 1 everywhere, `(…, 1)`.
    """
    if not turns.shape[-1]:
        return np.ones((*turns.shape[:-1], 1))
    points = np.stack(cos_sin_degrees(turns), axis=-1)
    return np.asarray(points.reshape(*turns.shape[:-1], -1) / np.sqrt(turns.shape[-1]))


def angles_of(world: World, angles: Mapping[str, Sequence[float]]) -> np.ndarray:
    """The angle of each action in each plane, in degrees, `(n_actions, planes)`; without it, against its inverse.

    Raises `InvalidInput` for unknown actions, actions without angles, and numbers of angles that differ.
    """
    instance(angles, Mapping, "angles", "an action and its angles for each action")
    reject_unknown("angles", angles, world.actions)
    rows: list[np.ndarray] = []
    for action, inverse in zip(world.actions, world.inverse, strict=True):
        sign, key = (1, action) if action in angles else (-1, world.actions[inverse])
        if key not in angles:
            raise InvalidInput(f"angles: the action '{shortened(action)}' has none, nor has its inverse")
        row = as_numpy(angles[key], "angles")
        require_finite(row, "angles")
        if row.ndim != 1 or not 1 <= len(row) <= MAX_PLANES or len(row) != len(rows[0] if rows else row):
            rule = f"the same number for each action, 1 to {MAX_PLANES}"
            raise InvalidInput(f"angles: '{shortened(action)}' has angles of shape {row.shape}; expected {rule}")
        rows.append(sign * row)
    return np.stack(rows)


def drawn_angles(world: World, planes: int, rng: np.random.Generator) -> np.ndarray:
    """Random angles of a lattice's actions, in degrees, `(n_actions, planes)`: the best of `DRAWS` draws.

    Three planes make a module: waves of one wavelength, in directions 120° apart. The wavelength is between `SHORTEST`
    places and the shorter side of the lattice, uniform in its logarithm. On a ring or a torus a whole number of waves
    goes round. Raises `InvalidInput` for a graph, whose loops allow few angles.
    """
    count = whole(planes, "planes", least=0, most=MAX_PLANES)
    if count == 0:
        return np.zeros((len(world.actions), 0))
    if not world.size:
        raise InvalidInput("planes: a graph needs `angles` for each action, or planes = 0; few fit its loops")
    draws = []
    for _ in range(DRAWS):
        waves = np.concatenate([_module(world, rng) for _ in range(-(-count // MODULE))])[:count]
        axes = 360.0 * waves.T[::-1]  # east, and north on a grid
        draws.append(np.stack([sign * row for row in axes for sign in (1.0, -1.0)]))
    return max(draws, key=lambda angles: _lattice_gap(world, angles))


def _lattice_gap(world: World, angles: np.ndarray) -> float:
    """`checked_gap` for a lattice: the cosine of two positions depends on the offset of their places alone."""
    rows, columns = world.size if len(world.size) == 2 else (1, world.size[0])
    across = np.arange(1 - columns, columns)[:, None] * angles[0]
    up = np.arange(rows)[:, None] * angles[-2]  # on a line there is no north, and one row
    cosines = cos_sin_degrees(up[:, None] + across)[0].mean(axis=-1)
    cosines[0, columns - 1] = -1.0  # a place and itself
    return 1.0 - float(cosines.max())


def _module(world: World, rng: np.random.Generator) -> np.ndarray:
    """Three waves, in cycles a place along each axis of the lattice, `(3, n_axes)`; their sum is 0."""
    size = np.array(world.size)
    waves = np.zeros((MODULE, len(size)))
    while not np.all(np.any(waves != 0, axis=-1)):
        wavelength = np.exp(rng.uniform(np.log(SHORTEST), np.log(max(size.min(), SHORTEST))))
        directions = rng.uniform(0, 2 * np.pi) + 2 * np.pi * np.arange(MODULE) / MODULE
        waves = np.stack([np.sin(directions), np.cos(directions)], axis=-1)[:, -len(size) :] / wavelength
        if world.closed:
            waves = np.round(waves * size) / size
        waves[2] = -(waves[0] + waves[1])
    return waves


def turns_of(world: World, angles: np.ndarray) -> np.ndarray:
    """The angle of each place in each plane, in degrees, `(n_places, planes)`: that of the first place is 0.

    Raises `InvalidInput` where two ways to a place turn by different angles.
    """
    turns, queue, component = np.zeros((len(world.places), angles.shape[1])), [0], {0}
    for place in queue:  # the places that it leads to are put behind
        for action in np.flatnonzero(world.moves[place] >= 0):
            end, turn = int(world.moves[place, action]), turns[place] + angles[action]
            if end not in component:
                turns[end] = turn
                component.add(end)
                queue.append(end)
            elif np.any(np.abs((turn - turns[end] + 180) % 360 - 180) > CLOSES):
                names = [shortened(name) for name in (world.places[end], world.actions[action], world.places[place])]
                advice = "a way round must turn each plane by a multiple of 360°"
                if world.closed:
                    divisors = " or 360°/".join(map(str, dict.fromkeys(world.size)))
                    advice += f", so an angle is a multiple of 360°/{divisors}"
                message = f"'{names[0]}' has two positions, one of them by '{names[1]}' from '{names[2]}'"
                raise InvalidInput(f"angles: {message}; {advice}")
    return turns % 360


def checked_gap(world: World, angles: np.ndarray, what: str = "angles") -> float:
    """1 minus the largest cosine of two places' positions; 0 without planes.

    what: the argument that the angles come from. Raises `InvalidInput` if two places have the same position, or if one
    place has two.
    """
    if not angles.shape[1]:
        return 0.0
    positions = positions_of(turns_of(world, angles))
    cosines = positions @ positions.T - 3.0 * np.eye(len(positions))
    gap = 1.0 - float(cosines.max())
    if gap < DISTINCT:
        first, second = np.argwhere(cosines > 1.0 - DISTINCT)[0]
        names = f"'{shortened(world.places[first])}' and '{shortened(world.places[second])}'"
        raise InvalidInput(f"{what}: {names} have the same position; give other angles, or more planes")
    return gap
