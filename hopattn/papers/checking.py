"""Records chosen by their names or by words, and computed again on several processes."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hopattn.experiments.processes import results_of
from hopattn.foundation.errors import InvalidInput, nearest, quoted
from hopattn.papers.loading import records
from hopattn.papers.record import Computed, Record
from hopattn.scenario.files import shipped

Report = Callable[[int, int], None]


def chosen(words: Sequence[str]) -> list[Record]:
    """The records of these names, or else those with all words in name, subject, verdict, authors, year or groups.

    A record is in the group of its paper, such as "hopfield-1982", and in that of the scenario that shows it.

    All records, if there are no words. Raises `InvalidInput` where there are none, with the nearest name.
    """
    every, words = records(), list(dict.fromkeys(words))
    if all(word in every for word in words):
        return [every[word] for word in words] or [*every.values()]
    asked, files = [word.casefold() for word in words], shipped()
    known = {name: _words(one, files) for name, one in every.items()}
    if found := [one for name, one in every.items() if known[name].issuperset(asked)]:
        return found
    alone = next((word for word in words if not any(word.casefold() in own for own in known.values())), words[0])
    guess = nearest(alone, [*every, *sorted({word for own in known.values() for word in own})])
    hint = f"; did you mean '{guess}'?" if guess else " (`hopattn papers` shows them)"
    raise InvalidInput(f"no record has the name or the word {quoted(alone)}{hint}")


def _words(record: Record, files: Mapping[str, Path]) -> set[str]:
    """The words by which a record is found. files: of the scenarios, by their names."""
    text = " ".join([record.name, record.says, record.verdict, record.source.short]).casefold()
    folder = [] if record.figure is None else [files[record.figure].parent.name]
    return {record.name, record.group, *folder, *re.findall(r"\w+", text)}


def computed(chosen: Iterable[Record], workers: int | None = None, report: Report | None = None) -> list[Computed]:
    """Compute these records again, each on one of several processes; gives them in their order.

    workers: None for a process on each core. report: called as report(finished, all). Raises what `Record.compute` and
    `results_of` raise.
    """
    names = [record.name for record in chosen]
    # A scenario with many seeds takes longest, so it begins first.
    first = sorted(names, key=lambda name: -getattr(records()[name], "trials", 0))
    found: dict[str, Computed] = {}
    for one in results_of(_computed, first, workers):
        found[one.record.name] = replace(one, record=records()[one.record.name])
        if report is not None:
            report(len(found), len(names))
    return [found[name] for name in names]


def _computed(name: str) -> Computed:
    return records()[name].compute()
