"""The drawing of sheets with matplotlib: one function for each mark, and one layout for all figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, singledispatch
from itertools import chain, permutations, repeat
from typing import Any

import numpy as np

from hopattn.figures.names import at_ends, beside_points, labels, numeral
from hopattn.figures.quantities import plain, set_logarithmic
from hopattn.figures.sheet import Arrows, Bars, Cells, Curve, Nodes, Panel, Picture, Points, Rule, Sheet, Surface
from hopattn.figures.style import edged, pixels, scaled, theme
from hopattn.figures.text import JOINT, ems, number, readable_on, wrapped

Axes = Any  # matplotlib.axes.Axes
Figure = Any  # matplotlib.figure.Figure

DASHES, MARKERS, MARKED = ("-", "--", "-.", ":"), ("o", "s", "^", "D", "v", "P", "X"), 16
"""The dashes and the markers of curves, which differ without colours too, and the most points that have markers."""
MOST_NUMBERS, SMALLEST = 400, 0.62
"""The most cells with numbers, and the smallest numbers, as a part of the size of text: below, colours tell them."""
LONG, NARROW = 4, 6.0
"""The most panels of a row that has one line in a figure less than so many inches wide; a longer one has two there."""
LETTER, LINES = 0.56, 3
"""The width of a usual letter, in font sizes, and the most lines of a title."""
ALONG, THIN = 100, 0.5
"""The points along a curve that names are not to cover, and the width of a line below which they may cross it."""
MARGIN, ROOM = (0.02, 0.03), {"plane": 0.14, "free": 0.04}
"""The margins of a figure, and the room around the points of a plane, as parts of the sides."""
DOT, GROWTH, APART = 0.1, (0.7, 1.6), 0.68
"""The size up to which points are not seen but have names; by how much circles shrink or grow, and what they fill,
as a part of the distance of two.
"""


@dataclass
class Place:
    """A panel in axes, and what is set once its size is known.

    keys: signs by their names. names: of points, with their places, colours and sizes. curves: named lines. tables:
    cells, with their texts. circles: with their middles. surfaces: what has a scale of colours, by its name. box: the
    corners of all. is_map: whether colours fill it.
    """

    ax: Axes
    panel: Panel
    lang: str = "en"
    keys: dict[str, Any] = field(default_factory=dict)
    names: list[tuple[str, Any, Any, float]] = field(default_factory=list)
    curves: list[tuple[str, Any]] = field(default_factory=list)
    tables: list[tuple[Cells, list[Any]]] = field(default_factory=list)
    circles: list[tuple[np.ndarray, Any]] = field(default_factory=list)
    surfaces: list[tuple[str, Any]] = field(default_factory=list)
    box: list[Any] = field(default_factory=list)
    is_map: bool = False

    def tick(self, value: float, place: Any = None) -> str:
        """The text of a tick at a number; place: of the tick, as matplotlib gives it."""
        return numeral(value, self.lang, plain)


def draw(sheet: Sheet, figure: Figure, engine: Any = None, like: Figure | None = None) -> list[Place]:
    """Draw a sheet into an empty figure or subfigure; what depends on sizes is set as soon as they are known.

    engine: of the layout; None where it is the user's, or that of another figure, whose panels are at the same places.
    """
    places = [put_panel(panel, ax, sheet.lang) for panel, ax in zip(sheet.panels, _axes(sheet, figure), strict=True)]
    _name_axes(figure, places)
    for place in places if sheet.in_a_row > LONG else ():
        place.ax.patch.set_visible(False)  # it would hide texts of the panel before that go on over this one
    for ax, other in zip(figure.axes, like.axes if like else (), strict=False):
        ax.set_position(other.get_position(original=True))
    head = [figure.suptitle(sheet.title.replace("\n", " "), y=1 - MARGIN[1], va="top")] if sheet.title else []

    def lay_out(below: Sequence[Any] = ()) -> None:
        if engine is not None:
            above, under = ([text.get_window_extent() for text in texts] for texts in (head, below))
            high = min((box.y0 / figure.bbox.height - MARGIN[1] / 2 for box in above), default=1 - MARGIN[1])
            low = max((box.y1 / figure.bbox.height + MARGIN[1] / 2 for box in under), default=MARGIN[1])
            engine.set(rect=(MARGIN[0], low, 1 - 2 * MARGIN[0], high - low))
            engine.execute(figure)

    lay_out()
    for title in head:
        _wrap(title, 0.94 * figure.bbox.width, LINES)
    for ax in figure.axes:
        _fit_texts(ax)
    lay_out()
    beside = len(places) == 1 and at_ends(places[0].ax, places[0].curves)
    curves = {name: line for place in reversed(places) for name, line in place.curves}
    keys = {name: sign for place in places for name, sign in place.keys.items()}
    below = _foot(figure, sheet, keys | (curves if len(curves) > 1 and not beside else {}))
    for _ in range(2 if any(place.tables for place in places) else 1):  # square cells have their size after the first
        lay_out(below)
    for ax in figure.axes if engine is not None else ():  # the last digits of a layout differ from one run to the next
        ax.set_position(np.round(ax.get_position(original=True).bounds, 5))
    spans = [place.ax.get_position().intervalx for place in places]
    for title in head:  # above the middle of the panels, as far as it has room there
        half = min(0.5, title.get_window_extent().width / figure.bbox.width / 2 + MARGIN[0])
        title.set_x(float(np.clip((np.min(spans) + np.max(spans)) / 2, half, 1 - half)))
    for place in places:
        place.ax.apply_aspect()
        settle(place)
    for one, other, text in sheet.arrows:
        _between(figure, places[one].ax, places[other].ax, text)
    return places


def rows_of(sheet: Sheet, width: float, height: float) -> tuple[list[list[Any]], dict[str, list[float]]]:
    """The rows of panels in a figure of so many inches, and the shares of columns and rows.

    A panel is the letter of its place, or its number; "." is an empty place.
    """
    count, most = len(sheet.panels), sheet.in_a_row
    if sheet.places:
        rows: list[list[Any]] = [[*line.strip()] for line in sheet.places.strip().split("\n")]
    elif most > LONG and width < NARROW:  # each row goes on below itself, below the arrows of its second column
        half = -(-most // 2)
        rows = [[*range(i + k, i + k + half)] for i in range(0, count, most) for k in (0, most - half)]
        rows[1::2] = [["."] * (2 * half - most) + row[2 * half - most :] for row in rows[1::2]]
    else:
        most = most if width >= height else -(-most // 2)
        half = -(-count // -(-count // most))
        lines = (range(i, min(i + half, count)) for i in range(0, count, half))
        rows = [[*line, *["."] * (half - len(line))] for line in lines]
    panels = dict(zip(sorted({*chain(*rows)} - {"."}), sheet.panels, strict=True))
    return rows, {
        f"{side}_ratios": [max((getattr(panels[k], side) for k in line if k != "."), default=1) for line in lines]
        for side, lines in (("width", zip(*rows, strict=True)), ("height", rows))
    }


def _axes(sheet: Sheet, figure: Figure) -> list[Axes]:
    """Axes for the panels of a sheet: where its letters are, or in rows."""
    rows, ratios = rows_of(sheet, *figure.bbox.size / (72 * pixels(figure)))
    axes = figure.subplot_mosaic(rows, sharex="x" in sheet.shared, sharey="y" in sheet.shared, **ratios)
    return [axes[name] for name in sorted({*chain(*rows)} - {"."})]


def put_panel(panel: Panel, ax: Axes, lang: str = "en") -> Place:
    """Draw a panel into axes."""
    place = Place(ax, panel, lang)
    for mark in panel.marks:
        name, sign = mark.key, put(mark, place)
        if name and sign is not None:
            place.keys.setdefault(name, sign)
    ax.set(xlabel=panel.x, ylabel=panel.y, **({"title": panel.title} if panel.title else {}))
    if panel.colour != "ink":
        ax.title.set_color(theme().colours(panel.colour, 1)[0])
    if panel.layout == "plane" and place.is_map:
        ax.set_aspect("equal")
    elif panel.layout == "plane":
        for line in (ax.axhline, ax.axvline):
            line(0, color=theme().faint, linewidth=scaled(1), zorder=0)
    elif panel.layout != "chart":
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
    for name in ("x", "y"):
        _set_axis(place, name)
    if place.tables:
        _word_cells(place)
    elif panel.layout == "free" and place.box:
        _fill_plane(place)
        for text in ax.texts:  # its place is inside, and is known once the panel has its size
            text.set_in_layout(False)
    return place


def _set_axis(place: Place, name: str) -> None:
    """Set the ends, the scale and the ticks of one axis, "x" or "y"."""
    ax, panel = place.ax, place.panel
    axis, ends, ticks = getattr(ax, f"{name}axis"), getattr(panel, f"{name}_range"), getattr(panel, f"{name}_ticks")
    if panel.layout == "chart" and ends != (None, None):
        low, high = (bound if end is None else end for end, bound in zip(ends, axis.get_view_interval(), strict=True))
        ax.set(**{f"{name}lim": (low, high if high != low else low + 1)})
    if name in panel.logarithmic:
        curves = [mark for mark in panel.marks if isinstance(mark, Curve) and mark.look not in ("law", "over")]
        along = [getattr(mark, name) for mark in curves or panel.marks if isinstance(mark, Curve | Surface)]
        numbers = np.unique(np.concatenate([np.ravel(np.asarray(one, float)) for one in along]))
        set_logarithmic(ax, name, numbers[numbers > 0].tolist())
    elif panel.layout != "grid" and _chooses(axis):
        axis.set_major_formatter(place.tick)
    if ticks is None and panel.layout == "free":
        axis.set_ticks([])
    elif ticks is not None and (name in panel.logarithmic or _chooses(axis)):
        axis.set_ticks([*ticks], labels([*ticks.values()]))
        has_line = bool(ticks) and panel.layout in ("chart", "plane")
        ax.spines["bottom" if name == "x" else "left"].set_visible(has_line)


def _chooses(axis: Any) -> bool:
    """Whether an axis chooses its ticks itself; one of the user's axes may have others."""
    from matplotlib.ticker import MaxNLocator

    return isinstance(axis.get_major_locator(), MaxNLocator)


