"""The figure of a comparison: curves, maps, bars and places, without a warning, with a line style for each memory."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.experiments.comparison.options import of_scenario
from hopattn.figures.comparison import draw_comparison
from hopattn.figures.style import DPI, SIZE
from hopattn.foundation.errors import InvalidInput
from tests.figures.finished import finished

FEW = {"trials": 2, "dim": 16}


def figure_of(comparison):
    return finished(lambda figure: draw_comparison(figure, comparison))


def test_curves_are_the_rows():
    comparison = ha.compare_random({"beta": [0.1, 1.0, 10.0]}, memories=["modern", "nearest"], **FEW)
    figure = figure_of(comparison)
    panel = figure.axes[0]
    assert panel.get_xscale() == "log"
    for line in panel.lines:
        rows = [row for row in comparison.rows if row.memory == line.get_label()]
        assert line.get_xdata().tolist() == [0.1, 1.0, 10.0]
        assert line.get_ydata().tolist() == [row.recalled for row in rows]
    styles = [(line.get_marker(), line.get_linestyle()) for line in panel.lines]
    assert len(set(styles)) == 2
    ticks = [text.get_text() for text in figure.axes[2].get_xticklabels() if text.get_text()]
    assert {"0.1", "1", "10"} <= set(ticks)


def test_the_labels_of_axes_do_not_overlap():
    for comparison in (
        ha.compare_random({"load": "0.1:0.9:5"}, **FEW),
        of_scenario("bank", {"over": ("beta=0.1:32:log3",)}),
        of_scenario("letters", {}),
    ):
        figure = figure_of(comparison)
        boxes = [axis.yaxis.label.get_window_extent() for axis in figure.axes if axis.yaxis.label.get_text()]
        boxes += [axis.xaxis.label.get_window_extent() for axis in figure.axes if axis.xaxis.label.get_text()]
        for i, box in enumerate(boxes):
            assert not any(box.overlaps(other) for other in boxes[i + 1 :])
            assert box.x0 >= 0 <= box.y0
            assert box.x1 <= SIZE[0] * DPI
            assert box.y1 <= SIZE[1] * DPI


def test_bars_have_their_numbers_and_a_dash_for_an_unknown_one():
    comparison = ha.compare_random(memories=["linear", "nearest"], **FEW)
    figure = figure_of(comparison)
    steps = figure.axes[1]
    assert [bar.get_width() for bar in steps.patches] == [0.0, 2.0]  # one step to the answer, one to confirm it
    assert [text.get_text() for text in steps.texts] == ["–", "2"]


def test_maps_are_the_rows():
    comparison = ha.compare_random({"load": [0.1, 0.5], "noise": [0.0, 0.1, 0.2]}, memories=["nearest", "dense"], **FEW)
    figure = figure_of(comparison)
    for panel, name in zip(figure.axes, ("nearest", "dense"), strict=False):
        image = np.asarray(panel.images[0].get_array())
        assert image.shape == (3, 2)
        for row in comparison.rows:
            if row.memory == name:
                place = [0.0, 0.1, 0.2].index(row.point["noise"]), [0.1, 0.5].index(row.point["load"])
                assert image[place] == row.recalled


def test_a_comparison_without_measures_is_refused():
    refused = ha.compare([[0.5, 1.0]], [[1.0, 1.0]], memories=["hopfield"])
    with pytest.raises(InvalidInput, match="figure: no memory could take part"):
        figure_of(refused)
    assert "could not take part" in ha.html(refused)
    assert "data:image/svg+xml" in ha.html(ha.compare_random(memories=["nearest"], **FEW))
