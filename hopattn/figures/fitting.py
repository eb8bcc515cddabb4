"""Fitting: the largest font with which no text of a figure lies over another."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hopattn.figures.base import Draw, Figure
from hopattn.figures.measuring import measured_once, unmoved
from hopattn.figures.remarks import Fault, Remarks, collected, remark
from hopattn.figures.style import LEGIBLE, STYLES, Style, loaded, styled

_SMALLER = 0.92
"""The factor between one font that may be tried and the next."""
TOUCHING = 1.0
"""The number of pixels by which the boxes of two texts may overlap: letters have room in their boxes."""
_LAYOUTS = 3
"""How often a figure is laid out: matplotlib's layout may leave a text in the margin that only the next one sees."""
_LARGER = 1.25, 1.5
"""The sizes that are tried for a figure in which texts have no room, as multiples of its own."""


class _Trial(NamedTuple):
    """A figure in one style, laid out. boxes: of its texts. overlapping, cut: the numbers of texts that are.

    collapsed: whether a panel had no room beside its texts.
    """

    figure: Figure
    style: Style
    remarks: Remarks
    boxes: Sequence[np.ndarray]
    overlapping: int
    cut: int
    collapsed: bool = False

    @property
    def faults(self) -> int:
        return self.overlapping + self.cut + self.collapsed


def fitted(draw: Draw, style: Style, like: Figure | None = None) -> tuple[Figure, Style]:
    """The figure that `draw` draws, and its style: with a smaller font where texts would overlap or be cut.

    Fonts are tried from that of the style down to the smallest that is legible on a slide, and in a smaller figure to
    the one in which it looks like that slide made smaller. Texts that overlap in all of them are a remark.
    like: a figure whose parts have the places that those of this one are to have, if they have room there.
    """
    styles = [style.with_font(font) for font in _fonts(style)]
    best = _trial(draw, styles[0], like)
    if best.faults and like is not None:
        best = _trial(draw, styles[0])
    if best.faults:
        best = _largest(draw, styles, best)
    remark(best.remarks)
    if best.faults:
        remark(Remarks(fault=_fault(draw, best)))
    return best.figure, best.style


def _fonts(style: Style) -> list[float]:
    """The fonts in which a figure may be drawn, from the one of its style down."""
    shrunk = min(1.0, *(size / slide for size, slide in zip(style.size, STYLES["slide"].size, strict=True)))
    fonts, least = [style.font], min(style.font, LEGIBLE * shrunk)
    while fonts[-1] > least:
        fonts.append(max(least, fonts[-1] * _SMALLER))
    return fonts


def _largest(draw: Draw, styles: Sequence[Style], best: _Trial) -> _Trial:
    """The figure in the largest font in which texts have room, by halving; else the one with the fewest faults.

    best: the one in the first style, in which they have none.
    """
    low, high = 0, len(styles)
    while high - low > 1:
        middle = (low + high) // 2
        trial = _trial(draw, styles[middle])
        best = min(trial, best, key=lambda one: (one.faults, -one.style.font))
        low, high = (middle, high) if trial.faults else (low, middle)
    return best


def _fault(draw: Draw, trial: _Trial) -> Fault:
    """The texts that have no room in a figure, and the options that help: a larger size, and a choice of its parts."""
    width, height = trial.style.size
    sizes = [(round(factor * width, 1), round(factor * height, 1)) for factor in _LARGER]
    styles = [trial.style.with_size(*size) for size in sizes]
    larger = (style for style in styles if not _trial(draw, style.with_font(_fonts(style)[-1])).faults)
    fits = next((_sized(style.size) for style in larger), "")
    return Fault(trial.overlapping, trial.cut, _sized(trial.style.size), fits, trial.remarks.narrowing())


def _sized(size: tuple[float, float]) -> str:
    """A size in inches as `--size` takes it."""
    return "x".join(f"{side:g}" for side in size)


