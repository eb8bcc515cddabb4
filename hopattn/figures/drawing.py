"""The drawing of sheets with matplotlib: one function for each mark, and one layout for all figures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from itertools import cycle, islice, permutations
from typing import Any

import numpy as np

from hopattn.figures.names import at_ends, beside_points
from hopattn.figures.quantities import plain, set_logarithmic
from hopattn.figures.sheet import (
    Arrows,
    Bars,
    Cells,
    Colours,
    Curve,
    Mark,
    Nodes,
    Panel,
    Picture,
    Points,
    Rule,
    Sentence,
    Sheet,
    Surface,
    in_comma,
)
from hopattn.figures.style import edged, scaled, theme
from hopattn.figures.text import ems, label, number, readable_on, subscripted, wrapped

Axes = Any  # matplotlib.axes.Axes
Figure = Any  # matplotlib.figure.Figure

DASHES, MARKERS = ("-", "--", "-.", ":"), ("o", "s", "^", "D", "v", "P", "X")
"""The dashes and the markers of curves, so that they differ without colours too."""
MARKED = 16
"""The number of points up to which a curve marks each of them."""
MOST_NUMBERS = 400
"""The largest number of cells that show their numbers."""
SMALLEST = 0.62
"""The smallest numbers of cells, as a part of the size of text: where they have less room, colours tell them."""
LETTER = 0.56
"""The width of a usual letter, in font sizes."""
LINES = 3
"""The most lines of the title of a panel."""
MARGIN = 0.02, 0.03
"""The margins of a figure, as parts of its width and of its height."""
ALONG = 100
"""The number of points along a curve that names are not to cover."""
THIN = 0.5
"""The width of a line below which names may cross it."""
ROOM = 0.14
"""The room around the points of a plane, as a part of its sides."""


@dataclass
class Place:
    """A panel in axes, and what is set once its size is known.

    keys: signs by their names. names: texts for points, each with its point and its colour. curves: named lines.
    tables: the cells that are drawn, with their texts.
    """

    ax: Axes
    panel: Panel
    lang: str = "en"
    keys: dict[str, Any] = field(default_factory=dict)
    names: list[tuple[str, Any, Any]] = field(default_factory=list)
    curves: list[tuple[str, Any]] = field(default_factory=list)
    tables: list[tuple[Cells, list[tuple[Any, float]]]] = field(default_factory=list)
    surfaces: list[tuple[str, Any]] = field(default_factory=list)
    scales: list[Axes] = field(default_factory=list)
    box: list[Any] = field(default_factory=list)

    def number(self, value: float) -> str:
        """A number as the language of the figure writes it."""
        return in_comma(number(value), self.lang)

    def tick(self, value: float, place: Any = None) -> str:
        """The text of a tick at a number; place: of the tick, as matplotlib gives it."""
        return in_comma(plain(value).replace("-", "−"), self.lang)

    def label(self, name: str, sign: Any) -> None:
        """Put a sign into the legend, once for each name."""
        if name:
            self.keys.setdefault(name, sign)


def coloured(colours: Colours, count: int) -> list[Any]:
    """The colours of `count` marks: roles of the palette, or numbers of its series."""
    names = [colours] if isinstance(colours, str | int) else list(colours)
    series = theme().series
    found = [series[one % len(series)] if isinstance(one, int) else getattr(theme(), one) for one in names]
    return list(islice(cycle(found), count))


def drawn(sheet: Sheet, figure: Figure) -> list[Place]:
    """Draw the panels of a sheet into an empty figure or subfigure, and set nothing that depends on its size."""
    panels = sheet.panels
    if sheet.places:
        rows = [row.strip() for row in sheet.places.strip().split("\n")]
        letters = sorted({*"".join(rows)} - {"."})
        wide = [
            max((p.width for p, c in zip(panels, letters, strict=True) if c in column), default=1)
            for column in zip(*rows, strict=True)
        ]
        high = [max((p.height for p, c in zip(panels, letters, strict=True) if c in row), default=1) for row in rows]
        named = figure.subplot_mosaic("\n".join(rows), width_ratios=wide, height_ratios=high)
        axes = [named[letter] for letter in letters]
    else:
        width, height = figure.bbox.size
        most = sheet.in_a_row if width >= height else -(-sheet.in_a_row // 2)
        n_rows = -(-len(panels) // most)
        n_columns = -(-len(panels) // n_rows)
        ratios = {
            "width_ratios": [max(p.width for p in panels[j::n_columns]) for j in range(n_columns)],
            "height_ratios": [
                max(p.height for p in panels[i * n_columns : (i + 1) * n_columns]) for i in range(n_rows)
            ],
        }
        shared = {f"share{axis}": True for axis in sheet.shared}
        axes = list(figure.subplots(n_rows, n_columns, squeeze=False, gridspec_kw=ratios, **shared).flat)
        for ax in axes[len(panels) :]:
            ax.remove()
    places = [put_panel(panel, ax, sheet.lang) for panel, ax in zip(panels, axes, strict=False)]
    for one, other in permutations(places, 2):  # an inner axis does not repeat the name of the outer one
        before, behind = one.ax.get_subplotspec(), other.ax.get_subplotspec()
        if one.panel.y == other.panel.y and (before.rowspan, before.colspan.stop) == (
            behind.rowspan,
            behind.colspan.start,
        ):
            other.ax.set_ylabel("")
        if one.panel.x == other.panel.x and (before.colspan, before.rowspan.stop) == (
            behind.colspan,
            behind.rowspan.start,
        ):
            one.ax.set_xlabel("")
    _name_scales(figure, places)
    return places


def put_panel(panel: Panel, ax: Axes, lang: str = "en") -> Place:
    """Draw a panel into axes."""
    place = Place(ax, panel, lang)
    for mark in panel.marks:
        put(mark, place)
    if panel.title:
        ax.set_title(panel.title)
    ax.set(xlabel=panel.x, ylabel=panel.y)
    if panel.layout == "chart":
        _scales(place)
    elif panel.layout == "plane" and _is_map(panel):
        (left, low), (right, high) = np.min(place.box, axis=0), np.max(place.box, axis=0)
        ax.set(aspect="equal", xlim=(left, right), ylim=(low, high))
        ax.locator_params(nbins=5)
    elif panel.layout == "plane":
        for line in (ax.axhline, ax.axvline):
            line(0, color=theme().faint, linewidth=scaled(1), zorder=0)
    else:
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
    for axis, ticks in (("x", panel.x_ticks), ("y", panel.y_ticks)):
        if ticks is None and panel.layout == "free":
            getattr(ax, f"set_{axis}ticks")([])
        elif ticks is not None and (axis in panel.logarithmic or _chooses(getattr(ax, f"{axis}axis"))):
            texts = [text if isinstance(text, Sentence) else label(text) for text in ticks.values()]
            getattr(ax, f"set_{axis}ticks")([*ticks], texts)
            ax.spines["bottom" if axis == "x" else "left"].set_visible(
                bool(ticks) and panel.layout in ("chart", "plane")
            )
    if place.tables:
        _word_cells(place)
    elif panel.layout == "free" and place.box:
        _fill_plane(place)
        for text in ax.texts:  # its place is inside, and is known once the panel has its size
            text.set_in_layout(False)
    return place


def _is_map(panel: Panel) -> bool:
    """Whether colours over a plane fill a panel."""
    return any(isinstance(mark, Surface) for mark in panel.marks)


def _scales(place: Place) -> None:
    """Set the ends, the scales and the ticks of the axes of a chart."""
    ax, panel = place.ax, place.panel
    for ends, bounds, set_ends in (
        (panel.x_range, ax.get_xlim(), ax.set_xlim),
        (panel.y_range, ax.get_ylim(), ax.set_ylim),
    ):
        if ends != (None, None):
            low, high = (bound if end is None else end for end, bound in zip(ends, bounds, strict=True))
            set_ends(low, high if high != low else low + 1)
    for axis, ticks in (("x", panel.x_ticks), ("y", panel.y_ticks)):
        if axis in panel.logarithmic:
            curves = [mark for mark in panel.marks if isinstance(mark, Curve) and mark.look not in ("law", "over")]
            along = (getattr(mark, axis) for mark in curves or panel.marks if isinstance(mark, Curve | Surface))
            numbers = np.unique(np.concatenate([np.ravel(np.asarray(xs, float)) for xs in along]))
            set_logarithmic(ax, axis, numbers[numbers > 0].tolist())
        elif (
            ticks is None
            and _chooses(getattr(ax, f"{axis}axis"))
            and not any(isinstance(mark, Bars) and mark.lying == (axis == "y") for mark in panel.marks)
        ):
            getattr(ax, f"{axis}axis").set_major_formatter(place.tick)


def _chooses(axis: Any) -> bool:
    """Whether an axis chooses its ticks itself; one of the user's axes may have others."""
    from matplotlib.ticker import MaxNLocator

    return isinstance(axis.get_major_locator(), MaxNLocator)


