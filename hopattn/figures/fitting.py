"""Fitting: the largest font with which no text of a figure lies over another."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from hopattn.figures.base import Draw, Figure
from hopattn.figures.style import SLIDE_FONT, STYLES, Style, loaded, styled

_SMALLER = 0.92
"""The factor between one font that is tried and the next."""
TOUCHING = 1.0
"""The number of pixels by which the boxes of two texts may overlap: letters have room in their boxes."""


def fitted(draw: Draw, style: Style) -> tuple[Figure, Style]:
    """The figure that `draw` draws, and its style: with a smaller font where texts would lie over each other.

    A figure as large as a slide keeps its font. In another size, fonts are tried from that of the style down to the one
    in which the figure looks like the slide made smaller.
    """
    least = SLIDE_FONT * min(size / slide for size, slide in zip(style.size, STYLES["slide"].size, strict=True))
    while True:
        figure = _drawn(draw, style)
        if style.font <= least:
            return figure, style
        figure.draw_without_rendering()  # titles and labels of axes find their places
        if not (overlapping(figure) or outside(figure)):
            return figure, style
        style = style.with_font(max(least, style.font * _SMALLER))


def _drawn(draw: Draw, style: Style) -> Figure:
    """The figure that `draw` draws in a style, laid out once: a file of it has its parts where the fitting saw them."""
    loaded()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    with styled(style):
        figure = Canvas(figsize=style.size, dpi=style.dpi, layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        layout: Any = figure.get_layout_engine()
        if figure.axes:
            layout.execute(figure)
        figure.set_layout_engine(None)
    return figure


def visible_texts(figure: Figure) -> Iterator[tuple[str, Any]]:
    """The visible texts of a figure that was laid out, each with its four corners in pixels, `(4, 2)`."""
    renderer = figure.canvas.get_renderer()
    for text in _texts(figure):
        if text.get_visible() and text.get_text().strip():
            yield text.get_text(), _corners(text, renderer)


def overlapping(figure: Figure) -> list[tuple[str, str]]:
    """The pairs of texts that lie over each other in a figure that was laid out."""
    texts = list(visible_texts(figure))
    corners = np.array([box for _, box in texts]).reshape(-1, 4, 2)
    low, high = corners.min(axis=1), corners.max(axis=1)
    near = np.triu(np.all((low[:, None] < high) & (low < high[:, None]), axis=-1), 1)  # upright boxes around them meet
    return [(texts[i][0], texts[j][0]) for i, j in np.argwhere(near) if _overlap(corners[i], corners[j])]


def outside(figure: Figure) -> list[str]:
    """The texts of a figure that its edges cut."""
    width, height = figure.canvas.get_width_height()
    low, high = np.array([-TOUCHING, -TOUCHING]), np.array([width, height]) + TOUCHING
    return [
        text for text, box in visible_texts(figure) if np.any(box.min(axis=0) < low) or np.any(box.max(axis=0) > high)
    ]


def _texts(part: Any) -> Iterator[Any]:
    """The texts of a figure or a subfigure and of all that is in it, as far as it is drawn."""
    yield from part.texts
    for legend in part.legends:
        yield from (*legend.get_texts(), legend.get_title())
    for inner in part.subfigs:
        yield from _texts(inner)
    for ax in part._localaxes:
        if ax.get_visible():
            yield from _texts_of_axes(ax)


def _texts_of_axes(ax: Any) -> Iterator[Any]:
    """The texts of axes: their own, their titles, their legend, and those of each axis that is drawn."""
    yield from (*ax.texts, ax.title, ax._left_title, ax._right_title)
    if (legend := ax.get_legend()) is not None:
        yield from (*legend.get_texts(), legend.get_title())
    for axis in (ax.xaxis, ax.yaxis):
        if ax.axison and axis.get_visible():
            yield from (axis.label, axis.offsetText)
            for tick in axis._update_ticks():
                yield from (tick.label1, tick.label2)


def _corners(text: Any, renderer: Any) -> np.ndarray:
    """The four corners of a text, `(4, 2)`, in pixels, turned with it; without the line from a label to its point."""
    from matplotlib.text import Text

    angle = text.get_rotation()
    if angle % 90 == 0:
        box = Text.get_window_extent(text, renderer)
        return np.array([(box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1)])
    at = Text.get_window_extent(text, renderer)
    centre = np.array([(at.x0 + at.x1) / 2, (at.y0 + at.y1) / 2])
    text.set_rotation(0)
    flat = Text.get_window_extent(text, renderer)
    text.set_rotation(angle)
    half = np.array([flat.width, flat.height]) / 2
    turn = np.radians(angle)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray(centre + (np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half) @ rotation.T)


def _overlap(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two rectangles share more than a margin: no edge of either has both on its two sides."""
    for box in (one, other):
        for edge in (box[1] - box[0], box[3] - box[0]):
            length = float(np.hypot(*edge)) or 1.0
            first, second = one @ edge / length, other @ edge / length
            if first.max() - TOUCHING <= second.min() or second.max() - TOUCHING <= first.min():
                return False
    return True
