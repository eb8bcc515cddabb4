"""Tables of sweeps, certificates and comparisons on the terminal, and the progress of long work."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import terminal_size
from time import monotonic
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from hopattn.experiments.comparison.cost import in_words
from hopattn.experiments.comparison.row import MEASURES, PLACES
from hopattn.experiments.sweep.table import HALF
from hopattn.figures.comparison_parts import measures_of, memories_of, that_differs
from hopattn.scenario.language.paths import last_keys
from hopattn.views.consoles import console, error_console
from hopattn.views.terminal import MAX_COLUMNS, MAX_ROWS, cell, plain, show, table
from hopattn.views.text_table import TextTable

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


SCREEN = terminal_size((80, 24))
"""The screen on which a comparison fits unless all of it is asked for."""
BETWEEN = 6
"""The lines of that screen for the headings, two gaps, the line on the rest, the command and the next prompt."""


def comparison_table(comparison: "Comparison") -> TextTable:
    """The table of a comparison: memory, place and point of each row, and its measures.

    A measure that a row does not have is a dash. A column of dashes is left out, and so is the row of a memory that
    could not take part: the last sentence of the comparison names it.
    """
    taking_part = [row for row in comparison.rows if not row.refusal]
    measures = [one for one in MEASURES if any(getattr(row, one.name) is not None for row in taking_part)]
    places = _places(comparison)
    rows = [[row.memory, *_place_cells(row, places), *(row.cell(one) for one in measures)] for row in taking_part]
    headings = ["memory", *places, *(one.metadata["title"] for one in measures)] if rows else []
    texts = ["memory", "of", *(one.metadata["title"] for one in measures if one.metadata["text"])]
    return table(headings, rows, [name for name in headings if name not in texts], 1 + len(places))


def points_table(comparison: "Comparison") -> tuple[TextTable, str]:
    """The table of one measure, with a row for each place and point and a column for each memory; and its meaning.

    The measure is the first in which the memories differ, as in a figure.
    """
    name = that_differs(comparison, measures_of(comparison))
    (measure,) = (one for one in MEASURES if one.name == name)
    places, memories = _places(comparison), memories_of(comparison)
    points: dict[tuple[str, ...], dict[str, str]] = {}
    for row in comparison.rows:
        points.setdefault(tuple(_place_cells(row, places)), {})[row.memory] = row.cell(measure).partition(" ±")[0]
    rows = [[*point, *(cells.get(memory, "–") for memory in memories)] for point, cells in points.items()]
    right = [heading for heading in (*places, *memories) if heading != "of"]
    meaning = f"{measure.metadata['title']}, by memory: {measure.metadata['meaning']}"
    return table([*places, *memories], rows, right, len(places)), meaning


def _places(comparison: "Comparison") -> list[str]:
    """The headings of the columns that say where a row was measured."""
    several = ["of"] if any(row.where for row in comparison.rows) else []
    return [*several, *comparison.axes, *(["beta"] if "beta" not in comparison.axes else [])]


def _place_cells(row: "Row", places: Sequence[str]) -> list[str]:
    """The cells of a row in the columns of `_places`."""
    return [row.where if name == "of" else cell(float(row.point[name])) for name in places]


def legend(headings: Sequence[str]) -> list[str]:
    """One line for each column of a comparison whose heading does not explain itself."""
    meanings = PLACES | {one.metadata["title"]: one.metadata["meaning"] for one in MEASURES}
    return [f"{name}: {meanings[name]}" for name in headings if name in meanings]


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


def show_comparison(comparison: "Comparison", whole: bool = False) -> None:
    """Write a comparison to standard output: its subject, its table, a line for each column, and at most two sentences.

    whole: whether to write all rows and columns, and the tables of `nearest_tables`. Otherwise the columns that fit on
    a screen, or one measure of all memories if there are too many rows for it.
    """
    out = console()
    about = Text(plain(f"{comparison.about[:1].upper()}{comparison.about[1:]}"))
    words = Text(plain(comparison.words()))
    found = comparison_table(comparison)
    meanings, more = legend(found.headings), ""
    if found.rows and not whole:
        width = min(out.width, SCREEN.columns)
        texts = sum(len(text.wrap(out, width)) for text in (about, words) if text)
        found, meanings, more = _on_a_screen(comparison, found.columns_within(width), SCREEN.lines - BETWEEN - texts)
    parts: list[TextTable | Text] = [about, found, Text("")] if found.rows else [about]
    show(out, *parts, *map(Text, meanings))
    for names, cells in nearest_tables(comparison) if whole else ():
        show(out, Text(""), table(names, cells))
    show(out, *([Text("")] * bool(found.rows)), *(text for text in (words, Text(more)) if text))


def _on_a_screen(comparison: "Comparison", found: TextTable, room: int) -> tuple[TextTable, list[str], str]:
    """The table, the lines of its legend, and a line on the rest, in so many lines; found: the columns that fit."""
    meanings, more = legend(found.headings), "--all shows every measure"
    if len(found.rows) + len(meanings) <= room:
        return found, meanings, more
    found, meaning = points_table(comparison)
    meanings = [*legend(found.headings), meaning]
    rows = found.rows[: max(room - len(meanings), 1)]
    left = len(found.rows) - len(rows)
    return replace(found, rows=rows), meanings, more + (f", and {left} more points" if left else "")
