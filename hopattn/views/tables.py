"""Tables of sweeps, certificates and comparisons on the terminal, and the progress of long work."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from hopattn.experiments.comparison.columns import PLACES, RECALL, STORED, WEIGHTS
from hopattn.experiments.sweep.table import HALF
from hopattn.foundation.writing import shown
from hopattn.scenario.language.paths import last_keys
from hopattn.views.consoles import console, error_console
from hopattn.views.terminal import MAX_COLUMNS, MAX_ROWS, cell, plain, show, table

if TYPE_CHECKING:
    from hopattn.experiments.certificate import Certificate
    from hopattn.experiments.comparison.result import Comparison
    from hopattn.experiments.comparison.row import Row
    from hopattn.experiments.sweep.table import Sweep


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
    names = [name for name in rows[0] if not name.endswith(HALF)]
    headings = [last_keys(sweep.axes).get(name, name) for name in names]
    return headings, [[_with_error(row, name) for name in names] for row in rows]


def sweep_size(sweep: "Sweep") -> str:
    """The numbers of points and trials of a sweep, and the meaning of ±, in a sentence."""
    trials = "1 trial" if sweep.trials == 1 else f"{sweep.trials} trials"
    points = math.prod(map(len, sweep.axes.values()))
    return f"{points} points, {trials} each; ± is the 95 % interval of the mean"


def _with_error(row: dict[str, Any], name: str) -> str:
    """A cell of the table of a sweep: the value, and its interval if it has one."""
    value, error = row[name], row.get(f"{name}{HALF}")
    return "" if value is None else cell(value) + (f" ± {error:.2g}" if error is not None else "")


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


def _reporter(errors: Console, things: str, quick: bool) -> Callable[[int, int], None]:
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
        left = f", about {_duration((now - start) / new * (total - done))} left" if new > 0 and done < total else ""
        if new or done < total:
            errors.print(Text(f"{done} of {total} {things}{left}"))

    return report


def _duration(seconds: float) -> str:
    """A time in seconds, minutes or hours.

    >>> _duration(42), _duration(600), _duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


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


_RECALL, _WEIGHTS = (tuple(column.heading for column in columns) for columns in (RECALL, (*WEIGHTS, *STORED)))
"""The headings of a comparison: the measures of recall, and those of the weights and of the size."""


def comparison_table(comparison: "Comparison") -> tuple[list[str], list[list[str]]]:
    """The headings and rows of a comparison: memory, place and point of each row, and its measures.

    A measure that a row does not have is a dash. A column of dashes is left out, and so is the row of a memory that
    could not take part: the paragraph of the comparison names it.
    """
    taking_part = [row for row in comparison.rows if not row.refusal]
    axes = list(comparison.axes) if "beta" in comparison.axes else [*comparison.axes, "beta"]
    places = ["of"] if any(row.where for row in comparison.rows) else []
    headings = ["memory", *places, *axes, *_RECALL, *_WEIGHTS]
    rows = [
        [row.memory, *([row.where] * len(places)), *(cell(float(row.point[axis])) for axis in axes), *_measures(row)]
        for row in taking_part
    ]
    columns = [i for i, name in enumerate(headings) if rows and (name in axes or any(row[i] != "–" for row in rows))]
    return [headings[i] for i in columns], [[row[i] for i in columns] for row in rows]


def _measures(row: "Row") -> list[str]:
    """The cells of a row below the headings `_RECALL` and `_WEIGHTS`."""
    error = "" if row.recalled_error is None or row.recalled is None else f" ± {row.recalled_error:.2g}"
    numbers = [row.recalled_first, row.cosine, row.at_rest, row.steps, row.energy_fall, row.distance]
    spread = [row.least_number, row.entropy]
    beside = "–" if row.difference is None else "rounding" if row.is_attention else f"{row.difference:.1e}"
    return [
        _or_dash(row.recalled) + error,
        *map(_or_dash, numbers),
        row.operating_class or "–",
        *map(_or_dash, spread),
        beside,
        "–" if row.parameters is None else f"{row.parameters:,}",
        _or_dash(row.recalled_per_number),
    ]


def _or_dash(number: float | None) -> str:
    """A number with three digits, as 0 if it is a rounding error; a dash for None."""
    return "–" if number is None else shown(number, 3)


def column_meanings(headings: Sequence[str]) -> list[str]:
    """One line for each column of a comparison whose heading does not explain itself."""
    explained = (*PLACES, *RECALL, *WEIGHTS, *STORED)
    return [f"{column.heading}: {column.meaning}" for column in explained if column.heading in headings]


def nearest_tables(comparison: "Comparison") -> Iterator[tuple[list[str], list[list[str]]]]:
    """The headings and rows of one table for each place whose cues have names.

    A row is a memory, a column a cue. A cell is the key whose value is most similar to the final answer, with the
    cosine. A comparison over a grid has no such tables, nor has a place with more cues than a table can show.
    """
    for place in dict.fromkeys(row.where for row in comparison.rows):
        rows = [row for row in comparison.rows if row.where == place and row.named]
        if rows and not comparison.axes and len(rows[0].named) < MAX_COLUMNS:
            headings = [
                f"{place + ': ' if place else ''}nearest at the end",
                *(plain(cue) for cue, _, _ in rows[0].named),
            ]
            cells = [[row.memory, *(f"{key} ({number:.2f})" for _, key, number in row.named)] for row in rows]
            yield headings, cells


def show_comparison(comparison: "Comparison") -> None:
    """Write a comparison to standard output: its tables, the meanings of their columns, and the paragraph."""
    out = console()
    headings, rows = comparison_table(comparison)
    if rows:
        _show_rows(headings, rows)
        show(out, Text(""), *map(Text, column_meanings(headings)))
    for names, cells in nearest_tables(comparison):
        show(out, Text(""), table(names, cells))
    show(out, *([Text("")] if rows else []), Text(plain(comparison.words())))


def _show_rows(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write the rows of a comparison as one table, or as two where one is wider than a line."""
    out = console()
    right = [name for name in headings if name not in ("memory", "of", "class", "beside attention")]
    keys = [name for name in headings if name not in (*_RECALL, *_WEIGHTS)]
    whole = table(headings, rows, right, len(keys))
    if whole.width <= out.width:
        show(out, whole)
    else:  # the measures of recall, then those of the weights and of the size
        for i, part in enumerate((_RECALL, _WEIGHTS)):
            columns = [c for c, name in enumerate(headings) if name in keys or name in part]
            names, cells = [headings[c] for c in columns], [[row[c] for c in columns] for row in rows]
            show(out, *([Text("")] * i), table(names, cells, right, len(keys)))
