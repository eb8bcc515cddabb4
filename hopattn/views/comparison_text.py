"""A comparison of memories on the terminal: one screen, or all of it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import terminal_size
from typing import TYPE_CHECKING

from rich.text import Text

from hopattn.experiments.comparison.row import MEASURES, PLACES, percent
from hopattn.figures.comparison import measures_of, memories_of, that_differs
from hopattn.views.array_cells import MAX_COLUMNS, MORE_DIGITS, cell
from hopattn.views.consoles import console
from hopattn.views.terminal import show, table
from hopattn.views.text_table import TextTable
from hopattn.views.visible import plain

if TYPE_CHECKING:
    from hopattn.experiments.comparison.result import Comparison
    from hopattn.experiments.comparison.row import Row


SCREEN = terminal_size((80, 24))
"""The screen on which a comparison fits unless all of it is asked for."""
BETWEEN = 5
"""The lines of that screen for the headings, a gap, the line on the rest, the command and the next prompt."""

BAR = 10
"""The letters of a bar."""
BARS = {
    "one step": "share of cues recalled (cosine ≥ 0.95) when all neurons change once",
    "fixed point": "the same share where the recall ends",
}
"""The columns of bars, with their meanings."""
STORED = "patterns"
"""The heading of P beside a load P/N."""
WITHOUT_BETA = {"hopfield", "dense", "linear", "nearest", "exponential"}
"""The memories that have no inverse temperature."""


def comparison_table(comparison: "Comparison", on_a_screen: bool = False) -> TextTable:
    """The table of a comparison: memory, place and point of each row, and its measures.

    A measure that a row does not have is a dash. A column of dashes is left out, and so is the row of a memory that
    could not take part: the last sentence of the comparison names it. on_a_screen: whether the inverse temperature that
    all rows share is left out, and shares that are recalled are bars before a few measures.
    """
    rows = [row for row in comparison.rows if not row.refusal]
    measures = [one for one in MEASURES if any(getattr(row, one.name) is not None for row in rows)]
    places, bars = _places(comparison, all_of_them=not on_a_screen), dict[str, str]()
    if on_a_screen and any(row.recalled is not None for row in rows):
        bars = dict(zip(BARS, ("recalled_first", "recalled"), strict=True))
        measures = [one for name in ("steps", "at_rest", "cosine") for one in measures if one.name == name]
    cells = [
        [row.memory, *_place_cells(row, places), *(_bar(getattr(row, name)) for name in bars.values())]
        + [row.cell(one) for one in measures]
        for row in rows
    ]
    headings = ["memory", *places, *bars, *(one.metadata["title"] for one in measures)] if rows else []
    texts = ["memory", "of", *bars, *(one.metadata["title"] for one in measures if one.metadata["text"])]
    return table(headings, cells, [name for name in headings if name not in texts], 1 + len(places))


def _bar(share: float | None) -> str:
    """A share as a bar and a number."""
    if share is None:
        return "–"
    return f"{'█' * round(BAR * share):·<{BAR}} {percent(share):>6}"


def _common_beta(comparison: "Comparison") -> str:
    """The inverse temperature in words, where all rows have the same; empty where they do not, or none uses it."""
    used = {row.memory for row in comparison.rows} - WITHOUT_BETA
    if "beta" in _places(comparison) or not used:
        return ""
    return f"; β={cell(comparison.rows[0].point['beta'], digits=MORE_DIGITS)}"


def points_table(comparison: "Comparison") -> tuple[TextTable, str]:
    """The table of one measure, with a row for each place and point and a column for each memory; and its meaning.

    The measure is the first in which the memories differ, as in a figure.
    """
    name = that_differs(comparison, measures_of(comparison))
    (measure,) = (one for one in MEASURES if one.name == name)
    places, memories = _places(comparison), memories_of(comparison)
    points: dict[tuple[str, ...], dict[str, str]] = {}
    for row in comparison.rows:
        points.setdefault(tuple(_place_cells(row, places)), {})[row.memory] = row.cell(measure).partition(" [")[0]
    rows = [[*point, *(cells.get(memory, "–") for memory in memories)] for point, cells in points.items()]
    right = [heading for heading in (*places, *memories) if heading != "of"]
    meaning = f"{measure.metadata['title']}, by memory: {measure.metadata['meaning']}"
    return table([*places, *memories], rows, right, len(places)), meaning


def _places(comparison: "Comparison", all_of_them: bool = False) -> list[str]:
    """The headings of the columns that say where a row was measured.

    all_of_them: whether the inverse temperature is among them where all rows share it.
    """
    several = ["of"] if any(row.where for row in comparison.rows) else []
    varies = all_of_them or len({row.point["beta"] for row in comparison.rows}) > 1
    axes = [*comparison.axes, *([STORED] if "load" in comparison.axes else [])]
    return [*several, *axes, *(["beta"] if varies and "beta" not in axes else [])]


def _place_cells(row: "Row", places: Sequence[str]) -> list[str]:
    """The cells of a row in the columns of `_places`."""
    words = {"of": row.where, STORED: f"{row.n_keys:,}"}
    return [words.get(name) or cell(float(row.point[name]), digits=MORE_DIGITS) for name in places]


def legend(headings: Sequence[str]) -> list[str]:
    """One line for each column of a comparison whose heading does not explain itself."""
    meanings = PLACES | BARS | {one.metadata["title"]: one.metadata["meaning"] for one in MEASURES}
    intervals = ["[ ]: 95 % interval (Wilson) of recalled, over several draws"] * ("recalled" in headings)
    return [*(f"{name}: {meanings[name]}" for name in headings if name in meanings), *intervals]


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
    """Write a comparison to standard output: its subject, one table, and sentences on what it shows.

    whole: whether to write all rows and columns, and the tables of `nearest_tables`. Otherwise what fits on a screen:
    the measures that matter most, or one measure of all memories if there are too many rows for that.
    """
    out = console()
    beta = "" if whole else _common_beta(comparison)
    about = Text(plain(f"{comparison.about[:1].upper()}{comparison.about[1:]}{beta}"))
    words = Text(plain(comparison.words()))
    if not any(not row.refusal for row in comparison.rows):
        show(out, about, words)
        return
    if whole:
        found = comparison_table(comparison)
        show(out, about, found, Text(""), words, Text(""), *map(Text, legend(found.headings)))
        for names, cells in nearest_tables(comparison):
            show(out, Text(""), table(names, cells))
        return
    width = min(out.width, SCREEN.columns)
    texts = len(about.wrap(out, width)) + (len(words.wrap(out, width)) + 1 if words else 0)
    found, meanings, more = _on_a_screen(comparison, width, SCREEN.lines - BETWEEN - texts)
    sentences = [words, Text("")] if words else []
    show(out, about, found, Text(""), *sentences, *map(Text, meanings), Text(more))


def _on_a_screen(comparison: "Comparison", width: int, room: int) -> tuple[TextTable, list[str], str]:
    """The table, the lines of its legend, and a line on the rest, in so many lines."""
    found = comparison_table(comparison, on_a_screen=True).columns_within(width)
    meanings, more = legend(found.headings), "--long shows every measure"
    if len(found.rows) + len(meanings) <= room:
        return found, meanings, more
    found, meaning = points_table(comparison)
    rows = found.rows[: max(room - 1, 1)]
    left = len(found.rows) - len(rows)
    return replace(found, rows=rows), [meaning], more + (f", and {left} more points" if left else "")
