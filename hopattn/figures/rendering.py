"""From results to files: figures drawn in the house's style, the same bytes each time."""

import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hopattn.figures.base import Figure, Plot, require_drawable
from hopattn.figures.gallery import plots
from hopattn.figures.gif import animated
from hopattn.figures.style import DPI, SIZE, styled
from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.foundation.files import write_over
from hopattn.scenario.result import Result

_HASHED = re.compile(rb'id="([a-z]+[0-9a-f]{10})"')
_REFERRED = re.compile(rb'(id="|#)([a-z]+[0-9a-f]{10})\b')
FORMATS = ("svg", "pdf", "png", "gif")
_UNDATED: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    "png": {"Software": None},
}


def drawn(plot: Plot, result: Result, format: str = "svg") -> tuple[bytes, tuple[str, ...]]:
    """A figure as the bytes of a file, and notes on glyphs that the font lacks, which show as boxes.

    Raises `InvalidInput` for another format than svg, pdf, png, and gif for one that moves, and where the result has
    nothing for this figure.
    """
    if format not in FORMATS:
        raise InvalidInput(f"format: {unknown(format, FORMATS)}")
    if format == "gif":
        return animated(plot, result), ()
    require_drawable(plot, result)
    return rendered(lambda figure: plot.draw(figure, result), format)


def rendered(draw: Callable[[Figure], None], format: str = "svg") -> tuple[bytes, tuple[str, ...]]:
    """What is drawn into an empty figure, as the bytes of a file, and notes on glyphs that the font lacks."""
    from matplotlib.figure import Figure as Canvas

    buffer = io.BytesIO()
    with styled(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure = Canvas(figsize=SIZE, dpi=DPI, layout="constrained")
        draw(figure)
        figure.savefig(buffer, format=format, metadata=_UNDATED[format])
    glyphs = {str(one.message).partition(" missing")[0] for one in caught if "missing from font" in str(one.message)}
    data = _numbered(buffer.getvalue()) if format == "svg" else buffer.getvalue()
    return data, tuple(f"{glyph} is not in the font, and shows as a box" for glyph in sorted(glyphs))


def _numbered(svg: bytes) -> bytes:
    """The parts of an SVG numbered in their order: matplotlib names them by hashes of coordinates, of which the layout
    leaves the last digits open.
    """
    names = dict.fromkeys(found[1] for found in _HASHED.finditer(svg))
    numbers = {name: b"part%d" % i for i, name in enumerate(names, start=1)}
    return _REFERRED.sub(lambda found: found[1] + numbers.get(found[2], found[2]), svg)


def save(plot: Plot, result: Result, folder: Path, formats: Sequence[str]) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Write a figure into a folder, once in each format; gives each file with what is to be noted of it.

    A file of the same name is replaced, whole or not at all. Raises `InvalidInput` as `drawn` does, before anything is
    written, and `CannotDo` where the folder or the file cannot be written.
    """
    files = [(folder / f"{plot.name}.{format}", *drawn(plot, result, format)) for format in formats]
    for path, data, notes in files:
        write_over(path, data)
        yield path, notes


def chosen(names: Sequence[str]) -> list[Plot]:
    """The figures of these names, all of them where there is none; raises `InvalidInput` for one that is unknown."""
    return [plots[name]() for name in names or plots]


def formats_of(plot: Plot, formats: str, named: bool) -> list[str]:
    """Formats with commas between them; gif only for a figure that moves, or that was asked for by name."""
    return [one.strip() for one in formats.split(",") if plot.moves or named or one.strip() != "gif"]


def drawable(result: Result) -> Iterator[Plot]:
    """The figures that can be drawn from a result."""
    for kind in plots.values():
        if not (plot := kind()).lacks(result):
            yield plot
