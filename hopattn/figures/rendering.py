"""From results to files: figures in the common style, the same bytes each time."""

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

FORMATS = ("svg", "pdf", "png", "gif")
_NO_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    "png": {"Software": None},
}
"""The metadata of each format that a file leaves out, because dates and versions would change its bytes."""
_HASHED_ID = re.compile(rb'id="([a-z]+[0-9a-f]{10})"')
_ID_OR_REFERENCE = re.compile(rb'(id="|#)([a-z]+[0-9a-f]{10})\b')


def rendered_figure(plot: Plot, result: Result, format: str = "svg") -> tuple[bytes, tuple[str, ...]]:
    """A figure of a result as the bytes of a file, and notes on glyphs that the font lacks and shows as boxes.

    format: svg, pdf or png; also gif for a figure that moves. Raises `InvalidInput` for another format, and for a
    result from which this figure cannot be drawn.
    """
    require_formats(format)
    if format == "gif":
        return animated(plot, result), ()
    require_drawable(plot, result)
    return rendered(lambda figure: plot.draw(figure, result), format)


def rendered(draw: Callable[[Figure], None], format: str = "svg") -> tuple[bytes, tuple[str, ...]]:
    """The figure that `draw` draws, as the bytes of a file, and notes on glyphs that the font lacks.

    draw: draws into the empty figure that it gets. format: svg, pdf or png.
    """
    from matplotlib.figure import Figure as Canvas

    buffer = io.BytesIO()
    with styled(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure = Canvas(figsize=SIZE, dpi=DPI, layout="constrained")
        draw(figure)
        figure.savefig(buffer, format=format, metadata=_NO_METADATA[format])
    messages = [str(warning.message) for warning in caught]
    glyphs = {message.partition(" missing")[0] for message in messages if "missing from font" in message}
    data = _with_numbered_ids(buffer.getvalue()) if format == "svg" else buffer.getvalue()
    return data, tuple(f"{glyph} is not in the font, and shows as a box" for glyph in sorted(glyphs))


def _with_numbered_ids(svg: bytes) -> bytes:
    """An SVG whose parts have numbers, in their order, as ids.

    matplotlib's ids are hashes of coordinates, and the layout may change the last digits of a coordinate.
    """
    names = dict.fromkeys(match[1] for match in _HASHED_ID.finditer(svg))
    numbers = {name: b"part%d" % i for i, name in enumerate(names, start=1)}
    return _ID_OR_REFERENCE.sub(lambda match: match[1] + numbers.get(match[2], match[2]), svg)


def save(plot: Plot, result: Result, folder: Path, formats: Sequence[str]) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Write a figure into a folder, one file for each format; gives the path of each file and the notes on it.

    A file of the same name is replaced completely, or stays as it was. Raises `InvalidInput` as `rendered_figure` does,
    before anything is written, and `CannotDo` if the folder or the file cannot be written.
    """
    files = [(folder / f"{plot.name}.{format}", *rendered_figure(plot, result, format)) for format in formats]
    for path, data, notes in files:
        write_over(path, data)
        yield path, notes


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
    for kind in plots.values():
        if not (plot := kind()).lacks(result):
            yield plot
