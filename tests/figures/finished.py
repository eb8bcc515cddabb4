"""Finished figures for the tests: drawn in the common style and laid out, with every warning an error."""

import warnings

from matplotlib.figure import Figure

from hopattn.figures.style import DPI, SIZE, styled


def finished(draw):
    """The figure that `draw` draws into the empty figure that it gets."""
    with styled(), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = Figure(figsize=SIZE, dpi=DPI, layout="constrained")
        draw(figure)
        figure.draw_without_rendering()
    return figure
