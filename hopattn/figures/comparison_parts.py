"""The parts of a comparison that its figures draw: measures, memories, curves that coincide, reasons for gaps."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.comparison.row import MEASURES as COLUMNS
from hopattn.experiments.comparison.row import Row
from hopattn.figures.quantities import parameter_title
from hopattn.figures.text import short
from hopattn.foundation.errors import InvalidInput, unknown

SHOWN = ("recalled", "steps", "entropy", "distance", "least_number", "error_rest", "nearer")
_AXES = {field.name: field.metadata["axis"] for field in COLUMNS}
MEASURES = {name: _AXES[name] for name in SHOWN}
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


class Curve(NamedTuple):
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


def curves_of(comparison: Comparison, measure: str) -> list[Curve]:
    """The curve of each memory, over the first axis as means over the places; memories with one curve are together."""
    xs, places = numbers_of(comparison), places_of(comparison)
    found: dict[bytes, Curve] = {}
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
            found[key] = Curve((*same, name), y, first, error)
    return list(found.values())


def remarks(comparison: Comparison) -> str:
    """Remarks on memories without a measure: those that could not take part, and those that never converged."""
    took_part = {row.memory for row in comparison.rows if not row.refusal}
    missing = [name for name in comparison.memories if name not in memories_of(comparison)]
    refused = ", ".join(name for name in missing if name not in took_part)
    restless = ", ".join(name for name in missing if name in took_part)
    parts = (f"{refused} could not take part" if refused else "", f"{restless}: no cue converged" if restless else "")
    return "; ".join(filter(None, parts))


def why_missing(row: Row, measure: str) -> str:
    """The reason why a row lacks a measure, in a few words."""
    of_weights = row.notes.get("operating_class") if measure in OF_WEIGHTS else None
    reason = row.refusal or row.notes.get(measure) or of_weights or "not measured"
    return "weights below 0 are not shares" if reason.startswith("weights:") else reason


def axis_title(comparison: Comparison, index: int = 0) -> str:
    """The title of an axis of the grid."""
    key = comparison.axes[index]
    return "noise" if key == "noise" else parameter_title(key)


def is_wide(numbers: Sequence[float]) -> bool:
    """Whether numbers are drawn on a logarithmic axis."""
    return min(numbers) > 0 and max(numbers) / min(numbers) >= WIDE_RANGE


def place_names(comparison: Comparison) -> str:
    """The numbers of the places with their names; of many places, those of the first and the last."""
    places = [short(place, 20) for place in places_of(comparison)]
    numbered = [f"{i}: {place}" for i, place in enumerate(places, start=1)]
    return ", ".join(numbered) if len(places) <= NAMED else f"places {numbered[0]} … {numbered[-1]}"


def _means(cells: Sequence[Sequence[Row]], measure: str) -> np.ndarray:
    """The mean of a measure in each cell, NaN where no row has it."""
    known = [[value for row in rows if (value := getattr(row, measure)) is not None] for rows in cells]
    return np.array([np.mean(values) if values else np.nan for values in known])