def _name_axes(figure: Figure, places: Sequence[Place]) -> None:
    """Name outer axes alone where inner ones have the same names, and add a scale for each name of colours."""
    for one, other in permutations(places, 2):
        here, there = (place.ax.get_subplotspec() for place in (one, other))
        if one.panel.y == other.panel.y and here.rowspan == there.rowspan and here.colspan.stop == there.colspan.start:
            other.ax.set_ylabel("")
        if one.panel.x == other.panel.x and here.colspan == there.colspan and here.rowspan.stop == there.rowspan.start:
            one.ax.set_xlabel("")
    for name in dict.fromkeys(name for place in places for name, _ in place.surfaces):
        own = [(place, image) for place in places for other, image in place.surfaces if other == name]
        first, image = own[0]
        bar = figure.colorbar(image, ax=[place.ax for place, _ in own], label=name, format=first.tick, aspect=30)
        bar.outline.set_visible(False)


def _rectangle(extent: Sequence[float] = (0, 1, 0, 1), **look: Any) -> Any:
    """A rectangle: a frame, unless it is hatched or full."""
    from matplotlib.patches import Rectangle

    left, right, low, high = extent
    return Rectangle((left, low), right - left, high - low, **{"fill": False, "zorder": 2} | look)


def _ground(extent: Sequence[float]) -> Any:
    """The hatched ground of cells that a mask hides, or that have no number."""
    look: Any = {"facecolor": theme().empty, "edgecolor": theme().faint, "hatch": "///", "linewidth": 0, "zorder": 0}
    return _rectangle(extent, fill=True, **look)


