"""From results to files: figures drawn in the house's style, the same bytes each time."""

import io
import warnings
from collections.abc import Iterator
from typing import Any

from hopattn.errors import InvalidInput, unknown
from hopattn.plots import plots
from hopattn.plots.base import Plot
from hopattn.plots.style import DPI, SIZE, styled
from hopattn.scenario.result import Result

FORMATS = ("svg", "pdf", "png")
_UNDATED: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    "png": {"Software": None},
}


def drawn(plot: Plot, result: Result, format: str = "svg") -> tuple[bytes, tuple[str, ...]]:
    """A figure as the bytes of a file, and notes on glyphs that the font lacks, which show as boxes.

    Raises `InvalidInput` for another format than svg, pdf or png, and where the result has nothing for this figure.
    """
    if format not in FORMATS:
        raise InvalidInput(f"format: {unknown(format, FORMATS)}")
    if lack := plot.lacks(result):
        raise InvalidInput(f"figure '{plot.name}' cannot be drawn from '{result.name}': {lack}")
    from matplotlib.figure import Figure

    buffer = io.BytesIO()
    with styled(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure = Figure(figsize=SIZE, dpi=DPI, layout="constrained")
        plot.draw(figure, result)
        figure.savefig(buffer, format=format, metadata=_UNDATED[format])
    glyphs = {str(one.message).partition(" missing")[0] for one in caught if "missing from font" in str(one.message)}
    return buffer.getvalue(), tuple(f"{glyph} is not in the font, and shows as a box" for glyph in sorted(glyphs))


def drawable(result: Result) -> Iterator[Plot]:
    """The figures that can be drawn from a result."""
    for kind in plots.values():
        if not (plot := kind()).lacks(result):
            yield plot
