"""HTML for a notebook, which shows the last value of a cell: tables and a figure."""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import partial, singledispatch
from html import escape
from typing import Any

import numpy as np

from hopattn.circuits.census.table import Census
from hopattn.dynamics.likeness import Spurious
from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.record import Recall, Status
from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.census import census_sheet
from hopattn.figures.comparison import comparison_sheet, why_no_figure
from hopattn.figures.favourites import favourite
from hopattn.figures.files import as_svg
from hopattn.figures.recalls import recall_sheet
from hopattn.figures.sheet import Sheet
from hopattn.figures.sweep import sweep_sheet, why_not
from hopattn.foundation.boundary import public
from hopattn.foundation.errors import InvalidInput
from hopattn.results.dataset import Dataset
from hopattn.results.labelled import HIDDEN, Labelled
from hopattn.scenario.result import Result
from hopattn.views.array_cells import MAX_ROWS, MORE_DIGITS, array_cells, cell
from hopattn.views.census_text import WIDE, legend_of_census, strongest_table
from hopattn.views.comparison_text import comparison_table, legend
from hopattn.views.memory_tables import descents, memory_parts
from hopattn.views.result_text import outcome_table, tally
from hopattn.views.tables import sweep_size, sweep_table
from hopattn.views.visible import plain


@public
def html(thing: Any) -> str:
    """A memory, or a result of any sort, as HTML: tables, and a figure where there is one.

    Parameters
    ----------
    thing
        from `ha.run`, `memory.recall`, `ha.compare`, `ha.sweep` or `ha.circuits.head_census`, a memory, or one of
        `result.arrays`.

    Raises
    ------
    InvalidInput : for anything else.

    Notes
    -----
    A notebook calls this function for the last value of a cell.

    Examples
    --------
    >>> import hopattn as ha
    >>> record = ha.memories.hopfield([[1, 1, -1, -1]]).recall([1, 1, 1, -1])
    >>> "converged" in ha.html(record)
    True
    """
    return _html(thing)


@singledispatch
def _html(thing: Any) -> str:
    """The HTML of a thing of each class."""
    raise InvalidInput(f"html: expected a memory, or a result of hopattn, not {type(thing).__name__}")


@_html.register
def _(dataset: Dataset) -> str:
    names, rows = dataset._cells()
    cells = [["" if one is None else cell(one, digits=MORE_DIGITS) for one in row] for row in rows[:MAX_ROWS]]
    return _table(names, cells) + (_paragraph(f"… the first {MAX_ROWS} of {len(rows)} rows") * (len(rows) > MAX_ROWS))


@_html.register
def _(result: Result) -> str:
    return "\n".join(_result_parts(result))


@_html.register
def _(given: Recall) -> str:
    record = given.to_numpy()
    names = ("status", "steps", "matched", "similarity", "spurious")
    status, steps, matched, cosine, spurious = (np.atleast_1d(getattr(record, name))[:MAX_ROWS] for name in names)
    measure = partial(cell, digits=MORE_DIGITS)
    columns = {
        "cue": range(1, len(steps) + 1),
        "ended": [Status(word).value for word in status],
        "steps": steps,
        "pattern": ["" if number < 0 else number + 1 for number in matched],
        "cosine": map(measure, cosine),
        "spurious": spurious,
        "energy": [] if record.energies is None else map(measure, np.atleast_1d(record.energies[-1])[: len(steps)]),
    }
    filled = {heading: texts for heading, cells in columns.items() if any(texts := [*map(str, cells)])}
    n = np.atleast_1d(record.steps).size
    table = _table([*filled], zip(*filled.values(), strict=True))
    more = _paragraph(f"… the first {MAX_ROWS} of {n} cues") if n > MAX_ROWS else ""
    meanings = [f"{word}: {Status(word).meaning}" for word in np.unique(record.status)]
    meanings += [f"{word}: {Spurious(word).meaning}" for word in np.unique(record.spurious) if word]
    picture = _picture(recall_sheet(record))
    return f"{table}{more}{''.join(map(_paragraph, meanings))}\n{picture}"


