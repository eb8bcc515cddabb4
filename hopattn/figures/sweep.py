"""The figure of a sweep: curves over one axis, maps over two, or the capacity against the number of neurons."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.figure import left_out
from hopattn.figures.predictions import phases, predicted
from hopattn.figures.quantities import (
    SIZES,
    axis_of,
    edges,
    horizontal_axis,
    logarithmic,
    measure_title,
    parameter_title,
    places,
    possible,
    scale_of,
    setting,
)
from hopattn.figures.sheet import Curve, Mark, Panel, Sheet, Surface, say
from hopattn.figures.theory_lines import Line, lines_for, marks_of, own_points
from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.scenario.grids import of_words
from hopattn.scenario.kinds.ensemble import EnsembleTable
from hopattn.scenario.language.paths import last_keys

PANELS = 4
"""The largest number of measures in a figure, one panel each."""
FEW = 4
"""The largest number of values of an axis that are drawn as one curve each; with more of them, the panel is a map."""
FORMS = ("curve", "map", "capacity")
"""The forms of the figure by name."""


class View(NamedTuple):
    """The figure of a sweep that was asked for.

    name: one of `FORMS`; None for the one that fits. measure: the only measure to draw; None for all. theory: lines as
    `lines_for` takes them; None for those of the theory that describes the sweep's scenario. title: None for that of
    the scenario. points: on a map, as `own_points` takes them.
    """

    name: str | None = None
    measure: str | None = None
    theory: Any = None
    title: str | None = None
    points: Any = None


WHOLE = View()
"""The view that fits."""


def sweep_sheet(sweep: Sweep, view: View = WHOLE) -> Sheet:
    """Each measure in a panel: over one axis the mean with its interval, over two a map of the mean.

    If one of two axes has at most `FEW` numbers, each of these numbers is a curve over the other axis. Over numbers of
    neurons and of patterns, it is the capacity. The first `PANELS` measures are drawn; measures that are constant over
    the grid come last. Raises `InvalidInput` for what cannot be drawn.
    """
    form, names = _form(sweep, view), _measures(sweep, view)
    shown = [MEASURE] if form == "capacity" else names[:PANELS]
    lines = _lines(sweep, view, form, shown)
    panels = {"capacity": lambda name: capacity_panel(sweep, lines[name])}
    panels |= {
        "map": lambda name: _map(sweep, name, lines[name]),
        "curve": lambda name: _curves(sweep, name, lines[name]),
    }
    notes = [*_notes(sweep, form, shown, any(lines.values())), _pairs(sweep, view, form, lines[shown[0]])]
    notes += [left_out(len(shown), len(names), "measures", "--measure")] * (form != "capacity")
    title = _title(sweep) if view.title is None else view.title
    lang = "en" if sweep.scenario is None else sweep.scenario.figure.lang
    return Sheet([panels[form](name) for name in shown], title, [*notes, _size(sweep)], in_a_row=2, lang=lang)


def why_not_drawable(sweep: Sweep) -> str:
    """The reason why a sweep cannot be drawn; an empty string if it can."""
    n_axes = len(sweep.axes)
    if n_axes <= 2 or not why_no_capacity(sweep):
        return ""
    return f"one axis is drawn as curves, two as a map; the sweep has {n_axes}: hold some of them"


def _has_curves(sweep: Sweep) -> bool:
    """Whether the means are drawn as curves: over one axis, and over two if one of them has few numbers."""
    other = [values for axis, values in sweep.axes.items() if axis != horizontal_axis(sweep.axes)]
    return len(sweep.axes) == 1 or (len(sweep.axes) == 2 and len(other[0]) <= FEW)


def _form(sweep: Sweep, view: View) -> str:
    """The form of the figure; raises `InvalidInput` for one that the sweep cannot have."""
    no_capacity = why_no_capacity(sweep)
    if view.name is None:
        wanted = "curve" if _has_curves(sweep) else "map"
        form = wanted if no_capacity or view.measure not in (None, MEASURE) else "capacity"
    elif view.name not in FORMS:
        raise InvalidInput(f"plot: figure {unknown(view.name, FORMS)}")
    else:
        form = view.name
    if form == "capacity" and no_capacity:
        raise InvalidInput(f"figure: {no_capacity}")
    if form != "capacity" and len(sweep.axes) > 2:
        reason = why_not_drawable(sweep) or "over three axes, only a capacity is drawn"
        raise InvalidInput(f"figure: {reason}")
    if form == "map" and len(sweep.axes) < 2:
        raise InvalidInput("figure: a map needs two axes, and the sweep has one; 'curve' draws it")
    if form == "curve" and not _has_curves(sweep):
        raise InvalidInput(f"figure: curves need an axis of at most {FEW} numbers, one curve each; 'map' draws it")
    return form


def _measures(sweep: Sweep, view: View) -> list[str]:
    """The measures to draw; those that are the same at all points, or known at none, come last."""
    if view.measure is not None:
        if view.measure not in sweep.values:
            raise InvalidInput(f"figure: measure {unknown(view.measure, sweep.values)}")
        return [view.measure]
    means = {name: sweep.mean(name) for name in sweep.values}
    return sorted(means, key=lambda name: len(np.unique(means[name][~np.isnan(means[name])])) < 2)


def _lines(sweep: Sweep, view: View, form: str, names: list[str]) -> dict[str, list[Line]]:
    """The theory's lines over each of some measures, those of the view or else predicted, and points of one's own.

    Lines in the plane of a map lie over the maps of all measures.
    """
    if view.points is not None and form != "map":
        raise InvalidInput("plot: points: are for the figure 'map'")
    points = [] if view.points is None else own_points(sweep, view.points)
    theory = predicted(sweep, form) if view.theory is None else view.theory
    everywhere = form != "curve" or view.measure is not None
    axis = horizontal_axis(sweep.axes) if form == "curve" else next(iter(sweep.axes))
    numbers = sizes(sweep) if form == "capacity" else places(sweep.axes[axis]).tolist()
    measures = list(sweep.values)
    return {name: lines_for(theory, name, measures, numbers, everywhere) + points for name in names}


def _curves(sweep: Sweep, name: str, theory: list[Line]) -> Panel:
    """The means of a measure as curves over an axis, each in the band of its interval.

    Intervals, and the axis of a measure whose range is known, end where the measure cannot go further.
    """
    low, high = possible(name, sweep.values[name])
    axis = horizontal_axis(sweep.axes)
    values, curves = sweep.axes[axis], list(_series(sweep, name, axis))
    look = "points" if of_words(values) or theory else "line"
    marks = []
    for i, (title, mean, error) in enumerate(curves):
        ends = np.clip([mean - error, mean + error], low, high)
        error = np.nan_to_num(np.abs(ends - mean))
        marks.append(Curve(places(values), mean, title or (say("measured") if theory else ""), i, error, look))
    every = np.concatenate([np.ravel([mean - error, mean + error]) for _, mean, error in curves])
    return Panel(
        [*marks, *marks_of(theory, len(curves))],
        x=parameter_title(last_keys(sweep.axes)[axis]),
        y=measure_title(name),
        x_range=_ends(values),
        y_range=_reach(every, scale_of(low, high, sweep.mean(name)), (low, high)),
        logarithmic="x" if logarithmic(values) else "",
        **axis_of(values, "x"),
    )


def _ends(values: Any) -> tuple[float | None, float | None]:
    """The ends of the horizontal axis."""
    if of_words(values):
        return -0.5, len(values) - 0.5
    if logarithmic(values):
        margin = (values[-1] / values[0]) ** 0.03
        return float(values[0] / margin), float(values[-1] * margin)
    margin = 0.03 * (values[-1] - values[0]) or 0.5
    return float(max(values[0] - margin, 0.0 if values[0] >= 0 else -math.inf)), float(values[-1] + margin)


def _reach(every: np.ndarray, scale: tuple[float, float] | None, possible: tuple[float, float]) -> tuple[float, float]:
    """The ends of the vertical axis: those of the measure where its range is known, else those of what was measured."""
    known = every[np.isfinite(every)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    if scale:
        return max(min(low, scale[0]), possible[0]), scale[1]
    margin = 0.05 * (high - low) or 0.5
    return max(low - margin, possible[0]), min(high + margin, possible[1])


def _series(sweep: Sweep, name: str, axis: str) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """For each curve of a measure its title, its means and its errors."""
    mean, error = sweep.mean(name), sweep.error(name)
    others = [other for other in sweep.axes if other != axis]
    if not others:
        yield "", mean, error
        return
    (other,) = others
    if next(iter(sweep.axes)) == other:
        mean, error = mean.T, error.T
    key = last_keys(sweep.axes)[other]
    for i, number in enumerate(sweep.axes[other]):
        yield setting(key, number), mean[:, i], error[:, i]


def _map(sweep: Sweep, name: str, theory: list[Line]) -> Panel:
    """The mean of a measure over both axes; unknown cells are hatched."""
    (across, xs), (up, ys) = sweep.axes.items()
    mean, keys = sweep.mean(name), last_keys(sweep.axes)
    low, high = scale_of(*possible(name, sweep.values[name]), mean) or (None, None)
    known = mean[~np.isnan(mean)]
    most = high if high is not None else float(np.abs(known).max(initial=0.0)) or 1.0
    signed = known.min(initial=0.0) < -0.1 * most if low is None else low < 0
    x, y = edges(xs), edges(ys)
    surface = Surface(mean.T, x, y, "signed" if signed else "weights", name=measure_title(name), most=most)
    names = phases(theory, (float(x[0]), float(x[-1])), (float(y[0]), float(y[-1])))
    if names:
        theory = [line._replace(name="") if len(line.x) > 1 else line for line in theory]
    return Panel(
        [surface, *marks_of(theory, 0, over_map=True), *([names] if names else [])],
        x=parameter_title(keys[across]),
        y=parameter_title(keys[up]),
        x_range=(float(x[0]), float(x[-1])),
        y_range=(float(y[0]), float(y[-1])),
        logarithmic="x" * logarithmic(xs) + "y" * logarithmic(ys),
        **axis_of(xs, "x"),
        **axis_of(ys, "y"),
    )


def _title(sweep: Sweep) -> str:
    """The title of the sweep's scenario, as its figures have it; its name alone over other axes than the file's."""
    if sweep.scenario is None:
        return ""
    stated, table = sweep.scenario.figure.title, sweep.scenario.spec.sweep
    other = table is not None and {*last_keys(sweep.axes).values()} != {*last_keys(table.axes).values()}
    return str((sweep.scenario.name if other else sweep.scenario.spec.title) if stated is None else stated)


def _notes(sweep: Sweep, form: str, shown: list[str], theory: bool) -> list[str]:
    """Sentences on what the numbers are. theory: whether lines of a theory lie over them."""
    trials = say("1 trial") if sweep.trials == 1 else say("the mean of {} trials", sweep.trials)
    if form == "map":
        gaps = any(np.isnan(sweep.mean(name)).any() for name in shown)
        return [say("each cell: {}", trials), say("hatched: not measured") if gaps else ""]
    if form == "capacity":
        interval = say("bars: 95 % interval") if sweep.trials > 1 else ""
        return [say("the share recalled falls below {} here", LEVEL), trials, interval, beyond(sweep)]
    bars = theory or of_words(sweep.axes[horizontal_axis(sweep.axes)])
    interval = say("bar: its 95 % interval") if bars else say("band: its 95 % interval")
    return [say("each point: {}", trials), interval if sweep.trials > 1 else ""]


def _random(sweep: Sweep) -> EnsembleTable | None:
    """The table of random patterns that a sweep goes over; None for other sweeps."""
    table = getattr(sweep.scenario and sweep.scenario.spec, "ensemble", None)
    return table if isinstance(table, EnsembleTable) and table.file is None else None


def _size(sweep: Sweep) -> str:
    """A remark on the number of neurons of a network of random patterns; empty where it is an axis."""
    table = _random(sweep)
    return "" if table is None or "neurons" in last_keys(sweep.axes).values() else say("N = {}", table.dim)


def _pairs(sweep: Sweep, view: View, form: str, lines: list[Line]) -> str:
    """A remark on curves and lines of theory that share a colour; empty if none do.

    The theory of one update and of a simulation has a finite N.
    """
    curves = 1 if len(sweep.axes) < 2 else min(map(len, sweep.axes.values()))
    if form != "curve" or not len(lines) == curves > 1:
        return ""
    table = _random(sweep)
    finite = view.theory is not None or table is None or table.bits or table.sort == "unit"
    return say("points: measured; line: theory") if finite else say("points: measured; line: theory, N → ∞")


LEVEL = 0.9
"""The share of cues that a memory at its capacity recalls."""
MEASURE = "recalled"
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
        name = say("measured") if number is None else setting(third[0], number)
        yield Capacities(name, np.exp(found[0]), np.exp(found[1:]))


def sizes(sweep: Sweep) -> list[float]:
    """The numbers of neurons of a sweep."""
    return list(_by_key(sweep)["neurons"])


def capacity_panel(sweep: Sweep, theory: list[Line]) -> Panel:
    """The capacity against the number of neurons, both on logarithmic axes.

    Raises `InvalidInput` if the share of recalled cues nowhere falls below `LEVEL`.
    """
    neurons, curves, marks = np.array(sizes(sweep), float), list(capacities(sweep)), list[Mark]()
    for i, curve in enumerate(curves):
        known = ~np.isnan(curve.patterns)
        ends = np.where(np.isnan(curve.ends), curve.patterns, curve.ends)
        error = np.abs(ends - curve.patterns)[:, known]
        marks.append(Curve(neurons[known], curve.patterns[known], curve.name, i, error, "points"))
    reach = np.concatenate([part[~np.isnan(part)] for curve in curves for part in (curve.patterns, *curve.ends)])
    if not reach.size:
        raise InvalidInput(f"figure: the share of recalled cues nowhere falls below {LEVEL:g} within the grid")
    margin = (neurons[-1] / neurons[0]) ** 0.05
    return Panel(
        [*marks, *marks_of(theory, len(curves))],
        x=parameter_title("neurons"),
        y=say("patterns of which {} % are recalled", round(LEVEL * 100)),
        x_range=(neurons[0] / margin, neurons[-1] * margin),
        y_range=(float(reach.min()) / 1.4, float(reach.max()) * 1.4),
        logarithmic="xy",
    )


def beyond(sweep: Sweep) -> str:
    """A remark on capacities that the grid does not reach, empty if there are none."""
    unknown = sum(int(np.isnan(curve.patterns).sum()) for curve in capacities(sweep))
    total = sum(curve.patterns.size for curve in capacities(sweep))
    return say("{} of {} lie beyond the grid", unknown, total) if unknown else ""


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
