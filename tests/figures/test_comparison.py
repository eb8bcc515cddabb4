"""The figure of a comparison: curves, maps, bars and places, without a warning, with a line style for each memory."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from matplotlib import pyplot

import hopattn as ha
from hopattn.experiments.comparison import options
from hopattn.figures.comparison import ComparisonView, draw_comparison
from hopattn.figures.fitting import outside, overlapping
from hopattn.figures.rendering import fitted
from hopattn.figures.style import DPI, SIZE, STYLES
from hopattn.foundation.errors import InvalidInput
from tests.counts import count
from tests.each import each
from tests.figures.finished import drawn, finished

FEW = {"trials": 2, "dim": 16}


def figure_of(comparison):
    return drawn(lambda figure: draw_comparison(figure, comparison))


def test_each_memory_has_a_panel_with_its_rows():
    comparison = ha.experiments.compare_random(
        {"beta": [0.1, 1.0, 10.0]}, memories=["modern", "nearest"], patterns="unit", **FEW
    )
    figure = figure_of(comparison)
    assert [panel.get_title() for panel in figure.axes] == ["modern", "nearest"]
    for panel in figure.axes:
        rows = [row for row in comparison.rows if row.memory == panel.get_title()]
        assert (panel.get_xscale(), panel.get_ylim()) == ("log", (0, 1))
        (_, end, step) = panel.lines  # first the other memory
        assert end.get_xdata().tolist() == [0.1, 1.0, 10.0]
        assert end.get_ydata().tolist() == [row.recalled for row in rows]
        assert step.get_ydata().tolist() == [row.recalled_first for row in rows]
        assert (end.get_marker(), end.get_linestyle()) != (step.get_marker(), step.get_linestyle())
        ticks = [text.get_text() for text in panel.get_xticklabels() if text.get_text()]
        assert {"0.1", "1", "10"} <= set(ticks)
    assert figure.get_suptitle().replace("\n", " ") == comparison.about


@each(
    ("measure", "named"),
    [
        ("recalled", ["at the fixed point", "after one step"]),
        ("entropy", ["weights of the cue"]),
        ("least_number", ["weights of the cue"]),
        ("distance", []),
    ],
)
def test_a_legend_says_which_state_a_measure_belongs_to(measure, named):
    comparison = ha.experiments.compare_random(
        {"beta": [1.0, 2.0]}, memories=["modern", "sparse"], patterns="unit", **FEW
    )
    figure = drawn(lambda figure: draw_comparison(figure, comparison, ComparisonView(measure)))
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [*named, "the other memories"]
    assert ("standard error" in legend.get_title().get_text()) == (measure == "recalled")


def test_the_note_of_measures_that_are_left_out_names_the_option():
    comparison = ha.experiments.compare_random({"beta": [1.0, 2.0]}, memories=["modern", "linear"], **FEW)
    assert "1 of 7 measures" in figure_of(comparison).legends[0].get_title().get_text()


def test_memories_whose_curves_coincide_share_a_panel_that_names_both():
    comparison = ha.experiments.compare_random({"beta": [1.0, 2.0]}, memories=["nearest", "sparse", "linear"], **FEW)
    assert [panel.get_title() for panel in figure_of(comparison).axes] == ["nearest = sparse", "linear"]


def test_one_measure_is_drawn_into_axes_of_ones_own():
    _, own = pyplot.subplots()
    comparison = ha.experiments.compare_random({"beta": [1.0, 2.0]}, memories=["modern", "linear"], **FEW)
    assert comparison.plot(ax=own, measure="entropy") is own
    assert [text.get_text() for text in own.get_legend().get_texts()] == ["modern"]
    with pytest.raises(InvalidInput, match="measure 'entrop' is unknown; did you mean 'entropy'"):
        comparison.plot(measure="entrop")
    with pytest.raises(InvalidInput, match="there are 7 measures: choose one with measure"):
        ha.experiments.compare_random(memories=["modern"], **FEW).plot(ax=own)
    pyplot.close("all")


def test_the_labels_of_axes_do_not_overlap():
    for comparison in (
        ha.experiments.compare_random({"load": "0.1:0.9:5"}, **FEW),
        options.compared("bank", {"over": ("beta=0.1:32:log3",)}),
        options.compared("letters", {}),
    ):
        figure = finished(lambda figure, comparison=comparison: draw_comparison(figure, comparison))
        boxes = [axis.yaxis.label.get_window_extent() for axis in figure.axes if axis.yaxis.label.get_text()]
        boxes += [axis.xaxis.label.get_window_extent() for axis in figure.axes if axis.xaxis.label.get_text()]
        for i, box in enumerate(boxes):
            assert not any(box.overlaps(other) for other in boxes[i + 1 :])
            assert box.x0 >= 0 <= box.y0
            assert box.x1 <= SIZE[0] * DPI
            assert box.y1 <= SIZE[1] * DPI


def test_bars_have_their_numbers_or_the_reason_why_there_is_none():
    comparison = ha.experiments.compare_random(memories=["linear", "nearest"], **FEW)
    figure = figure_of(comparison)
    steps = figure.axes[1]
    assert [bar.get_width() for bar in steps.patches] == [2.0]  # one step to the answer, one to confirm it
    assert [text.get_text().replace("\n", " ") for text in steps.texts] == ["no cue converged", "2"]
    assert len({bar.get_facecolor() for panel in figure.axes for bar in panel.patches}) == 1
    assert "± one standard error of 2 draws" in figure.get_supxlabel()


def test_maps_are_the_rows():
    comparison = ha.experiments.compare_random(
        {"load": [0.1, 0.5], "noise": [0.0, 0.1, 0.2]}, memories=["nearest", "dense"], **FEW
    )
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
    assert "data:image/svg+xml" in ha.html(ha.experiments.compare_random(memories=["nearest"], **FEW))


def test_a_memory_that_never_converges_is_distinguished_from_one_that_could_not_take_part():
    """Linear attention takes part with any keys; here no cue of it converges."""
    keys = np.random.default_rng(0).normal(size=(5, 4))
    comparison = ha.compare(keys, keys, keys, memories=["modern", "linear", "dense"])
    assert [row.at_rest for row in comparison.rows if row.memory == "linear"] == [0]
    assert figure_of(comparison).get_supxlabel() == "dense could not take part; linear: no cue converged"


@cache
def compared(axes):
    """The comparison of all memories over some axes: bars, curves or maps."""
    return ha.experiments.compare_random(dict(axes), **FEW)


AXES = [(), (("beta", (0.1, 1.0, 10.0)),), (("load", (0.1, 0.5)), ("noise", (0.0, 0.2)))]


# A figure is drawn again in each smaller font that is tried.
@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("axes", "style"),
    count([*product(AXES, ["slide", "paper", "dark"])], [*zip(AXES, ["slide", "paper", "slide"], strict=True)]),
)
def test_no_text_of_a_comparison_is_cut_or_covered(style, axes):
    comparison = compared(axes)
    figure, used = fitted(lambda figure: draw_comparison(figure, comparison), STYLES[style])
    figure.draw_without_rendering()
    assert overlapping(figure) == [] and outside(figure) == [] and used.font >= 4.5
