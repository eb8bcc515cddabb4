"""The scenarios that come with hopattn, as text: by group, by word, and with their sources."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from hopattn.foundation.errors import InvalidInput, nearest, shortened
from hopattn.scenario.files import GROUPS, by_group, read_text
from hopattn.views.text_table import GAP, TextTable
from hopattn.views.visible import plain

FIRST = ("bank", "induction", "letters")
"""The scenarios to begin with."""


_ABOUT = {
    "sheets": "Q, K, V and X·W as courses print them",
    "memories": "capacity, energies, recall, forgetting",
    "landscapes": "minima, basins, radii, bifurcations",
    "networks": "layers, synapses, energy transformers",
    "optimisation": "travelling salesman, cuts of graphs, queens",
    "papers": "what papers print, beside what we compute",
    "positions": "rotary, sinusoidal, relative, ALiBi",
    "circuits": "induction heads as they arise, sinks",
    "rasp": "programs in heads: sort, count, reverse",
}
"""What the groups are about whose headings do not say it."""


class Listed(NamedTuple):
    """A scenario in a list. group: the folder that it comes from."""

    name: str
    kind: str
    title: str
    source: str
    group: str


def all_listed() -> list[Listed]:
    """The scenarios that come with hopattn, group by group."""
    files = ((group, *file) for group, files in by_group().items() for file in files.items())
    tables = ((group, name, tomllib.loads(read_text(path))) for group, name, path in files)
    return [Listed(name, one["kind"], one["title"], one["source"], group) for group, name, one in tables]


def with_words(listed: Sequence[Listed], words: Sequence[str]) -> list[Listed]:
    """The scenarios of a group, or those with all words in name and title, or else in name, title and source.

    Raises `InvalidInput` where there are none.
    """
    asked = [word.casefold() for word in words]
    if len(asked) == 1 and asked[0] in GROUPS:
        return [one for one in listed if one.group == asked[0]]
    for texts in ([f"{one.name} {one.title}" for one in listed], [" ".join(one) for one in listed]):
        lines = zip(listed, map(str.casefold, texts), strict=True)
        if found := [one for one, text in lines if all(word in text for word in asked)]:
            return sorted(found, key=lambda one: one.name not in asked)
    known = {*GROUPS, *re.findall(r"\w{3,}", " ".join(f"{one.name} {one.title}" for one in listed).casefold())}
    alone = [word for word in asked if not any(word in " ".join(one).casefold() for one in listed)]
    guess = next((near for word in alone if (near := nearest(word, sorted(known)))), None)
    hint = f"; did you mean '{guess}'?" if guess else " (`hopattn list` shows the groups)"
    raise InvalidInput(f"no scenario has {_quoted(alone or asked)} in its name, title or source{hint}")


def _quoted(words: Sequence[str]) -> str:
    return " and ".join(f"'{shortened(word)}'" for word in words)


def overview(listed: Sequence[Listed], width: int) -> Iterator[Text]:
    """The groups, the scenarios to begin with, and how to go on: less than one screen."""
    by_name = {one.name: one for one in listed}
    yield Text(f"To begin with: hopattn run {FIRST[0]}", style="bold")
    yield from _lines([by_name[name] for name in FIRST], width)
    yield Text(f"All {len(listed)}, in {len(GROUPS)} groups", style="bold")
    for group, heading in GROUPS.items():
        count = sum(one.group == group for one in listed)
        title = heading.partition(": ")[2] if heading.casefold().startswith(f"{group}: ") else _ABOUT[group]
        yield _cut(f"{group:{max(map(len, GROUPS))}}{GAP}{count:3}{GAP}{title}", width)
    yield Text("")
    ways = {
        f"hopattn list {next(iter(GROUPS))}": "the scenarios of a group, or with a word in name or title",
        "hopattn list --long": "all, with their sources",
    }
    for command, what in ways.items():
        yield Text(f"{command:{max(map(len, ways))}}{GAP}{what}")


def grouped(listed: Sequence[Listed], long: bool = False) -> Iterator[TextTable | Text]:
    """Scenarios below the headings of their groups, none cut. long: the source of each below it."""
    for i, group in enumerate(dict.fromkeys(one.group for one in listed)):
        if i:
            yield Text("")
        own = [one for one in listed if one.group == group]
        yield Text(GROUPS[group], style="bold")
        rows = [
            row
            for one in own
            for row in ((one.name, one.title), *([("", f"{one.kind}; {one.source}")] if long else []))
        ]
        yield TextTable(("", ""), [[*map(plain, row)] for row in rows])


def _lines(listed: Sequence[Listed], width: int) -> Iterator[Text]:
    """A line for each scenario: its name and its title."""
    names = max(len(one.name) for one in listed)
    for one in listed:
        yield _cut(f"{one.name:{names}}{GAP}{one.title}", width)


def _cut(line: str, width: int) -> Text:
    """A line that is cut where it does not fit."""
    text = plain(line)
    return Text(text if cell_len(text) <= width else f"{set_cell_size(text, width - 1).rstrip()}…")
