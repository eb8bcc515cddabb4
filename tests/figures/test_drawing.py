"""The drawing of marks: names keep away from what is drawn, and circles fill their room."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from hopattn.figures.drawing import draw
from hopattn.figures.names import spread_out
from hopattn.figures.sheet import Nodes, Panel, Points, Sheet
from hopattn.figures.style import DPI, SIZE, styled

CORNERS = np.array([(0.0, 0.0), (1.0, 1.0)])


def panel_of(*marks):
    """The axes of marks on a plane."""
    with styled():
        (place,) = draw(Sheet([Panel(marks, layout="free")]), Figure(figsize=SIZE, dpi=DPI))
    return place.ax


@pytest.mark.parametrize(("size", "seen"), [(0, False), (0.1, False), (0.6, True)])
def test_points_of_no_size_have_names_and_paint_no_dot(size, seen):
    ax = panel_of(Points(CORNERS, ["a", "b"], size=size))
    assert [text.get_text() for text in ax.texts] == ["a", "b"]
    assert [dots.get_visible() for dots in ax.collections] == [seen]


@pytest.mark.parametrize("size", [1.0, 2.4, 4.0])
def test_a_name_does_not_touch_the_largest_point_at_its_place(size):
    ax = panel_of(Points(CORNERS, ["a", "b"]), Points(CORNERS, hollow=True, size=size))
    radius = 5 * size * DPI / 72
    for text, centre in zip(ax.texts, ax.transData.transform(CORNERS), strict=True):
        box = text.get_window_extent()
        nearest = np.clip(centre, box.min, box.max)
        assert np.linalg.norm(nearest - centre) > radius


@pytest.mark.parametrize(("apart", "least", "most"), [(0.3, 1.0, 1.6), (0.05, 0.7, 1.0)])
def test_circles_and_their_texts_grow_into_their_room(apart, least, most):
    at = np.array([(0, 0), (0, apart), (1, 1)])
    ax = panel_of(Points(at, size=3.3, shades=np.ones(3)), Nodes(at, ["1", "2", "3"], "plain", size=0.7))
    (size,) = ax.collections[0].get_sizes()
    growth = np.sqrt(size) / 33
    assert least <= growth <= most and growth != 1
    assert [text.get_fontsize() for text in ax.texts] == pytest.approx([0.7 * 17 * max(1, growth)] * 3)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8))
def test_names_at_the_ends_of_curves_keep_their_order_and_do_not_overlap(wanted):
    heights = np.full(len(wanted), 0.9 / len(wanted))
    at = spread_out(np.array(wanted), heights)
    order = np.argsort(wanted, kind="stable")
    assert np.diff(at[order]).min() >= heights[0] - 1e-9
    assert at.min() >= heights[0] / 2 - 0.02 - 1e-9 and at.max() <= 1.02 - heights[0] / 2 + 1e-9