def _name_scales(figure: Figure, places: Sequence[Place]) -> None:
    """A scale of colours for each name of surfaces, beside the panels that have it."""
    found: dict[str, list[tuple[Place, Any]]] = {}
    for place in places:
        for name, image in place.surfaces:
            found.setdefault(name, []).append((place, image))
    for name, panels in found.items():
        bar = figure.colorbar(
            panels[0][1],
            ax=[place.ax for place, _ in panels],
            label=name,
            format=panels[0][0].tick,
            aspect=30,
        )
        bar.outline.set_visible(False)
        panels[0][0].scales.append(bar.ax)


@singledispatch
def put(mark: Mark, place: Place) -> None:
    """Draw a mark into the axes of a place."""
    raise NotImplementedError(type(mark).__name__)


@put.register
def _(mark: Cells, place: Place) -> None:
    from matplotlib.patches import Rectangle

    hidden = False if mark.hidden is None else np.asarray(mark.hidden, bool)
    values = np.ma.masked_invalid(np.ma.masked_array(np.asarray(mark.values, float), hidden))
    (n, m), (left, top) = values.shape, mark.at
    most = float(mark.most or np.abs(values).max() or 1.0) if values.count() else 1.0
    maps = {"weights": theme().sequential, "signed": theme().diverging, "picture": theme().picture}
    low = 0.0 if mark.colours == "weights" else -most
    extent = left - 0.5, left + m - 0.5, top + n - 0.5, top - 0.5
    if np.ma.getmaskarray(values).any():
        place.ax.add_patch(_hatched(extent))
    image = place.ax.imshow(
        values, cmap=maps[mark.colours], vmin=low, vmax=most, extent=extent, interpolation="nearest", zorder=1
    )
    frame = Rectangle((extent[0], extent[3]), m, n, fill=False, edgecolor=theme().faint, linewidth=scaled(1), zorder=2)
    place.ax.add_patch(frame)
    for i, j in mark.framed:
        look: Any = {"fill": False, "edgecolor": theme().query, "linewidth": scaled(3.5), "zorder": 4}
        place.ax.add_patch(Rectangle((left + j - 0.5, top + i - 0.5), 1, 1, **look))
    texts, told = [], np.broadcast_to(mark.numbers, values.shape)
    if told.any() and values.count() <= MOST_NUMBERS:
        for i, j in np.argwhere(told & ~np.ma.getmaskarray(values)):
            value = values[i, j]
            text = place.number(float(value))
            colour = readable_on(image.cmap(image.norm(value)))
            style: Any = {"ha": "center", "va": "center", "color": colour, "zorder": 3, "clip_on": True}
            texts.append((place.ax.text(left + j, top + i, text, **style), ems(text)))
    place.tables.append((mark, texts))
    if mark.scale:
        place.surfaces.append((mark.scale, image))
    place.box += [(extent[0], extent[2]), (extent[1], extent[3])]
    if mark.framed:
        frame = Rectangle((0, 0), 1, 1, **look)
    elif mark.hidden is not None and np.any(mark.hidden):
        frame = _hatched((0, 1, 0, 1))
    place.label(mark.key, frame)


