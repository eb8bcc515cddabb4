"""Points of one's own on the map of a sweep: heads and memories, placed by what a comparison measured of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.sweep_panels import edges
from hopattn.figures.theory_lines import Line
from hopattn.foundation.checks import real
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.scenario.grids import of_words
from hopattn.scenario.kinds.ensemble import EnsembleTable
from hopattn.scenario.language.paths import last_keys

PLACED = ("beta", "noise", "load", "patterns")
"""The axes on which a comparison has a place."""


def own_points(sweep: Sweep, points: Any) -> list[Line]:
    """Points of one's own on a map over two axes, each a line of a single point.

    points: name → (x, y), or a comparison in which softmax took part at one β. A comparison is placed at its effective
    β, at the noise that gives directions the cosine of its cues with their keys, and at its load. Where its N, or a P
    that is no axis, is not that of the map, the name says so. Raises `InvalidInput` for what has no place on the map.
    """
    if len(sweep.axes) != 2 or any(map(of_words, sweep.axes.values())):
        raise InvalidInput("plot: points: are for a map over two axes of numbers")
    if not isinstance(points, Mapping):
        raise InvalidInput(f"plot: points: expected names with their points, not {quoted(points)}")
    lines = []
    for name, given in points.items():
        what = f"plot: points: '{name}'"
        text, at = _placed(sweep, given, what) if isinstance(given, Comparison) else ("", given)
        if not isinstance(at, tuple | list | np.ndarray) or len(at) != 2:
            raise InvalidInput(f"{what}: expected (x, y) or a comparison, not {quoted(given)}")
        place = [real(number, what) for number in at]
        for (axis, values), number in zip(sweep.axes.items(), place, strict=True):
            ends = edges(values)
            if not ends[0] <= number <= ends[-1]:
                key = last_keys(sweep.axes)[axis]
                raise InvalidInput(f"{what}: {key} = {number:.3g} is off the map, {values[0]:.3g} to {values[-1]:.3g}")
        lines.append(Line(f"{name}{text}", *(np.array([number]) for number in place)))
    return lines


def _placed(sweep: Sweep, comparison: Comparison, what: str) -> tuple[str, tuple[float, ...]]:
    """The sizes of a comparison that its name says, empty for those of the map; and its place on the map."""
    keys, scenario = tuple(last_keys(sweep.axes).values()), sweep.scenario
    table = getattr(scenario and scenario.spec, "ensemble", None)
    if not isinstance(table, EnsembleTable) or table.form != "unit" or set(keys) - set(PLACED):
        raise InvalidInput(
            f"{what}: a comparison has a place on a map of directions over {', '.join(PLACED)}; give (x, y)"
        )
    rows = [row for row in comparison.rows if row.difference is not None]
    if len(rows) != 1:
        raise InvalidInput(f"{what}: softmax has {len(rows)} places in this comparison; expected one")
    row, beta, dim = rows[0], rows[0].effective_beta or 0.0, rows[0].key_dim or 1
    cosine = row.cosine_cue or 0.0
    if "noise" in keys and not cosine > 0:
        raise InvalidInput(f"{what}: the noise of its cues is not known; expected targets whose keys are like the cues")
    noise = np.sqrt(max(1 / cosine**2 - 1, 0.0) / table.dim) if cosine else 0.0
    place = {"beta": beta, "noise": noise, "load": row.n_keys / dim, "patterns": row.n_keys}
    sizes = [f"N = {dim}"] if dim != table.dim else []
    if not {"load", "patterns"} & set(keys) and row.n_keys != table.stored:
        sizes.append(f"P = {row.n_keys}")
    return f" ({', '.join(sizes)})" if sizes else "", tuple(float(place[key]) for key in keys)