@singledispatch
def put(mark: Any, place: Place) -> Any:
    """Draw a mark into the axes of a place; gives its sign for the legend."""
    raise NotImplementedError(type(mark).__name__)


@put.register
def _(mark: Cells, place: Place) -> Any:
    hidden = False if mark.hidden is None else np.asarray(mark.hidden, bool)
    values = np.ma.masked_invalid(np.ma.masked_array(np.asarray(mark.values, float), hidden))
    (n, m), (left, top) = values.shape, mark.at
    most = float(mark.most or np.abs(values).max() or 1.0) if values.count() else 1.0
    ends = {"cmap": theme().scale(mark.colours), "vmin": 0.0 if mark.colours == "weights" else -most, "vmax": most}
    extent = left - 0.5, left + m - 0.5, top + n - 0.5, top - 0.5
    image = place.ax.imshow(values, extent=extent, interpolation="nearest", zorder=1, **ends)
    sign = place.ax.add_patch(_rectangle(extent, edgecolor=theme().faint, linewidth=scaled(1), clip_on=False))
    if np.ma.is_masked(values):
        ground = place.ax.add_patch(_ground(extent))
        sign = ground if np.any(hidden) else sign
    heavy: Any = {"edgecolor": theme().query, "linewidth": scaled(3.5), "zorder": 4}
    for i, j in mark.framed:
        cell = left + j - 0.5, left + j + 0.5, top + i - 0.5, top + i + 0.5
        sign = place.ax.add_patch(_rectangle(cell, **heavy))
    texts, look = [], {"ha": "center", "va": "center", "zorder": 3, "clip_on": True}
    numbers = np.broadcast_to(mark.numbers, values.shape) & (values.count() <= MOST_NUMBERS)
    for i, j in np.argwhere(numbers & ~np.ma.getmaskarray(values)):
        colour = readable_on(image.cmap(image.norm(values[i, j])))
        texts.append(place.ax.text(left + j, top + i, numeral(values[i, j], place.lang), color=colour, **look))
    place.tables.append((mark, texts))
    if mark.scale:
        place.surfaces.append((mark.scale, image))
    place.box += [(extent[0], extent[2]), (extent[1], extent[3])]
    return sign