def _hatched(extent: tuple[float, float, float, float]) -> Any:
    """The hatched ground of cells that a mask hides, or that have no number."""
    from matplotlib.patches import Rectangle

    left, right, bottom, top = extent
    look: Any = {"facecolor": theme().empty, "edgecolor": theme().faint, "hatch": "///", "linewidth": 0, "zorder": 0}
    return Rectangle((left, min(top, bottom)), right - left, abs(bottom - top), **look)


def _word_cells(place: Place) -> None:
    """Set the words of rows and columns of the tables of a panel, and the limits of its axes."""
    ax, box = place.ax, np.array(place.box)
    rows = {
        table.at[1] + i: (text, table.row_colours) for table, _ in place.tables for i, text in enumerate(table.rows)
    }
    columns = {
        table.at[0] + j: (text, table.column_colours)
        for table, _ in place.tables
        for j, text in enumerate(table.columns)
    }
    for texts, ticks in ((columns, ax.set_xticks), (rows, ax.set_yticks)):
        tokens = subscripted([text for text, _ in texts.values()])
        own = [text for text, _ in texts.values()]  # a sentence is no token, and is not cut
        names = [text if isinstance(text, Sentence) else token for text, token in zip(own, tokens, strict=True)]
        labels = ticks([*texts], names)
        for i, (tick, (_, colours)) in enumerate(zip(labels, texts.values(), strict=True)):
            text = tick.label1 if hasattr(tick, "label1") else tick
            text.set_color(coloured(colours, i + 1)[i])
    (left, low), (right, high) = box.min(axis=0), box.max(axis=0)
    ax.set(xlim=(left, right), ylim=(high, low))
    shape = (right - left) / (high - low)
    asked = {table.square for table, _ in place.tables}
    square = False not in asked and (True in asked or 1 / 3 <= shape <= 3)
    ax.set_aspect("equal" if square else "auto")
    if ax.get_xlabel() or ax.get_ylabel() or place.panel.layout == "grid":
        ax.tick_params(length=0)


