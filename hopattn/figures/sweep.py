"""The figure of a sweep: curves over one axis, maps over two, or the capacity against the number of neurons."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.figure import left_out, need
from hopattn.figures.predictions import phases, predicted
from hopattn.figures.quantities import (
    axis_of,
    by_key,
    logarithmic,
    longest,
    map_of,
    name_of,
    places,
    possible,
    scale_of,
    setting,
)
from hopattn.figures.sheet import Curve, Mark, Nodes, Panel, Sheet, say
from hopattn.figures.theory_lines import Line, ensemble_of, lines_for, marks_of, own_points
from hopattn.foundation.errors import unknown
from hopattn.scenario.grids import of_words

PANELS, FEW = 4, 4
"""The largest numbers of measures, one panel each, and of values of an axis, one curve each; with more it is a map."""
FORMS = ("curve", "map", "capacity")
"""The forms of the figure by name."""
SIZES = ("neurons", "patterns")
"""The axes that a capacity is read from, by the last keys of their paths."""
LEVEL, MEASURE = 0.9, "recalled"
"""The share of cues that a memory at its capacity recalls, and the measure that is this share."""


class Series(NamedTuple):
    """A curve of what was measured: its places, its numbers, `(n,)` each, and the ends of its interval, `(2, n)`."""

    name: str
    x: np.ndarray
    y: np.ndarray
    ends: np.ndarray


def sweep_sheet(
    sweep: Sweep, name: str | None = None, *, measure: str | None = None, theory: Any = None, points: Any = None
) -> Sheet:
    """Each measure in a panel: over one axis the mean with its interval, over two a map of the mean.

    If one of two axes has at most `FEW` numbers, each of these numbers is a curve over the other axis. Over numbers of
    neurons and of patterns, it is the capacity. The first `PANELS` measures are drawn; measures that are constant over
    the grid come last. name: one of `FORMS`; None for the one that fits. measure: the only one to draw. theory: lines
    as `lines_for` takes them; None for those of the theory that describes the sweep's scenario. points: on a map, as
    `own_points` takes them. Raises `InvalidInput` for what cannot be drawn.
    """
    form, names, axes = _form(sweep, name, measure), _measures(sweep, measure), by_key(sweep.axes)
    need(points is None or form == "map", "plot: points: are for the figure 'map'")
    along = {"capacity": "neurons", "curve": longest(axes), "map": next(iter(axes))}[form]
    shown = [MEASURE] if form == "capacity" else names[:PANELS]
    own = [] if points is None else own_points(sweep, points)
    lines, everywhere = predicted(sweep, form, along) if theory is None else theory, form != "curve" or bool(measure)
    over = [lines_for(lines, one, list(sweep.values), places(axes[along]).tolist(), everywhere) + own for one in shown]
    trials = say("1 trial") if sweep.trials == 1 else say("the mean of {} trials", sweep.trials)
    table = ensemble_of(sweep)
    if form == "map":
        panels = [_map(sweep, one, theirs) for one, theirs in zip(shown, over, strict=True)]
        gaps = any(np.isnan(sweep.mean(one)).any() for one in shown)
        named = any(isinstance(mark, Nodes) for mark in panels[0].marks)
        theories = say("lines: theory, N → ∞") if named else ""
        notes = [say("each cell: {}", trials), theories, say("hatched: not measured") if gaps else ""]
    elif form == "capacity":
        series = list(capacities(sweep))
        panels, known = [_capacity(sweep, series, over[0])], ~np.isnan([one.y for one in series])
        interval = say("bars: 95 % interval ({})", say(sweep.rule(MEASURE))) if sweep.trials > 1 else ""
        beyond = "" if known.all() else say("{} of {} lie beyond the grid", np.sum(~known), known.size)
        notes = [say("the share recalled falls below {} here", LEVEL), trials, interval, beyond]
    else:
        panels = [_panel(sweep, one, along, theirs) for one, theirs in zip(shown, over, strict=True)]
        bars = any(over) or of_words(axes[along])
        rule = say(sweep.rule(*shown))
        interval = say("bar: its 95 % interval ({})", rule) if bars else say("band: its 95 % interval ({})", rule)
        finite = theory is not None or table is None or table.bits or table.sort == "unit"
        pairs = say("points: measured; line: theory") if finite else say("points: measured; line: theory, N → ∞")
        paired = len(axes) > 1 and len(over[0]) == min(map(len, axes.values())) > 1
        notes = [say("each point: {}", trials), interval if sweep.trials > 1 else "", pairs if paired else ""]
    rest = "" if form == "capacity" else left_out(len(shown), len(names), "measures", "--measure")
    size = "" if table is None or "neurons" in axes else say("N = {}", table.dim)
    lang = "en" if sweep.scenario is None else sweep.scenario.figure.lang
    return Sheet(panels, _title(sweep), [*notes, rest, size], in_a_row=2, lang=lang)


def why_not(sweep: Sweep, form: str | None = None) -> str:
    """The reason why a sweep has not a form, or none at all; an empty string if it has."""
    axes = by_key(sweep.axes)
    if form is None:
        return min((why_not(sweep, one) for one in FORMS), key=bool)
    if form == "capacity":
        others = [len(values) for key, values in axes.items() if key not in SIZES]
        if MEASURE not in sweep.values:
            return f"a capacity needs the measure '{MEASURE}'"
        if not {*SIZES} <= {*axes}:
            return f"a capacity needs the axes {' and '.join(SIZES)}"
        return f"a capacity has {FEW} curves at most, those of one more axis" if math.prod(others) > FEW else ""
    if len(axes) > 2:
        return f"one axis is drawn as curves, two as a map; the sweep has {len(axes)}: hold some of them"
    if form == "map":
        return "" if len(axes) == 2 else "a map needs two axes, and the sweep has one; 'curve' draws it"
    few = all(len(values) <= FEW for key, values in axes.items() if key != longest(axes))
    return "" if few else f"curves need an axis of at most {FEW} numbers, one curve each; 'map' draws it"


def _form(sweep: Sweep, name: str | None, measure: str | None) -> str:
    """The form of the figure; raises `InvalidInput` for one that the sweep cannot have."""
    need(name is None or name in FORMS, f"plot: figure {unknown(str(name), FORMS)}")
    need(not (reason := why_not(sweep, name)), f"figure: {reason}")
    forms = ("capacity", *FORMS) if measure in (None, MEASURE) else FORMS
    return name or next(form for form in forms if not why_not(sweep, form))


def _measures(sweep: Sweep, measure: str | None) -> list[str]:
    """The measures to draw; those that are the same at all points, or known at none, come last."""
    need(measure is None or measure in sweep.values, f"figure: measure {unknown(str(measure), sweep.values)}")
    means = {name: sweep.mean(name) for name in sweep.values if measure in (None, name)}
    return sorted(means, key=lambda name: len(np.unique(means[name][~np.isnan(means[name])])) < 2)


def _rows(sweep: Sweep, measure: str, *along: str) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Of each value of other axes the name, the means, `(n, *along)`, and the ends of the intervals, `(n, 2, *along)`;
    the mean itself where there is no interval.
    """
    axes = by_key(sweep.axes)
    at, shape = [[*axes].index(key) for key in along], [len(axes[key]) for key in along]
    parts = sweep.mean(measure), *sweep.interval(measure)
    mean, *ends = (np.moveaxis(part, at, range(-len(at), 0)).reshape(-1, *shape) for part in parts)
    names = [setting(key, value) for key in axes if key not in along for value in axes[key]]
    return names or [say("measured")], mean, np.stack([np.where(np.isnan(end), mean, end) for end in ends], axis=1)