def _word_cells(place: Place) -> None:
    """Set the words of rows and columns of the tables of a panel, and the limits of its axes."""
    ax, tables = place.ax, [table for table, _ in place.tables]
    for axis, at, words in ((ax.xaxis, 0, "column"), (ax.yaxis, 1, "row")):
        names: dict[float, tuple[str, Any]] = {}
        for table in tables:
            texts = getattr(table, f"{words}s")
            colours = theme().colours(getattr(table, f"{words}_colours"), len(texts))
            names |= {table.at[at] + k: one for k, one in enumerate(zip(texts, colours, strict=True))}
        ticks = axis.set_ticks([*names], labels([text for text, _ in names.values()]))
        for tick, (_, colour) in zip(ticks, names.values(), strict=True):
            tick.label1.set_color(colour)
    (left, low), (right, high) = np.min(place.box, axis=0), np.max(place.box, axis=0)
    asked = {table.square for table in tables}
    square = False not in asked and (True in asked or 1 / 3 <= (right - left) / (high - low) <= 3)
    ax.set(xlim=(left, right), ylim=(high, low), aspect="equal" if square else "auto")


@put.register
def _(mark: Picture, place: Place) -> Any:
    (x, y), (h, w) = mark.at, np.multiply(mark.side / max(mark.values.shape), mark.values.shape)
    extent = x - w / 2, x + w / 2, y - h / 2, y + h / 2
    most = max(1.0, float(np.abs(mark.values).max(initial=0.0)))
    look: Any = {"interpolation": "nearest", "zorder": 1, "vmin": -most, "vmax": most}
    place.ax.imshow(mark.values, cmap=theme().scale("picture"), extent=extent, **look)
    colour, width = ("faint", 1.2) if mark.frame is None else (mark.frame, 5)
    look = {"edgecolor": theme().colours(colour, 1)[0], "linewidth": scaled(width)}
    if mark.below:
        place.ax.text(x, extent[2] - 0.05, mark.below, ha="center", va="top", fontsize=scaled(15))
    place.box += [(extent[0], extent[2] - (0.25 if mark.below else 0)), (extent[1], extent[3])]
    return place.ax.add_patch(_rectangle(extent, **look))