@put.register
def _(mark: Picture, place: Place) -> None:
    from matplotlib.patches import Rectangle

    shape = np.array(mark.values.shape)[::-1] / max(mark.values.shape)
    (x, y), (w, h) = mark.at, shape
    extent = x - w / 2, x + w / 2, y - h / 2, y + h / 2
    most = max(1.0, float(np.abs(mark.values).max(initial=0.0)))
    place.ax.imshow(
        mark.values, cmap=theme().picture, vmin=-most, vmax=most, extent=extent, interpolation="nearest", zorder=1
    )
    heavy = mark.frame is not None
    colour = coloured(mark.frame, 1)[0] if mark.frame is not None else theme().faint
    look: Any = {"fill": False, "edgecolor": colour, "linewidth": scaled(5 if heavy else 1.2), "zorder": 2}
    frame = place.ax.add_patch(Rectangle((extent[0], extent[2]), w, h, **look))
    if mark.below:
        place.ax.text(x, extent[2] - 0.05, mark.below, ha="center", va="top", fontsize=scaled(15))
    place.box += [(extent[0], extent[2] - (0.25 if mark.below else 0)), (extent[1], extent[3])]
    place.label(mark.key, frame)


@put.register
def _(mark: Bars, place: Place) -> None:
    values = np.asarray(mark.values, float)
    at = np.arange(len(values)) if mark.at is None else np.asarray(mark.at, float)
    colours = coloured(mark.colour, len(values))
    error = None if mark.error is None else np.abs(mark.error)
    style: Any = {"color": colours, "ecolor": theme().ink, "capsize": scaled(4), "zorder": 2}
    ax = place.ax
    if mark.lying:
        bars = ax.barh(at, values, mark.width, xerr=error, **style)
        ax.axvline(0, color=theme().ink, linewidth=scaled(1.2), zorder=3)
        ax.set_ylim(max(at.max() + 0.5, *ax.get_ylim()), min(at.min() - 0.5, *ax.get_ylim()))
    else:
        bars = ax.bar(at, values, mark.width, yerr=error, **style)
        ax.axhline(0, color=theme().ink, linewidth=scaled(1.2), zorder=3)
    ax.spines["left" if mark.lying else "bottom"].set_visible(False)  # the line at 0 is there
    if mark.names:
        (ax.set_yticks if mark.lying else ax.set_xticks)(at, subscripted(mark.names))
        ax.tick_params(axis="y" if mark.lying else "x", length=0)
    ends = np.zeros((2, len(values))) if error is None else np.broadcast_to(np.nan_to_num(error), (2, len(values)))
    for x, value, below, above in zip(at, values, *ends, strict=True) if mark.numbers else ():
        end = value - below if value < 0 else value + above
        away = scaled(5) * (-1 if value < 0 else 1)
        place_of: Any = ((end, x), (away, 0)) if mark.lying else ((x, end), (0, away))
        align: Any = (
            {"ha": "right" if value < 0 else "left", "va": "center"}
            if mark.lying
            else {"ha": "center", "va": "top" if value < 0 else "bottom"}
        )
        ax.annotate(
            place.number(value), place_of[0], place_of[1], textcoords="offset points", **align, fontsize=scaled(15)
        )
    if mark.numbers:
        ax.margins(**{"x" if mark.lying else "y": 0.3 if mark.lying and values.min(initial=0) < 0 else 0.16})
    place.label(mark.key, bars[0] if len(values) else None)


@put.register
def _(mark: Points, place: Place) -> None:
    at = np.reshape(mark.at, (-1, 2))
    colours = coloured(mark.colour, len(at))
    face = [theme().paper] * len(at) if mark.hollow else colours
    if mark.shades is not None:
        face = [theme().picture((shade + 1) / 2) for shade in np.clip(mark.shades, -1, 1)]
    look: Any = {"facecolors": face, "edgecolors": colours, "linewidths": scaled(2), "zorder": 5, "clip_on": False}
    dots = place.ax.scatter(*at.T, s=(scaled(10) * mark.size) ** 2, marker=mark.marker, **look)
    place.names += [(name, point, colour) for name, point, colour in zip(mark.names, at, colours, strict=False) if name]
    place.names += [("", point, None) for point in at[len(mark.names) :]]
    place.box += at.tolist()
    place.label(mark.key, dots)


