"""The table `[practice]` of a scenario: what a practice problem draws anew, and the errors behind its wrong answers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from random import Random
from typing import Annotated, Any

from pydantic import Field, Tag

from hopattn.foundation.errors import InvalidInput, shortened, unknown
from hopattn.scenario.language.common_problems import duplicate_problems
from hopattn.scenario.language.fields import (
    ByTomlType,
    EntryIn,
    NameIn,
    Problem,
    Table,
    Text,
    registry_entry,
)
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.overrides import changed
from hopattn.scenario.language.paths import IsUserKey, dotted, parse_path, whole_path
from hopattn.scenario.practice.mistakes import mistakes
from hopattn.scenario.practice.pools import pools

PoolChoice = Annotated[
    Annotated[str, NameIn(pools), Tag("text")]
    | Annotated[Table, EntryIn(pools, suffix="Pool"), Tag("table")]
    | Annotated[list[Any], Field(min_length=2), Tag("array")],
    ByTomlType,
]


MOST_PROBLEMS = 100
"""The largest number of problems on a sheet."""
MOST_DRAWN = 100
"""The most values that a problem draws anew."""


class PracticeTable(Table):
    """The practice problems that `hopattn practice` draws from a scenario."""

    vary: Annotated[dict[Text, PoolChoice], Field(min_length=1, max_length=MOST_DRAWN)]
    """What is drawn anew: the path of a value, as for --set, and the pool that it is drawn from: "unit-tenths",
    { name = "whole", most = 4 } …, or a list of values."""
    errors: Annotated[list[Annotated[str, NameIn(mistakes, lambda _: {})]], Field(min_length=3)]
    """The errors behind the wrong answers, by name; a wrong answer is the answer of a run with one of them."""
    text: Text | None = None
    """A sentence before the numbers of a problem."""

    def drawn(self, document: Mapping[str, Any], random: Random) -> dict[str, Any]:
        """A value for each path, drawn anew. document: the file with all its defaults."""
        return {path: _drawn(pool, _present(document, parse_path(path)), random) for path, pool in self.vary.items()}

    def problems(self, document: Mapping[str, Any], user_key: IsUserKey) -> Iterator[Problem]:
        """Paths that the file does not have, pools that do not fit the values there, values drawn twice, errors too."""
        yield from duplicate_problems(self.errors, ("practice", "errors"))
        places: dict[str, Iterable[Path]] = {}
        for path, pool in self.vary.items():
            place = ("practice", "vary", path)
            try:
                keys = whole_path(path, document, user_key)
                present = _present(document, keys)
                if present is None:
                    known = _present(document, keys[:-1])
                    has = unknown(keys[-1], known) if isinstance(known, Mapping) else f"there is no '{dotted(keys)}'"
                    yield Problem(place, has)
                else:
                    _drawn(pool, present, Random(0))
                    places[path] = changed(document, {path: present}, document, user_key)[1]
            except (InvalidInput, ValueError) as error:
                yield Problem(place, str(error).removeprefix(f"{path}: "))
        for (one, ours), (other, theirs) in combinations(places.items(), 2):
            if any(a[: len(b)] == b[: len(a)] for a, b in product(ours, theirs)):
                about = f"'{shortened(one)}' draws the same value; leave one of the two out"
                yield Problem(("practice", "vary", other), about)


def _drawn(pool: Any, present: Any, random: Random) -> Any:
    if isinstance(pool, list):
        return pool[random.randrange(len(pool))]
    return registry_entry(pools, pool).draw(present, random)


def _present(document: Any, keys: Sequence[str]) -> Any:
    """The value at a path; None if there is none. A number counts the entries of a list; else the first is meant."""
    for i, key in enumerate(keys):
        if isinstance(document, list):
            number = int(key) if key.isdigit() and len(key) < 9 else 1
            entry = document[number - 1] if 1 <= number <= len(document) else None
            return _present(entry, keys[i + 1 :] if key.isdigit() else keys[i:])
        document = document.get(key) if isinstance(document, Mapping) else None
    return document
