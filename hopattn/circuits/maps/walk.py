"""A walk: at each step attention recalls what was seen at this position before; then the memory takes in what is seen.

    x_t = R_a x_(t−1)          ŷ_t = Σ_(s<t) p_s y_s,   p = softmax(β X x_t)          the memory: rows (x_s, y_s)

The keys are the positions of the walk so far, the values are its observations. Nothing is learned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from hopattn.circuits.maps.rotations import MODULE, angles_of, checked_gap, drawn_angles, positions_of, turns_of
from hopattn.circuits.maps.world import World
from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import plain_array
from hopattn.foundation.boundary import Positive, public
from hopattn.foundation.checks import Seed, generator, instance, real, whole
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.threads import blocks
from hopattn.positions.planes import cos_sin_degrees
from hopattn.transformer.scaled_dot_product import attention

MAX_STEPS = 100_000
STEPS_OF_BLOCK = 256
"""The number of steps whose predictions are computed together."""
FIRST, KNOWN, NEW = "first visit", "known edge", "new edge"
"""The sorts of steps: to a place never seen, back along an edge that was walked before, back along a new edge."""

Walkable = Annotated[
    World, lambda value, what: instance(value, World, what, "a World, such as ha.circuits.World.torus(10, 10)")
]
Noise = Annotated[float, partial(real, least=0.0)]


@dataclass(frozen=True, eq=False, kw_only=True)
class Walked(PublicObject):
    """A walk of T steps, and what was predicted at each of them.

    Attributes
    ----------
    world : where.
    observations : the kind of each place, `(n_places,)`.
    angles : of each action in each plane, in degrees, `(n_actions, planes)`.
    beta : of the recall.
    noise : in degrees.
    places : at each time, `(T + 1,)`.
    actions : (T,)
    positions : at each time, with their noise, `(T + 1, dim)`.
    predicted : the kind predicted at each step, `(T,)`.
    sorts
        "first visit", "known edge" or "new edge" for each step, `(T,)`; an edge is new if it was walked in neither
        direction.
    gap : 1 minus the largest cosine of two places' positions; 0 without positions.
    """

    world: World
    observations: np.ndarray
    angles: np.ndarray
    beta: float
    noise: float
    places: np.ndarray
    actions: np.ndarray
    positions: np.ndarray
    predicted: np.ndarray
    sorts: np.ndarray
    gap: float

    def __repr__(self) -> str:
        return f"Walked({len(self.actions)} steps, accuracy {self.accuracy:.4g} on {int(self.revisits.sum())} revisits)"

    @property
    def seen(self) -> np.ndarray:
        """The kind that is seen after each step, `(T,)`."""
        return np.asarray(self.observations[self.places[1:]])

    @property
    def right(self) -> np.ndarray:
        """Whether each prediction is right, `(T,)`."""
        return np.asarray(self.predicted == self.seen)

    @property
    def revisits(self) -> np.ndarray:
        """Whether each step leads to a place that was seen before, `(T,)`."""
        return np.asarray(self.sorts != FIRST)

    @property
    def accuracy(self) -> float:
        """The fraction of right predictions on revisits; 0 without revisits."""
        return float(self.right[self.revisits].mean()) if self.revisits.any() else 0.0

    @property
    def accuracy_on_new_edges(self) -> float:
        """The same on revisits along an edge that was never walked before."""
        new_edges = self.sorts == NEW
        return float(self.right[new_edges].mean()) if new_edges.any() else 0.0

    @property
    def chance(self) -> float:
        """The accuracy of the best constant prediction on the revisits.

        Without positions the memory predicts the kind it saw most often, first visits included; so a short walk may
        exceed chance, by at most the largest number of places of one kind over the revisits.
        """
        return float(np.bincount(self.seen[self.revisits]).max(initial=0)) / max(1, int(self.revisits.sum()))

    @property
    def stray_weight(self) -> float:
        """The most weight that all memories of other places together can have on a revisit, if noise is 0.

        It is r / (1 + r) with r = T exp(−β gap): one memory of this place has the score β, and T others have at most
        β(1 − gap). Below ½ every prediction on a revisit is right.
        """
        stray = np.log(len(self.actions)) - self.beta * self.gap
        return float(0.5 * (1 + np.tanh(0.5 * stray)))

    @property
    def grid_responses(self) -> np.ndarray:
        """The mean of the cosines of each module, three planes, at each place, `(n_places, n_modules)`."""
        waves = np.asarray(cos_sin_degrees(turns_of(self.world, self.angles))[0])
        modules = [waves[:, i : i + MODULE].mean(axis=-1) for i in range(0, waves.shape[1], MODULE)]
        return np.stack(modules, axis=-1) if modules else np.zeros((len(waves), 0))

    @property
    def place_responses(self) -> np.ndarray:
        """The weight of the memory of place i (row) at place j (column), without noise, `(n_places, n_places)`."""
        x = positions_of(turns_of(self.world, self.angles))
        return np.asarray(attention(x, x, np.eye(len(x)), beta=self.beta)).T

    @public
    def with_noise(self, noise: Noise, *, rng: Seed = None) -> "Walked":
        """The same path with other noise. rng: a whole number or a generator; without it every call draws others."""
        positions = _walked(self.angles, self.actions, noise, generator(rng=rng))
        predictions = _recalled(positions, self.observations[self.places], self.beta)
        return replace(self, noise=noise, positions=positions, predicted=predictions)


@public
def walk(
    world: Walkable,
    *,
    steps: Annotated[int, partial(whole, most=MAX_STEPS)] = 1000,
    kinds: int | Sequence[int] = 10,
    angles: Mapping[str, Sequence[float]] | None = None,
    planes: int = 12,
    beta: Positive = 50.0,
    noise: Noise = 0.0,
    rng: Seed = None,
) -> Walked:
    """A random walk from the first place, with a memory of positions and observations.

    Parameters
    ----------
    world : the places, and the actions between them.
    steps : at each, one of the possible actions is drawn.
    kinds
        the number of kinds of observations, which are dealt to the places as evenly as possible, or the kind of each
        place, `(n_places,)`.
    angles
        an action → its angles in degrees, one for each plane; an action without them turns against its inverse; by
        default they are drawn for a lattice.
    planes : how many are drawn; with 0, all places have one position.
    beta : of the recall.
    noise : the standard deviation of the error of each rotation, in degrees; errors add up.
    rng : a whole number or a generator; without it every call draws others.

    Raises
    ------
    InvalidInput : for other numbers, and for angles with which two places have one position, or a place has two.

    Notes
    -----
    Source: Whittington, Warren & Behrens (2022), ICLR (their W_a is our R_a, their positions e are our x).

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.circuits.walk(ha.circuits.World.torus(5, 5), steps=500, rng=1).accuracy
    1.0
    """
    of_kinds, of_angles, of_path, of_noise = generator(rng=rng).spawn(4)
    observations = _observations(kinds, len(world.places), of_kinds)
    turns = drawn_angles(world, planes, of_angles) if angles is None else angles_of(world, angles)
    gap = checked_gap(world, turns, "planes" if angles is None else "angles")
    places, actions = _path(world, steps, of_path)
    positions = _walked(turns, actions, noise, of_noise)
    predictions = _recalled(positions, observations[places], beta)
    sorts = _sorts(world, places, actions)
    return Walked(
        world=world,
        observations=observations,
        angles=turns,
        beta=beta,
        noise=noise,
        places=places,
        actions=actions,
        positions=positions,
        predicted=predictions,
        sorts=sorts,
        gap=gap,
    )


def _observations(kinds: Any, n: int, rng: np.random.Generator) -> np.ndarray:
    """The kind of each place, `(n,)`: the kinds themselves, or as many kinds as a number says, dealt evenly."""
    numbers = plain_array(kinds, "kinds")
    if numbers.ndim == 0:
        return np.asarray(rng.permutation(np.arange(n) % whole(kinds, "kinds")))
    if numbers.shape != (n,) or numbers.dtype.kind not in "iu" or numbers.min() < 0 or numbers.max() >= 10 * n:
        form = f"one whole number from 0 to {10 * n - 1} for each of {n} places"
        raise InvalidInput(f"kinds: expected a number, or {form}")
    return numbers


def _path(world: World, steps: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The places `(steps + 1,)` and actions `(steps,)` of a random walk."""
    possible = [np.flatnonzero(row >= 0) for row in world.moves]
    places, actions, draws = [0], [], rng.random(steps)
    for draw in draws:
        choices = possible[places[-1]]
        actions.append(int(choices[int(draw * len(choices))]))
        places.append(int(world.moves[places[-1], actions[-1]]))
    return np.array(places), np.array(actions)