@put.register
def _(mark: Arrows, place: Place) -> None:
    from matplotlib.lines import Line2D

    start, end = (np.reshape(ends, (-1, 2)).astype(float) for ends in (mark.start, mark.end))
    widths = np.broadcast_to(np.asarray(mark.width, float), len(start))
    colours = coloured(mark.colour, len(start))
    dash: Any = "--" if mark.dashed else "-"
    for one, other, colour, width in zip(start, end, colours, widths, strict=True):
        style: Any = {
            "arrowstyle": "-|>,head_width=.3,head_length=.55" if mark.head else "-",
            "color": colour,
            "linewidth": scaled(2.2) * width,
            "linestyle": dash,
            "mutation_scale": scaled(16) * max(1.0, float(width) ** 0.5),
            "connectionstyle": f"arc3,rad={-mark.bend}",
            "shrinkA": scaled(5) * mark.head,
            "shrinkB": scaled(5) * mark.head,
        }
        place.ax.annotate("", other, one, arrowprops=style, zorder=3, annotation_clip=False)
    box = {"boxstyle": "round,pad=0.1", "facecolor": theme().paper, "edgecolor": "none"}
    across = np.stack([start[:, 1] - end[:, 1], end[:, 0] - start[:, 0]], axis=1)
    middles = (start + end) / 2 + mark.bend / 2 * across
    for name, (x, y) in zip(mark.names, middles, strict=False):
        if name:
            place.ax.text(x, y, name, ha="center", va="center", fontsize=scaled(15), bbox=box, zorder=4)
    place.box += [*start.tolist(), *end.tolist(), *middles.tolist()]
    if len(start):
        place.ax.update_datalim(np.vstack([start, end]))
        place.ax.autoscale_view()
        place.label(mark.key, Line2D([], [], color=colours[0], linestyle=dash, linewidth=scaled(2.5)))


@put.register
def _(mark: Curve, place: Place) -> None:
    x, y = (np.asarray(numbers, float) for numbers in (mark.x, mark.y))
    (colour,) = coloured(mark.colour, 1)
    order = mark.colour if isinstance(mark.colour, int) else mark.dash
    theory, dots, path = mark.look in ("law", "over"), mark.look in ("points", "both"), mark.look == "path"
    dash = "--" if mark.look == "law" and not mark.dash else DASHES[order % len(DASHES)]
    marked = dots or (mark.look == "line" and len(x) <= MARKED)
    style: Any = {
        "color": colour,
        "linewidth": scaled(1.5 if mark.look == "law" else 3) * mark.width,
        "linestyle": "" if mark.look == "points" else dash,
        "marker": MARKERS[order % len(MARKERS)] if marked else "",
        "clip_on": theory,  # what was measured lies within the axes, and is whole at their edges
        "zorder": 2 if theory else 3,
    }
    if mark.look == "over":
        style["path_effects"] = edged(theme().paper, 7)
    if path:
        style |= {"marker": ".", "markersize": scaled(6), "linewidth": scaled(2), "color": theme().paper}
        style["path_effects"] = edged(colour, 5)
    (line,) = place.ax.plot(x, y, **style)
    if mark.error is not None:
        ends = np.broadcast_to(np.abs(np.asarray(mark.error, float)), (2, len(x)))
        if mark.look == "points":
            look: Any = {"fmt": "none", "ecolor": colour, "elinewidth": scaled(2), "capsize": scaled(3)}
            place.ax.errorbar(x, y, ends, **look)
        else:
            place.ax.fill_between(x, y - ends[0], y + ends[1], color=colour, alpha=0.22, linewidth=0)
    if mark.name:
        place.curves.append((mark.name, line))
    place.label(mark.key, line)


@put.register
def _(mark: Nodes, place: Place) -> None:
    at = np.reshape(mark.at, (-1, 2)).astype(float)
    colours, fills = coloured(mark.colour, len(at)), coloured(mark.fill, len(at))
    shapes = {"box": "round,pad=0.3,rounding_size=0.2", "circle": "circle,pad=0.25"}
    for (x, y), text, colour, fill in zip(at, mark.texts, colours, fills, strict=True):
        box: Any = None
        if mark.shape in shapes:
            box = {"boxstyle": shapes[mark.shape], "facecolor": fill, "edgecolor": colour, "linewidth": scaled(2)}
        style: Any = {
            "ha": mark.align,
            "va": "center",
            "bbox": box,
            "zorder": 6,
            "weight": "bold" if mark.bold else "normal",
        }
        ink = readable_on(fill) if box else colour
        text = wrapped(text, mark.letters, LINES) if mark.letters else text
        place.ax.text(x, y, text, fontsize=scaled(17) * mark.size, color=ink, **style)
    place.box += at.tolist()


