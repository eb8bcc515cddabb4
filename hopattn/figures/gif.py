"""From results to moving pictures: the frames of a figure as a GIF, the same bytes each time."""

import io
import warnings
from typing import Any

import numpy as np

from hopattn.figures.base import Plot, require_drawable
from hopattn.figures.style import styled
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.result import Result

PACE, REST = 500, 2000
"""Milliseconds that a frame is shown, and the last one."""


def animated(plot: Plot, result: Result) -> bytes:
    """The frames of a figure as the bytes of a GIF that begins anew after the last.

    Raises `InvalidInput` for a figure without frames, and where the result has nothing for this figure.
    """
    if not plot.moves:
        raise InvalidInput(f"figure '{plot.name}' does not move; draw it as svg, pdf or png")
    require_drawable(plot, result)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    pictures = []
    with styled(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the font's boxes stand for what it lacks
        for figure in plot.frames(result):
            canvas: Any = FigureCanvasAgg(figure)
            canvas.draw()
            pixels = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
            pictures.append(pixels.quantize(64, dither=Image.Dither.NONE))
    buffer = io.BytesIO()
    shown = [PACE] * (len(pictures) - 1) + [REST]
    pictures[0].save(buffer, "GIF", save_all=True, append_images=pictures[1:], duration=shown, loop=0, optimize=False)
    return buffer.getvalue()
