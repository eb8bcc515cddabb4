"""Fitting: the largest font with which no text of a figure lies over another, and none is cut."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hopattn.figures.drawing import Figure, arranged, drawn
from hopattn.figures.sheet import Cells, Sheet
from hopattn.figures.style import LEGIBLE, STYLES, Style, loaded, scaled, styled
from hopattn.figures.text import ems

SMALLER = 0.92
"""The factor between one font that may be tried and the next."""
PRINTED = 5.0
"""The smallest font on paper, in points."""
TOUCHING = 1.0
"""The number of pixels by which the boxes of two texts may overlap: letters have room in their boxes."""
LARGER = 1.25, 1.5
"""The sizes that are tried for a figure in which texts have no room, as multiples of its own."""
LEAST = 0.07
"""The least width and height of a panel, as a part of those of the figure: with less, its texts leave it no room."""


class Fitted(NamedTuple):
    """A figure in one style. overlapping, cut, collapsed: how many texts and panels have no room.

    larger: a size in which they have room, as `--size` takes it; empty where none was looked for or found.
    """

    figure: Figure
    style: Style
    overlapping: int
    cut: int
    collapsed: int
    larger: str = ""

    @property
    def faults(self) -> int:
        return self.overlapping + self.cut + self.collapsed

    def remark(self, resizable: bool = True) -> str:
        """The faults in words, with their cure; empty if there are none. resizable: whether --size may be the cure."""
        if not self.faults:
            return ""
        counts = (self.overlapping, "overlap", "overlaps"), (self.cut, "are cut", "is cut")
        texts = [f"{n} text{'s' * (n > 1)} {many if n > 1 else one}" for n, many, one in counts if n]
        cure = f"; try --size {self.larger}" if self.larger and resizable else "; show less"
        return f"{' and '.join(texts) or 'a panel has no room'} at {_sized(self.style)}{cure}"


def fitted_sheet(sheet: Sheet, style: Style, like: Figure | None = None) -> Fitted:
    """A sheet as a figure in the largest font in which no texts overlap and none is cut.

    Fonts are tried from that of the style down to the smallest that is legible on a slide, and in a smaller figure to
    the one in which it looks like that slide made smaller. If texts have no room in any, the fewest faults win.
    like: a figure whose panels have the places that those of this one are to have.
    """
    sheet = sheet.translated()
    styles = [style.with_font(font) for font in _fonts(style)]
    best = trial(sheet, styles[0], like)
    low, high = 0, len(styles) if best.faults else 1
    while high - low > 1:
        middle = (low + high) // 2
        one = trial(sheet, styles[middle], like)
        best = min(one, best, key=lambda tried: (tried.faults, -tried.style.font))
        low, high = (middle, high) if one.faults else (low, middle)
    return best._replace(larger=_larger(sheet, best)) if best.faults else best


def films(sheets: Sequence[Sheet], style: Style) -> list[Fitted]:
    """Frames as figures: all have the font of the frame that needs the smallest one, and its panels at the same places.

    The places are those of the last frame, in which everything is there.
    """
    last = fitted_sheet(sheets[-1], style)
    frames = [fitted_sheet(sheet, last.style, last.figure) for sheet in sheets[:-1]]
    smallest = min([last, *frames], key=lambda one: one.style.font).style
    return [*frames, last] if smallest.font == last.style.font else films(sheets, smallest)


def _sized(style: Style) -> str:
    """The size of a style in inches, as `--size` takes it."""
    return "x".join(f"{side:g}" for side in style.size)


def _fonts(style: Style) -> list[float]:
    """The fonts in which a figure may be drawn, from the one of its style down."""
    shrunk = min(1.0, *(size / slide for size, slide in zip(style.size, STYLES["slide"].size, strict=True)))
    fonts, least = [style.font], min(style.font, max(LEGIBLE * shrunk, PRINTED))
    while fonts[-1] > least:
        fonts.append(max(least, fonts[-1] * SMALLER))
    return fonts


def _larger(sheet: Sheet, best: Fitted) -> str:
    """A larger size in which the texts of a figure have room; empty if none of those that are tried is one."""
    sizes = [tuple(round(factor * side, 1) for side in best.style.size) for factor in LARGER]
    styles = [best.style.with_size(*size) for size in sizes]
    return next((_sized(one) for one in styles if not trial(sheet, one.with_font(_fonts(one)[-1])).faults), "")


def trial(sheet: Sheet, style: Style, like: Figure | None = None) -> Fitted:
    """A sheet as a figure in a style, with the number of its faults."""
    loaded()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    with styled(style), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "constrained_layout not applied")  # its panels are counted as collapsed
        figure: Any = Canvas(figsize=style.size, dpi=style.dpi)
        FigureCanvasAgg(figure)
        places = drawn(sheet, figure)
        arranged(figure, sheet, places, layout(sheet) if like is None else _As(like))
        figure.draw_without_rendering()  # labels and legends get their places when a figure is drawn
        texts = [*visible_texts(figure)]
        narrow = sum(min(place.ax.get_position(original=True).size) < LEAST for place in places)
        return Fitted(figure, style, len(np.unique(meeting(texts))), len(outside(figure, texts)), narrow)


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


class _As:
    """A layout that gives axes the places that those of another figure have."""

    def __init__(self, like: Figure) -> None:
        self.places = [ax.get_position(original=True) for ax in like.axes]

    def set(self, rect: Any) -> None:
        """Leave the places as they are."""

    def execute(self, figure: Figure) -> None:
        for ax, place in zip(figure.axes, self.places, strict=False):
            ax.set_position(place)


def visible_texts(figure: Figure) -> Iterator[tuple[str, np.ndarray]]:
    """The visible texts of a figure that is laid out, each with its four corners in pixels, `(4, 2)`."""
    from matplotlib.text import Text

    hidden = {id(text) for ax in figure.axes for text in _without_place(ax)}
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and id(text) not in hidden:
            yield text.get_text(), _corners(text)


def _without_place(ax: Any) -> Iterator[Any]:
    """The texts of axes that are not drawn: of ticks beyond the ends of an axis, and of axes that are hidden."""
    for axis, (low, high) in ((ax.xaxis, sorted(ax.get_xlim())), (ax.yaxis, sorted(ax.get_ylim()))):
        room = 1e-9 * (high - low)
        for minor in (False, True):
            for place, tick in zip(axis.get_ticklocs(minor=minor), axis.get_ticklabels(minor=minor), strict=False):
                if not (ax.axison and axis.get_visible() and low - room <= place <= high + room):
                    yield tick
        yield axis.get_offset_text()
        if not (ax.axison and axis.get_visible()):
            yield axis.label


def meeting(texts: Sequence[tuple[str, np.ndarray]]) -> list[tuple[int, int]]:
    """The pairs of texts, by their indices, that lie over each other."""
    corners = np.array([box for _, box in texts]).reshape(-1, 4, 2)
    low, high = corners.min(axis=1), corners.max(axis=1)
    near = np.triu(np.all((low[:, None] < high) & (low < high[:, None]), axis=-1), 1)  # upright boxes around them meet
    return [(int(i), int(j)) for i, j in np.argwhere(near) if _overlap(corners[i], corners[j])]


def outside(figure: Figure, texts: Sequence[tuple[str, np.ndarray]]) -> list[str]:
    """The texts that the edges of a figure cut."""
    high = np.array(figure.canvas.get_width_height()) + TOUCHING
    return [text for text, box in texts if np.any(box < -TOUCHING) or np.any(box > high)]


def _corners(text: Any) -> np.ndarray:
    """The four corners of a text, `(4, 2)`, in pixels, turned with it."""
    from matplotlib.text import Text

    angle = text.get_rotation()
    box = Text.get_window_extent(text)
    if angle % 90 == 0:
        return np.array([(box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1)])
    centre = np.array([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2])
    text.set_rotation(0)
    flat = Text.get_window_extent(text)
    text.set_rotation(angle)
    turn = np.radians(angle)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    half = np.array([flat.width, flat.height]) / 2
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