@put.register
def _(mark: Bars, place: Place) -> Any:
    ax, values, lying = place.ax, np.asarray(mark.values, float), mark.lying
    at = np.arange(len(values)) if mark.at is None else np.asarray(mark.at, float)
    error = (
        None if mark.error is None else np.abs(mark.error).tolist()
    )  # no array: matplotlib takes its rows for numbers
    style: Any = {"color": theme().colours(mark.colour, len(values)), "ecolor": theme().ink, "capsize": scaled(4)}
    style |= {"xerr" if lying else "yerr": error, "left" if lying else "bottom": mark.zero, "zorder": 2}
    bars = (ax.barh if lying else ax.bar)(at, mark.unit * values, mark.width, **style)
    line, free = {"color": theme().ink, "linewidth": scaled(1.2), "zorder": 3}, place.panel.layout == "free"
    if free and len(at):  # in the unit of the panel, with a line at 0 as long as they need
        ends = at.min() - mark.width, at.max() + mark.width
        (ax.vlines if lying else ax.hlines)(mark.zero, *ends, **line)
        along = mark.zero + mark.unit * np.array([values.min(), values.max()])
        place.box += [*np.transpose([along, ends] if lying else [ends, along])]
    elif not free:
        (ax.axvline if lying else ax.axhline)(0, **line)
        ax.spines["left" if lying else "bottom"].set_visible(False)  # the line at 0 is there
    if lying and not free:
        ax.set_ylim(max(at.max() + 0.5, *ax.get_ylim()), min(at.min() - 0.5, *ax.get_ylim()))
    if mark.names:
        (ax.yaxis if lying else ax.xaxis).set_ticks(at, labels(mark.names))
        ax.tick_params(axis="y" if lying else "x", length=0)
    if mark.numbers:
        ends = np.nan_to_num(np.broadcast_to(0.0 if error is None else error, (2, len(values))))
        for x, value, low, high in zip(at, values, *ends, strict=True):
            side, end = (-1, value - low) if value < 0 else (1, value + high)
            end = mark.zero + mark.unit * end
            point, away = ((end, x), (scaled(5) * side, 0)) if lying else ((x, end), (0, scaled(5) * side))
            look: Any = {"ha": "right" if side < 0 else "left"} if lying else {"va": "top" if side < 0 else "bottom"}
            look = {"ha": "center", "va": "center", "textcoords": "offset points", "fontsize": scaled(15)} | look
            ax.annotate(numeral(value, place.lang, partial(number, digits=mark.digits)), point, away, **look)
        if not free:
            ax.margins(**{"x" if lying else "y": 0.3 if lying and values.min(initial=0) < 0 else 0.16})
    return bars[0] if len(values) else None


@put.register
def _(mark: Points, place: Place) -> Any:
    at = np.reshape(mark.at, (-1, 2))
    colours = theme().colours(mark.colour, len(at))
    face: Any = theme().paper if mark.hollow else colours
    if mark.shades is not None:
        face = theme().scale("picture")((np.clip(mark.shades, -1, 1) + 1) / 2)
    look: Any = {"facecolors": face, "edgecolors": colours, "linewidths": scaled(2), "zorder": 5, "clip_on": False}
    look |= {"s": (scaled(10) * mark.size) ** 2, "marker": mark.marker, "visible": mark.size > DOT}
    dots = place.ax.scatter(*at.T, **look)
    place.names += zip(chain(mark.names, repeat("")), at, colours, repeat(mark.size), strict=False)
    if mark.shades is not None:
        place.circles.append((at, dots))
    place.box += at.tolist()
    return dots


@put.register
def _(mark: Arrows, place: Place) -> Any:
    start, end = (np.reshape(ends, (-1, 2)).astype(float) for ends in (mark.start, mark.end))
    widths = np.broadcast_to(np.asarray(mark.width, float), len(start))
    colours, dash = theme().colours(mark.colour, len(start)), "--" if mark.dashed else "-"
    head, gap = ("-|>,head_width=.3,head_length=.55", scaled(5) * mark.gap) if mark.head else ("-", 0)
    shape: Any = {"arrowstyle": head, "linestyle": dash, "connectionstyle": f"arc3,rad={-mark.bend}"}
    shape |= {"shrinkA": gap, "shrinkB": gap}
    for one, other, colour, width in zip(start, end, colours, widths, strict=True):
        size = {"linewidth": scaled(2.2) * width, "mutation_scale": scaled(16) * max(1.0, float(width) ** 0.5)}
        place.ax.annotate("", other, one, arrowprops={"color": colour} | size | shape, zorder=3, annotation_clip=False)
    box = {"boxstyle": "round,pad=0.1", "facecolor": theme().paper, "edgecolor": "none"}
    across = np.stack([start[:, 1] - end[:, 1], end[:, 0] - start[:, 0]], axis=1)
    middles = (start + end) / 2 + mark.bend / 2 * across
    for name, middle in zip(mark.names, middles, strict=False):
        if name:
            place.ax.text(*middle, name, ha="center", va="center", fontsize=scaled(15), bbox=box, zorder=4)
    place.box += [*start.tolist(), *end.tolist(), *middles.tolist()]
    place.ax.update_datalim(np.vstack([start, end]))
    place.ax.autoscale_view()
    return place.ax.plot([], [], color=colours[0], linestyle=dash, linewidth=scaled(2.5))[0] if colours else None


