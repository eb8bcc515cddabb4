"""Lines of a theory and points of one's own over what was measured: checked, and as marks."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.quantities import by_key, edges, spaced
from hopattn.figures.sheet import Curve, Mark, Points, say
from hopattn.figures.text import number
from hopattn.foundation.checks import real
from hopattn.foundation.errors import InvalidInput, quoted, unknown
from hopattn.scenario.grids import of_words
from hopattn.scenario.kinds.ensemble import EnsembleTable

PLACED = ("beta", "noise", "load", "patterns")
"""The axes on which a comparison has a place."""
POINTS = 200
"""The number of points at which a function is drawn."""


class Line(NamedTuple):
    """A line by its name, with the numbers of its points, `(n,)` each; a line of one point is a point with a name."""

    name: str
    x: np.ndarray
    y: np.ndarray


def ensemble_of(sweep: Sweep) -> EnsembleTable | None:
    """The table of random patterns that a sweep goes over; None for other sweeps."""
    table = getattr(sweep.scenario and sweep.scenario.spec, "ensemble", None)
    return table if isinstance(table, EnsembleTable) and table.file is None else None


def lines_for(
    theory: Any, measure: str, measures: Sequence[str], numbers: Sequence[float], everywhere: bool = False
) -> list[Line]:
    """The lines over one measure.

    theory: name → (x, y) or a function of the numbers of the horizontal axis; or measure → such lines. Lines without a
    measure belong to the first one, or to each one (`everywhere`). measure: the one in question. measures: all that
    there are. numbers: of the horizontal axis. Raises `InvalidInput` for anything else.
    """
    if not isinstance(theory, Mapping):
        raise InvalidInput(f"theory: expected names with their lines, as in {{'N → ∞': (x, y)}}, not {quoted(theory)}")
    nested = [key for key, lines in theory.items() if isinstance(lines, Mapping)]
    if nested and len(nested) < len(theory):
        raise InvalidInput("theory: gives both lines and measures; expected lines alone, or measures with their lines")
    for key in nested:
        if key not in measures:
            raise InvalidInput(f"theory: measure {unknown(str(key), measures)}")
    own = theory.get(measure, {}) if nested else theory if everywhere or measure == measures[0] else {}
    return [_line(name, line, numbers) for name, line in own.items()]


def marks_of(lines: Sequence[Line], n_curves: int, over_map: bool = False) -> list[Mark]:
    """Lines as marks.

    n_curves: how many curves were measured. As many lines have their colours, and no names of their own. over_map:
    whether they lie on colours, where the legend names a single one too. A single line that falls at its end has the
    number of this place beside it.
    """
    paired = len(lines) == n_curves > 1
    lone = over_map and sum(len(line.x) > 1 for line in lines) == 1
    marks: list[Mark] = []
    for i, line in enumerate(lines):
        if len(line.x) == 1:
            marks.append(Points(np.column_stack([line.x, line.y]), [line.name], size=1.3))
        else:
            name, key, look = "" if lone or paired else line.name, line.name * lone, "over" if over_map else "law"
            marks.append(Curve(line.x, line.y, name, i if paired else "ink", look=look, dash=i, key=key))
            if len(lines) == 1 and not over_map and np.isclose(*line.x[-2:]):
                place = np.array([[line.x[-1], np.average(line.y[-2:], weights=(1, 4))]])
                marks.append(Points(place, [say(number(line.x[-1], 3))], size=0.1))
    return marks


def _line(name: Any, line: Any, numbers: Sequence[float]) -> Line:
    """One line from its points, or from a function; NaN, where a line is broken, is a number."""
    if not isinstance(name, str):
        raise InvalidInput(f"theory: expected the name of a line, not {type(name).__name__}")
    x = spaced(numbers, POINTS)
    try:
        points = np.asarray((x, line(x)) if callable(line) else line, float)
    except (TypeError, ValueError):
        points = np.empty(0)
    if points.ndim != 2 or len(points) != 2 or np.isinf(points).any() or not np.isfinite(points).all(axis=0).any():
        wanted = "expected (x, y), as many finite numbers x as y, or a function of x that gives as many"
        raise InvalidInput(f"theory: '{name}': {wanted}, not {quoted(line)}")
    return Line(name, *points)


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
    for name, at in points.items():
        what, text = f"plot: points: '{name}'", ""
        if isinstance(at, Comparison):
            text, at = _placed(sweep, at, what)
        if not isinstance(at, tuple | list | np.ndarray) or len(at) != 2:
            raise InvalidInput(f"{what}: expected (x, y) or a comparison, not {quoted(at)}")
        place = [real(x, what) for x in at]
        for (key, values), x in zip(by_key(sweep.axes).items(), place, strict=True):
            if not edges(values)[0] <= x <= edges(values)[-1]:
                raise InvalidInput(f"{what}: {key} = {x:.3g} is off the map, {values[0]:.3g} to {values[-1]:.3g}")
        lines.append(Line(f"{name}{text}", *(np.array([number]) for number in place)))
    return lines


def _placed(sweep: Sweep, comparison: Comparison, what: str) -> tuple[str, tuple[float, ...]]:
    """The sizes of a comparison that its name says, empty for those of the map; and its place on the map."""
    keys, table = by_key(sweep.axes), ensemble_of(sweep)
    if table is None or table.sort != "unit" or {*keys} - {*PLACED}:
        raise InvalidInput(
            f"{what}: a comparison has a place on a map of directions over {', '.join(PLACED)}; give (x, y)"
        )
    rows = [row for row in comparison.rows if row.difference is not None]
    if len(rows) != 1:
        raise InvalidInput(f"{what}: softmax has {len(rows)} places in this comparison; expected one")
    row, dim, cosine = rows[0], rows[0].key_dim or 1, rows[0].cosine_cue or 0.0
    if "noise" in keys and not cosine > 0:
        raise InvalidInput(f"{what}: the noise of its cues is not known; expected targets whose keys are like the cues")
    noise = np.sqrt(max(1 / cosine**2 - 1, 0.0) / table.dim) if cosine else 0.0
    place = {"beta": row.effective_beta or 0.0, "noise": noise, "load": row.n_keys / dim, "patterns": row.n_keys}
    sizes = [f"N = {dim}"] if dim != table.dim else []
    if not {"load", "patterns"} & {*keys} and row.n_keys != table.stored:
        sizes.append(f"P = {row.n_keys}")
    return f" ({', '.join(sizes)})" if sizes else "", tuple(float(place[key]) for key in keys)
