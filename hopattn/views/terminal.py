"""Text and tables on the terminal."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rich.console import Console
from rich.text import Text

from hopattn.views.text_table import TextTable
from hopattn.views.visible import plain


def table(
    headings: Sequence[str], rows: Iterable[Sequence[Any]], right: Sequence[str] = (), labels: int = 1
) -> TextTable:
    """A table of printable texts.

    right: the headings of the columns of numbers. labels: the number of leading columns that label the rows.
    """
    cells = [[value if isinstance(value, Text) else plain(value) for value in row] for row in rows]
    numbers = frozenset(i for i, heading in enumerate(headings) if heading in right)
    return TextTable([plain(heading) for heading in headings], cells, numbers, labels)


def show(out: Console, *parts: TextTable | Text) -> None:
    """Write tables and texts; a text wraps between words, and a table is written in blocks that fit the line.

    No line ends with a space.
    """
    lines = []
    for part in map(partial(_encodable, out), parts):
        for line in part.wrap(out, out.width) if isinstance(part, Text) else part.lines(out.width):
            line.rstrip()
            lines.append(line)
    if lines:
        out.print(Text("\n").join(lines), soft_wrap=True)  # at once: each print costs as much as many lines


def array_table(array: Labelled) -> TextTable | Text:
    """An array as a table with its labels; a number, or an array that `array_cells` describes, as a text."""
    cells = array_cells(array)
    if isinstance(cells, str):
        return Text(cells)
    headings, rows = cells
    return TextTable(headings, rows, frozenset(range(1, len(headings))))


def array_cells(array: Labelled) -> str | tuple[list[str], list[list[str]]]:
    """The headings and rows of an array with one or two axes.

    A text for a number, and for an array that has more axes or is too large to be read.
    """
    values = array.values
    if values.ndim == 0:
        return cell(values[()], array.tiny)
    if values.shape[0] > MAX_ROWS or values.ndim > 2 or (values.ndim == 2 and values.shape[1] > MAX_COLUMNS):
        return f"{' × '.join(map(str, values.shape))} values; --json shows them"
    columns = array.labels[1] if values.ndim == 2 else ("",)
    cells = values if values.ndim == 2 else values[:, None]
    rows = [
        [plain(label), *(cell(value, array.tiny) for value in row)]
        for label, row in zip(array.labels[0], cells, strict=True)
    ]
    return ["", *map(plain, columns)], rows


def mark(met: bool | None) -> Text:
    """The word for an expectation that is met or missed, and a dash for one that does not apply."""
    if met is None:
        return Text("–")
    return Text("met", style="green") if met else Text("MISSED", style="bold red")


def show_result(result: Result, explain: bool) -> None:
    """Write a result to standard output: its title, the arrays of its runs, and the verdicts on its expectations.

    explain: whether to write the arithmetic instead of the arrays.
    """
    out = console()
    show(out, Text(plain(f"{result.name}: {result.title}"), style="bold"), Text(plain(f"source: {result.source}")))
    if result.note:
        show(out, Text(plain(f"note: {result.note}")))
    for run in result.runs:
        if len(result.runs) > 1:
            show(out, Text(""), Text(plain(f"variant: {run.name}" if run.name else "as written"), style="bold"))
        show(out, *([Text(""), *map(Text, map(plain, run.working))] if explain else _arrays(run, out)))
    if result.expectations:
        show(out, Text(""), outcome_table(result.expectations))
    show(out, Text(""), Text(tally(result.expectations)))


def show_check(results: Sequence[Result]) -> None:
    """Write one row for each scenario, then the missed expectations, then the total."""
    out = console()
    counts = [f"{sum(o.met is True for o in r.expectations)}/{len(r.expectations)}" for r in results]
    rows = [[mark(r.ok), r.name, count, r.source] for r, count in zip(results, counts, strict=True)]
    show(out, table(["", "scenario", "met", "source"], rows, right=["met"], labels=2))
    for result in results:
        if not result.ok:
            show(out, Text(""), Text(plain(f"{result.name} misses:")))
            show(out, outcome_table(outcome for outcome in result.expectations if outcome.met is False))
    outcomes = [outcome for result in results for outcome in result.expectations]
    show(out, Text(""), Text(f"{len(results)} scenario{'s' * (len(results) != 1)}; {tally(outcomes)}"))


def outcome_table(outcomes: Iterable[Outcome]) -> TextTable:
    """The expectations, one row each, with their notes below them, such as the number that the source prints."""
    rows: list[Sequence[Any]] = []
    for outcome in outcomes:
        where = f"{outcome.run}: " if outcome.run else ""
        rows.append([mark(outcome.met), where + outcome.expectation, outcome.expected, outcome.computed])
        if outcome.note:
            rows.append(["", f"  {outcome.note}", "", ""])
    return table(["", "expectation", "expected", "computed"], rows, labels=2)


def tally(outcomes: Sequence[Outcome]) -> str:
    """The number of met expectations, in words."""
    if not outcomes:
        return "nothing is expected"
    judged = [outcome.met for outcome in outcomes if outcome.met is not None]
    not_applicable = f"; {len(outcomes) - len(judged)} skipped" if len(judged) < len(outcomes) else ""
    return f"{sum(judged)} of {len(judged)} expectations met{not_applicable}"


def _arrays(run: Run, out: Console) -> Iterator[TextTable | Text]:
    """The arrays and the pictures of a run that its scenario shows, each below its name."""
    for name in run.shown:
        yield Text("")
        yield Text(plain(name), style="italic")
        yield array_table(run.table(name))
    for strip in run.strips:
        yield Text("")
        heading, *lines = side_by_side(strip, out.width)
        yield Text(plain(heading), style="italic")
        for line in lines:
            yield Text(_aligned(plain(line), out))


def _aligned(line: str, out: Console) -> str:
    """A line of pictures. Where the output lacks the arrow, another one of its width keeps them below each other."""
    try:
        text.encode(out.encoding)
    except UnicodeEncodeError:
        written = text.encode(out.encoding, getattr(out.file, "errors", None) or "replace").decode(out.encoding)
        return Text(written, style=part.style) if isinstance(part, Text) else written
    return part
