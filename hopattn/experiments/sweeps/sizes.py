"""The sizes of a sweep over loads: P is a whole number of patterns, so that the load is P/N and not what was asked."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hopattn.scenario.grids import Values
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.kinds.ensemble import EnsembleTable
from hopattn.scenario.kinds.simulation import SimulationTable
from hopattn.scenario.language.paths import last_keys

LOADS: Mapping[str, Callable[[int, int], float]] = {
    "load": lambda count, neurons: count / neurons,
    "exponent": lambda count, neurons: math.log(count) / neurons,
}
"""The axes that are rounded to whole patterns, each with its value for P patterns and N neurons."""
SIZES = ("neurons", "dim")
"""The axes that are N."""


def measured(
    spec: Kind, axes: Mapping[str, Values], values: Mapping[str, np.ndarray]
) -> tuple[dict[str, Values], dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The axes and the numbers of a sweep at the loads P/N that were measured, and P and N at each point by name.

    Of several loads that are the same P and N, the first is kept. Where N is an axis too, the axis has the loads of
    every N; where an N has no such load, its P is 0 and its numbers are NaN. Without an axis of loads, all is as it
    was, and there are no P and N.
    """
    keys, names = {key: axis for axis, key in last_keys(axes).items()}, [*axes]
    key = next((key for key in LOADS if key in keys), "")
    stored = _stored(spec, key) if key else None
    if stored is None:
        return {**axes}, {**values}, {}
    count, dim = stored
    load, size = names.index(keys[key]), next((keys[key] for key in SIZES if key in keys), None)
    sizes = np.array(axes[size] if size else [dim], int)
    counts = np.array([[count(value, n) for n in sizes.tolist()] for value in axes[names[load]]], dtype=np.int64)
    at = np.indices([*map(len, axes.values())])
    of_size = at[names.index(size)] if size else 0 * at[0]
    patterns, neurons = counts[at[load], of_size], sizes[of_size]
    loads = np.vectorize(LOADS[key], otypes=[float])(patterns, neurons)
    kept = np.unique(loads)
    first = np.stack([np.argmax(loads == one, axis=load) for one in kept], axis=load)
    there = np.stack([np.any(loads == one, axis=load) for one in kept], axis=load)

    def taken(rows: np.ndarray) -> np.ndarray:
        return np.asarray(np.take_along_axis(rows, np.expand_dims(first, [*range(first.ndim, rows.ndim)]), axis=load))

    return (
        {**axes, names[load]: tuple(kept.tolist())},
        {name: np.where(there[..., None], taken(rows), np.nan) for name, rows in values.items()},
        {"patterns": np.where(there, taken(patterns), 0), "neurons": taken(neurons)},
    )


def _stored(spec: Kind | None, load: str) -> tuple[Callable[[Any, int], int], int] | None:
    """The number of patterns by the load and N, and N; None for a scenario that stores no rounded number."""
    table = getattr(spec, "ensemble", None) or getattr(spec, "simulation", None)
    if isinstance(table, EnsembleTable):
        none = {"patterns": None, "load": None, "exponent": None}
        own = table if table.file is not None else None

        def count(value: Any, neurons: int) -> int:
            sized = {} if own else {"neurons": neurons}
            return int(table.model_copy(update={**none, **sized, load: value}).stored)

        return count, table.dim
    if isinstance(table, SimulationTable) and {"load", "dim"} <= {*table.given} and load == "load":
        return lambda value, neurons: round(value * neurons), int(table.given["dim"])
    return None
