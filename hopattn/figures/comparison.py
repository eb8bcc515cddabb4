"""The figure of a comparison: curves over one axis or over places, maps over two axes, or bars."""

from collections.abc import Sequence

import numpy as np

from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.comparison.row import MEASURES as COLUMNS
from hopattn.experiments.comparison.row import Row
from hopattn.figures.figure import left_out, need
from hopattn.figures.quantities import logarithmic, map_of, parameter_title
from hopattn.figures.sheet import Bars, Curve, Mark, Nodes, Panel, Sheet, say
from hopattn.figures.text import label
from hopattn.foundation.errors import unknown

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
PANELS, MAPS = 4, 6
"""The largest number of panels of bars, one for each measure, and of maps, one for each memory."""


def measures_of(comparison: Comparison, measure: str | None = None) -> list[str]:
    """The measures that any memory has: all, or the one that was asked for.

    Raises `InvalidInput` for one that no memory has.
    """
    names = [name for name in MEASURES if any(getattr(row, name) is not None for row in comparison.rows)]
    need(measure is None or measure in names, f"figure: measure {unknown(str(measure), names)}")
    return names if measure is None else [measure]


def that_differs(comparison: Comparison, names: Sequence[str]) -> str:
    """The first measure in which the memories differ, else the first of all."""
    return next((name for name in names if len(measured(comparison, name)) > 1), names[0])


def memories_of(comparison: Comparison) -> list[str]:
    """The names of the memories that have at least one of the measures."""
    known = {row.memory for row in comparison.rows if any(getattr(row, name) is not None for name in MEASURES)}
    return [name for name in comparison.memories if name in known]


def places_of(comparison: Comparison) -> list[str]:
    """The places of the rows, such as heads, in their order."""
    return list(dict.fromkeys(row.where for row in comparison.rows))


def axes_of(comparison: Comparison) -> dict[str, list[float]]:
    """The numbers of each axis; of a comparison without axes, the places from 1 on."""
    if not comparison.axes:
        return {"": [float(i) for i, _ in enumerate(places_of(comparison), start=1)]}
    return {axis: sorted({float(row.point[axis]) for row in comparison.rows}) for axis in comparison.axes}


def means_of(comparison: Comparison, memory: str, measure: str) -> np.ndarray:
    """The means of a measure in the shape of the axes, over the places if there are axes; NaN where no row has it."""
    axes, places = axes_of(comparison), places_of(comparison)
    total, count = (np.zeros([len(numbers) for numbers in axes.values()]) for _ in range(2))
    for row in (row for row in comparison.rows if row.memory == memory):
        if (value := getattr(row, measure, None)) is not None:
            at = tuple(numbers.index(float(row.point[axis])) for axis, numbers in axes.items() if axis)
            total[at or places.index(row.where)] += value
            count[at or places.index(row.where)] += 1
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def measured(comparison: Comparison, measure: str) -> list[tuple[str, np.ndarray, np.ndarray, np.ndarray]]:
    """For each memory that has the measure its name, the means at the fixed point and after one step, and the ends of
    the interval of the first, `(2, n)`; over several places, the means of the ends.

    Memories with the same numbers are together: modern = nearest.
    """
    known: dict[bytes, tuple[str, np.ndarray, np.ndarray, np.ndarray]] = {}
    for memory in memories_of(comparison):
        names = measure, FIRST.get(measure, ""), f"{measure}_low", f"{measure}_high"
        y, first, *ends = (means_of(comparison, memory, name) for name in names)
        if not np.isnan(y).all():
            key = np.stack([y, first]).round(9).tobytes()
            known[key] = f"{known[key][0]} = {memory}" if key in known else memory, y, first, np.array(ends)
    return list(known.values())


def why_no_figure(comparison: Comparison) -> str:
    """The reason why a comparison cannot be drawn; an empty string if it can."""
    if len(comparison.axes) > 2:
        return f"a figure shows one axis or two, not {', '.join(comparison.axes)}"
    return "" if measures_of(comparison) else "no memory could take part"


def comparison_sheet(comparison: Comparison, measure: str | None = None) -> Sheet:
    """Over one axis, or over several places such as heads: a curve for each memory. Over two axes: a map for each.

    Else bars, a panel for each measure. measure: the only one to draw; None for the first in which the memories differ,
    or all as bars. Raises `InvalidInput` if it cannot be drawn.
    """
    need(not (reason := why_no_figure(comparison)), f"figure: {reason}")
    measures, axes, places = measures_of(comparison, measure), len(comparison.axes), places_of(comparison)
    bars = not axes and len(places) == 1
    shown = measures[:PANELS] if bars else [that_differs(comparison, measures)]
    if bars:
        panels = [_bars(comparison, name, i == 0) for i, name in enumerate(shown)]
    else:
        panels = _maps(comparison, shown[0]) if axes == 2 else [_curves(comparison, shown[0])]
    draws = [row.trials for row in comparison.rows if row.recalled_low is not None]
    errors = ""
    if draws and "recalled" in shown and axes < 2:
        bands = say("bands: 95 % interval (Wilson) of {} draws", draws[0])
        errors = bands if axes else say("bars: 95 % interval (Wilson) of {} draws", draws[0])
    names = [label(place, 20) for place in places]
    where = say("means of {} places: {} to {}", len(names), names[0], names[-1]) if axes else _numbered(names)
    notes = [errors, where if len(places) > 1 else "", left_out(len(shown), len(measures), "measures", "--measure")]
    return Sheet(panels, comparison.about, [*notes, *_missing(comparison)], in_a_row=4 if axes < 2 else 3)


