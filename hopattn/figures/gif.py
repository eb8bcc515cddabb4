"""From results to moving pictures: the frames of a figure as a GIF, the same bytes each time."""

import io
import warnings
from typing import Any

import numpy as np

from hopattn.figures.base import Plot, require_drawable
from hopattn.figures.style import styled
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.result import Result

FRAME_MS, LAST_FRAME_MS = 500, 2000
"""How long a frame is shown, and how long the last one is, in milliseconds."""


def animated(plot: Plot, result: Result) -> bytes:
    """The frames of a figure as the bytes of a GIF that repeats without end.

    Raises `InvalidInput` for a figure without frames, and for a result from which it cannot be drawn.
    """
    if not plot.moves:
        raise InvalidInput(f"figure '{plot.name}' does not move; draw it as svg, pdf or png")
    require_drawable(plot, result)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    pictures = []
    with styled(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the font draws a box for a glyph that it lacks
        for figure in plot.frames(result):
            canvas: Any = FigureCanvasAgg(figure)
            canvas.draw()
            pixels = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
            pictures.append(pixels.quantize(64, dither=Image.Dither.NONE))
    buffer = io.BytesIO()
    times = [FRAME_MS] * (len(pictures) - 1) + [LAST_FRAME_MS]
    pictures[0].save(buffer, "GIF", save_all=True, append_images=pictures[1:], duration=times, loop=0, optimize=False)
    return buffer.getvalue()