@put.register
def _(mark: Surface, place: Place) -> None:
    from matplotlib.patches import Rectangle

    values = np.ma.masked_invalid(np.asarray(mark.values, float))
    x, y = (np.asarray(numbers, float) for numbers in (mark.x, mark.y))
    most = float(values.max()) if mark.most is None else mark.most
    signed = mark.colours == "signed"
    least = -most if signed else 0.0 if mark.least is None else mark.least
    colours = theme().diverging if signed else theme().picture if mark.colours == "picture" else theme().sequential
    if np.ma.getmaskarray(values).any():
        place.ax.add_patch(_hatched((x[0], x[-1], y[0], y[-1])))
    if len(levels := np.asarray(mark.levels)):
        image = place.ax.contourf(x, y, values, levels, cmap=colours.reversed(), zorder=0)
        lines: Any = {"colors": [theme().paper], "linewidths": scaled(0.8), "alpha": 0.7}
        place.ax.contour(x, y, values, levels[1:], **lines, zorder=1)
    else:
        shading = "nearest" if values.shape == (len(y), len(x)) else "flat"
        image = place.ax.pcolormesh(
            x, y, values, cmap=colours, vmin=least, vmax=most, shading=shading, zorder=0, rasterized=True
        )
    place.box += [(x[0], y[0]), (x[-1], y[-1])]
    if mark.name:
        place.surfaces.append((mark.name, image))
    place.label(mark.key, Rectangle((0, 0), 1, 1, facecolor=colours(1.0)))


@put.register
def _(mark: Rule, place: Place) -> None:
    style: Any = {
        "color": theme().faint,
        "linewidth": scaled(1.8),
        "linestyle": "--" if mark.dashed else "-",
        "zorder": 1,
    }
    if mark.x is not None:
        line = place.ax.axvline(mark.x, **style)
    if mark.y is not None:
        line = place.ax.axhline(mark.y, **style)
    place.label(mark.name or mark.key, line)


def arranged(figure: Figure, sheet: Sheet, places: Sequence[Place], engine: Any = None) -> None:
    """Set what depends on the size of a figure that is drawn: titles in lines, names, numbers in cells, the legend.

    engine: a layout that is executed on the way; None for a figure of the user's, whose layout is theirs.
    """

    def lay_out(edges: Sequence[Any] = ()) -> None:
        if engine is not None:
            engine.set(rect=_between_texts(figure, edges))
            engine.execute(figure)

    head = [figure.suptitle(sheet.title, y=1 - MARGIN[1], va="top")] if sheet.title else []
    lay_out(head)
    _title_lines(figure, head, places)
    for place in places:
        _few_ticks(place.ax)
        _tilt(place)
    lay_out(head)
    beside = len(places) == 1 and bool(places[0].curves) and at_ends(places[0].ax, places[0].curves)
    keys = {name: sign for place in places for name, sign in place.keys.items() if sign is not None}
    if not beside and _several(places):
        keys |= {name: line for place in reversed(places) for name, line in place.curves}
    below = _foot(figure, sheet, keys)
    for _ in range(2 if any(place.tables for place in places) else 1):  # square cells have their size after the first
        lay_out([*head, *below])
    for ax in figure.axes if engine is not None else ():  # the last digits of a layout differ from one run to the next
        ax.set_position(np.round(ax.get_position(original=True).bounds, 5))
    for title in head:
        _centre(figure, title, places)
    for place in places:
        place.ax.apply_aspect()
        settled(place)
    for one, other, text in sheet.arrows:
        _between(figure, places[one].ax, places[other].ax, text)


def _centre(figure: Figure, title: Any, places: Sequence[Place]) -> None:
    """Set the title above the middle of the panels, as far as it has room there."""
    boxes = [place.ax.get_position() for place in places]
    middle = (min(box.x0 for box in boxes) + max(box.x1 for box in boxes)) / 2
    half = title.get_window_extent().width / figure.bbox.width / 2 + MARGIN[0]
    title.set_x(float(np.clip(middle, half, 1 - half)) if half < 0.5 else 0.5)


def _between_texts(figure: Figure, texts: Sequence[Any]) -> tuple[float, float, float, float]:
    """The place of the panels between the margins of a figure, its title, and what is below it."""
    (x, low), high = MARGIN, 1 - MARGIN[1]
    for text in texts:
        box = text.get_window_extent().transformed(figure.transFigure.inverted())
        if box.y0 > 0.5:
            high = min(high, box.y0 - MARGIN[1] / 2)
        else:
            low = max(low, box.y1 + MARGIN[1] / 2)
    return x, low, 1 - 2 * x, high - low


def _several(places: Sequence[Place]) -> bool:
    """Whether the panels have curves of several names."""
    return len({name for place in places for name, _ in place.curves}) > 1


