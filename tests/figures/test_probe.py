"""The figure of a probe: the accuracies by layer, chance as a line, and the mean vectors."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.gallery import plots
from tests.figures.finished import finished
from tests.runs import result_of


def drawn(result):
    return finished(lambda figure: plots["probe"]().draw(figure, result))


def test_its_curves_are_the_accuracies_and_the_lengths_of_the_mean_vectors():
    result = result_of("position-probe")
    arrays = result.runs[0].arrays
    left, right = drawn(result).axes
    curves = [line.get_ydata() for line in left.lines]
    for curve, name in zip(curves, ("masked", "line", "unmasked"), strict=False):
        np.testing.assert_array_equal(curve, arrays[f"{name} accuracy"].values)
    np.testing.assert_allclose(curves[3], 1 / 6)
    assert [tick.get_text() for tick in left.get_xticklabels()] == ["no layer", "1", "2", "3"]
    for line, name in zip(right.lines, ("masked", "unmasked"), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), arrays[f"{name} length"].values[-1])


def test_the_title_says_that_the_mask_gives_the_position_only_where_it_does():
    figure = drawn(result_of("position-probe"))
    title = "a causal mask alone tells positions: a probe finds 25\N{NO-BREAK SPACE}%, by chance 17\N{NO-BREAK SPACE}%"
    assert figure.get_suptitle() == title
    assert "the vertical axes do not start at 0" in figure.get_supxlabel()
    assert all(ax.get_legend() is None for ax in figure.axes), "names stand beside the curves"
    few = ha.run(ha.load("position-probe"), overrides={"probe.sequences": 40, "probe.layers": 1, "probe.dim": 4})
    arrays = few.runs[0].arrays
    above = arrays["chance"].values + 2 * arrays["standard error"].values
    assert arrays["masked accuracy"].values[-1] <= above
    assert "mask" not in drawn(few).get_suptitle()


@pytest.mark.quick(0)
def test_many_layers_and_places_leave_out_names_and_no_curve_lies_behind_the_legend():
    change = {"probe.layers": 12, "probe.length": 20, "probe.sequences": 40, "probe.dim": 8}
    figure = drawn(ha.run(ha.load("position-probe"), overrides=change))
    left, right = figure.axes
    assert len(left.get_xticks()) <= 8
    assert len(right.get_xticks()) <= 8
    assert figure.get_supxlabel().endswith("1 of 2 runs")


def test_other_results_have_no_probe():
    assert plots["probe"]().lacks(result_of("bank"))