def curves(sweep: Sweep, measure: str, along: str) -> Iterator[Series]:
    """The means of a measure along an axis where it was measured, for each value of the other one.

    Intervals end where the measure does.
    """
    x, limits = places(by_key(sweep.axes)[along]), possible(measure, sweep.values[measure])
    for name, mean, ends in zip(*_rows(sweep, measure, along), strict=True):
        known = ~np.isnan(mean) if sweep.sizes else slice(None)  # a load that N neurons do not have is no gap
        yield Series(name, x[known], mean[known], np.clip(ends, *limits)[:, known])


def capacities(sweep: Sweep) -> Iterator[Series]:
    """The capacity by the number of neurons, for each value of a third axis; NaN beyond the grid.

    It is the number of patterns at which the share of recalled cues falls below `LEVEL`, on a straight line between the
    logarithms of two numbers of the grid. Its interval is that of the share.
    """
    axes = by_key(sweep.axes)
    patterns = np.log(np.array(axes["patterns"], float))
    for name, mean, parts in zip(*_rows(sweep, MEASURE, *SIZES), strict=True):
        y, *ends = (np.exp([_fall(patterns, row) for row in part]) for part in (mean, *parts))
        yield Series(name, places(axes["neurons"]), y, np.where(np.isnan(ends), y, ends))