def settled(place: Place) -> None:
    """Set what depends on the size of a panel: the ends of a plane, the names of points, the numbers of cells."""
    if place.panel.layout in ("plane", "free") and place.box and not place.tables and not _is_map(place.panel):
        _fill_plane(place)
    beside_points(place.ax, place.names, np.vstack([_ways(place.panel), _origin_lines(place)]))
    _size_numbers(place)


def _ways(panel: Panel) -> np.ndarray:
    """Points along all arrows and curves of a panel, `(n, 2)`, but those of thin lines, which names may cross."""
    ways = [np.empty((0, 2))]
    for mark in panel.marks:
        if isinstance(mark, Arrows) and np.max(mark.width, initial=0) >= THIN:
            start, end = (np.reshape(ends, (-1, 1, 2)).astype(float) for ends in (mark.start, mark.end))
            part = np.linspace(0, 1, 25)[:, None]
            across = (end - start)[..., ::-1] * (-1, 1)
            ways.append(start + part * (end - start) + 2 * mark.bend * part * (1 - part) * across)
        elif isinstance(mark, Curve) and len(mark.x):
            at = np.linspace(0, len(mark.x) - 1, ALONG)
            ways.append(np.stack([np.interp(at, np.arange(len(mark.x)), ends) for ends in (mark.x, mark.y)], axis=1))
    return np.concatenate([np.reshape(way, (-1, 2)) for way in ways])


def _origin_lines(place: Place) -> np.ndarray:
    """Points along the lines through the origin of a plane, `(n, 2)`."""
    if place.panel.layout != "plane":
        return np.empty((0, 2))
    x, y = (np.linspace(low, high, 25) for low, high in (place.ax.get_xlim(), place.ax.get_ylim()))
    return np.vstack([np.stack([x, 0 * x], axis=1), np.stack([0 * y, y], axis=1)])


def _fill_plane(place: Place) -> None:
    """Set the ends of the axes of a plane: one unit on both, with room for the names of its points."""
    ax, panel = place.ax, place.panel
    box = np.array(place.box, float)
    if panel.layout == "plane":
        box = np.vstack([box, [(0, 0)]])
    low, high = box.min(axis=0), box.max(axis=0)
    for i, (start, end) in enumerate((panel.x_range, panel.y_range)):
        low[i], high[i] = low[i] if start is None else start, high[i] if end is None else end
    ax.set_aspect("auto")  # pictures have set another one
    ax.apply_aspect()
    sides = np.array([ax.bbox.width, ax.bbox.height])
    room = ROOM if panel.layout == "plane" else 0.04
    half = (0.5 + room) * max(np.max((high - low) / sides), 1e-9) * sides
    middle = (low + high) / 2
    ax.set(
        aspect="auto", xlim=(middle[0] - half[0], middle[0] + half[0]), ylim=(middle[1] - half[1], middle[1] + half[1])
    )
    if panel.layout == "plane":
        ax.locator_params(nbins=5)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(place.tick)


def _size_numbers(place: Place) -> None:
    """Write the numbers of cells as large as their cells allow; leave them out where they would be too small."""
    ax = place.ax
    for _, texts in place.tables:
        if not texts:
            continue
        (x0, y0), (x1, y1) = ax.transData.transform([(0, 0), (1, 1)])
        points = 72 / ax.get_figure(root=True).dpi
        wide, high = abs(x1 - x0) * points, abs(y1 - y0) * points
        size = min(0.86 * wide / max(width for _, width in texts), 0.7 * high, scaled(17))
        for text, _ in texts:
            text.set_visible(size >= SMALLEST * scaled(17))
            text.set_fontsize(size)


