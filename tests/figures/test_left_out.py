"""Figures name every run, and say below which runs, modules, words and layers they do not draw."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import hopattn as ha
from hopattn.figures.choice import AS_WRITTEN
from hopattn.figures.palette import LIGHT
from hopattn.figures.style import styled
from tests.runs import drawing_of, result_of

NOTES = {
    "forgetting": "points: mean ± 2 standard errors; lines: the law · 2 of 4 runs",
    "gradients": "a rise from the floor: softmax is not saturated in that layer · 1 of 2 runs",
    "maps": "2 of 4 modules · 2 of 4 memories · maps without noise · ring: the place of the memory",
    "messages": "in brackets: sent on the left, then received · 3 of 4 runs",
    "probe": "grey: chance ± 2 standard errors · the vertical axes do not start at 0 · 1 of 2 runs",
    "program": "blue: the query (row) selects the key (column) · 1 of 5 runs",
}
SCENARIOS = {
    "forgetting": "sally",
    "gradients": "vanishing-gradients",
    "maps": "grid-cells",
    "messages": "messages",
    "probe": "position-probe",
    "program": "reverse",
    "fast_weights": "overwriting",
    "walk": "torus-walk",
    "sixteen": "all-a-any-b",
}


def written(name):
    """The texts of a figure as it is in the gallery."""
    figure = drawing_of(name, SCENARIOS[name]).figure
    return [text.get_text().replace("\n", " ") for text in figure.findobj(Text) if text.get_text()]


@pytest.mark.parametrize("name", NOTES)
def test_what_is_left_out_is_said(name):
    assert NOTES[name] in written(name)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_run_has_a_name(name):
    assert not any(AS_WRITTEN in text for text in written(name))


def test_a_run_that_was_chosen_is_the_one_that_is_drawn_and_no_other_is_missing():
    with styled():
        figure = Figure(layout="constrained")
        ha.plot(result_of("position-probe"), "probe", ax=figure, run="nothing in common")
    curve = result_of("position-probe").runs[1].arrays["masked accuracy"].values
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), curve)
    assert not any("choose with" in text.get_text() for text in figure.findobj(Text))


def test_an_upright_line_marks_the_step_at_which_an_induction_head_is_there():
    _, below = drawing_of("emergence", "emergence").figure.axes
    array = result_of("emergence").runs[0].arrays["two layers prefix matching"]
    first = next(int(step) for step, heads in zip(array.labels[0], array.values, strict=True) if heads.max() >= 0.5)
    marks = [line.get_xdata()[0] for line in below.lines if len(set(line.get_xdata())) == 1]
    assert marks == [first], "the single layer has no such head"
    names = [text.get_text() for text in below.texts]
    assert f"half of its weight\nfrom step {first} on" in names and "to the word after\nan earlier occurrence" in names
    assert below.get_legend() is None


def test_colours_of_a_walk_have_one_meaning():
    """Orange is a wrong prediction, so the line at chance is ink; a new edge is blue in the world and in the bars."""
    world, bars = drawing_of("walk", "torus-walk").figure.axes
    chance = [line for line in bars.lines if line.get_linestyle() == "--"]
    assert len(chance) == 3 and {line.get_color() for line in chance} == {LIGHT.ink}
    assert world.get_title() == "with positions"
    names = [text.get_text() for legend in world.figure.legends for text in legend.get_texts()]
    assert {"known edges", "new edges", "best constant prediction"} < set(names)


def test_one_run_of_a_magnet_and_of_a_circuit_goes_into_axes_of_your_own():
    with styled():
        for name in ("magnetisation", "probes"):
            ax = Figure().subplots()
            scenario = {"magnetisation": "magnetisation", "probes": "birth-of-a-transformer"}[name]
            assert ha.plot(result_of(scenario), name, ax=ax) is ax
            assert ax.lines and ax.get_xlabel() and ax.get_ylabel()
