"""Figures of a long text: they show what can be distinguished, and say what they leave out."""

import pytest
from matplotlib.figure import Figure

import hopattn as ha
from hopattn.figures.gallery import plots
from hopattn.figures.headings import note_of
from hopattn.figures.rendering import drawable
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.loading import parse

WORDS = 1200
TEXT = f"""
schema = 1
title = "long"
source = "ours"
kind = "attention"
vocabulary = {{ axes = ["x", "y"], words = {{ a = [1, 0], b = [0, 1], c = [-1, 0] }} }}
[input]
tokens = {[*"abc"] * (WORDS // 3)}
[[layer]]
[[layer.head]]
mask = "causal"
"""


@pytest.fixture(scope="module")
def result():
    return ha.run(parse(TEXT, "long.toml", "long"))


@pytest.mark.quick(0)
def test_words_that_move_least_are_left_out(result):
    figure = Figure()
    plots["moved"]().draw(figure, result)
    arrows = [text for text in figure.axes[0].texts if not text.get_text() and text.arrow_patch is not None]
    assert 100 < len(arrows) <= 200
    assert any("200 of 1200 words" in text.get_text() for text in figure.findobj(lambda one: hasattr(one, "get_text")))


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["attention", "masks"])
def test_a_matrix_whose_cells_nobody_can_tell_apart_is_refused(result, name):
    reason = r"it has 1,200 × 1,200 cells; at most 1,000 × 1,000 can be distinguished"
    with pytest.raises(InvalidInput, match=reason):
        ha.plot(result, name)
    names = [plot.name for plot in drawable(result)]
    assert name not in names and "moved" in names


def test_a_note_whose_first_part_is_long_begins_with_it():
    long = "a part of many words that is longer than a line of a note may be, " * 2
    assert note_of(["", long, "short", "shorter"]) == f"{long}\nshort · shorter"
    assert note_of([]) == ""


def test_the_rows_of_steps_add_up_to_the_sum(result):
    """The words that are not shown have one row together."""
    figure = Figure(figsize=(12.8, 7.2))
    plots["steps"]().draw(figure, result)
    ax = figure.axes[2]
    *parts, total = ax.images[0].get_array().tolist()
    assert [sum(column) for column in zip(*parts, strict=True)] == pytest.approx(total)
    assert any(" other words" in tick.get_text() for one in figure.axes for tick in one.get_yticklabels())