@_html.register
def _(memory: AssociativeMemory) -> str:
    parts = _table(("part", "of this memory"), memory_parts(memory), "left")
    header, without = ("update", "energy never rises", "because"), memory.why_not("energy")
    rises = "" if without else _table(header, descents(memory), "left")
    return f"{parts}\n{rises}"


@_html.register
def _(array: Labelled) -> str:
    cells = array_cells(array)
    if isinstance(cells, str):
        return _paragraph(cells)
    return _table(*cells) + (_paragraph(f"{HIDDEN} is hidden by the mask") if array.hidden is not None else "")


@_html.register
def _(comparison: Comparison) -> str:
    picture = ""
    if not why_no_figure(comparison):
        picture = _picture(comparison_sheet(comparison))
    table = comparison_table(comparison)
    parts = [_table(table.headings, table.rows), *map(_paragraph, legend(table.headings))] if table.rows else []
    return "\n".join([_paragraph(comparison.about), *parts, picture, _paragraph(comparison.words())])


@_html.register
def _(census: Census) -> str:
    table, lines = strongest_table(census, WIDE), [f"{census.about} ({census.size})", *legend_of_census(census)]
    picture = _picture(census_sheet(census))
    return "\n".join([_paragraph(lines[0]), _table(table.headings, table.rows), picture, *map(_paragraph, lines[1:])])


@_html.register
def _(sweep: Sweep) -> str:
    headings, rows = sweep_table(sweep)
    more = _paragraph(f"… the first {MAX_ROWS} of {len(rows)} points") if len(rows) > MAX_ROWS else ""
    table = _table(headings, rows[:MAX_ROWS])
    picture = _picture(sweep_sheet(sweep)) if not why_not(sweep) else ""
    return "\n".join([table, more, picture, _paragraph(sweep_size(sweep))])


def _result_parts(result: Result) -> Iterator[str]:
    """The parts of a result's page: title and source, a figure, the arrays of each run, the verdicts."""
    yield f"<h4>{_safe(f'{result.name}: {result.title}')}</h4>"
    for about in (result.source and f"source: {result.source}", result.note):
        if about:
            yield _paragraph(about)
    if (figure := favourite(result)) is not None:
        yield _picture(figure.sheet(result))
    for run in result.runs:
        heading = (run.name or "as written") if len(result.runs) > 1 else "arrays"
        opened = " open" if run is result.runs[0] else ""
        arrays = "".join(f"<p><i>{_safe(name)}</i></p>{html(run.table(name))}" for name in run.shown)
        yield f"<details{opened}><summary>{_safe(heading)}</summary>{arrays}</details>"
    if result.expectations:
        verdicts = outcome_table(result.expectations)
        yield _table(verdicts.headings, verdicts.rows, "left")
    yield _paragraph(tally(result.expectations))


def _picture(sheet: Sheet) -> str:
    """A figure as part of the text, with its description for screen readers, and notes on what has no room in it."""
    data, notes = as_svg(sheet)
    source = f"data:image/svg+xml;base64,{b64encode(data).decode()}"
    image = f'<img src="{source}" alt="{_safe(sheet.description)}" style="max-width:100%;width:60em">'
    return "\n".join([image, *map(_paragraph, notes)])


def _table(headings: Sequence[str], rows: Iterable[Sequence[Any]], align: str = "right") -> str:
    """A table with one row of headings, unless all are empty. align: the alignment of its texts."""

    def line(tag: str, cells: Sequence[Any]) -> str:
        style = f"text-align:{align};padding:0 .8em 0 0"
        return "".join(f'<{tag} style="{style}">{_safe(text)}</{tag}>' for text in cells)

    head = f"<thead><tr>{line('th', headings)}</tr></thead>" if any(headings) else ""
    body = "".join(f"<tr>{line('td', row)}</tr>" for row in rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"


def _paragraph(text: str) -> str:
    """A text as a paragraph."""
    return f"<p>{_safe(text)}</p>"


def _safe(text: Any) -> str:
    """A text as HTML: words from a file can neither open a tag nor control a terminal."""
    return escape(plain(text))