@put.register
def _(mark: Curve, place: Place) -> Any:
    x, y = (np.asarray(numbers, float) for numbers in (mark.x, mark.y))
    (colour,) = theme().colours(mark.colour, 1)
    order = mark.colour if isinstance(mark.colour, int) else mark.dash
    theory = mark.look in ("law", "over")
    has_markers = mark.look in ("points", "both") or (mark.look == "line" and len(x) <= MARKED)
    dash = "--" if mark.look == "law" and not mark.dash else DASHES[order % len(DASHES)]
    style: Any = {"linewidth": scaled(1.5 if mark.look == "law" else 3) * mark.width, "color": colour}
    style |= {"linestyle": "" if mark.look == "points" else dash, "zorder": 2 if theory else 3}
    style |= {"marker": MARKERS[order % len(MARKERS)] if has_markers else ""}
    style |= {"clip_on": theory}  # what was measured lies within the axes, and is whole at their edges
    if mark.look == "over":
        style["path_effects"] = edged(theme().paper, 7)
    if mark.look == "path":
        style |= {"marker": ".", "markersize": scaled(6), "linewidth": scaled(2), "color": theme().paper}
        style["path_effects"] = edged(colour, 5)
    (line,) = place.ax.plot(x, y, **style)
    if mark.error is not None:
        ends = np.broadcast_to(np.abs(np.asarray(mark.error, float)), (2, len(x)))
        if mark.look == "points":
            place.ax.errorbar(x, y, ends, fmt="none", ecolor=colour, elinewidth=scaled(2), capsize=scaled(3))
        else:
            place.ax.fill_between(x, y - ends[0], y + ends[1], color=colour, alpha=0.22, linewidth=0)
    if mark.name:
        place.curves.append((mark.name, line))
    return line


@put.register
def _(mark: Nodes, place: Place) -> Any:
    at = np.reshape(mark.at, (-1, 2)).astype(float)
    shapes = {"box": "round,pad=0.3,rounding_size=0.2", "circle": "circle,pad=0.25"}
    look: Any = {"ha": mark.align, "va": "center", "zorder": 6, "weight": "bold" if mark.bold else "normal"}
    fills = theme().colours(mark.fill, len(at))
    sides = None if mark.sides is None else np.broadcast_to(mark.sides, at.shape)
    for i, (point, text, colour) in enumerate(zip(at, mark.texts, theme().colours(mark.colour, len(at)), strict=True)):
        edge: Any = {"facecolor": fills[i], "edgecolor": colour, "linewidth": scaled(2)}
        if sides is not None:
            low, high = point - sides[i] / 2, point + sides[i] / 2
            place.ax.add_patch(_rectangle((low[0], high[0], low[1], high[1]), fill=True, zorder=1, **edge))
            place.box += [low, high]
        elif mark.shape in shapes:
            look["bbox"] = {"boxstyle": shapes[mark.shape]} | edge
        look |= {"color": readable_on(fills[i]) if mark.shape in shapes else colour, "fontsize": scaled(17) * mark.size}
        place.ax.text(*point, wrapped(text, mark.letters, LINES) if mark.letters else text, **look)
    place.box += at.tolist()


@put.register
def _(mark: Surface, place: Place) -> Any:
    values = np.ma.masked_invalid(np.asarray(mark.values, float))
    x, y = (np.asarray(numbers, float) for numbers in (mark.x, mark.y))
    colours, levels = theme().scale(mark.colours), np.asarray(mark.levels)
    if np.ma.is_masked(values):
        place.ax.add_patch(_ground((x[0], x[-1], y[0], y[-1])))
    if len(levels):
        image = place.ax.contourf(x, y, values, levels, cmap=colours.reversed(), zorder=0)
        place.ax.contour(x, y, values, levels[1:], colors=[theme().paper], linewidths=scaled(0.8), alpha=0.7, zorder=1)
    else:
        most = float(values.max()) if mark.most is None else mark.most
        ends: Any = {"vmin": -most if mark.colours == "signed" else mark.least or 0.0, "vmax": most}
        shading = "nearest" if values.shape == (len(y), len(x)) else "flat"
        image = place.ax.pcolormesh(x, y, values, cmap=colours, shading=shading, zorder=0, rasterized=True, **ends)
    place.is_map = True
    if mark.name:
        place.surfaces.append((mark.name, image))
    return _rectangle(fill=True, facecolor=colours(1.0))


