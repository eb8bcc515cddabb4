"""The figure of a comparison: curves, maps, bars and places, drawn without a warning, each memory told apart."""

import io
import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure

import hopattn as ha
from hopattn.experiments.comparison.options import of_scenario
from hopattn.figures.comparison import draw_comparison
from hopattn.figures.style import DPI, SIZE, styled
from hopattn.foundation.errors import InvalidInput

FEW = {"trials": 2, "dim": 16}


def figure_of(found):
    with styled(), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = Figure(figsize=SIZE, dpi=DPI, layout="constrained")
        draw_comparison(figure, found)
        figure.savefig(io.BytesIO(), format="png")
    return figure


def test_curves_are_the_rows():
    found = ha.compare_random({"beta": [0.1, 1.0, 10.0]}, memories=["softmax", "nearest"], **FEW)
    figure = figure_of(found)
    panel = figure.axes[0]
    assert panel.get_xscale() == "log"
    for line in panel.lines:
        rows = [row for row in found.rows if row.memory == line.get_label()]
        assert line.get_xdata().tolist() == [0.1, 1.0, 10.0]
        assert line.get_ydata().tolist() == [row.recalled for row in rows]
    looks = [(line.get_marker(), line.get_linestyle()) for line in panel.lines]
    assert len(set(looks)) == 2
    ticks = [text.get_text() for text in figure.axes[2].get_xticklabels() if text.get_text()]
    assert {"0.1", "1", "10"} <= set(ticks)


def test_labels_keep_apart():
    for found in (
        ha.compare_random({"load": "0.1:0.9:5"}, **FEW),
        of_scenario("bank", {"over": ("beta=0.1:32:log3",)}),
        of_scenario("letters", {}),
    ):
        figure = figure_of(found)
        boxes = [axis.yaxis.label.get_window_extent() for axis in figure.axes if axis.yaxis.label.get_text()]
        boxes += [axis.xaxis.label.get_window_extent() for axis in figure.axes if axis.xaxis.label.get_text()]
        for i, one in enumerate(boxes):
            assert not any(one.overlaps(other) for other in boxes[i + 1 :])
            assert one.x0 >= 0 <= one.y0
            assert one.x1 <= SIZE[0] * DPI
            assert one.y1 <= SIZE[1] * DPI


def test_bars_carry_their_numbers_and_a_dash_where_there_is_none():
    found = ha.compare_random(memories=["linear", "nearest"], **FEW)
    figure = figure_of(found)
    steps = figure.axes[1]
    assert [bar.get_width() for bar in steps.patches] == [0.0, 2.0]  # found in one step, and confirmed by another
    assert [text.get_text() for text in steps.texts] == ["–", "2"]


def test_maps_are_the_rows_and_white_where_nothing_is_known():
    found = ha.compare_random({"load": [0.1, 0.5], "noise": [0.0, 0.1, 0.2]}, memories=["nearest", "dense"], **FEW)
    figure = figure_of(found)
    for panel, name in zip(figure.axes, ("nearest", "dense"), strict=False):
        image = np.asarray(panel.images[0].get_array())
        assert image.shape == (3, 2)
        for row in found.rows:
            if row.memory == name:
                place = [0.0, 0.1, 0.2].index(row.point["noise"]), [0.1, 0.5].index(row.point["load"])
                assert image[place] == row.recalled


def test_what_cannot_be_drawn_is_told():
    refused = ha.compare([[0.5, 1.0]], [[1.0, 1.0]], memories=["classical"])
    with pytest.raises(InvalidInput, match="figure: no memory could take part"):
        figure_of(refused)
    assert "could not take part" in ha.html(refused)
    assert "data:image/svg+xml" in ha.html(ha.compare_random(memories=["nearest"], **FEW))
