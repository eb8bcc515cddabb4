"""The plan of a sweep: its points, and the key by which each point is known."""

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from hopattn.foundation.checks import REPEATED, instance, whole
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.version import __version__
from hopattn.scenario.grids import Values, in_order

MOST = 1_000_000
"""The largest number of points of a grid."""

Point = Mapping[str, Any]
"""One point of the grid: a number or a word for each axis."""
Trial = Callable[[Point, np.random.SeedSequence], Mapping[str, float]]
"""One trial: a function of a point and a seed that gives numbers by name."""


@dataclass(frozen=True)
class Plan:
    """The axes of a sweep, its trials and its seed.

    axes: the numbers of each axis, in rising order, or its words. trials: trials at each point. seed: the seed of all
    trials. about: texts and numbers that describe the function; a checkpoint of another function is refused. Raises
    `InvalidInput` for axes that are empty or do not rise, more than `MOST` points, invalid trials and an invalid seed.
    """

    axes: Mapping[str, Values]
    trials: int = 1
    seed: int = 0
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "trials", whole(self.trials, "trials", most=REPEATED))
        object.__setattr__(self, "seed", whole(self.seed, "seed", least=0, most=None))
        instance(self.about, Mapping, "about", "a mapping of names to texts and numbers")
        try:
            json.dumps(dict(self.about))
        except (TypeError, ValueError, RecursionError):
            raise InvalidInput(f"about: expected texts and numbers by name, not {quoted(self.about)}") from None
        if not self.axes:
            raise InvalidInput("sweep: there is nothing to go over; give at least one axis")
        for name, values in self.axes.items():
            in_order(values, name, words=True)
        if len(self) > MOST:
            raise InvalidInput(f"sweep: the grid has {len(self):,} points; at most {MOST:,} are gone over at once")

    @property
    def head(self) -> dict[str, Any]:
        """The first line of the checkpoint: everything that a trial depends on. So trials can be added later."""
        versions = {"hopattn": __version__, "numpy": np.__version__}
        axes = {name: list(values) for name, values in self.axes.items()}
        return {"sweep": 1, "about": dict(self.about), "axes": axes, "seed": self.seed, "versions": versions}

    @property
    def points(self) -> Iterator[Point]:
        """Every point of the grid; the last axis changes fastest."""
        for values in product(*self.axes.values()):
            yield dict(zip(self.axes, values, strict=True))

    def __len__(self) -> int:
        return math.prod(map(len, self.axes.values()))


def key_of(plan: Plan, point: Point) -> str:
    """The key of a point: a hash of its numbers and of the head without the axes.

    So a point has the same key, and a trial the same random numbers, whatever the other points of the grid are, and
    however many trials there are.
    """
    content = {**plan.head, "axes": None, "point": dict(point)}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]


def point_text(point: Point) -> str:
    """A point as messages show it.

    >>> point_text({"load": 0.1, "beta": 8})
    'load = 0.1, beta = 8'
    """
    return ", ".join(f"{name} = {value if isinstance(value, str) else f'{value:g}'}" for name, value in point.items())
