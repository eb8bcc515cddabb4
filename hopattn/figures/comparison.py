"""The figure of a comparison: curves over one axis of a grid, maps over two, bars without a grid."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.comparison.row import Row
from hopattn.figures.base import Figure
from hopattn.figures.headings import pads
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number, readable_on, short
from hopattn.foundation.errors import InvalidInput

MEASURES = {
    "recalled": "share of cues\nrecalled",
    "steps": "steps to the\nfixed point",
    "entropy": "entropy of the\nweights (nats)",
    "distance": "one step to the end\n(lengths of a value)",
    "least_number": "keys for 90 %\nof the weight",
}
"""The measures, in the order of the panels, with the titles of their axes."""
PANELS = 4
"""The largest number of panels, one for each measure that any memory has."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LINES = ("-", "--", "-.", ":")
AXIS_TITLES = {"hidden": "fraction hidden", "load": "load (patterns a neuron)", "dim": "neurons"}
WIDE_RANGE = 20
"""Positive numbers whose largest is this many times the smallest are drawn on a logarithmic axis."""
LARGE_MARKERS = 24
"""The number of places up to which markers are large."""
NUMBERED = 80
"""The number of cells, in one row of maps, up to which each cell shows its number."""


def why_no_figure(comparison: Comparison) -> str:
    """The reason why a comparison cannot be drawn; an empty string if it can."""
    if len(comparison.axes) > 2:
        return f"a figure shows one axis or two, not {', '.join(comparison.axes)}"
    if not _measures(comparison):
        return "no memory could take part"
    return ""


def draw_comparison(figure: Figure, comparison: Comparison) -> None:
    """Draw a comparison into an empty figure.

    Over one axis, or over several places such as heads: a panel for each measure, a line for each memory. Over two
    axes: a map for each memory. Else bars. Raises `InvalidInput` if it cannot be drawn.
    """
    if reason := why_no_figure(comparison):
        raise InvalidInput(f"figure: {reason}")
    pads(figure, h_pad=0.1, w_pad=0.12)
    places = list(dict.fromkeys(row.where for row in comparison.rows))
    if len(comparison.axes) == 2:
        _maps(figure, comparison)
    elif comparison.axes or len(places) > 1:
        _curves(figure, comparison, places)
    else:
        _bars(figure, comparison)


def _measures(comparison: Comparison) -> list[str]:
    """The first `PANELS` measures that any memory has."""
    names = [name for name in MEASURES if any(getattr(row, name) is not None for row in comparison.rows)]
    return names[:PANELS]


def _measured_memories(comparison: Comparison) -> list[str]:
    """The names of the memories that have at least one of the measures."""
    measures = _measures(comparison)
    measured = {row.memory for row in comparison.rows if any(getattr(row, name) is not None for name in measures)}
    return [name for name in comparison.memories if name in measured]