@put.register
def _(mark: Rule, place: Place) -> Any:
    line, at = (place.ax.axhline, mark.y) if mark.x is None else (place.ax.axvline, mark.x)
    return line(at, color=theme().faint, linewidth=scaled(1.8), linestyle="--" if mark.dashed else "-", zorder=1)


def settle(place: Place) -> None:
    """Set what depends on the size of a panel: the ends of a plane, circles, the names of points, numbers of cells."""
    if place.panel.layout in ROOM and place.box and not place.tables and not place.is_map:
        _fill_plane(place)
    for at, circles in place.circles:  # they fill, with the texts in them, the room between the two nearest ones
        middles = place.ax.transData.transform(at) / pixels(place.ax)
        apart = np.sort(np.linalg.norm(middles[:, None] - middles, axis=-1))[:, 1:2].min(initial=np.inf)
        growth = float(np.clip(APART * apart / np.sqrt(circles.get_sizes()[0]), *GROWTH))
        circles.set_sizes(circles.get_sizes() * growth**2)
        for text in place.ax.texts:
            if np.isclose(at, text.get_position()).all(axis=1).any():
                text.set_fontsize(max(1.0, growth) * text.get_fontsize())
    if any(name for name, *_ in place.names):
        beside_points(place.ax, place.names, _ways(place))
    (x0, y0), (x1, y1) = place.ax.transData.transform([(0, 0), (1, 1)]) / pixels(place.ax)
    for _, texts in place.tables:  # where numbers would be too small, there are none
        widest = max((ems(text.get_text()) for text in texts), default=1.0)
        size = min(0.86 * abs(x1 - x0) / widest, 0.7 * abs(y1 - y0), scaled(17))
        for text in texts:
            text.set(visible=size >= SMALLEST * scaled(17), fontsize=size)


def _ways(place: Place) -> np.ndarray:
    """Points along what names are not to cover, `(n, 2)`: arrows and curves, but for thin ones, and a plane's axes."""
    marks, ways = place.panel.marks, [np.empty((0, 2))]
    arrows = [mark for mark in marks if isinstance(mark, Arrows) and np.max(mark.width, initial=0) >= THIN]
    lines: list[tuple[Any, Any, float]] = [(mark.start, mark.end, mark.bend) for mark in arrows]
    if place.panel.layout == "plane":
        (left, right), (low, high) = place.ax.get_xlim(), place.ax.get_ylim()
        lines.append(([(left, 0), (0, low)], [(right, 0), (0, high)], 0.0))
    part = np.linspace(0, 1, 25)[:, None]
    for *both, bend in lines:
        start, end = (np.reshape(ends, (-1, 1, 2)).astype(float) for ends in both)
        across = (end - start)[..., ::-1] * (-1, 1)
        ways.append((start + part * (end - start) + 2 * bend * part * (1 - part) * across).reshape(-1, 2))
    for mark in marks:
        if isinstance(mark, Curve) and len(mark.x):
            at = np.linspace(0, len(mark.x) - 1, ALONG)
            ways.append(np.stack([np.interp(at, np.arange(len(mark.x)), ends) for ends in (mark.x, mark.y)], axis=1))
    return np.concatenate(ways)


def _fill_plane(place: Place) -> None:
    """Set the ends of the axes of a plane: one unit on both, with room for the names of its points."""
    ax, panel = place.ax, place.panel
    box = np.array([*place.box, *([(0, 0)] if panel.layout == "plane" else [])], float)
    ends = np.array([panel.x_range, panel.y_range], float).T
    low, high = np.where(np.isnan(ends), [box.min(axis=0), box.max(axis=0)], ends)
    ax.set_aspect("auto")  # pictures have set another one
    ax.apply_aspect()
    half = (0.5 + ROOM[panel.layout]) * max(np.max((high - low) / ax.bbox.size), 1e-9) * ax.bbox.size
    (left, lower), (right, upper) = (low + high) / 2 - half, (low + high) / 2 + half
    ax.set(xlim=(left, right), ylim=(lower, upper))
    if panel.layout == "plane":
        ax.locator_params(nbins=5)


