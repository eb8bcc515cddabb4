"""The figure of a comparison: curves over one axis or over places, maps over two axes, or bars."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.comparison.row import MEASURES as COLUMNS
from hopattn.experiments.comparison.row import Row
from hopattn.figures.figure import left_out
from hopattn.figures.quantities import edges, logarithmic, parameter_title
from hopattn.figures.sheet import Bars, Curve, Mark, Nodes, Panel, Sheet, Surface, say
from hopattn.figures.text import short
from hopattn.foundation.errors import InvalidInput, unknown

SHOWN = ("recalled", "steps", "entropy", "distance", "least_number", "error_rest", "nearer")
_AXES = {field.name: field.metadata["axis"] for field in COLUMNS}
MEASURES = {name: say(_AXES[name]) for name in SHOWN}
"""The measures, in the order of the panels, with the titles of their axes."""
FIRST = {"recalled": "recalled_first", "error_rest": "error_first"}
"""The measures that are drawn after one step too, with their names there."""
SHARES = ("recalled", "nearer")
"""The measures that are shares, from 0 to 1."""
OF_WEIGHTS = ("entropy", "least_number")
"""The measures of the weights, which a memory lacks for the same reason as its operating class."""
NAMED = 4
"""The largest number of places that are named one by one."""
WIDE_RANGE = 20
"""Positive numbers whose largest is this many times the smallest are drawn on a logarithmic axis."""


class Measured(NamedTuple):
    """The curve of a measure, which one memory has, or several that coincide.

    y, first, error: at the fixed point, after one step, and the standard error, `(n,)` each, NaN where not known.
    """

    memories: tuple[str, ...]
    y: np.ndarray
    first: np.ndarray
    error: np.ndarray

    @property
    def name(self) -> str:
        """The names of the memories: modern = nearest."""
        return " = ".join(self.memories)


def measures_of(comparison: Comparison, measure: str | None = None) -> list[str]:
    """The measures that any memory has: all, or the one that was asked for.

    Raises `InvalidInput` for one that no memory has.
    """
    names = [name for name in MEASURES if any(getattr(row, name) is not None for row in comparison.rows)]
    if measure is None:
        return names
    if measure not in names:
        raise InvalidInput(f"figure: measure {unknown(measure, names)}")
    return [measure]


def that_differs(comparison: Comparison, names: Sequence[str]) -> str:
    """The first measure in which the memories differ, else the first of all."""
    return next((name for name in names if len(curves_of(comparison, name)) > 1), names[0])


def memories_of(comparison: Comparison) -> list[str]:
    """The names of the memories that have at least one of the measures."""
    measured = {row.memory for row in comparison.rows if any(getattr(row, name) is not None for name in MEASURES)}
    return [name for name in comparison.memories if name in measured]


def places_of(comparison: Comparison) -> list[str]:
    """The places of the rows, such as heads, in their order."""
    return list(dict.fromkeys(row.where for row in comparison.rows))


def numbers_of(comparison: Comparison) -> list[float]:
    """The numbers of the first axis, or the places from 1 on if there is no axis."""
    if not comparison.axes:
        return [float(i) for i in range(1, len(places_of(comparison)) + 1)]
    return list(dict.fromkeys(float(row.point[comparison.axes[0]]) for row in comparison.rows))


def curves_of(comparison: Comparison, measure: str) -> list[Measured]:
    """The curve of each memory, over the first axis as means over the places; memories with one curve are together."""
    xs, places = numbers_of(comparison), places_of(comparison)
    found: dict[bytes, Measured] = {}
    for name in memories_of(comparison):
        cells: list[list[Row]] = [[] for _ in xs]
        for row in (row for row in comparison.rows if row.memory == name):
            at = xs.index(float(row.point[comparison.axes[0]])) if comparison.axes else places.index(row.where)
            cells[at].append(row)
        y = _means(cells, measure)
        first = _means(cells, FIRST[measure]) if measure in FIRST else np.full(len(xs), np.nan)
        error = _means(cells, "recalled_error") if measure == "recalled" else np.full(len(xs), np.nan)
        if not np.isnan(y).all():
            key = np.concatenate([y, first]).round(9).tobytes()
            same = found[key].memories if key in found else ()
            found[key] = Measured((*same, name), y, first, error)
    return list(found.values())


def remarks(comparison: Comparison) -> list[str]:
    """Remarks on memories without a measure: those that could not take part, and those that never converged."""
    took_part = {row.memory for row in comparison.rows if not row.refusal}
    missing = [name for name in comparison.memories if name not in memories_of(comparison)]
    refused = ", ".join(name for name in missing if name not in took_part)
    restless = ", ".join(name for name in missing if name in took_part)
    return [
        say("{} could not take part", refused) if refused else "",
        say("{}: no cue converged", restless) if restless else "",
    ]


def why_missing(row: Row, measure: str) -> str:
    """The reason why a row lacks a measure, in a few words."""
    of_weights = row.notes.get("operating_class") if measure in OF_WEIGHTS else None
    reason = row.refusal or row.notes.get(measure) or of_weights or say("not measured")
    return say("weights below 0 are not shares") if reason.startswith("weights:") else reason


def axis_title(comparison: Comparison, index: int = 0) -> str:
    """The title of an axis of the grid."""
    key = comparison.axes[index]
    return say("noise") if key == "noise" else parameter_title(key)


def is_wide(numbers: Sequence[float]) -> bool:
    """Whether numbers are drawn on a logarithmic axis."""
    return min(numbers) > 0 and max(numbers) / min(numbers) >= WIDE_RANGE


def place_names(comparison: Comparison) -> str:
    """The numbers of the places with their names; of many places, those of the first and the last."""
    places = [short(place, 20) for place in places_of(comparison)]
    numbered = [f"{i}: {place}" for i, place in enumerate(places, start=1)]
    return ", ".join(numbered) if len(places) <= NAMED else say("places {} … {}", numbered[0], numbered[-1])


def _means(cells: Sequence[Sequence[Row]], measure: str) -> np.ndarray:
    """The mean of a measure in each cell, NaN where no row has it."""
    known = [[value for row in rows if (value := getattr(row, measure)) is not None] for rows in cells]
    return np.array([np.mean(values) if values else np.nan for values in known])


PANELS, MAPS = 4, 6
"""The largest number of panels of bars, one for each measure, and of maps, one for each memory."""


class ComparisonView(NamedTuple):
    """The figure of a comparison that was asked for.

    measure: the only one to draw; None for the first in which the memories differ, or all as bars. title: None for the
    subject of the comparison.
    """

    measure: str | None = None
    title: str | None = None


WHOLE = ComparisonView()
"""The view that fits."""


def why_no_figure(comparison: Comparison) -> str:
    """The reason why a comparison cannot be drawn; an empty string if it can."""
    if len(comparison.axes) > 2:
        return f"a figure shows one axis or two, not {', '.join(comparison.axes)}"
    if not measures_of(comparison):
        return "no memory could take part"
    return ""


def comparison_sheet(comparison: Comparison, view: ComparisonView = WHOLE) -> Sheet:
    """Over one axis, or over several places such as heads: a curve for each memory. Over two axes: a map for each.

    Else bars, a panel for each measure. Raises `InvalidInput` if it cannot be drawn.
    """
    if reason := why_no_figure(comparison):
        raise InvalidInput(f"figure: {reason}")
    measures, axes = measures_of(comparison, view.measure), len(comparison.axes)
    curves = axes == 1 or (not axes and len(places_of(comparison)) > 1)
    shown = [that_differs(comparison, measures)] if curves or axes == 2 else measures[:PANELS]
    if curves:
        panels = [_curves(comparison, shown[0])]
    elif axes == 2:
        panels = _maps(comparison, shown[0])
    else:
        panels = [_bars(comparison, name, i == 0) for i, name in enumerate(shown)]
    draws = [row.trials for row in comparison.rows if row.recalled_error is not None]
    errors = say("± one standard error of {} draws", draws[0]) if draws and "recalled" in shown and axes < 2 else ""
    title = comparison.about if view.title is None else view.title
    rest = left_out(len(shown), len(measures), "measures", "--measure")
    return Sheet(
        panels, title, [errors, _of_places(comparison), rest, *remarks(comparison)], in_a_row=4 if axes < 2 else 3
    )


def _curves(comparison: Comparison, measure: str) -> Panel:
    """The curve of each memory; memories whose curves coincide are one. Thin: after one step."""
    numbers, marks = numbers_of(comparison), list[Mark]()
    for i, curve in enumerate(curves_of(comparison, measure)):
        error = None if np.isnan(curve.error).all() else np.nan_to_num(_within(curve))
        look = "both" if comparison.axes else "points"
        marks.append(Curve(numbers, curve.y, curve.name, i, error, look))
        if (
            comparison.axes
            and not np.isnan(curve.first).all()
            and not np.allclose(curve.first, curve.y, equal_nan=True)
        ):
            marks.append(Curve(numbers, curve.first, "", i, look="law", key=say("after one step")))
    wide = bool(comparison.axes) and is_wide(numbers)
    most = 1.02 if measure in SHARES else None
    x = axis_title(comparison) if comparison.axes else say("place")
    ticks = None if comparison.axes else {number: f"{number:g}" for number in numbers}
    return Panel(marks, "", x, MEASURES[measure], y_range=(0, most), x_ticks=ticks, logarithmic="x" if wide else "")


def _within(curve: Measured) -> np.ndarray:
    """The error of a share as distances to both sides, within 0 and 1."""
    return np.asarray(np.abs(np.clip([curve.y - curve.error, curve.y + curve.error], 0, 1) - curve.y))


def _maps(comparison: Comparison, measure: str) -> list[Panel]:
    """A map for each memory: the measure over both axes, as a mean over the places; shares on a scale 0 to 1."""
    memories = memories_of(comparison)[:MAPS]
    along, up = ([*dict.fromkeys(float(row.point[axis]) for row in comparison.rows)] for axis in comparison.axes)
    tables = [
        _table([row for row in comparison.rows if row.memory == name], measure, comparison.axes, along, up)
        for name in memories
    ]
    known = np.concatenate([table[np.isfinite(table)] for table in tables])
    most = 1.0 if measure in SHARES else float(known.max(initial=0.0)) or 1.0
    title = MEASURES[measure]
    x, y = edges(along), edges(up)
    return [
        Panel(
            [Surface(table, x, y, name=title, most=most)],
            name,
            axis_title(comparison, 0),
            axis_title(comparison, 1),
            x_range=(x[0], x[-1]),
            y_range=(y[0], y[-1]),
            logarithmic="x" * logarithmic(along) + "y" * logarithmic(up),
        )
        for name, table in zip(memories, tables, strict=True)
    ]


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


def _bars(comparison: Comparison, measure: str, named: bool) -> Panel:
    """A bar for each memory. A memory without the measure has the reason instead. named: with the memories' names."""
    rows = {row.memory: row for row in comparison.rows}
    memories = memories_of(comparison)
    known = {i: value for i, name in enumerate(memories) if (value := getattr(rows[name], measure)) is not None}
    errors = [(rows[memories[i]].recalled_error or 0.0) if measure == "recalled" else 0.0 for i in known]
    values = np.array([*known.values()], float)
    error = np.where(np.array(errors) > 0, errors, np.nan) if any(errors) else None
    bars = Bars(values, at=np.array([*known]), error=error, lying=True, colour=0)
    missing = [why_missing(rows[name], measure) for i, name in enumerate(memories) if i not in known]
    at = [i for i in range(len(memories)) if i not in known]
    reasons = (
        [Nodes(np.array([(0.0, i) for i in at]), missing, "plain", "faint", size=0.75, align="left")] if at else []
    )
    ticks = {float(i): name for i, name in enumerate(memories if named else [""] * len(memories))}
    most = 1.2 if measure in SHARES else None
    return Panel(
        [bars, *reasons], "", MEASURES[measure], x_range=(0, most), y_ticks=ticks, y_range=(len(memories) - 0.5, -0.5)
    )


def _of_places(comparison: Comparison) -> str:
    """A remark on the places, or on those over which the numbers are means."""
    places = places_of(comparison)
    if len(places) < 2:
        return ""
    if not comparison.axes:
        return place_names(comparison)
    return say("means of {} places: {} to {}", len(places), short(places[0], 20), short(places[-1], 20))
