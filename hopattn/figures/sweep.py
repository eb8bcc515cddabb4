"""The figure of a sweep: curves over one axis, maps over two, or the capacity against the number of neurons."""

from typing import Any, NamedTuple

import numpy as np

from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.base import Around, Axes, Figure, only
from hopattn.figures.capacity import LEVEL, MEASURE, beyond, draw_capacity, sizes, why_no_capacity
from hopattn.figures.headings import balanced, foot, left_out, pads, wrapped
from hopattn.figures.language import translate
from hopattn.figures.line_names import name_lines
from hopattn.figures.own_points import own_points
from hopattn.figures.panels import grid_of
from hopattn.figures.predictions import predicted
from hopattn.figures.quantities import places
from hopattn.figures.style import scaled, theme
from hopattn.figures.sweep_panels import FEW, NOT_MEASURED, draw_curves, draw_map, has_curves, horizontal_axis
from hopattn.figures.theory_lines import Handles, Line, lines_for
from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.scenario.grids import of_words
from hopattn.scenario.kinds.ensemble import EnsembleTable
from hopattn.scenario.language.paths import last_keys

PANELS = 4
"""The largest number of measures in a figure, one panel each."""
NARROW = 19
"""The letters in a line of the title of a vertical axis, where panels are above each other."""
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


def draw_sweep(figure: Figure, sweep: Sweep, view: View = WHOLE) -> None:
    """Draw each measure in a panel: over one axis the mean with its interval, over two a map of the mean.

    If one of two axes has at most `FEW` numbers, each of these numbers is a curve over the other axis. Over numbers of
    neurons and of patterns, the capacity is drawn. The first `PANELS` measures are drawn; measures that are constant
    over the grid come last. Raises `InvalidInput` for what cannot be drawn.
    """
    form, names = _form(sweep, view), _measures(sweep, view)
    if title := _title(sweep) if view.title is None else view.title:
        figure.suptitle(balanced(title))
    pads(figure, h_pad=0.1, w_pad=0.12)
    shown = [MEASURE] if form == "capacity" else names[:PANELS]
    handles: Handles = {}
    lines_of = _lines(sweep, view, form, shown)
    for ax, name in zip(grid_of(figure, len(shown), 2), shown, strict=True):
        handles |= _draw(ax, sweep, (form, name), lines_of[name])
    for ax in figure.axes if len(shown) > 2 else ():  # panels are above each other
        ax.set_ylabel(wrapped(ax.get_ylabel().replace("\n", " "), NARROW))
    notes = [_note(sweep, form, shown), _pairs(sweep, view, form, handles)]
    notes += [left_out(len(shown), len(names), "measures", "--measure") * (form != "capacity")]
    keyed = form == "map" or len(handles) > 1
    note = "\n".join(filter(None, ("; ".join(filter(None, notes)), _size(sweep))))
    lines = [handle[0] if isinstance(handle, tuple) else handle for handle in handles.values()]
    foot(figure, note)
    beside = form != "capacity" and keyed and len(shown) == 1 and lines
    if beside and (texts := name_lines(figure.axes[0], lines, list(handles))):
        for text in texts * (form == "map"):
            text.set_bbox({"facecolor": theme().paper, "edgecolor": "none", "pad": scaled(3)})
    else:
        foot(figure, note, list(handles.values()) * keyed, list(handles) * keyed)
    translate(figure, _lang(sweep))


def draw_sweep_panel(ax: Axes, sweep: Sweep, view: View = WHOLE) -> Around:
    """Draw one measure of a sweep, with its legend, into axes.

    Raises `InvalidInput` if there are several measures, and for what has no figure.
    """
    form = _form(sweep, view)
    name = MEASURE if form == "capacity" else only(_measures(sweep, view), "measures", "measure")
    handles = _draw(ax, sweep, (form, name), _lines(sweep, view, form, [name])[name])
    if len(handles) > (form != "map"):
        ax.legend(list(handles.values()), list(handles), title=_pairs(sweep, view, form, handles) or None)
    translate(ax, _lang(sweep))
    return Around(_title(sweep))


