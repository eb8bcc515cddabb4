"""Figures for the tests, drawn in the common style, with every warning an error."""

import warnings

from matplotlib.figure import Figure

from hopattn.figures.headings import laid_out
from hopattn.figures.style import DPI, SIZE, styled


def drawn(draw):
    """The figure that `draw` draws into the empty figure that it gets; its panels are not laid out."""
    with styled(), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = Figure(figsize=SIZE, dpi=DPI, layout="constrained")
        draw(figure)
    return figure


def finished(draw):
    """The same figure, laid out; texts outside of panels get their places when they are drawn."""
    figure = drawn(draw)
    with styled(), warnings.catch_warnings():
        warnings.simplefilter("error")
        laid_out(figure)
    return figure
