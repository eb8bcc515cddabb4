"""Fitting: the largest font with which no text of a figure lies over another, and none is cut."""

import warnings
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from hopattn.figures.drawing import LONG, Figure, draw, rows_of
from hopattn.figures.sheet import Cells, Sheet
from hopattn.figures.style import LEGIBLE, PAPER, SIZE, Style, pixels, scaled, styled
from hopattn.figures.text import ems

SMALLER, PRINTED, TALL = 0.92, 5.0, 1.3
"""The least factor between one font that is tried and the next, the smallest font on paper, in points, and the most
height of a figure whose rows go on below themselves there, by its width.
"""
TOUCHING, LEAST = 1.0, 0.07
"""The pixels by which the boxes of two texts may overlap, as letters have room in them, and the least side of a panel,
as a part of that of the figure: with less, its texts leave it no room.
"""


class Fitted(NamedTuple):
    """A figure in one style. overlapping, cut, collapsed: how many texts and panels have no room."""

    figure: Figure
    style: Style
    overlapping: int
    cut: int
    collapsed: int

    @property
    def faults(self) -> int:
        return self.overlapping + self.cut + self.collapsed

    def remark(self) -> str:
        """The faults in words, with their cure; empty if there are none."""
        if not self.faults:
            return ""
        counts = (self.overlapping, "overlap", "overlaps"), (self.cut, "are cut", "is cut")
        texts = [f"{n} text{'s' * (n > 1)} {many if n > 1 else one}" for n, many, one in counts if n]
        where = "x".join(f"{side:g}" for side in self.style.size)
        return f"{' and '.join(texts) or 'a panel has no room'} at {where}; show less, or try a larger size"


def fit(sheet: Sheet, style: Style, like: Figure | None = None) -> Fitted:
    """A sheet as a figure in the largest font in which no texts overlap and none is cut.

    Fonts are tried from that of the style down to the smallest that is legible on a slide, and in a smaller figure to
    the one in which it looks like that slide made smaller. If texts have no room in any, the fewest faults win.
    like: a figure whose panels have the places that those of this one are to have.
    """
    sheet, style, trials = sheet.translated(), on_paper(sheet, style.on_page(sheet.size)), list[Fitted]()
    least = min(style.font, max(LEGIBLE * min(1.0, *np.divide(style.size, SIZE)), PRINTED))
    count = 1 + int(np.ceil(np.log(least / style.font) / np.log(SMALLER)))

    def has_room(font: float) -> bool:
        trials.append(trial(sheet, replace(style, font=font), like))
        return not trials[-1].faults

    if not has_room(style.font):
        bisect_left(np.geomspace(style.font, least, count).tolist(), True, 1, key=has_room)
    return min(trials, key=lambda one: (one.faults, -one.style.font))


def on_paper(sheet: Sheet, style: Style) -> Style:
    """The style of a column of a paper with the height that a sheet needs there whose rows go on below themselves."""
    if style.size != PAPER.size or sheet.in_a_row <= LONG:
        return style
    _, ratios = rows_of(sheet, *style.size)
    asked = sum(ratios["height_ratios"]) / sum(ratios["width_ratios"])
    return replace(style, size=(style.size[0], style.size[0] * min(max(asked, 0.7), TALL)))


def films(sheets: Sequence[Sheet], style: Style) -> list[Fitted]:
    """Frames as figures: all have the font of the frame that needs the smallest one, and its panels at the same places.

    The places are those of the last frame, in which everything is there.
    """
    last = fit(sheets[-1], style)
    frames = [fit(sheet, last.style, last.figure) for sheet in sheets[:-1]]
    smallest = min([last, *frames], key=lambda one: one.style.font).style
    return [*frames, last] if smallest.font == last.style.font else films(sheets, smallest)


def trial(sheet: Sheet, style: Style, like: Figure | None = None) -> Fitted:
    """A sheet as a figure in a style, with the number of its faults."""
    with styled(style), warnings.catch_warnings():
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as Canvas

        warnings.filterwarnings("ignore", "constrained_layout not applied")  # its panels are counted as collapsed
        figure: Any = FigureCanvasAgg(Canvas(figsize=style.size, dpi=style.dpi)).figure
        places = draw(sheet, figure, layout(sheet) if like is None else None, like)
        figure.draw_without_rendering()  # labels and legends get their places when a figure is drawn
        bars = [part for one in places if one.panel.layout == "free" for some in one.ax.containers for part in some]
        beside = scaled(2) * pixels(figure)
        boxes = [bar.get_window_extent().padded(beside).corners() for bar in bars if bar.get_width() * bar.get_height()]
        corners = np.reshape([*_corners(figure)], (-1, 4, 2))
        cut = np.any((corners < 0) | (corners > figure.bbox.size), axis=(1, 2)).sum()
        narrow = sum(min(place.ax.get_position(original=True).size) < LEAST for place in places)
        return Fitted(figure, style, _overlapping(corners, np.reshape(boxes, (-1, 4, 2))), int(cut), narrow)


def layout(sheet: Sheet) -> Any:
    """A layout with little space between panels, in proportion to the font; more for texts on arrows between them.

    Square cells and the scale of their colours stand close together.
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    pad = scaled(4.3) / 72
    texts = [line for _, _, text in sheet.arrows for line in text.split("\n")]
    between = max((2 * pad + scaled(15) / 72 * ems(text) / 2 for text in texts), default=0.0)
    scaled_cells = any(isinstance(mark, Cells) and mark.scale for panel in sheet.panels for mark in panel.marks)
    return ConstrainedLayoutEngine(h_pad=pad, w_pad=pad + between, compress=scaled_cells)


def _corners(figure: Figure) -> Iterator[np.ndarray]:
    """The four corners of each visible text of a figure that is laid out, `(4, 2)`, in pixels, turned with it.

    Texts may share a margin: their corners are farther inside by half of it.
    """
    from matplotlib.text import Text
    from matplotlib.transforms import Affine2D

    hidden = {id(text) for ax in figure.axes for text in _beyond(ax)}
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and id(text) not in hidden:
            box, angle = Text.get_window_extent(text), text.get_rotation()
            text.set_rotation(0)
            flat = Text.get_window_extent(text).padded(-TOUCHING / 2).corners()
            text.set_rotation(angle)
            yield Affine2D().rotate_deg(angle).transform(flat - flat.mean(axis=0)) + box.corners().mean(axis=0)


def _beyond(ax: Any) -> Iterator[Any]:
    """The texts of ticks beyond the ends of an axis, which are not drawn."""
    for axis, ends in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        low, high = np.sort(ends) + np.multiply((-1e-9, 1e-9), np.ptp(ends))
        ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
        yield from (tick.label1 for tick in ticks if not low <= tick.get_loc() <= high)


def _overlapping(texts: np.ndarray, boxes: np.ndarray) -> int:
    """The number of texts that lie over others or over boxes, all by their corners, `(n, 4, 2)`."""
    from matplotlib.path import Path

    corners, count = np.concatenate([texts, boxes]), len(texts)
    low, high = corners.min(axis=1), corners.max(axis=1)
    near = np.all((low[:count, None] < high) & (low < high[:count, None]), axis=-1)  # upright boxes around them meet
    paths = [Path(one[[0, 1, 3, 2, 0]]) for one in corners]
    pairs = [pair for pair in np.argwhere(np.triu(near, 1)).tolist() if paths[pair[0]].intersects_path(paths[pair[1]])]
    return len({k for k in chain(*pairs) if k < count})
