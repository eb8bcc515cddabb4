"""What a person sees on the terminal: labelled tables of numbers, and the verdicts."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hopattn.foundation.labelled import Labelled
from hopattn.scenario.explain.arithmetic import ROUNDING
from hopattn.scenario.result import Outcome, Result, Run
from hopattn.scenario.words.character_pictures import PLAIN, SHADES, side_by_side

if TYPE_CHECKING:
    pass

MAX_ROWS, MAX_COLUMNS = 40, 16
WIDE = 160
"""The width of what is written to a file or a pipe, where there is no terminal to ask."""


def console() -> Console:
    """The console on standard output; colours only on a terminal, and none where NO_COLOR is set."""
    probe = Console(markup=False, highlight=False, emoji=False)
    return probe if probe.is_terminal else Console(markup=False, highlight=False, emoji=False, width=WIDE)


def plain(text: Any) -> str:
    """A text that came from a file, without the characters that could steer a terminal."""
    return "".join(c if c.isprintable() else "�" for c in str(text))


def table(headings: Sequence[str], rows: Iterable[Sequence[Any]], right: Sequence[str] = ()) -> Table:
    """A table without borders; the columns named in `right` are set flush right."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in headings:
        made.add_column(Text(heading), justify="right" if heading in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else Text(plain(cell)) for cell in row))
    return made


def array_table(array: Labelled) -> Table | Text:
    """An array of one or two axes with its labels, or its shape where it is too large to be read."""
    found = array_cells(array)
    if isinstance(found, str):
        return Text(found)
    made = table(*found)
    for column in made.columns[1:]:
        column.justify = "right"
    return made


def array_cells(array: Labelled) -> str | tuple[list[str], list[list[str]]]:
    """Headings and rows of an array of one or two axes; a sentence for a number, or one too large to be read."""
    values = array.values
    if values.ndim == 0:
        return cell(values[()])
    if values.shape[0] > MAX_ROWS or values.ndim > 2 or (values.ndim == 2 and values.shape[1] > MAX_COLUMNS):
        return f"{' × '.join(map(str, values.shape))} values; --json shows them"
    columns = array.labels[1] if values.ndim == 2 else ("",)
    cells = values if values.ndim == 2 else values[:, None]
    rows = [[label, *map(cell, row)] for label, row in zip(array.labels[0], cells, strict=True)]
    return ["", *map(plain, columns)], rows


def mark(met: bool | None) -> Text:
    """The word for a met or a missed expectation; a dash for one that does not apply."""
    if met is None:
        return Text("–")
    return Text("met", style="green") if met else Text("MISSED", style="bold red")


def show_result(result: Result, explain: bool) -> None:
    """A result on standard output: what it is, its arrays or its working, and what became of its expectations."""
    out = console()
    out.print(Text(plain(f"{result.name}: {result.title}"), style="bold"))
    out.print(Text(plain(f"source: {result.source}")))
    if result.note:
        out.print(Text(plain(f"note: {result.note}")))
    for run in result.runs:
        if len(result.runs) > 1:
            out.print()
            out.print(Text(plain(f"variant: {run.name}" if run.name else "as written"), style="bold"))
        for part in _working(run, out) if explain else _seen(run, out):
            out.print(part)
    if result.expectations:
        out.print()
        out.print(outcome_table(result.expectations))
    out.print()
    out.print(Text(tally(result.expectations)))


def show_check(results: Sequence[Result]) -> None:
    """One row a scenario, then what was missed, then the sum."""
    out = console()
    met = [f"{sum(o.met is True for o in r.expectations)}/{len(r.expectations)}" for r in results]
    rows = [[mark(r.ok), r.name, count, r.source] for r, count in zip(results, met, strict=True)]
    out.print(table(["", "scenario", "met", "source"], rows, right=["met"]))
    for result in results:
        if not result.ok:
            out.print()
            out.print(Text(plain(f"{result.name} misses:")))
            out.print(outcome_table(outcome for outcome in result.expectations if outcome.met is False))
    out.print()
    every = [outcome for result in results for outcome in result.expectations]
    out.print(Text(f"{len(results)} scenarios; {tally(every)}"))


def outcome_table(outcomes: Iterable[Outcome]) -> Table:
    """The expectations, one row each, with what the source prints below those for which it is known."""
    rows: list[Sequence[Any]] = []
    for outcome in outcomes:
        where = f"{outcome.run}: " if outcome.run else ""
        rows.append([mark(outcome.met), where + outcome.expectation, outcome.expected, outcome.computed])
        if outcome.note:
            rows.append(["", f"  {outcome.note}", "", ""])
    return table(["", "expectation", "expected", "computed"], rows)


def tally(outcomes: Sequence[Outcome]) -> str:
    """How many expectations were met, in words."""
    if not outcomes:
        return "nothing is expected"
    judged = [outcome.met for outcome in outcomes if outcome.met is not None]
    aside = f"; {len(outcomes) - len(judged)} set aside" if len(judged) < len(outcomes) else ""
    return f"{sum(judged)} of {len(judged)} expectations met{aside}"


def _seen(run: Run, out: Console) -> Iterator[Any]:
    for name in run.shown:
        yield Text("")
        yield Text(plain(name), style="italic")
        yield array_table(run.arrays[name])
    for strip in run.strips:
        yield Text("")
        heading, *lines = side_by_side(strip, out.width)
        yield Text(plain(heading), style="italic")
        for line in lines:
            yield Text(_legible(plain(line), out))


def _working(run: Run, out: Console) -> Iterator[Text]:
    yield Text("")
    for line in run.working:
        yield Text(_legible(plain(line), out))


def _legible(line: str, out: Console) -> str:
    """A line with other characters for its pixels where the terminal has no blocks."""
    try:
        SHADES.encode(out.encoding)
    except (UnicodeEncodeError, LookupError):
        return line.translate(PLAIN)
    return line


def cell(value: Any) -> str:
    """A number with four digits, what is rounding as 0; anything else as it is."""
    if not isinstance(value, (float, np.floating)):
        return plain(value)
    number = float(value)
    return f"{0.0 if abs(number) < ROUNDING else number:.4g}"