def _curves(figure: Figure, comparison: Comparison, places: Sequence[str]) -> None:
    """Draw a panel for each measure. Each line is thinner than the one below it, so that equal lines can be seen."""
    measures, memories = _measures(comparison), _measured_memories(comparison)
    axis = comparison.axes[0] if comparison.axes else ""
    panels = list(figure.subplots(-(-len(measures) // 2), min(2, len(measures)), squeeze=False, sharex=True).flat)
    for panel, measure in zip(panels, measures, strict=False):
        for name in memories:
            i = comparison.memories.index(name)
            x, y = _line([row for row in comparison.rows if row.memory == name], measure, axis, places)
            shift = 0.0 if axis else 0.6 * ((i + 0.5) / len(comparison.memories) - 0.5)
            style = _line_style(i, len(comparison.memories)) | (
                {} if axis else {"linestyle": "none", "markersize": scaled(10) if len(places) <= LARGE_MARKERS else 5}
            )
            panel.plot([value + shift for value in x], y, **style, label=name, clip_on=False)
        panel.set_ylabel(MEASURES[measure])
        _set_limits(panel, measure)
    for panel in panels[len(measures) :]:
        panel.set_axis_off()
    for panel in panels[max(0, len(measures) - 2) : len(measures)]:
        panel.tick_params(labelbottom=True)
        panel.set_xlabel(AXIS_TITLES.get(axis, axis))
    numbers = [row.point[axis] for row in comparison.rows] if axis else []
    if numbers and min(numbers) > 0 and max(numbers) / min(numbers) >= WIDE_RANGE:
        panels[0].set_xscale("log")
        for panel in panels:
            panel.xaxis.set_major_formatter(lambda value, _: f"{value:g}")  # not powers: formulae are off
            panel.xaxis.set_minor_formatter(lambda value, _: "")
    if not axis:
        _name_places(panels[max(0, len(measures) - 2) : len(measures)], places)
    if axis and len(places) > 1:
        figure.suptitle(f"means of {len(places)} places: {short(places[0], 20)} to {short(places[-1], 20)}")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=min(6, len(names)), frameon=False)


def _line(rows: Sequence[Row], measure: str, axis: str, places: Sequence[str]) -> tuple[list[float], list[float]]:
    """The x and y of a memory's line: over an axis the means over the places, else one point for each place."""
    by_x: dict[float, list[float]] = {}
    for row in rows:
        value = getattr(row, measure)
        x = float(row.point[axis]) if axis else float(places.index(row.where) + 1)
        by_x.setdefault(x, []).extend([] if value is None else [float(value)])
    return list(by_x), [float(np.mean(values)) if values else float("nan") for values in by_x.values()]


def _line_style(i: int, count: int) -> dict[str, Any]:
    """The colour, marker, dashes and width of memory `i` of `count`: lines differ without colours too."""
    share = (count - i) / count
    return {
        "color": theme().series[i % len(theme().series)],
        "marker": MARKERS[i % len(MARKERS)],
        "linestyle": LINES[i % len(LINES)],
        "linewidth": scaled(1.5) + 4.5 * share,
        "markersize": scaled(6) + 9 * share,
        "markerfacecolor": "none" if i % 2 else theme().series[i % len(theme().series)],
        "markeredgewidth": scaled(2),
    }


def _set_limits(panel: Any, measure: str) -> None:
    """Let the y axis begin at 0; a share, or a measure that is 0 everywhere, ends at 1."""
    panel.set_ylim(bottom=0)
    if measure == "recalled" or panel.get_ylim()[1] < 1e-6:
        panel.set_ylim(0, 1)


def _name_places(panels: Sequence[Any], places: Sequence[str]) -> None:
    """Write the places below the panels: the names of a few places, the numbers of many."""
    few = len(places) <= 6
    ticks = range(1, len(places) + 1, 1 if few else -(-len(places) // 12))
    for panel in panels:
        panel.set_xlim(0.5, len(places) + 0.5)
        panel.set_xticks(list(ticks), [short(places[i - 1], 16) if few else str(i) for i in ticks])
        panel.set_xlabel("" if few else f"from 1, {short(places[0], 16)}, to {len(places)}, {short(places[-1], 16)}")


def _bars(figure: Figure, comparison: Comparison) -> None:
    """Draw a panel for each measure, with a bar for each memory and its number at the end."""
    measures, memories = _measures(comparison), _measured_memories(comparison)
    rows = {row.memory: row for row in comparison.rows}
    panels = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
    for panel, measure in zip(panels, measures, strict=True):
        values = [getattr(rows[name], measure) for name in memories]
        most = max((value for value in values if value is not None), default=0.0) or 1.0
        for i, value in enumerate(values):
            colour = theme().series[comparison.memories.index(memories[i]) % len(theme().series)]
            panel.barh(i, value or 0.0, color=colour, height=0.62, edgecolor=theme().ink)
            text = "–" if value is None else number(0.0 if abs(value) < 1e-9 else float(value), 3)
            panel.text((value or 0.0) + 0.03 * most, i, text, va="center", ha="left")
        panel.set(xlim=(0, 1.32 * most), xlabel=MEASURES[measure])
        panel.xaxis.get_major_locator().set_params(nbins=3)
    panels[0].set_yticks(range(len(memories)), memories)
    panels[0].invert_yaxis()


def _maps(figure: Figure, comparison: Comparison) -> None:
    """Draw a map for each memory: the first measure over both axes, as a mean over the places."""
    measure, memories = _measures(comparison)[0], _measured_memories(comparison)
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
        panel.set_title(name)
        for axis, numbers, set_ticks in ((0, along, panel.set_xticks), (1, up, panel.set_yticks)):
            every = -(-len(numbers) // (5, 8)[axis])
            set_ticks(range(0, len(numbers), every), [f"{value:.3g}" for value in numbers[::every]])
        if table.size * len(memories) <= NUMBERED * columns and table.shape[1] <= 8:
            for (i, j), value in np.ndenumerate(table):
                if np.isfinite(value):
                    colour = readable_on(image.cmap(image.norm(value)))
                    panel.text(j, i, number(float(value)), ha="center", va="center", color=colour, fontsize=scaled(13))
    for panel in panels[len(memories) :]:
        panel.set_axis_off()
    for panel in panels[max(0, len(memories) - columns) : len(memories)]:
        panel.tick_params(labelbottom=True)
    figure.supxlabel(AXIS_TITLES.get(comparison.axes[0], comparison.axes[0]), fontsize=scaled(17))
    figure.supylabel(AXIS_TITLES.get(comparison.axes[1], comparison.axes[1]), fontsize=scaled(17))
    figure.colorbar(image, ax=panels, label=MEASURES[measure].replace("\n", " "))


def _table(
    rows: Sequence[Row], measure: str, axes: Sequence[str], along: Sequence[float], up: Sequence[float]
) -> np.ndarray:
    """The means of a measure, `(len(up), len(along))`; NaN, drawn white, where it was not measured.

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
