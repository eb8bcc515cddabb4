"""The plan of a sweep: its points, the key by which each is known, and the seed of each trial."""

import hashlib
import json
import math
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from hopattn.foundation.checks import REPEATED, instance, whole
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.version import __version__
from hopattn.scenario.grids import Values, axis_values

Point = Mapping[str, Any]
"""One point of the grid: a number or a word for each axis."""
Trial = Callable[[Point, np.random.SeedSequence], Mapping[str, float]]
"""One trial: a function of a point and a seed that gives numbers by name."""


@dataclass(frozen=True)
class Plan:
    """The axes of a sweep, its trials and its seed.

    axes: the numbers of each axis, in rising order, or its words. seed: the seed of all trials. trials: trials at each
    point. about: texts and numbers that describe the function; a checkpoint of another function is refused. Raises
    `InvalidInput` for axes that are empty or do not rise, invalid trials and an invalid seed.
    """

    axes: Mapping[str, Values]
    seed: int
    trials: int = 1
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
            axis_values(values, name, words=True)

    @property
    def head(self) -> dict[str, Any]:
        """The head of the checkpoint: everything that a trial depends on. So trials can be added later."""
        versions = {"hopattn": __version__, "numpy": np.__version__}
        axes = {name: list(values) for name, values in self.axes.items()}
        return {"about": dict(self.about), "axes": axes, "seed": self.seed, "versions": versions}

    def __len__(self) -> int:
        return math.prod(map(len, self.axes.values()))


def points_of(axes: Mapping[str, Values]) -> Iterator[Point]:
    """Every point of the grid of these axes; the last axis changes fastest."""
    for values in product(*axes.values()):
        yield dict(zip(axes, values, strict=True))


def key_of(point: Point) -> str:
    """The text by which a point is known: its names in alphabetical order, each with its word or its exact fraction.

    So points of equal numbers have equal keys, in every version of Python and NumPy.

    >>> key_of({"rule": "hebb", "load": 0.5}), key_of({"n": 3}) == key_of({"n": 3.0})
    ('{"load": [1, 2], "rule": "hebb"}', True)
    """
    exact = {name: value if isinstance(value, str) else value.as_integer_ratio() for name, value in point.items()}
    return json.dumps(exact, sort_keys=True)


def seed_of(seed: int, point: Point, trial: int) -> np.random.SeedSequence:
    """The seed of one trial at a point: it depends on the seed of the sweep, the point and the number of the trial.

    The point is four words of 32 bits, the first of the SHA-256 of its key.
    """
    words = struct.unpack(">4I", hashlib.sha256(key_of(point).encode()).digest()[:16])
    return np.random.SeedSequence(seed, spawn_key=(*words, trial))


def point_text(point: Point) -> str:
    """A point as messages show it.

    >>> point_text({"load": 0.1, "beta": 8})
    'load = 0.1, beta = 8'
    """
    return ", ".join(f"{name} = {value if isinstance(value, str) else f'{value:g}'}" for name, value in point.items())
