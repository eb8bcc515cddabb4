"""The style of a figure: background, size and font. Every size is relative to the font, and text stays text."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from hopattn.figures.palette import DARK, LIGHT, Palette
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.registry import Choices

DPI, SHOWN, PRINTED = 100, 150, 300
"""Pixels in an inch: in which a slide is laid out, in a PNG of it (1920 × 1080), and in print."""
SLIDE_FONT, LEGIBLE = 17.0, 13.0
"""The text on a slide of 1280 × 720, in printer's points, for which other sizes are stated, and the smallest there."""
SIZE = 12.8, 7.2
"""The sides of a slide, in inches."""
LEAST, SMALL, MOST = 0.5, 7.0, 40.0
"""The smallest and the largest side of a figure, in inches, and between them the width of one that is for print."""
_SIZE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([x×:])\s*(\d+(?:\.\d*)?|\.\d+)\s*")
FONT = "DejaVu Sans"
"""A font that is part of matplotlib, so that a figure looks the same everywhere."""


@dataclass(frozen=True)
class Style:
    """A style. size: of the figure, in inches. font: the size of its text, in points. transparent: no background.

    dpi: the pixels in an inch in which it is laid out. png: those in an inch of a PNG.
    """

    size: tuple[float, float] = SIZE
    font: float = SLIDE_FONT
    palette: Palette = LIGHT
    transparent: bool = False
    dpi: int = DPI
    png: int = SHOWN

    def with_size(self, width: float, height: float) -> "Style":
        """The same style for another size in inches; the text of a slide grows and shrinks with the figure.

        In a small figure it may become twice as large, in proportion, as on the slide.
        """
        same = SLIDE_FONT * min(width / SIZE[0], height / SIZE[1])
        font = self.font if self.font < SLIDE_FONT else max(same, min(SLIDE_FONT, 2 * same))
        dpi, png = (PRINTED, PRINTED) if width < SMALL else (self.dpi, self.png)
        return replace(self, size=(width, height), font=font, dpi=dpi, png=png)

    def on_page(self, size: tuple[float, float] | None) -> "Style":
        """The same style for a sheet that has a size, where no other was asked for; its text is in proportion to it."""
        if size is None or self.size not in (SIZE, PAPER.size):
            return self
        return replace(self, font=SLIDE_FONT).with_size(*size)


PAPER = Style((3.4, 2.4), 8.0, transparent=True, dpi=PRINTED, png=PRINTED)
STYLES = Choices("style", {"slide": Style(), "paper": PAPER, "dark": Style(palette=DARK)})
"""The styles by name: a slide of 1280 × 720, a column of a paper, a slide with a dark background."""
_palette: ContextVar[Palette] = ContextVar("palette", default=LIGHT)


def sides(size: Any, own: float, what: str) -> tuple[float, float]:
    """Width and height in inches; raises `InvalidInput` for those that are unreadable, too small or too large.

    size: two numbers, or a text such as "3.4x2.4" or "16:9". own: the width of a ratio. what: the option, for messages.
    """
    text = _SIZE.fullmatch(size) if isinstance(size, str) else None
    try:
        width, height = map(float, text.group(1, 3) if text else () if isinstance(size, str) else size)
    except (TypeError, ValueError, OverflowError):
        message = "expected width and height in inches, as in 3.4x2.4, or a ratio, as in 16:9"
        raise InvalidInput(f"{what} {quoted(size)}: {message}") from None
    if text and text[2] == ":" and width:
        width, height = own, own * height / width
    for side in (width, height):
        if not LEAST <= side <= MOST:
            raise InvalidInput(f"{what} {quoted(size)}: a side has {LEAST:g} to {MOST:g} inches, not {side:g}")
    return width, height


def theme() -> Palette:
    """The colours of the figure that is being drawn."""
    return _palette.get()


def pixels(artist: Any) -> float:
    """The pixels of a printer's point in the figure of an artist."""
    return float(artist.get_figure(root=True).dpi) / 72


def edged(colour: Any, width: float) -> list[Any]:
    """The effects of a line or a text that has an edge in another colour. width: of the edge, in printer's points."""
    from matplotlib.patheffects import Normal, Stroke

    return [Stroke(linewidth=scaled(width), foreground=colour), Normal()]


def scaled(size: float) -> float:
    """A size in printer's points, stated for a slide, in proportion to the font of the figure that is being drawn."""
    from matplotlib import rcParams

    return size * float(rcParams["font.size"]) / SLIDE_FONT


def loaded() -> Any:
    """The module matplotlib; raises `InvalidInput` if the environment variable MPLBACKEND keeps it from loading."""
    try:
        import matplotlib
    except ValueError:
        backend = os.environ.get("MPLBACKEND")
        if backend is None:
            raise
        message = f"MPLBACKEND={quoted(backend)}: matplotlib has no such backend; unset the variable, or set it to agg"
        raise InvalidInput(message) from None
    return matplotlib


@contextmanager
def styled(style: Style = STYLES["slide"]) -> Iterator[None]:
    """A context in which matplotlib draws in this style, whatever the user's settings are."""
    matplotlib = loaded()
    colours, scale = style.palette, style.font / SLIDE_FONT
    length, pad, width = ([f"{axis}tick.major.{kind}" for axis in "xy"] for kind in ("size", "pad", "width"))
    sizes = {
        20: ["figure.titlesize"],
        19: ["axes.titlesize"],
        17: ["font.size", "axes.labelsize"],
        16: ["xtick.labelsize", "ytick.labelsize"],
        15: ["legend.fontsize"],
        9: ["lines.markersize"],
        8: ["axes.titlepad"],
        5: ["axes.labelpad", *length, *pad],
        2.5: ["lines.linewidth"],
        1.2: ["axes.linewidth", "hatch.linewidth", "patch.linewidth", *width],
    }
    inks = ("axes.edgecolor", "text.color", "axes.labelcolor", "xtick.color", "ytick.color", "patch.edgecolor")
    settings: Any = {
        **{name: size * scale for size, names in sizes.items() for name in names},
        **dict.fromkeys(inks, colours.ink),
        **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), colours.paper),
        "hatch.color": colours.faint,
        "font.family": FONT,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": matplotlib.cycler(color=colours.series),
        "text.parse_math": False,  # a token such as $x_1$ is not a formula
        "svg.fonttype": "none",
        "svg.hashsalt": "hopattn",
        "pdf.fonttype": 42,
    }
    with matplotlib.rc_context(), coloured(colours):
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(settings)
        yield


@contextmanager
def coloured(palette: Palette) -> Iterator[None]:
    """A context in which `theme` gives this palette."""
    token = _palette.set(palette)
    try:
        yield
    finally:
        _palette.reset(token)
