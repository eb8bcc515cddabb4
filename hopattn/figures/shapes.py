"""Shapes that several figures share: arrows, boxed texts, a layer of neurons, a table of cells."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number, readable_on


def colour_of(value: float) -> str:
    """The colour of a number: blue from 0 up, orange below 0."""
    return theme().minus if value < 0 else theme().plus


def line_of(value: float) -> str:
    """The line style of a number: solid from 0 up, dashed below 0."""
    return "--" if value < 0 else "-"


def colours_of(least: float, most: float) -> dict[str, Any]:
    """The colour map of numbers and the ends of its scale, as `imshow` takes them: from 0 up, or on both sides of 0."""
    signed = least < 0
    return {"cmap": theme().diverging if signed else theme().sequential, "vmin": -most if signed else 0.0, "vmax": most}


def sign(**look: Any) -> Any:
    """A line or a marker for the legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **look)


def arrow(ax: Any, start: Any, end: Any, colour: str = "", width: float = 2.5, bend: float = 0.0, **more: Any) -> None:
    """Draw an arrow between two points, in data coordinates. A negative `bend` curves it to the left of its path.

    colour: by default that of the ink. width: in points on a slide.
    """
    style = {
        "arrowstyle": "-|>,head_width=0.32,head_length=0.6",
        "shrinkA": 0,
        "shrinkB": 0,
        "mutation_scale": scaled(16),
    }
    style |= {"color": colour or theme().ink, "lw": scaled(width), "connectionstyle": f"arc3,rad={bend}"} | more
    ax.annotate("", xy=tuple(end), xytext=tuple(start), arrowprops=style, annotation_clip=False)


def curve(start: np.ndarray, end: np.ndarray, bend: float) -> np.ndarray:
    """Nine points of the path of an arrow, `(9, 2)`; its control point is `bend` lengths from the straight line."""
    t = np.linspace(0, 1, 9)[:, None]
    middle = (start + end) / 2 + bend * (end - start)[::-1] * (1, -1)
    return np.asarray((1 - t) ** 2 * start + 2 * t * (1 - t) * middle + t**2 * end)


def boxed(ax: Any, at: Any, text: str, **more: Any) -> Any:
    """Write a text in a white box, so that no line runs through it; returns the text."""
    box = {"boxstyle": "round,pad=0.12", "facecolor": theme().paper, "edgecolor": "none"}
    return ax.text(at[0], at[1], text, **{"ha": "center", "va": "center", "bbox": box, "zorder": 6} | more)


def framed(ax: Any, corner: Any, size: Any, colour: str, width: float, **more: Any) -> None:
    """Draw a frame from its corner of the smallest coordinates. size: its width and height. width: of its line."""
    from matplotlib.patches import Rectangle

    look: dict[str, Any] = {"fill": False, "edgecolor": colour, "linewidth": scaled(width)}
    ax.add_patch(Rectangle(corner, *size, **look | more))


def layer_heights(count: int, largest: int) -> Any:
    """The heights of `count` circles in a column, `(count,)`. largest: the number of circles in the larger column."""
    return np.linspace(largest / 2, -largest / 2, count) if count > 1 else np.zeros(1)


def circle_size(ax: Any, largest: int) -> float:
    """The size of a neuron's circle in these axes, in printer's points. largest: the circles in the larger column."""
    height = ax.get_window_extent().height / ax.figure.dpi * 72
    return min(scaled(min(62.0, 400 / (largest + 3))), 0.3 * float(height))


def layer(ax: Any, weights: np.ndarray, inputs: Sequence[str], neurons: Sequence[str], names: Sequence[str]) -> None:
    """Draw a layer of neurons: inputs on the left, neurons on the right, the weights on the lines between them.

    weights: `(n_neurons, n_inputs)`. inputs, neurons: the texts in the circles. names: the texts below the neurons.
    """
    m, n = weights.shape
    largest = max(n, m)
    left, right = layer_heights(n, largest), layer_heights(m, largest)
    size = circle_size(ax, largest)
    text_size = scaled(17 if largest <= 5 else 13)
    most = float(np.abs(weights).max(initial=0.0)) or 1.0
    for (j, i), weight in np.ndenumerate(weights):
        width = scaled(1 + 4 * abs(weight) / most)
        colour = colour_of(weight) if weight else theme().faint
        ax.plot([0, 3], [left[i], right[j]], line_of(weight), color=colour, lw=width)
        along = 0.45 if m == 1 else 0.3 if largest == 2 else 0.2 + 0.4 * j / m
        place = (3 * along, left[i] + (right[j] - left[i]) * along)
        ink = theme().ink if weight else theme().faint
        boxed(ax, place, f"× {number(float(weight))}", fontsize=scaled(17 if n * m <= 8 else 13), color=ink)
    look: Any = {"mfc": theme().paper, "mec": theme().ink, "mew": scaled(2.5), "ms": size, "ls": "none"}
    for heights, x, texts in ((left, 0.0, inputs), (right, 3.0, neurons)):
        ax.plot(np.full(len(heights), x), heights, "o", zorder=3, clip_on=False, **look)
        for y, text in zip(heights, texts, strict=True):
            ax.text(x, y, text, ha="center", va="center", zorder=4, fontsize=text_size)
    for y, text in zip(right, names, strict=True):
        below: Any = {"xytext": (0, -0.55 * size), "textcoords": "offset points", "ha": "center", "va": "top"}
        ax.annotate(text, (3.0, y), **below, fontsize=min(text_size, scaled(15)))
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def cells(ax: Any, values: np.ndarray, colours: dict[str, Any], numbers: bool = True, size: float = 14) -> Any:
    """Draw a table as coloured cells with their numbers; returns the image.

    colours: the arguments of `imshow` for the colour map. numbers: whether to write them. size: their font size.
    """
    image = ax.imshow(values, aspect="auto", **colours)
    bare(ax)
    ax.tick_params(length=0)
    if numbers:
        write_numbers(ax, image, size, faint_zeros=True)
    return image


