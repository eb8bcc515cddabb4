"""The figure of a dataset that has none of its own: its columns of numbers, over its rows."""

import numpy as np

from hopattn.figures.figure import left_out, need
from hopattn.figures.sheet import Bars, Curve, Mark, Panel, Sheet
from hopattn.foundation.errors import reject_unknown
from hopattn.results.dataset import Dataset

PANELS, BARS = 4, 24
"""The most columns that are drawn, and the most rows that have bars."""


def rows_sheet(dataset: Dataset, measure: str | None = None) -> Sheet:
    """A panel for each column of numbers: a curve where one column of numbers says which row it is, else a bar a row.

    measure: the only column. Raises `InvalidInput` for a column that is not there, and where none has numbers.
    """
    (names, rows), index = dataset._cells(), dataset._index
    columns = dict(zip(names, zip(*rows, strict=True), strict=False))
    known = [name for name, cells in columns.items() if name not in index and _has_numbers(cells)]
    need(known, "plot: there are no numbers to draw")
    reject_unknown("measure", [] if measure is None else [measure], known)
    shown = known[:PANELS] if measure is None else [measure]
    curves = len(index) == 1 and _has_numbers(columns[index[0]])
    count = len(rows) if curves else min(len(rows), BARS)
    values = {name: np.array(columns[name][:count], float) for name in shown}
    labels = [" ".join(str(columns[name][i]) for name in index) or str(i + 1) for i in range(count)]
    panels = []
    for i, (name, y) in enumerate(values.items()):
        at = np.flatnonzero(~np.isnan(y))
        marks: list[Mark] = [Curve(columns[index[0]], y) if curves else Bars(y[at], at=at, lying=True)]
        ticks = None if curves else {float(k): label * (i == 0) for k, label in enumerate(labels)}
        across, up = (index[0], name) if curves else (name, "")
        panels.append(
            Panel(marks, "", across, up, y_ticks=ticks, y_range=(None, None) if curves else (count - 0.5, -0.5))
        )
    notes = [left_out(len(shown), len(known), "columns", "measure"), left_out(count, len(rows), "rows")]
    return Sheet(panels, notes=notes, in_a_row=2 if curves else PANELS)


def _has_numbers(cells: tuple[object, ...]) -> bool:
    """Whether all cells that are known are numbers, and some are."""
    known = [cell for cell in cells if cell is not None]
    return bool(known) and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in known)
