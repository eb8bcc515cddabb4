"""From results to files: figures in a style, the same bytes each time."""

import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hopattn.figures.base import Figure, Plot, require_drawable
from hopattn.figures.choice import chosen
from hopattn.figures.fitting import outside, overlapping
from hopattn.figures.gallery import plots
from hopattn.figures.gif import animated
from hopattn.figures.style import DPI, SLIDE_FONT, STYLES, Style, styled
from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.foundation.files import write_over
from hopattn.scenario.result import Result

FORMATS = ("svg", "pdf", "png", "gif")
_NO_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    "png": {"Software": None},
}
"""The metadata of each format that a file leaves out, because dates and versions would change its bytes."""
_DESCRIBED = {"svg": ("Title", "Description"), "pdf": ("Title", "Subject"), "png": ("Title", "Description")}
"""The keys of title and description in each format."""
_HASHED_ID = re.compile(rb'id="([a-z]+[0-9a-f]{10})"')
_ID_OR_REFERENCE = re.compile(rb'(id="|#)([a-z]+[0-9a-f]{10})\b')
_FONTS = b"'DejaVu Sans', Verdana, sans-serif"
"""The fonts of an SVG. A browser without the first takes the second, whose letters are nearly as wide."""
_SMALLER = 0.92
"""The factor between one font that is tried and the next."""


def rendered_figure(
    plot: Plot, result: Result, format: str = "svg", style: Style = STYLES["slide"]
) -> tuple[bytes, tuple[str, ...]]:
    """A figure of a result as the bytes of a file, and notes on glyphs that the font lacks and shows as boxes.

    format: svg, pdf or png; also gif for a figure that moves. Raises `InvalidInput` for another format, and for a
    result from which this figure cannot be drawn.
    """
    require_formats(format)
    if format == "gif":
        return animated(plot, chosen(result)), ()
    shown = chosen(result)
    require_drawable(plot, shown)
    return rendered(lambda figure: plot.draw(figure, shown), format, style, (shown.title or result.title, plot.shows))


def rendered(
    draw: Callable[[Figure], None],
    format: str = "svg",
    style: Style = STYLES["slide"],
    described: tuple[str, str] = ("", ""),
) -> tuple[bytes, tuple[str, ...]]:
    """The figure that `draw` draws, as the bytes of a file, and notes on glyphs that the font lacks.

    draw: draws into the empty figure that it gets. format: svg, pdf or png. described: the title and the description
    of the figure, which the file keeps for screen readers.
    """
    buffer = io.BytesIO()
    about = {key: text for key, text in zip(_DESCRIBED[format], described, strict=True) if text}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure, fitting = fitted(draw, style)
        with styled(fitting):
            metadata = _NO_METADATA[format] | about
            figure.savefig(buffer, format=format, metadata=metadata, transparent=style.transparent)
    messages = [str(warning.message) for warning in caught]
    glyphs = {message.partition(" missing")[0] for message in messages if "missing from font" in message}
    data = _finished_svg(buffer.getvalue()) if format == "svg" else buffer.getvalue()
    return data, tuple(f"{glyph} is not in the font, and shows as a box" for glyph in sorted(glyphs))


def fitted(draw: Callable[[Figure], None], style: Style) -> tuple[Figure, Style]:
    """The figure that `draw` draws, and its style: with a smaller font where texts would lie over one another.

    A figure as large as a slide keeps its font. In another size, fonts are tried from that of the style down to the one
    in which the figure looks like the slide made smaller.
    """
    least = SLIDE_FONT * min(size / slide for size, slide in zip(style.size, STYLES["slide"].size, strict=True))
    while True:
        figure = _drawn(draw, style)
        if style.font <= least or not (overlapping(figure) or outside(figure)):
            return figure, style
        style = style.with_font(max(least, style.font * _SMALLER))


def _drawn(draw: Callable[[Figure], None], style: Style) -> Figure:
    """The figure that `draw` draws in a style, laid out."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    with styled(style):
        figure = Canvas(figsize=style.size, dpi=DPI, layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        figure.draw_without_rendering()
    return figure


def _finished_svg(svg: bytes) -> bytes:
    """An SVG that screen readers take for one picture, whose parts have numbers, in their order, as ids.

    matplotlib's ids are hashes of coordinates, and the layout may change the last digits of a coordinate.
    """
    names = dict.fromkeys(match[1] for match in _HASHED_ID.finditer(svg))
    numbers = {name: b"part%d" % i for i, name in enumerate(names, start=1)}
    numbered = _ID_OR_REFERENCE.sub(lambda match: match[1] + numbers.get(match[2], match[2]), svg)
    with_fonts = numbered.replace(b"'DejaVu Sans'", _FONTS)
    return with_fonts.replace(b"<svg ", b'<svg role="img" ', 1)


def save(
    plot: Plot, result: Result, folder: Path, formats: Sequence[str], style: Style = STYLES["slide"]
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Write a figure into a folder, one file for each format; gives the path of each file and the notes on it.

    A file of the same name is replaced completely, or stays as it was. Raises `InvalidInput` as `rendered_figure` does,
    before anything is written, and `CannotDo` if the folder or the file cannot be written.
    """
    files = [(folder / f"{plot.name}.{format}", *rendered_figure(plot, result, format, style)) for format in formats]
    for path, data, notes in files:
        write_over(path, data)
        yield path, notes


def save_frames(
    plot: Plot, result: Result, folder: Path, formats: Sequence[str], style: Style = STYLES["slide"]
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Write each frame of a moving figure into a file of its own."""
    raise NotImplementedError  # replaced by the moving pictures


def figures_named(names: Sequence[str]) -> list[Plot]:
    """The figures with these names, or every figure if there are no names; raises `InvalidInput` for an unknown one."""
    return [plots[name]() for name in names or plots]


def require_formats(formats: str) -> None:
    """Raise `InvalidInput` for an unknown format; formats: names with commas between them."""
    for name in formats.split(","):
        if name.strip() not in FORMATS:
            raise InvalidInput(f"format: {unknown(name.strip(), FORMATS)}")


def formats_of(plot: Plot, formats: str, by_name: bool) -> list[str]:
    """The formats in which to write a figure.

    formats: names with commas between them. by_name: whether the user named this figure. A figure that does not move
    and was not named leaves gif out.
    """
    names = [name.strip() for name in formats.split(",")]
    return [name for name in names if plot.moves or by_name or name != "gif"]


def drawable(result: Result) -> Iterator[Plot]:
    """The figures that can be drawn from a result."""
    shown = chosen(result)
    for kind in plots.values():
        if not (plot := kind()).lacks(shown):
            yield plot


FAVOURITES = ("induction", "recall", "landscape", "states", "similarity", "positions", "attention", "neuron")
"""The figures in the order of preference."""


def favourite(result: Result) -> Plot | None:
    """The figure that shows a result best; None if there is none.

    It is the one that the gallery draws from the same scenario, else the first of `FAVOURITES`.
    """
    found = {plot.name: plot for plot in drawable(result)}
    names = [name for name in (*FAVOURITES, *found) if name in found]
    own = [name for name in names if found[name].scenario == result.name]
    return found[(own or names)[0]] if names else None
