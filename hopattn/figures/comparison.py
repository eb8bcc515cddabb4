"""The figure of a comparison: a panel for each memory over one axis, maps over two, bars without a grid."""

from typing import NamedTuple

from hopattn.experiments.comparison.result import Comparison
from hopattn.figures.base import Around, Axes, Figure, only
from hopattn.figures.comparison_panels import PANELS, draw_bars, draw_maps, draw_measure, draw_multiples, draw_together
from hopattn.figures.comparison_parts import measures_of, place_names, places_of, remarks, that_differs
from hopattn.figures.headings import balanced, foot, left_out, pads, wrapped
from hopattn.figures.text import short
from hopattn.figures.theory_lines import Handles
from hopattn.foundation.errors import InvalidInput


class ComparisonView(NamedTuple):
    """The figure of a comparison that was asked for.

    measure: the only one to draw; None for the first in which the memories differ, or all as bars. title: None for the
    subject of the comparison.
    """

    measure: str | None = None
    title: str | None = None


WHOLE = ComparisonView()
"""The view that fits."""


def why_no_figure(comparison: Comparison) -> str:
    """The reason why a comparison cannot be drawn; an empty string if it can."""
    if len(comparison.axes) > 2:
        return f"a figure shows one axis or two, not {', '.join(comparison.axes)}"
    if not measures_of(comparison):
        return "no memory could take part"
    return ""


def draw_comparison(figure: Figure, comparison: Comparison, view: ComparisonView = WHOLE) -> None:
    """Draw a comparison into an empty figure.

    Over one axis, or over several places such as heads: a panel for each memory. Over two axes: a map for each memory.
    Else bars, a panel for each measure. Raises `InvalidInput` if it cannot be drawn.
    """
    measures = _measures(comparison, view)
    pads(figure, h_pad=0.1, w_pad=0.12)
    if title := comparison.about if view.title is None else view.title:
        figure.suptitle(balanced(title))
    handles: Handles = {}
    if not _has_curves(comparison) and len(comparison.axes) < 2:
        draw_bars(figure, comparison, measures)
        shown = measures[:PANELS]
        rest = left_out(len(shown), len(measures), "measures", "--measure")
    else:
        shown = [that_differs(comparison, measures)]
        draw = draw_maps if len(comparison.axes) == 2 else draw_multiples
        handles = draw(figure, comparison, shown[0]) or {}
        rest = left_out(1, len(measures), "measures", "--measure")
    draws = [row.trials for row in comparison.rows if row.recalled_error is not None]
    errors = draws and "recalled" in shown and len(comparison.axes) < 2
    notes = [
        f"± one standard error of {draws[0]} draws" if errors else "",
        _means(comparison),
        rest,
        remarks(comparison),
    ]
    foot(figure, wrapped("; ".join(filter(None, notes)), 100), list(handles.values()), list(handles))


def draw_comparison_panel(ax: Axes, comparison: Comparison, view: ComparisonView = WHOLE) -> Around:
    """Draw one measure of a comparison into axes; raises `InvalidInput` for maps, and for what cannot be drawn."""
    measures = _measures(comparison, view)
    if len(comparison.axes) == 2:
        raise InvalidInput("figure: a comparison over two axes has a map for each memory: give a Figure or a SubFigure")
    if not _has_curves(comparison):
        draw_measure(ax, comparison, only(measures, "measures", "measure"))
    else:
        handles = draw_together(ax, comparison, that_differs(comparison, measures))
        ax.legend(list(handles.values()), list(handles))
    return Around(comparison.about)


def _measures(comparison: Comparison, view: ComparisonView) -> list[str]:
    """The measures to draw; raises `InvalidInput` if there are none."""
    if reason := why_no_figure(comparison):
        raise InvalidInput(f"figure: {reason}")
    return measures_of(comparison, view.measure)


def _has_curves(comparison: Comparison) -> bool:
    """Whether a comparison is drawn as curves: over one axis, or over several places."""
    return len(comparison.axes) == 1 or (not comparison.axes and len(places_of(comparison)) > 1)


def _means(comparison: Comparison) -> str:
    """A remark on the places, or on those over which the numbers are means."""
    places = places_of(comparison)
    if len(places) < 2:
        return ""
    if not comparison.axes:
        return place_names(comparison)
    return f"means of {len(places)} places: {short(places[0], 20)} to {short(places[-1], 20)}"
