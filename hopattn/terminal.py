"""What a person sees on the terminal: labelled tables of numbers, and the verdicts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hopattn.scenario.arithmetic import ROUNDING
from hopattn.scenario.drawing import PLAIN, SHADES, side_by_side
from hopattn.scenario.result import Labelled, Outcome, Result, Run

if TYPE_CHECKING:
    from hopattn.certificate import Certificate
    from hopattn.swept import Sweep

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


def show_sweep(found: "Sweep") -> None:
    """A sweep's table on standard output: at each point the means, and how far their intervals reach."""
    rows = found.table()
    headings = [name for name in rows[0] if not name.endswith(" ±")]
    shown = [[_with_error(row, name) for name in headings] for row in rows[:MAX_ROWS]]
    out = console()
    out.print(table([plain(name) for name in headings], shown, right=headings))
    if len(rows) > MAX_ROWS:
        out.print(Text(f"… {len(rows)} points in all; --out table.csv writes them"))
    trials = "1 trial" if found.trials == 1 else f"{found.trials} trials"
    out.print(Text(f"{len(rows)} points, {trials} each; ± is the 95 % interval of the mean"))


def _with_error(row: dict[str, Any], name: str) -> str:
    value, error = row[name], row.get(f"{name} ±")
    return "" if value is None else cell(value) + (f" ± {error:.2g}" if error is not None else "")


@contextmanager
def progress() -> Iterator[Callable[[int, int], None]]:
    """On standard error, how much is done of a long work, and how long the rest will take: a bar on a terminal, else a
    line every ten seconds.
    """
    start, last, before = monotonic(), [monotonic()], [-1]

    def line(done: int, total: int) -> None:
        if before[0] < 0:
            before[0] = done
        now = monotonic()
        if done < total and now - last[0] < 10:
            return
        last[0] = now
        fresh = done - before[0]
        left = f", about {_duration((now - start) / fresh * (total - done))} left" if fresh > 0 and done < total else ""
        if fresh or done < total:
            errors.print(Text(f"{done} of {total} points{left}"))

    errors = Console(stderr=True, markup=False, highlight=False, emoji=False)
    if not errors.is_terminal:
        yield line
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("points"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task("points", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _duration(seconds: float) -> str:
    """A time as one says it.

    >>> _duration(42), _duration(600), _duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


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


CERTIFICATE = ("memory", "update", "claimed", "largest rise", "not claimed", "rises", "why")


def certificate_rows(found: "Iterable[Certificate]") -> Iterator[list[str]]:
    """One row for each memory and update that can be applied to it."""
    for one in found:
        if one.claimed or one.unclaimed:
            largest = f"{one.largest:.1e}" if one.claimed else "–"
            rises = f"{one.rises / one.unclaimed:.1%}" if one.unclaimed else "–"
            why = "; else not: ".join(text for text in (one.reason, one.refusal) if text)
            yield [one.memory, one.update, f"{one.claimed:,}", largest, f"{one.unclaimed:,}", rises, why]


def show_certificates(found: "Sequence[Certificate]") -> None:
    """The certificates on standard output, and in words whether they hold."""
    out = console()
    out.print(table(CERTIFICATE, certificate_rows(found), right=CERTIFICATE[2:6]))
    broken = [f"{one.memory} under {one.update}" for one in found if not one.holds]
    out.print()
    out.print(Text(f"the energy rises: {', '.join(broken)}" if broken else "no claimed update raised the energy"))
