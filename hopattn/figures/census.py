"""The figure of a census: a map of layers and heads for each measure, whose colours begin at the value by chance."""

import numpy as np

from hopattn.circuits.census.measures import MEASURES, OPERATING_CLASS
from hopattn.circuits.census.table import Census
from hopattn.figures.figure import need
from hopattn.figures.sheet import Cells, Panel, Sheet, say
from hopattn.foundation.errors import reject_unknown

DRAWN = (
    *("previous_token", "duplicate_token", "prefix_matching", "copying"),
    *("query_composition", "key_composition", "value_composition", "fixed_point_change"),
    *("attention_sink", "sink_by_norm", "effective_keys", OPERATING_CLASS),
)
"""The measures that are drawn, in their order."""


def census_sheet(census: Census, measure: str | None = None) -> Sheet:
    """A panel for each measure, or for the only one; raises `InvalidInput` for a measure that the census lacks."""
    known = [*census.measures, *([OPERATING_CLASS] if any(census.classes().values()) else [])]
    if measure is not None:
        reject_unknown("measure", [measure], [*MEASURES, OPERATING_CLASS])
        need(measure in known, f"measure: no head of this census has '{measure}'")
    names = [name for name in DRAWN if name in known] if measure is None else [measure]
    notes = [say("white: by chance, or less"), say("hatched: not measured")]
    return Sheet([_panel(census, name) for name in names], census.about, notes)


def _panel(census: Census, name: str) -> Panel:
    """One measure as cells: rows are layers, columns heads, the colours begin at the value by chance.

    A measure without a largest number ends at twice its chance, or where its largest number is.
    """
    if name == OPERATING_CLASS:
        above, classes = (
            np.full((len(census.layers), 1 + max(row.head for row in census.rows)), np.nan),
            census.classes(),
        )
        for row in (row for row in census.rows if row.operating_class):
            above[census.layers.index(row.layer), row.head] = 1 + [*classes].index(row.operating_class)
        least, most = 0.0, float(len(classes))
    else:
        values, chances, (least, highest) = census.matrix(name), census.chance(name), MEASURES[name].bounds
        chance = float(np.median(chances[np.isfinite(chances)])) if np.isfinite(chances).any() else 0.0
        if name == "effective_keys":  # even attention has the most
            chances, chance, highest, least = np.zeros_like(chances), 0.0, chance, 0.0
        above = values - np.where(np.isfinite(chances), chances, chance)
        most = (max(float(np.nanmax(values)), 2 * chance) if highest is None else highest) - chance
    above, colours = (above, "signed") if least < 0 else (np.maximum(above, 0), "weights")
    rows, columns = ([str(i + 1) for i in numbers] for numbers in (census.layers, range(above.shape[1])))
    cells = Cells(above, rows, columns, colours=colours, numbers=False, most=most or 1.0)
    return Panel([cells], say(name.replace("_", " ")), say("head"), say("layer"), "grid")
