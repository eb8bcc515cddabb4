"""Lines of a theory over what was measured: given as numbers or as a function, checked, and drawn."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hopattn.figures.quantities import logarithmic
from hopattn.figures.style import scaled, theme
from hopattn.foundation.errors import InvalidInput, unknown

POINTS = 200
"""The number of points at which a function is drawn."""
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))
"""The dashes of several lines in one colour."""


Handles = dict[str, Any]
"""The handles of what was drawn, by their names in a legend."""


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


def draw_lines(ax: Any, lines: Sequence[Line], n_curves: int = 0, cased: bool = False) -> Handles:
    """Draw lines within the limits that the axes have; gives their handles by name.

    n_curves: how many curves were measured. As many lines have their colours; else all have the colour of ink, and
    differ by dashes; a line of one point is a dot. cased: whether each line lies on a wider one in the background
    colour, to be seen on a map.
    """
    from matplotlib.patheffects import Normal, Stroke

    limits, handles = (ax.get_xlim(), ax.get_ylim()), {}
    paired = len(lines) == n_curves > 1
    for i, line in enumerate(lines):
        own = theme().series[i] if paired else theme().ink
        dash = "-" if paired else DASHES[i % len(DASHES)]
        effects = [Stroke(linewidth=scaled(7), foreground=theme().paper), Normal()] if cased else None
        style: dict[str, Any] = {
            "color": own,
            "linestyle": dash,
            "linewidth": scaled(3),
            "path_effects": effects,
            "zorder": 4,
        }
        if len(line.x) == 1:
            rim = {"markeredgecolor": theme().paper, "markeredgewidth": scaled(2)}
            style |= {
                "linestyle": "none",
                "marker": "o",
                "markersize": scaled(13),
                "zorder": 8,
                "path_effects": None,
            } | rim
        (handles[line.name],) = ax.plot(line.x, line.y, **style)
    ax.set(xlim=limits[0], ylim=limits[1])
    return handles


def with_lines(curves: Handles, lines: Handles) -> Handles:
    """The handles of measured curves and of lines by name; a curve and the line in its colour are one pair."""
    if not len(curves) == len(lines) > 1:
        return curves | lines
    names = [
        curve if line == f"theory, {curve}" else line if curve in line else f"{curve}: {line}"
        for curve, line in zip(curves, lines, strict=True)
    ]
    return dict(zip(names, zip(curves.values(), lines.values(), strict=True), strict=True))


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