def why_not_drawable(sweep: Sweep) -> str:
    """The reason why a sweep cannot be drawn; an empty string if it can."""
    n_axes = len(sweep.axes)
    if n_axes <= 2 or not why_no_capacity(sweep):
        return ""
    return f"one axis is drawn as curves, two as a map; the sweep has {n_axes}: hold some of them"


def _form(sweep: Sweep, view: View) -> str:
    """The form of the figure; raises `InvalidInput` for one that the sweep cannot have."""
    no_capacity = why_no_capacity(sweep)
    if view.name is None:
        wanted = "curve" if has_curves(sweep) else "map"
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
    if form == "curve" and not has_curves(sweep):
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
    """The theory's lines over each of some measures, given or else predicted, and points of one's own.

    Lines in the plane of a map lie over the maps of all measures.
    """
    if view.points is not None and form != "map":
        raise InvalidInput("plot: points: are for the figure 'map'")
    points = [] if view.points is None else own_points(sweep, view.points)
    theory = predicted(sweep, form) if view.theory is None else view.theory
    everywhere = form != "curve" or view.measure is not None
    axis = horizontal_axis(sweep) if form == "curve" else next(iter(sweep.axes))
    numbers = sizes(sweep) if form == "capacity" else places(sweep.axes[axis]).tolist()
    measures = list(sweep.values)
    return {name: lines_for(theory, name, measures, numbers, everywhere) + points for name in names}


def _draw(ax: Axes, sweep: Sweep, what: tuple[str, str], lines: list[Line]) -> Handles:
    """Draw one panel; gives its handles by name. what: the form, and the measure."""
    form, name = what
    if form == "capacity":
        return draw_capacity(ax, sweep, lines)
    return draw_map(ax, sweep, name, lines) if form == "map" else draw_curves(ax, sweep, name, lines)


def _lang(sweep: Sweep) -> str:
    """The language of the sweep's scenario."""
    return "en" if sweep.scenario is None else sweep.scenario.figure.lang


def _title(sweep: Sweep) -> str:
    """The title of the sweep's scenario, as its figures have it; its name alone over other axes than the file's."""
    if sweep.scenario is None:
        return ""
    stated, table = sweep.scenario.figure.title, sweep.scenario.spec.sweep
    other = table is not None and {*last_keys(sweep.axes).values()} != {*last_keys(table.axes).values()}
    return str((sweep.scenario.name if other else sweep.scenario.spec.title) if stated is None else stated)


def _note(sweep: Sweep, form: str, shown: list[str]) -> str:
    """A sentence on what the numbers are."""
    trials = "1 trial" if sweep.trials == 1 else f"the mean of {sweep.trials} trials"
    if form == "map":
        gaps = any(np.isnan(sweep.mean(name)).any() for name in shown)
        return f"each cell: {trials}" + (f"; {NOT_MEASURED}" if gaps else "")
    if form == "capacity":
        bars = "bars: 95 % interval" * (sweep.trials > 1)
        return "; ".join(filter(None, (f"the share recalled falls below {LEVEL:g} here", trials, bars, beyond(sweep))))
    interval = "bar" if of_words(sweep.axes[horizontal_axis(sweep)]) else "band"
    return f"each point: {trials}" + (f"; {interval}: its 95 % interval" if sweep.trials > 1 else "")


def _random(sweep: Sweep) -> EnsembleTable | None:
    """The table of random patterns that a sweep goes over; None for other sweeps."""
    table = getattr(sweep.scenario and sweep.scenario.spec, "ensemble", None)
    return table if isinstance(table, EnsembleTable) and table.file is None else None


def _size(sweep: Sweep) -> str:
    """A remark on the number of neurons of a network of random patterns; empty where it is an axis."""
    table = _random(sweep)
    return "" if table is None or "neurons" in last_keys(sweep.axes).values() else f"N = {table.dim:,}"


def _pairs(sweep: Sweep, view: View, form: str, handles: Handles) -> str:
    """A remark on curves and lines of theory that share a name; empty if none do.

    The theory of one update and of a simulation has a finite N.
    """
    if form != "curve" or not any(isinstance(handle, tuple) for handle in handles.values()):
        return ""
    table = _random(sweep)
    finite = view.theory is not None or table is None or table.bits or table.weights
    return "points: measured; line: theory" + ("" if finite else ", N → ∞")
