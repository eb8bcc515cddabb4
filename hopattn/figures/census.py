"""The figure of a census: a map of layers and heads for each measure, whose colours begin at the value by chance."""

from typing import Any, NamedTuple

import numpy as np

from hopattn.circuits.census.measures import MEASURES, OPERATING_CLASS
from hopattn.circuits.census.table import Census
from hopattn.figures.base import Around, Axes, Figure
from hopattn.figures.headings import balanced, foot, pads
from hopattn.figures.panels import grid_of
from hopattn.figures.shapes import colours_of, hatching
from hopattn.figures.style import scaled, theme
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.writing import significant

DRAWN = (
    *("previous_token", "duplicate_token", "prefix_matching", "copying"),
    *("query_composition", "key_composition", "value_composition", "fixed_point_change"),
    *("attention_sink", "sink_by_norm", "effective_keys", OPERATING_CLASS),
)
"""The measures that are drawn, in their order."""
CLASSES = ("I", "II", "III", "IV")
IN_A_ROW = 4
MOST_TICKS = 6
"""The largest number of layers, or of heads, whose numbers are written."""
MOST_FRAMED = 200
"""The largest number of heads with a frame around each."""

SAME = 1e-3
"""The difference up to which the values by chance of all heads are one number."""


class CensusView(NamedTuple):
    """The figure of a census that was asked for. measure: the only one to draw. title: None for the census's own."""

    measure: str | None = None
    title: str | None = None


WHOLE = CensusView()
"""The view of all measures."""


def draw_census(figure: Figure, census: Census, view: CensusView = WHOLE) -> None:
    """Draw a panel for each measure into an empty figure; raises `InvalidInput` for a measure that it lacks."""
    names = _drawn(census, view.measure)
    pads(figure, h_pad=0.08, w_pad=0.06)
    if title := census.about if view.title is None else view.title:
        figure.suptitle(balanced(title))
    panels = grid_of(figure, len(names), min(IN_A_ROW, len(names)))
    columns = min(IN_A_ROW, len(names))
    for i, (ax, name) in enumerate(zip(panels, names, strict=True)):
        _draw(ax, census, name)
        ax.set_title(_title(name), fontsize=scaled(15))
        ax.tick_params(labelbottom=i + columns >= len(names), labelleft=i % columns == 0)
        if i + columns >= len(names):
            ax.set_xlabel("head", fontsize=scaled(14))
        if i % columns == 0:
            ax.set_ylabel("layer", fontsize=scaled(14))
    notes = ["white: by chance (~: in the median), or less"]
    notes += ["hatched: no earlier layer"] if "query_composition" in names else []
    foot(figure, notes)


def draw_census_panel(ax: Axes, census: Census, view: CensusView = WHOLE) -> Around:
    """Draw one measure of a census into axes; by default prefix matching, or the first that it has."""
    names = _drawn(census, view.measure)
    name = names[0] if view.measure or "prefix_matching" not in names else "prefix_matching"
    _draw(ax, census, name)
    ax.set_xlabel("head")
    ax.set_ylabel("layer")
    return Around(_title(name))


def _drawn(census: Census, measure: str | None) -> list[str]:
    """The names of the measures to draw."""
    known = [*census.measures, *([OPERATING_CLASS] if any(census.classes().values()) else [])]
    if measure is None:
        return [name for name in DRAWN if name in known]
    reject_unknown("measure", [measure], [*MEASURES, OPERATING_CLASS])
    if measure not in known:
        raise InvalidInput(f"measure: no head of this census has '{measure}'")
    return [measure]


def _title(name: str) -> str:
    return name.replace("_", " ")


def _draw(ax: Axes, census: Census, name: str) -> None:
    """Draw one measure, and beside it the scale of its colours, which begins at the value by chance."""
    image, ticks = _classes(ax, census) if name == OPERATING_CLASS else _map(ax, census, name)
    ax.patch.set(**hatching())
    rows, columns = image.get_array().shape
    for count, numbers, set_ticks in ((rows, census.layers, ax.set_yticks), (columns, range(columns), ax.set_xticks)):
        every = -(-count // MOST_TICKS)
        set_ticks(range(0, count, every), [str(one + 1) for one in numbers][::every], fontsize=scaled(13))
    ax.tick_params(length=0)
    ax.spines[:].set(visible=True, color=theme().faint, lw=scaled(0.8))
    if rows * columns <= MOST_FRAMED:
        lines: dict[str, Any] = {"color": theme().faint, "lw": scaled(0.5)}
        ax.hlines(np.arange(1, rows) - 0.5, -0.5, columns - 0.5, **lines)
        ax.vlines(np.arange(1, columns) - 0.5, -0.5, rows - 0.5, **lines)
    bar = ax.figure.colorbar(image, ax=ax, ticks=[*ticks], pad=0.03, aspect=12)
    bar.ax.set_yticklabels(list(ticks.values()), fontsize=scaled(13))
    bar.outline.set_linewidth(scaled(0.6))


def _classes(ax: Axes, census: Census) -> tuple[Any, dict[float, str]]:
    """The operating classes as four colours, with the names of the scale."""
    from matplotlib.colors import ListedColormap

    values = np.full((len(census.layers), 1 + max(row.head for row in census.rows)), np.nan)
    for row in census.rows:
        if row.operating_class:
            values[census.layers.index(row.layer), row.head] = 1 + CLASSES.index(row.operating_class)
    ticks: dict[float, str] = {1.0 + i: name for i, name in enumerate(CLASSES)}
    colours = ListedColormap(theme().sequential(np.linspace(0.15, 1, len(CLASSES))))
    return ax.imshow(values, aspect="auto", cmap=colours, vmin=0.5, vmax=len(CLASSES) + 0.5), ticks


def _map(ax: Axes, census: Census, name: str) -> tuple[Any, dict[float, str]]:
    """The numbers of a measure above chance, with the texts of the scale. A chance that differs by heads has a ~.

    A measure without a largest number ends at twice its chance, or where its largest number is.
    """
    values, chances, (least, most) = census.matrix(name), census.chance(name), MEASURES[name].bounds
    known = chances[np.isfinite(chances)]
    chance = float(np.median(known)) if known.size else 0.0
    if name == "effective_keys":  # even attention has the most
        chances, chance, most, least = np.zeros_like(chances), 0.0, chance, 0.0
    top = max(float(np.nanmax(values)), 2 * chance) if most is None else most
    above = values - np.where(np.isfinite(chances), chances, chance)
    start = ("~" if known.size and np.ptp(known) > SAME else "") + _text(chance)
    ticks = {least: _text(least)} if least < 0 else {}
    return ax.imshow(above, aspect="auto", **colours_of(least, top - chance)), ticks | {
        0.0: start,
        top - chance: _text(top),
    }


def _text(value: float) -> str:
    return significant(round(value, 2)) if abs(value) < 10 else f"{value:.3g}"