def _walked(angles: np.ndarray, actions: np.ndarray, noise: float, rng: np.random.Generator) -> np.ndarray:
    """The position at each time, `(T + 1, dim)`. The rotations of a plane commute, so their angles are added."""
    errors = noise * rng.standard_normal((len(actions), angles.shape[1]))
    turns = np.cumsum(angles[actions] + errors, axis=0)
    return positions_of(np.concatenate([np.zeros((1, angles.shape[1])), turns]))


def _recalled(positions: np.ndarray, kinds: np.ndarray, beta: float) -> np.ndarray:
    """The kind predicted at each step, `(T,)`: the one with the most weight among the memories of earlier times."""
    values, predictions = np.eye(int(kinds.max()) + 1)[kinds], []
    for block in blocks(len(positions), STEPS_OF_BLOCK):
        earlier = np.arange(block.stop) < np.arange(block.start, block.stop)[:, None]
        field = attention(positions[block], positions[: block.stop], values[: block.stop], beta=beta, mask=earlier)
        predictions.append(np.argmax(np.asarray(field), axis=-1))
    return np.concatenate(predictions)[1:]


def _sorts(world: World, places: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """The sort of each step, `(T,)`."""
    past_places, past_edges, sorts = {int(places[0])}, set(), []
    for start, action, end in zip(places[:-1].tolist(), actions.tolist(), places[1:].tolist(), strict=True):
        edge = KNOWN if (start, action) in past_edges else NEW
        sorts.append(edge if end in past_places else FIRST)
        past_places.add(end)
        past_edges |= {(start, action), (end, world.inverse[action])}
    return np.array(sorts)