def _trial(draw: Draw, style: Style, like: Figure | None = None) -> _Trial:
    """The figure that `draw` draws in a style, laid out: a file of it has its parts where the fitting saw them."""
    loaded()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    from hopattn.figures.margin import WithMargin, place_as

    layout = WithMargin()
    with styled(style), collected() as remarks, warnings.catch_warnings(record=True) as collapses:
        warnings.filterwarnings("always", "constrained_layout not applied")
        figure: Any = Canvas(figsize=style.size, dpi=style.dpi, layout=layout)
        FigureCanvasAgg(figure)
        draw(figure)
        figure._layout_engine = None  # not `set_layout_engine("none")`, for which `savefig` draws the figure twice
        if like is not None and len(like.axes) == len(figure.axes) and len(like.legends) == len(figure.legends):
            place_as(figure, like)
            return _measured(figure, style, remarks)
        for turn in range(1, _LAYOUTS + 1):
            if figure.axes:
                with measured_once(figure):
                    layout.execute(figure)
            trial = _measured(figure, style, remarks)
            reach = layout.reach(figure, trial.boxes)
            if not (trial.faults or reach.any()):
                break
            if turn == _LAYOUTS - 1:
                layout.wider = reach
    return trial._replace(collapsed=bool(collapses))


def _measured(figure: Figure, style: Style, remarks: Remarks) -> _Trial:
    """A figure that was laid out, with its faults."""
    for ax in figure.axes:
        ax.apply_aspect()
    with unmoved(figure.axes):
        _settle(figure)
        texts = list(visible_texts(figure))
    overlapping, cut = len(np.unique(_meeting(texts))), len(_cut(figure, texts))
    return _Trial(figure, style, remarks, [box for _, box in texts], overlapping, cut)


def _settle(figure: Figure) -> None:
    """Place the texts that get their places when a figure is drawn; to draw it all would take three times as long."""
    from matplotlib.text import Annotation

    renderer = figure.canvas.get_renderer()
    with renderer._draw_disabled():
        for ax in figure.axes:
            for axis in (ax.xaxis, ax.yaxis):
                if ax.axison and axis.get_visible():
                    axis._update_label_position(renderer)
            ax._update_title_position(renderer)
            for text in ax.texts:
                if isinstance(text, Annotation):
                    text.update_positions(renderer)
        for legend in filter(None, (*figure.legends, *(ax.get_legend() for ax in figure.axes))):
            legend.draw(renderer)


def visible_texts(figure: Figure) -> Iterator[tuple[str, Any]]:
    """The visible texts of a figure that was laid out, each with its four corners in pixels, `(4, 2)`."""
    renderer = figure.canvas.get_renderer()
    for text in _texts(figure):
        if text.get_visible() and text.get_text().strip():
            yield text.get_text(), _corners(text, renderer)


def overlapping(figure: Figure) -> list[tuple[str, str]]:
    """The pairs of texts that lie over each other in a figure that was laid out."""
    texts = list(visible_texts(figure))
    return [(texts[i][0], texts[j][0]) for i, j in _meeting(texts)]


def outside(figure: Figure) -> list[str]:
    """The texts of a figure that its edges cut."""
    return _cut(figure, list(visible_texts(figure)))


def _meeting(texts: Sequence[tuple[str, Any]]) -> list[tuple[int, int]]:
    """The pairs of texts, by their indices, that lie over each other."""
    corners = np.array([box for _, box in texts]).reshape(-1, 4, 2)
    low, high = corners.min(axis=1), corners.max(axis=1)
    near = np.triu(np.all((low[:, None] < high) & (low < high[:, None]), axis=-1), 1)  # upright boxes around them meet
    return [(int(i), int(j)) for i, j in np.argwhere(near) if _overlap(corners[i], corners[j])]


def _cut(figure: Figure, texts: Sequence[tuple[str, Any]]) -> list[str]:
    """The texts that the edges of a figure cut."""
    width, height = figure.canvas.get_width_height()
    low, high = np.array([-TOUCHING, -TOUCHING]), np.array([width, height]) + TOUCHING
    return [text for text, box in texts if np.any(box.min(axis=0) < low) or np.any(box.max(axis=0) > high)]


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