def _numbered(places: Sequence[str]) -> str:
    """The numbers of the places with their names; of many places, those of the first and the last."""
    names = [f"{i}: {place}" for i, place in enumerate(places, start=1)]
    return ", ".join(names) if len(names) <= NAMED else say("places {} … {}", names[0], names[-1])


def _missing(comparison: Comparison) -> list[str]:
    """Remarks on memories without a measure: those that could not take part, and those that never converged."""
    took_part = {row.memory for row in comparison.rows if not row.refusal}
    missing = [name for name in comparison.memories if name not in memories_of(comparison)]
    refused = ", ".join(name for name in missing if name not in took_part)
    restless = ", ".join(name for name in missing if name in took_part)
    return [
        say("{} could not take part", refused) if refused else "",
        say("{}: no cue converged", restless) if restless else "",
    ]


def _curves(comparison: Comparison, measure: str) -> Panel:
    """The curve of each memory; memories whose curves coincide are one. Thin: after one step."""
    ((axis, numbers),), marks = axes_of(comparison).items(), list[Mark]()
    for i, (name, y, first, ends) in enumerate(measured(comparison, measure)):
        bars = None if np.isnan(ends).all() else np.nan_to_num(np.abs(ends - y))
        look = "both" if axis else "points"
        marks.append(Curve(numbers, y, name, i, bars, look))
        if axis and not np.isnan(first).all() and not np.allclose(first, y, equal_nan=True):
            marks.append(Curve(numbers, first, "", i, look="law", key=say("after one step")))
    wide = bool(axis) and logarithmic(numbers)
    ticks, most = None if axis else {number: f"{number:g}" for number in numbers}, 1.02 if measure in SHARES else None
    x = parameter_title(axis) if axis else say("place")
    return Panel(marks, "", x, MEASURES[measure], y_range=(0, most), x_ticks=ticks, logarithmic="x" * wide)


def _maps(comparison: Comparison, measure: str) -> list[Panel]:
    """A map for each memory: the measure over both axes, as a mean over the places; shares on a scale 0 to 1."""
    axes = axes_of(comparison)
    tables = {name: means_of(comparison, name, measure) for name in memories_of(comparison)[:MAPS]}
    most = 1.0 if measure in SHARES else float(np.nanmax([*tables.values()], initial=0.0)) or 1.0
    return [map_of(axes, table, MEASURES[measure], most, title=name) for name, table in tables.items()]


def _bars(comparison: Comparison, measure: str, named: bool) -> Panel:
    """A bar for each memory. A memory without the measure has the reason instead. named: with the memories' names."""
    memories = memories_of(comparison)
    rows = [next(row for row in comparison.rows if row.memory == name) for name in memories]
    values = np.array([getattr(row, measure) for row in rows], float)
    ends = np.array([[getattr(row, f"{measure}{end}", None) for row in rows] for end in ("_low", "_high")], float)
    at, gaps = np.flatnonzero(~np.isnan(values)), np.flatnonzero(np.isnan(values))
    error = None if np.isnan(ends).all() else np.nan_to_num(np.abs(ends - values))[:, at]
    marks: list[Mark] = [Bars(values[at], at=at, error=error, lying=True, colour=0)]
    if gaps.size:
        texts, starts = [why_missing(rows[i], measure) for i in gaps], np.column_stack([0.0 * gaps, gaps])
        marks.append(Nodes(starts, texts, "plain", "faint", size=0.75, align="left"))
    ticks = {float(i): name if named else "" for i, name in enumerate(memories)}
    most, places = 1.2 if measure in SHARES else None, (len(memories) - 0.5, -0.5)
    return Panel(marks, "", MEASURES[measure], x_range=(0, most), y_ticks=ticks, y_range=places)


def why_missing(row: Row, measure: str) -> str:
    """The reason why a row lacks a measure, in a few words."""
    of_weights = row.notes.get("operating_class") if measure in OF_WEIGHTS else None
    reason = row.refusal or row.notes.get(measure) or of_weights or say("not measured")
    return say("weights below 0 are not shares") if reason.startswith("weights:") else reason
