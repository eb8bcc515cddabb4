"""A result on the terminal: its title, the arrays of its runs, the verdicts on its expectations, and what next."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich.text import Text

from hopattn.foundation.sentences import say
from hopattn.foundation.writing import in_lines
from hopattn.scenario.result import Outcome, Result
from hopattn.views.array_cells import DIGITS
from hopattn.views.consoles import console
from hopattn.views.run_text import RunTexts
from hopattn.views.terminal import show, table
from hopattn.views.text_table import TextTable
from hopattn.views.visible import plain

LONG = 24
"""A longer value that is computed as expected is not printed twice."""


def show_result(result: Result, explain: bool = False, digits: int = DIGITS, further: Sequence[str] = ()) -> None:
    """Write a result to standard output: its title, the arrays of its runs, and the verdicts on its expectations.

    explain: whether to write the arithmetic instead of the arrays. digits: the decimals of the numbers in tables.
    further: what one may do next, behind the number of expectations that are met.
    """
    out = console()
    show(out, Text(plain(f"{result.name}: {result.title}"), style="bold"))
    for name, about in (("source", result.source), ("note", result.note), ("matrices", result.reading)):
        if about:
            show(out, Text(plain(f"{say(name)}: {about}")))
    texts, several = RunTexts(out, digits), len(result.runs) > 1
    for run in result.runs:
        show(out, Text(""))
        if several:
            show(out, Text(plain(say("variant: {}", run.name) if run.name else say("as written")), style="bold"))
        show(out, *(map(Text, map(plain, run.working)) if explain else texts.parts(run)))
    if result.expectations:
        show(out, Text(""), outcome_table(result.expectations))
    lines = in_lines([tally(result.expectations), *map(plain, further)], out.width)
    show(out, Text(""), *map(Text, lines))


def mark(met: bool | None) -> Text:
    """The word for an expectation that is met or missed, and a dash for one that does not apply."""
    if met is None:
        return Text("–")
    return Text(say("met"), style="green") if met else Text(say("MISSED"), style="bold red")


def outcome_table(outcomes: Iterable[Outcome]) -> TextTable:
    """The expectations, one row each, with their notes below them, such as the number that the source prints."""
    rows: list[Sequence[Any]] = []
    for outcome in outcomes:
        where = f"{outcome.run}: " if outcome.run else ""
        again = outcome.computed == outcome.expected and len(outcome.expected) > LONG
        computed = say("the same") if again else outcome.computed
        rows.append([mark(outcome.met), where + outcome.expectation, outcome.expected, computed])
        if outcome.note:
            rows.append(["", f"  {outcome.note}", "", ""])
    return table(["", *map(say, ("expectation", "expected", "computed"))], rows, labels=2)


def tally(outcomes: Sequence[Outcome]) -> str:
    """The number of met expectations, in words."""
    if not outcomes:
        return say("nothing is expected")
    judged = [outcome.met for outcome in outcomes if outcome.met is not None]
    skipped = say("; {} skipped", len(outcomes) - len(judged)) if len(judged) < len(outcomes) else ""
    return say("{} of {} expectations met{}", str(sum(judged)), str(len(judged)), skipped)
