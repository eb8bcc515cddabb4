"""The style of a figure: background, size and font. Every size is relative to the font, and text stays text."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from hopattn.figures.palette import DARK, LIGHT, Palette
from hopattn.foundation.errors import InvalidInput, quoted, unknown

DPI, SHOWN, PRINTED = 100, 150, 300
"""Pixels in an inch: in which a slide is laid out, in a PNG of it (1920 × 1080), and in print."""
SMALL = 7.0
"""The width in inches below which a figure is meant for print."""
SLIDE_FONT = 17.0
"""The size of text on a slide of 1280 × 720, in printer's points; other sizes are stated for this font."""
LEGIBLE = 13.0
"""The smallest text on a slide: 18 of 720 pixels."""
LEAST, MOST = 0.5, 40.0
"""The smallest and the largest side of a figure, in inches."""
_SIZE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([x×:])\s*(\d+(?:\.\d*)?|\.\d+)\s*")
FONT = "DejaVu Sans"
"""A font that is part of matplotlib, so that a figure looks the same everywhere."""


@dataclass(frozen=True)
class Style:
    """A style. size: of the figure, in inches. font: the size of its text, in points. transparent: no background.

    dpi: the pixels in an inch in which it is laid out. png: those in an inch of a PNG.
    """

    size: tuple[float, float] = (12.8, 7.2)
    font: float = SLIDE_FONT
    palette: Palette = LIGHT
    transparent: bool = False
    dpi: int = DPI
    png: int = SHOWN

    def with_size(self, width: float, height: float) -> "Style":
        """The same style for another size in inches; the text of a slide grows and shrinks with the figure.

        In a small figure it may become twice as large, in proportion, as on the slide.
        """
        same = SLIDE_FONT * min(width / 12.8, height / 7.2)
        font = self.font if self.font < SLIDE_FONT else max(same, min(SLIDE_FONT, 2 * same))
        dpi, png = (PRINTED, PRINTED) if width < SMALL else (self.dpi, self.png)
        return replace(self, size=(width, height), font=font, dpi=dpi, png=png)

    def with_font(self, font: float) -> "Style":
        """The same style with another size of its text."""
        return replace(self, font=font)


STYLES = {
    "slide": Style(),
    "paper": Style((3.4, 2.4), 8.0, transparent=True, dpi=PRINTED, png=PRINTED),
    "dark": Style(palette=DARK),
}
"""The styles by name: a slide of 1280 × 720, a column of a paper, a slide with a dark background."""
SIZE = STYLES["slide"].size
_palette: ContextVar[Palette] = ContextVar("palette", default=LIGHT)


def sides(size: Any, own: float, what: str) -> tuple[float, float]:
    """Width and height in inches; raises `InvalidInput` for those that are unreadable, too small or too large.

    size: two numbers, or a text such as "3.4x2.4" or "16:9". own: the width of a ratio. what: the option, for messages.
    """
    text = _SIZE.fullmatch(size) if isinstance(size, str) else None
    try:
        width, height = map(float, (text[1], text[3]) if text else () if isinstance(size, str) else size)
    except (TypeError, ValueError, OverflowError):
        message = "expected width and height in inches, as in 3.4x2.4, or a ratio, as in 16:9"
        raise InvalidInput(f"{what} {quoted(size)}: {message}") from None
    if text and text[2] == ":" and width:
        width, height = own, own * height / width
    for side in (width, height):
        if not LEAST <= side <= MOST:
            raise InvalidInput(f"{what} {quoted(size)}: a side has {LEAST:g} to {MOST:g} inches, not {side:g}")
    return width, height


def style_named(name: str) -> Style:
    """The style of this name; raises `InvalidInput` for an unknown one."""
    if not isinstance(name, str) or name not in STYLES:
        raise InvalidInput(f"style: {unknown(str(name), STYLES)}")
    return STYLES[name]


def theme() -> Palette:
    """The colours of the figure that is being drawn."""
    return _palette.get()


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
    settings: Any = _settings(style)
    with matplotlib.rc_context(), coloured(style.palette):
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


def _settings(style: Style) -> dict[str, Any]:
    """The settings of matplotlib for a style."""
    from cycler import cycler

    colours, scale = style.palette, style.font / SLIDE_FONT
    sizes = {
        "font.size": SLIDE_FONT,
        "axes.titlesize": 19,
        "axes.labelsize": 17,
        "figure.titlesize": 20,
        "xtick.labelsize": 16,
        "ytick.labelsize": 16,
        "legend.fontsize": 15,
        "lines.linewidth": 2.5,
        "lines.markersize": 9,
        "lines.markeredgewidth": 1,
        "axes.linewidth": 1.2,
        "axes.titlepad": 8,
        "axes.labelpad": 5,
        "patch.linewidth": 1.3,
        "hatch.linewidth": 1.2,
    } | {f"{axis}tick.major.{kind}": size for axis in "xy" for kind, size in (("size", 5), ("width", 1.2), ("pad", 5))}
    inks = ("axes.edgecolor", "text.color", "axes.labelcolor", "xtick.color", "ytick.color", "patch.edgecolor")
    return {
        **{name: size * scale for name, size in sizes.items()},
        **dict.fromkeys(inks, colours.ink),
        **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), colours.paper),
        "hatch.color": colours.faint,
        "font.family": FONT,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": cycler(color=colours.series),
        "savefig.transparent": style.transparent,
        "text.parse_math": False,  # a token such as $x_1$ is not a formula
        "axes.formatter.use_mathtext": False,
        "svg.fonttype": "none",
        "svg.hashsalt": "hopattn",
        "pdf.fonttype": 42,
    }
