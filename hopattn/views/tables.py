"""Tables of sweeps and certificates on the terminal, and the progress of long work."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from rich.text import Text

from hopattn.experiments.comparison.cost import in_words
from hopattn.experiments.sweeps.table import HIGH, LOW
from hopattn.foundation.writing import counted, with_interval
from hopattn.scenario.language.paths import last_keys
from hopattn.views.array_cells import MAX_ROWS, MORE_DIGITS, cell
from hopattn.views.consoles import SafeConsole, console, error_console
from hopattn.views.terminal import show, table

if TYPE_CHECKING:
    from hopattn.experiments.certificate import Certificate
    from hopattn.experiments.sweeps.table import Sweep


def show_sweep(sweep: "Sweep") -> None:
    """Write the table of a sweep to standard output: at each point the means, with their intervals."""
    out, (headings, rows) = console(), sweep_table(sweep)
    show(out, table(headings, rows[:MAX_ROWS], right=headings, labels=len(sweep.axes)))
    if len(rows) > MAX_ROWS:
        show(out, Text(f"… {len(rows)} points in all; --out table.csv writes them"))
    show(out, Text(sweep_size(sweep)))


def sweep_table(sweep: "Sweep") -> tuple[list[str], list[list[str]]]:
    """The headings and the rows of the table of a sweep: the numbers of a point, and the means with their intervals."""
    rows = sweep.table()
    names = [name for name in rows[0] if not name.endswith((LOW, HIGH))]
    headings = [last_keys(sweep.axes).get(name, name) for name in names]
    return headings, [[_cell(row, name) for name in names] for row in rows]


def sweep_size(sweep: "Sweep") -> str:
    """The numbers of points and trials of a sweep, and the meaning of the intervals, in a sentence."""
    points, name = counted(len(sweep.table()), "point"), sweep.interval_name
    return f"{points}; [ ]: {name}" if name else f"{points}, 1 trial each"


def _cell(row: dict[str, Any], name: str) -> str:
    """A cell of the table of a sweep: the value, and its interval if it has one."""
    value, ends = row[name], (row.get(f"{name}{LOW}"), row.get(f"{name}{HIGH}"))
    return "" if value is None else with_interval(value, *ends, partial(cell, digits=MORE_DIGITS))


@contextmanager
def progress(things: str = "points", quick: bool = False) -> Iterator[Callable[[int, int], None]]:
    """A function `report(done, total)` that shows on standard error how many are done and the time that is left.

    On a terminal it shows a bar, else it writes a line at most every ten seconds, and one at the end. things: the name
    of the things that are counted. quick: whether work of less than ten seconds is silent where there is no terminal.
    """
    errors = error_console()
    if not errors.is_terminal:
        yield _reporter(errors, things, quick)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(things), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task(things, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _reporter(errors: SafeConsole, things: str, quick: bool) -> Callable[[int, int], None]:
    """A function `report(done, total)` that writes a line at most every ten seconds, and one at the end.

    quick: whether the one at the end is left out if no line came before it. The estimate of the time that is left
    counts only points since the first report, not points of an earlier run.
    """
    start = last = monotonic()
    done_before = -1

    def report(done: int, total: int) -> None:
        nonlocal last, done_before
        if done_before < 0:
            done_before = done
        now = monotonic()
        if (done < total or (quick and last == start)) and now - last < 10:
            return
        last = now
        new = done - done_before
        left = f", about {in_words((now - start) / new * (total - done))} left" if new > 0 and done < total else ""
        if new or done < total:
            errors.print(Text(f"{done} of {total} {things}{left}"))

    return report


CERTIFICATE = ("memory", "update", "claimed", "largest rise", "not claimed", "rises", "why")
"""The headings of the table of certificates."""


def certificate_rows(certificates: "Iterable[Certificate]") -> Iterator[list[str]]:
    """One row for each memory and update, without the pairs that cannot be combined."""
    for pair in certificates:
        if pair.claimed or pair.unclaimed:
            largest = f"{pair.largest:.1e}" if pair.claimed else "–"
            rises = f"{pair.rises / pair.unclaimed:.1%}" if pair.unclaimed else "–"
            why = "; else not: ".join(text for text in (pair.reason, pair.refusal) if text)
            yield [pair.memory, pair.update, f"{pair.claimed:,}", largest, f"{pair.unclaimed:,}", rises, why]


def show_certificates(certificates: "Sequence[Certificate]") -> None:
    """Write the certificates to standard output, and a sentence that says whether all of them hold."""
    out = console()
    show(out, table(CERTIFICATE, certificate_rows(certificates), right=CERTIFICATE[2:6], labels=2))
    broken = [f"{pair.memory} under {pair.update}" for pair in certificates if not pair.holds]
    found = f"the energy rises: {', '.join(broken)}" if broken else "no claimed update raised the energy"
    show(out, Text(""), Text(f"{found} ({certificates[0].dtype})"))
