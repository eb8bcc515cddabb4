"""The figure of probes draws the numbers of the result, for any widths and several runs."""

import numpy as np
import pytest
from matplotlib.text import Text

import hopattn as ha
from hopattn.figures.gallery import plots
from hopattn.scenario.loading import parse
from tests.figures.finished import drawn
from tests.runs import result_of

TEXT = """schema = 1
title = "circuits"
source = "ours"
kind = "memory_circuit"
[circuit]
widths = [64, 8, 16]
words = 6
length = 30
triggers = 2
texts = 2
"""


def figure_of(result):
    return drawn(lambda figure: plots["probes"]().draw(figure, result))


def curves(ax):
    """The points of each curve by its name."""
    return {line.get_label(): line.get_xydata() for line in ax.lines}


def test_the_curves_are_the_arrays_in_the_order_of_the_widths():
    result = ha.run(parse(TEXT, "file.toml", "file"))
    arrays, drawn = result.arrays, curves(figure_of(result).axes[0])
    for i, name in enumerate(("previous word", "same word", "output")):
        expected = np.column_stack([[8, 16, 64], arrays["probes"].values[i][[1, 2, 0]]])
        np.testing.assert_array_equal(drawn[f"probe: {name}"], expected)
    np.testing.assert_array_equal(drawn["answers in context"][:, 1], arrays["accuracy"].values[[1, 2, 0]])
    capacities = [points[0, 0] for points in drawn.values() if len(points) == 2 and points[0, 0] == points[1, 0]]
    np.testing.assert_array_equal(capacities, arrays["capacity"].values)


def test_several_runs_have_a_panel_each_and_those_left_out_are_counted():
    variants = "".join(f'[[variant]]\nname = "{"long " * i}"\nset = {{ "circuit.beta" = {i} }}\n' for i in range(1, 5))
    figure = figure_of(ha.run(parse(TEXT + variants, "file.toml", "file")))
    assert len(figure.axes) == 3
    assert any(text.get_text().endswith("3 of 5 runs") for text in figure.findobj(Text))


@pytest.mark.parametrize("widths", ["[1]", str([*range(2, 32)])])
def test_one_width_and_many_can_be_drawn(widths):
    result = ha.run(parse(TEXT.replace("[64, 8, 16]", widths), "file.toml", "file"))
    ax = figure_of(result).axes[0]
    assert 1 <= len(ax.get_xticklabels()) <= 13


def test_other_results_have_a_reason():
    assert plots["probes"]().lacks(result_of("bank")).startswith("it has no circuit")
