"""The margin of a figure: a layout that keeps every panel, title and note away from the edges."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.layout_engine import ConstrainedLayoutEngine

MARGIN = 0.26
"""The margin on each side of a slide, in inches: ink stays 24 of 1280 pixels away. Others are in proportion."""
SLIDE = (12.8, 7.2)
BELOW_HEADLINE = 0.4
"""The room between the headline and titles of panels, beyond that of the layout, in margins."""
INTO = 1.5
"""The number of pixels by which the box of a text may reach into the margin: letters have room in their boxes."""


class WithMargin(ConstrainedLayoutEngine):
    """The constrained layout of matplotlib within a margin.

    matplotlib's own rectangle moves panels only: it leaves titles, notes and legends of the figure at the edges.
    """

    def __init__(self) -> None:
        super().__init__()
        self.wider = np.zeros((2, 2))
        """What is added to the margin in inches: left and below, right and above, `(2, 2)`."""

    def execute(self, fig: Any) -> None:
        size = np.asarray(fig.get_size_inches())
        pads = np.array([self.get()["w_pad"], self.get()["h_pad"]])
        (x, y), (right, top) = (np.maximum(0, _margin(fig) - pads) + self.wider) / size
        titled = fig._suptitle is not None and any(ax.get_title() for ax in fig.axes)
        gap = titled * BELOW_HEADLINE * _margin(fig) / size[1]
        inner = x, y, 1 - x - right, 1 - y - top - gap
        self.set(rect=inner)
        legends = [legend for legend in fig.legends if legend._outside_loc]
        for legend in legends:
            legend.set_bbox_to_anchor(None)  # the layout leaves room only for a legend without an anchor
        super().execute(fig)
        for legend in legends:
            legend.set_bbox_to_anchor(inner, fig.transFigure)
        for text, shift in ((fig._suptitle, -top), (fig._supxlabel, y)):
            if text is not None and text._autopos:
                text.set_y(text.get_position()[1] + shift)

    def reach(self, fig: Any, boxes: Sequence[np.ndarray]) -> np.ndarray:
        """How far the texts of a figure reach into its margin, in inches: left and below, right and above, `(2, 2)`.

        boxes: the corners of each text in pixels, `(4, 2)`.
        """
        if not boxes:
            return np.zeros((2, 2))
        corners, margin = np.concatenate(boxes) / fig.dpi, _margin(fig)
        into = np.array([margin - corners.min(axis=0), corners.max(axis=0) + margin - fig.get_size_inches()])
        return np.asarray(np.clip(into, 0, margin) * (into > INTO / fig.dpi))


def place_as(fig: Any, like: Any) -> None:
    """Place all parts of a figure as those of another one that has the same parts."""
    for ax, other in zip(fig.axes, like.axes, strict=True):
        ax.set_position(other.get_position(original=True))
    for legend, other in zip(fig.legends, like.legends, strict=True):
        anchor = other.get_bbox_to_anchor().transformed(like.transFigure.inverted())
        legend.set_bbox_to_anchor(anchor.bounds, fig.transFigure)
    for text, other in ((fig._suptitle, like._suptitle), (fig._supxlabel, like._supxlabel)):
        if text is not None and other is not None:
            text.set_position(other.get_position())


def _margin(fig: Any) -> float:
    """The margin of a figure in inches."""
    return MARGIN * min(float(side) / slide for side, slide in zip(fig.get_size_inches(), SLIDE, strict=True))
