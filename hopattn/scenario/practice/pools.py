"""Pools: what the numbers of a practice problem are drawn from.

A pool draws a value in place of the one in the file, of the same form: a number for a number, a vector for a vector. It
draws whole numbers alone, so that the same seed gives the same values on every machine. Add a pool by adding a class.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from random import Random
from typing import Annotated, Any, ClassVar

from pydantic import Field

from hopattn.foundation.registry import Registry

Steps = Annotated[int, Field(ge=1, le=180)]
Small = Annotated[int, Field(ge=-99, le=99)]


class Pool(ABC):
    """A way to draw a value in place of the present one."""

    @abstractmethod
    def draw(self, present: Any, random: Random) -> Any:
        """A value of the form of the present one; raises `ValueError`, with the reason, where there is none."""


@dataclass(frozen=True)
class UnitTenths(Pool):
    """Vectors of magnitude 1 whose numbers are positive tenths; of two numbers also (.28, .96).

    Numbers that are 0 stay 0. There are none of three numbers.
    """

    name: ClassVar[str] = "unit-tenths"

    def draw(self, present: Any, random: Random) -> Any:
        places = [i for i, value in enumerate(_vector(present)) if value != 0]
        known = unit_tenths(len(places))
        if not known:
            raise ValueError(
                f"no {len(places)} positive tenths have magnitude 1; expected 2, 4, 5, 6 … numbers that are not 0"
            )
        numbers = list(known[random.randrange(len(known))])
        random.shuffle(numbers)
        drawn = [0.0] * len(present)
        for place, number in zip(places, numbers, strict=True):
            drawn[place] = number
        return drawn


@dataclass(frozen=True)
class Spins(Pool):
    """Vectors of −1 and 1."""

    def draw(self, present: Any, random: Random) -> Any:
        return [2 * random.randrange(2) - 1 for _ in _vector(present)]


@dataclass(frozen=True)
class Whole(Pool):
    """Whole numbers from `least` to `most`, without 0. Numbers that are 0 stay 0."""

    least: Small = 1
    most: Small = 9

    def draw(self, present: Any, random: Random) -> Any:
        choices = [value for value in range(self.least, self.most + 1) if value != 0]
        if not choices:
            raise ValueError(f"there is no number but 0 from {self.least} to {self.most}; use a larger `most`")
        return _each(present, lambda value: choices[random.randrange(len(choices))] if value != 0 else 0)


@dataclass(frozen=True)
class Tenths(Pool):
    """Tenths from `least` to `most` tenths, without 0. Numbers that are 0 stay 0."""

    least: Small = 1
    most: Small = 9

    def draw(self, present: Any, random: Random) -> Any:
        return _each(Whole(self.least, self.most).draw(present, random), lambda value: value / 10)


@dataclass(frozen=True)
class Shares(Pool):
    """Lists of positive tenths that add up to 1."""

    def draw(self, present: Any, random: Random) -> Any:
        if present and isinstance(present, list) and all(isinstance(row, list) for row in present):
            return [self.draw(row, random) for row in present]
        count = len(_vector(present))
        if not 1 <= count <= 10:
            raise ValueError(f"no {count} positive tenths add up to 1; expected a list of 1 to 10 numbers")
        ends = [0, *sorted(random.sample(range(1, 10), count - 1)), 10]
        return [(end - start) / 10 for start, end in pairwise(ends)]


@dataclass(frozen=True)
class Angles(Pool):
    """Multiples of `step` degrees between −360 and 360, without 0."""

    step: Steps = 30

    def draw(self, present: Any, random: Random) -> Any:
        turns = (359 // self.step) or 1
        return _each(present, lambda _: (random.randrange(turns) + 1) * (2 * random.randrange(2) - 1) * self.step)


@dataclass(frozen=True)
class Rotations(Pool):
    """Matrices that rotate a plane by a quarter turn, or by an angle of the triangle with the sides 3, 4 and 5."""

    def draw(self, present: Any, random: Random) -> Any:
        if [len(_vector(row)) for row in _vector(present)] != [2, 2]:
            raise ValueError("rotates a plane; expected a matrix of 2 rows and 2 columns")
        angles = [(0, 1), (0.6, 0.8), (0.8, 0.6)]
        cos, sin = angles[random.randrange(len(angles))]
        cos, sin = cos * (2 * random.randrange(2) - 1), sin * (2 * random.randrange(2) - 1)
        return [[cos, -sin], [sin, cos]]


@dataclass(frozen=True)
class Circle(Pool):
    """Points of a circle, one step apart, in place of those of a table of vectors.

    A step is a quarter turn, or the angle of the triangle with the sides 3, 4 and 5.
    """

    def draw(self, present: Any, random: Random) -> Any:
        if not isinstance(present, dict) or any(len(_vector(point)) != 2 for point in present.values()):
            raise ValueError("draws points of a plane; expected a table of vectors of 2 numbers")
        (cos, _), (sin, _) = Rotations().draw([[1, 0], [0, 1]], random)
        point = [(1, 0), (0, 1), (-1, 0), (0, -1)][random.randrange(4)]
        points = []
        for _ in present:
            points.append([round(value, 12) for value in point])
            point = (cos * point[0] - sin * point[1], sin * point[0] + cos * point[1])
        return dict(zip(present, points, strict=True))


@dataclass(frozen=True)
class Order(Pool):
    """The present entries of a list in another order."""

    def draw(self, present: Any, random: Random) -> Any:
        drawn = list(_vector(present))
        random.shuffle(drawn)
        return drawn


@dataclass(frozen=True)
class Texts(Pool):
    """Texts of the given words, each of which occurs; of as many words as the present one, or of up to `most`."""

    words: Annotated[list[str], Field(min_length=2)]
    most: Annotated[int, Field(ge=2, le=20)] | None = None

    def draw(self, present: Any, random: Random) -> Any:
        further = (self.most or len(_vector(present))) - len(self.words)
        if further < 0:
            raise ValueError(f"{len(self.words)} words do not fit into a text of {self.most or len(present)}")
        further = further if self.most is None else random.randrange(further + 1)
        drawn = [*self.words, *(self.words[random.randrange(len(self.words))] for _ in range(further))]
        random.shuffle(drawn)
        return drawn


pools: Registry[Pool] = Registry("pool", Pool, [__name__])


@cache
def unit_tenths(count: int) -> tuple[tuple[float, ...], ...]:
    """The rising tuples of `count` positive tenths whose squares add up to 1.

    >>> unit_tenths(4)
    ((0.1, 0.1, 0.7, 0.7), (0.1, 0.3, 0.3, 0.9), (0.1, 0.5, 0.5, 0.7), (0.2, 0.4, 0.4, 0.8), (0.5, 0.5, 0.5, 0.5))
    """

    def rising(left: int, total: int, least: int) -> Iterator[tuple[int, ...]]:
        if left == 0:
            yield from [()] * (total == 0)
            return
        for value in range(least, 11):
            if value * value * left > total:
                return
            yield from ((value, *rest) for rest in rising(left - 1, total - value * value, value))

    found = [tuple(value / 10 for value in values) for values in rising(min(count, 101), 100, 1)]
    return (*found, (0.28, 0.96)) if count == 2 else tuple(found)


def _vector(present: Any) -> list[Any]:
    """A list; raises `ValueError` for another value."""
    if not isinstance(present, list):
        raise ValueError("draws a list of numbers; expected one here")
    return present


def _each(present: Any, of: Callable[[float], float]) -> Any:
    """A function of each number of nested lists and tables; raises `ValueError` for texts and truth values."""
    if isinstance(present, list):
        return [_each(value, of) for value in present]
    if isinstance(present, dict):
        return {name: _each(value, of) for name, value in present.items()}
    if isinstance(present, bool) or not isinstance(present, int | float):
        raise ValueError("draws numbers; expected a number or a list of numbers here")
    return of(present)
