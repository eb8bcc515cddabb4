"""The figure of a census: a map of layers and heads for each measure, whose colours begin at the value by chance."""

from typing import NamedTuple

import numpy as np

from hopattn.circuits.census.measures import MEASURES, OPERATING_CLASS
from hopattn.circuits.census.table import Census
from hopattn.figures.sheet import Cells, Panel, Sheet, say
from hopattn.foundation.errors import InvalidInput, reject_unknown

DRAWN = (
    *("previous_token", "duplicate_token", "prefix_matching", "copying"),
    *("query_composition", "key_composition", "value_composition", "fixed_point_change"),
    *("attention_sink", "sink_by_norm", "effective_keys", OPERATING_CLASS),
)
"""The measures that are drawn, in their order."""
CLASSES = ("I", "II", "III", "IV")


class CensusView(NamedTuple):
    """The figure of a census that was asked for. measure: the only one to draw. title: None for the census's own."""

    measure: str | None = None
    title: str | None = None


WHOLE = CensusView()
"""The view of all measures."""


def census_sheet(census: Census, view: CensusView = WHOLE) -> Sheet:
    """A panel for each measure; raises `InvalidInput` for a measure that the census lacks."""
    names = _drawn(census, view.measure)
    panels = [_panel(census, name) for name in names]
    notes = [say("white: by chance, or less"), say("hatched: not measured")]
    title = census.about if view.title is None else view.title
    return Sheet(panels, title, notes)


def _drawn(census: Census, measure: str | None) -> list[str]:
    """The names of the measures to draw."""
    known = [*census.measures, *([OPERATING_CLASS] if any(census.classes().values()) else [])]
    if measure is None:
        return [name for name in DRAWN if name in known]
    reject_unknown("measure", [measure], [*MEASURES, OPERATING_CLASS])
    if measure not in known:
        raise InvalidInput(f"measure: no head of this census has '{measure}'")
    return [measure]


def _panel(census: Census, name: str) -> Panel:
    """One measure as cells: rows are layers, columns heads, the colours begin at the value by chance.

    A measure without a largest number ends at twice its chance, or where its largest number is.
    """
    if name == OPERATING_CLASS:
        values = np.full((len(census.layers), 1 + max(row.head for row in census.rows)), np.nan)
        for row in census.rows:
            if row.operating_class:
                values[census.layers.index(row.layer), row.head] = 1 + CLASSES.index(row.operating_class)
        above, most, colours = values, float(len(CLASSES)), "weights"
    else:
        values, chances, (least, highest) = census.matrix(name), census.chance(name), MEASURES[name].bounds
        known = chances[np.isfinite(chances)]
        chance = float(np.median(known)) if known.size else 0.0
        if name == "effective_keys":  # even attention has the most
            chances, chance, highest, least = np.zeros_like(chances), 0.0, chance, 0.0
        top = max(float(np.nanmax(values)), 2 * chance) if highest is None else highest
        above = values - np.where(np.isfinite(chances), chances, chance)
        most, colours = top - chance, "signed" if least < 0 else "weights"
    rows, columns = [str(layer + 1) for layer in census.layers], [str(j + 1) for j in range(above.shape[1])]
    above = np.maximum(above, 0) if colours == "weights" else above
    cells = Cells(above, rows, columns, colours=colours, numbers=False, most=most or 1.0)
    return Panel([cells], say(name.replace("_", " ")), say("head"), say("layer"), "grid")