def _wrap(text: Any, length: float, lines: int = 2) -> None:
    """Set each line of a text on as many lines of alike lengths as it needs. length: of a line, in pixels."""
    letters = max(12, int(length / pixels(text) / (LETTER * text.get_fontsize())))
    parts = [(line, len(line) // max(1, -(-len(line) // letters)) + 8) for line in text.get_text().split("\n")]
    text.set_text("\n".join(wrapped(line, min(letters, even), lines) for line, even in parts))


def _fit_texts(ax: Axes) -> None:
    """Wrap titles, and leave as many ticks as have room; where words are wider than their columns, they are tilted."""
    ax.apply_aspect()
    _wrap(ax.title, ax.bbox.width, LINES)
    for axis, along, room in ((ax.xaxis, 0, 4.2), (ax.yaxis, 1, 2.2)):
        length = ax.bbox.size[along]
        _wrap(axis.label, 0.8 * length)
        both = zip(axis.get_majorticklocs(), axis.get_ticklabels(), strict=False)
        words = {tick: text for tick, text in both if text.get_text()}
        if _chooses(axis):
            axis.get_major_locator().set_params(nbins=int(np.clip(length / (room * scaled(17) * pixels(ax)), 2, 6)))
        elif len(words) > 1:
            ticks, texts = [*words], [text.get_text() for text in words.values()]
            apart = np.abs(np.diff(ax.transData.transform(np.stack([ticks, ticks], axis=1))[:, along])).min()
            wide, high = np.max([text.get_window_extent().size for text in words.values()], axis=0)
            every = int(np.ceil(1.05 * high / apart)) if high > apart else 1
            if every > 1:
                axis.set_ticks(ticks[::every], texts[::every])
            if along == 0 and (every > 1 or wide > 0.95 * apart):
                for text in axis.get_ticklabels():
                    text.set(rotation=45, ha="right", va="top", rotation_mode="anchor")


def _foot(figure: Figure, sheet: Sheet, keys: Mapping[str, Any]) -> list[Any]:
    """Write notes and the legend below a figure; gives what was written. Lines of notes end between two of them."""
    room = figure.bbox.width / pixels(figure) / scaled(15)
    letters = max(20, int(room / LETTER))
    whole = [note.replace(" ", JOINT) if len(note) <= letters else note for note in sheet.notes if note]
    note = wrapped("; ".join(whole), letters, LINES).replace(";\n", "\n").replace(JOINT, " ")
    if keys:
        columns = max(1, min(len(keys), 5, int(room / (max(map(ems, keys)) + 4))))
        look: Any = {"frameon": False, "borderaxespad": 0, "borderpad": 0, "title": note or None, "ncols": columns}
        at: Any = {"loc": "lower center", "bbox_to_anchor": (0.5, MARGIN[1])}
        return [figure.legend([*keys.values()], [*keys], **at, **look)]
    return [figure.supxlabel(note, y=MARGIN[1], va="bottom", fontsize=scaled(15))] if note else []


def _between(figure: Figure, one: Axes, other: Axes, text: str) -> None:
    """Draw an arrow from one panel to another: straight, or round a corner where others are in its way."""
    from matplotlib.patches import FancyArrowPatch

    start, end = (ax.get_tightbbox().transformed(figure.transFigure.inverted()) for ax in (one, other))
    here, goal = one.get_position(), other.get_position()
    low, high = max(here.y0, goal.y0), min(here.y1, goal.y1)
    heights = [(low + high) / 2] * 2 if low < high else [(box.y0 + box.y1) / 2 for box in (here, goal)]
    ends, way = np.array([(start.x1, heights[0]), (end.x0, heights[1])]), "arc3"
    others = [ax.get_position() for ax in figure.axes if ax not in (one, other)]
    if any(box.count_contains(np.linspace(ends[0], ends[1], 50)) for box in others):
        ends[1] = (goal.x0 + goal.x1) / 2, end.y1 if heights[0] > goal.y1 else end.y0
        way = "angle,angleA=0,angleB=90"
    look: Any = {"arrowstyle": "-|>", "mutation_scale": scaled(20), "color": theme().faint, "linewidth": scaled(2)}
    look |= {"shrinkA": scaled(4), "shrinkB": scaled(2), "connectionstyle": way}
    figure.add_artist(FancyArrowPatch(*ends, transform=figure.transFigure, **look))
    if text:
        figure.text((start.x1 + end.x0) / 2, heights[0] + 0.02, text, ha="center", va="bottom", fontsize=scaled(15))