def write_numbers(
    ax: Any, image: Any, size: float, texts: Any = None, bold: Any = None, faint_zeros: bool = False
) -> None:
    """Write the number of each cell of an image, except of a masked cell and of one that is not a number.

    size: of the font. texts: what is written instead of the numbers, or nothing. bold: whether the text of a cell is
    bold. Both have the shape of the image.
    """
    values = np.ma.masked_invalid(image.get_array())
    left, right, last, first = image.get_extent()
    if image.origin == "lower":
        last, first = first, last
    across, up = (right - left) / values.shape[1], (last - first) / values.shape[0]
    for i, j in np.argwhere(~np.ma.getmaskarray(values)):
        value = float(values[i, j])
        look: dict[str, Any] = {"weight": "bold" if bold is not None and bold[i, j] else "normal", "fontsize": size}
        look["color"] = readable_on(image.cmap(image.norm(value))) if value or not faint_zeros else theme().faint
        if text := number(value) if texts is None else texts[i, j]:
            place = left + (j + 0.5) * across, first + (i + 0.5) * up
            ax.text(*place, text, ha="center", va="center", **look)


def number_bars(ax: Any, values: np.ndarray, texts: Sequence[str], size: float, inks: Sequence[str] = ()) -> None:
    """Draw a bar to the right for each number, or to the left and hatched below 0, with a text beside it.

    The first is on top. size: of the texts. inks: their colours.
    """
    hatches = [strokes(2) if value < 0 else "" for value in values]
    look: dict[str, Any] = {"height": 0.6, "hatch": hatches, "edgecolor": theme().ink}
    ax.barh(range(len(values)), values, color=[colour_of(value) for value in values], **look)
    beside: dict[str, Any] = {"xytext": (scaled(6), 0), "textcoords": "offset points", "va": "center", "fontsize": size}
    for y, (value, text) in enumerate(zip(values, texts, strict=True)):
        ax.annotate(text, (max(value, 0.0), y), **beside, color=inks[y] if inks else theme().ink)
    bare(ax)
    ax.axvline(0, color=theme().ink, lw=scaled(1))


def share_scale(axes: Sequence[Any], values: Sequence[np.ndarray], room: float) -> None:
    """Give the bars of several panels one scale. room: the right end of the axis, in sizes of the largest number."""
    every = np.concatenate([np.zeros(1), *values])
    for ax in axes:
        ax.set_xlim(1.1 * float(every.min()), room * (float(np.abs(every).max()) or 1.0))


def bare(ax: Any, **settings: Any) -> None:
    """Leave frame and ticks of axes out. settings: other settings of the axes, such as limits."""
    ax.set(xticks=[], yticks=[], **settings)
    ax.spines[:].set_visible(False)


def shaded(ax: Any, chosen: np.ndarray, **style: Any) -> Any:
    """Shade the chosen cells of a table, cell by cell or, without a line between them, run by run; returns the shape.

    chosen: True for each cell to shade, `(n_rows, n_columns)`. style: of the patch. A row is as high as 1, from −0.5.
    """
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    edges = np.diff(np.pad(chosen, ((0, 0), (1, 1))).astype(int), axis=1)
    (rows, starts), (_, ends) = np.nonzero(edges == 1), np.nonzero(edges == -1)
    if style.get("linewidth"):
        rows, starts = np.nonzero(chosen)
        ends = starts + 1
    corners = [(starts, rows), (ends, rows), (ends, rows + 1), (starts, rows + 1), (starts, rows)]
    points = np.array(corners, dtype=float).transpose(2, 0, 1).reshape(-1, 2) - 0.5
    codes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY] * len(rows)
    return ax.add_patch(PathPatch(Path(points, codes), **style))


def hatching() -> dict[str, Any]:
    """The style of masked cells."""
    return {"facecolor": theme().empty, "edgecolor": theme().faint, "hatch": strokes(3), "linewidth": 0}


def strokes(count: int) -> str:
    """A hatch as dense, relative to the font, as `count` strokes on a slide; that of matplotlib is not."""
    return "/" * max(count, round(count / scaled(1)))


def arithmetic(weights: np.ndarray, activations: np.ndarray) -> str:
    """A sum of products as the lectures write it: .8 × .8 + .6 × (−.6) = .28."""

    def factor(value: float) -> str:
        text = number(value)
        return f"({text})" if text.startswith("−") else text

    pairs = [(float(w), float(a)) for w, a in zip(weights, activations, strict=True)]
    terms = [f"{factor(w) if i else number(w)} × {factor(a)}" for i, (w, a) in enumerate(pairs)]
    return f"{' + '.join(terms)} = {number(float(weights @ activations))}"
