"""A comparison over two axes: a map of one measure for each memory."""

from collections.abc import Sequence

import numpy as np

from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.comparison.row import Row
from hopattn.figures.base import Figure
from hopattn.figures.comparison_parts import MEASURES, axis_title, memories_of
from hopattn.figures.shapes import strokes, write_numbers
from hopattn.figures.style import scaled, theme

NUMBERED = 80
"""The number of cells, in one row of maps, up to which each cell shows its number."""


def draw_maps(figure: Figure, comparison: Comparison, measure: str) -> None:
    """Draw a map for each memory: the measure over both axes, as a mean over the places; shares on a scale 0 to 1."""
    memories = memories_of(comparison)
    along, up = ([*dict.fromkeys(float(row.point[axis]) for row in comparison.rows)] for axis in comparison.axes)
    tables = [
        _table([row for row in comparison.rows if row.memory == name], measure, comparison.axes, along, up)
        for name in memories
    ]
    known = np.concatenate([table[np.isfinite(table)] for table in tables])
    most = 1.0 if measure == "recalled" else float(known.max(initial=0.0)) or 1.0
    columns = min(3, len(memories))
    panels = list(figure.subplots(-(-len(memories) // columns), columns, squeeze=False, sharex=True, sharey=True).flat)
    for panel, name, table in zip(panels, memories, tables, strict=False):
        image = panel.imshow(table, cmap=theme().sequential, vmin=0, vmax=most, origin="lower", aspect="auto")
        panel.patch.set(facecolor=theme().empty, edgecolor=theme().faint, hatch=strokes(3), linewidth=0)
        panel.set_title(name)
        for axis, numbers, set_ticks in ((0, along, panel.set_xticks), (1, up, panel.set_yticks)):
            every = -(-len(numbers) // (5, 8)[axis])
            set_ticks(range(0, len(numbers), every), [f"{value:.3g}" for value in numbers[::every]])
        if table.size * len(memories) <= NUMBERED * columns and table.shape[1] <= 8:
            write_numbers(panel, image, scaled(13))
    for panel in panels[len(memories) :]:
        panel.set_axis_off()
    for panel in panels[max(0, len(memories) - columns) : len(memories)]:
        panel.tick_params(labelbottom=True)
        panel.set_xlabel(axis_title(comparison, 0))
    for panel in panels[::columns]:
        panel.set_ylabel(axis_title(comparison, 1))
    figure.colorbar(image, ax=panels, label=MEASURES[measure].replace("\n", " "))


def _table(
    rows: Sequence[Row], measure: str, axes: Sequence[str], along: Sequence[float], up: Sequence[float]
) -> np.ndarray:
    """The means of a measure, `(len(up), len(along))`; NaN, drawn hatched, where it was not measured.

    along, up: the numbers of the first and of the second axis.
    """
    cells: dict[tuple[int, int], list[float]] = {}
    for row in rows:
        if (value := getattr(row, measure)) is not None:
            place = up.index(float(row.point[axes[1]])), along.index(float(row.point[axes[0]]))
            cells.setdefault(place, []).append(float(value))
    table = np.full((len(up), len(along)), np.nan)
    for place, values in cells.items():
        table[place] = np.mean(values)
    return table