def _title_lines(figure: Figure, heads: Sequence[Any], places: Sequence[Place]) -> None:
    """Set titles and the names of axes on as many lines as their width asks for."""
    root = figure.get_figure(root=True)
    pixels = root.dpi / 72
    for place in places:
        title, width = place.ax.title, place.ax.bbox.width / pixels
        letters = max(12, int(width / (LETTER * title.get_fontsize())))
        title.set_text("\n".join(wrapped(line, letters, LINES) for line in place.panel.title.split("\n")))
    for ax in (ax for place in places for ax in (place.ax, *place.scales)):
        for name, length in ((ax.xaxis.label, ax.bbox.width), (ax.yaxis.label, ax.bbox.height)):
            letters = max(12, int(0.8 * length / pixels / (LETTER * name.get_fontsize())))
            name.set_text("\n".join(wrapped(line, letters) for line in name.get_text().split("\n")))
    for title in heads:
        letters = max(20, int(0.94 * figure.bbox.width / pixels / (LETTER * title.get_fontsize())))
        text = title.get_text().replace("\n", " ")
        lines = -(-len(text) // letters)
        title.set_text(wrapped(text, min(letters, len(text) // lines + 8) if lines > 1 else letters, LINES))


def _few_ticks(ax: Axes) -> None:
    """Leave as many ticks to the axes that choose them themselves as their numbers have room for."""
    font = scaled(17) * ax.get_figure(root=True).dpi / 72
    for axis, length, room in ((ax.xaxis, ax.bbox.width, 4.2), (ax.yaxis, ax.bbox.height, 2.2)):
        if _chooses(axis):
            axis.get_major_locator().set_params(nbins=int(np.clip(length / (room * font), 2, 6)))


def _tilt(place: Place) -> None:
    """Tilt the words of columns that are wider than their columns, and leave some out where there are too many."""
    if not place.tables and not any(isinstance(mark, Bars) and not mark.lying for mark in place.panel.marks):
        return
    ax = place.ax
    ax.apply_aspect()
    for axis, along in ((ax.xaxis, 0), (ax.yaxis, 1)):
        both = zip(axis.get_majorticklocs(), axis.get_ticklabels(), strict=False)
        named = [(tick, text) for tick, text in both if text.get_text()]
        if len(named) < 2:
            continue
        ticks, texts = zip(*named, strict=True)
        ends = ax.transData.transform([(tick, 0) if along == 0 else (0, tick) for tick in ticks])[:, along]
        apart = float(np.min(np.abs(np.diff(ends))))
        wide, high = (max(getattr(text.get_window_extent(), side) for text in texts) for side in ("width", "height"))
        every = int(np.ceil(1.05 * high / apart)) if high > apart else 1
        if every > 1:
            axis.set_ticks(ticks[::every], [text.get_text() for text in texts[::every]])
        if along == 0 and (every > 1 or wide > 0.95 * apart):
            for text in axis.get_ticklabels():
                text.set(rotation=45, ha="right", va="top", rotation_mode="anchor")


def _foot(figure: Figure, sheet: Sheet, keys: dict[str, Any]) -> list[Any]:
    """Write notes and the legend below a figure; gives what was written."""
    note = "\n".join(_lines([one for one in sheet.notes if one], figure))
    x, y = 0.5, MARGIN[1]
    if keys:
        widest = max(map(ems, keys)) + 4
        room = figure.bbox.width / figure.get_figure(root=True).dpi * 72 / scaled(15)
        look: Any = {"frameon": False, "borderaxespad": 0, "borderpad": 0, "title": note or None}
        look["ncols"] = max(1, min(len(keys), 5, int(room / widest)))
        return [figure.legend([*keys.values()], [*keys], loc="lower center", bbox_to_anchor=(x, y), **look)]
    return [figure.supxlabel(note, y=y, va="bottom", fontsize=scaled(15))] if note else []


def _lines(notes: Sequence[str], figure: Figure) -> Iterator[str]:
    """Notes on as many lines as they need, with semicolons between those of one line."""
    letters = int(figure.bbox.width / figure.get_figure(root=True).dpi * 72 / (LETTER * scaled(15)))
    line = ""
    for note in notes:
        if line and len(line) + len(note) + 2 > letters:
            yield line
            line = ""
        line = f"{line}; {note}" if line else wrapped(note, max(20, letters), LINES)
    if line:
        yield line


def _between(figure: Figure, one: Axes, other: Axes, text: str) -> None:
    """Draw an arrow from one panel to another: straight, or round a corner where others are in its way."""
    from matplotlib.patches import FancyArrowPatch

    start, end = (ax.get_tightbbox().transformed(figure.transFigure.inverted()) for ax in (one, other))
    own, goal = one.get_position(), other.get_position()
    low, high = max(own.y0, goal.y0), min(own.y1, goal.y1)
    y = (low + high if low < high else own.y0 + own.y1) / 2
    to, bend = (end.x0, y if low < high else (goal.y0 + goal.y1) / 2), "arc3"
    way = [(start.x1 + t * (to[0] - start.x1), y + t * (to[1] - y)) for t in np.linspace(0, 1, 50)]
    others = [ax.get_position() for ax in figure.axes if ax not in (one, other)]
    if any(box.contains(*point) for box in others for point in way):
        to, bend = ((goal.x0 + goal.x1) / 2, end.y1 if y > goal.y1 else end.y0), "angle,angleA=0,angleB=90"
    look: Any = {"arrowstyle": "-|>", "mutation_scale": scaled(20), "color": theme().faint, "linewidth": scaled(2)}
    look |= {"shrinkA": scaled(4), "shrinkB": scaled(2), "connectionstyle": bend}
    figure.add_artist(FancyArrowPatch((start.x1, y), to, transform=figure.transFigure, **look))
    if text:
        figure.text((start.x1 + end.x0) / 2, y + 0.02, text, ha="center", va="bottom", fontsize=scaled(15))
