"""Checked scenarios on the terminal: what was missed, and how many expectations of each source are met."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.text import Text

from hopattn.foundation.writing import counted
from hopattn.scenario.files import GROUPS
from hopattn.scenario.result import Result
from hopattn.views.consoles import console
from hopattn.views.result_text import mark, outcome_table, tally
from hopattn.views.terminal import show, table
from hopattn.views.visible import plain


class Checked(NamedTuple):
    """A scenario that was run. group: of the scenarios that come with hopattn. seconds: of its run."""

    result: Result
    group: str
    seconds: float

    @property
    def met(self) -> int:
        """The number of expectations that were met."""
        return sum(outcome.met is True for outcome in self.result.expectations)

    @property
    def judged(self) -> int:
        """The number of expectations that were met or missed."""
        return sum(outcome.met is not None for outcome in self.result.expectations)


def show_check(checked: Sequence[Checked], in_groups: bool, long: bool) -> None:
    """Write what was missed, a row for each scenario or each group, and the total.

    in_groups: whether the rows are groups. long: a row for each scenario in any case, with its source.
    """
    out = console()
    if in_groups and not long:
        headings = ["", "group", "scenarios", "expectations", "seconds"]
        groups = {name: [one for one in checked if one.group == name] for name in GROUPS}
        rows = [_group_row(name, own) for name, own in groups.items() if own]
    else:
        headings = ["", "scenario", "met", "seconds", *(["source"] if long else [])]
        rows = [_row(one, long) for one in checked]
    show(out, table(headings, rows, right=["met", "scenarios", "expectations", "seconds"], labels=2))
    for one in checked:
        if not one.result.ok:
            show(out, Text(""), Text(plain(f"{one.result.name} misses:")))
            show(out, outcome_table(outcome for outcome in one.result.expectations if outcome.met is False))
    outcomes = [outcome for one in checked for outcome in one.result.expectations]
    total = f"{counted(len(checked), 'scenario')}; {tally(outcomes)}; {sum(one.seconds for one in checked):.1f} s"
    show(out, Text(""), Text(total + ("; --long shows each" if in_groups and not long else "")))


def _row(one: Checked, long: bool) -> list[Text | str]:
    """The row of a scenario."""
    result = one.result
    cells: list[Text | str] = [mark(result.ok), result.name, f"{one.met} of {one.judged}", f"{one.seconds:.1f}"]
    return [*cells, result.source] if long else cells


def _group_row(name: str, own: Sequence[Checked]) -> list[Text | str]:
    """The row of a group: how many of its scenarios, and of their expectations, are met, and how long that took."""
    kept = sum(one.result.ok for one in own)
    met, judged = sum(one.met for one in own), sum(one.judged for one in own)
    title, seconds = GROUPS[name].partition(":")[0], sum(one.seconds for one in own)
    return [mark(kept == len(own)), title, f"{kept} of {len(own)}", f"{met} of {judged}", f"{seconds:.1f}"]