def _fall(patterns: np.ndarray, shares: np.ndarray) -> float:
    """The number of patterns at which the share first falls below `LEVEL`; NaN if that lies beyond the grid.

    patterns: in rising order, as logarithms, `(n,)`. shares: `(n,)`; NaN where nothing was measured.
    """
    x, y = patterns[~np.isnan(shares)], shares[~np.isnan(shares)]
    i = int(np.argmax(y < LEVEL)) if y.size else 0
    return float(x[i - 1] + (y[i - 1] - LEVEL) / (y[i - 1] - y[i]) * (x[i] - x[i - 1])) if i else math.nan


def _panel(sweep: Sweep, measure: str, along: str, theory: Sequence[Line]) -> Panel:
    """The means of a measure as curves along an axis, each with its interval."""
    series = list(curves(sweep, measure, along))
    values, (low, high) = by_key(sweep.axes)[along], possible(measure, sweep.values[measure])
    known = np.concatenate([np.ravel(one.ends) for one in series])
    known = known[np.isfinite(known)] if np.isfinite(known).any() else np.array([0.0, 1.0])
    margin = 0.05 * np.ptp(known) or 0.5
    ends = max(known.min() - margin, low), min(known.max() + margin, high)
    if scale := scale_of(low, high, sweep.mean(measure)):
        ends = max(min(known.min(), scale[0]), low), scale[1]
    if len(sweep.axes) == 1 and not theory:
        series = [one._replace(name="") for one in series]
    look = "points" if of_words(values) or theory else "line"
    marks, logs = _marks(series, theory, look), "x" * logarithmic(values)
    return Panel(marks, y=name_of(measure), y_range=ends, logarithmic=logs, **axis_of("x", along, values))


def _capacity(sweep: Sweep, series: Sequence[Series], theory: Sequence[Line]) -> Panel:
    """The capacity against the number of neurons, both on logarithmic axes."""
    known = np.concatenate([one.ends[:, ~np.isnan(one.y)] for one in series], axis=1)
    need(known.size, f"figure: the share of recalled cues nowhere falls below {LEVEL:g} within the grid")
    reach = [Series(one.name, one.x[at], one.y[at], one.ends[:, at]) for one in series for at in [~np.isnan(one.y)]]
    ends, title = (known.min() / 1.4, known.max() * 1.4), say("patterns of which {} % are recalled", round(LEVEL * 100))
    x = axis_of("x", "neurons", by_key(sweep.axes)["neurons"])
    return Panel(_marks(reach, theory, "points"), y=title, y_range=ends, logarithmic="xy", **x)


def _marks(series: Sequence[Series], theory: Sequence[Line], look: str) -> list[Mark]:
    """Curves, each with its interval, in colours of their own; lines of theory over them."""
    errors = [np.nan_to_num(np.abs(one.ends - one.y)) for one in series]
    own = [Curve(one.x, one.y, one.name, i, errors[i], look) for i, one in enumerate(series)]
    return [*own, *marks_of(theory, len(series))]


def _map(sweep: Sweep, measure: str, theory: Sequence[Line]) -> Panel:
    """The mean of a measure over both axes; unknown cells are hatched."""
    axes, mean = by_key(sweep.axes), sweep.mean(measure)
    least, most = np.nanmin(mean, initial=0.0), float(np.nanmax(np.abs(mean), initial=0.0)) or 1.0
    low, most = scale_of(*possible(measure, sweep.values[measure]), mean) or (least, most)
    names = phases(theory, *axes.values())
    lines = [line._replace(name="") if names and len(line.x) > 1 else line for line in theory]
    marks = [*marks_of(lines, 0, over_map=True), *names]
    return map_of(axes, mean, name_of(measure), most, "signed" if low < -0.1 * most else "weights", marks)


def _title(sweep: Sweep) -> str:
    """The title of the sweep's scenario, as its figures have it; its name alone over other axes than the file's."""
    if sweep.scenario is None:
        return ""
    title, table = sweep.scenario.figure.title, sweep.scenario.spec.sweep
    other = table is not None and {*by_key(sweep.axes)} != {*by_key(table.axes)}
    return str((sweep.scenario.name if other else sweep.scenario.spec.title) if title is None else title)
