"""The capacity of a memory against its size: the largest number of patterns that it still recalls, from a sweep."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.quantities import parameter_title, set_logarithmic, setting
from hopattn.figures.style import scaled, theme
from hopattn.figures.sweep_panels import MARKERS
from hopattn.figures.theory_lines import Handles, Line, draw_lines, with_lines
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.language.paths import last_keys

LEVEL = 0.9
"""The share of cues that a memory at its capacity recalls."""
MEASURE = "recalled"
SIZES = ("neurons", "patterns")
"""The axes that a capacity is read from, by the last keys of their paths."""
MOST = 4
"""The largest number of curves, one for each number of a third axis."""


class Capacities(NamedTuple):
    """The capacity at each number of neurons, `(n,)`, with the ends of its interval, `(2, n)`; NaN beyond the grid."""

    name: str
    patterns: np.ndarray
    ends: np.ndarray


def why_no_capacity(sweep: Sweep) -> str:
    """The reason why no capacity can be read from a sweep; an empty string if it can."""
    keys = list(last_keys(sweep.axes).values())
    if MEASURE not in sweep.values:
        return f"a capacity needs the measure '{MEASURE}'"
    if not set(SIZES) <= set(keys):
        return f"a capacity needs the axes {' and '.join(SIZES)}"
    if len(keys) > 3:
        return "a capacity is drawn over three axes at most"
    third = next((len(numbers) for key, numbers in _by_key(sweep).items() if key not in SIZES), 1)
    return f"a capacity has {MOST} curves at most, and the third axis {third} numbers" if third > MOST else ""


def capacities(sweep: Sweep) -> Iterator[Capacities]:
    """The capacity by the number of neurons, for each number of the third axis if there is one.

    It is the number of patterns at which the share of recalled cues falls below `LEVEL`, on a straight line between the
    logarithms of two numbers of the grid. Its interval is that of the share.
    """
    keys, axes = list(last_keys(sweep.axes).values()), _by_key(sweep)
    third = [key for key in keys if key not in SIZES]
    order = [keys.index(key) for key in (*third, *SIZES)]
    mean, error = (np.transpose(part, order) for part in (sweep.mean(MEASURE), np.nan_to_num(sweep.error(MEASURE))))
    if not third:
        mean, error = mean[None], error[None]
    patterns = np.log(np.array(axes["patterns"], float))
    for i, number in enumerate(axes[third[0]] if third else (None,)):
        three = mean[i], mean[i] - error[i], mean[i] + error[i]
        found = [[_fall(patterns, row) for row in shares] for shares in three]
        name = "measured" if number is None else setting(third[0], number)
        yield Capacities(name, np.exp(found[0]), np.exp(found[1:]))


def sizes(sweep: Sweep) -> list[float]:
    """The numbers of neurons of a sweep."""
    return list(_by_key(sweep)["neurons"])


def draw_capacity(ax: Any, sweep: Sweep, theory: list[Line]) -> Handles:
    """Draw the capacity against the number of neurons, both on logarithmic axes; gives the handles by name."""
    neurons = np.array(sizes(sweep), float)
    curves, handles = list(capacities(sweep)), {}
    for i, curve in enumerate(curves):
        known = ~np.isnan(curve.patterns)
        ends = np.where(np.isnan(curve.ends), curve.patterns, curve.ends)
        style = {"color": theme().series[i], "marker": MARKERS[i], "linestyle": "none", "capsize": scaled(4)}
        bars = np.abs(ends - curve.patterns)[:, known]
        handles[curve.name] = ax.errorbar(neurons[known], curve.patterns[known], bars, zorder=5, **style)
    found = np.concatenate([curve.patterns[~np.isnan(curve.patterns)] for curve in curves])
    if not found.size:
        raise InvalidInput(f"figure: the share of recalled cues nowhere falls below {LEVEL:g} within the grid")
    margin = (neurons[-1] / neurons[0]) ** 0.05
    reach = np.concatenate([found, *(curve.ends[~np.isnan(curve.ends)] for curve in curves)])
    ax.set(xlim=(neurons[0] / margin, neurons[-1] * margin), ylim=(reach.min() / 1.4, reach.max() * 1.4))
    ax.set(xlabel=parameter_title("neurons"), ylabel=f"patterns of which {LEVEL * 100:.0f} % are recalled")
    drawn = draw_lines(ax, theory, len(curves))
    set_logarithmic(ax, "x", neurons.tolist())
    set_logarithmic(ax, "y", found.tolist())
    return with_lines(handles, drawn)


def beyond(sweep: Sweep) -> str:
    """A remark on capacities that the grid does not reach, empty if there are none."""
    unknown = sum(int(np.isnan(curve.patterns).sum()) for curve in capacities(sweep))
    total = sum(curve.patterns.size for curve in capacities(sweep))
    return f"{unknown} of {total} lie beyond the grid" if unknown else ""


def _by_key(sweep: Sweep) -> dict[str, Any]:
    """The numbers of each axis by the last key of its path."""
    keys = last_keys(sweep.axes)
    return {keys[path]: numbers for path, numbers in sweep.axes.items()}


def _fall(patterns: np.ndarray, shares: np.ndarray) -> float:
    """The number of patterns at which the share first falls below `LEVEL`; NaN if that lies beyond the grid.

    patterns: in rising order, as logarithms, `(n,)`. shares: `(n,)`; NaN where nothing was measured.
    """
    known = ~np.isnan(shares)
    x, y = patterns[known], shares[known]
    below = np.flatnonzero(y < LEVEL)
    if not below.size or below[0] == 0:
        return float("nan")
    i = below[0]
    return float(x[i - 1] + (y[i - 1] - LEVEL) / (y[i - 1] - y[i]) * (x[i] - x[i - 1]))
