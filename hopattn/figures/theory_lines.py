"""Lines of a theory and points of one's own over what was measured: checked, and as marks."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.quantities import edges, logarithmic
from hopattn.figures.sheet import Curve, Mark, Points
from hopattn.foundation.checks import real
from hopattn.foundation.errors import InvalidInput, quoted, unknown
from hopattn.scenario.grids import of_words
from hopattn.scenario.kinds.ensemble import EnsembleTable
from hopattn.scenario.language.paths import last_keys

PLACED = ("beta", "noise", "load", "patterns")
"""The axes on which a comparison has a place."""


POINTS = 200
"""The number of points at which a function is drawn."""


class Line(NamedTuple):
    """A line by its name, with the numbers of its points, `(n,)` each."""

    name: str
    x: np.ndarray
    y: np.ndarray


def lines_for(
    theory: Any, measure: str, measures: Sequence[str], numbers: Sequence[float], everywhere: bool = False
) -> list[Line]:
    """The lines over one measure.

    theory: name → (x, y) or a function of the numbers of the horizontal axis; or measure → such lines. Lines without a
    measure belong to the first one, or to each one (`everywhere`). measure: the one in question. measures: all that
    there are. numbers: of the horizontal axis. Raises `InvalidInput` for anything else.
    """
    if not isinstance(theory, Mapping):
        raise InvalidInput(f"theory: expected names with their lines, as in {{'N → ∞': (x, y)}}, not {_kind(theory)}")
    nested = [key for key, lines in theory.items() if isinstance(lines, Mapping)]
    if nested and len(nested) < len(theory):
        raise InvalidInput("theory: gives both lines and measures; expected lines alone, or measures with their lines")
    for key in nested:
        if key not in measures:
            raise InvalidInput(f"theory: measure {unknown(str(key), measures)}")
    own = theory.get(measure, {}) if nested else theory if everywhere or measure == measures[0] else {}
    return [_line(name, given, numbers) for name, given in own.items()]


def marks_of(lines: Sequence[Line], n_curves: int, over_map: bool = False) -> list[Mark]:
    """Lines as marks. A line of one point is a point with a name.

    n_curves: how many curves were measured. As many lines have their colours, and no names of their own. over_map:
    whether they lie on colours, where the legend names a single one too.
    """
    paired = len(lines) == n_curves > 1
    lone = over_map and sum(len(line.x) > 1 for line in lines) == 1
    marks: list[Mark] = []
    for i, line in enumerate(lines):
        if len(line.x) == 1:
            marks.append(Points(np.column_stack([line.x, line.y]), [line.name], size=1.3))
        else:
            look = "over" if over_map else "law"
            name, key = ("", line.name) if lone else ("" if paired else line.name, "")
            marks.append(Curve(line.x, line.y, name, i if paired else "ink", look=look, dash=i, key=key))
    return marks


def _line(name: Any, given: Any, numbers: Sequence[float]) -> Line:
    """One line from its points, or from a function."""
    if not isinstance(name, str):
        raise InvalidInput(f"theory: expected the name of a line, not {_kind(name)}")
    if callable(given):
        space = np.geomspace if logarithmic(numbers) else np.linspace
        x = np.asarray(space(numbers[0], numbers[-1], POINTS))
        y = _numbers(given(x), name, "the function gives")
    else:
        if not isinstance(given, list | tuple | np.ndarray) or len(given) != 2:
            raise InvalidInput(f"theory: '{name}': expected (x, y) or a function of x, not {_kind(given)}")
        x, y = (_numbers(part, name, "gives") for part in given)
    if x.shape != y.shape:
        raise InvalidInput(f"theory: '{name}': has {len(x)} numbers x and {y.size} numbers y; expected as many")
    if not (np.isfinite(x) & np.isfinite(y)).any():
        raise InvalidInput(f"theory: '{name}': holds no point that can be drawn")
    return Line(name, x, y)


def _numbers(values: Any, name: str, prefix: str) -> np.ndarray:
    """A list of numbers; NaN, where a line is broken, is one of them."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        array = np.empty((0, 0))
    if array.ndim != 1 or np.isinf(array).any():
        raise InvalidInput(f"theory: '{name}': {prefix} {_kind(values)}; expected a list of finite numbers")
    return array


def _kind(thing: Any) -> str:
    """The type of a thing in a message, and its shape if it has one."""
    shape = getattr(thing, "shape", None)
    return f"{type(thing).__name__}{f' of shape {shape}' if shape else ''}"


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
