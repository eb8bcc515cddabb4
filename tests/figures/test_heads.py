"""The table of heads writes the scores of the result's weights, and says which heads it leaves out."""

import numpy as np
import pytest
from matplotlib.text import Text

import hopattn as ha
from hopattn.figures.gallery import plots
from hopattn.scenario.loading import parse
from tests.figures.finished import finished
from tests.results import drawing_of, result_of

HEADS = """schema = 1
title = "many heads"
source = "ours"
kind = "attention"
[vocabulary]
axes = ["x", "y"]
magnitude = "free"
[vocabulary.words]
"a#1" = [1, 0]
b = [0, 1]
[input]
tokens = ["a#1", "b", "b"]
[[layer]]
"""


def texts(figure):
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def test_the_cells_are_the_scores_by_hand():
    """The head of layer 2 under the trap: their#2 attends to their#1 and dog alike."""
    figure = drawing_of("heads", "induction-cures").figure
    written = texts(figure)
    assert written.count("1   (.25)") == 1 and written.count(".5   (.25)") == 2
    assert written.count("1   (.36)") == 2  # (1/2 + 1/3 + 1/4)/3 = .361
    cells = np.asarray(figure.axes[0].images[0].get_array())
    np.testing.assert_allclose(cells[:, 2], [0, 1, 0, 0.5, 0, 1], atol=1e-9)
    assert "the trap: layer 2 head 1" in written


def test_ten_heads_are_shown_and_the_others_counted():
    result = ha.run(parse(HEADS + "[[layer.head]]\n" * 13, "file.toml", "file"))
    figure = finished(lambda figure: plots["heads"]().draw(figure, result))
    assert len(figure.axes[0].get_yticklabels()) == 10
    assert any("3 more heads" in text for text in texts(figure))


@pytest.mark.parametrize("name", ["bank-softmax", "cross-attention", "practice-7-2", "letters", "similarity"])
def test_results_without_such_heads_have_a_reason(name):
    """No word that repeats; another text; raw similarities; memories."""
    assert plots["heads"]().lacks(result_of(name)).startswith("it has no head")


def test_the_first_sequence_of_a_task_is_shown():
    assert plots["heads"]().lacks(result_of("induction-unseen")) == ""
