"""The table `[practice]` of a scenario: what a practice problem draws anew, and the errors behind its wrong answers.

A pool draws a value in place of the one in the file, of the same form: a number for a number, a vector for a vector. It
draws whole numbers alone, so that the same seed gives the same values on every machine. Add a pool by adding a class.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise, product
from random import Random
from typing import Annotated, Any, ClassVar

from pydantic import Field, Tag

from hopattn.foundation.errors import InvalidInput, shortened, unknown
from hopattn.foundation.registry import Registry
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.paths import IsUserKey, changed, value_at
from hopattn.scenario.language.table import (
    ByTomlType,
    EntryIn,
    NameIn,
    Parts,
    Table,
    Text,
    need,
    need_different,
    refusal,
    registry_entry,
    unnamed,
)
from hopattn.scenario.mistakes import mistakes

MOST_PROBLEMS = 100
"""The largest number of problems on a sheet."""
MOST_DRAWN = 100
"""The most values that a problem draws anew."""
SIGNS = (-1, 1)
ROUNDING = 1e-6
"""The rounding of what sums to 1, of numbers with seven digits."""
Steps = Annotated[int, Field(ge=1, le=180)]
Small = Annotated[int, Field(ge=-99, le=99)]


class Pool(ABC):
    """A way to draw a value in place of the present one."""

    @abstractmethod
    def draw(self, present: Any, random: Random) -> Any:
        """A value of the form of the present one; raises `InvalidInput`, with the reason, where there is none."""

    def holds(self, present: Any) -> bool:
        """Whether a value is of the sort that it draws, so that a first table [practice] draws it from here."""
        return False


class UnitTenths(Pool):
    """Vectors of magnitude 1 whose numbers are positive tenths; of two numbers also (.28, .96).

    Numbers that are 0 stay 0. There are none of three numbers.
    """

    name: ClassVar[str] = "unit-tenths"

    def draw(self, present: Any, random: Random) -> Any:
        n = sum(value != 0 for value in _list(present))
        if not (known := unit_tenths(n)):
            raise InvalidInput(f"no {n} positive tenths have magnitude 1; expected 2, 4, 5, 6 … numbers that are not 0")
        numbers = list(random.choice(known))
        random.shuffle(numbers)
        in_order = iter(numbers)
        return [next(in_order) if value != 0 else 0.0 for value in present]

    def holds(self, present: Any) -> bool:
        numbers = [number for number in _numbers(present) if number]
        return abs(math.hypot(*numbers) - 1) < ROUNDING and len(unit_tenths(len(numbers))) > 2


class Spins(Pool):
    """Vectors of −1 and 1."""

    def draw(self, present: Any, random: Random) -> Any:
        return _each(_list(present), lambda _: random.choice(SIGNS))

    def holds(self, present: Any) -> bool:
        return len(numbers := _numbers(present)) > 1 and {*numbers} <= {*SIGNS}


class Bits(Pool):
    """Vectors of 0 and 1."""

    def draw(self, present: Any, random: Random) -> Any:
        return _each(_list(present), lambda _: random.choice((0, 1)))

    def holds(self, present: Any) -> bool:
        return {*_numbers(present)} == {0, 1}


class Signs(Pool):
    """The present numbers, each with a sign that is drawn. A symmetric matrix stays symmetric."""

    def draw(self, present: Any, random: Random) -> Any:
        drawn = _each(_list(present), lambda value: value and random.choice(SIGNS) * abs(value))
        if not isinstance(present[0], list) or present != [list(column) for column in zip(*present, strict=True)]:
            return drawn
        return [[drawn[min(i, j)][max(i, j)] for j in range(len(drawn))] for i in range(len(drawn))]

    def holds(self, present: Any) -> bool:
        return sum(number != 0 for number in _numbers(present)) > 1


@dataclass(frozen=True)
class Whole(Pool):
    """Whole numbers from `least` to `most`, without 0. Numbers that are 0 stay 0."""

    least: Small = 1
    most: Small = 9

    def draw(self, present: Any, random: Random) -> Any:
        choices = [value for value in range(self.least, self.most + 1) if value != 0]
        if not choices:
            raise InvalidInput(f"there is no number but 0 from {self.least} to {self.most}; use a larger `most`")
        return _each(present, lambda value: random.choice(choices) if value != 0 else 0)

    def holds(self, present: Any) -> bool:
        numbers = [number for number in _numbers(present) if number]
        return len(numbers) > 1 and all(number == round(number) for number in numbers)


class Tenths(Whole):
    """Tenths from `least` to `most` tenths, without 0. Numbers that are 0 stay 0."""

    def draw(self, present: Any, random: Random) -> Any:
        return _each(super().draw(present, random), lambda value: value / 10)

    def holds(self, present: Any) -> bool:
        return sum(number != 0 for number in _numbers(present)) > 1


class Shares(Pool):
    """Lists of positive tenths that add up to 1."""

    def draw(self, present: Any, random: Random) -> Any:
        if present and isinstance(present, list) and all(isinstance(row, list) for row in present):
            return [self.draw(row, random) for row in present]
        n = len(_list(present))
        if not 1 <= n <= 10:
            raise InvalidInput(f"no {n} positive tenths add up to 1; expected a list of 1 to 10 numbers")
        ends = [0, *sorted(random.sample(range(1, 10), n - 1)), 10]
        return [(end - start) / 10 for start, end in pairwise(ends)]

    def holds(self, present: Any) -> bool:
        rows = present if isinstance(present[0], list) else [present]
        return all(min(row) >= 0 and abs(sum(row) - 1) < ROUNDING for row in rows)


@dataclass(frozen=True)
class Angles(Pool):
    """Multiples of `step` degrees between −360 and 360, without 0."""

    step: Steps = 30

    def draw(self, present: Any, random: Random) -> Any:
        turns = range(1, 1 + (359 // self.step or 1))
        return _each(present, lambda _: random.choice(turns) * random.choice(SIGNS) * self.step)


class Rotations(Pool):
    """Matrices that rotate a plane by a quarter turn, or by an angle of the triangle with the sides 3, 4 and 5."""

    def draw(self, present: Any, random: Random) -> Any:
        if [len(_list(row)) for row in _list(present)] != [2, 2]:
            raise InvalidInput("rotates a plane; expected a matrix of 2 rows and 2 columns")
        cos, sin = (size * random.choice(SIGNS) for size in random.choice([(0, 1), (0.6, 0.8), (0.8, 0.6)]))
        return [[cos, -sin], [sin, cos]]

    def holds(self, present: Any) -> bool:
        if [len(row) for row in present] != [2, 2]:
            return False
        (a, b), (c, d) = present
        return (a, b) == (d, -c) and abs(a * a + b * b - 1) < ROUNDING


class Circle(Pool):
    """Points of a circle, one step apart, in place of those of a table of vectors.

    A step is a quarter turn, or the angle of the triangle with the sides 3, 4 and 5.
    """

    def draw(self, present: Any, random: Random) -> Any:
        if not isinstance(present, dict) or any(len(_list(point)) != 2 for point in present.values()):
            raise InvalidInput("draws points of a plane; expected a table of vectors of 2 numbers")
        (cos, _), (sin, _) = Rotations().draw([[1, 0], [0, 1]], random)
        x, y = random.choice([(1, 0), (0, 1), (-1, 0), (0, -1)])
        points = {}
        for name in present:
            points[name] = [round(x, 12), round(y, 12)]
            x, y = cos * x - sin * y, sin * x + cos * y
        return points


class Order(Pool):
    """The present entries of a list in another order."""

    def draw(self, present: Any, random: Random) -> Any:
        drawn = list(_list(present))
        random.shuffle(drawn)
        return drawn


@dataclass(frozen=True)
class Texts(Pool):
    """Texts of the given words, each of which occurs; of as many words as the present one, or of up to `most`."""

    words: Annotated[list[str], Field(min_length=2)]
    most: Annotated[int, Field(ge=2, le=20)] | None = None

    def draw(self, present: Any, random: Random) -> Any:
        further = (self.most or len(_list(present))) - len(self.words)
        if further < 0:
            raise InvalidInput(f"{len(self.words)} words do not fit into a text of {self.most or len(present)}")
        further = further if self.most is None else random.randrange(further + 1)
        drawn = [*self.words, *(random.choice(self.words) for _ in range(further))]
        random.shuffle(drawn)
        return drawn


pools: Registry[Pool] = Registry("pool", Pool, [__name__])


@cache
def unit_tenths(count: int) -> tuple[tuple[float, ...], ...]:
    """The rising tuples of `count` positive tenths whose squares add up to 1.

    >>> unit_tenths(4)
    ((0.1, 0.1, 0.7, 0.7), (0.1, 0.3, 0.3, 0.9), (0.1, 0.5, 0.5, 0.7), (0.2, 0.4, 0.4, 0.8), (0.5, 0.5, 0.5, 0.5))
    """

    def rising(left: int, total: int, least: int) -> list[tuple[int, ...]]:
        if left == 0:
            return [()] * (total == 0)
        values = (value for value in range(least, 11) if value * value * left <= total)
        return [(value, *rest) for value in values for rest in rising(left - 1, total - value * value, value)]

    tenths = [tuple(value / 10 for value in values) for values in rising(count, 100, 1)]
    return (*tenths, *[(0.28, 0.96)] * (count == 2))


def _list(present: Any) -> list[Any]:
    if not isinstance(present, list):
        raise InvalidInput("draws a list of numbers; expected one here")
    return present


def _numbers(present: Any) -> list[float]:
    """The numbers of nested lists and tables; none where there are texts too."""
    numbers = list[float]()
    try:
        _each(present, numbers.append)  # type: ignore[arg-type]
    except InvalidInput:
        return []
    return numbers


def _each(present: Any, of: Callable[[float], float]) -> Any:
    """A function of each number of nested lists and tables; raises `InvalidInput` for texts and truth values."""
    if isinstance(present, list):
        return [_each(value, of) for value in present]
    if isinstance(present, dict):
        return {name: _each(value, of) for name, value in present.items()}
    if isinstance(present, bool) or not isinstance(present, int | float):
        raise InvalidInput("draws numbers; expected a number or a list of numbers here")
    return of(present)


PoolChoice = Annotated[
    Annotated[str, NameIn(pools), Tag("text")]
    | Annotated[Table, EntryIn(pools, suffix="Pool"), Tag("table")]
    | Annotated[list[Any], Field(min_length=2), Tag("array")],
    ByTomlType,
]


class PracticeTable(Table):
    """The practice problems that `hopattn practice` draws from a scenario."""

    vary: Annotated[dict[Text, PoolChoice], Field(min_length=1, max_length=MOST_DRAWN)]
    """What is drawn anew: the path of a value, as for --set, and the pool that it is drawn from: "unit-tenths",
    { name = "whole", most = 4 } …, or a list of values."""
    errors: Annotated[list[Annotated[str, NameIn(mistakes, lambda _: {})]], Field(min_length=3)]
    """The errors behind the wrong answers, by name; a wrong answer is the answer of a run with one of them."""
    text: Text | None = None
    """A sentence before the numbers of a problem."""

    def drawn(self, document: Mapping[str, Any], user_key: IsUserKey, random: Random) -> dict[str, Any]:
        """A value for each path, drawn anew. document: the file with all its defaults. user_key: as for `changed`."""
        places: dict[str, Path] = {}
        for place, path in changed(document, dict.fromkeys(self.vary), document, user_key)[1].items():
            places.setdefault(path, place)  # the first of several
        return {path: _drawn(pool, value_at(document, places[path]), random) for path, pool in self.vary.items()}

    def need_fit(self, document: Mapping[str, Any], user_key: IsUserKey) -> None:
        """Refuse paths that the file does not have, pools that do not fit the values there, and what is there twice."""
        places: dict[str, list[Path]] = {}
        with Parts() as parts:
            with parts.at("errors"):
                need_different(self.errors)
            for path, pool in self.vary.items():
                with parts.at("vary", path), unnamed(path):
                    ends = [*changed(document, {path: None}, document, user_key)[1]]
                    need(ends, (), lack := f"there is no '{shortened(path)}'")
                    if (present := value_at(document, ends[0])) is None:
                        table = value_at(document, ends[0][:-1])
                        names = [key for key in table if table[key] is not None] if isinstance(table, Mapping) else []
                        raise refusal((), unknown(ends[0][-1], names) if names else lack)
                    _drawn(pool, present, Random(0))
                    places[path] = ends
            for (one, ours), (other, theirs) in combinations(places.items(), 2):
                twice = any(a[: len(b)] == b[: len(a)] for a, b in product(ours, theirs))
                with parts.at("vary", other):
                    need(not twice, (), f"'{shortened(one)}' draws the same value; leave one of the two out")


def _drawn(pool: Any, present: Any, random: Random) -> Any:
    return random.choice(pool) if isinstance(pool, list) else registry_entry(pools, pool).draw(present, random)
