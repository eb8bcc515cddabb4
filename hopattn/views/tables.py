"""What a person sees on the terminal of work over many points: its progress, sweeps, comparisons, certificates."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from hopattn.scenario.explain.arithmetic import ROUNDING
from hopattn.views.terminal import MAX_COLUMNS, MAX_ROWS, cell, console, plain, table

if TYPE_CHECKING:
    from hopattn.experiments.certificate import Certificate
    from hopattn.experiments.comparison.result import Comparison
    from hopattn.experiments.comparison.row import Row
    from hopattn.experiments.sweep.table import Sweep


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


_COMPARED = ("recalled", "in one step", "cosine", "at rest", "steps", "energy falls by", "one step to end")
_WEIGHED = ("class", "keys for 90 %", "entropy", "beside attention")


def comparison_table(found: "Comparison") -> tuple[list[str], list[list[str]]]:
    """Headings and rows of a comparison: where each row stands, and what was measured; a dash where nothing was.

    Columns in which no row has anything are left out.
    """
    axes = list(found.axes) if "beta" in found.axes else [*found.axes, "beta"]
    places = ["of"] if any(row.where for row in found.rows) else []
    headings = ["memory", *places, *axes, *_COMPARED, *_WEIGHED]
    rows = [
        [row.memory, *([row.where] * len(places)), *(cell(float(row.point[axis])) for axis in axes), *_measured(row)]
        for row in found.rows
    ]
    kept = [i for i, name in enumerate(headings) if name in axes or any(row[i] != "–" for row in rows)]
    return [headings[i] for i in kept], [[row[i] for i in kept] for row in rows]


def _measured(row: "Row") -> list[str]:
    """The cells of `_COMPARED` and `_WEIGHED`."""
    error = "" if row.recalled_error is None or row.recalled is None else f" ± {row.recalled_error:.2g}"
    numbers = [row.recalled_first, row.cosine, row.at_rest, row.steps, row.energy_fall, row.distance]
    spread = [row.least_number, row.entropy]
    beside = "–" if row.difference is None else "rounding" if row.is_attention else f"{row.difference:.1e}"
    known = [_or_dash(number) for number in numbers]
    return [_or_dash(row.recalled) + error, *known, row.operating_class or "–", *map(_or_dash, spread), beside]


def _or_dash(number: float | None) -> str:
    return "–" if number is None else f"{0.0 if abs(number) < ROUNDING else number:.3g}"


def nearest_tables(found: "Comparison") -> Iterator[tuple[list[str], list[list[str]]]]:
    """For each place whose cues have names: what each memory's answers are most like at the end, with the cosine.

    Not over a grid, and not where there are more cues than a table can show.
    """
    for place in dict.fromkeys(row.where for row in found.rows):
        rows = [row for row in found.rows if row.where == place and row.named]
        if rows and not found.axes and len(rows[0].named) < MAX_COLUMNS:
            headings = [
                f"{place + ': ' if place else ''}nearest at the end",
                *(plain(cue) for cue, _, _ in rows[0].named),
            ]
            cells = [[row.memory, *(f"{key} ({number:.2f})" for _, key, number in row.named)] for row in rows]
            yield headings, cells


def show_comparison(found: "Comparison") -> None:
    """A comparison on standard output: its table, and the paragraph that says what was found."""
    out = console()
    headings, rows = comparison_table(found)
    right = [name for name in headings if name not in ("memory", "of", "class", "beside attention")]
    whole = table(headings, rows, right=right)
    if out.measure(whole, options=out.options.update(max_width=10_000)).maximum <= out.width:
        out.print(whole)
    else:  # two tables, each with the columns that say which row it is
        about = [i for i, name in enumerate(headings) if name not in (*_COMPARED, *_WEIGHED)]
        for part in (_COMPARED, _WEIGHED):
            some = [i for i, name in enumerate(headings) if i in about or name in part]
            out.print(table([headings[i] for i in some], [[row[i] for i in some] for row in rows], right=right))
            if part is _COMPARED:
                out.print()
    for names, cells in nearest_tables(found):
        out.print()
        out.print(table(names, cells))
    out.print()
    out.print(Text(plain(found.words())))
