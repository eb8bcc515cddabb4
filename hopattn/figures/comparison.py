"""Memories side by side: curves over one axis of a grid, maps over two, bars where there is no grid."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.comparison.row import Row
from hopattn.figures.base import Figure
from hopattn.figures.style import COLOURS, INK, SEQUENTIAL, number, readable_on, short
from hopattn.foundation.errors import InvalidInput

MEASURES = {
    "recalled": "share of cues\nrecalled",
    "steps": "steps to the\nfixed point",
    "entropy": "entropy of the\nweights (nats)",
    "distance": "one step to the end\n(lengths of a value)",
    "least_number": "keys for 90 %\nof the weight",
}
"""What is drawn, the first four that were measured, with what their axes are called."""
PANELS = 4
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LINES = ("-", "--", "-.", ":")
NAMES = {"hidden": "fraction hidden", "load": "load (patterns a neuron)", "dim": "neurons"}
WIDE_RANGE = 20
"""Positive numbers that span such a ratio are drawn on a logarithmic axis."""
CROWD = 24
"""Of more places than these the markers are smaller."""
NUMBERED = 80
"""Up to so many cells of a map have their numbers."""


def lacks(found: Comparison) -> str:
    """Why a comparison cannot be drawn, or an empty string where it can be."""
    if len(found.axes) > 2:
        return f"a figure shows one axis or two, not {', '.join(found.axes)}"
    if not _measures(found):
        return "no memory could take part"
    return ""


def draw_comparison(figure: Figure, found: Comparison) -> None:
    """Draw a comparison into an empty figure.

    Over one axis, or over several heads, a panel for each measure and a line for each memory; over two axes a map for
    each memory; else bars. Raises `InvalidInput` where it cannot be drawn.
    """
    if reason := lacks(found):
        raise InvalidInput(f"figure: {reason}")
    figure.get_layout_engine().set(h_pad=0.1, w_pad=0.12)
    places = list(dict.fromkeys(row.where for row in found.rows))
    if len(found.axes) == 2:
        _maps(figure, found)
    elif found.axes or len(places) > 1:
        _curves(figure, found, places)
    else:
        _bars(figure, found)


def _measures(found: Comparison) -> list[str]:
    """What was measured of any memory, at most four measures."""
    told = [name for name in MEASURES if any(getattr(row, name) is not None for row in found.rows)]
    return told[:PANELS]


def _takers(found: Comparison) -> list[str]:
    """The memories of which anything is drawn."""
    drawn = {row.memory for row in found.rows if any(getattr(row, name) is not None for name in _measures(found))}
    return [name for name in found.memories if name in drawn]


def _curves(figure: Figure, found: Comparison, places: Sequence[str]) -> None:
    """A panel for each measure. Lines that lie on one another show: each is thinner than the one below it."""
    measures, takers = _measures(found), _takers(found)
    axis = found.axes[0] if found.axes else ""
    panels = list(figure.subplots(-(-len(measures) // 2), min(2, len(measures)), squeeze=False, sharex=True).flat)
    for panel, measure in zip(panels, measures, strict=False):
        for name in takers:
            i = found.memories.index(name)
            x, y = _line([row for row in found.rows if row.memory == name], measure, axis, places)
            aside = 0.0 if axis else 0.6 * ((i + 0.5) / len(found.memories) - 0.5)
            look = _look(i, len(found.memories)) | (
                {} if axis else {"linestyle": "none", "markersize": 10 if len(places) <= CROWD else 5}
            )
            panel.plot([one + aside for one in x], y, **look, label=name, clip_on=False)
        panel.set_ylabel(MEASURES[measure])
        _fit(panel, measure)
    for panel in panels[len(measures) :]:
        panel.set_axis_off()
    for panel in panels[max(0, len(measures) - 2) : len(measures)]:
        panel.tick_params(labelbottom=True)
        panel.set_xlabel(NAMES.get(axis, axis))
    numbers = [row.point[axis] for row in found.rows] if axis else []
    if numbers and min(numbers) > 0 and max(numbers) / min(numbers) >= WIDE_RANGE:
        panels[0].set_xscale("log")
        for panel in panels:
            panel.xaxis.set_major_formatter(lambda value, _: f"{value:g}")  # powers would be formulae, which are off
            panel.xaxis.set_minor_formatter(lambda value, _: "")
    if not axis:
        _name_places(panels[max(0, len(measures) - 2) : len(measures)], places)
    if axis and len(places) > 1:
        figure.suptitle(f"means of {len(places)} places: {short(places[0], 20)} to {short(places[-1], 20)}")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=min(6, len(names)), frameon=False)


def _line(rows: Sequence[Row], measure: str, axis: str, places: Sequence[str]) -> tuple[list[float], list[float]]:
    """The points of a memory: over an axis the mean over the places, else one for each place."""
    by_x: dict[float, list[float]] = {}
    for row in rows:
        value = getattr(row, measure)
        x = float(row.point[axis]) if axis else float(places.index(row.where) + 1)
        by_x.setdefault(x, []).extend([] if value is None else [float(value)])
    return list(by_x), [float(np.mean(some)) if some else float("nan") for some in by_x.values()]


def _look(i: int, of: int) -> dict[str, Any]:
    """Colour, marker and dashes of a memory, so that it is told without its colour."""
    share = (of - i) / of
    return {
        "color": COLOURS[i % len(COLOURS)],
        "marker": MARKERS[i % len(MARKERS)],
        "linestyle": LINES[i % len(LINES)],
        "linewidth": 1.5 + 4.5 * share,
        "markersize": 6 + 9 * share,
        "markerfacecolor": "none" if i % 2 else COLOURS[i % len(COLOURS)],
        "markeredgewidth": 2,
    }


def _fit(panel: Any, measure: str) -> None:
    """From nothing up; shares up to all."""
    panel.set_ylim(bottom=0)
    if measure == "recalled" or panel.get_ylim()[1] < 1e-6:
        panel.set_ylim(0, 1)


def _name_places(panels: Sequence[Any], places: Sequence[str]) -> None:
    """The places below the panels: their names where these are few, else their numbers."""
    few = len(places) <= 6
    ticks = range(1, len(places) + 1, 1 if few else -(-len(places) // 12))
    for panel in panels:
        panel.set_xlim(0.5, len(places) + 0.5)
        panel.set_xticks(list(ticks), [short(places[i - 1], 16) if few else str(i) for i in ticks])
        panel.set_xlabel("" if few else f"from 1, {short(places[0], 16)}, to {len(places)}, {short(places[-1], 16)}")


def _bars(figure: Figure, found: Comparison) -> None:
    """A panel for each measure, a bar for each memory, its number at the end."""
    measures, takers = _measures(found), _takers(found)
    rows = {row.memory: row for row in found.rows}
    panels = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
    for panel, measure in zip(panels, measures, strict=True):
        values = [getattr(rows[name], measure) for name in takers]
        most = max((value for value in values if value is not None), default=0.0) or 1.0
        for i, value in enumerate(values):
            colour = COLOURS[found.memories.index(takers[i]) % len(COLOURS)]
            panel.barh(i, value or 0.0, color=colour, height=0.62, edgecolor=INK)
            text = "–" if value is None else number(0.0 if abs(value) < 1e-9 else float(value), 3)
            panel.text((value or 0.0) + 0.03 * most, i, text, va="center", ha="left")
        panel.set(xlim=(0, 1.32 * most), xlabel=MEASURES[measure])
        panel.xaxis.get_major_locator().set_params(nbins=3)
    panels[0].set_yticks(range(len(takers)), takers)
    panels[0].invert_yaxis()


def _maps(figure: Figure, found: Comparison) -> None:
    """A map for each memory: the first measure over both axes, averaged over the places."""
    measure, takers = _measures(found)[0], _takers(found)
    along, up = ([*dict.fromkeys(float(row.point[axis]) for row in found.rows)] for axis in found.axes)
    tables = [
        _table([row for row in found.rows if row.memory == name], measure, found.axes, along, up) for name in takers
    ]
    known = np.concatenate([table[np.isfinite(table)] for table in tables])
    most = 1.0 if measure == "recalled" else float(known.max(initial=0.0)) or 1.0
    columns = min(3, len(takers))
    panels = list(figure.subplots(-(-len(takers) // columns), columns, squeeze=False, sharex=True, sharey=True).flat)
    for panel, name, table in zip(panels, takers, tables, strict=False):
        image = panel.imshow(table, cmap=SEQUENTIAL, vmin=0, vmax=most, origin="lower", aspect="auto")
        panel.set_title(name)
        for axis, numbers, set_ticks in ((0, along, panel.set_xticks), (1, up, panel.set_yticks)):
            every = -(-len(numbers) // (5, 8)[axis])
            set_ticks(range(0, len(numbers), every), [f"{value:.3g}" for value in numbers[::every]])
        if table.size * len(takers) <= NUMBERED * columns and table.shape[1] <= 8:
            for (i, j), value in np.ndenumerate(table):
                if np.isfinite(value):
                    colour = readable_on(image.cmap(image.norm(value)))
                    panel.text(j, i, number(float(value)), ha="center", va="center", color=colour, fontsize=13)
    for panel in panels[len(takers) :]:
        panel.set_axis_off()
    for panel in panels[max(0, len(takers) - columns) : len(takers)]:
        panel.tick_params(labelbottom=True)
    figure.supxlabel(NAMES.get(found.axes[0], found.axes[0]), fontsize=17)
    figure.supylabel(NAMES.get(found.axes[1], found.axes[1]), fontsize=17)
    figure.colorbar(image, ax=panels, label=MEASURES[measure].replace("\n", " "))


def _table(
    rows: Sequence[Row], measure: str, axes: Sequence[str], along: Sequence[float], up: Sequence[float]
) -> np.ndarray:
    """The means of a measure, `(len(up), len(along))`; NaN where it was not measured, which stays white."""
    cells: dict[tuple[int, int], list[float]] = {}
    for row in rows:
        if (value := getattr(row, measure)) is not None:
            place = up.index(float(row.point[axes[1]])), along.index(float(row.point[axes[0]]))
            cells.setdefault(place, []).append(float(value))
    table = np.full((len(up), len(along)), np.nan)
    for place, values in cells.items():
        table[place] = np.mean(values)
    return table
