"""Marks, hatches and rings keep their proportion to the text in a figure for print."""

import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from hopattn.figures.choice import chosen
from hopattn.figures.gallery import plots
from hopattn.figures.style import SLIDE_FONT, STYLES, styled
from tests.runs import result_of

STYLE = STYLES["paper"].with_font(6.8)


def printed(name, font=STYLE.font):
    """A figure of the gallery in the column of a paper."""
    figure = Figure(figsize=STYLE.size, dpi=STYLE.dpi, layout="constrained")
    with styled(STYLE.with_font(font)):
        plots[name]().draw(figure, chosen(result_of(plots[name].scenario)))
        figure.draw_without_rendering()
    return figure


def test_the_edge_of_a_mark_is_as_thin_as_the_text_is_small():
    with styled(STYLE):
        assert Line2D([], []).get_markeredgewidth() == pytest.approx(STYLE.font / SLIDE_FONT)


def test_a_hatch_is_as_dense_relative_to_the_text_as_on_a_slide():
    causal = printed("masks").axes[1]
    assert causal.patches[1].get_hatch() == "/" * round(3 * SLIDE_FONT / STYLE.font)


@pytest.mark.quick(0)
def test_a_ring_keeps_within_its_cell():
    for ax in (printed("beside").axes[k] for k in (2, 5)):
        (ring,) = (line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata()))
        cell = ax.transData.transform([(7.5, 0), (6.5, 0)])
        wide = (ring.get_markersize() + ring.get_markeredgewidth()) * ax.figure.dpi / 72
        assert wide <= cell[0, 0] - cell[1, 0] + 1e-6


@pytest.mark.quick(0)
def test_no_line_to_a_label_crosses_another_label():
    """At 8 points, some labels of `added` have no room beside their arrows."""
    for ax in printed("added", 8).axes:
        boxes = {text: text.get_bbox_patch().get_window_extent() for text in ax.texts if text.get_bbox_patch()}
        for text in (text for text in boxes if text.arrow_patch is not None):
            path = text.arrow_patch.get_transform().transform_path(text.arrow_patch.get_path())
            line = path.interpolated(60).vertices
            others = [other.get_text() for other, box in boxes.items() if other is not text and crossed(box, line)]
            assert others == []


def crossed(box, line):
    return any(box.contains(*point) for point in line)
