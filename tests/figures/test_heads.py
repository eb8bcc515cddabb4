"""The table of heads writes the scores of the result's weights, and says which heads it leaves out."""

import numpy as np
import pytest
from matplotlib.text import Text

import hopattn as ha
from hopattn.figures.gallery import plots
from hopattn.scenario.loading import parse
from tests.figures.finished import drawn
from tests.runs import drawing_of, result_of

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
    """Under the trap the first row of layer 1 attends to itself, and their#2 in layer 2 to their#1 and dog alike."""
    figure = drawing_of("heads", "head-scores").figure
    cells = np.asarray(figure.axes[0].images[0].get_array())
    chance = 37 / 180  # (1/4 + 1/5 + 1/6)/3 under the causal mask
    np.testing.assert_allclose(cells[:, 2], [0, 1, 0, (5 / 6 - chance) / (1 - chance)], atol=1e-6)
    assert not cells[:, 3].any(), "all sinks are below chance"
    written = texts(figure)
    assert written.count(".83   (.21)") == 1
    assert "causal mask: layer 2" in written


def test_a_head_that_attends_evenly_to_all_it_sees_has_no_row_but_a_remark():
    """The variant "alike" attends evenly to previous words only: (1/3 + 1/4 + 1/5)/3."""
    figure = drawing_of("heads", "head-scores").figure
    assert "left out: 2 heads whose scores are those in brackets" in figure.get_supxlabel()
    assert len(figure.axes[0].get_yticklabels()) == 4
    alone = drawn(lambda at: ha.plot(result_of("head-scores"), "heads", ax=at, run="alike"))
    assert texts(alone).count(".26   (.26)") == 4  # both layers, earlier copies and what followed them


def cells(weights):
    """The cells of two heads as drawn from bare weights, those in bold, and the note below."""
    figure = drawn(lambda figure: ha.plot(weights, "heads", ax=figure, tokens=[*"abcde"] * 2))
    written = figure.axes[0].texts
    bold = [text for text in written if text.get_weight() == "bold"]
    return [text.get_text() for text in written], bold, figure.get_supxlabel()


def test_chance_for_bare_weights_follows_from_what_they_hide():
    """By definition even attention over what is visible is chance, here and under the causal mask: 2.93/10 on key 1."""
    causal = np.stack([ha.circuits.uniform_attention(10)] * 2)
    for even in (causal, np.ma.masked_array(causal, np.triu(np.ones_like(causal), 1)), np.full((2, 10, 10), 0.1)):
        written, bold, note = cells(even)
        assert bold == [] and "in brackets" in note
        assert all(text.split("   ")[1] == f"({text.split()[0]})" for text in written)
    assert cells(causal)[0][3] == ".29   (.29)"


def test_without_a_known_mask_the_scores_stand_alone():
    """Two zeros above the diagonal: a mask or sparse weights, nobody knows."""
    odd = np.full((2, 10, 10), 0.125)
    odd[..., 8:] = 0
    written, bold, note = cells(odd)
    assert bold == [] and note == "" and written[0] == ".11"


def test_twelve_heads_are_shown_and_the_others_counted():
    result = ha.run(parse(HEADS + "[[layer.head]]\n" * 13, "file.toml", "file"))
    figure = drawn(lambda figure: plots["heads"]().draw(figure, result))
    assert len(figure.axes[0].get_yticklabels()) == 12
    assert figure.axes[0].get_yticklabels()[0].get_text() == "head 1", "there is one layer"
    assert any("12 of 13 heads" in text for text in texts(figure))


@pytest.mark.parametrize("name", ["bank-softmax", "cross-attention", "practice-7-2", "letters", "similarity"])
def test_results_without_such_heads_have_a_reason(name):
    """No word that repeats; another text; raw similarities; memories."""
    assert plots["heads"]().lacks(result_of(name)).startswith("it has no head")


def test_the_first_sequence_of_a_task_is_shown():
    assert plots["heads"]().lacks(result_of("induction-unseen")) == ""


def test_a_score_of_twice_its_chance_is_bold_on_a_scale_from_0_to_1():
    (ax,) = drawing_of("heads", "head-scores").figure.axes
    assert ax.images[0].get_clim() == (0, 1)
    bold = [text.get_text().split()[0] for text in ax.texts if text.get_weight() == "bold"]
    assert bold == ["1", "1", "1", ".83"]
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert names[:2] == ["strict mask: layer 1", "strict mask: layer 2"]


def test_axes_of_your_own_hold_the_heads_that_were_chosen():
    def draw(figure):
        ha.plot(result_of("head-scores"), "heads", ax=figure.subplots(), run="the trap", layer=2)

    (ax,) = drawn(draw).axes
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["causal mask: layer 2"]
